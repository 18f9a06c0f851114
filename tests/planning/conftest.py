"""A history on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from awkward_sales import sales


@pytest.fixture
def history(tmp_path: Path) -> Path:
    sales().write_csv(tmp_path / "sales.csv")
    return tmp_path / "sales.csv"
