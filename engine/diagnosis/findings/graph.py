"""Rules about graphs that are gone, live too long or are used twice, and about results that are not used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ...recording.columns import Flags, columns_of
from ...recording.events import NOTHING, OpRan, Site
from ...recording.index import Pass
from ..failed_passes import (
    COMPUTED_BEFORE_LOOP,
    FREED_GRAPH,
    IN_PLACE_ON_SAVED,
    SPANS_ITERATIONS,
    crossing,
    earlier_iteration,
    explained,
)
from ..mending import Changes
from ..mends import graphs as mends
from ..mends.parameters import assigned
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, call, finding, key
from .registry import rule

GROWING_GRAPH = Kind("growing_graph", "warning", "Every backward pass goes through all earlier iterations again.", True)
NEEDLESS_RETAIN = Kind("needless_retain", "hint", "retain_graph=True keeps graphs that are never used again.", True)
KEPT_GRAPHS = Kind("kept_graphs", "warning", "A sum, an average or a list keeps the graph of every iteration.", True)
UNUSED_RESULT = Kind("unused_result", "hint", "A result is never used.", True)


@rule(70, IN_PLACE_ON_SAVED, everywhere=True)
def changed_saved_tensor(run: Run) -> Iterator[Finding]:
    """A backward pass fails because a tensor it needs was written in place since it was saved."""
    return (found for found in _failed(run) if found.rule == IN_PLACE_ON_SAVED.id)


@rule(90, FREED_GRAPH, SPANS_ITERATIONS, COMPUTED_BEFORE_LOOP, everywhere=True)
def freed_graph(run: Run) -> Iterator[Finding]:
    """A backward pass fails because an earlier one has freed a part of its graph."""
    return (found for found in _failed(run) if found.rule != IN_PLACE_ON_SAVED.id)


def _failed(run: Run) -> Iterator[Finding]:
    return (found for entry in run.passes if (found := explained(run, entry)) is not None)


@rule(200, GROWING_GRAPH)
def growing_graph(run: Run) -> Iterator[Finding]:
    """With retain_graph=True each iteration goes backward through all earlier ones again."""
    for site, entries in _retaining(run).items():
        sizes = [len(e.ran_at) for e in entries]
        if len(entries) < 3 or not all(a < b for a, b in pairwise(sizes)):
            continue
        crossed = crossing(run, entries[-1])
        again = _inner(run, entries[-1]) & _inner(run, entries[-2])
        if crossed is None or not again:
            continue
        carried, step = crossed
        what = run.title(carried)
        if not what.isidentifier():
            what = paths_of(run.recording).assigned_to(run.tensors[carried].born) or what
        yield finding(
            run, GROWING_GRAPH,
            f"Every backward pass goes through all earlier iterations again: the graph grows through {what}.",
            f"{what} carries its graph from one iteration to the next, and retain_graph=True keeps all of it. Time and memory "
            "grow with every iteration, and old graphs are differentiated again and again.",
            f"Detach what is carried over ({what} = {what}.detach()) and leave retain_graph out.",
            step=entries[-1].began, site=site, related=[run.site(step), run.site(run.tensors[carried].born)],
            evidence=[("nodes per pass", " → ".join(map(str, sizes[:3] + sizes[-1:])))],
            nodes=[key(carried)], steps=[entry.began for entry in entries],
            changes=_cut(run, entries, carried),
        )  # fmt: skip


def _cut(run: Run, entries: list[Pass], carried: int) -> Changes:
    detached = mends.cut_each_iteration(run, entries[-1].began, [carried])
    return [*detached, *mends.unretained(run, run.site(entries[-1].began))] if detached else []


@rule(210, NEEDLESS_RETAIN)
def needless_retain(run: Run) -> Iterator[Finding]:
    """retain_graph=True in a loop where no later pass goes through the graph again."""
    last: dict[int, int] = {}
    for entry in run.passes:
        last.update(dict.fromkeys(entry.ran_at, entry.number))
    for site, entries in _retaining(run).items():
        if len(entries) < 2 or not any(run.loops(e.began) for e in entries):
            continue
        if run.raised is not None or any(last[n] > e.number for e in entries for n in _inner(run, e)):
            continue
        yield finding(
            run, NEEDLESS_RETAIN,
            "retain_graph=True keeps graphs that are never used again.",
            f"{len(entries)} passes at {run.site_text(site)} keep their graphs, and no later pass goes through any of them. "
            "The saved tensors stay in memory for as long as something refers to the loss.",
            "Leave retain_graph out.",
            step=entries[0].began, site=site,
            evidence=[("passes that keep their graph", str(len(entries))),
                      ("nodes kept by each", str(len(_inner(run, entries[0]))))],
            nodes=[key(entries[0].event.roots[0][0])], steps=[entry.began for entry in entries],
            changes=mends.unretained(run, site),
        )  # fmt: skip


def _retaining(run: Run) -> dict[Site | None, list[Pass]]:
    found: dict[Site | None, list[Pass]] = {}
    for entry in run.passes:
        if entry.event.retain_graph and not entry.event.create_graph and entry.event.via == "backward":
            found.setdefault(run.site(entry.began), []).append(entry)
    return found


def _inner(run: Run, entry: Pass) -> set[int]:
    return {n for n in entry.ran_at if run.nodes[n].info.variable == NOTHING}


@rule(220, KEPT_GRAPHS)
def kept_losses(run: Run) -> Iterator[Finding]:
    """A running total of losses, or a list of them, keeps the graph of every iteration."""
    roots = {
        t: entry.began
        for entry in run.passes
        if entry.via == "backward"
        for t, _ in entry.event.roots
        if not run.status(t, entry.began).is_leaf
    }  # fmt: skip
    if len(roots) < 2:
        return
    ran = run.ran
    # What is computed from losses and no pass goes through: the step, and whether an earlier iteration's is in it.
    marks: dict[int, tuple[int, bool]] = {}
    sites: dict[Site | None, list[tuple[int, int, int]]] = {}
    for step, event in run.ops_where(_off_passes(run)):
        results = [(i.id, i.node) for i in event.outputs if i.requires_grad]
        results += [(w.tensor, w.node) for w in event.written if w.requires_grad]
        if not results or any(node in ran for _, node in results):
            continue
        inputs = run.inputs(event)
        fresh = [t for t in inputs if t in roots]
        old = [t for t in inputs if t in marks]
        if not fresh and not old:
            continue
        here = run.loops(step)
        carried = [t for t in old if here and (marks[t][1] or earlier_iteration(run.loops(marks[t][0]), here))]
        if carried and len(fresh) + len(old) > 1:
            sites.setdefault(run.site(step), []).append((step, carried[0], results[0][0]))
            carried = []
        marks.update((t, (step, bool(carried))) for t, _ in results)
    for site, found in sites.items():
        if len(found) < 2:
            continue
        step, _, total = found[0]
        name = run.title(total)
        yield finding(
            run, KEPT_GRAPHS,
            f"{name} adds up losses with their graphs.",
            f"The loss is a tensor with a graph, so {name} has a graph that holds that of every iteration, though no backward "
            f"pass ever goes through it. Memory grows: {len(found) + 1} graphs by the end.",
            f"Add numbers: {name} += loss.item() (or loss.detach()).",
            step=step, site=site, evidence=[("iterations added up", str(len(found) + 1)), (f"{name}.requires_grad", "True")],
            nodes=[key(total)], steps=[step for step, _, _ in found], changes=mends.as_numbers(run, step),
        )  # fmt: skip
        return
    yield from _appended(run, roots)


def _off_passes(run: Run) -> Flags:
    """Of each of the columns' operations whether it made or wrote what requires grad, and no pass went through the nodes."""
    columns = columns_of(run.recording)
    both = columns.tensors, columns.writes
    step, node, needs = (np.concatenate([getattr(one, name) for one in both]) for name in ("step", "node", "requires_grad"))
    ran = np.isin(node, run.index.runs.node)
    found: Flags = np.isin(columns.operations.step, np.setdiff1d(step[needs == 1], step[(needs == 1) & ran]))
    return found


