"""A recording that is still written is followed in the page, by who has the address that the program prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Error, Page

from benchmarks.serving import ROOT
from tests.browser.conftest import PATIENCE, Gradtape

TRAINS = """import os, time
import gradtape
import torch

w = torch.ones(2, requires_grad=True)
with gradtape.record("run.gradtape", serve=True):
    k = 0
    while not os.path.exists("enough"):
        loss = (w * 0.5).sum()
        loss.backward()
        k += 1
        if k > 8:
            time.sleep(0.05)
            while not os.path.exists("on") and not os.path.exists("enough"):
                torch.zeros(1)
                time.sleep(0.2)
"""


@pytest.mark.thorough
def test_what_comes_appears_and_the_moment_on_show_stays(torch: ModuleType, chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINS)
    there = os.environ | {"PYTHONPATH": str(ROOT)}
    with (
        subprocess.Popen([sys.executable, "train.py"], cwd=tmp_path, env=there, stderr=subprocess.PIPE, text=True) as program,
        chromium.new_context(viewport={"width": 1480, "height": 920}, reduced_motion="reduce") as context,
    ):
        try:
            followed(program, context.new_page(), tmp_path)
        finally:
            program.kill()


def followed(program: subprocess.Popen[str], tab: Page, folder: Path) -> None:
    assert program.stderr is not None
    said = program.stderr.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+", said)
    assert address, said
    tab.set_default_timeout(PATIENCE)
    tab.add_init_script("localStorage.setItem('gradtape.tour', 'seen')")
    page = Gradtape(tab)
    page.until(lambda: _answers(tab, address[0]), "the page answers")
    page.ready()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address[0].partition("?")[0])
    assert refused.value.code == 403, "a page that shows values does not answer everybody"
    refused.value.close()
    assert "token" not in tab.url
    before = page.total
    for _ in range(3):
        tab.keyboard.press("ArrowLeft")
    page.until(lambda: page.step < page.total - 1, "an earlier step is on show")
    moment = page.step
    (folder / "on").touch()
    page.until(lambda: page.total > before + 20, "more events are there")
    assert page.step == moment
    assert "cut" not in tab.locator(".gt-summary").inner_text(), "more is to come"
    (folder / "enough").touch()
    assert program.wait(60) == 0


def _answers(tab: Page, address: str) -> bool:
    try:
        tab.goto(address)
    except Error:
        return False
    return True
