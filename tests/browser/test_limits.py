"""What a run may use is chosen on the page, seen while it runs, and a run that is stopped keeps its tape."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

GROWING = (
    "import time\nimport torch\nx = torch.ones(2, requires_grad=True)\ny = x * 3\nprint('begun')\n"
    "while True:\n    time.sleep(0.01)\n    y = y + 1\n"
)
TRAINING = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(200):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
"""
LONG = "print('first line')\nfor k in range(20_000):\n    print(f'{k:>98}')\nprint('last line')\n"


def bar(page: Gradtape) -> str:
    """What the bar says; nothing while there is none."""
    return "".join(page.page.locator(".gt-running").all_inner_texts())


def choose(page: Gradtape, label: str, value: str) -> None:
    """Set one of the limits."""
    field = page.page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")
    page.settled()


@pytest.mark.thorough
def test_a_run_that_is_stopped_keeps_its_tape(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Limits").click()
    page.page.get_by_label("Seconds", exact=True).wait_for()
    for _ in page.looks():
        assert page.page.get_by_role("button", name="Limits").is_visible()
    page.page.set_viewport_size({"width": 1480, "height": 920})
    choose(page, "Seconds", "300")
    page.page.keyboard.press("Escape")
    page.set_code(GROWING)
    page.until(lambda: " of 300 s · " in bar(page), "the time and its limit are shown")
    page.until(lambda: "· 0 events" not in bar(page), "events have come")
    for size in ((1480, 920), (1100, 800)):
        page.page.set_viewport_size({"width": size[0], "height": size[1]})
        for scheme in ("light", "dark"):
            page.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            page.page.wait_for_timeout(700)
            page.screenshot(f"running {size[0]} {scheme}")
            run = page.page.get_by_role("button", name="Run", exact=True).bounding_box()
            assert run is not None
            assert run["x"] + run["width"] <= size[0], "nothing is pushed out of the window"
    page.page.get_by_role("button", name="Stop").click()
    page.until(lambda: not bar(page), "it has ended")
    page.until(lambda: "you stopped it after" in page.console(), "the console says so")
    assert "begun" in page.console()
    page.ready()
    assert page.total > 10, "the tape until then is shown"


@pytest.mark.thorough
def test_events_are_a_limit_that_can_be_chosen(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Limits").click()
    choose(page, "Events", "150")
    page.page.keyboard.press("Escape")
    page.set_code("import torch\nx = torch.ones(2)\nfor k in range(1_000):\n    x = x + 1\nprint('to the end')\n")
    page.until(lambda: "to the end" in page.console(), "the program runs on")
    page.ready()
    assert page.total <= 150


@pytest.mark.thorough
def test_an_iteration_that_was_recorded_thinly_is_had_whole_and_left_again(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Limits").click()
    choose(page, "Events", "1000")
    page.page.keyboard.press("Escape")
    page.set_code(TRAINING)
    note = page.page.locator(".st-key-thinned")
    page.until(lambda: "of 200 iterations whole" in page.page.locator(".st-key-status").inner_text(), "how much is whole")
    page.ready()
    before = page.total
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("End")
    for _ in range(60):
        if "was recorded thinly" in "".join(note.all_inner_texts()):
            break
        page.page.keyboard.press("ArrowLeft")
        page.settled()
        page.page.wait_for_timeout(200)
    page.screenshot("an iteration that is thin")
    page.page.get_by_role("button", name="Record it whole").click()
    page.until(lambda: "It gave the same numbers." in "".join(note.all_inner_texts()), "it was recorded again")
    page.ready()
    assert page.total != before
    page.screenshot("the iteration whole")
    page.page.get_by_role("button", name="Back to the whole run").click()
    page.until(lambda: page.total == before, "the whole run is there again")


@pytest.mark.thorough
def test_of_a_long_output_both_ends_are_shown_and_all_of_it_can_be_had(page: Gradtape) -> None:
    page.set_code(LONG)
    page.until(lambda: "first line" in page.console(), "its beginning")
    assert "last line" in page.console()
    assert "are not shown here" in page.console()
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Download the whole output").click()
    text = download.value.path().read_text()
    assert text.startswith("first line\n")
    assert text.endswith("last line\n")
    assert len(text) == 20_000 * 99 + 21
