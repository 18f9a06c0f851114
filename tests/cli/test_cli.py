"""The command line as a user meets it: real processes for exit codes and imports, in-process for the rest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import provend as pv
from commands import run
from provend.cli import main
from provend.datasets import load_restaurant

DRIFT = ("--q", "0.9", "--drift", "0.001", "-n", "100")


def test_regret_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "regret", *DRIFT, "--policy", "knn:27", "--json")
    result = json.loads(out)
    expected = pv.worst_case_regret(pv.KNN(27), pv.drift(0.001, 100), q=0.9)
    assert (code, err) == (0, "")
    assert (result["lower"], result["upper"]) == (expected.lower, expected.upper)
    assert result["worst_case"]["side"] == "high"
    assert len(result["worst_case"]["history"]) == result["n"] == 100
    assert result["percent_of_no_data"] == expected.percent_of_no_data


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("erm", pv.ERM()),
        ("exp:0.9", pv.Exponential(0.9)),
        ("kernel:triangular:0.05", pv.Kernel("triangular", 0.05)),
        ("order:8", pv.OrderStatistic(8)),
        ("no-data", pv.NoData()),
    ],
)
def test_policies_by_name(capsys: pytest.CaptureFixture[str], name: str, policy: pv.Policy) -> None:
    _, out, _ = run(capsys, "regret", "--q", "0.9", "--drift", "0.01", "-n", "10", "--policy", name, "--json")
    assert json.loads(out)["upper"] == pv.worst_case_regret(policy, pv.drift(0.01, 10), q=0.9).upper


def test_money(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(
        capsys, "regret", "--cu", "9", "--co", "1", "--support", "0", "50", "--constant", "0.1", "-n", "5", "--json"
    )
    assert (
        json.loads(out)["upper"]
        == pv.worst_case_regret(pv.ERM(), pv.constant(0.1, 5), q=pv.Newsvendor(9, 1, (0, 50))).upper
    )


@pytest.mark.parametrize("text", ["0.1\n0.2\n0.05\n", "[0.1, 0.2, 0.05]"])
def test_dissimilarities_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    file = tmp_path / "d.txt"
    file.write_text(text)
    _, out, _ = run(capsys, "regret", "--q", "1/2", "--dissimilarities", str(file), "--json")
    assert json.loads(out)["upper"] == pv.worst_case_regret(pv.ERM(), [0.1, 0.2, 0.05], q="1/2").upper


def test_people_see_a_table_and_a_chart(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "regret", *DRIFT, "--policy", "knn:27")
    assert code == 0
    assert "0.01352 " in out
    assert "0.013519616 to 0.013519617" in out
    assert "█" in out
    code, out, _ = run(capsys, "curve", "--q", "0.9", "--constant", "0.1", "-n", "30")
    assert code == 0
    assert "best at n = 16" in out


@pytest.mark.slow
def test_curve_samples_and_tune_json(capsys: pytest.CaptureFixture[str]) -> None:
    curve = json.loads(run(capsys, "curve", *DRIFT, "--json")[1])
    assert curve["best"] == 37
    assert len(curve["n"]) == len(curve["lower"]) == len(curve["upper"]) == 100
    samples = json.loads(
        run(capsys, "samples", "--q", "0.9", "--constant", "0.04", "-n", "60", "--target", "25%", "--json")[1]
    )
    assert (samples["first"], samples["stays_from"], samples["limit"]) == (27, None, 0.04)
    tuned = json.loads(run(capsys, "tune", *DRIFT, "--json")[1])
    assert tuned["parameter"] == 37
    assert tuned["certified"] is True
    assert len(tuned["table"]) == 100


def test_mixture_and_bound_json(capsys: pytest.CaptureFixture[str]) -> None:
    constant = ("--q", "0.9", "--constant", "0.1", "-n", "15")
    mixture = json.loads(run(capsys, "mixture", *constant, "--json")[1])
    assert mixture["guarantee"]["upper"] == pytest.approx(0.05, abs=1e-9)
    assert mixture["lower_bound_any_policy"] == pytest.approx(0.05, abs=1e-9)
    adjacent = json.loads(run(capsys, "mixture", *constant, "--ranks", "adjacent", "--effective", "--json")[1])
    assert (adjacent["k"], adjacent["indistinguishable"]) == (15, [15])
    bound = json.loads(run(capsys, "bound", *constant, "--json")[1])
    exact = pv.worst_case_regret(pv.ERM(), pv.constant(0.1, 15), q=0.9).upper
    assert bound["lower_bound"] <= bound["worst_case_regret"] == exact <= bound["wasserstein_bound"]
    assert bound["worst_case_regret"] <= bound["concentration_bound"]
    for command in ("mixture", "bound"):
        assert run(capsys, command, *constant)[0] == 0


def test_service_json_and_table(capsys: pytest.CaptureFixture[str]) -> None:
    level = pv.service_level(pv.KNN(27), pv.drift(0.001, 100), q=0.9)
    drift = ("service", "--drift", "0.001", "-n", "100")
    found = json.loads(run(capsys, *drift, "--policy", "knn:27", "--q", "0.9", "--json")[1])
    assert found["worst"] == {"lower": level.worst.lower, "upper": level.worst.upper}
    assert found["best"] == {"lower": level.best.lower, "upper": level.best.upper}
    constant = ("service", "--constant", "0.02", "-n", "120", "--target", "95%", "--confidence", "0.95")
    found = json.loads(run(capsys, *constant, "--json")[1])
    assert (found["rank"], found["k"], found["samples"], found["confidence"]) == (99, 99, 99, 0.95)
    code, out, _ = run(capsys, *constant)
    assert code == 0
    assert "rank 99 of the 99 nearest" in out
    assert "█" in out
    assert "order:3" in run(capsys, *drift, "--policy", "order:3")[1]


def test_minimax_json_and_as_a_policy(capsys: pytest.CaptureFixture[str]) -> None:
    drift = ("--q", "0.9", "--drift", "0.02", "-n", "20")
    found = json.loads(run(capsys, "minimax", *drift, "--json")[1])
    assert found["lower_bound"] <= found["guarantee"]["upper"]
    assert found["gap"] <= 1e-3
    assert sum(found["weights"]) == pytest.approx(100)
    regret = json.loads(run(capsys, "regret", *drift, "--policy", "minimax", "--json")[1])
    assert regret["upper"] == pytest.approx(found["guarantee"]["upper"], rel=1e-4)
    assert run(capsys, "minimax", *drift)[0] == 0
    worth = json.loads(run(capsys, "minimax", *drift, "--new", "0", "--new", "0", "--json")[1])
    assert worth["guarantee_with_new"] < worth["guarantee"]["upper"]
    assert "worst-case regret with 1 more" in run(capsys, "minimax", *drift, "--new", "0")[1]


def test_demo_decides_on_real_demand(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "demo")
    assert code == 0
    assert "Prepare 46" in " ".join(out.split())
    assert "37 most similar days" in out
    assert "Orders for the week from 2015-11-08" in out
    assert sum(line.split()[1:2] == ["steak"] for line in out.splitlines()) == 1
    assert re.search(r"calamari, Sunday: (\d+): \d+ of \d+ comparable days needed at most \1, ", " ".join(out.split()))


BAD = [
    (("service", "--constant", "0.1", "-n", "9"), "give either --policy, whose service is wanted, or --target"),
    (("service", "--constant", "0.1", "-n", "9", "--policy", "erm"), "q is missing"),
    (("service", "--constant", "0.1", "-n", "9", "--target", "95%"), "these data cannot promise more than 80.0 %"),
    (("service", "--constant", "0.1", "-n", "9", "--target", "5%", "--q", "0.9"), "--q does not go with --target"),
    (("regret", "--q", "1.2", "--constant", "0.1", "-n", "5"), "q = '1.2' must lie strictly between 0 and 1"),
    (("regret", "--constant", "0.1", "-n", "5"), "give either --q, or --cu and --co"),
    (("regret", "--cu", "9", "--constant", "0.1", "-n", "5"), "--cu and --co go together"),
    (("regret", "--q", "0.9"), "give exactly one of --constant, --drift and --dissimilarities"),
    (("regret", "--q", "0.9", "--drift", "0.1"), "--drift needs -n"),
    (("regret", *DRIFT, "--policy", "knn:270"), "k = 270 exceeds the 100 past contexts"),
    (("regret", *DRIFT, "--policy", "knn:x"), "--policy knn:x"),
    (("regret", *DRIFT, "--policy", "magic"), "--policy magic: unknown; use erm, knn:K"),
    (("regret", "--q", "0.9", "--dissimilarities", "/nowhere/d.txt"), "name a readable file"),
    (("regret", *DRIFT, "--bogus"), "No such option"),
    (("nonsense",), "No such command"),
    (("tune", *DRIFT, "--family", "box"), "family = 'box' is unknown"),
    (("samples", *DRIFT, "--target", "-3"), "must be positive"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BAD, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_bad_input_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_the_command_is_installed() -> None:
    command = Path(sys.executable).parent / "provend"
    finished = subprocess.run([command, "regret", "--q", "2"], capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stderr.startswith("provend:")


@pytest.fixture
def restaurant(tmp_path: Path) -> Path:
    days = load_restaurant()
    columns = {"ds": days.dates.astype(str), "weekday": [f"day {k}" for k in days.weekdays]}
    tables = [pl.DataFrame({"unique_id": name, **columns, "y": days.demand[name]}) for name in ("steak", "fish")]
    pl.concat(tables).write_csv(tmp_path / "demand.csv")
    return tmp_path / "demand.csv"


def test_estimate(capsys: pytest.CaptureFixture[str], restaurant: Path) -> None:
    file = str(restaurant)
    found = json.loads(run(capsys, "estimate", file, "--item", "steak", "--json")[1])
    drift, weekday = found["scales"]
    assert weekday["part"] == "another weekday"
    assert weekday["lower"] < weekday["estimate"] < weekday["upper"]
    assert 0.1 < weekday["estimate"] < 0.5
    assert drift["estimate"] < 1e-3
    assert found["checks"]["estimate"]["worst"]["column"] == "weekday"
    code, out, _ = run(capsys, "estimate", file, "--item", "steak", "--context", "weekday")
    assert code == 0
    assert "another weekday" in out
    assert "per day" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "choose one with --item"),
        (("--item", "soup"), "'soup' is not in"),
        (("--demand", "sales"), "no column 'sales'"),
        (("--item", "fish", "--confidence", "1"), "confidence = 1.0"),
    ],
)
def test_estimate_refuses(
    capsys: pytest.CaptureFixture[str], restaurant: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, error = run(capsys, "estimate", str(restaurant), *arguments)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_version_and_short_help(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--version"])
    assert capsys.readouterr().out == f"provend {pv.__version__}\n"
    main(["regret", "-h"])
    assert "--policy" in capsys.readouterr().out
