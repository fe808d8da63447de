"""How a rolled graph folds: into modules, the layers of depth loops, calls, and what stands aside."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan
from ...recording.recording import Recording
from .aside import Contexts, Frame, brief, drawn_edges, model_nodes
from .build import Graph
from .calls import same_sites
from .folding import Folding, Group, Tree, numbered, shown_member, spanned
from .module_cards import (
    is_module,
    module_badge,
    module_name,
    module_parts,
    module_path,
    root_id,
    root_name,
    told_apart,
    without_middle,
)
from .places import Nest, Places
from .scopes import Step
from .tensor_titles import common_title

Prefix: TypeAlias = tuple[Frame, ...]
Run: TypeAlias = tuple[str, object, object]
T = TypeVar("T")

AT_FIRST = 32
"""Nodes and closed groups that the first view shows, as far as groups allow it: what a canvas holds twice over, with the curves
and parameters that stand in cards here."""
HELD = 48
"""As many as it may be where less than half of that is shown so far: it says too little."""
_FEW = 3
"""Nodes that are put together by a call or a line, at least."""
CALLED = "@"
"""Stands in the id of a module's group, before the place of the text that it is called at, where there are several."""
OPENED = "opened"
"""The kind of the group of what a card stood for that is opened."""
_HIDDEN = re.compile(r"__\w+__|forward|<\w+>")
"""Functions whose calls make no group: modules say the same, better."""


def arranged(recording: Recording, graph: Graph, places: Places, main: str, key_of: dict[str, str]) -> Folding:
    """The groups of a rolled graph; nodes that stand aside are marked `side`."""
    paths = _Paths(recording, graph, places, main, key_of)
    tree = Tree(graph, paths.paths())
    tree.dissolve(2)
    called = {scope.module for scope in recording.scopes if scope.module}
    tree.repeat(lambda group: is_module(group) and ".".join(module_parts(group)) in called)
    tree.dissolve(2)
    tree.divide()
    folding = tree.folding()
    _finish(recording, graph, folding, paths)
    return folding


