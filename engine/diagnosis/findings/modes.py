"""Rules about the mode of a module: layers that act differently in training and in evaluation, in the wrong one."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan, Scope, Site
from ...recording.levels import levels_of
from ..cadence import cadence_of, used_fills
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

EVAL_IN_TRAINING = Kind(
    "eval_in_training", "warning", "A model is trained while it is in evaluation mode: no dropout, no batch statistics."
)
TRAINING_IN_EVALUATION = Kind(
    "training_in_evaluation", "warning", "A model is evaluated while it is in training mode: with dropout, or batch statistics."
)
DROPOUT_ALWAYS_ON = Kind("dropout_always_on", "warning", "Dropout that no mode switches off drops in evaluation, too.")

_DROPOUT = re.compile(r"(Feature)?(Alpha)?Dropout([123]d)?")
_BATCH_NORM = re.compile(r"(Lazy|Sync)*BatchNorm([123]d)?")
_FUNCTIONS = re.compile(r"(feature_)?(alpha_)?dropout([123]d)?")
_FOLLOWED = 400
"""Tensors that are looked at to see what becomes of an evaluation's result."""
_CALL = 300
"""Events of a call of a model that are looked back at from one of its layers."""


class Fill(NamedTuple):
    """A gradient by which a parameter was updated, with the forward pass that it came from."""

    tensor: int
    forward: int
    """The step of the operation that took the parameter."""
    number: int
    """The backward pass."""
    mode: str


@rule(135, EVAL_IN_TRAINING)
def trained_in_evaluation_mode(run: Run) -> Iterator[Finding]:
    """Gradients by which a model is updated come from forward passes in evaluation mode."""
    if not any(scope.mode == "eval" for scope in run.recording.scopes):
        return
    for model, fills in _training(run).items():
        modes: dict[int, set[str]] = {}
        for fill in fills:
            modes.setdefault(fill.number, set()).add(fill.mode)
        # Where only a part of the model is in evaluation mode, that is on purpose.
        if {"train", "eval"} in modes.values() or _partly_frozen(run, model):
            continue
        wrong = [fill for fill in fills if fill.mode == "eval"]
        layers = _sensitive(run, model)
        if not wrong or not layers:
            continue
        first = wrong[0]
        before = [fill for fill in fills if fill.forward < first.forward]
        forward = _called(run, first.forward)
        switch = _switch(run)
        yield finding(
            run, EVAL_IN_TRAINING,
            f"{model} is trained in evaluation mode: {' and '.join(layers)}.",
            f"The forward pass at {_at(run, first.forward)}, by whose gradients {run.title(first.tensor)} is updated, runs in "
            "evaluation mode"
            + (f": .eval() at {run.site_text(switch)} is not followed by train()." if switch is not None else ".")
            + (f" Before that, at {_at(run, before[-1].forward)}, it ran in training mode." if before else ""),
            f"Call {_method(run, model, 'train')} before the training part of each epoch, and {_method(run, model, 'eval')} "
            "for "
            "the evaluation only.",
            step=first.forward,
            site=switch if switch is not None else forward,
            related=[forward],
            evidence=[("backward passes in evaluation mode", f"{list(modes.values()).count({'eval'})} of {len(modes)}")],
            nodes=[key(t) for t in dict.fromkeys(fill.tensor for fill in wrong)],
            steps=[fill.forward for fill in wrong],
            severity="" if before or not _copied(run) else "hint",
        )  # fmt: skip


def _training(run: Run) -> dict[str, list[Fill]]:
    """Model (the outermost module) -> the gradients by which it was updated, in the order of their forward passes."""
    return run.recording.once("training fills", lambda: _fills(run))


def _fills(run: Run) -> dict[str, list[Fill]]:
    found: dict[str, list[Fill]] = {}
    scopes = run.recording.scopes
    for tensor in run.updates:
        uses = [
            s
            for s in run.consumers.get(tensor, ())
            if isinstance(e := run.events[s], OpRan) and e.node is not None and e.scope >= 0 and scopes[e.scope].mode
        ]
        # Batch normalisation has a mode of its own where its statistics are kept as they are.
        if not uses or _BATCH_NORM.fullmatch(scopes[run.events[uses[0]].scope].module_class):
            continue
        filled, numbers = used_fills(run, tensor)
        places = np.searchsorted(uses, filled, "left") - 1
        for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
            if place >= 0:
                scope = scopes[run.events[uses[place]].scope]
                found.setdefault(_model(scope), []).append(Fill(tensor, uses[place], number, scope.mode))
    for fills in found.values():
        fills.sort(key=lambda fill: (fill.forward, fill.number))
    return found


