"""Where in the program each node of a graph came about, as a path of loops, iterations, modules and functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from ...recording.events import Scope
from ...recording.recording import Recording
from ...recording.story import cell_title
from .build import Graph

Step: TypeAlias = tuple[str, str, str]
"""A group's name among its neighbours, its title, and its kind."""

BLOCK = 50
"""Lines that make a group where a program has neither loops nor functions."""
_MANY_LEAVES = 24
"""Parameters from which on those of a module are grouped by their names."""
_NOWHERE = Scope()


def paths(recording: Recording, graph: Graph, mode: str) -> dict[str, tuple[Step, ...]]:
    """Each node's path for one way to fold; leaves are with what uses them, if that is all in one place."""
    scopes = {key: _scope(recording, a["scope"]) for key, a in graph.nodes(data=True)}
    if mode == "line":
        return {key: (_line(recording, a),) for key, a in graph.nodes(data=True) if a["line"] and not _is_leaf(a)}
    if mode == "loop":
        found = {key: _loops(scope.loops) for key, scope in scopes.items()}
    elif mode == "module":
        found = {key: _module(scope.module) for key, scope in scopes.items()}
    elif mode == "function":
        found = {key: _call(scope, number) for key, (scope, number) in _calls(graph, scopes).items()}
    else:
        found = _auto(recording, graph, scopes)
        if recording.is_notebook:
            found = _by_cell(recording, graph, found)
    return _with_leaves(graph, found, by_name=mode in ("module", "auto"))


def _scope(recording: Recording, scope: int) -> Scope:
    return recording.scopes[scope] if scope >= 0 else _NOWHERE


def _loops(loops: tuple[tuple[int, int], ...]) -> tuple[Step, ...]:
    return tuple(
        step
        for line, k in loops
        for step in ((f"L{line}", f"loop, line {line}", "loop"), (f"{k}", f"iteration {k + 1}", "iteration"))
    )


def _module(path: str) -> tuple[Step, ...]:
    parts = path.split(".") if path else []
    return tuple((f"M{part}", module_title(parts[: i + 1]), "module") for i, part in enumerate(parts))


def module_title(parts: Sequence[str]) -> str:
    """What a module is called whose path has these parts: the last one, or for a number the last two."""
    return ".".join(parts[-2:]) if parts[-1].isdigit() else parts[-1]


def _call(scope: Scope, number: int) -> tuple[Step, ...]:
    if not scope.function:
        return ()
    return ((f"F{scope.function}#{number}", f"{scope.function}()", "function"),)


def _line(recording: Recording, attributes: dict[str, Any]) -> Step:
    cell, line = _cell(recording, attributes), attributes["line"]
    return f"line{line}" if cell == 0 else f"cell{cell}line{line}", recording.card_line(cell, line), "line"


def _cell(recording: Recording, attributes: dict[str, Any]) -> int:
    """The cell in which a node came about."""
    site = recording.site(recording.events[attributes["born"]])
    return 0 if site is None else site.cell


def _by_cell(recording: Recording, graph: Graph, found: dict[str, tuple[Step, ...]]) -> dict[str, tuple[Step, ...]]:
    """The same paths within the notebook's cells."""
    made = {}
    for key, attributes in graph.nodes(data=True):
        if not _is_leaf(attributes):
            cell = _cell(recording, attributes)
            made[key] = ((f"C{cell}", cell_title(cell), "cell"), *found.get(key, ()))
    return made


def _calls(graph: Graph, scopes: dict[str, Scope]) -> dict[str, tuple[Scope, int]]:
    """Number the calls of each function: a new one begins when the loops have moved on, or the program has been elsewhere and
    comes back to an earlier line."""
    found: dict[str, tuple[Scope, int]] = {}
    last: dict[str, tuple[Scope, int, int, int]] = {}
    for at, (key, a) in enumerate(graph.nodes(data=True)):
        scope = scopes[key]
        before = last.get(scope.function)
        number = before[1] if before else 0
        if before:
            elsewhere, back = at - before[2] > 1, a["line"] <= before[3]
            outer = scope.loops[: len(before[0].loops)] != before[0].loops and before[0].loops != scope.loops
            if (elsewhere and back) or a["line"] < before[3] or (outer and back):
                number += 1
        last[scope.function] = (scope, number, at, a["line"])
        found[key] = (scope, number)
    return found


