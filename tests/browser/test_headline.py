"""Findings call: the worst in a line above everything, a red count on their tab, signs beside the lines they are about."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

BROKEN = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    loss = (w * w).sum()
    loss.backward()
    opt.step()
print(loss)
"""
TWICE = BROKEN + "y = torch.zeros(2, requires_grad=True).sqrt().sum()\ny.backward()\nz = (w - w).log()\n"
SOUND = """\
import torch
w = torch.ones(2, requires_grad=True)
(w * w).sum().backward()
print(w.grad)
"""
SHIFTS = """() => { window.shifted = 0; new PerformanceObserver((list) => {
    const parts = '.stColumn, .st-key-body, .st-key-program, .st-key-graph, .st-key-panel';
    for (const { value, sources } of list.getEntries()) {
        if (sources.some(({ node }) => node?.matches?.(parts))) window.shifted += value;
    }
}).observe({ type: 'layout-shift' }); }"""
"""How far the page's parts have moved: what stands in them is another run's."""
PLACES = (
    "() => ['program', 'graph', 'panel'].map((name) => document.querySelector(`.st-key-${name}`).getBoundingClientRect().top)"
)
WATCHED = """() => { window.changes = 0; new MutationObserver((all) => { window.changes += all.length; }).observe(
    document.querySelector('.st-key-headline'), { subtree: true, childList: true, characterData: true, attributes: true }
); }"""


@pytest.fixture
def page(shared: Gradtape) -> Gradtape:
    return shared


@pytest.fixture
def broken(page: Gradtape) -> Gradtape:
    page.run(BROKEN)
    page.page.locator(".st-key-headline_error").wait_for()
    return page


def test_the_worst_finding_stands_above_the_graph_and_opens_at_its_moment(broken: Gradtape) -> None:
    line = broken.page.locator(".st-key-headline_error button")
    expect(line).to_contain_text("w.grad is not cleared between updates")
    expect(line).to_contain_text("line 6")
    above = broken.page.locator(".st-key-graph").bounding_box()
    there = line.bounding_box()
    assert above is not None
    assert there is not None
    assert there["y"] + there["height"] <= above["y"]
    end = broken.step
    line.click()
    broken.page.locator(".st-key-findings h3").first.wait_for()
    broken.until(lambda: broken.step < end, "the moment is shown")
    expect(broken.page.locator(".st-key-findings h3").first).to_contain_text("w.grad is not cleared")


def test_others_are_counted_beside_the_worst(page: Gradtape) -> None:
    page.run(TWICE)
    rest = page.page.locator(".st-key-headline_rest button")
    rest.wait_for()
    count = page.page.locator(".st-key-panel_tab [role=radio] strong")
    expect(rest).to_contain_text("more: ")
    assert int(count.inner_text()) >= 2
    end = page.step
    rest.click()
    page.page.locator(".st-key-findings h3").nth(1).wait_for()
    assert page.step == end


def test_the_count_on_the_tab_is_red_in_light_and_dark(broken: Gradtape) -> None:
    count = broken.page.locator(".st-key-panel_tab [role=radio]", has_text="Findings").locator("strong")
    expect(count).to_have_text("1")
    for _ in broken.looks(((1480, 920),)):
        red, green, blue = count.evaluate("each => getComputedStyle(each).color.match(/[\\d.]+/g).map(Number).slice(0, 3)")
        assert red > 1.3 * max(green, blue)


def test_nothing_moves_whether_there_are_findings_or_none(page: Gradtape) -> None:
    page.run(SOUND)
    expect(page.page.locator(".st-key-headline")).to_contain_text("Nothing looks wrong")
    before = page.page.evaluate(PLACES)
    page.page.evaluate(SHIFTS)
    page.run(BROKEN)
    page.page.locator(".st-key-headline_error").wait_for()
    page.settled()
    assert page.page.evaluate(PLACES) == pytest.approx(before, abs=1)
    assert page.page.evaluate("window.shifted") < 0.05


@pytest.mark.thorough
def test_the_line_does_not_change_from_step_to_step(broken: Gradtape) -> None:
    broken.until(
        lambda: broken.page.evaluate("window.__gradtapeEditor.editor_0.marks().some(({ proof }) => proof)"), "the fix is proven"
    )
    broken.settled()
    broken.page.locator(".player").focus()
    broken.page.evaluate(WATCHED)
    step = broken.step
    for _ in range(6):
        broken.page.keyboard.press("ArrowLeft")
    broken.until(lambda: broken.step == step - 6, "six steps back")
    broken.page.wait_for_timeout(400)
    broken.settled()
    assert broken.page.evaluate("window.changes") == 0


def number_of(page: Gradtape, line: int) -> tuple[float, float]:
    """Where a line's number is."""
    box = page.page.locator(
        ".cm-lineNumbers .cm-gutterElement:not([style*='visibility: hidden'])", has_text=str(line)
    ).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_line_with_a_finding_has_a_sign_and_applies_its_fix(broken: Gradtape) -> None:
    sign = broken.page.locator(".cm-lineNumbers .gt-wrong-number.gt-error")
    expect(sign).to_have_text("6")
    broken.page.mouse.move(*number_of(broken, 6))
    told = broken.page.locator(".gt-marks")
    expect(told).to_contain_text("w.grad is not cleared between updates")
    expect(told).to_contain_text("the finding is gone")
    told.get_by_role("button", name="Apply").click()
    broken.until(lambda: "    opt.zero_grad()\n    loss =" in broken.code(), "the change is in the text")
    expect(broken.page.locator(".st-key-headline")).to_contain_text("Nothing looks wrong")
    expect(sign).to_have_count(0)


def test_what_a_sign_says_is_reached_and_left_with_the_keyboard(broken: Gradtape) -> None:
    broken.until(
        lambda: broken.page.evaluate("window.__gradtapeEditor.editor_0.marks().some(({ proof }) => proof)"), "the fix is proven"
    )
    broken.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    broken.page.keyboard.press("F8")
    told = broken.page.locator(".gt-marks")
    told.wait_for()
    broken.page.keyboard.press("Alt+ArrowDown")
    expect(told.get_by_role("button", name="Apply")).to_be_focused()
    broken.page.keyboard.press("Escape")
    expect(told).to_have_count(0)
    expect(broken.page.locator(".cm-content")).to_be_focused()


@pytest.mark.thorough
def test_a_fix_for_a_text_that_was_changed_since_is_not_applied(broken: Gradtape) -> None:
    broken.until(
        lambda: broken.page.evaluate("window.__gradtapeEditor.editor_0.marks().some(({ proof }) => proof)"), "the fix is proven"
    )
    broken.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    broken.page.keyboard.press("Control+End")
    broken.page.keyboard.type("# more")
    broken.page.mouse.move(*number_of(broken, 6))
    expect(broken.page.locator(".gt-marks").get_by_role("button", name="Apply")).to_be_disabled()
    broken.page.mouse.move(0, 0)
