"""`why(recording, tensor, step)`: the reason for a tensor's `.grad` and its `requires_grad` at a moment."""

from __future__ import annotations

import ast
import re

import msgspec

from ...recording.events import NOTHING
from ...recording.recording import Recording
from ..cuts import KINDS
from ..failures import failure_of
from ..paths import Paths, paths_of
from ..program_ast import contains
from ..reason import Reason
from .absent import absent
from .flags import requires_grad
from .grad_query import Question
from .not_finite import value_not_finite
from .not_recorded import not_recorded
from .present import present

_SUBSCRIPT = re.compile(r"\[(\d+)\]")
_ITEM = re.compile(r"([A-Za-z_][\w.]*)\[(\d+)\]$")
_GRAD = re.compile(r"\.(grad|requires_grad|is_leaf|grad_fn)$")


CODES = {
    "set": "set by one backward pass: in order",
    "paths": "set by one backward pass, as a sum over several paths: in order",
    "accumulated": "the sum of several passes since the last clearing",
    "changed": "set by a pass and then changed by the program (clipping, averaging)",
    "assigned": "assigned by the program",
    "zeroed": "zeroed, and no pass since",
    "cleared": "set to None, and no pass since",
    "not_finite": "infinite or NaN, or the tensor's own value is",
    "zero_relu": "zero: a relu is dead",
    "zero_clamp": "zero: a clamp is saturated",
    "zero_step": "zero: round, floor, sign and the like are constant between their jumps",
    "zero_factor": "zero: multiplied by zero, or by a mask of zeros",
    "zero_where": "zero: where took the other branch",
    "zero_choice": "zero: max, min and the like chose another element",
    "zero_mask": "zero: masked",
    "zero_saturated": "zero: a sigmoid, tanh or softmax is saturated",
    "zero_loss": "zero: the loss is at its minimum",
    "zero_cancelled": "zero: contributions cancel",
    "zero_hook": "zero: a hook replaced the gradient",
    "zero_root": "zero: the pass was started with zeros",
    "zero_op": "zero: the derivative is zero at that value",
    "not_retained": "None: not a leaf, and retain_grad() was not called",
    "retained_late": "None: retain_grad() was called after the pass",
    "overwritten": "None: the name of a leaf now stands for the result of an operation on it",
    "rebound": "None: the name now stands for another tensor than the one that got the gradient",
    "needs_none": "None: made without requires_grad=True",
    "integer": "None: integers and truth values cannot require grad",
    "inputs_need_none": "None: computed from what does not require grad",
    "frozen": "None: requires_grad was set to False",
    "flag_late": "None: requires_grad was set to True after the tensor was used",
    **{kind.code: f"None: {kind.meaning}" for kind in KINDS.values()},
    "unused": "None: nothing was computed from the tensor",
    "not_connected": "None: used, but not for what backward() starts from",
    "used_after": "None: used only after the last pass",
    "created_after": "None: made after the last pass",
    "no_backward": "None: backward() was not called",
    "not_yet": "None: backward() comes later",
    "under_way": "None: the pass that will fill it is running",
    "backward_failed": "the pass failed: graph freed, saved tensor changed, root not a scalar",
    "inputs": "None: backward(inputs=…) named others",
    "autograd_grad": "None: torch.autograd.grad fills no .grad",
    "no_gradient": "None: a custom Function gave no gradient back",
    "not_recorded": "it came about where the recording is thin or silent",
    "not_a_tensor": "the name stands for no tensor any more",
    "not_made": "the tensor does not exist, yet or at all",
}
"""What `Reason.code` may be."""


def why(recording: Recording, tensor: int | str, step: int | None = None) -> Reason:
    """Why a tensor's `.grad` is what it is after event `step` (the last by default), and why it requires grad or does not.

    Args:
        recording: the run.
        tensor: a tensor's id, or the program's name for it at that step: "w", "model.0.weight", "params[1]".
        step: the moment.

    Raises:
        KeyError: for a name that never stood for a tensor, or an id that no tensor has.
        IndexError: for a step that the recording does not have.
    """
    last = len(recording.events) - 1
    step = last if step is None else step
    if not -1 <= step <= last:
        raise IndexError(f"step {step} of a recording with {last + 1} events")
    paths = paths_of(recording)
    name = ""
    if isinstance(tensor, str):
        name = _GRAD.sub("", tensor.strip())
        try:
            number = named(paths, name, step)
        except KeyError:
            failed = _never_made(paths, name, step)
            if failed is None:
                raise
            return failed
        if number == NOTHING:
            return _no_tensor(paths, name, step)
    else:
        number = tensor
        if number not in paths.run.tensors:
            raise KeyError(tensor)
    if paths.run.tensors[number].born > step:
        return _not_made(paths, number, name, step)
    q = Question(paths, number, step, name)
    unseen = not_recorded(q)
    if unseen is not None:
        return msgspec.structs.replace(unseen, requires_grad=requires_grad(q))
    reason = absent(q) if q.history.grad(step) == NOTHING else present(q)
    if reason.code != "not_finite":
        reason = value_not_finite(q, reason) or reason
    return msgspec.structs.replace(reason, requires_grad=requires_grad(q))


