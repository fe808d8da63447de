"""A recording survives saving and loading, and a stranger's file is either sound in every reference or refused."""

from __future__ import annotations

import io
import tracemalloc
import zlib
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import limits
from engine.diagnosis import why
from engine.graph.shown.captions import caption_text, captions
from engine.graph.shown.node_states import faces
from engine.graph.shown.timeline import steps
from engine.graph.structure.build import VIEWS, build
from engine.limits import DOCUMENT
from engine.recording import Recording, RecordingError, format1, replay
from engine.recording.events import (
    Accumulated,
    AnyEvent,
    BackwardBegan,
    GradSet,
    Named,
    NodeInfo,
    NodeRan,
    OpRan,
    Read,
    Sent,
    Site,
    TensorInfo,
)
from engine.recording.format1 import HEADER, MAX_ENTRIES
from engine.recording.format2 import DATA, Front
from engine.recording.tables import KINDS
from engine.recording.validate import check_references
from tests.engine.recording.files import as_format1, chunks, forged, of_chunks, packed, unpacked
from tests.engine.recordings import two_passes
from tests.thorough import examples

SAVED = two_passes().recording().to_bytes()
OLD = as_format1(two_passes().recording())
FORMER = sorted((Path(__file__).parent / "v1").glob("*.gradtape"))


def look_at_everything(recording: Recording) -> None:
    """What any later code may do with a recording."""
    for step in range(-1, len(recording.events)):
        state = replay(recording, step)
        for tensor in state:
            state.ledger(tensor.id)
            recording.array(tensor.value)
            assert why(recording, tensor.id, step).title
        if state.backward:
            assert state.backward.flowing is not None
            assert state.backward.buffers is not None
    for view in VIEWS:
        graph = build(recording, view)
        faces(recording, graph)
        msgspec.json.encode(steps(recording, graph))


def test_saving_and_loading_gives_the_same_recording(tmp_path: Path) -> None:
    recording = two_passes().recording()
    path = tmp_path / "run.gradtape"
    recording.save(path)
    buffer = io.BytesIO()
    recording.save(buffer)
    buffer.seek(0)
    for source in (path, str(path), buffer, recording.to_bytes()):
        loaded = Recording.load(source)
        assert loaded.events == recording.events
        assert loaded.sites == recording.sites
        assert loaded.arrays == recording.arrays
        assert loaded.ops == recording.ops
        assert (loaded.source, loaded.engine) == (recording.source, recording.engine)


def test_a_recording_from_before_the_newer_fields_still_opens() -> None:
    document, raw = unpacked(OLD)
    for event in document["events"]:
        if event[0] == "op":
            event.pop()  # where gradients were switched off
    assert Recording.load(packed(msgspec.msgpack.encode(document), raw)).events == two_passes().recording().events


def test_reads_of_values_are_kept_and_checked() -> None:
    recording = two_passes().recording()
    recording.events.append(Read(tensor=0, how="item"))
    loaded = Recording.load(recording.to_bytes())
    assert loaded.events[-1] == Read(tensor=0, how="item")
    look_at_everything(loaded)
    assert caption_text(captions(loaded)[-1]) == "x1.item() = 1 leaves the graph"
    recording.events.append(Read(tensor=999, how="item"))
    with pytest.raises(RecordingError, match="tensor 999"):
        Recording.load(recording.to_bytes())


def test_an_empty_recording_can_be_saved_and_replayed() -> None:
    loaded = Recording.load(Recording().to_bytes())
    assert replay(loaded, -1).tensors == ()
    assert build(loaded).number_of_nodes() == 0


@pytest.mark.parametrize("path", FORMER, ids=lambda path: path.stem)
def test_files_of_format_1_open(path: Path) -> None:
    recording = Recording.load(path)
    assert recording.events
    document, _ = unpacked(path.read_bytes())
    assert msgspec.convert(document["events"], list[AnyEvent]) == list(recording.events)
    again = Recording.load(recording.to_bytes())
    assert again.events == recording.events
    assert again.arrays == recording.arrays
    assert again.scopes == recording.scopes
    assert again.ops == recording.ops
    look_at_everything(again)


def test_a_file_of_format_2_opens_that_was_written_before_there_were_figures() -> None:
    recording = Recording.load(Path(__file__).parent / "v2" / "training.gradtape")
    kinds = Counter(event.__struct_config__.tag for event in recording.events)
    assert kinds["step"] == 3
    assert [kinds[tag] for tag in ("raise", "warn", "hook", "flag", "print")] == [1, 1, 1, 1, 2]
    assert Recording.load(recording.to_bytes()).events == recording.events
    look_at_everything(recording)


