"""A training loop in the page: rolled, its first NaN one click away, and the iteration that is on show everywhere the same."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape

TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
for k in range(120):
    loss = model(x).square().mean()
    if k == 77:
        loss = loss * float("nan")
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture
def trained(page: Gradtape) -> Gradtape:
    before = page.total
    page.set_code(TRAINING)
    page.until(lambda: page.total not in (before, -1), "the run is shown")
    page.settled()
    return page


def iteration(page: Gradtape) -> int:
    """The iteration of the main loop on show."""
    return int(page.player.get_attribute("data-iteration") or -1)


def test_the_first_nan_is_one_click_away(trained: Gradtape) -> None:
    assert page_is_rolled(trained)
    assert iteration(trained) == 119
    trained.page.locator("[data-jump=nan]").click()
    trained.settled()
    assert iteration(trained) == 77
    expect(trained.page.locator(".player .now")).to_contain_text("77")
    expect(trained.page.locator(".player .caption")).to_contain_text("nan")
    trained.page.locator("[data-jump=last-good]").click()
    trained.settled()
    assert iteration(trained) == 76


@pytest.mark.thorough
def test_the_inspector_speaks_of_the_iteration_on_show(trained: Gradtape) -> None:
    trained.page.locator("[data-jump=last-good]").click()
    trained.settled()
    inspector = trained.page.locator(".st-key-inspector")
    expect(inspector.locator(".gt-run .gt-now")).to_contain_text("76")
    expect(inspector.locator(".gt-ridges")).to_be_visible()
    # Beyond the window that came with the picture: what cards show is asked for.
    trained.page.locator("[data-jump=largest]").click()
    trained.until(lambda: not trained.player.get_attribute("data-unknown"), "what the cards show is there")


@pytest.mark.thorough
def test_unrolled_stays_at_the_step(trained: Gradtape) -> None:
    trained.page.locator("[data-jump=nan]").click()
    trained.settled()
    step = trained.step
    trained.page.locator(".nest button", has_text="Unrolled").click()
    trained.until(lambda: not page_is_rolled(trained), "the run is unrolled")
    trained.settled()
    assert trained.step == step
    trained.page.locator(".nest button", has_text="Rolled").first.click()
    trained.until(lambda: page_is_rolled(trained), "the run is rolled")
    assert trained.step == step


def page_is_rolled(page: Gradtape) -> bool:
    return page.player.get_attribute("data-rolled") is not None


@pytest.mark.thorough
def test_what_the_first_nan_came_from_is_told_at_one_click(trained: Gradtape) -> None:
    trained.page.locator("[data-jump=nan]").click()
    trained.settled()
    expect(trained.page.locator(".st-key-inspector")).to_contain_text('loss is NaN: it began with loss * float("nan")')
    expect(trained.page.locator(".st-key-inspector")).to_contain_text("iteration 77 of 120")


@pytest.mark.thorough
def test_what_is_selected_stays_so_when_a_run_is_unrolled_and_rolled_again(trained: Gradtape) -> None:
    trained.click_node("loss")
    trained.settled()
    inspector = trained.page.locator(".st-key-inspector")
    expect(inspector).to_contain_text("loss")
    selected = trained.player.get_attribute("data-selected")
    trained.page.keyboard.press("u")
    trained.until(lambda: not page_is_rolled(trained), "the run is unrolled")
    # A closed group stands for it.
    trained.until(lambda: (trained.player.get_attribute("data-selected") or "").startswith("g:"), "the group is selected")
    trained.settled()
    trained.page.keyboard.press("u")
    trained.until(lambda: page_is_rolled(trained), "the run is rolled")
    trained.until(lambda: trained.player.get_attribute("data-selected") == selected, "it is selected again")
