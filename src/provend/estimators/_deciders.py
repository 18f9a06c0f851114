"""The decider for a policy: rules shared between targets where only ranks matter, otherwise target by target."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._kernels.arithmetic.sorting import in_lexical_order
from provend._validation import as_dissimilarity
from provend.dissimilarity import Dissimilarity, ForecastDistance, cut_offs, parts
from provend.estimators._by_rank import Blocks, ByRank, Decider, Moved
from provend.estimators._choices import LEARNED, Chosen
from provend.estimators._library import LIBRARY, PRECISION, Library
from provend.estimators._past import Past
from provend.estimators._rules import Ends, decode
from provend.estimators._sources import AsGiven, Shared, Source, executed
from provend.estimators._weights import TREES, HonestForest
from provend.levels import Demands, Forecast
from provend.policies import KNN, DecidingPolicy, Exponential, Kernel
from provend.policies.names import GRAMMAR, PolicyName, parse
from provend.regret import worst_case_regret
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]

TREELIKE = ("tree", "forest")  # names outside the grammar of policies


@dataclass(frozen=True, eq=False)
class OneByOne(Decider):
    """A separate policy for every target: the policy that decides is the policy that is certified."""

    q: Fraction
    demands: Demands
    source: Source
    importance: Floats | None = None

    def _policies(self, d: Floats, targets: Contexts) -> list[tuple[DecidingPolicy, Floats]]:
        chosen = self.source.policies(d, targets, self.q)
        return [(executed(policy, row, self.q, self.importance), row) for policy, row in zip(chosen, d, strict=True)]

    def decided(self, d: Floats, targets: Contexts, moved: Moved, support: tuple[Ends, Ends]) -> Floats:
        """The order of each policy."""
        low, high = (np.broadcast_to(end, len(d)).tolist() for end in support)
        each = zip(self._policies(d, targets), moved.values, low, high, strict=True)
        return np.array([policy.order(y, row, q=self.q, support=(lo, hi)) for (policy, row), y, lo, hi in each])

    def brackets(self, blocks: Blocks) -> tuple[Floats, Floats]:
        """One computation per target."""
        decided = (pair for d, targets in blocks for pair in self._policies(d, targets))
        found = [worst_case_regret(policy, row, q=self.q, rtol=PRECISION) for policy, row in decided]
        return np.array([one.lower for one in found]), np.array([one.upper for one in found])

    def shares(self, d: Floats, targets: Contexts) -> Floats:
        """The weights of each policy."""
        return np.array([decode(policy, row, self.q).shares(row.size) for policy, row in self._policies(d, targets)])


def decider(policy: object, chosen: Chosen, q: Fraction) -> Decider:
    """The decider for a policy, which is named or given."""
    history, demands = chosen.weighed, chosen.demands
    size, importance = history.y.size, history.importance
    if isinstance(policy, str) and policy in TREELIKE:
        trees = HonestForest.of(history, trees=1 if policy == "tree" else TREES)
        return OneByOne(q, demands, trees, importance)
    designs = _designs(history, chosen.model)
    if isinstance(policy, str) and policy == "minimax":
        limited = importance is not None and np.isfinite(chosen.dearest)  # what weights make dearer, nobody has judged
        library = ByRank(q, demands, Library.of(designs, q, dearest=1.0 if limited else chosen.dearest))
        return library if importance is None else OneByOne(q, demands, Shared(library), importance)
    named = _by_name(policy, designs, q) if isinstance(policy, str) else policy
    if not isinstance(named, DecidingPolicy):
        raise TypeError(f"policy = {policy!r} does not decide; give a name such as 'minimax' or a policy such as ERM()")
    if "positions" in named.sees and size < history.given:
        raise InputError(
            f"policy = {type(named).__name__} names rows by position, but only {size} of the {history.given} rows "
            "are weighed; choose another policy, or a dissimilarity that is given and no sample_weight of 0"
        )
    if named.sees <= {"ranks"} and importance is None:
        ranked = np.arange(designs.shape[1]) / designs.shape[1]
        return ByRank(q, demands, decode(executed(named, ranked, q), ranked, q))
    executed(named, designs[0], q, importance).form(designs[0], q)  # raises here if the policy does not fit the history
    return OneByOne(q, demands, AsGiven(named), importance)


def check_names(policy: object, dissimilarity: object) -> None:
    """Reject a misspelt name, or a number that is not a dissimilarity, before anything is learned."""
    if isinstance(policy, str) and policy not in TREELIKE:
        try:
            parse(policy).policy()
        except InputError as error:
            others = f", {' or '.join(TREELIKE)}, or give a policy" if str(error).endswith(GRAMMAR) else ""
            raise InputError(f"policy = {policy!r}: {error}{others}") from None
    if isinstance(dissimilarity, str) and dissimilarity not in LEARNED:
        raise InputError(f"dissimilarity = {dissimilarity!r} is not known; give one of {', '.join(LEARNED)} or a model")
    if isinstance(dissimilarity, Real):
        as_dissimilarity(dissimilarity, "dissimilarity")


def _by_name(name: str, designs: Floats, q: Fraction) -> DecidingPolicy:
    """The policy with this name; if it has no parameter, its reach is the one the dissimilarities suggest."""
    bandwidth = float(np.median(cut_offs(designs, float(q))[0]))
    near = max(1, int(np.median((designs < bandwidth).sum(axis=1))))
    match parsed := parse(name):
        case PolicyName("knn", None, None):
            return KNN(near)
        case PolicyName("exponential", None, None):
            return Exponential(1 - 1 / (near + 1))
        case PolicyName("kernel", shape, None):
            return Kernel(shape or "triangular", bandwidth)
    policy = parsed.policy()
    assert policy is not None  # "minimax", the only other name that is not yet a policy, has its own decider
    return policy


def _designs(history: Past, model: Dissimilarity) -> Floats:
    """What future targets will look like: past contexts that recur right after the history.

    If there are many rows, a selection spread over the sorted contexts is taken: the order of the rows does not matter.
    Contexts that are nothing but a time are all the same right after the history.
    """
    contexts, n = history.contexts, history.y.size
    if contexts.columns == (contexts.time,):
        return np.sort(model(contexts, contexts.take_at_the_end(np.arange(1))), axis=1)
    if n <= LIBRARY:
        found = np.sort(model(contexts, contexts.take_at_the_end(np.arange(n))), axis=1)
        return found[in_lexical_order(found)]
    rows = in_lexical_order(_encoding(contexts, model).matrix(contexts))
    some = contexts.take_at_the_end(rows[np.linspace(0, n - 1, LIBRARY).astype(np.intp)])
    first = _unlike_the_last(some)  # contexts that recur have one design
    if first.all():
        return np.sort(model(contexts, some), axis=1)
    designs: Floats = np.sort(model(contexts, some.take(first)), axis=1)[np.cumsum(first) - 1]
    return designs


def _unlike_the_last(contexts: Contexts) -> NDArray[np.bool_]:
    """Whether each row differs from the one before it in some column; the first one does."""
    differs = np.zeros(contexts.size, np.bool_)
    differs[0] = True
    for column in contexts.columns:
        differs[1:] |= column.values[1:] != column.values[:-1]
    return differs


def _encoding(contexts: Contexts, model: Dissimilarity) -> Encoding:
    """The encoding of the contexts; a forecast that was learned from all of them, and no others, has it already."""
    for part in parts(model):
        if isinstance(part, ForecastDistance) and part.learned_from is contexts:
            level = part.level
            if isinstance(level, Forecast) and level.past.size == contexts.size:
                return level.encoding
    return Encoding.of(contexts)
