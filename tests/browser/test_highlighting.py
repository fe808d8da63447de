"""The text and the graph point at each other: a node marks its expression, an expression selects its node."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

PROGRAM = (
    "import torch\n"
    "größe = '🙂'; x = torch.tensor([1., 2.], requires_grad=True)\n"
    "for i in range(2):\n"  # three like iterations would be rolled, and share their cards
    "    print('ä'); y = (x * 3) + i\n"
    "y.sum().backward()\n"
)


@pytest.fixture
def page(shared: Gradtape) -> Gradtape:
    """One visit for all: each test runs a program of its own first."""
    return shared


def ran(page: Gradtape) -> None:
    page.run(PROGRAM)
    assert page.page.evaluate("window.__gradtapePlayer.find('y').length")


def marked(page: Gradtape, kind: str) -> str:
    return "".join(page.page.locator(f".gt-node-{kind}").all_inner_texts())


def tell_span(page: Gradtape, kind: str, *span: int) -> None:
    """What the player tells when the pointer is on a node."""
    keys = ("line", "column", "endLine", "endColumn")
    detail = {"cell": 0, "kind": kind, **dict(zip(keys, span, strict=True))}
    page.page.evaluate("d => window.dispatchEvent(new CustomEvent('gradtape:span', { detail: d }))", detail)


def put_cursor(page: Gradtape, text: str, offset: int = 0) -> None:
    """Put the cursor into the program as an arrow key does, beside the first place of a text."""
    page.page.evaluate(
        "([text, offset]) => { const { view } = window.__gradtapeEditor.editor_0; view.focus();"
        " view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf(text) + offset }, userEvent: 'select' }); }",
        [text, offset],
    )


def replace(page: Gradtape, old: str, new: str) -> None:
    """Type other text in the place of some."""
    page.page.evaluate(
        "([old, insert]) => { const { view } = window.__gradtapeEditor.editor_0;"
        " const from = view.state.doc.toString().indexOf(old);"
        " view.dispatch({ changes: { from, to: from + old.length, insert }, userEvent: 'input' }); }",
        [old, new],
    )


def test_selecting_a_card_marks_its_expression_by_bytes(page: Gradtape) -> None:
    ran(page)
    page.click_node("x")
    page.until(lambda: marked(page, "select") == "torch.tensor([1., 2.], requires_grad=True)", "the leaf's call is marked")
    page.click_node("y")
    page.until(lambda: marked(page, "select") == "(x * 3) + i", "the sum is marked behind two-byte letters")


def test_hovering_a_card_marks_its_expression_and_leaving_it_does_not(page: Gradtape) -> None:
    ran(page)
    node = page.page.evaluate("window.__gradtapePlayer.find('x')[0]")
    spot = page.page.evaluate("id => window.__gradtapePlayer.screen(id)", node)
    page.page.mouse.move(spot["x"], spot["y"])
    page.until(lambda: marked(page, "hover").startswith("torch.tensor"), "the hovered card's call")
    page.page.locator(".gt-brand").hover()
    page.until(lambda: marked(page, "hover") == "", "no mark")


def test_the_cursor_selects_the_innermost_node_of_the_iteration_on_show(page: Gradtape) -> None:
    ran(page)
    put_cursor(page, "x * 3", 2)
    page.until(lambda: marked(page, "select") == "x * 3", "the product is selected")
    last = page.player.get_attribute("data-selected")
    put_cursor(page, "torch.tensor", 3)
    page.until(lambda: marked(page, "select").startswith("torch.tensor"), "the leaf is selected")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
    put_cursor(page, "x * 3", 2)
    page.until(lambda: marked(page, "select") == "x * 3", "the product is selected")
    assert page.player.get_attribute("data-selected") != last, "the first iteration's, not the last one's"


def test_a_mark_moves_with_the_text_and_goes_when_its_own_text_changes(page: Gradtape) -> None:
    ran(page)
    page.click_node("y")
    page.until(lambda: marked(page, "select") == "(x * 3) + i", "the sum is marked")
    replace(page, "import", "# above\nimport")
    page.until(lambda: marked(page, "select") == "(x * 3) + i", "the mark went along")
    replace(page, "* 3", "- 3")
    page.until(lambda: marked(page, "select") == "", "what is there now was never run")


def test_a_span_that_is_not_there_marks_nothing(page: Gradtape) -> None:
    ran(page)
    tell_span(page, "hover", 99, 4, 99, 9)
    tell_span(page, "select", 0, 0, 0, 0)
    page.page.wait_for_timeout(100)
    assert marked(page, "hover") == marked(page, "select") == ""


def test_a_click_beside_a_line_sets_a_breakpoint_that_stops_playing(page: Gradtape) -> None:
    ran(page)
    page.page.evaluate(
        "window.__told = []; window.addEventListener('gradtape:breakpoints', ({ detail }) => window.__told.push(detail))"
    )
    number = page.page.locator(".cm-lineNumbers .cm-gutterElement", has_text="4").first
    number.click()
    page.until(lambda: page.page.locator(".gt-breakpoint").count() == 1, "a dot")
    told = page.page.evaluate("window.__told.filter(({ from }) => from === 'editor')")
    assert told == [{"from": "editor", "lines": [{"cell": 0, "line": 4}]}]
    replace(page, "import", "# above\nimport")
    assert page.page.locator(".cm-lineNumbers .gt-breakpoint").inner_text() == "5", "it moves along with its line"
    assert len(page.page.evaluate("window.__told.filter(({ from }) => from === 'editor')")) == 1, (
        "in the run it is where it was"
    )
    page.page.locator(".cm-lineNumbers .gt-breakpoint").click()
    page.until(lambda: page.page.locator(".gt-breakpoint").count() == 0, "no dot")
    assert page.page.evaluate("window.__told.filter(({ from }) => from === 'editor').at(-1).lines") == []


def test_a_breakpoint_set_with_the_keyboard_or_by_the_player_is_shown(page: Gradtape) -> None:
    ran(page)
    put_cursor(page, "import")
    page.page.keyboard.press("F9")
    page.until(lambda: page.page.locator(".cm-lineNumbers .gt-breakpoint").all_inner_texts() == ["1"], "F9 sets one")
    page.page.evaluate(
        "d => window.dispatchEvent(new CustomEvent('gradtape:breakpoints', { detail: d }))",
        {"from": "player", "lines": [{"cell": 0, "line": 3}]},
    )
    page.until(lambda: page.page.locator(".cm-lineNumbers .gt-breakpoint").all_inner_texts() == ["3"], "the player's are shown")


def test_the_tape_goes_to_the_line_that_is_asked_for_and_runs_what_was_changed_before(page: Gradtape) -> None:
    ran(page)
    page.page.evaluate("window.addEventListener('gradtape:moment', ({ detail }) => { window.__moment = detail; })")

    def line() -> int:
        told = page.page.evaluate("window.__moment ?? null")
        return int(told["span"][0]) if told and told["span"] else 0

    number = page.page.locator(".cm-lineNumbers .cm-gutterElement", has_text="4").first
    number.click(modifiers=["Alt"])
    page.until(lambda: line() == 4, "the line that was clicked")
    assert page.page.locator(".gt-breakpoint").count() == 0, "it sets no breakpoint"
    first = page.page.evaluate("window.__moment.step")
    number.click(modifiers=["Alt"])
    page.until(lambda: line() == 4 and page.page.evaluate("window.__moment.step") != first, "the next time that it comes there")
    replace(page, "* 3", "* 7")
    put_cursor(page, "y.sum")
    page.page.keyboard.press("Control+F10")
    page.until(lambda: line() == 5, "the new run, there")
    assert page.page.evaluate("window.__gradtapePlayer.find('× 7').length") == 2, "it is the run of the new text"
    expect(page.page.locator(".gt-edited")).to_have_count(0)


def test_a_number_is_dragged_and_the_program_runs_on_the_way(page: Gradtape) -> None:
    text = "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x * 5\ny.backward()\nprint('slope', x.grad)\n"
    page.run(text)
    page.until(lambda: page.console().startswith("slope tensor(5.)"), "the first run")
    spot = page.page.evaluate(
        "at => { const { view } = window.__gradtapeEditor.editor_0; const { left, top, bottom } = view.coordsAtPos(at);"
        " return { x: left + 3, y: (top + bottom) / 2 }; }",
        text.index("5\n"),
    )
    mouse = page.page.mouse
    page.page.keyboard.down("Alt")
    mouse.move(spot["x"], spot["y"])
    mouse.down()
    mouse.move(spot["x"] + 6, spot["y"])
    mouse.move(spot["x"] + 12, spot["y"])
    page.until(lambda: "x * 7" in page.code(), "it is written")
    page.until(lambda: page.console().startswith("slope tensor(7.)"), "it ran before the button is let go")
    mouse.move(spot["x"] - 30, spot["y"])
    mouse.up()
    page.page.keyboard.up("Alt")
    page.until(lambda: page.console().startswith("slope tensor(0.)"), "what it is in the end runs")
    page.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    page.page.keyboard.press("Control+z")
    page.until(lambda: page.code() == text, "one undo takes all of it back")


def test_a_card_is_dragged_to_change_the_number_that_makes_it(page: Gradtape) -> None:
    text = "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x * x + 3 * 4\ny.backward()\nprint('slope', x.grad)\n"
    page.run(text)
    page.until(lambda: page.console().startswith("slope tensor(4.)"), "the first run")
    mouse, run = page.page.mouse, "window.__gradtapePlayer.run()"

    def drag(title: str, by: int) -> None:
        spot = page.resting(page.page.evaluate("title => window.__gradtapePlayer.find(title).at(-1)", title))
        page.page.keyboard.down("Alt")
        mouse.move(spot["x"], spot["y"])
        mouse.down()
        mouse.move(spot["x"] + by / 2, spot["y"])
        mouse.move(spot["x"] + by, spot["y"])
        mouse.up()
        page.page.keyboard.up("Alt")

    before = page.page.evaluate(run)
    drag("x", 60)
    page.until(lambda: "tensor(3.0," in page.code(), "ten steps of the last digit")
    page.until(lambda: page.console().startswith("slope tensor(6.)"), "it runs")
    page.until(lambda: page.page.evaluate(run) != before, "and is drawn")
    page.settled()
    drag("y", 60)
    page.page.locator(".notice", has_text="drag one in the code").wait_for()
    assert page.code() == text.replace("2.,", "3.0,")
