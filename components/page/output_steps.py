"""At which step each part of a program's output was printed, so that what comes later can be told from what is there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from engine.recording import Recording
from engine.recording.events import (
    Accumulated,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)


@dataclass(slots=True)
class OutputSteps:
    """The steps of an output, of which each part ends after so many characters."""

    ends: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    figures: list[int] = field(default_factory=list)
    """When each figure was shown."""
    value: int | None = None
    """When a cell ended, and the value of its last expression was there."""

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int, int | None]]:
        """The parts of a piece of the output: from where to where, and the step; None where nobody knows it."""
        part = bisect_right(self.ends, start)
        while start < end:
            if part >= len(self.ends):
                yield start, end, self.steps[-1] if self.steps else None
                return
            until = min(self.ends[part], end)
            if until > start:
                yield start, until, self.steps[part]
            start, part = until, part + 1


UNKNOWN = OutputSteps()


def output_steps(recording: Recording | None, cell: int | None = None) -> OutputSteps:
    """When the output of a run, or of one of its cells, was printed."""
    if recording is None:
        return UNKNOWN
    if cell is None:
        found: OutputSteps = recording.once("output steps", lambda: _of_run(recording))
        return found
    cells: dict[int, OutputSteps] = recording.once("output steps of cells", lambda: _of_cells(recording))
    return cells.get(cell, UNKNOWN)


def _told(recording: Recording) -> Iterator[tuple[int, int, Printed | Drew | CellEnded]]:
    """The steps at which a part of the output came, or a cell's value, each with its cell."""
    tape, cell = recording.tape, 0
    for step in np.sort(np.concatenate([tape.steps(kind) for kind in (Printed, Drew, CellBegan, CellEnded)])).tolist():
        match recording.events[step]:
            case CellBegan(cell=cell):
                pass
            case Printed() | Drew() | CellEnded() as event:
                yield step, cell, event
            case (
                OpRan() | Named() | FlagSet() | BackwardBegan() | NodeRan() | Accumulated() | BackwardEnded() | GradSet()
                | HookRan() | Stepped() | Read() | Warned() | Raised() | Thinned()
            ):  # fmt: skip
                pass


def _of_run(recording: Recording) -> OutputSteps:
    made, at = OutputSteps(), 0
    for step, _, event in _told(recording):
        if isinstance(event, Printed):
            at += len(event.text)
            made.ends.append(at)
            made.steps.append(step)
        elif isinstance(event, Drew):
            made.figures.append(step)
    return made


def _of_cells(recording: Recording) -> dict[int, OutputSteps]:
    """Of each cell, whose streams stand one after the other."""
    cells: dict[int, OutputSteps] = {}
    streams: dict[int, dict[str, list[tuple[int, int]]]] = {}
    for step, cell, event in _told(recording):
        if isinstance(event, Printed):
            streams.setdefault(cell, {}).setdefault(event.stream, []).append((len(event.text), step))
        elif isinstance(event, Drew):
            cells.setdefault(cell, OutputSteps()).figures.append(step)
        else:
            cells.setdefault(event.cell, OutputSteps()).value = step
    for cell, printed in streams.items():
        made, at = cells.setdefault(cell, OutputSteps()), 0
        for length, step in (part for parts in printed.values() for part in parts):
            at += length
            made.ends.append(at)
            made.steps.append(step)
    return cells
