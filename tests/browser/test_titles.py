"""What a program is called: in the header, in files and their names, in the embedded frame."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from components.menus.gallery import DEFAULT, examples
from tests.browser.conftest import Gradtape
from tests.browser.test_save import saved

pytestmark = pytest.mark.browser

OTHER = "import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n"
OLD = "Repeated backward"


def title(page: Gradtape) -> str:
    return page.page.get_by_label("Title", exact=True).input_value()


def entitle(page: Gradtape, name: str) -> None:
    field = page.page.get_by_label("Title", exact=True)
    field.fill(name)
    field.press("Enter")
    page.page.wait_for_timeout(300)
    page.settled()


def embedded(page: Gradtape) -> str:
    """The HTML of the embedded frame."""
    page.page.get_by_role("button", name="Share").click()
    line = page.page.locator(".st-key-share_panel .gt-line", has_text="iframe")
    line.wait_for()
    found = line.inner_text()
    page.page.keyboard.press("Escape")
    return found


@pytest.mark.thorough
def test_a_new_program_does_not_bear_the_old_ones_title(page: Gradtape, tmp_path: Path) -> None:
    page.until(lambda: title(page) == OLD, "the example's title", lambda: title(page))
    assert OLD in embedded(page)
    page.page.get_by_role("radio", name="Build", exact=True).click()
    page.page.get_by_role("button", name="New", exact=True).click()
    page.until(lambda: page.code().strip() == "import torch", "an empty program")
    page.settled()
    page.page.locator(".st-key-builder").get_by_role("button", name=re.compile("^Add")).click()
    page.until(lambda: "requires_grad" in page.code(), "one leaf")
    page.settled()
    page.until(lambda: title(page) == "Untitled program", "it has no title")
    path = saved(page, "SVG", tmp_path)
    assert path.name == "untitled-program.svg"
    assert OLD not in path.read_text()
    page.page.keyboard.press("Escape")
    assert OLD not in embedded(page)
    for _ in range(2):
        page.page.get_by_role("button", name="Undo", exact=True).click()
        page.page.wait_for_timeout(300)
        page.settled()
    page.until(lambda: page.code() == examples()[DEFAULT].text, "the example is there again")
    page.until(lambda: title(page) == OLD, "with its title")


@pytest.mark.thorough
def test_a_program_typed_in_an_examples_place_does_not_bear_its_title(page: Gradtape) -> None:
    page.run(examples()[DEFAULT].text + "print(x1)\n")
    assert title(page) == OLD, "it is that example still"
    page.run(OTHER)
    page.until(lambda: title(page) == "Untitled program", "another program")


@pytest.mark.thorough
def test_a_menu_closes_when_something_was_chosen_in_it(page: Gradtape) -> None:
    page.page.locator(".st-key-examples button").first.click()
    page.page.get_by_role("button", name="Broadcasting").click()
    page.until(lambda: title(page) == "Broadcasting", "another example")
    page.page.get_by_test_id("stPopoverBody").wait_for(state="hidden")


@pytest.mark.thorough
def test_a_file_goes_by_its_own_name(page: Gradtape, tmp_path: Path) -> None:
    file = tmp_path / "homework.py"
    file.write_text(examples()[DEFAULT].text)
    page.page.locator(".st-key-opening button").click()
    page.page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
    page.until(lambda: title(page) == "homework.py", "the file's name")
    page.settled()
    assert "Example:" not in page.page.locator(".st-key-header").inner_text()
    assert saved(page, "SVG", tmp_path).name == "homework.svg"


@pytest.mark.thorough
def test_all_files_take_the_title_that_was_written_and_a_reload_keeps_it(page: Gradtape, tmp_path: Path) -> None:
    entitle(page, "Why  gradients add up")
    assert title(page) == "Why gradients add up"
    svg = saved(page, "SVG", tmp_path)
    assert svg.name == "why-gradients-add-up.svg"
    assert "Why gradients add up" in svg.read_text()
    for label, name in (("Recording", "why-gradients-add-up.gradtape"), ("Notebook", "why-gradients-add-up.ipynb")):
        assert saved(page, label, tmp_path).name == name
    replay = saved(page, "Replay", tmp_path)
    assert replay.name == "why-gradients-add-up.html"
    assert "<title>Why gradients add up" in replay.read_text()
    page.page.keyboard.press("Escape")
    assert "Why gradients add up" in embedded(page)
    entitle(page, "   ")
    page.until(lambda: title(page) == "Why gradients add up", "none is no title", lambda: title(page))
    page.page.reload()
    page.ready()
    page.until(lambda: title(page) == "Why gradients add up", "it is kept")
