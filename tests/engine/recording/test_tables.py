"""The log as tables says all that its structs say, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from engine.recording import Recording, RecordingError
from engine.recording.events import Named, Printed, Scope, Site
from engine.recording.log import Events, Rows
from engine.recording.packing import pack, unpack
from engine.recording.tables import KINDS, Tape, narrow, rows, tape_from
from tests.recorded import recorded
from tests.thorough import examples

EXAMPLES = sorted((Path(__file__).parents[3] / "assets" / "examples").glob("*.py"))
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 300)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Whatever a field may hold by its type."""
    match kind:
        case inspect.IntType():
            return NUMBERS
        case inspect.BoolType():
            return st.booleans()
        case inspect.FloatType():
            return st.floats(allow_nan=False)
        case inspect.StrType():
            return st.text(max_size=4)
        case inspect.NoneType():
            return st.none()
        case inspect.UnionType(types=types):
            return st.one_of([values(one) for one in types])
        case inspect.VarTupleType(item_type=item):
            return st.lists(values(item), max_size=3).map(tuple)
        case inspect.TupleType(item_types=types):
            return st.tuples(*[values(one) for one in types])
        case inspect.StructType(cls=struct):
            return structs(struct)
    raise TypeError(kind)


def structs(kind: Any) -> st.SearchStrategy[Any]:
    """Any struct of a kind."""
    return st.builds(kind, **{field.name: values(field.type) for field in inspect.type_info(kind).fields})  # type: ignore[attr-defined]


def back(tape: Tape) -> tuple[list[Any], list[Any], list[Any]]:
    """The structs of a tape."""
    return (
        tape.decoded(0, tape.size),
        rows(tape.sites, 0, tape.sites.size, tape.texts),
        rows(tape.scopes, 0, tape.scopes.size, tape.texts),
    )


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.one_of([structs(kind) for kind in KINDS]), max_size=12),
    st.lists(structs(Site), max_size=3),
    st.lists(structs(Scope), max_size=3),
)
def test_nothing_is_lost(events: list[Any], sites: list[Any], scopes: list[Any]) -> None:
    tape = tape_from(events, sites, scopes)
    assert back(tape) == (events, sites, scopes)
    for first in range(len(events)):
        assert tape.decoded(first, first + 1) == events[first : first + 1]
        part = tape.part(first, len(events))
        assert part.decoded(0, part.size) == events[first:]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_alone(kind: type[Any]) -> None:
    @settings(max_examples=20, deadline=None)
    @given(st.lists(structs(kind), min_size=1, max_size=4))
    def there_and_back(events: list[Any]) -> None:
        assert tape_from(events, [], []).decoded(0, len(events)) == events

    there_and_back()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_programs_record(path: Path) -> None:
    recording = recorded(path.read_text())
    assert back(recording.tape) == (recording.events, recording.sites, recording.scopes)
    again = Recording.load(recording.to_bytes())
    assert again.events == recording.events
    assert list(again.events) == list(recording.events)
    assert again.sites == recording.sites
    assert again.scopes == recording.scopes
    assert again.arrays == recording.arrays
    assert again.ops == recording.ops


def test_a_number_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(RecordingError, match="64 bits"):
        tape_from([Named(name="x", tensor=2**63)], [], [])


def test_a_log_in_columns_is_a_sequence() -> None:
    events = [Printed(text=str(k)) for k in range(100)]
    log = Events(tape_from(events, [], []))
    assert len(log) == 100
    assert log == events
    assert events == log
    assert log != events[1:]
    assert (log[0], log[99], log[-1], log[-100]) == (events[0], events[99], events[99], events[0])
    for place in (
        slice(3, 50),
        slice(None),
        slice(-5, None),
        slice(90, 200),
        slice(50, 3),
        slice(None, None, -7),
        slice(1, 80, 3),
    ):
        assert log[place] == events[place]
    for place in (100, -101):
        with pytest.raises(IndexError):
            log[place]
    assert log.index(events[42]) == 42
    assert list(reversed(log)) == events[::-1]


def test_what_was_looked_at_is_made_once_as_long_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def make(first: int, last: int) -> list[int]:
        made.extend(range(first, last))
        return list(range(first, last))

    log: Rows[int] = Rows(10_000, make)
    assert list(log) == list(log) == list(range(10_000))
    assert made == list(range(10_000))
    monkeypatch.setattr("engine.recording.log.KEPT", 16)
    small: Rows[int] = Rows(10_000, make)
    assert [small[k] for k in range(0, 10_000, 7)] == list(range(0, 10_000, 7))
    assert len(small._pieces) <= 16
    assert [small[k] for k in range(9_999, -1, -3)] == list(range(9_999, -1, -3))
    assert len(small._pieces) <= 16


@pytest.mark.parametrize("places", [range(10_000), range(9_999, -1, -1)])
def test_who_goes_from_row_to_row_has_many_made_together(places: range) -> None:
    calls: list[int] = []
    log: Rows[int] = Rows(10_000, lambda first, last: calls.append(last - first) or list(range(first, last)))
    assert [log[k] for k in places] == list(places)
    assert sum(calls) < 10_500
    assert len(calls) < 60


@settings(deadline=None)
@given(st.lists(NUMBERS, max_size=200) | st.lists(st.integers(0, 5), min_size=9, max_size=9000), st.booleans())
def test_a_column_comes_back_from_its_bytes(numbers: list[int], mapped: bool) -> None:
    column = narrow(np.array(numbers, np.int64))
    packed, data = pack("x", column, mapped)
    again = unpack(msgspec.msgpack.decode(msgspec.msgpack.encode(packed), type=type(packed)), memoryview(data))
    assert again.tolist() == numbers
    if mapped and packed.how == "p":
        assert len(data) == column.nbytes
