"""Decide: what orders usually cost, what they can cost extra, costs in columns, and quantities of one's own."""

from __future__ import annotations

import re

import pytest

from two_items import CSV, SALES, send

pytestmark = pytest.mark.slow

PRICED = "date,item,demand,margin,cost,most\n" + "".join(
    f"{day},{item},{demand},{'2' if item == 'cake' else '1'},0.5,{'40' if item == 'cake' else '80'}\n"
    for day, item, demand in SALES
)


def number(text):
    return float(re.search(r"\d[\d.]*", text.replace(",", "")).group())


def worked_out(page, **fields):
    for name, value in fields.items():
        page.locator(f"#{name}").evaluate("one => { const fold = one.closest('details'); if (fold) fold.open = true; }")
        page.locator(f"#{name}").fill(value)
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)


def test_the_extra_cost_at_worst_is_told_apart_from_the_usual_cost(watched, decided):
    page = watched.open(decided)
    page.wait_for_selector("table.orders")
    first, second = page.locator(".tiles .tile").nth(0).inner_text(), page.locator(".tiles .tile").nth(1).inner_text()
    assert "extra cost at worst, on average" in first
    assert second.startswith("about ")
    assert "estimated from the past days that count" in second
    rows = [line.locator("td").all_inner_texts() for line in page.locator("tr.line").all()]
    assert number(second) == pytest.approx(sum(number(cells[3]) for cells in rows), rel=0.02)
    heads = page.locator("table.orders > thead th").all_inner_texts()
    assert heads[2].startswith("Extra cost at worst")
    assert heads[3].startswith("Usual cost")
    page.get_by_role("button", name="Usual cost").hover()
    assert "An estimate from the past, not a promise" in page.locator("#tip").inner_text()
    page.keyboard.press("Escape")
    assert "at risk" not in page.locator("main").inner_text()
    assert "Usually it costs about " in page.locator(".guarantee .say").inner_text()
    page.locator("button.open").first.click()
    page.locator("#quantity").fill(rows[0][1].splitlines()[0])
    panel = page.locator(".two-tiles").inner_text()
    assert f"about {rows[0][3].strip()}" in panel
    extra, share = rows[0][2].splitlines()[:2]
    assert extra in panel  # the same facts have the same numbers
    assert share.replace("\u00a0", " ") in panel.replace("\u00a0", " ")
    watched.keep("decide-costs")


def test_the_order_typed_again_keeps_its_guarantee_and_another_has_a_guide(watched, decided):
    page = watched.open(decided)
    page.locator("button.open").first.click()
    cells = page.locator("tr.line").first.locator("td").all_inner_texts()
    order, extra = cells[1].splitlines()[0], cells[2].splitlines()[0]
    page.locator("#quantity").fill(order)
    page.get_by_text("This is the order worked out: its guarantee holds.").wait_for()
    total = page.locator(".tile .value").first.inner_text()
    page.locator("#reason").fill("as proposed")
    page.get_by_role("button", name="Keep my quantity").click()
    page.get_by_text("Kept:").wait_for()
    assert page.locator("tr.line").first.locator("td").nth(2).inner_text().splitlines()[0] == extra
    assert page.locator(".from-own").count() == 0
    page.locator("#quantity").fill(str(float(order) + 10))
    page.get_by_text("This is the order worked out").wait_for(state="detached")
    tiles = page.locator(".two-tiles .tile").all_inner_texts()
    usual, guide, whatever = (number(text) for text in tiles)
    assert "usual cost" in tiles[0]
    assert "as a guide" in tiles[1]
    assert "nothing at all is assumed" in tiles[2]
    assert number(extra) < guide <= (number(extra) + 10) * 1.001  # ten left over cost ten
    page.get_by_role("button", name="Keep my quantity").click()
    page.locator(".from-own").wait_for()
    assert page.locator(".tile .value").first.inner_text() == total  # of the orders as proposed
    assert "as proposed" in page.locator(".tile").first.inner_text()
    told = page.locator(".from-own").inner_text()
    assert f"extra cost at worst {tiles[1].splitlines()[0]}, in place of {extra}, as a guide" in told
    assert f"up to {tiles[2].splitlines()[0]} more than the best" in told
    assert "as a guide" in page.locator("tr.line").first.locator("td").nth(2).inner_text()
    assert usual > 0
    assert whatever >= guide
    watched.keep("decide-own")


def test_costs_and_the_range_may_be_columns(watched):
    page = watched.open("/decide")
    send(page, PRICED)
    page.locator("#cu").fill("profit")
    page.locator("#co").fill("cost")
    page.locator("#go").click()
    told = page.locator("#cu-doubt")
    told.wait_for()
    assert told.inner_text() == "“One unit short costs” takes a number, or the name of a column: margin, cost, most."
    assert page.locator("#cu").get_attribute("aria-invalid") == "true"
    page.locator("#cu").fill("margin")
    assert page.locator("#cu-doubt").count() == 0
    assert page.get_by_text("Costs are in columns").is_visible()
    page.locator("#lo").evaluate("one => { one.closest('details').open = true; }")
    page.get_by_text("Left empty: for each item, as far as its own demand has gone").wait_for()
    with page.expect_request("**/api/decide") as asked:
        worked_out(page, lo="0", hi="most", horizon="1")
    sent = asked.value.post_data_json
    assert (sent["cu"], sent["co"], sent["support"]) == ("margin", "cost", [0, "most"])
    assert page.get_by_text("Not used:").count() == 0  # costs are no contexts
    without = [number(text) for text in page.locator("tr.line td:nth-child(3) .sub").all_inner_texts()]
    assert len(without) == 2
    watched.keep("decide-columns")


