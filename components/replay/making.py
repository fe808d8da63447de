"""The replay is made in a process of its own, as all files are; the engine does not know it."""

from __future__ import annotations

from components.replay.page import REPLAY
from engine.export.isolated import Wanted, make, making, requested, small, written
from engine.progress import Tell, part, untold

REPLAYED = making("components.replay.making:file")


def file(argument: memoryview, tell: Tell) -> bytes:
    """The replay of a recording."""
    wanted, recording = requested(argument, part(tell, 0, 0.05))
    return make(REPLAY.make, wanted, recording, part(tell, 0.05, 1))


def prepare() -> None:
    """Make a small one, so that everything is imported and read that a process needs which opens no file."""
    file(memoryview(b"".join(written(Wanted(REPLAY.name), small()))), untold)
