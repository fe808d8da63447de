"""Which of a recording's graph is drawn as groups, and what the player is told of those."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from msgspec import Raw

from components.player.tape import written_up
from engine.diagnosis import findings
from engine.graph import Faces
from engine.graph.graph_view import Whole, whole
from engine.graph.shown.group_states import fold_faces
from engine.graph.structure.build import Graph
from engine.graph.structure.folding import Folding, Mode, folded, groups_at_first, opened_at_first
from engine.recording import Recording


def folding(recording: Recording, view: str, mode: Mode) -> Folding:
    """The groups of one view's graph, folded as asked; small graphs are left as they are by "auto"."""
    everything = whole(recording, view)
    return everything.folding(opened_at_first(everything.graph, mode))


def at_first(recording: Recording, view: str, mode: Mode) -> frozenset[str]:
    """The groups that are open before the user has opened or closed one."""
    everything, groups = whole(recording, view), folding(recording, view, mode)
    found: frozenset[str] = everything.once(("at first", id(groups)), lambda: groups_at_first(groups, everything.graph))
    return found


class Known(Protocol):
    """A view of a recording, rolled or not."""

    @property
    def graph(self) -> Graph:
        """All of it, whatever is folded."""

    @property
    def troubles(self) -> dict[str, int]:
        """Since when a node holds NaN or Inf."""


@dataclass
class Shown:
    """A graph as it is drawn: closed groups are one node each."""

    everything: Whole
    graph: Graph
    stands: dict[str, str]
    """Hidden node → the group that stands for it."""

    @cached_property
    def faces(self) -> Faces:
        """What its nodes and edges show."""
        whole = self.everything
        if self.graph is whole.graph:
            return whole.faces
        return fold_faces(whole.graph, self.graph, whole.faces, whole.norms, whole.kept)

    def stand(self, key: str) -> str:
        """The node on show that stands for a node of the whole graph."""
        return self.stands.get(key, key)


def shown(everything: Whole, groups: Folding, opened: Iterable[str]) -> Shown:
    """The graph with everything closed that is not opened."""
    if not groups.groups:
        return Shown(everything, everything.graph, {})
    graph = folded(everything.graph, groups, opened)
    stands = {member: key for key, a in graph.nodes(data=True) for member in a.get("members", ())}
    return Shown(everything, graph, stands)


def open_groups(groups: Folding, opened: Iterable[str]) -> dict[str, Any]:
    """What the player needs of a folding from the start: whether there is one, and which groups on show are open."""
    known = [groups.groups[id] for id in opened if id in groups.groups]
    on_show = [g for g in known if all(above in opened for above in _above(groups, g.id))]
    named = [{"id": g.id, "title": g.title} for g in sorted(on_show, key=lambda g: g.id)]
    return {"any": bool(groups.groups), "opened": named}


def tell_folds(data: dict[str, Any], recording: Recording, groups: Folding, picture: Shown) -> None:
    """Add to a payload what the player needs of the groups: who is in which, what goes wrong in the closed."""
    everything = picture.everything
    if groups.groups:
        data["index"] = everything.once(("index", id(groups)), lambda: index_of_groups(everything, groups))
    told: dict[str, list[str]] = {}
    if picture.stands:
        for finding in findings(recording):
            for there in {picture.stands[key] for key in finding.nodes if key in picture.stands}:
                told.setdefault(there, []).append(finding.title)
    troubles = everything.troubles
    for node in data["nodes"]:
        members = picture.graph.nodes[node["id"]].get("members") if node["id"] in picture.graph else None
        if members is None:
            if node["id"] in troubles:
                node["alarm"] = troubles[node["id"]]
            continue
        node["alarm"] = min((troubles[key] for key in members if key in troubles), default=None)
        node["findings"] = told.get(node["id"], [])


def index_of_groups(everything: Known, groups: Folding) -> Raw:
    """All groups as [id, title, index of the one around it or -1], and all nodes as [key, index of the innermost group or -1,
    title, badge, sub, op, since when it is not finite or -1]: what the player needs to find nodes that are not on show."""
    ordered = sorted(groups.groups.values(), key=lambda g: len(_above(groups, g.id)))
    number = {g.id: k for k, g in enumerate(ordered)}
    troubles = everything.troubles
    rows = []
    for key, a in everything.graph.nodes(data=True):
        path = groups.enclosing.get(key)
        innermost = number[path[-1]] if path else -1
        rows.append([key, innermost, a["title"], a["badge"], a["sub"], a["op"], troubles.get(key, -1)])
    return written_up({"groups": [[g.id, g.title, number.get(g.parent, -1)] for g in ordered], "rows": rows})


def _above(groups: Folding, id: str) -> list[str]:
    found = []
    while id := groups.groups[id].parent:
        found.append(id)
    return found


def standing(recording: Recording, view: str, mode: Mode, opened: Iterable[str] | None, key: str | None) -> str | None:
    """The node on show that stands for one of the whole graph: itself, or the closed group that it is in."""
    if key is None or not (groups := folding(recording, view, mode)).groups:
        return key
    closed = groups.closed(key, frozenset(at_first(recording, view, mode) if opened is None else opened))
    return key if closed is None else f"g:{closed}"


def to_open(groups: Folding, key: str) -> tuple[str, ...]:
    """The groups that must be open for a node of the whole graph to be on show; for a closed group, itself too."""
    if key.startswith("g:"):
        id = key[2:]
        return (*_above(groups, id), id) if id in groups.groups else ()
    return groups.opening(key)
