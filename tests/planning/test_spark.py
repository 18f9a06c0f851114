"""A real Spark cluster on this machine, one master and two workers: the same plan, bit for bit."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import provend as pv
from commands import run
from provend.cli import main

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install provend[spark]")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed: `make system` installs it")

HOME = Path(pyspark.__file__).parent
COMMAND = [sys.executable, "-c", "from provend.cli import main; main()", "plan"]
OPTIONS = ["--co", "1", "--horizon", "2", "--model", "pooled", "--pack", "4", "--minimum", "8"]
ITEMS, DAYS, PATIENCE = 8, 30, 180.0
BRIEFLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # six machines that live for seconds: optimising them costs more


@dataclass(frozen=True)
class Cluster:
    """Where the master listens, and the processes of the two workers."""

    master: str
    workers: list[subprocess.Popen[bytes]]


def environment() -> dict[str, str]:
    spark = {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    java = {"JAVA_TOOL_OPTIONS": BRIEFLY, "SPARK_DAEMON_MEMORY": "512m"}
    return {**os.environ, **spark, **java, "PYTHONPATH": str(Path(pv.__file__).parent.parent)}


@contextmanager
def started(log: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Spark, ended with all it started when it is no longer needed."""
    script = str(HOME / "bin" / "spark-class")
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            [script, *arguments], env=environment(), stdout=stream, stderr=stream, start_new_session=True
        ) as process,
    ):
        try:
            yield process
        finally:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """The process and its children: a worker and its executors."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it was killed before


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("spark")
    with ExitStack() as stack:
        log = folder / "master.log"
        ports = ("--port", "0", "--webui-port", "0")
        stack.enter_context(started(log, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", *ports))
        wait_for(lambda: "Starting Spark master at" in log.read_text())
        found = re.search(r"Starting Spark master at (spark://127\.0\.0\.1:\d+)", log.read_text())
        assert found is not None
        place = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0")
        workers = [
            stack.enter_context(
                started(
                    folder / f"worker{i}.log",
                    "org.apache.spark.deploy.worker.Worker",
                    *place,
                    "-d",
                    str(folder / f"worker{i}"),
                    found[1],
                )
            )
            for i in range(2)
        ]
        wait_for(lambda: log.read_text().count("Registering worker") == 2)
        yield Cluster(found[1], workers)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sales with contexts of several types, missing ones among them, bad rows, and an item with hardly any past."""
    rng, file = np.random.default_rng(0), tmp_path_factory.mktemp("sales") / "sales.parquet"
    dates = [date(2024, 1, 1) + timedelta(days=i) for i in range(DAYS)]
    one = [
        pl.DataFrame(
            {"unique_id": f"Brötchen {i}", "ds": dates, "y": rng.poisson(9 + i, DAYS) * 1.0, "price": 9.0 - i % 2}
        )
        for i in range(ITEMS)
    ]
    table = pl.concat([*one, one[0].head(1).with_columns(unique_id=pl.lit("new"))])
    table.with_columns(y=pl.when(pl.int_range(pl.len()) % 50 != 7).then("y")).write_parquet(file)
    return file


def plan(history: Path, out: Path, *more: str) -> list[str]:
    return [*COMMAND, str(history), *OPTIONS, "--cu", "price", "--out", str(out), *more]


@pytest.fixture(scope="module")
def embedded(history: Path) -> bytes:
    out = history.with_name("plan.parquet")
    main(plan(history, out)[len(COMMAND) - 1 :])
    return out.read_bytes()


@pytest.mark.slow
def test_the_same_bytes_although_a_worker_is_killed(
    cluster: Cluster, history: Path, embedded: bytes, tmp_path: Path
) -> None:
    """What the worker and its executors did is done again elsewhere; the plan is that of the embedded engine."""
    out = tmp_path / "plan.parquet"
    parts = tmp_path / "plan.parquet.parts"
    command = plan(history, out, "--engine", "spark", "--master", cluster.master)
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) as planning:
        wait_for(lambda: (parts / "spark-unfinished").exists() or planning.poll() is not None)  # the job has begun
        assert not list(parts.glob("decided-*"))  # and has not ended
        kill(cluster.workers[0])
        _, said = planning.communicate(timeout=PATIENCE)
    assert planning.returncode == 0, said.decode()
    assert out.read_bytes() == embedded
    assert len(pl.read_parquet(out)) == 2 * (ITEMS + 1)


def test_no_master_to_be_found(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    command = plan(history, tmp_path / "plan.csv", "--engine", "spark")[len(COMMAND) - 1 :]
    code, _, said = run(capsys, *command)
    assert (code, said.count("\n")) == (2, 1)
    assert "--engine spark needs --master, such as spark://HOST:7077 or local[2]" in said
