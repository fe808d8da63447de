"""What a lesson shows of a notebook's run: each cell's stretch of the tape, the moment to look at, what is to be guessed."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np

from ..recording.columns import columns_of
from ..recording.events import NOTHING, CellBegan
from ..recording.index import index_of
from ..recording.recording import Recording
from ..recording.replay import replay
from ..recording.story import Look
from .numbers import ArrayTexts, shape_text
from .watch import named

QUESTION = re.compile(
    r"(?P<name>[A-Za-z_][\w.\[\]]{0,200}?)(?P<of>\.grad)?(?P<what>\.shape|\.grad_fn|\.requires_grad|\.is_leaf|\.item\(\))?"
)
"""What can be asked for: a value, a gradient, the shape of either, a `grad_fn`, or whether it is a leaf or wants a gradient."""
GUESSED = 64
"""Numbers that can be asked for at once."""
PLAYED = 40
"""Steps of a cell that are played after a guess, at most: as many as one looks at for half a minute."""


class Answer(msgspec.Struct, frozen=True):
    """What a guess is held against; `components/browser/guessing.mjs` does it."""

    kind: Literal["numbers", "shape", "name", "none", "flag"]
    text: str
    """As it is shown."""
    values: list[str]
    """Numbers, sizes, or the one word."""


def stretches(recording: Recording) -> dict[int, tuple[int, int]]:
    """Cell → its first and its last step; nothing of a program that is no notebook."""
    return recording.once("stretches", lambda: _stretches(recording))


def _stretches(recording: Recording) -> dict[int, tuple[int, int]]:
    columns = columns_of(recording)
    begun = np.flatnonzero(columns.events.kind == columns.KIND[CellBegan]).tolist()
    found = {}
    for begin, after in pairwise([*begun, len(recording.events)]):
        event = recording.events[begin]
        assert isinstance(event, CellBegan)
        found[event.cell] = (begin, after - 1)
    return found


def moment_of(recording: Recording, look: Look) -> int | None:
    """The step that is looked at; None for a cell that has not run."""
    stretch = stretches(recording).get(look.cell)
    if stretch is None:
        return None
    first, last = stretch
    return last if look.moment is None else min(first + look.moment, last)


def selected_of(recording: Recording, look: Look) -> str | None:
    """The node that is selected then, as the graph of tensors or of autograd calls it; None where there is no such."""
    step = moment_of(recording, look)
    if step is None or not look.selected:
        return None
    if not look.selected.startswith("#"):
        found = named(recording, look.selected, step)
        return None if found is None else f"t{found.id}"
    node, index = look.selected[1:], index_of(recording)
    if not re.fullmatch(r"[tn][0-9]{1,9}", node):
        return None
    return node if int(node[1:]) in (index.tensors if node[0] == "t" else index.nodes) else None


def look_at(recording: Recording, look: Look, step: int, node: str | None, view: str) -> Look:
    """The same look with a moment of the cell and what is selected in it; the moment is none where the cell's end is meant."""
    stretch = stretches(recording).get(look.cell)
    if stretch is None:
        return look
    first, last = stretch
    step = min(max(step, first), last)
    name = ""
    if node is not None and node[:1] in "tn":
        state = replay(recording, step)
        name = f"#{node}"
        if node[0] == "t" and int(node[1:]) in state:
            called = state.tensor(int(node[1:])).name
            again = named(recording, called, step) if called else None
            name = called if again is not None and again.id == int(node[1:]) else name
    moment = None if step == last else step - first
    return msgspec.structs.replace(look, moment=moment, selected=name, view=view)


def answer(recording: Recording, look: Look) -> Answer | None:
    """What the question of a look comes to at its cell's end; None where there is no answer."""
    asked = QUESTION.fullmatch(look.predict.strip())
    stretch = stretches(recording).get(look.cell)
    if asked is None or stretch is None:
        return None
    state = named(recording, asked["name"], stretch[1])
    if state is None:
        return None
    what = (asked["what"] or "").strip(".()")
    array = state.grad if asked["of"] else state.value
    if asked["of"] and array == NOTHING:
        return None if what else _none()
    if what == "grad_fn":
        node = index_of(recording).nodes.get(state.node)
        if state.is_leaf or node is None:
            return _none()
        return Answer("name", f"<{node.info.name}>", [node.info.name])
    if what in ("requires_grad", "is_leaf"):
        said = str(getattr(state, what))
        return Answer("flag", said, [said])
    if what == "shape":
        return Answer("shape", shape_text(state.info.shape) or "[]", [str(size) for size in state.info.shape])
    values = recording.array(array)
    if values is None or values.size > GUESSED or values.dtype.kind not in "fiub":
        return None
    return Answer("numbers", ArrayTexts(recording)(array), [f"{float(value):.8g}" for value in values.ravel().tolist()])


def _none() -> Answer:
    return Answer("none", "None", ["None"])
