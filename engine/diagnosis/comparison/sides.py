"""What is to be known of two recordings before their runs are compared: what made them, on which devices, in which dtypes, and
where one of them holds less than what happened."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...recording.columns import Columns, Ints, columns_of
from ...recording.events import NOTHING, OpRan
from ...recording.levels import levels_of, tally
from ...recording.recording import Recording
from .alignment import Matching

ENGINE = "numpy"
"""What a recording of Gradtape's own engine says that made it."""
_MOST = 40
"""Characters of a name that a recording gives."""


def sides(matching: Matching) -> tuple[str, ...]:
    """Sentences in which `{0}` and `{1}` stand for the names of the two."""
    before, after = matching.before, matching.after
    return (*_made(before, after), *_tensors(matching), *_held(before, after))


def _made(before: Recording, after: Recording) -> Iterator[str]:
    if before.engine != after.engine:
        yield f"{{0}} was made by {_engine(before)}, {{1}} by {_engine(after)}."
    if (before.rank, before.world_size) != (after.rank, after.world_size):
        one, other = (f"of rank {each.rank} of {each.world_size}" for each in (before, after))
        yield f"{{0}} is {one}, {{1}} {other}."
    if before.source != after.source:
        yield "Their programs' texts differ; lines are those of {1} where both have them."


def _engine(recording: Recording) -> str:
    engine = "".join(sign for sign in recording.engine[:_MOST] if sign.isalnum() or sign in " .+-_")
    return "Gradtape's engine" if recording.engine == ENGINE else f"PyTorch ({engine})"


def _tensors(matching: Matching) -> Iterator[str]:
    """Where the tensors that both have differ in dtype or device."""
    old, new = (columns_of(each) for each in (matching.before, matching.after))
    ids = np.flatnonzero(matching.tensor_of != NOTHING)
    if not len(ids):
        return
    rows = old.row_of[ids], new.row_of[matching.tensor_of[ids]]
    for column, what in (("dtype", "dtypes"), ("device", "devices")):
        texts = [_texts(columns, column, each) for columns, each in zip((old, new), rows, strict=True)]
        other = np.flatnonzero(texts[0] != texts[1])
        if len(other):
            first = other[np.argmin(new.tensors.step[rows[1][other]])]
            pairs = dict.fromkeys(zip(texts[0][other].tolist(), texts[1][other].tolist()))
            cut = [(one[:_MOST] or "cpu", two[:_MOST] or "cpu") for one, two in list(pairs)[:3]]
            told = ", ".join(f"{one} in {{0}} and {two} in {{1}}" for one, two in cut)
            line = int(new.tape.lines(int(new.tensors.step[rows[1][first]])))
            where = f", the first at line {line}" if line else ""
            yield f"Of {len(ids):,} tensors {len(other):,} have other {what}: {told}{where}."


def _texts(columns: Columns, name: str, rows: Ints) -> NDArray[np.object_]:
    """What a column of the tensors' says, as text."""
    numbers = columns.tape.tables[OpRan].children["outputs"][name][rows]
    found: NDArray[np.object_] = np.array(columns.tape.texts, object)[numbers]
    return found


def _held(before: Recording, after: Recording) -> Iterator[str]:
    for place, recording in enumerate((before, after)):
        name = f"{{{place}}}"
        if levels_of(recording).steps:
            whole, many = tally(recording)
            yield (
                f"{name} holds {whole:,} of {many:,} iterations whole: what it lacks of the others is not told as a difference."
            )
        if not recording.complete:
            yield f"{name} has no end: what the other did after that is not told as a difference."
