"""A plan is the same however often the run was stopped, and finished work is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from awkward_sales import QUICK, sales
from commands import run
from provend.planning._state import State


class StoppedError(Exception):
    """In place of a power cut."""


def stop_after(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends in the middle, as if it had been switched off."""
    from provend.planning import _embedded

    decide, done = _embedded.decide_part, []

    def failing(part: int, state: State, job: Any) -> int:
        if len(done) == parts:
            raise StoppedError
        done.append(part)
        return decide(part, state, job)

    monkeypatch.setattr(_embedded, "decide_part", failing)
    monkeypatch.setattr(_embedded, "ALONE", 1000)  # in this process, where it is watched


def unfinished(capsys: pytest.CaptureFixture[str], history: Path, out: Path, parts: int = 2) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stop_after(parts, patch)
        assert run(capsys, "plan", history, *QUICK, "--out", out)[0] == 1
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "alone"), [("csv", -1), ("parquet", 1000)])  # other processes do not write the plan
def test_a_resumed_run_gives_the_same_bytes_and_decides_no_part_twice(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path, kind: str, alone: int
) -> None:
    whole, out = tmp_path / f"whole.{kind}", tmp_path / f"plan.{kind}"
    sales([f"item {i}" for i in range(12)]).write_csv(history)  # in more than two parts, whatever the hashes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("provend.planning._embedded.ALONE", 1000)  # in this process; a resumed run is in several
        run(capsys, "plan", history, *QUICK, "--out", whole)
    unfinished(capsys, history, out)
    state = State.beside(out)
    kept = {file: file.stat().st_mtime_ns for file in state.folder.glob("decided-*.parquet")}
    assert len(kept) == 2
    with pytest.MonkeyPatch.context() as patch:
        stop_after(1, patch)  # one more, and once more the end
        assert run(capsys, "plan", history, *QUICK, "--out", out, "--resume")[0] == 1
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("provend.planning._embedded.ALONE", alone)  # -1: in several processes, after the first part
        code, _, error = run(capsys, "plan", history, *QUICK, "--out", out, "--resume")
    assert (code, error) == (0, "")
    assert out.read_bytes() == whole.read_bytes()
    assert not state.folder.exists()


def test_an_unfinished_run_is_not_thrown_away(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plan.csv"
    unfinished(capsys, history, out)
    code, _, error = run(capsys, "plan", history, *QUICK, "--out", out)
    assert (code, error.count("\n")) == (2, 1)
    assert "an unfinished run; go on with it by --resume, or remove the folder to start over" in error
    assert len(list(State.beside(out).folder.glob("decided-*.parquet"))) == 2


def test_resuming_something_else_is_refused(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.csv"
    unfinished(capsys, history, out)
    code, _, error = run(capsys, "plan", history, *QUICK, "--horizon", 2, "--out", out, "--resume")
    assert (code, error.count("\n")) == (2, 1)
    assert "had other options (wish: horizon: 1, now 2); give the same, or remove" in error
    sales(days=31).write_csv(history)
    code, _, error = run(capsys, "plan", history, *QUICK, "--out", out, "--resume")
    assert (code, "had other inputs (bytes:" in error) == (2, True)
    assert len(list(State.beside(out).folder.glob("decided-*.parquet"))) == 2


def test_one_run_at_a_time(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    out = tmp_path / "plan.csv"
    with State.beside(out).held():
        code, _, error = run(capsys, "plan", history, *QUICK, "--out", out)
    assert (code, "another run is at work there; wait for it" in error) == (2, True)
