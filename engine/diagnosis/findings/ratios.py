"""A rule about ratios of new to old probabilities: the old ones are made anew before each update."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, beside, loop_around, replaced, spot, statement_of
from ..mends.order import made_once
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .policies import BEFORE, bounded_exponential, sides_of
from .registry import rule
from .sampling import leaves_of

OLD_COMPUTED_ANEW = Kind(
    "old_computed_anew", "warning", "The old log-probabilities of a ratio are computed anew after every update, so that it is "
    "always 1.", mechanical=True, settled=True,
)  # fmt: skip

RATIO_INVERTED = Kind(
    "ratio_inverted", "error", "The ratio of a policy's loss is that of old to new probabilities, so that it makes better "
    "actions less likely.", mechanical=True, settled=True,
)  # fmt: skip

_LOOKED_AT = 64
"""Differences at one place that are looked at."""
_WAY = 200
"""Results between a log-probability and the data that it was computed from."""
_FAR = 12


@rule(70, OLD_COMPUTED_ANEW)
def old_computed_anew(run: Run) -> Iterator[Finding]:
    """What is subtracted from a log-probability was made of the same data with the same weights, every time, although the data
    have been used for updates before; and the ratio is bounded, as where several updates follow one another.

    `new - new.detach()` may be written for its gradient alone: there it is a hint, unless it is given the name of an old one.
    """
    apart = set[int]()
    places: dict[int, list[tuple[int, int, int]]] = {}
    for step, event in run.first_ops_of(run.having("difference"), _LOOKED_AT):
        ours, theirs = run.argument(event, "self"), run.argument(event, "other")
        if event.site in apart:
            continue
        if not _is_one(run, event, ours, theirs, step):
            apart.add(event.site)
            continue
        places.setdefault(event.site, []).append((step, ours, theirs))
    for site, found in places.items():
        again = next(_again(run, found), None) if site not in apart and len(found) > 1 else None
        if again is None:
            continue
        first, step, ours, theirs = again
        sides = sides_of(run, step)
        old = sides[1].text() if sides is not None else run.title(theirs)
        made = beside(run, run.tensors[theirs].born, run.site(step)) or run.site(run.tensors[theirs].born)
        yield finding(
            run, OLD_COMPUTED_ANEW,
            f"The ratio at {run.where(step)} is 1 in every update: {old} is computed with the present weights, too.",
            f"At {run.moment(step)} the weights have been changed since {run.moment(first)}, with the same data, and {old} "
            f"({run.site_text(made)}) has been computed anew since then. So both are the same numbers, and no bound on the "
            "ratio ever acts, however far the policy goes from the one that has chosen the actions.",
            f"Compute {old} once, before the first update with these data, and keep it.",
            step=step, site=made, related=[run.site(step), run.site(run.tensors[ours].born)],
            evidence=[("difference", "0 everywhere"), ("times that were looked at", str(len(found)))],
            nodes=[key(theirs), key(ours)], severity="hint" if run.owner(theirs) == ours and not BEFORE.search(old) else "",
            changes=_before_loop(run, made),
        )  # fmt: skip


def _is_one(run: Run, event: OpRan, ours: int, theirs: int, step: int) -> bool:
    """Whether the difference of what is learned and of a constant is zero throughout, and its exponential is bounded."""
    if NOTHING in (ours, theirs) or ours == theirs or not event.outputs or event.node is None or event.in_backward:
        return False
    if not run.status(ours, step - 1).requires_grad or run.status(theirs, step - 1).requires_grad:
        return False
    values = run.recording.array(event.outputs[0].array)
    return values is not None and values.size > 1 and not values.any() and bounded_exponential(run, event.outputs[0].id)


def _again(run: Run, found: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Where the same data, all of them, come again after an update, and the constant was made after that: the step at which
    they came before, that step, and the two sides."""
    rows, firsts, places = Counter[int](), dict[int, int](), dict[tuple[int, str], int]()
    for step, ours, theirs in found:
        leaves, before = leaves_of(run, [ours]), []
        known = True
        for whole, count in _data(run, ours).items():
            first = firsts.setdefault(whole, step)
            rows[whole] += count
            maker = run.tensors[whole].op
            like = places.setdefault((maker.site, maker.op), whole)
            if rows[whole] > (*run.tensors[whole].info.shape, 1)[0]:
                before.append(first)
            else:  # other states, or other actions
                known = known and like != whole and run.same(run.tensors[like].info.array, run.tensors[whole].info.array)
        first = max(before, default=step)
        updates = [at for leaf in leaves for at in run.updates.get(leaf, ()) if first < at < step]
        if not known or not updates or run.tensors[run.owner(theirs)].born < max(updates):
            continue
        if any(run.differ(run.status(leaf, first).array, run.status(leaf, step).array) for leaf in leaves):
            yield first, step, ours, theirs


