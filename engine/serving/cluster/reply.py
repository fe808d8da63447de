"""What a worker hands back, as one typed message of bytes, and the version that both sides must share."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

ENGINE = Path(__file__).resolve().parents[2]


class Reply(msgspec.Struct, frozen=True):
    """What became of a job on a worker."""

    version: str
    frames: bytes = b""
    """The frames that the child sent, one behind the other, as they came."""
    ended: tuple[int, bool] | None = None
    """The child's wait status, and whether the server stopped it."""
    trouble: str = ""
    """Why the worker stopped reading: "late" or "nonsense"."""
    failure: str = ""
    """Why the worker ran nothing at all."""


encode_reply = msgspec.msgpack.Encoder().encode
decode_reply = msgspec.msgpack.Decoder(Reply).decode


@cache
def version() -> str:
    """Tells apart any two states of the engine's code: the messages of one need not fit the other."""
    digest = sha256()
    for file in sorted(ENGINE.rglob("*.py")):
        digest.update(file.relative_to(ENGINE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