class _Paths:
    """Each node's groups, outermost first."""

    def __init__(self, recording: Recording, graph: Graph, places: Places, main: str, key_of: dict[str, str]) -> None:
        self.recording, self.graph, self.places, self.main = recording, graph, places, main
        self.nodes: dict[str, dict[str, Any]] = dict(graph.nodes(data=True))
        """The graph's: which makes a view of itself for each that is looked up."""
        self.drawn = drawn_edges(graph)
        self.runs: list[Run | None] = [(module, calls, nest) if module else None for module, calls, nest in places.wheres]
        self.where: list[int] = places.where.tolist()
        self.contexts = Contexts(recording, graph, places)
        self.loops = self.contexts.loops
        self.begins = int(self.loops[main].starts[0]) if main else 0
        self.sites, self.events = same_sites(recording), columns_of(recording).tape
        self.model = model_nodes(recording, graph, main, key_of, self.drawn)
        self.users: dict[str, list[str]] = defaultdict(list)
        self.sources: dict[str, list[str]] = defaultdict(list)
        for source, target, write in self.drawn:
            self.users[source].append(target)
            self.sources[target].append(source)
            if write and source != target:
                self.users[target].append(source)
        self.lasting = {key for key in graph if self._lasts(key)}
        self.layers = self._layers()
        self.shared = self._shared()

    def paths(self) -> dict[str, tuple[Step, ...]]:
        """Work out the paths, and mark what stands aside."""
        nodes, side = self.nodes, self._aside()
        own = [key for key in self.graph if key not in side and key not in self.lasting]
        lines, calls = self._data_lines(own), self._calls(own)
        found: dict[str, tuple[Step, ...]] = {}
        for key, a in self.nodes.items():
            a["side"] = key in side
            if a["kind"] == "step":
                continue
            if key in side:
                found[key] = (side[key], *self._inner(a["scope"], side[key]))
            elif key not in self.lasting:
                found[key] = (*lines.get(key, ()), *self._steps(key, calls.get(key, ())))
        for key in reversed(list(self.graph)):
            if key in self.lasting and key not in side:
                users = [user for user in self.users[key] if user in found and user not in side]
                apart = [user for user in users if user not in self.lasting]
                # A parameter stands with the modules that use it, whoever else looks at it (a penalty on all weights); with
                # its own, if that is one of them.
                modules = [user for user in apart if self._run(user) is not None]
                found[key] = _common([found[user] for user in self._owners(key, modules) or modules or apart or users])
                if apart and nodes[key]["kind"] in ("leaf", "accumulate"):
                    nodes[key]["frames"] = _common([nodes[user]["frames"] for user in apart])
        for key, a in self.nodes.items():
            if a["within"]:
                found[key] = (*found.get(key, ()), (a["within"], f"{a['title']}, one by one", OPENED))
        return found

    def _lasts(self, key: str) -> bool:
        """Whether a node is from outside, so that it stands with what uses it: a parameter, a buffer, data."""
        a = self.nodes[key]
        if a["kind"] == "accumulate":
            return True
        if a["kind"] == "step" or a["loop"] or self._run(key) is not None:
            return False
        return bool(self.main and key not in self.model) or a["kind"] in ("leaf", "constant")

    def _run(self, key: str) -> Run | None:
        """The run of a module that a node is from: its path, and how it came to be called."""
        scope = self.nodes[key]["scope"]
        return self.runs[self.where[scope]] if scope >= 0 else None

    def _owners(self, key: str, users: Sequence[str]) -> list[str]:
        """Those users of a parameter that run in the innermost module that it belongs to, as far as its name tells."""
        depths: dict[str, int] = {}
        for user in users:
            run = self._run(user)
            assert run is not None
            path = run[0].partition(".")[2]  # the outermost module may go by another name
            if not path or f".{path}." in _named(self.nodes[key]):
                depths[user] = len(path.split(".")) if path else 0
        return [user for user, depth in depths.items() if depth == max(depths.values())]

    def _line(self, key: str) -> tuple[int, int]:
        site = self.contexts.site(key)
        return (site.cell, site.line) if site is not None else (NOTHING, NOTHING)

    def _site(self, key: str) -> int:
        return int(self.sites[self.events.site[self.nodes[key]["born"]]])

    # --- the model -----------------------------------------------------------------------------------------------------------

    def _steps(self, key: str, calls: tuple[Step, ...]) -> tuple[Step, ...]:
        scope = self.nodes[key]["scope"]
        if scope < 0:
            return ()
        module, _, nest = self.places.wheres[self.places.where[scope]]
        if not module:
            return calls + self._nested(module, nest)
        steps = tuple(one for one in calls if one[2] == "backward") + self._nested(module, nest)
        if module in self.shared:
            name, title, kind = steps[-1]
            steps = (*steps[:-1], (f"{name}{CALLED}{self._site(key)}", title, kind))
        return steps

    def _shared(self) -> set[str]:
        """Modules without parameters, and without modules in them, that do the same for several places of the text, such as a
        loss or an activation: each of these is a card of its own."""
        done: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        owning = {module[:at] for module, _, _ in self.places.wheres for at, sign in enumerate(module) if sign == "."}
        for key, a in self.nodes.items():
            if key in self.lasting:
                owning.update(run[0] for user in self.users[key] if (run := self._run(user)) is not None)
            elif (run := self._run(key)) is not None:
                done[run[0]][self._site(key)].append(a["op"])
        return {
            module
            for module, by_site in done.items()
            if module not in owning and len(by_site) > 1 and len({tuple(sorted(set(ops))) for ops in by_site.values()}) == 1
        }

    def _nested(self, module: str, nest: Nest) -> tuple[Step, ...]:
        """Layers of depth loops, around the modules that run in them."""
        parts = module.split(".") if module else []
        modules = tuple((f"M{part}", part, "module") for part in parts)
        path: tuple[Step, ...] = ()
        depth = 0
        for id, k in nest:
            if k >= 0 and id in self.layers:
                there = max(depth, min(self.layers[id], len(modules)))
                path += modules[depth:there]
                depth = there
                path += ((id, self.loops[id].title, "loop"), (f"{id}#{k}", f"iteration {k + 1}", "iteration"))
        return path + modules[depth:]

    def _layers(self) -> dict[str, int]:
        """The depth loops whose iterations are groups, with how deep in modules they run: not those that do nothing but call
        modules of their own, which tell more than the iterations."""
        inside: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for module, _, nest in self.places.wheres:
            for id, k in nest:
                if k >= 0:
                    inside[id][k].add(module)
        found = {}
        for id, by_iteration in inside.items():
            modules = [module for one in by_iteration.values() for module in one]
            common = len(_common([module.split(".") if module else [] for module in modules]))
            times = Counter(modules)
            if not all(module and len(module.split(".")) > common and times[module] == 1 for module in modules):
                found[id] = common
        return found

    def _data_lines(self, own: Sequence[str]) -> dict[str, tuple[Step, ...]]:
        """A group for each line that does nothing but prepare data, and does much."""
        nodes = self.nodes
        if not self.main:
            return {}
        through = {self._line(key) for key in own if nodes[key]["kind"] in ("result", "node", "leaf")}
        data = [
            key for key in own
            if nodes[key]["kind"] == "constant" and self._run(key) is None and not nodes[key]["in_backward"]
            and self._line(key) not in through
        ]  # fmt: skip
        sizes = Counter(self._line(key) for key in data)
        names: dict[tuple[int, int], dict[str, None]] = defaultdict(dict)
        for key in data:
            if nodes[key]["shape"] == "card" and nodes[key]["title"].isidentifier():
                names[self._line(key)][nodes[key]["title"]] = None
        found: dict[str, tuple[Step, ...]] = {}
        for key in data:
            site = self.contexts.site(key)
            if site is not None and sizes[self._line(key)] >= _FEW:
                title = ", ".join(names[self._line(key)]) or self.contexts.line(site)
                found[key] = ((f"D{site.cell}:{site.line}", title, "data"),)
        return found

    def _calls(self, own: Sequence[str]) -> dict[str, tuple[Step, ...]]:
        """Groups for calls of the program's own functions that hold some of the model, but not all of it, and for what passes
        record of themselves."""
        nodes = self.nodes
        counts: Counter[Prefix] = Counter()
        prefixes: dict[str, list[Prefix]] = {}
        for key in own:
            context = self.contexts.of(key)
            prefixes[key] = [context[: i + 1] for i, frame in enumerate(context) if frame[0] == "call"]
            counts.update(prefixes[key])
        found: dict[str, tuple[Step, ...]] = {}
        for key in own:
            steps = [
                (f"F{_id(prefix)}", f"{prefix[-1][2]}()", "function")
                for prefix in prefixes[key]
                if _FEW <= counts[prefix] < len(own) and not _HIDDEN.fullmatch(str(prefix[-1][2]))
            ]
            if nodes[key]["in_backward"]:
                site = self._site(key)
                steps.append((f"B{site}", brief(self.contexts.text(site)) or "backward pass", "backward"))
            found[key] = tuple(steps)
        return found

    # --- what stands aside ---------------------------------------------------------------------------------------------------

    def _aside(self) -> dict[str, Step]:
        """The nodes that stand aside, each with its group."""
        nodes = self.nodes
        known = {
            context[:depth]
            for key in self.model - self.lasting
            for context in (self.contexts.of(key),)
            for depth in range(len(context) + 1)
        }
        runs = {self._run(key) for key in self.model - self.lasting} - {None}
        found: dict[str, Step] = {}
        for key, a in nodes.items():
            if key in self.model or a["kind"] == "step":
                continue
            # What a module of the model does besides (running means) stays with it; what it does for others does not.
            if self._run(key) not in runs or any(
                source in found and source not in self.lasting for source in self.sources[key]
            ):
                found[key] = self._beside(key, known)
        for key in list(found):
            if key in self.lasting and any(user not in found and self._run(user) for user in self.users[key]):
                del found[key]
        sizes = Counter(step[0] for step in found.values())
        feeding = self._feeding(found)
        return {key: step for key, step in found.items() if sizes[step[0]] >= _FEW or key not in feeding or self._prepares(key)}

    def _prepares(self, key: str) -> bool:
        """Whether something from outside is there for nothing but others from outside, as what parameters are made of is."""
        return key in self.lasting and all(user in self.lasting for user in self.users[key])

    def _beside(self, key: str, known: set[Prefix]) -> Step:
        """The group of what stands aside: the outermost call or loop in which none of the model is, else its line."""
        born, context = self.nodes[key]["born"], self.contexts.of(key)
        outside = bool(self.main) and all(frame[1] != self.main for frame in context)
        if outside and born < self.begins:
            return "A<", "before the loop", "aside"
        for depth in range(1, len(context) + 1):
            if context[:depth] not in known:
                return f"A{_id(context[:depth])}", self.contexts.title(context[depth - 1]), "aside"
        site = self.contexts.site(key)
        if site is None or (outside and not any(frame[0] == "loop" for frame in context)):
            return "A>", "after the loop" if outside else "aside", "aside"
        return f"A{site.cell}:{site.line}", self.contexts.line(site), "aside"

    def _feeding(self, side: dict[str, Step]) -> set[str]:
        """What the model is made of, however far; a little of that is no trouble in the middle."""
        before: dict[str, list[str]] = defaultdict(list)
        for source, target, write in self.drawn:
            if not write:
                before[target].append(source)
        found: set[str] = set()
        waiting = [key for key in self.graph if key not in side]
        while waiting:
            for source in before[waiting.pop()]:
                if source not in found and source in side:
                    found.add(source)
                    waiting.append(source)
        return found

    def _inner(self, scope: int, group: Step) -> tuple[Step, ...]:
        """Groups within what stands aside: the modules and layers that run there."""
        if scope < 0:
            return ()
        module, _, nest = self.places.wheres[self.places.where[scope]]
        told = group[0].rpartition("~")[2]  # the loop that the group itself is
        return self._nested(module, tuple(one for one in nest if one[0].replace("#", "~") not in (told, group[0][1:])))


