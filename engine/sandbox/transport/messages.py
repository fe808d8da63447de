"""What the sandbox's processes say to each other: typed, length-prefixed, bounded messages; never pickle."""

from __future__ import annotations

import struct

import msgspec

from ... import limits as table
from ...compat.version import DEFAULT
from ...program import project
from ...recording.batch import Batch
from ...recording.thinning import Window
from .call_messages import CallRequest

HEADER = struct.Struct("<cI")
"""Kind and length of a frame from the child."""
READY = struct.Struct("<?B")
"""From the server, once: whether the system-call filter holds, and the version of Landlock that does, or 0."""
REQUEST = struct.Struct("<Qd")
"""To the server, with three file descriptors: run number and seconds. With none: end that run at once, or with `KEEP`
instead of the seconds have it send what it has recorded first."""
KEEP = -1.0
EXIT = struct.Struct("<Qi?")
"""From the server: run number, the child's wait status (or `STARTED`, `NOT_STARTED`), whether the server stopped it."""
PROGRAMS = "engine.sandbox.processes.child"
"""The module that says what children do unless another is named: they run programs."""
FULL = 122
"""The exit code of a process that ended itself because it had too much memory."""
HALTED = "KeyboardInterrupt"
"""The type of error of a run that the user stopped, which keeps its recording."""
STARTED = -1001
"""Instead of a wait status: there is a process now."""
NOT_STARTED = -1000
"""Instead of a wait status or an exit code: there was no room for another process."""


class Limits(msgspec.Struct, frozen=True):
    """What a run may use."""

    seconds: float = float(table.SECONDS.hosted or 0)
    memory_mb: int = table.MEMORY.value()
    output_chars: int = table.OUTPUT.value()
    events: int = table.EVENTS.value()
    """No recording holds more than `most_events`, whatever this says."""
    array_bytes: int = table.KEPT.value()
    """Bytes of arrays that are kept whole; later ones leave a summary."""
    facts: int = table.FACTS.value()
    """Bytes of everything else that is recorded."""
    parts: int = table.PARTS.value()
    """Inputs, dimensions, edges and loops of everything that is recorded."""


def most_events(limits: Limits) -> int:
    """How many events a run may record, before that of how it ended."""
    return min(limits.events, int(table.EVENTS.most or 0))


class Layers(msgspec.Struct, frozen=True):
    """The two defences, each of which must hold without the other; only tests switch one off."""

    language: bool = True
    """The allow-list policy over the program's syntax, and facades instead of modules."""
    system: bool = True
    """The system-call filter and what the kernel has besides."""


class SystemLayer(msgspec.Struct, frozen=True):
    """What of the system layer holds on a machine."""

    seccomp: bool = False
    """The system-call filter, which is the one that counts."""
    landlock: int = 0
    """The kernel's version of Landlock, or 0."""


class Job(msgspec.Struct, frozen=True):
    """What the child is given."""

    cells: tuple[str, ...]
    notebook: bool
    limits: Limits
    kind: str = ""
    """What is done with the program, one of those that the server has loaded (`engine.sandbox.jobs`); "": it is run."""
    request: bytes = b""
    """What such a job is asked, which only it can read."""
    call: CallRequest | None = None
    """Instead of a program, one of our own functions on what a stranger sent."""
    layers: Layers = Layers()
    seed: int | None = None
    """What the random numbers begin with, unless the program says; None for anything."""
    window: Window | None = None
    """The iterations that are wanted whole, where that is not the whole run."""
    hosted: bool = False
    """Strangers' programs run there: nothing is to run where the system layer does not hold."""
    name: str = "program"
    """What the program's file is called."""
    files: tuple[tuple[str, bytes], ...] = ()
    """What lies in the folder that it runs in: paths with their bytes."""
    arguments: tuple[str, ...] = ()
    """What follows its name in `sys.argv`."""
    release: str = DEFAULT
    """Which PyTorch is followed."""

    @property
    def modules(self) -> dict[str, str]:
        """The files that it imports: their texts by path. In a recording they follow its cells."""
        return project.modules(self.cells, dict(self.files)) if self.files else {}


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Some of a file that the program wrote; what has the same path belongs behind it."""

    path: str
    data: bytes


LONGER = "Do fewer or smaller iterations, or allow it more seconds: Limits in the page, --seconds on the command line."
"""What is said where a program's time was up."""


class RunError(msgspec.Struct, frozen=True):
    """How a program failed. Lines count from 1, columns from 0; 0 and 0 if unknown."""

    type: str
    message: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    cell: int = 0
    traceback: str = ""
    help: str = ""
    module: str = ""
    """The path of the innermost module that was being called, "" outside of all."""
    layer: str = ""
    """That module as it prints itself, where it is one of `torch.nn`."""


class CellResult(msgspec.Struct, frozen=True):
    """One cell: its output as a notebook shows it, and the repr of its last expression (None if it has none)."""

    output: str = ""
    result: str | None = None
    status: str = "ok"
    """"ok", "error", or "skipped" where a cell before it failed."""


class Done(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a run, as the child tells it."""

    status: str
    error: RunError | None
    cells: list[str]
    """How each cell ended: "ok", "error" or "skipped". What they printed stands in the recording."""
    seconds: float


encode = msgspec.msgpack.Encoder().encode
decode_batch = msgspec.msgpack.Decoder(Batch).decode
decode_done = msgspec.msgpack.Decoder(Done).decode
decode_job = msgspec.msgpack.Decoder(Job).decode
decode_written = msgspec.msgpack.Decoder(Written).decode
