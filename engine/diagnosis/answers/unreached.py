"""A backward pass ran, and a tensor got nothing: where the pass stopped, or where the tensor was cut off from its root."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.symbols import clip
from ...recording.events import NOTHING, OpRan, Site
from ...recording.index import Pass
from ..cuts import describe
from ..findings.inplace import changed_saved_tensor
from ..paths import Link
from ..reason import Reason
from .grad_query import Question, along, failure, listed

_LAST = 5
"""The passes that are looked at, where many ran."""
_FREED = "backward through the graph a second time"
_IN_PLACE = "modified by an inplace operation"


def unreached(q: Question, passes: Sequence[Pass]) -> Reason:
    """The reason where passes ran and none of them filled the tensor's `.grad`."""
    odd = [entry for entry in passes[:-_LAST] if entry.event.inputs or failure(q, entry)]
    for entry in reversed([*odd[-_LAST:], *passes[-_LAST:]]):
        found = _in_graph(q, entry)
        if found is not None:
            return found
    return _not_reached(q, passes)


def _in_graph(q: Question, entry: Pass) -> Reason | None:
    """The tensor is in the graph of a pass that did not fill it."""
    nodes = q.paths.nodes_of(q.tensor, entry.began)
    if not q.paths.reached(entry).intersection(nodes):
        return None
    run = q.run
    where = run.where(entry.began)
    inputs = entry.event.inputs
    error = failure(q, entry)
    if error:
        return failed(q, entry, error, f"{q.name}.grad is None")
    if inputs and q.tensor not in inputs:
        return q.because(
            "inputs",
            f"{q.name}.grad is None because backward(inputs=…) at {where} fills only {listed([q.label(t) for t in inputs])}",
            f"{q.name} is on the path, but not among the inputs that were named.",
            f"Add {q.name} to inputs, or leave inputs out.",
            step=entry.began,
            nodes=[q.tensor, *inputs, *(t for t, _ in entry.event.roots)],
            evidence=[("inputs", listed([q.label(t) for t in inputs]))],
        )
    if entry.ended > q.step:
        return q.because(
            "under_way",
            f"{q.name}.grad is None because backward pass {entry.number} ({where}) is still on its way",
            step=entry.began,
            nodes=[q.tensor],
        )
    stop = _stopped_at(q, entry, nodes)
    if stop is None:
        return None
    history = run.nodes[stop]
    made = history.event
    op = made.op if isinstance(made, OpRan) else history.info.name
    owner = run.index.owners.get((stop, 0), NOTHING)
    return q.because(
        "no_gradient",
        f"{q.name}.grad is None because {op} ({run.where(history.born)}) gave no gradient back to its input",
        f"Backward pass {entry.number} ({where}) ran {history.info.name}, whose rule returned None there.",
        "Return a gradient for that input from the backward of the Function.",
        step=history.born,
        nodes=[q.tensor, owner, *(t for t, _ in entry.event.roots)],
    )


def _stopped_at(q: Question, entry: Pass, nodes: Sequence[int]) -> int | None:
    """A node that ran in the pass and sent nothing on the way to the given nodes."""
    graph = q.paths.reached(entry)
    back: dict[int, list[int]] = {}
    for node in graph:
        for target, _ in q.run.nodes[node].info.edges:
            back.setdefault(target, []).append(node)
    queue = [n for n in nodes if n in graph]
    seen = set(queue)
    for node in queue:
        for above in back.get(node, ()):
            if above in entry.ran_at and entry.arrivals.get(above) is not None:
                return above
            if above not in seen:
                seen.add(above)
                queue.append(above)
    return None


def failed(q: Question, entry: Pass, error: str, begin: str) -> Reason:
    """The answer where a pass broke off."""
    run = q.run
    where = run.where(entry.began)
    site: Site | None = run.site(entry.began)
    step = entry.began
    why = clip(error, 160)
    fix = "Look at the error; what comes after it in the pass gets no gradient."
    if _FREED in error:
        before = next((e for e in q.passes if e.began < entry.began and q.paths.reached(e) & q.paths.reached(entry)), None)
        by = f" by the pass at {run.where(before.began)}" if before is not None else ""
        why = f"the graph it needs was freed{by}"
        fix = "Call the first backward() with retain_graph=True, or compute the loss anew for each pass."
    elif _IN_PLACE in error:
        crime = next((f for f in changed_saved_tensor(run) if run.site(entry.began) in f.related), None)
        why = "a tensor it needs was changed in place"
        fix = "Write y = y + 1 instead of y += 1, or change the tensor after backward()."
        if crime is not None:
            why = f"{crime.title.rstrip('.')} (at {run.place(crime.site)})"
            site, step, fix = crime.site, crime.step, crime.fix
    return q.because(
        "backward_failed",
        f"{begin} because backward pass {entry.number} at {where} failed: {why}",
        f"The error: {clip(error, 200)}",
        fix,
        step=step,
        site=site,
        nodes=[q.tensor, *(t for t, _ in entry.event.roots)],
        evidence=[("error", clip(error, 200))],
    )


