"""What a browser keeps of a program: its text, how it is looked at, what lies beside it. It comes back as bad input."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from components.player.protocol import COLOURS, NAMED
from engine.graph.watch import LONGEST, MOST
from engine.limits import ARGUMENTS
from engine.program import MAX_TEXT
from engine.program.share import MAX_LINK, MAX_NAME, NODE, VIEWS
from engine.program.source import MAX_CELLS
from engine.recording.story import NONE, Story

FILES = 8_000_000
"""Bytes of a program's files, or of a recording, that a browser is asked to keep."""
MAX_FILES = 200
MAX_PATH = 300
PICTURES = 400_000
"""Bytes of the pictures in a notebook's notes that a browser is asked to keep with each version."""
UNDONE, UNDONE_TEXT = 20, 100_000
"""Texts, and their characters together, that the builder can go back to after a reload."""
MARKED = 200
"""Cards that can be hidden or coloured."""
RESULT = 120
"""Characters of a run's last line, by which its version is known again."""

Id = Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}\Z")]
Step = Annotated[int, Meta(ge=0, lt=2**31)]
Name = Annotated[str, Meta(max_length=MAX_NAME)]
Key = Annotated[str, Meta(max_length=NAMED)]
Word = Annotated[str, Meta(max_length=40)]
Cells = Annotated[tuple[Annotated[str, Meta(max_length=MAX_TEXT)], ...], Meta(min_length=1, max_length=MAX_CELLS)]


class Moment(msgspec.Struct, frozen=True):
    """How a run is looked at."""

    step: Step | None = None
    """The tape's moment; its end if there is none."""
    selected: Annotated[str, Meta(max_length=100)] | None = None
    view: Word = "tensors"
    direction: Literal["LR", "TB"] = "LR"
    panel: Word = ""
    mode: Literal["Code", "Build"] = "Code"
    picked: Annotated[tuple[Step, ...], Meta(max_length=20)] = ()
    """The builder's operands."""
    watched: Annotated[tuple[Annotated[str, Meta(max_length=LONGEST)], ...], Meta(max_length=MOST)] = ()
    """The expressions that are watched."""
    hidden: Annotated[tuple[Key, ...], Meta(max_length=MARKED)] = ()
    """The cards that are hidden,"""
    coloured: Annotated[tuple[tuple[Key, Annotated[int, Meta(ge=0, lt=COLOURS)]], ...], Meta(max_length=MARKED)] = ()
    """and the colours that others have."""


class Pinned(msgspec.Struct, frozen=True):
    """A run that others are compared with, as what it is made of again."""

    cells: Cells
    name: Name = ""
    seed: int | None = None


class Kept(msgspec.Struct, frozen=True):
    """One text of a program, with what it ran as."""

    id: Id
    work: Id
    """What the versions of a program have in common."""
    query: Annotated[str, Meta(max_length=MAX_LINK + 100)]
    name: Name
    cells: Cells
    own: bool = False
    """Whether it is the visitor's own: edited, built, or opened from a file."""
    unrun: bool = False
    """Whether it came from a stranger and waits for the visitor's word."""
    arguments: Annotated[str, Meta(max_length=ARGUMENTS.value())] = ""
    undo: Annotated[tuple[Annotated[str, Meta(max_length=MAX_TEXT)], ...], Meta(max_length=UNDONE)] = ()
    pinned: Pinned | None = None
    file: Annotated[str, Meta(max_length=MAX_NAME)] = ""
    """The file's name, where it is a recording from a file."""
    moment: Moment = Moment()
    story: Story = NONE
    """What stands between a notebook's cells, without pictures for which there is no room."""


class Told(msgspec.Struct, frozen=True):
    """What the browser tells of what it keeps."""

    n: Annotated[int, Meta(ge=0, lt=2**53)]
    kind: Literal["reloaded", "went", "bring", "apart", "stored", "back"]
    query: Annotated[str, Meta(max_length=MAX_LINK + 200)] = ""
    record: Kept | None = None
    files: Annotated[
        dict[Annotated[str, Meta(max_length=MAX_PATH)], Annotated[str, Meta(max_length=FILES * 4 // 3 + 4)]],
        Meta(max_length=MAX_FILES),
    ] = {}


def told(message: Any) -> Told | None:
    """A message of the browser, None for nothing and for nonsense. A record that cannot be read is as good as none."""
    try:
        return msgspec.convert(message, Told)
    except (msgspec.ValidationError, RecursionError):
        pass
    if not isinstance(message, Mapping):
        return None
    try:
        return msgspec.convert({**message, "record": None, "files": {}}, Told)
    except (msgspec.ValidationError, RecursionError):
        return None


def files_of(message: Told) -> dict[str, bytes]:
    """The files that came with a message; none where one of them is damaged or all are too much."""
    if sum(map(len, message.files.values())) > FILES * 4 // 3 + 4 * len(message.files):
        return {}
    try:
        return {path: base64.b64decode(text, validate=True) for path, text in message.files.items()}
    except (binascii.Error, ValueError):
        return {}


def sound_moment(moment: Moment) -> Moment:
    """A moment without what no page has."""
    selected = moment.selected if moment.selected is not None and NODE.fullmatch(moment.selected) else None
    view = moment.view if moment.view in VIEWS else "tensors"
    return msgspec.structs.replace(moment, selected=selected, view=view)
