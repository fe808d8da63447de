"""A user puts a proven fix into the program, takes it back, and looks at both runs."""

from __future__ import annotations

import pytest

from tests.browser.conftest import LARGE, Gradtape

pytestmark = pytest.mark.browser

PROGRAM = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    loss = (w * w).sum()
    loss.backward()
    opt.step()
print(loss)
"""


@pytest.fixture
def proven(page: Gradtape) -> Gradtape:
    page.run(PROGRAM)
    page.page.locator(".st-key-panel_tab").get_by_role("radio", name="Findings").click()
    page.page.locator(".gt-proof").wait_for()
    page.settled()
    return page


def test_a_fix_is_applied_and_taken_back_in_the_editor(proven: Gradtape) -> None:
    assert proven.page.locator(".st-key-panel .gt-new").inner_text() == "+    opt.zero_grad()"
    proven.page.get_by_role("button", name="Apply").click()
    proven.until(lambda: "    opt.zero_grad()\n    loss =" in proven.code(), "the change is in the text")
    proven.page.locator(".st-key-findings").get_by_text("Nothing looks wrong").wait_for()
    proven.page.locator(".cm-content").first.focus()
    proven.page.keyboard.press("Control+z")
    proven.until(lambda: proven.code().strip() == PROGRAM.strip(), "the change is taken back")


@pytest.mark.thorough
def test_both_runs_are_opened_in_compare(proven: Gradtape) -> None:
    proven.page.get_by_role("button", name="Open both in Compare").click()
    proven.page.get_by_text("First difference").wait_for()
    proven.settled()
    assert "opt.zero_grad()" in proven.page.locator(".st-key-panel .gt-new").inner_text()
    assert "iteration 1: w.grad set to None" in proven.page.locator(".st-key-panel").inner_text()


LONG = """\
import torch
weights_of_the_first_layer = torch.ones(2, requires_grad=True)
if True:
    optimizer_of_the_whole_network_in_all_its_parts = torch.optim.SGD([weights_of_the_first_layer], lr=0.1)
    for i in range(4):
        loss = (weights_of_the_first_layer * weights_of_the_first_layer).sum()
        loss.backward()
        optimizer_of_the_whole_network_in_all_its_parts.step()
"""
LINES = """() => [...document.querySelectorAll('.gt-diff > div')].filter((line) => line.children.length > 1).map((line) => {
    const [sign, code] = [...line.children].map((each) => [...each.getClientRects()]);
    return {
        text: line.innerText,
        rows: new Set(code.map((row) => Math.round(row.top))).size,
        first: code[0].top - sign[0].top,
        left: Math.min(...code.map((row) => row.left)) - sign[0].right,
        right: line.parentElement.getBoundingClientRect().right - Math.max(...code.map((row) => row.right)),
        cut: line.parentElement.scrollWidth - line.parentElement.clientWidth,
    };
})"""


def test_a_long_line_of_a_fix_is_wrapped_beside_the_column_of_signs(page: Gradtape) -> None:
    page.run(LONG)
    page.page.locator(".st-key-panel_tab").get_by_role("radio", name="Findings").click()
    page.page.locator(".gt-proof").wait_for()
    for look in page.looks((*LARGE, (390, 844))):
        lines = page.page.evaluate(LINES)
        assert "+        optimizer_of_the_whole_network_in_all_its_parts.zero_grad()" in [line["text"] for line in lines], look
        assert max(line["rows"] for line in lines) > 1, look
        for line in lines:
            assert line["cut"] <= 0, (look, line)
            assert line["right"] >= 0, (look, line)
            assert line["left"] >= 0, (look, line)
            assert abs(line["first"]) < 2, (look, line)
