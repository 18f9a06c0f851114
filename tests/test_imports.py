"""What an import costs, and where the compiled kernels still work."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import provend as pv
from provend._kernels.arithmetic import jit
from provend._kernels.tails.counts import count_tail

PACKAGE = Path(pv.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes as on POSIX")


def run(code: str, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "TMPDIR")}
    clean["PYTHONPATH"] = str(PACKAGE.parent)
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**clean, **environment}, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_numba_is_loaded_only_where_a_kernel_runs() -> None:
    output = run(
        "import sys, provend as pv\n"
        "print('numba' in sys.modules)\n"
        "pv.worst_case_regret(pv.ERM(), pv.constant(0.1, 16), q=0.9)\n"
        "pv.worst_case_regret(pv.Mixture([pv.ERM(), pv.NoData()], [0.5, 0.5]), pv.constant(0.1, 16), q=0.9)\n"
        "pv.worst_case_regret(pv.Exponential(0.9), pv.drift(0.01, 8), q=0.9)\n"
        "pv.ERM().order([0.1, 0.2], [0.1, 0.3], q=0.9)\n"
        "print('numba' in sys.modules)\n"
        "pv.worst_case_regret(pv.ERM(), pv.drift(0.01, 16), q=0.9)\n"
        "print('numba' in sys.modules)"
    )
    assert output.split() == ["False", "False", "True"]


def test_import_is_light() -> None:
    heavy = {"pandas", "polars", "plotly", "typer", "sklearn", "narwhals", "pyarrow", "scipy", "numpy"}
    assert run(f"import sys, provend; print({heavy!r} & set(sys.modules))") == "set()"


def test_everything_exported_is_there_and_a_room_never_hides_a_function() -> None:
    assert all(getattr(pv, name) is not None for name in dir(pv))
    exported = {name: getattr(import_module(f"provend.{room}"), name) for name, room in pv._ROOM_OF.items()}
    assert {name: getattr(pv, name) for name in exported} == exported
    assert {*exported, "InputError"} == set(pv.__all__)
    first = "from provend.minimax import Optimal"
    for order in (f"{first}; import provend as pv", f"import provend as pv; pv.minimax; {first}"):
        assert run(f"{order}; print(pv.minimax.__name__, pv.Optimal is Optimal)") == "minimax True"


# The tail of a count is compiled in a second, with what it inlines; a whole search takes ten.
ANSWER = "import numpy; from provend._kernels.tails.counts import count_tail; print(count_tail(numpy.ones(9) / 3, 3))"
WHERE = "from provend._kernels.arithmetic import jit; print(jit._DIRECTORY)"


def test_without_any_place_for_a_cache(tmp_path: Path) -> None:
    """A home that does not exist and cannot be made: slower, but it works and leaves nothing behind."""
    file = tmp_path / "file"  # a file is no directory, not even for root
    file.write_text("")
    home = {"HOME": str(file / "home"), "XDG_CACHE_HOME": str(file / "cache")}
    assert run(WHERE, **home) == "None"
    assert run(ANSWER, **home) == str(count_tail(np.ones(9) / 3, 3))


def test_cache_goes_to_the_users_cache_directory(tmp_path: Path) -> None:
    where = Path(run(WHERE, XDG_CACHE_HOME=str(tmp_path)))
    assert where.is_relative_to(tmp_path / "provend")
    run(ANSWER, XDG_CACHE_HOME=str(tmp_path))
    assert list(where.rglob("*.nbi"))
    assert not list(PACKAGE.rglob("*.nbi"))  # nothing is written beside the sources, which may be read-only


def found_below(home: Path) -> str | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home))
        return jit._cache_directory()


def test_a_change_in_any_folder_of_kernels_makes_a_new_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code of one kernel holds that of others, from other folders, whose files numba does not look at."""
    source = tmp_path / "_kernels" / "tails" / "inlined.py"
    source.parent.mkdir(parents=True)
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "_kernels" / "arithmetic" / "jit.py"))
    source.write_text("x = 1")
    before = found_below(tmp_path)
    assert found_below(tmp_path) == before is not None
    source.write_text("x = 2")
    assert found_below(tmp_path) != before


def _version(tmp_path: Path) -> str:
    return Path(str(found_below(tmp_path / "elsewhere"))).name