def _id(prefix: Prefix) -> str:
    return "~".join(f"{which}".replace("#", "~") for _, which, _ in prefix)


def _common(paths: Sequence[Sequence[T]]) -> tuple[T, ...]:
    """What sequences begin with together."""
    shared: list[T] = []
    for parts in zip(*paths):
        if any(part != parts[0] for part in parts):
            break
        shared.append(parts[0])
    return tuple(shared)


# --- cards ------------------------------------------------------------------------------------------------------------------


def _finish(recording: Recording, graph: Graph, folding: Folding, paths: _Paths) -> None:
    """Say what the groups are: modules with their kind and parameters, and what is closed at first."""
    nodes, places = paths.nodes, paths.places
    modules = {module for module, _, _ in places.wheres if module}
    calling = {module[:at] for module in modules for at, sign in enumerate(module) if sign == "."}
    called: dict[str, set[str]] = defaultdict(set)
    kinds = {scope.module: scope.module_class for scope in recording.scopes}
    for group in folding.groups.values():
        above = folding.groups.get(group.parent)
        group.side = group.kind == "aside" or (above is not None and above.side)
        group.shut = group.kind in ("aside", "backward") or (group.kind == "data" and len(graph) > AT_FIRST)
        if group.kind != "module":
            continue
        run = {one[0] for key in group.members if key not in paths.lasting and (one := paths._run(key)) is not None}
        if len(run) != 1 or run & calling:
            group.badge = kinds.get(".".join(module_parts(group.id)), "")
            continue
        group.shut = True
        group.rows = tuple(key for key in group.members if key in paths.lasting and _named(nodes[key]))
        shapes = {_named(nodes[key]).rpartition(".")[2]: _shape(recording, nodes[key]["tensor"]) for key in group.rows}
        path = run.pop()
        group.badge = module_badge(kinds.get(path, ""), shapes)
        for key in group.rows:
            if name := root_name(_named(nodes[key]), path):
                called[root_id(group.id)].add(name)
    _name_modules(graph, folding, {id: common_title(found) for id, found in called.items()})
    ends: dict[str, tuple[str, str]] = {}
    """The names of the first and the last module in a group."""
    for id, group in reversed(folding.groups.items()):  # inner groups stand behind those around them
        inner = [ends[child] for child in group.children if child in ends]
        if group.kind in ("repeat", "range") and inner:
            group.title = spanned([inner[0][0], inner[-1][1]])
        if group.kind == "module":
            ends[id] = group.title, group.title
        elif inner:
            ends[id] = inner[0][0], inner[-1][1]


