"""``python -m soundness``: the campaign with a progress bar, and a reproducer of the first failure."""

from __future__ import annotations

import sys
from argparse import ArgumentParser

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from soundness.campaign import Tally, family, reproducer, run


def main() -> int:
    """Run it."""
    parser = ArgumentParser(prog="soundness", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=8000)
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep-going", action="store_true", help="list all failures instead of stopping at the first")
    given = parser.parse_args()
    one = given.case is not None
    cases = [given.case] if one else range(given.cases)
    console, tally = Console(), Tally()
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=len(cases))
        for case, verdict in run(given.seed, cases, 1 if one else given.processes):
            tally.add(case, verdict)
            progress.update(
                task, advance=1, description=f"{tally.quadruples:,} quadruples, {len(tally.failed)} failures"
            )
            if verdict.finding is not None:
                console.print(f"case {case} ({family(given.seed, case)}): {verdict.finding.kind}", highlight=False)
                if not given.keep_going:
                    break
    _report(console, tally)
    if tally.failed and not given.keep_going:
        case, finding = next(iter(tally.failed.items()))
        console.print("the smallest failure of this kind found in a minute:")
        print(reproducer(given.seed, case, finding))
    return 1 if tally.failed else 0


def _report(console: Console, tally: Tally) -> None:
    console.print(
        f"{tally.quadruples:,} quadruples of world, policy, law and target: {tally.exact:,} exactly, {tally.drawn:,} "
        f"by draws, in {tally.fits:,} fits; closest to its guarantee {tally.closest:.4f}. "
        f"{tally.bounds:,} policies against lower bounds. {len(tally.failed)} failures.",
        highlight=False,
    )
    for message, count in tally.refused.most_common():
        console.print(f"refused {count} times: {message}", highlight=False, markup=False)


if __name__ == "__main__":
    sys.exit(main())
