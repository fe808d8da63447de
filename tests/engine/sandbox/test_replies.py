"""What a child says of a check or a sweep is bounded before it is read: one frame could hold a million of anything."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.experiments.gradcheck.messages import MAX_SLOPES, CheckReply, Slope, decode_reply
from engine.experiments.sweep.messages import MAX_PATH, MAX_POINTS, Point, Spot, SweepReply, decode_points, decode_sweep
from engine.sandbox.transport.call_messages import decode_call_reply
from engine.sandbox.transport.frames import MAX_FRAME

encode = msgspec.msgpack.encode
SLOPE = Slope(0, 0, (), False, 0.0, (0.0,), (0.0,), 0.0)


def many(thing: Any) -> list[Any]:
    return [thing] * (MAX_FRAME // len(encode(thing)) - 100)


FORGED: dict[str, tuple[Callable[[bytes], Any], Any]] = {
    "slopes": (decode_reply, {"status": "ok", "slopes": many(SLOPE)}),
    "skipped": (decode_reply, {"status": "ok", "skipped": many((0, ""))}),
    "steps": (decode_reply, {"status": "ok", "slopes": [[0, 0, [], False, 0.0, many(0.0), [0.0], 0.0]]}),
    "points": (decode_points, many((0, 0.0))),
    "path": (decode_sweep, {"status": "ok", "path": many((0, (), 0.0))}),
    "call": (decode_call_reply, {"status": "ok", "message": ["x"] * 1_000_000}),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_reply_is_refused_before_it_is_unfolded(name: str) -> None:
    decode, forged = FORGED[name]
    data = encode(forged)
    assert len(data) <= MAX_FRAME
    tracemalloc.start()
    try:
        with pytest.raises(msgspec.ValidationError):
            decode(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_as_much_as_there_may_be_is_read() -> None:
    assert len(decode_reply(encode(CheckReply("ok", slopes=[SLOPE] * MAX_SLOPES))).slopes) == MAX_SLOPES
    assert len(decode_points(encode([Point(0, 0.0)] * MAX_POINTS))) == MAX_POINTS
    assert len(decode_sweep(encode(SweepReply("ok", path=(Spot(0, (), 0.0),) * MAX_PATH))).path) == MAX_PATH
