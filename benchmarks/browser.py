"""In a real browser: from Run to the painted graph, and one step of the player."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from benchmarks.page import HUNDRED

ROOT = Path(__file__).resolve().parent.parent


def steps() -> None:
    """Median milliseconds of both, with the page served on this machine."""
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), f"--server.port={port}", "--server.address=127.0.0.1"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1480, "height": 920})
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector('.player[data-ready="true"]')
            page.wait_for_function("window.__gradtapeEditor?.editor_0")
            times = []
            for i in range(9):
                text = json.dumps(HUNDRED + f"# {i}\n" + "z = y\n" * i)
                page.evaluate(f"window.__gradtapeEditor.editor_0.setText({text})")
                page.evaluate("window.__gradtapeEditor.editor_0.focus()")
                total = page.get_attribute(".player", "data-total")
                began = time.perf_counter()
                page.keyboard.press("Control+Enter")
                page.wait_for_function(
                    f"document.querySelector('[data-testid=stMain]') && !window.__x && {_total()} !== '{total}'"
                )
                times.append(time.perf_counter() - began)
            print(f"from Ctrl+Enter to the painted graph of about 100 nodes: {statistics.median(times) * 1000:.0f} ms")
            page.mouse.click(800, 780)
            for _ in range(60):
                page.keyboard.press("ArrowLeft")
            taken = page.evaluate("window.__gradtapePlayer.stepTimes")
            print(f"one step in the browser: {statistics.median(taken):.1f} ms")
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _total() -> str:
    """The player's number of steps, wherever it stands among shadow roots."""
    return (
        "(() => { const walk = (r) => { for (const e of r.querySelectorAll('*')) { "
        "if (e.classList?.contains('player')) return e; "
        "if (e.shadowRoot) { const f = walk(e.shadowRoot); if (f) return f; } } return null; }; "
        "return walk(document)?.dataset.total; })()"
    )


def _wait(address: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(address, timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} did not answer")
