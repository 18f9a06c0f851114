"""The embedded engine: tables of any size on one machine, in parts decided by several processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from provend._files import OutputError, replacing
from provend.planning._decide import decide
from provend.planning._one_by_one import encoded
from provend.planning._request import Opened
from provend.planning._schema import ITEM, ROW, WHEN, Job
from provend.planning._sound import past_and_ahead
from provend.planning._split import count_targets, files_of, parts_of, split_rows
from provend.planning._state import State

Progress = Callable[[int, int], None]

ALONE = 3.5  # seconds to be saved up to which other processes are not worth starting: each takes that long to begin
SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # each process has a core to itself


def decide_all(opened: Opened, state: State, progress: Progress) -> list[Path]:
    """Split the rows by item and decide all undecided parts, on all cores; returns the files of all parts."""
    return _run(opened, state, progress, os.cpu_count() or 1)


def decide_here(opened: Opened, state: State, progress: Progress) -> list[Path]:
    """The same in this process alone."""
    return _run(opened, state, progress, 1)


def _run(opened: Opened, state: State, progress: Progress, workers: int) -> list[Path]:
    split_rows(opened, state)
    sizes = {part: count_targets(state, part) for part in parts_of(state)}
    total = sum(sizes.values())
    waiting = [part for part in sizes if not state.is_done(part)]
    done = total - sum(sizes[part] for part in waiting)
    progress(done, total)
    for part in _decided(waiting, state, opened.job, workers):
        done += sizes[part]
        progress(done, total)
    return [state.done(part) for part in sizes]


def decide_part(part: int, state: State, job: Job) -> int:
    """Decide one part and write it, whole or not at all."""
    files = files_of(state, part)
    tables = [pq.read_table(file, partitioning=None, read_dictionary=[ITEM]) for file in files]  # each name once
    decided = decide(in_order(pa.concat_tables(tables).unify_dictionaries()), job)
    with replacing(state.done(part)) as file:
        pq.write_table(decided, file)
    return part


def in_order(rows: pa.Table) -> pa.Table:
    """The past, then the targets, both by item and date; most tables are already in this order."""
    return pa.concat_tables(map(_by_item, past_and_ahead(rows)))


def _by_item(rows: pa.Table) -> pa.Table:
    """Sorted by the ranks of item names, so that names are sorted only once; rows that name no item come last."""
    coded = encoded(rows)
    place = np.empty(len(coded.dictionary) + 1, np.int64)
    place[pc.sort_indices(coded.dictionary)] = np.arange(place.size - 1)
    place[-1] = place.size - 1
    item = place[np.asarray(coded.indices.fill_null(place.size - 1))]
    row, when = (rows[name].to_numpy() for name in (ROW, WHEN))
    if _ascends(item, when, row):
        return rows
    return rows.take(np.lexsort((row, when, item)))


def _ascends(*keys: NDArray[Any]) -> bool:
    """Whether each row comes after the previous one, by the first key in which they differ."""
    after, alike = np.zeros(max(keys[0].size - 1, 0), bool), np.ones(max(keys[0].size - 1, 0), bool)
    for key in keys:
        after |= alike & (key[1:] > key[:-1])
        alike &= key[1:] == key[:-1]
        if not alike.any():  # the other keys decide nothing
            break
    return bool(after.all())


def _decided(parts: list[int], state: State, job: Job, workers: int) -> Iterator[int]:
    """The parts, as they are decided: in this process, until what is left is worth others."""
    for place, part in enumerate(parts):
        begun = process_time()
        yield decide_part(part, state, job)
        took, left = process_time() - begun, parts[place + 1 :]
        if (place or took > ALONE) and took * len(left) * (1 - 1 / workers) > ALONE:  # the first one also finds rules
            yield from _shared(left, state, job, workers)
            return


def _shared(parts: list[int], state: State, job: Job, workers: int) -> Iterator[int]:
    """The same in several processes."""
    with _pool(min(workers, len(parts))) as pool:
        with _deaf():
            running: set[Future[int]] = {pool.submit(decide_part, part, state, job) for part in parts}
        try:
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for one in finished:
                    yield one.result()
        except BrokenProcessPool:
            raise OutputError("a process that was deciding has ended, perhaps for want of memory") from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes, limited to one thread each, that end with this one."""
    before = {name: os.environ.get(name) for name in SINGLE}
    os.environ.update(dict.fromkeys(SINGLE, "1"))
    try:
        with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin) as pool:
            yield pool
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def _deaf() -> Iterator[None]:
    """Put interrupts off, for processes begun meanwhile as well: while they import, they would print where they are."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """From here on, an interrupt ends the process without a word: the one that began it tells the user."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _end_with_parent()


def _end_with_parent() -> None:
    """A parent that is killed cannot tell its children to stop, so they watch it."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()
