import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import truncnorm
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import provend as pv
from provend.datasets import load_restaurant
from provend.dissimilarity import Constant, Drift, Mismatch
from provend.estimators import ColumnWarning, ContextualNewsvendor, RepeatedRowsWarning, SupportWarning

IMPORTANCE = {
    "check_sample_weight_equivalence_on_dense_data": "a weight is importance; a repeated row is a further observation"
}


@parametrize_with_checks(
    [ContextualNewsvendor(), ContextualNewsvendor(9, 1, policy="forest", dissimilarity=0.05, orders=pv.Orders())],
    expected_failed_checks=lambda estimator: IMPORTANCE if estimator.policy == "minimax" else {},
)
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


def restaurant(dish="steak"):
    days = load_restaurant()
    table = pd.DataFrame({"date": days.dates, "weekday": days.weekdays})
    return table.assign(date=pd.to_datetime(table["date"])), days.demand[dish]


MODEL = Mismatch("weekday", 0.05) + Drift(0.0005)


@pytest.mark.parametrize(
    "policy",
    [pv.ERM(), pv.KNN(9), pv.Exponential(0.9), pv.Kernel("triangular", 0.08), pv.OrderStatistic(20, k=25)],
    ids=lambda policy: type(policy).__name__,
)
def test_orders_and_guarantees_of_given_policies(policy):
    """Against the policy itself, one target at a time; real weights are rounded to integers."""
    x, y = restaurant()
    model = ContextualNewsvendor(3, 1, policy=policy, dissimilarity=MODEL, support=(0, 200)).fit(x[:60], y[:60])
    targets = x[60:66]
    found = model.guarantee(targets)
    for order, lower, upper, d in zip(
        model.predict(targets), found.lower, found.upper, MODEL(x[:60], targets), strict=True
    ):
        same = policy.rounded(d) if hasattr(policy, "rounded") else policy
        assert order == same.order(y[:60], d, q=0.75, support=(0, 200))
        exact = pv.worst_case_regret(same, d, q=pv.Newsvendor(3, 1, (0, 200)))
        assert lower <= exact.upper
        assert upper >= exact.lower
        assert (upper - lower) / upper < 2e-3


@pytest.mark.parametrize("count", [6, 150])
def test_minimax_is_almost_optimal_and_its_brackets_hold(count):
    x, y = restaurant()
    model = ContextualNewsvendor(9, 1, dissimilarity=MODEL, support=(0, 200)).fit(x[:90], y[:90])
    targets = x[90 : 90 + count]
    found, orders, d = model.guarantee(targets), model.predict(targets), MODEL(x[:90], targets)
    problem = pv.Newsvendor(9, 1, (0, 200))
    for i in range(0, count, 15 if count > 100 else 3):
        by_d = np.argsort(d[i], kind="stable")
        rule = model.decider_.rule(int(model.decider_.keys(d[i][by_d][None])[0]))
        near = by_d[: rule.reach]
        assert orders[i] == pytest.approx(rule.policy.order(y[near], d[i][near], q=problem))
        exact = pv.worst_case_regret(rule.policy, d[i][near], q=problem)
        assert found.lower[i] <= exact.upper
        assert found.upper[i] >= exact.lower
        assert exact.upper <= 1.15 * pv.minimax(d[i], q=problem).guarantee.upper
    assert (found.percent_of_no_data == 100 * found.upper / problem.no_data_regret).all()


def test_batches_do_not_matter():
    x, y = restaurant("fish")
    model = ContextualNewsvendor(9, 1).fit(x[:200], y[:200])
    alone = [model.predict(x[i : i + 1])[0] for i in range(200, 220)]
    assert model.predict(x[200:500])[:20] == pytest.approx(alone)


def test_weights_belong_to_the_rows_given():
    x, y = restaurant()
    shuffled = np.random.default_rng(0).permutation(60)
    knn = ContextualNewsvendor(9, 1, policy=pv.KNN(5), dissimilarity=Drift(0.001)).fit(x.iloc[shuffled], y[shuffled])
    weights = knn.get_weights(x[60:62])
    assert weights[0, shuffled >= 55] == pytest.approx([0.2] * 5)
    assert weights.sum(axis=1) == pytest.approx([1, 1])
    assert np.count_nonzero(weights[0]) == 5
    best = ContextualNewsvendor(9, 1).fit(x[:60], y[:60]).get_weights(x[60:70])
    assert best.sum(axis=1) == pytest.approx(np.ones(10))
    assert (best >= 0).all()


