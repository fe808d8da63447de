"""A program, a notebook or a recording in the page, as a picture: `python -m tests.browser.look prog.py -o look.png`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from benchmarks.serving import served
from components.page.visit import OPEN
from components.panels import panels
from tests.browser.conftest import PATIENCE, Gradtape
from tests.browser.install import find

FIRST = "Inspector"
"""The panel that a page opens with, which stays on show until another one is drawn."""


def main() -> int:
    """Serve the page with the file, open it in a real browser, and take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "files",
        metavar="file",
        type=Path,
        nargs="+",
        help="a program (.py), a notebook (.ipynb), a recording or several of them",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("look.png"), help="where the picture goes (%(default)s)")
    parser.add_argument("--panel", help="the panel beside the graph")
    parser.add_argument("--dark", action="store_true", help="the page in dark colours")
    parser.add_argument("--width", type=int, default=1480, help="of the window (%(default)s)")
    parser.add_argument("--height", type=int, default=920, help="of the window (%(default)s)")
    args = parser.parse_args()
    if missing := [file for file in args.files if not file.is_file()]:
        parser.error(f"there is no file {missing[0]}")
    if args.panel is not None and args.panel not in panels():
        parser.error(f"there is no panel {args.panel!r}; there are {', '.join(panels())}")
    opened = os.pathsep.join(str(file.resolve(strict=True)) for file in args.files)
    with (
        TemporaryDirectory() as scratch,
        served(Path(scratch) / "log", **{OPEN: opened}) as page,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(
            viewport={"width": args.width, "height": args.height},
            color_scheme="dark" if args.dark else "light",
            reduced_motion="reduce",
        )
        tab.add_init_script("localStorage.setItem('gradtape.tour', 'seen')")
        tab.goto(page.address)
        shown = Gradtape(tab)
        tab.locator(".player, .gt-nothing:not(:has(.gt-bones))").first.wait_for(timeout=PATIENCE)
        if shown.player.count():
            shown.ready()
            if args.panel:
                tab.locator(".st-key-panel_tab").get_by_role("radio", name=args.panel).click()
                if args.panel != FIRST:
                    tab.locator(f".st-key-{FIRST.lower()}").wait_for(state="detached", timeout=PATIENCE)
        shown.settled()
        tab.locator(".st-key-task_figures").wait_for(state="detached", timeout=PATIENCE)
        shown.settled()
        tab.screenshot(path=args.output, caret="hide", animations="disabled")
        failed = tab.locator("[class*=st-key-trouble_]").count()
        browser.close()
        if failed:
            print(f"A part of the page could not be drawn:\n{(Path(scratch) / 'log').read_text()}", file=sys.stderr)
    print(args.output)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