def named(paths: Paths, name: str, step: int) -> int:
    """The tensor a name stands for at a step, NOTHING if it stands for none then.

    Global names come before local ones of that name. `box.w` is found by its assignment (`self.w = …`), too.
    """
    run = paths.run
    spellings = [name, _SUBSCRIPT.sub(r".\1", name), name.replace('"', "'")]
    known = False
    for spelling in dict.fromkeys(spellings):
        tracks = [(where, track) for (where, bound), track in run.index.names.items() if bound == spelling]
        if not tracks:
            continue
        known = True
        tracks.sort(key=lambda pair: (pair[0] != "", -pair[1].steps[0]))
        now = [track.at(step, NOTHING) for _, track in tracks]
        # Not yet bound counts as unbound here; the caller says when it will be.
        best = next((t for t in now if t != NOTHING), NOTHING)
        later = _assigned(paths, name, step) if "." in name else NOTHING
        if later != NOTHING and best != NOTHING and run.tensors[later].born > run.tensors[best].born:
            return later
        if best != NOTHING:
            return best
        if all(track.steps[0] > step for _, track in tracks):
            return tracks[0][1].values[0]
    if known:
        return NOTHING
    item = _item(paths, name, step)
    if item != NOTHING:
        return item
    found = _assigned(paths, name, step)
    if found != NOTHING:
        return found
    tail = [track for (_, bound), track in run.index.names.items() if bound.endswith("." + name.removeprefix("self."))]
    for track in tail:
        if track.at(step, NOTHING) != NOTHING:
            return track.at(step, NOTHING)
    raise KeyError(name)


def _item(paths: Paths, name: str, step: int) -> int:
    """The tensor at `params[1]` where it has another name of its own: from a list's text, or from the calls of `append`."""
    found = _ITEM.match(name)
    if found is None:
        return NOTHING
    run, position = paths.run, int(found[2])
    appended = []
    for _, at, value in paths.source.values(found[1]):
        if (
            isinstance(value, ast.List | ast.Tuple)
            and position < len(value.elts)
            and isinstance(value.elts[position], ast.Name)
        ):
            return run.named_at(value.elts[position].id, step)  # type: ignore[attr-defined]
        if isinstance(at, ast.Call) and isinstance(value, ast.Name):
            loop = next((n.lineno for n in paths.source.around(at) if isinstance(n, ast.For | ast.While)), 0)
            for key, track in run.index.names.items():
                if key[1] == value.id:
                    appended += [
                        (s, t)
                        for s, t in zip(track.steps, track.values, strict=True)
                        if t != NOTHING and s <= step and (not loop or loop in (line for line, _ in run.loops(s)))
                    ]
    appended.sort()
    return appended[position][1] if position < len(appended) else NOTHING


def _assigned(paths: Paths, name: str, step: int) -> int:
    made = paths.assigned(name, step)
    return made[-1][0] if made else NOTHING


def _no_tensor(paths: Paths, name: str, step: int) -> Reason:
    """The name stood for a tensor and now stands for something else."""
    run = paths.run
    gone, before = NOTHING, NOTHING
    for (_, bound), track in run.index.names.items():
        if bound == name:
            for row, (at, tensor) in enumerate(zip(track.steps, track.values, strict=True)):
                if at <= step and tensor == NOTHING and row and at > gone:
                    gone, before = at, track.values[row - 1]
    return Reason(
        tensor=before,
        step=step,
        code="not_a_tensor",
        title=f"{name} has no .grad because {name} names no tensor any more: {run.where(gone)} gave it another value",
        explanation="Numbers, lists and arrays have no gradient.",
        fix="Keep the tensor under a name of its own.",
        requires_grad=f"{name} is not a tensor.",
        site=run.site(gone),
        moment=gone,
        nodes=(f"t{before}",) if before != NOTHING else (),
    )


def _never_made(paths: Paths, name: str, step: int) -> Reason | None:
    """The program ended with an error in the statement that would have made the tensor."""
    run = paths.run
    raised = run.raised
    if raised is None or raised[0] > step:
        return None
    at, event = raised
    site = run.site(at)
    for cell, statement, _ in paths.source.values(name):
        if site is not None and cell == site.cell and contains(statement, site):
            failed = failure_of(event.message, event.type)
            integer = failed is not None and failed.code == "integer_requires_grad"
            why_not = "only floating point tensors can require grad" if integer else f"{event.type}: {event.message[:160]}"
            return Reason(
                tensor=NOTHING,
                step=step,
                code="integer" if integer else "not_made",
                title=f"{name} was never made: {run.where(at)} failed, because {why_not}",
                explanation=f"The error: {event.message[:200]}" if integer else "",
                fix=failed.remedy() if failed is not None else "Look at the error.",
                requires_grad=f"{name} does not exist.",
                site=site,
                moment=at,
            )
    return None


def _not_made(paths: Paths, tensor: int, name: str, step: int) -> Reason:
    run = paths.run
    history = run.tensors[tensor]
    title = name or run.title(tensor)
    return Reason(
        tensor=tensor,
        step=step,
        code="not_made",
        title=f"{title} does not exist yet: it is made at {run.where(history.born)}",
        requires_grad=f"{title} does not exist yet.",
        site=run.site(history.born),
        moment=history.born,
        nodes=(f"t{tensor}",),
    )
