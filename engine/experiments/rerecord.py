"""Some iterations of a run recorded whole, by running its program again: the same run, if it gives the same numbers."""

from __future__ import annotations

import math
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

from ..dtypes import INEXACT
from ..program import Program
from ..recording.events import (
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
from ..recording.index import index_of
from ..recording.levels import iterations_of
from ..recording.recording import Recording
from ..recording.thinning import Window
from ..sandbox import Control, Limits, RunResult, run

CLOSE = 1e-4
"""How far numbers of two runs may be apart, relative to their size: norms of sums in float32 depend on how they were added."""
Place: TypeAlias = tuple[int, str, int, int]
"""An iteration, what kind of number, on which line, and the how-many-th of these."""
KINDS = {"root": "the root of the backward pass", "read": "the number that is read", "gradient": "the size of the gradient"}


@dataclass(frozen=True, slots=True)
class Again:
    """A run of which some iterations were recorded whole."""

    result: RunResult
    same: bool
    """Whether it is the same run, as far as both were recorded."""
    difference: str = ""
    """Where the two differ first, in a sentence."""


def rerecord(
    recording: Recording,
    program: Program,
    first: int,
    last: int,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    control: Control | None = None,
) -> Again:
    """Run a recording's program again, with the iterations from `first` to `last` whole.

    Args:
        recording: one that grew thinner; its unit is the loop whose iterations are meant.
        limits: those that it was made with.

    Raises:
        ValueError: for a recording that has no such iterations.
        Stopped: when `stop` was set meanwhile.
    """
    if len(recording.unit) != 3:
        raise ValueError("the recording holds all of its run, or there is no loop by which it grew thinner")
    line, cell, calls = recording.unit
    window = Window((line, cell, calls), first, last)
    result = run(program, limits, stop=stop, control=control, window=window, seed=recording.seed)
    made = result.recording
    difference = "the program could not be run again" if made is None else compared(recording, made)
    return Again(result, not difference, difference)


def compared(before: Recording, after: Recording) -> str:
    """Where two recordings of one program differ first in the numbers that both hold; "" where they do not."""
    old, new = scalars(before), scalars(after)
    for place, value in new.items():
        other = old.get(place)
        if other is not None and not _equal(value, other):
            iteration, kind, line, _ = place
            return (
                f"In iteration {iteration}, line {line}, {KINDS[kind]} is {value:.6g}, where it was {other:.6g}: "
                "the program depends on something besides its text and the random numbers' seed (the time, for one)."
            )
    return ""


def scalars(recording: Recording) -> dict[Place, float]:
    """The numbers of a run that every iteration leaves that is recorded at all."""
    index, iterations = index_of(recording), iterations_of(recording)
    counts: Counter[tuple[int, str, int]] = Counter()
    found: dict[Place, float] = {}

    def put(step: int, kind: str, line: int, value: float | None) -> None:
        key = iterations.at(step), kind, line
        if value is not None:
            found[*key, counts[key]] = value
        counts[key] += 1

    for step, event in enumerate(recording.events):
        match event:
            case BackwardBegan():
                for tensor, _ in event.roots:
                    put(step, "root", recording.line(event), _number(recording, index.tensors[tensor].status(step).array))
            case Read():
                put(step, "read", recording.line(event), _number(recording, index.tensors[event.tensor].status(step).array))
            case Accumulated():
                put(step, "gradient", recording.line(index.passes[event.number].event), _norm(recording, event.total))
            case (
                OpRan() | Named() | FlagSet() | NodeRan() | BackwardEnded() | GradSet() | HookRan() | Stepped() | Printed() |
                Drew() | Warned() | Raised() | CellBegan() | CellEnded() | Thinned()
            ):  # fmt: skip
                pass  # not in every iteration, or no number
    return found


def _number(recording: Recording, array: int) -> float | None:
    values = recording.array(array)
    return float(values.item()) if values is not None and values.size == 1 and values.dtype.kind in "fiub" else None


def _norm(recording: Recording, array: int) -> float | None:
    if array < 0:
        return None
    stored = recording.arrays[array]
    if stored.summary is not None:
        return math.nan if stored.summary.nan or stored.summary.inf else stored.summary.norm
    values = stored.to_numpy()
    if values is None or values.dtype.kind not in INEXACT:
        return None
    norm = math.sqrt(float((values.astype("f8") ** 2).sum()))
    return norm if math.isfinite(norm) else math.nan


def _equal(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