@pytest.mark.parametrize("policy", ["tree", "forest"])
def test_trees_are_honest(policy):
    x, y = restaurant()
    model = ContextualNewsvendor(9, 1, policy=policy, dissimilarity=0.05).fit(x[:100], y[:100])
    weights = model.get_weights(x[100:110])
    used = weights.any(axis=0)
    assert 0 < used.sum() <= 50
    changed = y[:100].copy()
    changed[used] = changed[used][::-1]
    again = ContextualNewsvendor(9, 1, policy=policy, dissimilarity=0.05).fit(x[:100], changed)
    assert again.get_weights(x[100:110]) == pytest.approx(weights)
    with pytest.warns(SupportWarning):
        found = model.guarantee(x[100:103])
    assert (found.upper >= found.lower).all()


@pytest.mark.parametrize("policy", ["erm", "knn", "kernel", "exponential"])
def test_policies_by_name(policy):
    x, y = restaurant()
    model = ContextualNewsvendor(9, 1, policy=policy, level=None).fit(x[:80], y[:80])
    orders = model.predict(x[80:90])
    assert ((orders >= y[:80].min()) & (orders <= y[:80].max())).all()
    if policy == "erm":
        assert (orders == np.sort(y[:80])[71]).all()
    with pytest.warns(SupportWarning):
        assert (model.guarantee(x[80:82]).upper > 0).all()


def test_tables_of_any_kind():
    x, y = restaurant()
    orders = ContextualNewsvendor(9, 1).fit(x[:80], y[:80]).predict(x[80:90])
    frame = pl.from_pandas(x)
    assert ContextualNewsvendor(9, 1).fit(frame[:80], pl.Series(y[:80])).predict(frame[80:90]) == pytest.approx(orders)
    texts = x.assign(date=x["date"].dt.strftime("%Y-%m-%d"))
    assert ContextualNewsvendor(9, 1).fit(texts[:80], y[:80]).predict(texts[80:90]) == pytest.approx(orders)
    array = x.to_numpy()
    assert ContextualNewsvendor(9, 1).fit(array[:80], y[:80]).predict(array[80:90]) == pytest.approx(orders)


