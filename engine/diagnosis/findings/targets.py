"""Rules about targets and scores that are not what is made of them: no distribution, padding, probabilities and thresholds."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, argument_at, definition_of, keyword, replaced, site_of, spot, wrapped
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .attention import is_causal
from .registry import rule

NO_DISTRIBUTION = Kind(
    "no_distribution", "warning", "cross_entropy is given several classes at once, which it takes for probabilities."
)
PADDING_COUNTED = Kind(
    "padding_counted", "hint", "The padding of an embedding is counted by the loss as a class like any other.", mechanical=True
)
SQUARED_PROBABILITIES = Kind(
    "squared_probabilities", "hint", "The squared error of probabilities is taken for labels of 0 and 1."
)
THRESHOLD_OF_SCORES = Kind(
    "threshold_of_scores", "hint", "Scores are compared with 0.5, as if they were probabilities.", mechanical=True
)
TARGET_IS_INPUT = Kind(
    "target_is_input", "warning", "A model of sequences is asked for the tokens that it is given, at the same places.",
    mechanical=True, settled=True,
)  # fmt: skip
FILLED_AFTER_SOFTMAX = Kind(
    "filled_after_softmax", "error", "A mask fills the result of a softmax with large negative numbers, instead of its scores."
)


_SAMPLES = 16
"""Targets from which on they are data: truth tables of textbooks have four, and are learned by squared errors."""
_BATCHES = 4
"""Batches that are looked at, the first of which may have sequences of one length; and elements that are no chance."""
_SHORT = 2
"""Elements of a row of which one at the end is no sign of padding."""
_BEHIND = 20_000
"""Tensors behind scores that are looked at."""
_RECURRENT = re.compile(r"LSTM|GRU|RNN")
_OF_SEQUENCES = re.compile(r"LSTM|GRU|RNN|(LSTM|GRU|RNN)Cell|MultiheadAttention|Transformer\w*")
"""Classes of modules in which one element of a sequence learns of others."""


@rule(161, NO_DISTRIBUTION)
def no_distribution(run: Run) -> Iterator[Finding]:
    """Targets of 0 and 1 that stand beside log_softmax name more than one class for a sample."""
    for step, event in run.first_ops_of({"mul"}, 1):
        scores, target = run.argument(event, "self"), run.argument(event, "other")
        if NOTHING in (scores, target) or event.in_backward:
            continue
        if run.tensors[target].op.op == "log_softmax":
            scores, target = target, scores
        made = run.tensors[scores].op
        if made.op != "log_softmax" or made.site != event.site or run.status(target, step).requires_grad:
            continue
        dim = run.setting(made, "dim")
        values = run.values(target, step)
        shape = run.tensors[scores].info.shape
        if values is None or values.shape != shape or not dim.isdigit() or int(dim) >= len(shape):
            continue
        if not np.isin(values, (0, 1)).all() or values.sum(int(dim)).max(initial=0) <= 1:
            continue
        several = float((values.sum(int(dim)) > 1).mean())
        yield finding(
            run, NO_DISTRIBUTION,
            f"The targets of cross_entropy name several classes at once: {several:.0%} of the samples have more than one.",
            f"{run.title(target)} holds 0 and 1. Targets of floating point are the probabilities of the classes, which share "
            "out 1 among them; softmax lets classes compete, so no scores give two of them a probability near 1, and the "
            "loss cannot approach zero.",
            "Where a sample may belong to several classes, use binary_cross_entropy_with_logits (nn.BCEWithLogitsLoss).",
            step=step, related=[run.site(run.tensors[target].born)],
            evidence=[("classes of a sample, at most", f"{values.sum(int(dim)).max():g}")],
            nodes=[key(scores), key(target)],
        )  # fmt: skip


def _root(run: Run, tensor: int) -> int:
    """What a tensor's elements were taken from, copies included."""
    copies = run.having("alias") | run.having("casts") | run.having("joins") | {"clone"}
    for _ in range(16):
        tensor = run.beneath_views(tensor)
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if event.op not in copies or len(given) != 1:
            return tensor
        (tensor,) = given
    return tensor


