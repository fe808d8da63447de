"""What a run may use is chosen on the page, seen while it runs, and a run that is stopped keeps its tape."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

GROWING = (
    "import time\nimport torch\nx = torch.ones(2, requires_grad=True)\ny = x * 3\nprint('begun')\n"
    "while True:\n    time.sleep(0.01)\n    y = y + 1\n"
)
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


def test_events_are_a_limit_that_can_be_chosen(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Limits").click()
    choose(page, "Events", "150")
    page.page.keyboard.press("Escape")
    page.set_code(GROWING.replace("    time.sleep(0.01)\n", ""))
    page.until(lambda: "the recording holds at most 150 events" in page.console(), "it was cut there")
    page.ready()
    page.until(lambda: page.total == 151, "the events and how it ended")


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
