"""Odd numbers, files and combinations of options: exit codes as documented, one line on stderr, JSON that is valid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run

HEAD = "unique_id,ds,y,kind\n"


def days(n: int = 24, *, y: str = "{k}", kind: str = "k{k}", ds: str = "2024-01-{i:02d}", item: str = "a") -> str:
    """Rows in which {i} counts from 1 and {k} = 0, 1, 2 again and again."""
    row = f"{item},{ds},{y},{kind}\n"
    return "".join(row.format(i=i + 1, k=i % 3) for i in range(n))


FILES: dict[str, str | bytes] = {
    "good.csv": HEAD + days(),
    "GOOD.CSV": HEAD + days(),
    "header.csv": HEAD,
    "empty.csv": "",
    "junk.csv": bytes(range(256)) * 20,
    "junk.parquet": b"PAR1" + bytes(range(256)),
    "latin.csv": (HEAD + days(item="é")).encode("latin-1"),
    "utf16.csv": (HEAD + days()).encode("utf-16"),
    "long.csv": HEAD + days(item="x" * 100_000),
    "ragged.csv": HEAD + "a,2024-01-01,3\n",
    "twice.csv": "unique_id,ds,y,y\n" + days(),
    "repeated.csv": HEAD + days() + days(),
    "words.csv": HEAD + days(y="many"),
    "negative.csv": HEAD + days(y="-1"),
    "huge.csv": HEAD + days(y="1e308"),
    "infinite.csv": HEAD + days(y="inf"),
    "zero.csv": HEAD + days(y="0"),
    "nothing.csv": HEAD + days(y=""),
    "today.csv": HEAD + "a,today,3,x\na,NaT,4,x\n",
    "year.csv": HEAD + days(ds="9999{i:03d}-01-01"),
    "number.csv": HEAD + days(ds="{i}0000000000000000"),
    "endless.csv": HEAD + days(ds="inf"),
    "zoned.csv": HEAD + days(ds="2024-01-{i:02d}T00:00:00+05:00"),
    "clock.csv": HEAD + days(ds="12:{i:02d}:00"),
    "wide.csv": HEAD + days(kind="1e308"),
    "blank.csv": HEAD + days(kind=""),
    "noid.csv": "ds,y\n" + "".join(f"2024-01-{i + 1:02d},{i % 3}\n" for i in range(24)),
    "deep.json": "[" * 100_000,
    "nested.json": "[[0.1], 0.2]",
    "object.json": '{"d": [0.1]}',
    "constants.json": "[NaN, Infinity]",
    "digits.json": "[" + "9" * 5000 + "]",
    "words.txt": "zero one",
    "blank.txt": " \n",
    "binary.txt": bytes(range(256)),
    "bom.txt": "\ufeff0.1\n0.2",
    "good.txt": "0.1 0.2",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    for name, content in FILES.items():
        (made / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (made / "folder.csv").mkdir()
    return made


CONSTANT = "--constant 0.1 -n 5"
COSTS = "--cu 9 --co 1 --policy static --policy rolling"
REFUSED = [
    (f"regret {CONSTANT}", "give either --q, or --cu and --co"),
    (f"regret --q 0.9 --cu 9 --co 1 {CONSTANT}", "give either --q, or --cu and --co"),
    (f"regret --q 0.9 --support 0 5 {CONSTANT}", "--support goes with --cu and --co"),
    (f"regret --cu 9 --co 1 --support nan 1 {CONSTANT}", "must be bounded"),
    (f"regret --cu 1e300 --co 1e300 --support 0 1e300 {CONSTANT}", "choose other units"),
    (f"regret --q nan {CONSTANT}", "q = 'nan'"),
    (f"regret --q 1/0 {CONSTANT}", "q = '1/0'"),
    (f"regret --q {'9' * 5000} {CONSTANT}", "q = '999"),
    ("regret --q 0.9 --constant 0.1 --drift 0.1 -n 5", "not --constant and --drift"),
    ("regret --q 0.9 --constant nan -n 5", "zeta = nan"),
    ("regret --q 0.9 --drift inf -n 5", "delta = inf"),
    ("regret --q 0.9 --drift -1 -n 5", "delta = -1.0"),
    ("regret --q 0.9 --constant 0.1 -n 0", "n = 0 must be an integer of at least 1"),
    ("regret --q 0.9 --constant 0.1 -n 99999999999999", "-n 99999999999999 is more than 10,000,000 past contexts"),
    (f"regret --q 0.9 --constant 0.1 -n {'9' * 50}", "which would not fit into memory"),
    (f"regret --q 0.9 --constant 0.1 -n {'9' * 5000}", "exceeded maximum size"),
    (f"regret --q 0.9 {CONSTANT} --rtol nan", "rtol = nan"),
    (f"regret --q 0.9 {CONSTANT} --policy knn:{'9' * 5000}", "--policy knn:9"),
    (f"regret --q 0.9 {CONSTANT} --policy kernel:[/red]:1", "--policy kernel:[/red]:1"),
    (f"regret --q 0.9 {CONSTANT} --policy \x1b[31m", "--policy [31m: unknown"),
    ("regret --q 0.9 --dissimilarities {good.txt} -n 2", "-n does not go with --dissimilarities"),
    *[
        (f"regret --q 0.9 --dissimilarities {{{name}}}", "not a list of numbers")
        for name in ("deep.json", "nested.json", "object.json", "digits.json", "words.txt")
    ],
    ("bound --q 0.9 --dissimilarities {blank.txt}", "there is nothing in it"),
    ("bound --q 0.9 --dissimilarities {constants.json}", "d[0] = nan"),
    ("regret --q 0.9 --dissimilarities {binary.txt}", "not a text file"),
    ("regret --q 0.9 --dissimilarities {folder.csv}", "Is a directory; name a readable file"),
    ("regret --q 0.9 --dissimilarities nul\0l", "null byte"),
    (f"mixture --q 0.9 {CONSTANT} --effective --k 3", "leave out --k"),
    (f"samples --q 0.9 {CONSTANT} --target nan%", "target = 'nan'"),
    ("paper list --q 0.5", "leave out --q and --out"),
    ("paper [red]", "[red]"),
    ("estimate {noid.csv} --item a", "--item 'a' needs a column of items"),
    ("estimate {words.csv}", "'y': not a number in 24 of 24 rows, as in row 2 ('many')"),
    ("estimate {wide.csv}", "'kind' holds 1e+308, beyond 1e+100"),
    ("estimate {blank.csv}", "there is nothing in column 'kind'"),
    *[
        (f"{command} {{{name}}} {options}", message)
        for command, options in (("estimate", ""), ("backtest", COSTS))
        for name, message in (
            ("header.csv", "there are no rows"),
            ("empty.csv", "is it a csv file?"),
            ("junk.csv", "is it a csv file?"),
            ("junk.parquet", "is it a parquet file?"),
            ("ragged.csv", "there are no rows"),
            ("twice.csv", "two columns are called 'y'; rename one"),
            ("infinite.csv", "'y': not a number in 24 of 24 rows, as in row 2 ('inf')"),
            ("folder.csv", "is a folder"),
            ("huge.csv", "'y' holds 1e+308, beyond 1e+100"),
        )
    ],
    (f"backtest {{repeated.csv}} {COSTS}", "two rows for 'a' on 2024-01-01"),
    (f"backtest {{nothing.csv}} {COSTS}", "no row has a demand that can be used; is it in column 'y'?"),
    (
        f"backtest {{negative.csv}} {COSTS}",
        "'y' holds '-1', below zero, in row 2; correct it, or say negative = 'clip' or 'drop'",
    ),
    (f"backtest {{today.csv}} {COSTS}", "'ds' holds 'today' and the like, which are not dates"),
    (f"backtest {{year.csv}} {COSTS}", "which are not dates"),
    (f"backtest {{endless.csv}} {COSTS}", "'ds' holds 'inf' and the like, which are not dates"),
    (f"backtest {{clock.csv}} {COSTS}", "'ds' holds '12:01:00' and the like, which are not dates"),
    ("backtest {good.csv} --cu 1e400 --co 1e400", "choose other units"),
    ("backtest {good.csv} --cu 5e-324 --co 1", "too far apart"),
    (f"backtest {{good.csv}} {COSTS} --refit-every 0", "refit_every = 0"),
    (f"backtest {{good.csv}} {COSTS} --test nan", "test = 'nan'"),
    (f"backtest {{good.csv}} {COSTS} --policy rolling:{'9' * 5000}", "is unknown"),
]
DONE = [
    "regret --q 0.9 --dissimilarities {bom.txt} --json",
    f"regret --q 1e-11 {CONSTANT}",
    "regret --q 0.5 --constant 0 -n 1",
    "regret --q 0.9 --constant 1e300 -n 3 --json",
    f"bound --q 0.99999999999 {CONSTANT} --json",
    f"regret --cu 1e100 --co 1e100 --support 0 1e90 {CONSTANT} --json",
    "paper list --json",
    f"backtest {{GOOD.CSV}} {COSTS} --json",
    f"backtest {{long.csv}} {COSTS}",
    f"backtest {{zero.csv}} {COSTS} --json",
    f"backtest {{latin.csv}} {COSTS}",
    f"backtest {{utf16.csv}} {COSTS} --json",
    f"backtest {{number.csv}} {COSTS} --policy linear --json",
    f"backtest {{zoned.csv}} {COSTS}",
    f"backtest {{blank.csv}} {COSTS} --policy linear",
    "estimate {good.csv} --context kind --json",
    "estimate {zero.csv} --context kind --json",
]


def run_in(capsys: pytest.CaptureFixture[str], folder: Path, line: str) -> tuple[int, str, str]:
    return run(capsys, *(str(folder / word[1:-1]) if word[:1] == "{" else word for word in line.split(" ") if word))


@pytest.mark.parametrize(("line", "message"), REFUSED, ids=[line[:60].replace("\0", "0") for line, _ in REFUSED])
def test_refused(capsys: pytest.CaptureFixture[str], folder: Path, line: str, message: str) -> None:
    code, out, err = run_in(capsys, folder, line)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert err.startswith("provend: ")
    assert len(err) < 600
    assert "\x1b" not in err


@pytest.mark.parametrize("columns", ["1", "80"])
@pytest.mark.parametrize("line", DONE)
def test_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, line: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = run_in(capsys, folder, line)
    assert code == 0
    assert "failed:" not in out
    assert all(one.startswith("provend: ") for one in err.splitlines())
    assert err == "" or ("--json" in line and "read as" in err)  # what was understood of a file
    if "--json" in line:
        json.loads(out, parse_constant=pytest.fail)
