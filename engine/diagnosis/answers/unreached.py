"""A backward pass ran, and a tensor got nothing: where the pass stopped, or where the tensor was cut off from its root."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...recording.events import NOTHING, BackwardBegan, BackwardEnded, OpRan, Site
from ...recording.index import Pass
from ..cuts import Cut, cuts_on, fact, ways
from ..failed_passes import explained, failure
from ..failures import code_of_warning, failure_of
from ..mends.cuts import OTHER_SIDE, other_side, same_side
from ..paths import Link, Paths
from ..quoted import quoted
from ..reason import Reason
from ..run import Run
from .grad_query import Question, along, listed

_NO_INPUT = "checkpoint_without_gradient"
"""What a re-entrant checkpoint warns of."""
_PARTS = re.compile(r"[.\[\]]+")
"""What stands between the parts of a name: `block[0].weight`."""
_COPIES = 12
"""Results that are looked at for a copy."""
_LAST = 5
"""The passes that are looked at, where many ran."""


def unreached(q: Question, passes: Sequence[Pass]) -> Reason:
    """The reason where passes ran and none of them filled the tensor's `.grad`."""
    odd = [entry for entry in passes[:-_LAST] if entry.number in _odd(q)]
    for entry in reversed([*odd[-_LAST:], *passes[-_LAST:]]):
        found = _in_graph(q, entry)
        if found is not None:
            return found
    return _not_reached(q, passes)


def _odd(q: Question) -> frozenset[int]:
    """The passes that were to fill some inputs only, or that failed."""
    return q.run.recording.once("odd passes", lambda: _odd_passes(q.run))


def _odd_passes(run: Run) -> frozenset[int]:
    tape = run.recording.tape
    began, ended = tape.tables[BackwardBegan], tape.tables[BackwardEnded]
    named = np.flatnonzero(began.columns["inputs"])
    empty = {position for position, text in enumerate(tape.texts) if not text}
    failed = [k for k, text in enumerate(ended["error"].tolist()) if text not in empty]
    unfinished = (
        {number for number, entry in run.index.passes.items() if failure(run, entry)} if run.raised is not None else set()
    )
    return frozenset({*began["number"][named].tolist(), *ended["number"][failed].tolist(), *unfinished})


def _in_graph(q: Question, entry: Pass) -> Reason | None:
    """The tensor is in the graph of a pass that did not fill it."""
    nodes = q.paths.nodes_of(q.tensor, entry.began)
    if not q.paths.reached(entry).intersection(nodes):
        return None
    run = q.run
    where = run.where(entry.began)
    inputs = entry.event.inputs
    error = failure(q.run, entry)
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
            f"{q.name}.grad is None because backward pass {entry.number} ({run.moment(entry.began)}) is still on its way",
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
        f"Backward pass {entry.number} ({run.moment(entry.began)}) ran {history.info.name}, whose rule returned None there.",
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
    """The answer where a pass broke off. The error is quoted once: where nothing is known of it as the reason, else as
    evidence."""
    run = q.run
    known, found = failure_of(error), explained(run, entry)
    code = known.code if known is not None else ""
    why, said, site, step = quoted("", error), "", run.site(entry.began), entry.began
    fix = known.remedy() if known is not None else "Look at the error; what comes after it in the pass gets no gradient."
    evidence = [("error", quoted("", error))] if known is not None else []
    if found is not None:
        fix, evidence = found.fix, [*evidence, *found.evidence]
    if code == "freed_graph":
        before = next((e for e in q.passes if e.began < entry.began and q.paths.reached(e) & q.paths.reached(entry)), None)
        why = "the graph it needs was freed" + (f" by the pass at {run.moment(before.began)}" if before is not None else "")
        said = f"{found.title} {found.explanation}" if found is not None else ""
    elif code == "in_place_on_saved" and found is not None:
        why, site, step = f"{found.title.rstrip('.')} (at {run.site_text(found.site)})", found.site, found.step
        said = found.explanation
    elif code == "in_place_on_saved":
        why = "a tensor it needs was changed in place"
    return q.because(
        "backward_failed",
        f"{begin} because backward pass {entry.number} at {run.moment(entry.began)} failed: {why}",
        said,
        fix,
        step=step,
        site=site,
        nodes=[q.tensor, *(t for t, _ in entry.event.roots)],
        evidence=evidence,
    )