def _model(scope: Scope) -> str:
    """The outermost module that runs."""
    return scope.module.partition(".")[0]


def _sensitive(run: Run, model: str) -> list[str]:
    """What of a model acts differently in evaluation mode, in words."""
    classes = {scope.module_class for scope in run.recording.scopes if _model(scope) == model}
    found = []
    if any(map(_DROPOUT.fullmatch, classes)) or _builds_dropout(run):
        found.append("its dropout drops nothing")
    if any(map(_BATCH_NORM.fullmatch, classes)):
        found.append("its batch normalisation goes by running statistics that nothing updates")
    return found


def _builds_dropout(run: Run) -> bool:
    """Whether the program makes a layer of dropout that drops anything; in evaluation mode it leaves no trace in a run."""
    for name, calls in paths_of(run.recording).source.calls.items():
        if _DROPOUT.fullmatch(name):
            for _, made in calls:
                given = [*made.args[:1], *(k.value for k in made.keywords if k.arg == "p")]
                if not any(isinstance(p, ast.Constant) and p.value == 0 for p in given):
                    return True
    return False


def _partly_frozen(run: Run, model: str) -> bool:
    """Whether a part of a model is not trained: evaluation mode may be meant for that part."""
    end = len(run.events) - 1
    own = {e.tensor for _, e in run.namings if e.name.startswith(f"{model}.") and e.tensor != NOTHING}
    return any(run.tensors[t].info.is_parameter and not run.status(t, end).requires_grad for t in own)


def _copied(run: Run) -> bool:
    """Whether parameters come from elsewhere, so that the model is fine-tuned."""
    return "load_state_dict" in paths_of(run.recording).source.calls


def _switch(run: Run) -> Site | None:
    """The only call in the text that switches to evaluation mode, if there is one only."""
    calls = []
    for name in ("eval", "train"):
        for cell, node in paths_of(run.recording).source.calls.get(name, ()):
            given = [*node.args, *(k.value for k in node.keywords)]
            off = [isinstance(a, ast.Constant) and a.value is False for a in given]
            if isinstance(node.func, ast.Attribute) and off == ([] if name == "eval" else [True]):
                calls.append(Site(cell, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0))
    return calls[0] if len(calls) == 1 else None


class Evaluation(NamedTuple):
    """A layer that acted as in training, in a forward pass that is an evaluation."""

    step: int
    model: str
    layer: str
    site: Site | None
    """Where the model is called."""
    drops: bool
    measured: int
    """The step at which the result was compared with data."""
    learned: bool
    """Whether the model also learns from what it was given."""
    tracked: bool
    """Whether gradients were tracked, as if something were to be learned."""
    made: int


@rule(136, TRAINING_IN_EVALUATION, everywhere=True)  # the evaluation often comes last
def evaluated_in_training_mode(run: Run) -> Iterator[Finding]:
    """A forward pass whose result is only measured runs with dropout, or by the statistics of its batch."""
    trained = _training(run) if run.updates else {}
    at: dict[tuple[Site | None, str], list[Evaluation]] = {}
    for found in _evaluations(run, trained):
        at.setdefault((found.site, found.model), []).append(found)
    for (site, model), same in at.items():
        first = same[0]
        acts = "drops elements at random" if first.drops else "normalises by the statistics of the batch"
        harm = (
            "so the measure depends on chance"
            if first.drops
            else "so the measure depends on which samples share a batch, and the data change the running statistics"
        )
        yield finding(
            run, TRAINING_IN_EVALUATION,
            f"{model} is evaluated in training mode: {first.layer} {acts}.",
            f"Nothing is learned from the forward pass at {_at(run, first.step)}; its result is only measured, at "
            f"{run.where(first.measured)}. In training mode {first.layer} {acts}, {harm}.",
            f"Call {_method(run, model, 'eval')} before the evaluation, and {_method(run, model, 'train')} before training "
            "goes on.",
            step=first.step,
            site=site,
            related=[run.site(first.measured)],
            evidence=[("layer", first.layer), ("evaluations in training mode", str(len(same)))],
            nodes=[key(found.made) for found in same],
            steps=[found.step for found in same],
            severity="hint" if all(found.tracked and found.learned for found in same) else "",
        )  # fmt: skip


