"""A run of a million events in the page: its file opened, steps, iterations, and what the page's process and the tab hold.

The run is that of `tape`: a small network, recorded once, of which one iteration is repeated.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.browser import WHOLE, opened_page, tab_memory
from benchmarks.serving import memory, served
from benchmarks.sizes import smallest
from benchmarks.tape import PROGRAM, repeated
from benchmarks.training import FIRST, INSPECTOR, OTHER_TEXT, changes
from engine.sandbox import run

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = 60


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures."""
    small = smallest(__doc__, arguments)
    base = run(PROGRAM).recording
    assert base is not None
    with TemporaryDirectory() as scratch:
        file = Path(scratch) / "long.gradtape"
        recording = repeated(base, 5_000 if small else 1_000_000)
        recording.save(file)
        _in_the_page(file, f"{len(recording.events):,} events", 2 if small else 20)


def _in_the_page(file: Path, title: str, count: int) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    with sync_playwright() as playwright, served() as page:
        chromium = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        tab = opened_page(chromium, page)
        _opened(tab, file, title)
        tab.wait_for_timeout(2000)
        _steps(tab, title)
        changes(tab, title, count)
        print(f"{title}: page's process {memory(page.pid):.0f} MB; the tab holds {tab_memory(tab)}")
        chromium.close()


def _opened(tab: Page, file: Path, title: str) -> None:
    tab.locator(".st-key-header").get_by_role("button", name="Open").click()
    before, rev = tab.locator(INSPECTOR).inner_text(), tab.evaluate("window.__gradtapePlayer.rev()")
    began = time.perf_counter()
    tab.locator(".st-key-upload input[type=file]").set_input_files(file)
    tab.wait_for_function(FIRST, arg=rev, polling=5)
    first = time.perf_counter() - began
    tab.locator(WHOLE).wait_for()
    values = time.perf_counter() - began
    tab.wait_for_function(OTHER_TEXT, arg=[INSPECTOR, before], polling=5)
    inspector = time.perf_counter() - began
    print(
        f"{title}: file opened, first picture {first:.2f} s, with values {values:.2f} s, with the inspector {inspector:.2f} s"
    )


def _steps(tab: Page, title: str) -> None:
    tab.locator(".gt-brand").click()
    times = []
    for key in ("ArrowLeft", "ArrowRight"):
        for _ in range(STEPS):
            tab.keyboard.press(key)
        times += tab.evaluate("n => window.__gradtapePlayer.stepTimes.slice(-n)", STEPS)
    print(f"{title}, one step: {statistics.median(times):.1f} ms, p95 {sorted(times)[int(0.95 * (len(times) - 1))]:.1f} ms")


if __name__ == "__main__":
    main()
