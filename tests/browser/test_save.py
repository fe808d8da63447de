"""The Save menu hands out every format, made of what the player shows at that moment."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.recording import Recording
from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser


def saved(page: Gradtape, label: str, folder: Path) -> Path:
    tab = page.page
    if not tab.locator(".st-key-save_menu").is_visible():
        tab.get_by_role("button", name="Save").click()
    with tab.expect_download() as waiting:
        tab.locator(".st-key-save_menu").get_by_role("button", name=label, exact=True).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_every_format_is_handed_out(page: Gradtape, tmp_path: Path) -> None:
    page.page.get_by_role("button", name="Save").click()
    page.page.get_by_role("button", name="Replay").wait_for()
    labels = page.page.locator(".st-key-save_menu [data-testid=stDownloadButton]").all_inner_texts()
    assert labels == [
        "SVG", "PNG", "PDF", "DOT", "Mermaid", "Recording", "JSON", "GraphML", "Script", "Notebook", "Replay",
    ]  # fmt: skip
    starts = {"SVG": b"<svg", "PNG": b"\x89PNG", "PDF": b"%PDF", "DOT": b"digraph", "Mermaid": b"flowchart", "JSON": b"{",
              "GraphML": b"<?xml", "Script": b"# Repeated", "Notebook": b"{", "Replay": b"<!doctype html>"}  # fmt: skip
    for label, start in starts.items():
        assert saved(page, label, tmp_path).read_bytes().startswith(start), label
    path = saved(page, "Recording", tmp_path)
    assert path.name == "repeated-backward.gradtape"
    assert len(Recording.load(path).events) == page.total


def test_a_picture_shows_the_step_the_player_is_at(page: Gradtape, tmp_path: Path) -> None:
    page.player.focus()
    page.page.keyboard.press("Home")
    page.until(lambda: page.step == 0, "the first step")
    page.settled()
    page.until(lambda: "step 1 of 50" in _told(saved(page, "SVG", tmp_path)), "a picture of the first step")


def _told(path: Path) -> str:
    return ElementTree.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}desc") or ""
