"""The count kernel in nanoseconds per inner step, beside the same recurrence in C."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import best_time
from provend._kernels.tails.counts import count_tail

SOURCE = """
double tail(const double *p, long n, long r, double *Q, double *D) {
    double reached = 0.0;
    for (long i = 0; i < r + 2; i++) Q[i] = D[i] = 0.0;
    Q[r] = 1.0;
    for (long j = 0; j < n; j++) {
        double x = p[j], y = 1.0 - x;
        reached += x * Q[1];
        long first = r - 1 - j > 0 ? r - 1 - j : 0, last = r < n - j ? r : n - j;
        for (long i = first; i <= last; i++) {
            double q = Q[i], q_below = Q[i + 1];
            D[i] = D[i] * y + D[i + 1] * x + q;
            Q[i] = q * y + q_below * x;
        }
    }
    return reached;
}
"""


def rows() -> Iterator[tuple[str, ...]]:
    compiler = shutil.which("cc")
    for n, r in ((1000, 101), (1000, 900), (10_000, 1001)):
        p = np.linspace(0.05, 0.15, n) if 2 * r < n else np.linspace(0.85, 0.95, n)
        steps = r * (n - r + 1)
        ours = best_time(lambda p=p, r=r: count_tail(p, r))
        theirs = f"{c_time(compiler, p, r) / steps * 1e9:.3f} ns" if compiler else "no C compiler here"
        yield f"tail and slope, n = {n}, r = {r}", f"{ours / steps * 1e9:.3f} ns", theirs, "per inner step", ""


def c_time(compiler: str, p: np.ndarray, r: int) -> float:
    """The same loop as plain C, -O3 for this machine."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "tail.c", Path(folder) / "tail.so"
        source.write_text(SOURCE)
        subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        tail = ctypes.CDLL(str(library)).tail
        tail.restype = ctypes.c_double
        Q, D = np.empty(r + 2), np.empty(r + 2)
        arguments = (
            p.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_long(p.size),
            ctypes.c_long(r),
            Q.ctypes.data_as(ctypes.c_void_p),
            D.ctypes.data_as(ctypes.c_void_p),
        )
        if abs(tail(*arguments) - count_tail(p, r)[0]) > 1e-12:
            raise AssertionError("the C loop and the kernel disagree")
        return best_time(lambda: tail(*arguments))
