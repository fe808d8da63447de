"""A file that is written is read piece by piece: each time what was appended, and what comes out is what all of it holds."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from engine.recording import Recording, RecordingError, format2
from engine.recording import recording as module
from engine.recording.recording import Growth
from tests.recorded import recorded

PROGRAM = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for k in range(6):
    big = torch.ones(50) * k
    loss = (w * k).sum() + big.sum()
    loss.backward()
"""


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where the chunks of `whole` end."""
    monkeypatch.setattr(format2, "EVENTS_IN_CHUNK", 20)
    found, at, data = [], format2.FRONT.size, whole()
    while at < len(data):
        _, _, length = format2.CHUNK.unpack_from(data, at)
        at += format2.CHUNK.size + length + -length % format2.ALIGNED
        found.append(at)
    assert len(found) > 5
    return found


def whole(program: str = PROGRAM) -> bytes:
    return recorded(program).to_bytes()


def same(found: Recording | None, expected: Recording) -> bool:
    assert found is not None
    return (
        list(found.events) == list(expected.events)
        and list(found.arrays) == list(expected.arrays)
        and (found.source, found.ops, found.complete) == (expected.source, expected.ops, expected.complete)
        and found.to_bytes() == expected.to_bytes()
    )


def test_what_is_read_piece_by_piece_is_what_the_beginnings_hold(ends: list[int], tmp_path: Path) -> None:
    data, path, found = whole(), tmp_path / "run.gradtape", []
    growth = Growth(path)
    for end in ends:
        path.write_bytes(data[:end])
        found.append((growth.read(), Recording.load(data[:end])))
        path.write_bytes(data[: end + 10])
        assert growth.read() is None, "what is not whole is left"
    # What came out earlier is as it was, though more has been put behind it.
    assert all(same(made, expected) for made, expected in found)
    assert found[-1][1].complete


def test_only_what_was_appended_is_read(ends: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, path, read = whole(), tmp_path / "run.gradtape", []
    take = format2.Chunks.take

    def taken(self: Any, piece: memoryview, at: int = 0) -> int:
        read.append(len(piece))
        return take(self, piece, at)

    monkeypatch.setattr(format2.Chunks, "take", taken)
    growth = Growth(path)
    for end in ends:
        path.write_bytes(data[:end])
        growth.read()
    assert read == [ends[0], *(b - a for a, b in pairwise(ends))]


def test_a_file_that_was_begun_anew_is_read_from_its_beginning(ends: list[int], tmp_path: Path) -> None:
    data, path = whole(), tmp_path / "run.gradtape"
    other = whole(PROGRAM.replace("range(6)", "range(9)").replace("1.0", "3.0"))
    for end in ends:
        growth = Growth(path)
        path.write_bytes(data[:end])
        growth.read()
        path.write_bytes(other)
        assert same(growth.read(), Recording.load(other))
        path.write_bytes(data[: ends[1]])
        assert same(growth.read(), Recording.load(data[: ends[1]]))


def test_what_is_no_recording_is_refused(ends: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, path = whole(), tmp_path / "run.gradtape"
    growth = Growth(path)
    with pytest.raises(FileNotFoundError):
        growth.read()
    path.write_bytes(b"GRAD")
    assert growth.read() is None
    path.write_bytes(b"something else entirely")
    with pytest.raises(RecordingError, match="not a recording"):
        growth.read()
    broken = bytearray(data)
    broken[ends[2] - 9] ^= 1
    path.write_bytes(data[: ends[1]])
    growth = Growth(path)
    assert growth.read() is not None
    path.write_bytes(broken)
    with pytest.raises(RecordingError, match="damaged"):
        growth.read()
    path.write_bytes(data)
    monkeypatch.setattr(module.limits, "FILE", module.limits.Row("of facts and arrays", len(data) - 1, "", bytes=True))
    with pytest.raises(RecordingError, match="too large"):
        Growth(path).read()
