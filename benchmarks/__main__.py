"""Print every benchmark as one table each."""

from rich.console import Console
from rich.table import Table

from benchmarks import against_scipy, estimator, kernel_limit, large, optimal, questions

SECTIONS = {
    "Certified regret against scipy.stats.poisson_binom on a grid of 1,000 means": against_scipy,
    "The kernel beside plain C": kernel_limit,
    "Curves and mixtures": questions,
    "The optimal policy": optimal,
    "Large problems": large,
    "Many targets": estimator,
}

if __name__ == "__main__":
    console = Console(width=140)
    for title, section in SECTIONS.items():
        table = Table("what", "provend", "other", "ratio", "remarks", title=title, title_justify="left")
        with console.status(title):
            for row in section.rows():
                table.add_row(*row)
        console.print(table)
