"""In a real browser: cold page to picture, Run to picture, steps, and a recording of 10,000 nodes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.page import HUNDRED
from benchmarks.pictures import PROGRAMS
from benchmarks.serving import Served, family, memory, served
from benchmarks.sizes import smallest
from engine.sandbox import Limits, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 120_000
"""Milliseconds after which something counts as never painted."""
GROUPS = "JSON.stringify(window.__gradtapePlayer.groups())"
OTHER = f"(before) => {GROUPS} !== before"
PAINTED = "(title) => window.__gradtapePlayer?.find(title).length"
WHOLE = ".player:not([data-sketch])"
"""A player that has more than the sketch of a large recording."""


def browser(small: bool = False) -> None:
    """Print all figures, the page being served on this machine and painted without a GPU."""
    visits, runs, steps = (1, 2, 2) if small else (6, 9, 60)
    large = [("MLP", 300)] if small else [(title, size) for title in PROGRAMS for size in (1_000, 10_000)]
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    with sync_playwright() as playwright:

        def started() -> Browser:
            return playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])

        with served() as page:
            chromium = started()
            _cold(chromium, page, visits)
            tab = opened_page(chromium, page)
            _runs(tab, runs)
            _stepping(tab, steps)
            chromium.close()
        for title, size in large:
            with served() as page:
                chromium = started()
                _large(chromium, page, title, size, steps)
                chromium.close()


def opened_page(chromium: Browser, page: Served) -> Page:
    """A visit by a browser that has seen nothing of the page before, with the default example painted."""
    tab = chromium.new_context(viewport={"width": 1480, "height": 920}, bypass_csp=True).new_page()
    tab.set_default_timeout(PATIENCE)
    tab.goto(page.address)
    tab.wait_for_function(PAINTED, arg="y1", polling=5)
    tab.wait_for_function("window.__gradtapeEditor?.editor_0")
    return tab


def _cold(chromium: Browser, page: Served, visits: int) -> None:
    times = []
    for _ in range(visits):
        began = time.perf_counter()
        tab = opened_page(chromium, page)
        times.append(time.perf_counter() - began)
        tab.context.close()
    first, *others = times
    usual = statistics.median(others or times)
    print(f"cold page to the painted default example: {usual:.2f} s; first visit of a server {first:.2f} s")


def run_in_page(tab: Page, program: str, title: str) -> tuple[float, float]:
    """Seconds from Ctrl+Enter until a card with this title is painted, and until there is all that happens in the picture."""
    tab.evaluate("t => window.__gradtapeEditor.editor_0.setText(t)", program)
    tab.evaluate("window.__gradtapeEditor.editor_0.focus()")
    return _drawn(tab, lambda: tab.keyboard.press("Control+Enter"), PAINTED, title)


def _drawn(tab: Page, act: Callable[[], None], until: str, argument: object = None) -> tuple[float, float]:
    began = time.perf_counter()
    painted = _timed(tab, act, until, argument)
    tab.locator(WHOLE).wait_for()
    return painted, time.perf_counter() - began


def _timed(tab: Page, act: Callable[[], None], until: str, argument: object = None) -> float:
    began = time.perf_counter()
    act()
    tab.wait_for_function(until, arg=argument, polling=5)
    return time.perf_counter() - began


def _runs(tab: Page, runs: int) -> None:
    # Every run has a leaf of another name, so that the picture can be told from the one before.
    times = [run_in_page(tab, HUNDRED.replace("x", f"x{i}"), f"x{i}")[0] for i in range(runs)]
    print(f"from Ctrl+Enter to the painted graph of about 100 nodes: {statistics.median(times[1:]) * 1000:.0f} ms")


def _stepping(tab: Page, steps: int) -> None:
    """Steps back and on from the end of the last backward pass, where queue, cards and edges change with every step."""
    nodes = _nodes(tab)
    tab.locator(".gt-brand").click()
    taken = []
    for key in ("ArrowLeft", "ArrowRight"):
        for _ in range(steps):
            tab.keyboard.press(key)
        taken += tab.evaluate("n => window.__gradtapePlayer.stepTimes.slice(-n)", steps)
    print(f"one step, {nodes} nodes on show: {statistics.median(taken):.1f} ms, at most {max(taken):.1f} ms")


def _large(chromium: Browser, page: Served, title: str, size: int, steps: int) -> None:
    """Large recordings: run, or opened from a file; groups opened, all unfolded; and what that takes of memory."""
    text, each = PROGRAMS[title]
    program = text.replace("{k}", str(round(size / each)))
    result = run(program, Limits(seconds=60))
    recording = result.recording
    assert recording is not None
    tab = opened_page(chromium, page)
    tab.locator(".st-key-header").get_by_role("button", name="Open").click()
    chooser = tab.locator(".st-key-upload input[type=file]")
    with TemporaryDirectory() as scratch:
        file = Path(scratch) / "large.gradtape"
        recording.save(file)
        opened, read = _drawn(tab, lambda: chooser.set_input_files(file), "() => !window.__gradtapePlayer.find('y1').length")
        tab.wait_for_timeout(1500)
    print(
        f"{title}, {size:,} nodes: first picture of its file {opened:.2f} s, all that happens in it {read:.2f} s; "
        f"page's process {memory(page.pid):.0f} MB",
        end="; ",
    )
    ran, told = run_in_page(tab, program + f"end{size} = loss * 1\n", f"end{size}")
    print(f"Run to the first picture {ran:.2f} s ({told:.2f} s), of which the run {result.seconds:.2f} s")
    tab.wait_for_timeout(1500)
    groups = [_open_group(tab) for _ in range(2)]
    print("    a group opened in " + ", ".join(f"{seconds * 1000:.0f}" for seconds in groups) + " ms", end="; ")
    tab.locator(".st-key-fold").click()
    folded = tab.evaluate(GROUPS)
    unfolded = _timed(tab, tab.get_by_role("option", name="Unfolded").click, OTHER, folded)
    print(f"all unfolded in {unfolded:.2f} s")
    tab.locator(WHOLE).wait_for()
    tab.wait_for_timeout(1500)
    _stepping(tab, steps)
    print(f"    dragged, zoomed out: {_drag(tab):.1f} ms a frame; the tab holds {tab_memory(tab)}; "
          f"page's process {memory(page.pid):.0f} MB, its sandbox {sum(map(memory, family(page.pid)[1:])):.0f} MB")  # fmt: skip
    tab.context.close()


def _nodes(tab: Page) -> int:
    return int(tab.locator(".player").get_attribute("data-nodes") or 0)


def _open_group(tab: Page) -> float:
    """Seconds until one of the groups on show is open."""
    groups = tab.evaluate("window.__gradtapePlayer.groups()")
    chosen = groups[len(groups) // 2]
    seconds = _timed(tab, lambda: tab.evaluate("id => window.__gradtapePlayer.open(id)", chosen), OTHER, tab.evaluate(GROUPS))
    tab.wait_for_timeout(600)
    return seconds


def _drag(tab: Page) -> float:
    """Median milliseconds between painted frames while the picture is dragged."""
    box = tab.locator(".player canvas >> visible=true").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.evaluate("""() => {
        window.__frames = [];
        let last = performance.now();
        const tick = (now) => { window.__frames.push(now - last); last = now; window.__ticking = requestAnimationFrame(tick); };
        window.__ticking = requestAnimationFrame(tick);
    }""")
    tab.mouse.move(x, y)
    tab.mouse.down()
    for k in range(60):
        tab.mouse.move(x + 3 * k, y + k)
    tab.mouse.up()
    frames: list[float] = tab.evaluate("() => { cancelAnimationFrame(window.__ticking); return window.__frames; }")
    return statistics.median(frames)


def tab_memory(tab: Page) -> str:
    """What the tab's script holds, and its whole process."""
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")
    heap = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}["JSHeapUsedSize"] / 1e6
    assert tab.context.browser is not None
    processes = tab.context.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    largest = max(memory(p["id"]) for p in processes if p["type"] == "renderer")
    return f"{heap:.0f} MB of script, {largest:.0f} MB in all"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures."""
    browser(smallest(__doc__, arguments))


if __name__ == "__main__":
    main()
