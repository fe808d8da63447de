"""The page served on this machine and driven in a real Chromium."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, expect, sync_playwright

from benchmarks.serving import ROOT, served
from tests.browser.install import find
from tests.conftest import cores

PATIENCE = 90_000
"""Milliseconds after which something counts as never happening, on a slow machine too."""
expect.set_options(timeout=PATIENCE)
ASKING = 5_000
"""Milliseconds for which a page asks itself whether something is true before it is asked anew."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
COLOURS = """() => [...document.querySelectorAll('.stApp, .stApp *')].map((each) => {
    const { color, backgroundColor, opacity } = getComputedStyle(each);
    return [color, backgroundColor, opacity].join();
}).join()"""
SHIFTED = """() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) sum += hadRecentInput ? 0 : value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 100);
})"""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
KEEPING = "GRADTAPE_ARTIFACTS" in os.environ
"""Whether screenshots are kept of tests that pass too."""
SCREENSHOTS = Path(os.environ.get("GRADTAPE_ARTIFACTS", ROOT / "artifacts")) / "screenshots"
LEFT = re.compile("WebSocketClosedError|StreamClosedError")
"""What a server may tell at length of a browser that has left."""
FAILED = pytest.StashKey[bool]()
"""Whether a test has failed."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """As many processes as there are cores: a browser and a page are processes of their own."""
    return cores()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note which tests have failed, for fixtures that clean up after them; one that is tried again has not."""
    report = yield
    item.stash[FAILED] = report.failed or (call.when != "setup" and item.stash.get(FAILED, False))
    return report


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page's server tells."""
    return tmp_path_factory.mktemp("server") / "log"


@pytest.fixture(scope="session")
def address(log: Path) -> Iterator[str]:
    """Where the page is served for this session."""
    with served(log) as page:
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


@contextmanager
def suppress_navigation() -> Iterator[None]:
    """What was asked of a page that is just leaving is asked again of the next."""
    try:
        yield
    except Error as error:
        if "context was destroyed" not in str(error):
            raise


LARGE = ((1480, 920), (1100, 800))
"""Screens that the page is made for."""


