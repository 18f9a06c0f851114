"""Machine code from Python source, by numba, with a cache that survives a read-only install.

Kernels trust their input, release the GIL and use no threads of numba's own. Import this module only when a kernel
runs: it pays for numba.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import config


def _cache_directory() -> str | None:
    """The first directory for machine code that can be written to, if any.

    Its name is a hash of the sources: a kernel inlines others, and numba looks at the file of the outermost only.
    """
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    version = hashlib.sha256(sources).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for parent in (Path(home) / "provend", Path(tempfile.gettempdir()) / f"provend-{user}"):
        try:
            directory = parent / version
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=directory):
                return str(directory)
        except OSError:
            continue
    return None


_DIRECTORY: str | None = config.CACHE_DIR or _cache_directory()  # type: ignore[attr-defined]


def compiled(function: Callable[..., Any]) -> Any:
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    config.CACHE_DIR = _DIRECTORY or ""  # type: ignore[attr-defined]
    try:
        return numba.njit(nogil=True, cache=_DIRECTORY is not None)(function)
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]  # other libraries keep their own choice


def compiled_copy(function: Any, **names: Any) -> Any:
    """The same source as machine code, with some of the names it uses bound to compiled ones."""
    return compiled(FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__))