@rule(162, PADDING_COUNTED)
def padding_counted(run: Run) -> Iterator[Finding]:
    """The tokens of a sequence are padded for an embedding that knows its padding, and a loss of the same tokens does not; or
    tokens end in padding, and a loss of other targets has the same one wherever they do."""
    told = set()
    for found in _of_the_same_tokens(run):
        told.add(found.site)
        yield found
    for found in _of_other_targets(run):
        if found.site not in told:
            told.add(found.site)
            yield found


def _of_the_same_tokens(run: Run) -> Iterator[Finding]:
    """Targets that are the tokens of an embedding with a padding."""
    padded: dict[int, int] = {}
    for step, event in run.first_ops_of({"embedding"}, 2):
        text = run.setting(event, "padding_idx")
        index = run.argument(event, "indices")
        values = run.values(index, step) if index != NOTHING and text.isdigit() else None
        if values is not None and (values == int(text)).any():
            padded[_root(run, index)] = int(text)
    if not padded:
        return
    for step, event in run.first_ops_of({"nll_loss", "nll_loss2d"}, 1):
        target = run.argument(event, "target")
        ignored = run.setting(event, "ignore_index")
        reduced = run.setting(event, "reduction")
        padding = padded.get(_root(run, target)) if target != NOTHING and ignored else None
        values = run.values(target, step) if padding is not None else None
        if padding is None or values is None or ignored == str(padding) or "none" in reduced:
            continue
        share = float((values == padding).mean())
        weights = run.argument(event, "weight")
        if not share or weights != NOTHING:
            continue
        yield finding(
            run, PADDING_COUNTED,
            f"{share:.0%} of the targets are padding, and count in the loss like all others.",
            f"The embedding takes index {padding} for padding, and the same tokens are the targets here. The model is taught "
            "to say the padding, and the mean is taken over it, too.",
            f"Leave it out: ignore_index={padding}.",
            step=step, related=[run.site(run.tensors[target].born)],
            evidence=[("padding", str(padding)), ("part of the targets", f"{share:.0%}")], nodes=[key(target)],
            changes=_ignored(run, step, padding),
        )  # fmt: skip


def _ignored(run: Run, step: int, label: int) -> Changes:
    """The changes that leave a target out: of the call of a function, or of what makes a module."""
    site = run.site(step)
    return keyword(run, definition_of(run, site) or site, "ignore_index", str(label))


def _of_other_targets(run: Run) -> Iterator[Finding]:
    """Targets beside tokens, one for each, that are all the same where the tokens are padding: tags, or the next tokens."""
    looked_up = sorted(run.first_ops_of({"embedding"}, 2 * _BATCHES), key=itemgetter(0))
    for step, event in run.first_ops_of({"nll_loss", "nll_loss2d"}, _BATCHES) if looked_up else ():
        target, ignored = run.argument(event, "target"), run.setting(event, "ignore_index")
        values = run.values(target, step) if target != NOTHING and ignored else None
        if values is None or "none" in run.setting(event, "reduction") or run.argument(event, "weight") != NOTHING:
            continue
        last = bisect_left(looked_up, step, key=itemgetter(0))
        for _, each in looked_up[max(last - _BATCHES, 0) : last]:
            index, text = run.argument(each, "indices"), run.setting(each, "padding_idx")
            tokens = run.values(index, step) if index != NOTHING else None
            if tokens is None or tokens.ndim != 2 or not _laid_out_alike(values, tokens):
                continue
            padded = _padded(tokens, text)
            labels = values.reshape(tokens.shape)
            if padded is None or len(np.unique(labels[padded])) != 1:
                continue
            padding, label = int(tokens[padded][0]), int(labels[padded][0])
            alone = not (labels[~padded] == label).any()
            if str(label) == ignored or (not alone and not (text.isdigit() and padded.sum() >= 2 * _BATCHES)):
                continue
            if len(np.unique(labels)) == 1:
                continue
            share = float(padded.mean())
            yield finding(
                run, PADDING_COUNTED,
                f"{share:.0%} of the targets are padding, and count in the loss like all others.",
                f"The rows of {run.title(index)} end with {padding}, each at another place, and wherever they do the target is "
                f"{label}. The model is taught to say the padding, and the mean is taken over it, too.",
                f"Leave it out: ignore_index={label}." if alone else
                f"Let the targets end with {ignored}, which the loss leaves out; {label} stands for one of the data, too.",
                step=step, related=[run.site(run.tensors[target].born), run.recording.site(each)],
                evidence=[("padding", str(padding)), ("target there", str(label)), ("part of the targets", f"{share:.0%}")],
                nodes=[key(target), key(index)],
                changes=_ignored(run, step, label) if alone else [],
            )  # fmt: skip
            break


