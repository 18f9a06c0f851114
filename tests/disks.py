"""A disk that is full."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from provend import _files


def full_disk(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Nothing can be written below a folder any more."""
    write = _files._write

    def failing(file: Path, content: bytes) -> Path:
        if folder in file.parents:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, content)

    monkeypatch.setattr(_files, "_write", failing)
