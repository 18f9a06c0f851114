"""Ctrl-C while a plan is made: one line, which says how to go on where there is something to go on with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import provend as pv
from provend.cli import main
from provend.planning import _embedded

PATIENCE = 120
COSTS = ("--cu", "9", "--co", "1", "--policy", "erm", "--dissimilarity", "0.05")


@pytest.fixture
def history(tmp_path: Path) -> Path:
    days = [date(2026, 1, 1) + timedelta(days=i) for i in range(20)]
    rows = (f"{item},{day},{10 + day.day % 7}\n" for item in "abc" for day in days)
    file = tmp_path / "sales.csv"
    file.write_text("item,ds,y\n" + "".join(rows))
    return file


def interrupted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    def stop(*_: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_embedded, "decide_part", stop)
        with pytest.raises(SystemExit) as stopped:
            main(["plan", *arguments, *COSTS])
    assert stopped.value.code == 130
    return capsys.readouterr().err


def test_a_run_that_can_be_resumed_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plan.csv"
    said = interrupted(monkeypatch, capsys, str(history), "--out", str(out))
    assert said.splitlines()[-1] == f"provend: stopped; what is decided is kept in {out}.parts: run again with --resume"
    main(["plan", str(history), *COSTS, "--out", str(out), "--resume"])
    assert len(out.read_text().splitlines()) == 4


def test_there_is_nothing_to_resume_without_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], history: Path
) -> None:
    assert interrupted(monkeypatch, capsys, str(history)).splitlines()[-1] == "provend: stopped"


def test_while_commands_are_loaded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupting:
        def find_spec(self, name: str, *_: object) -> ModuleType | None:
            if name == "provend.cli._app":
                raise KeyboardInterrupt
            return None

    monkeypatch.delitem(sys.modules, "provend.cli._app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert (stopped.value.code, capsys.readouterr().err) == (130, "provend: stopped\n")


PARENT = """
from concurrent.futures import wait
from provend.planning._embedded import _deaf, _pool
try:
    with _pool(1) as pool:
        with _deaf():
            work = [pool.submit(exec, "import time; print('at work', flush=True); time.sleep(60)")]
        print("begun", flush=True)
        wait(work)
except KeyboardInterrupt:
    print("noticed", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("at_work", [False, True])
def test_other_processes_end_without_a_word(at_work: bool) -> None:
    """A terminal interrupts them, too: while they import, and while they work. One, for each imports for seconds."""
    environment = {**os.environ, "PYTHONPATH": str(Path(pv.__file__).parent.parent)}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "begun\n"
        assert not at_work or parent.stdout.readline() == "at work\n"
        time.sleep(0.3)
        os.killpg(parent.pid, signal.SIGINT)
        said, complaints = parent.communicate(timeout=PATIENCE)
    assert (parent.returncode, said, complaints) == (0, "noticed\n", "")
