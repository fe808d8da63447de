"""Rules about a loss that does not lead to the parameters, and gradients that are None because of it."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from ...recording.events import NOTHING, Accumulated, Site
from ...recording.index import Pass
from ..answers.absent import absent, leaves_above
from ..answers.grad_query import Question
from ..answers.names import named
from ..backward_call import became_number, receiver
from ..cuts import Cut, by_numbers, cuts_above, fact
from ..failed_passes import kind_of
from ..failures import BY_CODE, code_of
from ..mending import after, dropped
from ..mends import parameters, refusals
from ..mends.cuts import uncut
from ..optimizer_text import given, optimizers
from ..paths import Paths, paths_of
from ..reason import Finding, Kind, Reason
from ..run import Run, finding, key, said
from .registry import rule

LOSS_NOT_CONNECTED = kind_of(BY_CODE["loss_not_connected"])
LOSS_RECREATED = Kind("loss_recreated", "error", "backward() starts from a new leaf, so no parameter gets a gradient.", True)
GRAD_IS_NONE = Kind("grad_is_none", "error", "The program fails because a .grad is None.", True)

_GRAD = re.compile(r"([A-Za-z_][\w.\[\]]*)\.grad\b(?!_)")
_CUTS = 4
"""Cuts that a finding names."""
_BEHIND = 2_000
"""Tensors that a loss was computed from, of which so many are looked at."""
_LOOKED_AT = 64
"""Cuts among which it chooses: many of them may be one site in a loop."""


@rule(20, LOSS_NOT_CONNECTED, everywhere=True)
def loss_not_connected(run: Run) -> Iterator[Finding]:
    """backward() fails because the loss does not require grad, or is no tensor any more."""
    if run.raised is None:
        return
    step, event = run.raised
    paths, code = paths_of(run.recording), code_of(event.message)
    if code == "backward_of_number":
        yield from _of_number(paths, step)
    if code != "loss_not_connected":
        return
    root = receiver(paths, step)
    cuts = _above(paths, root, step)
    frozen = None if cuts or root == NOTHING else _frozen_above(Question(paths, root, step))
    name = run.title(root) if root != NOTHING else "the loss"
    why_not, moment, site = "Nothing it is computed from has requires_grad=True.", step, run.site(step)
    fix = "Create the tensors to be trained with requires_grad=True, or as nn.Parameter."
    if (plain := _optimised_without(run, root, step)) is not None:
        tensor, site, frozen = *plain, None
        why_not = f"{run.title(tensor)}, which the optimizer at {run.site_text(site)} is given, does not require grad."
        fix, moment = f"Call {run.title(tensor)}.requires_grad_() before the optimizer is made.", run.tensors[tensor].born
        site = run.site(moment)
    elif cuts:
        why_not, fix, moment, site = cuts[0].sentence, cuts[0].fix, cuts[0].step, cuts[0].site
    elif frozen is not None:
        why_not, fix, moment, site = f"{frozen.title}.", frozen.fix, frozen.moment, frozen.site
    elif (gradient := _gradient_above(run, root)) != NOTHING:
        of, began = run.title(run.tensors[gradient].info.grad_of), _filled_by(run, gradient)
        why_not = (
            f"It is computed from {of}.grad, which backward at {run.where(began)} filled without create_graph=True: a "
            "gradient without a graph."
        )
        fix = f"Take the gradient with torch.autograd.grad(…, {of}, create_graph=True), or call that backward() with it."
        moment, site = began, run.site(began)
    yield finding(
        run, LOSS_NOT_CONNECTED,
        f"backward() cannot begin: {name} does not require grad.",
        f"{why_not} So {name} has no grad_fn, and backward at {run.where(step)} has no graph to go through.",
        fix,
        step=moment,
        site=site,
        related=[
            run.site(step),
            run.site(run.tensors[root].born) if root != NOTHING else None,
            *(run.site(cut.step) for cut in cuts),
        ],
        evidence=[
            ("error", said(run)),
            *([(f"{name}.requires_grad", "False")] if root != NOTHING else []),
            *(fact(run, cut) for cut in cuts),
        ],
        nodes=[key(t) for t in (root, *_sides(cuts)) if t != NOTHING],
        ends=True,
        changes=after(run, site, f"{run.title(plain[0])}.requires_grad_()") if plain is not None
        else uncut(run, cuts[0]) if cuts else dropped(run, site) if frozen is not None else parameters.wants_gradients(run),
    )  # fmt: skip


def _optimised_without(run: Run, root: int, step: int) -> tuple[int, Site] | None:
    """A tensor without requires_grad that the loss comes from and that is all that an optimizer is given, `Adam([image])`, and
    where that is; None where there is no such thing."""
    for made in optimizers(run):
        match given(made.call, 0, "params"):
            case ast.List(elts=[ast.Name(id=name)]):
                tensor = run.named_at(name, step)
                known = tensor != NOTHING and not run.status(tensor, step).requires_grad
                if known and root != NOTHING and tensor in run.behind(root, most=_BEHIND):
                    return tensor, made.site
    return None


def _frozen_above(q: Question) -> Reason | None:
    """Why the first of the leaves above a tensor that was told not to require grad has none."""
    told = (leaf for leaf in leaves_above(q) if leaf in q.paths.flags)
    reasons = (absent(Question(q.paths, leaf, q.step)) for leaf in told)
    return next((reason for reason in reasons if reason.code == "frozen"), None)


def _gradient_above(run: Run, tensor: int) -> int:
    """A `.grad` that a tensor is computed from, or NOTHING."""
    queue, seen = [tensor] if tensor != NOTHING else [], {tensor}
    for t in queue:
        if run.tensors[t].info.grad_of != NOTHING:
            return t
        above = [i for i in run.inputs(run.tensors[t].op) if i not in seen]
        seen.update(above)
        queue += above if len(queue) < _LOOKED_AT else []
    return NOTHING


def _filled_by(run: Run, gradient: int) -> int:
    """The step at which the pass began that last filled a `.grad` before it was read."""
    history = run.tensors[gradient]
    last = run.last_change(history.info.grad_of, history.born)
    entry = run.index.passes.get(last.number) if isinstance(last, Accumulated) else None
    return entry.began if entry is not None else history.born


def _of_number(paths: Paths, step: int) -> Iterator[Finding]:
    run = paths.run
    for tensor, read in became_number(paths, step):
        if not paths.needs(tensor, read):
            continue
        told = BY_CODE["backward_of_number"]
        cut = by_numbers(paths, read, paths.label(tensor, read), tensor)
        yield finding(
            run, LOSS_NOT_CONNECTED, told.title, f"{cut.sentence} backward at {run.where(step)} is called on that.",
            told.remedy(),
            step=read,
            related=[run.site(step)],
            evidence=[("error", said(run)), fact(run, cut)],
            nodes=[key(tensor)],
            ends=True,
            changes=uncut(run, cut),
        )  # fmt: skip
        return


def _above(paths: Paths, tensor: int, step: int) -> list[Cut]:
    """The nearest cuts above a tensor, each site once."""
    found: dict[object, Cut] = {}
    if tensor != NOTHING:
        for cut, _ in islice(cuts_above(paths, tensor, step, lambda t: paths.label(t, step)), _LOOKED_AT):
            found.setdefault((cut.site, cut.what), cut)
    return list(found.values())[:_CUTS]


def _sides(cuts: list[Cut]) -> Iterator[int]:
    return (tensor for cut in cuts for tensor in (cut.source, cut.result))


@rule(30, LOSS_RECREATED)
def loss_recreated(run: Run) -> Iterator[Finding]:
    """backward() starts from a leaf that was made from the loss's value, so it reaches nothing else."""
    reported = set()
    paths = paths_of(run.recording)
    for entry in run.passes:
        if run.site(entry.began) in reported or not _from_a_leaf(run, entry):
            continue
        root = entry.event.roots[0][0]
        status = run.status(root, entry.began)
        born = run.tensors[root].born
        told = [step for step, flag, value in paths.flags.get(root, ()) if flag == "requires_grad" and value]
        told = [step for step in told if step <= entry.began][-1:]
        cuts = _above(paths, root, entry.began)
        if not cuts and not any(step > entry.began for step, _ in run.optimizer_steps):
            continue
        reported.add(run.site(entry.began))
        name = run.title(root)
        how = cuts[0].sentence if cuts else f"{name} is made anew at {run.where(born)}."
        at = f" (at {run.where(told[0])})" if told else ""
        yield finding(
            run, LOSS_RECREATED,
            f"backward() starts from {name}, a leaf without a graph: no parameter gets a gradient.",
            f"{how} requires_grad=True{at} makes backward() run, but it does not bring the graph back: only {name}.grad is "
            "filled.",
            _kept_whole(run, cuts[0] if cuts else None),
            step=cuts[0].step if cuts else born,
            site=cuts[0].site if cuts else None,
            related=[run.site(entry.began), *map(run.site, told), run.site(born)],
            evidence=[
                ("tensors that the pass fills", name),
                (f"value of {name}", run.texts.describe(status.array)),
                *(fact(run, cut) for cut in cuts),
            ],
            nodes=[key(t) for t in (root, *_sides(cuts)) if t != NOTHING],
            steps=[e.began for e in run.passes if run.site(e.began) == run.site(entry.began) and _from_a_leaf(run, e)],
            changes=uncut(run, cuts[0]) if cuts else [],
        )  # fmt: skip


