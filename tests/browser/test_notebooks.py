"""A notebook keeps its story in the page: notes in their place, named cells, and as a lesson its pages and questions."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from engine.export import export
from engine.program import Program
from engine.sandbox import run
from tests.browser.conftest import Gradtape
from tests.browser.test_replay import Replay, opened

pytestmark = pytest.mark.browser

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
NOTES = r"""# How gradients *add up*

$$ \frac{dL}{dx} = \sum_k x_k $$

<script>window.__pwned = 1</script> <b onclick="window.__pwned = 2">bold</b> [link](javascript:window.__pwned=3)

![far away](https://elsewhere.example/pixel.png) ![mine](attachment:pic.png)
"""


def markdown(text: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text, **more}


def code(text: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": metadata, "source": text, "outputs": [], "execution_count": None}


CELLS = [
    markdown(NOTES, attachments={"pic.png": {"image/png": base64.b64encode(PIXEL).decode()}}),
    code("import torch\nx = torch.rand(1) * 0 + torch.tensor([1., 2.], requires_grad=True)\nx.retain_grad()"),
    markdown("## One pass"),
    code("y = (x * x).sum()\ny"),
    code("y.backward()\nx.grad", gradtape={"predict": "x.grad", "selected": "x"}),
    code("print(torch.rand(1))\nlast = x * 2"),
    markdown("## The end"),
]
NOTEBOOK = json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


@pytest.fixture
def notebook(page: Gradtape) -> Iterator[Gradtape]:
    """The page with the notebook in it; nothing may be asked of other sites."""
    asked: list[str] = []

    def heard(request: Any) -> None:
        asked.append(request.url)

    page.page.on("request", heard)
    page.page.locator(".st-key-header").get_by_role("button", name="Open").click()
    page.page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "sums.ipynb", "mimeType": "application/x-ipynb+json", "buffer": NOTEBOOK}
    )
    page.page.get_by_text("Out[3]:").wait_for()
    page.settled()
    yield page
    page.page.remove_listener("request", heard)
    assert [url for url in asked if "elsewhere" in url] == []
    assert page.page.evaluate("window.__pwned") is None


def test_notes_stand_between_named_cells(notebook: Gradtape) -> None:
    cells = notebook.page.locator(".st-key-cells")
    text = cells.inner_text()
    order = ["How gradients add up", "In [1]", "One pass", "In [2]", "Out[2]", "In [3]", "Out[3]", "In [4]", "The end"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert cells.evaluate("e => e.scrollTop") == 0, "a notebook is read from its beginning"
    expect(cells.locator(".katex")).not_to_have_count(0)
    assert cells.locator("script, [onclick]").count() == 0
    assert cells.locator("a[href^='javascript']").count() == 0
    shown = cells.locator("img")
    expect(shown).to_have_count(1)
    notebook.until(lambda: bool(shown.evaluate("i => i.complete && i.naturalWidth === 1")), "its own picture is there")
    expect(cells.get_by_role("link", name="far away")).to_be_visible()


def test_the_files_name_is_in_the_header_and_over_the_cells(notebook: Gradtape) -> None:
    expect(notebook.page.locator(".st-key-title input")).to_have_value("sums.ipynb")
    expect(notebook.page.locator(".st-key-notebook_bar")).to_contain_text("sums.ipynb · 4 cells")


def test_a_cells_name_leads_to_its_moment_and_cards_say_the_cell(notebook: Gradtape) -> None:
    notebook.page.get_by_role("button", name="In [2]", exact=True).click()
    caption = notebook.page.locator(".caption")
    expect(caption).to_contain_text("In [2] ends")
    subs = notebook.page.locator(".st-key-inspector").inner_text()
    assert "In [1], line 2" in subs


def test_one_cell_runs_after_those_above_it_and_the_rest_waits(notebook: Gradtape) -> None:
    page = notebook.page
    page.get_by_role("button", name="Run cell: In [2]").click()
    expect(page.get_by_text("Out[3]:")).to_have_count(0)
    expect(page.get_by_text("Out[2]:")).to_be_visible()
    expect(page.get_by_role("button", name="In [3]", exact=True)).to_be_disabled()
    expect(page.locator(".caption")).to_contain_text("In [2] ends")
    assert "edited since" not in page.locator(".gt-summary").inner_text()
    page.get_by_role("button", name="Run cell: In [3]").click()
    expect(page.get_by_text("Out[3]:")).to_be_visible()


@pytest.mark.thorough
def test_a_run_from_a_cell_repeats_what_is_random_and_stands_at_its_beginning(notebook: Gradtape) -> None:
    page = notebook.page
    drawn = re.search(r"tensor\(\[0\.\d+\]\)", page.locator(".st-key-cell_3").inner_text())
    assert drawn is not None
    page.evaluate("window.__gradtapeEditor.editor_3.setText('print(torch.rand(1))\\nprint(\"again\")')")
    page.get_by_role("button", name="Run from here: In [4]").click()
    expect(page.locator(".st-key-cell_3")).to_contain_text("again")
    expect(page.locator(".st-key-cell_3")).to_contain_text(drawn[0])
    expect(page.locator(".caption")).to_contain_text("In [4] begins")


@pytest.mark.thorough
def test_a_reload_brings_the_notes_back_with_their_picture(notebook: Gradtape) -> None:
    expect(notebook.page.locator(".kept")).to_contain_text("Kept in this browser")
    notebook.page.reload()
    notebook.ready()
    cells = notebook.page.locator(".st-key-cells")
    expect(cells).to_contain_text("How gradients add up")
    expect(cells.locator("img")).to_have_count(1)


def test_a_lesson_is_turned_by_keys_and_asks_before_it_shows(notebook: Gradtape) -> None:
    page = notebook.page
    page.get_by_role("button", name="Present").click()
    bar = page.locator(".st-key-lesson_bar")
    expect(bar).to_contain_text("1 of 5 · In [1]")
    expect(page.locator(".st-key-header")).to_be_hidden()
    expect(page.locator(".caption")).to_contain_text("In [1] ends")
    notebook.settled()
    page.keyboard.press("ArrowRight")
    expect(bar).to_contain_text("2 of 5 · In [2]")
    expect(page.locator(".caption")).to_contain_text("In [2] ends")
    page.keyboard.press("PageDown")
    expect(bar).to_contain_text("3 of 5 · In [3]")
    expect(page.locator(".caption")).to_contain_text("In [3] begins")
    expect(page.locator(".st-key-slide")).not_to_contain_text("Out[3]")
    notebook.screenshot("asked")
    field = page.get_by_label("Your guess for x.grad")
    field.fill("[1, 2]")
    field.press("Enter")
    expect(page.locator(".guess .word")).to_have_text("Not these numbers.")
    field.fill("tensor([2., 4.])")
    field.press("Enter")
    expect(page.locator(".st-key-slide")).to_contain_text("Out[3]: tensor([2., 4.]")
    begun = notebook.step
    expect(page.locator(".caption")).to_contain_text("In [3] ends", timeout=60_000)
    assert notebook.step > begun
    assert page.locator(".timeline [aria-label^=Pause]").count() == 0, "it stops where the cell ends"
    page.keyboard.press("ArrowLeft")
    expect(bar).to_contain_text("2 of 5")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-header")).to_be_visible()


@pytest.mark.thorough
def test_a_moment_is_kept_of_a_page_and_goes_into_the_file(notebook: Gradtape) -> None:
    page = notebook.page
    page.get_by_role("button", name="Present").click()
    expect(page.locator(".caption")).to_contain_text("In [1] ends")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".caption")).to_contain_text("In [2] ends")
    notebook.settled()
    page.keyboard.press("Shift+ArrowLeft")
    there = page.locator(".caption").inner_text()
    notebook.until(lambda: "In [2] ends" not in page.locator(".caption").inner_text(), "another moment")
    notebook.settled()
    page.get_by_role("button", name="This page").click()
    page.get_by_role("button", name="Keep the moment on show").click()
    expect(page.get_by_text("It shows step")).to_be_visible()
    question = page.get_by_role("textbox", name="Hide until guessed")
    question.fill("y.grad_fn")
    question.press("Enter")
    notebook.settled()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your guess for y.grad_fn")).to_be_visible()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".st-key-slide")).to_contain_text("Out[2]")
    page.get_by_role("button", name="Leave").or_(page.get_by_role("button", name="Back to the whole notebook (Esc)")).click()
    page.locator(".st-key-header").get_by_role("button", name="Save").click()
    with page.expect_download() as download:
        page.locator(".st-key-save_menu").get_by_role("button", name="Notebook").click()
    saved = Program.from_file(Path(download.value.path()).read_bytes(), "sums.ipynb")
    look = saved.story.look(1)
    assert look.predict == "y.grad_fn"
    assert look.moment is not None, there
    assert saved.story.notes == Program.from_file(NOTEBOOK, "sums.ipynb").story.notes


def test_a_lesson_of_our_own_opens_page_by_page(page: Gradtape) -> None:
    page.page.locator(".st-key-header").get_by_role("button", name="Examples").click()
    page.page.get_by_role("button", name="Lesson: Where gradients stop").click()
    expect(page.page.locator(".st-key-lesson_bar")).to_contain_text("1 of 8")
    expect(page.page.locator(".st-key-slide")).to_contain_text("three different things")
    page.until(lambda: "example=where_gradients_stop" in page.page.url, "the address names it")


@pytest.mark.thorough
def test_a_lesson_stands_in_another_page(page: Gradtape, address: str) -> None:
    page.page.goto(f"{address}?example=why_training_fails&embed=true")
    page.page.locator(".st-key-lesson").wait_for()
    expect(page.page.locator(".st-key-slide")).to_contain_text("Why training fails")
    assert page.page.get_by_role("button", name="Back to the whole notebook (Esc)").count() == 0
    page.player.wait_for()
    page.settled()
    page.page.keyboard.press("ArrowRight")
    expect(page.page.get_by_label("Your guess for w.grad")).to_be_visible()


# --- as a file ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def lesson(chromium: Browser, tmp_path: Path) -> Iterator[Replay]:
    """The notebook's replay, opened from the disk."""
    recording = run(Program.from_file(NOTEBOOK, "sums.ipynb")).recording
    assert recording is not None
    assert b"How gradients" in export(recording, "ipynb")
    yield from opened(chromium, tmp_path, recording, "Sums")


@pytest.mark.thorough
def test_a_lessons_file_works_by_itself(lesson: Replay) -> None:
    tab = lesson.tab
    source = tab.locator("#source")
    expect(source).to_contain_text("How gradients add up")
    expect(source.locator("math").first).to_be_visible()
    assert source.locator("script, [onclick], a[href^='javascript']").count() == 0
    shown = source.locator("img").evaluate_all("all => all.map(i => [i.naturalWidth, i.src.slice(0, 15)])")
    assert shown == [[1, "data:image/png;"]]
    assert tab.evaluate("window.__pwned") is None
    lesson.press("ArrowRight", "ArrowRight")
    expect(tab.locator(".tabs .where")).to_have_text("3 of 5")
    expect(tab.locator("#output")).to_be_empty()
    field = tab.get_by_label("Your guess for x.grad")
    field.fill("2 4")
    field.press("Enter")
    expect(tab.locator("#output")).to_have_text("tensor([2., 4.])\n", timeout=60_000)
    at = lesson.step
    lesson.press("Shift+ArrowLeft")
    lesson.until(f"window.__gradtapePlayer.step < {at}")
    tab.get_by_role("button", name="Whole notebook").click()
    expect(source).to_contain_text("The end")
    expect(source).to_contain_text("import torch")
    expect(tab.locator("#side")).to_be_visible()