def test_in_the_company_of_scikit_learn():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(60, 2))
    y = 10 + 3 * x[:, 0] + generator.normal(size=60)
    pipeline = make_pipeline(StandardScaler(), ContextualNewsvendor(9, 1)).fit(x, y)
    assert pipeline.predict(x[:3]).shape == (3,)
    assert (cross_val_score(ContextualNewsvendor(9, 1), x, y, cv=3) < 0).all()
    search = GridSearchCV(ContextualNewsvendor(9, 1), {"policy": ["erm", "minimax"]}, cv=3).fit(x, y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    best = pickle.loads(pickle.dumps(search.best_estimator_))
    assert (best.predict(x) == search.predict(x)).all()
    cost = np.mean(np.maximum(9 * (y - best.predict(x)), best.predict(x) - y))
    assert best.score(x, y) == pytest.approx(-cost)


def test_awkward_but_valid():
    x, y = restaurant()
    x = x.assign(temperature=np.where(np.arange(len(x)) % 3, 20.0, np.nan), constant=1)
    model = ContextualNewsvendor(9, 1).fit(x[100:150], y[100:150])
    unseen = x[:1].assign(weekday="EASTER")
    with pytest.warns(ColumnWarning, match="column 'weekday' holds 'EASTER'"):
        assert np.isfinite(model.predict(unseen)).all()
    assert np.isfinite(model.predict(x[:5])).all()  # before the history
    twice = pd.concat([x[:30], x[:30]])
    with pytest.warns(RepeatedRowsWarning, match="30 of 60 rows"):
        model = ContextualNewsvendor(9, 1).fit(twice, np.tile(y[:30], 2))
    assert np.isfinite(model.predict(x[30:32])).all()
    one = ContextualNewsvendor(9, 1, support=(0, 100)).fit(x[:1], y[:1])
    assert 0 <= one.predict(x[1:2])[0] <= 100
    same = ContextualNewsvendor(9, 1).fit(x[:10], np.full(10, 7.0))
    assert same.predict(x[10:12]).tolist() == [7, 7]
    with pytest.warns(SupportWarning):
        assert (same.guarantee(x[10:12]).upper > 0).all()  # what has not varied yet may vary
    assert ContextualNewsvendor(9, 1).fit(x[:10], -y[:10]).predict(x[10:11])[0] <= 0


def test_whole_orders():
    x, y = restaurant()
    real = ContextualNewsvendor(9, 1, support=(0, 200)).fit(x[:80], y[:80])
    whole = ContextualNewsvendor(9, 1, support=(0, 200), integer=True).fit(x[:80], y[:80])
    targets = x[80:87]
    assert (whole.predict(targets) == np.rint(real.predict(targets))).all()
    assert whole.guarantee(targets).upper == pytest.approx(real.guarantee(targets).upper + 9 / 2)
    assert whole.basis_ == f"{real.basis_} Orders are rounded to whole numbers, which guarantees allow for."
    assert whole.guarantee(targets).basis == whole.basis_


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"support": (0, 10)}, ValueError, "outside the support"),
        ({"policy": "magic"}, ValueError, "policy = 'magic'"),
        ({"policy": 3}, TypeError, "policy = 3"),
        ({"policy": pv.Separable(lambda f: 0.0)}, TypeError, "does not decide"),
        ({"dissimilarity": "magic"}, ValueError, "dissimilarity = 'magic'"),
        ({"dissimilarity": None}, TypeError, "dissimilarity = None"),
        ({"cu": -1}, ValueError, "cu = -1"),
    ],
)
def test_messages(options, error, message):
    x, y = restaurant()
    with pytest.raises(error, match=message):
        ContextualNewsvendor(**options).fit(x[:30], y[:30])


def test_what_the_guarantee_rests_on():
    x, y = restaurant()
    for dissimilarity, said in (
        (0.1, "as given"),
        ("auto", "values that work, not bounds"),
        ("cautious", "upper confidence limits"),
    ):
        model = ContextualNewsvendor(9, 1, dissimilarity=dissimilarity).fit(x[:100], y[:100])
        with pytest.warns(SupportWarning, match="guarantees hold if demand stays in it"):
            assert said in model.guarantee(x[100:101]).basis
        assert "range of the history" in model.basis_
    few = ContextualNewsvendor(dissimilarity="cautious").fit(x[:5], y[:5])
    assert "dissimilarities, a drift over time, are ten times those of 'auto'" in few.basis_
    assert "alike" not in few.basis_
    assert few.dissimilarity_(x[:5], x[5:6]).max() > 0
    given = ContextualNewsvendor(9, 1, dissimilarity=lambda past, targets: np.full((len(targets), len(past)), 0.2))
    assert "as given" in given.fit(x[:20], y[:20], None).basis_


def test_regret_stays_below_the_guarantee():
    """Two shops whose demands are 0.1 apart by construction, and the exact regret of every order."""
    generator = np.random.default_rng(0)
    low, high = truncnorm(-2, 2, 0.45, 0.2), truncnorm(-2, 2, 0.5, 0.2)
    grid = np.linspace(0, 1, 2001)
    apart = float(np.abs(low.cdf(grid) - high.cdf(grid)).max())
    shop = np.arange(40) % 2
    model = Mismatch("shop", apart) + Constant(0.0)
    regrets, guaranteed = [], 0.0
    for _ in range(30):
        y = np.where(shop, high.rvs(40, random_state=generator), low.rvs(40, random_state=generator))
        x = pd.DataFrame({"shop": np.array(["a", "b"])[shop]})
        fitted = ContextualNewsvendor(9, 1, dissimilarity=model, support=(0, 1)).fit(x, y)
        order, guaranteed = fitted.predict(x[1:2])[0], fitted.guarantee(x[1:2]).upper[0]
        regrets.append(_cost(order, high) - _cost(high.ppf(0.9), high))
    assert 0 < np.mean(regrets) < guaranteed


