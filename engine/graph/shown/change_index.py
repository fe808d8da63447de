"""What a debugger watches of a graph's nodes: when each changes, how large its gradient is, where it is in the program."""

from __future__ import annotations

import math

from ...recording.events import NOTHING, Named, OpRan
from ...recording.index import Index, TensorHistory, index_of
from ...recording.recording import Recording
from ..numbers import ArrayTexts
from ..structure.build import Graph

MISSING, NOT_FINITE, UNKNOWN = -1.0, -2.0, -0.5
"""What stands for the norm of a `.grad` that is None, of one that holds NaN or Inf, and of one that was not measured."""


def changes(recording: Recording, graph: Graph) -> dict[str, list[int]]:
    """Node → the steps at which it changes: made, written, its flags or `.grad` set, or its rule run in a backward pass."""
    index = index_of(recording)
    runs: dict[int, list[int]] = {}
    for entry in index.passes.values():
        for node, step in entry.ran_at.items():
            runs.setdefault(node, []).append(step)
    found = {}
    for key, attributes in graph.nodes(data=True):
        steps = {int(attributes["born"])}
        history = index.tensors.get(attributes["tensor"])
        if history is not None and (key.startswith("t") or attributes["kind"] == "accumulate"):
            steps |= _tensor_changes(history)
        for node in _nodes_of(key, attributes["tensor"], index):
            steps.update(runs.get(node, ()))
        found[key] = sorted(step for step in steps if step >= attributes["born"])
    return found


def _tensor_changes(history: TensorHistory) -> set[int]:
    steps = {history.retained} if history.retained >= 0 else set()
    for track in (history.changes, history.ledger):
        if track is not None:
            steps.update(track.steps)
    return steps


def _nodes_of(key: str, tensor: int, index: Index) -> set[int]:
    """The autograd nodes a card stands for."""
    if key.startswith("n"):
        return {int(key[1:])}
    history = index.tensors[tensor]
    states = [history.birth, *(history.changes.values if history.changes else [])]
    return {state.node for state in states if state.node != NOTHING}


def gradients(recording: Recording, graph: Graph) -> dict[str, list[tuple[int, float]]]:
    """Node → pairs (step, norm of `.grad` from then on), for what a breakpoint asks: set, finite, larger than."""
    index = index_of(recording)
    texts = ArrayTexts(recording)
    found = {}
    for key, attributes in graph.nodes(data=True):
        history = index.tensors.get(attributes["tensor"])
        if history is None or history.ledger is None:
            continue
        pairs: list[tuple[int, float]] = []
        for step, row in zip(history.ledger.steps, history.ledger.values, strict=True):
            norm = MISSING if row.total == NOTHING else _norm(recording, texts, row.total)
            if not pairs or pairs[-1][1] != norm:
                pairs.append((step, norm))
        found[key] = pairs
    return found


def _norm(recording: Recording, texts: ArrayTexts, array: int) -> float:
    norm = texts.norm(array)
    if norm is None and recording.arrays[array].unmeasured:
        return UNKNOWN
    return NOT_FINITE if norm is None else float(f"{norm:.6g}") if math.isfinite(norm) else NOT_FINITE


def node_sites(recording: Recording, graph: Graph) -> dict[str, list[int]]:
    """Node → positions in the recording's table of sites: where it was made, then where it was written or named."""
    index = index_of(recording)
    found: dict[str, dict[int, None]] = {}
    of_tensor: dict[int, list[str]] = {}
    for key, attributes in graph.nodes(data=True):
        found[key] = {}
        of_tensor.setdefault(attributes["tensor"], []).append(key)
        if key.startswith("n"):
            site = index.nodes[int(key[1:])].event.site
            if attributes["kind"] == "accumulate" and attributes["tensor"] in index.tensors:
                site = index.tensors[attributes["tensor"]].op.site
        else:
            site = index.tensors[attributes["tensor"]].op.site
        if site != NOTHING:
            found[key][site] = None
    for event in recording.events:
        if event.site == NOTHING:
            continue
        tensors = [write.tensor for write in event.written] if isinstance(event, OpRan) else []
        if isinstance(event, Named):
            tensors = [event.tensor]
        for tensor in tensors:
            for key in of_tensor.get(tensor, ()) if tensor != NOTHING else ():
                found[key][event.site] = None
    return {key: list(sites) for key, sites in found.items() if sites}
