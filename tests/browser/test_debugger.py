"""A user asks why: the reason for a gradient, findings, the ledger, numbers on edges, the numerical check."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror=window.__hacked=1>"

FORGOTTEN = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
for _ in range(4):
    loss = (w * 3 - 1).pow(2).sum()
    loss.backward()
    optimizer.step()
"""

CUT = """import torch
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
y = (w * 3).detach()
loss = y * b
loss.backward()
"""

WRONG = """import torch

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3

x = torch.tensor([1.0, 2.0], requires_grad=True)
Double.apply(x).sum().backward()
"""


def panel(page: Gradtape) -> str:
    return page.page.locator(".st-key-panel").inner_text()


def opened(page: Gradtape, tab: str) -> None:
    """Open a panel, and wait until it is drawn: what is asked for while the page draws another one may come late."""
    page.page.locator(".st-key-panel_tab button", has_text=tab).first.click()
    part = "tensor_table" if tab == "Tensors" else tab.lower()
    page.page.locator(f".st-key-panel [class*=st-key-{part}]").first.wait_for(state="attached")
    page.settled()


@pytest.mark.thorough
def test_a_first_visit_tells_why_the_gradient_doubled(page: Gradtape) -> None:
    page.until(lambda: "is the sum of 2 backward passes" in page.inspector(), "the reason")
    assert "42 + 42 = 84" in page.inspector()
    page.page.locator(".st-key-inspector_formulas .katex").first.wait_for()
    shown = page.page.locator(".st-key-inspector_formulas").inner_text()
    assert "22 + 20 = 42" in shown, "a backward step is written out with symbols and numbers"
    assert page.page.locator(".st-key-inspector_formulas .katex-error").count() == 0
    for look in page.looks():
        assert "If that is not meant, clear it before each pass" in page.inspector(), look


def test_the_path_of_a_reason_is_marked_in_the_graph_and_taken_away_again(page: Gradtape) -> None:
    button = page.page.get_by_role("button", name="show the path")
    button.click()
    page.until(lambda: int(page.player.get_attribute("data-overlay") or 0) >= 4, "the path's marks")
    button.click()
    page.until(lambda: not page.player.get_attribute("data-overlay"), "no marks")


def test_a_link_goes_to_its_moment_and_the_arrows_step_on_from_there(page: Gradtape) -> None:
    first = page.page.locator(".st-key-inspector .gt-table .gt-moment").first
    target = int(first.get_attribute("data-gt-step") or -1)
    first.click()
    page.until(lambda: page.step == target, "the moment of the first backward pass")
    page.page.keyboard.press("ArrowRight")
    page.until(lambda: page.step == target + 1, "one step on")


def test_the_numerical_check_says_that_gradients_are_right(page: Gradtape) -> None:
    opened(page, "Check")
    page.page.get_by_role("button", name="Check numerically").click()
    page.until(lambda: "derivatives agree" in panel(page), "the verdict")
    page.until(lambda: bool(page.player.get_attribute("data-overlay")), "marks on the graph")
    opened(page, "Inspector")
    page.until(lambda: not page.player.get_attribute("data-overlay"), "no marks outside of the check")


def test_a_cut_is_named_with_its_line_and_shown(shared: Gradtape) -> None:
    shared.run(CUT)
    shared.click_node("w")
    shared.until(lambda: all(said in shared.inspector() for said in ("w.grad is None", "detach", "line 4")), "the reason")
    shared.page.get_by_role("button", name="show the path").click()
    shared.page.locator(".player .legend li:visible", has_text="no gradient passes here").wait_for()


def test_a_forgotten_zero_grad_is_found(shared: Gradtape) -> None:
    shared.run(FORGOTTEN)
    shared.page.locator(".st-key-panel_tab button", has_text="Findings 1").wait_for()
    opened(shared, "Findings")
    shared.until(lambda: "w.grad is not cleared between updates" in panel(shared), "the finding")
    assert "line 6" in panel(shared)
    shared.page.get_by_role("button", name="show in the graph").first.click()
    shared.until(lambda: bool(shared.player.get_attribute("data-overlay")), "marks on the graph")
    for look in shared.looks():
        assert shared.player.get_attribute("data-overlay"), look


def test_a_sound_run_has_no_findings(shared: Gradtape) -> None:
    shared.run(FORGOTTEN.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()"))
    opened(shared, "Findings")
    shared.until(lambda: "Nothing looks wrong" in panel(shared), "the all-clear")


@pytest.mark.thorough
def test_a_training_loop_has_curves_and_a_ledger_that_leads_to_its_moments(shared: Gradtape) -> None:
    shared.run(FORGOTTEN)
    opened(shared, "Ledger")
    shared.page.locator(
        ".st-key-ledger [data-testid='stVegaLiteChart'] canvas, .st-key-ledger [data-testid='stVegaLiteChart'] svg"
    ).first.wait_for()
    assert "each parameter over the iterations" in panel(shared)
    rows = shared.page.locator(".st-key-ledger .gt-table tbody tr")
    assert rows.count() == 8  # four passes, four steps
    link = rows.nth(2).locator(".gt-moment")
    target = int(link.get_attribute("data-gt-step") or -1)
    link.click()
    shared.until(lambda: shared.step == target, "the second pass")
    shared.until(lambda: rows.nth(2).get_attribute("class") == "gt-now", "the row of the moment")
    for look in shared.looks():
        wide = shared.page.locator(".st-key-panel").evaluate("p => p.scrollWidth - p.clientWidth")
        assert wide <= 1, f"{look}: the panel scrolls sideways"


@pytest.mark.thorough
def test_a_wrong_backward_is_found_by_the_numerical_check(shared: Gradtape) -> None:
    shared.run(WRONG)
    opened(shared, "Check")
    shared.page.get_by_role("button", name="Check numerically").click()
    shared.until(lambda: "derivatives are wrong" in panel(shared), "the verdict")
    shared.until(lambda: bool(shared.player.get_attribute("data-overlay")), "marks on the graph")
    for look in shared.looks():
        assert "Double" in panel(shared), look


def test_names_with_markup_stay_text_in_every_panel(shared: Gradtape) -> None:
    shared.run(
        f"import torch\nd = {{'{EVIL}': torch.ones(2, requires_grad=True)}}\n"
        f"optimizer = torch.optim.SGD(list(d.values()), lr=0.1)\n"
        f"for _ in range(3):\n    (d['{EVIL}'] * 2).sum().backward()\n    optimizer.step()\n",
    )
    for tab in ("Inspector", "Findings", "Ledger", "Tensors", "Check", "Compare"):
        opened(shared, tab)
    assert shared.page.evaluate("window.__hacked") is None
