"""Rules about dimensions and indices: what rearranges, chooses or compares along another dimension than it is meant to."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, argument_at, call_of, keyword, replaced, spot
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

VIEW_TRANSPOSES = Kind(
    "view_transposes", "warning", "view() or reshape() is used to swap dimensions, and mixes up what stands in them.",
    mechanical=True, settled=True,
)  # fmt: skip
GATHERED_ACROSS = Kind(
    "gathered_across", "warning", "gather() goes along the samples, so it takes nothing but the first column.", mechanical=True
)
CHOSEN_OF_ALL_ROWS = Kind(
    "chosen_of_all_rows", "warning", "An index of one class for each sample chooses from all samples: every one with every one."
)
ARGMAX_OF_ONE = Kind("argmax_of_one", "warning", "The class is the argmax of a single score: it is always 0.")
NORMALIZED_OVER_BATCH = Kind(
    "normalized_over_batch",
    "hint",
    "Features are brought to length 1 over the samples, not each sample's own.",
    mechanical=True,
)
VALUES_COMPARED = Kind("values_compared", "warning", "The largest scores are compared with classes, instead of their indices.")

Sizes = tuple[int, ...]


@rule(171, VIEW_TRANSPOSES)
def view_transposes(run: Run) -> Iterator[Finding]:
    """The sizes after a view are those before it in another order, one of them split or two of them joined on the way, or rows
    of channels are made of what has its channels second: elements stay in their order in memory, so they do not go along with
    their dimension."""
    if not run.passes:
        return
    told: set[tuple[int, int, Sizes, Sizes]] = set()
    alike: dict[tuple[int, Sizes, Sizes], list[Finding]] = {}
    for step, event in run.first_ops_of({"view", "reshape"}, 1):
        given = run.argument(event, "self")
        if given == NOTHING or not event.outputs or event.in_backward or run.module(step):
            continue
        before, after = run.tensors[given].info.shape, event.outputs[0].shape
        name = run.title(given)
        taken = name if re.fullmatch(r"[\w.]+", name) else f"({name})"
        mixed = _swapped(taken, before, after)
        if mixed is None and event.node is not None and event.node.id in run.ran:
            mixed = _split_or_joined(taken, before, after)
        if mixed is None and _rows_of_channels(before, after) and _taken_by_rows(run, event.outputs[0].id, after[0]):
            mixed = (
                f"where each row is to hold the {before[1]} channels of one place, and they stand before the places",
                f"Swap first: {taken}.{_channels_last(before)}.reshape(-1, {before[1]}).",
            )
        site = run.site(step)
        place = (site.cell, site.line, before, after) if site is not None else (0, 0, before, after)
        if mixed is None or place in told:
            continue
        told.add(place)
        sizes, fix = mixed
        pieces = before[-1:] == after[-1:] and before[0] * before[1] == after[0] * after[1]
        regrouped = pieces and (not _by_name(run, site) or any(other[2:] == (after, before) for other in told))
        one = finding(
            run, VIEW_TRANSPOSES,
            f"{run.segment(run.site(step)) or event.op} does not swap dimensions: it reads the elements in their old order.",
            f"{name} has shape {shape_text(before)} and gets {shape_text(after)}, {sizes}. A view moves no element: what was "
            "one row is now spread over several, so samples, channels or heads are mixed up.",
            fix,
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("shape before", str(list(before))), ("after", str(list(after)))],
            nodes=[key(given), key(event.outputs[0].id)],
            severity="hint" if regrouped else "",
            changes=_moved_along(run, site, before, after),
        )  # fmt: skip
        alike.setdefault((event.scope, before, after), []).append(one)
    for same in alike.values():
        yield _together(run, same)


def _together(run: Run, same: list[Finding]) -> Finding:
    """One finding for what is done alike to several tensors at one place, as to queries, keys and values."""
    first, *others = same
    if not others:
        return first
    lines = ", ".join(run.site_text(each.site) for each in others)
    return msgspec.structs.replace(
        first,
        explanation=f"{first.explanation} The same is done at {lines}.",
        related=tuple(
            dict.fromkeys(site for each in same for site in (each.site, *each.related) if site and site != first.site)
        ),
        nodes=tuple(node for each in same for node in each.nodes),
        changes=tuple(change for each in same for change in each.changes) if all(each.changes for each in same) else (),
    )


def _moved_along(run: Run, site: Site | None, before: Sizes, after: Sizes) -> Changes:
    """The view that splits a dimension where it stands, and then swaps two; or swaps two, and then splits or joins."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or not isinstance(call.func, ast.Attribute) or call.keywords:
        return []
    given = list(call.args[0].elts) if len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List) else call.args
    name, sizes = found.program.lines.of(call.func.value), [found.program.lines.of(each) for each in given]
    if len(sizes) != len(after) or any(isinstance(g, ast.Starred) for g in given) or ast.unparse(call.func.value) == "torch":
        return []
    last, split = len(after), len(after) == len(before) + 1
    if _rows_of_channels(before, after):
        return replaced(run, site, f"{name}.{_channels_last(before)}.reshape({', '.join(sizes)})")
    if split and before[-2] == after[-2]:
        sizes[-3], sizes[-2] = sizes[-2], sizes[-3]
        return replaced(run, site, f"{name}.{call.func.attr}({', '.join(sizes)}).transpose({last - 3}, {last - 2})")
    if split and before[-1] == after[-3]:
        return replaced(run, site, f"{name}.transpose({last - 3}, {last - 2}).reshape({', '.join(sizes)})")
    if len(before) == last + 1 and before[-2] == after[-2]:
        return replaced(run, site, f"{name}.transpose({last - 2}, {last - 1}).reshape({', '.join(sizes)})")
    if len(before) == last + 1 and before[-3] == after[-1]:
        return replaced(run, site, f"{name}.flatten({last - 1}).transpose({last - 2}, {last - 1})")
    moved = [k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
    if len(before) == last and len(moved) == 2 and before[moved[0]] == after[moved[1]] and before[moved[1]] == after[moved[0]]:
        return replaced(run, site, f"{name}.transpose({moved[0]}, {moved[1]})")
    return []


def _rows_of_channels(before: Sizes, after: Sizes) -> bool:
    """Whether a view makes rows as long as dimension 1 of (samples, channels, places …), which does not stand last."""
    several = len(before) > 2 and min(before[1], math.prod(before[2:])) > 1
    return several and len(after) == 2 and after[1] == before[1] and before[1] not in before[2:]


def _channels_last(before: Sizes) -> str:
    return f"permute(0, {', '.join(map(str, range(2, len(before))))}, 1)"


def _taken_by_rows(run: Run, tensor: int, rows: int) -> bool:
    """Whether what takes a matrix takes each row for itself: it shares out along it, or has a class for each."""
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan):
            target = run.argument(event, "target")
            classes = target != NOTHING and run.tensors[target].info.shape == (rows,)
            if classes or (event.op in run.having("normalizes") and run.setting(event, "dim") in ("1", "-1")):
                return True
    return False


