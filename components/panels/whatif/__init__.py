"""What if: every literal of the program as a slider, a number or a grid, and switches for what cuts or clears gradients.

The program's text is the only truth: a control knows nothing but its literal, and what it does is a new text. While a slider
moves, the next value is sent when the page has shown the one before, so that dragging never runs ahead of the runs.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from components.browser.component_loader import ignore, inline, sent
from components.html.markup import nothing_yet, shortened
from components.page.edits import vary
from components.panels import Beside, panel
from engine.program.controls import MAX_KNOBS, MOST_KNOBS, Knob, find, knobs, with_value
from engine.program.parsing import BOUNDS
from engine.recording.story import cell_title

MAX_RANGES = 1_000
"""Knobs of which the ranges are kept, those of texts of the past included."""
Ranges = MutableMapping[str, tuple[float, float, float]]


@dataclass
class Memory:
    """What the page keeps for the panel from run to run of the script."""

    program: int = 0
    """The program that it belongs to, as the page counts them."""
    ranges: Ranges = field(default_factory=dict)
    """Knob → lowest, highest, step: a slider keeps its range while its value moves."""
    done: int = 0
    """The number of the last change that was carried out; the frontend waits for it."""

    def of(self, program: int) -> Memory:
        """The memory for a program: that of another one holds no more than what the frontend waits for."""
        if program != self.program:
            self.program, self.ranges = program, {}
        return self


@panel("What if", 50, timed=False)
def varied(on: Beside) -> None:
    """The knobs of the program in the editors."""
    p = on.page
    error = p.result.error if p.result is not None else None
    note = shortened(f"line {error.line}: {error.type}: {error.message}", 1_000) if error is not None else ""
    if whatif(p.edited, key="whatif", memory=on.memory(Memory).of(p.shown), on_change=vary, note=note):
        st.rerun()


def whatif(
    texts: Sequence[str],
    *,
    key: str,
    memory: Memory,
    on_change: Callable[[int, str], None],
    note: str = "",
) -> bool:
    """Show the knobs of a program's cells and call `on_change(cell, text)` with the changed text of a cell.

    `note` is shown above them, such as what the changed program raised. Returns whether the page must be drawn anew.
    """
    looked = look(texts)
    if not looked.knobs:
        why = looked.unread or "Nothing to turn: the program has no number, no truth value and nothing to leave out."
        st.html(nothing_yet("Turns the program's numbers into knobs: move one, and the program runs with the new value.", why))
        return False
    data = whatif_data(looked.knobs, len(texts) > 1, memory, "\n".join(filter(None, (note, looked.unread))))
    state = _component()(data=sent(data), key=key, on_change_change=ignore)
    wanted = state.get("change")
    if not isinstance(wanted, dict) or not isinstance(wanted.get("n"), int) or wanted["n"] <= memory.done:
        return False
    memory.done = wanted["n"]
    changed = apply(texts, wanted)
    if changed is not None:
        on_change(*changed)
    return True


@dataclass(frozen=True, slots=True)
class Looked:
    """The knobs of a program's cells."""

    knobs: list[tuple[int, Knob]]
    """Cell and knob."""
    unread: str = ""
    """What was not looked at, and why."""


def look(texts: Sequence[str]) -> Looked:
    """The knobs of all cells, as far as What if reads."""
    found: list[tuple[int, Knob]] = []
    unread: list[str] = []
    characters = 0
    for cell, one in enumerate(texts):
        characters += len(one)
        if cell and (characters > BOUNDS.characters or len(found) >= MOST_KNOBS):
            unread.append(f"What if reads cells 1 to {cell}; the others are too much at once.")
            break
        looked = find(one)
        found += [(cell, knob) for knob in looked.knobs]
        where = f"{cell_title(cell)}: " if len(texts) > 1 else ""
        if looked.problem is not None and looked.problem.over:
            unread.append(f"{where}{looked.problem.sentence('What if reads')} A shorter one has knobs here.")
        elif looked.more:
            unread.append(f"{where}What if looks for the first {MOST_KNOBS:,} literals and switches of a program.")
    return Looked(found, " ".join(unread[:3]))


def apply(texts: Sequence[str], wanted: dict[str, Any]) -> tuple[int, str] | None:
    """The cell and its text after what the browser sent; None if it fits no knob, or changes nothing."""
    cell, id, value = wanted.get("cell"), wanted.get("id"), wanted.get("value")
    if not isinstance(cell, int) or not 0 <= cell < len(texts):
        return None
    knob = next((knob for knob in knobs(texts[cell]) if knob.id == id), None)
    if knob is None:
        return None
    try:
        if isinstance(value, list):
            value = [int(v) if whole and float(v).is_integer() else v for v, whole in zip(value, knob.whole, strict=False)]
        elif knob.kind == "int" and isinstance(value, float) and value.is_integer():
            value = int(value)
        changed = with_value(texts[cell], knob, value)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return None
    return None if changed == texts[cell] else (cell, changed)


def whatif_data(knobs: Sequence[tuple[int, Knob]], notebook: bool, memory: Memory, note: str) -> dict[str, Any]:
    """What the frontend is sent."""
    sizes = [item for item in knobs if item[1].group == "sizes"]
    other = [item for item in knobs if item[1].group != "sizes"][:MAX_KNOBS]
    titled = [
        ("Values", [item for item in other if item[1].group == "values"], True),
        ("With or without", [item for item in other if item[1].group == "switches"], True),
        ("Sizes and dimensions", sizes[:MAX_KNOBS], False),
    ]
    return {
        "groups": [
            {"title": title, "open": open_, "knobs": [_knob_data(cell, knob, notebook, memory.ranges) for cell, knob in items]}
            for title, items, open_ in titled
            if items
        ],
        "hidden": len(knobs) - len(sizes) - len(other) + max(0, len(sizes) - MAX_KNOBS),
        "done": memory.done,
        "note": note,
    }


def _knob_data(cell: int, knob: Knob, notebook: bool, ranges: Ranges) -> dict[str, Any]:
    name = f"{cell} {knob.id}"
    if len(ranges) > MAX_RANGES:
        ranges.clear()
    low, high, step = ranges.get(name, (knob.low, knob.high, knob.step))
    numbers = [v for v in (knob.value if isinstance(knob.value, Sequence) else [knob.value]) if not isinstance(v, bool)]
    if any(not low <= value <= high for value in numbers):
        low, high, step = min(low, knob.low, *numbers), max(high, knob.high, *numbers), max(step, knob.step)
    ranges[name] = (low, high, step)
    return {
        "id": knob.id, "cell": cell, "label": knob.label, "kind": knob.kind, "line": knob.line,
        "where": f"{cell_title(cell)}, line {knob.line}" if notebook else f"line {knob.line}",
        "value": list(knob.value) if isinstance(knob.value, Sequence) else knob.value,
        "shape": knob.shape, "low": low, "high": high, "step": step, "whole": list(knob.whole),
    }  # fmt: skip


_component = inline("whatif", Path(__file__).parent / "knobs.js")
