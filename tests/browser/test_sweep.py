"""A user sweeps leaves and literals: a curve or a surface is drawn, a long one can be cancelled, the best point can be set."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

FIT = """\
import torch

w = torch.tensor(-1.5, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
x = torch.tensor([0.0, 1.0, 2.0, 3.0])
y = torch.tensor([1.0, 3.1, 4.9, 7.2])
opt = torch.optim.SGD([w, b], lr=0.05, momentum=0.6)
for step in range(12):
    loss = ((w * x + b - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("fitted")
"""


@pytest.fixture
def sweep(shared: Gradtape) -> Gradtape:
    shared.run(FIT)
    assert shared.console().strip() == "fitted"
    shared.page.get_by_role("radio", name="Sweep").click()
    shared.page.get_by_role("button", name="Sweep").wait_for()
    shared.settled()
    return shared


def choose(page: Gradtape, box: str, option: str) -> None:
    page.page.get_by_role("combobox", name=box).click()
    page.page.get_by_role("option", name=option, exact=True).click()
    page.settled()


def start(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Sweep").click()


def done(page: Gradtape) -> str:
    """Wait for the outcome; returns the panel's text."""
    page.page.locator(".st-key-sweep_lowest").wait_for()
    page.settled()
    return page.page.locator(".st-key-sweep").inner_text()


def marks(page: Gradtape, role: str) -> int:
    """How many marks of a kind (`rect`, `line`, `rule`, `symbol`) the chart has."""
    return page.page.locator(f".st-key-sweep svg.marks .mark-{role} path, .st-key-sweep svg.marks .mark-{role} line").count()


@pytest.mark.thorough
def test_two_leaves_give_a_surface_that_fits_the_panel(sweep: Gradtape) -> None:
    start(sweep)
    told = done(sweep)
    assert "root of backward pass 1 (line 11)" in told
    assert "arrows: downhill" in told
    assert "the run's path" in told
    sweep.until(lambda: marks(sweep, "rect") >= 31 * 31, "the surface is painted")
    assert marks(sweep, "rule") > 50, "lines of equal height"
    assert marks(sweep, "line") > 40, "arrows, and the path"
    assert marks(sweep, "symbol") >= 13, "the path's steps"
    fits = "() => { const p = document.querySelector('.st-key-sweep'); return p.scrollWidth <= p.clientWidth + 1; }"
    for look in sweep.looks():
        sweep.until(lambda: bool(sweep.page.evaluate(fits)), f"{look}: the surface fits")


def test_one_leaf_gives_a_curve_and_its_lowest_point_can_be_set(sweep: Gradtape) -> None:
    choose(sweep, "Up", "—")
    start(sweep)
    assert "green: slope by backward" in done(sweep)
    sweep.until(lambda: marks(sweep, "line") > 10, "the curve and its slopes are painted")
    sweep.page.locator(".st-key-sweep").get_by_role("button", name="Set", exact=True).click()
    sweep.until(lambda: "w = torch.tensor(1." in sweep.code(), "the text has the value")


@pytest.mark.thorough
def test_a_literal_is_swept_to_the_end_of_the_run(sweep: Gradtape) -> None:
    choose(sweep, "Up", "—")
    choose(sweep, "Loss: root of backward pass", "12 · line 11")
    choose(sweep, "Across", "lr in SGD(…) · line 7")
    start(sweep)
    told = done(sweep)
    assert "root of each run's last backward pass" in told
    assert "slope" not in told


@pytest.mark.thorough
def test_a_long_sweep_shows_how_far_it_is_and_can_be_cancelled(sweep: Gradtape) -> None:
    sweep.set_code(FIT.replace("loss = ", "pause = sum(range(300_000))\n    loss = ").replace("fitted", "slower"))
    sweep.until(lambda: sweep.console().strip() == "slower", "it ran")
    sweep.settled()
    sweep.page.get_by_role("button", name="Sweep").wait_for()
    start(sweep)
    sweep.page.get_by_text("of 961 points").wait_for()
    sweep.page.locator(".st-key-sweep_progress").get_by_role("button", name="Cancel").click()
    sweep.page.get_by_text("The sweep was cancelled.").wait_for()
    sweep.settled()
    assert sweep.page.get_by_role("button", name="Sweep").is_enabled()
    sweep.until(lambda: marks(sweep, "rect") > 500, "what was coarse is painted all over")
    sweep.page.get_by_role("button", name="Go on").click()
    sweep.page.get_by_text("of 961 points").wait_for()
    sweep.page.locator(".st-key-sweep_progress").get_by_role("button", name="Cancel").click()
    sweep.page.get_by_text("The sweep was cancelled.").wait_for()


@pytest.mark.thorough
def test_names_from_the_program_stay_text(page: Gradtape) -> None:
    page.set_code(
        "import torch\nclass N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_parameter('<img src=x onerror=alert(1)>', torch.nn.Parameter(torch.ones(1)))\n"
        "    def forward(self, x):\n        return sum(p * x for p in self.parameters())\n"
        "n = N()\nn(torch.ones(1)).backward()\nprint('ran')"
    )
    page.until(lambda: page.console().strip() == "ran", "it ran")
    page.page.get_by_role("radio", name="Sweep").click()
    page.page.get_by_role("button", name="Sweep").wait_for()
    page.settled()
    choose(page, "Up", "—")
    start(page)
    done(page)
    assert page.page.locator(".st-key-sweep img").count() == 0