def _laid_out_alike(values: NDArray[Any], tokens: NDArray[Any]) -> bool:
    """Whether there is one value for each token, in the same order."""
    return values.shape == (tokens.size,) or [n for n in values.shape if n != 1] == [n for n in tokens.shape if n != 1]


def _padded(tokens: NDArray[Any], padding: str) -> NDArray[np.bool_] | None:
    """Where rows of tokens, or columns, are filled up at their ends to one length; None where they are not, or where that may
    be chance. What an embedding takes for padding is certain to be it."""
    for rows, back in ((tokens, False), (tokens.T, True)):
        if rows.shape[0] < 2 or rows.shape[1] <= _SHORT:
            continue
        ends, counts = np.unique(rows[:, -1], return_counts=True)
        place = np.array(rows == (int(padding) if padding.isdigit() else ends[counts.argmax()]))
        lengths = place.sum(1)
        behind = np.arange(rows.shape[1]) >= rows.shape[1] - lengths[:, None]
        enough = lengths.sum() >= _BATCHES and (padding.isdigit() or np.count_nonzero(lengths) > 1)
        if enough and len(np.unique(lengths)) > 1 and bool((place == behind).all()):
            return place.T if back else place
    return None


@rule(163, SQUARED_PROBABILITIES)
def squared_probabilities(run: Run) -> Iterator[Finding]:
    """mse_loss compares what comes out of a sigmoid with labels."""
    if not run.updates:
        return
    for step, event in run.first_ops_of({"mse_loss"}, 1):
        made, target = run.argument(event, "self"), run.argument(event, "target")
        if NOTHING in (made, target) or run.status(target, step).requires_grad:
            continue
        source = run.beneath_views(made)
        values = run.values(target, step)
        if run.tensors[source].op.op not in run.having("probabilities") or values is None or values.size < _SAMPLES:
            continue
        if run.layer_behind(run.argument(run.tensors[source].op, "self")) == NOTHING or set(np.unique(values)) != {0, 1}:
            continue
        op = run.tensors[source].op.op
        yield finding(
            run, SQUARED_PROBABILITIES,
            f"The loss is the squared error of probabilities: {run.title(made)} comes from {op}, the targets are 0 and 1.",
            f"Where {op} is sure and wrong it is flat, and a squared error grows no more, so almost no gradient comes from the "
            "samples that are worst: learning is slow, and may stand still.",
            "Use binary_cross_entropy, or binary_cross_entropy_with_logits without the sigmoid; cross_entropy for several "
            "classes.",
            step=step, related=[run.site(run.tensors[source].born)],
            evidence=[("prediction", run.texts.describe(run.status(made, step).array)), ("targets", "0 and 1")],
            nodes=[key(made), key(target)],
        )  # fmt: skip


