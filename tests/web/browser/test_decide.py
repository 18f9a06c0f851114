"""Decide: from a file to orders, a row opened, another quantity kept, and everything taken along."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta

import pytest
from openpyxl import load_workbook

import provend as pv

pytestmark = pytest.mark.slow

DAYS = 70
OWN_RISK = "tr.line td:nth-child(3)"
START = date(2026, 1, 5)
SALES = [
    (START + timedelta(days=day), item, base + (day * 7 + 3 * len(item)) % 11 + 6 * ((START.weekday() + day) % 7 == 5))
    for item, base in (("bread", 40), ("cake", 9))
    for day in range(DAYS)
]
CSV = "date,item,demand\n" + "".join(f"{day},{item},{demand}\n" for day, item, demand in SALES)


def send(page, text, name="sales.csv"):
    page.locator("#file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})


@pytest.fixture(scope="module")
def decided(context, server):
    """The address of two items' orders for two days, worked out once through the page."""
    page = context.new_page()
    page.goto(f"{server}/decide")
    send(page, CSV)
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    page.locator("#horizon").fill("2")
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)
    address = page.url.removeprefix(server)
    page.close()
    return address


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
        assert "estimated" in cells[3]
        assert " of " in cells[4]
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
    assert worst <= own <= worst * 1.001
    others = sum(row["guarantee"] for row in plan[1:])
    assert others + worst <= total <= (others + worst) * 1.001
    told, shown = page.locator(".from-own").inner_text(), page.locator(OWN_RISK).first.inner_text().split()[0]
    assert told.startswith(f"of which {shown} from 1 quantity of your own")
    assert f"worked out it is {sum(row['guarantee'] for row in plan):.0f}"[:-1] in told
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


def test_packs_and_stock_are_numbers_or_columns(watched):
    there = {"bread": 12, "cake": 3}
    rows = [f"{day},{item},{demand},{there[item]}\n" for day, item, demand in SALES]
    page = watched.open("/decide")
    send(page, "date,item,demand,there\n" + "".join(rows))
    page.get_by_text("Packs, stock and lead time").click()
    for name, value in {"cu": "9", "co": "1", "pack": "6", "stock": "shelf"}.items():
        page.locator(f"#{name}").fill(value)
    page.locator("#go").click()
    page.get_by_text("“In stock now” takes a number, or one of the columns there.").wait_for()
    page.locator("#stock").fill("there")
    assert page.get_by_text("Not used: there.").count() == 0
    page.locator("#horizon").fill("3")  # by hand, though only the next order can be decided
    page.locator("#go").click()
    page.get_by_text("Please set “How many” to 1").wait_for()
    page.locator("#horizon").fill("1")
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)
    page.reload()  # the address holds all of it
    page.wait_for_selector("table.orders")
    assert page.locator("#stock").input_value() == "there"
    cells = page.locator("tr.line td:nth-child(2)").all_inner_texts()
    assert {float(cell.split()[0]) % 6 for cell in cells} == {0}
    assert [cell.splitlines()[1] for cell in cells] == ["on top of 12", "on top of 3"]
    page.locator("button.open").first.click()
    page.wait_for_selector(".shares[data-drawn]")
    assert page.get_by_text("Rounded at random to packs of 6 so that it is right on average").is_visible()
    page.locator("#quantity").fill("17")
    page.get_by_text("17 is not a whole number of packs of 6: the nearest are 12 and 18.").wait_for()
    page.get_by_text("The same as Python, and as a command line").click()
    watched.keep("decide-stock")
    page.locator("#quantity").fill("18")
    page.get_by_text("not a whole number of packs").wait_for(state="detached")


def test_stock_leaves_one_order_to_decide_and_says_so(watched):
    page = watched.open("/decide")
    send(page, CSV)
    page.get_by_text("Packs, stock and lead time").click()
    page.locator("#horizon").fill("5")
    page.locator("#pack").fill("6")
    assert page.locator("#horizon").input_value() == "5"
    page.locator("#stock").fill("7,5")
    assert page.locator("#horizon").input_value() == "1"
    assert page.get_by_text("Set to 1: with stock or lead times").is_visible()
    assert "horizon=1" in page.url
    page.locator("#stock").fill("")
    assert page.locator("#horizon").input_value() == "5"
    assert page.get_by_text("Set to 1: with stock or lead times").count() == 0
    page.locator("#lead_time").fill("2")
    assert page.locator("#horizon").input_value() == "1"
    page.get_by_role("radio", name="Days in a file").check()
    page.get_by_role("radio", name="The next days").check()
    assert page.locator("#horizon").input_value() == "1"


