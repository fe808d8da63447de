"""Files are made of recordings in a process of its own: a stranger's recording may take a minute and a gigabyte for it.

The argument is a `Wanted`, its length before it, and behind it the bytes of the recording as a file of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import msgspec

from .. import limits as table
from ..graph import View
from ..graph.chosen import NONE_CHOSEN, Chosen
from ..graph.design import Theme
from ..graph.structure.layout import Direction
from ..progress import Tell, part, untold
from ..recording.recording import Recording
from ..sandbox.calls import CallError, Function, bounded, call
from ..sandbox.settings import settings
from ..sandbox.transport.call_messages import cut, with_argument
from .animation import gif
from .formats import FORMATS
from .picture import Options, step_of
from .programs import script


class Wanted(msgspec.Struct, frozen=True):
    """Which file is to be made, and how it is to look."""

    format: str
    view: View = "tensors"
    direction: Direction = "LR"
    step: int | None = None
    theme: Theme = "light"
    title: str = ""
    rolled: bool | None = None
    turned: tuple[str, ...] = ()
    opened: tuple[str, ...] | None = None
    chosen: Chosen = NONE_CHOSEN
    source: tuple[str, ...] = ()
    """The program as it stands in the editors: all that a script needs."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Wanted).decode


def making(function: str) -> Function:
    """A function that makes files, with what it may use on this installation."""
    return bounded(function, table.MAKING, table.MAKING_MEMORY, table.MADE.value(settings().hosted))


FILE = making("engine.export.isolated:file")


# --- for those who want a file ------------------------------------------------------------------------------------------------


def make_file(
    format: str,
    recording: Recording | None,
    options: Options,
    source: Sequence[str] = (),
    *,
    by: Function = FILE,
    stop: threading.Event | None = None,
    tell: Tell = untold,
) -> bytes:
    """A file of a recording, made in a process of its own; a script is made of the `source`.

    Raises:
        CallError: when it cannot be made; the message says why, in words for the user.
        Stopped: when `stop` was set meanwhile.
    """
    if format == "gradtape" and recording is not None:
        return recording.to_bytes()  # copies what is there, and no more
    o = options
    wanted = Wanted(
        format, o.view, o.direction, o.step, o.theme, o.title, o.rolled, o.turned, o.opened, o.chosen, tuple(source)
    )
    return call(by, written(wanted, recording), stop=stop, progress=tell)


def written(wanted: Wanted, recording: Recording | None) -> list[bytes | memoryview]:
    """The argument in pieces."""
    return list(with_argument(_encode(wanted), recording.pieces(mapped=True) if recording is not None else ()))


def sentence(error: CallError, label: str, function: Function = FILE) -> str:
    """Why there is no file, and what to do instead, as a notice says it."""
    limit = function.over(error, "making")
    if not limit:
        return f"The {label} could not be made: {error}."
    return f"The {label} could not be made: {limit}. Save the recording itself, or record fewer steps."


# --- in the process that makes it ---------------------------------------------------------------------------------------------


def file(argument: memoryview, tell: Tell) -> bytes:
    """Any of the engine's formats."""
    wanted, recording = requested(argument, part(tell, 0, 0.1))
    if wanted.format == "py":
        return script(wanted.source).encode()
    return make(FORMATS[wanted.format].make, wanted, recording, part(tell, 0.1, 1))


def requested(argument: memoryview, tell: Tell) -> tuple[Wanted, Recording]:
    """What is wanted, and the recording of which."""
    head, rest = cut(argument)
    wanted = _decode(head)
    recording = Recording.load(rest) if len(rest) else Recording(source=wanted.source)
    tell(1)
    return wanted, recording


def make(how: Callable[[Recording, Options, Tell], bytes], wanted: Wanted, recording: Recording, tell: Tell) -> bytes:
    """Make the file."""
    w = wanted
    options = Options(w.view, w.direction, w.step, w.theme, w.title, False, w.rolled, w.turned, w.opened, w.chosen)
    try:
        step_of(recording, options)
    except IndexError as error:
        raise ValueError(str(error)) from None
    return how(recording, options, tell)


def prepare() -> None:
    """Make one small file of each kind, so that everything is imported and read that a process needs which opens no file."""
    for wanted in (Wanted(name, rolled=rolled) for name in FORMATS if name != "gif" for rolled in (False, True)):
        file(memoryview(b"".join(written(wanted, small()))), untold)
    gif(small(), Options(fonts=False), most=1)


def small() -> Recording:
    """A recording of two operations and a backward pass."""
    from ..itself import engine as torch
    from ..recording import record

    with record() as tape:
        x = torch.ones(2, requires_grad=True)
        (x**2).sum().backward()
    return tape.recording