@rule(164, THRESHOLD_OF_SCORES)
def threshold_of_scores(run: Run) -> Iterator[Finding]:
    """What a loss takes for scores, the result of one layer, is compared with 0.5."""
    scores = {}
    for step, event in run.first_ops_of({"binary_cross_entropy_with_logits"}, 2):
        layer = run.layer_behind(run.argument(event, "self")) if run.argument(event, "self") != NOTHING else NOTHING
        if layer != NOTHING and layer == _linear(run, run.argument(event, "self")):
            scores[_module(run, run.tensors[layer].op)] = step
    if not scores:
        return
    for step, event in run.first_ops_of({"gt", "ge"}, 1):
        given = run.argument(event, "self")
        bound = run.setting(event, "other")
        if given == NOTHING or bound != "0.5":
            continue
        layer = _linear(run, given)
        loss = scores.get(_module(run, run.tensors[layer].op)) if layer != NOTHING else None
        if loss is None:
            continue
        yield finding(
            run, THRESHOLD_OF_SCORES,
            f"{run.segment(run.site(step)) or 'The comparison'} compares scores with 0.5, which is no probability of one half.",
            f"The loss at {run.where(loss)} takes the same output for a score, to which it applies sigmoid itself. A score of "
            "0.5 is a probability of 0.62; one half is a score of 0.",
            "Compare with 0, or apply sigmoid first.",
            step=step, related=[run.site(loss), run.site(run.tensors[given].born)],
            evidence=[("scores", run.texts.describe(run.status(given, step).array))], nodes=[key(given)],
            changes=_bound(run, step),
        )  # fmt: skip


def _bound(run: Run, step: int) -> Changes:
    """The comparison with 0 instead."""
    found = spot(run, run.site(step))
    if found is None or not isinstance(found.node, ast.Compare) or len(found.node.comparators) != 1:
        return []
    return replaced(run, site_of(found.cell, found.node.comparators[0]), "0")


def _linear(run: Run, tensor: int) -> int:
    """The layer whose result a tensor is, as it is; NOTHING for anything else."""
    tensor = run.beneath_views(tensor)
    return tensor if run.layer_behind(tensor) == tensor else NOTHING


def _module(run: Run, event: OpRan) -> tuple[str, str]:
    """The module that did an operation, and what."""
    return (run.recording.scopes[event.scope].module if event.scope >= 0 else "", event.op)


@rule(159, FILLED_AFTER_SOFTMAX)
def filled_after_softmax(run: Run) -> Iterator[Finding]:
    """masked_fill writes negative numbers among the shares that a softmax has given."""
    for step, event in run.first_ops_of({"masked_fill"}, 1):
        given = run.argument(event, "self")
        value = run.setting(event, "value")
        source = run.beneath_views(given) if given != NOTHING else NOTHING
        if source == NOTHING or run.tensors[source].op.op != "softmax" or not value.startswith("-"):
            continue
        if event.in_backward or value in ("-0", "-0.0"):
            continue
        yield finding(
            run, FILLED_AFTER_SOFTMAX,
            f"The result of softmax is filled with {value}: these are no shares any more.",
            f"{run.title(given)} comes from softmax at {run.where(run.tensors[source].born)}. A large negative number stands "
            "for none among the scores, because its exponential is 0; behind the softmax it is a weight of that size.",
            "Fill the scores, before the softmax; what is filled there gets a share of 0.",
            step=step, related=[run.site(run.tensors[source].born)],
            evidence=[("filled with", value)], nodes=[key(given), key(source)],
        )  # fmt: skip


