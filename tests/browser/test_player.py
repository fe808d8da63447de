"""The player as a debugger: queue, stepping, changes, breakpoints, keys, overlays, regions, tooltips, talk with the editor."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

TWO_PATHS = """import torch
x = torch.tensor([2.0], requires_grad=True)
a = x * 3
b = x * 4
y = a * b
y.backward()
x.grad = None
z = x.exp()
"""
SECOND = """import torch
x = torch.tensor(2.0, requires_grad=True)
y = (x ** 3).sin()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
slope.backward()
"""


@pytest.fixture
def page(shared: Gradtape) -> Gradtape:
    """One visit for all: each test runs a program of its own first."""
    return shared


def start(page: Gradtape, program: str, leaf: str = "x") -> None:
    """Run a program and stand at its first step, with the focus on the page."""
    page.run(program)
    assert ids(page, leaf)
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    page.until(lambda: page.step == 0, "the first step")


def ids(page: Gradtape, title: str) -> list[str]:
    # The player may be about to be drawn anew.
    found: list[str] = page.until_true("title => window.__gradtapePlayer && [window.__gradtapePlayer.find(title)]", title)[0]
    return found


def caption(page: Gradtape) -> str:
    return page.player.locator(".caption").inner_text()


def press(page: Gradtape, key: str) -> int:
    page.page.keyboard.press(key)
    return page.step


def line(page: Gradtape) -> int:
    span = page.page.evaluate("window.__gradtapePlayer.moment.span")
    return int(span[0]) if span else 0


def chips(page: Gradtape) -> list[tuple[str, str, str]]:
    """State, title and buffer of what stands in the queue."""
    found = page.player.locator(".queue li:visible button").evaluate_all(
        "all => all.map(b => [b.dataset.state, b.querySelector('span').textContent, b.querySelector('small').textContent])"
    )
    return [tuple(each) for each in found]


def camera(page: Gradtape) -> Any:
    return page.page.evaluate("""() => {
        const p = window.__gradtapePlayer, a = p.screen(p.find('x').at(-1));
        return [p.scale(), a.x, a.y];
    }""")


def test_the_queue_shows_what_runs_is_ready_and_waits(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    assert page.player.locator(".queue").inner_text().split("\n")[-1].strip() == "no backward pass is running"
    press(page, "]")
    assert caption(page).startswith("line 6 · Backward pass 1 begins")
    assert chips(page)[0] == ("ready", "y", "")
    press(page, "ArrowRight")
    assert chips(page) == [("running", "y", ""), ("ready", "b", ""), ("ready", "a", ""), ("waiting", "x", "0/2")]
    press(page, "ArrowRight")
    assert chips(page) == [("running", "b", ""), ("ready", "a", ""), ("waiting", "x", "1/2")]
    assert page.player.locator(".queue .counts").inner_text() == "1 ready · 1 waiting · 1 done"
    press(page, "ArrowRight")
    assert chips(page) == [("running", "a", ""), ("ready", "x", "2/2")]
    page.player.locator(".queue li:visible button").last.click()
    page.until(lambda: page.player.get_attribute("data-selected") == ids(page, "x")[0], "a click selects the node")


def test_stepping_by_line_and_by_pass_goes_back_the_same_way(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.page.keyboard.press("Shift+ArrowRight")
    seen = [page.step]
    lines = [line(page)]
    while page.step < page.total - 1:
        page.page.keyboard.press("Shift+ArrowRight")
        seen.append(page.step)
        lines.append(line(page))
    assert lines == [2, 3, 4, 5, 6, 7, 8]
    back = [page.step]
    while page.step > seen[0]:
        page.page.keyboard.press("Shift+ArrowLeft")
        back.append(page.step)
    assert back == seen[::-1]
    page.page.keyboard.press("Home")
    first = press(page, "]")
    assert caption(page).startswith("line 6 · Backward pass 1 begins")
    after = press(page, "]")
    assert after > first
    assert press(page, "[") == first


def test_the_switch_sets_how_far_the_buttons_go(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.player.get_by_role("button", name="Line", exact=True).click()
    assert page.player.get_by_role("button", name="Line", exact=True).get_attribute("aria-pressed") == "true"
    page.player.get_by_role("button", name="Step forward (→)").click()
    page.player.get_by_role("button", name="Step forward (→)").click()
    assert line(page) == 3
    page.player.get_by_role("button", name="Pass", exact=True).click()
    page.player.get_by_role("button", name="Step forward (→)").click()
    assert caption(page).startswith("line 6 · Backward pass 1 begins")


def test_the_selected_tensors_changes_are_jumped_to(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.click_node("x")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("n")
    assert "x.grad: 48" in caption(page)
    filled = page.step
    page.page.keyboard.press("n")
    assert "x.grad set to None" in caption(page)
    page.page.keyboard.press("n")
    assert "x does not change after this step" in page.player.locator(".notice").inner_text()
    assert press(page, "p") == filled
    page.player.get_by_role("button", name="Previous change of x (p)").click()
    assert page.step == 0


def test_play_and_continue_stop_at_breakpoints(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.page.keyboard.press("Shift+ArrowRight")
    page.page.keyboard.press("Shift+ArrowRight")
    page.page.keyboard.press("b")
    assert page.player.get_attribute("data-breakpoints") == "1"
    page.click_node("x")
    page.player.get_by_role("button", name="Breakpoints: 1").click()
    popover = page.player.get_by_role("dialog", name="Breakpoints")
    assert "line 3" in popover.inner_text()
    popover.get_by_label("Condition").select_option(label="norm of grad exceeds")
    popover.get_by_label("Norm").fill("20")
    popover.get_by_role("button", name="Add").last.click()
    assert "norm of x.grad exceeds 20" in popover.inner_text()
    popover.get_by_label("Line", exact=True).fill("5")
    popover.get_by_role("button", name="Add").first.click()
    assert page.player.locator(".popover li").count() == 3
    page.page.keyboard.press("Escape")
    assert popover.is_hidden()
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    page.page.keyboard.press("Space")
    page.until(lambda: "Breakpoint: line 3" in page.player.locator(".notice").inner_text(), "play stops by itself")
    stopped = page.step
    page.page.wait_for_timeout(900)
    assert page.step == stopped
    page.page.keyboard.press("c")
    assert line(page) == 5
    page.page.keyboard.press("c")
    assert "x.grad: 48" in caption(page)
    assert "norm of x.grad exceeds 20" in page.player.locator(".notice").inner_text()
    page.page.keyboard.press("c")
    assert page.step == page.total - 1
    page.page.keyboard.press("Shift+C")
    assert "x.grad: 48" in caption(page)
    assert page.player.locator(".pins .stop").count() == 3
    page.player.get_by_role("button", name="Breakpoints: 3").click()
    for _ in range(3):
        page.player.get_by_role("button", name="Remove: ").first.click()
    assert page.player.get_attribute("data-breakpoints") == "0"


def test_breakpoints_are_told_to_the_editor_and_taken_from_it(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.page.evaluate("window.told = []; addEventListener('gradtape:breakpoints', (e) => window.told.push(e.detail))")
    page.page.keyboard.press("b")
    told = page.page.evaluate("window.told")
    assert told[0]["from"] == "player"
    assert told[0]["lines"] == [{"cell": 0, "line": 2}]
    page.page.evaluate(
        "dispatchEvent(new CustomEvent('gradtape:breakpoints', {detail: {from: 'editor', lines: [{cell: 0, line: 8}]}}))"
    )
    page.page.keyboard.press("c")
    assert line(page) == 8


def test_the_keys_are_listed_and_the_focus_comes_back(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    step = press(page, "ArrowRight")
    page.page.keyboard.press("?")
    dialog = page.page.get_by_role("dialog", name="Keys")
    dialog.wait_for()
    text = dialog.inner_text()
    for words in ("one source line", "next or previous time it changes", "breakpoint", "find a node"):
        assert words in text
    page.page.keyboard.press("ArrowLeft")
    assert page.step == step, "the keys are off meanwhile"
    page.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.player.get_by_role("button", name="Keys of the player (?)").focus()
    page.page.keyboard.press("Enter")
    dialog.wait_for()
    page.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    focused = page.page.evaluate("""() => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        return active?.getAttribute('aria-label');
    }""")
    assert focused == "Keys of the player (?)"
    page.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    page.page.keyboard.press("Control+End")
    page.page.keyboard.type("#?")
    assert page.code().endswith("#?"), "typing is not taken for a key"
    assert dialog.is_hidden()


def test_an_overlay_comes_and_goes_without_moving_camera_or_step(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    page.player.get_by_role("button", name="Zoom out (−)").click()
    before, step = camera(page), page.step
    x, a, y = (ids(page, name)[0] for name in ("x", "a", "y"))
    page.page.evaluate(
        """marks => {
            const link = document.createElement('button');
            link.id = 'marks';
            link.textContent = 'show';
            link.dataset.gtMarks = JSON.stringify(marks);
            document.querySelector('.gt-brand').append(link);
        }""",
        {"nodes": [x, a, y, "t999"], "cut": [[a, y]]},
    )
    page.page.locator("#marks").click()
    assert page.player.get_attribute("data-overlay") == "5", "three nodes, the edge between two and the cut"
    assert "no gradient passes here" in page.player.locator(".legend").inner_text()
    assert camera(page) == before
    assert page.step == step
    page.page.locator("#marks").click()
    assert page.player.get_attribute("data-overlay") == ""
    assert camera(page) == before


def test_links_anywhere_on_the_page_move_the_player(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.page.evaluate(
        """id => {
            const link = document.createElement('button');
            link.id = 'link';
            link.textContent = 'go';
            Object.assign(link.dataset, {gtStep: '4', gtSelect: id});
            document.querySelector('.gt-brand').append(link);
        }""",
        ids(page, "y")[0],
    )
    page.page.locator("#link").click()
    assert page.step == 4
    assert page.player.get_attribute("data-selected") == ids(page, "y")[0]


@pytest.mark.parametrize("view", ["Tensors and ops", "Autograd (grad_fn)"])
def test_what_a_pass_records_stands_together_behind_its_root(page: Gradtape, view: str) -> None:
    start(page, SECOND)
    page.page.get_by_role("radio", name=view).click()
    title = "y" if view.startswith("Tensors") else "SinBackward0"
    page.until(lambda: bool(ids(page, title)), "the view")
    page.settled()
    regions = page.page.evaluate("window.__gradtapePlayer.regions()")
    assert [region["pass"] for region in regions] == [1]
    root = ids(page, title)[0]
    page.resting(root)
    inside = regions[0]["nodes"]
    outside = [root, *ids(page, "x" if view.startswith("Tensors") else "PowBackward0")[:1]]
    spots = page.page.evaluate("all => all.map((id) => window.__gradtapePlayer.screen(id))", [*outside, *inside])
    (root_spot, *others), own = spots[: len(outside)], spots[len(outside) :]
    assert len(own) >= 5
    assert all(spot["x"] > root_spot["x"] or spot["y"] > root_spot["y"] for spot in own), (
        "to the right of it, or in a row below"
    )
    across, down = ([spot[axis] for spot in own] for axis in "xy")
    for spot in (root_spot, *others):
        assert not (min(across) <= spot["x"] <= max(across) and min(down) <= spot["y"] <= max(down)), (
            "nothing else stands among them"
        )


def test_what_was_looked_at_is_gone_back_to_and_on_again(page: Gradtape) -> None:
    start(page, TWO_PATHS)

    def selected() -> str:
        return page.player.get_attribute("data-selected") or ""

    def scale() -> float:
        return float(page.page.evaluate("window.__gradtapePlayer.scale()"))

    before = selected()
    (a,), (y,) = ids(page, "a"), ids(page, "y")
    page.click_node("a")
    page.click_node("y")
    page.page.locator(".gt-brand").click()
    page.until_true("window.__gradtapePlayer.atRest()")
    wide = scale()
    page.page.keyboard.press("+")
    page.until(lambda: scale() > wide, "closer")
    page.page.keyboard.press("z")
    page.until(lambda: scale() == pytest.approx(wide), "as near as before")
    assert selected() == y
    page.page.keyboard.press("z")
    page.until(lambda: selected() == a, "the node before")
    page.page.keyboard.press("z")
    page.until(lambda: selected() == before, "the one before that")
    page.page.keyboard.press("z")
    page.page.locator(".notice", has_text="There is nothing to go back to.").wait_for()
    for wanted in (a, y):
        page.page.keyboard.press("Shift+Z")
        page.until(lambda wanted=wanted: selected() == wanted, "on again")
    page.page.keyboard.press("Shift+Z")
    page.until(lambda: scale() > wide, "and close again")


@pytest.mark.thorough
def test_cards_are_hidden_coloured_and_watched(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    nodes = int(page.player.get_attribute("data-nodes") or 0)
    (a,), (y,) = ids(page, "a"), ids(page, "y")
    (b,) = ids(page, "b")
    apart = page.resting(y)["y"] - page.resting(b)["y"]
    page.click_node("a")
    page.page.keyboard.press("h")
    page.until(lambda: ids(page, "a") == [], "it is gone")
    assert int(page.player.get_attribute("data-nodes") or 0) == nodes - 1
    there = page.resting(y)
    assert there["y"] - page.resting(b)["y"] == pytest.approx(apart, abs=0.1), "everything else stays where it is"
    page.page.mouse.click(there["x"], there["y"], button="right")
    menu = page.page.get_by_role("dialog", name="Card")
    menu.get_by_role("button", name="Colour 2").click()
    page.page.mouse.click(there["x"], there["y"], button="right")
    page.until(lambda: menu.get_by_role("button", name="Colour 2").get_attribute("aria-pressed") == "true", "it has the colour")
    page.screenshot("the menu of a card")
    menu.get_by_role("button", name="Watch").click()
    page.page.get_by_role("radio", name="Tensors", exact=True).click()
    page.page.locator(".gt-watch", has_text="y").wait_for()
    page.page.get_by_role("button", name="1 hidden").click()
    page.until(lambda: ids(page, "a") == [a], "it is there again")
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("Shift+H")
    page.page.locator(".notice", has_text="Nothing is hidden.").wait_for()
    page.click_node("x")
    page.page.keyboard.press("Shift+F10")
    menu.get_by_role("button", name="Hide").click()
    page.until(lambda: ids(page, "x") == [], "by the keyboard's menu")
    page.run(TWO_PATHS.replace("import torch\n", "import torch\nw = torch.ones(3)\n"))
    page.until(lambda: ids(page, "w") != [], "another run, whose tensors have other numbers")
    page.settled()
    assert (ids(page, "x"), len(ids(page, "b"))) == ([], 1), "it stays hidden, and nothing else is"
    page.page.get_by_role("button", name="1 hidden").click()
    page.until(lambda: ids(page, "x") != [], "it is there again")
    there = page.resting(ids(page, "y")[0])
    page.page.mouse.click(there["x"], there["y"], button="right")
    menu.get_by_role("button", name="No colour").click()
    page.settled()  # the tests behind this one see the same visit


def test_tooltips_name_shape_type_line_and_the_gradient_of_an_edge(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.page.keyboard.press("]")
    page.page.keyboard.press("ArrowRight")
    page.player.get_by_role("button", name="Fit everything (0)").click()
    hint = page.player.locator(".hint")
    spot = page.resting(ids(page, "a")[0])
    page.page.mouse.move(spot["x"], spot["y"])
    hint.wait_for()
    text = hint.inner_text()
    for part in ("a\n", "MulBackward0", "float32 [1] · line 3", "value 6", "arriving 8", "ready: number 2"):
        assert part in text
    ends = [ids(page, "a")[0], ids(page, "y")[0]]
    middle = page.page.evaluate("([from, to]) => window.__gradtapePlayer.edge(from, to)", ends)
    page.page.mouse.move(middle["x"], middle["y"])
    page.until(lambda: "a → y" in hint.inner_text(), "the edge's tooltip")
    assert "gradient to a: 8" in hint.inner_text()
    page.page.mouse.click(middle["x"], middle["y"])
    page.page.mouse.move(5, 5)
    page.page.wait_for_timeout(400)
    assert "gradient to a: 8" in hint.inner_text(), "a click keeps it"
    page.page.keyboard.press("Escape")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("ArrowRight")
    assert hint.is_hidden()


def test_a_node_tells_its_place_and_the_cursor_finds_its_node(page: Gradtape) -> None:
    start(page, TWO_PATHS)
    page.page.keyboard.press("End")
    page.click_node("x")
    page.page.evaluate("window.told = []; addEventListener('gradtape:span', (e) => window.told.push(e.detail))")
    page.click_node("y")
    told = page.page.evaluate("window.told.filter((each) => each.kind === 'select')")
    assert told[-1] == {
        "type": "span", "kind": "select", "cell": 0, "line": 5, "column": 4, "endLine": 5, "endColumn": 9,
    }  # fmt: skip
    assert page.page.evaluate("window.told.some((each) => each.kind === 'hover' && each.line === 5)")
    page.page.evaluate("dispatchEvent(new CustomEvent('gradtape:cursor', {detail: {cell: 0, line: 8, column: 6}}))")
    page.until(lambda: page.player.get_attribute("data-selected") == ids(page, "z")[0], "the node of x.exp()")
