"""Nothing is lost: what is on show is kept in the browser, comes back after a reload, and the address always names it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.serving import served
from engine.program.share import Link, pack
from tests.browser.conftest import PATIENCE, Gradtape
from tests.thorough import first_of

pytestmark = pytest.mark.browser

SHORT = "import torch\n\nw = torch.tensor([3.0], requires_grad=True)\nloss = (w * 2 + 1) ** 2\nloss.backward()\nprint('slope', w.grad)\n"  # noqa: E501
LONG = SHORT + "".join(
    f"a{k} = {k * k * 7919 % 100_003}  # {k * 104_729 % 65_521:x} {k * 7_368_787 % 99_991}\n" for k in range(200)
)
EVIL = '"><img src=x onerror="window.__pwned=1">'


STORED = """async (work) => {
    const opening = indexedDB.open('gradtape', 1);
    const onupgradeneeded = () => opening.transaction.abort(); // it is made when something is kept
    await new Promise((resolve) => Object.assign(opening, { onsuccess: resolve, onerror: resolve, onupgradeneeded }));
    if (opening.error) return false;
    const asked = opening.result.transaction('files').objectStore('files').count(work);
    await new Promise((resolve) => Object.assign(asked, { onsuccess: resolve, onerror: resolve }));
    opening.result.close();
    return asked.result === 1;
}"""
"""Whether the files of a program are in the browser's database, which takes longer than its text."""
LATE = """async () => {
    const editor = window.__gradtapeEditor.editor_0, { rev, getText } = editor;
    Object.assign(editor, { rev: () => rev() - 1, getText: () => 'print("the program before")' });
    document.body.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 400));
    Object.assign(editor, { rev, getText });
}"""
"""Something is typed elsewhere in the page while the editor has not yet heard of another program."""


def ran(page: Gradtape, text: str, printed: str) -> None:
    """Run a program in the editor, and wait until the address names it."""
    page.set_code(text)
    page.until(lambda: printed in page.console(), f"it prints {printed}", page.console)
    page.settled()


def reload(page: Gradtape) -> None:
    """Load the page anew, as F5 does."""
    page.page.reload()
    page.ready()


def query(page: Gradtape) -> str:
    """What the address asks for."""
    return page.page.url.partition("?")[2]


def kept(page: Gradtape) -> list[dict[str, Any]]:
    """What the browser keeps, the newest first."""
    text = "JSON.stringify(Object.keys(localStorage).filter(k => k.startsWith('gradtape.record.')).map(k => localStorage[k]))"
    return sorted((json.loads(each) for each in json.loads(page.page.evaluate(text))), key=lambda each: -each["at"])


def works(page: Gradtape) -> None:
    """Open the list of what is kept."""
    page.page.locator(".st-key-works button").first.click()
    page.page.locator(".st-key-works_menu").wait_for()
    page.page.get_by_text("in this browser, and nowhere else").wait_for()


def choose(page: Gradtape, tab: str) -> None:
    """Show a panel."""
    page.page.locator(".st-key-panel_tab").get_by_role("radio", name=tab).click()
    page.settled()


def test_a_reload_brings_back_text_step_selection_and_panel(page: Gradtape) -> None:
    assert query(page) == "example=repeated_backward"
    ran(page, SHORT, "slope")
    page.until(lambda: query(page).startswith("p="), "a short program is in the address", lambda: page.page.url)
    page.click_node("loss")
    page.until(lambda: "loss" in page.inspector(), "loss is selected")
    choose(page, "Ledger")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    page.until(lambda: page.step == 3, "three steps on")
    page.until(lambda: (kept(page) or [{"moment": {}}])[0]["moment"].get("step") == 3, "it is kept")
    selected = page.player.get_attribute("data-selected")
    reload(page)
    assert page.code() == SHORT
    page.until(lambda: page.step == 3, "the same step", lambda: page.step)
    page.until(
        lambda: page.player.get_attribute("data-selected") == selected,
        "the same node",
        lambda: (selected, page.player.get_attribute("data-selected"), kept(page)[0]),
    )
    page.page.locator(".st-key-panel_tab [aria-checked=true]", has_text="Ledger").wait_for()
    expect(page.page.locator(".kept")).to_have_text("Kept in this browser")