def _auto(recording: Recording, graph: Graph, scopes: dict[str, Scope]) -> dict[str, tuple[Step, ...]]:
    """Loops and modules as they are nested, elsewhere functions; blocks of lines where there is none of these."""
    distinct = set(scopes.values())
    running = _Running(distinct)
    nested = {scope: _nested(scope, running) for scope in distinct if scope.module}
    calls = _calls(graph, scopes)
    found: dict[str, tuple[Step, ...]] = {}
    for key, scope in scopes.items():
        if scope.module:
            found[key] = nested[scope]
        else:
            inner = () if scope.function in ("", "__init__") or scope.loops else _call(*calls[key])
            found[key] = inner + _loops(scope.loops)
    if not any(found.values()):
        for key, a in graph.nodes(data=True):
            if a["line"] and not _is_leaf(a):
                first = (a["line"] - 1) // BLOCK * BLOCK + 1
                found[key] = ((f"B{first}", f"lines {first}–{first + BLOCK - 1}", "line"), _line(recording, a))
    return found


class _Running:
    """In whose `forward` a loop runs: in that of the outermost module that does something itself in several of its iterations.

    A loop that does nothing but call one module after the other runs in none: the modules tell more than its iterations.
    """

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self._direct: dict[int, set[str]] = defaultdict(set)
        self._iterations: dict[tuple[int, str], set[int]] = defaultdict(set)
        for scope in scopes:
            for line, k in scope.loops:
                self._direct[line].add(scope.module)
                for module in _prefixes(scope.module):
                    self._iterations[line, module].add(k)

    def depth(self, line: int, module: str) -> int | None:
        """How deep in modules a loop runs around what a module does: 0 for a loop of the program itself; None if nowhere."""
        for depth, path in enumerate(_prefixes(module)):
            if path in self._direct[line] and (not path or len(self._iterations[line, path]) > 1):
                return depth
        return None


def _prefixes(module: str) -> list[str]:
    parts = module.split(".") if module else []
    return [".".join(parts[:depth]) for depth in range(len(parts) + 1)]


def _nested(scope: Scope, running: _Running) -> tuple[Step, ...]:
    """The path through modules, and through loops where they run."""
    modules = _module(scope.module)
    path: tuple[Step, ...] = ()
    depth = 0
    for line, k in scope.loops:
        there = running.depth(line, scope.module)
        if there is not None:
            there = max(depth, there)
            path += modules[depth:there] + _loops(((line, k),))
            depth = there
    return path + modules[depth:]


def _is_leaf(attributes: dict[str, object]) -> bool:
    return attributes["kind"] in ("leaf", "constant", "accumulate")


def _with_leaves(graph: Graph, scopes: dict[str, tuple[Step, ...]], *, by_name: bool) -> dict[str, tuple[Step, ...]]:
    """A leaf stands with its users: in the innermost group around all of them, but never alone in a whole loop, whose
    iterations it outlives. Parameters of large models are grouped by their names where their users are in many places."""
    users: dict[str, list[str]] = defaultdict(list)
    autograd = graph.graph["view"] == "autograd"
    for u, v in graph.edges():
        source, target = (v, u) if autograd else (u, v)
        users[source].append(target)
    leaves = [key for key, a in graph.nodes(data=True) if _is_leaf(a)]
    for key in reversed(leaves):
        common = _common([scopes.get(user, ()) for user in users[key]])
        while common and common[-1][2] == "loop":
            common = common[:-1]
        scopes[key] = common
    named = [key for key in leaves if not scopes[key] and "." in _name(graph, key)]
    if by_name and len(named) > _MANY_LEAVES:
        for key in named:
            parts = _name(graph, key).split(".")[:-1]
            scopes[key] = (("params", "parameters", "module"), *_module(".".join(parts)))
    return scopes


def _name(graph: Graph, key: str) -> str:
    a = graph.nodes[key]
    return str(a["badge"] if a["kind"] == "accumulate" else a["title"])


def _common(nestings: list[tuple[Step, ...]]) -> tuple[Step, ...]:
    if not nestings:
        return ()
    shared = []
    for steps in zip(*nestings):
        if len(set(steps)) > 1:
            break
        shared.append(steps[0])
    return tuple(shared)
