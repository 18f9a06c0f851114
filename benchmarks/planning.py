"""`provend plan` on simulated shops of growing size: orders a second, memory of all its processes, doubling.

Run with `python -m benchmarks.planning FOLDER 10000 20000 ...`: numbers of items, 100 days each. FOLDER holds the
tables, about 300 MB for a million items, and is not emptied.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq

from provend.datasets import simulate_sales

DAYS = 100


def table(folder: Path, items: int) -> Path:
    """The sales of so many items, written once."""
    file = folder / f"sales_{items}.parquet"
    if not file.exists():
        unfinished, stream = file.with_suffix(".tmp"), simulate_sales(items, DAYS, seed=1)
        with pq.ParquetWriter(unfinished, stream.schema) as writer:
            for batch in stream:
                writer.write_batch(batch)
        unfinished.rename(file)
    return file


def resident(root: int) -> int:
    """Bytes that a process and all its descendants hold; shared pages count once each, so it is an upper bound."""
    total, seen = 0, [root]
    while seen:
        process = Path("/proc", str(seen.pop()))
        try:
            total += int((process / "statm").read_text().split()[1]) * resource.getpagesize()
            for thread in (process / "task").iterdir():
                seen += map(int, (thread / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total


def worked() -> float:
    """Seconds of processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def planned(file: Path, *options: str) -> tuple[float, float, float]:
    """Seconds, seconds of processor time and the highest number of megabytes of one run."""
    out = file.with_name("plan.parquet")
    command = [
        sys.executable,
        "-m",
        "provend",
        "plan",
        str(file),
        "--cu",
        "9",
        "--co",
        "1",
        "--out",
        str(out),
        *options,
    ]
    begin, before, most, done = time.perf_counter(), worked(), 0, threading.Event()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def watch() -> None:
        nonlocal most
        while not done.wait(0.2):
            most = max(most, resident(running.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, said = running.communicate()
    done.set()
    watcher.join()
    if running.returncode:
        raise SystemExit(said)
    return time.perf_counter() - begin, worked() - before, most / 2**20


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for items in map(int, sys.argv[2:]):
        file = table(folder, items)
        seconds, busy, megabytes = planned(file)
        rows = pq.read_metadata(file).num_rows
        print(
            f"{items:>9,} items, {rows:>11,} rows: {seconds:7.1f} s, {items / seconds:8,.0f} orders a second, "
            f"{busy:7.1f} s of processor time, {items / busy:8,.0f} orders in each, {megabytes:6,.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