def test_kinds_of_events_keep_their_numbers_in_files() -> None:
    told = [kind.__struct_config__.tag for kind in KINDS]
    assert told == [
        "op", "name", "flag", "backward", "node", "accumulate", "backward_end", "grad", "hook", "step", "read", "print", "warn",
        "raise", "cell", "cell_end", "thinned", "figure",
    ], "new kinds come last"  # fmt: skip


@pytest.mark.parametrize("path", FORMER, ids=lambda path: path.stem)
def test_a_file_of_ones_own_is_mapped(path: Path, tmp_path: Path) -> None:
    recording = Recording.load(path)
    recording.save(tmp_path / "own", mapped=True)
    own = Recording.open_own(tmp_path / "own")
    assert own.events == recording.events
    assert own.arrays == recording.arrays
    assert Recording.load(tmp_path / "own").events == recording.events
    look_at_everything(own)


@pytest.mark.thorough
@settings(deadline=None)
@given(st.integers(0, len(SAVED) - 1))
def test_a_file_that_was_cut_off_opens_up_to_where_it_ends(length: int) -> None:
    whole = Recording.load(SAVED)
    try:
        recording = Recording.load(SAVED[:length])
    except RecordingError:
        assert length < len(SAVED) - len(of_chunks(chunks(SAVED)[1:]))
        return
    assert not recording.complete or length > len(SAVED) - 8, "all that is missing fills it up"
    assert list(recording.events) in ([], list(whole.events)), "all of it is one chunk"


def test_what_was_cut_off_between_chunks_has_the_events_of_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.recording.format2.EVENTS_IN_CHUNK", 5)
    whole = two_passes().recording()
    # This node speaks of a leaf that comes later, so an end in between has to go back before it.
    whole.events.insert(3, OpRan(op="old", node=NodeInfo(900, "AccumulateGrad", variable=950)))
    whole.events.insert(12, OpRan(op="leaf", outputs=(TensorInfo(950, "float32", (), -1),)))
    parts = chunks(whole.to_bytes())
    assert Recording.load(of_chunks(parts)).events == whole.events
    for number in range(len(parts) - 1):
        part = Recording.load(of_chunks(parts[: 1 + number]))
        there = 5 * number if number > 2 else min(5 * number, 3)
        assert list(part.events) == whole.events[: min(there, len(whole.events))]
        assert not part.complete
        look_at_everything(part)


@settings(deadline=None)
@given(st.integers(8, len(SAVED) - 1), st.integers(1, 255))
def test_a_damaged_file_is_refused_or_ends_where_it_is_damaged(place: int, change: int) -> None:
    damaged = bytearray(SAVED)
    damaged[place] ^= change
    try:
        recording = Recording.load(bytes(damaged))
    except RecordingError:
        return
    assert list(recording.events) in ([], list(Recording.load(SAVED).events))


@settings(deadline=None)
@given(st.integers(0, len(OLD) - 1))
def test_a_truncated_file_of_format_1_is_refused(length: int) -> None:
    with pytest.raises(RecordingError):
        Recording.load(OLD[:length])


@settings(deadline=None)
@given(st.integers(8, len(OLD) - 1), st.integers(1, 255))
def test_a_damaged_file_of_format_1_is_refused(place: int, change: int) -> None:
    damaged = bytearray(OLD)
    damaged[place] ^= change
    # Bytes 10 and 11 are padding; every other byte counts.
    if place in (10, 11):
        assert Recording.load(bytes(damaged)).events
    else:
        with pytest.raises(RecordingError):
            Recording.load(bytes(damaged))


def sound(recording: Recording) -> bool:
    """Whether every event, looked at by itself, refers to what is there."""
    try:
        for array in recording.arrays:
            array.check()
        check_references(recording, len(recording.arrays))
    except RecordingError:
        return False
    return True


@pytest.mark.thorough
@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_a_forged_column_is_refused_or_harmless(data: st.DataObject) -> None:
    def change(front: Front, columns: dict[str, Any]) -> None:
        for _ in range(data.draw(st.integers(1, 2))):
            path = data.draw(st.sampled_from(sorted(path for path, column in columns.items() if len(column))))
            column = columns[path] = columns[path].astype(columns[path].dtype if columns[path].dtype.kind == "f" else np.int64)
            column[data.draw(st.integers(0, len(column) - 1))] = data.draw(
                st.one_of(st.integers(-2, 60), st.integers(-(2**63), 2**63 - 1))
            )

    try:
        recording = Recording.load(forged(SAVED, change))
    except RecordingError:
        return
    assert sound(recording), "the rules for columns are those for events"
    look_at_everything(recording)


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_a_forged_front_is_refused_or_harmless(data: st.DataObject) -> None:
    def change(front: Front, columns: dict[str, Any]) -> Front:
        plain = msgspec.to_builtins(front)
        holder, key = data.draw(st.sampled_from(places(plain)))
        holder[key] = data.draw(st.one_of(st.integers(-2, 60), st.sampled_from([2**31 - 1, 2**32, 2**62, -(2**63), 2**63 - 1])))
        return msgspec.convert(plain, Front)

    try:
        recording = Recording.load(forged(SAVED, change))
    except RecordingError:
        return
    assert sound(recording)
    look_at_everything(recording)