def _evaluations(run: Run, trained: Collection[str]) -> Iterator[Evaluation]:
    """The first layer of each evaluation that acts as in training."""
    scopes = run.recording.scopes
    acting = {
        number
        for number, scope in enumerate(scopes)
        if scope.mode == "train"
        and _model(scope) in trained
        and (_DROPOUT.fullmatch(scope.module_class) or _BATCH_NORM.fullmatch(scope.module_class))
    }
    if not acting:
        return
    columns = columns_of(run.recording)
    went_back = set(columns.ran.node.tolist())
    until = 0  # the end of the call that was looked at last
    for step in np.flatnonzero(np.isin(columns.events.scope, list(acting))).tolist():
        event = run.events[step]
        if step < until or not isinstance(event, OpRan) or not event.outputs or not run.inputs(event) or event.in_backward:
            continue
        if event.node is not None and (event.node.id in went_back or run.raised is not None):
            continue
        scope = scopes[event.scope]
        model = _model(scope)
        first, until = _call(run, step, model)
        others = {scopes[run.events[s].scope].mode for s in range(first, until)}
        measured = _measured(run, event.outputs[0].id, model, went_back) if "eval" not in others else NOTHING
        # Where the recording is thin, what went backward is not known of every pass.
        if measured != NOTHING and levels_of(run.recording).lowest(first, measured) == "whole":
            drops = _DROPOUT.fullmatch(scope.module_class) is not None
            yield Evaluation(
                step,
                model,
                scope.module,
                _called(run, step),
                drops,
                measured,
                _trained_on(run, _given(run, first, until), range(first, until)),
                event.grad_mode,
                event.outputs[0].id,
            )


def _call(run: Run, step: int, model: str) -> tuple[int, int]:
    """From where on and until where the call of a model goes that a step is in, as far as it is looked at."""
    scopes, events = run.recording.scopes, run.events
    loops = run.loops(step)

    def inside(at: int) -> bool:
        scope = scopes[events[at].scope] if events[at].scope >= 0 else None
        return scope is not None and _model(scope) == model and scope.loops[: len(loops)] == loops[: len(scope.loops)]

    first = step
    while first > 0 and step - first < _CALL and inside(first - 1):
        first -= 1
    last = step + 1
    while last < len(events) and last - step < _CALL and inside(last):
        last += 1
    return first, last


def _given(run: Run, first: int, last: int) -> int:
    """The tensor that a call begins with."""
    for step in range(first, last):
        event = run.events[step]
        if isinstance(event, OpRan) and event.outputs:
            for tensor in run.inputs(event):
                if not run.tensors[tensor].info.is_parameter and run.tensors[tensor].born < first:
                    return tensor
    return NOTHING


def _called(run: Run, step: int) -> Site | None:
    """Where in the program the model is called that a step is in."""
    event = run.events[step]
    row = next((row for row, name in run.recording.scopes[event.scope].calls if name == "forward"), None)
    return run.recording.sites[row] if row is not None else run.site(step)


def _at(run: Run, step: int) -> str:
    """Where the model is called that a step is in, and in which iteration."""
    return ", ".join(part for part in (run.site_text(_called(run, step)), run.during(step)) if part)


def _method(run: Run, model: str, name: str) -> str:
    """A call of a model's method; of a model without a name only the method."""
    unnamed = any(scope.module == model == scope.module_class for scope in run.recording.scopes)
    return f"{name}() of the {model}" if unnamed else f"{model}.{name}()"


