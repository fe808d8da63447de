"""Rules about sequences: which dimension is time and which the samples."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, OpRan, Site
from ..directions import read_at_one_end
from ..mending import Changes, keyword, receiver_at, replaced, text_at, with_call
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .choices import VIEW_TRANSPOSES
from .registry import rule

BATCH_IS_TIME = Kind(
    "batch_is_time", "warning", "A recurrent network takes the samples for steps in time: batch_first is missing, or too much.",
    mechanical=True,
)  # fmt: skip

POSITIONS_OF_SAMPLES = Kind(
    "positions_of_samples", "warning", "Encodings of positions are cut to the number of samples: each sample gets one of them.",
    mechanical=True,
)  # fmt: skip

PADDING_READ = Kind(
    "padding_read", "warning", "The last step of padded sequences is read, which is padding for all but the longest."
)

ONE_DIRECTION_READ = Kind(
    "one_direction_read", "warning",
    "Of a network that goes both ways one step is read, at which one direction has seen a single element.", mechanical=True,
)  # fmt: skip

_NEAR = 4
"""Operations between the sum with the encodings and the module that takes it."""
_BATCH_FIRST = ("MultiheadAttention", "LSTM", "GRU", "RNN")
_RECURRENT = ("LSTM", "GRU", "RNN")


@rule(176, BATCH_IS_TIME)
def batch_is_time(run: Run) -> Iterator[Finding]:
    """The result of a recurrent network is read at the end of the dimension that the network takes for the samples, and what is
    left of the other one is compared with a target for each of them."""
    scopes = run.recording.scopes
    if not any(scope.module_class in _RECURRENT for scope in scopes):
        return
    for step, event in run.first_ops_of({"select"}, 1):
        made = run.argument(event, "self")
        said = {argument.name: argument.text for argument in event.inputs}
        if made == NOTHING or said.get("dim") not in ("0", "1") or not event.outputs:
            continue
        source = run.tensors[made].op
        shape = run.tensors[made].info.shape
        inside = scopes[source.scope] if source.scope >= 0 else None
        if inside is None or inside.module_class not in _RECURRENT or len(shape) != 3 or min(shape[:2]) < 2:
            continue
        own = event.scope >= 0 and scopes[event.scope].module_class in _RECURRENT
        first = source.op in run.having("transposes")
        read, kept = (0, 1) if first else (1, 0)
        if own or said["dim"] != str(read) or said.get("index") != str(shape[read] - 1):
            continue
        if (first and shape[0] == shape[1]) or not is_for_each(run, event.outputs[0].id, shape[kept]):
            continue
        calls = paths_of(run.recording).source.calls.get(inside.module_class, [])
        site = site_of(*calls[0]) if len(calls) == 1 else None
        told = "With batch_first=True an input is (samples, time, features)." if first else (
            "Without batch_first=True an input is (time, samples, features)."
        )  # fmt: skip
        yield finding(
            run, BATCH_IS_TIME,
            f"{inside.module or inside.module_class} takes dimension {kept} for time: it goes through the {shape[kept]} "
            "samples one after the other.",
            f"{told} {run.segment(run.site(step)) or 'The last one'} reads {shape_text(shape)} at the last of {shape[read]} in "
            f"dimension {read} and gives a result for each of {shape[kept]} in dimension {kept}, as where these are samples. "
            "The state of one sample then goes on into the next.",
            "Make the layer without batch_first, or give it the samples first." if first else
            "Make the layer with batch_first=True.",
            step=run.tensors[made].born, site=site, related=[run.site(run.tensors[made].born), run.site(step)],
            evidence=[("result", str(list(shape))), ("targets", str(shape[kept]))], nodes=[key(made), key(event.outputs[0].id)],
            changes=keyword(run, site, "batch_first", str(not first)) if site is not None else [],
        )  # fmt: skip


def is_for_each(run: Run, tensor: int, count: int) -> bool:
    """Whether a loss compares what layers make of a tensor with as many targets as it has rows."""
    queue = [tensor]
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.outputs:
                continue
            target = run.argument(event, "target")
            if target != NOTHING and run.tensors[target].info.shape[:1] == (count,):
                return True
            if event.outputs[0].shape[:1] == (count,) and len(queue) < 24:
                queue.append(event.outputs[0].id)
    return False


@rule(177, POSITIONS_OF_SAMPLES)
def positions_of_samples(run: Run) -> Iterator[Finding]:
    """A table of shape (positions, 1, features) is cut to the first dimension of what it is added to, and a module that has the
    samples first takes the sum."""
    for step, event in run.first_ops_of({"add"}, 1):
        given = run.inputs(event)
        if len(given) != 2 or not event.outputs or run.module(step):
            continue
        for data, table in (given, given[::-1]):
            wide, narrow = run.tensors[data].info.shape, run.tensors[table].info.shape
            cut = run.tensors[table].op
            said = {argument.name: argument.text for argument in cut.inputs}
            if len(wide) != 3 or narrow != (wide[0], 1, wide[2]) or wide[1] < 2 or cut.op != "slice" or said.get("dim") != "0":
                continue
            whole = run.tensors[run.argument(cut, "self")].info.shape
            if _has_positions(run, data):
                continue
            if len(whole) != 3 or whole[0] <= narrow[0] or not _samples_first(run, event.outputs[0].id):
                continue
            site = run.site(run.tensors[table].born)
            positions = run.segment(site)
            yield finding(
                run, POSITIONS_OF_SAMPLES,
                f"{positions or 'The table'} takes as many positions as there are samples: {wide[0]}, not {wide[1]}.",
                f"What it is added to has shape {shape_text(wide)}, and the samples stand first. Each sample gets one encoding "
                f"for all of its {wide[1]} positions, another one than its neighbour, so the model cannot know the order.",
                "Cut it by dimension 1, and let it stand there: pe[: x.size(1)].transpose(0, 1).",
                step=step, site=site, related=[run.site(step)],
                evidence=[("encodings", str(list(narrow))), ("added to", str(list(wide)))], nodes=[key(table), key(data)],
                changes=_by_positions(run, site, positions),
            )  # fmt: skip


def _has_positions(run: Run, tensor: int) -> bool:
    """Whether something of one row for all samples has been added already: then this is for another dimension."""
    event = run.tensors[tensor].op
    shape = run.tensors[tensor].info.shape
    added = [run.tensors[t].info.shape for t in run.inputs(event)] if event.op == "add" else []
    return any(other[-2:] == shape[-2:] and (len(other) == 2 or other[0] == 1) for other in added)


def _samples_first(run: Run, tensor: int) -> bool:
    """Whether a module swaps the first two dimensions of what is made of a tensor: it was told that the samples come first."""
    queue = [(tensor, 0)]
    for source, far in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.outputs:
                continue
            inside = run.recording.scopes[event.scope].module_class if event.scope >= 0 else ""
            if "transposes" in run.traits(event.op) and inside in _BATCH_FIRST:
                return event.outputs[0].shape[:2] == run.tensors[source].info.shape[1::-1]
            if "transposes" in run.traits(event.op):
                continue
            if far < _NEAR and event.outputs[0].shape == run.tensors[source].info.shape and len(queue) < _NEAR**2:
                queue.append((event.outputs[0].id, far + 1))
    return False


def _by_positions(run: Run, site: Site | None, text: str) -> Changes:
    """The table cut by dimension 1 and turned, where the text says what it is cut by."""
    turned = re.sub(r"\.(size\(|shape\[)0([)\]])", r".\g<1>1\2", text)
    return replaced(run, site, f"{turned}.transpose(0, 1)") if turned != text else []


@rule(178, PADDING_READ)
def padding_read(run: Run) -> Iterator[Finding]:
    """The last element in time of what `pad_packed_sequence` gave: zeros in some rows, which layers then take."""
    spots = {site_of(*call) for call in paths_of(run.recording).source.calls.get("pad_packed_sequence", ())}
    told = set()
    for step, event in run.first_ops_of({"select"}, 1) if spots else ():
        given = run.argument(event, "self")
        if event.site in told:
            continue
        said = {argument.name: argument.text for argument in event.inputs}
        if given == NOTHING or not event.outputs or run.site(_born_of_values(run, given)) not in spots:
            continue
        shape, made = run.tensors[given].info.shape, event.outputs[0]
        values = run.values(made.id, step)
        if len(shape) != 3 or said.get("dim") not in ("0", "1") or values is None or values.ndim != 2:
            continue
        empty = np.logical_not(values.any(axis=1)).ravel()
        if said.get("index") != str(shape[int(said["dim"])] - 1) or not empty.any() or empty.all() or not made.requires_grad:
            continue
        if _all_are_read(run, given, step) or _chosen(run, made.id):
            continue
        told.add(event.site)
        yield finding(
            run, PADDING_READ,
            f"{run.segment(run.site(step)) or 'The last step'} is padding for {int(empty.sum())} of {len(empty)} sequences.",
            f"pad_packed_sequence fills up with zeros behind the end of each sequence. Of {shape_text(shape)} the last step is "
            "taken for all, so those that are shorter give zeros, whatever stood in them, and learn nothing by it.",
            "Take the last step of each, out[torch.arange(len(lengths)), lengths - 1] where the samples come first, or the "
            "hidden state that the network returns beside its output.",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("rows of zeros", f"{int(empty.sum())} of {len(empty)}")], nodes=[key(given), key(made.id)],
        )  # fmt: skip


@rule(178, ONE_DIRECTION_READ)
def one_direction_read(run: Run) -> Iterator[Finding]:
    """The last step of a bidirectional network is read, and the state of its backward direction never gets a gradient."""
    for read in read_at_one_end(run):
        site = run.site(read.step)
        event = run.events[read.step]
        made = event.outputs[0].id if isinstance(event, OpRan) else NOTHING
        way, end = ("backward", "last") if read.backward else ("forward", "first")
        yield finding(
            run, ONE_DIRECTION_READ,
            f"{run.expression(site) or 'What is read'} is the {end} step of both directions, where the {way} one has seen a "
            "single element.",
            read.sentence(run), read.remedy,
            step=read.step, related=[run.site(run.tensors[read.made].born)],
            evidence=[("shape of the result", str(list(run.tensors[read.made].info.shape))),
                      (f"{run.title(read.parameter)}.grad", "0 everywhere, in every pass")],
            nodes=[key(read.made), key(made), key(read.parameter)],
            changes=replaced(run, site, read.joined) if read.state else [],
        )  # fmt: skip


@rule(171, VIEW_TRANSPOSES)
def state_regrouped(run: Run) -> Iterator[Finding]:
    """The last state of a recurrent network, (layers and directions, batch, features), is viewed as one row for each sample."""
    scopes = run.recording.scopes
    for step, event in run.first_ops_of({"view", "reshape"}, 1):
        given = run.argument(event, "self")
        if given == NOTHING or not event.outputs or event.in_backward or event.node is None:
            continue
        made, before, after = run.tensors[given].op, run.tensors[given].info.shape, event.outputs[0].shape
        inside = scopes[made.scope].module_class if made.scope >= 0 else ""
        if inside not in _RECURRENT or made.scope == event.scope or len(before) != 3 or before[0] in (1, before[1]):
            continue
        if after != (before[1], before[0] * before[2]):
            continue
        name, whole = run.title(given), receiver_at(run, run.site(step))
        taken = name if name.replace(".", "").isidentifier() else f"({name})"
        yield finding(
            run, VIEW_TRANSPOSES,
            f"{run.segment(run.site(step)) or event.op} does not swap dimensions: it reads the elements in their old order.",
            f"{name} has shape {shape_text(before)}, {before[0]} layers or directions first, and gets {shape_text(after)}. A "
            f"view moves no element: a row holds states of {before[0]} different samples, not the {before[0]} of its own.",
            f"Swap first: {taken}.transpose(0, 1).reshape({', '.join(map(str, after))}); or join the parts that are wanted, "
            f"torch.cat([{taken}[-2], {taken}[-1]], dim=1).",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("shape before", str(list(before))), ("after", str(list(after)))],
            nodes=[key(given), key(event.outputs[0].id)],
            changes=with_call(run, whole, "transpose(0, 1)") if text_at(run, whole) not in ("", "torch") else [],
        )  # fmt: skip


def _chosen(run: Run, tensor: int) -> bool:
    """Whether some elements of a tensor are left out by a mask."""
    taking = [run.events[step] for step in run.consumers.get(tensor, ())]
    return any({"branches", "masks", "leaves_out"} & {*run.traits(e.op)} for e in taking if isinstance(e, OpRan))


def _all_are_read(run: Run, tensor: int, step: int) -> bool:
    """Whether the same expression reads other elements of a tensor, too, as a loop over time does."""
    site = run.events[step].site
    others = [run.events[at] for at in run.consumers.get(tensor, ()) if run.events[at].site == site]
    return len({a.text for e in others if isinstance(e, OpRan) for a in e.inputs if a.name == "index"}) > 1


def _born_of_values(run: Run, tensor: int) -> int:
    """Where the memory that a tensor shows was made."""
    return run.tensors[run.beneath_views(tensor)].born
