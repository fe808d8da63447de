"""The page in Firefox: a mistake is written, found, looked at and mended, by keys and by what assistive technology names."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.serving import served
from tests.browser.firefox import Firefox, firefox

EXECUTABLE = shutil.which("firefox-esr") or shutil.which("firefox")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.ci,
    pytest.mark.skipif(EXECUTABLE is None, reason="there is no Firefox"),
]

SIZES = ((1480, 920), (1100, 800))
MISTAKE = """import torch
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    optimizer.step()
print("w is", w.item())
"""
CUT_OFF = """[...document.querySelectorAll('.stPopover button .stMarkdownEllipsis')].filter((label) => {
    const text = document.createRange();
    text.selectNodeContents(label);
    const style = getComputedStyle(label);
    return style.position !== 'absolute' && style.textOverflow === 'ellipsis'
        && text.getBoundingClientRect().width > label.getBoundingClientRect().width;
}).map((label) => label.textContent).join(', ')"""
"""The labels of menus that end in an ellipsis, since they are wider than their room, by however little."""
PLAYER = """(() => {
    const within = (root) => root.querySelector('.player')
        ?? [...root.querySelectorAll('*')].map((each) => each.shadowRoot && within(each.shadowRoot)).find(Boolean);
    return within(document);
})()"""
EDITOR = "window.__gradtapeEditor.editor_0.view"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Firefox]:
    assert EXECUTABLE is not None
    with served() as own, firefox(EXECUTABLE, tmp_path) as browser:
        browser.open(own.address, *SIZES[0])
        browser.until(
            f"{PLAYER}.dataset.total > 1 && document.querySelector('.st-key-inspector .gt-answer')", "the page is there"
        )
        yield browser


def test_a_mistake_is_written_found_looked_at_and_mended(page: Firefox) -> None:
    page.click("button", "Not now")
    page.until("!document.querySelector('.gt-tour-offer')", "the offer is gone")
    page.evaluate(f"{EDITOR}.focus()")
    page.press("Control+a", "Delete")
    # The editor indents what is written after a colon by itself.
    page.write("\n".join(line.strip() for line in MISTAKE.splitlines()[:7]) + "\n")
    page.press("Backspace")
    page.write(MISTAKE.splitlines()[7])
    page.press("Control+Enter")
    page.until("document.querySelector('.gt-console').textContent.includes('w is')", "the program has run")
    assert page.evaluate(f"{EDITOR}.state.doc.toString()").rstrip() == MISTAKE.rstrip()
    page.until(
        "document.querySelector('.st-key-headline').textContent.includes('is not cleared')", "the headline tells the mistake"
    )

    page.click("radio", "Findings 1")
    page.until("document.querySelector('.st-key-panel').textContent.includes('Apply')", "its fix is proven")
    page.click("button", "Apply")
    page.until(f"{EDITOR}.state.doc.toString().includes('optimizer.zero_grad()')", "the program is mended")
    page.until(
        "document.querySelector('.st-key-headline').textContent.includes('Nothing looks wrong')", "nothing else is found"
    )

    total = page.evaluate(f"Number({PLAYER}.dataset.total)")
    page.evaluate("document.activeElement.blur()")
    page.press("Home")
    page.until(f"{PLAYER}.dataset.step === '0'", "the first step")
    page.press("Right", "Right")
    page.until(f"{PLAYER}.dataset.step === '2'", "two steps on")
    page.press("End")
    page.until(f"{PLAYER}.dataset.step === '{total - 1}'", "the last step")
    # Streamlit asks whether there is WebAssembly, which the page's policy says there is not.
    assert [error for error in page.errors if "blocked WebAssembly" not in error] == []


def test_no_label_is_cut_off(page: Firefox) -> None:
    for width, height in SIZES:
        page.size(width, height)
        page.until("document.fonts.status === 'loaded'", "the typeface is there")
        assert page.evaluate(CUT_OFF) == "", f"{width} pixels wide"
