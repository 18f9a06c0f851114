"""What the rows of a reproduced result say."""

from __future__ import annotations

from provend.paper import Result


def verdicts(result: Result, verdict: str) -> set[str]:
    return {one.what for one in result.rows if one.verdict == verdict}


def computed(result: Result) -> dict[str, object]:
    return {one.what: one.computed for one in result.rows}
