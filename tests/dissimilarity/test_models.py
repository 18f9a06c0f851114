from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import norm
from sklearn.linear_model import Ridge
from sklearn.metrics import pairwise_distances

import provend as pv
from provend import levels
from provend.dissimilarity import (
    Constant,
    Custom,
    Dissimilarity,
    Distance,
    Drift,
    ForecastDistance,
    Mismatch,
    Sum,
    calibrate_dissimilarity,
    estimate_scales,
)
from provend.dissimilarity._calibrate import cut_offs, triangular_orders
from provend.tables import Encoding, read_contexts

PAST = pd.DataFrame(
    {
        "date": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-05"]),
        "weekday": ["MON", "TUE", "FRI"],
        "temperature": [10.0, 14.0, 18.0],
        "open": [True, True, False],
    }
)
TARGET = pd.DataFrame(
    {"date": pd.to_datetime(["2024-01-08"]), "weekday": ["MON"], "temperature": [14.0], "open": [False]}
)
SPREAD = np.std([10, 14, 18])


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Constant(0.1), [0.1, 0.1, 0.1]),
        (Mismatch("weekday", 0.2), [0, 0.2, 0.2]),
        (Mismatch("open", 0.2), [0.2, 0.2, 0]),
        (Drift(0.01), [0.07, 0.06, 0.03]),
        (Distance(0.1), [0.4 / SPREAD, 0, 0.4 / SPREAD]),
        (Mismatch("weekday", 0.2) + Drift(0.01) + Constant(0.1), [0.17, 0.36, 0.33]),
        (Constant(0.7) + Constant(0.6), [1, 1, 1]),
        (Custom(lambda past, targets: np.full((len(targets), len(past)), 0.3)), [0.3, 0.3, 0.3]),
    ],
)
def test_models_by_hand(model, expected):
    for past, target in ((PAST, TARGET), (pl.from_pandas(PAST), pl.from_pandas(TARGET))):
        assert model(past, target)[0] == pytest.approx(expected)


@pytest.mark.parametrize("model", [Constant(0.02), Mismatch("weekday", 0.02), Drift(0.001), Distance(0.01)])
def test_scaled(model):
    assert model.scaled(3)(PAST, TARGET) == pytest.approx(3 * model(PAST, TARGET))
    total = Sum((model, Constant(0.01)))
    assert total.scaled(2)(PAST, TARGET) == pytest.approx(2 * total(PAST, TARGET))


def test_any_metric():
    x, t = np.random.default_rng(0).normal(size=(2, 6, 3))
    scaled = (t - x.mean(axis=0)) / x.std(axis=0), (x - x.mean(axis=0)) / x.std(axis=0)
    for metric in ("euclidean", "chebyshev", "cosine"):
        assert Distance(0.1, metric=metric)(x, t) == pytest.approx(
            np.minimum(0.1 * pairwise_distances(*scaled, metric=metric), 1)
        )


