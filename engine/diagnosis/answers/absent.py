"""Why a `.grad` is None: not kept, not wanted, cleared, not computed yet, or asked of another tensor of that name."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...recording.events import NOTHING
from ...recording.index import LedgerRow, Pass
from ..cuts import cuts_above, detached_in_place, fact
from ..failed_passes import failure
from ..reason import Reason
from .flags import DIFFERENTIABLE, requires_grad
from .grad_query import Question, listed
from .no_backward import no_backward
from .overwritten import overwritten
from .unreached import unreached

FREEZING = "from_pretrained"
"""What makes an embedding of given vectors, which do not learn unless that is said."""


def absent(q: Question) -> Reason:
    """The reason for a `.grad` that is None."""
    lost = overwritten(q)
    if lost is not None:
        return lost
    retained = q.flags("retains_grad")
    if not q.status.is_leaf and not retained:
        return _not_retained(q)
    if not q.status.requires_grad:
        return _needs_none(q)
    cleared = _cleared(q)
    start = cleared if cleared is not None else NOTHING
    passes = [entry for entry in q.passes if entry.began > start]
    if cleared is not None and not (passes and q.uses(passes[-1].began, cleared)):
        return _failed_since(q, cleared, passes) or _cut_since(q, cleared, passes) or _was_cleared(q, cleared)
    if retained and not [e for e in passes if e.began > retained[0][0]] and passes:
        return _retained_late(q, retained[0][0], passes[-1])
    frozen = _was_frozen(q, passes)
    if frozen is not None:
        return frozen
    running = [entry for entry in passes if entry.ended > q.step]
    if running and q.tensor in running[-1].fills:
        return _under_way(q, running[-1])
    backwards = [entry for entry in passes if entry.via == "backward"]
    lost = _another_of_that_name(q)
    if lost is not None:
        return lost
    return unreached(q, backwards) if backwards else no_backward(q, passes, cleared)


def _not_retained(q: Question) -> Reason:
    run = q.run
    made = q.history.op
    node = q.status.node
    name = run.nodes[node].info.name if node != NOTHING else made.op
    step = run.nodes[node].born if node != NOTHING else q.history.born
    gone = next((e for e in reversed(q.passes) if node in e.arrivals and e.via == "backward"), None)
    through, loss = "", "loss"
    if gone is not None:
        root = gone.event.roots[0][0]
        loss = name_ if root != q.tensor and (name_ := q.label(root)).isidentifier() else loss
        arrivals = [a for a in gone.arrivals[node].values if a.array >= 0 and a.input == q.status.output]
        if arrivals:
            texts = " + ".join(run.texts.describe(a.array) for a in arrivals[:4])
            through = f" Backward pass {gone.number} ({run.where(gone.began)}) brought it {texts}, used that and let it go."
    return q.because(
        "not_retained",
        f"{q.name}.grad is None because {q.name} is not a leaf: {run.where(step)} computed it ({name})",
        f"backward() fills .grad of leaves only, unless retain_grad() was called before.{through}",
        f"Call {q.name}.retain_grad() before backward(), or take torch.autograd.grad({loss}, {q.name})."
        if gone is None or q.tensor != gone.event.roots[0][0]
        else f"{q.name} is where backward() starts: its own gradient is 1.",
        step=step,
        nodes=[q.tensor],
        evidence=[("grad_fn", name), ("is_leaf", "False")],
    )


def _retained_late(q: Question, step: int, entry: Pass) -> Reason:
    return q.because(
        "retained_late",
        f"{q.name}.grad is None because retain_grad() was called at {q.run.where(step)}, after backward() at "
        f"{q.run.where(entry.began)}",
        f"{q.name} is not a leaf, and the pass did not keep its gradient.",
        f"Call {q.name}.retain_grad() before backward().",
        step=step,
        nodes=[q.tensor],
    )


def _needs_none(q: Question) -> Reason:
    run = q.run
    off = [s for s, value in q.flags("requires_grad") if not value]
    if off and q.flags("requires_grad")[-1][1] is False and detached_in_place(q.paths, q.tensor, q.step + 1) == NOTHING:
        return _frozen(q, off[-1])
    maker = q.history.op
    inputs = run.inputs(maker)
    if q.history.info.grad_of != NOTHING:
        return q.because(
            "needs_none",
            f"{q.name}.grad is None because {q.name} is a gradient itself, computed without create_graph=True",
            "Its own computation was not recorded, so nothing can be derived by it.",
            step=q.history.born,
            nodes=[q.tensor],
        )
    said = requires_grad(q)
    found = next(cuts_above(q.paths, q.tensor, q.step + 1, q.label), None)
    if found is not None:
        cut, way = found
        return q.because(
            cut.code,
            f"{q.name}.grad is None because {q.name} does not require grad: {cut.what} cuts it off from {q.label(cut.source)}",
            cut.sentence,
            cut.fix,
            step=cut.step,
            site=cut.site,
            nodes=way,
            cut=[(cut.source, cut.result)],
            evidence=[fact(run, cut), (f"{q.name}.requires_grad", "False")],
        )
    if inputs and maker.op not in ("Parameter",) and maker.op != "grad":
        leaves = leaves_above(q)
        names = listed([q.told(t) for t in leaves])
        floating = [t for t in leaves if run.tensors[t].info.dtype.startswith(DIFFERENTIABLE)]
        made = "made without requires_grad=True"
        fix = f"If a gradient is wanted, make {listed([q.label(t) for t in floating])} with requires_grad=True."
        if not floating:
            made = "and integers cannot require grad"
            fix = ""
        site = run.tensors[leaves[0]].born if len(leaves) == 1 else q.history.born
        return q.because(
            "inputs_need_none",
            f"{q.name}.grad is None because nothing that {q.name} is computed from requires grad",
            f"{run.where(q.history.born)} computes it from {names}, {made}.",
            fix,
            step=site,
            nodes=[*leaves, q.tensor],
            evidence=[(f"{q.label(t)}.requires_grad", "False") for t in leaves[:4]],
        )
    dtype = q.history.info.dtype
    if not dtype.startswith(DIFFERENTIABLE):
        return q.because(
            "integer",
            f"{q.name}.grad is None because {q.name} is {dtype}, and only floating point tensors can require grad",
            said,
            f"Make {q.name} floating point (1.0 instead of 1, or dtype=torch.float32) with requires_grad=True.",
            step=q.history.born,
            nodes=[q.tensor],
            evidence=[("dtype", dtype)],
        )
    how = "without requires_grad=True"
    fix = f"If a gradient is wanted, make it with requires_grad=True, or call {q.name}.requires_grad_() before it is used."
    if q.history.info.is_parameter and f"{FREEZING}(" in run.segment(run.site(q.history.born)):
        how = f"by {FREEZING}, which freezes it"
        fix = f"If it is to learn, pass freeze=False: {FREEZING}(…, freeze=False)."
    return q.because(
        "needs_none",
        f"{q.name}.grad is None because {q.name} was made {how}",
        said,
        fix,
        step=q.history.born,
        nodes=[q.tensor],
        evidence=[(f"{q.name}.requires_grad", "False")],
    )


def leaves_above(q: Question) -> list[int]:
    """The leaves that a tensor was computed from."""
    run = q.run
    queue, found = [q.tensor], []
    seen = {q.tensor}
    for tensor in queue:
        inputs = [t for t in run.inputs(run.tensors[tensor].op) if run.tensors[tensor].op.op != "grad"]
        if not inputs:
            found.append(tensor)
        if len(queue) > 500:
            break
        for t in inputs:
            if t not in seen:
                seen.add(t)
                queue.append(t)
    return found or [q.tensor]


def _frozen(q: Question, step: int) -> Reason:
    return q.because(
        "frozen",
        f"{q.name}.grad is None because {q.name} was frozen: requires_grad was set to False at {q.run.where(step)}",
        "A frozen tensor counts as a constant, so backward() computes nothing for it.",
        f"Call {q.name}.requires_grad_() before the forward computation, if it is to learn.",
        step=step,
        nodes=[q.tensor],
        evidence=[(f"{q.name}.requires_grad", "False")],
    )


def _was_frozen(q: Question, passes: Sequence[Pass]) -> Reason | None:
    """The tensor requires grad now, and did not when it was used."""
    flags = q.flags("requires_grad")
    if not flags or not passes or not q.status.is_leaf:
        return None
    entry = passes[-1]
    uses = q.uses(entry.began)
    if not uses or any(q.run.status(q.tensor, s).requires_grad for s in uses):
        return None
    on = next((s for s, value in flags if value and s > uses[-1]), NOTHING)
    if on == NOTHING or not _depends(q, entry):
        return None
    off = [s for s, value in flags if not value and s < uses[0]]
    if off:
        return _thawed(q, off[-1], on, entry)
    return q.because(
        "flag_late",
        f"{q.name}.grad is None because {q.name} was told to require grad only at {q.run.where(on)}, after it was used at "
        f"{q.run.where(uses[-1])}",
        "What was computed before has no graph that leads to it.",
        f"Call {q.name}.requires_grad_() (or make it with requires_grad=True) before the forward computation.",
        step=on,
        nodes=[q.tensor],
    )


def _thawed(q: Question, off: int, on: int, entry: Pass) -> Reason:
    run = q.run
    return q.because(
        "frozen",
        f"{q.name}.grad is None because {q.name} was frozen at {run.where(off)} and still was during the forward computation "
        f"of the pass at {run.where(entry.began)}",
        f"It requires grad again since {run.where(on)}, and no pass has reached it since.",
        "Unfreeze it before the forward computation.",
        step=off,
        nodes=[q.tensor],
    )


def _depends(q: Question, entry: Pass) -> bool:
    return q.paths.between(q.tensor, tuple(t for t, _ in entry.event.roots), entry.began) is not None


def _cleared(q: Question) -> int | None:
    """The step at which a gradient that was there was set to None."""
    rows = q.rows
    if not rows or rows[-1].total != NOTHING:
        return None
    for position in range(len(rows) - 1, 0, -1):
        if rows[position - 1].total != NOTHING:
            return rows[position].step
    return None


def _failed_since(q: Question, cleared: int, passes: Sequence[Pass]) -> Reason | None:
    """The program died after the gradient had been cleared, in the pass that would have filled it or on the way there."""
    run = q.run
    raised = run.raised
    if raised is None or not cleared < raised[0] <= q.step:
        return None
    backwards = [entry for entry in passes if entry.via == "backward"]
    if backwards and failure(run, backwards[-1]):
        found = unreached(q, backwards[-1:])
    elif any(entry.ended < raised[0] for entry in backwards):
        return None
    else:
        found = no_backward(q, passes, cleared)
    told = f"{_clearing(q, cleared)} had cleared what pass {_before(q, cleared).number} gave."
    return msgspec.structs.replace(found, explanation=f"{found.explanation} {told}".strip(), wrong=True)


def _cut_since(q: Question, cleared: int, passes: Sequence[Pass]) -> Reason | None:
    """A later pass began with what the tensor was used for since its gradient was last filled, and did not come back to it."""
    backwards = [entry for entry in passes if entry.via == "backward"]
    if not backwards or not q.uses(backwards[-1].began, _before(q, cleared).step):
        return None
    found = unreached(q, backwards)
    return found if found.code.startswith("cut_") or found.code == "no_gradient" else None


def _before(q: Question, cleared: int) -> LedgerRow:
    """What the gradient was before it was cleared."""
    return next(row for row in reversed(q.rows) if row.step < cleared and row.total != NOTHING)


def _clearing(q: Question, cleared: int) -> str:
    how = "zero_grad()" if "zero_grad" in q.run.segment(q.run.site(cleared)) else "The program"
    return f"{how} ({q.run.where(cleared)})"


def _was_cleared(q: Question, step: int) -> Reason:
    run = q.run
    before = _before(q, step)
    source = run.segment(run.site(step))
    how = "zero_grad()" if "zero_grad" in source else "None"
    verb = "cleared it" if how == "zero_grad()" else "set it to None"
    entry = run.index.passes.get(before.number)
    by = f"Backward pass {before.number} ({run.moment(entry.began)}) had set it to" if entry is not None else "It was"
    return q.because(
        "cleared",
        f"{q.name}.grad is None because {how if how != 'None' else 'the program'} {verb} at {run.moment(step)}, and no "
        "backward pass has filled it since",
        f"{by} {run.texts.describe(before.total)}.",
        "To see the gradient, read it after backward() and before it is cleared.",
        step=step,
        nodes=[q.tensor],
        evidence=[("before", run.texts.describe(before.total)), ("cleared", run.where(step))],
    )


def _under_way(q: Question, entry: Pass) -> Reason:
    at = entry.fills[q.tensor][0]
    return q.because(
        "under_way",
        f"{q.name}.grad is None because backward pass {entry.number} ({q.run.moment(entry.began)}) is still on its way: it "
        f"reaches {q.name} at step {at}",
        step=at,
        site=q.run.site(entry.began),
        nodes=[q.tensor],
    )


def _another_of_that_name(q: Question) -> Reason | None:
    """The name stood for another tensor when the pass ran."""
    run = q.run
    bound = q.bound_at()
    for tensor in q.predecessors:
        history = run.tensors[tensor]
        if history.ledger is None:
            continue
        got = [row for row in history.ledger.until(q.step) if row.kind == "backward"]
        if not got or any(entry.began > bound and _depends(q, entry) for entry in q.passes):
            continue
        other = run.where(history.born)
        return q.because(
            "rebound",
            f"{q.name}.grad is None because {q.name} now names another tensor, made at {run.where(q.history.born)}; the "
            f"{q.name} that got the gradient is the one of {other}",
            f"The gradient of pass {got[-1].number} ({run.moment(run.index.passes[got[-1].number].began)}) went to the earlier "
            "tensor; the new one has taken part in no backward pass.",
            f"Update {q.name} in place within torch.no_grad(), or run forward and backward() again with the new tensor.",
            step=q.history.born,
            nodes=[tensor, q.tensor],
            evidence=[(f"{q.name} of {other}", f".grad was {run.texts.describe(got[-1].total)}")],
            # A loop in which each turn makes the leaf of the next one learns: the last of them alone has no pass.
            wrong=run.site(history.born) != run.site(q.history.born),
        )
    return None
