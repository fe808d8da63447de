"""What varies among the parts of a folded group: the iterations of a loop, the calls of a function, the layers of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..structure.build import Graph
from ..structure.folding import Folding, Group

MAX_LISTED = 4
"""Different texts that are named before "and 3 more"."""


@dataclass(frozen=True, slots=True)
class Varying:
    """One thing that is not the same in all parts."""

    what: str
    texts: tuple[str, ...]
    """The different texts, in the order of the parts."""

    def __str__(self) -> str:
        more = len(self.texts) - MAX_LISTED
        return ", ".join(self.texts[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


def parts(folding: Folding, group: Group) -> list[Group]:
    """The parts of a group that are compared: its children of one kind."""
    return [folding.groups[id] for id in group.children]


def varies(graph: Graph, folding: Folding, group: Group) -> list[Varying]:
    """What differs among a group's parts: number of nodes, then names, shapes and cuts at the same position; [] if all are
    alike."""
    compared = [part.members for part in parts(folding, group)]
    if len(compared) < 2:
        return []
    ops = [[graph.nodes[key]["op"] for key in members] for members in compared]
    if any(each != ops[0] for each in ops):
        sizes = _different([f"{len(each)}" for each in ops])
        first = next((i for i, row in enumerate(zip(*ops)) if len(set(row)) > 1), min(map(len, ops)))
        there = _different([each[first] if first < len(each) else "nothing" for each in ops])
        found = [Varying("nodes", sizes)] if len(sizes) > 1 else []
        return [*found, Varying(f"operation {first + 1}", there)]
    found = []
    for position, keys in enumerate(zip(*compared)):
        nodes = [graph.nodes[key] for key in keys]
        name = str(nodes[0]["title"])
        for what, texts in (
            ("name", [str(a["title"]) for a in nodes]),
            ("type and shape", [str(a["sub"]).split(" · ")[0] for a in nodes]),
            ("cut", [str(a["cut"]) or "none" for a in nodes]),
        ):
            if len(different := _different(texts)) > 1:
                found.append(Varying(f"{what} of {ops[0][position] or name}", different))
    return found


def _different(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
