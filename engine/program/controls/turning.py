"""All knobs of a program, and its text with another value for one of them.

The text is only read as a syntax tree, never run. A knob changes exactly the characters of its literal; comments, spacing and
everything else stay byte for byte. Knobs are numbered by what they are called, so that one keeps its `id` while values change.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from ...limits import KNOBS
from ..parsing import ProgramAst, UnreadError, read
from .knob import Kind, Knob, Number, Value
from .literals import literals
from .switches import Piece, pieces, put_back, take_out
from .text import Edit, edited

MAX_KNOBS = 40
"""How many are worth showing at once."""
MOST_KNOBS = KNOBS.value()
"""How many literals, and how many switches, are looked for in one text."""


@dataclass(frozen=True, slots=True)
class Found:
    """The knobs of a program."""

    knobs: tuple[Knob, ...] = ()
    """In the order of the text."""
    more: bool = False
    """Whether the text has so many that the rest was not looked for."""
    problem: UnreadError | None = None
    """Why the text was not read."""


def find(text: str) -> Found:
    """All knobs of a program, worked out once for a text that is asked for again and again."""
    try:
        program = read(text)
    except UnreadError as problem:
        return Found(problem=problem)
    return program.once("knobs", lambda: _find(program))


def knobs(text: str) -> list[Knob]:
    """All knobs of a program in the order of the text; none if it is no Python, or too much to be read."""
    return list(find(text).knobs)


def _find(program: ProgramAst) -> Found:
    values, more = literals(program.lines, program.tree, MOST_KNOBS)
    switches = list(islice(map(_toggle, pieces(program)), MOST_KNOBS + 1))
    more = more or len(switches) > MOST_KNOBS
    found = sorted(chain(values, switches[:MOST_KNOBS]), key=lambda knob: (knob.line, knob.spans[0]))
    seen: Counter[str] = Counter()
    numbered = []
    for knob in found:
        # Other literals within the label may be turned too.
        name = f"{knob.kind == 'toggle'} " + re.sub(r"\b\d[\d_.]*(e[+-]?\d+)?", "#", knob.label)
        seen[name] += 1
        numbered.append(replace(knob, id=f"{name} {seen[name]}"))
    return Found(tuple(numbered), more)


def with_value(text: str, knob: Knob, value: Value) -> str:
    """The text with another value for a knob that `knobs` found in it.

    Raises:
        ValueError: for a value that is no finite number, or that does not fit the knob.
    """
    program = read(text)
    if knob.piece is not None:
        if bool(value) == bool(knob.value):
            return text
        return put_back(program, knob.piece) if value else take_out(program, knob.piece)
    if knob.kind != "matrix":
        if not isinstance(value, int | float):
            raise ValueError(f"{knob.label} takes one value")
        if value == knob.value:
            return text
        return edited(program, [_written(text, knob.spans[0], _as(value, knob.value), knob.kind)])
    if not isinstance(value, Sequence) or not isinstance(knob.value, Sequence) or len(value) != len(knob.spans):
        raise ValueError(f"{knob.label} takes {len(knob.spans)} values")
    entries = zip(knob.spans, knob.whole, knob.value, value, strict=True)
    edits = [
        _written(text, span, _as(new, old), "int" if whole else "number") for span, whole, old, new in entries if old != new
    ]
    return edited(program, edits)


def without(text: str, toggle: Knob) -> str:
    """The text without a toggle's piece, with a comment from which `with_value(…, True)` puts it back."""
    return with_value(text, toggle, False)


def shown(value: Number, like: str = "") -> str:
    """A number as a literal, in the manner of another one: `2.` for `1.`, `3` for `5`."""
    if isinstance(value, bool):
        return repr(value)
    if not math.isfinite(value):
        raise ValueError("a literal is a finite number")
    if isinstance(value, int):
        return repr(value)
    if value.is_integer() and abs(value) < 1e16:
        if re.fullmatch(r"-?\s*[\d_]+", like):
            return repr(int(value))
        if like.rstrip().endswith("."):
            return f"{int(value)}."
    return repr(value)


def _as(value: Number, old: Value) -> Number:
    """A float stays one, since `torch.tensor(2)` is another tensor than `torch.tensor(2.0)`."""
    return float(value) if isinstance(old, float) and not isinstance(value, bool) else value


_TIGHT = re.compile(r"\s*(\*\*|\.\s*[A-Za-z_]|\[)")


def _written(text: str, span: tuple[int, int], value: Number, kind: Kind) -> Edit:
    start, end = span
    if kind == "bool":
        value = bool(value)
    elif kind == "int":
        if not math.isfinite(value) or value != int(value):
            raise ValueError("this literal is an integer")
        value = int(value)
    new = shown(value, text[start:end])
    # A minus sign binds less than a power or an attribute: `5 ** 2` becomes `(-5) ** 2`.
    tight = _TIGHT.match(text, end)
    if new.startswith("-") and tight and not (text[start - 1 : start] == "(" and text[end : end + 1] == ")"):
        new = f"({new})"
    return Edit(start, end, new)


def _toggle(piece: Piece) -> Knob:
    return Knob(
        "", piece.label, piece.line, "toggle", piece.present, ((piece.start, piece.end),), group="switches", piece=piece
    )  # fmt: skip
