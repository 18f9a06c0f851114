"""The linear program behind mixtures, with HiGHS: minimise the largest of many costs over the simplex."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from provend._kernels.arithmetic.points import Floats

SCALE = 128.0  # rows are multiplied by it, so that the solver's tolerance of 1e-10 is one of 1e-12 on the regret
ORDINARY = 5e-7  # no-data regret below which probabilities far below that tolerance matter
SCALINGS = (2, 2, 0, 4, 1)  # HiGHS: equilibration warm, then cold, none, by the largest value, its own choice


class MixtureProgram:
    """The program for finitely many t: a column for each policy that is mixed, and z.

    Rows are added to a model that stays warm.

    Where the no-data regret, ``value``, is tiny, so are the probabilities of what may cost much more, at most value /
    (its largest cost), and the multipliers of rows with large costs: both are then measured in units that lift them
    halfway out of the solver's tolerance, which is as far as one can be lifted without drowning the other.
    """

    def __init__(self, columns: int, value: float) -> None:
        self._columns, self._rows, self._waiting = columns, 0, list[Floats]()
        self._tiny, self._unit = value < ORDINARY, value if value < ORDINARY else 1 / SCALE
        self._shares, self._heights = np.ones(columns), np.ones(0)  # of the columns and of the rows
        self._model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in (
            ("output_flag", False),
            ("presolve", "off"),
            ("solver", "simplex"),
            ("threads", 1),
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self._model.setOptionValue(option, setting)
        costs = np.append(np.zeros(columns), 1.0)
        empty = np.zeros(0, np.int32)
        free = np.full(columns + 1, highspy.kHighsInf)
        self._model.addCols(columns + 1, costs, np.zeros(columns + 1), free, 0, empty, empty, np.zeros(0))

    def add(self, rows: Floats) -> None:
        """Require row @ w <= z for each row."""
        self._waiting.append(rows)

    def _start(self) -> None:
        """Choose the units by the rows known so far; the probabilities sum to 1."""
        if self._tiny:
            largest = np.max([rows.max(axis=0) for rows in self._waiting], axis=0)
            self._shares = np.sqrt(self._unit / np.maximum(largest, self._unit))
        index = np.arange(self._columns, dtype=np.int32)
        self._model.addRow(1.0, 1.0, self._columns, index, self._shares)

    def _append(self, rows: Floats) -> None:
        m, width = rows.shape[0], self._columns + 1
        scaled = rows * self._shares / self._unit
        heights = 1 / np.maximum(scaled.max(axis=1), 1.0) if self._tiny else np.ones(m)
        self._heights = np.append(self._heights, heights)
        values = np.hstack([scaled * heights[:, None], -heights[:, None]]).ravel()
        starts, index = np.arange(m, dtype=np.int32) * width, np.tile(np.arange(width, dtype=np.int32), m)
        below = np.full(m, -highspy.kHighsInf)
        self._model.addRows(m, below, np.zeros(m), values.size, starts, index, values)
        self._rows += m

    def solve(self) -> tuple[Floats, float, Floats] | None:
        """Weights, z and the multipliers of the rows, cleaned up but not trusted; None if the solver found none."""
        if not self._rows:
            self._start()
        for rows in self._waiting:
            self._append(rows)
        self._waiting.clear()
        for scaling in SCALINGS:  # warm at first; another scaling from a cold start gets over a singular basis
            self._model.setOptionValue("simplex_scale_strategy", scaling)
            self._model.run()
            if self._model.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                break
            self._model.clearSolver()
        else:
            return None
        solution = self._model.getSolution()
        columns, duals = np.array(solution.col_value), np.array(solution.row_dual)[1:] * self._heights
        w, multipliers = np.maximum(columns[:-1], 0.0) * self._shares, np.abs(duals)
        return w / w.sum(), float(columns[-1]) * self._unit, multipliers / multipliers.sum()