def _by_name(run: Run, site: Site | None) -> bool:
    """Whether the first two sizes of a view are written as they are, by names: what is counted or left to be found (-1) may be
    pieces of another length, of which there happen to be as many. So is what puts such pieces together again."""
    found = spot(run, site)
    call = call_of(found)
    given = call.args if call is not None else []
    sizes = list(given[0].elts) if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List) else given
    values = paths_of(run.recording).source.values
    return len(sizes) > 2 and all(
        isinstance(size, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        and not any(isinstance(value, ast.BinOp) for _, _, value in values(ast.unparse(size)))
        for size in sizes[:2]
    )


def _swapped(name: str, shape: Sizes, result: Sizes) -> tuple[str, str] | None:
    """What a view does to the sizes and what is meant, where these are the same in another order; None otherwise."""
    before, after = (tuple(n for n in sizes if n != 1) for sizes in (shape, result))
    if len(shape) != len(result) or len(before) < 3 or before == after or Counter(before) != Counter(after):
        return None
    moved = [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    two = f", as {name}.transpose({moved[0]}, {moved[1]})" if len(moved) == 2 and before == shape else ""
    return "the same sizes in another order", f"Use transpose() for two dimensions{two}, or permute() for more."


def _split_or_joined(name: str, before: Sizes, after: Sizes) -> tuple[str, str] | None:
    """What a view does to the sizes and what is meant, where one dimension is split or two are joined and another one changes
    its side on the way; None otherwise, and where the sizes allow another reading."""
    if min(before, default=0) < 1 or min(before[-2:]) < 2 or min(after[-2:]) < 2:
        return None
    match before[-3:], after[-3:]:
        case (_, long, wide), (heads, same, part) if (
            len(after) == len(before) + 1 >= 4
            and before[:-2] == after[:-3]
            and same == long != heads > 1
            and heads * part == wide
        ):  # (batch, time, features) to (batch, heads, time, features of a head)
            split = ", ".join(map(str, (*before[:-1], heads, part)))
            return f"where {wide} is split into {heads} × {part}, and {long} does not stay before it", (
                f"Split first, then swap: {name}.view({split}).transpose({len(before) - 2}, {len(before) - 1})."
            )
        case (_, long, channels), (same, high, broad) if (
            len(after) == len(before) + 1 >= 4
            and before[:-2] == after[:-3]
            and same == channels != long
            and high * broad == long
            and min(high, broad) > 1
        ):  # (batch, places, channels) to (batch, channels, height, width)
            return f"where {long} is split into {high} × {broad}, and {channels} goes before it", (
                f"Swap first: {name}.transpose({len(before) - 2}, {len(before) - 1}).reshape({', '.join(map(str, after))})."
            )
        case (heads, long, part), (_, same, wide) if (
            len(before) == len(after) + 1 >= 4
            and before[:-3] == after[:-2]
            and same == long != heads > 1
            and heads % long
            and heads * part == wide
        ):  # (batch, heads, time, features of a head) to (batch, time, features)
            return f"where {heads} and {part} are joined over {long}, which stands between them", (
                f"Swap first: {name}.transpose({len(before) - 3}, {len(before) - 2}).reshape({', '.join(map(str, after))})."
            )
        case (channels, high, broad), (_, long, same) if (
            len(before) == len(after) + 1 >= 4
            and before[:-3] == after[:-2]
            and same == channels != long
            and high * broad == long
            and min(high, broad, channels) > 1
        ):  # (batch, channels, height, width) to (batch, places, channels)
            return f"where {high} and {broad} are joined, and {channels} goes behind them", (
                f"Join first, then swap: {name}.flatten({len(before) - 2}).transpose({len(after) - 2}, {len(after) - 1})."
            )
        case _:
            return None


@rule(172, GATHERED_ACROSS)
def gathered_across(run: Run) -> Iterator[Finding]:
    """An index with one entry for each sample is gathered along the samples: entry (i, 0) is row index[i] of column 0."""
    for step, event in run.first_ops_of({"gather"}, 1):
        given, index = run.argument(event, "self"), run.argument(event, "index")
        dim = run.setting(event, "dim")
        if NOTHING in (given, index) or dim not in ("0", "-2") or event.in_backward:
            continue
        shape, wanted = run.tensors[given].info.shape, run.tensors[index].info.shape
        if len(shape) != 2 or shape[1] < 2 or wanted != (shape[0], 1) or shape[0] < 2:
            continue
        values = run.values(index, step)
        if values is None or int(values.max(initial=0)) >= shape[1] or not _learns(run, given):
            continue  # rows are chosen
        yield finding(
            run, GATHERED_ACROSS,
            f"gather({dim}, …) goes along the {shape[0]} samples: it takes nothing but column 0 of {run.title(given)}.",
            f"{run.title(index)} has one entry, below {shape[1]}, for each sample, as for a choice among {shape[1]} columns. "
            "Along dimension 0 it chooses rows instead, so each sample gets the first score of one of the first rows.",
            "Gather along the scores: dimension 1.",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("scores", str(list(shape))), ("index", str(list(wanted)))],
            nodes=[key(given), key(index)],
            changes=_another_dimension(run, step),
        )  # fmt: skip


def _learns(run: Run, tensor: int) -> bool:
    """Whether a tensor is computed from parameters."""
    return run.tensors[tensor].info.requires_grad or run.layer_behind(tensor) != NOTHING


def _another_dimension(run: Run, step: int) -> Changes:
    """The same call with dimension 1."""
    call = call_of(spot(run, run.site(step)))
    return replaced(run, argument_at(run, run.site(step), len(call.args) - 2, "dim"), "1") if call is not None else []


@rule(173, CHOSEN_OF_ALL_ROWS)
def chosen_of_all_rows(run: Run) -> Iterator[Finding]:
    """Scores (N, C) are indexed by [:, classes] with one class for each of the N samples, which gives (N, N)."""
    for step, event in run.first_ops_of({"index"}, 1):
        given, index = run.argument(event, "self"), run.argument(event, "indices[1]")
        if NOTHING in (given, index) or run.argument(event, "indices[0]") != NOTHING or event.in_backward:
            continue
        shape, wanted = run.tensors[given].info.shape, run.tensors[index].info.shape
        if len(shape) != 2 or wanted != shape[:1] or shape[0] == shape[1] or shape[0] < 2 or not event.outputs:
            continue
        values = run.values(index, step)
        if values is None or len(np.unique(values)) == len(values) or not event.outputs[0].requires_grad:
            continue  # columns are put into another order
        if not _meets_samples(run, event):
            continue
        yield finding(
            run, CHOSEN_OF_ALL_ROWS,
            f"{run.segment(run.site(step)) or 'The index'} takes the class of every sample from every sample: "
            f"{shape_text(event.outputs[0].shape)} instead of {shape[0]} values.",
            f"{run.title(index)} names one of {shape[1]} columns for each of the {shape[0]} rows. With [:, index] each row "
            "gives all of these columns, so every sample is rewarded for the choices of all others.",
            f"Choose one element of each row: {run.title(given)}[torch.arange({shape[0]}), {run.title(index)}], or "
            f"gather(1, {run.title(index)}.unsqueeze(1)).",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[
                ("scores", str(list(shape))), ("index", str(list(wanted))), ("result", str(list(event.outputs[0].shape)))
            ],
            nodes=[key(given), key(index), key(event.outputs[0].id)],
        )  # fmt: skip


def _meets_samples(run: Run, event: OpRan) -> bool:
    """Whether the result is a mean or a sum soon, alone or with one number for each sample."""
    queue = [event.outputs[0].id]
    for source in queue:
        for step in run.consumers.get(source, ()):
            after = run.events[step]
            if not isinstance(after, OpRan) or not after.outputs:
                continue
            if after.op in run.having("reduces"):
                return after.outputs[0].shape == ()
            if after.outputs[0].shape == event.outputs[0].shape and len(queue) < 8:
                queue.append(after.outputs[0].id)
    return False


@rule(174, ARGMAX_OF_ONE)
def argmax_of_one(run: Run) -> Iterator[Finding]:
    """The largest of the outputs of a layer that has one."""
    for step, event in run.first_ops_of({"argmax", "max"}, 1):
        given = run.argument(event, "self")
        dim = run.setting(event, "dim")
        if given == NOTHING or not event.outputs:
            continue
        shape = run.tensors[given].info.shape
        if len(shape) < 2 or dim not in ("-1", str(len(shape) - 1)) or shape[-1] != 1 or shape[0] < 2:
            continue
        layer = run.layer_behind(given)
        if layer == NOTHING or run.tensors[layer].info.shape[-1] != 1:
            continue
        yield finding(
            run, ARGMAX_OF_ONE,
            f"{run.segment(run.site(step)) or event.op} chooses among one score: the class is 0 for every sample.",
            f"The layer at {run.where(run.tensors[layer].born)} has one output, {run.title(given)} has shape "
            f"{shape_text(shape)}, and the index of the largest of one is 0.",
            "Compare the score with its threshold: score > 0, or a probability > 0.5; or give the layer an output for each "
            "class.",
            step=step, related=[run.site(run.tensors[layer].born)],
            evidence=[("scores", str(list(shape)))], nodes=[key(given), *(key(i.id) for i in event.outputs)],
        )  # fmt: skip


@rule(175, VALUES_COMPARED)
def values_compared(run: Run) -> Iterator[Finding]:
    """What max() gives first, the values, is compared with whole numbers, and never equal to one."""
    seen: dict[int, bool] = {}
    first: dict[int, tuple[int, OpRan, int, int]] = {}
    for step, event in run.first_ops_of({"eq"}, 8):
        values, classes = run.argument(event, "self"), run.argument(event, "other")
        if NOTHING in (values, classes) or not event.outputs:
            continue
        if "int" in run.tensors[values].info.dtype:
            values, classes = classes, values
        source = run.tensors[run.beneath_views(values)].op
        scores = bool(source.outputs) and source.op == "max" and len(source.outputs) == 2
        fits = scores and source.outputs[0].id == run.beneath_views(values) and "float" in run.tensors[values].info.dtype
        result = run.zero(event.outputs[0].array)
        ok = fits and "int" in run.tensors[classes].info.dtype and result
        seen[event.site] = seen.get(event.site, True) and ok
        first.setdefault(event.site, (step, event, values, classes))
    for site, sound in seen.items():
        step, event, values, classes = first[site]
        if not sound or run.tensors[values].info.shape != run.tensors[classes].info.shape:
            continue
        born = run.tensors[run.beneath_views(values)].born
        yield finding(
            run, VALUES_COMPARED,
            f"{run.segment(run.site(step)) or 'The comparison'} compares scores with classes, so nothing is ever equal.",
            f"max() at {run.where(born)} gives the largest scores first and where they stand second; {run.title(values)} is "
            "the first of the two, not the predicted class.",
            "Take the indices: .max(dim)[1], .max(dim).indices or .argmax(dim).",
            step=step, site=run.site(born), related=[run.site(step)],
            evidence=[("values", run.texts.describe(run.status(values, step).array)), ("equal", "0")],
            nodes=[key(values), key(classes)],
        )  # fmt: skip


@rule(176, NORMALIZED_OVER_BATCH)
def normalized_over_batch(run: Run) -> Iterator[Finding]:
    """Rows are divided by the norms of the columns and then multiplied with one another, as for their cosines."""
    for step, event in run.first_ops_of({"norm"}, 1):
        given = run.argument(event, "self")
        dim = run.setting(event, "dim")
        if given == NOTHING or dim not in ("(0,)", "0", "[0]") or not event.outputs or event.in_backward:
            continue
        shape = run.tensors[given].info.shape
        if len(shape) != 2 or min(shape) < 2 or not run.tensors[given].info.requires_grad or not event.outputs[0].requires_grad:
            continue
        scaled = _scaled_at(run, given, event.site)
        if scaled == NOTHING or not _compared(run, scaled):
            continue
        site = run.site(step)
        yield finding(
            run, NORMALIZED_OVER_BATCH,
            f"{run.segment(site) or run.title(scaled)} gives length 1 to each of {shape[1]} features, over "
            f"the {shape[0]} samples.",
            f"{run.title(given)} has shape {shape_text(shape)}, and its rows are multiplied with one another. These are no "
            "cosines: a row has any length, and one that is longer is more like all others.",
            "Normalise each row: F.normalize(x, dim=1).",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("shape", str(list(shape))), ("dimension", "0")], nodes=[key(given), key(scaled)],
            changes=keyword(run, site, "dim", "1"),
        )  # fmt: skip


def _scaled_at(run: Run, tensor: int, site: int) -> int:
    """What a tensor becomes by the division at a site, NOTHING if there is none."""
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.site == site and event.op in run.having("division") and event.outputs:
            return event.outputs[0].id
    return NOTHING


def _compared(run: Run, tensor: int) -> bool:
    """Whether rows are multiplied with one another: the matrix with its own transpose."""
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.op in run.having("matrix_product"):
            inputs = run.inputs(event)
            if len(inputs) == 2 and inputs[0] == tensor and run.beneath_views(inputs[1]) == run.beneath_views(tensor):
                return True
    return False
