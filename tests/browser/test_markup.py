"""Whatever programs, files and links say, the page and everything made of it show it as text, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from components.menus.gallery import examples
from components.network.file import PYVIS
from components.panels import panels
from components.replay import REPLAY
from engine.export import FORMATS, Options
from engine.program.share import Link, pack
from engine.recording import Recording, RecordingError
from engine.sandbox import run
from tests.browser.conftest import Gradtape, listening
from tests.engine.export.hostile import hostile
from tests.engine.recording.files import as_format1, packed, unpacked
from tests.thorough import first_of

pytestmark = pytest.mark.browser

TAG = '<img src=x onerror="window.__pwned=1">'
SCRIPT = "</script></style></textarea></title></pre><script>window.__pwned=1</script><svg onload=window.__pwned=1>"
QUOTES = "\" onmouseover='window.__pwned=1' autofocus onfocus=window.__pwned=1 x=\"'`${window.__pwned=1}`"
MARKDOWN = "![a](https://elsewhere.invalid/a.png) [b](javascript:window.__pwned=1) <img src=https://elsewhere.invalid/b> `c`"
LATEX = "$$ ![d](https://elsewhere.invalid/d.png) $$ \\href{javascript:window.__pwned=1}{e} \\includegraphics{https://elsewhere.invalid/f} \\htmlData{x=y}{z}"
CSS = "</style><style>*{background:url(https://elsewhere.invalid/g)}</style> ; } body { display: none } @import url(//elsewhere.invalid/h);"
EVERY = (TAG, SCRIPT, QUOTES, MARKDOWN, LATEX, CSS)

PROGRAM = f"""import torch, warnings
from torch import nn
EVERY = {EVERY!r}
print(*EVERY, sep='\\n')
names = globals()
for text in EVERY:
    names[text] = torch.tensor([1.0, 2.0], requires_grad=True)
    names[text + '!'] = names[text] * 2
    warnings.warn(text)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        for k, text in enumerate(EVERY):
            self.add_module(text.replace('.', ''), nn.Linear(2, 2))
            self.register_buffer(text.replace('.', '') + '!', torch.ones(2))
    def forward(self, x):
        for part in self.children():
            x = part(x).tanh()
        return x
