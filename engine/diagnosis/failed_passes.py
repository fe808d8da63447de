"""Backward passes that broke off: at which node, and what made it impossible to go on there.

Two things do: the graph was freed by an earlier pass, or a tensor that a node had saved was changed in place since.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..graph.symbols import clip
from ..program.changes import TextChange
from ..recording.events import NOTHING, BackwardEnded, OpRan, Raised, Site
from ..recording.index import Pass
from .failures import BY_CODE, Failure, code_of
from .mends import graphs as mends
from .mends.training import DOTTED
from .paths import paths_of
from .reason import Finding, Kind
from .run import MAX_LABEL, Run, finding, key

Evidence = list[tuple[str, str]]


def kind_of(failure: Failure) -> Kind:
    """What a failure is as a kind of finding."""
    return Kind(failure.code, failure.severity, failure.title, failure.mechanical)


SPANS_ITERATIONS = Kind(
    "spans_iterations", "error", "A backward pass reaches into an earlier iteration, whose graph is freed.", True
)
COMPUTED_BEFORE_LOOP = Kind(
    "computed_before_loop", "error", "Every iteration goes backward through what one before the loop made.", True
)
FREED_GRAPH, IN_PLACE_ON_SAVED = kind_of(BY_CODE["freed_graph"]), kind_of(BY_CODE["in_place_on_saved"])


def failure(run: Run, entry: Pass) -> str:
    """The message with which a pass failed, "" if it did not."""
    return _messages(run).get(entry.ended, "")


def _messages(run: Run) -> dict[int, str]:
    """The steps at which passes broke off, each with what was said there."""

    def made() -> dict[int, str]:
        tape = run.recording.tape
        found = {step: event.error for step, event in tape.of_kind(BackwardEnded) if event.error}
        return found | {step: event.message for step, event in tape.of_kind(Raised)}

    return run.recording.once("messages of passes", made)


def explained(run: Run, entry: Pass) -> Finding | None:
    """What made a pass fail; None if it did not, or not by what happened to its graph."""
    message = failure(run, entry)
    code = code_of(message) if message else ""
    if code not in ("freed_graph", "in_place_on_saved"):
        return None
    caught = run.raised is None or code_of(run.raised[1].message) != code
    severity = "hint" if caught else "error"
    return _freed(run, entry, severity) if code == "freed_graph" else _changed(run, entry, severity)


def failing_node(run: Run, entry: Pass) -> int:
    """The node at which a failed pass stopped: of those that were ready, the one whose turn it was; NOTHING if unclear."""
    waiting = [n for n in entry.arrivals if n in run.nodes and n not in entry.ran_at and run.nodes[n].info.variable == NOTHING]
    return max(waiting, key=lambda n: run.nodes[n].info.sequence, default=NOTHING)


# --- the graph was freed ------------------------------------------------------------------------------------------------------


def _freed(run: Run, entry: Pass, severity: str) -> Finding | None:
    node = failing_node(run, entry)
    if node == NOTHING:
        return None
    born = run.nodes[node].born
    earlier = next((p for p in run.passes if p is not entry and node in p.ran_at and p.began < entry.began), None)
    here, there = run.loops(entry.began), run.loops(born)
    name = run.nodes[node].info.name
    evidence = [
        ("node that was freed", f"{name}, made at {run.where(born)}"),
        *([("freed by", f"backward pass {earlier.number} at {run.moment(earlier.began)}")] if earlier is not None else []),
        ("failing", f"backward pass {entry.number} at {run.moment(entry.began)}"),
    ]
    related = [run.site(born), run.site(earlier.began) if earlier is not None else None]
    nodes = [key(run.index.owners[k]) for k in ((node, 0),) if k in run.index.owners]
    if here and earlier_iteration(there, here):
        gone = f"which pass {earlier.number if earlier else '?'} has freed"
        return _carried_on(run, entry, born, severity, gone, evidence, related, nodes)
    if here and len(there) < len(here):
        made = run.index.owners.get((node, 0), NOTHING)
        what = run.title(made) if made != NOTHING else name
        return finding(
            run, COMPUTED_BEFORE_LOOP,
            f"{what} is computed once, before the loop, but every iteration goes backward through it.",
            f"The first backward pass frees the graph of {what} ({run.where(born)}); the next one needs it again.",
            "Compute it anew in each iteration, or detach() it if it needs no gradient.",
            step=entry.began, related=related, evidence=evidence, nodes=nodes, severity=severity, ends=severity == "error",
            changes=mends.computed_in_loop(run, entry, _before_loop(run, entry)),
        )  # fmt: skip
    told = BY_CODE["freed_graph"]
    by = f" (pass {earlier.number} at {run.moment(earlier.began)})." if earlier is not None else "."
    astray = _astray(run, entry, earlier) if earlier is not None else None
    return finding(
        run, FREED_GRAPH, told.title, told.explanation.rstrip(".") + by + (f" {astray.said}" if astray is not None else ""),
        astray.fix if astray is not None else told.remedy(),
        step=entry.began, related=related, evidence=evidence, nodes=nodes, severity=severity, ends=severity == "error",
        changes=astray.changes if astray is not None
        else mends.retained(run, run.site(earlier.began)) if earlier is not None else [],
    )  # fmt: skip


class Astray(NamedTuple):
    """One of two passes through the same graph that has nothing to do there."""

    said: str
    fix: str
    changes: list[TextChange]


def _astray(run: Run, entry: Pass, earlier: Pass) -> Astray | None:
    """Which of two passes goes into a graph that they share, though the step between them says that it is for the other one:
    a step that moves nothing there was the end of a pass that had no business there, and one that moves all of it has used up
    what the other one finds there."""
    paths = paths_of(run.recording)
    first, second = paths.reached(earlier), paths.reached(entry)
    steps = [event for step, event in run.optimizer_steps if earlier.began < step < entry.began]
    if not steps:
        return None
    leaves = paths.variables(first | second)
    shared = {node for node in first & second if leaves[node] == NOTHING}
    below = {leaves[n] for node in shared for n, _ in run.nodes[node].info.edges if leaves.get(n, NOTHING) != NOTHING}
    moved = {tensor for event in steps for tensor in event.parameters}
    if not below or not moved:
        return None
    pass_, reached = (earlier, first) if not below & moved else (entry, second)
    if pass_ is entry and (not below <= moved or not {leaves[n] for n in second} - below - moved - {NOTHING}):
        return None
    taken: dict[str, Site | None] = {}
    for node in reached - shared:
        for target, output in run.nodes[node].info.edges:
            if target in shared and (tensor := run.index.owners.get((target, output), NOTHING)) != NOTHING:
                taken.setdefault(run.title(tensor), run.site(run.nodes[node].born))
    if not taken or len(taken) > _TAKEN or not all(map(DOTTED.fullmatch, taken)):
        return None
    names = " and ".join(f"{name}.detach()" for name in sorted(taken))
    own = "moves nothing there" if pass_ is earlier else "has moved what is there"
    return Astray(
        f"The pass at {run.where(pass_.began)} goes on into the graph of {' and '.join(sorted(taken))}, and has no business "
        f"there: the step between the two passes {own}.",
        f"Compute what begins at {run.where(pass_.began)} from {names}.",
        [change for name, site in taken.items() for change in mends.detached_at(run, name, site)],
    )


_TAKEN = 2
"""Tensors that a pass takes out of the graph of another one, of which so many are named."""


def _carried_on(
    run: Run, entry: Pass, born: int, severity: str, gone: str, evidence: Evidence, related: list[Site | None], nodes: list[str]
) -> Finding:
    """A pass goes on into the graph of an earlier iteration, and cannot: `gone` says why not."""
    carried, crossed = crossing(run, entry) or (NOTHING, born)
    what = run.title(carried) if carried != NOTHING else "a tensor"
    held = mends.held_in(run, carried, crossed, what)
    over = mends.crossings(run, entry, _earlier(run, entry))
    nameless = held is None and DOTTED.fullmatch(what) is None
    kept = mends.kept_in(run, crossed, len(over) > 1) if nameless else None
    fix = "Detach what is carried from one iteration to the next."
    if kept is not None:
        what = f"{kept.name} ({what})"
        fix = f"Cut it off before it is used again: {kept.cut}."
    elif held is not None:
        fix = f"Keep it without its graph: {held.call}."
    elif carried != NOTHING:
        fix = f"Cut it at the start of each iteration: {_detached(what)}."
    return finding(
        run, SPANS_ITERATIONS,
        f"The graph reaches back into the previous iteration through {f'{what}, which {held.name} keeps' if held else what}.",
        f"{_capital(run.during(entry.began)) or 'An iteration'} uses {what} as the previous iteration left it "
        f"({run.where(crossed)}), with its graph. backward at {run.where(entry.began)} goes on into that graph, {gone}.",
        fix,
        step=entry.began, related=[held.site if held else None, run.site(crossed), *related], evidence=evidence,
        severity=severity, ends=severity == "error",
        nodes=[*nodes, *([key(carried)] if carried != NOTHING else [])],
        changes=kept.changes if kept else held.changes if held else mends.cut_each_iteration(run, entry.began, over),
    )  # fmt: skip


def _detached(name: str) -> str:
    """The statement that cuts a tensor off from its graph; one in a tuple or list with the others there."""
    whole = name.partition("[")[0] if name.endswith("]") else ""
    return f"{whole} = tuple(each.detach() for each in {whole})" if whole.isidentifier() else f"{name} = {name}.detach()"


def _earlier(run: Run, entry: Pass) -> list[int]:
    """The nodes of a pass's graph that earlier iterations made."""
    here, reached = run.loops(entry.began), paths_of(run.recording).reached(entry)
    return [node for node in reached if earlier_iteration(run.loops(run.nodes[node].born), here)]


