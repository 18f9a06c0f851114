"""Categories of targets that a forecast has never seen: it takes them for average ones, which its user should know."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

from provend.dissimilarity import Dissimilarity, ForecastDistance, parts
from provend.estimators._pool import Pool
from provend.levels import Forecast
from provend.tables import MISSING, ColumnWarning, Contexts, Encoding

SHOWN = 3  # categories that a message has


def compared_by(model: Dissimilarity) -> list[Encoding]:
    """How the forecast of a learned model sees contexts; nobody knows that of a level of the user's own."""
    levels = (part.level for part in parts(model) if isinstance(part, ForecastDistance))
    return [level.encoding for level in levels if isinstance(level, Forecast)]


def learned_for_all(pool: Pool) -> list[Encoding]:
    """How the forecast of a panel sees contexts, and what tells the size of its items."""
    forecast = [pool.forecast.encoding] if pool.forecast.learned else []
    return forecast if pool.scale.encoding is None else [*forecast, pool.scale.encoding]


def warn_of_unknown(encodings: Iterable[Encoding], targets: Contexts) -> None:
    """Name the categories that none of the levels learned from have, if there are any, to who called the caller."""
    found = {name: text for encoding in encodings for name, text in _unknown(encoding, targets)}
    if not found:
        return
    told = ", and ".join(f"column {name!r} holds {text}" for name, text in found.items())
    them, one, they = ("them", "average ones", "they are") if " and " in told else ("it", "an average one", "it is")
    warnings.warn(
        f"{told}: the forecast knows nothing of {them}, orders are those of {one}, and guarantees assume that {they} "
        f"like those known; correct {them}, or add past rows",
        ColumnWarning,
        stacklevel=4,
    )


def _unknown(encoding: Encoding, targets: Contexts) -> Iterator[tuple[str, str]]:
    """The columns with such categories, and these in words."""
    columns = {column.name: column for column in targets.columns}
    for name, levels in encoding.named.items():
        new = [label for label in columns[name].coded[0] if label not in levels]
        if new:
            yield name, _listed(["a missing value" if label == MISSING else f"{label!r:.80}" for label in new])


def _listed(labels: list[str]) -> str:
    """The first few labels."""
    shown, more = labels[:SHOWN], len(labels) - SHOWN
    if more > 0:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join([*([", ".join(shown[:-1])] if shown[:-1] else []), shown[-1]])
