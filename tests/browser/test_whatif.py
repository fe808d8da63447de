"""A user turns knobs: the text, the run and the picture follow, at the same moment and from the same place."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

PROGRAM = """\
import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
rate = 0.5
y = (x * rate).detach() + x * 3
loss = y.sum()
loss.backward()
print(x.grad[0, 0].item())
"""

FOCUSED = """(() => {
  let e = document.activeElement;
  while (e?.shadowRoot) e = e.shadowRoot.activeElement;
  return e?.type;
})()"""


@pytest.fixture
def knobs(shared: Gradtape) -> Gradtape:
    shared.run(PROGRAM)
    assert shared.console().strip() == "3.0"
    shared.page.get_by_role("radio", name="What if").click()
    shared.page.get_by_label("rate, line 4", exact=True).wait_for()
    shared.settled()
    return shared


def line(page: Gradtape, number: int) -> str:
    return page.code().split("\n")[number - 1]


def number(page: Gradtape) -> float:
    """The number that the program prints."""
    said = page.console().strip()
    return float(said) if said else float("nan")


def test_an_arrow_key_on_a_slider_moves_the_literal(knobs: Gradtape) -> None:
    slider = knobs.page.get_by_label("rate, line 4", exact=True)
    slider.focus()
    before = float(slider.input_value())
    knobs.page.keyboard.press("ArrowRight")
    knobs.until(lambda: line(knobs, 4) != "rate = 0.5", "the text followed")
    knobs.settled()
    assert float(line(knobs, 4).removeprefix("rate = ")) == float(slider.input_value()) > before
    focused = knobs.page.evaluate(FOCUSED)
    assert focused == "range", "the slider keeps the focus"


def test_dragging_a_slider_runs_live(knobs: Gradtape) -> None:
    slider = knobs.page.get_by_label("x * □ in y, line 5", exact=True)
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    value = float(slider.input_value())
    low, high = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
    start = box["x"] + 8 + (box["width"] - 16) * (value - low) / (high - low)
    knobs.page.mouse.move(start, middle)
    knobs.page.mouse.down()
    knobs.page.mouse.move(start + 12, middle)
    knobs.until(lambda: knobs.console().strip() not in ("3.0", ""), "it ran while the button was down")
    knobs.page.mouse.move(start + 20, middle)
    knobs.page.mouse.up()
    knobs.until(lambda: f"x * {slider.input_value()}" in line(knobs, 5), "the last place counts")
    knobs.until(lambda: number(knobs) == pytest.approx(float(slider.input_value())), "and was run")


def test_a_number_is_typed(knobs: Gradtape) -> None:
    knobs.page.get_by_label("rate, line 4, as a number", exact=True).fill("12.75")
    knobs.until(lambda: line(knobs, 4) == "rate = 12.75", "the text followed")


def test_an_entry_of_a_matrix_is_typed(knobs: Gradtape) -> None:
    knobs.page.get_by_label("x, line 3 [1, 0]", exact=True).fill("-8.5")
    knobs.until(lambda: "[[1.0, 2.0], [-8.5, 4.0]]" in line(knobs, 3), "the text followed")


def test_a_piece_is_left_out_and_put_back(knobs: Gradtape) -> None:
    switch = knobs.page.get_by_label(".detach(), line 5", exact=True)
    switch.press("Space")
    knobs.until(lambda: line(knobs, 5) == "y = (x * rate) + x * 3  # without .detach() @14", "it is out")
    knobs.until(lambda: knobs.console().strip() == "3.5", "now the gradient flows there too")
    switch.press("Space")
    knobs.until(lambda: knobs.code() == PROGRAM, "byte for byte as before")


def test_moment_camera_and_selection_stay(knobs: Gradtape) -> None:
    knobs.page.locator(".player").press("0")
    knobs.page.wait_for_timeout(400)
    knobs.click_node("loss")
    loss = knobs.page.evaluate("window.__gradtapePlayer.find('loss')[0]")
    knobs.until(lambda: knobs.player.get_attribute("data-selected") == loss, "it is selected")
    knobs.page.locator(".gt-brand").click()
    knobs.page.keyboard.press("Home")
    for _ in range(6):
        knobs.page.keyboard.press("ArrowRight")
    knobs.page.keyboard.press("+")
    knobs.until(lambda: knobs.step == 6, "six steps on")
    knobs.page.wait_for_timeout(400)
    knobs.settled()
    scale = knobs.page.evaluate("window.__gradtapePlayer.scale()")
    place = knobs.page.evaluate("window.__gradtapePlayer.screen(window.__gradtapePlayer.find('x')[0])")
    knobs.page.get_by_label("rate, line 4, as a number", exact=True).fill("0.75")
    knobs.until(lambda: line(knobs, 4) == "rate = 0.75", "it ran")
    knobs.settled()
    knobs.page.wait_for_timeout(400)
    assert knobs.step == 6
    assert knobs.page.evaluate("window.__gradtapePlayer.scale()") == scale
    moved = knobs.page.evaluate("window.__gradtapePlayer.screen(window.__gradtapePlayer.find('x')[0])")
    assert abs(moved["x"] - place["x"]) < 12
    assert abs(moved["y"] - place["y"]) < 12
    assert knobs.player.get_attribute("data-selected") == loss


def test_a_line_more_keeps_the_moment_by_its_event(knobs: Gradtape) -> None:
    knobs.page.locator(".gt-brand").click()
    knobs.page.keyboard.press("Home")
    for _ in range(4):
        knobs.page.keyboard.press("ArrowRight")
    knobs.until(lambda: knobs.step == 4, "four steps on")
    knobs.page.wait_for_timeout(400)
    knobs.settled()
    caption = knobs.page.locator(".player .caption").inner_text()
    total = knobs.total
    knobs.set_code("import torch\nq = torch.ones(1)\n" + PROGRAM.split("\n", 1)[1])
    knobs.until(lambda: knobs.total > total, "the longer program ran")
    knobs.settled()
    assert knobs.step > 4
    assert knobs.page.locator(".player .caption").inner_text().split("·", 1)[1] == caption.split("·", 1)[1]


def test_an_error_is_told_beside_the_knobs(knobs: Gradtape) -> None:
    knobs.page.get_by_label("requires_grad of x, line 3", exact=True).press("Space")
    knobs.page.locator(".knobs .note", has_text="RuntimeError").wait_for()
    knobs.page.get_by_label("requires_grad of x, line 3", exact=True).press("Space")
    knobs.until(lambda: knobs.code() == PROGRAM, "the way back")


@pytest.mark.thorough
def test_the_panel_fits(knobs: Gradtape) -> None:
    panel = knobs.page.locator(".knobs")
    for look in knobs.looks():
        assert panel.evaluate("k => k.scrollWidth <= k.clientWidth"), look
