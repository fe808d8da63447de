"""The page on any screen, from the keyboard, on a first visit and with nothing to show."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

SMALL = ((820, 1180), (390, 844))


def box(page: Gradtape, selector: str) -> dict[str, float]:
    found = page.page.locator(selector).first.bounding_box()
    assert found is not None, selector
    return dict(found)


@pytest.mark.parametrize("blank", [{"width": w, "height": h} for w, h in SMALL], ids=["tablet", "phone"], indirect=True)
def test_on_a_small_screen_the_graph_comes_first_and_nothing_stands_out(page: Gradtape) -> None:
    width = page.page.viewport_size["width"]  # type: ignore[index]
    assert page.page.evaluate("document.querySelector('.stMain').scrollWidth") <= width
    page.page.get_by_role("button", name="Not now").click()
    for _ in page.looks(SMALL):
        nothing_stands_out(page)


def nothing_stands_out(page: Gradtape) -> None:
    """Graph and timeline on the first screen, the rest below, all as wide as the screen."""
    width = page.page.viewport_size["width"]  # type: ignore[index]
    graph, panel, program = (box(page, f".st-key-{part}") for part in ("graph", "panel", "program"))
    assert graph["width"] > width - 40
    assert graph["height"] >= 480
    assert panel["y"] >= graph["y"] + graph["height"]
    assert program["y"] >= graph["y"] + graph["height"]
    bar = box(page, ".player .bar")
    assert bar["y"] + bar["height"] < page.page.viewport_size["height"], "the timeline is on the first screen"  # type: ignore[index]
    for each in (graph, panel, program):
        assert each["x"] >= 0
        assert each["x"] + each["width"] <= width


ROLLED = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    opt.step()
"""
PHONES = ((390, 844), (360, 740))
CUT = """player => {
    const clip = player.querySelector('.stage').getBoundingClientRect();
    const boxes = [...player.querySelectorAll('.debugging > .group, .tools > *')].map((each) => each.getBoundingClientRect());
    return boxes.filter((box) => box.left < clip.left || box.right > clip.right || box.bottom > clip.top + 50).length
        + boxes.filter((box, k) => boxes.slice(k + 1).some((other) => box.left < other.right && other.left < box.right)).length;
}"""


@pytest.mark.parametrize("blank", [{"width": w, "height": h} for w, h in PHONES[:1]], ids=["phone"], indirect=True)
def test_on_a_phone_the_picture_has_half_of_the_first_screen(page: Gradtape) -> None:
    offer, last = box(page, ".gt-tour-offer"), box(page, ".gt-tour-offer button:last-child")
    assert last["x"] + last["width"] <= offer["x"] + offer["width"], "the offer of a tour holds its buttons"
    page.page.get_by_role("button", name="Not now").click()
    page.page.locator(".st-key-headline button").first.click()
    page.page.locator(".st-key-findings").wait_for()
    page.until(lambda: box(page, ".st-key-panel")["y"] < PHONES[0][1] / 2, "what the line of the findings opens is in sight")
    for program, rolled in ((None, False), (ROLLED, True)):
        if program:
            page.run(program)
            page.player.and_(page.page.locator("[data-rolled]")).wait_for()
        for look in page.looks(PHONES):
            page.page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
            high = page.page.viewport_size["height"]  # type: ignore[index]
            stage, bar, views = (box(page, part) for part in (".player .stage", ".player .bar", ".st-key-views"))
            assert stage["height"] >= high / 2, (look, rolled)
            assert bar["y"] + bar["height"] < high, (look, rolled)
            assert stage["y"] < (170 if rolled else 130), (
                look,
                "one row of menus, the headline, and the way through the loops",
            )
            assert views["y"] > bar["y"], (look, "how it is drawn is chosen below the picture")
            assert page.player.evaluate(CUT) == 0, (look, "one row of tools, none over another")
            run, header = box(page, ".st-key-run"), box(page, ".st-key-header")
            assert run["x"] + run["width"] <= header["x"] + header["width"]
            assert header["height"] < 60


@pytest.mark.parametrize("blank", [{"width": 1100, "height": 800}], indirect=True)
def test_no_panels_name_is_cut_off(page: Gradtape) -> None:
    cut = page.page.locator(".st-key-panel_tab [role=radio] p").evaluate_all(
        "all => all.filter(p => p.scrollWidth > p.clientWidth).map(p => p.textContent)"
    )
    assert cut == []


def test_the_tour_teaches_accumulation_in_five_stops(page: Gradtape) -> None:
    p = page.page
    tour = p.get_by_role("region", name="Guided tour")
    p.get_by_role("button", name="Take the tour").focus()
    p.keyboard.press("Enter")
    told = [("A leaf", 3, 2), ("Forward builds the tape", 13, 0), ("The first backward pass", 23, 12),
            ("The second pass adds", 44, 12), ("Starting over", 49, 0)]  # fmt: skip
    for place, (title, step, marks) in enumerate(told):
        tour.get_by_role("heading", name=title).wait_for()
        assert f"{place + 1} of 5" in tour.inner_text()
        page.until(lambda step=step: page.step == step, f"the moment of {title}")
        assert int(page.player.get_attribute("data-overlay") or 0) == marks, title
        assert p.evaluate("document.activeElement.textContent") == ("Done" if place == 4 else "Next")
        page.settled()
        if place == 2:
            page.until(lambda: "22 + 20 = 42" in page.inspector(), "the inspector tells the sum of the first pass")
        if place < 4:
            p.keyboard.press("Enter")
    page.until(lambda: "42 + 42 = 84" in page.inspector(), "the inspector tells the sum of both passes")
    assert tour.get_by_role("link", name="Zeroing the gradient").get_attribute("href") == "?example=zeroing_the_gradient"
    p.keyboard.press("Enter")
    tour.wait_for(state="hidden")


