"""Rules about losses that are given the wrong thing: probabilities for scores, or shapes that spread."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import TypeAlias

from ...graph.numbers import shape_text
from ...program.parsing import last_name
from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes
from ..mends import losses as mends
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .stuck import UNREACHABLE_TARGETS

SOFTMAX_TWICE = Kind(
    "softmax_twice", "warning", "cross_entropy or log_softmax is given probabilities, and applies softmax itself.", True
)
SIGMOID_TWICE = Kind(
    "sigmoid_twice", "warning", "binary_cross_entropy_with_logits is given probabilities, and applies sigmoid itself.", True
)
NLL_OF_PROBABILITIES = Kind(
    "nll_loss_of_probabilities", "warning", "nll_loss is given probabilities instead of their logarithms.", True
)
NLL_OF_SCORES = Kind("nll_loss_of_scores", "warning", "nll_loss is given scores instead of log-probabilities.", True)
KL_DIV_OF_PROBABILITIES = Kind(
    "kl_div_of_probabilities", "warning", "kl_div is given probabilities instead of their logarithms.", True
)
BROADCAST_IN_LOSS = Kind(
    "broadcast_in_loss", "warning", "Prediction and target of a loss have shapes that broadcast to a larger one.", True
)

_FOLLOWED = 24
"""Results of operations on single elements, between what has spread and the sum."""


@rule(160, SOFTMAX_TWICE, SIGMOID_TWICE, NLL_OF_PROBABILITIES, NLL_OF_SCORES, KL_DIV_OF_PROBABILITIES)
def squashed_twice(run: Run) -> Iterator[Finding]:
    """A loss that applies softmax, log or sigmoid itself is given what has been through one already."""
    at: dict[Site | None, list[tuple[int, OpRan, Misfit]]] = {}
    names = [name for name in columns_of(run.recording).op_names if _is_looked_at(run, name)]
    for step, event in run.ops_of(names):
        if (found := _misfit(run, step, event)) is not None:
            at.setdefault(run.site(step), []).append((step, event, found))
    for same in at.values():
        step, event, (given, kind, title, explanation, fix) = same[0]
        yield finding(
            run, kind, title, explanation, fix,
            step=step,
            related=[run.site(run.tensors[given].born)],
            evidence=[
                ("input", f"{run.title(given)} = {run.texts.describe(run.tensors[given].info.array)}"),
                ("made by", f"{run.tensors[given].op.op} at {run.where(run.tensors[given].born)}"),
            ],
            nodes=[key(given), *(key(info.id) for info in event.outputs)],
            steps=[step for step, _, _ in same],
            changes=_mended(run, kind, step, given),
        )  # fmt: skip


def _mended(run: Run, kind: Kind, step: int, given: int) -> Changes:
    if kind in (SOFTMAX_TWICE, SIGMOID_TWICE):
        return mends.unsquashed(run, given)
    if run.events[step].op == "logsumexp":  # type: ignore[union-attr]
        return []
    if kind == NLL_OF_SCORES:
        return mends.another(run, step, "nll_loss", "cross_entropy")
    return mends.another(run, run.tensors[given].born, "softmax", "log_softmax")


Misfit: TypeAlias = tuple[int, Kind, str, str, str]
"""What a loss is given that does not fit: tensor, kind, title, explanation and fix."""


def _is_looked_at(run: Run, name: str) -> bool:
    """Whether an operation may be given what does not fit it; a subtraction, only as the one of kl_div."""
    if name == "sub":
        return "xlogy" in columns_of(run.recording).op_names
    if name == "logsumexp":  # with which distributions normalise what they are given
        return True
    return name.startswith("nll_loss") or name in ("log_softmax", "binary_cross_entropy_with_logits")


def _misfit(run: Run, step: int, event: OpRan) -> Misfit | None:
    name = event.op
    if run.argument(event, "self") == NOTHING:
        return None
    if name == "log_softmax" and event.outputs:
        given = run.beneath_views(run.argument(event, "self"))
        maker = run.tensors[given].op.op
        whole = _loss_name(run, step)
        if maker in run.having("probabilities"):
            return (
                given, SOFTMAX_TWICE,
                f"{whole} is given the result of {maker}, and applies softmax itself.",
                f"{run.title(given)} lies between 0 and 1, so after the second softmax no class can get a probability near 1 "
                "or 0: the loss cannot approach zero and its gradients are small.",
                f"Give {whole} the scores (logits) that went into {maker}.",
            )  # fmt: skip
        return None
    if name.startswith("nll_loss"):
        given = run.beneath_views(run.argument(event, "self"))
        maker = run.tensors[given].op.op
        if maker in run.having("probabilities"):
            return (
                given, NLL_OF_PROBABILITIES, f"nll_loss is given probabilities ({maker}) instead of their logarithms.",
                "nll_loss only picks the entry of the right class and negates it; without the logarithm it is no likelihood, "
                "and the loss is negative.",
                "Use log_softmax in place of softmax, or cross_entropy on the scores.",
            )  # fmt: skip
        values = run.values(run.argument(event, "self"), step)
        if maker != "log_softmax" and any(i.requires_grad for i in event.outputs) and values is not None \
                and values.size and float(values.max()) > 1e-4:  # fmt: skip
            return (
                given, NLL_OF_SCORES, "nll_loss is given scores instead of log-probabilities.",
                f"Log-probabilities are never positive, but the largest entry is {float(values.max()):.4g}. Without "
                "log_softmax the loss has no lower bound: it falls for ever as the scores grow.",
                "Apply log_softmax first, or use cross_entropy on the scores.",
            )  # fmt: skip
        return None
    if name == "logsumexp":
        call, given = paths_of(run.recording).source.at(run.site(step)), run.beneath_views(run.argument(event, "self"))
        maker = run.tensors[given].op.op
        if maker in run.having("probabilities") and isinstance(call, ast.Call) and last_name(call.func).endswith("Categorical"):
            whole = ast.unparse(call.func)
            return (
                given, SOFTMAX_TWICE, f"{whole} is given the result of {maker} as logits, and applies softmax itself.",
                f"{run.title(given)} lies between 0 and 1, so after the second softmax no class can get a probability near 1 "
                "or 0: what is drawn stays near to uniform, whatever is learned.",
                f"Give it as {whole}(probs=…), or give the scores that went into {maker}.",
            )  # fmt: skip
        return None
    if name == "binary_cross_entropy_with_logits":
        given = run.beneath_views(run.argument(event, "self"))
        maker = run.tensors[given].op.op
        if maker in run.having("probabilities"):
            return (
                given, SIGMOID_TWICE,
                f"binary_cross_entropy_with_logits is given the result of {maker}, and applies sigmoid itself.",
                f"{run.title(given)} lies between 0 and 1, so after the second sigmoid probabilities lie between 0.5 and 0.73: "
                "class 0 can never be predicted.",
                f"Give it the scores that went into {maker}, or use binary_cross_entropy.",
            )  # fmt: skip
        return None
    if name == "sub":
        given = run.beneath_views(_input_of_kl_div(run, event))
        if given != NOTHING and run.tensors[given].op.op in run.having("probabilities"):
            return (
                given, KL_DIV_OF_PROBABILITIES, "kl_div is given probabilities instead of their logarithms.",
                "Its first argument is expected in log-space (the second is not, unless log_target=True).",
                "Use log_softmax for the first argument.",
            )  # fmt: skip
    return None


def _input_of_kl_div(run: Run, event: OpRan) -> int:
    """What is compared with the target t where a subtraction is that of kl_div, t·log t − t·input; NOTHING for any other."""
    entropy, product = run.argument(event, "self"), run.argument(event, "other")
    if NOTHING in (entropy, product) or run.tensors[entropy].op.op != "xlogy" or run.tensors[product].op.op != "mul":
        return NOTHING
    targets = {*run.inputs(run.tensors[entropy].op)}
    factors = run.inputs(run.tensors[product].op)
    return factors[1] if len(factors) == 2 and targets == {factors[0]} else NOTHING


def _loss_name(run: Run, step: int) -> str:
    """cross_entropy where log_softmax is a part of it, else log_softmax."""
    event = run.events[step]
    assert isinstance(event, OpRan)
    for later in run.consumers.get(event.outputs[0].id, ()):
        after = run.events[later]
        if isinstance(after, OpRan) and after.site == event.site and (after.op.startswith("nll_loss") or after.op == "mul"):
            return "cross_entropy"
    return "log_softmax"


@rule(170, BROADCAST_IN_LOSS)
def spread_loss(run: Run) -> Iterator[Finding]:
    """Prediction and target have shapes that broadcast against each other: every one is compared with every other."""
    at: dict[tuple[int, int], list[tuple[int, tuple[int, ...], tuple[int, ...], Site | None]]] = {}
    for step, a, b, site in [*_warned(run), *_spread(run)]:
        at.setdefault((site.cell, site.line) if site is not None else (0, 0), []).append((step, a, b, site))
    for same in at.values():
        step, a, b, site = same[0]
        pairs = math.prod(_broadcast(a, b) or (0,))
        event = run.events[step]
        compared = not isinstance(event, OpRan) or event.op in run.having("difference")
        yield finding(
            run, BROADCAST_IN_LOSS,
            f"The loss {'compares' if compared else 'combines'} shapes {shape_text(a)} and {shape_text(b)}: they broadcast to "
            f"{shape_text(_broadcast(a, b) or ())}.",
            f"Instead of {max(math.prod(a), math.prod(b))} pairs of prediction and target, {pairs} are compared: every "
            "prediction with every target. The minimum is then the same value for all." if compared else
            f"Instead of {max(math.prod(a), math.prod(b))} pairs, {pairs} are added up: every entry of the one goes with every "
            "entry of the other, so no prediction learns from its own target.",
            "Give both one shape: target.unsqueeze(1), prediction.squeeze(1), or view_as.",
            step=step, site=site,
            evidence=[("shapes", f"{list(a)} and {list(b)}"), ("pairs compared", str(pairs))],
            nodes=[key(i.id) for i in getattr(event, "outputs", ())],
            steps=[one[0] for one in same],
            changes=mends.one_shape(run, step, site, a, b),
        )  # fmt: skip


def _warned(run: Run) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...], Site | None]]:
    for step, event in run.warnings:
        if event.message.startswith("Using a target size"):
            sizes = [tuple(map(int, s.split(","))) for s in re.findall(r"\[(\d{1,9}(?:, ?\d{1,9})*)\]", event.message)]
            if len(sizes) == 2 and _spreads(sizes[1], sizes[0]):
                target, given = sizes
                yield step, given, target, run.site(step)


def _spread(run: Run) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...], Site | None]]:
    """The operations of losses that take a column and a row element by element, the one computed from parameters, the other
    data."""
    operations = run.having("elementwise") | run.having("branches") | run.having("difference") | run.having("product")
    operations -= run.having("matrix_product") | run.having("convolution")
    sound: set[int] = set()
    for step, event in run.ops_where(columns_of(run.recording).op_is(operations) & run.op_ran):
        if event.site in sound:
            continue
        taken = run.inputs(event)
        if len(taken) < 2:
            sound.add(event.site)
            continue
        taken = [t for t in taken if run.tensors[t].info.shape]
        shapes = list(dict.fromkeys(run.tensors[t].info.shape for t in taken))
        if len(shapes) != 2 or not _column_and_row(*shapes):
            continue
        tracked = {run.tensors[t].info.shape for t in taken if run.status(t, step).requires_grad}
        difference = event.op in run.having("difference")
        if len(tracked) == 1 and not _meant(run, event, taken, difference) and _summed_up(run, event.outputs[0].id, difference):
            yield step, shapes[0], shapes[1], run.site(step)
        else:
            sound.add(event.site)


def _meant(run: Run, event: OpRan, taken: list[int], difference: bool) -> bool:
    """Whether somebody put a dimension there: in the same line or, unless the values are subtracted, anywhere."""
    line = run.recording.line(event)
    for t in taken:
        made = run.tensors[t].op
        inputs = run.inputs(made)
        while inputs and made.op in run.having("same_values") and _rows_of(run, t, inputs[0]):
            t, made = inputs[0], run.tensors[inputs[0]].op
            inputs = run.inputs(made)
        inserted = made.op in run.having("shapes") or (
            made.op in run.having("same_values")
            and bool(inputs)
            and len(run.tensors[inputs[0]].info.shape) < len(run.tensors[t].info.shape)
        )
        if inserted and (not difference or run.recording.line(made) == line):
            return True
    return False


def _rows_of(run: Run, tensor: int, source: int) -> bool:
    """Whether a tensor is some rows of another one, or all, so that their dimensions are the same."""
    part, whole = run.tensors[tensor].info.shape, run.tensors[source].info.shape
    return len(part) == len(whole) and part[1:] == whole[1:]


def _column_and_row(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether one shape is (N, 1) and the other (N,), or the one is the other with as many ones behind it as it has sizes:
    (N, C, 1, 1) and (N, C)."""
    column, row = (a, b) if len(a) > len(b) else (b, a)
    return len(column) == 2 * len(row) and column == row + (1,) * len(row) and min(row, default=0) > 1


