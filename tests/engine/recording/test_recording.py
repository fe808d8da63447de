"""A recording survives saving and loading, and a stranger's file is either sound in every reference or refused."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnosis import why
from engine.graph.shown.captions import caption_text, captions
from engine.graph.shown.node_states import faces
from engine.graph.shown.timeline import steps
from engine.graph.structure.build import VIEWS, build
from engine.recording import Recording, RecordingError, replay
from engine.recording.events import Accumulated, BackwardBegan, Named, NodeInfo, NodeRan, OpRan, Read, Sent, Site
from engine.recording.recording import _HEADER, MAGIC, MAX_DOCUMENT, MAX_ENTRIES, VERSION
from tests.engine.recordings import two_passes

SAVED = two_passes().recording().to_bytes()


def packed(document: bytes, raw: bytes = b"", magic: bytes = MAGIC, version: int = VERSION) -> bytes:
    """A file with a correct checksum around any document."""
    return _HEADER.pack(magic, version, zlib.crc32(raw, zlib.crc32(document)), len(document)) + document + raw


def unpacked(data: bytes) -> tuple[Any, bytes]:
    """The document as plain lists and dicts, and the arrays' bytes."""
    length = _HEADER.unpack_from(data)[3]
    body = data[_HEADER.size :]
    return msgspec.msgpack.decode(body[:length]), body[length:]


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
    document, raw = unpacked(SAVED)
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


@settings(deadline=None)
@given(st.integers(0, len(SAVED) - 1))
def test_a_truncated_file_is_refused(length: int) -> None:
    with pytest.raises(RecordingError):
        Recording.load(SAVED[:length])


@settings(deadline=None)
@given(st.integers(8, len(SAVED) - 1), st.integers(1, 255))
def test_a_damaged_file_is_refused(place: int, change: int) -> None:
    damaged = bytearray(SAVED)
    damaged[place] ^= change
    # Bytes 10 and 11 are padding; every other byte counts.
    if place in (10, 11):
        assert Recording.load(bytes(damaged)).events
    else:
        with pytest.raises(RecordingError):
            Recording.load(bytes(damaged))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_forged_byte_is_refused_or_harmless(data: st.DataObject) -> None:
    length = _HEADER.unpack_from(SAVED)[3]
    document, raw = bytearray(SAVED[_HEADER.size :][:length]), SAVED[_HEADER.size + length :]
    for _ in range(data.draw(st.integers(1, 3))):
        document[data.draw(st.integers(0, length - 1))] = data.draw(st.integers(0, 255))
    try:
        recording = Recording.load(packed(bytes(document), raw))
    except RecordingError:
        return
    look_at_everything(recording)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_forged_number_is_refused_or_harmless(data: st.DataObject) -> None:
    document, raw = unpacked(SAVED)
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


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    for data in (noise, packed(noise)):
        with pytest.raises(RecordingError):
            Recording.load(data)


def nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed(b"", magic=b"PK\3\4----"), "not a recording"),
        (packed(b"", version=VERSION + 1), "version 2"),
        (packed(b"\x81\xa6source" + nested(1_000_000)), "decoded"),
        (packed(b"\xdd\xff\xff\xff\xff"), "decoded"),
        (packed(b"\xc0" * (MAX_DOCUMENT + 1)), "too large"),
    ],
    ids=["magic", "version", "deep", "huge claim", "huge document"],
)
def test_hostile_files_are_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(RecordingError, match=message):
        Recording.load(data)


def test_a_table_with_too_many_rows_is_refused_before_it_is_decoded() -> None:
    document, raw = unpacked(SAVED)
    document["sites"] = [[]] * (MAX_ENTRIES + 1)
    with pytest.raises(RecordingError, match="at most 500,100 rows of a table, not 500,101 sites"):
        Recording.load(packed(msgspec.msgpack.encode(document), raw))


def test_bytes_that_belong_to_no_array_are_refused() -> None:
    document, raw = unpacked(SAVED)
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
        OpRan(op="add", node=NodeInfo(0, "Again")),
        OpRan(op="add", node=NodeInfo(900, "Loop", ((900, 0),))),
        OpRan(op="add", node=NodeInfo(900, "A", ((901, 0),)), accumulators=(NodeInfo(901, "B", ((900, 0),)),)),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_event_that_refers_to_nothing_is_refused(event: Any) -> None:
    with pytest.raises(RecordingError, match="event 20"):
        Recording.load(with_event(event).to_bytes())


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
    recording = Recording.load(SAVED)
    first = recording.events[0]
    assert isinstance(first, OpRan)
    np.testing.assert_array_equal(recording.array(first.outputs[0].array), [1.0])
    assert recording.array(-1) is None
