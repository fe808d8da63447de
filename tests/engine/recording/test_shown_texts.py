"""Whoever wrote a recording: names and messages in it are no longer than a recording shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import limits
from engine.program import Program
from engine.recording import OpInfo, Recording
from engine.recording.batch import batch_of
from engine.recording.events import (
    Argument,
    BackwardBegan,
    BackwardEnded,
    CellEnded,
    Named,
    OpRan,
    Printed,
    Raised,
    Scope,
    TensorInfo,
    Warned,
)
from engine.recording.shown_texts import MESSAGES, with_shown_texts
from engine.recording.store import RecordingError
from engine.recording.tables import KINDS, TEXT_KINDS, Table, Tape
from engine.sandbox.transport.frames import BATCH, DONE
from engine.sandbox.transport.messages import HEADER, Done, Limits, encode
from engine.sandbox.transport.receiver import CollectedRun
from tests.engine.recordings import TWO_PASSES
from tests.recorded import recorded

LONG = "n" * 300_000
NAME, TEXT, VALUE = limits.NAME.value(), limits.TEXT.value(), limits.VALUE.value()
EVENTS = (
    OpRan(op=LONG, inputs=(Argument(LONG, text=LONG),), outputs=(TensorInfo(0, LONG, (), -1, device=LONG),), scope=0),
    Named(name=LONG, tensor=0, scope=0),
    BackwardBegan(number=1, roots=(), via=LONG),
    BackwardEnded(number=1, error=LONG),
    Warned(category=LONG, message=LONG),
    Printed(text=LONG, stream=LONG),
    CellEnded(cell=0, result=LONG),
    CellEnded(cell=0, result=None),
    Raised(type=LONG, message=LONG, help=LONG, module=LONG, layer=LONG),
)
SCOPES = (Scope(LONG, module=LONG, module_class=LONG, mode=LONG),)
OPS = (OpInfo(LONG, LONG, LONG, LONG, outputs=(LONG,)),)


def from_a_file() -> Recording:
    made = Recording(("x = 1",), list(EVENTS), [], list(SCOPES), ops={op.name: op for op in OPS})
    return Recording.load(made.to_bytes())


def from_a_process() -> Recording:
    collected = CollectedRun(Program.from_text("x = 1"), Limits(events=100))
    for kind, message in ((BATCH, batch_of(EVENTS, (), SCOPES, (), OPS)), (DONE, Done("ok", None, [], 0.0))):
        body = encode(message)
        collected.feed(HEADER.pack(kind, len(body)) + body)
    result = collected.result((0, False), 1.0)
    assert result.recording is not None, result.error
    return result.recording


def lengths(table: Table, texts: list[str]) -> list[int]:
    """Of all texts of a table and those below."""
    found = [
        len(texts[number])
        for field in table.layout.fields
        if field.kind in TEXT_KINDS and field.child is None
        for number in table[field.name].tolist()
        if number >= 0
    ]
    return found + [length for child in table.children.values() for length in lengths(child, texts)]


@pytest.mark.parametrize("come", [from_a_file, from_a_process])
def test_names_and_messages_are_cut_where_they_come_in(come: object) -> None:
    made = come()  # type: ignore[operator]
    op, named, began, ended, warned, printed, shown, none, raised = made.events
    told = [op.op, op.inputs[0].name, op.inputs[0].text, op.outputs[0].dtype, op.outputs[0].device, named.name, began.via]
    told += [warned.category, printed.stream, raised.type, raised.module, raised.layer]
    told += [made.scopes[0].function, made.scopes[0].module, made.scopes[0].module_class, made.scopes[0].mode]
    assert {len(text) for text in told} == {NAME}
    assert {len(text) for text in (ended.error, warned.message, raised.message, raised.help)} == {TEXT}
    assert len(shown.result) == VALUE
    assert none.result is None
    assert len(printed.text) == len(LONG), "what is printed has a limit of its own"
    entry = made.ops[op.op]
    assert [len(entry.name), len(entry.symbol), len(entry.outputs[0])] == [NAME] * 3
    assert max(len(entry.template), len(entry.doc)) <= limits.RULE.value()


def test_no_other_text_is_longer_than_a_name() -> None:
    tape = from_a_file().tape
    spared = {kind for kind, _ in MESSAGES}
    rest = [table for kind, table in tape.tables.items() if kind not in spared]
    assert max(length for table in (*rest, tape.scopes) for length in lengths(table, tape.texts)) == NAME


def test_messages_are_texts_of_events() -> None:
    for kind, name in MESSAGES:
        (field,) = [field for field in Recording().tape.tables[kind].layout.fields if field.name == name]
        assert kind in KINDS
        assert field.kind in TEXT_KINDS


def test_what_our_recorder_writes_is_left_as_it_is() -> None:
    made = recorded(TWO_PASSES.replace("z.backward()", "z.backward()\n    print('p' * 2000)"))
    assert with_shown_texts(made.tape) is made.tape
    plain = Recording(("",), [Printed(text="short")])
    assert with_shown_texts(plain.tape) is plain.tape


def test_names_of_files_are_those_that_a_file_can_have() -> None:
    made = Recording(("", ""), [Printed(text="x")], names=("a.py", "b" * 5_000))
    with pytest.raises(RecordingError, match="names of files"):
        Recording.load(made.to_bytes())
    with pytest.raises(RecordingError, match="names of files"):
        Recording.load(replace(made, names=("a.py", "b.py"), engine="e" * 5_000).to_bytes())


def test_each_cut_text_is_there_once() -> None:
    events = [Named(name=LONG + "ab"[k % 2], tensor=-1) for k in range(100)]
    tape: Tape = Recording.load(Recording(("",), events).to_bytes()).tape
    assert len(set(tape.tables[Named]["name"].tolist())) == 1
    assert len(tape.texts) == len(set(tape.texts))