Block.__name__ = Block.__qualname__ = EVERY[0]
model = Block()
labels = {{text: torch.ones(2, requires_grad=True) for text in EVERY}}
loss = (model(sum(names[text + '!'] for text in EVERY)) * sum(labels.values())).sum()
loss.backward()
torch.optim.SGD(model.parameters(), lr=0.1).step()
loss = (model(names[EVERY[0]]) ** 2).mean()
loss.backward()
class Loud(Exception): pass
Loud.__name__ = Loud.__qualname__ = EVERY[0]
raise Loud(' '.join(EVERY))
"""


@contextmanager
def without_dialogs(page: Gradtape) -> Iterator[None]:
    """Neither a script nor a dialog comes up meanwhile; what else would be seen, the fixture of the tab looks at."""
    dialogs: list[str] = []
    with listening(page.page, dialog=lambda dialog: (dialogs.append(dialog.message), dialog.dismiss())):
        yield
        assert_unharmed(page)
    assert dialogs == []


@pytest.fixture
def unopened(blank: Gradtape) -> Iterator[Gradtape]:
    """An empty tab in which nothing comes up."""
    with without_dialogs(blank):
        yield blank


@pytest.fixture
def quiet(shared: Gradtape) -> Iterator[Gradtape]:
    """The page in such a tab, one visit for all: each test puts something of its own on show."""
    with without_dialogs(shared):
        yield shared


def assert_unharmed(page: Gradtape) -> None:
    """No script has run, and the page looks as it should."""
    assert page.page.evaluate("window.__pwned") is None
    assert page.page.evaluate("[getComputedStyle(document.body).display, getComputedStyle(document.body).backgroundImage]") == [
        "block", "none",
    ]  # fmt: skip


SELECT = """id => {
    const link = document.createElement('button');
    link.dataset.gtSelect = id;
    document.querySelector('.gt-brand').append(link);
    link.click();
    link.remove();
}"""
"""What a click on a name in a table does, wherever the table is."""


def through_all(page: Gradtape) -> None:
    """Look at every panel, at several moments, with several things selected, and with the mouse over the graph."""
    tab = page.page
    tabs = tab.locator(".st-key-panel_tab button")
    offered = tabs.count()
    assert offered >= len([each for each in panels().values() if each.when(Recording())])
    for number in (*range(offered), 0):
        tabs.nth(number).click()
        page.settled()
    for key in ("Home", "End"):
        page.player.focus()
        tab.keyboard.press(key)
        page.settled()
    for _ in range(6):
        tab.keyboard.press("ArrowLeft")
    page.settled()
    for label in ("Autograd (grad_fn)", "Tensors and ops"):
        tab.locator(".st-key-view button", has_text=label).click()
        page.settled()
    tab.locator(".st-key-panel_tab button", has_text="Tensors").first.click()
    page.settled()
    names = tab.locator(".st-key-tensor_table [data-gt-select]")
    names.nth(3).wait_for()
    ids = [names.nth(row).get_attribute("data-gt-select") for row in range(4)]
    names.nth(0).click()
    page.settled()
    tab.locator(".st-key-panel_tab button", has_text="Inspector").first.click()
    page.settled()
    for key in ids[1:]:
        tab.evaluate(SELECT, key)
        page.until(lambda key=key: page.player.get_attribute("data-selected") == key, "it is selected")
        page.settled()
    box = page.player.bounding_box()
    assert box is not None
    for x in range(1, 8):
        for y in range(1, 5):
            tab.mouse.move(box["x"] + box["width"] * x / 8, box["y"] + box["height"] * y / 8)


def test_what_a_program_says_is_text(quiet: Gradtape) -> None:
    quiet.run(PROGRAM)
    assert TAG in quiet.console()
    quiet.screenshot("rolled")
    quiet.player.focus()
    quiet.page.keyboard.press("u")  # unrolled, so that each tensor has a card of its own
    quiet.settled()
    through_all(quiet)
    quiet.page.locator(".st-key-modes button", has_text="Build").click()
    quiet.settled()
    quiet.page.mouse.move(700, 400)


def test_what_a_notebook_says_is_text(quiet: Gradtape, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": MARKDOWN},
        {"cell_type": "code", "source": f"# {SCRIPT}\nimport torch\nprint({TAG!r}, {SCRIPT!r})\n", "outputs": [{"text": TAG, "data": {"text/html": SCRIPT}}]},
        {"cell_type": "code", "source": f"x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\nclass A:\n    def __repr__(self): return {' '.join(EVERY)!r}\nA()"},
    ]  # fmt: skip
    name = "![a](x) <img src=x onerror=window.__pwned=1> $$x$$.ipynb"
    opened(quiet, tmp_path / name, json.dumps({"cells": cells, "metadata": {"title": TAG}, "nbformat": 4}).encode(),
           lambda: "Out[2]" in quiet.page.locator("body").inner_text())  # fmt: skip
    assert TAG in quiet.page.locator(".gt-cell").last.inner_text()


def opened(page: Gradtape, file: Path, data: bytes, seen: Callable[[], bool]) -> None:
    """Open a file by the header's menu, and wait until it is seen."""
    file.write_bytes(data)
    page.page.locator(".st-key-header").get_by_role("button", name="Open").click()
    page.page.locator(".st-key-upload input[type=file]").set_input_files(file)
    page.until(seen, f"{file.name} is open")
    page.settled()
    page.page.keyboard.press("Escape")
    page.page.locator(".st-key-upload").wait_for(state="hidden")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("![a](x) [b](javascript:alert`1`) <img src=x onerror=window.__pwned=1>.py", b"\xff"),
        ("<svg onload=window.__pwned=1>.ipynb", json.dumps({"cells": 1, "x": MARKDOWN}).encode()),
        ("$$ a $$ :red[b] `c`.gradtape", b"GRAD" + MARKDOWN.encode()),
    ],
    ids=["py", "ipynb", "gradtape"],
)
def test_a_file_that_cannot_be_opened_is_named_as_text(quiet: Gradtape, tmp_path: Path, name: str, data: bytes) -> None:
    notice = quiet.page.locator(".st-key-notices")
    opened(quiet, tmp_path / name, data, lambda: name in notice.inner_text())
    assert "cannot be opened" in notice.inner_text()
    assert notice.locator("a, img, code, .katex").count() == 0


@cache
def plain() -> bytes:
    """A recording of the default example, in the format whose document is easily forged."""
    recording = run(examples()["repeated_backward"].text).recording
    assert recording is not None
    return as_format1(recording)


