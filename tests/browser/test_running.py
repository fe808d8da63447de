"""Programs that take long: the page shows how long, lets them be cancelled, and goes on answering."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from benchmarks.serving import served
from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

ENDLESS = "import torch\nx = torch.ones(2, requires_grad=True)\nwhile True:\n    pass\n"


def status(page: Gradtape) -> str:
    """What the bar says; nothing while there is none."""
    bar = page.page.locator(".gt-running")
    return "".join(bar.all_inner_texts())  # in one look: it may go at any time


def running(page: Gradtape) -> bool:
    return status(page).startswith("Running · ")


@pytest.mark.thorough
def test_a_long_program_shows_its_time_and_is_cancelled(page: Gradtape) -> None:
    nodes = page.player.get_attribute("data-nodes")
    page.set_code(ENDLESS)
    page.until(lambda: running(page), "the time it has run")
    first = status(page)
    page.until(lambda: status(page) not in ("", first), "the time goes on")
    assert page.player.get_attribute("data-nodes") == nodes, "the last picture stays"
    page.page.get_by_role("button", name="Cancel").click()
    page.until(lambda: not status(page), "the bar has gone")
    page.settled()
    assert page.code() == ENDLESS, "the program is kept"
    assert page.player.get_attribute("data-nodes") == nodes
    assert "edited since" in page.page.locator(".gt-summary").inner_text()


HEADER = """() => {
    const header = document.querySelector('.st-key-header').getBoundingClientRect();
    const controls = [...document.querySelectorAll('.st-key-header button')].map((each) => each.getBoundingClientRect());
    const both = (one, two) => one.left < two.right - 1 && two.left < one.right - 1;
    const over = controls.flatMap((one, k) => controls.slice(k + 1).filter((two) => both(one, two)));
    return { high: header.height, over: over.length, out: controls.filter((each) => each.right > innerWidth).length };
}"""
"""How high the header is, and how many of its buttons stand over others or beyond the page."""


def test_the_page_answers_while_a_program_runs(page: Gradtape) -> None:
    title = page.page.get_by_role("textbox", name="Title")
    title.fill("What is said about gradients in the third week of the course")
    title.press("Enter")
    page.settled()
    row = {"high": 40, "over": 0, "out": 0}
    assert page.page.evaluate(HEADER) == row
    page.set_code(ENDLESS)
    page.until(lambda: running(page), "it runs")
    for width in (1480, 1100):  # Stop and Cancel have come, and nothing has gone into a second row
        page.page.set_viewport_size({"width": width, "height": 800})
        page.until(lambda: page.page.evaluate(HEADER) == row, "one row", lambda: page.page.evaluate(HEADER))
    page.page.set_viewport_size({"width": 1480, "height": 920})
    page.page.get_by_role("radio", name="Ledger").click()
    page.page.get_by_text("x1.grad", exact=True).wait_for()
    page.page.get_by_role("button", name="Examples").click()
    page.page.get_by_role("button", name="Broadcasting", exact=True).click()
    page.until(lambda: "Broadcasting" in page.code(), "the other example's text")
    page.until(lambda: not status(page), "its run is done and the endless one given up")
    assert "ran in" in page.page.locator(".gt-summary").inner_text()


@pytest.mark.thorough
def test_a_program_that_ran_too_long_says_so(page: Gradtape) -> None:
    page.set_code(ENDLESS)
    page.until(lambda: running(page), "it runs")
    page.until(lambda: "ran too long" in page.console(), "it was stopped")
    assert not status(page)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page on a small machine: one slot for quick programs, one for long ones, one place in each queue."""
    log = tmp_path_factory.mktemp("small") / "log"
    with served(log, GRADTAPE_RUNS="2", GRADTAPE_QUEUE="1", GRADTAPE_SECONDS="300") as page:
        yield page.address


@pytest.mark.thorough
def test_visitors_wait_in_a_queue_and_are_told_when_it_is_full(small: str, chromium: Browser) -> None:
    visitors = []
    for _ in range(4):
        context = chromium.new_context(viewport={"width": 1480, "height": 920})
        tab = context.new_page()
        tab.goto(small)
        visitors.append(Gradtape(tab))
        visitors[-1].ready()
    first, second, third, fourth = visitors
    first.set_code(ENDLESS)
    first.until(lambda: running(first), "the first one runs")
    second.set_code(ENDLESS)
    second.until(lambda: running(second), "the second one runs")
    third.set_code(ENDLESS)
    third.until(lambda: running(third), "the third one runs")
    second.until(lambda: status(second) == "Waiting · place 1", "the second one has made room and waits")
    fourth.set_code(ENDLESS)
    third.page.get_by_text("Too many long programs are waiting").wait_for()
    assert third.code() == ENDLESS, "nothing is lost"
    first.page.get_by_role("button", name="Cancel").click()
    second.until(lambda: running(second), "the second one runs again")
    quick = "import torch\nprint('quick', torch.ones(2).sum())\n"
    third.set_code(quick)
    third.until(lambda: third.console().startswith("quick"), "a quick program runs among endless ones")
    for visitor in visitors:
        visitor.page.context.close()


SENDS = """() => {
    const plain = WebSocket.prototype.send;
    window.sent = [];
    WebSocket.prototype.send = function send(bytes) {
        window.sent.push(new TextDecoder('latin1').decode(bytes));
        return plain.call(this, bytes);
    };
}"""


def test_the_page_knows_where_a_new_run_stands_without_being_told(page: Gradtape) -> None:
    page.page.evaluate(SENDS)
    told = "window.sent.filter((each) => each.includes('moment')).length"
    page.run("import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\n")
    page.run("import torch\nx = torch.ones(4, requires_grad=True)\ny = (x * 2).exp().sum()\ny.backward()\n")
    assert page.page.evaluate("window.sent.length")
    assert page.page.evaluate(told) == 0, "it is at its end, with the first leaf selected"
    page.page.keyboard.press("Escape")
    page.click_node("y")
    page.until_true(f"{told} > 0")
    assert "y" in page.inspector()
