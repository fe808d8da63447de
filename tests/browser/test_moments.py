"""Time is honest: the output up to the step on show, panels that say when they are behind, moments that one types."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

PROGRAM = """\
import torch
w = torch.ones(2, requires_grad=True)
print("begin")
for i in range(4):
    w.grad = None
    loss = (w * w).sum()
    loss.backward()
    print(i, end=" ")
    print(loss.item())
print("end")
"""
LATER = "() => [...document.querySelectorAll('[data-gt-later]')].map((each) => each.textContent)"
BEHIND = "() => document.querySelector('.st-key-panel').hasAttribute('data-gt-behind')"
NOTED = """() => { window.behind = []; new MutationObserver((all) => {
    for (const { target } of all) window.behind.push(target.hasAttribute('data-gt-behind'));
}).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-gt-behind'] }); }"""
SHADES = """() => ['begin', 'end'].map((said) => getComputedStyle(
    [...document.querySelectorAll('[data-gt-from]')].find((each) => each.textContent === said)).color)"""


@pytest.fixture
def page(shared: Gradtape) -> Gradtape:
    return shared


@pytest.fixture
def ran(page: Gradtape) -> Gradtape:
    page.run(PROGRAM)
    page.page.locator(".player").focus()
    page.page.keyboard.press("End")  # a run that was changed goes on at the moment on show
    page.until(lambda: told(page) == page.step == page.total - 1, "the run is shown at its end")
    return page


def told(page: Gradtape) -> int:
    """The step that the panel speaks of."""
    return int(page.page.locator("[data-gt-at]").get_attribute("data-gt-at") or -1)


def go(page: Gradtape, where: str) -> None:
    """Type where to go."""
    page.page.locator(".player").focus()
    page.page.keyboard.press("g")
    page.page.keyboard.type(where)
    page.page.keyboard.press("Enter")


def test_what_is_printed_later_is_grey_until_its_step(ran: Gradtape) -> None:
    assert ran.page.evaluate(LATER) == []
    go(ran, "line 7")
    ran.until(lambda: ran.page.evaluate(LATER)[-1:] == ["end"], "what comes later is marked")
    assert ran.page.evaluate(LATER)[:2] == ["0 ", "2.0"]
    for _ in ran.looks(((1480, 920),)):
        begin, end = ran.page.evaluate(SHADES)
        assert begin != end
    go(ran, "1")
    ran.until(lambda: "begin" in ran.page.evaluate(LATER), "at the first step nothing is printed")
    go(ran, "line 8")
    ran.until(lambda: ran.page.evaluate(LATER)[0] != "begin", "begin is printed")
    # Half of a line is printed: the other half is not.
    assert "0 " not in ran.page.evaluate(LATER)
    assert ran.page.evaluate(LATER)[0] == "2.0"
    ran.page.keyboard.press("End")
    ran.until(lambda: ran.page.evaluate(LATER) == [], "at the end everything is printed")


def test_a_run_that_goes_on_at_its_moment_has_its_output_marked_by_itself(ran: Gradtape) -> None:
    go(ran, "line 6")
    ran.until(lambda: "end" in ran.page.evaluate(LATER), "what comes later is marked")
    ran.until(lambda: told(ran) == ran.step, "the page knows of the moment")
    ran.run(PROGRAM.replace('print("end")', 'print("over")'))
    ran.until(lambda: "over" in ran.page.evaluate(LATER), "what comes later is marked in the new output")


def test_the_inspector_dims_while_it_is_behind_and_no_longer(ran: Gradtape) -> None:
    ran.settled()
    assert ran.page.evaluate(BEHIND) is False
    ran.page.evaluate(NOTED)
    go(ran, "line 6")
    ran.until(lambda: ran.page.evaluate("window.behind")[:1] == [True], "it was behind at once")
    panel = ran.page.locator(".st-key-inspector")
    ran.until(lambda: ran.page.evaluate(BEHIND) is False, "it is drawn anew")
    ran.settled()
    assert ran.page.evaluate(BEHIND) is False
    opacity = "each => Number(getComputedStyle(each.closest('.st-key-panel > *')).opacity)"
    ran.until(lambda: panel.evaluate(opacity) == 1, "it is in full colour")


def test_what_speaks_of_the_whole_run_does_not_dim_from_step_to_step(ran: Gradtape) -> None:
    ran.page.locator(".st-key-panel_tab").get_by_role("radio", name="Findings").click()
    ran.page.locator(".st-key-findings").wait_for()
    ran.settled()
    ran.page.evaluate(NOTED)
    go(ran, "line 6")
    ran.page.wait_for_timeout(600)
    ran.settled()
    assert ran.page.evaluate("window.behind") == []


@pytest.mark.thorough
def test_one_goes_to_a_step_a_line_and_an_iteration_by_typing(ran: Gradtape) -> None:
    number = ran.page.locator(".player .counter .at")
    number.click()
    ran.page.keyboard.type("5")
    ran.page.keyboard.press("Enter")
    ran.until(lambda: ran.step == 4, "the fifth step")
    ran.page.keyboard.press("ArrowRight")
    ran.until(lambda: ran.step == 5, "the arrows go on from there")
    expect(number).to_have_value("6")
    go(ran, "line 10")
    ran.until(lambda: moment(ran)["span"][0] == 10, "line 10")
    go(ran, "iteration 2")
    ran.until(lambda: ran.player.get_attribute("data-iteration") == "2", "iteration 2")
    before = ran.step
    for nowhere in ("999", "line 1000", "here"):
        go(ran, nowhere)
        expect(ran.page.locator(".player .notice")).not_to_be_empty()
        assert ran.step == before


def moment(page: Gradtape) -> dict[str, Any]:
    found: dict[str, Any] = page.page.evaluate("window.__gradtapePlayer.moment")
    return found
