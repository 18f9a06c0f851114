"""A forecast that leans towards what trees say of the quantile to be ordered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import in_lexical_order
from provend._kernels.trees import Nodes
from provend.levels._bins import binned, edges_of
from provend.levels._brought import Level
from provend.levels._forecast import Forecast
from provend.levels._learning import MOST_LEARNED
from provend.levels._power import Power
from provend.levels._quantiles import quantiles
from provend.levels._rows import QUARTILES, inside_fences
from provend.levels._runs import Moments
from provend.tables import Contexts

Floats = NDArray[np.float64]

FEWEST = 30  # moments
SHARE = 0.3  # of the way from the forecast to what the trees say
REACH = 1.0  # interquartile ranges of the errors; beyond that trees speak of spikes
TREES, FEATURES = 13, 1.0  # trees, and the share of the features tried at each node
LEAVES = 5, 10  # the fewest rows in a leaf: with fewer rows than MANY, and with more
MANY = 200


@dataclass(frozen=True, eq=False)
class Leaning(Level):
    """The level of a forecast, moved a share of the way to a quantile that is learned context by context.

    A forecast tells contexts apart by their level and by the width of their errors; what else there is to their laws,
    the leaves of trees have seen, as in quantile regression forests (Meinshausen 2006). On average over the past the
    quantile is ``above`` widths above the level, which is taken off: leaning shifts demand between contexts. It goes a
    share of ``reach`` widths at most, and nowhere in contexts with a weekday or category that is not among those
    ``seen``: trees, which have them in some order, would take them for their neighbours. (Numbers are numbers.)
    """

    power: Power
    spread: float
    forecast: Forecast
    edges: Floats
    nodes: Nodes
    first: NDArray[np.int64]
    above: float
    reach: float
    seen: tuple[Floats, ...]

    def at(self, contexts: Contexts) -> Floats:
        """The level in each context."""
        from provend._kernels.trees.bagged import said

        level, width = contexts.once(self.forecast.at), self.widths(contexts)
        features = self.forecast.encoding.ordinal(contexts)
        quantile = said(binned(features, self.edges), self.first, self.nodes)
        quantile += self.forecast.dated(contexts) + self.forecast.stepped(contexts)
        way = np.clip(quantile - level - self.above * width, -self.reach * width, self.reach * width)
        return self.forecast.within(level + SHARE * np.where(self._all_seen(features), way, 0.0))

    def widths(self, contexts: Contexts) -> Floats:
        """The widths of the forecast's errors."""
        return contexts.once(self.forecast.widths)

    def _all_seen(self, features: Floats) -> NDArray[np.bool_]:
        """Whether all categories and weekdays of each row were seen before."""
        kinds = zip(features.T[features.shape[1] - len(self.seen) :], self.seen, strict=True)
        known = [np.isin(column, values) for column, values in kinds]
        return np.all(known, axis=0) if known else np.ones(len(features), np.bool_)


def leaning(forecast: Forecast, contexts: Contexts, y: Floats, q: float) -> Level:
    """The forecast, learned from these rows, leaning towards their q-quantiles; as it is with little time or none.

    Whether leaning pays is not judged on these rows: it did on public data, but not in tables without a time.
    """
    from provend._kernels.trees.bagged import grown, said
    from provend._kernels.trees.columns import columns_of
    from provend._kernels.trees.leaves import quantiles_in_leaves

    time, latest = contexts.time, contexts.latest(MOST_LEARNED)
    if time is None or (moments := Moments.of(time.values[latest])).times.size < FEWEST:
        return forecast
    features = forecast.encoding.ordinal(contexts)
    order = in_lexical_order(np.column_stack([features, y])[latest])  # so that the given order does not matter
    rows, runs = latest[order], moments.runs[order]
    features, past, z = features[rows], forecast.past[rows], forecast.power.of(y[rows])
    dated, stepped = forecast.dated(contexts)[rows], forecast.stepped(contexts)[rows]
    width = np.broadcast_to(forecast.past_widths, y.shape)[rows]
    edges, efforts = edges_of(features), (TREES, LEAVES[z.size >= MANY], FEATURES)
    bins, left = binned(features, edges), inside_fences(z - stepped) - dated
    nodes, first, _ = grown(columns_of(bins), left, runs, efforts, 0)
    nodes = *nodes[:3], quantiles_in_leaves(bins, first, nodes, left, q)
    above = float(((said(bins, first, nodes) + dated + stepped - past) / width).mean())
    low, high = quantiles((z - past) / width, QUARTILES)
    seen = tuple(np.unique(column) for column in features.T[len(edges) - forecast.encoding.kinds(contexts) :])
    reach = REACH * float(high - low)
    return Leaning(forecast.power, forecast.spread, forecast, edges, nodes, first, above, reach, seen)
