"""Ctrl-C in the middle of machine code: Python notices soon, and lives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

import provend as pv
from provend._kernels.maximise import count_curve, successes
from provend._kernels.maximise.successes import maximise_successes
from provend._kernels.tails import counts
from provend._kernels.tails.counts import count_tail, count_tail_in_pieces
from provend.regret import lengths

SOURCE = Path(pv.__file__).parent.parent

PATIENCE = 60  # seconds of work after which a child that has noticed nothing is killed, however busy the machine is

# Each would take far longer than that, so that only an interrupt ends it.
LONG = {
    "one evaluation": "pv.worst_case_regret(pv.ERM(), np.linspace(0, 0.3, 2_000_000), q=0.5)",
    "many evaluations": "while True: pv.worst_case_regret(pv.ERM(), np.linspace(0, 0.3, 20_000), q=0.5)",
    "a curve": "pv.learning_curve(pv.ERM(), np.linspace(0, 0.3, 60_000), q=0.5)",
    "tuning": "pv.tune(pv.KNN, np.linspace(0, 0.3, 60_000), q=0.5)",
    "the best policy": "while True: pv.minimax(np.linspace(0, 0.2, 400), q=0.9)",
    "trees": "while True: Trees.of(flags, flags[:, 0], flags[:, 0], np.arange(5_000), [])",
    "columns of trees": "while True: columns_of(bins)",
    "two neighbouring ranks": "pv.mixtures.best_mixture(np.linspace(0, 0.3, 1_000_000), q=0.5, ranks='adjacent')",
}
WHEN = (0.2, 0.4)  # seconds after its beginning at which work is interrupted
CHILD = f"""
import resource, time
import numpy as np, provend as pv, provend.mixtures
from provend._kernels.trees.columns import columns_of
from provend.levels._trees import Trees
flags = (np.random.default_rng(0).random((5_000, 200)) < 0.02).astype(float)
bins = flags.T.astype(np.uint8)
columns_of(bins)
Trees.of(flags[:50], flags[:50, 0], flags[:50, 0], np.arange(50), [])
pv.minimax(np.linspace(0, 0.2, 400), q=0.9)
pv.learning_curve(pv.ERM(), pv.drift(0.01, 20), q=0.9)  # compiled before the first signal
pv.worst_case_regret(pv.ERM(), np.linspace(0, 0.3, 20_000), q=0.5)
pv.worst_case_regret(pv.ERM(), np.linspace(0, 0.3, 40_000), q=0.5)  # long enough to run in pieces
pv.mixtures.best_mixture(pv.drift(0.01, 20), q=0.5, ranks="adjacent")
resource.setrlimit(resource.RLIMIT_CPU, 2 * (int(time.process_time()) + {PATIENCE},))
"""
WORK = """
for _ in {when}:
    try:
        print({name!r}, "started", flush=True)
        {work}
    except KeyboardInterrupt:
        print({name!r}, "noticed", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_an_interrupt_is_noticed() -> None:
    """One child for all kinds of work, which takes longer to start than to be interrupted."""
    work = (WORK.format(when=WHEN, name=name, work=work) for name, work in LONG.items())
    with subprocess.Popen(
        [sys.executable, "-c", "".join((CHILD, *work))],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        text=True,
    ) as child:
        watchdog = Timer(10 * PATIENCE, child.kill)  # one that does not even work
        watchdog.start()
        try:
            assert child.stdout is not None
            for name in LONG:
                for seconds in WHEN:
                    assert child.stdout.readline() == f"{name} started\n"
                    time.sleep(seconds)
                    child.send_signal(signal.SIGINT)
                    assert child.stdout.readline() == f"{name} noticed\n"
            assert child.wait() == 0  # a segmentation fault would be -11
        finally:
            watchdog.cancel()
            child.kill()


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digit for digit: a tail, a certified maximum, and a curve with what it carries from prefix to prefix."""
    rng = np.random.default_rng(5)
    high, low = lengths(pv.Newsvendor(cu=9, co=1).critical_ratio)
    for n in (2, 7, 40, 301):
        d, r = np.sort(rng.random(n) * 0.4), int(rng.integers(1, n + 1))
        ranks = np.array([-(-9 * k // 10) for k in range(1, n + 1)])
        whole = count_tail(d, r), maximise_successes(d, r, high, 1e-9, 0.0), d[::-1].copy()
        curve = count_curve.count_curve(whole[2], ranks, (high, low), 1e-9, 1)
        for piece in (1, 50, 2000):
            monkeypatch.setattr(counts, "PIECE", piece)
            monkeypatch.setattr(successes, "PIECE", piece)
            monkeypatch.setattr(count_curve, "PIECE", piece)
            assert count_tail_in_pieces(d, r) == whole[0]
            assert maximise_successes(d, r, high, 1e-9, 0.0) == whole[1]
            assert np.array_equal(count_curve.count_curve(whole[2], ranks, (high, low), 1e-9, 1), curve)
        monkeypatch.undo()


def test_a_curve_that_nobody_waits_for_stops() -> None:
    asked = []
    ranks = np.arange(1, 51)

    def stopped() -> bool:
        asked.append(True)
        return True

    rows = count_curve.count_curve(
        np.linspace(0, 0.3, 50), ranks, lengths(pv.Newsvendor(1, 1).critical_ratio), 1e-9, 1, stopped
    )
    assert len(asked) == 1
    assert not rows.any()
