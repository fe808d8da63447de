"""The room on the screen: what is cut off, how wide the parts are, which are on show, how large and how light the page is."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

CUT = """() => {
    const { view } = window.__gradtapeEditor.editor_0;
    const edge = view.scrollDOM.getBoundingClientRect().right;
    return [...view.contentDOM.querySelectorAll('.cm-line')].filter((line) => {
        const range = document.createRange();
        range.selectNodeContents(line);
        return range.getBoundingClientRect().right > edge;
    }).map((line) => line.textContent);
}"""
"""Lines of the program that go on where nobody sees it."""
HIGH = "document.querySelector('.stMain').scrollHeight"


def width(page: Gradtape, part: str) -> float:
    box = page.page.locator(f".st-key-{part}").bounding_box()
    assert box is not None
    return box["width"]


def splitter(page: Gradtape, part: str) -> Locator:
    return page.page.get_by_role("separator", name=f"Width of the {part}")


def shares(page: Gradtape) -> dict[str, str | None]:
    return {part: splitter(page, part).get_attribute("aria-valuenow") for part in ("program", "panel")}


@pytest.mark.thorough
@pytest.mark.parametrize("blank", [{}, {"width": 1100, "height": 800}], ids=["1480", "1100"], indirect=True)
def test_no_line_of_the_first_example_is_cut_off_and_who_wants_to_scroll_can(page: Gradtape) -> None:
    assert page.page.evaluate(CUT) == []
    (line,) = [each for each in page.page.locator(".cm-line").all() if each.inner_text().startswith("x1 =")]
    box = line.bounding_box()
    assert box is not None
    if page.page.viewport_size == {"width": 1480, "height": 920}:
        assert box["height"] < 24, "it needs no second line"
    page.page.get_by_role("button", name="Display").click()
    page.page.get_by_role("button", name="Scroll").click()
    page.until(lambda: page.page.evaluate(CUT) != [], "long lines go on to the right")
    assert "overflow: auto" in page.page.evaluate(
        "(({overflowX}) => `overflow: ${overflowX}`)(getComputedStyle(window.__gradtapeEditor.editor_0.view.scrollDOM))"
    )


def test_parts_are_made_wider_with_the_mouse_and_it_is_remembered(page: Gradtape) -> None:
    program, graph, panel = (width(page, part) for part in ("program", "graph", "panel"))
    box = splitter(page, "program").bounding_box()
    assert box is not None
    mouse = page.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + 90)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2 + 120, box["y"] + 90, steps=6)
    mouse.up()
    assert abs(width(page, "program") - program - 120) < 3
    assert abs(width(page, "graph") - graph + 120) < 3
    assert width(page, "panel") == panel
    kept = shares(page)
    page.page.reload()
    page.ready()
    assert shares(page) == kept
    assert abs(width(page, "program") - program - 120) < 3
    splitter(page, "program").dblclick(position={"x": 5, "y": 90})
    page.until(lambda: width(page, "program") == program, "a double click brings back the first width")


@pytest.mark.thorough
def test_parts_are_made_wider_and_closed_with_the_keyboard(page: Gradtape) -> None:
    step, before = page.step, width(page, "panel")
    bar = splitter(page, "panel")
    assert bar.get_attribute("aria-orientation") == "vertical"
    bar.focus()
    page.page.keyboard.press("ArrowLeft")
    assert width(page, "panel") > before
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowRight")
    assert width(page, "panel") < before
    assert page.step == step, "the arrows are not the player's"
    page.page.keyboard.press("End")
    assert bar.get_attribute("aria-valuenow") == bar.get_attribute("aria-valuemax")
    assert width(page, "graph") > 350, "something is always left to the graph"
    page.page.keyboard.press("Home")
    assert bar.get_attribute("aria-valuenow") == bar.get_attribute("aria-valuemin")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".st-key-panel")).to_be_hidden()
    assert bar.get_attribute("aria-valuetext") == "closed"
    page.page.get_by_role("button", name="Close the program").click()
    expect(page.page.locator(".st-key-program")).to_be_hidden()
    assert width(page, "graph") > 1400
    page.page.reload()
    page.page.locator(".player").wait_for()
    expect(page.page.locator(".st-key-program")).to_be_hidden()
    page.page.get_by_role("button", name="Open the program").click()
    page.page.get_by_role("button", name="Open the panel").click()
    page.ready()
    for part in ("program", "panel"):
        expect(page.page.locator(f".st-key-{part}")).to_be_visible()


@pytest.mark.thorough
def test_the_graph_can_be_alone_on_the_page_and_escape_ends_it(page: Gradtape) -> None:
    others = [page.page.locator(f".st-key-{part}") for part in ("header", "program", "panel")]
    page.page.get_by_role("button", name="Not now").click()
    page.page.locator(".gt-brand").click()
    assert page.page.evaluate(HIGH) <= 920, "the page has no scroll bar"
    page.page.keyboard.press("F")
    for part in others:
        expect(part).to_be_hidden()
    box = page.page.locator(".st-key-graph").bounding_box()
    assert box is not None
    assert box["width"] > 1430
    assert box["height"] > 890
    assert page.page.evaluate(HIGH) <= 920
    page.page.keyboard.press("Home")
    page.until(lambda: page.step == 0, "the tape is played as before")
    page.page.keyboard.press("Escape")
    for part in others:
        expect(part).to_be_visible()
    page.page.get_by_role("button", name="Focus mode").click()
    expect(others[0]).to_be_hidden()
    page.page.get_by_role("button", name="Bring back the rest").click()
    expect(others[0]).to_be_visible()
    page.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    page.page.keyboard.type("F")
    expect(others[0]).to_be_visible()


@pytest.mark.thorough
def test_the_text_grows_everywhere(page: Gradtape) -> None:
    texts = (".st-key-console .gt-console pre", ".st-key-inspector .gt-answer", ".st-key-help p")
    for each in texts:
        page.page.locator(each).first.wait_for()
    sizes = f"""() => {list(texts)}.map((each) =>
        parseFloat(getComputedStyle(document.querySelector(each)).fontSize))
        .concat(parseFloat(getComputedStyle(window.__gradtapeEditor.editor_0.view.dom).fontSize))"""
    caption = page.player.locator(".caption")
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    before, said = page.page.evaluate(sizes), caption.evaluate(size)
    display = page.page.get_by_role("button", name="Display")
    display.click()
    page.page.get_by_role("button", name="130 %").click()
    now = page.page.evaluate(sizes)
    assert [round(new / old, 2) for new, old in zip(now, before, strict=True)] == [1.3] * 4
    assert caption.evaluate(size) == pytest.approx(1.3 * said)
    page.page.get_by_role("button", name="As at first").click()
    assert page.page.evaluate(sizes) == before
    page.page.keyboard.press("Escape")


DARK = "getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark'"
EACH_FRAME = """player => {
    const seen = (window.__gradtapeTestSeen = []);
    const look = () => {
        const { colorScheme } = getComputedStyle(document.querySelector('.stApp'));
        const { tone } = window.__gradtapeEditor.editor_0.view.dom.closest('[data-tone]').dataset;
        const now = [colorScheme, player.dataset.theme, tone].join(' ');
        if (seen.at(-1) !== now) seen.push(now);
        requestAnimationFrame(look);
    };
    look();
}"""


def test_the_theme_is_chosen_in_the_page_and_changes_at_once(page: Gradtape) -> None:
    page.run("import torch\nx = torch.ones(3, requires_grad=True)\nx.sum().backward()\nprint(x.grad)\n")
    page.page.keyboard.press("Escape")
    page.player.focus()
    page.page.keyboard.press("Home")
    page.until(lambda: page.step == 0, "the tape stands at its beginning")
    written = page.code() + "# not run yet"
    page.page.evaluate("text => window.__gradtapeEditor.editor_0.setText(text)", written)
    page.player.evaluate(EACH_FRAME)
    page.page.get_by_role("button", name="Display").click()
    for name, scheme in (("Dark", "dark"), ("Light", "light"), ("Dark", "dark"), ("As the system", "light")):
        button = page.page.get_by_role("button", name=name, exact=True)
        button.click()
        page.until_true(f"({DARK}) === {str(scheme == 'dark').lower()}")
        page.page.locator(f".player[data-theme={scheme}]").wait_for()
        page.until_true(f"window.__gradtapeEditor.editor_0.view.dom.closest('[data-tone={scheme}]')")
        expect(button).to_have_attribute("aria-pressed", "true")
        page.settled()
        assert page.code() == written, "what was written is there"
        assert page.step == 0
    light, dark = (" ".join([scheme] * 3) for scheme in ("light", "dark"))
    assert page.page.evaluate("window.__gradtapeTestSeen") == [light, dark, light, dark, light], "all of it at once"
    page.page.get_by_role("button", name="Dark", exact=True).click()
    page.page.reload()
    page.ready()
    assert page.page.evaluate(DARK), "the browser remembers it"


@pytest.mark.thorough
def test_the_program_takes_the_height_that_there_is(chromium: Browser, address: str) -> None:
    tab = chromium.new_page(viewport={"width": 1480, "height": 1400})
    try:
        page = Gradtape(tab)
        tab.goto(f"{address}?example=repeated_backward")
        page.ready()
        tall = "window.__gradtapeEditor.editor_0.view.scrollDOM.offsetHeight"
        assert tab.evaluate(tall) > 700
        tab.set_viewport_size({"width": 1480, "height": 920})
        page.until(lambda: 400 < tab.evaluate(tall) < 500, "a lower window has a lower editor")
        assert tab.evaluate(HIGH) <= 920
    finally:
        tab.close()


@pytest.mark.thorough
def test_on_paper_there_are_no_controls_and_the_program_is_whole(page: Gradtape) -> None:
    lines = "\n".join(f"a{k} = torch.ones({k + 1})" for k in range(80))
    page.run(f"import torch\n{lines}\n")
    page.page.emulate_media(media="print")
    page.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    try:
        for gone in (".st-key-run", ".st-key-panel_tab", ".st-key-modes", ".st-key-views"):
            expect(page.page.locator(gone)).to_be_hidden()
        expect(page.player.locator(".tools")).to_be_hidden()
        expect(page.player.locator(".caption")).to_be_visible()
        expect(page.page.get_by_role("textbox", name="Title")).to_be_visible()
        program = page.page.locator(".st-key-program").bounding_box()
        assert program is not None
        assert program["height"] > 80 * 18, "no line is cut off"
    finally:
        page.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        page.page.emulate_media(media="screen")
    expect(page.page.locator(".st-key-run")).to_be_visible()


INK = """() => {
    const light = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
        return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
    };
    const { colorScheme, color, backgroundColor } = getComputedStyle(document.querySelector('.stApp'));
    const code = getComputedStyle(window.__gradtapeEditor.editor_0.view.dom);
    const dark = [color, code.color].map((ink) => light(ink) < 0.3);
    return [colorScheme, ...dark, ...[backgroundColor, code.backgroundColor].map((paper) => light(paper) > 0.9)];
}"""
PICTURE = """player => {
    const canvas = player.querySelector('.stage canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    // What is filled: cards, which are light on paper.
    const counts = new Map();
    for (let k = 0; k < data.length; k += 4) {
        if (data[k + 3] < 255) continue;
        const colour = data.slice(k, k + 3).join();
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const [[fill]] = [...counts].sort(([, a], [, b]) => b - a);
    return [player.dataset.theme, Math.min(...fill.split(',').map(Number)) > 220];
}"""


@pytest.mark.parametrize("chosen", ["", "Dark"], ids=["as the system", "chosen"])
def test_paper_is_light_and_the_page_is_dark_again_afterwards(page: Gradtape, chosen: str) -> None:
    page.page.emulate_media(color_scheme="dark")
    if chosen:
        page.page.get_by_role("button", name="Display").click()
        page.page.get_by_role("button", name=chosen, exact=True).click()
        page.page.keyboard.press("Escape")
    page.player.and_(page.page.locator("[data-theme=dark]")).wait_for()
    page.settled()
    remembered = "localStorage.getItem(`stActiveTheme-${location.pathname}-v2`)"
    before = page.page.evaluate(remembered)
    # What is printed is what there is as soon as everybody has been told.
    page.page.evaluate(f"addEventListener('beforeprint', () => (window.__gradtapeTestInk = ({INK})()))")
    page.player.evaluate(
        f"player => addEventListener('beforeprint', () => (window.__gradtapeTestPicture = ({PICTURE})(player)))"
    )
    page.page.pdf()
    assert page.page.evaluate("window.__gradtapeTestInk") == ["light", True, True, True, True], "dark letters on light paper"
    assert page.page.evaluate("window.__gradtapeTestPicture") == ["light", True]
    page.until_true(DARK)
    page.page.locator(".player[data-theme=dark]").wait_for()
    page.settled()
    assert page.page.evaluate(remembered) == before, "what was chosen stays chosen"


@pytest.mark.thorough
def test_under_build_the_program_and_its_output_stand_one_below_the_other(page: Gradtape) -> None:
    page.page.get_by_role("radio", name="Build").click()
    page.page.locator(".st-key-builder").wait_for()
    page.settled()

    def one_below_the_other() -> bool:
        parts = (".st-key-builder", ".st-key-code", ".st-key-console")
        boxes = [box for part in parts if (box := page.page.locator(part).bounding_box()) is not None]
        return len(boxes) == 3 and all(
            above["y"] + above["height"] <= below["y"] + 1 for above, below in itertools.pairwise(boxes)
        )

    page.until(one_below_the_other, "builder, code and console one below the other")
    page.page.get_by_role("radio", name="Code").click()


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "query"), [(900, 600, "embed=true"), (1300, 700, "embed=true"), (900, 700, "")])
def test_the_graph_has_its_height_in_frames_and_narrow_windows(
    chromium: Browser, address: str, width: int, height: int, query: str
) -> None:
    tab = chromium.new_page(viewport={"width": width, "height": height})
    try:
        page = Gradtape(tab)
        tab.goto(f"{address}?example=repeated_backward&{query}")
        page.ready()
        box = tab.locator(".st-key-graph").bounding_box()
        assert box is not None
        assert box["height"] >= 0.7 * height
    finally:
        tab.close()
