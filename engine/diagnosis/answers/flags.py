"""Why a tensor does or does not require grad, in one sentence."""

from __future__ import annotations

from ...recording.events import NOTHING, OpRan
from ..cuts import KINDS, cuts_above, filled, opener
from .grad_query import Question, listed

DIFFERENTIABLE = ("float", "bfloat", "complex")
"""What the names of dtypes that can require grad begin with."""


def requires_grad(q: Question) -> str:
    """The sentence for the moment of the question."""
    run, name = q.run, q.name
    history, status = q.history, q.status
    where = run.where(history.born)
    origin = history.op
    told = q.flags("requires_grad")
    if told and status.is_leaf and told[-1][1] == status.requires_grad:
        at = run.where(told[-1][0])
        if status.requires_grad:
            return f"{name} requires grad: requires_grad was set to True at {at}."
        return f"{name} does not require grad: requires_grad was set to False at {at}."
    if status.requires_grad and status.node != NOTHING:
        maker = run.nodes[status.node]
        sources = run.inputs(maker.event) if isinstance(maker.event, OpRan) else []
        needing = [t for t in sources if t != q.tensor and run.status(t, maker.born).requires_grad]
        of = listed([q.label(t) for t in needing]) or "tensors that require grad"
        verb = "requires" if len(needing) == 1 else "require"
        return f"{name} requires grad: {run.where(maker.born)} computed it from {of}, which {verb} grad ({maker.info.name})."
    if status.requires_grad:
        if history.info.is_parameter:
            return f"{name} requires grad: it is an nn.Parameter, made at {where}."
        return f"{name} requires grad: {where} made it with requires_grad=True."
    if history.info.grad_of != NOTHING:
        return f"{name} does not require grad: it is a gradient, computed without create_graph=True."
    inputs = [t for t in run.inputs(origin) if t != q.tensor]
    needing = [t for t in inputs if run.status(t, history.born).requires_grad]
    if needing:
        of = q.label(needing[0])
        opening = opener(q.paths, origin, run.site(history.born))
        at = f"at {run.site_text(opening)}" if opening is not None else "there"
        kind = KINDS.get(origin.cut, KINDS["nondifferentiable"])
        why = filled(kind.flag, {"op": origin.op, "at": at, "dtype": history.info.dtype})
        return f"{name} does not require grad: {where} made it from {of}, which does, but {why}."
    above = next(cuts_above(q.paths, q.tensor, q.step + 1, q.label), None)
    if above is not None:
        cut, _ = above
        return f"{name} does not require grad: {cut.what} ({run.site_text(cut.site)}) cut it off from {q.label(cut.source)}."
    if inputs:
        of = listed([q.label(t) for t in inputs])
        verb = "does not" if len(dict.fromkeys(inputs)) == 1 else "do not"
        return f"{name} does not require grad: {where} computed it from {of}, which {verb}."
    if not history.info.dtype.startswith(DIFFERENTIABLE):
        return f"{name} does not require grad, and cannot: it is {history.info.dtype}."
    return f"{name} does not require grad: {where} made it without requires_grad=True."
