"""The player under fingers: on a phone everything that a pointer does can be done."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession

from tests.browser.conftest import PATIENCE, Gradtape

pytestmark = pytest.mark.browser

PROGRAM = """\
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.ones(4, 2)
loss = model(x).sum()
loss.backward()
"""

FOLDED = """\
import torch
from torch import nn
def block():
    return nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Tanh())
model = nn.Sequential(*[block() for _ in range(12)])
model(torch.ones(4, 2)).sum().backward()
"""


class Finger:
    """One finger on the glass of a page."""

    def __init__(self, page: Gradtape) -> None:
        self.page = page
        self.session: CDPSession = page.page.context.new_cdp_session(page.page)
        self.now = time.time()

    def _send(self, kind: str, *points: tuple[float, float]) -> None:
        """What the glass notes, a hundredth of a second after what it noted before, however long the page takes."""
        self.now += 0.01
        touches = [{"x": round(x), "y": round(y)} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches, "timestamp": self.now})

    def wait(self) -> None:
        """So long that what follows is no second tap."""
        self.now += 1

    def down(self, x: float, y: float) -> None:
        """Put it down, and leave it there."""
        self._send("touchStart", (x, y))

    def up(self) -> None:
        """Take it away."""
        self._send("touchEnd")

    def tap(self, x: float, y: float) -> None:
        """Down and up at once."""
        self.down(x, y)
        self.up()

    def swipe(self, x: float, y: float, by: float) -> None:
        """Draw it sideways."""
        self.down(x, y)
        for part in range(1, 11):
            self._send("touchMove", (x + by * part / 10, y))
        self.up()


@pytest.fixture
def phone(chromium: Browser, address: str) -> Iterator[Gradtape]:
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.add_init_script("localStorage.setItem('gradtape.tour', 'seen')")
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(address)
    page = Gradtape(tab)
    page.ready()
    assert page.shifted() < 0.05, "nothing moves while the page comes"
    page.run(PROGRAM)
    tab.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    yield page
    context.close()
    assert errors == []


def spot(page: Gradtape, id: str) -> tuple[float, float]:
    found = page.resting(id)
    return found["x"], found["y"]


def test_a_tap_selects_two_open_a_group_or_come_nearer_and_a_rest_shows_what_it_is(phone: Gradtape) -> None:
    finger = Finger(phone)
    tab, player = phone.page, "window.__gradtapePlayer"
    (x, *_) = tab.evaluate(f"{player}.find('x')")
    finger.tap(*spot(phone, x))
    phone.until(lambda: phone.player.get_attribute("data-selected") == x, "a tap selects the card")
    hint = phone.player.locator(".hint")
    assert hint.is_hidden()

    finger.wait()
    finger.down(*spot(phone, x))
    hint.wait_for()
    finger.up()
    assert "x" in hint.inner_text().split("\n")[0]
    assert "hold once more" in hint.inner_text()
    assert phone.player.locator(".card-menu").is_hidden()
    finger.down(*spot(phone, x))
    phone.player.locator(".card-menu").wait_for()
    finger.up()
    stage = phone.player.locator(".stage").bounding_box()
    assert stage is not None
    finger.wait()
    finger.tap(stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] - 50)
    phone.player.locator(".card-menu").wait_for(state="hidden")
    finger.wait()
    before = tab.evaluate(f"{player}.scale()")
    at = spot(phone, x)
    finger.tap(*at)
    finger.tap(*at)
    phone.until(lambda: tab.evaluate(f"{player}.scale()") > 1.5 * before, "two taps come nearer")

    phone.run(FOLDED)

    groups = phone.until_true(f"({player}.groups().length > 0) && {player}.groups()")
    at = spot(phone, groups[0])
    finger.wait()
    finger.tap(*at)
    finger.tap(*at)
    phone.until(lambda: bool(tab.evaluate(f"{player}.opened()")), "two taps open the group")


def test_a_swipe_on_the_timeline_steps_and_a_tap_goes_there(phone: Gradtape) -> None:
    finger = Finger(phone)
    bar = phone.player.locator(".bar").bounding_box()
    words = phone.player.locator(".words").bounding_box()
    assert bar is not None
    assert words is not None
    last = phone.total - 1
    assert phone.step == last
    middle = bar["y"] + bar["height"] / 2
    finger.swipe(bar["x"] + 150, middle, -50)
    phone.until(lambda: phone.step == last - 2, "two strides back", lambda: phone.step)
    finger.swipe(words["x"] + 60, words["y"] + 12, 30)
    phone.until(lambda: phone.step == last - 1, "one stride on, on the words", lambda: phone.step)
    finger.tap(bar["x"] + 3, middle)
    phone.until(lambda: phone.step == 0, "a tap goes there", lambda: phone.step)
    finger.swipe(bar["x"] + 4, middle, bar["width"] - 6)
    phone.until(lambda: phone.step >= last - 1, "a finger on the knob draws it along", lambda: phone.step)