def test_nothing_is_read_from_the_shared_temporary_directory(tmp_path: Path) -> None:
    """Whoever guesses the name could plant machine code there: a home that cannot be written to means no cache."""
    version, shared = _version(tmp_path), tmp_path / "tmp"
    (tmp_path / "file").write_text("")
    planted = shared / f"provend-{os.getuid()}" / version
    planted.mkdir(parents=True)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "file" / "cache"), "TMPDIR": str(shared)}
    assert run(WHERE, **environment) == "None"
    assert list(shared.rglob("*")) == [planted.parent, planted]


@posix
@pytest.mark.parametrize("planted", ["", "provend", "provend/{version}"])
@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_a_cache_that_others_can_write_to_is_not_used(tmp_path: Path, planted: str, mode: int) -> None:
    version, home = _version(tmp_path), tmp_path / "home"
    (home / "provend" / version).mkdir(parents=True, mode=0o700)
    (home / planted.format(version=version)).chmod(mode)
    assert found_below(home) is None


@posix
def test_a_cache_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    """What numba creates inside may be open to all of them, if that is the user's habit."""
    version = _version(tmp_path)
    directory = tmp_path / "provend" / version
    directory.mkdir(parents=True)
    directory.chmod(0o755)
    assert found_below(tmp_path) is None


@posix
@pytest.mark.parametrize("linked", ["provend", "provend/{version}"])
def test_a_link_in_place_of_the_cache_is_not_followed(tmp_path: Path, linked: str) -> None:
    version, home = _version(tmp_path), tmp_path / "home"
    link = home / linked.format(version=version)
    link.parent.mkdir(parents=True, mode=0o700)
    (tmp_path / "target" / version).mkdir(parents=True, mode=0o700)
    link.symlink_to(tmp_path / "target" if linked == "provend" else tmp_path / "target" / version)
    assert found_below(home) is None


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("foreign", ["", "provend", "provend/{version}"])
def test_a_cache_of_somebody_else_is_not_used(tmp_path: Path, foreign: str) -> None:
    version, home = _version(tmp_path), tmp_path / "home"
    (home / "provend" / version).mkdir(parents=True, mode=0o700)
    os.chown(home / foreign.format(version=version), 12345, 12345)
    assert found_below(home) is None


@posix
def test_a_home_below_a_sticky_directory_or_behind_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    (tmp_path / "link").symlink_to(tmp_path / "sticky" / "home")
    (tmp_path / "sticky" / "home").mkdir(mode=0o700)
    where = Path(str(found_below(tmp_path / "link")))
    assert where.is_relative_to(tmp_path / "sticky" / "home" / "provend")


def test_an_explicit_cache_directory_is_respected(tmp_path: Path) -> None:
    assert run(WHERE, NUMBA_CACHE_DIR=str(tmp_path / "chosen")) == str(tmp_path / "chosen")


def test_other_libraries_keep_their_cache_setting(tmp_path: Path) -> None:
    code = "import numba\nbefore = numba.config.CACHE_DIR\n" + WHERE + "\nprint(numba.config.CACHE_DIR == before)"
    assert run(code, XDG_CACHE_HOME=str(tmp_path)).split()[-1] == "True"


def ask(job: tuple[str, int]) -> tuple[float, float]:
    kind, n = job
    rng = np.random.default_rng(n)
    policy = {"erm": pv.ERM(), "weighted": pv.WeightedERM(list(range(1, n + 1))), "real": pv.Exponential(0.9)}[kind]
    g = pv.worst_case_regret(policy, rng.random(n) * 0.3, q="0.9")
    return g.lower, g.upper


JOBS = [(kind, n) for kind in ("erm", "weighted", "real") for n in (3, 8, 15, 19, 40)]


def test_threads_agree() -> None:
    alone = [ask(job) for job in JOBS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, JOBS * 2)) == alone * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_works_after_a_fork() -> None:
    """In a process of its own: this one may hold threads of the test runner."""
    output = run(
        "import multiprocessing as mp, provend as pv\n"
        "def f(n): return pv.worst_case_regret(pv.ERM(), pv.drift(0.01, n), q=0.9).upper\n"
        "before = [f(n) for n in (5, 16, 30)]\n"
        "with mp.get_context('fork').Pool(2) as pool: print(pool.map(f, (5, 16, 30)) == before)"
    )
    assert output == "True"
