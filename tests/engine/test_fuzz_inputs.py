"""Files from strangers: whatever they hold, they are refused in words, or all parts of the page can show them."""

from __future__ import annotations

import base64
import json
import re
import tracemalloc
from collections.abc import Callable
from functools import cache
from itertools import cycle
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.html.diagnosis_html import why_html
from components.html.formulas_html import contributions_at, edges_on_show, steps_html
from components.html.inspector_html import inspector_html
from components.html.ledger_html import ledger_html
from components.page.console import output_html
from components.panels.findings import badge
from components.panels.tensors import tensors_html
from components.player import feed
from components.player.picture import Wish, drawing
from engine.diagnosis import findings, why
from engine.diagnosis.comparison.compare import compare
from engine.diagnosis.contributions import edge_lines
from engine.diagnosis.ledger import ledgers, loss_curve, norm_curves
from engine.export import FORMATS, Options, export, from_json
from engine.graph import VIEWS
from engine.program import MAX_TEXT, Program, ProgramError
from engine.recording import Recording, RecordingError, replay
from engine.recording.index import index_of
from engine.sandbox import run
from tests.engine.recording.files import as_format1, packed, unpacked
from tests.thorough import examples

FILES = [kind for kind in FORMATS if kind not in ("png", "pdf", "gif")]
STEADY = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
PROGRAM = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x, w = torch.randn(4, 2), torch.ones(2, requires_grad=True)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    loss = (model(x * w) ** 2).mean()
    loss.backward()
    opt.step()
    print(loss.item())