def forged(change: Callable[[str], str]) -> bytes:
    """A recording, every text of which that may be changed is."""
    document, raw = unpacked(plain())

    def texts(holder: Any) -> Iterator[tuple[Any, Any]]:
        """Where the texts stand."""
        for key, item in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(item, str):
                yield holder, key
            elif isinstance(item, list | dict):
                yield from texts(item)

    def alter(places: list[tuple[Any, Any]]) -> None:
        """Change the texts of some places; where that is refused, of each half of them."""
        before = [holder[key] for holder, key in places]
        for holder, key in places:
            holder[key] = change(holder[key])
        try:
            Recording.load(packed(msgspec.msgpack.encode(document), raw))
        except RecordingError:
            for (holder, key), text in zip(places, before):
                holder[key] = text
            if len(places) > 1:
                alter(places[: len(places) // 2])
                alter(places[len(places) // 2 :])

    alter(list(texts(document)))
    return packed(msgspec.msgpack.encode(document), raw)


@pytest.mark.parametrize("text", first_of(EVERY), ids=["tag", "script", "quotes", "markdown", "latex", "css"])
def test_what_a_saved_recording_says_is_text(quiet: Gradtape, tmp_path: Path, text: str) -> None:
    name = f"{EVERY.index(text)}.gradtape"
    title = quiet.page.get_by_role("textbox", name="Title")
    data = forged(lambda said: said if len(said) == 1 else text + said)
    opened(quiet, tmp_path / name, data, lambda: title.input_value() == name)
    through_all(quiet)


def test_a_recording_that_cannot_be_opened_is_quoted_as_text(quiet: Gradtape, tmp_path: Path) -> None:
    document, raw = unpacked(forged(str))
    document["arrays"][0][0] = "![](https://elsewhere.invalid/x)"
    notice = quiet.page.locator(".st-key-notices")
    data = packed(msgspec.msgpack.encode(document), raw)
    opened(quiet, tmp_path / "a.gradtape", data, lambda: "elsewhere.invalid" in notice.inner_text())
    assert notice.locator("img").count() == 0


ADDRESSES = [
    "?example=" + quote(TAG), "?example=" + quote(MARKDOWN), "?p=" + quote(TAG), "?p=1" + quote(SCRIPT), "?p=2" + quote(MARKDOWN), "?p=",
    "?view=" + quote(TAG) + "&selected=" + quote(QUOTES) + "&step=" + quote(TAG), "?embed=" + quote(TAG), "?embed=true&p=" + quote(LATEX), "#" + quote(TAG),
]  # fmt: skip


@pytest.mark.parametrize("address_end", first_of(ADDRESSES, 2), ids=range(len(ADDRESSES)))
def test_what_an_address_says_is_text(unopened: Gradtape, address: str, address_end: str) -> None:
    unopened.page.goto(address + address_end)
    unopened.ready()
    assert unopened.page.locator(".st-key-notices img[src]").count() == 0


NAMES = {"markdown": MARKDOWN[:110], "tag": TAG, "label": ":red[x] $y$ `z` [a](b)", "css": CSS[:110]}
PLAIN = examples()["repeated_backward"].text
LINKS = {
    **{name: (NAMES[name], PLAIN, False) for name in NAMES},
    "hostile program": (TAG, PROGRAM, False),
    "embedded": (TAG, PLAIN, True),
    "embedded hostile program": (TAG, PROGRAM, True),
}
"""Every name where it is shown, in the header and in what Share offers, which are the same for all programs."""


@pytest.mark.parametrize(("name", "program", "embedded"), first_of(LINKS.values()), ids=LINKS)
def test_what_a_link_says_is_text(unopened: Gradtape, address: str, name: str, program: str, embedded: bool) -> None:
    link = pack(Link((program,), name=name))
    unopened.page.goto(f"{address}?p={link}" + ("&embed=true" if embedded else ""))
    unopened.ready()
    assert_unharmed(unopened)
    if not embedded:
        unopened.page.locator(".st-key-header").get_by_role("button", name="Share").click()
        unopened.page.locator(".st-key-share_panel").wait_for()
        unopened.settled()


@pytest.fixture
def outside(chromium: Browser) -> Iterator[Page]:
    """An empty tab, in which a file from here is opened: nothing may run that is not Gradtape's, or ask for anything."""
    tab = chromium.new_context().new_page()
    trouble: list[str] = []
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
    tab.on(
        "request",
        lambda r: (
            None if r.url.startswith(("file:///", "data:", "blob:")) and "elsewhere" not in r.url else trouble.append(r.url)
        ),
    )
    yield tab
    assert tab.evaluate("[window.__pwned, window.hurt]") == [None, None]
    tab.context.close()
    assert trouble == []


@cache
def recordings() -> dict[str, Recording]:
    """Runs of hostile programs, and files of strangers."""
    ran = run(PROGRAM).recording
    assert ran is not None
    return {
        "names": hostile(),
        "program": ran,
        "file": Recording.load(forged(lambda said: said if len(said) == 1 else TAG + SCRIPT + said)),
    }


@pytest.mark.parametrize("kind", first_of(["svg", "html", "pyvis", "graphml", "mermaid", "dot", "json"]))
def test_nothing_runs_in_what_is_saved(outside: Page, tmp_path: Path, kind: str) -> None:
    for name, recording in recordings().items():
        for theme in ("light", "dark"):
            options = Options("tensors", "LR", None, theme, TAG + SCRIPT)
            format = next(each for each in (*FORMATS.values(), PYVIS, REPLAY) if each.name == kind)
            data, suffix = format.make(recording, options), format.suffix
            file = tmp_path / f"{name}{suffix}"
            file.write_bytes(data)
            if kind in ("svg", "html", "pyvis"):
                outside.goto(file.as_uri())
                outside.mouse.move(300, 300)
                outside.keyboard.press("End")
                outside.keyboard.press("ArrowLeft")
                assert outside.evaluate("[window.__pwned, window.hurt]") == [None, None]
            # A careless page that shows the text as it is, which for these formats is not asked for.
            if kind == "svg":
                outside.goto("about:blank")
                outside.set_content(f"<!doctype html><body>{data.decode()}</body>")
                outside.wait_for_load_state()
                assert outside.evaluate("[window.__pwned, window.hurt]") == [None, None]
