"""What a program offers to be swept: elements of the leaves that a backward pass fills, and the literals of its text."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..diagnosis.gradcheck.verdicts import operations
from ..experiments.sweep.messages import Leaf, Literal
from ..experiments.sweep.path import reach
from ..graph.shown.captions import titles
from ..graph.symbols import clip
from ..program.controls import Knob, knobs, with_value
from ..program.parsing import BOUNDS, UnreadError, read
from ..recording.index import Pass, TensorHistory, index_of
from ..recording.recording import Recording
from ..recording.story import cell_title

ELEMENTS = 64
"""Elements of one leaf that are offered."""
MOST = 400
"""Choices at all."""
MAX_NAME = 60
"""Characters of a leaf's name in them."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a sweep: what is changed, and its values."""

    label: str
    target: Leaf | Literal
    values: tuple[int | float, ...]
    own: float
    """The value in the program as it stands."""


@dataclass(frozen=True, slots=True)
class Written:
    """The literal of a choice in the text: a knob, and which of its entries."""

    cell: int
    knob: str
    entry: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be swept."""

    label: str
    target: Leaf | Literal
    own: float
    low: float
    high: float
    """A range that makes sense."""
    whole: bool = False
    """Whether it must stay an integer."""
    integral: bool = False
    """Whether the text has an integer, so that whole numbers stay integers there."""
    written: Written | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether there is a gradient along it."""
        return isinstance(self.target, Leaf)

    def axis(self, low: float, high: float, points: int) -> Axis:
        """The axis from `low` to `high`."""
        values = [float(f"{v:.6g}") for v in np.linspace(low, high, max(points, 2))]
        if self.whole:
            return Axis(self.label, self.target, tuple(sorted({round(v) for v in values})), self.own)
        return Axis(self.label, self.target, tuple(int(v) if self.integral and v.is_integer() else v for v in values), self.own)

    def write(self, texts: Sequence[str], value: float) -> tuple[int, str] | None:
        """The cell and its text with another value; None where the text has no literal for it."""
        if self.written is None:
            return None
        cell, name, entry = self.written.cell, self.written.knob, self.written.entry
        knob = next((k for k in knobs(texts[cell]) if k.id == name), None)
        if knob is None:
            return None
        if not isinstance(knob.value, Sequence):
            return cell, with_value(texts[cell], knob, round(value) if knob.kind == "int" else value)
        values = list(knob.value)
        values[entry] = round(value) if knob.whole[entry] else value
        return cell, with_value(texts[cell], knob, values)


def choices(recording: Recording, number: int) -> list[Choice]:
    """The elements of the leaves that backward pass `number` fills (none for 0), then the other literals."""
    entry = index_of(recording).passes.get(number)
    leaves = list(islice(_leaves(recording, entry), MOST)) if entry is not None else []
    taken = {leaf.written for leaf in leaves}
    return [*leaves, *islice((c for c in _literals(recording) if c.written not in taken), MOST - len(leaves))]


# --- leaves -------------------------------------------------------------------------------------------------------------------


def _leaves(recording: Recording, entry: Pass) -> Iterator[Choice]:
    index = index_of(recording)
    made_by = {info.id: (k, output) for k, e in enumerate(operations(recording)) for output, info in enumerate(e.outputs)}
    title = titles(recording)
    filled = list(entry.event.inputs) or sorted(entry.fills)
    for tensor in filled:
        history = index.tensors[tensor]
        status = history.status(entry.began)
        array = recording.array(status.array)
        if tensor not in made_by or array is None or not status.is_leaf:
            continue
        name = clip(history.name(entry.began) or title(tensor), MAX_NAME)
        spots = _spots(recording, history)
        along = reach(recording, tensor, list(np.ndindex(array.shape))) if array.size <= ELEMENTS else []
        for at, element in enumerate(np.ndindex(array.shape)):
            if at == ELEMENTS:
                break
            label = name if array.size == 1 else f"{name}[{', '.join(map(str, element))}]"
            own = float(array[element])
            low, high = _range([values[at] for values in along] if along else [own])
            written = spots[at] if len(spots) == array.size else None
            yield Choice(label, Leaf(*made_by[tensor], element), own, low, high, written=written)


def _spots(recording: Recording, history: TensorHistory) -> list[Written]:
    """The literals that a leaf was made from, in the order of its elements."""
    site = recording.site(history.op)
    if site is None or site.cell >= len(recording.source):
        return []
    try:
        program = read(recording.source[site.cell])
    except UnreadError:
        return []
    offset = program.lines.offset
    start, end = offset(site.line, site.column), offset(site.end_line, site.end_column)
    spans = program.once("entries", lambda: _entries(program.text))
    found = []
    for at in range(bisect_left(spans, start, key=lambda item: item[0][0]), len(spans)):
        span, knob, entry = spans[at]
        if span[0] > end:
            break
        if span[1] <= end:
            found.append(Written(site.cell, knob, entry))
    return found


def _entries(text: str) -> list[tuple[tuple[int, int], str, int]]:
    """The numbers of a text in order: where each stands, and which entry of which knob it is."""
    return sorted(
        (span, knob.id, entry)
        for knob in knobs(text)
        if knob.kind in ("number", "int", "matrix") and knob.group == "values"
        for entry, span in enumerate(knob.spans)
    )


def _range(values: list[float]) -> tuple[float, float]:
    """A range with the values in its middle half; of one value, some way to both sides."""
    finite = [v for v in values if math.isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    away = max(high - low, 0.0) * 0.5
    if away <= 1e-9 * max(abs(low), abs(high)):
        away = max(1.0, 2 * abs(low))
    return _round(low - away, math.floor), _round(high + away, math.ceil)


def _round(value: float, towards: object) -> float:
    """To two digits, away from the middle."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(f"{towards(value / unit) * unit:.6g}")  # type: ignore[operator]


# --- literals -----------------------------------------------------------------------------------------------------------------


def _literals(recording: Recording) -> Iterator[Choice]:
    notebook = len(recording.source) > 1
    characters = 0
    for cell, text in enumerate(recording.source):
        characters += len(text)
        if cell and characters > BOUNDS.characters:
            return
        for knob in knobs(text):
            if knob.group != "values" or knob.kind not in ("number", "int", "matrix"):
                continue
            where = f"{cell_title(cell)}, line {knob.line}" if notebook else f"line {knob.line}"
            for entry, ((start, end), own) in enumerate(zip(knob.spans, _values(knob), strict=True)):
                label = knob.label if knob.kind != "matrix" else f"{knob.label}[{_entry(knob, entry)}]"
                whole = knob.kind == "int" or bool(knob.whole and knob.whole[entry])
                yield Choice(
                    f"{label} · {where}", Literal(cell, start, end), float(own), knob.low, knob.high, whole,
                    isinstance(own, int), Written(cell, knob.id, entry),
                )  # fmt: skip


def _values(knob: Knob) -> Sequence[int | float]:
    return knob.value if isinstance(knob.value, Sequence) else [knob.value]


def _entry(knob: Knob, entry: int) -> str:
    rows, columns = knob.shape
    return str(entry) if rows == 1 else f"{entry // columns}, {entry % columns}"
