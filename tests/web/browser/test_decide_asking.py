"""Decide: what the page asks for, reads and refuses before there are orders."""

from __future__ import annotations

from datetime import timedelta

import pytest

from two_items import CSV, DAYS, SALES, START, send

pytestmark = pytest.mark.slow


def test_packs_and_stock_are_numbers_or_columns(watched):
    there = {"bread": 12, "cake": 3}
    rows = [f"{day},{item},{demand},{there[item]}\n" for day, item, demand in SALES]
    page = watched.open("/decide")
    send(page, "date,item,demand,there\n" + "".join(rows))
    page.get_by_text("Packs, stock and lead time").click()
    for name, value in {"cu": "9", "co": "1", "pack": "6", "stock": "shelf"}.items():
        page.locator(f"#{name}").fill(value)
    page.locator("#go").click()
    page.get_by_text("“In stock now” takes a number, or the name of a column: there.").wait_for()
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
    page.get_by_text("1,250 can be read in two ways: please write 1250 for the large number, or 1,25 for").wait_for()
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


def test_items_that_only_the_second_file_has_are_doubted(watched):
    page = watched.open("/decide")
    send(page, PROMOTED)
    page.get_by_role("radio", name="Days in a file").check()
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    other = f"item,date,promotion\nBread ,{NEXT[0]},yes\nrolls,{NEXT[0]},perhaps\n"
    page.locator("#ahead-file").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": other.encode()})
    page.get_by_text("2 items have no past demand, such as “Bread”, which looks like “bread”").wait_for()
    page.locator("#go").click()
    page.get_by_text("'Bread' looks like 'bread'").wait_for(timeout=120_000)
    watched.keep("decide-strangers")
    page.get_by_label("These items are new").check()
    page.locator("#go").click()
    page.get_by_text("1 item has no history: 'rolls'.").wait_for(timeout=120_000)
    page.get_by_text("'Bread' is not in the history, but 'bread' is: decided as a new item.").wait_for()
    page.get_by_text("Promotion: 'perhaps' was never seen; seen: no, yes (1 target)").wait_for()
    page.reload()
    page.wait_for_selector("table.orders")
    assert page.get_by_label("These items are new").is_checked()
    watched.keep("decide-new-items")


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
