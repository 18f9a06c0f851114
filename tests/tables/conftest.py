"""A file written and read in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from provend.tables import Sales, read_sales


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def written_and_read(content: str | bytes, name: str = "sales.csv", **options: Any) -> Sales:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_sales(file, **options)

    return written_and_read