class Gradtape:
    """The page as a user handles it."""

    def __init__(self, page: Page, name: str = "") -> None:
        self.page = page
        self.name = name
        self.player = page.locator(".player")

    def ready(self) -> None:
        """Wait until the graph is painted and the page is at rest: on a busy machine what the server has sent is drawn long
        after it has ended, and what comes last of it is the panel, which a page within another has not."""
        self.player.wait_for(state="visible", timeout=PATIENCE)
        if "embed=true" not in self.page.url:
            self.page.locator("[data-gt-told]").wait_for(state="attached")
        self.until_true("Boolean(window.__gradtapePlayer && window.__gradtapeEditor)")
        self.settled()

    def until_true(self, expression: str, arg: Any = None) -> Any:
        """Wait until something is true in the page, and give it.

        Playwright's `wait_for_function` has the page itself evaluate text, which the page's policy forbids. The page asks
        itself again and again: a message for each time would take the two of them more than what they wait for.
        """
        asking = f"""async ([arg, patience]) => {{
            for (const until = performance.now() + patience; performance.now() < until;) {{
                let found = ({expression});
                if (typeof found === "function") found = found(arg);
                if (found) return found;
                await new Promise((resolve) => setTimeout(resolve, 30));
            }}
        }}"""
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            with suppress_navigation():
                if found := self.page.evaluate(asking, [arg, ASKING]):
                    return found
            self.page.wait_for_timeout(30)
        raise AssertionError(f"never true: {expression}")

    def shifted(self) -> float:
        """How far what is seen has moved by itself since the document came: the sum of its layout shifts."""
        return float(self.page.evaluate(SHIFTED))

    def settled(self) -> None:
        """Wait until Streamlit has finished running the script."""
        self.until_true("!document.querySelector('[data-test-script-state=\"running\"]')")

    def clear_up(self) -> None:
        """Close what is open, and choose of views and panels those of a fresh visit."""
        self.page.keyboard.press("Escape")
        for key, name in (("modes", "Code"), ("panel_tab", "Inspector"), ("view", "Tensors and ops")):
            other = self.page.locator(f".st-key-{key} [role=radio][aria-checked=false]", has_text=name)
            if other.count():
                other.click()
                self.settled()

    def run(self, text: str) -> None:
        """Run a program and wait for its tape.

        Another picture of the run before may still be on its way, so the run itself is looked at, not what is drawn of it.
        """
        run = "window.__gradtapePlayer?.run() ?? ''"
        before = self.page.evaluate(run)
        self.set_code(text)
        self.until_true(f"(before) => ![before, ''].includes({run})", before)
        self.settled()

    def looks(self, sizes: Sequence[tuple[int, int]] = LARGE) -> Iterator[str]:
        """The page at each of these sizes, light and dark, in turn; with `GRADTAPE_ARTIFACTS` a screenshot of each is kept."""
        with self.without_fading():
            for width, height in sizes:
                self.page.set_viewport_size({"width": width, "height": height})
                for scheme in SCHEMES:
                    self.turn(scheme)
                    look = f"{width}x{height}-{scheme}"
                    yield look
                    if KEEPING:
                        self.screenshot(look)

    @contextmanager
    def without_fading(self) -> Iterator[None]:
        """Colours change at once meanwhile: those that fade would be seen half-way, and the fading costs a second."""
        style = self.page.add_style_tag(content="*, ::before, ::after { transition: none !important }")
        yield
        style.evaluate("style => style.remove()")

    def turn(self, scheme: Literal["light", "dark"]) -> None:
        """Turn the page light or dark, and wait until it is."""
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        self.until_true(f"getComputedStyle(document.querySelector('.stApp')).colorScheme === '{scheme}'")
        self.settled()
        if self.player.count():
            self.page.locator(f".player[data-theme={scheme}]").wait_for()
        self.still()

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

    def until(self, condition: Callable[[], bool], what: str, seen: Callable[[], object] = lambda: "") -> None:
        """Wait until something holds; `seen` tells what is the case instead when it never does."""
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never happened: {what} {seen()}".rstrip())

    def set_code(self, text: str) -> None:
        """Put a program into the editor and run it with Ctrl+Enter."""
        self.page.evaluate("text => window.__gradtapeEditor.editor_0.setText(text)", text)
        self.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
        self.page.keyboard.press("Control+Enter")

    def code(self) -> str:
        """The editor's text."""
        # The editor may be on its way from one place of the page to another.
        found = self.until_true("(e => e && { text: e.getText() })(window.__gradtapeEditor?.editor_0)")
        return str(found["text"])

    def click_node(self, title: str) -> None:
        """Select the card whose title this is (the last one, if there are several) with a click.

        A picture that is drawn anew just before the click is clicked again, as a user would.
        """
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            found = self.until_true("title => window.__gradtapePlayer?.find?.(title)?.at(-1)", title)
            spot = self.resting(found)
            self.page.mouse.click(spot["x"], spot["y"])
            for _ in range(30):
                if self.player.get_attribute("data-selected") == found:
                    return
                self.page.wait_for_timeout(50)
        raise AssertionError(f"never selected: {title}")

    def resting(self, id: str) -> dict[str, float]:
        """Where a card stands on the screen once the camera has come to rest."""
        spot, before = self._spot(id), None
        while spot != before:
            self.page.wait_for_timeout(120)
            spot, before = self._spot(id), spot
        return spot

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


@contextmanager
def listening(tab: Page, **heard: Callable[[Any], None]) -> Iterator[None]:
    """Listen to what a tab tells, and no longer."""
    for event, listener in heard.items():
        tab.on(event, listener)  # type: ignore[call-overload]
    yield
    for event, listener in heard.items():
        tab.remove_listener(event, listener)


