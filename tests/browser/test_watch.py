"""Expressions are watched: their values follow the step, a reload keeps them, and they are text whatever they say."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser


def watch(page: Gradtape, *expressions: str) -> None:
    box = page.page.locator(".st-key-watch").get_by_role("combobox")
    for k, expression in enumerate(expressions, 1):
        box.click()
        page.page.keyboard.type(expression)
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Escape")
        expect(page.page.locator(".gt-watch tr")).to_have_count(k)


def test_values_follow_the_step_and_a_reload_keeps_what_is_watched(page: Gradtape) -> None:
    page.page.get_by_role("radio", name="Tensors", exact=True).click()
    watch(page, "x1.grad", "x1.grad / 2 - y1", "<img src=x onerror=alert(1)>")
    rows = page.page.locator(".gt-watch tr")
    expect(rows.nth(0)).to_contain_text("84")
    expect(rows.nth(1)).to_contain_text("31")
    expect(rows.nth(2)).to_contain_text("no expression")
    assert page.page.locator(".gt-watch img").count() == 0
    rows.nth(0).locator("[data-gt-step]").click()
    page.until(lambda: page.step < page.total - 1, "it goes to where the gradient changed last")
    expect(rows.nth(0)).to_contain_text("now")
    changed = page.step
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("ArrowLeft")
    expect(rows.nth(0)).to_contain_text("42")
    page.page.keyboard.press("Home")
    expect(rows.nth(0)).to_contain_text("no tensor is called x1 at this step")
    assert changed > page.step == 0
    page.settled()
    page.page.reload()
    page.ready()
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("no tensor is called x1 at this step")
    page.page.get_by_role("button", name="Remove x1.grad / 2 - y1").click()
    expect(rows).to_have_count(2)
