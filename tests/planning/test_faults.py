"""Runs that are killed, and disks that are full: a complete plan in the end, nothing lost and nothing twice."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from secrets import token_hex

import numpy as np
import polars as pl
import pytest

import provend as pv
from provend.cli import main
from provend.planning import _embedded

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc as on Linux"),
]

IN_PROCESSES = "from provend.planning import _embedded; _embedded.ALONE = -1; from provend.cli import main; main()"
COMMAND = [sys.executable, "-c", IN_PROCESSES, "plan"]
OPTIONS = ["--cu", "9", "--co", "1", "--policy", "erm", "--dissimilarity", "0.05", "--horizon", "2"]
ITEMS, DAYS, PATIENCE = 40, 30, 120.0


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, file = np.random.default_rng(0), tmp_path_factory.mktemp("faults") / "sales.parquet"
    dates = [date(2024, 1, 1) + timedelta(days=i) for i in range(DAYS)]
    one = [pl.DataFrame({"unique_id": f"{i}", "ds": dates, "y": rng.poisson(9, DAYS) * 1.0}) for i in range(ITEMS)]
    pl.concat(one).write_parquet(file)
    return file


@pytest.fixture(scope="module")
def undisturbed(history: Path) -> bytes:
    """What a run gives that nobody disturbs."""
    out = history.with_name("whole.csv")
    by_itself(history, out)
    content = out.read_bytes()
    assert content.count(b"\n") == 2 * ITEMS + 1
    return content


def command(history: Path, out: Path, *more: str) -> list[str]:
    return [*COMMAND, str(history), *OPTIONS, "--out", str(out), *more]


def by_itself(history: Path, out: Path, *more: str) -> None:
    """The same command in this process alone, which has loaded everything; workers are those of runs in trouble."""
    with pytest.MonkeyPatch.context() as one_core:
        one_core.setattr(_embedded.os, "cpu_count", lambda: 1)
        main(command(history, out, *more)[len(COMMAND) - 1 :])


def environment(mark: str = "") -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(pv.__file__).parent.parent), "PROVEND_MARK": mark}


def alive(mark: str) -> list[str]:
    """Processes that were started by a run with this mark."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and f"PROVEND_MARK={mark}\0".encode() in (process / "environ").read_bytes():
                found += [process.name] if "Z" not in (process / "stat").read_text().rpartition(")")[2][:3] else []
        except OSError:
            continue  # it has ended
    return found


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + PATIENCE
    while not condition() and (process is None or process.poll() is None):
        assert time.monotonic() < end
        time.sleep(0.002)


def decided(parts: Path) -> int:
    return len(list(parts.glob("decided-*.parquet")))


# Moments at which a run is killed: what the folder beside the output looks like then.
MOMENTS: dict[str, Callable[[Path], bool]] = {
    "when it is known what is asked for": lambda parts: (parts / "manifest.json").exists(),
    "when rows are split": lambda parts: (parts / "rows").exists(),
    "when one part is decided": lambda parts: decided(parts) >= 1,
    "in the middle": lambda parts: decided(parts) >= 7,
}


def test_killed_again_and_again(history: Path, undisturbed: bytes, tmp_path: Path) -> None:
    """One run, killed at each of these moments or a random while later: the same bytes in the end."""
    out, mark, rng = tmp_path / "plan.csv", token_hex(8), np.random.default_rng()
    parts, kept = tmp_path / "plan.csv.parts", dict[Path, int]()
    for reached in MOMENTS.values():
        with subprocess.Popen(command(history, out, "--resume"), env=environment(mark), stderr=subprocess.PIPE) as run:
            wait_for(lambda reached=reached: reached(parts), run)
            time.sleep(rng.uniform(0, 0.1))
            run.send_signal(signal.SIGKILL)
        now = {file: file.stat().st_mtime_ns for file in parts.glob("decided-*.parquet")}
        assert kept.items() <= now.items() or out.exists()  # what was decided stays, and is not decided again
        kept = now
    wait_for(lambda: not alive(mark))  # nobody goes on working for a run that is dead
    by_itself(history, out, "--resume")
    assert out.read_bytes() == undisturbed
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "plan.csv",
        "plan.csv.basis.csv",
        "plan.csv.manifest.json",
    ]


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of that size, if this may be done here."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here; the limit on the size of files stands in for it")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("size", ["24k", "120k"])
def test_a_full_disk(history: Path, undisturbed: bytes, tmp_path: Path, size: str) -> None:
    """While rows are split, or while parts are decided; with more room the run goes on."""
    disk = tmp_path / "disk"
    with small_disk(disk, size):
        failed = subprocess.run(
            command(history, disk / "plan.csv"), env=environment(), capture_output=True, text=True, check=False
        )
        assert failed.returncode == 1, failed.stderr
        assert failed.stderr.count("\n") == 1
        assert "No space left on device" in failed.stderr
        assert not (disk / "plan.csv").exists()
        subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
        by_itself(history, disk / "plan.csv", "--resume")
        assert (disk / "plan.csv").read_bytes() == undisturbed


def test_a_limit_on_the_size_of_files(history: Path, undisturbed: bytes, tmp_path: Path) -> None:
    """Parts fit, the plan does not: they are kept until it does."""
    out = tmp_path / "plan.csv"
    most = len(undisturbed) // 2

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    failed = subprocess.run(
        command(history, out), env=environment(), capture_output=True, text=True, check=False, preexec_fn=limited
    )
    assert (failed.returncode, failed.stderr.count("\n")) == (1, 1), failed.stderr
    assert "parts are done and kept in" in failed.stderr
    assert not out.exists()
    by_itself(history, out, "--resume")
    assert out.read_bytes() == undisturbed
