"""One run for all tests: long ones come first, so that no core idles at the end, and without a tracer."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests in front, each as a whole, because what its tests share is made once."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    for item in slow:
        item.add_marker("no_cover")  # the lines they run are those of quick tests, and tracing doubles their time
    files = {item.path for item in slow}
    items.sort(key=lambda item: item.path not in files)
