"""Rules about policy gradients: log-probabilities of what was done, times what came of it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, Spot, replaced, spot, with_call, wrapped
from ..paths import Paths, paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sampling import leaves_of

ADVANTAGE_LEARNS = Kind(
    "advantage_learns", "warning", "What a log-probability is multiplied by has a graph of its own, so the policy's loss moves "
    "it, too.", mechanical=True, settled=True,
)  # fmt: skip
POLICY_SIGN = Kind("policy_sign", "hint", "A loss makes what was rewarded less likely: the minus sign may be missing.")
GRADIENT_CANCELS = Kind(
    "gradient_cancels", "warning", "A result is subtracted with its graph from the same result, computed once more, and their "
    "gradients cancel.", mechanical=True, settled=True,
)  # fmt: skip

RATIO_IS_ONE = Kind(
    "ratio_is_one", "warning", "The ratio of new to old probabilities is 1 throughout, because both are those of the present.",
    mechanical=True, settled=True,
)  # fmt: skip

_TWICE = 2
"""Iterations in which a difference is zero throughout before that is no chance."""
_FAR = 12
"""Operations between the root of a pass and a log-probability."""
_MOST = 60
_GAINS = re.compile(r"(?<![a-z])(adv|rew|ret|gain|gae|discounted|g_t)|^(r|g|R|G|A)s?$|(?<![a-z])returns?", re.IGNORECASE)
"""The names of what is to become large."""
BEFORE = re.compile(r"(?<![a-z])(old|prev|behaviou?r|ref|before|mu)(?![a-z])", re.IGNORECASE)
"""The names of what was before an update."""
_LOSSES = re.compile(r"loss|cost|regret|penal|neg", re.IGNORECASE)


class Scored(NamedTuple):
    """A log-probability times a factor, as it enters a loss."""

    step: int
    event: OpRan
    log_prob: int
    factor: int
    """The tensor, NOTHING for a number."""
    sign: int
    """1 where a larger product makes a larger loss, -1 where it makes a smaller one."""
    node: ast.expr | None
    """The factor's text."""
    cell: int
    sampled: bool
    """Whether it is the probability of something that was drawn."""


@rule(67, ADVANTAGE_LEARNS)
def advantage_learns(run: Run) -> Iterator[Finding]:
    """The factor requires grad, and leads to leaves that the log-probability does not depend on."""
    for scored in _scored(run):
        if scored.factor == NOTHING or not scored.sampled or not run.status(scored.factor, scored.step - 1).requires_grad:
            continue
        moved = [t for t in leaves_of(run, [scored.factor]) if t not in leaves_of(run, [scored.log_prob]) and t in run.updates]
        if not moved:
            continue
        name = ast.unparse(scored.node) if scored.node is not None else run.title(scored.factor)
        wide = isinstance(scored.node, ast.BinOp | ast.UnaryOp | ast.IfExp)
        text = f"({name})" if wide else name
        site = site_of(scored.cell, scored.node) if scored.node is not None else run.site(scored.step)
        yield finding(
            run, ADVANTAGE_LEARNS,
            f"The loss of the policy moves {run.names(moved)}, too: {name} is not detached.",
            f"{name} says how good an action was, and is computed from {run.names(moved)}. Through the product with the "
            f"log-probability at {run.where(scored.step)} they get a gradient that makes the factor smaller, whatever would be "
            "the right value.",
            f"Use {text}.detach() there.",
            step=scored.step, site=site, related=[run.site(run.tensors[scored.factor].born)],
            evidence=[("requires_grad of the factor", "True")],
            nodes=[key(scored.factor), key(scored.log_prob), *map(key, moved)],
            changes=wrapped(run, site, "(" * wide, ")" * wide + ".detach()") if scored.node is not None else [],
        )  # fmt: skip
        return


