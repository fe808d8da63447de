"""The page served on this machine and driven in a real Chromium."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from benchmarks.serving import ROOT, served
from tests.browser.install import find

PATIENCE = 90_000
"""Milliseconds after which something counts as never happening, on a slow machine too."""
expect.set_options(timeout=PATIENCE)
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
COLOURS = """() => [...document.querySelectorAll('.stApp, .stApp *')].map((each) => {
    const { color, backgroundColor, opacity } = getComputedStyle(each);
    return [color, backgroundColor, opacity].join();
}).join()"""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SCREENSHOTS = Path(os.environ.get("GRADTAPE_ARTIFACTS", ROOT / "artifacts")) / "screenshots"


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served for this session."""
    with served(tmp_path_factory.mktemp("server") / "log") as page:
        yield page.address


def chromium_path() -> str:
    """Where the browser is."""
    path = find()
    assert path is not None, "no Chromium: run python -m tests.browser.install"
    return path


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives browsers; there can be one in a process."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """A browser for this session; having none is a failure, not a reason to skip."""
    browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
    yield browser
    browser.close()


LARGE = ((1480, 920), (1100, 800))
"""Screens that the page is made for."""


class Gradtape:
    """The page as a user handles it."""

    def __init__(self, page: Page, name: str = "") -> None:
        self.page = page
        self.name = name
        self.player = page.locator(".player")

    def ready(self) -> None:
        """Wait until the graph is painted and the page is at rest."""
        self.player.wait_for(state="visible", timeout=PATIENCE)
        self.page.wait_for_function("window.__gradtapePlayer && window.__gradtapeEditor", timeout=PATIENCE)
        self.settled()

    def settled(self) -> None:
        """Wait until Streamlit has finished running the script."""
        self.page.wait_for_function("!document.querySelector('[data-test-script-state=\"running\"]')", timeout=PATIENCE)

    def looks(self, sizes: Sequence[tuple[int, int]] = LARGE) -> Iterator[str]:
        """The page at each of these sizes, light and dark, in turn; a screenshot of each is kept."""
        for width, height in sizes:
            self.page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                # Colours that fade from one to the other would be seen half-way.
                self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                self.page.wait_for_function(f"getComputedStyle(document.querySelector('.stApp')).colorScheme === '{scheme}'")
                self.settled()
                if self.player.count():
                    self.page.locator(f".player[data-theme={scheme}]").wait_for()
                self.still()
                look = f"{width}x{height}-{scheme}"
                yield look
                self.screenshot(look)

    def still(self) -> None:
        """Wait until no colour changes any more."""
        now, before = self.page.evaluate(COLOURS), None
        while now != before:
            self.page.wait_for_timeout(100)
            now, before = self.page.evaluate(COLOURS), now

    def screenshot(self, look: str = "") -> None:
        """Keep what is to be seen now under the test's name."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w]+", "_", f"{self.name} {look}").strip("_")
        self.page.screenshot(path=str(SCREENSHOTS / f"{name}.png"))

    @property
    def step(self) -> int:
        """The player's step."""
        return int(self.player.get_attribute("data-step") or -1)

    @property
    def total(self) -> int:
        """How many steps the tape has."""
        return int(self.player.get_attribute("data-total") or -1)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something holds."""
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never happened: {what}")

    def set_code(self, text: str) -> None:
        """Put a program into the editor and run it with Ctrl+Enter."""
        self.page.evaluate("text => window.__gradtapeEditor.editor_0.setText(text)", text)
        self.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
        self.page.keyboard.press("Control+Enter")

    def code(self) -> str:
        """The editor's text."""
        # The editor may be on its way from one place of the page to another.
        found = self.page.wait_for_function("(e => e && { text: e.getText() })(window.__gradtapeEditor?.editor_0)")
        return str(found.json_value()["text"])

    def click_node(self, title: str) -> None:
        """Click the card whose title this is (the last one, if there are several)."""
        point = self.page.evaluate(
            "title => { const p = window.__gradtapePlayer; const ids = p.find ? p.find(title) : null; return ids; }", title
        )
        if point is None:
            raise AssertionError("the player's handle has no find()")
        spot, before = self._spot(point[-1]), None
        while spot != before:  # the camera may be on its way
            self.page.wait_for_timeout(120)
            spot, before = self._spot(point[-1]), spot
        self.page.mouse.click(spot["x"], spot["y"])

    def _spot(self, id: str) -> dict[str, float]:
        """Where a card stands on the screen."""
        found: dict[str, float] = self.page.evaluate("id => window.__gradtapePlayer.screen(id)", id)
        return found

    def inspector(self) -> str:
        """The text of the inspector."""
        return self.page.locator(".st-key-inspector").inner_text()

    def console(self) -> str:
        """The text of the console."""
        return self.page.locator(".gt-console").first.inner_text()


@pytest.fixture(scope="session")
def visit(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser with a profile for this session: what it keeps of the page's scripts spares every visit but the first their
    loading and compiling."""
    context = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"), executable_path=chromium_path(), args=ARGUMENTS
    )
    yield context
    context.close()


@pytest.fixture
def blank(address: str, visit: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Gradtape]:
    """A tab that has not been anywhere. Afterwards: a screenshot, no errors in the console, no request to anywhere else."""
    options: dict[str, Any] = {"width": 1480, "height": 920, "scheme": "light", **getattr(request, "param", {})}
    tab = visit.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.set_viewport_size({"width": options["width"], "height": options["height"]})
    tab.emulate_media(color_scheme=options["scheme"])
    errors: list[str] = []
    foreign: list[str] = []
    tab.on("pageerror", lambda e: errors.append(str(e)))
    tab.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    local = ("data:", "blob:", address, address.replace("http", "ws", 1))
    tab.on("request", lambda r: foreign.append(r.url) if not r.url.startswith(local) else None)
    handled = Gradtape(tab, request.node.name)
    yield handled
    handled.screenshot()
    tab.evaluate("localStorage.clear()")
    tab.close()
    assert errors == []
    assert foreign == []


@pytest.fixture
def page(blank: Gradtape, address: str) -> Gradtape:
    """A fresh visit."""
    blank.page.goto(address)
    blank.ready()
    return blank