def test_decimal_commas_are_read_and_what_could_mean_two_numbers_is_not(watched):
    page = watched.open("/decide")
    send(page, CSV)
    page.get_by_text("Packs, stock and lead time").click()
    for name, value in {"cu": "4,5", "co": "0,5", "stock": "1,250"}.items():
        page.locator(f"#{name}").fill(value)
    page.locator("#go").click()
    page.get_by_text("1,250 can be read in two ways: write 1250 or 1.250.").wait_for()
    assert page.get_by_text("run short on about 10 days in 100").is_visible()
    page.locator("#stock").fill("7,5")
    with page.expect_request("**/api/decide") as asked:
        page.locator("#go").click()
    sent = asked.value.post_data_json
    assert (sent["cu"], sent["co"], sent["stock"], sent["horizon"]) == (4.5, 0.5, 7.5, 1)
    page.wait_for_selector("table.orders", timeout=120_000)
    page.locator("button.open").first.click()
    page.locator("#quantity").fill("-3")
    page.locator(".own").get_by_text("Please type a quantity of at least 0.").wait_for()
    with page.expect_request("**/what-if") as asked:
        page.locator("#quantity").fill("12,5")
    assert asked.value.post_data_json["quantity"] == 12.5
    page.get_by_text("Please type a quantity of at least 0.").wait_for(state="detached")


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_a_button_to_copy_covers_no_line(watched, decided, width):
    page = watched.open(decided)
    page.set_viewport_size({"width": width, "height": 900})
    page.get_by_text("The same as Python, and as a command line").click()
    for code in page.locator(".code").all():
        button, lines = code.locator("button").bounding_box(), code.locator("pre").bounding_box()
        beside = lines["x"] + lines["width"] <= button["x"] or button["y"] + button["height"] <= lines["y"]
        assert beside, width


PROMOTED = "date,item,demand,promotion\n" + "".join(
    f"{day},{item},{demand + 20 * (place % 4 == 0)},{'yes' if place % 4 == 0 else 'no'}\n"
    for place, (day, item, demand) in enumerate(SALES)
)
NEXT = [START + timedelta(days=DAYS + i) for i in range(2)]


def test_contexts_count_where_a_second_file_says_what_they_will_be(watched, tmp_path):
    page = watched.open("/decide")
    send(page, PROMOTED)
    page.get_by_text("Not used: promotion.").wait_for()
    page.get_by_role("radio", name="Days in a file").check()
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    page.locator("#go").click()
    page.get_by_text("Please choose the file of the days ahead").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download one to fill in").click()
    empty = saved.value.path().read_text(encoding="utf-8-sig")
    assert empty.splitlines()[:2] == ["item,date,promotion", f"bread,{NEXT[0]},"]
    watched.keep("decide-days")
    filled = "item,date,promotion\n" + f"bread,{NEXT[0]},yes\nbread,{NEXT[1]},no\n"
    chosen = {"name": "ahead.csv", "mimeType": "text/csv", "buffer": filled.encode()}
    page.locator("#ahead-file").set_input_files(chosen)
    page.get_by_text("Counted as contexts: promotion.").wait_for()
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)
    page.reload()  # the address holds all of it
    page.get_by_text("Counted as contexts: promotion.").wait_for()
    page.wait_for_selector("table.orders")
    quantities = [float(text) for text in page.locator("tr.line td:nth-child(2)").all_inner_texts()]
    assert max(quantities) > min(quantities) + 10
    page.get_by_text("The same as Python, and as a command line").click()
    assert "--targets ahead.csv --context promotion" in page.locator("pre code").nth(1).inner_text()
    watched.keep("decide-contexts")
    page.get_by_role("radio", name="The next days").check()
    page.get_by_text("worked out for other choices").wait_for()


