"""Backtest: rules ticked, costs compared, an item drawn, files taken along."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta

import pyarrow as pa
import pytest

import provend as pv

pytestmark = pytest.mark.slow

START = date(2026, 1, 5)
ROWS = [
    (day, item, f"{day:%a}", base + (place * 7) % 11 + 15 * (place % 7 == 5))
    for item, base in (("bread", 40), ("cake", 9))
    for place, day in enumerate(START + timedelta(days=days) for days in range(126))  # five of each weekday are decided
]
CSV = "date,item,weekday,demand\n" + "".join(f"{day},{item},{name},{y}\n" for day, item, name, y in ROWS)
POLICIES = ["static", "same:weekday", "minimax"]


def test_only_what_the_calendar_knows_is_ticked_beforehand(watched):
    """Whether it sold out is known afterwards: a rule on such a column would look better than anybody can be."""
    page = watched.open("/backtest")
    ticked = {"Wochentag": True, "day of week": True, "Feiertag": True, "Ausverkauft": False, "promotion": False}
    rows = [f"{day},{item},{y}," + ",".join("ab"[(y + i) % 2] for i in range(len(ticked))) for day, item, _, y in ROWS]
    text = "\n".join(["date,item,demand," + ",".join(ticked), *rows, ""])
    page.locator("#file").set_input_files({"name": "sales.csv", "mimeType": "text/csv", "buffer": text.encode()})
    page.wait_for_selector("#policies input")
    assert {name: page.get_by_label(f"same {name}", exact=True).is_checked() for name in ticked} == ticked
    assert page.get_by_text("tick it if that is known before the day").count() == 2


@pytest.fixture(scope="module")
def finished(context, server):
    """The address of a backtest, run once through the page."""
    page = context.new_page()
    page.goto(f"{server}/backtest")
    page.locator("#file").set_input_files({"name": "sales.csv", "mimeType": "text/csv", "buffer": CSV.encode()})
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    for name in ("usual quantile", "linear regression", "boosted trees"):
        page.get_by_label(name, exact=True).uncheck()
    page.locator("#go").click()
    page.wait_for_selector(".headline", timeout=120_000)
    address = page.url.removeprefix(server)
    page.close()
    return address


def test_numbers_are_those_of_the_library(watched, finished):
    page = watched.open(finished)
    page.wait_for_selector(".headline")
    days, items, weekdays, demands = zip(*ROWS, strict=True)
    table = pa.table({"unique_id": items, "ds": days, "weekday": weekdays, "y": demands})
    summary = pv.backtest(table, cu=9, co=1, policies=POLICIES).summary.to_pylist()
    lines = page.locator("table.side tbody tr")
    assert [code.inner_text() for code in lines.locator("code").all()] == POLICIES
    for i, row in enumerate(summary):
        cells = lines.nth(i).locator("td").all_inner_texts()
        assert float(cells[0]) == pytest.approx(row["mean_cost"], rel=1e-3)
        assert cells[1] == f"{row['relative_cost']:.2f}"
    best = min(summary, key=lambda row: row["mean_cost"])
    saved = f"{100 * (1 - best['relative_cost']):.0f}\u00a0%"
    assert saved in page.locator(".headline").inner_text()


def test_pictures_items_and_axe(watched, finished):
    page = watched.open(finished)
    page.wait_for_function("() => document.querySelectorAll('.figure[data-drawn]').length === 3")
    page.locator("#item").select_option("cake")
    page.wait_for_url("**item=cake**")
    page.wait_for_function("() => Math.max(...[...document.querySelectorAll('.figure')].at(-1).data[0].y) < 40")
    watched.keep("backtest")
    watched.unfold()
    assert watched.violations() == []


OVERLAPS = """() => [...document.querySelectorAll('.figure')].flatMap(figure => {
    const boxes = [...figure.querySelectorAll('.xtick text')].map(one => one.getBoundingClientRect());
    boxes.sort((a, b) => a.left - b.left);
    return boxes.slice(1).filter((box, i) => box.left < boxes[i].right + 4).map(box => box.left);
})"""


def test_a_phone_has_as_many_marks_as_fit_also_after_it_is_turned(watched, finished):
    page = watched.open(finished)
    page.wait_for_function("() => document.querySelectorAll('.figure[data-drawn]').length === 3")
    for width in (390, 844, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_timeout(600)  # figures are drawn again
        assert page.evaluate(OVERLAPS) == [], width


def test_the_table_of_rules_fits_a_phone_whatever_a_column_is_called(watched):
    name = "Wochentag_der_Lieferung_an_die_Filiale"
    page = watched.open("/backtest")
    text = CSV.replace("weekday", name, 1)
    page.locator("#file").set_input_files({"name": "sales.csv", "mimeType": "text/csv", "buffer": text.encode()})
    page.locator("#cu").fill("9000")
    page.locator("#co").fill("1000")
    for rule in ("usual quantile", "linear regression", "boosted trees"):
        page.get_by_label(rule, exact=True).uncheck()
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#go").click()
    page.wait_for_selector(".headline", timeout=120_000)
    box = page.get_by_role("region", name="Rules side by side")
    assert box.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert watched.fits()
    box.screenshot(path="artefacts/backtest-long-name.png")


def test_the_same_weekday_is_a_rule_where_no_column_tells_it(watched):
    page = watched.open("/backtest")
    few = [(day, item, y) for day, item, _, y in ROWS if day < START + timedelta(days=70)]
    text = "date,item,demand\n" + "".join(f"{day},{item},{y}\n" for day, item, y in few)
    page.locator("#file").set_input_files({"name": "sales.csv", "mimeType": "text/csv", "buffer": text.encode()})
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    for rule in ("usual quantile", "linear regression", "boosted trees", "provend"):
        page.get_by_label(rule, exact=True).uncheck()
    assert page.get_by_label("same weekday", exact=True).is_checked()
    page.locator("#go").click()
    page.wait_for_selector(".headline", timeout=120_000)
    assert "same weekday" in page.locator(".headline").inner_text()
    assert page.get_by_text("What happened cannot be compared here").is_visible()  # in place of an empty picture
    page.wait_for_function("() => document.querySelectorAll('.figure[data-drawn]').length === 2")
    assert page.locator(".figure").count() == 2


def test_files(watched, finished):
    page = watched.open(finished)
    with page.expect_download() as saved:
        page.get_by_role("button", name="All orders as CSV").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8-sig"))))
    assert {row["policy"] for row in rows} == set(POLICIES)


def test_no_rule_is_no_backtest(watched, finished):
    page = watched.open(finished)
    page.wait_for_selector(".headline")
    for name in ("one quantity for good", "same weekday", "provend"):
        page.get_by_label(name, exact=True).uncheck()
    assert page.get_by_text("worked out for other choices").is_visible()
    page.locator("#go").click()
    assert page.get_by_text("Please tick at least one rule.").is_visible()