def _appended(run: Run, roots: dict[int, int]) -> Iterator[Finding]:
    looked: set[str] = set()
    for cell, text in enumerate(run.recording.source):
        for number, line in enumerate(text.splitlines(), 1):
            found = re.match(r"\s+(\w+)\.append\((\w+)\)\s*(?:#.*)?$", line)
            if found is None or found[2] in looked:
                continue
            kept, name = found.groups()
            looked.add(name)
            bound = run.named_tensors.get(name, [])
            losses = [(s, t) for s, t in bound if t in roots and run.loops(s)]
            if len(losses) < 3 or len(losses) < len(bound) or any(t in roots for t in _used_later(run, losses, roots)):
                continue
            step = roots[losses[0][1]]
            at = Site(cell, number, len(line) - len(line.lstrip()), number, len(line.encode()))
            yield finding(
                run, KEPT_GRAPHS,
                f"The list {kept} keeps the graph of every iteration's {name}.",
                f"{name} is a tensor with a graph. As long as it is in the list, so are the graph and what it refers to: "
                f"{len(losses)} graphs by the end.",
                f"Keep numbers: {kept}.append({name}.item()), or {name}.detach().",
                step=step, site=at,
                evidence=[("graphs kept", str(len(losses)))], nodes=[key(t) for _, t in losses[:8]],
                steps=[roots[tensor] for _, tensor in losses],
                changes=mends.appended_as_numbers(run, at),
            )  # fmt: skip
            return


