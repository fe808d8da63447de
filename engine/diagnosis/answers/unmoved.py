"""What the optimizers' steps make of a gradient, where that is not what it lets expect: told with the gradient's reason."""

from __future__ import annotations

import msgspec
import numpy as np

from ...recording.columns import columns_of
from ...recording.events import Stepped
from ..optimizer_text import given, optimizers
from ..reason import Reason
from .codes import NEUTRAL
from .grad_query import Question
from .unowned import beside, copied_from, meant
from .updates import ends, updated, written

_STILL = frozenset((
     "not_optimized", "rate_zero", "rounded", "put_back", "not_stepped", "cleared_before_step", "not_yet", "zeroed",
))  # fmt: skip
"""The codes of answers that lead the one about a gradient: the gradient is there, and makes no difference."""
_MORE = frozenset(("magnified", "shrunk"))
"""Codes of gradients that are there, beside the neutral ones."""
_SMALL = frozenset(("shrunk", "cancelled"))
"""Codes of gradients of which nothing comes, because they are so small."""
_APART = frozenset(("unused", "not_connected", "used_after", "created_after"))
"""Codes of parameters that no pass can come to."""
_ROUNDING = 1e-7
"""Gradients below this may be what is left of a sum that is zero."""
_DECAYS = ("AdamW",)
"""Optimizers that make parameters smaller unless they are told otherwise."""


def with_steps(q: Question, reason: Reason) -> Reason:
    """The reason of a gradient; where that is there and no step moves the parameter, the reason of that ahead of it."""
    if reason.code.startswith("cut_") or reason.code in _APART:
        return _gives_values(q, reason)
    first = next((row.step for row in q.rows if row.kind == "backward"), q.step)
    if first >= q.step or not q.status.is_leaf or not q.run.optimizer_steps:
        return reason
    if reason.code.startswith("zero"):
        return _moved_all_the_same(q, reason)
    if reason.code != "accumulated" and reason.code not in NEUTRAL | _MORE:
        return reason
    table = columns_of(q.run.recording).stepped
    own = np.flatnonzero(table.tensor == q.tensor)
    if not len(own):
        return _in_front(q, reason) if _is_left_out(q, first) else reason
    used = table.step[own[table.idle[own] == 0]]
    if not len(used):
        return _in_front(q, reason)  # passed over in each step, as its gradient was not there then
    if used[0] > q.step or not q.run.same(*ends(q, [int(used[0])])):
        return reason
    return _in_front(q, reason)


def _gives_values(q: Question, reason: Reason) -> Reason:
    """That no pass comes to it, as a fact where the parameter is to give values only: no optimizer has it or anything else of
    its model, or the program writes into it itself, as into a target network or an average."""
    run = q.run
    steps = [step for step, _ in run.optimizer_steps if step <= q.step]
    held = run.optimized
    if not steps or not reason.wrong or not q.history.info.is_parameter or q.tensor in held:
        return reason
    writes = [step for step in written(q) if step > steps[0]]
    if (beside(q, held) and not writes) or any(copied_from(q, t) for t in held):
        return reason
    copied = f", and {run.where(writes[-1])} writes its values" if writes else ""
    right = "where it is only to give values, as a target or a teacher does, that is right."
    return msgspec.structs.replace(
        reason,
        explanation=f"{reason.explanation} No optimizer has {q.name}{copied}: {right}".strip(),
        fix=f"If it is to learn: {reason.fix[:1].lower()}{reason.fix[1:]}" if reason.fix else "",
        wrong=False,
    )


def _in_front(q: Question, reason: Reason) -> Reason:
    """The answer of the update, with that of the gradient behind it."""
    found = updated(q)
    if found.code not in _STILL or (found.code == "rounded" and (reason.code in _SMALL or _tiny(q))):
        return reason  # that a gradient is so small is the reason that nothing comes of it
    clears = " zero_grad() does not clear it." if found.code == "not_optimized" and reason.code == "accumulated" else ""
    mended = reason.fix if reason.wrong and not found.fix else found.fix
    return msgspec.structs.replace(
        found,
        explanation=" ".join(part for part in (found.explanation, f"{reason.title}.{clears}") if part),
        fix=mended,
        wrong=found.wrong and (found.code != "not_optimized" or not meant(q)),
        evidence=(*found.evidence, *reason.evidence),
        nodes=tuple(dict.fromkeys((*found.nodes, *reason.nodes))),
    )


def _tiny(q: Question) -> bool:
    """Whether the gradient is so small that it may be no more than rounding itself."""
    values = q.run.recording.array(q.history.grad(q.step))
    return values is not None and values.dtype.kind == "f" and float(np.abs(values).max(initial=0)) < _ROUNDING


def _is_left_out(q: Question, first: int) -> bool:
    """Whether a parameter that no optimizer has gets gradients beside those of others, which alone are stepped with: it is not
    written otherwise, and its gradient is not handed to another one."""
    run = q.run
    if run.raised is not None or not any(first < step <= q.step for step, _ in run.optimizer_steps):
        return False
    held = run.optimized
    if not q.history.info.is_parameter and not beside(q, held):
        return False  # an input
    if q.tensor in run.updates or not run.same(run.status(q.tensor, first).array, q.status.array):
        return False
    grads = columns_of(run.recording).grads
    assigned = [number for number, how in enumerate(columns_of(run.recording).how_names) if how == "assign"]
    return not np.isin(grads.how, assigned).any()


def _moved_all_the_same(q: Question, reason: Reason) -> Reason:
    """A gradient of zeros, with what moves the parameter in spite of it: weight decay, or what is left of earlier gradients."""
    run = q.run
    table = columns_of(run.recording).stepped
    own = table.step[(table.tensor == q.tensor) & (table.idle == 0) & (table.step <= q.step)]
    if not len(own):
        return reason
    step = int(own[-1])
    event, grad = run.events[step], q.history.grad(step - 1)
    before, after = ends(Question(q.paths, q.tensor, step, q.name), [step])
    if not isinstance(event, Stepped) or grad < 0 or not run.zero(grad) or run.same(before, after):
        return reason
    made = [each for each in optimizers(run) if each.kind == event.optimizer]
    decay = next((each for each in made if given(each.call, -1, "weight_decay") is not None or each.kind in _DECAYS), None)
    earlier = any(row.kind == "backward" and not run.zero(row.increment) for row in q.rows)
    if earlier:
        why = "goes on by what earlier gradients have left in it (momentum, running means)"
    elif decay is not None:
        why = f"adds the weight decay ({run.site_text(decay.site)}), which is a share of {q.name} and needs no gradient"
    else:
        return reason
    moves = f"{q.name} moves all the same: {event.optimizer}.step() ({run.where(step)}) {why}."
    return msgspec.structs.replace(reason, explanation=f"{reason.explanation} {moves}".strip())
