"""The builder's panel for what is there already: a leaf's entries, a tensor's name, a line's block."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import streamlit as st

from components.builder.leaf import grid
from components.builder.work import Work, choose, explain, name_input, note
from engine.program.edits import RefusedError
from engine.program.edits.leaves import MAX_WRITTEN, entries, fixed, with_entries
from engine.program.edits.lines import Block, blocks, wrapped
from engine.program.edits.names import deleted, renamed

LINES = 400
"""Lines to choose from: each is sent to the browser whenever the panel is drawn."""
HEADS = {"no_grad": "with torch.no_grad():", "inference mode": "with torch.inference_mode():", "a loop": ""}


def change_panel(work: Work) -> None:
    """Offer changes of what the program holds."""
    what = st.selectbox("Change", list(PANELS), key="build_change", label_visibility="collapsed")
    PANELS[what](work)


def _entries(work: Work) -> None:
    leaves = [operand for operand in work.named if operand.leaf and operand.span and operand.value >= 0]
    if not leaves:
        explain("The program makes no leaf of its own.")
        return
    leaf = choose("Leaf", leaves, "build_entries_of", work.chosen)
    assert leaf.span is not None
    assert work.recording is not None
    try:
        found = entries(work.text, leaf.span, prod(leaf.shape))
    except RefusedError as refused:
        note(str(refused))
        array = work.recording.array(leaf.value)
        if array is None or array.size > MAX_WRITTEN:
            explain(f"It has more than {MAX_WRITTEN} entries, which are not written out.")
            return
        span, values = leaf.span, array.tolist()
        work.offer("Write its entries out", lambda: fixed(work.text, span, values), key="build_fix", names=[leaf.name])
        return
    if leaf.dtype == "bool" or not leaf.floating:
        note(f"{leaf.dtype}: whole numbers.")
    new = grid(np.array(found.values), leaf.shape or (1,), f"build_grid_{leaf.name}_{hash((work.text, leaf.span))}")
    work.offer(
        "Write into the program", lambda: _changed(work.text, with_entries(work.text, found, new.tolist(), not leaf.floating)),
        key="build_set_entries", names=[leaf.name], primary=True,
    )  # fmt: skip


def _changed(before: str, after: str) -> str:
    if before == after:
        raise RefusedError("Click an entry and type its new value.")
    return after


def _rename(work: Work) -> None:
    if not work.named:
        note("Nothing has a name yet.")
        return
    operand = choose("Tensor", work.named, "build_renamed", work.chosen)
    name = name_input(work, f"build_new_name_{operand.name}", "", "New name")
    if name:
        work.offer(f"Rename  `{operand.name}` → `{name}`", lambda: renamed(work.text, operand.name, name), key="build_rename",
                   names=[name], primary=True)  # fmt: skip


def _delete(work: Work) -> None:
    if not work.named:
        note("Nothing to delete yet.")
        return
    operand = choose("Tensor", work.named, "build_deleted", work.chosen)
    work.offer(
        f"Delete the line of  `{operand.name}`", lambda: deleted(work.text, operand.name), key="build_delete", primary=True
    )


def _wrap(work: Work) -> None:
    _block(work, ["no_grad", "inference mode"])


def _repeat(work: Work) -> None:
    _block(work, ["a loop"])


def _block(work: Work, heads: list[str]) -> None:
    found = [block for block in blocks(work.text) if not block.text.startswith(("import ", "from ", "else", "except"))]
    if not found:
        note("The program has no lines yet.")
        return
    if len(found) > LINES:
        note(f"The last {LINES} of {len(found):,} lines are offered.")
        found = found[-LINES:]
    key = f"{hash(work.text)}_{heads[0]}"
    first = _line("From line", found, f"build_from_{key}", len(found) - 1)
    later = [block for block in found if block.first >= first.first and block.depth == first.depth]
    last = _line("to line", later, f"build_to_{key}", 0)
    if heads == ["a loop"]:
        times = int(st.number_input("Times", 2, 20, 3, key="build_loop_times"))
        head = f"for _ in range({times}):"
    else:
        head = HEADS[st.segmented_control("In", heads, default=heads[0], key="build_head", required=True)]
    lines = f"line {first.first}" if first.first == last.last else f"lines {first.first} to {last.last}"
    work.offer(
        f"Put {lines} in  `{head}`", lambda: wrapped(work.text, first.first, last.last, head), key="build_wrap", primary=True
    )


def _line(label: str, blocks: list[Block], key: str, index: int) -> Block:
    chosen = st.selectbox(
        label,
        range(len(blocks)),
        index=index,
        key=key,
        format_func=lambda i: f"{blocks[i].first}  {'  ' * (blocks[i].depth // 4)}{blocks[i].text}",
    )
    return blocks[chosen]


PANELS: dict[str, Callable[[Work], None]] = {
    "Entries of a leaf": _entries, "Lines without gradients": _wrap, "Lines in a loop": _repeat, "Name of a tensor": _rename,
    "Delete a tensor": _delete,
}  # fmt: skip