def test_missing_and_constant_numbers_do_not_count():
    past = np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0]])
    assert Distance(0.1)(past, [[np.nan, 9.0]])[0] == pytest.approx([0.1, 0, 0.1])  # the mean 2, one deviation off


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Constant(-0.1), "value = -0.1"),
        (lambda: Mismatch("shop", 0.1)(PAST, TARGET), "'shop' is not among the contexts"),
        (lambda: Distance(0.1, columns=("weekday",))(PAST, TARGET), "holds categories"),
        (lambda: Distance(0.1)(PAST[["weekday"]], TARGET[["weekday"]]), "no numbers"),
        (lambda: Drift(0.1)(PAST[["weekday"]], TARGET[["weekday"]]), "no time"),
        (lambda: Custom(lambda past, targets: [0.1])(PAST, TARGET), "shape"),
        (lambda: Custom(lambda past, targets: [[0.1, -1, 0]])(PAST, TARGET), "negative"),
        (lambda: Drift(0.1)(PAST, TARGET.assign(date=pd.NaT)), "lacks a date"),
        (lambda: Drift(0.1)(PAST, TARGET[["date"]]), "4"),
        (lambda: read_contexts([[1.0], [np.inf]]), "infinity"),
        (lambda: read_contexts([1.0]), "dimensions"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_kinds_of_columns():
    n = 40
    table = pd.DataFrame(
        {
            "iso": np.datetime_as_string(np.datetime64("2024-01-01") + np.arange(n)),
            "day": np.arange(n),
            "weekday": np.arange(n) % 7,
            "text": ["a", None] * (n // 2),
            "year": 2000 + np.arange(n) // 20,
        }
    )
    read = read_contexts(table)
    assert [column.kind for column in read.columns] == ["time", "time", "number", "category", "number"]
    assert read.time.name == "iso"
    assert read.columns[3].values[1] == "(missing)"
    # iso: number, 7 weekdays; day: number; weekday: number, 7 codes; text: 2 levels; year: number
    assert Encoding.of(read).matrix(read).shape == (n, 8 + 1 + 8 + 2 + 1)


def test_weekday_follows_from_the_date():
    days = pd.DataFrame({"date": np.datetime64("2024-01-01") + np.arange(28)})  # a Monday
    matrix = Encoding.of(read_contexts(days)).matrix(read_contexts(days))
    assert matrix.shape[1] == 8
    assert (np.flatnonzero(matrix[:, 1] > 0) % 7 == 0).all()


def test_ridge_leaves_one_out():
    generator = np.random.default_rng(1)
    x = generator.normal(size=(30, 4))
    y = x @ [1, 0, 2, 0] + generator.normal(size=30)
    found = levels.Ridge.of(x, y)
    left_out, coefficients = found.past, found.coefficients
    fits = {a: Ridge(alpha=a).fit(x, y) for a in np.logspace(-1, 5, 13)}
    alpha = min(fits, key=lambda a: np.abs(fits[a].coef_ - coefficients).max())
    assert coefficients == pytest.approx(fits[alpha].coef_)
    again = [Ridge(alpha=alpha).fit(np.delete(x, i, 0), np.delete(y, i)).predict(x[[i]])[0] for i in range(30)]
    assert left_out == pytest.approx(again, abs=1e-8)


def test_forecast_distance_finds_what_matters_and_ignores_noise():
    generator = np.random.default_rng(2)
    x = np.column_stack([generator.integers(0, 2, 200), generator.normal(size=200)])
    y = 3 * x[:, 0] + generator.normal(size=200)
    model = ForecastDistance.learn(x, y, scale=0.1)
    assert np.ldexp(model.level.spread, model.level.power.exponent) == pytest.approx(1, abs=0.15)
    d = model(x, [[0, 0], [1, 0]])
    assert d[0, x[:, 0] == 1].mean() == pytest.approx(0.3, abs=0.06)
    assert d[0, x[:, 0] == 0].mean() < 0.08
    noise = ForecastDistance.learn(x, generator.normal(size=200), scale=0.1)
    assert noise(x, x).mean() < 0.02


def test_forecasts_do_not_depend_on_the_order_of_rows():
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=(40, 3)), generator.normal(size=40)
    by = generator.permutation(40)
    one, other = ForecastDistance.learn(x, y, scale=1.0), ForecastDistance.learn(x[by], y[by], scale=1.0)
    assert one.level.at(read_contexts(x)) == pytest.approx(other.level.at(read_contexts(x)))


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_cut_offs_are_close_to_the_optimum(q):
    for d in (np.full(60, 0.02), np.linspace(0, 0.3, 50), np.arange(1, 101) * 0.0025):
        reach, regret = cut_offs(d[None], q)
        best = pv.minimax(d, q=q)
        assert regret[0] == pytest.approx(best.guarantee.upper, rel=0.15)
        used = d[best.weights > 0].max()
        assert used / 1.6 <= reach[0]
        assert (d[best.weights > 0.2] <= 1.6 * reach[0]).all()


def test_triangular_orders_one_by_one():
    generator = np.random.default_rng(4)
    y, d = np.sort(generator.normal(size=30)), generator.uniform(0, 0.4, (5, 30))
    for order, row, reach in zip(triangular_orders(d, y, 0.75), d, cut_offs(d, 0.75)[0], strict=True):
        weights = [max(float(reach) - float(x), 0) for x in row]
        candidates = [a for a in y if sum(w for w, v in zip(weights, y, strict=True) if v <= a) >= 0.75 * sum(weights)]
        assert order == min(candidates)


def test_calibration_finds_a_scale_that_matters():
    generator = np.random.default_rng(5)
    shop = np.arange(400) % 2
    y = 100 * shop + generator.normal(size=400)
    x = pd.DataFrame({"shop": np.where(shop, "a", "b"), "t": np.arange(400)})
    found = calibrate_dissimilarity(Mismatch("shop", 0.005) + Drift(1e-6), x, y, q=0.9)
    assert found.multipliers[0] > 1
    assert found.multipliers[1] == 1
    assert found.cost < found.given_cost
    assert found.model(x, x[:1])[0, 1] == pytest.approx(0.005 * found.multipliers[0] + 1e-6)
    useless = calibrate_dissimilarity(Mismatch("shop", 0.005), x, generator.permutation(y), q=0.9)
    assert useless.cost <= useless.given_cost


def test_calibration_needs_decisions():
    x, y = np.arange(20.0)[:, None], np.arange(20.0)
    found = calibrate_dissimilarity(Drift(0.01), x, y, q=0.5)
    assert (found.multipliers, found.decisions, found.cost) == ((1.0,), 10, found.given_cost)


def test_scales_are_found_again():
    generator = np.random.default_rng(3)
    shop = np.arange(1200) % 3
    y = generator.normal(size=1200) + 0.5 * shop
    x = pd.DataFrame({"shop": np.array(["a", "b", "c"])[shop]})
    apart = {1: 2 * norm.cdf(0.25) - 1, 2: 2 * norm.cdf(0.5) - 1}

    def truth(past, targets):
        ours, theirs = (np.vectorize("abc".index)(table["shop"].to_numpy()) for table in (targets, past))
        steps = np.abs(ours[:, None] - theirs)
        return np.select([steps == 1, steps == 2], [apart[1], apart[2]])

    found = estimate_scales(Custom(truth, scale=0.5), x, y)
    assert found.lower[0] < 2 < found.upper[0]
    assert found.multipliers[0] == pytest.approx(2, rel=0.15)
    assert found.cautious(x, x[:1]) == pytest.approx(truth(x, x[:1]) * found.upper[0] / 2)
    assert found.pairs == 3
    with pytest.raises(ValueError, match="two groups"):
        estimate_scales(Constant(0.1), x[:4], y[:4])


def test_density_around_the_order():
    """Two normal demands x deviations apart differ by about x phi(z_q) at the q-quantile: the scale of the default."""
    q, x = Fraction(9, 10), 0.01
    z = norm.ppf(float(q))
    assert norm.cdf(z) - norm.cdf(z - x) == pytest.approx(x * norm.pdf(z), rel=0.01)


def test_calibration_decides_from_the_other_rows():
    """Rows that resemble none but themselves would otherwise be decided by their own demand, at no cost."""
    generator = np.random.default_rng(0)
    x, y = generator.permutation(60.0 * np.arange(60))[:, None], generator.random(60)
    assert calibrate_dissimilarity(Distance(50.0), x, y, q=0.5).given_cost > 0.1


def test_past_contexts_are_compared_by_forecasts_of_one_kind():
    """Each made without its own demand, so that a row is at no distance from itself."""
    generator = np.random.default_rng(0)
    x = generator.random((50, 2))
    contexts = read_contexts(x)
    model = ForecastDistance.learn(contexts, x[:, 0] + generator.random(50), scale=1.0)
    d = model.among(contexts, np.arange(50))
    assert (np.diag(d) == 0).all()
    assert d == pytest.approx(d.T)
    assert d.max() > 0.5


@pytest.mark.parametrize("model", [Drift(0.1), Constant(0.1), Drift(0.1) + Mismatch("x", 0.2)], ids=repr)
def test_models_are_scaled_by_numbers(model: Dissimilarity) -> None:
    assert 0.5 * model == model * 0.5 == model.scaled(0.5)
    with pytest.raises(pv.InputError, match="factor = -1 must be finite and at least 0"):
        _ = -1 * model


def as_given(kind, table):
    return {
        "pandas": table,
        "indexed": table.set_axis(range(7, 7 + 2 * len(table), 2)),
        "polars": pl.from_pandas(table),
        "pyarrow": pl.from_pandas(table).to_arrow(),
        "objects": table.to_numpy(),
        "floats": table[["temperature"]].to_numpy(),
    }[kind]


@pytest.mark.parametrize("kind", ["pandas", "indexed", "polars", "pyarrow", "objects", "floats"])
def test_functions_get_the_tables_that_were_given(kind):
    """Of the same type and with the same types of columns; in between, rows are taken and moved to the end of time."""
    seen = []

    def function(past, targets):
        seen.extend((past, targets))
        return np.zeros((len(targets), len(past)))

    n = 30
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(np.arange(n), unit="D")
    table = pd.DataFrame(
        {"date": days, "weekday": np.arange(n) % 7, "temperature": np.cos(np.arange(n)), "shop": ["a", "b"] * 15}
    )
    X, T = as_given(kind, table[:20]), as_given(kind, table[20:])
    y = np.arange(20.0) % 6
    model = pv.ContextualNewsvendor(9, 1, dissimilarity=function, policy="minimax").fit(X, y, [0.0] + [1.0] * 19)
    model.predict(T)
    assert {type(one) for one in seen} == {type(X)}
    for past in seen[::2]:
        assert_same_rows(past, X, slice(1, 20))
    again, targets = seen[1], seen[-1]
    assert_same_rows(targets, T, slice(0, 10))
    if kind == "floats":
        assert again.dtype == float
    elif kind == "objects":
        assert set(again[:, 0]) == {days[19]}
        assert again[:, 1:].tolist() == X[1:, 1:].tolist()
    else:
        moved = pd.DataFrame(again) if isinstance(again, pd.DataFrame) else pl.DataFrame(again).to_pandas()
        assert (moved["date"] == days[19]).all()
        assert moved["temperature"].tolist() == table["temperature"][1:20].tolist()


def assert_same_rows(found, table, rows):
    if isinstance(table, np.ndarray):
        assert found.dtype == table.dtype
        assert sorted(found.tolist()) == sorted(table[rows].tolist())
    elif isinstance(table, pd.DataFrame):
        pd.testing.assert_frame_equal(found.sort_index(), table[rows])
    else:
        assert pl.DataFrame(found).sort("date").equals(pl.DataFrame(table)[rows])


def test_what_becomes_of_a_table_later_does_not_matter():
    def apart(past, targets):
        return np.abs(targets["temperature"].to_numpy()[:, None] - past["temperature"].to_numpy()) / 100

    X = PAST.copy()
    model = pv.ContextualNewsvendor(9, 1, policy=pv.KNN(1), dissimilarity=apart).fit(X, [1.0, 2.0, 3.0])
    before = model.get_weights(TARGET)
    X["temperature"] = 14.0
    assert model.get_weights(TARGET).tolist() == before.tolist() == [[0, 1, 0]]


def test_a_drift_that_slows_down():
    """Up to an age it is one rate, beyond it another; both are scaled."""
    past, target = pd.DataFrame({"t": [100.0, 95.0, 80.0]}), pd.DataFrame({"t": [100.0]})
    slower = Drift(0.01, "t", until=10, then=0.001)
    assert slower(past, target)[0] == pytest.approx([0, 0.05, 0.11])
    assert (2 * slower)(past, target)[0] == pytest.approx([0, 0.1, 0.22])
    assert Drift(0.01, "t", until=10)(past, target)[0] == pytest.approx([0, 0.05, 0.1])


@pytest.mark.parametrize("wrong", [{"until": -1.0}, {"then": -0.1}, {"then": np.nan}])
def test_a_drift_that_slows_down_at_no_time(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Drift(0.01, **wrong)