@rule(68, GRADIENT_CANCELS)
def gradient_cancels(run: Run) -> Iterator[Finding]:
    """The difference of two results, computed at two places from the same trained leaves, is zero time and again."""
    same, apart, firsts = Counter[int](), set[int](), dict[int, int]()
    for step, event in run.first_ops_of(run.having("difference")):
        ours, theirs = run.argument(event, "self"), run.argument(event, "other")
        if event.site in apart or not _the_same_anew(run, event, ours, theirs, step):
            apart.add(event.site)
            continue
        same[event.site] += 1
        first = firsts.setdefault(event.site, ours)
        if same[event.site] != _TWICE:
            continue
        leaves = [leaf for leaf in leaves_of(run, [ours]) if leaf in run.updates]
        sides = sides_of(run, step)
        (name, made), (again, anew) = (
            (text or run.title(t), run.where(run.tensors[t].born))
            for t, text in ((theirs, sides[1].text() if sides else ""), (ours, sides[0].text() if sides else ""))
        )
        fix, changes = _constant(run, step, first, event.outputs[0].id, sides)
        yield finding(
            run, GRADIENT_CANCELS,
            f"The gradient through {again} is cancelled by that through {name}, which is not detached." if changes else
            f"The gradients through {again} and {name} cancel each other: neither is detached.",
            f"{name} ({made}) and {again} ({anew}) have the same values, computed from the same parameters. What moves the one "
            f"moves the other as much, so through their difference {run.names(leaves)} get nothing.",
            fix, step=step, related=[run.site(run.tensors[t].born) for t in (theirs, ours)],
            evidence=[("difference", "0 everywhere"), ("requires_grad of both", "True")], nodes=[key(theirs), key(ours)],
            changes=changes,
        )  # fmt: skip


def _constant(run: Run, step: int, first: int, difference: int, sides: tuple[Spot, Spot] | None) -> tuple[str, Changes]:
    """Which side of a difference is to be a constant, in a sentence, and the change of the text; none where that is not sure.

    In a ratio exp(new - old) it is what is subtracted, whichever of the two was computed first: to detach the other one
    would turn the gradient round, and a policy would learn the opposite. `first` is the other side when it was first computed.
    """
    unsure = "Detach the one of the two that is meant to be a constant: with the other one detached the gradient is reversed."
    if sides is None or not _exponential(run, difference):
        return unsure, []
    one, other = (side.text() for side in sides)
    if BEFORE.search(one) and not BEFORE.search(other):
        return unsure, []
    site = site_of(sides[1].cell, sides[1].node)
    kept = _kept_log_probability(run, first, step) if bounded_exponential(run, difference) else None
    if kept is not None and _as_then(run, first, kept[1]):
        fix = f"Subtract {kept[0]}, which was kept when the actions were drawn, instead of {other}."
        return fix, replaced(run, site, kept[0])
    name = f"({other})" if isinstance(sides[1].node, ast.BinOp | ast.UnaryOp | ast.IfExp) else other
    return f"Take what is subtracted as a constant: {name}.detach().", with_call(run, site, "detach()")


@rule(70, RATIO_IS_ONE)
def ratio_is_one(run: Run) -> Iterator[Finding]:
    """What is subtracted from a log-probability is that log-probability itself, detached, while what was kept when the actions
    were drawn is used by nothing; and the ratio is bounded, as where several updates follow one another."""
    seen = Counter[int]()
    for step, event in run.first_ops_of(run.having("difference")):
        ours, theirs = run.argument(event, "self"), run.argument(event, "other")
        if NOTHING in (ours, theirs) or ours == theirs or run.owner(theirs) != ours or not event.outputs:
            continue
        seen[event.site] += 1
        bounded = bounded_exponential(run, event.outputs[0].id)
        kept = _kept_log_probability(run, ours, step) if bounded and seen[event.site] == _TWICE else None
        if kept is None:
            continue
        name, tensor = kept
        made = run.site(run.tensors[theirs].born)
        yield finding(
            run, RATIO_IS_ONE,
            f"The ratio at {run.where(step)} is 1 in every iteration: {run.title(theirs)} is {run.title(ours)}, detached.",
            f"{name} ({run.where(run.tensors[tensor].born)}), of when the actions were drawn, is used by nothing. With a "
            "ratio of 1 no bound on it ever acts, however far the policy has gone.",
            f"Subtract {name}, which was kept when the actions were drawn.",
            step=step, related=[made, run.site(run.tensors[tensor].born)],
            evidence=[("difference", "0 everywhere"), (f"uses of {name}", "0")], nodes=[key(ours), key(theirs), key(tensor)],
            changes=replaced(run, made, name),
        )  # fmt: skip


def _as_then(run: Run, first: int, kept: int) -> bool:
    """Whether what was kept holds the values that were computed anew before the first update."""
    then, now = (run.values(t, run.tensors[t].born) for t in (first, kept))
    return then is not None and now is not None and then.shape == now.shape and bool(np.allclose(then, now, rtol=1e-4))


def _exponential(run: Run, tensor: int) -> list[int]:
    """The exponentials that are taken of a tensor, or of the sum of its elements."""
    made, queue = list[int](), [tensor]
    for each in queue:
        for at in run.consumers.get(each, ()):
            event = run.events[at]
            if not isinstance(event, OpRan) or event.in_backward or len(event.outputs) != 1 or len(queue) > _FAR:
                continue
            if event.op in run.having("exponential"):
                made.append(event.outputs[0].id)
            elif event.op in run.having("same_values") or event.op in run.having("reduces") & run.having("additive"):
                queue.append(event.outputs[0].id)
    return made