@rule(165, TARGET_IS_INPUT)
def target_is_input(run: Run) -> Iterator[Finding]:
    """The only tokens that an embedding is given, and the targets of the scores that come of them, are the same, and each
    place's score is computed from that place. What a sequence is to be told again by, a single vector, has no places."""
    mixes = any(_OF_SEQUENCES.fullmatch(scope.module_class) for scope in run.recording.scopes)
    if not mixes and not any(event.node is not None for _, event in run.first_ops_of({"softmax"}, 1)):
        return
    looked_up: list[tuple[int, OpRan, NDArray[Any]]] = []
    for step, event in run.first_ops_of({"embedding"}, 2):
        index = run.argument(event, "indices")
        values = run.values(index, step) if index != NOTHING else None
        if values is not None and values.size > 3 and len(np.unique(values)) > 1 and not _counts(values):
            looked_up.append((step, event, values))
    for step, event in run.first_ops_of({"nll_loss", "nll_loss2d"}, 1) if looked_up else ():
        scores, target = run.argument(event, "self"), run.argument(event, "target")
        values = run.values(target, step) if target != NOTHING else None
        before = [each for each in looked_up if each[0] < step and run.loops(each[0])[:1] == run.loops(step)[:1]]
        if values is None or len(before) != 1:
            continue
        at, lookup, tokens = before[0]
        same = _root(run, target) == _root(run, run.argument(lookup, "indices"))
        enough = same or (tokens.size >= _SAMPLES and len(np.unique(tokens)) >= _BATCHES)
        if not enough or not np.array_equal(tokens.ravel(), values.ravel()) or not _in_places(run, scores, lookup):
            continue
        yield finding(
            run, TARGET_IS_INPUT,
            "The targets are the tokens that the model is given, each at its own place.",
            f"{run.title(target)} holds what the embedding at {run.where(at)} is given, element for element. A model "
            "that is to say the next token learns to repeat the one that it sees: its loss goes to zero, and what it "
            "generates is nonsense.",
            "Shift them by one: give it tokens[:, :-1] and ask for tokens[:, 1:].",
            step=step, related=[run.site(at)], evidence=[("tokens that differ", f"0 of {values.size}")],
            nodes=[key(target)],
            severity="" if _one_way(run) else "hint",
            changes=_shifted(run, run.site(step)),
        )  # fmt: skip


def _one_way(run: Run) -> bool:
    """Whether the model goes through its sequences from their beginning, and each place sees those before it alone: there is
    nothing to fill in, and its own token is all that a place needs."""
    if any(_RECURRENT.fullmatch(scope.module_class) for scope in run.recording.scopes):
        return not any(name.endswith("_reverse") for name in run.named_tensors)
    return is_causal(run)


def _shifted(run: Run, site: Site | None) -> Changes:
    """The scores of a loss without the last place, and its targets without the first, where both are cut before they are put
    into another form."""
    scores, targets = (_formed(run, argument_at(run, site, k, name)) for k, name in enumerate(("input", "target")))
    if scores is None or targets is None:
        return []
    return [*wrapped(run, scores, "", "[:, :-1]"), *wrapped(run, targets, "", "[:, 1:]")]


def _formed(run: Run, site: Site | None) -> Site | None:
    """Where that stands of which an expression is another form, by methods: `logits` in `logits.view(-1, n)`."""
    found = spot(run, site)
    node = found.node if found is not None else None
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and "same_values" in run.traits(node.func.attr):
        node = node.func.value
    return site_of(found.cell, node) if found is not None and isinstance(node, ast.Name) else None


def _counts(tokens: NDArray[Any]) -> bool:
    """Whether all rows count the places, as indices of positions do."""
    rows = tokens.reshape(-1, tokens.shape[-1])
    return bool((rows == np.arange(rows[0, 0], rows[0, 0] + rows.shape[1])).all())


def _in_places(run: Run, scores: int, lookup: OpRan) -> bool:
    """Whether a way leads from what an embedding gave to scores on which all has the places of the tokens; a recurrent network
    hands them on by its outputs, not by its state."""
    places = run.tensors[run.argument(lookup, "indices")].info.shape
    scopes, queue = run.recording.scopes, [scores]
    seen = {scores}
    for tensor in queue:
        history = run.tensors[tensor]
        if any(made.id == tensor for made in lookup.outputs):
            return True
        if len(queue) > _BEHIND or history.op.op in run.having("creation"):
            continue
        scope = history.op.scope
        inside = scopes[scope].module if scope >= 0 and _RECURRENT.fullmatch(scopes[scope].module_class) else ""
        for given in run.inputs(history.op):
            maker = run.tensors[given].op.scope
            within = inside and maker >= 0 and scopes[maker].module == inside
            if given not in seen and (within or _has_places(run.tensors[given].info.shape, places)):
                seen.add(given)
                queue.append(given)
    return False


def _has_places(shape: tuple[int, ...], places: tuple[int, ...]) -> bool:
    """Whether a shape has an element at least for each of some places."""
    sizes = list(shape)
    if math.prod(places) in sizes:
        return True
    for size in places:
        if size not in sizes:
            return False
        sizes.remove(size)
    return True
