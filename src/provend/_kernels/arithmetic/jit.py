"""Machine code from Python source, by numba, with a cache that survives a read-only install.

Kernels trust their input, release the GIL and use no threads of numba's own. Import this module only when a kernel
runs: doing so loads numba.

What Python calls must return plain tuples of numbers and arrays, and what takes long numbers or one array alone: it
puts others into arrays it is given. Named tuples, and arrays, are built by running Python code, where a pending signal
may raise an exception. Numba does not survive one in a named tuple, and of one in a tuple with arrays it makes a
``SystemError``, which is no interrupt to anybody.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import config
from numba.core.cpu import CPUTargetOptions


def _cache_directory() -> str | None:
    """A directory for machine code that nobody else can write to, if there is one.

    Whoever can write to the cache can run code in our name: it holds pickles. Its name is a hash of the sources: a
    kernel inlines others, and numba only looks at the file of the outermost.
    """
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parents[1].rglob("*.py")))
    version = hashlib.sha256(sources).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    try:
        directory = Path(home).resolve() / "provend" / version
        directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        directory.mkdir(exist_ok=True, mode=0o700)
        if not _ours_alone(directory):
            return None
        with tempfile.TemporaryFile(dir=directory):
            return str(directory)
    except (OSError, RuntimeError):  # not writable, no home directory, or a loop of links
        return None


def _ours_alone(directory: Path) -> bool:
    """Whether only we can change what is in it: it is ours and closed to others, and so is the path to it.

    Links are not followed; along the path, system directories and sticky ones such as /tmp are acceptable.
    """
    if not hasattr(os, "geteuid"):
        return True  # Windows: profiles are closed to others, and there are no modes to look at
    me, last = os.geteuid(), directory.lstat()
    way = [place.lstat() for place in directory.parents]
    return (
        stat.S_ISDIR(last.st_mode)
        and last.st_uid == me
        and not last.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        and all(stat.S_ISDIR(place.st_mode) and place.st_uid in (0, me) for place in way)
        and not any(_open_to_others(place) for place in way)
    )


def _open_to_others(place: os.stat_result) -> bool:
    """Whether others may rename what is in it; a group with the owner's number is taken to be the owner alone."""
    others = stat.S_IWOTH if place.st_gid == place.st_uid else stat.S_IWOTH | stat.S_IWGRP
    return bool(place.st_mode & others) and not place.st_mode & stat.S_ISVTX


_DIRECTORY: str | None = config.CACHE_DIR or _cache_directory()  # type: ignore[attr-defined]


def compiled(function: Callable[..., Any]) -> Any:
    """Machine code that rounds as Python does."""
    return _machine_code(function, fastmath=False)


def fused(function: Callable[..., Any]) -> Any:
    """Machine code for sums of products of numbers that are not negative.

    A product and a sum may become one operation, with one rounding in place of two, and the terms of a sum may come in
    any order: no term is rounded more often than one by one, so the error bounds hold.
    """
    return _machine_code(function, fastmath={"contract", "reassoc", "nsz"})


def trusting(function: Callable[..., Any]) -> Any:
    """Machine code that rounds as Python does and divides without asking whether by zero."""
    return _machine_code(function, fastmath=False, error_model="numpy")


def borrowing(function: Callable[..., Any]) -> Any:
    """The same for what makes no arrays and returns none: it uses those it is given, and nobody counts how often.

    To count takes as long as ten steps of arithmetic, and it would be done wherever an array gets another name. The
    option is numba's own: a version that does not know it counts.
    """
    uncounted = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
    return _machine_code(function, fastmath=False, error_model="numpy", **uncounted)


def inlined(function: Callable[..., Any]) -> Any:
    """The same as a part of whoever calls it: a call would count the references to its arrays."""
    return _machine_code(function, fastmath=False, error_model="numpy", inline="always")


def _machine_code(function: Callable[..., Any], **options: Any) -> Any:
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    config.CACHE_DIR = _DIRECTORY or ""  # type: ignore[attr-defined]
    try:
        return numba.njit(nogil=True, cache=_DIRECTORY is not None, **options)(function)
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]  # other libraries keep their own choice


def compiled_copy(function: Any, **names: Any) -> Any:
    """The same source as machine code, with some of the names it uses bound to compiled ones."""
    return compiled(FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__))