def _not_reached(q: Question, passes: Sequence[Pass]) -> Reason:
    """No pass has the tensor in its graph: cut off, used for something else, not used, or made too late."""
    run = q.run
    uses = q.uses(passes[-1].began)
    for entry, links in ways(q.paths, q.tensor, passes) if uses or q.paths.read_of(q.tensor) else ():
        root = entry.event.roots[0][0]
        found = cut_of(
            q, links, f"no gradient comes back from {q.label(root)}, where backward() starts ({run.where(entry.began)})"
        )
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
    if not uses and (inside := _in_checkpoint(q)) is not None:
        return inside
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
        replaced = _replaced(q, entry)
        if replaced is not None:
            return replaced
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
        f"{q.name} was used for {result} only, from which {q.label(root)} is not computed.",
        f"Make {result} part of the loss, or call backward() on what depends on {q.name}.",
        step=entry.began,
        nodes=[q.tensor, *(info.id for info in getattr(event, "outputs", ())), root],
        evidence=[("root of the pass", name), ("uses", listed([run.where(s) for s in uses[-_LAST:]]))],
    )


def _replaced(q: Question, entry: Pass) -> Reason | None:
    """The tensor had a place in a module, in which another one stood when the pass began."""
    run = q.run
    for function, name, _, ended in run.index.bindings(q.tensor):
        other = run.index.names[function, name].at(entry.began, NOTHING)
        if "." in name and ended <= entry.began and other not in (NOTHING, q.tensor):
            where = run.where(ended)
            return q.because(
                "unused",
                f"{q.name}.grad is None because nothing was computed from {q.name} before backward() "
                f"({run.where(entry.began)}): since "
                f"{where} another tensor stands in its place in {name}",
                f"{q.name} was made at {run.where(q.history.born)}; {name} is the one made at "
                f"{run.where(run.tensors[other].born)}.",
                f"Ask about {name} as it is now; an optimizer that was made before {where} still has the old one.",
                step=ended,
                nodes=[q.tensor, other],
            )
    return None


def _in_checkpoint(q: Question) -> Reason | None:
    """The tensor is a parameter of what a re-entrant checkpoint runs, which has said that nothing in it gets a gradient.

    What it runs inside is not recorded; the program says which module it is given.
    """
    run, path = q.run, _PARTS.split(q.name)
    warned = [
        step for step, event in run.warnings if step <= q.step and code_of_warning(event.message, event.category) == _NO_INPUT
    ]
    given = [step for step in warned if not _modules_given(q.paths, run.site(step)).isdisjoint(path)]
    if not given:
        return None
    return q.because(
        "checkpoint",
        f"{q.name}.grad is None because {q.name} is used within a re-entrant checkpoint that is given no input that requires "
        "grad",
        "Such a checkpoint is a Function of its inputs: it runs without a graph, and again when a gradient comes back to it. "
        "None comes back where no input requires grad.",
        "Use checkpoint(…, use_reentrant=False), which takes parameters into account.",
        step=max(given),
        nodes=[q.tensor],
    )


