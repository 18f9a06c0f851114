"""The paper, reproduced: every table, figure and claim with the exact number beside the printed one."""
