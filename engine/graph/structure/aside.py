"""What of a rolled graph is the model and what stands aside, with the loops and calls around everything.

The model is what lies on the way from data to loss: whatever backward passes start from and what that was made of, as far as
gradients go through it or the main loop made it, and the data that enter there. Everything else (set-up, metrics, clipping,
updates by hand, evaluation, generation) stands aside, with the call or the line that made it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TypeAlias

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import Site
from ...recording.recording import Recording
from .build import Graph
from .places import Places

Frame: TypeAlias = tuple[str, object, object]
"""A loop or a call around something: ("loop", id, iteration) or ("call", row of its site, name)."""
_CLIP = 44
_BRIEF = 24
"""Letters that a card's title has room for."""
_CALL = re.compile(r"((?:\w+ [-+*/]?= )?)((?:\w+\.)*)(\w+)\(")


Drawn: TypeAlias = list[tuple[str, str, bool]]
"""The edges of a graph from what is used to what it is used for, in both views; and whether it is written in place."""


def drawn_edges(graph: Graph) -> Drawn:
    """The edges of a graph, to go through more than once: in the graph that takes ten times as long."""
    if graph.graph["view"] == "autograd":
        return [(v, u, a["write"]) for u, v, a in graph.edges(data=True)]
    return [(u, v, a["write"]) for u, v, a in graph.edges(data=True)]


def model_nodes(recording: Recording, graph: Graph, main: str, key_of: dict[str, str], drawn: Drawn) -> set[str]:
    """The keys of the nodes that are the model; all where no backward pass says what the model is."""
    nodes = dict(graph.nodes(data=True))
    found = _roots(recording, graph, key_of)
    if not found:
        return set(graph)
    before: dict[str, list[str]] = defaultdict(list)
    for source, target, _ in drawn:
        a = nodes[target]
        # What is written into a parameter or a buffer is not on the way: the loss is made of it as it was.
        if a["loop"] or a["kind"] not in ("leaf", "constant"):
            before[target].append(source)
    waiting = sorted(found)
    while waiting:
        for source in before[waiting.pop()]:
            if source in found:
                continue
            found.add(source)
            a = nodes[source]
            if a["kind"] in ("result", "leaf", "node") or a["in_backward"] or not main or main in a["frames"]:
                waiting.append(source)
    return found


def _roots(recording: Recording, graph: Graph, key_of: dict[str, str]) -> set[str]:
    roots = columns_of(recording).roots
    ids, letter = (roots.node, "n") if graph.graph["view"] == "autograd" else (roots.tensor, "t")
    return {key_of[name] for id in np.unique(ids).tolist() if (name := f"{letter}{id}") in key_of}


class Contexts:
    """The loops and calls around the nodes of a graph, outermost first, and how the program's text puts them."""

    def __init__(self, recording: Recording, graph: Graph, places: Places) -> None:
        self.recording, self.graph, self.places = recording, graph, places
        self.loops = {loop.id: loop for loop in places.nests.loops}
        self._known: dict[int, tuple[Frame, ...]] = {}
        self._lines: dict[int, list[str]] = {}

    def of(self, key: str) -> tuple[Frame, ...]:
        """The context of a node."""
        scope = self.graph.nodes[key]["scope"]
        if scope < 0:
            return ()
        where = int(self.places.where[scope])
        known = self._known.get(where)
        if known is None:
            known = self._known[where] = self._frames(where)
        return known

    def _frames(self, where: int) -> tuple[Frame, ...]:
        _, calls, nest = self.places.wheres[where]
        path: list[Frame] = []
        waiting = list(nest)
        for depth in range(len(calls) + 1):
            while waiting and (depth == len(calls) or self.loops[waiting[0][0]].around <= depth):
                path.append(("loop", *waiting.pop(0)))
            if depth < len(calls):
                path.append(("call", *calls[depth]))
        return tuple(path)

    def site(self, key: str) -> Site | None:
        """Where in the text a node was first made."""
        row = int(columns_of(self.recording).tape.site[self.graph.nodes[key]["born"]])
        return self.recording.sites[row] if row >= 0 else None

    def title(self, frame: Frame) -> str:
        """What a group is called that stands for a loop or a call."""
        kind, which, name = frame
        if kind == "loop":
            return brief(self.loops[str(which)].title)
        assert isinstance(which, int)
        return brief(self.text(which)) or f"{name}()"

    def text(self, site: int) -> str:
        """The text of a site, on one line; "" where it is not known."""
        if site < 0:
            return ""
        at = self.recording.sites[site]
        text = self._line(at.cell, at.line).encode()
        if at.line == at.end_line:
            return _clip(text[at.column : at.end_column].decode(errors="replace"))
        return _clip(text[at.column :].decode(errors="replace") + " …") if text else ""

    def line(self, site: Site) -> str:
        """The line of the program that a site begins on, shortened."""
        return brief(_clip(self._line(site.cell, site.line))) or f"line {site.line}"

    def _line(self, cell: int, line: int) -> str:
        lines = self._lines.get(cell)
        if lines is None:
            source = self.recording.source
            lines = self._lines[cell] = source[cell].splitlines() if 0 <= cell < len(source) else []
        return lines[line - 1] if 0 < line <= len(lines) else ""


def brief(text: str) -> str:
    """What a piece of the program does, in so few words that a card holds them: "clip_grad_norm_(…)", "loss = criterion(…)"."""
    if len(text) <= _BRIEF:
        return text
    if call := _CALL.match(text):
        bound, path, name = call.groups(default="")
        return f"{bound}{path}{name}(…)" if len(bound + path + name) + 3 <= _BRIEF else f"{bound}{name}(…)"
    return f"{text[: _BRIEF - 1].rstrip()}…"


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CLIP else f"{line[: _CLIP - 1]}…"
