"""Small things that a reader stumbles over: signs that say something else, words that are cut off, what leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape
from tests.browser.test_large import LOOP, groups, unroll

pytestmark = pytest.mark.browser

NEVER = """import torch
torch.manual_seed(0)
w = torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
loss = 0
for t in range(60):
    x = torch.randn(1, 3)
    h = torch.tanh(h @ w + x)
    if t == 17:
        side = torch.log(h - h)
        loss = loss + side.sum()
    loss = loss + h.sum()
loss.backward()
"""
"""A gradient that is not finite, from a place inside a loop that is folded."""


FAILS = """import torch
x = torch.ones(2, requires_grad=True)
{}x + torch.ones(3)
{}""".format("print(x)\n" * 60, "print(x)\n" * 60)
"""It prints more than there is room for, and fails in the middle of its text."""
IN_SIGHT = """() => {
    const within = (part, box) => {
        if (!part || !box) return false;
        const [inner, outer] = [part, box].map((each) => each.getBoundingClientRect());
        return inner.top >= outer.top && inner.bottom <= outer.bottom + 1;
    };
    const { view } = window.__gradtapeEditor.editor_0;
    const error = document.querySelector('.st-key-console .gt-error');
    return [
        within(view.dom.querySelector('.gt-wrong'), view.scrollDOM),
        within(error, error?.closest('[data-testid=stLayoutWrapper]')),
    ];
}"""
"""Whether the line that failed is seen in the editor, and the error below it."""


def test_signs_say_what_they_do(page: Gradtape) -> None:
    drawn = {
        name: page.page.locator(f".debug button[aria-label^='{name}'] path").evaluate_all(
            "all => all.map((p) => p.getAttribute('d'))"
        )
        for name in ("Previous change", "Next change", "Breakpoints")
    }
    for name in ("Previous change", "Next change"):
        assert not re.search("[aAcCqQ]", drawn[name][0]), f"{name}: a bent arrow says undo"
    assert drawn["Previous change"] != drawn["Next change"]
    assert len(drawn["Breakpoints"]) == 2, "a dot beside lines of a program: the dot alone says record"


def test_the_status_says_how_a_run_ended_and_counts_one_as_one(page: Gradtape) -> None:
    status = page.page.locator(".gt-summary")
    expect(status).to_contain_text("ran in")
    page.run("import torch\nx = torch.ones(1)\n")
    expect(status).to_contain_text(re.compile(r"\b2 events|\b1 event\b"))
    assert "1 events" not in status.inner_text()
    page.set_code(FAILS)
    expect(status).to_contain_text("failed after")
    assert "ran in" not in status.inner_text()
    page.until(lambda: page.page.evaluate(IN_SIGHT) == [True, True], "the error and its line are in sight")
    page.ready()
    page.page.wait_for_timeout(300)  # the picture has told the editor which card is selected
    assert page.page.evaluate(IN_SIGHT) == [True, True], "they stay there"
    assert page.page.evaluate("window.__gradtapeEditor.editor_0.view.hasFocus")
    page.set_code("print(1)")
    expect(status).to_contain_text("ran in")
    assert "1 events" not in status.inner_text()


@pytest.mark.parametrize("blank", [{}, {"width": 1100, "height": 800}], ids=["1480", "1100"], indirect=True)
def test_panels_that_look_and_panels_that_try_are_told_apart(page: Gradtape) -> None:
    group = page.page.locator(".st-key-panel_tab [role=radiogroup]")
    assert page.shifted() < 0.05, "nothing moves while the page comes"
    words = [group.evaluate(f"e => getComputedStyle(e, '{part}').content") for part in ("::before", "::after")]
    assert words == ['"Look"', '"Try"']
    tops = group.get_by_role("radio").evaluate_all("all => all.map((each) => Math.round(each.getBoundingClientRect().top))")
    assert len(set(tops[:4])) == 1, "Inspector, Findings, Ledger, Tensors"
    assert len(set(tops[4:])) == 1, "What if, Sweep, Check, Compare"
    assert tops[0] < tops[4]


def test_an_empty_panel_says_in_a_line_what_it_does(page: Gradtape) -> None:
    page.run("import torch\nx = torch.ones(2)\n")
    says = {"Ledger": "each backward pass has added", "Check": "finite differences", "Compare": "two runs in one graph"}
    for panel, words in says.items():
        page.page.locator(".st-key-panel_tab").get_by_role("radio", name=panel).click()
        expect(page.page.locator(".st-key-panel .gt-does")).to_contain_text(words)


@pytest.mark.thorough
@pytest.mark.parametrize("blank", [{"width": 1100, "height": 800}, {"width": 1280, "height": 800}], ids=str, indirect=True)
def test_the_header_is_one_row_with_the_whole_status(page: Gradtape) -> None:
    text = f"import torch\nx = torch.ones(1)\nlong = torch.tensor([\n{' ' * 40}1.0, {'2.0, ' * 12}])\n"
    page.page.evaluate("text => window.__gradtapeEditor.editor_0.setText(text)", text)
    page.page.locator(".st-key-editor_0 .cm-content").click()
    page.page.keyboard.type("#")
    page.page.wait_for_timeout(500)  # the editor has told of it
    page.settled()
    page.page.get_by_role("button", name="Help").click()  # the page is drawn anew
    expect(page.page.locator(".gt-summary")).to_contain_text("edited since")
    page.page.keyboard.press("Escape")
    page.settled()
    boxes = page.page.locator(".st-key-header > *").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect()).filter((b) => b.width > 20).map((b) => [b.top, b.bottom, b.right])"
    )
    width = page.page.viewport_size["width"]  # type: ignore[index]
    assert max(top for top, _, _ in boxes) < min(bottom for _, bottom, _ in boxes), "one row"
    assert max(right for _, _, right in boxes) <= width
    assert page.page.locator(".gt-summary").evaluate("e => e.scrollWidth <= e.clientWidth"), "nothing of it is cut off"
    hang = "all => Math.max(...all.map((e) => parseFloat(getComputedStyle(e).paddingLeft) / e.clientWidth))"
    assert page.page.locator(".cm-line").evaluate_all(hang) < 0.35, "a line that begins far in goes on where there is room"


@pytest.mark.thorough
@pytest.mark.parametrize("blank", [{}, {"width": 1100, "height": 800}], ids=["1480", "1100"], indirect=True)
def test_no_label_of_the_timeline_is_cut_off(page: Gradtape) -> None:
    labels = page.page.locator(".timeline .pale span")
    found = labels.evaluate_all("all => all.map((e) => [e.textContent, e.scrollWidth > e.clientWidth])")
    assert [text for text, _ in found[:4]] in (["forward", "backward 1"] * 2, *[
        [a, "backward 1", b, "backward 2"] for a in ("forward", "fwd") for b in ("forward", "fwd")
    ], ["fwd", "bwd 1", "fwd", "bwd 2"], ["forward", "bwd 1", "forward", "bwd 2"])  # fmt: skip
    assert not any(cut for _, cut in found), found


@pytest.mark.thorough
def test_what_was_searched_for_is_forgotten_with_another_program(page: Gradtape, tmp_path: Path) -> None:
    box = page.page.get_by_role("searchbox")
    box.fill("y1")
    expect(page.page.locator(".find .count")).not_to_have_text("")
    page.page.get_by_role("radio", name="Autograd").click()
    page.settled()
    assert box.input_value() == "y1", "another view of the same run"
    page.run(page.code() + "\nprint(x2.grad)\n")
    page.until(lambda: box.input_value() == "y1", "it stays with the same program, changed a little", box.input_value)
    file = tmp_path / "other.py"
    file.write_text("import torch\nw = torch.ones(2, requires_grad=True)\nw.exp().sum().backward()\n")
    page.page.locator(".st-key-opening button").click()
    page.page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
    page.until(lambda: "w.exp" in page.code(), "the file")
    page.until(lambda: box.input_value() == "", "it is forgotten")


def on_screen(page: Gradtape, name: str) -> bool:
    """Whether a card of this name is drawn inside the stage."""
    return bool(page.page.evaluate("""(name) => {
        const player = window.__gradtapePlayer;
        const id = player.find(name).at(-1);
        if (!id) return false;
        const { x, y } = player.screen(id);
        const box = document.querySelector('.st-key-player').getBoundingClientRect();
        return x > box.left && x < box.right && y > box.top && y < box.bottom;
    }""", name))  # fmt: skip


@pytest.mark.thorough
def test_show_in_the_graph_opens_the_group_that_holds_the_node(page: Gradtape) -> None:
    page.run(NEVER)
    unroll(page)
    assert groups(page)
    assert not on_screen(page, "side")
    page.page.locator(".st-key-panel_tab").get_by_role("radio", name="Findings").click()
    link = page.page.get_by_role("button", name="show in the graph").first
    link.wait_for()
    before = page.page.evaluate("window.__gradtapePlayer.groups().length")
    link.click()
    page.until(lambda: len(page.page.locator(".folds .chip:visible").all()) > 0, "a group is open")
    page.until(lambda: bool(page.player.get_attribute("data-overlay")), "and the node in it is marked")
    page.settled()
    selected = page.player.get_attribute("data-selected") or ""
    assert not selected.startswith("g:"), before
    page.until(lambda: on_screen(page, "side"), "it is seen")
    assert link.get_attribute("aria-pressed") == "true"
    link.click()
    page.until(lambda: not page.player.get_attribute("data-overlay"), "pressed again, it takes the marks away")


@pytest.mark.thorough
def test_find_and_links_to_a_moment_go_into_closed_groups(page: Gradtape) -> None:
    page.run(LOOP.format(steps=60))
    unroll(page)
    assert not on_screen(page, "special")
    box = page.page.get_by_role("searchbox")
    box.fill("name:special")
    box.press("Enter")
    page.until(lambda: on_screen(page, "special"), "it is opened and seen")
