"""Folding: which nodes of a graph belong together, and the graph with the closed groups drawn as one card each.

Each node stands within a path of groups, outermost first: the loop, its iteration, the module or the function. A closed group
stands for all nodes within it; opening it puts its own groups and nodes in its place. Only what is open is laid out.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, pairwise
from typing import Any, Literal, TypeAlias

import networkx as nx

from ...recording.recording import Recording
from .build import Graph
from .scopes import Step, paths

Mode: TypeAlias = Literal["none", "auto", "loop", "module", "function", "line"]
MODES: tuple[Mode, ...] = ("auto", "none", "loop", "module", "function", "line")

READABLE = 300
"""Nodes up to which a graph opens unfolded."""
AT_FIRST = 48
"""Nodes and closed groups that the first view of a folded graph shows, as far as groups allow it."""
SCANT = 5
"""What shows no more than this may be opened to three times as much: it says too little."""
MOST = 40
"""Groups side by side from which on they are drawn in ranges, "iterations 1–36"; nodes, from twice as many on."""
ALIKE = 3
"""Neighbouring groups with the same structure from which on they are drawn as one, "× 3"."""
_FEWEST = 3
"""Nodes that a group needs; smaller ones are dissolved."""
_WIDTH, _HEIGHT = 190, 82
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"(.*?)(\d+)(\D*)")
"""A title with a number in it, its last."""


@dataclass(slots=True)
class Group:
    """Nodes that belong together. `members` are all of them, those of inner groups included, in the order of the graph."""

    id: str
    title: str
    kind: str
    """"cell", "loop", "iteration", "module", "function", "line", "repeat", "range", or in rolled graphs "aside"."""
    parent: str
    members: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    times: int = 0
    """How many iterations or repetitions a loop or a repeat has."""
    badge: str = ""
    """What stands beside the title, "Linear 8→32"; its kind where there is nothing better to say."""
    rows: tuple[str, ...] = ()
    """Members that can be drawn as lines within the card: a module's parameters."""
    shut: bool = False
    """Whether it is closed at first, however few nodes it holds."""
    side: bool = False
    """Whether it stands beside the way from the data to the loss."""


@dataclass(slots=True)
class Folding:
    """The groups of a graph, by id, and each node's groups, outermost first."""

    groups: dict[str, Group]
    enclosing: dict[str, tuple[str, ...]]
    edges: list[tuple[str, str, int, dict[str, Any]]]
    """The graph's edges with their attributes: to go through them in the graph takes ten times as long."""

    def closed(self, key: str, opened: frozenset[str]) -> str | None:
        """The outermost closed group around a node; None if it is on show itself."""
        return next((id for id in self.enclosing.get(key, ()) if id not in opened), None)

    def opening(self, key: str) -> tuple[str, ...]:
        """What must be open for a node to be on show."""
        return self.enclosing.get(key, ())


def groups(recording: Recording, graph: Graph, mode: Mode = "auto") -> Folding:
    """The groups of a graph made by `build` from the same recording.

    Raises:
        ValueError: for an unknown mode.
    """
    if mode not in MODES:
        raise ValueError(f"unknown way to fold {mode!r}, expected one of {', '.join(MODES)}")
    steps_of = paths(recording, graph, mode) if mode != "none" else {}
    tree = Tree(graph, steps_of)
    tree.dissolve()
    if mode != "none":
        tree.repeat()
        tree.dissolve()
        tree.divide()
    return tree.folding()


def folded(graph: Graph, folding: Folding, opened: Iterable[str] = ()) -> Graph:
    """The graph with every group that is not open as one node, "g:" and its id; edges within it are gone, others are merged.

    A merged edge keeps what its parts carry, and the number of the first: whatever else is open, an edge between the same two
    has the same name. One that would close a cycle is marked `write`, so that the layout lets it run backwards.
    """
    shut = frozenset(opened)
    stands = {key: f"g:{id}" if (id := folding.closed(key, shut)) is not None else key for key in graph}
    made = Graph(**graph.graph)
    for key, attributes in graph.nodes(data=True):
        there = stands[key]
        if there == key:
            made.add_node(key, **attributes)
        elif there not in made:
            made.add_node(there, **_card(graph, folding.groups[there[2:]]))
    merged: dict[tuple[str, str], int] = {}
    for u, v, k, attributes in folding.edges:
        a, b = stands[u], stands[v]
        if (a, b) == (u, v):
            made.add_edge(u, v, k, **attributes)
        elif a != b:
            known = merged.get((a, b))
            if known is None:
                merged[a, b] = k
                made.add_edge(a, b, k, **{**attributes, "carries": list(attributes["carries"]), "parts": [(u, v, k)]})
            else:
                _merge(made.edges[a, b, known], attributes, (u, v, k))
    after = {(stands[u], stands[v]) for u, v in graph.graph.get("after", ())}
    made.graph["after"] = sorted((u, v) for u, v in after if u != v)
    _break_cycles(made)
    return made


