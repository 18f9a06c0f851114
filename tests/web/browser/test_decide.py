"""Decide: from a file to orders, a row opened, another quantity kept, and everything taken along."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from openpyxl import load_workbook

import provend as pv
from two_items import CSV, DAYS, SALES, START, send

pytestmark = pytest.mark.slow

OWN_RISK = "tr.line td:nth-child(3)"


@pytest.fixture(scope="module")
def plan():
    """The same by the library, most money at risk first."""
    import pyarrow as pa

    days, items, demands = zip(*SALES, strict=True)
    rows = pv.plan(pa.table({"unique_id": items, "ds": days, "y": demands}), cu=9, co=1, horizon=2).to_pylist()
    return sorted(rows, key=lambda row: -row["guarantee"])


def test_empty_page_explains_itself(watched):
    page = watched.open("/decide")
    assert page.get_by_text("Drop a table of past demand here").is_visible()
    assert page.locator("#costs-step").is_hidden()
    watched.keep("decide-empty")
    assert watched.violations() == []


def test_orders_are_those_of_the_library_ranked_by_money_at_risk(watched, decided, plan):
    page = watched.open(decided)
    page.wait_for_selector("table.orders")
    lines = page.locator("tr.line")
    assert lines.count() == 4
    for i, row in enumerate(plan):
        cells = lines.nth(i).locator("td").all_inner_texts()
        assert float(cells[1]) == pytest.approx(row["order"], rel=1e-3)
        risk = float(cells[2].splitlines()[0])
        assert row["guarantee"] <= risk <= row["guarantee"] * 1.001
        assert cells[0].splitlines()[0] == row["unique_id"]
        assert "estimated" in cells[4]
        assert " of " in cells[5]
    code = page.locator("pre code")
    page.get_by_text("The same as Python, and as a command line").click()
    assert "pv.plan(" in code.nth(0).inner_text()
    assert "provend plan" in code.nth(1).inner_text()


def test_a_row_opens_in_place_and_back_closes_it(watched, decided):
    page = watched.open(decided)
    page.locator("button.open").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail .figure[data-drawn]")
    drawn = "document.querySelector('.detail .figure').data.flatMap(trace => trace.customdata.map(one => one[0]))"
    weights = sum(page.evaluate(drawn))
    assert weights == pytest.approx(100)
    page.locator("#quantity").fill("52")
    page.wait_for_selector(".two-tiles .tile")
    assert page.locator(".two-tiles .tile").count() == 3
    watched.keep("decide-detail")
    page.get_by_text("What am I looking at?").click()
    assert page.get_by_text("Each dot is a past day.").is_visible()
    assert watched.violations() == []
    page.go_back()
    page.wait_for_selector(".detail", state="detached")


def test_a_quantity_of_ones_own_is_kept_with_its_reason_and_in_the_download(watched, decided, plan):
    page = watched.open(decided)
    page.locator("button.open").first.click()
    page.locator("#quantity").fill("61")
    page.get_by_role("button", name="Keep my quantity").click()
    assert page.get_by_text("Please give a reason").is_visible()
    page.locator("#reason").fill("=a fair in town")
    page.get_by_role("button", name="Keep my quantity").click()
    page.get_by_text("yours, was").wait_for()
    seen = [demand for _, item, demand in SALES if item == plan[0]["unique_id"]]
    worst = max(9 * (max(seen) - 61), 61 - min(seen))  # of 61 whatever the past says, within the range seen
    own, total = (float(page.locator(where).first.inner_text().split()[0]) for where in (OWN_RISK, ".tile .value"))
    assert (
        plan[0]["guarantee"] < own <= (plan[0]["guarantee"] + 61 - plan[0]["order"]) * 1.001
    )  # one for each left over
    others = sum(row["guarantee"] for row in plan[1:])
    assert sum(row["guarantee"] for row in plan) <= total <= sum(row["guarantee"] for row in plan) * 1.001
    told, shown = page.locator(".from-own").inner_text(), page.locator(OWN_RISK).first.inner_text().split()[0]
    assert told.startswith("1 quantity of your own: usual cost about ")
    assert f"extra cost at worst {shown}, in place of " in told
    page.reload()
    page.get_by_text("yours, was").wait_for()
    assert page.locator("#reason").input_value() == "=a fair in town"
    page.wait_for_selector(".detail .figure[data-drawn]")
    page.wait_for_selector(".two-tiles .tile")
    watched.keep("decide-override")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8-sig"))))
    kept = [row for row in rows if row["override"]]
    assert len(rows) == 4
    assert [(float(row["override"]), row["override_reason"]) for row in kept] == [(61.0, "'=a fair in town")]
    assert [float(row["final_order"]) for row in rows] == [float(row["override"] or row["order"]) for row in rows]
    assert sum(float(row["final_guarantee"]) for row in rows) == pytest.approx(others + worst)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download Excel").click()
    sheet = load_workbook(io.BytesIO(saved.value.path().read_bytes())).active
    assert sheet.max_row == 5
    page.get_by_role("button", name="Go back to the order worked out").click()
    page.get_by_text("yours, was").wait_for(state="detached")
    assert page.locator(".from-own").count() == 0


def test_items_without_past_days_have_one_line_at_the_end(watched):
    page = watched.open("/decide")
    send(page, CSV + f"{START + timedelta(days=DAYS - 1)},a new one,5\n")
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    page.locator("#lo").evaluate("one => { one.closest('details').open = true; }")
    page.locator("#lo").fill("0")
    page.locator("#hi").fill("100")
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)
    lines = page.locator("tr.line")
    assert lines.count() == 15
    assert lines.locator(".item").all_inner_texts().index("a new one") == 14
    assert "usual cost of the 14 orders decided on past days" in page.locator(".tile").nth(1).inner_text()
    texts = lines.nth(14).locator("td").all_inner_texts()
    assert "7 days, Mon 16 Mar 2026 to Sun 22 Mar 2026" in texts[0]
    assert texts[1].split()[0] == "90"
    assert texts[2].split()[0] == "630"  # of ninety each, as far as the range of demand goes
    lines.nth(14).locator("button.open").click()
    assert lines.count() == 22
    page.locator("#sort").select_option("item")
    assert lines.locator(".item").first.inner_text() == "a new one"
    watched.keep("decide-group")


def test_whole_units_are_one_press_away(watched, decided):
    page = watched.open(decided)
    page.get_by_role("button", name="Order whole units").click()
    page.get_by_role("button", name="Order whole units").wait_for(state="detached")
    page.wait_for_selector("table.orders", timeout=120_000)
    orders = [float(text) for text in page.locator("tr.line td:nth-child(2)").all_inner_texts()]
    assert len(orders) == 4
    assert all(order == round(order) for order in orders)
    assert page.locator("#pack").input_value() == "1"


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_a_button_to_copy_covers_no_line(watched, decided, width):
    page = watched.open(decided)
    page.set_viewport_size({"width": width, "height": 900})
    page.get_by_text("The same as Python, and as a command line").click()
    for code in page.locator(".code").all():
        button, lines = code.locator("button").bounding_box(), code.locator("pre").bounding_box()
        beside = lines["x"] + lines["width"] <= button["x"] or button["y"] + button["height"] <= lines["y"]
        assert beside, width


def test_a_badge_explains_itself_on_hover_on_focus_and_at_a_touch(watched, decided):
    page = watched.open(decided)
    badge, tip = page.locator(".rests button.badge").first, page.locator("#tip")
    badge.hover()
    tip.wait_for()
    assert "It is what the data suggest, not a proof." in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    badge.focus()
    assert tip.is_visible()
    box, room = tip.bounding_box(), page.viewport_size
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= room["width"]
    page.locator("h1").click()
    assert tip.is_hidden()
    badge.click()
    assert tip.is_visible()
    assert page.locator("tr.detail").count() == 0  # the row itself is not opened by it
    page.screenshot(path="artefacts/decide-tip.png")
    assert watched.violations() == []
    assert tip.is_visible()