def _summed_up(run: Run, tensor: int, bent: bool) -> bool:
    """Whether all that is computed from a tensor, element by element, is summed up into one number in the end; and, where
    it has to be `bent`, something on the way is not linear: the mean of differences is the difference of the means."""
    linear = run.having("product") | run.having("division") | run.having("difference") | run.having("casts")
    by_element = run.having("elementwise") | run.having("magnitude") | run.having("branches") | run.having("product")
    by_element |= run.having("difference") | run.having("casts")
    by_element -= run.having("matrix_product") | run.having("convolution")
    queue, seen, summed = [tensor], {tensor}, False
    for t in queue:
        if len(queue) > _FOLLOWED:
            return False
        for step in run.consumers.get(t, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.outputs:
                continue
            made = event.outputs[0]
            if event.op in run.having("reduces"):
                if math.prod(made.shape) != 1:
                    return False
                summed = True
            elif event.op not in by_element:
                return False
            elif made.id not in seen:
                bent = bent and event.op in linear
                seen.add(made.id)
                queue.append(made.id)
    return summed and not bent


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    size = max(len(a), len(b))
    left, right = (1,) * (size - len(a)) + a, (1,) * (size - len(b)) + b
    if any(m != n and 1 not in (m, n) for m, n in zip(left, right, strict=True)):
        return None
    return tuple(n if m == 1 else m for m, n in zip(left, right, strict=True))


def _spreads(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    shape = _broadcast(a, b)
    return shape is not None and math.prod(shape) > max(math.prod(a), math.prod(b))


@rule(246, UNREACHABLE_TARGETS)
def targets_beyond_probabilities(run: Run) -> Iterator[Finding]:
    """A binary cross-entropy of scores is given targets that are no probabilities: it is then bounded from below by nothing."""
    told: set[int] = set()
    for step, event in run.ops_of({"binary_cross_entropy_with_logits"}):
        target = run.argument(event, "target")
        if event.site in told or event.node is None or event.in_backward or target == NOTHING:
            continue
        values = run.values(target, step)
        if values is None or not values.size or (float(values.min()) >= 0 and float(values.max()) <= 1):
            continue
        told.add(event.site)
        name = run.title(target)
        yield finding(
            run, UNREACHABLE_TARGETS,
            f"The targets of {event.op} are no probabilities: {name} goes from {values.min():g} to {values.max():g}.",
            "Targets are 0 and 1, or between. For others the loss has no minimum: it becomes negative and goes on falling as "
            "the scores grow, whatever is learnt.",
            f"Make them 0 and 1: ({name} + 1) / 2 where they are -1 and 1." if float(values.min()) == -1 else
            "Make them 0 and 1, a column for each class (one_hot), or use cross_entropy for class numbers.",
            step=step,
            related=[run.site(run.tensors[target].born)],
            evidence=[("targets", run.texts.describe(run.status(target, step).array))],
            nodes=[key(target)],
        )  # fmt: skip


COMPARED_WITH_ALL = Kind(
    "compared_with_all", "warning", "Predictions and labels are compared in shapes that broadcast: every one with every other.",
    mechanical=True,
)  # fmt: skip


@rule(171, COMPARED_WITH_ALL)
def compared_with_all(run: Run) -> Iterator[Finding]:
    """What a model has said, (N, 1), is compared with labels, (N,), or the other way round, and the answers are counted."""
    for step, event in run.first_ops_of({"eq", "ne"}, 1):
        pair = [run.argument(event, "self"), run.argument(event, "other")]
        if NOTHING in pair or not event.outputs or len(event.outputs[0].shape) != 2:
            continue
        a, b = (run.tensors[t].info.shape for t in pair)
        if not _column_and_row(a, b) or _meant(run, event, pair, True) or not _summed_up(run, event.outputs[0].id, False):
            continue
        models = [_said_by_model(run, t) for t in pair]
        if models.count(True) != 1:
            continue
        said, given = pair if models[0] else pair[::-1]
        yield finding(
            run, COMPARED_WITH_ALL,
            f"{run.segment(run.site(step)) or 'The comparison'} compares shapes {shape_text(a)} and {shape_text(b)}: they "
            f"broadcast to {shape_text(event.outputs[0].shape)}.",
            f"Each of the {event.outputs[0].shape[0]} predictions is compared with every label, so "
            f"{math.prod(event.outputs[0].shape)} answers are counted. What is called an accuracy is none, and may exceed 1.",
            f"Give both one shape: {run.title(said)}.squeeze(1), or {run.title(given)}.unsqueeze(1)."
            if len(run.tensors[said].info.shape) == 2 else
            f"Give both one shape: {run.title(given)}.squeeze(1), or {run.title(said)}.unsqueeze(1).",
            step=step, related=[run.site(run.tensors[t].born) for t in pair],
            evidence=[("shapes", f"{list(a)} and {list(b)}"), ("compared", str(math.prod(event.outputs[0].shape)))],
            nodes=[key(t) for t in pair],
            changes=mends.one_shape(run, step, run.site(step), a, b),
        )  # fmt: skip


def _said_by_model(run: Run, tensor: int) -> bool:
    """Whether a tensor is computed from the result of a layer: by elements, or as the class of the largest."""
    for _ in range(4):
        if run.layer_behind(tensor) != NOTHING:
            return True
        event = run.tensors[run.beneath_views(tensor)].op
        given = run.argument(event, "self")
        if given == NOTHING or not any(
            name in run.traits(event.op) for name in ("chooses", "compares", "casts", "elementwise", "normalizes", "squashes")
        ):
            return event.op in ("argmax", "max") and given != NOTHING and run.layer_behind(given) != NOTHING
        tensor = given
    return False
