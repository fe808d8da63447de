"""A user pins a run, changes the program, and sees both."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser


def pin(page: Gradtape) -> None:
    page.page.get_by_role("radio", name="Compare").click()
    page.page.get_by_role("button", name="Pin this run").click()
    page.page.get_by_text("is pinned as it is now").wait_for()
    page.settled()


def change(page: Gradtape, old: str, new: str) -> None:
    assert old in page.code()
    page.set_code(page.code().replace(old, new))
    page.page.get_by_text("First difference").wait_for()
    page.settled()


@pytest.mark.thorough
def test_both_runs_are_shown_with_what_changed(page: Gradtape) -> None:
    pin(page)
    change(page, "z = y1 * y2", "z = y1 * y1")
    panel = page.page.locator(".st-key-panel").inner_text()
    assert "14 gradients changed" in panel
    assert "line 11, iteration 0: z, 44 → 121" in panel
    assert page.page.locator(".gt-gone").inner_text().endswith("z = y1 * y2")
    page.page.locator("[class*='st-key-compare_table'] canvas").first.wait_for()
    assert int(page.player.get_attribute("data-overlay") or 0) > 10
    legend = page.page.locator(".player .legend li:visible", has_text="changed since the pinned run")
    for look in page.looks():
        assert legend.count() == 1, look


@pytest.mark.thorough
def test_what_was_removed_stands_in_the_graph_and_can_be_inspected(page: Gradtape) -> None:
    pin(page)
    change(page, "    y2 = 2 * x1 + 1 * x2\n    z = y1 * y2", "    z = y1 * y1")
    page.until(lambda: int(page.player.get_attribute("data-nodes") or 0) == 16, "10 nodes and 6 removed ones")
    page.page.get_by_role("radio", name="Inspector").click()
    page.click_node("y2")
    page.page.locator(".st-key-panel").get_by_text("Only in the pinned run").wait_for()
    page.until(lambda: "AddBackward0" in page.inspector(), "the removed tensor")
    page.page.get_by_role("radio", name="Autograd (grad_fn)").click()
    page.until(lambda: bool(page.page.evaluate("window.__gradtapePlayer.find('AccumulateGrad').length")), "the other view")
    assert int(page.player.get_attribute("data-nodes") or 0) == 16


@pytest.mark.thorough
def test_the_pinned_run_is_hidden_and_let_go(page: Gradtape) -> None:
    pin(page)
    change(page, "5 * x1", "6 * x1")
    page.until(lambda: bool(page.player.get_attribute("data-overlay")), "marks on the graph")
    page.page.locator(".st-key-compare_both label").click()
    page.until(lambda: not page.player.get_attribute("data-overlay"), "no marks")
    page.page.get_by_role("button", name="Unpin").click()
    page.page.get_by_role("button", name="Pin this run").wait_for()


@pytest.mark.thorough
def test_the_first_difference_is_a_link_to_its_moment(page: Gradtape) -> None:
    pin(page)
    change(page, "5 * x1", "6 * x1")
    page.page.locator(".st-key-panel .gt-moment").first.click()
    page.until(lambda: page.step < page.total - 1, "the player went there")
    assert "x1" in page.page.locator(".player .caption").inner_text()


@pytest.mark.thorough
def test_a_knob_is_compared_while_it_moves(page: Gradtape) -> None:
    pin(page)
    page.page.get_by_role("radio", name="What if").click()
    field = page.page.get_by_label("x1, line 5, as a number", exact=True)
    field.wait_for()
    field.fill("1.5")
    page.until(lambda: bool(page.player.get_attribute("data-overlay")), "marks on the graph")
    page.page.get_by_role("radio", name="Compare").click()
    page.page.get_by_text("line 5: x1, 1 → 1.5").wait_for()


TRAINING = """import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
optimizer = torch.optim.SGD([w], weight_decay=0.0, momentum=0.0, dampening=0.0, lr=0.01)
for step in range(20):
    loss = ((w - 1) ** 2).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_two_trainings_are_told_by_their_losses_and_by_what_was_changed(page: Gradtape) -> None:
    page.set_code(TRAINING)
    page.until(lambda: "loss" in page.page.locator(".player").inner_text(), "the training is there")
    page.ready()
    pin(page)
    change(page, "lr=0.01", "lr=0.1")
    panel = page.page.locator(".st-key-panel")
    page.until(lambda: "Final loss" in panel.inner_text(), "where the losses ended")
    told = next(line for line in panel.inner_text().splitlines() if line.startswith("Final loss"))
    before, after = told.removeprefix("Final loss ").rstrip(".").split(" → ")
    assert float(after) < float(before)
    for kind, number in (("gone", "0.01"), ("new", "0.1")):
        mark = page.page.locator(f".gt-{kind} mark")
        assert mark.inner_text() == number
        box, pane = mark.bounding_box(), panel.bounding_box()
        assert box is not None
        assert pane is not None
        assert pane["x"] <= box["x"], "the change is in sight"
        assert box["x"] + box["width"] <= pane["x"] + pane["width"], "the change is in sight"
    panel.get_by_test_id("stVegaLiteChart").locator("canvas, svg").first.wait_for()
    page.screenshot("two trainings compared")


@pytest.mark.thorough
def test_more_than_two_runs_are_kept_to_be_compared_with(page: Gradtape) -> None:
    gone = page.page.locator(".gt-gone mark").all_inner_texts
    pin(page)
    change(page, "z = y1 * y2", "z = y1 * 6")
    page.page.get_by_role("button", name="Pin", exact=True).click()
    page.page.get_by_text("is pinned as it is now").wait_for()
    change(page, "z = y1 * 6", "z = y1 * 7")
    assert gone() == ["6"]
    page.page.locator(".st-key-panel").get_by_role("combobox", name="Compare with").click()
    page.page.get_by_role("listbox").get_by_role("option").nth(1).click()
    page.until(lambda: gone() == ["y2"], "the run that was pinned first")
    assert not page.page.get_by_test_id("stException").count()
    page.page.get_by_role("button", name="Unpin").click()
    page.until(lambda: gone() == ["6"], "the other one takes its place")
    page.page.get_by_role("button", name="Unpin").click()
    page.page.get_by_role("button", name="Pin this run").wait_for()