class Tab:
    """The one tab in which the visits of a session are made, one after the other.

    A tab of its own for each would have a process of its own, in which the page's scripts are read anew: twice the price.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page | None = None
        self.others: set[Page] = set()
        self.visitor = ""
        """Whose visit it is that goes on after a test; nothing where there is none."""

    def empty(self, width: int, height: int, scheme: Literal["light", "dark"]) -> Page:
        """The tab, nothing in it."""
        if self.visitor:
            self.leave()
        if self.page is None or self.page.is_closed():
            self.page = self.context.new_page()
        return self.made(width, height, scheme)

    def made(self, width: int, height: int, scheme: Literal["light", "dark"]) -> Page:
        """The tab as large and as light as it is asked for."""
        assert self.page is not None
        self.others = set(self.context.pages)
        self.page.set_default_timeout(PATIENCE)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme, reduced_motion="no-preference")
        return self.page

    def leave(self) -> None:
        """End the visit: nothing of it stays, nor of what it has opened."""
        assert self.page is not None
        self.visitor = ""
        # What is typed last is kept when the page goes: not here.
        self.page.evaluate("Storage.prototype.setItem = () => {}; localStorage.clear(); sessionStorage.clear()")
        self.page.goto("about:blank")
        self.pause()

    def pause(self) -> None:
        """End a test, but not the visit."""
        assert self.page is not None
        self.page.mouse.move(0, 0)
        self.context.clear_permissions()
        self._close(set(self.context.pages) - self.others)

    def drop(self) -> None:
        """End a visit that has gone wrong, and its tab with it, and what it kept: another try is a fresh visit."""
        assert self.page is not None
        self.visitor, url = "", urlsplit(self.page.url)
        self._close(set(self.context.pages) - self.others | {self.page})
        self.page = self.context.new_page()
        if url.netloc:
            # The page itself may be stuck, or gone, and is asked nothing any more.
            kept = {"origin": f"{url.scheme}://{url.netloc}", "storageTypes": "all"}
            self.context.new_cdp_session(self.page).send("Storage.clearDataForOrigin", kept)

    def _close(self, pages: set[Any]) -> None:
        for page in pages:
            page.close()


@pytest.fixture(scope="session")
def tab(visit: BrowserContext) -> Tab:
    """Where visits are made."""
    return Tab(visit)


Watched = AbstractContextManager[None]
"""While it is entered, what goes wrong in a visit is noted; then it is told."""


@pytest.fixture
def watched(address: str, log: Path, tab: Tab, request: pytest.FixtureRequest) -> Callable[[Gradtape], Watched]:
    """Watches a visit. Afterwards: no errors in the console or on the server, no request to anywhere else.

    A screenshot is kept of what has failed, with `GRADTAPE_ARTIFACTS` of everything.
    """
    local = ("data:", "blob:", "about:blank", address, address.replace("http", "ws", 1))

    @contextmanager
    def watch(handled: Gradtape) -> Iterator[None]:
        errors: list[str] = []
        foreign: list[str] = []
        told = log.stat().st_size
        with listening(
            handled.page,
            pageerror=lambda e: errors.append(str(e)),
            console=lambda m: errors.append(m.text) if m.type == "error" else None,
            request=lambda r: foreign.append(r.url) if not r.url.startswith(local) else None,
        ):
            yield
            failed = request.node.stash[FAILED]
            if (failed or KEEPING) and not handled.page.is_closed():
                handled.screenshot()
            if failed:
                tab.drop()
            elif tab.visitor:
                tab.pause()
            else:
                tab.leave()
        assert errors == []
        assert foreign == []
        raised = log.read_bytes()[told:].decode(errors="replace")
        assert "Traceback" not in raised or LEFT.search(raised), raised

    return watch


LOOKS: dict[str, Any] = {"width": 1480, "height": 920, "scheme": "light"}


@pytest.fixture
def blank(tab: Tab, watched: Callable[[Gradtape], Watched], request: pytest.FixtureRequest) -> Iterator[Gradtape]:
    """A watched tab with nothing in it."""
    handled = Gradtape(tab.empty(**LOOKS | getattr(request, "param", {})), request.node.name)
    with watched(handled):
        yield handled


@pytest.fixture
def fresh(blank: Gradtape, address: str) -> Gradtape:
    """A fresh visit."""
    blank.page.goto(address)
    blank.ready()
    return blank


@pytest.fixture
def page(fresh: Gradtape) -> Gradtape:
    """The page, a fresh visit; a file the tests of which can do with one visit for all says so (`shared`)."""
    return fresh


@pytest.fixture
def shared(
    address: str, tab: Tab, watched: Callable[[Gradtape], Watched], request: pytest.FixtureRequest
) -> Iterator[Gradtape]:
    """A visit that the tests of a file have in common: a fresh one for the first and after a failure, for every other the
    page as the last has left it, with nothing open. For tests that run a program of their own first; others need a fresh visit.
    """
    visitor = str(request.path)
    again = tab.visitor == visitor
    handled = Gradtape(tab.made(**LOOKS) if again else tab.empty(**LOOKS), request.node.name)
    with watched(handled):
        tab.visitor = visitor
        if again:
            handled.clear_up()
        else:
            handled.page.goto(address)
            handled.ready()
        yield handled