def shown_member(graph: Graph, members: Sequence[str]) -> str:
    """The member whose value stands on the card: the last root, else the last one with a name, else the last."""
    nodes = graph.nodes
    computed = [key for key in members if nodes[key]["kind"] not in ("leaf", "constant", "accumulate")] or list(members)
    for wanted in ("root", "card"):
        found = [key for key in computed if (nodes[key].get("root") if wanted == "root" else nodes[key]["shape"] == "card")]
        if found:
            return found[-1]
    return computed[-1]


def opened_at_first(graph: Graph, mode: Mode) -> Mode:
    """How a graph is folded when it is first shown: as asked, but one that is small enough not at all."""
    return "none" if mode == "auto" and len(graph) <= READABLE else mode


def groups_at_first(folding: Folding, graph: Graph, budget: int = AT_FIRST) -> frozenset[str]:
    """The groups that are open when a folded graph is first shown: the outer ones, as long as that is not too much to read.

    Neighbours whose titles differ in their numbers alone (iterations, blocks) are opened all or none.
    """
    inside: dict[str, int] = Counter()
    for path in (folding.enclosing.get(key, ()) for key in graph):
        inside[path[-1] if path else ""] += 1
    for group in folding.groups.values():
        inside[group.parent] += 1
    shown = inside[""]
    waiting = deque(numbered(folding, [id for id, group in folding.groups.items() if not group.parent]))
    opened: set[str] = set()
    while waiting:
        ids = waiting.popleft()
        more = sum(inside[id] - 1 for id in ids)
        if any(folding.groups[id].shut for id in ids):
            continue
        if shown + more > (budget if shown > SCANT else 3 * budget):
            continue
        shown += more
        opened.update(ids)
        for id in ids:
            waiting.extend(numbered(folding, folding.groups[id].children))
    return frozenset(opened)


def numbered(folding: Folding, ids: Iterable[str]) -> list[list[str]]:
    """Neighbours together whose titles differ in their numbers alone."""
    found: dict[str, list[str]] = defaultdict(list)
    for id in ids:
        found[re.sub(r"\d+", "0", folding.groups[id].title)].append(id)
    return list(found.values())


# --- the tree of groups -------------------------------------------------------------------------------------------------------


