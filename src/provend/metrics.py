"""What orders cost once demand is known, in the style of scikit-learn's metrics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError

Floats = NDArray[np.float64]


def pairwise_costs(y_true: ArrayLike, y_pred: ArrayLike, cu: ArrayLike, co: ArrayLike) -> Floats:
    r"""Cost of each decision, :math:`c_u (y - a)^+ + c_o (a - y)^+` for demand y and order a.

    Parameters
    ----------
    y_true, y_pred : array of shape (n,) or (n, outputs)
        Demands and orders.
    cu, co : number or one number per output
        Cost of a unit short and of a unit left over; at least 0, and not both 0.

    Returns
    -------
    array of the shape of ``y_true``

    Examples
    --------
    >>> pairwise_costs([[2, 2], [2, 4], [3, 6]], [[1, 2], [3, 3], [4, 7]], cu=[2, 4], co=[1, 1])
    array([[2., 0.],
           [1., 4.],
           [1., 1.]])
    """
    y, a = _pair(y_true, y_pred, "y_pred")
    under, over = _costs(cu, co, outputs=1 if y.ndim == 1 else y.shape[1])
    if y.ndim == 1:
        under, over = under[0], over[0]
    return under * np.maximum(y - a, 0) + over * np.maximum(a - y, 0)


def total_costs(
    y_true: ArrayLike, y_pred: ArrayLike, cu: ArrayLike, co: ArrayLike, *, multioutput: str = "cumulated"
) -> float | Floats:
    """Sum of the costs of all decisions.

    Parameters
    ----------
    y_true, y_pred, cu, co
        As in :func:`pairwise_costs`.
    multioutput : {"cumulated", "raw_values"}
        One sum over all outputs, or one for each.

    Examples
    --------
    >>> total_costs([2, 2, 3], [1, 3, 4], cu=2, co=1)
    4.0
    """
    totals: Floats = _columns(pairwise_costs(y_true, y_pred, cu, co)).sum(axis=0)
    if multioutput == "raw_values":
        return totals
    if multioutput != "cumulated":
        raise InputError(f"multioutput = {multioutput!r} is unknown; use 'cumulated' or 'raw_values'")
    return float(totals.sum())


def average_costs(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cu: ArrayLike,
    co: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> float | Floats:
    """Mean cost per decision.

    Parameters
    ----------
    y_true, y_pred, cu, co
        As in :func:`pairwise_costs`.
    sample_weight : array of shape (n,), optional
        Weight of each decision in the mean.
    multioutput : {"uniform_average", "raw_values"} or one weight per output
        The mean over the outputs, each output by itself, or a weighted mean.

    Examples
    --------
    >>> average_costs([[2, 2], [2, 4], [3, 6]], [[1, 2], [3, 3], [4, 7]], cu=[2, 4], co=[1, 1])
    1.5
    """
    costs = _columns(pairwise_costs(y_true, y_pred, cu, co))
    if sample_weight is None:
        return _over_outputs(costs.mean(axis=0), multioutput)
    weights = _weights(sample_weight, costs.shape[0], "sample_weight", "decision")
    return _over_outputs(weights @ costs / weights.sum(), multioutput)


def prescriptiveness_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_pred_saa: ArrayLike,
    cu: ArrayLike,
    co: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
) -> float | Floats:
    r"""Coefficient of prescriptiveness: how much of the way from SAA to perfect foresight the orders go.

    .. math:: 1 - \frac{C(y, \hat{a}) - C(y, y)}{C(y, a_{SAA}) - C(y, y)}

    where C is the mean cost and :math:`C(y, y) = 0`, the cost of someone who knows each demand. It is 1 for perfect
    orders, 0 for orders as costly as those of sample average approximation, and negative for costlier ones.

    Parameters
    ----------
    y_true, y_pred, cu, co
        As in :func:`pairwise_costs`.
    y_pred_saa : array of the shape of ``y_true``
        Orders that ignore the contexts: the empirical quantile of the training demands.
    multioutput : {"uniform_average", "raw_values"} or one weight per output
        How the scores of several outputs are combined.

    Notes
    -----
    Where the SAA orders cost nothing, the score is 1 if ``y_pred`` costs nothing either and ``-inf`` otherwise.

    Examples
    --------
    >>> prescriptiveness_score([2, 2, 2], [1, 3, 2], [4, 4, 4], cu=2, co=1)
    0.5
    """
    reached = average_costs(y_true, y_pred, cu, co, multioutput="raw_values")
    y, saa = _pair(y_true, y_pred_saa, "y_pred_saa")
    to_beat = average_costs(y, saa, cu, co, multioutput="raw_values")
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(reached == 0, 1.0, 1 - reached / to_beat)
    return _over_outputs(scores, multioutput)


def newsvendor_scorer(cu: float, co: float) -> Callable[..., float]:
    """A scorer for :func:`sklearn.model_selection.cross_val_score` and grid searches: minus the mean cost.

    Parameters
    ----------
    cu, co : number
        Cost of a unit short and of a unit left over.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> model = DummyRegressor(strategy="quantile", quantile=0.5).fit([[0], [1], [2]], [1, 2, 3])
    >>> newsvendor_scorer(cu=3, co=1)(model, [[3], [4]], [4, 1])
    -3.5
    """
    from sklearn.metrics import make_scorer

    _costs(cu, co, outputs=1)
    scorer: Callable[..., float] = make_scorer(average_costs, greater_is_better=False, cu=cu, co=co)
    return scorer


def _pair(y_true: ArrayLike, y_pred: ArrayLike, name: str) -> tuple[Floats, Floats]:
    y, a = _finite(y_true, "y_true"), _finite(y_pred, name)
    if y.size == 0:
        raise InputError("y_true is empty; give at least one demand")
    if y.shape != a.shape and y.size == a.size and 1 in (y.shape[-1], a.shape[-1]):
        a = a.reshape(y.shape)  # one output, written as a column on one side and as a row of numbers on the other
    if y.shape != a.shape:
        raise InputError(f"{name} has shape {a.shape} but y_true has {y.shape}; give one order per demand")
    return y, a


def _finite(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} holds something that is not a number; give an array of numbers") from None
    if array.ndim not in (1, 2):
        raise InputError(f"{name} has {array.ndim} dimensions; give shape (n,) or (n, outputs)")
    for at in np.argwhere(~np.isfinite(array)):
        place = ", ".join(map(str, at))
        raise InputError(f"{name}[{place}] = {array[tuple(at)]} is not finite; drop the row or fill it in")
    return array


def _costs(cu: ArrayLike, co: ArrayLike, outputs: int) -> tuple[Floats, Floats]:
    under, over = (_cost(value, name, outputs) for name, value in (("cu", cu), ("co", co)))
    for i in np.flatnonzero((under == 0) & (over == 0)):
        raise InputError(
            f"cu = {cu!r} and co = {co!r} are both 0{f' for output {i}' if outputs > 1 else ''}, so nothing costs "
            "anything; make one of them positive"
        )
    return under, over


def _cost(value: ArrayLike, name: str, outputs: int) -> Floats:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} = {value!r} is not a number; give a cost per unit") from None
    if array.ndim > 1 or array.size not in (1, outputs):
        raise InputError(f"{name} = {value!r} does not fit {outputs} output(s); give one number, or one per output")
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise InputError(f"{name} = {value!r} must be finite and at least 0; give a cost per unit")
    return np.broadcast_to(array, outputs)


def _columns(costs: Floats) -> Floats:
    return costs.reshape(costs.shape[0], -1)


def _over_outputs(values: Floats, multioutput: str | ArrayLike) -> float | Floats:
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return values
        if multioutput != "uniform_average":
            raise InputError(
                f"multioutput = {multioutput!r} is unknown; use 'uniform_average', 'raw_values' or output weights"
            )
        return float(values.mean())
    weights = _weights(multioutput, values.size, "multioutput", "output")
    counted = weights > 0  # a score of minus infinity without weight must not spoil the mean
    return float(weights[counted] @ values[counted] / weights.sum())


def _weights(values: ArrayLike, n: int, name: str, per: str) -> Floats:
    weights = _finite(values, name)
    if weights.shape != (n,):
        raise InputError(f"{name} has shape {weights.shape}; give one weight per {per}, {n} in all")
    if weights.min() < 0 or weights.sum() == 0:
        raise InputError(f"{name} = {values!r} must be at least 0 and not all 0; give weights for a mean")
    return weights
