"""What closed groups show: the value that leaves them, and how large the gradients in them are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any, TypeAlias

from ..numbers import THERE, number
from ..structure.build import Graph
from ..structure.folding import shown_member
from ..symbols import TITLE, clip
from .change_index import MISSING, NOT_FINITE, UNKNOWN
from .node_states import PASSED_LABEL, Faces, WholeFaces
from .state_history import EdgeFace, EdgeKey, Face

State: TypeAlias = tuple[int, int, str]
"""A step, 2, and what a group does from then on: one of `STATES`, or ""."""
Norms: TypeAlias = dict[str, list[tuple[int, float]]]
"""Node → pairs (step, norm of `.grad` from then on)."""

STATES = ("running", "receiving", "written", "waiting", "done")
"""What a node may be doing, the liveliest first; a group does what the liveliest of its members does."""
_RANK = {state: rank for rank, state in enumerate((*STATES, ""))}
Kept: TypeAlias = dict[tuple[Any, ...], list[Any]]
"""Histories that have been on show: of groups by (id, number of members, first member), of nodes by (key,), of edges by (from,
to, key), number of parts, first and last part."""


def fold_faces(
    whole: Graph,
    graph: Graph,
    faces: WholeFaces,
    norms: Norms,
    kept: Kept | None = None,
    states: Mapping[str, Iterable[State]] | None = None,
) -> Faces:
    """The faces of a folded graph, from those of the whole one; histories are looked up and put into `kept`.

    Args:
        states: what the closed groups do, where `faces` does not have all of their members.
    """
    kept = {} if kept is None else kept
    nodes, edges = {}, {}
    for key, members in graph.nodes(data="members"):
        name: tuple[Any, ...] = (key,) if members is None else (key, len(members), members[0])
        if name not in kept:
            does = None if states is None else states.get(key)
            kept[name] = faces.nodes[key] if members is None else group_history(whole, members, faces, norms, does)
        nodes[key] = kept[name]
    for u, v, k, parts in graph.edges(keys=True, data="parts"):
        name = (u, v, k) if parts is None else (u, v, k, len(parts), parts[0], parts[-1])
        if name not in kept:
            kept[name] = faces.edges[u, v, k] if parts is None else edge_history(parts, faces)
        edges[u, v, k] = kept[name]
    return Faces(nodes, edges)


def group_history(
    graph: Graph, members: Sequence[str], faces: WholeFaces, norms: Norms, states: Iterable[State] | None = None
) -> list[tuple[int, Face]]:
    """The history of a closed group's card: the value of what it makes, the largest norm among the gradients that it keeps or,
    where it keeps none, the gradient that came to what it makes, and what the liveliest of its members is doing (`states`, if
    `faces` does not have all of them)."""
    shown = shown_member(graph, members)
    title = clip(graph.nodes[shown]["title"], TITLE)
    values = [(step, 0, f"{title} = {face.value}") for step, face in faces.nodes[shown] if face.value]
    known = [key for key in members if key in norms]
    largest = list(_largest([norms[key] for key in known], lambda i, step: _fault(faces.nodes[known[i]], step)))
    label = "grad"
    if not known and (passed := _passed(faces.nodes[shown])):
        largest, label = passed, PASSED_LABEL
    now = ["", "", ""]  # value, grad, state
    history: list[tuple[int, Face]] = []
    does = _liveliest([faces.nodes.states(key) for key in members]) if states is None else states
    for step, which, text in sorted([*values, *largest, *does]):
        now[which] = text
        face = Face(value=now[0], grad=now[1] or None, grad_label=label, state=now[2])
        if history and history[-1][0] == step:
            history[-1] = (step, face)
        elif not history or history[-1][1] != face:
            history.append((step, face))
    return history


def _passed(history: Iterable[tuple[int, Face]]) -> list[tuple[int, int, str]]:
    """When a card begins to show a gradient that has passed, and when it no longer does; [] where it never does."""
    told = [(step, face.grad or "" if face.grad_label == PASSED_LABEL else "") for step, face in history]
    changes = [(step, 1, text) for (step, text), before in zip(told, ["", *(text for _, text in told)]) if text != before]
    return changes


def edge_history(parts: Sequence[EdgeKey], faces: WholeFaces) -> list[tuple[int, EdgeFace]]:
    """The history of an edge that stands for several: it is active when one of them is, with the largest norm and no number."""
    if len(parts) == 1:
        return faces.edges[parts[0]]
    norms: dict[int, float] = {}
    for part in parts:
        for step, norm in faces.edges.norms(part):
            norms[step] = max(norms.get(step, 0.0), float(f"{norm or 0.0:.3g}"))
    quiet = {step + 1 for step in norms if step + 1 < faces.edges.total}
    return [(step, EdgeFace(step in norms, norm=norms.get(step))) for step in sorted(norms.keys() | quiet)]


def _largest(tracks: Iterable[list[tuple[int, float]]], fault: Callable[[int, int], str]) -> Iterable[tuple[int, int, str]]:
    """The largest norm after every step that changes one of them, as text; `fault` says what is wrong with one at a step."""
    changes = sorted((step, i, norm) for i, track in enumerate(tracks) for step, norm in track)
    now: dict[int, float] = {}
    highest: list[tuple[float, int]] = []  # a heap in which what is out of date is passed over
    bad: dict[int, str] = {}
    for at, (step, i, norm) in enumerate(changes):
        bad.pop(i, None)
        if norm == NOT_FINITE:
            bad[i] = fault(i, step)
        now[i] = norm
        heappush(highest, (-norm, i))
        if at + 1 < len(changes) and changes[at + 1][0] == step:
            continue
        while -highest[0][0] != now[highest[0][1]]:
            heappop(highest)
        most = -highest[0][0]
        told = {MISSING: "", UNKNOWN: THERE}.get(most, f"≤ {number(most)}")
        yield step, 1, max(bad.values()) if bad else told


def _fault(history: list[tuple[int, Face]], step: int) -> str:
    """Whether a gradient that is not finite holds NaN, or else infinities."""
    at = bisect_right(history, step, key=itemgetter(0)) - 1
    return "NaN" if at >= 0 and "nan" in (history[at][1].grad or "").lower() else "Inf"


def _liveliest(tracks: Iterable[Iterable[tuple[int, str]]]) -> Iterable[State]:
    """The state of the liveliest after every step at which one of them changes its own."""
    changes = sorted((step, i, _RANK[state]) for i, track in enumerate(tracks) for step, state in track)
    now: dict[int, int] = {}
    many = [0] * (len(STATES) + 1)
    told = idle = len(STATES)
    for at, (step, i, rank) in enumerate(changes):
        many[now.get(i, idle)] -= 1
        many[rank] += 1
        now[i] = rank
        if at + 1 < len(changes) and changes[at + 1][0] == step:
            continue
        liveliest = next((rank for rank in range(idle) if many[rank] > 0), idle)
        if liveliest != told:
            told = liveliest
            yield step, 2, STATES[told] if told < idle else ""
