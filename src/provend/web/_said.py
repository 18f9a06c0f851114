"""The same in Python and on the command line: exactly what was done, to be copied."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join

from provend.newsvendor import Newsvendor
from provend.policies import Exponential, Kernel, Policy
from provend.web._problem import CELLS, Problem, read_policy

Said = dict[str, str]


def explored(problem: Problem) -> Said:
    """The learning curves and the best policy."""
    ratio = problem.ratio
    costs = ["--q", ratio] if isinstance(ratio, str) else _costs(ratio)
    if problem.kind == "given":
        python = f"[{', '.join(f'{d:.12g}' for d in problem.d)}]"
        design = ["--dissimilarities", "d.txt"]
    else:
        python = f"pv.{problem.kind}({problem.value!r}, n={len(problem.d)})"
        design = [f"--{problem.kind}", repr(problem.value), "-n", str(len(problem.d))]
    others = [name for name in problem.policies if name != "minimax"]
    q = repr(ratio) if isinstance(ratio, str) else f"pv.{ratio!r}"
    lines = ["import provend as pv", "", f"d, q = {python}, {q}"]
    lines += [f"print(pv.{_asked(read_policy(name))})" for name in others]
    lines += ["print(pv.minimax(d, q=q))"]
    commands = [["curve", "--policy", name, *costs, *design] for name in others] + [["minimax", *costs, *design]]
    return {"as_python": "\n".join(lines), "as_command": _commands(commands)}


def _asked(policy: Policy) -> str:
    """A curve; where real weights are rounded, the regret of the rule that is then executed."""
    if isinstance(policy, Exponential | Kernel):
        return f"worst_case_regret(pv.{policy!r}.rounded(d, cells={CELLS}), d, q=q)"
    return f"learning_curve(pv.{policy!r}, d, q=q).to_frame()"


def _costs(problem: Newsvendor) -> list[str]:
    low, high = problem.support
    return ["--cu", str(problem.cu), "--co", str(problem.co), "--support", f"{low:.15g}", f"{high:.15g}"]


def _commands(commands: Sequence[Sequence[str]]) -> str:
    return "\n".join(join(["provend", *command]) for command in commands)
