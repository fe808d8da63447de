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

from components.packaged import ignore, inline, sent
from engine.whatif import MAX_KNOBS, Knob, knobs, with_value

Ranges = MutableMapping[str, tuple[float, float, float]]


@dataclass
class Memory:
    """What the page keeps for the panel from run to run of the script."""

    ranges: Ranges = field(default_factory=dict)
    """Knob → lowest, highest, step: a slider keeps its range while its value moves."""
    done: int = 0
    """The number of the last change that was carried out; the frontend waits for it."""


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
    found = [(cell, knob) for cell, text in enumerate(texts) for knob in knobs(text)]
    if not found:
        st.html(
            '<div class="gt-empty">Nothing to turn: the program has no number, no truth value and nothing to leave out.</div>'
        )
        return False
    data = whatif_data(found, len(texts) > 1, memory, note)
    state = _component()(data=sent(data), key=key, on_change_change=ignore)
    wanted = state.get("change")
    if not isinstance(wanted, dict) or not isinstance(wanted.get("n"), int) or wanted["n"] <= memory.done:
        return False
    memory.done = wanted["n"]
    changed = apply(texts, wanted)
    if changed is not None:
        on_change(*changed)
    return True


def apply(texts: Sequence[str], wanted: dict[str, Any]) -> tuple[int, str] | None:
    """The cell and its text after what the browser sent; None if it fits no knob, or changes nothing."""
    cell, id, value = wanted.get("cell"), wanted.get("id"), wanted.get("value")
    if not isinstance(cell, int) or not 0 <= cell < len(texts):
        return None
    knob = next((knob for knob in knobs(texts[cell]) if knob.id == id), None)
    if knob is None:
        return None
    if isinstance(value, list):
        value = [int(v) if whole and float(v).is_integer() else v for v, whole in zip(value, knob.whole, strict=False)]
    elif knob.kind == "int" and isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        text = with_value(texts[cell], knob, value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return None
    return None if text == texts[cell] else (cell, text)


def whatif_data(found: Sequence[tuple[int, Knob]], notebook: bool, memory: Memory, note: str) -> dict[str, Any]:
    """What the frontend is sent."""
    sizes = [item for item in found if item[1].group == "sizes"]
    other = [item for item in found if item[1].group != "sizes"][:MAX_KNOBS]
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
        "hidden": len(found) - len(sizes) - len(other) + max(0, len(sizes) - MAX_KNOBS),
        "done": memory.done,
        "note": note,
    }


def _knob_data(cell: int, knob: Knob, notebook: bool, ranges: Ranges) -> dict[str, Any]:
    name = f"{cell} {knob.id}"
    low, high, step = ranges.get(name, (knob.low, knob.high, knob.step))
    numbers = [v for v in (knob.value if isinstance(knob.value, Sequence) else [knob.value]) if not isinstance(v, bool)]
    if any(not low <= value <= high for value in numbers):
        low, high, step = min(low, knob.low, *numbers), max(high, knob.high, *numbers), max(step, knob.step)
    ranges[name] = (low, high, step)
    return {
        "id": knob.id, "cell": cell, "label": knob.label, "kind": knob.kind, "line": knob.line,
        "where": f"cell {cell + 1}, line {knob.line}" if notebook else f"line {knob.line}",
        "value": list(knob.value) if isinstance(knob.value, Sequence) else knob.value,
        "shape": knob.shape, "low": low, "high": high, "step": step, "whole": list(knob.whole),
    }  # fmt: skip


_component = inline("whatif", Path(__file__).parent / "knobs.js")
