"""The same in Python and on the command line: exactly what was done, ready to copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import join
from typing import Any

from provend.newsvendor import Newsvendor
from provend.policies import Exponential, Kernel, Policy
from provend.web._problem import CELLS, Problem, read_policy
from provend.web._wanted import Options, Upload, Wanted

Said = dict[str, str]

READ = ("date", "demand", "decimal", "delimiter", "day_first", "negative", "duplicates", "missing")
USUAL = {"model": "auto", "policy": "minimax", "dissimilarity": "auto"}


def explored(problem: Problem) -> Said:
    """The learning curves and the best policy."""
    ratio = problem.ratio
    costs = ["--q", ratio] if isinstance(ratio, str) else _costs(ratio)
    first = ""
    if problem.kind == "given":
        numbers = [f"{d:.12g}" for d in problem.d]
        python, first = f"[{', '.join(numbers)}]", f"echo {' '.join(numbers)} > d.txt\n"
        design = ["--dissimilarities", "d.txt"]
    else:
        python = f"pv.{problem.kind}({problem.value!r}, n={len(problem.d)})"
        design = [f"--{problem.kind}", repr(problem.value), "-n", str(len(problem.d))]
    others = [name for name in problem.policies if name != "minimax"]
    q = repr(ratio) if isinstance(ratio, str) else f"pv.{ratio!r}"
    lines = ["import provend as pv", "", f"d, q = {python}, {q}"]
    lines += [f"print(pv.{_asked(read_policy(name))})" for name in others]
    lines += ["print(pv.minimax(d, q=q))"]
    commands = [["curve", "--policy", name, *costs, *design] for name in others] + [["minimax", *costs, *design]]
    return {"as_python": "\n".join(lines), "as_command": first + _commands(commands)}


def _asked(policy: Policy) -> str:
    """A curve or, where real weights are rounded, the regret of the rule that is actually executed."""
    if isinstance(policy, Exponential | Kernel):
        return f"worst_case_regret(pv.{policy!r}.rounded(d, cells={CELLS}), d, q=q)"
    return f"learning_curve(pv.{policy!r}, d, q=q).to_frame()"


def _costs(problem: Newsvendor) -> list[str]:
    low, high = problem.support
    return ["--cu", str(problem.cu), "--co", str(problem.co), "--support", f"{low:.15g}", f"{high:.15g}"]


def _commands(commands: Sequence[Sequence[str]]) -> str:
    return "\n".join(join(["provend", *command]) for command in commands)


def decided(wanted: Wanted, contexts: Sequence[str], *, others: bool = False) -> Said:
    """The plan of a file; ``contexts`` are those that counted besides the date, ``others`` whether some did not."""
    upload, targets, low_high = wanted.upload, wanted.targets, wanted.support
    kinds = {name: kind for name, kind in upload.options.columns if name in contexts}
    asked = {name: getattr(wanted, name) for name in USUAL if getattr(wanted, name) != USUAL[name]}
    asked |= dict(wanted.supply)
    new = wanted.new_items and targets is not None
    command = ["plan", upload.name, *_read_command(upload.options), "--cu", str(wanted.cu), "--co", str(wanted.co)]
    command += ["--horizon", str(wanted.horizon)] if targets is None else ["--targets", targets.name]
    command += [part for name in contexts for part in ("--context", name)]
    command += [part for name, kind in kinds.items() for part in ("--column", f"{name}={kind}")]
    command += ["--support", *map(str, low_high)] if low_high else []
    command += [part for name, value in asked.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    command += ["--new-items"] if new else []
    given: dict[str, Any] = {"cu": wanted.cu, "co": wanted.co}
    given |= {"horizon": wanted.horizon} if targets is None else {}
    given |= {"contexts": list(contexts)} if others or targets is not None else {}  # else Python warns of the others
    given |= ({"columns": kinds} if kinds else {}) | ({"support": low_high} if low_high else {}) | asked
    given |= {"new_items": True} if new else {}
    lines = [*_read_python(upload), *([] if targets is None else [_targets_python(upload, targets, new)])]
    tables = "sales.table" if targets is None else "sales.table, targets"
    lines += [f"plan = pv.plan({tables}, {_keywords(given)})", "print(plan)"]
    return {"as_python": "\n".join(lines), "as_command": _commands([[*command, "--out", "plan.csv"]])}


def _targets_python(upload: Upload, targets: Upload, new: bool) -> str:
    said = {name: value for name, value in upload.written.items() if value is not None}
    said |= {"new_items": True} if new else {}
    return f"targets = pv.read_targets({targets.name!r}, sales{''.join(f', {k}={v!r}' for k, v in said.items())})"


def backtested(upload: Upload, terms: Mapping[str, Any]) -> Said:
    """The backtest of a file."""
    low_high, policies = terms["support"], terms["policies"] or ()
    kinds = dict(upload.options.columns)
    command = [
        "backtest",
        upload.name,
        *_read_command(upload.options),
        "--cu",
        str(terms["cu"]),
        "--co",
        str(terms["co"]),
    ]
    for option, values in (
        ("--policy", policies),
        ("--context", terms["contexts"] if upload.options.left_out or upload.options.seen else ()),
        ("--column", [f"{name}={kind}" for name, kind in kinds.items()]),
    ):
        command += [part for value in values for part in (option, value)]
    command += ["--test", str(terms["test"]), "--refit-every", str(terms["refit_every"])]
    command += ["--support", *map(str, low_high)] if low_high else []
    given = {name: terms[name] for name in ("cu", "co", "test", "refit_every")} | {"contexts": list(terms["contexts"])}
    given |= {"policies": list(policies)} if policies else {}
    given |= ({"support": low_high} if low_high else {}) | ({"columns": kinds} if kinds else {})
    lines = [*_read_python(upload), f"result = pv.backtest(sales.table, {_keywords(given)})", "print(result.summary)"]
    return {"as_python": "\n".join(lines), "as_command": _commands([[*command, "--out", "backtest"]])}


def _read_python(upload: Upload) -> list[str]:
    options = upload.options
    given = {name: getattr(options, name) for name in READ if getattr(options, name) != getattr(Options(), name)}
    given |= {"item": list(options.item)} if options.item else {}
    comma = ", " if given else ""
    return ["import provend as pv", "", f"sales = pv.read_sales({upload.name!r}{comma}{_keywords(given)})"]


def _read_command(options: Options) -> list[str]:
    found = [part for name in options.item or () for part in ("--id", name)]
    for name in READ:
        value = getattr(options, name)
        if value == getattr(Options(), name):
            continue
        if name == "day_first":
            found.append("--day-first" if value else "--month-first")
        else:
            found += [f"--{name}", str(value)]
    return found


def _keywords(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
