"""Rules about gradients of gradients: penalties without a graph, and graphs of gradients that nothing goes through."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, OpRan, Site
from ...recording.index import Pass
from .. import mending
from ..cadence import takes_values
from ..cuts import kind_of
from ..paths import Link, Paths, paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sampling import leaves_of

PENALTY_WITHOUT_GRAPH = Kind(
    "penalty_without_graph", "warning",
    "A term of the loss is computed from a gradient that has no graph, so nothing learns from it.", mechanical=True,
)  # fmt: skip
UNUSED_CREATE_GRAPH = Kind(
    "unused_create_graph", "hint", "create_graph=True records graphs of gradients that no pass goes through.", mechanical=True
)

UNUSED_ADAPTATION = Kind(
    "unused_adaptation", "warning", "What is computed with gradients and their graphs is used by nothing, and the loss that is "
    "trained on is computed without it.",
)  # fmt: skip
ZERO_SECOND_DERIVATIVE = Kind(
    "zero_second_derivative",
    "warning",
    "A second derivative is zero everywhere: it is taken through ReLU, which is straight.",
    answers=("zero_factor",),
)

_MOST = 400
"""Tensors looked at that are computed from one gradient, or between a term and the loss."""
_LOOKED_AT = 8
"""Bindings of a name that are looked at."""


class Taken(NamedTuple):
    """A gradient that was taken without a graph, as the tensor that the program computes with."""

    tensor: int
    entry: Pass
    """The pass that computed it."""
    variables: frozenset[int]
    """What it is the gradient by."""


class Term(NamedTuple):
    """A term of a loss that is computed from such a gradient."""

    taken: Taken
    named: int
    """What it is computed from and has a name, itself if nothing has."""
    tensor: int
    total: int
    """The sum that it is a term of."""
    step: int
    root: Pass
    """The pass that begins with that sum, or with what is computed from it."""


@rule(175, PENALTY_WITHOUT_GRAPH)
def penalty_without_graph(run: Run) -> Iterator[Finding]:
    """A penalty on a gradient is added to the loss, and the gradient was taken without create_graph=True."""
    if not any(not entry.event.create_graph for entry in run.passes[:-1]):
        return
    paths = paths_of(run.recording)
    at: dict[Site | None, list[Term]] = {}
    sound: set[tuple[Site | None, Site | None]] = set()
    for taken in _taken(paths):
        place = run.site(taken.entry.began), run.site(run.tensors[taken.tensor].born)
        if place in sound:
            continue
        term = _term(run, taken)
        if term is None or not (term.step in {t.step for t in at.get(place[0], ())} or _learns(paths, term)):
            sound.add(place)
            continue
        at.setdefault(place[0], []).append(term)
    for site, terms in at.items():
        taken, named, tensor, total, step, root = terms[0]
        name, by_grad = paths.label(named, step), taken.entry.event.via == "grad"
        of = run.names(sorted(taken.variables), 2)
        called = (run.segment(site) or "").partition("(")[0] or "torch.autograd.grad"
        what = f"The gradient by {of}" if called.endswith("grad") or not by_grad else f"What {called} returns"
        yield finding(
            run, PENALTY_WITHOUT_GRAPH,
            f"{name} is added to the loss, but no gradient comes from it: it is computed from a gradient without a graph.",
            f"{what} is taken at {run.where(taken.entry.began)} without create_graph=True, so to autograd it is "
            f"a constant, and so is {name}. It changes the value of the loss ({run.where(step)}), and nothing learns from it.",
            f"Take it with a graph: {called}(…, create_graph=True)." if by_grad else
            "Take the gradient as a tensor with a graph instead of reading .grad: "
            f"(g,) = torch.autograd.grad(out, {of}, create_graph=True), with the root of that pass for out.",
            step=step, site=site, related=[run.site(step), run.site(root.began)],
            evidence=[
                ("its requires_grad", "False"),
                ("value of the term", run.texts.describe(run.status(tensor, step).array)),
                ("value of the sum", run.texts.describe(run.status(total, step).array)),
            ],
            nodes=[key(taken.tensor), key(named), key(tensor), key(total)],
            steps=[term.step for term in terms],
            changes=mending.keyword(run, site, "create_graph", "True") if by_grad else (),
        )  # fmt: skip


def _taken(paths: Paths) -> Iterator[Taken]:
    """The gradients without a graph that the program computes with."""
    run = paths.run
    by_grad = [entry for entry in run.passes if entry.via == "grad"]
    called: dict[int, bool] = {}
    following = 0
    columns = columns_of(run.recording)
    gradients = columns.tensors.step[columns.tensors.grad_of != NOTHING]
    wanted = np.isin(columns.operations.step, gradients)
    if by_grad:
        wanted |= columns.op_is({"constant"})
    for step, event in run.ops_where(wanted):
        if not event.outputs or event.outputs[0].requires_grad:
            continue
        made = event.outputs[0]
        if made.grad_of != NOTHING:
            last = run.last_change(made.grad_of, step)
            entry = run.index.passes.get(last.number) if isinstance(last, Accumulated) else None
            if entry is not None and not entry.event.create_graph:
                yield Taken(made.id, entry, frozenset((made.grad_of,)))
        elif event.op == "constant" and by_grad:
            while following < len(by_grad) and by_grad[following].ended < step:
                following += 1
            entry = by_grad[following - 1] if following else None
            if entry is None or entry.event.create_graph:
                continue
            if event.site not in called:
                called[event.site] = kind_of(paths, Link(NOTHING, made.id, step, cut=True)) == "gradient"
            alike = [t for t in entry.event.inputs if run.tensors[t].info.shape == made.shape]
            if alike and (called[event.site] or any(_arrived(paths, entry, t, made.array) for t in alike)):
                yield Taken(made.id, entry, frozenset(alike))


def _arrived(paths: Paths, entry: Pass, tensor: int, array: int) -> bool:
    """Whether a pass brought a tensor a gradient of the values of an array."""
    tracks = (entry.arrivals.get(node) for node in paths.nodes_of(tensor, entry.began))
    return any(a.array >= 0 and paths.run.same(a.array, array) for track in tracks if track for a in track.values)


def _term(run: Run, taken: Taken) -> Term | None:
    """The term of a loss that is computed from a gradient and from what needs no gradient, if there is one."""
    queue: deque[int] = deque([taken.tensor])
    seen = {taken.tensor: taken.tensor}
    """What is computed from the gradient -> the last of it, up to there, that has a name."""
    while queue and len(seen) < _MOST:
        tensor = queue.popleft()
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or len(event.outputs) != 1 or event.in_backward:
                continue
            made = event.outputs[0]
            if not made.requires_grad:
                own = run.site(step) == run.site(taken.entry.began)  # what jacobian and its like do at their end
                if (own or event.op not in run.having("detaches")) and made.id not in seen:
                    seen[made.id] = made.id if run.tensors[made.id].first_name else seen[tensor]
                    queue.append(made.id)
                continue
            if _is_sum(run, event, step, tensor, taken.variables) and (root := _root_over(run, made.id)) is not None:
                named = seen[tensor] if seen[tensor] != taken.tensor else tensor
                return Term(taken, named, tensor, made.id, step, root)
    return None


def _is_sum(run: Run, event: OpRan, step: int, term: int, variables: frozenset[int]) -> bool:
    """Whether a result of an operation on two numbers is the one plus or minus the other, and the other is not what the
    gradient was taken by: that would be an update."""
    others = [t for t in run.inputs(event) if t != term]
    if len(others) != 1 or others[0] in variables or not run.status(others[0], step).requires_grad:
        return False
    a, b = (run.scalar(run.status(t, step - 1).array) for t in (term, others[0]))
    total = run.scalar(event.outputs[0].array)
    if a is None or b is None or total is None or not np.isfinite([a, b, total]).all():
        return False
    return a != 0 and any(bool(np.isclose(total, value, rtol=1e-5)) for value in (b + a, b - a, a - b))


def _root_over(run: Run, tensor: int) -> Pass | None:
    """The pass that goes through the node of a tensor."""
    node = run.tensors[tensor].info.node
    return next((entry for entry in run.passes if node in entry.ran_at), None)


def _learns(paths: Paths, term: Term) -> bool:
    """Whether what the gradient was computed from is trained with the loss, so that a graph of it would lead somewhere."""
    # A leaf has another AccumulateGrad in the graph of each loss, where nothing holds that of the last.
    leaves = {*paths.variables(paths.reached(term.taken.entry)).values()}
    return any(event.tensor in leaves for _, event in paths.run.fills(term.root))


@rule(215, UNUSED_CREATE_GRAPH, UNUSED_ADAPTATION)
def unused_create_graph(run: Run) -> Iterator[Finding]:
    """create_graph=True in a loop, where no pass goes through the graph of a gradient and nothing is computed with it."""
    at: dict[Site | None, list[Pass]] = {}
    for entry in run.passes:
        if entry.event.create_graph:
            at.setdefault(run.site(entry.began), []).append(entry)
    if not at or run.raised is not None:
        return
    ran: dict[int, int] = {}
    for entry in run.passes:
        ran.update(dict.fromkeys(entry.ran_at, entry.number))
    recorded: dict[int, list[OpRan]] = {}
    for _, event in run.ops_where(columns_of(run.recording).operations.in_backward > 0):
        if event.in_backward and event.node is not None:
            recorded.setdefault(event.in_backward, []).append(event)
    for site, entries in at.items():
        made = [event for entry in entries for event in recorded.get(entry.number, ())]
        if len(entries) < 2 or not made or not all(run.loops(entry.began) for entry in entries):
            continue
        if not any("create_graph" in text for text in run.recording.source):
            continue  # func's transformations ask for it, and not the program
        if any(event.node is not None and event.node.id in ran for event in made):
            continue
        unused = _adapted(run, entries, made)
        if unused is not None:
            yield unused
            continue
        leak = entries[0].event.via == "backward"
        update = _updates(run, entries, made)
        yield finding(
            run, UNUSED_CREATE_GRAPH,
            "create_graph=True records a graph of every gradient, and no pass goes through it.",
            f"{len(entries)} passes at {run.site_text(site)} recorded {len(made)} operations of their own backward pass. That "
            "graph is needed only for the gradient of a gradient."
            + (" With backward() the graph and .grad keep each other alive, so memory grows." if leak else ""),
            f"If a later loss is to lead through the update at {run.where(update)}, compute it as new tensors, such as "
            "w - lr * g, within torch.func.functional_call: through .data and within no_grad() nothing is recorded. Else leave "
            "create_graph out." if update != NOTHING else
            "Leave create_graph out" + (", and retain_graph as well, which it implies." if not leak else "."),
            step=entries[0].began, site=site, related=[run.site(update)] if update != NOTHING else [],
            evidence=[("operations recorded in backward passes", str(len(made))), ("passes through them", "0")],
            nodes=[key(entries[0].event.roots[0][0])],
            steps=[entry.began for entry in entries],
            changes=mending.keyword(run, site, "create_graph", None) if update == NOTHING else (),
        )  # fmt: skip


def _updates(run: Run, entries: list[Pass], made: list[OpRan]) -> int:
    """The step at which leaves are written with gradients that a call of `grad` has returned, before another pass begins in the
    same iteration, as by the inner step of a meta-learning that was to be recorded; NOTHING where none are."""
    later = next((e for e in run.passes if e.via == "backward" and e.began > entries[0].began), None)
    if entries[0].via == "backward" or later is None or run.loops(later.began)[:1] != run.loops(entries[0].began)[:1]:
        return NOTHING
    queue = [made.id for event in made for made in event.outputs][:_MOST]
    seen = {*queue}
    for tensor in queue:
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or event.in_backward:
                continue
            if any(run.tensors[run.owner(w.tensor)].info.requires_grad for w in event.written):
                return step
            fresh = [result.id for result in event.outputs if result.id not in seen and len(queue) < 2 * _MOST]
            seen.update(fresh)
            queue += fresh
    return NOTHING


def _adapted(run: Run, entries: list[Pass], made: list[OpRan]) -> Finding | None:
    """What is computed from trained leaves and their gradients, where nothing uses it and it was not looked at: the graph of
    the gradients was meant to be gone through, and it is what is missing in the loss."""
    ends = _ends(run, [t.id for event in made for t in event.outputs])
    roots = {tensor for entry in run.passes for tensor, _ in entry.event.roots}
    ends = [tensor for tensor in ends if tensor not in roots]
    if not ends or any(takes_values(run, tensor) for tensor in ends):
        return None
    last = run.tensors[ends[0]].born
    site = run.site(last)
    leaves = [leaf for leaf in leaves_of(run, ends[:1]) if leaf in run.updates]
    training = next((e for e in run.passes if e.via == "backward" and e.began > last and e.fills.keys() & {*leaves}), None)
    if not leaves or training is None:
        return None
    name = paths_of(run.recording).assigned_to(last) or run.title(ends[0])
    began = entries[0].began
    if not run.tensors[ends[0]].info.shape:
        # A number at the end is a loss itself, a penalty on gradients; else they have moved what a loss is to be computed with.
        leaves = [leaf for leaf in leaves if leaf in training.fills]
        why = f"No pass goes through it: the pass at {run.where(training.began)} trains these without {name}."
        fix = f"Add {name} to the loss that is trained on, or call backward() on it, too."
    else:
        fix = f"Compute the loss that is trained on with {name}, in place of {run.names(leaves)}."
        without = "as if the gradients had never been taken"
        why = f"No loss is computed with it: the pass at {run.where(training.began)} trains these {without}."
    return finding(
        run, UNUSED_ADAPTATION,
        f"{name}, computed with gradients and their graph, is used by nothing.",
        f"create_graph=True ({run.where(began)}) keeps a graph of the gradients, so that the loss of what is computed with "
        f"them leads back to {run.names(leaves)}. {why}",
        fix,
        step=last, site=site, related=[run.site(began), run.site(training.began)],
        evidence=[("operations that use it", "0"), ("passes through the graph of the gradients", "0")],
        nodes=[key(ends[0]), *(key(leaf) for leaf in leaves)],
    )  # fmt: skip


def _ends(run: Run, tensors: list[int]) -> list[int]:
    """The last results with a graph of all that the program computes from tensors, those that nothing takes; none where what is
    computed is itself no more than these."""
    queue, seen = list(tensors), {*tensors}
    ends = list[int]()
    for tensor in queue:
        further = False
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not isinstance(event, OpRan):
                continue
            further = True
            for result in event.outputs:
                if result.requires_grad and not event.in_backward and result.id not in seen:
                    seen.add(result.id)
                    queue.append(result.id)
        if not further and not run.tensors[tensor].op.in_backward:
            ends.append(tensor)
    return ends


@rule(177, ZERO_SECOND_DERIVATIVE)
def zero_second_derivative(run: Run) -> Iterator[Finding]:
    """A loss uses the derivative of a derivative, which is zero in every element, of a network with ReLU."""
    bent = run.having("relu") & frozenset(columns_of(run.recording).op_names)
    grads = {entry.began: entry for entry in run.passes if entry.event.via == "grad" and entry.event.create_graph}
    if not bent or len(grads) < 2:
        return
    told: dict[Site | None, bool] = {}
    first: dict[Site | None, tuple[int, int]] = {}
    began = sorted(grads)
    for name, bindings in run.named_tensors.items():
        for step, tensor in bindings[:_LOOKED_AT] if name else ():
            place = bisect_left(began, step) - 1
            entry = grads[began[place]] if place >= 0 else None
            if entry is None or tensor == NOTHING or not run.tensors[tensor].op.in_backward:
                continue
            site = run.site(entry.began)
            if run.site(run.tensors[tensor].born) != site or not _again(run, entry) or tensor not in run.consumers:
                continue
            told[site] = told.get(site, True) and run.zero(run.tensors[tensor].info.array)
            first.setdefault(site, (entry.began, tensor))
    relu, bend = next(run.first_ops_of(bent, 1))
    for site, zero in told.items():
        if not zero:
            continue
        step, tensor = first[site]
        yield finding(
            run, ZERO_SECOND_DERIVATIVE,
            f"{run.title(tensor)}, a second derivative, is zero everywhere: the network is made of straight pieces.",
            f"The slope of {bend.op} at {run.where(relu)} is 0 or 1, so the derivative of a network with it is "
            "constant from kink to kink, and its own derivative is zero. What the loss says of it teaches nothing.",
            "Use an activation that bends: tanh, softplus, silu or sin.",
            step=step, site=site, related=[run.site(relu)],
            evidence=[(run.title(tensor), "0 everywhere")], nodes=[key(tensor)],
        )  # fmt: skip


def _again(run: Run, entry: Pass) -> bool:
    """Whether a pass goes through what an earlier pass has recorded."""
    events = (run.nodes[node].event for node in entry.ran_at)
    return any(isinstance(event, OpRan) and event.in_backward for event in events)
