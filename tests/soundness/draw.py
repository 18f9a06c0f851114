"""Draw worlds: contexts with ties and in awkward orders, every policy there is, every way to state a dissimilarity."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor

import numpy as np

from samplers import a_design, a_ratio
from soundness.worlds import ANCHOR, CAUTIOUS, CERTIFIED, LEARNED, Columns, Recipe, Term, World

Rng = np.random.Generator

NAMES = ("minimax", "erm", "knn", "kernel", "exponential", "tree", "forest")
SHAPES = ("uniform", "triangular", "epanechnikov", "gaussian", "exponential")
KINDS = ("ERM", "KNN", "Exponential", "Kernel", "WeightedERM", "OrderStatistic", "WeightedQuantile")
COSTS = (
    ("9", "1"),
    ("1", "1"),
    ("1", "9"),
    ("2", "1"),
    ("0.07", "0.93"),
    ("'9/10'", "'1/10'"),
    ("99", "1"),
    ("3", "5"),
)
SUPPORTS = ((0, 1), (0, 1), (10, 50), (-3, 2.5), (0, 1000))
WHOLE = ((0, 20), (0, 1), (0, 3), (5, 9), (0.5, 7.4))


def a_policy(rng: Rng, n: int, *, counting: bool, depth: int = 0) -> Recipe:
    """A policy object on n rows; mixtures of everything, mixtures included."""
    extra = ["Mixture"] * (3 if depth == 0 else depth < 2) + ["Optimal", "NoData"] + ["Counting"] * counting
    kind = str(rng.choice([*KINDS, *extra]))
    if kind == "Mixture":
        members = tuple(a_policy(rng, n, counting=counting, depth=depth + 1) for _ in range(int(rng.integers(2, 4))))
        parts = rng.multinomial(12, np.full(len(members), 1 / len(members)))
        return Recipe(f"pv.Mixture(MEMBERS, {[f'{part}/12' for part in parts]})", members)
    if kind in ("WeightedERM", "WeightedQuantile", "Counting"):
        return Recipe(f"pv.{kind}({_weighted(rng, kind, n)})", weights=_weights(rng, n))
    plainer = tuple(Recipe(f"pv.KNN({k})") for k in (1, 2, 3)) if kind == "KNN" else ()
    return Recipe(f"pv.{kind}({_arguments(rng, kind, n)})", plainer=plainer)


def _arguments(rng: Rng, kind: str, n: int) -> str:
    k, rank = int(rng.integers(1, n + 1)), int(rng.integers(0, n + 2))
    match kind:
        case "KNN":
            return str(k)
        case "Exponential":
            return str(rng.choice([0.3, 0.5, 0.7, 0.9, 1.0]))
        case "Kernel":
            return f"{str(rng.choice(SHAPES))!r}, {rng.choice([0.05, 0.1, 0.3, 1.0])}"
        case "OrderStatistic":
            subset = sorted(rng.choice(n, k, replace=False).tolist())
            return str(rng.choice([f"{rank}", f"{min(rank, k)}, k={k}", f"{min(rank, k)}, subset={subset}"]))
    return ""


def _weighted(rng: Rng, kind: str, n: int) -> str:
    if kind == "WeightedERM":
        return f"WEIGHTS, tie_break={str(rng.choice(['0', '1/3', '1']))!r}"
    enough = int(rng.integers(0, 3 * n + 2))
    if kind == "WeightedQuantile":
        return f"WEIGHTS, {enough}"
    return f"lambda b: int(sum(w * x for w, x in zip(WEIGHTS, b)) >= {enough})"


def _weights(rng: Rng, n: int) -> tuple[float, ...]:
    weights = rng.integers(0, 6, n) if rng.random() < 0.7 else rng.choice([0.1, 0.2, 0.3, 0.7], n)
    weights[int(rng.integers(n))] = 1
    return tuple(weights.tolist())


def contexts(rng: Rng, n: int, m: int) -> tuple[Columns, Columns, tuple[Term, ...]]:
    """Tables and the models that compare them; few values, so that contexts repeat."""
    kind = str(rng.choice(["number", "Mismatch", "Drift", "Distance", "function", "function"]))
    if kind == "function":
        return _by_table(rng, n, m)
    scale, few = float(rng.choice([0.0, 0.01, 0.05, 0.1, 0.2, 0.4])), int(rng.integers(1, 4))
    days, when = int(rng.choice([2, 10, 40])), str(rng.choice(["day", "date"]))
    past, targets = ({"shop": tuple("abc"[i] for i in rng.integers(0, few, size))} for size in (n, m))
    for table, size in ((past, n), (targets, m)):
        if kind == "Drift":
            table[when] = tuple(rng.integers(0, days, size).tolist())
        elif kind == "Distance":
            table["price"] = tuple(rng.choice([1.0, 1.5, 2.0, 4.0][: few + 1], size).tolist())
    first = {
        "number": Term("number", scale),
        "Mismatch": Term("Mismatch", scale, "shop"),
        "Drift": Term("Drift", float(rng.choice([0.001, 0.01, 0.05])), when),
        "Distance": Term("Distance", scale, "price"),
    }[kind]
    more = [(Term("Mismatch", 0.1, "shop"),), (Term("Constant", 0.02),), ()][int(rng.integers(3))]
    return past, targets, (first, *more) if kind in ("Drift", "Distance") else (first,)


def _by_table(rng: Rng, n: int, m: int) -> tuple[Columns, Columns, tuple[Term, ...]]:
    """A function that looks the dissimilarities up: designs of every kind, other for targets than for past contexts."""
    kinds = int(rng.integers(1, n + 1))
    table = np.array([a_design(rng, kinds) for _ in range(kinds + m)]).round(4)
    ids = tuple(int(i) for i in rng.integers(0, kinds, n))
    aims = tuple(int(rng.integers(kinds)) if rng.random() < 0.2 else kinds + j for j in range(m))
    return {"id": ids}, {"id": aims}, (Term("function", table=tuple(map(tuple, table.tolist()))),)


def a_world(rng: Rng, n: int, m: int, values: int) -> World:
    """A world of n past rows, m targets and that many values of demand."""
    past, targets, terms = contexts(rng, n, m)
    kinds = {term.kind for term in terms}
    integer, named = rng.random() < 0.2, rng.random() < 0.4
    support = (WHOLE if integer else SUPPORTS)[int(rng.integers(5))]
    weights = _importance(rng, n, zeros=named) if rng.random() < 0.25 and "Distance" not in kinds else None
    live = n if weights is None else int(np.count_nonzero(weights))
    world = World(
        past,
        targets,
        terms,
        policy=Recipe(repr(NAMES[int(rng.integers(len(NAMES)))])),
        costs=_costs(rng, live),
        support=support,
        atoms=_atoms(rng, support, integer, values),
        integer=integer,
        sample_weight=weights,
    )
    if rng.random() < 0.5:
        world = _in_order(rng, world)
    if rng.random() < 0.15 and "function" not in kinds:
        world, live = _anchored(world), live + 2
    if named:
        return world
    world = replace(world, policy=a_policy(rng, live, counting=live <= 8))
    plain = world.told and not integer and weights is None
    return replace(world, library=True) if plain and rng.random() < 0.3 else world


def _costs(rng: Rng, n: int) -> tuple[str, str]:
    """Usual ones, or such that q times the number of rows is whole."""
    if rng.random() < 0.6:
        return COSTS[int(rng.integers(len(COSTS)))]
    q = a_ratio(rng, n)
    return str(q.numerator), str(q.denominator - q.numerator)


def _importance(rng: Rng, n: int, *, zeros: bool) -> tuple[float, ...] | None:
    drawn = rng.choice([0, 1, 2, 10] if zeros else [1, 2, 10], n) * float(rng.choice([1, 1, 0.5]))
    return tuple(drawn.tolist()) if drawn.any() else None


def _atoms(rng: Rng, support: tuple[float, float], integer: bool, values: int) -> tuple[float, ...]:
    """What demand can be: both ends, and points between them; whole numbers where orders are."""
    low, high = (float(ceil(support[0])), float(floor(support[1]))) if integer else map(float, support)
    between = np.arange(low + 1, high) if integer else low + (high - low) * np.array([0.1, 0.25, 0.5, 0.6, 0.9])
    inner = rng.permutation(between)[: values - 2]
    return (low, *sorted(inner.tolist()), high)


def _in_order(rng: Rng, world: World) -> World:
    """Rows sorted by context or by dissimilarity to a target, either way: awkward, but blind to demand."""
    first = next(iter(world.past.values()))
    key = np.argsort(np.array(first), kind="stable") if rng.random() < 0.5 else np.argsort(world.d[0], kind="stable")
    return world.keep_rows(key[:: int(rng.choice([-1, 1]))].tolist())


def _anchored(world: World) -> World:
    """Not told the support; two rows that have nothing to do with the targets show both ends of it."""
    low, high = world.atoms[0], world.atoms[-1]
    past = {name: (*column, column[0], column[0]) for name, column in world.past.items()}
    n, m = world.size
    past[ANCHOR] = (*("no",) * n, "low", "high")
    terms = tuple(Term("Constant", t.scale) if t.kind == "number" else t for t in world.terms)
    return replace(
        world,
        past=past,
        targets=world.targets | {ANCHOR: ("no",) * m},
        terms=(*terms, Term("Mismatch", 1.0, ANCHOR)),
        support=(low, high),
        told=False,
        sample_weight=None if world.sample_weight is None else (*world.sample_weight, 1, 1),
    )


def a_tied_world(rng: Rng) -> World:
    """More rows at equal dissimilarity than the optimiser looks at, and policies that look at some of them."""
    n, shops = int(rng.integers(205, 301)), int(rng.integers(1, 3))
    past: Columns = {"shop": tuple("ab"[i] for i in rng.integers(0, shops, n))}
    scale = float(rng.choice([0.0, 0.02, 0.1]))
    term = Term("Mismatch", scale, "shop") if shops > 1 else Term("number", scale)
    mixture = "pv.Mixture([pv.Optimal(), pv.KNN(9)], [0.5, 0.5])"
    policies = ("'minimax'", "pv.Optimal()", "pv.KNN(5)", f"pv.KNN({n // 2})", "'knn'", "'kernel'", "'tree'", mixture)
    policy = Recipe(policies[int(rng.integers(len(policies)))])
    return World(past, {"shop": ("a", "b")}, (term,), policy, _costs(rng, n), (0, 1), (0.0, 1.0))


def a_wide_world(rng: Rng) -> World:
    """More targets, each with a design of its own, than get a computation of their own."""
    n, m = int(rng.integers(4, 6)), 900
    past: Columns = {"day": tuple(int(x) for x in rng.integers(0, 6, n))}
    targets: Columns = {"day": tuple(float(x) for x in rng.uniform(6, 36, m).round(3))}
    policies = ("'minimax'", "'erm'", "'knn'", "'exponential'", "pv.KNN(2)", "pv.Optimal()")
    policy = Recipe(policies[int(rng.integers(len(policies)))])
    term = Term("Drift", float(rng.choice([0.002, 0.01])), "day")
    return World(past, targets, (term,), policy, _costs(rng, n), (10, 50), (10.0, 50.0))


def a_levelled_world(rng: Rng, level: str) -> World:
    """Forecasts in a column, or from a regressor that learns from older rows; atoms are what is left of demand."""
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    world = a_world(rng, n, m, 2 if rng.random() < 0.7 else 3)
    while not world.told or world.integer or world.library or len(world.past.keys() & {"day", "date"}):
        world = a_world(rng, n, m, 2 if rng.random() < 0.7 else 3)
    width = world.atoms[-1] - world.atoms[0]
    apart = float(rng.choice([0.02, 0.2, 2.0]))  # the support is as much wider than what is left of demand
    forecasts = (width * apart * rng.choice([0.0, 0.25, 1.0, -float(rng.random() < 0.5)], n + m)).tolist()
    low, high = min(forecasts) + world.atoms[0], max(forecasts) + world.atoms[-1]
    named = Recipe(str(rng.choice(["'minimax'", "'knn'", "'erm'", "pv.KNN(2)", "pv.Exponential(0.7)", "pv.Optimal()"])))
    past = world.past | {"level": tuple(forecasts[:n])}
    targets = world.targets | {"level": tuple(forecasts[n:])}
    if level == "regressor":
        world = replace(world, policy=named, sample_weight=None)
        low = min(low, -0.01 * width)  # what keeps the regressor's scale plain
    return replace(world, past=past, targets=targets, support=(low, high), level=level)


def a_cautious_world(rng: Rng) -> World:
    """A few rows of one shop, from which nothing is learned: they are alike, and orders stay within their demands."""
    n = int(rng.integers(1, 6))
    atoms = (0.0, 1.0) if rng.random() < 0.5 else (0.2, 0.5, 0.7)[: 3 if n < 5 else 2]
    weights = tuple(rng.integers(1, 5, n).tolist()) if rng.random() < 0.3 else None
    ratio = int(rng.choice([1, 4, 9, 19, 49]))  # with few rows and a large ratio the best rule goes to the top
    costs = (str(ratio), "1") if rng.random() < 0.8 else ("1", str(ratio))
    rows: Columns = {"shop": ("a",) * n}
    term = Term(LEARNED, name=CAUTIOUS)
    return World(rows, {"shop": ("a",)}, (term,), Recipe("'minimax'"), costs, (0, 1), atoms, sample_weight=weights)


def a_packed_world(rng: Rng) -> World:
    """Packs, a minimum and stock; demands are possible orders, or between them."""
    n, m = int(rng.integers(1, 7)), int(rng.integers(1, 5))
    world = a_world(rng, n, m, 2)
    while not world.told or world.integer or world.library:
        world = a_world(rng, n, m, 2)
    packs = [(6, 0), (4, 8), (1, 0), (7, 12), (30, 0)][int(rng.integers(5))]
    inner = sorted(rng.choice([2.0, 5.5, 9.0, 13.25, 16.0], int(rng.integers(0, 3)), replace=False).tolist())
    stock = float(rng.choice([0.0, 0.0, 3.0, 12.5]))
    return replace(world, support=(0, 20), atoms=(0.0, *inner, 20.0), packs=packs, stock=stock)


def a_certified_world(rng: Rng) -> World:
    """Rows to learn from and rows to weigh: of shops that differ, or are alike; or of one shop, and so few."""
    few = rng.random() < 0.5
    n = int(rng.integers(2, 15) if few else rng.integers(16, 80))
    past: Columns = {"shop": tuple("ab"[i] for i in rng.integers(0, 1 if few else 2, n))}
    targets: Columns = {"shop": ("a",) if few else ("a", "b")}
    policy = Recipe(repr(str(rng.choice(["minimax", "knn"]))))
    atoms = (0.0, 1.0) if few else (0.0, 0.5, 1.0)
    return World(past, targets, (Term(LEARNED, name=CERTIFIED),), policy, _costs(rng, n), (0, 1), atoms)
