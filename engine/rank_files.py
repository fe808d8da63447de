"""The files of several ranks, read together: here, or on the workers of a cluster where the settings name one.

Of each rank there comes back what is needed beside the others (`engine.diagnosis.ranks.facts`) and what was found in it alone.
On a worker the file is read in a process of its own, as files are that people open; the argument is an `Asked` with its length
before it, and behind it the bytes of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import msgspec

from .diagnosis.findings import findings, ignored
from .diagnosis.ranks import RankFacts, facts_of
from .diagnosis.reason import Finding
from .progress import Tell
from .recording.recording import Recording
from .sandbox.transport.call_messages import cut, with_argument
from .serving.elsewhere import elsewhere

AT_ONCE = 16
"""Files that are under way to workers."""


class Asked(msgspec.Struct, frozen=True):
    """What is to be left out of what is found."""

    ignore: tuple[str, ...] = ()


class Read(msgspec.Struct, frozen=True):
    """What there is to say of one rank."""

    facts: RankFacts
    found: tuple[Finding, ...]
    ignored: tuple[Finding, ...]


class RankFile(NamedTuple):
    """The file of one rank."""

    name: str
    data: bytes


class RankFileError(Exception):
    """A file could not be read on a worker; the message says why."""


_encode = msgspec.msgpack.Encoder().encode
_decode_asked = msgspec.msgpack.Decoder(Asked).decode
_decode_read = msgspec.msgpack.Decoder(Read).decode


def read_all(files: Sequence[RankFile], ignore: Iterable[str] = ()) -> list[Read]:
    """What there is to say of each file.

    Raises:
        RecordingError: for one that is no sound recording.
        RankFileError: for one that no worker could read.
    """
    asked, away = Asked(tuple(sorted(ignore))), elsewhere()
    if away is None:
        return [read(Recording.load(each.data), asked) for each in files]

    def ask(file: RankFile) -> Read:
        reply = away.read_rank(b"".join(with_argument(_encode(asked), (file.data,))))
        if reply.failure:
            raise RankFileError(f"{file.name} cannot be read: {reply.failure}")
        try:
            return _decode_read(reply.frames)
        except msgspec.MsgspecError:
            raise RankFileError(f"{file.name} cannot be read: a worker sent nothing that makes sense") from None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(ask, files))


def read(recording: Recording, asked: Asked = Asked()) -> Read:  # noqa: B008
    """What there is to say of a recording."""
    found, left_out = findings(recording, asked.ignore), ignored(recording, asked.ignore)
    return Read(facts_of(recording), tuple(found), tuple(left_out))


# --- in the process that reads it ---------------------------------------------------------------------------------------------


def answer(argument: memoryview, tell: Tell) -> bytes:
    """What there is to say of a file."""
    asked, data = cut(argument)
    recording = Recording.load(data)
    tell(0.3)
    return _encode(read(recording, _decode_asked(asked)))