@pytest.mark.thorough
def test_the_tour_is_offered_once_left_at_any_time_and_taken_again_from_help(page: Gradtape) -> None:
    p = page.page
    tour = p.get_by_role("region", name="Guided tour")
    tour.get_by_role("button", name="Take the tour").click()
    tour.get_by_role("button", name="Next").click()
    tour.get_by_role("heading", name="Forward builds the tape").wait_for()
    p.keyboard.press("Escape")
    tour.wait_for(state="hidden")
    assert page.player.get_attribute("data-overlay") == ""
    p.goto(p.url.split("?")[0] + "?example=broadcasting")
    page.ready()
    assert not tour.is_visible()
    p.get_by_role("button", name="Help").click()
    p.get_by_role("button", name="Take the tour").click()
    tour.get_by_role("heading", name="A leaf").wait_for()
    page.until(lambda: page.step == 3, "the first stop, in the tour's example")
    page.set_code("import torch\n")
    tour.wait_for(state="hidden")


def test_the_keys_open_wherever_the_focus_is_but_not_while_typing(page: Gradtape) -> None:
    p = page.page
    sheet = p.get_by_role("dialog", name="Keys")
    for control in (p.get_by_role("radio", name="Ledger"), p.get_by_role("button", name="Run", exact=True)):
        control.focus()
        p.keyboard.press("?")
        sheet.wait_for()
        for words in ("one event back or on", "Ctrl Enter", "leave the editor", "find a node"):
            assert words in sheet.inner_text()
        p.keyboard.press("Escape")
        sheet.wait_for(state="hidden")
    page.set_code("print(1)")
    p.get_by_text("No tensor was made").wait_for()
    p.locator(".gt-brand").click()
    p.keyboard.press("?")
    sheet.wait_for()
    p.keyboard.press("Escape")
    p.evaluate("window.__gradtapeEditor.editor_0.focus()")
    p.keyboard.type("#?")
    assert not sheet.is_visible()


def test_a_short_way_leads_to_the_graph_as_a_table_that_can_be_read_and_used(page: Gradtape) -> None:
    p = page.page
    way = p.get_by_role("navigation", name="Short ways").get_by_role("button", name="Go to the graph as a table")
    page.settled()
    way.press("Enter")
    row = p.get_by_role("table").get_by_role("button", name="x1", exact=True)
    row.wait_for()
    page.until(
        lambda: p.evaluate("document.activeElement?.closest('.st-key-tensor_table') !== null"), "the focus is in the table"
    )
    table = p.get_by_role("table")
    z = table.get_by_role("button", name="z", exact=True).first
    page.settled()  # what the way has led to is drawn whole: a key that comes before that may meet a button that goes
    z.press("Enter")
    page.until(lambda: page.player.get_attribute("data-selected") == "t17", "z is selected in the graph")
    page.until(lambda: z.get_attribute("aria-current") == "true", "and in the table")
    assert table.get_by_role("rowheader").count() == 16
    p.locator(".gt-brand").click()
    p.keyboard.press("Home")
    page.until(lambda: table.get_by_role("rowheader").count() == 1, "what exists at the first step")


def test_texts_are_copied_with_a_click(page: Gradtape) -> None:
    p = page.page
    p.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, begins in (
        ("Copy the program", "# Repeated backward"),
        ("Copy the output", "tensor([84.]) tensor([46.])"),
        ("Copy the value of x1", "[1.0]"),
        ("Copy the formula as LaTeX", r"\overline"),
    ):
        button = p.get_by_role("button", name=name).first
        button.click()
        page.until(lambda button=button: button.get_attribute("data-copied") == "true", f"{name} says that it did")
        assert str(p.evaluate("navigator.clipboard.readText()")).startswith(begins)


def test_every_page_has_a_language_a_title_and_headings_and_the_step_is_read_out(page: Gradtape) -> None:
    p = page.page
    assert p.evaluate("document.documentElement.lang") == "en"
    first = p.get_by_role("heading", level=1)
    page.until(lambda: first.all_inner_texts() == ["◧ Gradtape"], "the page has one heading of the first level")
    second = p.get_by_role("heading", level=2)
    parts = ["Program", "Graph", "Panel"]
    page.until(lambda: [each.strip() for each in second.all_inner_texts()] == parts, "the parts have headings")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    said = page.player.locator(".words [role=status]")
    page.until(lambda: "x1" in said.inner_text(), "the caption of the first step")


@pytest.mark.thorough
def test_the_focus_is_seen(page: Gradtape) -> None:
    p = page.page
    for _ in range(12):
        p.keyboard.press("Tab")
        outline = p.evaluate("""() => {
            let active = document.activeElement;
            while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
            const style = getComputedStyle(active);
            const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
            return [active.outerHTML.slice(0, 90), ring || style.boxShadow !== 'none'];
        }""")
        assert outline[1], outline[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "words"),
    [("", "An empty program"), ("print(1)", "No tensor was made"), ("print(1)\nx = 1 / 0", "ZeroDivisionError on line 2")],
)
def test_with_nothing_to_draw_the_page_says_why(shared: Gradtape, program: str, words: str) -> None:
    shared.set_code(program)
    shared.page.locator(".gt-nothing", has_text=re.compile(re.escape(words))).wait_for()
    shared.set_code("import torch\nx = torch.ones(2, requires_grad=True)\n")
    shared.until(lambda: int(shared.player.get_attribute("data-nodes") or 0) == 1, "the graph is back")