@pytest.mark.thorough
@settings(max_examples=examples(120), deadline=None)
@given(st.data())
def test_forged_bytes_under_a_sound_checksum_are_refused_or_harmless(data: st.DataObject) -> None:
    parts = chunks(SAVED)
    number = data.draw(st.integers(0, len(parts) - 1))
    content = bytearray(parts[number][1])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    parts[number] = parts[number][0], bytes(content)
    try:
        recording = Recording.load(of_chunks(parts))
    except RecordingError:
        return
    assert sound(recording)
    look_at_everything(recording)


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_the_rules_for_columns_are_those_for_events(data: st.DataObject) -> None:
    document, raw = unpacked(OLD)
    numbers = [(holder, key) for table in ("events", "sites", "arrays") for holder, key in places(document[table])]
    holder, key = data.draw(st.sampled_from(numbers))
    holder[key] = data.draw(st.integers(-2, 60))
    written = packed(msgspec.msgpack.encode(document), raw)
    try:
        old = format1.read(memoryview(written), False)
    except RecordingError:
        return
    if sound(Recording(old.source, old.events, old.sites, old.scopes, old.arrays)):
        Recording.load(written)
    else:
        with pytest.raises(RecordingError):
            Recording.load(written)


@pytest.mark.parametrize("claim", [2**16, 2**31 - 1, 2**40, 2**62, -1])
@pytest.mark.parametrize("field", ["rows", "stored", "value"])
@pytest.mark.parametrize("path", ["kind", "scopes", "arrays", "op.inputs", "op.outputs.shape", "arrays.shape", "op.op"])
def test_a_number_that_is_claimed_costs_no_memory(path: str, field: str, claim: int) -> None:
    def change(front: Front, columns: dict[str, Any]) -> Front:
        others = [
            msgspec.structs.replace(column, **{field: claim}, **({"how": "c"} if field == "value" else {}))
            if column.path == path
            else column
            for column in front.columns
        ]
        return msgspec.structs.replace(front, columns=others)

    written = forged(SAVED, change)
    tracemalloc.start()
    try:
        with suppress(RecordingError):
            Recording.load(written)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 40 * 2**20


def test_what_is_unfolded_is_bounded_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNFOLDED", limits.Row("of columns", 500, "for this test", bytes=True))
    with pytest.raises(RecordingError, match="at most 500 bytes of columns"):
        Recording.load(SAVED)


def test_what_unfolds_to_more_than_there_may_be_is_refused_before_it_does() -> None:
    zeros = zlib.compress(bytes(2**27), 9)

    def change(front: Front, columns: dict[str, Any]) -> Front:
        last = [msgspec.structs.replace(c, rows=0) if c.path == "arrays" else c for c in front.columns]
        return msgspec.structs.replace(front, columns=last, raw=2**40, stored=len(zeros), deflated=True)

    with pytest.raises(RecordingError):
        Recording.load(forged(SAVED, change))


def test_a_column_that_is_not_known_is_passed_over_and_one_that_is_missing_has_its_default() -> None:
    def change(front: Front, columns: dict[str, Any]) -> None:
        columns["op.of a later version"] = np.arange(7)
        del columns["op.outputs.requires_grad"]

    recording = Recording.load(forged(SAVED, change))
    assert not any(t.requires_grad for e in recording.events if isinstance(e, OpRan) for t in e.outputs)

    def lacking(front: Front, columns: dict[str, Any]) -> None:
        del columns["op.outputs.array"]

    with pytest.raises(RecordingError, match=r"lacks the column op\.outputs\.array"):
        Recording.load(forged(SAVED, lacking))


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_a_forged_byte_of_format_1_is_refused_or_harmless(data: st.DataObject) -> None:
    length = HEADER.unpack_from(OLD)[3]
    document, raw = bytearray(OLD[HEADER.size :][:length]), OLD[HEADER.size + length :]
    for _ in range(data.draw(st.integers(1, 3))):
        document[data.draw(st.integers(0, length - 1))] = data.draw(st.integers(0, 255))
    try:
        recording = Recording.load(packed(bytes(document), raw))
    except RecordingError:
        return
    look_at_everything(recording)


