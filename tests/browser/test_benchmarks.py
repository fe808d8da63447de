"""The benchmarks that drive a browser, at their smallest size; the others are in tests/components."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys

import pytest

from benchmarks.serving import ROOT

SCRIPTS = {
    "pictures": (r"^\|MLP, 10\|\d[\d.]*( \([\d.]+\))?\|",),
    "frozen": (
        r"^idle: a new visitor's first picture [\d.]+ s; page's process \d+ MB$",
        r"^a notebook of 0\.1 MB of nested lists, 1 at once: first picture [\d.]+ s .*, page's process \d+ -> \d+ MB",
        r"^its replay saved, 1 at once: first picture [\d.]+ s .*, page's process \d+ -> \d+ MB",
    ),
    "training": (
        r"^6 iterations: [\d,]+ events; run [\d.]+ s; CPU ms: .*, rolled \d+, .*, "
        r"iteration change \(p95\) \d+, findings \d+, inspector \d+; ",
        r"^MLP of 100 nodes: .*, findings \d+, inspector \d+; [\d.]+ MB sent$",
        r"^6 iterations, in the page: Run to the first picture [\d.]+ s, with values [\d.]+ s, with the inspector [\d.]+ s$",
        r"^6 iterations, iteration change to the next one: \d+ ms, p95 \d+ ms$",
        r"^MLP of 100 nodes, in the page: Run to the first picture [\d.]+ s",
    ),
    "long": (
        r"^4,974 events: file opened, first picture [\d.]+ s, with values [\d.]+ s, with the inspector [\d.]+ s$",
        r"^4,974 events, one step: [\d.]+ ms, p95 [\d.]+ ms$",
        r"^4,974 events, iteration change to a far one: \d+ ms, p95 \d+ ms$",
        r"^4,974 events: page's process \d+ MB; the tab holds \d+ MB of script, \d+ MB in all$",
    ),
    "tab": (
        r"^after 6 runs in one tab: [\d.]+ MB of script, [\d,]+ nodes, [\d,]+ listeners; page's process \d+ MB$",
        r"^from 3 to 6 runs: [\d.]+ -> [\d.]+ MB of script, -?[\d.]+ KB a run$",
    ),
    "browser": (
        r"^cold page to the painted default example: [\d.]+ s; first visit of a server [\d.]+ s$",
        r"^from Ctrl\+Enter to the painted graph of about 100 nodes: \d+ ms$",
        r"^MLP, 300 nodes: first picture of its file [\d.]+ s, .* of which the run [\d.]+ s$",
        r"^    a group opened in \d+, \d+ ms; all unfolded in [\d.]+ s$",
        r"^one step, 30\d nodes on show: [\d.]+ ms, at most [\d.]+ ms$",
        r"^    dragged, zoomed out: [\d.]+ ms a frame; the tab holds \d+ MB of script, \d+ MB in all; page's process \d+ MB",
    ),
}
"""Script → lines that it prints."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_benchmark_in_a_browser_can_be_begun(name: str) -> None:
    """Everywhere, so that a rename is not first seen by CI."""
    assert callable(importlib.import_module(f"benchmarks.{name}").main)


@pytest.mark.ci
@pytest.mark.browser
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_benchmark_in_a_browser_runs(name: str) -> None:
    """In a process of its own: there can be one driver of browsers in each."""
    command = [sys.executable, "-W", "error", "-m", f"benchmarks.{name}", "--smallest"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in SCRIPTS[name]:
        assert re.search(line, done.stdout, re.MULTILINE), done.stdout
