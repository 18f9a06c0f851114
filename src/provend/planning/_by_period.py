"""A decider for lead times: demand over all the days that an order has to cover."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import fsum, gcd
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._errors import InputError
from provend.certificate import rounded_up
from provend.estimators import ContextualNewsvendor
from provend.levels import learn_forecast
from provend.orders import seeds_of
from provend.periods import ProtectionPeriod
from provend.planning._one_by_one import OneByOne
from provend.planning._own_rows import LEAST, OwnRows, stock_of, undoubting
from provend.planning._reason import amounts, at_the_top, by_chance, rounded
from provend.planning._schema import DEMAND, OK, Terms, table_of
from provend.planning._without_data import without_data
from provend.tables import read_contexts

WEIGHS_WHAT_IT_LEARNS = "auto", "cautious"  # dissimilarities with which demands may be moved as they suggest
ALIKE, HARDLY = 0.25, 0.02  # shares of mean demand, since a change and before it, by which days brought may miss

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class ByPeriod(OneByOne):
    """Windows as long as an order covers, in classes whose windows share no day; orders are averaged over classes.

    Attributes
    ----------
    own : OwnRows
        How each class is decided.
    """

    own: OwnRows

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """A target is the first day of the period that its order covers."""
        ahead, stock = stock_of(targets)
        decided = self.of_classes(history, ahead, stock, terms)
        found, known, days = decided.classes, decided.terms, decided.days
        if not found:
            unit = f"period of {days} days"
            return without_data(decided.windows.sums[-1:], ahead[0].to_pylist(), stock, terms, unit=unit)
        orders = _averaged(found, ahead, known)
        levels = orders if stock is None else orders + stock
        length = f"{days} {'day' if days == 1 else 'days'}"
        why = [
            f"{n} of {size} comparable periods of {length} needed at most {rounded(a)}"
            for n, size, a in zip(*_enough(found, levels), levels, strict=True)
        ]
        told = _moved([decided.windows.brought is not None or one.model.level_ is not None for one in found])
        assert known.support is not None
        upper = _mean([one.upper for one in found])
        notes = zip(by_chance(upper, terms), at_the_top(levels, known.support[1], terms), strict=True)
        each = zip(amounts(orders, stock, terms), why, notes, strict=True)
        return table_of(
            order=orders,
            guarantee=upper,
            percent_of_no_data=_mean([one.percent for one in found]),
            effective_n=np.mean([1 / (one.weights**2).sum(axis=1) for one in found], axis=0),
            policy=[self.own.policy] * orders.size,
            basis=[_basis(decided, terms)] * orders.size,
            reason=[f"{what}: {n}{told}{''.join(more)}" for what, n, more in each],
            status=[OK] * orders.size,
            message=[None] * orders.size,
        )

    def of_classes(self, history: pa.Table, ahead: pa.Table, stock: Floats | None, terms: Terms) -> OfPeriods:
        """What each class says about each target; no classes if no windows can be compared."""
        period = terms.supply.period
        assert period is not None
        windows = Windows.of(history, period)
        classes = [rows for rows in windows.classes if rows.size >= LEAST]
        if not classes:
            return OfPeriods(windows, [], terms, period.days)
        known = terms if terms.support is not None else _in_range(windows.sums, terms)
        if (now := self._at_the_present_level(history)) is not None:
            assert known.support is not None
            windows = replace(windows, brought=np.clip(Windows.of(now, period).sums, *known.support))
        try:
            found = [self._of_class(windows, rows, ahead, stock, known) for rows in classes]
        except InputError as error:
            raise _of_windows(error, period, classes) from error
        return OfPeriods(windows, found, known, period.days)

    def _at_the_present_level(self, history: pa.Table) -> pa.Table | None:
        """The history with days from before a change of level that has lasted brought to the new one, if there is one.

        Classes have too few windows to see it. Only where dissimilarities are learned from the demands they weigh.
        """
        if self.own.dissimilarity not in WEIGHS_WHAT_IT_LEARNS:
            return None
        with undoubting():
            contexts = read_contexts(history.drop_columns([DEMAND]), kinds=self.own.columns or {})
        y = history[DEMAND].to_numpy()
        forecast = learn_forecast(contexts, y, 0.5)
        if forecast.step is None or contexts.time is None:
            return None
        is_old, power = contexts.time.values < forecast.step.start, forecast.power
        brought = np.where(is_old, power.back(power.of(y) + forecast.step.size), y)
        before, since, moved = y[is_old].mean(), y[~is_old].mean(), brought[is_old].mean()
        if abs(moved - since) > ALIKE * since + HARDLY * before:  # as where demand has become rare, not small
            return None
        return history.set_column(history.column_names.index(DEMAND), DEMAND, pa.array(brought))

    def _of_class(self, windows: Windows, rows: Rows, ahead: pa.Table, stock: Floats | None, terms: Terms) -> OfClass:
        """Decide on windows that share no day as if they were rows of an item."""
        with undoubting():
            model = self.own.model(terms).fit(windows.starts.take(rows), windows.counted[rows])
            return OfClass.of(rows, model, ahead, stock)


def _of_windows(error: InputError, period: ProtectionPeriod, classes: list[Rows]) -> InputError:
    """An error in words that speak of windows, where the rows of an estimator are windows."""
    smallest = min(rows.size for rows in classes)
    return InputError(
        f"each class of windows of {period.days} days that share no day is decided alone, the smallest with {smallest} "
        f"windows: {error}"
    )


class OfClass(NamedTuple):
    """What windows that share no day say about each target."""

    rows: Rows
    model: ContextualNewsvendor
    orders: Floats
    upper: Floats
    percent: Floats
    weights: Floats
    brought: Floats

    @classmethod
    def of(cls, rows: Rows, model: ContextualNewsvendor, ahead: pa.Table, stock: Floats | None) -> OfClass:
        """According to a model that was fitted to them."""
        promised = model.guarantee(ahead, stock=stock)
        return cls(
            rows,
            model,
            model.predict(ahead, stock=stock),
            promised.upper,
            promised.percent_of_no_data,
            model.get_weights(ahead),
            model.brought(ahead),
        )


class OfPeriods(NamedTuple):
    """Past windows, what their classes say, and the terms and the number of days they were decided with."""

    windows: Windows
    classes: list[OfClass]
    terms: Terms
    days: int


@dataclass(frozen=True, eq=False)
class Windows:
    """Past periods without a missing day: the days they start on, the demand over them, and their classes."""

    starts: pa.Table
    sums: Floats
    classes: list[Rows]
    brought: Floats | None = None  # the demand, had the level changed before

    @property
    def counted(self) -> Floats:
        """The demands that are weighed."""
        return self.sums if self.brought is None else self.brought

    @classmethod
    def of(cls, history: pa.Table, period: ProtectionPeriod) -> Windows:
        """Classes by starting day: windows of a class start a multiple of the period apart."""
        dates, y = history.drop_columns([DEMAND]), history[DEMAND].to_numpy()
        place = _places(dates[0])
        days = period.days
        complete = np.flatnonzero(place[days - 1 :] - place[: max(place.size - days + 1, 0)] == days - 1)
        if not complete.size and place.size >= days:
            raise InputError(
                f"no {days} days in a row are there, as lead_time and review need; give 0 for days without demand"
            )
        sums = period.windows(y)[complete] if complete.size else y[:0]
        kinds = place[complete] % days
        return cls(dates.take(complete), sums, [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)])


def _places(dates: pa.ChunkedArray) -> NDArray[np.int64]:
    """Dates as whole numbers, one apart where they are consecutive."""
    given: NDArray[Any] = dates.to_numpy()
    numbers = given.astype("datetime64[us]").astype(np.int64) if given.dtype.kind == "M" else given.astype(np.int64)
    step = gcd(*np.diff(numbers).tolist()) or 1
    places: NDArray[np.int64] = (numbers - numbers[:1].sum()) // step
    return places


def _in_range(sums: Floats, terms: Terms) -> Terms:
    """Terms with the range of past periods as the support, the same for all classes."""
    low, high = float(sums.min()), float(sums.max())
    return replace(terms, support=(low, high) if low < high else (min(0.0, 2 * low), max(2 * high, 0.0) or 1.0))


def _enough(found: list[OfClass], levels: Floats) -> tuple[Counts, Counts]:
    """How many of the periods that count needed at most each level, and how many count."""
    counted = [one.weights > 0 for one in found]
    met = [one.brought <= levels[:, None] * (1 + 1e-12) for one in found]
    both = [some & enough for some, enough in zip(counted, met, strict=True)]
    return np.hstack(both).sum(axis=1), np.hstack(counted).sum(axis=1)


def _averaged(found: list[OfClass], ahead: pa.Table, terms: Terms) -> Floats:
    """Costs are convex: the mean order regrets no more than the classes' orders on average; packs are drawn again."""
    mean: Floats = np.mean([one.orders for one in found], axis=0)
    possible = terms.supply.orders
    if possible is None:
        return mean
    low, high = possible.around(np.zeros(1), np.array([mean.max(initial=0.0)]))
    if low[0] == high[0]:
        return mean
    chance = seeds_of(terms.seed, (("average", date) for date in ahead[0].to_pylist()))
    return possible.drawn_each(mean[:, None], support=(float(low[0]), float(high[0])), random_states=chance)[:, 0]