def bounded_exponential(run: Run, tensor: int) -> bool:
    """Whether the exponential of a tensor is taken and bounded."""
    for made in _exponential(run, tensor):
        for later in run.consumers.get(made, ()):
            bound = run.events[later]
            if isinstance(bound, OpRan) and bound.op in run.having("flat_outside"):
                return True
    return False


def _kept_log_probability(run: Run, tensor: int, step: int) -> tuple[str, int] | None:
    """The name of a tensor that was computed like another one where no gradients are tracked, and is used by nothing."""
    like = run.tensors[tensor]
    for name, bindings in run.named_tensors.items():
        for bound, other in bindings:
            if bound >= step or other in (NOTHING, tensor) or run.consumers.get(other) or not name.isidentifier():
                continue
            if name.startswith("_") or not _seen_from(run, bound, step):
                continue
            history = run.tensors[other]
            alike = history.info.shape == like.info.shape and history.op.op == like.op.op
            if alike and not history.info.requires_grad and not history.op.grad_mode and run.named_at(name, step) == other:
                return name, other
    return None


def _seen_from(run: Run, bound: int, step: int) -> bool:
    """Whether a name that was bound at a step is one of the module's, or of the function that runs at another step."""
    scopes = run.recording.scopes
    calls, here = (scopes[at].calls if (at := run.events[s].scope) >= 0 else () for s in (bound, step))
    return calls in ((), here)


def sides_of(run: Run, step: int) -> tuple[Spot, Spot] | None:
    """What stands on both sides of a difference in the text."""
    found = spot(run, run.site(step))
    if found is None or not isinstance(found.node, ast.BinOp) or not isinstance(found.node.op, ast.Sub):
        return None
    return Spot(found.cell, found.program, found.node.left), Spot(found.cell, found.program, found.node.right)


def _the_same_anew(run: Run, event: OpRan, one: int, other: int, step: int) -> bool:
    """Whether two tensors are the same numbers, made at two places from the same leaves, and both pass gradients on."""
    if NOTHING in (one, other) or one == other or event.node is None or event.node.id not in run.ran:
        return False  # what is only looked at may well be zero
    if not all(run.status(tensor, step - 1).requires_grad for tensor in (one, other)):
        return False
    if run.tensors[one].op.site == run.tensors[other].op.site or not _computed_alike(run, one, other):
        return False
    values = run.recording.array(event.outputs[0].array)
    leaves = set(leaves_of(run, [one]))
    if values is None or values.any() or not values.size or leaves != set(leaves_of(run, [other])):
        return False
    return any(leaf in run.updates for leaf in leaves)


def _computed_alike(run: Run, one: int, other: int) -> bool:
    """Whether two results come of the same operations on the same numbers, as far as these are known."""
    queue = [(one, other)]
    for ours, theirs in queue:
        (at, maker), (again, anew) = run.op_of(ours), run.op_of(theirs)
        given = run.inputs(maker), run.inputs(anew)
        if maker.op != anew.op or len(given[0]) != len(given[1]):
            return False
        for first, second in zip(*given, strict=True):
            if first == second:
                continue
            once, then = run.values(first, at), run.values(second, again)
            if once is not None and then is not None and not np.array_equal(once, then):
                return False
            if len(queue) < _FAR:
                queue.append((first, second))
    return True


@rule(69, POLICY_SIGN)
def policy_sign(run: Run) -> Iterator[Finding]:
    """The loss grows with a log-probability of what was drawn times what its name calls a gain."""
    if not run.optimizer_steps or {"maximize", "neg_"} & run.words.keys():
        return
    for scored in _scored(run):
        name = ast.unparse(scored.node) if scored.node is not None else run.title(scored.factor)
        if scored.sign < 0 or not scored.sampled or not _gain(scored.node, name) or _turned(run, scored.factor):
            continue
        site = run.site(scored.step)
        yield finding(
            run, POLICY_SIGN,
            "The loss makes rewarded actions less likely: the minus sign is missing.",
            f"{run.segment(site) or 'The product'} is the log-probability of what was done times {name}, and the loss grows "
            f"with it. The optimizer makes the loss small, so if a large {name} is good, what is good is done less often.",
            f"Minimise its negative: -({run.segment(site) or 'log_prob * advantage'}).",
            step=scored.step, site=site, evidence=[("sign of the product in the loss", "+")],
            nodes=[key(scored.event.outputs[0].id), key(scored.log_prob)],
        )  # fmt: skip
        return