def test_what_is_wrong_with_the_second_file_is_said_where_it_is_chosen(watched):
    watched.forgive("400")
    page = watched.open("/decide")
    send(page, PROMOTED)
    page.get_by_role("radio", name="Days in a file").check()
    page.locator("#ahead-file").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"x,y\n1,2\n"})
    notice = page.locator("#days-file").get_by_role("alert")
    notice.wait_for()
    assert "a.csv: there is no column 'item', which the history has" in notice.inner_text()
    watched.keep("decide-days-error")


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


def test_back_undoes_how_a_file_was_read_and_what_is_needed_stays(watched, decided):
    watched.forgive("400")
    page = watched.open(decided)
    page.get_by_text("What each column was taken for").click()
    page.get_by_label("item", exact=True).select_option("left out")
    page.get_by_text("`item` is the column of items and cannot be left out").wait_for()
    assert page.get_by_label("item", exact=True).input_value() == "item"
    page.locator("button.open").first.click()
    page.wait_for_selector(".detail")
    page.get_by_label("item", exact=True).select_option("category")
    page.wait_for_url("**columns**")
    page.go_back()
    page.wait_for_function("() => document.querySelector('#column-1')?.value === 'item'")


def test_what_can_be_read_in_two_ways_is_asked_for(watched):
    page = watched.open("/decide")
    send(page, "date,shop,qty,sold\n" + "".join(f"{1 + i:02}/06/2026,A,{5 + i},{6 + i}\n" for i in range(9)))
    page.get_by_text("Which column holds the demand?").wait_for()
    watched.keep("decide-question")
    assert watched.violations() == []
    page.get_by_label("qty").check()
    page.get_by_role("button", name="Read it this way").click()
    page.get_by_text("Which comes first in the dates?").wait_for()
    page.get_by_label("the month:").check()
    page.get_by_role("button", name="Read it this way").click()
    page.get_by_text("9 rows of 1 item, Tue 6 Jan 2026").wait_for()
    page.get_by_text("What each column was taken for").click()
    page.get_by_label("sold", exact=True).select_option("left out")
    page.wait_for_url("**left_out**")
    page.reload()
    page.get_by_text("9 rows of 1 item, Tue 6 Jan 2026").wait_for()
    page.get_by_text("What each column was taken for").click()
    assert page.get_by_label("sold", exact=True).input_value() == "left out"


def test_errors_are_sentences(watched):
    watched.forgive("400|404")
    page = watched.open("/decide")
    send(page, "\x00\x01not a table")
    notice = page.get_by_role("alert")
    notice.wait_for()
    assert "Traceback" not in notice.inner_text()
    watched.keep("decide-error")
    watched.open("/decide?file=forgotten&job=long-ago")
    page.get_by_role("alert").wait_for()
    assert page.locator("#file").count() == 1


def test_a_file_can_be_dropped_and_costs_are_asked_for_before_anything_is_sent(watched):
    page = watched.open("/decide")
    dropped = "text => { const d = new DataTransfer(); d.items.add(new File([text], 'sales.csv')); return d; }"
    page.dispatch_event(".drop", "drop", {"dataTransfer": page.evaluate_handle(dropped, CSV)})
    page.locator("#go").click()
    page.get_by_text("Please give both costs, above 0.").wait_for()
    assert page.evaluate("document.activeElement.id") == "cu"
    page.locator("#cu").fill("9")
    page.locator("#co").fill("0")
    page.locator("#go").click()
    assert page.evaluate("document.activeElement.id") == "co"
    assert "job=" not in page.url


def test_work_can_be_cancelled_by_keyboard_alone(watched):
    page = watched.open("/decide")
    page.locator("#restaurant").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#costs-step:not([hidden])")
    page.locator("#cu").focus()
    page.keyboard.press("Enter")  # costs of the example are there: Enter in a field starts the work
    stop = page.get_by_role("button", name="Cancel")
    stop.wait_for()
    watched.keep("decide-busy")
    stop.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Cancelled. Nothing was changed").wait_for()
    job = page.url.split("job=")[1].split("&")[0]
    state = page.evaluate("job => fetch(`/api/jobs/${job}`).then(answer => answer.json())", job)
    assert state["state"] == "cancelled"
