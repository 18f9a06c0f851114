"""The state of a run on disk: what was asked for, and which parts are done. No file of it is ever half-written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from secrets import token_hex
from shutil import rmtree
from typing import Any

from provend._errors import InputError
from provend._files import OutputError, replacing

Facts = dict[str, Any]  # to be written as JSON

PACKAGES = ("provend", "duckdb", "pyarrow", "numpy", "scikit-learn", "numba", "highspy")
LOCK = "lock"
KEPT = ("manifest.json", "rows", LOCK)
LEFT = ("spilled", "*-unfinished", ".*")  # what a killed run may leave besides
OVER = re.compile(r"\.[0-9a-f]{8}$")  # ends the name of a folder that is being removed
CHUNK = 1 << 20  # bytes hashed at a time


@dataclass(frozen=True)
class State:
    """A folder beside the output: the manifest, the rows split into parts, and the parts that are decided."""

    folder: Path

    @classmethod
    def beside(cls, out: Path) -> State:
        """The state of a run that writes to ``out``."""
        return cls(out.with_name(f"{out.name}.parts"))

    @property
    def manifest(self) -> Path:
        """What was asked for."""
        return self.folder / "manifest.json"

    @property
    def rows(self) -> Path:
        """The rows of the tables, split by item; present as a whole or not at all."""
        return self.folder / "rows"

    def done(self, part: int) -> Path:
        """The decisions of one part."""
        return self.folder / f"decided-{part:05}.parquet"

    def is_done(self, part: int) -> bool:
        """Whether a part is decided."""
        return self.done(part).exists()

    @property
    def spilled(self) -> Path:
        """Where to put what does not fit in memory."""
        return self.folder / "spilled"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder for this run alone, without a killed run's leftovers; it goes if the run never began."""
        _refuse_others(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            for old in self.folder.parent.iterdir():
                if old.name.startswith(f".{self.folder.name}.") and OVER.search(old.name):
                    rmtree(old)
            for inside in self.folder.iterdir():
                if not (inside.name in KEPT or inside.match("decided-*.parquet")) or not self.manifest.exists():
                    _delete(inside)
            try:
                yield
            finally:
                if self.folder.exists() and not self.manifest.exists():
                    self.remove()

    def begin(self, asked: Facts, *, resume: bool) -> None:
        """Write down what is asked for, or resume an unfinished run of the same request."""
        if self.manifest.exists():
            if not resume:
                raise InputError(
                    f"{self.folder}: an unfinished run; go on with it by --resume, or remove the folder to start over"
                )
            _refuse_other(self.manifest, asked)
        else:
            write_json(self.manifest, asked)

    def remove(self) -> None:
        """The run is over: remove the folder at once, so that it is never half-deleted under its own name."""
        over = self.folder.with_name(f".{self.folder.name}.{token_hex(4)}")
        self.folder.replace(over)
        rmtree(over)


def _refuse_others(folder: Path) -> None:
    """Refuse a folder that holds anything but a run: it would be lost."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError(f"{folder}: stands where the parts of the run belong; move it, or name another output")
    for inside in sorted(folder.iterdir()) if folder.exists() else ():
        if not any(inside.match(name) for name in (*KEPT, *LEFT, "decided-*.parquet")):
            raise InputError(f"{inside}: is no part of a run, whose folder this is; move it, or name another output")


def _delete(path: Path) -> None:
    if path.name != LOCK:
        rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Allow one run at a time; the system releases the lock when a run ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on this system: two runs at once do the work twice, but write the same
        yield
        return
    with (folder / LOCK).open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{folder}: another run is at work there; wait for it") from None
        yield


def asked_for(history: Path, targets: Path | None, options: Facts) -> Facts:
    """The inputs with their hashes, the options, and the versions that decide."""
    files = [history] if targets is None else [history, targets]
    return {
        "inputs": [{"file": file.name, "bytes": file.stat().st_size, "sha256": _hash(file)} for file in files],
        "options": options,
        "versions": {"python": python_version()} | {name: _version(name) for name in PACKAGES},
    }


def write_json(file: Path, content: Facts) -> None:
    """Write the file whole or not at all."""
    with replacing(file) as part:
        part.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def _refuse_other(manifest: Path, asked: Facts) -> None:
    """A run may only be resumed with the same inputs, options and versions: its parts must fit together."""
    try:
        before = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise OutputError(f"{manifest}: cannot be read; remove {manifest.parent} to start over") from None
    for what in asked:
        if before.get(what) != asked[what]:
            how = _difference(before.get(what), asked[what])
            raise InputError(
                f"--resume: the unfinished run in {manifest.parent} had other {what} ({how}); give the same, or remove "
                "the folder to start over"
            )


def _difference(before: object, now: object) -> str:
    """The first difference, in brief."""
    if isinstance(before, dict) and isinstance(now, dict):
        name = next(name for name in sorted({*before, *now}) if before.get(name) != now.get(name))
        return f"{name}: {_difference(before.get(name), now.get(name))}"
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return next(_difference(a, b) for a, b in zip(before, now, strict=True) if a != b)
    return f"{str(before)[:60]}, now {str(now)[:60]}"


def _hash(file: Path) -> str:
    found = sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from source
        return "unknown"