def _name_modules(graph: Graph, folding: Folding, names: Mapping[str, str]) -> None:
    """Call modules' groups by their paths, of which those around them say the beginning where no two would be called the same;
    a loss, and what is called at several places, by what it makes."""
    modules = [group for group in folding.groups.values() if group.kind == "module"]
    whole = {group.id: module_path(group, names) for group in modules}
    called: dict[str, set[str]] = defaultdict(set)
    for group in modules:
        group.title = module_name(folding, group, names)
        if not group.side:
            called[group.title].add(whole[group.id])
    more: dict[str, str] = {}  # what groups around → what of it is said
    for title, paths in called.items():
        if len(paths) > 1:
            more |= {path.removesuffix(title): end.removesuffix(title) for path, end in told_apart(paths).items()}
    for group in modules:
        group.title = more.get(whole[group.id].removesuffix(group.title), "") + group.title
    makes: dict[str, list[str]] = defaultdict(list)
    for group in modules:
        if CALLED in group.id.rpartition("/")[2]:
            makes[whole[group.id]].append(_makes(graph, group))
    for group in modules:
        made, others = _makes(graph, group), makes[whole[group.id]]
        loss = not group.children and not group.rows and any(graph.nodes[key]["root"] for key in group.members)
        said = made and (loss or (others.count(made) == 1 and all(others)))
        group.title = made if said else without_middle(group.title)