def test_what_was_typed_last_is_there_even_if_the_page_went_at_once(page: Gradtape) -> None:
    page.page.locator(".cm-content").click()
    page.page.keyboard.press("Control+End")
    page.page.keyboard.type("print('just typed')")
    page.page.evaluate("location.reload()")
    page.page.wait_for_load_state()
    page.ready()
    page.until(lambda: page.code().endswith("print('just typed')"), "it is there", page.code)


@pytest.mark.thorough
def test_a_page_that_its_frontend_has_taken_down_comes_back_once(page: Gradtape) -> None:
    ran(page, SHORT, "slope")
    page.until(lambda: query(page).startswith("p="), "it is kept", lambda: page.page.url)
    with page.page.expect_navigation():
        page.page.evaluate("document.getElementById('root').replaceChildren()")
    page.ready()
    page.until(lambda: page.code() == SHORT, "the program is there again", page.code)
    page.page.evaluate("document.getElementById('root').replaceChildren()")
    page.page.wait_for_timeout(500)
    assert page.page.locator("#root > *").count() == 0, "what did not help is not tried again and again"


@pytest.mark.thorough
def test_a_long_program_has_a_name_that_opens_here_and_elsewhere_says_why_not(
    page: Gradtape, address: str, chromium: Browser
) -> None:
    ran(page, LONG, "slope")
    page.until(lambda: query(page).startswith("here="), "it is named", lambda: page.page.url)
    expect(page.page.locator(".kept")).to_have_text("Kept in this browser")
    reload(page)
    page.until(lambda: page.code() == LONG, "it is back")
    page.until(lambda: "slope" in page.console(), "it ran")
    other = Gradtape(chromium.new_page())
    try:
        other.page.goto(page.page.url)
        other.page.get_by_text("it opens only where it was made").wait_for(timeout=PATIENCE)
        other.ready()
        assert "Repeated backward" in other.code()
    finally:
        other.page.close()


def test_back_and_forward_go_through_examples_and_runs(page: Gradtape) -> None:
    page.page.get_by_role("button", name="Example", exact=False).first.click()
    page.page.get_by_role("button", name="Broadcasting", exact=True).click()
    page.until(lambda: query(page) == "example=broadcasting", "the address names it")
    page.until(lambda: "roadcast" in page.code(), "it is in the editor")
    page.settled()
    ran(page, SHORT, "slope")
    page.until(lambda: query(page).startswith("p="), "the program is in the address")
    ran(page, SHORT.replace("3.0", "5.0"), "slope tensor([44.])")
    page.page.go_back()
    page.until(lambda: page.code() == SHORT, "the run before")
    page.until(lambda: "slope tensor([28.])" in page.console(), "what it printed")
    page.page.go_back()
    page.until(lambda: "roadcast" in page.code() and query(page) == "example=broadcasting", "the example", page.code)
    page.page.go_back()
    page.until(lambda: "Repeated backward" in page.code(), "the first example", page.code)
    assert query(page) == "example=repeated_backward"
    page.settled()
    page.page.go_forward()
    page.until(lambda: "roadcast" in page.code(), "forward again")
    page.settled()
    page.page.go_forward()
    page.until(lambda: page.code() == SHORT, "and to the run")


def test_a_strangers_link_leaves_ones_own_work_alone(page: Gradtape, address: str) -> None:
    ran(page, SHORT, "slope")
    page.until(lambda: len(kept(page)) > 0, "it is kept")
    mine = kept(page)
    page.page.goto(f"{address}?p={pack(Link(('print(1)',), name=EVIL))}")
    page.page.get_by_text("No tensor was made").wait_for(timeout=PATIENCE)
    page.settled()
    assert [each["cells"] for each in kept(page)] == [each["cells"] for each in mine]
    works(page)
    page.page.locator(".works .open").first.click()
    page.until(lambda: page.code() == SHORT, "my own program")
    page.page.keyboard.press("Escape")
    page.page.go_back()  # at once: the program that came back is being run
    page.until(lambda: page.code() == "print(1)", "the link", lambda: (page.page.url, page.code()))
    assert page.page.evaluate("window.__pwned") is None


