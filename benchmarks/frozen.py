"""What holds other visitors up: hostile visitors in real browsers, and how long a new visitor's first picture takes meanwhile.

Each scenario is served by a public installation of its own. Its hostile visitors act, all at once, and act again before each of
the new visitors who come meanwhile, one after the other. The bars: a first picture at most twice as late as on the idle server,
and less than 200 MB more in the page's process.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from benchmarks.browser import opened_page
from benchmarks.serving import Served, memory, served
from benchmarks.sizes import smallest
from engine.program.share import Link, pack
from engine.sandbox import Limits, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

LATE, MEGABYTES = 2.0, 200.0
"""How many times as late a first picture may come, and what the page's process may grow by."""
WIDE: ViewportSize = {"width": 1480, "height": 920}
HOSTILE = 3
"""Hostile visitors of a scenario."""


@dataclass(frozen=True)
class Scenario:
    """What hostile visitors do."""

    name: str
    program: str = ""
    """What they come with, in a link."""
    file: Callable[[Path], Path] | None = None
    """What they open, made in a folder."""
    act: Callable[[Page], None] | None = None
    """What they press; None for those who open the file again and again."""


def marks(lines: int) -> str:
    """A short link to a long program: each line has something that What if can put back."""
    return "import torch\nx = torch.tensor(1.)\n" + "y = x * 2  # without .detach() @5\n" * lines


def nested(megabytes: float) -> Callable[[Path], Path]:
    """A notebook whose JSON is nested lists and nothing else."""

    def make(folder: Path) -> Path:
        file = folder / "lists.ipynb"
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1"], "lists": ["deep"]}
        text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        one = "[" * 50 + "]" * 50 + ","
        file.write_text(text.replace('"deep"', one * round(megabytes * 10_000) + "0"))
        return file

    return make


def long(events: int) -> Callable[[Path], Path]:
    """A recording of as many events as a public installation takes."""

    def make(folder: Path) -> Path:
        chain = "import torch\nx = torch.ones(20, requires_grad=True)\ny = x\nwhile True:\n    y = torch.tanh(y * 1.01 + x)\n"
        recording = run(chain, Limits(seconds=60, events=events)).recording
        assert recording is not None
        file = folder / "long.gradtape"
        recording.save(file)
        return file

    return make


def panel(name: str) -> Callable[[Page], None]:
    """A click on a panel."""
    return lambda tab: tab.locator(".st-key-panel_tab").get_by_role("radio", name=name).click(no_wait_after=True)


def save(format: str) -> Callable[[Page], None]:
    """A click on one of Save's files."""

    def act(tab: Page) -> None:
        file = tab.locator(f".st-key-save_menu_{format} button").first
        if not file.count():
            tab.locator(".st-key-save button").first.click()
        file.click()

    return act


def scenarios(small: bool) -> list[Scenario]:
    """All of them."""
    count, megabytes, events = (20, 0.1, 400) if small else (1_000, 30.0, 9_900)
    return [
        Scenario(f"{count:,} lines of marks, What if", marks(count), act=panel("What if")),
        Scenario(f"a notebook of {megabytes:g} MB of nested lists", file=nested(megabytes)),
        Scenario(f"a recording of {events:,} events opened", file=long(events)),
        Scenario("its replay saved", file=long(events), act=save("html")),
        Scenario("its picture saved", file=long(events), act=save("svg")),
    ]


def frozen(small: bool = False) -> bool:
    """Print all figures; returns whether all are within the bars."""
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    visits, hostile = (1, 1) if small else (5, HOSTILE)
    chosen = scenarios(small)[1:4:2] if small else scenarios(small)
    good = True
    with sync_playwright() as playwright, TemporaryDirectory() as scratch:

        def started() -> Browser:
            return playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])

        with served(GRADTAPE_HOSTED="1") as page:
            chromium = started()
            _first_picture(chromium, page)  # which loads what all others find loaded
            idle = statistics.median([_first_picture(chromium, page) for _ in range(visits)])
            print(f"idle: a new visitor's first picture {idle:.2f} s; page's process {memory(page.pid):.0f} MB")
            chromium.close()
        for scenario in chosen:
            file = scenario.file(Path(scratch)) if scenario.file is not None else None
            with served(GRADTAPE_HOSTED="1") as page:
                chromium = started()
                _first_picture(chromium, page)
                before = memory(page.pid)
                contexts = [chromium.new_context(viewport=WIDE, bypass_csp=True) for _ in range(hostile)]
                tabs = [context.new_page() for context in contexts]
                for tab in tabs:
                    _come(tab, page, scenario, file)
                taken, most = [], before
                for _ in range(visits):
                    for tab in tabs:
                        if scenario.act is not None:
                            scenario.act(tab)
                        elif file is not None:
                            _open(tab, file)
                    time.sleep(0.3)
                    taken.append(_first_picture(chromium, page))
                    most = max(most, memory(page.pid))
                chromium.close()
            later = statistics.median(taken)
            fine = later <= LATE * idle and most - before < MEGABYTES
            good &= fine
            print(
                f"{scenario.name}, {hostile} at once: first picture {later:.2f} s ({later / idle:.1f} times, at most "
                f"{max(taken):.2f} s), page's process {before:.0f} -> {most:.0f} MB{'' if fine else '  OVER'}"
            )
    return good


def _first_picture(chromium: Browser, page: Served) -> float:
    began = time.perf_counter()
    tab = opened_page(chromium, page)
    seconds = time.perf_counter() - began
    tab.context.close()
    return seconds


def _come(tab: Page, page: Served, scenario: Scenario, file: Path | None) -> None:
    tab.set_default_timeout(120_000)
    link = urlencode({"p": pack(Link((scenario.program,)))}) if scenario.program else ""
    tab.goto(page.address + (f"?{link}" if link else ""))
    tab.locator(".st-key-header").wait_for()
    tab.wait_for_function("window.__gradtapeEditor?.editor_0")
    if file is not None and scenario.act is not None:
        _open(tab, file)
        # What is said of a file that was opened; of a run it is how long it took.
        tab.wait_for_function("/^[\\d,]+ events/.test(document.querySelector('.gt-summary')?.textContent ?? '')")


def _open(tab: Page, file: Path) -> None:
    """Send a file, without waiting for what comes of it."""
    chooser = tab.locator(".st-key-upload input[type=file]")
    if not chooser.count():
        tab.locator(".st-key-opening button").first.click()
    chooser.set_input_files(file, no_wait_after=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures; fails when one is over its bar."""
    small = smallest(__doc__, arguments)
    if not frozen(small) and not small:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
