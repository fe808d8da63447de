"""`why(recording, about, step)`: the reason for a tensor's `.grad`, and for whatever else a `Subject` can be, at a moment."""

from __future__ import annotations

import msgspec

from ...recording.events import NOTHING
from ...recording.recording import Recording
from ..failures import failure_of
from ..paths import Paths, paths_of
from ..program_ast import contains
from ..quoted import quoted
from ..reason import Reason
from ..run import Run
from .absent import absent
from .asked_for import only_told
from .codes import CODES
from .flags import requires_grad
from .grad_query import Question
from .lines import why_bound, why_line
from .losses import why_loss
from .modules import why_module
from .names import items, members, named
from .not_finite import value_not_finite
from .not_recorded import not_recorded
from .present import present
from .subject import LineSubject, LossSubject, ModuleSubject, Subject, TensorSubject, UpdateSubject, is_loss, parse
from .unmoved import with_steps
from .updates import kept_statistic, why_update

__all__ = ["CODES", "why"]


def why(recording: Recording, about: int | str | Subject, step: int | None = None) -> Reason:
    """Why something is what it is after event `step` (the last by default): a tensor's `.grad`, and why the tensor requires
    grad or does not; the gradients of a module; the loss; a line; a parameter that does not move.

    Args:
        recording: the run.
        about: a tensor's id, a question as text ("w", "model.0.weight", "params[1]", "net.fc", "loss", "line 12", "why did w
            not move"), or a `Subject`. A bare name of a loss that backward() began from asks about its values, "d_loss.grad"
            about its gradient.
        step: the moment.

    Raises:
        KeyError: for a name that never stood for a tensor or a module, an id that no tensor has, or a line that is not there.
        IndexError: for a step that the recording does not have.
    """
    last = len(recording.events) - 1
    step = last if step is None else step
    if not -1 <= step <= last:
        raise IndexError(f"step {step} of a recording with {last + 1} events")
    paths = paths_of(recording)
    subject = parse(about) if isinstance(about, str) else TensorSubject(about) if isinstance(about, int) else about
    match subject:
        case LineSubject():
            return why_line(paths, subject, step)
        case UpdateSubject():
            return why_update(paths, subject.name, step)
        case ModuleSubject():
            return why_module(paths, subject.name, step, of_tensor)
        case LossSubject():
            return why_loss(paths, subject.name, step) or of_tensor(paths, subject.name, step)
    if isinstance(about, str) and about.strip() == subject.tensor and _is_root(paths, subject.tensor, step):
        return why_loss(paths, subject.tensor, step) or of_tensor(paths, subject.tensor, step)
    if isinstance(subject.tensor, int):
        return of_tensor(paths, subject.tensor, step)
    if isinstance(about, str) and about.strip() == subject.tensor and (kept := kept_statistic(paths, subject.tensor, step)):
        return kept
    if members(paths, subject.tensor, step):
        return why_module(paths, subject.tensor, step, of_tensor)
    return of_tensor(paths, subject.tensor, step)


def _is_root(paths: Paths, name: str, step: int) -> bool:
    """Whether a name, which says that it is one of a loss, stands for what a backward pass began with."""
    if not is_loss(name):
        return False
    try:
        tensor = named(paths, name, step)
    except KeyError:
        return False
    return any(tensor == root for entry in paths.run.passes for root, _ in entry.event.roots)


def of_tensor(paths: Paths, tensor: int | str, step: int) -> Reason:
    """Why a tensor's `.grad` is what it is."""
    name = ""
    if isinstance(tensor, str):
        name = tensor
        if (anew := _computed_anew(paths.run, name, step)) is not None:
            return anew
        try:
            number = named(paths, name, step)
        except KeyError:
            failed = _never_made(paths, name, step)
            if failed is not None:
                return failed
            if not items(paths, name, step):
                if (bound := why_bound(paths, name, step)) is None:
                    raise
                return bound
            return why_module(paths, name, step, of_tensor)
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
        reason = value_not_finite(q, reason) or only_told(q, with_steps(q, reason))
    return msgspec.structs.replace(reason, requires_grad=requires_grad(q))


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
        requires_grad=f"{name} is not a tensor.",
        site=run.site(gone),
        moment=gone,
        nodes=(f"t{before}",) if before != NOTHING else (),
    )


def _computed_anew(run: Run, name: str, step: int) -> Reason | None:
    """A parametrization of `torch.nn.utils` has put other parameters in the place of one of this name."""
    owner, _, own = name.rpartition(".")
    front = f"{owner}.parametrizations.{own}."
    there = {
        bound: tensor
        for (_, bound), track in run.index.names.items()
        if bound.startswith(front) and (tensor := track.at(step, NOTHING)) != NOTHING
    }
    for beside in ((f"{name}_g", f"{name}_v"), (f"{name}_orig",)) if not there else ():  # as older utilities name them
        found = {each: tensor for each in beside if (tensor := run.named_at(each, step)) != NOTHING}
        there = found if len(found) == len(beside) else there
    if not there:
        return None
    given, made = " and ".join(sorted(there)), max(run.tensors[tensor].born for tensor in there.values())
    return Reason(
        tensor=NOTHING,
        step=step,
        code="not_a_tensor",
        title=f"{name} has no .grad because it is computed anew whenever it is used, from {given}",
        explanation=f"A parametrization ({run.where(made)}) took the parameter away. What it put in its place are leaves: the "
        "gradients are theirs, and what is written into the result is gone with its next use.",
        fix=f"Ask for {min(there)}, and give the optimizer the parameters that there are afterwards.",
        requires_grad=f"{name} is not a leaf: it is computed from {given}.",
        site=run.site(made),
        moment=made,
        nodes=tuple(f"t{tensor}" for tensor in there.values()),
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
            why_not = "only floating point tensors can require grad" if integer else quoted(event.type, event.message)
            return Reason(
                tensor=NOTHING,
                step=step,
                code="integer" if integer else "not_made",
                title=f"{name} was never made: {run.where(at)} failed, because {why_not}",
                explanation=f"The error: {quoted(event.type, event.message)}" if integer else "",
                wrong=True,
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
