"""The replay and pyvis's page are made in a process of their own, as all files are; the engine does not know them."""

from __future__ import annotations

from components.html.notes import note_html
from components.network.file import PYVIS
from components.replay.page import REPLAY
from engine.diagnosis.findings.catalogue import entries
from engine.export.isolated import Wanted, make, making, requested, small, written
from engine.progress import Tell, part, untold
from engine.recording.story import Note

MADE_HERE = {format.name: format for format in (REPLAY, PYVIS)}
REPLAYED = making("components.replay.making:file")


def file(argument: memoryview, tell: Tell) -> bytes:
    """One of these files of a recording."""
    wanted, recording = requested(argument, part(tell, 0, 0.05))
    return make(MADE_HERE[wanted.format].make, wanted, recording, part(tell, 0.05, 1))


def prepare() -> None:
    """Make a small one of each, so that everything is imported and read that a process needs which opens no file."""
    note_html(Note(0, "$x$"))
    for name in MADE_HERE:
        file(memoryview(b"".join(written(Wanted(name), small()))), untold)
    # Nothing is found in those, and beside a finding stands what the catalogue says of its rule.
    entries()