def _cost(order, demand):
    grid = np.linspace(0, 1, 4001)
    over = np.trapezoid(demand.cdf(grid[grid <= order]), grid[grid <= order])
    return over + 9 * (demand.mean() - order + over)


def test_cheaper_than_quantiles_on_real_demand():
    """The last 100 days of two dishes, fitted once: at least 5% less than one static quantile."""
    for dish in ("steak", "lamb"):
        x, y = restaurant(dish)
        model = ContextualNewsvendor(9, 1).fit(x[:-100], y[:-100])
        static = np.sort(y[:-100])[-(-9 * (y.size - 100) // 10) - 1]
        paid = -model.score(x[-100:], y[-100:])
        assert paid < 0.95 * np.mean(np.maximum(9 * (y[-100:] - static), static - y[-100:]))
        assert model.newsvendor_.critical_ratio == Fraction(9, 10)


@pytest.mark.parametrize(
    "y",
    [
        np.full(30, 1e19),
        np.arange(30)[::-1].reshape(6, 5).T.ravel() * 1e-200,
        (np.arange(30) % 11) * 1e150,
        np.full(30, -1e-300),
    ],
)
def test_demands_of_any_size(y):
    x = np.random.default_rng(0).random((30, 2))
    orders = ContextualNewsvendor(9, 1).fit(x, y).predict(x[:3])
    assert ((orders >= y.min()) & (orders <= y.max())).all()


def test_score_checks_what_it_is_given():
    x, y = restaurant()
    model = ContextualNewsvendor(9, 1, policy="erm", dissimilarity=0.1)
    with pytest.raises(NotFittedError):
        model.score(x, y)
    model.fit(x[:50], y[:50])
    with pytest.raises(ValueError, match="y has 1 entries for 10 rows of X; give one per row"):
        model.score(x[50:60], y[50:51])
    for weights, message in ((np.zeros(10), "zero for every row"), (-np.ones(10), "at least 0")):
        with pytest.raises(pv.InputError, match=message):
            model.score(x[50:60], y[50:60], weights)
    weights = np.arange(10)
    costs = np.maximum(9 * (y[50:60] - model.predict(x[50:60])), model.predict(x[50:60]) - y[50:60])
    assert model.score(x[50:60], y[50:60], weights) == pytest.approx(-np.average(costs, weights=weights))


def test_a_fit_that_fails_leaves_nothing_behind():
    x, y = restaurant()
    model = ContextualNewsvendor(support=(0, 1))
    with pytest.raises(pv.InputError, match="outside the support"):
        model.fit(x[:50], y[:50])
    with pytest.raises(NotFittedError):
        model.predict(x[50:])


def test_what_was_computed_is_no_part_of_the_model():
    x, y = restaurant()
    model = ContextualNewsvendor(9, 1, dissimilarity=MODEL, support=(0, 200)).fit(x[:50], y[:50])
    before = len(pickle.dumps(model))
    model.guarantee(x[50:90])
    copy = pickle.loads(pickle.dumps(model))
    assert len(pickle.dumps(model)) == before
    assert (copy.guarantee(x[50:90]).upper == model.guarantee(x[50:90]).upper).all()
    model.set_params(support=None)
    model.guarantee(x[50:51])  # no warning: the support in use was given


def test_costs_too_far_apart():
    x, y = restaurant()
    with pytest.raises(pv.InputError, match="cu = 1e\\+40 and co = 1 are too far apart"):
        ContextualNewsvendor(1e40, 1).fit(x[:5], y[:5])


@pytest.mark.parametrize("kept_in", [np.array, pd.Series])
def test_demands_changed_after_fit_change_no_order(kept_in):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 1)), kept_in(rng.uniform(10, 20, 60))
    model = ContextualNewsvendor(9, 1, dissimilarity=0.05, support=(0, 50)).fit(X, y)
    before = model.predict(X[:3])
    y[:] = 0.0
    assert model.predict(X[:3]).tolist() == before.tolist()
