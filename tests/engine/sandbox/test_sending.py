"""What the child sends is what the parent takes, up to the edge of every limit; past it the recording is cut and sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import limits
from engine.program import Program
from engine.recording import Recording
from engine.recording.batch import batch_of
from engine.recording.events import (
    NOTHING,
    AnyEvent,
    Argument,
    BackwardBegan,
    Named,
    NodeInfo,
    OpRan,
    Printed,
    Scope,
    Site,
    Stepped,
    TensorInfo,
)
from engine.recording.recording import OpInfo, RecordedRule
from engine.recording.store import RecordingError, StoredArray, TooMuchError
from engine.sandbox import Limits, RunError
from engine.sandbox.transport import budget
from engine.sandbox.transport.frames import BATCH, DONE, MAX_FRAME
from engine.sandbox.transport.messages import HEADER, Done, encode
from engine.sandbox.transport.receiver import CollectedRun
from engine.sandbox.transport.sender import Sender
from tests.engine.recording.test_columns import PROGRAMS
from tests.recorded import recorded

PROGRAM = Program.from_text("x = 1\n")
CUT = RunError("TooLarge", "x" * limits.TEXT.value(), 1)


class Line:
    """A sender and what reads it, with all that went over."""

    def __init__(self, allowed: Limits = Limits(events=limits.MOST_EVENTS)) -> None:  # noqa: B008  (frozen)
        self.collected = CollectedRun(PROGRAM, allowed)
        self.largest = 0
        self.sender = Sender(allowed, self.carry)
        self.gone = {"forms": 0, "nests": 0, "kinds": 0}

    def carry(self, kind: bytes, body: bytes) -> None:
        self.largest = max(self.largest, len(body))
        assert self.collected.feed(HEADER.pack(kind, len(body)) + body) or kind == DONE, "the parent takes it"

    def send(
        self, events: Any = (), sites: Any = (), scopes: Any = (), arrays: Any = (), ops: Any = ()
    ) -> RecordingError | None:  # fmt: skip
        """Send some of a recording; why it was cut, if it was."""
        batch = batch_of(list(events), list(sites), list(scopes), list(arrays), list(ops), **self.gone)
        for name in self.gone:
            self.gone[name] += len(getattr(batch, name))
        self.sender.send(batch)
        return self.sender.cut

    def end(self) -> Recording:
        """The end of a run that was cut, and what the parent has then, saved and opened again."""
        self.sender.end(CUT)
        self.carry(DONE, encode(Done("too_large", CUT, ["error"], 0.1)))
        result = self.collected.result((0, False), 1.0)
        assert result.status == "too_large", result.error
        assert result.recording is not None
        assert self.largest <= MAX_FRAME
        return Recording.load(result.recording.to_bytes())


def printed(count: int) -> list[AnyEvent]:
    return [Printed("")] * count


def arrays(count: int) -> list[StoredArray]:
    return [StoredArray("bool", (), b"\1")] * count


MOST = int(limits.EVENTS.most or 0)
TABLES: dict[str, tuple[limits.Row, int, Callable[[int], dict[str, Any]], Callable[[Recording], int]]] = {
    "events": (limits.EVENTS, MOST, lambda n: {"events": printed(n)}, lambda r: len(r.events) - 1),
    "sites": (limits.ROWS, limits.ROWS.value(), lambda n: {"sites": [Site(0, 1)] * n}, lambda r: len(r.sites) - 1),
    "scopes": (limits.COLUMNS, limits.COLUMNS.value(), lambda n: {"scopes": [Scope()] * n}, lambda r: len(r.scopes)),
    "arrays": (limits.COLUMNS, limits.COLUMNS.value(), lambda n: {"arrays": arrays(n)}, lambda r: len(r.arrays)),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("row", "most", "made", "count"), TABLES.values(), ids=TABLES.keys())
def test_as_many_rows_as_a_recording_holds(
    row: limits.Row, most: int, made: Callable[[int], dict[str, Any]], count: Callable[[Recording], int]
) -> None:
    line = Line()
    assert line.send(**made(most)) is None, "whole at its edge"
    cut = line.send(**made(1))
    assert isinstance(cut, TooMuchError)
    assert str(cut) == row.past(most)
    assert count(line.end()) == most


@pytest.mark.parametrize("limit", [1, 1_999, 2_000, 2_001, 4_100])
def test_the_cut_is_at_the_edge_wherever_that_lies_in_a_batch(limit: int) -> None:
    line = Line(Limits(events=limit))
    assert str(line.send(events=[Printed(str(k)) for k in range(5_000)])) == limits.EVENTS.past(limit)
    assert [e.text for e in line.end().events if isinstance(e, Printed)] == [str(k) for k in range(limit)]


def smaller(monkeypatch: pytest.MonkeyPatch, name: str, limit: int) -> limits.Row:
    """Have a limit be a smaller one, on both sides."""
    old = getattr(limits, name)
    row = limits.Row(old.what, limit, old.why, of=old.of, bytes=old.bytes)
    monkeypatch.setattr(budget, name, row)
    return row


def test_bytes_of_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    row = smaller(monkeypatch, "ARRAYS", 10_000)
    line = Line()
    assert line.send(arrays=[StoredArray("uint8", (100,), bytes(100))] * 100) is None
    cut = line.send(events=[Printed("a")], arrays=[StoredArray("uint8", (1,), bytes(1))])
    assert str(cut) == row.past()
    assert sum(len(array.data or b"") for array in line.end().arrays) == 10_000


def test_parts_of_events() -> None:
    op = OpRan("op", tuple(Argument("a", text="1") for _ in range(10)))
    line = Line(Limits(parts=1_000))
    assert line.send(events=[op] * 100) is None
    assert str(line.send(events=[op] * 3)) == limits.PARTS.past(1_000)
    assert len(line.end().events) == 101


def test_facts_are_cut_at_the_event_that_does_not_fit() -> None:
    line = Line(Limits(facts=100_000))
    cut = line.send(events=[Printed("x" * 1_000) for _ in range(200)])
    assert str(cut) == limits.FACTS.past(100_000)
    assert 95 <= len(line.end().events) <= 100


def test_facts_are_not_spent_on_what_no_event_names() -> None:
    line = Line(Limits(facts=30_000))
    events = [Named("x", NOTHING, scope=k) for k in range(5_000)]
    assert line.send(events=events, scopes=[Scope()] * 5_000, arrays=arrays(5_000)) is not None
    assert 700 < len(line.end().events) < 2_000


def test_printed_text() -> None:
    line = Line(Limits(output_chars=1_000))
    assert line.send(events=[Printed("x" * 100)] * 10) is None
    assert str(line.send(events=[Printed("x" * 1_000)])) == limits.OUTPUT.past(1_000)
    line.end()


def test_backward_passes_inside_one_another() -> None:
    most = limits.NESTED.value()
    line = Line()
    assert line.send(events=[BackwardBegan(k, ()) for k in range(1, most + 1)]) is None
    assert str(line.send(events=[BackwardBegan(most + 1, ())])) == limits.NESTED.past()
    assert len(line.end().events) == most + 1


def test_dimensions_and_sizes() -> None:
    tensor = TensorInfo(0, "float32", (limits.SIZE.value(), 0, *(1,) * (limits.DIMS.value() - 2)), NOTHING)
    line = Line()
    assert line.send(events=[OpRan("op", outputs=(tensor,))]) is None
    line.end()


def test_batches_of_any_size_go_into_frames() -> None:
    for made in (
        {"scopes": [Scope("f" * 500, 0, tuple((k, 1) for k in range(1_000)), "m" * 500)] * 900},
        {"sites": [Site(0, 1)], "arrays": [StoredArray("float64", (65_536,), bytes(2**19))] * 40},
        {"events": [Printed("\U0001f600" * 50_000)] * 50},
        {"events": [Stepped("SGD", (), ())] * 30_000},
    ):
        line = Line()
        assert line.send(**made) is None  # type: ignore[arg-type]
        line.end()


def test_what_cannot_be_written_is_where_the_recording_ends() -> None:
    for wrong in (Printed("\ud800"), Stepped("SGD", (2**70,)), Printed(5)):  # type: ignore[arg-type]
        line = Line()
        cut = line.send(events=[Printed("a"), Printed("b"), wrong, Printed("c")])
        assert cut is not None
        assert not isinstance(cut, TooMuchError)
        assert len(line.end().events) == 3


def test_an_operation_whose_rules_are_too_long_goes_without_them() -> None:
    line = Line()
    long = OpInfo("long", rules=(RecordedRule("x", "y" * (limits.RULE.value() + 1)),))
    whole = OpInfo("whole", rules=(RecordedRule("x", "y" * limits.RULE.value()),) * limits.RULES.value())
    many = OpInfo("many", outputs=("y",) * (limits.RULES.value() + 1))
    assert line.send(ops=[long, whole, many]) is None
    found = line.end().ops
    assert (found["long"].rules, found["whole"].rules, found["many"].outputs) == ((), whole.rules, ())


def leaf(id: int) -> TensorInfo:
    return TensorInfo(id, "float32", (2,), NOTHING, requires_grad=True)


def test_a_leaf_that_would_have_come_after_the_cut_is_introduced() -> None:
    # A node may be written up before the leaf that it fills, which is then in the same message.
    node = NodeInfo(5, "AccumulateGrad", variable=1)
    line = Line(Limits(events=10))
    assert line.send(events=[OpRan("op", accumulators=(node,)), *printed(12), OpRan("leaf", outputs=(leaf(1),))]) is not None
    found = line.end().events
    introduced = found[-2]
    assert isinstance(introduced, OpRan)
    assert [t.id for t in introduced.outputs] == [1]


def test_what_a_killed_child_left_is_cut_back_to_where_it_is_sound() -> None:
    # Of a message in several frames the first has come, with a node whose leaf would have been in the next.
    node = NodeInfo(5, "AccumulateGrad", variable=1)
    line = Line()
    events: list[AnyEvent] = [*printed(7), OpRan("op", accumulators=(node,)), *printed(5)]
    line.carry(BATCH, encode(batch_of(events)))
    result = line.collected.result((-9, True), 1.0)
    assert result.status == "timeout"
    assert result.recording is not None
    assert len(result.recording.events) == 7
    result.recording.check()


@pytest.mark.parametrize("program", sorted(PROGRAMS), ids=str)
def test_a_whole_recording_is_counted_as_its_events_are(program: str) -> None:
    recording = recorded(PROGRAMS[program])
    one, other = budget.Room(Limits()), budget.Room(Limits())
    one.take_all(recording)
    tables = [[*table] for table in (recording.events, recording.sites, recording.scopes, recording.arrays)]
    batch, census = batch_of(*tables, [*recording.ops.values()]), budget.Census()
    other.spend(census.counts(census.take(batch)))
    for name in ("facts", *budget.FORMS):  # of these the size of the messages counts, and what only they have
        one.left.pop(name), other.left.pop(name)
    assert one.left == other.left
    with pytest.raises(TooMuchError, match=r"at most \d+ parts"):
        budget.Room(Limits(parts=3)).take_all(recorded(PROGRAMS["training"]))