def _not_reached(q: Question, passes: Sequence[Pass]) -> Reason:
    """No pass has the tensor in its graph: cut off, used for something else, not used, or made too late."""
    run = q.run
    uses = q.uses(passes[-1].began)
    used = bool(uses) or q.paths.read_of(q.tensor)
    # In a loop, the last pass of each call of backward() stands for the others.
    calls = {run.site(entry.began): entry for entry in passes[-100:]}
    for entry in sorted(calls.values(), key=lambda entry: -entry.began)[: _LAST if used else 0]:
        links = q.paths.between(q.tensor, tuple(t for t, _ in entry.event.roots), entry.began)
        if links is not None:
            root = entry.event.roots[0][0]
            found = cut_of(q, links, f"it does not lead to {q.label(root)}, where backward() starts ({run.where(entry.began)})")
            if found is not None:
                return found
    entry = passes[-1]
    where, root = run.where(entry.began), entry.event.roots[0][0]
    name = q.told(root)
    if q.history.born > entry.began:
        return q.because(
            "created_after",
            f"{q.name}.grad is None because {q.name} was made at {run.where(q.history.born)}, after the last "
            f"backward() ({where})",
            "A pass reaches only tensors that its root was computed from.",
            "Run forward and backward() again with it.",
            step=q.history.born,
            nodes=[q.tensor],
        )
    if not uses:
        late = q.uses(q.step + 1)
        if late:
            return q.because(
                "used_after",
                f"{q.name}.grad is None because {q.name} is first used at {run.where(late[0])}, after the last backward() "
                f"({where})",
                f"That pass starts from {name}, which was computed before.",
                "Call backward() on what is computed from it.",
                step=late[0],
                nodes=[q.tensor, root],
            )
        return q.because(
            "unused",
            f"{q.name}.grad is None because nothing is computed from {q.name}: it is made at {run.where(q.history.born)} and "
            f"not used by the time of backward() ({where})",
            f"backward() starts from {name} and reaches only what that was computed from.",
            f"Use {q.name} in the computation of the loss, or leave it out.",
            step=q.history.born,
            nodes=[q.tensor, root],
        )
    event = run.events[uses[-1]]
    result = q.told(event.outputs[0].id) if isinstance(event, OpRan) and event.outputs else run.where(uses[-1])
    return q.because(
        "not_connected",
        f"{q.name}.grad is None because backward() at {where} starts from {name}, which is not computed from {q.name}",
        f"{q.name} was used for {result} only, which does not lead to {q.label(root)}.",
        f"Make {result} part of the loss, or call backward() on what depends on {q.name}.",
        step=entry.began,
        nodes=[q.tensor, *(info.id for info in getattr(event, "outputs", ())), root],
        evidence=[("root of the pass", name), ("uses", listed([run.where(s) for s in uses[-_LAST:]]))],
    )


def cut_of(q: Question, links: Sequence[Link], so: str) -> Reason | None:
    """The answer where values lead to the root and gradients do not come back."""
    run, paths = q.run, q.paths
    places = [i for i, link in enumerate(links) if link.cut]
    if not places:
        return _late_flag(q, links) or _detached_in_place(q, links, so)
    first = places[0]
    link = links[first]
    cut = describe(paths, link, links[first + 1 :], q.label(link.source) if link.source != q.tensor else q.name)
    others = [describe(paths, links[i], links[i + 1 :], q.label(links[i].source)) for i in places[1:4]]
    also = f" There is another cut further on: {others[0].sentence}" if others else ""
    name = q.name if link.source == q.tensor else f"{q.label(link.source)} (computed from {q.name})"
    return q.because(
        cut.code,
        f"{q.name}.grad is None because {cut.what} cuts {name} off from the graph: {so}",
        cut.sentence + also,
        cut.fix,
        step=cut.step,
        site=cut.site,
        nodes=along(links),
        cut=[(links[i].source, links[i].result) for i in places],
        evidence=[("cut", f"{one.what}, {run.place(one.site)}") for one in (cut, *others)],
    )


def _detached_in_place(q: Question, links: Sequence[Link], so: str) -> Reason | None:
    """A result on the way lost its graph by `detach_()`."""
    run = q.run
    for link in links[1:]:
        for step, flag, value in q.paths.flags.get(link.source, ()):
            if flag == "requires_grad" and not value and step < link.step:
                name = q.label(link.source)
                return q.because(
                    "cut_detach",
                    f"{q.name}.grad is None because detach_() cuts {name} (computed from {q.name}) off from the graph: {so}",
                    f"{run.where(step)}: {name}.detach_() makes {name} forget how it was computed.",
                    "Leave out .detach_(), or call it after backward().",
                    step=step,
                    nodes=along(links),
                    cut=[(link.source, link.result)],
                )
    return None


def _late_flag(q: Question, links: Sequence[Link]) -> Reason | None:
    """The way leads through, but the tensor did not require grad when it was used."""
    if not links or q.run.status(q.tensor, links[0].step).requires_grad:
        return None
    on = next((s for s, value in q.flags("requires_grad") if value and s > links[0].step), NOTHING)
    if on == NOTHING:
        return None
    return q.because(
        "flag_late",
        f"{q.name}.grad is None because {q.name} was told to require grad only at {q.run.where(on)}, after it was used at "
        f"{q.run.where(links[0].step)}",
        "What was computed before has no graph that leads to it.",
        f"Call {q.name}.requires_grad_() before the forward computation.",
        step=on,
        nodes=along(links),
    )
