"""Explore: sliders move the answers, the address holds the state, errors are sentences."""

from __future__ import annotations

import pytest

import provend as pv

pytestmark = pytest.mark.slow

DRAWN = ".figure[data-drawn]"
DONE = "#answers[aria-busy=false]"


def shown_share(page):
    return page.locator(".tile .value").first.inner_text()


def test_numbers_are_those_of_the_library(watched):
    page = watched.open("/explore?cu=9&co=1&support=0,100&kind=drift&value=0.002&n=60&policies=erm,knn:27")
    page.wait_for_selector(DONE)
    problem, d = pv.Newsvendor(9, 1, (0, 100)), pv.drift(0.002, n=60)
    best = pv.minimax(d, q=problem)
    cells = page.locator("table.side tbody tr")
    rows = {cells.nth(i).locator("th").inner_text(): cells.nth(i).locator("td").all_inner_texts() for i in range(3)}
    for name, regret in {
        "the best rule": best.guarantee.upper,
        "all days alike": pv.worst_case_regret(pv.ERM(), d, q=problem).upper,
        "27 nearest days": pv.worst_case_regret(pv.KNN(27), d, q=problem).upper,
    }.items():
        cell = float(rows[name][0].splitlines()[0])
        assert regret <= cell <= regret * 1.001  # four digits, rounded up
    curve = pv.learning_curve(pv.ERM(), d, q=problem)
    assert rows["all days alike"][2].splitlines()[0] == str(curve.best)
    limit = float(page.locator(".tile .value").nth(2).inner_text())
    assert best.lower_bound * 0.999 <= limit <= best.lower_bound


def test_answers_follow_a_slider_and_the_address_follows_too(watched):
    page = watched.open("/explore")
    page.wait_for_selector(DONE)
    before = shown_share(page)
    page.locator("#q-slider").fill("0.6")
    page.wait_for_function("before => document.querySelector('.tile .value').textContent !== before", arg=before)
    assert "q=0.6" in page.url
    assert page.locator("#q").input_value() == "0.6"
    page.wait_for_selector(DONE)
    after = shown_share(page)
    page.reload()
    page.wait_for_selector(DONE)
    assert page.locator("#q-slider").input_value() == "0.6"
    assert shown_share(page) == after


def test_reset_is_in_view_and_goes_back_to_the_beginning(watched):
    page = watched.open("/explore?q=0.6&kind=constant&value=0.1&n=20")
    page.wait_for_selector(DONE)
    box = page.locator("#reset").bounding_box()
    assert box["y"] + box["height"] < page.viewport_size["height"]
    page.locator("#reset").click()
    page.wait_for_url("**/explore?q=0.9**")
    assert page.locator("#n").input_value() == "100"


def test_back_undoes_a_choice(watched):
    page = watched.open("/explore")
    page.wait_for_selector(DONE)
    page.get_by_role("radio", name="Alike").check()
    page.wait_for_url("**kind=constant**")
    page.go_back()
    page.wait_for_url("**/explore")
    assert page.locator("input[name=kind]:checked").get_attribute("value") == "drift"


def test_pasted_dissimilarities_and_what_is_wrong_with_them(watched):
    watched.forgive("400")
    page = watched.open("/explore?kind=given&d=0.02,0.03,0.2&policies=erm")
    page.wait_for_selector(DONE)
    page.locator("#d").fill("0.02, 0.03, two")
    notice = page.get_by_role("alert")
    notice.wait_for()
    assert "'two' is not a number" in notice.inner_text()
    watched.keep("explore-error")
    page.locator("#d").fill("0.02 0.03\n0.04")
    notice.wait_for(state="detached")
    assert "d=0.02,0.03,0.04" in page.url


def test_policies_side_by_side_can_be_hidden_in_the_picture(watched):
    page = watched.open("/explore?policies=erm,knn:9&n=40")
    page.wait_for_selector(DONE)
    page.wait_for_selector(DRAWN)
    page.get_by_label("Fading by a factor", exact=True).check()
    page.locator("table.side").get_by_text("fading by 0.95").wait_for()
    page.wait_for_selector(DONE)
    entry = page.locator(".legend button", has_text="9 nearest days")
    entry.click()
    page.wait_for_selector(".legend button[aria-pressed=false]")
    hidden = "document.querySelector('.figure').data.filter(trace => trace.visible === false).map(trace => trace.name)"
    assert page.evaluate(hidden) == ["9 nearest days"]


def test_by_keyboard_alone(watched):
    page = watched.open("/explore")
    page.wait_for_selector(DONE)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "q-slider":
            break
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**q=0.89**")
    summary = page.get_by_text("What is a dissimilarity?")
    summary.focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("at 1 the past day says nothing").is_visible()


def test_states_are_kept_as_pictures_and_axe_is_content(watched):
    page = watched.open("/explore?cu=9&co=1&support=0,100&kind=constant&value=0.05&n=120&policies=erm,knn:16,exp:0.95")
    page.wait_for_selector(DONE)
    page.wait_for_selector(DRAWN)
    watched.keep("explore")
    watched.unfold()
    assert watched.violations() == []
