"""Rules about how leaves come to be: converted after they were made, never filled, or exchanged behind autograd's back."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan, Read, Site
from .. import mending
from ..paths import Paths, paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

CONVERTED_LEAF = Kind(
    "converted_leaf", "warning",
    "What is meant to be trained is the result of an operation on the leaf that gets the gradient.", mechanical=True,
)  # fmt: skip
UNINITIALIZED = Kind("uninitialized", "warning", "Memory that nobody has filled is computed with.", mechanical=True)
CHANGED_UNSEEN = Kind(
    "changed_unseen", "error", "A tensor that backward needs was changed through .data, where autograd does not see it."
)

_STEPS = 6
"""Operations on a leaf within the statement that makes it."""


@rule(15, CONVERTED_LEAF)
def converted_leaf(run: Run) -> Iterator[Finding]:
    """`nn.Parameter(x) * 0.01`, `torch.randn(3, requires_grad=True).double()`: the name stands for a result."""
    paths = paths_of(run.recording)
    told: set[Site | None] = set()
    columns = columns_of(run.recording)
    leaf = (columns.tensors.requires_grad == 1) & (columns.tensors.is_leaf == 1)
    for born, event in run.ops_where(np.isin(columns.operations.step, columns.tensors.step[leaf])):
        made = event.outputs[0] if len(event.outputs) == 1 else None
        if made is None or not made.requires_grad or not made.is_leaf or event.site < 0:
            continue
        site = run.site(born)
        if site in told or run.tensors[made.id].first_name or len(run.consumers.get(made.id, ())) != 1:
            continue
        converted = _converted(run, paths, made.id)
        if converted is None:
            continue
        result, step = converted
        name = run.tensors[result].first_name or paths.assigned_to(step)
        if not name or not (made.is_parameter or _wanted(paths, name)) or _retained(paths, result):
            continue
        told.add(site)
        maker = run.tensors[result].op
        what = "the parameter" if made.is_parameter else "the leaf"
        yield finding(
            run, CONVERTED_LEAF,
            f"{name} is not {what} itself but the result of {maker.op} on it.",
            f"{run.where(born)} makes a leaf and computes on with it at once, so {name} names the result. backward() fills "
            f"the .grad of the leaf, which has no name: {name}.grad stays None"
            + (", and parameters() does not list it." if made.is_parameter else ", and nothing can be updated with it."),
            f"Convert first: {name} = nn.Parameter(…) of the converted values." if made.is_parameter else
            f"Convert first, and then ask for gradients: {name} = (…).requires_grad_().",
            step=step, site=run.site(step), related=[site],
            evidence=[(f"{name}.is_leaf", "False"), ("operation in between", maker.op)],
            nodes=[key(made.id), key(result)],
            changes=_first_converted(paths, born, step, made.is_parameter),
        )  # fmt: skip


def _converted(run: Run, paths: Paths, leaf: int) -> tuple[int, int] | None:
    """What came of a leaf within the statement that made it, and the step that made that."""
    born = run.tensors[leaf].born
    node = paths.source.at(run.site(born))
    statement = paths.source.statement(node) if node is not None else None
    result, step = leaf, born
    for _ in range(_STEPS):
        following = run.consumers.get(result, [])
        later = run.events[following[0]] if len(following) == 1 else None
        made = list(later.outputs) if isinstance(later, OpRan) and later.node is not None else []
        if len(made) != 1:
            break
        other = paths.source.at(run.site(following[0]))
        if other is None or statement is None or paths.source.statement(other) is not statement:
            break
        result, step = made[0].id, following[0]
        if run.tensors[result].first_name:
            break
    simple = isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is paths.source.at(run.site(step))
    return (result, step) if step != born and simple else None


def _wanted(paths: Paths, name: str) -> bool:
    """Whether the program reads `name.grad`."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad" and ast.unparse(node.value) == name
        for node in paths.source.parents
    )


def _retained(paths: Paths, tensor: int) -> bool:
    """Whether the `.grad` of a result is kept."""
    return any(flag == "retains_grad" and value for _, flag, value in paths.flags.get(tensor, ()))


def _first_converted(paths: Paths, born: int, step: int, parameter: bool) -> mending.Changes:
    """The changes that convert before the leaf is made."""
    run = paths.run
    call, whole = run.site(born), run.site(step)
    node = paths.source.at(call)
    if not isinstance(node, ast.Call) or call is None:
        return []
    if not parameter:
        return [*mending.keyword(run, call, "requires_grad", None), *mending.with_call(run, whole, "requires_grad_()")]
    text, inner, given = mending.text_at(run, whole), mending.text_at(run, call), mending.argument_at(run, call, 0, "data")
    data = mending.text_at(run, given)
    if not data or text.count(inner) != 1:
        return []
    return mending.replaced(run, whole, f"{ast.unparse(node.func)}({text.replace(inner, data)})")