def _makes(graph: Graph, group: Group) -> str:
    """The name that the program gives to what a module makes; "" for none."""
    a = graph.nodes[shown_member(graph, group.members)]
    name = str(a["badge"] if a["kind"] == "node" else a["title"])
    return name if name.isidentifier() and (a["kind"] == "node" or a["shape"] == "card") else ""


def _named(a: dict[str, Any]) -> str:
    """The name of a parameter; "" for what is none, or has none."""
    if a["kind"] == "leaf":
        return str(a["title"])
    return str(a["badge"]) if a["kind"] == "accumulate" else ""


def _shape(recording: Recording, tensor: int) -> tuple[int, ...]:
    columns = columns_of(recording)
    made, row = columns.tape.tables[OpRan].children["outputs"], int(columns.row_of[tensor])
    first, last = made.starts("shape")[row : row + 2].tolist()
    return tuple(made.children["shape"].columns[""][first:last].tolist())


def opened_at_first(folding: Folding, graph: Graph, budget: int | None = None, scant: int = 0) -> frozenset[str]:
    """The groups that are open before the user has opened or closed one: the outer ones, as long as that is not too much to
    read, of neighbours alike (iterations, blocks) all or none. What shows no more than `scant` may be opened to twice as
    much: it says too little.

    What stands aside stays closed, so does what a pass records of itself, and a module that holds nothing but operations: it
    says what it is by its name.
    """
    inside: Counter[str] = Counter()
    for key in graph:
        path = folding.enclosing.get(key, ())
        inside[path[-1] if path else ""] += 1
    shown = inside[""] + sum(not group.parent for group in folding.groups.values())
    opened: set[str] = set()
    for id, group in folding.groups.items():
        if group.kind == OPENED:  # with all that is around it, for it is to be seen
            around = folding.enclosing[group.members[0]]
            opened.update(around[: around.index(id) + 1])
    waiting = numbered(folding, [id for id, group in folding.groups.items() if not group.parent])
    while waiting:
        ids = [id for id in waiting.pop(0) if id in opened or not _shut(folding.groups[id])]
        more = sum(inside[id] + len(folding.groups[id].children) - 1 for id in ids if id not in opened)
        usual = AT_FIRST if 2 * shown > AT_FIRST else HELD
        if shown + more > (usual if budget is None else budget if shown > scant else 2 * budget):
            ids, more = [id for id in ids if id in opened], 0
        shown += more
        opened.update(ids)
        waiting += numbered(
            folding, [child for id in ids if folding.groups[id].kind != OPENED for child in folding.groups[id].children]
        )
    return frozenset(opened)


def _shut(group: Group) -> bool:
    return group.shut or (group.kind == "module" and not group.children)
