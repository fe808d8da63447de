"""Files that people open are read in a process of its own: a notebook of 30 MB may unfold to a gigabyte.

The argument is an `Asked`, its length before it, and behind it the bytes of the file. What comes back is small and typed: a
program's cells, or a recording that keeps to this installation's limits, in our own writing.
"""

from __future__ import annotations

import threading
from typing import Annotated

import msgspec

from . import limits as table
from .program import Program
from .progress import Tell, untold
from .recording.recording import SUFFIX, Recording
from .recording.story import Story
from .sandbox.calls import CallError, bounded, call
from .sandbox.settings import settings
from .sandbox.transport.budget import Room
from .sandbox.transport.call_messages import cut, with_argument
from .sandbox.transport.messages import Limits


class Asked(msgspec.Struct, frozen=True):
    """Which file is to be read."""

    name: str
    limits: Limits | None = None
    """What a run may record here, which a recording must keep to; None where people open their own files."""


class _Cells(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cells: Annotated[tuple[str, ...], msgspec.Meta(max_length=table.CELLS.value())]
    notebook: bool
    story: Story


_encode = msgspec.msgpack.Encoder().encode
_decode_asked = msgspec.msgpack.Decoder(Asked).decode
_decode_cells = msgspec.msgpack.Decoder(_Cells).decode

MOST = 8 * table.PROGRAM.value() + 2 * table.PICTURES.value()
"""Bytes of a program's cells and its notes."""
PROGRAM = bounded("engine.opening:program", table.READING, table.READING_MEMORY, MOST)
RECORDING = bounded("engine.opening:recording", table.READING, table.READING_MEMORY, table.FILE.value(settings().hosted))


# --- for those who open a file ------------------------------------------------------------------------------------------------


def opened(data: bytes, name: str, *, stop: threading.Event | None = None, tell: Tell = untold) -> Program | Recording:
    """What is in a file: a program (.py, .ipynb) or a recording (.gradtape), read in a process of its own.

    Raises:
        CallError: when it cannot be read; the message says why, in words for the user.
        Stopped: when `stop` was set meanwhile.
    """
    largest = table.UPLOAD.value(settings().hosted)
    if len(data) > largest:
        raise CallError("refused", f"it is too large: {table.UPLOAD.past(largest)}")
    asked = _encode(Asked(name, settings().limits if settings().hosted else None))
    argument = tuple(with_argument(asked, (data,)))
    if name.endswith(SUFFIX):
        return Recording.load(call(RECORDING, argument, stop=stop, progress=tell), hosted=settings().hosted)
    found = _decode_cells(call(PROGRAM, argument, stop=stop, progress=tell))
    return Program(found.cells, name, found.notebook, story=found.story)


def sentence(error: Exception, name: str) -> str:
    """Why a file was not opened, as a notice says it."""
    function = RECORDING if name.endswith(SUFFIX) else PROGRAM
    return f"{name} cannot be opened: {function.over(error, 'reading') or error}"


# --- in the process that reads it ---------------------------------------------------------------------------------------------


def program(argument: memoryview, tell: Tell) -> bytes:
    """The cells of a program or notebook."""
    asked, data = _parts(argument)
    found = Program.from_file(bytes(data), asked.name)
    return _encode(_Cells(found.cells, found.notebook, found.story))


def recording(argument: memoryview, tell: Tell) -> bytes:
    """A recording that is sound and keeps to the limits, written anew."""
    asked, data = _parts(argument)
    found = Recording.load(data, hosted=asked.limits is not None)
    tell(0.7)
    if asked.limits is not None:
        _keeps_to(found, asked.limits)
    return found.to_bytes()


def _parts(argument: memoryview) -> tuple[Asked, memoryview]:
    asked, data = cut(argument)
    return _decode_asked(asked), data


def _keeps_to(found: Recording, limits: Limits) -> None:
    """Raise ValueError, with a sentence, for a recording that no run here could have made."""
    try:
        Room(limits, ending=True).take_all(found)
    except ValueError as error:
        raise ValueError(f"{error}; open it with `gradtape open` on a computer of your own") from None


def prepare() -> None:
    """Read one small file of each kind, so that everything is imported that a process needs which opens no file."""
    notebook = (
        b'{"cells": [{"cell_type": "code", "source": ["%matplotlib inline\\n", "1"], "metadata": {"gradtape": {"moment": 1}}}, '
        b'{"cell_type": "markdown", "source": "![](attachment:a.png)", "attachments": {"a.png": {"image/png": "AA=="}}}]}'
    )
    for name, data in (("a.py", b"1\r\n"), ("a.ipynb", notebook)):
        program(memoryview(b"".join(with_argument(_encode(Asked(name)), (data,)))), untold)
    asked = _encode(Asked("a.gradtape", Limits()))
    recording(memoryview(b"".join(with_argument(asked, (Recording(source=("",)).to_bytes(),)))), untold)