class Tree:
    """Groups while they are being formed."""

    def __init__(self, graph: Graph, steps_of: dict[str, tuple[Step, ...]]) -> None:
        self.graph = graph
        self.nodes: dict[str, dict[str, Any]] = dict(graph.nodes(data=True))
        self.known: dict[str, Group] = {}
        self.enclosing: dict[str, list[str]] = {}
        for key in graph:
            path, above = [], ""
            for name, title, kind in steps_of.get(key, ()):
                id = f"{above}/{name}" if above else name
                if id not in self.known:
                    self.known[id] = Group(id, title, kind, above)
                path.append(id)
                above = id
            self.enclosing[key] = path

    def dissolve(self, fewest: int = _FEWEST) -> None:
        """Drop groups that are too small, and those that hold nothing but one other group."""
        sizes = Counter(id for path in self.enclosing.values() for id in path)
        inner: dict[str, set[str]] = defaultdict(set)
        for path in self.enclosing.values():
            for outer, one in zip(path, [*path[1:], "·"]):
                inner[outer].add(one)
        gone = {
            id
            for id, group in self.known.items()
            if sizes[id] < fewest or (len(inner[id]) == 1 and "·" not in inner[id] and group.kind not in ("aside", "backward"))
        }
        for key, path in self.enclosing.items():
            self.enclosing[key] = [id for id in path if id not in gone]

    def repeat(self, named: Callable[[str], bool] = lambda _: False) -> None:
        """Put neighbours of the same structure, such as the layers of a model, into a group of their own, with what is done
        between them, if that is the same everywhere; but not all that is in a group which is `named`, whose name says more."""
        held: dict[str, list[str]] = defaultdict(list)
        for key, path in self.enclosing.items():
            for id in path:
                held[id].append(key)
        wrapped: dict[str, str] = {}
        for above, things in self._in_order(held).items():
            if above and self.known[above].kind == "loop":
                continue  # a loop is the group of its iterations already
            for alike, between in self._runs(things, held):
                if above and named(above) and len(alike) + len(between) == len(things):
                    continue
                if len(alike) >= ALIKE and self.known[alike[0]].kind not in ("line", "aside"):
                    name = f"{alike[0]}…{len(alike)}"
                    title = spanned([self.known[id].title for id in alike])
                    self.known[name] = Group(name, title, "repeat", above, times=len(alike))
                    wrapped.update(dict.fromkeys([*alike, *between], name))
        for key, path in self.enclosing.items():
            around = [part for id in path for part in ([wrapped[id], id] if id in wrapped else [id])]
            self.enclosing[key] = [*around, wrapped[key]] if key in wrapped else around

    def _in_order(self, held: dict[str, list[str]]) -> dict[str, list[str]]:
        """What stands in each group, "" for in none: groups, by their ids, and nodes that compute, in the order in which they
        begin to."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for computed in (True, False):  # what computes nothing comes last
            for key, path in self.enclosing.items():
                if (self.nodes[key]["kind"] in ("result", "node")) != computed:
                    continue
                for above, id in zip(["", *path], path):
                    found[above].setdefault(id)
                if computed:
                    found[path[-1] if path else ""].setdefault(key)
        return {above: list(things) for above, things in found.items() if any(thing in held for thing in things)}

    def _runs(self, things: list[str], held: dict[str, list[str]]) -> Iterator[tuple[list[str], list[str]]]:
        """Groups of the same structure that follow one another, each with the nodes between them."""
        run: list[str] = []
        between: list[str] = []
        gap: list[str] = []
        usual: list[str] | None = None
        for thing in things:
            if thing not in held:
                gap.append(thing)
                continue
            ops = [self.nodes[key]["op"] for key in gap]
            if run and usual in (None, ops) and self._alike(held, thing, run[-1]):
                run.append(thing)
                between += gap
                usual, gap = ops, []
                continue
            if run:
                yield run, between
            run, between, gap, usual = [thing], [], [], None
        if run:
            yield run, between

    def divide(self) -> None:
        """Where too many groups or nodes stand side by side, put neighbours into ranges."""
        beneath: dict[str, dict[str, None]] = defaultdict(dict)
        loose: dict[str, list[str]] = defaultdict(list)
        for key, path in self.enclosing.items():
            for above, id in zip(["", *path], path):
                beneath[above][id] = None
            loose[path[-1] if path else ""].append(key)
        around: dict[str, str] = {}
        repeated = {id for id in beneath if id and self.known[id].kind == "repeat" and len(beneath[id]) > MOST}
        for above, children in beneath.items():
            if above and self.known[above].kind == "loop":
                self.known[above].times = len(children)
            if len(children) > MOST:
                around.update(self._ranges(above, list(children), lambda ids: spanned([self.known[id].title for id in ids])))
        for key, path in self.enclosing.items():
            self.enclosing[key] = [part for id in path for part in ([around[id], id] if id in around else [id])]
        last: dict[str, str] = {}
        for key, path in self.enclosing.items():
            # What is done between alike groups stands in the range of the one before it.
            if self.nodes[key]["kind"] not in ("result", "node"):
                continue
            for above, id in pairwise(path):
                if above in repeated:
                    last[above] = id
            if path and path[-1] in last:
                loose[path[-1]].remove(key)
                path.append(last[path[-1]])
        for above, keys in loose.items():
            if len(keys) > 2 * MOST:
                place = {key: at for at, key in enumerate(keys, 1)}
                for key, id in self._ranges(above, keys, partial(self._nodes_title, place), self._like).items():
                    self.enclosing[key].append(id)

    def _ranges(
        self, above: str, things: list[str], title: Callable[[list[str]], str], like: Callable[[str], Hashable] = id
    ) -> dict[str, str]:
        """Thing → the id of the range it is in; there are about as many ranges as things in each, and where many follow one
        another that are alike, ranges begin and end with them."""
        size = math.ceil(len(things) / round(math.sqrt(len(things))))
        found = {}
        for part in _parts(things, size, like):
            if len(part) < _FEWEST:
                continue
            size_here = math.ceil(len(part) / math.ceil(len(part) / size))
            for start in range(0, len(part), size_here):
                some = part[start : start + size_here]
                id = f"{above}/{some[0]}–"
                self.known[id] = Group(id, title(some), "range", above)
                found.update(dict.fromkeys(some, id))
        return found

    def _like(self, key: str) -> Hashable:
        """What nodes have in common that a range is named after."""
        a = self.nodes[key]
        return a["kind"], a["op"], _DIGITS.sub("0", a["title"])

    def _nodes_title(self, place: Mapping[str, int], keys: list[str]) -> str:
        """ "leaves[0–20]" or "+ × 21" for what is alike, else by their numbers."""
        if len({self._like(key) for key in keys}) > 1:
            return f"nodes {place[keys[0]]}–{place[keys[-1]]}"
        titles = [self.nodes[key]["title"] for key in keys]
        return f"{titles[0]} × {len(titles)}" if len(set(titles)) == 1 else spanned(titles)

    def _alike(self, held: dict[str, list[str]], one: str, other: str) -> bool:
        return (
            self.known[one].kind == self.known[other].kind
            and self._structure(held[one]) == self._structure(held[other])
            and self._frames(held[one]) == self._frames(held[other])
        )

    def _frames(self, keys: Sequence[str]) -> object:
        """The loops, drawn as frames, that things stand in."""
        return self.nodes[keys[-1]].get("frames")

    def _structure(self, keys: Sequence[str]) -> tuple[tuple[str, str], ...]:
        nodes = (self.nodes[key] for key in keys)
        return tuple((a["op"], a["kind"]) for a in nodes if a["kind"] in ("result", "node"))

    def folding(self) -> Folding:
        """The finished groups."""
        made: dict[str, Group] = {}
        for key, path in self.enclosing.items():
            for above, id in zip(["", *path], path):
                if id not in made:
                    old = self.known[id]
                    made[id] = Group(id, old.title, old.kind, above, times=old.times)
                    if above:
                        made[above].children.append(id)
                made[id].members.append(key)
        enclosing = {key: tuple(path) for key, path in self.enclosing.items() if path}
        return Folding(made, enclosing, list(self.graph.edges(keys=True, data=True)))


def spanned(titles: Sequence[str]) -> str:
    """ "iteration 1" to "iteration 36" are "iterations 1–36", "h.28" to "h.34" are "h.28–34", "leaves[0]" to "leaves[20]"
    "leaves[0–20]"; others are named by the first and the last."""
    first, last = titles[0], titles[-1]
    one, other = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(last)
    if one is None or other is None or (one[1], one[3]) != (other[1], other[3]):
        return f"{first} … {last}"
    many = re.sub(r"(?<=\w) $", "s ", one[1])
    return f"{many}{one[2]}–{other[2]}{one[3]}"


def _parts(things: list[str], size: int, like: Callable[[str], Hashable]) -> Iterator[list[str]]:
    """Things in their order: runs of such as are alike, if there are as many of them as make a range, and what is between."""
    mixed: list[str] = []
    for _, same in groupby(things, key=like):
        run = list(same)
        if len(run) < size:
            mixed += run
            continue
        if mixed:
            yield mixed
        mixed = []
        yield run
    if mixed:
        yield mixed


# --- closed groups ------------------------------------------------------------------------------------------------------------


def _card(graph: Graph, group: Group) -> dict[str, Any]:
    """The attributes of a closed group's node."""
    nodes = [graph.nodes[key] for key in group.members]
    times = f" × {group.times}" if group.times else ""
    lines = sorted({a["line"] for a in nodes if a["line"]})
    where = f" · line {lines[0]}" + (f"–{lines[-1]}" if len(lines) > 1 else "") if lines else ""
    passes = {a["in_backward"] for a in nodes}
    title = group.title + times
    badge = group.badge or {"repeat": "alike", "function": "call"}.get(group.kind, group.kind)
    return {
        "kind": "group",
        "shape": "card",
        "title": title,
        "badge": badge,
        "sub": f"{len(nodes)} {'node' if len(nodes) == 1 else 'nodes'}{where}",
        "tensor": -1,
        "node": -1,
        "op": "",
        "born": min(a["born"] for a in nodes),
        "line": lines[0] if lines else 0,
        "scope": -1,
        "width": max(_WIDTH, min(260, round(8.5 * len(title) + 6 * len(badge) + 36))),
        "height": _HEIGHT,
        "cut": "",
        "root": any(a.get("root") for a in nodes),
        "in_backward": passes.pop() if len(passes) == 1 else 0,
        "group": group.id,
        "members": tuple(group.members),
        "rows": group.rows,
        "side": group.side,
    }


def _merge(edge: dict[str, Any], other: dict[str, Any], part: tuple[str, str, int]) -> None:
    edge["parts"].append(part)
    edge["carries"].extend(other["carries"])
    edge["born"] = min(edge["born"], other["born"])
    edge["write"] = edge["write"] and other["write"]
    if edge["kind"] == "cut":
        edge["kind"] = other["kind"]


def _break_cycles(graph: Graph) -> None:
    """Folding can close cycles: a value leaves a group and something made of it comes back. Later to earlier is back."""
    firm = Graph()
    firm.add_nodes_from(graph)
    firm.add_edges_from((u, v, k) for u, v, k, a in graph.edges(keys=True, data=True) if not a["write"])
    order = {key: i for i, key in enumerate(graph)}
    for part in nx.strongly_connected_components(firm):
        if len(part) == 1:
            continue
        for u, v, k in list(firm.subgraph(part).edges(keys=True)):
            if order[u] > order[v]:
                graph.edges[u, v, k]["write"] = True
