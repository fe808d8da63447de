"""Rules about copies: one that is trained in the place of what was copied, and one that is none, so that both change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...recording.events import NOTHING, Accumulated, OpRan, Site
from ..mending import Changes, instead, replaced, statement_of, wrapped
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .parameters import is_used
from .registry import rule

COPY_TRAINED = Kind(
    "copy_trained",
    "error",
    "An optimizer has the parameters of a network that is only copied, and the copy is trained.",
    answers=("unused",),
)
AVERAGE_IS_ALIAS = Kind(
    "average_is_alias", "warning", "What is to be an average of a parameter shares its memory, and is added to itself.",
    mechanical=True,
)  # fmt: skip
AVERAGED_BACK = Kind(
    "averaged_back", "warning", "What an optimizer trains is overwritten by an average with a copy that never changes."
)
MEMORY_TWICE = Kind("memory_twice", "warning", "Two parameters share their memory, and an optimizer changes it once for each.")
COPIED_NOT_TIED = Kind(
    "copied_not_tied", "hint", "A parameter begins as a copy of another one of the same model, and goes its own way.",
    mechanical=True,
)  # fmt: skip

_LOOKED_AT = 64
"""Parameters of copies that are compared with those of an optimizer."""
_WRITES = 40
"""Writes into a parameter that are looked at."""
_FAR = 4
"""Operations between a parameter and the average that it goes into."""


@rule(112, COPY_TRAINED)
def copy_trained(run: Run) -> Iterator[Finding]:
    """No parameter of an optimizer ever has a gradient, nothing is computed from them, and `copy.deepcopy` has made the
    parameters that the passes fill, with the same values."""
    calls = paths_of(run.recording).source.calls.get("deepcopy", ())
    copied = {site_of(cell, call) for cell, call in calls}
    if not copied or not run.passes:
        return
    with_gradient = {t for _, event in run.optimizer_steps for t in event.parameters}
    told = set()
    for step, event in run.optimizer_steps:
        if event.parameters or event.site in told or not event.idle or with_gradient & {*event.idle}:
            continue
        if any(is_used(run, t) or run.tensors[t].ledger is not None for t in event.idle):
            continue
        first = event.idle[0]
        for made in [m for m in sorted(run.tensors) if run.site(run.tensors[m].born) in copied][:_LOOKED_AT]:
            twin = run.tensors[made]
            filled = next((s for s, e in run.history(made) if isinstance(e, Accumulated)), None)
            if filled is None or twin.born > step or not run.same(twin.info.array, run.status(first, twin.born).array):
                continue
            told.add(event.site)
            site = run.site(twin.born)
            owner, copy = (run.title(t).partition(".")[0].partition("[")[0] for t in (first, made))
            yield finding(
                run, COPY_TRAINED,
                f"{event.optimizer} at {run.where(step)} changes nothing: the gradients are in the copy.",
                f"{run.segment(site)} makes new parameters with the values of {run.names(event.idle)}. What is computed leads "
                f"backward to those of {copy} and ends there, so .grad is None at every step for the {len(event.idle)} that "
                "the optimizer has.",
                f"Compute with {owner} itself: torch.func.functional_call({owner}, weights, x), with weights that are made by "
                "torch.autograd.grad(…, create_graph=True). Or, to first order, give the gradients of the copy to what was "
                "copied before the step: p.grad = q.grad.",
                step=step, site=site, related=[run.site(step), run.site(filled)],
                evidence=[("parameters without a gradient", f"{len(event.idle)} of {len(event.idle)}")],
                nodes=[key(first), key(made)],
                steps=[s for s, e in run.optimizer_steps if e.site == event.site],
            )  # fmt: skip
            break


def _writes(run: Run, parameter: int) -> Iterator[tuple[int, OpRan]]:
    """The operations of the program itself that write into a parameter when it has been updated, under whatever name."""
    began = run.updates[parameter][0]
    own = [step for step in run.writes.get(parameter, ()) if step > began and not run.index.stepping[step]]
    for step in own[:_WRITES]:
        event = run.events[step]
        if isinstance(event, OpRan) and event.in_backward == 0:
            yield step, event


@rule(113, AVERAGE_IS_ALIAS)
def average_is_alias(run: Run) -> Iterator[Finding]:
    """A `.data` or `detach()` of a parameter, kept from before the training, is written in place with the parameter itself."""
    told = set()
    for parameter in run.updates:
        for step, event in _writes(run, parameter):
            given = run.inputs(event)
            if len(given) < 2 or given[0] == parameter or event.site in told:
                continue
            kept, other = given[0], given[1]
            if kept == other or {run.owner(kept), run.owner(other)} != {parameter}:
                continue
            if run.tensors[kept].born > run.updates[parameter][0]:
                continue
            told.add(event.site)
            made = run.site(run.tensors[kept].born)
            name, text = run.title(kept), run.segment(made)
            yield finding(
                run, AVERAGE_IS_ALIAS,
                f"{name} is no copy of {run.title(parameter)}: it is the same memory.",
                f"{text or 'It'} at {run.site_text(made)} gives the parameter itself without its graph. "
                f"{run.segment(run.site(step)) or event.op} then adds the parameter to itself, and what is written there, the "
                "model has: there is no average, and training goes on from what the average has made of the parameters.",
                f"Copy it: {text or '.data'}.clone().",
                step=step, site=made, related=[run.site(step)],
                evidence=[("written in place", f"{name}, {run.title(parameter)}")], nodes=[key(kept), key(parameter)],
                changes=wrapped(run, made, "", ".clone()"),
            )  # fmt: skip
            return


@rule(114, AVERAGED_BACK)
def averaged_back(run: Run) -> Iterator[Finding]:
    """A parameter that an optimizer moves gets a mixture of itself and of another parameter, which nothing has changed since
    the training began."""
    for parameter in run.updates:
        fixed: dict[int, list[int]] = {}
        for step, event in _writes(run, parameter):
            for other in _mixed(run, event, parameter):
                changed = any(s > run.updates[parameter][0] for s in run.writes.get(other, ()))
                if other not in run.updates and not changed and _nearer(run, step, parameter, other):
                    fixed.setdefault(other, []).append(step)
        for other, steps in fixed.items():
            if len(steps) < 2 or run.loops(steps[0]) == run.loops(steps[1]):
                continue
            if len(steps) < min(len(run.updates[parameter]), _WRITES) / 2:
                continue  # now and then, between tasks
            yield finding(
                run, AVERAGED_BACK,
                f"{run.title(parameter)} is trained, and then set back to {run.title(other)}, which never changes.",
                f"{run.expression(run.site(steps[0]))} at {run.where(steps[0])} writes into what the optimizer trains, in "
                f"every iteration after its step. {run.title(other)} is what it was at the beginning, so what is learned is "
                "undone.",
                "Write the average into the copy that is to follow: the trained parameters keep what the optimizer gives them.",
                step=steps[0], related=[run.site(run.updates[parameter][0])],
                evidence=[("writes into the copy", "0"), ("into what is trained", str(len(steps)))],
                nodes=[key(parameter), key(other)], steps=steps,
            )  # fmt: skip
            return


def _nearer(run: Run, step: int, parameter: int, other: int) -> bool:
    """Whether a write brings a parameter more than half of the way to another one, so that it is no gentle pull."""
    before, after, there = run.values(parameter, step - 1), run.values(parameter, step), run.values(other, step)
    if before is None or after is None or there is None:
        return False
    return float(np.linalg.norm(after - there)) < float(np.linalg.norm(before - there)) / 2


def _mixed(run: Run, event: OpRan, parameter: int) -> set[int]:
    """The other parameters of the same shape that an operation writes into one, scaled or added to it."""
    queue, found = [(tensor, 0) for tensor in run.inputs(event)[1:]], set()
    itself = len(run.inputs(event)) == 2 and "given" not in run.traits(event.op)
    for tensor, far in queue:
        owner = run.owner(tensor)
        itself = itself or owner == parameter
        if owner != parameter and run.tensors[owner].info.is_parameter:
            if run.tensors[owner].info.shape == run.tensors[parameter].info.shape:
                found.add(owner)
        elif far < _FAR and "elementwise" in run.traits(run.tensors[tensor].op.op):
            queue += [(given, far + 1) for given in run.inputs(run.tensors[tensor].op)]
    return found if itself else set()


@rule(115, MEMORY_TWICE)
def memory_twice(run: Run) -> Iterator[Finding]:
    """`nn.Parameter(other.weight)`, or `weight.data = other.weight.data`, and optimizers step both in one part of the run."""
    for parameter, given, step in _given_memory(run):
        updates = [update for update in run.updates.get(parameter, ()) if update > step]
        other = _memory_of(run, given)
        if not updates or other == parameter or other not in run.updates or run.updates[other][-1] < updates[0]:
            continue
        site = run.site(step)
        text = (run.segment(site) if step == run.tensors[parameter].born else run.line(site).strip()) or "What makes it"
        plain = re.fullmatch(r"(?:[\w.]*Parameter\(|[\w.]+\.data = )([\w.]+?)(\.data|\.detach\(\))?\)?", text)
        yield finding(
            run, MEMORY_TWICE,
            f"{run.title(parameter)} and {run.title(other)} are two parameters on the same memory: each step changes it twice.",
            f"{text} leaves a parameter with a gradient and a state in the optimizer of its own, of the same numbers. Each "
            "gets its own part of the gradient, and what is done for the one is done to the other as well.",
            "To tie weights, put one parameter in two places" + (f": = {plain[1]}." if plain else "."),
            step=step, site=site, related=[run.site(run.tensors[other].born)],
            evidence=[("updates of the one", str(len(updates))), ("updates of the other", str(len(run.updates[other])))],
            nodes=[key(parameter), key(other)], steps=updates,
        )  # fmt: skip


def _given_memory(run: Run) -> Iterator[tuple[int, int, int]]:
    """Parameters that were given the memory of another tensor: when they were made, or by `.data = …`; and at which step."""
    for parameter in run.updates:
        history = run.tensors[parameter]
        for given in run.inputs(history.op):
            yield parameter, given, history.born
    for step, event in run.ops:
        if event.op in run.having("alias") and event.written and len(event.inputs) > 1:
            yield event.written[0].tensor, event.inputs[1].tensor, step


def _memory_of(run: Run, tensor: int) -> int:
    """The tensor whose memory another one stands for, as its views and `.data` do; NOTHING for none."""
    for _ in range(64 if tensor != NOTHING else 0):
        history = run.tensors[tensor]
        inputs = run.inputs(history.op)
        beneath = history.info.view_of
        if beneath == NOTHING and history.op.op in run.having("alias") and inputs:
            beneath = inputs[0]
        if beneath == NOTHING:
            break
        tensor = beneath
    return tensor


class _Copied(NamedTuple):
    """A parameter that begins as a copy of another one; `text` is that other one as the program writes it, "" where that is not
    plain, and `changes` give the one parameter in place of the copy."""

    parameter: int
    other: int
    step: int
    site: Site | None
    text: str
    changes: Changes


@rule(115, COPIED_NOT_TIED)
def copied_not_tied(run: Run) -> Iterator[Finding]:
    """`nn.Parameter(other.weight.clone())` takes the place of a weight, or `weight.data = other.weight.data.clone()` is that of
    an embedding; both get gradients, and at the end they differ."""
    for parameter, other, step, site, text, changes in (*_made_as_copies(run), *_written_as_copies(run)):
        end = len(run.events)
        if run.same(run.status(parameter, end).array, run.status(other, end).array):
            continue
        new = step == run.tensors[parameter].born
        does = f"{run.segment(site)} makes a parameter of its own with" if new else f"{run.line(site).strip()} writes"
        yield finding(
            run, COPIED_NOT_TIED,
            f"{run.title(parameter)} is a copy of {run.title(other)}: from the first update on they differ.",
            f"{does} the same values. Both get gradients, each its own; tied weights are one parameter in two places, whose "
            "gradients add up.",
            f"To tie them {f'leave out the copy: {text}' if text else 'put the one parameter in both places'}. To begin alike "
            "only, all is well.",
            step=step, site=site, related=[run.site(run.tensors[other].born)],
            evidence=[("equal at first", "True"), ("at the end", "False")], nodes=[key(parameter), key(other)],
            changes=changes,
        )  # fmt: skip


def _made_as_copies(run: Run) -> Iterator[_Copied]:
    """Parameters that are made from copies of others."""
    source = paths_of(run.recording).source
    made = {site_of(cell, call): (cell, call) for cell, call in source.calls.get("Parameter", ()) if len(call.args) == 1}
    for parameter in run.updates:
        history = run.tensors[parameter]
        site = run.site(history.born)
        if site not in made:
            continue
        _, call = made[site]
        copied = re.fullmatch(r"([\w.]+?)(\.data)?\.(clone|detach)\(\).*", ast.unparse(call.args[0]))
        values = run.recording.array(history.info.array)
        if copied is None or values is None or values.ndim < 2:
            continue
        for other in run.updates:
            first = run.tensors[other]
            if other == parameter or first.born > history.born or first.info.shape != history.info.shape:
                continue
            if run.same(history.info.array, run.status(other, history.born).array):
                yield _Copied(parameter, other, history.born, site, f"= {copied[1]}", replaced(run, site, copied[1]))
                break


def _written_as_copies(run: Run) -> Iterator[_Copied]:
    """Weights of layers into which the table of an embedding is copied before they are trained, or the other way round."""
    for step, event in run.first_ops_of(run.having("alias") | {"copy"}, 2):
        written = [write.tensor for write in event.written]
        given = run.inputs(event)
        if not written or len(given) != 2 or event.in_backward:
            continue
        parameter, other = run.owner(written[0]), _copied_from(run, given[1])
        if other == parameter or other not in run.updates or parameter not in run.updates:
            continue
        shared = event.op in run.having("alias") and _memory_of(run, given[1]) == other
        if shared or run.updates[parameter][0] < step or run.updates[other][-1] < step:
            continue
        if len(run.tensors[other].info.shape) != 2 or _is_table(run, parameter) == _is_table(run, other):
            continue
        again = any(later > step and not run.index.stepping[later] for later in run.writes.get(parameter, ()))
        if again or not run.same(run.status(parameter, step).array, run.status(other, step).array):
            continue
        yield _Copied(parameter, other, step, run.site(step), *_tied(run, step))


def _copied_from(run: Run, tensor: int) -> int:
    """What a tensor has the elements of, each in its place."""
    for _ in range(_FAR * 2):
        event = run.tensors[tensor].op
        given = run.inputs(event)
        copies = event.op in run.having("alias") | run.having("same_values") and "transposes" not in run.traits(event.op)
        if not copies or len(given) != 1 or run.tensors[given[0]].info.shape != run.tensors[tensor].info.shape:
            break
        (tensor,) = given
    return tensor


def _is_table(run: Run, parameter: int) -> bool:
    """Whether the rows of a parameter are looked up."""
    taking = [run.events[step] for step in run.consumers.get(parameter, ())[:_LOOKED_AT]]
    return any(isinstance(event, OpRan) and event.op == "embedding" for event in taking)


def _tied(run: Run, step: int) -> tuple[str, Changes]:
    """The assignment of a parameter that ties it to the one that a statement copies into it, and the changes that write it; ""
    and none where the text does not name both."""
    found = statement_of(run, run.site(step))
    match found.node if found is not None else None:
        case ast.Assign(targets=[ast.Attribute(value=target, attr="data")], value=value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="copy_"), args=[value], keywords=[])):
            pass
        case _:
            return "", []
    names = [re.sub(r"(\.data|\.detach\(\)|\.clone\(\))+$", "", ast.unparse(each)) for each in (target, value)]
    if not all(re.fullmatch(r"[\w.]+\.\w+", name) for name in names):
        return "", []
    text = " = ".join(names)
    return text, instead(run, run.site(step), text)
