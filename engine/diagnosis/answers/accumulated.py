"""Why a `.grad` is the sum of several passes: nobody cleared it, something counts twice, or batches are to add up."""

from __future__ import annotations

from itertools import pairwise

from ...recording.events import NOTHING
from ...recording.index import LedgerRow
from ..reason import Reason
from .grad_query import Question, listed
from .ledger_rows import every, ledger, line_of, pass_of, site_of, way_back

_ROOTS, _TERMS = 6, 60
"""Passes whose beginnings are compared, and results that are looked at above one."""


def accumulated(q: Question, added: list[LedgerRow], cleared: LedgerRow | None) -> Reason:
    """The answer for what several passes have added since the gradient was cleared, if it ever was."""
    run = q.run
    texts = run.texts
    numbers = list(dict.fromkeys(row.number for row in added))
    since = f"since it was cleared at {run.moment(cleared.step)}" if cleared is not None else "and it was never cleared"
    if cleared is None and "zero_grad" in run.words:
        since = "and it was not cleared between them"
    small = [texts(row.increment) for row in added]
    known = not any(array in run.unmeasured for row in added for array in (row.increment, row.total))
    total = ""
    if known and len(small) <= 4 and all(len(text) < 16 for text in small):
        total = f" {' + '.join(small)} = {texts(added[-1].total)}."
    same = len({run.site(pass_of(q, row).began) for row in added}) == 1
    written = q.history.changes.steps if q.history.changes is not None else []
    stale = _used_again(written, [row.step for row in added])
    unheld = _unheld(q) if cleared is None else ""
    twice, meant = _contained(q, added), "" if stale or unheld else _on_purpose(q, added, same)
    others, apart = _for_others(q, added)
    where = every(q, added) if same else listed([line_of(q, row) for row in added])
    return q.because(
        "accumulated",
        f"{q.name}.grad is the sum of {len(numbers)} backward passes ({where}), {since}",
        f"backward() adds to .grad.{total}{unheld}{twice}{others}",
        "Make the optimizer after the model is complete, with all of its parameters: then its zero_grad() clears them all."
        if unheld
        else f"Clear it before each pass: optimizer.zero_grad() or {q.name}.grad = None."
        if stale
        else "Leave out of the later one what had its pass already, or call backward() once, on the whole."
        if twice
        else apart
        or meant
        or f"If that is not meant, clear it before each pass: optimizer.zero_grad() or {q.name}.grad = None.",
        step=pass_of(q, added[-1]).began,
        site=site_of(q, added[-1]),
        nodes=way_back(q, added[-1]),
        evidence=ledger(q),
        wrong=stale or bool(unheld),
    )


def _contained(q: Question, added: list[LedgerRow]) -> str:
    """That what one of the passes began with was computed from what an earlier one began with, which counts twice; else ""."""
    run = q.run
    roots = list(dict.fromkeys((pass_of(q, row).event.roots[0][0], pass_of(q, row).began) for row in added))[-_ROOTS:]
    for position, (root, began) in enumerate(roots[1:], 1):
        behind = set(run.behind(root, most=_TERMS))
        twice = next(((first, at) for first, at in roots[:position] if first in behind and first != root), None)
        if twice is not None:
            name = q.label(twice[0])
            earlier = f"the earlier {name}" if name == q.label(root) else name
            return (
                f" {q.told(root)}, where the pass at {run.where(began)} begins, contains {earlier}: what that gives was there "
                f"already ({run.where(twice[1])}) and counts twice."
            )
    return ""


def _for_others(q: Question, added: list[LedgerRow]) -> tuple[str, str]:
    """Where the step after an earlier pass is one of an optimizer that does not have the tensor, as a discriminator's is: that
    what the pass brought is still there at the later one, and what to do. Both "" where none is."""
    run = q.run
    held = {t for _, event in run.optimizer_steps for t in event.owned}
    for row, later in pairwise(added):
        steps = [(step, event) for step, event in run.optimizer_steps if row.step < step < later.step]
        if not steps or q.tensor not in held or any(q.tensor in event.owned for _, event in steps):
            continue
        (step, event), entry = steps[0], pass_of(q, row)
        root, where = q.label(entry.event.roots[0][0]), run.where(entry.began)
        return (
            f" The pass at {where} is followed by {event.optimizer}.step() ({run.where(step)}), which moves others: what it "
            f"brought to {q.name} stays.",
            f"If {root} ({where}) is not for {q.name}, cut it off: detach() what it uses that is computed from {q.name}. Or "
            "clear .grad before the later pass.",
        )
    return "", ""


def _on_purpose(q: Question, added: list[LedgerRow], same: bool) -> str:
    """What to do where one step may take the gradients of several passes of one line on purpose, as batches do; else ""."""
    run, first, last = q.run, added[0].step, added[-1].step
    between = [step for step, _ in run.optimizer_steps if first < step < last]
    if not same or between or not run.optimizer_steps:
        return ""
    root = pass_of(q, added[-1]).event.roots[0][0]
    event = run.tensors[root].op
    if event.op in run.having("division") and run.number(event) == len(added):
        return f"The loss is divided by {len(added)}, so the sum is that of the whole batch's mean: nothing is to be done."
    return (
        f"Where {len(added)} batches are to add up to one step, divide the loss by {len(added)}, so that the sum is the mean "
        "over all of them; where not, clear .grad before each pass: optimizer.zero_grad()."
    )


def _unheld(q: Question) -> str:
    """That no optimizer has the tensor, so that none clears its gradient; "" where one has it, or there is none."""
    events = [event for step, event in q.run.optimizer_steps if step <= q.step]
    held = {t for event in events for t in event.owned}
    if not events or q.tensor in held or "zero_grad" not in q.run.words:
        return ""
    namesake = next((t for t in q.predecessors if t in held), NOTHING)
    instead = f", but the {q.name} that was made at {q.run.where(q.run.tensors[namesake].born)}" if namesake != NOTHING else ""
    return f" zero_grad() does not clear it: {events[-1].optimizer} does not have {q.name}{instead}."


def _used_again(written: list[int], added: list[int]) -> bool:
    """Whether a step has used a gradient in which there was still what an earlier step had used."""
    first = next((step for step in written if step > added[0]), None)
    later = next((step for step in added if first is not None and step > first), None)
    return later is not None and any(step > later for step in written)
