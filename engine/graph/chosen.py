"""What the reader of a graph has chosen of its nodes: those that are hidden, and the colours that others have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording

_TENSOR_OR_NODE = re.compile(r"[tn][0-9]+", re.ASCII)
OUTPUTS = 4
"""Outputs of a node among which its tensor is looked for."""


class Chosen(msgspec.Struct, frozen=True):
    """Nodes of a graph by their keys: a tensor, a node, a place or a closed group."""

    hidden: tuple[str, ...] = ()
    coloured: tuple[tuple[str, int], ...] = ()
    """With the number of the colour among the palette's, counted from 0; the last one counts."""

    def moved(self, to: Callable[[str], str | None]) -> Chosen:
        """The same in another run: what is a key there, None for one that has nothing there."""
        hidden = [to(key) for key in self.hidden]
        coloured = [(to(key), number) for key, number in self.coloured]
        return Chosen(
            tuple(key for key in hidden if key is not None), tuple((key, number) for key, number in coloured if key is not None)
        )


NONE_CHOSEN = Chosen()


def counterparts(recording: Recording, keys: Iterable[str], view: str) -> dict[str, str]:
    """Keys of either view → those that stand for them in `view`: a tensor and its grad_fn or AccumulateGrad.

    What has none is left out; what is no tensor or node stands for itself.
    """
    wanted = list(keys)
    prefix = "t" if view == "tensors" else "n"
    found = {key: key for key in wanted if key[:1] == prefix or not _TENSOR_OR_NODE.fullmatch(key)}
    others = {int(key[1:]): key for key in wanted if key not in found}
    if not others:
        return found
    index = index_of(recording)
    for node, history in index.nodes.items():
        if view == "tensors" and node not in others:
            continue
        tensors = {history.info.variable, *(index.owners.get((node, k), NOTHING) for k in range(OUTPUTS))} - {NOTHING}
        if view == "tensors":
            if tensors:
                found[others[node]] = f"t{min(tensors)}"
        else:
            for one in tensors & others.keys():
                found.setdefault(others[one], f"n{node}")
    return found