def test_a_number_that_could_be_two_is_asked_about_at_its_field(watched):
    page = watched.open("/decide")
    send(page, CSV)
    page.locator("#cu").fill("1.000")
    page.locator("#co").fill("0,80 €")
    page.locator("#cu-doubt").wait_for()  # as soon as the field is left
    said = page.locator("#cu-doubt").inner_text()
    assert said == "1.000 can be read in two ways: please write 1000 for the large number, or 1 for the small one."
    page.locator("#go").click()
    assert page.evaluate("document.activeElement.id") == "cu"
    with page.expect_request("**/api/decide") as asked:
        worked_out(page, cu="1.200,50", horizon="1")
    assert (asked.value.post_data_json["cu"], asked.value.post_data_json["co"]) == (1200.5, 0.8)
    page.locator("button.open").first.click()
    page.locator("#quantity").fill("1.200")
    page.get_by_text("1.200 can be read in two ways").wait_for()


def test_results_are_gone_to_and_say_when_they_are_out_of_date(watched):
    page = watched.open("/decide")
    send(page, CSV)
    for name, value in {"horizon": "2", "cu": "9", "co": "1"}.items():
        page.locator(f"#{name}").fill(value)
    page.locator("#co").press("Enter")  # by the keyboard alone
    page.wait_for_function("() => document.activeElement.id === 'step-orders'")
    heading, room = page.locator("#step-orders").bounding_box(), page.viewport_size
    assert 0 <= heading["y"] < room["height"] / 2
    strong = "document.querySelector('tr.line td.n strong')"
    colour = f"() => getComputedStyle({strong}).color"
    before = page.evaluate(colour)
    page.locator("#cu").fill("8")
    assert page.evaluate(colour) != before
    page.locator("#cu").fill("9")
    assert page.evaluate(colour) == before
    page.reload()  # nobody asked just now: nothing moves
    page.wait_for_selector("table.orders")
    assert page.evaluate("document.activeElement.id") != "step-orders"


def test_tabs_keep_the_table_and_where_they_were_left(watched):
    page = watched.open("/decide")
    send(page, CSV)
    worked_out(page, cu="9", co="1", horizon="2")
    orders = page.locator("tr.line td.n strong").all_inner_texts()
    page.get_by_role("link", name="Backtest").click()
    page.get_by_text("140 rows of 2 items").wait_for()
    page.wait_for_selector("#policies input")
    assert page.locator("#cu").input_value() == "9"
    page.get_by_role("link", name="Explore").click()
    page.wait_for_url("**/explore**")
    page.get_by_role("link", name="Decide", exact=True).first.click()
    page.wait_for_selector("table.orders")
    assert page.locator("tr.line td.n strong").all_inner_texts() == orders
    page.get_by_role("button", name="Another file").click()
    page.get_by_role("link", name="Backtest").click()
    page.get_by_text("Drop a table of past demand here").wait_for()


def test_on_a_phone_the_quantity_comes_before_the_pictures_and_no_tile_is_alone(watched, decided):
    page = watched.open(decided)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("button.open").first.click()
    page.wait_for_selector(".detail .figure[data-drawn]")
    quantity, figure = page.locator("#quantity").bounding_box(), page.locator(".detail .figure").first.bounding_box()
    assert quantity["y"] < figure["y"]
    boxes = [tile.bounding_box() for tile in page.locator("main > section .tiles").first.locator(".tile").all()]
    rows = [sum(box["width"] for box in boxes if box["y"] == one["y"]) for one in boxes]
    assert min(rows) > 300  # every row of tiles is full
    assert watched.fits()
    page.get_by_text("What each column was taken for").click()
    lines = "[...document.querySelectorAll('.sample .whole')].map(one => one.getClientRects().length)"
    assert set(page.evaluate(lines)) == {1}  # no date is broken


def test_quantities_of_ones_own_are_not_lost_with_new_orders(watched, decided):
    page = watched.open(decided)
    page.locator("button.open").first.click()
    page.locator("#quantity").fill("61")
    page.locator("#reason").fill("a fair in town")
    page.get_by_role("button", name="Keep my quantity").click()
    page.get_by_text("yours, was").wait_for()
    page.get_by_role("button", name="Order whole units").click()
    page.get_by_text("1 quantity of your own stayed with the orders before").wait_for(timeout=120_000)
    assert page.get_by_text("yours, was").count() == 0
    page.go_back()
    page.get_by_text("yours, was").wait_for()
