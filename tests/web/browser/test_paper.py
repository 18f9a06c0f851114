"""Paper: the report arrives item by item, its contents stay in view, and it can be stopped."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def test_the_report_arrives_is_laid_out_as_printed_and_can_be_stopped(watched):
    page = watched.open("/paper")
    assert page.locator(".for").inner_text().startswith("For researchers")
    start = page.get_by_role("button", name="Compute them")
    start.wait_for()  # it takes minutes, and nobody has asked yet
    page.wait_for_timeout(1000)
    assert not page.evaluate("fetch('/api/paper').then(found => found.json()).then(found => found.at_work)")
    assert page.get_by_text("0 of ").is_visible()
    watched.keep("paper-idle")
    start.click()
    page.wait_for_selector("#table1 .printed", timeout=120_000)
    columns = page.locator("#table1 .printed thead th[scope=col]").all_inner_texts()
    assert columns == ["ζ", "100%", "90%", "75%", "50%", "25%", "10%"]
    exact = page.locator("#table1 .printed tbody tr").nth(1)
    assert exact.locator("td.n").first.inner_text() == "3"  # three samples suffice, as the paper prints
    assert int(page.locator("#counts .value").first.inner_text()) > 20
    page.wait_for_selector("#figure1 .figure[data-drawn]")
    stop = page.get_by_role("button", name="Stop")
    if stop.is_visible():
        stop.click()
        page.get_by_text("Stopped:").wait_for()
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Stop").wait_for()
        assert page.locator("#table1 .printed").count() == 1  # what was there stays
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Stopped:").wait_for()
    wrapped = "[...document.querySelectorAll('td.n')].filter(cell => getComputedStyle(cell).whiteSpace !== 'nowrap')"
    assert page.evaluate(f"{wrapped}.length") == 0  # numbers do not break across lines
    watched.keep("paper")
    assert watched.violations() == []


def test_contents_stay_in_view_and_mark_the_place(watched):
    page = watched.open("/paper")
    page.wait_for_selector("#contents a[aria-current]")
    page.get_by_role("link", name="Table 4, section 4.4").click()
    page.wait_for_function("() => document.querySelector('#contents a[aria-current]').hash === '#table4'")
    assert page.locator("#contents").bounding_box()["y"] >= 0
    assert page.url.endswith("#table4")
    page.set_viewport_size({"width": 360, "height": 780})
    assert watched.fits()
    assert page.locator("#contents").bounding_box()["y"] >= 0


DRAWN = """async ([data, layout]) => {
    const { article } = await import('/static/paper_items.js');
    const place = document.createElement('article');
    document.querySelector('main').append(place);
    article(place, { title: 'Drawn', where: 'Here', text: '', rows: [], layout: null, figure: { data, layout } });
    await new Promise(resolve => setTimeout(resolve, 50));
    place.scrollIntoView();
    for (let i = 0; i < 400 && !place.querySelector('[data-drawn]'); i++)
        await new Promise(resolve => setTimeout(resolve, 50));
    if (!place.querySelector('[data-drawn]')) return place.innerText;
    const boxes = [...place.querySelectorAll('.xtick text, .x2tick text, .x3tick text')];
    const sides = boxes.map(one => one.getBoundingClientRect()).sort((a, b) => a.left - b.left);
    const { clientWidth, scrollWidth } = place.querySelector('.figure').parentElement;
    const touching = sides.slice(1).filter((box, i) => box.left < sides[i].right).length;
    return { touching, scrolls: scrollWidth > clientWidth, within: clientWidth <= innerWidth };
}"""
PLACES = list(range(6))
FIGURES = {
    "three panels": (
        [{"x": [0, 1000], "y": [0, 1], "xaxis": axis} for axis in ("x", "x2", "x3")],
        {
            "xaxis": {"domain": [0, 0.28]},
            "xaxis2": {"domain": [0.36, 0.64]},
            "xaxis3": {"domain": [0.72, 1]},
        },
    ),
    "words beneath": (
        [{"x": PLACES, "y": PLACES}],
        {"xaxis": {"tickvals": PLACES, "ticktext": [f"delta = 0.0{i}<br>m = 200" for i in PLACES]}},
    ),
}


@pytest.mark.parametrize("kind", FIGURES)
def test_what_does_not_fit_a_phone_scrolls_in_its_box(watched, kind):
    page = watched.open("/paper")
    page.wait_for_selector("#contents a[aria-current]")
    page.set_viewport_size({"width": 390, "height": 844})
    found = page.evaluate(DRAWN, list(FIGURES[kind]))
    assert found == {"touching": 0, "scrolls": True, "within": True}
    assert watched.fits()