def _modules_given(paths: Paths, site: Site | None) -> set[str]:
    """What a call is given first, by the last part of its name: "stem" of `checkpoint(self.stem, x)`; of a name also what it is
    given in turn, "layers" of `for layer in self.layers`; of a function of the program or a lambda what that calls."""
    match paths.source.at(site):
        case ast.Call(args=[ast.Attribute(attr=name), *_]):
            return {name}
        case ast.Call(args=[ast.Name(id=name), *_]):
            values = [value for *_, value in paths.source.values(name)]
            functions = [function for _, function in paths.source.functions.get(name, ())]
            called = (part for each in (*values, *functions) for part in _called_in(each))
            return {name, *(each.attr for each in values if isinstance(each, ast.Attribute)), *called}
        case ast.Call(args=[ast.Lambda() as function, *_]):
            return set(_called_in(function))
        case _:
            return set()


def _called_in(function: ast.AST) -> Iterator[str]:
    """What a function or a lambda calls, by the last part of its name."""
    if isinstance(function, ast.Lambda | ast.FunctionDef):
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                    yield name


def cut_of(q: Question, links: Sequence[Link], so: str) -> Reason | None:
    """The answer where values lead to the root and gradients do not come back."""
    cuts = cuts_on(q.paths, links, lambda t: q.name if t == q.tensor else q.label(t))
    if not any(link.cut for link in links):
        late = _late_flag(q, links)
        if late is not None or not cuts:
            return late
    cut, others = cuts[0], cuts[1:]
    if (copy := _copy_with_gradient(q)) is not None:
        return _copied(q, cut, links, *copy)
    also = f" There is another cut further on: {others[0].sentence}" if others else ""
    twin = other_side(q.run, cut)
    name = q.name if cut.source == q.tensor else f"{q.label(cut.source)} (computed from {q.name})"
    return q.because(
        cut.code,
        f"{q.name}.grad is None because {cut.what} cuts {name} off from the graph: {so}",
        cut.sentence + (also if twin is None else f" {same_side(q.run, twin[0])}"),
        cut.fix if twin is None else OTHER_SIDE.format(twin[1]),
        step=cut.step,
        site=cut.site,
        nodes=along(links),
        cut=[(link.source, link.result) for link in links if link.cut] or [(cut.source, cut.result)],
        evidence=[fact(q.run, one) for one in cuts],
    )


def _copy_with_gradient(q: Question) -> tuple[int, int] | None:
    """A leaf that was made of the tensor's values and got the gradient in its place, with the array of that."""
    run = q.run
    queue, making = [q.tensor], run.having("alias") | run.having("detaches") | run.having("leaf") | {"clone"}
    for each in queue:
        for step in run.consumers.get(each, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or event.op not in making or step > q.step or len(queue) > _COPIES:
                continue
            for info in event.outputs:
                grad = run.tensors[info.id].grad(q.step)
                if run.status(info.id, q.step).requires_grad and grad != NOTHING:
                    return info.id, grad
                queue.append(info.id)
    return None


def _copied(q: Question, cut: Cut, links: Sequence[Link], copy: int, grad: int) -> Reason:
    """The answer where a copy is used in the tensor's place, as torch.func.functional_call uses what it is given."""
    run, name = q.run, q.label(copy)
    calls = [
        run.site_text(q.paths.source.site_of(call, Site(cell)))
        for cell, call in q.paths.source.calls.get("functional_call", ())
    ]
    through = f", and functional_call ({calls[0]}) runs the module with what it is given" if len(calls) == 1 else ""
    return q.because(
        cut.code,
        f"{q.name}.grad is None because its copy {name} is used in its place, and the gradient is in {name}.grad: {cut.what} "
        f"({run.site_text(cut.site)}) makes the copy a leaf of its own",
        f"{cut.sentence}{through and f' {name} is a copy of it{through}.'} {name}.grad is {run.texts.describe(grad)}.",
        f"Read {name}.grad, and give the optimizer {name}; or use {q.name} itself, without {cut.what}.",
        step=cut.step,
        site=cut.site,
        nodes=[*along(links), copy],
        cut=[(link.source, link.result) for link in links if link.cut] or [(cut.source, cut.result)],
        evidence=[fact(run, cut)],
    )


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
