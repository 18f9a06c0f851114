"""What to type: two or three examples for each command, shown below its help."""

from __future__ import annotations

FIRST = ("provend demo", "provend plan sales.csv --cu 9 --co 1 --horizon 7 --out plan.csv", "provend plan --help")

EXAMPLES: dict[str, tuple[str, ...]] = {
    "plan": (
        "provend plan sales.csv --cu 9 --co 1",
        "provend plan sales.csv --cu 9 --co 1 --horizon 7 --out plan.csv",
        "provend plan sales.csv --cu price --co waste --targets next_week.csv",
    ),
    "backtest": (
        "provend backtest sales.csv --cu 9 --co 1",
        "provend backtest sales.csv --cu 9 --co 1 --policy static --policy minimax",
    ),
    "estimate": (
        "provend estimate sales.csv --item steak",
        "provend estimate sales.csv --item steak --context weekday --context promotion",
    ),
    "regret": (
        "provend regret --q 0.9 --constant 0.1 -n 16",
        "provend regret --cu 9 --co 1 --support 0 120 --drift 0.001 -n 100",
        "provend regret --q 0.9 --dissimilarities d.txt --policy minimax --json",
    ),
    "curve": (
        "provend curve --q 0.9 --constant 0.1 -n 100",
        "provend curve --q 0.9 --drift 0.001 -n 100 --policy minimax",
    ),
    "samples": (
        "provend samples --q 0.9 --constant 0.04 -n 100 --target 25%",
        "provend samples --cu 9 --co 1 --support 0 9 --constant 0.02 -n 99 --target 3",
    ),
    "tune": (
        "provend tune --q 0.9 --drift 0.001 -n 100",
        "provend tune --q 0.9 --drift 0.001 -n 100 --family gaussian",
    ),
    "minimax": (
        "provend minimax --q 0.9 --constant 0.1 -n 16",
        "provend minimax --cu 9 --co 1 --support 0 120 --drift 0.001 -n 100",
        "provend minimax --q 0.9 --drift 0.001 -n 100 --new 0 --new 0",
    ),
    "mixture": (
        "provend mixture --q 0.9 --constant 0.1 -n 15",
        "provend mixture --q 0.9 --constant 0.05 -n 100 --ranks adjacent --effective",
    ),
    "bound": (
        "provend bound --q 0.9 --constant 0.1 -n 16",
        "provend bound --q 0.9 --drift 0.001 -n 100 --policy knn:27",
    ),
    "service": (
        "provend service --drift 0.001 -n 100 --target 95%",
        "provend service --constant 0.02 -n 120 --target 95% --confidence 0.95",
        "provend service --drift 0.001 -n 100 --policy knn:27 --q 0.9",
    ),
    "paper": ("provend paper list", "provend paper table1", "provend paper all --out results"),
    "serve": ("provend serve", "provend serve --port 8080 --no-browser"),
    "demo": ("provend demo",),
}


def below_help(commands: tuple[str, ...]) -> str:
    """Example commands as they follow a help text, where an empty line between two becomes one line break."""
    return "\n\n".join(("Try:", *commands))
