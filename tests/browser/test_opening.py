"""A file that takes long to read: the page stays as it is until it is there, and goes on answering."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator

from tests.browser.conftest import Gradtape
from tests.browser.test_save import status

pytestmark = pytest.mark.browser

NESTED = b'{"cells":[' + b"[]," * 7_000_000 + b'{"cell_type":"code","source":"import torch\\nx = torch.ones(2) * 3\\n"}]}'
"""A notebook of 21 MB that unfolds to half a gigabyte."""


@pytest.mark.thorough
def test_a_large_notebook_is_read_while_the_page_goes_on(page: Gradtape) -> None:
    before = page.code()
    says = {"Ledger": page.page.get_by_text("x1.grad", exact=True), "Inspector": page.page.get_by_label("Why", exact=True)}
    for panel in [*says] * 6:
        _choose(page, "large.ipynb", NESTED)
        page.until(
            lambda: status(page).startswith("Opening large.ipynb · ") or page.code() != before, "it is being read, or was"
        )
        if page.code() != before:  # a fast machine has read it before anybody looked
            page.set_code(before)
            page.settled()
            continue
        page.page.get_by_role("radio", name=panel).click()
        drawn = _drawn_meanwhile(page, says[panel])
        page.screenshot("reading")
        page.until(lambda: page.code() == "import torch\nx = torch.ones(2) * 3\n", "it is there")
        page.until(lambda: not status(page), "and has run")
        assert "ran in" in page.page.locator(".gt-summary").inner_text()
        if drawn:
            return
        # A busy machine may have read it before it drew the panel.
        page.set_code(before)
        page.settled()
    raise AssertionError("no panel was drawn while the file was read")


@pytest.mark.thorough
def test_reading_is_called_off(page: Gradtape) -> None:
    before = page.code()
    _choose(page, "large.ipynb", NESTED)
    page.until(lambda: status(page).startswith("Opening large.ipynb · "), "it is being read")
    page.page.get_by_role("button", name="Cancel").click()
    page.until(lambda: not status(page), "nothing is under way")
    page.settled()
    assert page.code() == before
    _choose(page, "small.py", b"import torch\ny = torch.ones(4)\n")
    page.until(lambda: page.code() == "import torch\ny = torch.ones(4)\n", "the next file is opened")


def test_a_bad_file_leaves_a_notice_and_can_be_chosen_again_when_it_is_mended(page: Gradtape) -> None:
    before = page.code()
    _choose(page, "mine.ipynb", b"{")
    page.page.get_by_text("mine.ipynb cannot be opened: the notebook is not valid JSON").wait_for()
    assert page.code() == before
    _choose(page, "mine.ipynb", b'{"cells":[{"cell_type":"code","source":"z = 1"}]}')
    page.until(lambda: page.code() == "z = 1", "the mended one")


def _drawn_meanwhile(page: Gradtape, says: Locator) -> bool:
    """Whether a panel that says this is drawn before the file is there."""
    page.until(lambda: says.is_visible() or not status(page), "the panel is drawn, or the file is there")
    return says.is_visible()


def _choose(page: Gradtape, name: str, data: bytes) -> None:
    if not page.page.locator(".st-key-upload").is_visible():
        page.page.locator(".st-key-opening button").click()
    page.page.locator(".st-key-upload input[type=file]").set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": data}]
    )
