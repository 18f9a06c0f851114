"""How results look: JSON for machines; tables and a chart for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from provend.certificate import Guarantee

WIDTH, HEIGHT = 64, 8
BLOCKS = " ▁▂▃▄▅▆▇█"


def print_json(result: dict[str, Any]) -> None:
    """One object on stdout."""
    print(json.dumps(result))


def guarantee_json(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee under the names of its attributes."""
    worst = guarantee.worst_case
    return {
        "lower": guarantee.lower,
        "upper": guarantee.upper,
        "estimate": guarantee.estimate,
        "gap": guarantee.gap,
        "percent_of_no_data": guarantee.percent_of_no_data,
        "evaluations": guarantee.evaluations,
        "note": guarantee.note,
        "q": str(guarantee.q),
        "unit": guarantee.unit,
        "worst_case": {"side": worst.side, "mean": worst.mean, "history": worst.history.tolist()},
    }


def print_guarantee(guarantee: Guarantee, policy: str) -> None:
    """The bracket and what makes it so bad."""
    worst = guarantee.worst_case
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(style="bold")
    money = "" if guarantee.unit == 1 else " in money"
    table.add_row(f"worst-case regret of {policy}{money}", f"{guarantee.upper:.10g}")
    table.add_row("certified bracket", f"[{guarantee.lower:.15g}, {guarantee.upper:.15g}]".replace("[", r"\["))
    table.add_row("share of the no-data regret", f"{guarantee.percent_of_no_data:.2f} %")
    looks = "higher" if worst.side == "low" else "lower"
    table.add_row(
        "worst case",
        f"demand at the top with probability {worst.mean:.6f}; the past looks {looks}, "
        f"{worst.history.min():.4f} to {worst.history.max():.4f}",
    )
    table.add_row("evaluations", str(guarantee.evaluations))
    if guarantee.note:
        table.add_row("note", f"{guarantee.note}; estimate {guarantee.estimate:.10g}, not certified")
    Console().print(table)


def print_chart(means: NDArray[np.float64], regrets: NDArray[np.float64]) -> None:
    """Expected regret against Nature's choice, drawn with block characters."""
    console = Console()
    top = float(regrets.max()) or 1.0
    eighths = [round(8 * HEIGHT * float(value) / top) for value in regrets]
    console.print("\nexpected regret against the probability that demand is at the top", style="bold")
    for row in range(HEIGHT - 1, -1, -1):
        label = f"{top:9.4g}" if row == HEIGHT - 1 else " " * 9
        console.print(label, "".join(BLOCKS[min(max(level - 8 * row, 0), 8)] for level in eighths), style="cyan")
    left, right = f"{means[0]:.3f}", f"{means[-1]:.3f}"
    console.print(" " * 10 + left + " " * (len(means) - len(left) - len(right)) + right)