def _mean(of_classes: list[Floats]) -> Floats:
    """The mean over classes, rounded up."""
    mean: Floats = np.array([fsum(each) for each in zip(*of_classes, strict=True)]) / len(of_classes)
    return rounded_up(mean)


def _moved(classes: list[bool]) -> str:
    """What was done to past periods, in words."""
    if not any(classes):
        return ""
    return f", once brought to its level{'' if all(classes) else ' in some of the classes'}"


def _basis(decided: OfPeriods, given: Terms) -> str:
    assert decided.terms.support is not None
    low, high = decided.terms.support
    count = len(decided.classes)
    text = f"Demand over {decided.days} days; windows that overlap are in {count} classes, whose orders are averaged. "
    if decided.windows.brought is not None:
        text += "Days from before a change of level that has lasted are brought to the new one, which is learned, too. "
    said = Counter(one.model.basis_ for one in decided.classes)  # classes may learn different things
    basis = " ".join(each if len(said) == 1 else f"{n} of the classes: {each}" for each, n in said.items())
    if given.support is None:
        told = f"Support [{low:g}, {high:g}]"
        seen = (
            f"{told} is the range of past periods: guarantees hold if demand stays in it, and if that was known before."
        )
        basis = basis.replace(f"{told} as given.", seen)
    return text + basis