def _data(run: Run, tensor: int) -> dict[int, int]:
    """The data that a result was computed from, whole, each with the number of its rows that were taken."""
    queue, seen, found = [tensor], {tensor}, dict[int, int]()
    for source in queue:
        for given in run.inputs(run.tensors[source].op):
            info = run.tensors[given].info
            if given in seen or info.is_parameter or len(queue) > _WAY:
                continue
            seen.add(given)
            if info.requires_grad:
                queue.append(given)
            elif len(info.shape) and info.shape[0] > 1 and not run.tensors[run.beneath_views(given)].info.is_parameter:
                found[_whole(run, given)] = info.shape[0]
    return found


def _whole(run: Run, tensor: int) -> int:
    """What rows were taken of, by views or indices."""
    for _ in range(_FAR):
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if not given or not any(event.op in run.having(trait) for trait in ("same_values", "leaves_out", "casts")):
            break
        tensor = given[0]
    return tensor


def _before_loop(run: Run, made: Site | None) -> Changes:
    """The statement that makes the old probabilities written before its loop, where it takes nothing that the loop makes."""
    loop = loop_around(run, made)
    statement, around = statement_of(run, made), spot(run, loop)
    if loop is None or made is None or statement is None or around is None:
        return []
    read = {part.id for part in ast.walk(statement.node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    written = {part.id for part in ast.walk(around.node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return [] if read & written else made_once(run, made, loop)


@rule(69, RATIO_INVERTED)
def ratio_inverted(run: Run) -> Iterator[Finding]:
    """`exp(old - new)`, bounded around 1 and multiplied by an advantage, where only `new` has a graph."""
    for step, event in run.first_ops_of(run.having("difference"), 1):
        ours, theirs = run.argument(event, "self"), run.argument(event, "other")
        if NOTHING in (ours, theirs) or event.node is None or not event.outputs or event.in_backward:
            continue
        kept, learned = run.tensors[ours], run.tensors[theirs]
        if kept.info.requires_grad or not learned.info.requires_grad or kept.info.shape != learned.info.shape:
            continue
        values = run.values(ours, step), run.values(theirs, step)
        if not bounded_exponential(run, event.outputs[0].id) or any(v is None or not (v <= 0).all() for v in values):
            continue
        sides = sides_of(run, step)
        one, other = (ast.unparse(side.node) for side in sides) if sides is not None else (run.title(ours), run.title(theirs))
        site = run.site(step)
        yield finding(
            run, RATIO_INVERTED,
            f"The ratio at {run.where(step)} is that of old to new probabilities: it is the other way around.",
            f"{one} has no graph, so it is what was before, and {other} is what learns. exp({one} - {other}) falls where an "
            "action becomes more likely: with it the loss makes actions of a high advantage less likely, and its bound stops "
            "the others.",
            f"Subtract what was before: {other} - {one}.",
            step=step, evidence=[(f"{one}.requires_grad", "False"), (f"{other}.requires_grad", "True")],
            nodes=[key(ours), key(theirs)],
            changes=replaced(run, site, f"{other} - {one}") if sides is not None else [],
        )  # fmt: skip
