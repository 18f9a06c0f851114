"""What workers are sent: tables as uploaded, and what is wanted of them, as plain values that are quick to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How to read a table; whatever is ``None`` is found out from the table. Names are as in ``provend.read_sales``."""

    item: tuple[str, ...] | None = None
    date: str | None = None
    demand: str | None = None
    left_out: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    decimal: str | None = None
    delimiter: str | None = None
    day_first: bool | None = None
    negative: str = "refuse"
    duplicates: str = "refuse"
    missing: str = "drop"
    stock_seen: str | None = None  # what was there to be sold on past days, and which of them sold out: as in a plan
    sold_out: str | None = None

    @property
    def seen(self) -> dict[str, str]:
        """What columns say about the stock of past days, by option; these are no contexts."""
        given = {"stock_seen": self.stock_seen, "sold_out": self.sold_out}
        return {option: name for option, name in given.items() if name is not None}


@dataclass(frozen=True)
class Upload:
    """A table as it was sent: where this server keeps it, and what its owner calls it."""

    path: Path
    name: str
    options: Options = Options()

    def called(self, text: str) -> str:
        """The text without the file's location, which is nobody's business."""
        return text.replace(str(self.path), self.name)

    @property
    def written(self) -> dict[str, str | bool | None]:
        """What was said about how text is written; it holds for a second file from the same owner too."""
        return {name: getattr(self.options, name) for name in ("decimal", "delimiter", "day_first")}

    def complaint(self, error: Exception) -> str:
        """What is wrong with the table, with its name in front."""
        said = self.called(str(error))
        return said if said.startswith(f"{self.name}: ") else f"{self.name}: {said}"


@dataclass(frozen=True)
class Wanted:
    """What is to be decided, and on which terms; costs may be names of columns."""

    upload: Upload
    cu: float | str
    co: float | str
    support: tuple[float | str, float | str] | None = None
    horizon: int = 1
    model: str = "auto"
    policy: str = "minimax"
    dissimilarity: str | float = "auto"
    targets: Upload | None = None  # the days to decide, with their contexts, in place of the horizon
    new_items: bool = False  # whether items that only the targets have are new, not mistaken
    supply: tuple[tuple[str, float | str], ...] = ()  # what is said of packs, stock, lead times and past stock, by name

    def says(self, *names: str) -> bool:
        """Whether anything of this is said of the supply."""
        return any(name in names for name, _ in self.supply)


@dataclass(frozen=True)
class Override:
    """Another quantity for a row of the plan, and why."""

    row: int
    quantity: float
    reason: str


@dataclass(frozen=True)
class BacktestWanted:
    """What to try out on a table; without policies, the usual ones."""

    upload: Upload
    cu: float | str
    co: float | str
    support: tuple[float, float] | None = None
    policies: tuple[str, ...] = ()
    test: float | str = "0.3"
    refit_every: int = 28