w.data.mul_(2)
(w.log().sum() / 0).backward()
"""

# --- programs ----------------------------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["cells", "cell_type", "source", "input", "x"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip
cells = st.fixed_dictionaries(
    {},
    optional={"cell_type": st.sampled_from(["code", "markdown"]) | json_values, "source": json_values, "outputs": json_values},
)
notebooks = st.fixed_dictionaries(
    {}, optional={"cells": st.lists(cells | json_values, max_size=5) | json_values, "worksheets": json_values}
)


def opened(data: bytes, name: str) -> Program | None:
    """The program in a file; None if it is refused in words."""
    try:
        return Program.from_file(data, name)
    except ProgramError as error:
        assert str(error)
        return None


@given(notebooks | json_values)
@STEADY
def test_any_json_is_a_notebook_or_is_refused(document: Any) -> None:
    program = opened(json.dumps(document).encode(), "a.ipynb")
    assert program is None or all(isinstance(cell, str) and "\r" not in cell for cell in program.cells)


@given(st.data())
@settings(STEADY, max_examples=examples(200))
def test_a_damaged_notebook_is_opened_or_refused(data: st.DataObject) -> None:
    whole = Program.from_cells(("import torch\n", "%matplotlib inline\nx = 1", "x")).to_notebook().encode()
    at = data.draw(st.integers(0, len(whole)))
    opened(whole[:at] + data.draw(st.binary(max_size=4)) + whole[at + data.draw(st.integers(0, 9)) :], "a.ipynb")


@given(
    st.binary(max_size=300)
    | st.sampled_from([b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"# coding: utf-7\n"]).flatmap(
        lambda b: st.binary(max_size=50).map(b.__add__)
    )
)
@settings(STEADY, max_examples=examples(300))
def test_any_bytes_are_a_program_or_are_refused(data: bytes) -> None:
    program = opened(data, "a.py")
    assert program is None or len(program.cells) == 1


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"[" * 1_000_000, "a.ipynb"),
        (b'{"cells": ' * 200_000, "a.ipynb"),
        (b'{"cells": [' + b'{"cell_type": "code", "source": "x"},' * 20_000 + b"{}]}", "a.ipynb"),
        (b'{"cells": [{"cell_type": "code", "source": [' + b'"x",' * 1_000_000 + b'"x"]}]}', "a.ipynb"),
        (b'{"cells": [{"cell_type": "code", "source": ["x", 1]}]}', "a.ipynb"),
        (b'{"cells": [1e999, -1e999, NaN]}', "a.ipynb"),
        (b'{"cells": [' + b"9" * 100_000 + b"]}", "a.ipynb"),
        (b"x" * (MAX_TEXT + 1), "a.py"),
        (b"x" * (64 * MAX_TEXT + 1), "a.py"),
        (b"\0" * 100, "a.py"),
        ("é".encode("latin-1"), "a.py"),
        ("é".encode("utf-16"), "a.py"),
    ],
    ids=lambda value: repr(value[:16]),
)  # fmt: skip
def test_a_file_that_is_hostile_is_refused(data: bytes, name: str) -> None:
    assert opened(data, name) is None


def test_half_a_character_is_replaced() -> None:
    program = opened(b'{"cells": [{"cell_type": "code", "source": "print(\'\\ud800\')"}]}', "a.ipynb")
    assert program is not None
    assert run(program).output == "?\n"
    assert run("print('\udfff')").output == "?\n"


# --- recordings --------------------------------------------------------------------------------------------------------------


@cache
def saved() -> bytes:
    recording = run(PROGRAM).recording
    assert recording is not None
    return as_format1(recording)


def show_everything(recording: Recording, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
    """What the page makes of a recording, at a few of its steps."""
    index = index_of(recording)
    last = len(recording.events) - 1
    for step in {-1, last, draw(st.integers(-1, max(last, 0)))}:
        state = replay(recording, step)
        keys = [f"{kind}{n}" for kind, table in (("t", index.tensors), ("n", index.nodes)) for n in list(table)[:4]]
        for key in [*keys, "t999999", "n999999"]:
            inspector_html(recording, step, key)
            text, where = edges_on_show(recording, step, key)
            assert isinstance(text, str)
            for contribution in contributions_at(recording, where, None):
                steps_html(contribution)
        for tensor in list(ledgers(recording))[:4]:
            ledger_html(recording, step, tensor)
        for tensor in list(state)[:4]:
            assert why_html(recording, why(recording, tensor.id, step))
        tensors_html(recording, step, None, "tensors", tuple(t.id for t in state))
    badge(recording)
    findings(recording)
    loss_curve(recording), norm_curves(recording)
    compare(recording, recording)
    output_html("".join(e.text for e in recording.events if hasattr(e, "text")))
    # Views and files are most of the work; over all recordings each has its turn.
    d = drawing(recording, Wish(draw(st.sampled_from([*VIEWS])), run="run"))
    msgspec.json.encode(feed.message(feed.parts_of(d, edge_lines(recording))))
    for kind in draw(st.sets(st.sampled_from(FILES), min_size=3, max_size=3)):
        export(recording, kind, Options())


def places(value: Any, kind: type) -> list[tuple[Any, Any]]:
    """Every place in nested lists and dicts that holds something of a type."""
    found, todo = [], [value]
    while todo:
        holder = todo.pop()
        for key, item in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if type(item) is kind:
                found.append((holder, key))
            elif isinstance(item, list | dict):
                todo.append(item)
    return found


HOSTILE_TEXTS = [
    "",
    "\0",
    "<script>",
    "x" * 3000,
    "{",
    "{0.__class__}",
    "%s",
    "\\href{javascript:1}{x}",
    "![](http://x.invalid/)",
    "\u202e",
    "1e999",
    "torch.nan",
]
other = {
    int: st.integers(-2, 70) | st.sampled_from([2**31 - 1, 2**53, -(2**63), 2**63 - 1]),
    str: st.sampled_from(HOSTILE_TEXTS) | st.text(max_size=8),
    bool: st.booleans(),
    float: st.sampled_from([0.0, -1.0, 1e308, float("nan"), float("inf"), -float("inf")]),
}  # fmt: skip


@pytest.mark.thorough
@given(st.data())
@settings(STEADY, max_examples=examples(100))
def test_a_forged_recording_is_refused_or_can_be_shown(data: st.DataObject) -> None:
    document, raw = unpacked(saved())
    for _ in range(data.draw(st.integers(1, 3))):
        kind = data.draw(st.sampled_from([int, str, bool, float]))
        holders = places(document, kind)
        if holders:
            holder, key = data.draw(st.sampled_from(holders))
            holder[key] = data.draw(other[kind])
    if data.draw(st.booleans()):
        table = data.draw(st.sampled_from([t for t in document.values() if isinstance(t, list) and t]))
        first, second = (data.draw(st.integers(0, len(table) - 1)) for _ in "ab")
        table[first], table[second] = table[second], table[first]
    try:
        recording = Recording.load(packed(msgspec.msgpack.encode(document), raw))
    except RecordingError:
        return
    show_everything(recording, data.draw)


@pytest.mark.thorough
@given(st.data())
@settings(STEADY, max_examples=examples(40))
def test_forged_numbers_in_arrays_can_be_shown(data: st.DataObject) -> None:
    document, raw = unpacked(saved())
    forged = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(raw) - 1))
        forged[at : at + 4] = data.draw(
            st.sampled_from([b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"\xff\xff\x7f\x7f", b"\1\0\0\0"])
        )[: len(raw) - at]
    try:
        recording = Recording.load(packed(msgspec.msgpack.encode(document), bytes(forged)))
    except RecordingError:
        return
    show_everything(recording, data.draw)


@given(st.data())
@settings(STEADY, max_examples=examples(80))
def test_a_forged_document_is_refused_or_the_same_kind_of_recording(data: st.DataObject) -> None:
    document = json.loads(export(Recording.load(saved()), "json"))
    kind = data.draw(st.sampled_from([int, str, bool, float, type(None)]))
    holder, key = data.draw(st.sampled_from(places(document, kind) or places(document, int)))
    holder[key] = data.draw(json_values)
    try:
        recording = from_json(json.dumps(document).encode())
    except RecordingError:
        return
    assert Recording.load(recording.to_bytes()).events == recording.events


SIZES = [2**16, 2**31 - 1, 2**32, 2**62, -1]


@pytest.mark.parametrize("size", SIZES)
def test_a_size_that_is_claimed_costs_no_memory(size: int) -> None:
    document, raw = unpacked(saved())
    for place in range(4):
        forged = msgspec.msgpack.decode(msgspec.msgpack.encode(document))
        holders = places(forged["arrays"], int)
        holder, key = holders[place * 7 % len(holders)]
        holder[key] = size
        data = packed(msgspec.msgpack.encode(forged), raw)
        tracemalloc.start()
        try:
            Recording.load(data)
        except RecordingError:
            pass
        finally:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert most < 20 * len(data) + 2**20


def test_what_is_said_of_a_file_is_short() -> None:
    document, raw = unpacked(saved())
    for holder, key in places(document["arrays"], str):
        holder[key] = "<b>" + "x" * 10_000
    with pytest.raises(RecordingError) as refused:
        Recording.load(packed(msgspec.msgpack.encode(document), raw))
    assert len(str(refused.value)) < 300
    assert not re.search(r"x{100}", str(refused.value))
    assert base64.b64encode(raw[:30]).decode() not in str(refused.value)


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["", "{", "<b>", "\\", "x" * 300])
def test_every_text_of_a_recording_may_be_another(text: str) -> None:
    document, raw = unpacked(saved())
    shown, kinds = 0, cycle(("dot", "mermaid", "graphml", "svg", "py"))
    for table in ("events", "ops", "scopes"):
        for holder, key in places(document[table], str)[::9]:
            before, holder[key] = holder[key], text
            try:
                recording = Recording.load(packed(msgspec.msgpack.encode(document), raw))
            except RecordingError:
                continue
            finally:
                holder[key] = before
            shown += 1
            export(recording, next(kinds), Options())
    assert shown > 20


def test_every_array_of_a_recording_may_be_another() -> None:
    document, raw = unpacked(saved())
    entries = document["arrays"]
    last = len(document["events"]) - 1
    for first in range(0, len(entries) - 1, 5):
        second = next((k for k in range(first + 1, len(entries)) if entries[k][1] != entries[first][1]), first)
        entries[first], entries[second] = entries[second], entries[first]
        try:
            recording = Recording.load(packed(msgspec.msgpack.encode(document), raw))
        except RecordingError:
            continue
        finally:
            entries[first], entries[second] = entries[second], entries[first]
        for node in index_of(recording).nodes:
            contributions_at(recording, edges_on_show(recording, last, f"n{node}")[1], None)