@settings(max_examples=examples(80), deadline=None)
@given(st.data())
def test_a_forged_number_of_format_1_is_refused_or_harmless(data: st.DataObject) -> None:
    document, raw = unpacked(OLD)
    numbers = [(holder, key) for table in ("events", "sites", "arrays") for holder, key in places(document[table])]
    for _ in range(data.draw(st.integers(1, 2))):
        holder, key = data.draw(st.sampled_from(numbers))
        holder[key] = data.draw(st.one_of(st.integers(-2, 60), st.integers(-(2**63), 2**63 - 1)))
    try:
        recording = Recording.load(packed(msgspec.msgpack.encode(document), raw))
    except RecordingError:
        return
    look_at_everything(recording)


def places(value: Any) -> list[tuple[list[Any], int]]:
    """Every place in nested lists that holds an integer."""
    found: list[tuple[list[Any], int]] = []
    todo = [value]
    while todo:
        holder = todo.pop()
        for key, item in enumerate(holder):
            if type(item) is int:
                found.append((holder, key))
            elif type(item) is list:
                todo.append(item)
    return found


@settings(max_examples=examples(200))
@given(st.binary(max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    for data in (noise, packed(noise), of_chunks([(DATA, noise)]), of_chunks([*chunks(SAVED)[:1], (DATA, noise)])):
        with pytest.raises(RecordingError):
            Recording.load(data)


def nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed(b"", magic=b"PK\3\4----"), "not a recording"),
        (packed(b"", version=3), "version 3"),
        (packed(b"\x81\xa6source" + nested(1_000_000)), "decoded"),
        (packed(b"\xdd\xff\xff\xff\xff"), "decoded"),
        (packed(b"\xc0" * (DOCUMENT.value() + 1)), "too large"),
    ],
    ids=["magic", "version", "deep", "huge claim", "huge document"],
)
def test_hostile_files_are_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(RecordingError, match=message):
        Recording.load(data)


def test_a_table_with_too_many_rows_is_refused_before_it_is_decoded() -> None:
    document, raw = unpacked(OLD)
    document["sites"] = [[]] * (MAX_ENTRIES + 1)
    with pytest.raises(RecordingError, match="at most 500,100 rows of a table, not 500,101 sites"):
        Recording.load(packed(msgspec.msgpack.encode(document), raw))


def test_bytes_that_belong_to_no_array_are_refused() -> None:
    document, raw = unpacked(OLD)
    with pytest.raises(RecordingError, match="after its last array"):
        Recording.load(packed(msgspec.msgpack.encode(document), raw + b"\0"))


def with_event(event: Any) -> Recording:
    recording = two_passes().recording()
    recording.events.insert(20, event)
    return recording


@pytest.mark.parametrize(
    "event",
    [
        Named(name="x", tensor=1000),
        Named(name="x", tensor=-2),
        Named(name="x", tensor=0, site=10_000),
        Named(name="x", tensor=0, scope=0),
        Accumulated(number=1, tensor=0, increment=0, total=10_000),
        Accumulated(number=2, tensor=0, increment=0, total=0),
        NodeRan(number=1, node=99, received=(), sent=()),
        NodeRan(number=1, node=8, received=(0,), sent=()),
        NodeRan(number=1, node=8, received=(0,), sent=(Sent(4, 0, 0), Sent(3, 0, 0))),
        BackwardBegan(number=1, roots=()),
        GradSet(tensor=0, array=-1, how="backward"),
        OpRan(op="add", node=NodeInfo(0, "Again")),
        OpRan(op="add", node=NodeInfo(900, "Loop", ((900, 0),))),
        OpRan(op="add", node=NodeInfo(900, "A", ((901, 0),)), accumulators=(NodeInfo(901, "B", ((900, 0),)),)),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_event_that_cannot_be_is_refused(event: Any) -> None:
    with pytest.raises(RecordingError, match="event 20"):
        Recording.load(with_event(event).to_bytes())
    with pytest.raises(RecordingError):
        Recording.load(as_format1(with_event(event)))


def test_an_accumulator_may_be_met_before_its_leaf_but_not_without_it() -> None:
    recording = two_passes().recording()
    recording.events.insert(0, OpRan(op="old", node=NodeInfo(900, "AccumulateGrad", variable=0)))
    Recording.load(recording.to_bytes())
    recording.events[0] = OpRan(op="old", node=NodeInfo(900, "AccumulateGrad", variable=1000))
    with pytest.raises(RecordingError, match="AccumulateGrad of a tensor"):
        Recording.load(recording.to_bytes())


def test_sites_must_lie_in_a_cell() -> None:
    recording = two_passes().recording()
    recording.sites.append(Site(cell=1, line=1))
    with pytest.raises(RecordingError, match="cell"):
        recording.check()


def test_arrays_are_found_by_id() -> None:
    recording = Recording.load(OLD)
    first = recording.events[0]
    assert isinstance(first, OpRan)
    np.testing.assert_array_equal(recording.array(first.outputs[0].array), [1.0])
    assert recording.array(-1) is None
