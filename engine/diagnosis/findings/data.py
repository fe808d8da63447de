"""Rules about data on their way to the model: rounded away, changed again in every epoch, scaled by what is to be tested."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan
from ..mending import out_of_place
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

ROUNDED_TO_ZERO = Kind(
    "rounded_to_zero", "warning", "Data are divided as whole numbers, and nothing but zeros is left for the model."
)
SCALED_AGAIN = Kind(
    "scaled_again", "warning", "Data are normalised in place, the same ones again in every epoch.", mechanical=True
)
TESTED_DATA_SCALE = Kind(
    "tested_data_scale", "hint", "Data are normalised by statistics that include what the model is tested on."
)

_FOLLOWED = 40
"""Results that are followed from data to a layer."""
_WRITES = 400
"""Writes in place at one site that are looked at."""


def layers_of(run: Run, tensor: int) -> Iterator[int]:
    """The steps of the layers that take a tensor, or what is made of it element by element, or by views and copies."""
    queue, seen = [tensor], {tensor}
    along = run.having("elementwise") | run.having("same_values") | run.having("casts") | run.having("joins")
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan):
                continue
            if event.op in run.having("matrix_product") | run.having("convolution"):
                if any(run.tensors[run.beneath_views(t)].info.is_parameter for t in run.inputs(event)):
                    yield step
            elif event.op in along and event.outputs and len(queue) < _FOLLOWED:
                queue += [made.id for made in event.outputs[:1] if made.id not in seen]
                seen.add(event.outputs[0].id)


@rule(221, ROUNDED_TO_ZERO)
def rounded_to_zero(run: Run) -> Iterator[Finding]:
    """A floor division of whole numbers gives zeros, and a layer is given them."""
    if not run.passes:
        return
    for step, event in run.first_ops_of({"floor_divide"}, 1):
        given = run.argument(event, "self")
        if given == NOTHING or not event.outputs or "int" not in run.tensors[given].info.dtype:
            continue
        before, after = run.values(given, step), run.values(event.outputs[0].id, step)
        if before is None or after is None or after.size < 8 or (before != 0).mean() < 0.5 or (after != 0).mean() > 0.02:
            continue
        if next(layers_of(run, event.outputs[0].id), None) is None:
            continue
        yield finding(
            run, ROUNDED_TO_ZERO,
            f"{run.segment(run.site(step)) or 'The division'} rounds down: {(after == 0).mean():.0%} of the data become zero.",
            f"{run.title(given)} holds whole numbers up to {before.max():g}, and // gives whole numbers, so what is smaller "
            "than the divisor becomes 0. The model is given the same for nearly every sample.",
            "Divide with /, which gives floating point, or convert first: x.float() / 255.",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("before", run.texts.describe(run.status(given, step).array)), ("zeros", f"{(after == 0).mean():.0%}")],
            nodes=[key(given), key(event.outputs[0].id)],
        )  # fmt: skip


@rule(222, SCALED_AGAIN)
def scaled_again(run: Run) -> Iterator[Finding]:
    """Writes in place subtract the same or divide by the same, at one site, from the same part of the same memory, and a layer
    reads it."""
    if not run.passes:
        return
    told: set[int] = set()
    seen: dict[tuple[int, int, tuple[str, ...], str], tuple[int, OpRan]] = {}
    for step, event in run.first_ops_of(run.having("difference") | run.having("division"), _WRITES):
        if event.outputs or event.in_backward or event.site in told or not run.loops(step):
            continue
        written, other = run.argument(event, "self"), run.argument(event, "other")
        number = run.setting(event, "other")
        if written == NOTHING or (other == NOTHING and event.op not in run.having("division")):
            continue
        base, part = _part(run, written)
        if run.status(base, step).requires_grad or run.tensors[base].info.is_parameter or event.scope < 0:
            continue
        if run.recording.scopes[event.scope].module or (
            other != NOTHING and (other in run.writes or other in _ways(run, base))
        ):
            continue
        place = (event.site, base, part, number or str(other))
        if place not in seen:
            seen[place] = (step, event)
            continue
        first, _ = seen[place]
        if run.loops(first) == run.loops(step) or next(layers_of(run, written), None) is None or _filled_anew(run, base):
            continue
        told.add(event.site)
        site = run.site(step)
        yield finding(
            run, SCALED_AGAIN,
            f"{run.segment(site) or run.line(site).strip()} changes {run.title(base)} itself, again and again.",
            f"{run.title(written)} is a view: it shares the memory of {run.title(base)}, which line "
            f"{run.where(first).removeprefix('line ')} has changed already at {run.moment(first)}. At {run.moment(step)} the "
            "same is done to the same elements, so the model is given other data in every epoch.",
            "Make a new tensor instead: x = (x - mean) / std.",
            step=step, site=site, related=[run.site(run.tensors[base].born)],
            evidence=[("first", run.moment(first)), ("again", run.moment(step))],
            nodes=[key(base), key(written)],
            changes=out_of_place(run, site),
        )  # fmt: skip


def _part(run: Run, tensor: int) -> tuple[int, tuple[str, ...]]:
    """The tensor whose memory a view shows, and which part of it, in words."""
    said: list[str] = []
    for _ in range(16):
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if not _is_view(run, tensor) or len(given) != 1:
            break
        said += [f"{event.op} {argument.name} {argument.text}" for argument in event.inputs if argument.text]
        (tensor,) = given
    return tensor, tuple(said)


def _is_view(run: Run, tensor: int) -> bool:
    """Whether a tensor shows the memory of what it was made of; a `clone()` holds the same values in memory of its own."""
    return run.tensors[tensor].op.op in run.having("same_values") and run.tensors[tensor].info.view_of != NOTHING


def _ways(run: Run, base: int) -> set[int]:
    """The views that are made of a tensor, and the views of those."""
    found = [base]
    for tensor in found:
        for step in run.consumers.get(tensor, ())[:_WRITES]:
            event = run.events[step]
            if isinstance(event, OpRan) and event.outputs and len(found) < _WRITES and _is_view(run, event.outputs[0].id):
                found.append(event.outputs[0].id)
    return set(found)


def _filled_anew(run: Run, base: int) -> bool:
    """Whether something else writes into the same memory, too: then it is a state, not data."""
    scales = run.having("difference") | run.having("division")
    return any(
        isinstance(event := run.events[step], OpRan) and event.op not in scales
        for tensor in _ways(run, base)
        for step in run.writes.get(tensor, ())
        if run.loops(step)
    )


# --- what is tested -----------------------------------------------------------------------------------------------------------


@rule(223, TESTED_DATA_SCALE)
def tested_data_scale(run: Run) -> Iterator[Finding]:
    """The mean of all samples is subtracted from them, and some of these samples are never trained on."""
    if not run.updates:
        return
    told: set[int] = set()
    for step, event in run.first_ops_of({"mean"}, 1):
        data = run.argument(event, "self")
        dim = run.setting(event, "dim")
        if data == NOTHING or not event.outputs or dim not in ("0", "(0,)", "[0]") or event.in_backward:
            continue
        shape = run.tensors[data].info.shape
        if len(shape) < 2 or shape[0] < 8 or run.status(data, step).requires_grad or event.scope < 0:
            continue
        if run.recording.scopes[event.scope].module or run.loops(step):
            continue
        parts = list(_parts(run, data, event.outputs[0].id))
        tested = next((pair for pair in parts if _only_tested(run, pair[1]) and _trained(run, pair[0])), None)
        if tested is None or data in told:
            continue
        told.add(data)
        train, test = tested
        yield finding(
            run, TESTED_DATA_SCALE,
            f"{run.title(data)} is normalised by statistics of all {shape[0]} samples, those of the test among them.",
            f"{run.title(test)} ({run.tensors[test].info.shape[0]} samples) is used for evaluation only, and its values have "
            f"gone into {run.segment(run.site(step)) or event.op}, by which the samples for training are scaled, too. What is "
            "measured on it is then not what new data would give.",
            "Split first, take mean and standard deviation of the training part, and scale both parts by them.",
            step=step, related=[run.site(run.tensors[train].born), run.site(run.tensors[test].born)],
            evidence=[("samples", str(shape[0])), ("of them for training", str(run.tensors[train].info.shape[0]))],
            nodes=[key(data), key(train), key(test)],
        )  # fmt: skip


def _parts(run: Run, data: int, statistic: int) -> Iterator[tuple[int, int]]:
    """The pairs of parts, the first samples and the rest, of data that a statistic scales, or of their scaled selves."""
    scaled = {data}
    for step in run.consumers.get(statistic, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.outputs and event.op in run.having("difference") | run.having("division"):
            scaled.add(event.outputs[0].id)
    wholes = {t for t in scaled if run.tensors[t].info.shape[:1] == run.tensors[data].info.shape[:1]}
    for whole in list(wholes):  # behind (x - mean) stands (x - mean) / std
        for step in run.consumers.get(whole, ()):
            event = run.events[step]
            if isinstance(event, OpRan) and event.outputs and event.op in run.having("division"):
                wholes.add(event.outputs[0].id)
    for whole in sorted(wholes):
        size = run.tensors[whole].info.shape[0]
        slices: dict[tuple[int, int], int] = {}
        for step in run.consumers.get(whole, ()):
            event = run.events[step]
            if isinstance(event, OpRan) and event.op == "slice" and event.outputs:
                said = {argument.name: argument.text for argument in event.inputs}
                if said.get("dim") == "0" and said.get("start", "").isdigit() and said.get("end", "").isdigit():
                    slices[int(said["start"]), int(said["end"])] = event.outputs[0].id
        for (start, end), first in slices.items():
            rest = slices.get((end, size))
            if start == 0 and rest is not None and rest != first and 2 * end >= size:
                yield first, rest


def _only_tested(run: Run, tensor: int) -> bool:
    """Whether layers take what is made of a tensor, and no pass goes through them."""
    steps = list(layers_of(run, tensor))
    nodes = [event.node for step in steps if isinstance(event := run.events[step], OpRan)]
    return bool(steps) and not any(node is not None and node.id in run.ran for node in nodes)


def _trained(run: Run, tensor: int) -> bool:
    """Whether a pass goes through a layer that takes what is made of a tensor; with a loader, one that takes its samples."""
    nodes = [event.node for step in layers_of(run, tensor) if isinstance(event := run.events[step], OpRan)]
    return not nodes or any(node is not None and node.id in run.ran for node in nodes)
