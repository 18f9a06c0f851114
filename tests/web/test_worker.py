"""Workers: bounded in time and memory, killed, and there again."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from provend.web._worker import TooLongError, Worker, WorkError

HERE = "provend.web._preloaded.ready"


def together(coroutine):
    return asyncio.run(coroutine)


async def with_worker(use, **settings):
    worker = Worker(**settings)
    try:
        return await use(worker)
    finally:
        worker.stop()


def test_results_and_refusals():
    async def use(worker):
        assert await worker.call(HERE, seconds=60) is None
        found = await worker.call("provend.web._explore.explore", {"n": "3", "policies": "erm"}, 9.0, seconds=60)
        assert found["complete"]
        with pytest.raises(WorkError, match="give 1 to") as refused:
            await worker.call("provend.web._explore.explore", {"n": "0"}, 9.0, seconds=60)
        assert not refused.value.bug
        with pytest.raises(WorkError, match="should not have happened") as failed:
            await worker.call("provend.web._explore.explore", None, 9.0, seconds=60)
        assert failed.value.bug

    together(with_worker(use))


def test_too_long_is_stopped_and_the_next_call_is_answered():
    async def use(worker):
        await worker.call(HERE, seconds=60)
        before = worker._running.process.pid
        start = time.monotonic()
        with pytest.raises(TooLongError, match=r"0\.2 seconds"):
            await worker.call("time.sleep", seconds=0.2) if False else await worker.call(
                "provend.web._paper.compute", None, None, seconds=0.2
            )
        assert time.monotonic() - start < 30
        await worker.call(HERE, seconds=60)
        assert worker._running.process.pid != before

    together(with_worker(use))
