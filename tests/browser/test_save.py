"""The Save menu hands out every format, made of what the player shows at that moment."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Download

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


@pytest.mark.thorough
def test_every_format_is_handed_out(page: Gradtape, tmp_path: Path) -> None:
    page.page.get_by_role("button", name="Save").click()
    page.page.get_by_role("button", name="Replay").wait_for()
    labels = page.page.locator(".st-key-save_menu [data-testid=stButton]").all_inner_texts()
    assert labels == [
        "SVG", "PNG", "PDF", "DOT", "Mermaid", "Recording", "JSON", "GraphML", "pyvis", "Script", "Notebook",
        "Animation", "Replay",
    ]  # fmt: skip
    starts = {"SVG": b"<svg", "PNG": b"\x89PNG", "PDF": b"%PDF", "DOT": b"digraph", "Mermaid": b"flowchart", "JSON": b"{",
              "GraphML": b"<?xml", "Script": b"# Repeated", "Notebook": b"{", "Animation": b"GIF89a",
              "Replay": b"<!doctype html>"}  # fmt: skip
    for label, start in starts.items():
        assert saved(page, label, tmp_path).read_bytes().startswith(start), label
        assert page.page.locator(".st-key-save_menu").is_visible(), "fetching a file closes no menu"
    path = saved(page, "Recording", tmp_path)
    assert path.name == "repeated-backward.gradtape"
    assert len(Recording.load(path).events) == page.total


def test_a_picture_shows_the_step_the_player_is_at(page: Gradtape, tmp_path: Path) -> None:
    page.player.focus()
    page.page.keyboard.press("Home")
    page.until(lambda: page.step == 0, "the first step")
    page.settled()
    page.until(lambda: "step 1 of 50" in _told(saved(page, "SVG", tmp_path)), "a picture of the first step")


STACK = """import torch
xs = [torch.ones(1, requires_grad=True) for i in range(700)]
for k in range(9):
    torch.stack(xs).sum().backward()
"""


def status(page: Gradtape) -> str:
    """What the bars say; nothing while there are none."""
    return " ".join(page.page.locator(".gt-running").all_inner_texts())


@pytest.mark.thorough
def test_two_large_files_are_made_at_once_and_one_of_them_is_called_off(page: Gradtape, tmp_path: Path) -> None:
    page.set_code(STACK)
    page.until(lambda: page.total > 5_000, "the large recording")
    nodes = page.player.get_attribute("data-nodes")
    page.page.get_by_role("button", name="Save").click()
    menu = page.page.locator(".st-key-save_menu")
    menu.get_by_role("button", name="Replay").click()
    page.until(lambda: "Making the replay · " in status(page), "how far the replay is")
    page.screenshot("one")
    made: list[Download] = []
    page.page.on("download", lambda download: made.append(download))
    menu.get_by_role("button", name="GraphML").click()
    # A fast machine has the other file before a bar of it is drawn.
    page.until(lambda: bool(made) or "GraphML" in status(page), "the other file is under way")
    # The replay began first, so its Cancel is the first.
    page.page.get_by_role("button", name="Cancel").first.click()
    page.until(lambda: "replay" not in status(page), "the replay is called off")
    page.until(lambda: len(made) == 1, "the other file is there")
    assert made[0].suggested_filename == "untitled-program.graphml", "nothing is left of the example"
    made[0].save_as(tmp_path / "it.graphml")
    assert (tmp_path / "it.graphml").read_bytes().startswith(b"<?xml")
    page.until(lambda: not status(page), "nothing is under way")
    assert page.player.get_attribute("data-nodes") == nodes


def _told(path: Path) -> str:
    return ElementTree.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}desc") or ""
