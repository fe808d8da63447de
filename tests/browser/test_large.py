"""Large graphs: they open folded, groups open and close in place, hidden nodes are found, the unfolded graph stays usable."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape

LOOP = """import torch
torch.manual_seed(0)
w = torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
loss = 0
for t in range({steps}):
    x = torch.randn(1, 3)
    h = torch.tanh(h @ w + x)
    if t == 17:
        special = h * 2
        loss = loss + special.sum()
    loss = loss + h.sum()
loss.backward()
"""


def shown(page: Gradtape) -> int:
    return int(page.player.get_attribute("data-nodes") or -1)


def run(page: Gradtape, steps: int) -> None:
    before = page.total
    page.set_code(LOOP.format(steps=steps))
    page.until(lambda: page.total not in (before, -1), "the run is shown")
    page.settled()


def unroll(page: Gradtape) -> None:
    page.page.locator(".nest button", has_text="Unrolled").click()
    page.until(lambda: page.player.get_attribute("data-rolled") is None, "the run is unrolled")
    page.settled()


@pytest.fixture
def looped(shared: Gradtape) -> Gradtape:
    shared.run(LOOP.format(steps=60))
    unroll(shared)
    return shared


def groups(page: Gradtape) -> list[str]:
    found: list[str] = page.page.evaluate("window.__gradtapePlayer.groups()")
    return found


def double_click(page: Gradtape, id: str) -> dict[str, float]:
    """Double-click a card once the camera rests; where it was."""
    page.page.locator(".player").press("0")
    spot = page.resting(id)
    page.page.mouse.dblclick(spot["x"], spot["y"])
    return spot


def test_a_large_graph_opens_folded_and_readable(looped: Gradtape) -> None:
    assert 5 < shown(looped) < 60
    assert groups(looped)
    expect(looped.page.locator(".legend")).to_contain_text("group")


def test_a_group_opens_in_its_place_and_closes_again(looped: Gradtape) -> None:
    before, (first, *_) = shown(looped), groups(looped)
    was = double_click(looped, first)
    looped.until(lambda: shown(looped) > before, "the group is open")
    assert first not in groups(looped)
    opened = shown(looped)
    looped.page.locator(".folds .chip").first.click()
    looped.until(lambda: shown(looped) < opened, "a group is closed")
    assert was["x"] > 0


@pytest.mark.thorough
def test_a_group_that_was_opened_is_closed_by_going_back(looped: Gradtape) -> None:
    before, (first, *_) = shown(looped), groups(looped)
    double_click(looped, first)
    looped.until(lambda: shown(looped) > before, "the group is open")
    opened = shown(looped)
    looped.page.wait_for_timeout(600)
    looped.page.keyboard.press("z")
    looped.until(lambda: shown(looped) == before, "it is closed")
    looped.page.keyboard.press("Shift+Z")
    looped.until(lambda: shown(looped) == opened, "it is open again")


@pytest.mark.thorough
def test_the_step_stays_when_a_group_is_opened(looped: Gradtape) -> None:
    for _ in range(5):
        looped.page.keyboard.press("ArrowLeft")
    step, before = looped.step, shown(looped)
    double_click(looped, groups(looped)[0])
    looped.until(lambda: shown(looped) > before, "the group is open")
    assert looped.step == step


def test_find_opens_what_hides_a_node(looped: Gradtape) -> None:
    box = looped.page.get_by_role("searchbox")
    box.fill("name:special")
    expect(looped.page.locator(".count")).to_have_text("1")
    box.press("Enter")
    looped.until(lambda: bool(looped.page.evaluate("window.__gradtapePlayer.find('special').length")), "the node is on show")
    looped.until(lambda: (looped.player.get_attribute("data-selected") or "").startswith("t"), "and selected")
    expect(looped.page.locator(".folds")).to_contain_text("iteration 18")


@pytest.mark.thorough
def test_a_closed_groups_inspector_says_what_is_in_it(looped: Gradtape) -> None:
    looped.page.locator(".player").press("0")
    spot = looped.resting(groups(looped)[0])
    looped.page.mouse.click(spot["x"], spot["y"])
    expect(looped.page.locator(".st-key-inspector")).to_contain_text("nodes")


@pytest.mark.thorough
def test_focus_keeps_what_is_related_to_the_selected_node(page: Gradtape) -> None:
    page.click_node("y1")
    page.page.keyboard.press("f")
    page.until(lambda: int(page.player.get_attribute("data-kept") or 0) > 1, "neighbours are kept")
    near = int(page.player.get_attribute("data-kept") or 0)
    page.page.locator("select.focus").select_option("all")
    page.until(lambda: int(page.player.get_attribute("data-kept") or 0) > near, "more is related at a larger distance")
    assert int(page.player.get_attribute("data-kept") or 0) < shown(page)


WATCH = """(player) => {
    const look = ([{ target }]) => {
        const handle = window.__gradtapePlayer;
        window.__seen.push({
            sketch: target.hasAttribute('data-sketch'), total: target.dataset.total,
            places: handle.groups().map((id) => [id, handle.screen(id)]),
        });
        target.focus();
        target.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, composed: true }));
    };
    window.__seen = [];
    const watched = { attributes: true, attributeFilter: ['data-sketch'], subtree: true };
    new MutationObserver(look).observe(player.getRootNode(), watched);
}"""
"""Notes where the groups are whenever a sketch comes or goes, and presses a key."""


@pytest.mark.thorough
def test_a_long_recording_is_sketched_first_and_nothing_moves_when_the_rest_is_there(page: Gradtape) -> None:
    run(page, 60)
    unroll(page)
    page.player.evaluate(WATCH)
    before = page.total
    run(page, 450)
    seen: list[dict[str, Any]] = []

    def gone() -> bool:
        seen[:] = page.page.evaluate("window.__seen")
        return len(seen) >= 2 and not seen[-1]["sketch"]

    page.until(gone, "the sketch has come and gone", lambda: [(each["sketch"], each["total"]) for each in seen])
    assert [each["sketch"] for each in seen] == [True, False] * (len(seen) // 2)
    assert seen[0]["total"] == str(before)
    for outline, rest in zip(seen[::2], seen[1::2], strict=True):
        assert outline["places"]
        assert outline["places"] == rest["places"]
    page.until(
        lambda: page.step == page.total - 1 - len(seen) // 2, "the key counts as soon as there is something to step through"
    )
    page.page.locator(".timeline:not([inert])").wait_for()


@pytest.mark.thorough
def test_an_unfolded_graph_of_a_thousand_nodes_is_drawn_and_stepped_at_once(page: Gradtape) -> None:
    run(page, 200)
    folded = shown(page)
    page.page.locator(".st-key-fold").click()
    page.page.get_by_role("option", name="Unfolded").click()
    page.until(lambda: shown(page) > max(800, folded), "everything is shown")
    expect(page.page.locator("canvas.large")).to_be_visible()
    # At first sight the overview is only where it covers no card; whoever looks around has it.
    page.player.get_by_label("Zoom out").click()
    expect(page.page.locator(".minimap")).to_be_visible()
    step = page.step
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("ArrowLeft")
    page.until(lambda: page.step == step - 1, "the step is taken")
    page.click_node("w")
    page.until(lambda: page.player.get_attribute("data-selected") == "t0", "a click selects on the large canvas too")