def _before_loop(run: Run, entry: Pass) -> list[int]:
    """The operations in a pass's graph that were done before its loop began."""
    here, reached = run.loops(entry.began), paths_of(run.recording).reached(entry)
    nodes = [node for node, leaf in paths_of(run.recording).variables(reached).items() if leaf == NOTHING]
    return [node for node in nodes if len(run.loops(run.nodes[node].born)) < len(here)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def earlier_iteration(there: tuple[tuple[int, int], ...], here: tuple[tuple[int, int], ...]) -> bool:
    """Whether one nest of loops is in an earlier iteration than another."""
    for (line, k), (other, j) in zip(there, here, strict=False):
        if line != other:
            return False
        if k != j:
            return k < j
    return False


def crossing(run: Run, entry: Pass) -> tuple[int, int] | None:
    """The tensor through which a pass enters an earlier iteration, and the step at which this iteration takes it."""
    here = run.loops(entry.began)
    for node in entry.ran_at:
        history = run.nodes[node]
        if earlier_iteration(run.loops(history.born), here):
            continue
        for target, output in history.info.edges:
            if target == NOTHING or run.nodes[target].info.variable != NOTHING:
                continue
            if earlier_iteration(run.loops(run.nodes[target].born), here):
                tensor = run.index.owners.get((target, output), NOTHING)
                return (tensor, history.born) if tensor != NOTHING else None
    return None


# --- a saved tensor was changed in place --------------------------------------------------------------------------------------


class Crime(NamedTuple):
    """A saved tensor that was changed before the node that saved it ran."""

    tensor: int
    node: int
    saved: int
    needed: int
    """The versions when it was saved and when it was needed."""
    writes: list[int]


def _changed(run: Run, entry: Pass, severity: str) -> Finding | None:
    crime = _crime(run, entry)
    if crime is None:
        return None
    born = run.nodes[crime.node].born
    maker = run.nodes[crime.node].event
    op = maker.op if isinstance(maker, OpRan) else run.nodes[crime.node].info.name
    saver = run.module(born) or run.expression(run.site(born)) or op
    write = crime.writes[0] if crime.writes else entry.began
    by_optimizer = bool(run.index.stepping[write])
    own = run.tensors[crime.tensor].info.is_parameter  # a module that writes its own weights does so by another setting
    module = run.module(write, writes=not own)
    what = "optimizer.step()" if by_optimizer else module or paths_of(run.recording).statement(write)
    name = run.title(crime.tensor)
    if by_optimizer and earlier_iteration(run.loops(born), run.loops(entry.began)):
        evidence = [
            ("saved by", f"{run.nodes[crime.node].info.name} at {run.moment(born)}, version {crime.saved}"),
            ("written by", f"optimizer.step() at {run.moment(write)}"),
            ("needed by", f"backward pass {entry.number} at {run.moment(entry.began)}, version {crime.needed}"),
        ]
        gone = f"which needs {name} as it was before optimizer.step() wrote it ({run.where(write)})"
        return _carried_on(run, entry, born, severity, gone, evidence, [run.site(born), run.site(write)], [key(crime.tensor)])
    lines = list(dict.fromkeys(run.where(w) for w in crime.writes))
    return finding(
        run, IN_PLACE_ON_SAVED,
        f"{name} was changed in place after {clip(saver, MAX_LABEL)} had saved it for backward.",
        f"{run.nodes[crime.node].info.name} ({run.where(born)}) needs {name} as it was then, at version {crime.saved}. "
        f"{clip(what, 2 * MAX_LABEL)} wrote it ({', '.join(lines) or 'an unknown line'}); at "
        f"{run.where(entry.began)} it is at version "
        f"{crime.needed}, so backward fails.",
        _apart(run, entry) if by_optimizer and mends.steps_apart(run, write, entry.began)
        else f"Compute with a copy of it before, {name}.clone(), or call the module first." if own and module
        else _remedy(what, name, by_optimizer),
        step=write,
        related=[run.site(born), run.site(entry.began), *map(run.site, crime.writes)],
        evidence=[
            ("saved by", f"{run.nodes[crime.node].info.name} at {run.where(born)}, version {crime.saved}"),
            *(("written by", f"{clip(what, MAX_LABEL)} at {run.where(w)}") for w in crime.writes[:4]),
            ("needed by", f"backward pass {entry.number} at {run.moment(entry.began)}, version {crime.needed}"),
        ],
        nodes=[key(crime.tensor), f"n{crime.node}"],
        severity=severity, ends=severity == "error",
        changes=mends.stepped_after(run, write, entry.began) if by_optimizer else mends.of_copies(run, write),
    )  # fmt: skip


def _apart(run: Run, entry: Pass) -> str:
    """What to do where the pass is not the step's own."""
    root = run.names([tensor for tensor, _ in entry.event.roots])
    return (
        f"Compute {root} anew after the step, with all that goes through the changed weights. With the step behind this pass "
        "it would not have the gradients of its own loss alone."
    )


def _remedy(what: str, name: str, by_optimizer: bool) -> str:
    """What to do instead of the write."""
    if by_optimizer:
        return "Call backward() before optimizer.step(), or compute the result anew after it."
    if what.endswith("inplace=True)"):
        return f"Make {what.partition(' (')[0]} without inplace=True."
    if re.match(r"[\w.]+\[.*\]\s*[-+*/]?=[^=]", what):
        return (
            f"Write into a copy ({name} = {name}.clone() before each write), put the parts together with torch.stack or "
            "torch.cat, or choose with torch.where."
        )
    return BY_CODE["in_place_on_saved"].remedy()


def _crime(run: Run, entry: Pass) -> Crime | None:
    first = failing_node(run, entry)
    others = [n for n in entry.arrivals if n in run.nodes and n not in entry.ran_at and n != first]
    for node in [first, *others]:
        if node == NOTHING:
            continue
        for saved in run.nodes[node].info.saved:
            tensor = run.index.owners.get((node, 0), NOTHING) if saved.text == "result" else saved.tensor
            if tensor == NOTHING:
                continue
            family = _family(run, tensor, entry.began)
            found = max(run.status(t, entry.began).version for t in family)
            if found != saved.version:
                writes = sorted({s for t in family for s in run.writes.get(t, ()) if run.nodes[node].born < s < entry.began})
                return Crime(_best_name(run, tensor), node, saved.version, found, writes)
    return None


def _family(run: Run, tensor: int, before: int) -> list[int]:
    """A tensor, what it is a view of, and what detach() made of them: all share memory and count their writes together."""
    found = [t for t in (tensor, run.tensors[tensor].info.view_of) if t != NOTHING]
    for t in list(found):
        for step in run.consumers.get(t, ()):
            event = run.events[step]
            if step < before and isinstance(event, OpRan) and event.cut == "detach":
                found += [made.id for made in event.outputs]
    return found


def _best_name(run: Run, tensor: int) -> int:
    """The tensor, or what it is a view of if only that has a name."""
    base = run.tensors[tensor].info.view_of
    return base if base != NOTHING and not run.tensors[tensor].first_name else tensor
