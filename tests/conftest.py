"""One run for all tests: files with long ones come first, and a tracer watches no more than it has to."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

TRACED = 2  # cases of one test: others run the same lines, and tracing doubles the time of the oracles they run
UNTRACED = pytest.StashKey[bool]()
FOLDERS = pytest.StashKey[dict[Path, pytest.Directory]]()


@pytest.hookimpl(wrapper=True)
def pytest_collect_directory(
    path: Path, parent: pytest.Collector
) -> Generator[None, pytest.Directory, pytest.Directory]:
    """One node for each folder: pytest makes another when files above it are named, and the first has the fixtures."""
    made = yield
    return parent.session.stash.setdefault(FOLDERS, {}).setdefault(path, made)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """No core idles at the end; each file stays in one piece, because what its tests share is made once."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.nodeid):
        cases[item.nodeid.partition("[")[0]].append(item)
    for several in cases.values():
        step = -(-len(several) // TRACED)
        for i, item in enumerate(several):
            item.stash[UNTRACED] = i % step > 0 or item.get_closest_marker("slow") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """What is covered is covered at least: untraced tests add nothing."""
    tracer = sys.gettrace()
    if tracer is None or not item.stash[UNTRACED]:
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
