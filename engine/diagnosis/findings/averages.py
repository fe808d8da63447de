"""Rules about copies of a network that follow it, as an average of its parameters does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, after, loop_around, spot
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

AVERAGE_WITHOUT_BUFFERS = Kind(
    "average_without_buffers", "warning",
    "A copy of a network follows its parameters, and keeps the running statistics that it began with.", mechanical=True,
)  # fmt: skip

AVERAGE_REVERSED = Kind(
    "average_reversed", "warning",
    "A copy that is to follow a network slowly takes over nearly all of it at once: the two shares are exchanged.",
)  # fmt: skip

_SLOW = 0.1
"""A share of the copy below which it does not follow slowly."""
_EACH = 3
"""Iterations from which on a habit shows."""
_LOOKED_AT = 64
"""Uses of a copy, and writes into it, that are looked at."""
_FAR = 4
"""Operations between a parameter and what is written into its copy."""


@rule(116, AVERAGE_WITHOUT_BUFFERS)
def average_without_buffers(run: Run) -> Iterator[Finding]:
    """A normalisation goes by a running mean that nothing has written, and its weight is written again and again from a
    parameter that is trained, whose normalisation goes by batches."""
    found: dict[int, tuple[int, int, int, list[int]]] = {}
    for step, event in run.first_ops_of({"batch_norm"}, _LOOKED_AT):
        weight, mean = run.argument(event, "weight"), run.argument(event, "mean")
        if NOTHING in (weight, mean) or event.in_backward or weight in run.updates or weight not in run.writes:
            continue
        source, writes = _followed(run, weight, step)
        turns = {run.loops(write) for write in writes}
        if source == NOTHING or len(turns) < _EACH or not _is_of_the_beginning(run, mean, source, step):
            found.pop(weight, None)
            continue
        if weight not in found and _by_batches(run, source, step) >= _EACH:
            found[weight] = step, mean, source, writes
    if not found:
        return
    weight, (step, mean, source, writes) = next(iter(found.items()))
    scope = run.recording.scopes[run.events[step].scope] if run.events[step].scope >= 0 else None
    module = scope.module if scope is not None and scope.module else "the normalisation of the copy"
    copied = run.site(writes[0])
    pairs = _pairs(run, writes[0], weight)
    _, copy, network = pairs if pairs is not None else (None, "average", "network")
    yield finding(
        run, AVERAGE_WITHOUT_BUFFERS,
        f"The weight of {module} follows {run.title(source)}, and its running statistics stay those of the beginning.",
        f"{run.expression(copied) or 'The write'} at {run.site_text(copied)} goes through the parameters. The running mean and "
        "variance of a batch normalisation are buffers, which no loop over parameters() meets: the copy has had them since it "
        f"was made, and {module} normalises by them in evaluation mode at {run.where(step)}.",
        f"Copy the buffers as well: for kept, now in zip({copy}.buffers(), {network}.buffers()): kept.copy_(now).",
        step=writes[0], site=copied, related=[run.site(step)],
        evidence=[
            ("running mean", run.texts.describe(run.status(mean, step).array)),
            ("writes into it", "0"), ("writes into the weight beside it", str(len(writes))),
        ],
        nodes=[key(weight), key(source), *(key(each) for each in list(found)[1:20])], steps=writes,
        changes=_with_buffers(run, pairs),
    )  # fmt: skip


@rule(117, AVERAGE_REVERSED)
def average_reversed(run: Run) -> Iterator[Finding]:
    """`kept = tau * kept + (1 - tau) * new` with a small tau, after each update."""
    for weight in run.writes:
        history = run.tensors[weight]
        if weight in run.updates or not history.info.is_parameter:
            continue
        end = len(run.events)
        source, writes = _followed(run, weight, end)
        if source == NOTHING or len({run.loops(write) for write in writes}) < _EACH:
            continue
        shares = [share for write in writes[-_EACH:] if (share := _share_kept(run, weight, source, write)) is not None]
        if len(shares) < _EACH or not all(0 < share < _SLOW for share in shares):
            continue
        step, share = writes[-1], shares[-1]
        copied = run.site(step)
        yield finding(
            run, AVERAGE_REVERSED,
            f"{run.title(weight)} keeps {share:.3g} of itself at each write, and takes {1 - share:.3g} of {run.title(source)}.",
            f"{run.expression(copied) or 'The write'} at {run.site_text(copied)} is an average whose small share is that of "
            "the copy: it is the network of the moment, a step behind, and not one that follows slowly.",
            "Exchange the shares: the small one is that of the new weights, tau * new + (1 - tau) * kept.",
            step=step, site=copied, evidence=[("share that is kept", f"{share:.3g}"), ("writes", str(len(writes)))],
            nodes=[key(weight), key(source)], steps=writes,
        )  # fmt: skip
        return


def _share_kept(run: Run, weight: int, source: int, step: int) -> float | None:
    """The share of a weight that a write into it leaves there, where the rest is of another one; None where it is no such
    average, or a copy."""
    turn = run.loops(step)
    first = next(write for write in run.writes[weight] if write == step or run.loops(write) == turn)
    before, after, new = run.values(weight, first - 1), run.values(weight, step), run.values(source, step)
    if before is None or after is None or new is None or before.shape != new.shape:
        return None
    far = (before - new).astype(np.float64).ravel()
    size = float(far @ far)
    share = float((after - new).astype(np.float64).ravel() @ far) / size if size > 0 else None
    if share is None or not np.allclose(after, share * before + (1 - share) * new, atol=1e-5):
        return None
    return share


def _followed(run: Run, weight: int, before: int) -> tuple[int, list[int]]:
    """The trained parameter from which the program writes into another one, and the steps at which it does, before one and when
    the training has begun."""
    found: dict[int, list[int]] = {}
    for step in run.writes[weight][: 4 * _LOOKED_AT]:
        event = run.events[step]
        if step < before and isinstance(event, OpRan) and not event.in_backward and not run.index.stepping[step]:
            source = _source(run, event, weight)
            if source != NOTHING and step > run.updates[source][0]:
                found.setdefault(source, []).append(step)
    return max(found.items(), key=lambda item: len(item[1]), default=(NOTHING, []))


def _source(run: Run, event: OpRan, weight: int) -> int:
    """The trained parameter of the same shape that an operation writes into another one, scaled or added to it."""
    queue = [(tensor, 0) for tensor in run.inputs(event)[1:]]
    for tensor, far in queue:
        owner = run.owner(tensor)
        if owner in run.updates and run.tensors[owner].info.shape == run.tensors[weight].info.shape:
            return owner
        if (
            far < _FAR
            and len(queue) < _LOOKED_AT
            and owner != weight
            and "elementwise" in run.traits(run.tensors[tensor].op.op)
        ):
            queue += [(given, far + 1) for given in run.inputs(run.tensors[tensor].op)]
    return NOTHING


def _is_of_the_beginning(run: Run, mean: int, source: int, step: int) -> bool:
    """Whether a running mean is as it was before a parameter was trained: nothing has written it, and nothing has made it of
    another one since."""
    began = run.updates[source][0]
    if any(began < write < step for write in run.writes.get(mean, ())):
        return False
    history = run.tensors[mean]
    return history.born < began or (history.op.op == "constant" and not run.inputs(history.op))


def _by_batches(run: Run, weight: int, before: int) -> int:
    """How often a normalisation with a weight went by the statistics of its batch, before a step; a few times at most."""
    steps = [step for step in run.consumers.get(weight, ())[: 4 * _LOOKED_AT] if step < before]
    normalized = (event for step in steps if isinstance(event := run.events[step], OpRan) and event.node is not None)
    return sum(run.argument(event, "mean") == NOTHING for event in normalized)


# --- the mend -----------------------------------------------------------------------------------------------------------------


def _pairs(run: Run, step: int, weight: int) -> tuple[Site, str, str] | None:
    """The loop around a write into a copy's parameter that goes through the parameters of two networks, with the text of the
    copy and of the network."""
    around = loop_around(run, run.site(step))
    found = spot(run, around)
    match found.node if found is not None else None:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name() as one, ast.Name() as other]),
            iter=ast.Call(
                func=ast.Name(id="zip"),
                args=[
                    ast.Call(func=ast.Attribute(value=first, attr="parameters"), args=[], keywords=[]),
                    ast.Call(func=ast.Attribute(value=second, attr="parameters"), args=[], keywords=[]),
                ],
            ),
        ) if around is not None:
            if run.named_at(one.id, step) == weight:
                return around, ast.unparse(first), ast.unparse(second)
            if run.named_at(other.id, step) == weight:
                return around, ast.unparse(second), ast.unparse(first)
    return None


def _with_buffers(run: Run, pairs: tuple[Site, str, str] | None) -> Changes:
    """A loop through the buffers behind the one through the parameters."""
    if pairs is None:
        return []
    loop, copy, network = pairs
    return after(run, loop, f"for kept, now in zip({copy}.buffers(), {network}.buffers()):", "    kept.copy_(now)")
