"""One reproduced table, figure or claim: what is computed, what was printed, and whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from provend._display import Shown, Tabular

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

T = TypeVar("T")
Verdict = Literal["same", "differs", "picture", "beyond"]
Value = float | int | str | bool | None
Track = Callable[[Sequence[T]], Iterable[T]]  # shows progress over a sequence; `quietly` shows none


def quietly(things: Sequence[T]) -> Iterable[T]:
    """The things themselves: progress is not shown."""
    return things


@dataclass(frozen=True)
class Row:
    """One number of an item.

    Attributes
    ----------
    what : str
        What it is, in words or as "zeta = 0.1, n = 15".
    computed : number, string or None
        What follows from the definitions; None: not reached, infinite.
    published : string or None
        The digits as printed; None where there are none.
    verdict : {"same", "differs", "picture", "beyond"}
        "same": computed rounds to what is printed; "picture": published without digits; "beyond": not in the paper.
    why : str
        The reason, where they differ.
    """

    what: str
    computed: Value
    published: str | None
    verdict: Verdict
    why: str = ""


def row(what: str, computed: Value, published: str | None = None, *, beyond: bool = False, why: str = "") -> Row:
    """A row with its verdict; ``why`` is kept only where the numbers differ."""
    if published is None:
        return Row(what, computed, None, "beyond" if beyond else "picture")
    agrees = rounds_to(computed, published)
    if not agrees and not why:
        why = "no reason found: the printed number does not follow from the definitions"
    return Row(what, computed, published, "same" if agrees else "differs", "" if agrees else why)


def rounds_to(computed: Value, printed: str) -> bool:
    """Whether the number, rounded to the printed digits, is the printed one; words and infinities literally."""
    if computed is None or isinstance(computed, str | bool):
        return str("inf" if computed is None else computed) == printed
    try:
        shown = Decimal(printed)
    except ArithmeticError:
        return False
    if not shown.is_finite():
        return False
    return Decimal(computed).quantize(shown, rounding=ROUND_HALF_EVEN) == shown


@dataclass(frozen=True, repr=False)
class Result(Shown, Tabular):
    """A reproduced item.

    Attributes
    ----------
    rows : tuple of Row
        The tidy table.
    figure : plotly figure, optional
        The picture.
    text : str
        What it shows, in a few plain sentences.
    """

    rows: tuple[Row, ...]
    figure: Figure | None = None
    text: str = ""

    def _facts(self) -> dict[str, object]:
        verdicts = Counter[str](row.verdict for row in self.rows)
        return {"rows": len(self.rows), **verdicts, "text": self.text}

    def _columns(self) -> dict[str, list[object]]:
        """``computed`` as text where not all of it is numbers; what is infinite or not reached becomes missing."""
        computed: list[object] = [row.computed for row in self.rows]
        if any(isinstance(value, str | bool) for value in computed):
            computed = [None if value is None else str(value) for value in computed]
        names = [field.name for field in fields(Row)]
        return {name: [getattr(row, name) for row in self.rows] for name in names} | {"computed": computed}


@dataclass(frozen=True)
class Item:
    """An entry of the registry; calling it computes the item, and arguments such as ``q`` change what is computed."""

    name: str
    title: str
    where: str
    compute: Callable[..., Result] = field(repr=False)

    def __call__(self, **options: Any) -> Result:
        """Compute it."""
        return self.compute(**options)


def item(name: str, title: str, where: str) -> Callable[[Callable[..., Result]], Item]:
    """Decorate the function that computes an item; ``where`` is the place in the paper."""

    def entry(compute: Callable[..., Result]) -> Item:
        return Item(name, title, where, compute)

    return entry
