"""The options that commands share, and what they mean. Numbers stay strings until they are read exactly."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from provend._errors import InputError
from provend.cli._amounts import amount

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from provend.newsvendor import Newsvendor
    from provend.policies import Policy

LARGEST = 1e200  # regret in money
MOST = 10**7  # past contexts; their dissimilarities alone are 80 MB, and every policy needs a few times that

Q = Annotated[str | None, typer.Option("--q", help="Critical ratio, such as 0.9 or 9/10.")]
Cu = Annotated[str | None, typer.Option("--cu", help="Cost of one unit short; with --co, instead of --q.")]
Co = Annotated[str | None, typer.Option("--co", help="Cost of one unit left over.")]
Support = Annotated[
    tuple[float, float] | None, typer.Option(help="Lowest and highest demand, 0 and 1 if left out; with --cu and --co.")
]
Constant = Annotated[float | None, typer.Option(help="All dissimilarities are this; needs -n.")]
Drift = Annotated[float | None, typer.Option(help="The i-th dissimilarity is i times this; needs -n.")]
Dissimilarities = Annotated[Path | None, typer.Option(help="A file: one dissimilarity per line, or a JSON array.")]
N = Annotated[int | None, typer.Option("-n", help="Number of past contexts.")]
PolicyName = Annotated[
    str, typer.Option("--policy", help="erm, knn:27, exp:0.95, kernel:gaussian:0.05, order:14, minimax or no-data.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")]


@dataclass(frozen=True)
class Stated:
    """What the shared options say: costs or a ratio, and dissimilarities."""

    ratio: str | Newsvendor
    d: NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """What the shared options say where costs play no part."""

    d: NDArray[np.float64]


def on_problem(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command(problem, ...)`` the options that describe a problem, before its own."""
    return sharing(_problem_options, command)


def on_design(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command(design, ...)`` the options that describe dissimilarities, before its own."""
    return sharing(_design_options, command)


def sharing(options_of: Callable[..., object], command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first argument is built from the options of ``options_of``."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    shared = list(inspect.signature(options_of, eval_str=True).parameters.values())

    def run(**options: Any) -> None:
        command(options_of(*(options.pop(parameter.name) for parameter in shared)), **options)

    options = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in (*shared, *own)]
    run.__doc__ = command.__doc__
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _problem_options(
    q: Q = None,
    cu: Cu = None,
    co: Co = None,
    support: Support = None,
    constant: Constant = None,
    drift: Drift = None,
    dissimilarities: Dissimilarities = None,
    n: N = None,
) -> Stated:
    return Stated(read_ratio(q, cu, co, support), read_design(constant, drift, dissimilarities, n))


def _design_options(
    constant: Constant = None, drift: Drift = None, dissimilarities: Dissimilarities = None, n: N = None
) -> Design:
    return Design(read_design(constant, drift, dissimilarities, n))


def read_ratio(q: str | None, cu: str | None, co: str | None, support: tuple[float, float] | None) -> str | Newsvendor:
    """Either a critical ratio or a newsvendor, whose results are in money."""
    from provend.newsvendor import Newsvendor

    if (q is None) == (cu is None and co is None):
        raise InputError("give either --q, or --cu and --co")
    if q is not None and support is not None:
        raise InputError("--support goes with --cu and --co; with --q regrets are in units of the support's width")
    if q is not None:
        return amount(q, "--q")
    if cu is None or co is None:
        raise InputError("--cu and --co go together; give both")
    problem = Newsvendor(amount(cu, "--cu"), amount(co, "--co"), support or (0.0, 1.0))
    try:
        unit = problem.unit
    except OverflowError:
        unit = inf
    if not 1 / LARGEST <= unit <= LARGEST:
        raise InputError("--cu, --co and --support make regrets too large or small to compute with; change the units")
    return problem


def read_design(constant: float | None, drift: float | None, file: Path | None, n: int | None) -> NDArray[np.float64]:
    """The dissimilarities, from exactly one of three sources."""
    from provend import designs
    from provend._validation import as_dissimilarities

    given = [
        name
        for name, value in (("--constant", constant), ("--drift", drift), ("--dissimilarities", file))
        if value is not None
    ]
    if len(given) != 1:
        raise InputError(
            f"give exactly one of --constant, --drift and --dissimilarities, not {' and '.join(given) or 'none'}"
        )
    if file is not None:
        if n is not None:
            raise InputError("-n does not go with --dissimilarities; the file has as many contexts as numbers")
        return as_dissimilarities(_numbers(file))
    if n is None:
        raise InputError(f"{given[0]} needs -n, the number of past contexts")
    if n > MOST:
        raise InputError(f"-n {n} is more than {MOST:,} past contexts, which would not fit into memory; give fewer")
    d = designs.constant(constant, n) if constant is not None else designs.drift(drift or 0.0, n)
    return as_dissimilarities(d)


def _numbers(file: Path) -> list[float]:
    try:
        text = file.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise InputError(
            f"--dissimilarities {file}: not a text file; give one number per line or a JSON array"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"--dissimilarities {file}: {reason}; name a readable file") from None
    if not text:
        raise InputError(f"--dissimilarities {file}: there is nothing in it; give one number per line or a JSON array")
    try:
        return [float(x) for x in (json.loads(text) if text.startswith("[") else text.split())]
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise InputError(
            f"--dissimilarities {file}: not a list of numbers; give one per line or a JSON array"
        ) from None


def read_policy(name: str) -> Policy:
    """The policy with this name."""
    from provend.minimax import named_policy

    try:
        return named_policy(name)
    except ValueError as error:
        raise InputError(f"--policy {name}: {error}") from None