@pytest.mark.thorough
def test_versions_names_and_forgetting(page: Gradtape) -> None:
    ran(page, SHORT, "slope tensor([28.])")
    ran(page, SHORT.replace("3.0", "5.0"), "slope tensor([44.])")
    works(page)
    assert "slope tensor([28.])" in page.page.locator(".works").inner_text()
    page.page.keyboard.press("Escape")
    name = page.page.get_by_label("Title", exact=True)
    name.fill(EVIL)
    name.press("Enter")
    page.until(lambda: kept(page)[0]["name"] == EVIL, "it has its name")
    page.settled()
    works(page)
    page.page.locator(".works .open").first.click()
    page.until(lambda: page.code() == SHORT, "the earlier version")
    page.settled()
    works(page)
    page.until(lambda: EVIL in page.page.locator(".works").inner_text(), "its name is a text")
    page.page.get_by_role("button", name="Forget this browser").click()
    assert kept(page) == []
    assert page.page.evaluate("window.__pwned") is None
    page.page.keyboard.press("Escape")
    page.page.wait_for_timeout(500)
    page.settled()
    assert kept(page) == []
    assert page.code() == SHORT


@pytest.mark.thorough
def test_two_tabs_stay_apart(page: Gradtape) -> None:
    ran(page, LONG, "slope")
    page.until(lambda: query(page).startswith("here="), "it is named")
    other = Gradtape(page.page.context.new_page())
    other.page.goto(page.page.url)
    other.ready()
    other.until(lambda: other.code() == LONG, "the same program")
    ran(other, LONG.replace("3.0", "5.0"), "slope tensor([44.])")
    other.until(lambda: len({each["work"] for each in kept(other)}) == 2, "a program of its own", lambda: kept(other))
    assert page.code() == LONG
    reload(page)
    page.until(lambda: page.code() == LONG, "this one is as it was")
    assert {each["cells"][0] for each in kept(page)} == {LONG, LONG.replace("3.0", "5.0")}


def opened(page: Gradtape, *files: Path | dict[str, Any]) -> None:
    """Open files with the menu."""
    page.page.locator(".st-key-opening button").first.click()
    chosen = page.page.locator(".st-key-upload input[type=file]")
    chosen.set_input_files(files)  # type: ignore[arg-type]
    page.settled()


@pytest.mark.thorough
def test_files_beside_a_program_and_a_recording_come_back(page: Gradtape, tmp_path: Path) -> None:
    text = "import torch\nfrom factor import factor\nx = torch.ones(1, requires_grad=True)\n(x * factor).backward()\nprint('is', x.grad)\n"  # noqa: E501
    (tmp_path / "uses.py").write_text(text)
    (tmp_path / "factor.py").write_text("factor = 7.0\n")
    opened(page, tmp_path / "uses.py", tmp_path / "factor.py")
    page.until(lambda: "is tensor([7.])" in page.console(), "it ran", page.console)
    page.until(lambda: query(page).startswith("here="), "it is named", lambda: page.page.url)
    page.until(lambda: bool(kept(page)) and kept(page)[0]["filed"], "it is kept")
    page.page.evaluate(LATE)
    assert kept(page)[0]["cells"] == [text], "an editor that still holds the text before is not taken for what was typed"
    page.until(lambda: page.page.evaluate(STORED, kept(page)[0]["work"]), "so are its files")
    page.settled()
    reload(page)
    page.until(lambda: page.code() == text, "its text")
    page.until(lambda: "is tensor([7.])" in page.console(), "with its module", page.console)
    page.page.get_by_role("button", name="Save").click()
    with page.page.expect_download() as waiting:
        page.page.locator(".st-key-save_menu").get_by_role("button", name="Recording").click()
    waiting.value.save_as(tmp_path / "run.gradtape")
    page.page.keyboard.press("Escape")
    opened(page, tmp_path / "run.gradtape")
    page.until(lambda: page.page.locator(".st-key-title input").input_value() == "run.gradtape", "it is on show")
    page.until(lambda: kept(page)[0]["file"] == "run.gradtape", "it is kept")
    page.until(lambda: page.page.evaluate(STORED, kept(page)[0]["work"]), "so is the recording's file")
    page.settled()
    reload(page)
    page.until(lambda: page.page.locator(".st-key-title input").input_value() == "run.gradtape", "it is on show")


