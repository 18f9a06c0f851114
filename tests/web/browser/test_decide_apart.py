"""Decide: what orders are put together from, what their guarantee says, and numbers as the table writes them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import provend as pv
from two_items import CSV, SALES, send

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(5)
SHELF = RNG.choice([20, 30, 45], 70)
BREAD = [(day, min(demand, stock), stock) for (day, _, demand), stock in zip(SALES[:70], SHELF + 10, strict=True)]
CUT = "date,demand,shelf,out\n" + "".join(
    f"{day},{sold},{stock},{'yes' if sold == stock else 'no'}\n" for day, sold, stock in BREAD
)


def fill(page, **values):
    for name, value in values.items():
        field = page.locator(f"#{name}")
        field.evaluate("one => { const fold = one.closest('details'); if (fold) fold.open = true; }")
        field.fill(value)


def worked_out(page):
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)


def opened(page):
    page.locator("button.open").first.click()
    page.wait_for_selector(".detail .figure[data-drawn]")


def number(text):
    return float(re.search(r"[\d.]+", text.replace(",", "")).group())


def take(page, name, role):
    page.get_by_label(name, exact=True).select_option(role)
    page.wait_for_url(f"**{role}**")


def test_past_stock_is_named_among_the_columns_and_its_part_of_the_guarantee_is_told(watched):
    page = watched.open("/decide")
    send(page, CUT)
    page.get_by_text("What each column was taken for").click()
    take(page, "out", "sold_out")
    fill(page, cu="3", co="1", horizon="1")
    page.locator("#go").click()
    page.get_by_text("One column says which days sold out, but none how much was there on the others.").wait_for()
    take(page, "shelf", "stock_seen")
    page.get_by_text("past stock in shelf, days that sold out in out").wait_for()
    assert page.get_by_text("Not used:").count() == 0  # they are no contexts
    page.locator("#go").click()
    page.get_by_text("Please give the range of demand: sales that ended with an empty shelf").wait_for()
    assert page.evaluate("document.activeElement.id") == "lo"
    page.get_by_text("Did you sell out on some days?").click()
    watched.keep("decide-shelf-asked")
    fill(page, lo="0", hi="90", lead_time="2")
    page.locator("#go").click()
    page.get_by_text("cannot be added up over several days").wait_for()
    fill(page, lead_time="", horizon="1")
    page.locator("#model").select_option("pooled")
    page.locator("#go").click()
    page.get_by_text("each item is decided on its own days. Please do not").wait_for()
    page.locator("#model").select_option("auto")
    page.locator("#dissimilarity").select_option("certified")
    page.locator("#go").click()
    page.get_by_text("please choose “learned from all past demand” or").wait_for()
    page.locator("#dissimilarity").select_option("auto")
    worked_out(page)
    page.reload()  # the address holds all of it
    page.wait_for_selector("table.orders")
    (row,) = pv.plan(
        pv.read_sales(_table()).table, cu=3, co=1, support=(0, 90), stock_seen="shelf", sold_out="out"
    ).to_pylist()
    cells = page.locator("tr.line td").all_inner_texts()
    assert float(cells[1]) == pytest.approx(row["order"], rel=1e-3)
    assert row["guarantee"] <= number(cells[2]) <= row["guarantee"] * 1.001
    assert "assumed" in cells[4]
    opened(page)
    told = page.locator(".detail .notice").first.inner_text()
    apart = re.match(r"([\d.]+) of the extra cost of ([\d.]+) at worst, (\d+)", told)
    part, whole, share = (float(one) for one in apart.groups())
    assert f"{share:.0f} % of the guarantee is due to never having had more" in row["message"]
    assert part / whole == pytest.approx(share / 100, abs=0.006)
    page.get_by_text("The same as Python, and as a command line").click()
    assert "stock_seen='shelf', sold_out='out'" in page.locator("pre code").nth(0).inner_text()
    assert "--stock-seen shelf --sold-out out" in page.locator("pre code").nth(1).inner_text()
    watched.unfold()
    parts = [
        [cell.inner_text() for cell in line.locator("th, td").all()] for line in page.locator(".apart tbody tr").all()
    ]
    assert sum(float(cells[2]) for cells in parts[:-1]) == pytest.approx(float(parts[-1][2]), rel=0.01)
    assert parts[-2][1] == "never in stock"
    watched.keep("decide-shelf")


def _table():
    import pyarrow as pa

    rows = [line.split(",") for line in CUT.splitlines()]
    return pa.table(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True)))


def test_an_order_for_several_days_opens_into_periods_and_what_is_subtracted(watched):
    page = watched.open("/decide")
    send(page, CSV)
    fill(page, cu="9", co="1", stock="30", lead_time="2")
    worked_out(page)
    assert "these days is" in page.locator(".guarantee .say").inner_text()
    opened(page)
    page.wait_for_selector(".shares[data-drawn]")
    rows = [
        [cell.inner_text() for cell in line.locator("th, td").all()] for line in page.locator(".apart tbody tr").all()
    ]
    *classes, mean, stock, order = rows
    assert [int(one[1]) for one in classes] == [23, 23, 22]  # of 68 periods of three days in 70
    assert number(mean[2]) == pytest.approx(sum(number(one[2]) for one in classes) / 3, rel=1e-3)
    assert (stock[0], number(stock[2])) == ("less what is in stock or on order", 30)
    assert number(order[2]) == pytest.approx(number(mean[2]) - 30, abs=0.06)
    assert page.locator("tr.line td:nth-child(2)").first.inner_text().split()[0] == order[2]
    watched.unfold()
    watched.keep("decide-periods")


def test_what_the_guarantee_says_has_the_numbers_of_the_first_order(watched, decided):
    page = watched.open(decided)
    page.wait_for_selector("table.orders")
    first = page.locator("tr.line td").all_inner_texts()
    item, date = first[0].splitlines()[:2]
    said = page.locator(".guarantee .say").inner_text()
    assert said.startswith(f"Order {first[1].splitlines()[0]} of {item} for {date}. ")
    assert f"on average at most {first[2].splitlines()[0]} more than the best order of somebody who knows" in said
    page.get_by_text("What is guaranteed, and what is not").click()
    text = page.locator(".guarantee").inner_text()
    assert "was estimated from past demand: it is likely, not proved" in text
    assert "Demand stays in the range it has had so far." in text
    assert watched.violations() == []


def test_words_that_need_it_are_explained_beside_them(watched, decided):
    page = watched.open(decided)
    page.wait_for_selector("table.orders")
    assert "brought to its level" not in page.locator("table.orders").inner_text()
    page.get_by_role("button", name="share of that without data").hover()
    assert "Compared with ordering without data" in page.locator("#tip").inner_text()
    page.locator("tr.line button.term").first.hover()
    page.get_by_text("Past demand is first moved to the level expected").wait_for()
    assert page.locator("tr.detail").count() == 0
    page.get_by_text("What do the columns of the file mean?").click()
    assert page.get_by_text("so many days that all count alike would say as much").is_visible()
    page.keyboard.press("Escape")
    watched.keep("decide-words")


def test_numbers_are_written_as_in_the_table(watched):
    german = "Datum;Artikel;Absatz\n" + "".join(f"{d:%d.%m.%Y};{item};{y * 100},5\n" for d, item, y in SALES)
    page = watched.open("/decide")
    send(page, german.replace("4000,5", ""))  # a row without demand is set aside, and its date told
    fill(page, cu="9,5", co="1", horizon="1")
    worked_out(page)
    order, risk = (
        page.locator("tr.line td.n strong").first.inner_text(),
        page.locator(".tile .value").first.inner_text(),
    )
    assert re.fullmatch(r"\d\u202f\d{3}(,\d+)?", order)
    assert "." not in risk
    told = page.locator("table.orders").inner_text()
    assert re.search(r"No demand on \w{3} \d+ \w{3} 2026", told, re.IGNORECASE)
    assert not re.search(r"\d{4}-\d\d-\d\d|\d\.\d", told)
    opened(page)
    assert page.evaluate("document.querySelector('.detail .figure').layout.separators") == ",\u202f"
    watched.keep("decide-comma")