def _gain(node: ast.expr | None, name: str) -> bool:
    """Whether a factor is what its name calls a gain, or the difference of one and something else."""
    text = ast.unparse(node.left) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) else name
    return bool(_GAINS.search(text)) and not _LOSSES.search(name)


def _turned(run: Run, factor: int) -> bool:
    """Whether a factor has been negated on its way."""
    for _ in range(_FAR):
        if factor == NOTHING:
            return False
        maker = run.tensors[factor].op
        if maker.op == "neg" or run.number(maker) < 0:
            return True
        given = run.inputs(maker)
        factor = given[0] if given else NOTHING
    return False


def _scored(run: Run) -> list[Scored]:
    """The products of log-probabilities that the roots of passes are made of, one for each place in the text."""
    return run.recording.once("log-probabilities in losses", lambda: list(_found(paths_of(run.recording))))


def _found(paths: Paths) -> Iterator[Scored]:
    run, told = paths.run, set()
    calls = paths.source.calls.get("log_prob", ())
    spots = {site_of(cell, call) for cell, call in calls}
    if not spots:
        return
    for entry in run.first_passes:
        queue = [(tensor, 1, 0) for tensor, _ in entry.event.roots]
        for tensor, sign, far in queue:
            step, event = run.op_of(tensor)
            if far >= _FAR or len(queue) > _MOST or step < 0:
                continue
            given = run.inputs(event)
            if event.op == "mul" and (scored := _product(paths, step, event, sign, spots)) is not None:
                if event.site not in told:
                    told.add(event.site)
                    yield scored
                continue
            for position, source in enumerate(given):
                turned = event.op in ("neg", "rsub") or run.number(event) < 0 if len(given) == 1 else (
                    event.op == "sub" and position == 1
                )  # fmt: skip
                if _passes_sign(run, event):
                    queue.append((source, -sign if turned else sign, far + 1))


def _passes_sign(run: Run, event: OpRan) -> bool:
    """Whether the sign of a result is that of what an operation is given, or its opposite."""
    if event.op in ("mul", "div"):
        return len(run.inputs(event)) == 1
    return bool({"additive", "reduces", "same_values", "joins", "casts"} & {*run.traits(event.op)})


def _product(paths: Paths, step: int, event: OpRan, sign: int, spots: set[Site]) -> Scored | None:
    """A product with a log-probability; None for any other."""
    run = paths.run
    given = run.inputs(event)
    for position, tensor in enumerate(given):
        found = _log_prob(run, tensor, spots)
        if found:
            site = run.site(step)
            node, cell = paths.source.at(site), site.cell if site is not None else 0
            factor, other = given[1 - position] if len(given) == 2 else NOTHING, None
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                sides = (node.left, node.right)
                asks = [any(isinstance(part, ast.Call) and site_of(cell, part) in spots for part in ast.walk(s)) for s in sides]
                other = sides[1 - position] if asks[0] == asks[1] else sides[asks.index(False)]
            return Scored(step, event, tensor, factor, sign * found, other, cell, _of_a_draw(paths, tensor, spots))
    return None


def _log_prob(run: Run, tensor: int, spots: set[Site]) -> int:
    """1 where a tensor is a log-probability that the program asked a distribution for, or a sum of such, -1 where it is the
    negative of one, 0 for anything else."""
    sign = 1
    for _ in range(_FAR):
        step, event = run.op_of(tensor)
        if run.site(step) in spots:
            return sign
        given = run.inputs(event)
        if not given or not _passes_sign(run, event) or (len(given) > 1 and "joins" not in run.traits(event.op)):
            return 0
        sign = -sign if event.op == "neg" or run.number(event) < 0 else sign
        tensor = given[0]
    return 0


def _of_a_draw(paths: Paths, log_prob: int, spots: set[Site]) -> bool:
    """Whether a log-probability is that of something that `sample()` or `multinomial` drew, taken from there as it was."""
    run, calls = paths.run, paths.source.calls
    drawn = {site_of(cell, call) for name in ("sample", "multinomial") for cell, call in calls.get(name, ())}
    queue, seen = [log_prob], {log_prob}
    for tensor in queue:
        step, event = run.op_of(tensor)
        if run.site(step) in drawn:
            return bool(run.loops(step))  # not once, as data
        asked = run.site(step) in spots or tensor == log_prob or _passes_sign(run, event)
        if len(queue) < _MOST and (asked or not run.tensors[tensor].info.requires_grad):
            fresh = [t for t in run.inputs(event) if t not in seen]
            seen.update(fresh)
            queue += fresh
    return False