def _used_later(run: Run, losses: list[tuple[int, int]], roots: dict[int, int]) -> Iterator[int]:
    """What is computed from the kept losses, one operation on."""
    for _, tensor in losses:
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if isinstance(event, OpRan):
                yield from (info.id for info in event.outputs)


@rule(270, UNUSED_RESULT)
def unused_result(run: Run) -> Iterator[Finding]:
    """A result that requires grad is computed and nothing is ever done with it."""
    if not run.passes or run.raised is not None or len(run.recording.source) > 1:
        return
    used = {t for entry in run.passes for t in (*(r for r, _ in entry.event.roots), *entry.event.inputs)}
    at: dict[Site, list[tuple[int, OpRan, str]]] = {}
    for step, event in run.ops_where(_unconsumed(run)):
        if not event.node or len(event.outputs) != 1 or event.in_backward or event.written:
            continue
        info = event.outputs[0]
        site = run.site(step)
        if info.id in run.consumers or info.id in used or not info.requires_grad or site is None:
            continue
        if site in at:
            at[site].append((step, event, ""))
            continue
        line = run.line(site)
        name = run.tensors[info.id].first_name
        statement = run.segment(site) == line.partition("#")[0].strip()
        dropped = not name and statement and call(run.segment(site)) == event.op
        forgotten = bool(name) and re.match(rf"\s*{re.escape(name)}\s*=[^=]", line) is not None \
            and run.words[name] == 1 and not name.startswith("_")  # fmt: skip
        if not (dropped or (forgotten and run.passes[-1].began > step)):
            continue
        at[site] = [(step, event, name)]
    yield from _detached_for_nothing(run)
    for same in at.values():
        step, event, name = same[0]
        info = event.outputs[0]
        what = name or run.title(info.id)
        yield finding(
            run, UNUSED_RESULT,
            f"The result {what} is never used." if name else f"The result of {event.op} is thrown away.",
            "It is computed and recorded, but no loss depends on it."
            + ("" if name else f" {event.op} does not change its input; it returns a new tensor."),
            "Use it or remove the line." if name else
            f"Assign the result, or use the in-place form ({event.op}_) if there is one.",
            step=step, evidence=[("operations that use it", "0")], nodes=[key(info.id)], steps=[step for step, _, _ in same],
            changes=assigned(run, step, name),
        )  # fmt: skip


def _unconsumed(run: Run) -> Flags:
    """Of each of the columns' operations whether it left a node and made something that no operation takes."""
    columns = columns_of(run.recording)
    made, operations = columns.tensors, columns.operations
    loose = made.step[(made.requires_grad == 1) & ~np.isin(made.id, columns.inputs.tensor)]
    found: Flags = np.isin(operations.step, loose) & (columns.made_node != NOTHING)
    return found


def _detached_for_nothing(run: Run) -> Iterator[Finding]:
    """`x.detach()` as a statement: the detached tensor is thrown away, and x keeps its graph."""
    at: dict[Site, list[tuple[int, int, int]]] = {}
    for step, event in run.ops_of(run.having("detaches")):
        site = run.site(step)
        if len(event.outputs) != 1 or site is None or not run.inputs(event):
            continue
        source, made = run.inputs(event)[0], event.outputs[0].id
        if made in run.consumers or not run.status(source, step).requires_grad or source not in run.consumers:
            continue
        # What is called may have the operation within it, as a trainer has that saves a state.
        if run.segment(site) == run.line(site).partition("#")[0].strip() and call(run.segment(site)) == event.op:
            at.setdefault(site, []).append((step, source, made))
    for site, same in at.items():
        step, source, made = same[0]
        used = next((s for s in run.consumers[source] if s > step), NOTHING)
        if used == NOTHING:
            continue
        name = run.title(source)
        yield finding(
            run, UNUSED_RESULT,
            f"{run.segment(site)} changes nothing: {name} keeps its graph.",
            f"detach() returns a new tensor, which is thrown away here. {run.where(used)} goes on with {name} itself, with its "
            "graph.",
            f"Assign it: {name} = {name}.detach()" + (", or use detach_()." if name.isidentifier() else "."),
            step=step, site=site, related=[run.site(used)],
            evidence=[(f"{name}.requires_grad afterwards", "True"), ("operations that use the result", "0")],
            nodes=[key(source), key(made)], steps=[one[0] for one in same],
        )  # fmt: skip
