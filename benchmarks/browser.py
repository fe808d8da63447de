"""In a real browser: from Run to the painted graph, and one step of the player."""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.page import HUNDRED

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent


def steps() -> None:
    """Median milliseconds of both, with the page served on this machine."""
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), f"--server.port={port}"]
    server = subprocess.Popen(
        [*command, "--server.address=127.0.0.1"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1480, "height": 920})
            page.goto(f"http://127.0.0.1:{port}/")
            player = page.locator(".player")
            player.wait_for()
            page.wait_for_function("window.__gradtapeEditor?.editor_0 && window.__gradtapePlayer")
            times = []
            for i in range(9):
                # Every run has a leaf of another name, so that the picture can be told from the one before.
                page.evaluate("t => window.__gradtapeEditor.editor_0.setText(t)", HUNDRED.replace("x", f"x{i}"))
                page.evaluate("window.__gradtapeEditor.editor_0.focus()")
                began = time.perf_counter()
                page.keyboard.press("Control+Enter")
                page.wait_for_function(f"window.__gradtapePlayer?.find('x{i}').length", polling=5)
                times.append(time.perf_counter() - began)
            print(f"from Ctrl+Enter to the painted graph of about 100 nodes: {statistics.median(times[1:]) * 1000:.0f} ms")
            _stepping(page)
            page.evaluate("t => window.__gradtapeEditor.editor_0.setText(t)", HUNDRED.replace("range(33)", "range(333)"))
            page.evaluate("window.__gradtapeEditor.editor_0.focus()")
            page.keyboard.press("Control+Enter")
            page.wait_for_function("window.__gradtapePlayer?.find('x').length", timeout=60_000)
            page.wait_for_timeout(2000)
            _stepping(page)
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _stepping(page: Page) -> None:
    """Steps back and on from the end of the last backward pass, where queue, cards and edges change with every step."""
    nodes = page.locator(".player").get_attribute("data-nodes")
    page.locator(".gt-brand").click()
    for key, way in (("ArrowLeft", "back"), ("ArrowRight", "on")):
        for _ in range(60):
            page.keyboard.press(key)
        taken = page.evaluate("window.__gradtapePlayer.stepTimes.slice(-60)")
        print(f"one step {way}, {nodes} nodes: {statistics.median(taken):.1f} ms, at most {max(taken):.1f} ms")


def _wait(address: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(address, timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} did not answer")
