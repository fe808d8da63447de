"""The builder's panel for new leaves: a number, a vector or a matrix, typed into a grid or filled."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from components.builder.work import Work, name_input
from engine.program.edits.leaves import FILLS, leaf_line
from engine.program.edits.lines import appended
from engine.program.edits.names import FIRST

LARGEST = 12


def leaf_panel(work: Work) -> None:
    """Offer a new leaf."""
    kind = st.segmented_control(
        "Kind of tensor", ["Number", "Vector", "Matrix"], default="Vector", key="build_shape", label_visibility="collapsed",
        required=True,
    )  # fmt: skip
    left, right = st.columns(2)
    with left:
        name = name_input(work, "build_leaf_name", FIRST)
    with right:
        fill = st.selectbox("Filled with", list(FILLS), key="build_fill")
    shape = _shape(kind)
    values = _grid(shape) if fill == "values" else None
    grad = st.toggle("requires_grad", value=True, key="build_grad", help="Whether backward passes fill its .grad")
    if name:
        line = leaf_line(name, shape, fill, values, grad)
        work.offer(
            f"Add `{name}`",
            lambda: appended(work.text, line),
            key="build_add_leaf",
            names=[name],
            help=f"`{line}`",
            primary=True,
        )


def _shape(kind: str) -> tuple[int, ...]:
    if kind == "Number":
        return ()
    if kind == "Vector":
        return (int(st.number_input("Entries", 1, LARGEST, 2, key="build_entries")),)
    left, right = st.columns(2)
    with left:
        rows = st.number_input("Rows", 1, LARGEST, 2, key="build_rows")
    with right:
        columns = st.number_input("Columns", 1, LARGEST, 2, key="build_columns")
    return (int(rows), int(columns))


def _grid(shape: tuple[int, ...]) -> Any:
    """The values typed or clicked into a grid, as nested lists; a number as itself."""
    if not shape:
        return float(st.number_input("Value", value=1.0, key="build_value", format="%g"))
    return nested(grid(np.arange(1, np.prod(shape) + 1, dtype=np.float64), shape, f"build_values_{shape}"), shape)


def grid(values: Any, shape: tuple[int, ...], key: str) -> Any:
    """A grid to edit entries in, as a flat array; empty and impossible ones keep their value."""
    before = np.asarray(values, dtype=np.float64)
    rows = before.reshape(-1, shape[-1]) if len(shape) > 1 else before.reshape(1, -1)
    edited = st.data_editor(rows, key=key, hide_index=True, width="stretch", num_rows="fixed")
    after = np.asarray(edited, dtype=np.float64).reshape(-1)
    return np.where(np.isfinite(after), after, before.reshape(-1))


def nested(flat: Any, shape: tuple[int, ...]) -> Any:
    """A flat array as nested lists."""
    found: Any = np.asarray(flat).reshape(shape).tolist()
    return found
