"""A user at the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.menus.gallery import examples
from engine.program import Program
from engine.sandbox import run
from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("blank", [{}, {"width": 1100, "height": 800, "scheme": "dark"}], ids=["large", "small"], indirect=True)
def test_a_first_visit_shows_the_default_example_run_to_its_end(page: Gradtape) -> None:
    assert page.console().startswith("tensor([84.]) tensor([46.])")
    assert page.step == page.total - 1
    assert int(page.player.get_attribute("data-nodes") or 0) == 16
    for look in page.looks():
        width = page.page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.page.viewport_size["width"], f"{look}: nothing stands out of the page"  # type: ignore[index]


@pytest.mark.thorough
def test_stepping_to_the_end_and_back_changes_values(page: Gradtape) -> None:
    page.click_node("x1")
    page.until(lambda: "84" in page.inspector(), "the inspector shows the final gradient")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    page.until(lambda: page.step == 0, "the first step")
    page.until(lambda: "backward() has not been called yet" in page.inspector(), "no gradient yet")
    page.until(lambda: page.page.locator(".cm-line.gt-moment").count() == 1, "the moment's line is marked in the editor")
    assert "x1 = torch.tensor" in page.page.locator(".cm-line.gt-moment").inner_text()
    while page.step < page.total - 1:
        before = page.step
        page.page.keyboard.press("ArrowRight")
        page.until(lambda before=before: page.step == before + 1, "one step on")
    assert page.step == page.total - 1
    gradients = []
    for _ in range(4):
        before = page.step
        page.page.keyboard.press("[")
        page.until(lambda before=before: page.step < before, "a part of the timeline back")
        page.settled()
        page.page.wait_for_timeout(400)
        gradients.append("42" in page.inspector())
    assert any(gradients), "after the first pass the gradient is 42"


def test_space_plays_and_pauses(page: Gradtape) -> None:
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    page.page.keyboard.press("Space")
    page.until(lambda: page.step > 2, "it plays")
    page.page.keyboard.press("Space")
    page.page.wait_for_timeout(300)
    stopped = page.step
    page.page.wait_for_timeout(700)
    assert page.step == stopped


def test_clicking_a_node_shows_it_in_the_inspector(page: Gradtape) -> None:
    page.click_node("z")
    page.until(lambda: "z.grad is None because z is not a leaf" in page.inspector(), "the inspector shows z")
    text = page.inspector()
    assert "44" in text
    assert "_saved_self" in text


@pytest.mark.thorough
def test_typing_is_not_overwritten_and_keeps_the_focus(page: Gradtape) -> None:
    page.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    page.page.keyboard.press("Control+End")
    page.page.keyboard.type("print('typed')", delay=30)
    page.page.wait_for_timeout(800)
    page.page.keyboard.type("  # more", delay=30)
    assert page.code().endswith("print('typed')  # more")
    page.page.keyboard.press("Control+Enter")
    page.until(lambda: page.console().rstrip().endswith("typed"), "the typed line ran")


def test_names_are_offered_while_typing(page: Gradtape) -> None:
    page.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    page.page.keyboard.press("Control+End")
    for typed, offered in (("torch.zeros_l", "zeros_like"), ("x1.requires_g", "requires_grad_")):
        page.page.keyboard.press("Enter")
        page.page.keyboard.type(typed, delay=30)
        page.page.locator(".cm-tooltip-autocomplete").get_by_text(offered, exact=True).wait_for()
        page.page.keyboard.press("Escape")


def test_enter_after_a_whole_name_that_is_on_offer_opens_a_line(page: Gradtape) -> None:
    page.page.evaluate("window.__gradtapeEditor.editor_0.focus()")
    page.page.keyboard.press("Control+End")
    page.page.keyboard.type("x1.grad", delay=30)
    page.page.locator(".cm-tooltip-autocomplete [aria-selected=true]").get_by_text("grad", exact=True).wait_for()
    page.page.wait_for_timeout(100)  # a moment after it opened, the list begins to listen
    page.page.keyboard.press("Enter")
    page.page.keyboard.type("1", delay=30)
    assert page.code().endswith("x1.grad\n1")


def test_a_notebook_opens_with_its_outputs(page: Gradtape, tmp_path: Path) -> None:
    cells = ("import torch", "x = torch.ones(2, requires_grad=True)\nx", "(3 * x).sum().backward()\nprint('done')\nx.grad")
    path = tmp_path / "lesson.ipynb"
    path.write_text(Program.from_cells(cells).to_notebook())
    page.page.locator(".st-key-header").get_by_role("button", name="Open").click()
    page.page.locator(".st-key-upload input[type=file]").set_input_files(str(path))
    page.page.get_by_text("Out[3]:").wait_for()
    body = page.page.locator(".st-key-program").inner_text()
    assert "tensor([1., 1.], requires_grad=True)" in body
    assert "tensor([3., 3.])" in body
    assert "done" in body


def test_views_directions_and_panels(page: Gradtape) -> None:
    p = page.page
    p.get_by_role("radio", name="Autograd (grad_fn)").click()
    page.until(lambda: bool(p.evaluate("window.__gradtapePlayer.find('AccumulateGrad').length")), "grad_fn nodes")
    page.click_node("MulBackward0")
    page.until(lambda: "sequence number" in page.inspector(), "the node in the inspector")
    p.get_by_role("radio", name="Ledger").click()
    p.get_by_text("x1.grad", exact=True).wait_for()
    p.get_by_role("radio", name="Tensors", exact=True).click()
    p.get_by_role("table").get_by_role("button", name="x1", exact=True).wait_for()


def test_an_edited_program_runs(shared: Gradtape) -> None:
    shared.set_code(
        "import torch\nw = torch.tensor([3.], requires_grad=True)\n(w ** 2).sum().backward()\nprint('slope', w.grad)\n"
    )
    shared.until(lambda: shared.console().startswith("slope tensor([6.])"), "the new output")
    shared.until(lambda: int(shared.player.get_attribute("data-nodes") or 0) == 3, "the new graph")


def test_a_mistake_is_shown_on_its_line_with_what_ran_before(shared: Gradtape) -> None:
    shared.set_code("import torch\na = torch.ones(2, requires_grad=True)\nb = a * 2\nc = b + torch.ones(3)\nprint(c)\n")
    message = shared.page.locator(".gt-message")
    message.wait_for()
    assert "must match the size of tensor b (3)" in message.inner_text()
    assert shared.page.locator(".gt-wrong").inner_text() == "c = b + torch.ones(3)"
    shared.until(lambda: int(shared.player.get_attribute("data-nodes") or 0) == 3, "the graph of what ran before")
    assert "RuntimeError" in shared.console()


def test_an_unsupported_function_is_named(shared: Gradtape) -> None:
    shared.set_code("import torch\nx = torch.ones(2)\ntorch.sparse_csr_tensor(x)\n")
    shared.until(lambda: "torch.sparse_csr_tensor is not supported by Gradtape" in shared.console(), "the message")


def test_a_saved_recording_opens(shared: Gradtape, tmp_path: Path) -> None:
    result = run("import torch\nq = torch.ones(2, requires_grad=True)\n(q * 5).sum().backward()\n")
    assert result.recording is not None
    path = tmp_path / "tape.gradtape"
    result.recording.save(path)
    shared.page.locator(".st-key-header").get_by_role("button", name="Open").click()
    shared.page.locator(".st-key-upload input[type=file]").set_input_files(str(path))
    shared.until(lambda: "q = torch.ones" in shared.code(), "the recording's program")
    shared.until(lambda: int(shared.player.get_attribute("data-nodes") or 0) == 3, "its graph")
    shared.page.locator(".st-key-upload").wait_for(state="hidden")
    shared.set_code(shared.code() + "\nprint('and on')\n")
    shared.until(lambda: shared.console().rstrip().endswith("and on"), "what was typed afterwards runs")
    assert shared.code().endswith("print('and on')\n"), "the file is not opened again"


def test_a_bad_file_is_explained(shared: Gradtape, tmp_path: Path) -> None:
    path = tmp_path / "broken.ipynb"
    path.write_text("{")
    shared.page.locator(".st-key-header").get_by_role("button", name="Open").click()
    shared.page.locator(".st-key-upload input[type=file]").set_input_files(str(path))
    shared.page.get_by_text("the notebook is not valid JSON").wait_for()


def test_every_example_opens_and_paints(shared: Gradtape) -> None:
    for example in list(examples().values())[1:]:
        shared.page.locator(".st-key-header").get_by_role("button", name="Examples").click()
        shared.page.get_by_role("button", name=example.title, exact=True).click()
        shared.until(lambda text=example.text: shared.code() == text, f"the text of {example.title}")
        shared.until(lambda: shared.total > 1, "a tape")
        shared.settled()
        shared.page.keyboard.press("Escape")


def test_markup_from_programs_stays_text(shared: Gradtape) -> None:
    evil = '<img src=x onerror=\\"window.__pwned=1\\">'
    shared.set_code(
        "import torch\n"
        f'evil = "{evil}"\n'
        "print(evil)\n"
        "named = {evil: torch.ones(1, requires_grad=True)}\n"
        "y = (named[evil] * 2).sum()\ny.backward()\n"
        "import warnings\nwarnings.warn(evil)\n"
        "raise ValueError(evil)\n"
    )
    shared.until(lambda: "ValueError" in shared.console(), "it ended")
    for panel in ("Ledger", "Tensors", "Inspector"):
        shared.page.get_by_role("radio", name=panel, exact=True).click()
        shared.settled()
    shared.page.wait_for_timeout(500)
    assert shared.page.evaluate("window.__pwned") is None
    assert "<img src=x" in shared.console()
