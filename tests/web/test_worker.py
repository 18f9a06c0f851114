"""Workers and jobs: bounded in time and memory, killed, and there again."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from provend.web._answers import Refused
from provend.web._jobs import MOST_WAITING, Jobs
from provend.web._worker import TooLongError, Worker, WorkError

LONG = 600.0  # seconds that no test waits for


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_what_goes_wrong_with_one_call_does_not_touch_the_next():
    async def use() -> None:
        worker = Worker(memory=2**31)
        first = await worker.call("chores.process", seconds=LONG)
        assert await worker.call("chores.process", seconds=LONG) == first
        with pytest.raises(WorkError, match="give 1 to") as refused:
            await worker.call("provend.web._explore.explore", {"n": "0"}, 9.0, seconds=LONG)
        with pytest.raises(WorkError, match="should not have happened") as failed:
            await worker.call("chores.fail", seconds=LONG)
        with pytest.raises(WorkError, match="more memory"):
            await worker.call("chores.allocate", 2**33, seconds=LONG)
        assert (refused.value.bug, failed.value.bug) == (False, True)
        assert "secret" not in str(failed.value)
        assert await worker.call("chores.process", seconds=LONG) == first
        with pytest.raises(WorkError, match="more memory"):  # the usual reason for such an end
            await worker.call("chores.crash", seconds=LONG)
        second = await worker.call("chores.process", seconds=LONG)
        assert second != first
        told = []
        with pytest.raises(TooLongError, match="1 seconds"):
            await worker.call("chores.sleep", LONG, seconds=1, progress=lambda *said: told.append(said))
        assert told == [(0.5, "half asleep")]
        assert not is_alive(second)
        third = await worker.call("chores.process", seconds=LONG)
        worker.stop()
        assert not is_alive(third)

    asyncio.run(use())


def test_a_call_that_is_given_up_ends_its_process():
    async def use() -> None:
        worker = Worker()
        pid = await worker.call("chores.process", seconds=LONG)
        call = asyncio.create_task(worker.call("chores.sleep", LONG, seconds=LONG))
        await asyncio.sleep(0.2)
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call
        assert not is_alive(pid)

    asyncio.run(use())


def test_jobs_run_tell_and_end(tmp_path):
    async def use() -> None:
        jobs = Jobs(tmp_path)
        done = jobs.start("it", "chores.job", 0.0)
        await asyncio.wait([jobs.find(done).task])
        assert jobs.find(done).facts() == {
            "state": "done", "progress": 1.0, "message": "done", "result": "well done", "error": None,
        }  # fmt: skip
        assert (jobs.find(done).folder / "left").read_text() == "behind"
        failed = jobs.start("it", "chores.fail")
        await asyncio.wait([jobs.find(failed).task])
        assert jobs.find(failed).state == "failed"
        waiting = [jobs.start("it", "chores.job", LONG) for _ in range(MOST_WAITING)]
        with pytest.raises(Refused, match="cancel some"):
            jobs.start("it", "chores.job", LONG)
        while "half asleep" not in {jobs.find(key).message for key in waiting}:
            await asyncio.sleep(0.01)
        assert {jobs.find(key).state for key in waiting} == {"running", "waiting"}
        await jobs.close()
        assert {jobs.find(key).state for key in waiting} == {"cancelled"}
        with pytest.raises(Refused, match="not known"):
            jobs.find("../etc")

    asyncio.run(use())


def test_old_jobs_are_forgotten_with_what_they_left(tmp_path, monkeypatch):
    monkeypatch.setattr("provend.web._jobs.KEPT", 2)

    async def use() -> None:
        jobs = Jobs(tmp_path)
        keys = []
        for _ in range(4):
            keys.append(jobs.start("it", "chores.job", 0.0))
            await asyncio.wait([jobs.find(keys[-1]).task])
        assert len(jobs.known) == 2
        assert len(list(tmp_path.iterdir())) == 2
        assert keys[-1] in jobs.known

    asyncio.run(use())
