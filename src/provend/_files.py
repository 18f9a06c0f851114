"""Results as files: tried before the work, written whole or not at all, and never lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os.path import realpath
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import mkdtemp

from provend._errors import InputError

NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


class OutputError(OSError):
    """Finished results could not be written where they belong; the message says where they are instead."""


def defused(text: str) -> str:
    """A text that a spreadsheet shows rather than runs; numbers stay as they are."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) and not NUMBER.fullmatch(text) else text


def prepare(folder: Path, names: Iterable[str]) -> None:
    """Make a folder and try to write to it, before the work whose results will be files in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".provend-{token_hex(4)}"
        try:
            _write(trial, b"trial\n")
        finally:
            trial.unlink(missing_ok=True)
        for file in (folder / name for name in names):
            if file.exists() and not (file.is_file() and os.access(file, os.W_OK)):
                raise InputError(f"{file}: exists and cannot be overwritten; name another folder")
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{folder}: {reason}; name a folder that can be written") from None


def keep_apart(read: Iterable[Path], written: Iterable[Path], *, emptied: Path | None = None) -> None:
    """Refuse to write over what is read, or twice to one file, whatever the paths and links that lead there.

    Nothing read or written may be in the folder ``emptied`` either, which is cleared on the way.
    """
    taken, apart = list(read), list[Path]()
    for file in written:
        if any(_is_same(file, other) for other in taken):
            raise InputError(f"{file}: is read here and would be overwritten; name another file to write")
        if any(_is_same(file, other) for other in apart):
            raise InputError(f"{file}: would be written twice; name two files")
        apart.append(file)
    for file in (*taken, *apart):
        if emptied is not None and Path(realpath(file)).is_relative_to(realpath(emptied)):
            raise InputError(f"{file}: is in {emptied}, which is emptied on the way; move it, or name another output")


def _is_same(file: Path, other: Path) -> bool:
    return realpath(file) == realpath(other) or (file.exists() and other.exists() and file.samefile(other))


def write_all(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write texts under their names, each whole or not at all; where that fails, all of them to a temporary folder.

    Raises
    ------
    OutputError
        If that fails; it says where the files are instead.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / name, text.encode("utf-8", "replace")) for name, text in contents.items()]
    except OSError as error:
        failed = f"{folder}: {error.strerror or error}"
    elsewhere = None
    try:
        elsewhere = Path(mkdtemp(prefix="provend-"))
        for name, text in contents.items():
            _write(elsewhere / name, text.encode("utf-8", "replace"))
    except OSError as error:
        if elsewhere is not None:
            rmtree(elsewhere, ignore_errors=True)
        raise OutputError(f"{failed}; nor could the results be kept elsewhere: {error.strerror or error}") from None
    raise OutputError(f"{failed}; the results are in {elsewhere} instead")


def _write(file: Path, content: bytes) -> Path:
    """Write beside the target first, then move it there: nobody ever sees half a file."""
    target = file.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        with part.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return file


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path beside a file for what is too large to hold in memory; it takes the file's place once it is complete."""
    target = file.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        yield part
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