def _kept_whole(run: Run, cut: Cut | None) -> str:
    """What to do about a cut above a loss that was made a leaf: where it is the loss itself that was cut, it need not be."""
    if cut is None or cut.source == NOTHING or math.prod(run.tensors[cut.source].info.shape) == 1:
        return "Call backward() on the loss as it was computed; take .item() only of what is printed."
    return f"{cut.fix} Then leave requires_grad=True of the loss out: it has a graph."


def _from_a_leaf(run: Run, entry: Pass) -> bool:
    """Whether a pass begins with a single leaf that is not trained, and reaches nothing else."""
    if entry.event.via != "backward" or len(entry.event.roots) != 1:
        return False
    root = entry.event.roots[0][0]
    leaf = run.status(root, entry.began).is_leaf and root not in run.trained
    return leaf and all(event.tensor == root for _, event in run.fills(entry))


@rule(50, GRAD_IS_NONE, everywhere=True)
def grad_of_none(run: Run) -> Iterator[Finding]:
    """The program computes with a `.grad` that is None: `why` says why it is."""
    if run.raised is None or "NoneType" not in run.raised[1].message:
        return
    step = run.raised[0]
    site = run.site(step)
    names = _GRAD.findall(run.segment(site)) or _GRAD.findall(run.line(site))
    if not names:
        return
    reason = next((r for name in dict.fromkeys(names) if (r := _why_none(paths_of(run.recording), name, step))), None)
    yield finding(
        run, GRAD_IS_NONE,
        f"{reason.title}." if reason is not None else f"{names[0]}.grad is None.",
        reason.explanation if reason is not None and reason.explanation else "No backward pass has filled it.",
        reason.fix if reason is not None and reason.fix else "Call backward() on a result that depends on it first.",
        step=step,
        site=reason.site if reason is not None else site,
        related=[site],
        evidence=[("error", said(run)), *(reason.evidence if reason is not None else ())],
        nodes=reason.nodes if reason is not None else (),
        ends=True,
        changes=refusals.filled_gradient(run, reason, step) if reason is not None else [],
    )  # fmt: skip


def _why_none(paths: Paths, name: str, step: int) -> Reason | None:
    """Why the `.grad` of what a name stands for is None, if it does stand for a tensor and the `.grad` is None."""
    tensor = paths.run.named_at(name, step)
    if tensor == NOTHING:
        with suppress(KeyError):
            tensor = named(paths, name, step)
    history = paths.run.tensors.get(tensor)
    if history is None or history.born > step or history.grad(step) != NOTHING:
        return None
    return absent(Question(paths, tensor, step, name))