@pytest.mark.thorough
def test_a_pinned_run_and_the_builder_come_back(page: Gradtape) -> None:
    ran(page, SHORT, "slope")
    choose(page, "Compare")
    page.page.locator(".st-key-panel").get_by_role("button", name="Pin", exact=False).first.click()
    page.settled()
    ran(page, SHORT.replace("3.0", "5.0"), "slope tensor([44.])")
    page.page.locator(".st-key-modes").get_by_role("radio", name="Build").click()
    page.until(lambda: (kept(page)[0].get("pinned") or {}).get("cells") == [SHORT], "it is kept")
    page.until(lambda: kept(page)[0]["moment"]["mode"] == "Build", "the builder is open")
    before = page.page.locator(".st-key-panel").inner_text()
    reload(page)
    page.page.locator(".st-key-builder").wait_for()
    page.page.locator(".st-key-panel", has_text="ompare").wait_for()
    page.until(lambda: page.page.locator(".st-key-panel").inner_text() == before, "both runs are there")


@pytest.mark.thorough
def test_where_the_browser_keeps_nothing_the_page_says_so(chromium: Browser, address: str) -> None:
    blank = Gradtape(chromium.new_page())
    errors: list[str] = []
    blank.page.on("pageerror", lambda error: errors.append(str(error)))
    blank.page.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });"
    )
    blank.page.goto(address)
    blank.page.locator(".player").wait_for()
    expect(blank.page.locator(".kept")).to_have_text("This browser keeps nothing")
    blank.page.locator(".st-key-works button").first.click()
    blank.page.get_by_text("This browser lets pages keep nothing").wait_for()
    blank.page.close()
    assert errors == []


NONSENSE: dict[str, object] = {
    "no record": 7,
    "no cells": {"cells": []},
    "other types": {"id": 3, "work": {}, "query": [], "cells": [None], "name": 5},
    "far too much": {"id": "0" * 8, "work": "0" * 8, "query": "", "name": "n" * 100_000, "cells": ["x"] * 5_000},
    "a moment of no tape": {
        "id": "0" * 8, "work": "0" * 8, "query": "example=repeated_backward", "name": "n", "cells": ["print('odd')"],
        "moment": {"step": 2**30, "selected": "<b>", "view": "x", "panel": "<script>", "mode": "Code"},
    },
}  # fmt: skip


@pytest.mark.parametrize("what", first_of(NONSENSE))
def test_nonsense_in_the_browsers_store_harms_nothing(fresh: Gradtape, what: str) -> None:
    wrong = json.dumps(
        NONSENSE[what] | {"query": "example=repeated_backward"} if isinstance(NONSENSE[what], dict) else NONSENSE[what]
    )  # type: ignore[operator]
    fresh.page.evaluate(
        "wrong => { Storage.prototype.setItem.call(sessionStorage, 'gradtape.tab', wrong);"
        " localStorage.setItem('gradtape.record.00000000', wrong); Storage.prototype.setItem = () => {}; }", wrong,
    )  # fmt: skip
    fresh.page.reload()
    fresh.until_true("Boolean(window.__gradtapeEditor)")
    fresh.settled()
    page_is_well(fresh)


def page_is_well(page: Gradtape) -> None:
    """No part of the page has failed."""
    assert page.page.get_by_text("could not be drawn").count() == 0
    assert re.search("Repeated backward|odd", page.code())


@pytest.mark.thorough
def test_a_server_that_is_started_anew_goes_on_with_what_was_on_show(
    chromium: Browser, tmp_path: Path, free: Callable[[], int]
) -> None:
    port = free()
    tab: Page = chromium.new_page()
    page = Gradtape(tab)
    try:
        with served(tmp_path / "first", port) as server:
            tab.goto(server.address)
            page.ready()
            ran(page, SHORT, "slope")
            page.until(lambda: query(page).startswith("p="), "the address holds it")
        page.page.evaluate("text => window.__gradtapeEditor.editor_0.setText(text)", SHORT + "print('offline')\n")
        page.page.evaluate("document.dispatchEvent(new Event('input'))")
        page.page.wait_for_timeout(400)
        with served(tmp_path / "second", port):
            page.until(lambda: "offline" in page.console(), "it goes on by itself", page.console)
            page.until(lambda: page.code() == SHORT + "print('offline')\n", "with the text that was typed", page.code)
    finally:
        tab.close()


@pytest.fixture
def free() -> Callable[[], int]:
    """Finds a port that nobody listens at."""
    from benchmarks.serving import free_port

    return free_port
