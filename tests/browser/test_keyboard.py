"""The page with the Tab key alone: it goes everywhere, changes nothing on its way, and is never caught."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

MOST = 200
"""Tabs after which a round through the page has no end."""
FOCUSED = """() => {
    let at = document.activeElement, part = '';
    while (at?.shadowRoot?.activeElement) {
        part ||= at.closest('[class*=st-key-]')?.className.match(/st-key-(\\S+)/)[1] ?? '';
        at = at.shadowRoot.activeElement;
    }
    part = ['header', 'program', 'graph', 'panel'].find((each) => {
        for (let up = at; up; up = up.parentElement ?? up.getRootNode().host) {
            if (up.classList?.contains(`st-key-${each}`)) return true;
        }
        return false;
    }) ?? '';
    const name = at?.getAttribute?.('aria-label') ?? at?.textContent?.trim().slice(0, 40) ?? '';
    return [part, at?.classList?.contains('cm-content') ? 'editor' : name];
}"""
"""The part of the page that has the focus, and the control in it."""
SAID = "() => window.__gradtapeEditor.editor_0.view.dom.querySelector('.cm-announced').textContent"


def focused(page: Gradtape) -> tuple[str, str]:
    part, name = page.page.evaluate(FOCUSED)
    return part, name


def tab_to_editor(page: Gradtape) -> None:
    page.page.locator(".gt-brand").click()
    for _ in range(MOST):
        page.page.keyboard.press("Tab")
        if focused(page)[1] == "editor":
            return
    raise AssertionError("Tab never came to the editor")


def test_tab_alone_goes_through_every_part_and_changes_no_letter(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Not now").click()
    page.settled()
    before = page.code()
    parts: list[str] = []
    tab_to_editor(page)
    for _ in range(MOST):
        page.page.keyboard.press("Tab")
        part, name = focused(page)
        if part and (not parts or parts[-1] != part):
            parts.append(part)
        if name == "editor":
            break
    else:
        raise AssertionError(f"Tab never came round: {parts}")
    assert parts == ["program", "graph", "panel", "header", "program"], "in the order in which they are seen"
    assert page.code() == before
    tab_to_editor(page)
    page.page.keyboard.press("Shift+Tab")
    assert focused(page)[1] != "editor"
    assert page.code() == before


@pytest.mark.thorough
def test_once_something_is_typed_tab_indents_and_escape_gives_the_way_out_which_is_announced(page: Gradtape) -> None:
    keyboard = page.page.keyboard
    tab_to_editor(page)
    keyboard.press("ArrowDown")
    keyboard.press("Tab")
    assert focused(page)[1] != "editor", "to move the cursor is not to type"
    tab_to_editor(page)
    keyboard.press("Control+Home")
    keyboard.type("#")
    page.until(lambda: "Press Escape, then Tab" in page.page.evaluate(SAID), "it is said that Tab indents now")
    keyboard.press("Tab")
    assert focused(page)[1] == "editor"
    assert page.code().startswith("    #")
    keyboard.press("Escape")
    page.until(lambda: "Tab leaves" in page.page.evaluate(SAID), "it is said that Tab leaves")
    page.page.wait_for_timeout(2_500)
    keyboard.press("Tab")
    assert focused(page)[1] != "editor", "however long it takes to press it"
    tab_to_editor(page)
    keyboard.press("Tab")
    assert focused(page)[1] != "editor", "who comes back has not typed yet"
    assert page.code().startswith("    #")
    assert "    #" not in page.code()[5:]