def _measured(run: Run, tensor: int, model: str, went_back: Collection[int]) -> int:
    """The step at which what was computed from a tensor is compared with data; NOTHING where it is not, or not only that."""
    scopes = run.recording.scopes
    queue, seen = [tensor], {tensor}
    compared = NOTHING
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or event.op == "grad":
                continue
            if len(seen) > _FOLLOWED or event.written or (event.node is not None and event.node.id in went_back):
                return NOTHING
            outside = event.scope < 0 or _model(scopes[event.scope]) != model
            others = [t for t in run.inputs(event) if t not in seen] if outside else []
            if any(_sampled(run, t, model) for t in others):
                return NOTHING  # several passes are taken together: their spread is what is wanted
            if compared == NOTHING and any(_is_data(run, t) for t in others):
                compared = step
            for info in event.outputs:
                if info.id not in seen:
                    seen.add(info.id)
                    queue.append(info.id)
    number = any(not run.tensors[t].info.shape or run.tensors[t].info.shape == (1,) for t in seen)
    return compared if number else NOTHING


def _sampled(run: Run, tensor: int, model: str) -> bool:
    """Whether a tensor is the result of another pass through a model."""
    scopes = run.recording.scopes
    event = run.tensors[run.beneath_views(tensor)].op
    return event.scope >= 0 and _model(scopes[event.scope]) == model and not run.tensors[tensor].info.is_parameter


def _is_data(run: Run, tensor: int) -> bool:
    """Whether a tensor was made of values, by no module and from no parameter."""
    scopes = run.recording.scopes
    queue = [tensor]
    for source in queue:
        _, event = run.op_of(source)
        if len(queue) > 40 or run.tensors[source].info.is_parameter or (event.scope >= 0 and scopes[event.scope].module):
            return False
        queue += [t for t in run.inputs(event) if t not in queue]
    return True


def _trained_on(run: Run, tensor: int, call: range) -> bool:
    """Whether the model also learns from a tensor, in another call."""
    uses = (run.events[s] for s in run.consumers.get(tensor, ()) if s not in call)
    return any(isinstance(event, OpRan) and event.node is not None for event in uses)


@rule(137, DROPOUT_ALWAYS_ON)
def dropout_without_mode(run: Run) -> Iterator[Finding]:
    """Dropout that is not told of the module's mode drops while the module is in evaluation mode."""
    scopes = run.recording.scopes
    if not any(scope.mode == "eval" for scope in scopes):
        return
    source = paths_of(run.recording).source
    calls = [
        (cell, node)
        for name, found in source.calls.items()
        if _FUNCTIONS.fullmatch(name)
        for cell, node in found
        if len(node.args) < 3 and all(k.arg != "training" for k in node.keywords)
    ]
    fresh = [
        (cell, node)
        for name, found in source.calls.items()
        if _DROPOUT.fullmatch(name)
        for cell, made in found
        if isinstance(node := source.parents.get(made), ast.Call) and node.func is made
    ]
    cadence = cadence_of(run)
    for cell, node in [*calls, *fresh]:
        span = cell, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
        runs = [call for call in cadence.at_spans({span}) if _in_evaluation(run, call.first)]
        if not runs:
            continue
        text = run.segment(runs[0].site)
        module = _model(scopes[run.events[runs[0].first].scope])
        yield finding(
            run, DROPOUT_ALWAYS_ON,
            "Dropout drops in evaluation mode, too: nothing tells it of the mode.",
            f"{text} at {run.site_text(runs[0].site)} drops elements at random while {module} is in evaluation mode "
            f"({run.moment(runs[0].first)}). "
            + ("F.dropout drops unless it is told not to." if (cell, node) in calls else
               "A layer that is made for one call is in training mode, whatever mode its module is in."),
            "Give it the mode, training=self.training, or make an nn.Dropout in __init__ and call that.",
            step=runs[0].first,
            evidence=[("times that it dropped in evaluation mode", str(len(runs)))],
            steps=[call.first for call in runs],
        )  # fmt: skip


def _in_evaluation(run: Run, step: int) -> bool:
    """Whether the module whose code runs is in evaluation mode; a layer that was made for one call has a mode of its own."""
    scopes, events = run.recording.scopes, run.events
    here = scopes[events[step].scope] if events[step].scope >= 0 else None
    if here is None or here.mode == "eval" or not _DROPOUT.fullmatch(here.module_class):
        return here is not None and here.mode == "eval"
    near = (scopes[e.scope] for e in events[max(step - 20, 0) : step + 20] if e.scope >= 0)
    return any(scope.mode == "eval" and scope.calls == here.calls and scope.loops == here.loops for scope in near)
