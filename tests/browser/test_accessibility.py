"""The page through axe-core: nothing serious or critical, on any panel, in both themes, on a phone too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Gradtape
from tests.thorough import first_of

pytestmark = pytest.mark.browser

PANELS = ("Inspector", "Findings", "Ledger", "Tensors", "What if", "Sweep", "Check", "Compare")
WIDE = {"width": 1480, "height": 920}
PHONE = {"width": 390, "height": 844}
SIZES = pytest.mark.parametrize("blank", first_of([WIDE, PHONE]), ids=["wide", "phone"], indirect=True)
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules about colours."""
MISTAKE = "import torch\na = torch.ones(2, requires_grad=True)\nb = a + torch.ones(3)\n"


def of_look(page: Gradtape, look: str, part: str | None = None) -> list[str]:
    """What is serious or critical on the page or a part of it as it looks now, each with where it is.

    In the dark the page is the same but for its colours, so only the rules about these are asked again.
    """
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if look.endswith("dark"):
        options["runOnly"] = {"type": "rule", "values": COLOURS}
    there = page.page.evaluate("'axe' in window")  # the script is large: a page reads it once
    response: dict[str, Any] = (Axe("null") if there else Axe()).run(page.page, part, options).response
    return [
        f"{look}, {rule['id']}: {node['target']} {node['html'][:120]}"
        for rule in response["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def looks(page: Gradtape) -> Iterator[str]:
    """The page light and dark, in turn."""
    size = page.page.viewport_size
    assert size is not None
    return page.looks([(size["width"], size["height"])])


def violations(page: Gradtape, part: str | None = None) -> list[str]:
    """What is serious or critical, light or dark."""
    return [each for look in looks(page) for each in of_look(page, look, part)]


@pytest.mark.thorough
@SIZES
def test_every_panel(page: Gradtape) -> None:
    for look in looks(page):
        assert of_look(page, look) == [], f"{look}: with the tour on offer"
        for panel in PANELS:
            page.page.locator(".st-key-panel_tab").get_by_role("radio", name=panel).click()
            page.settled()
            page.page.mouse.move(0, 0)
            page.still()
            assert of_look(page, look, ".st-key-panel") == [], panel


@pytest.mark.thorough
@SIZES
def test_a_stop_of_the_tour_the_builder_a_mistake_and_an_empty_page(page: Gradtape) -> None:
    p = page.page
    p.get_by_role("button", name="Take the tour").click()
    for _ in range(2):
        p.get_by_role("button", name="Next", exact=True).click()
    page.until(lambda: page.step == 23, "the third stop")
    page.until(lambda: "22 + 20 = 42" in page.inspector(), "the inspector is there too")
    assert violations(page) == [], "the tour"
    p.get_by_role("button", name="Leave", exact=True).click()
    p.get_by_role("radio", name="Build").click()
    p.get_by_role("radio", name="Leaf").wait_for()
    assert violations(page, ".st-key-program") == [], "Build"
    p.get_by_role("radio", name="Code", exact=True).click()
    p.get_by_role("radio", name="Leaf").wait_for(state="hidden")
    page.code()
    page.set_code(MISTAKE)
    p.locator(".st-key-console .gt-error").wait_for()
    assert violations(page, ".st-key-program") == [], "a mistake"
    page.set_code("print(1)")
    p.get_by_text("No tensor was made").wait_for()
    assert violations(page) == [], "nothing to show"


@pytest.mark.thorough
def test_what_opens(page: Gradtape) -> None:
    p = page.page
    p.locator(".gt-brand").click()
    p.keyboard.press("?")
    p.get_by_role("dialog", name="Keys").wait_for()
    assert violations(page) == [], "the keys"
    p.keyboard.press("Escape")
    for name in ("Example", "Open", "Save", "Help"):
        p.locator(".st-key-header").get_by_role("button", name=name).click()
        p.get_by_test_id("stPopoverBody").wait_for()
        assert violations(page, "[data-testid=stPopoverBody]") == [], name
        p.keyboard.press("Escape")
        p.get_by_test_id("stPopoverBody").wait_for(state="hidden")
