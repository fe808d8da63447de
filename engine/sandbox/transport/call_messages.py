"""What a call asks of a child and how it ends: one of our own functions, by name, on bytes.

The bytes follow the job as they are, in pieces: a recording may be large, and the parent makes no copies of it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

import msgspec

LENGTH = struct.Struct("<Q")
"""The length of the job's own message, before it."""
MAX_MESSAGE = 2_000
"""Characters of the sentence with which a call ends."""
STATUSES = ("ok", "refused", "timeout", "memory", "too_large", "failed")


class CallRequest(msgspec.Struct, frozen=True):
    """Call a function of ours."""

    function: str
    """`module:function`, one of those that the server has loaded."""
    output: int
    """Bytes that it may return."""


class CallReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a call ended; what the function returned came before."""

    status: str
    """"ok"; "refused" for an argument that the function does not take (ValueError); or what there was too little of."""
    message: str = ""


def with_argument(job: bytes, argument: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """A message, such as a job's, and the bytes that belong to it, as they are written."""
    yield LENGTH.pack(len(job)) + job
    yield from argument


def cut(written: bytes | memoryview) -> tuple[bytes, memoryview]:
    """What was written as the message and the bytes that belong to it."""
    (length,) = LENGTH.unpack_from(written)
    view = memoryview(written)[LENGTH.size :]
    return bytes(view[:length]), view[length:]


decode_call_reply = msgspec.msgpack.Decoder(CallReply).decode


def check_call_reply(reply: CallReply) -> None:
    """Raise ValueError for a reply that no child of ours sends."""
    if reply.status not in STATUSES or len(reply.message) > MAX_MESSAGE:
        raise ValueError("a call that ended in no way that there is")