@rule(172, UNINITIALIZED)
def uninitialized(run: Run) -> Iterator[Finding]:
    """The result of `torch.empty`, or of `torch.Tensor` of sizes, is computed with before anything was written into it."""
    empty = run.having("uninitialized")
    told: set[Site | None] = set()
    classes = {name for name in columns_of(run.recording).op_names if name[:1].isupper()}
    for born, event in run.ops_of(empty | classes):
        if len(event.outputs) != 1 or not (event.op in empty or _of_sizes(run, born, event)):
            continue
        made, site = event.outputs[0], run.site(born)
        if site in told or 0 in made.shape:
            continue
        used = _used_unfilled(run, made.id)
        if used is None:
            continue
        told.add(site)
        name = run.title(used[1])
        stays = ", so that runs repeat" if run.zero(made.array) else ""
        yield finding(
            run, UNINITIALIZED,
            f"{name} is computed with at {run.where(used[0])}, and nothing was ever written into it.",
            f"{run.segment(site)} reserves memory and leaves in it what was there: other numbers in every run, perhaps NaN or "
            f"1e38{' (here they are zeros' + stays + ')' if stays else ''}.",
            "Fill it: torch.zeros(…) or torch.randn(…) instead, or nn.init.…_(…) before it is used.",
            step=born, related=[run.site(used[0])],
            evidence=[("shape", str(list(made.shape))), ("writes before the first use", "0")],
            nodes=[key(made.id)],
            changes=mending.renamed(run, site, "zeros_like" if event.op.endswith("like") else "zeros"),
            severity="hint" if _for_its_shape(run, used[0]) else "",
        )  # fmt: skip


def _for_its_shape(run: Run, step: int) -> bool:
    """Whether a model is tried out with a tensor, as to see which shapes come about: its parameters learn nothing from that."""
    event = run.events[step]
    return (
        isinstance(event, OpRan)
        and event.node is not None
        and any(run.tensors[t].info.is_parameter for t in run.inputs(event))
        and not any(event.node.id in entry.ran_at for entry in run.passes)
    )


def _of_sizes(run: Run, step: int, event: OpRan) -> bool:
    """Whether a tensor is made by a class (`torch.Tensor(3, 2)`), of which only the sizes were given."""
    given = [argument.text for argument in event.inputs]
    return bool(given) and event.op[:1].isupper() and all(text.isdigit() for text in given) and "Tensor(" in run.segment(
        run.site(step)
    )  # fmt: skip


def _used_unfilled(run: Run, tensor: int) -> tuple[int, int] | None:
    """The step at which a tensor's values, or those of what only hands them on, are computed with before they were written, and
    the one of these tensors that has a name; None if they were written first, or left the graph."""
    handed = run.having("alias") | run.having("same_values") | run.having("detaches") | run.having("leaf")
    family, frontier, first = {tensor}, [tensor], NOTHING
    for t in frontier:
        for step in run.consumers.get(t, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or any(write.tensor in family for write in event.written):
                continue
            if event.op in handed and len(frontier) < 64:
                fresh = [made.id for made in event.outputs if made.id not in family]
                family.update(fresh)
                frontier += fresh
            elif event.op not in run.having("creation") and not event.written and (first == NOTHING or step < first):
                first = step
    if first == NOTHING:
        return None
    filled = min((run.writes[t][0] for t in family if t in run.writes), default=len(run.events))
    reads = any(isinstance(e, Read) and e.tensor in family for e in run.events[run.tensors[tensor].born : first])
    named = next((t for t in frontier if run.tensors[t].first_name), tensor)
    return (first, named) if first < filled and not reads else None


@rule(75, CHANGED_UNSEEN)
def changed_unseen(run: Run) -> Iterator[Finding]:
    """Between forward and backward the values that a node has saved are changed through `.data`: no version counts that."""
    hidden = _hidden_writes(run)
    if not hidden:
        return
    told: set[Site | None] = set()
    ran = {node: step for entry in run.passes for node, step in entry.ran_at.items()}
    for node, step in ran.items():
        history = run.nodes[node]
        for saved in history.info.saved:
            base = run.owner(run.beneath_views(saved.tensor)) if saved.tensor in run.tensors else NOTHING
            steps = hidden.get(base)
            if steps is None or not isinstance(history.event, OpRan):
                continue
            between = steps[bisect_right(steps, history.born) : bisect_left(steps, step)]
            site = run.site(between[0]) if between else None
            if not between or site in told or (base == saved.tensor and run.status(base, step).version != saved.version):
                continue
            before, now = run.status(base, history.born).array, run.status(base, step).array
            if before == NOTHING or now == NOTHING or (not run.differ(before, now) and not _through_alias(run, between[0])):
                continue
            told.add(site)
            name = run.title(base)
            yield finding(
                run, CHANGED_UNSEEN,
                f"{name} is changed through .data between forward and backward, so the gradient is that of other values.",
                f"{run.where(history.born)} computes with {name}, {run.where(between[0])} changes it, and backward at "
                f"{run.where(step)} takes the derivative at the new values. .data hides the change from autograd, which would "
                "have raised an error.",
                f"Change {name} after backward(), and within torch.no_grad() instead of through .data.",
                step=between[0], related=[run.site(history.born), run.site(step)],
                evidence=[
                    ("forward", run.where(history.born)),
                    ("changed", run.where(between[0])),
                    ("backward", run.where(step)),
                ],
                nodes=[key(base), f"n{node}"],
            )  # fmt: skip


def _hidden_writes(run: Run) -> dict[int, list[int]]:
    """Tensor -> the steps at which it was changed through `.data` or another tensor."""
    found: dict[int, list[int]] = {}
    columns = columns_of(run.recording)
    for step, event in run.ops_where(np.isin(columns.operations.step, columns.writes.step)):
        for write in event.written:
            owner = run.owner(write.tensor)
            through = event if owner == write.tensor else run.tensors[write.tensor].op
            if through.cut == "data":
                found.setdefault(owner, []).append(step)
    return found


def _through_alias(run: Run, step: int) -> bool:
    """Whether a write went through another tensor of the same memory, so that the tensor's own record does not show it."""
    event = run.events[step]
    return isinstance(event, OpRan) and any(run.owner(write.tensor) != write.tensor for write in event.written)
