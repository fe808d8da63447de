"""A rule about windows of a series, from which what comes next is to be forecast."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...recording.events import NOTHING, OpRan
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

TARGET_IN_WINDOW = Kind(
    "target_in_window", "warning", "The last value of each window of a series is the one that is to be forecast from it."
)

_SAMPLES = 8
"""Windows from which on it is no chance that each ends with its target."""
_LONG = 3
"""Values of a window, at least."""
_BEHIND = 5_000
"""Tensors behind a prediction that are looked at."""
_BACK = 8
"""Views between data and what a layer takes of them."""
_PARTS = 20_000
"""Tensors that windows are made of."""
_MANY = 0.9
"""The part of a series' values that differ from each other where it does not repeat itself."""


@rule(161, TARGET_IN_WINDOW)
def target_in_window(run: Run) -> Iterator[Finding]:
    """A loss compares predictions, one for each window, with values that are the last ones of these windows; windows and values
    are taken from one series that does not repeat itself, or the windows overlap as those of a series do."""
    told: set[object] = set()
    for step, event in run.first_ops_of(run.having("distance") | run.having("difference"), 1):
        given, site = run.inputs(event), run.site(step)
        if len(given) != 2 or event.node is None or event.in_backward or site in told:
            continue
        learned = [run.status(tensor, step).requires_grad for tensor in given]
        if learned[0] == learned[1]:
            continue
        made, target = given if learned[0] else given[::-1]
        values = run.values(target, step)
        if values is None or values.dtype.kind != "f" or values.size < _SAMPLES or max(values.shape) != values.size:
            continue
        data = _window_of(run, made, target, values.reshape(-1))
        if data == NOTHING or not _of_a_series(run, data, target):
            continue
        told.add(site)
        born = run.site(run.tensors[run.beneath_views(data)].born)
        windows = run.tensors[data].info.shape
        yield finding(
            run, TARGET_IN_WINDOW,
            f"The model is given what it is to forecast: the last value of each window in {run.title(data)} is its target.",
            f"In all {values.size} samples the last of the {_length(windows)} values of {run.title(data)} is the value of "
            f"{run.title(target)} that the prediction is compared with at {run.where(step)}. So the model learns to repeat it, "
            "which scores well in tests that are made the same way, and forecasts nothing.",
            "Let the window end before its target: x = series[i:i + window], y = series[i + window].",
            step=step, site=born, related=[site, run.site(run.tensors[run.beneath_views(target)].born)],
            evidence=[
                ("targets that end their window", f"{values.size} of {values.size}"), ("windows", str(list(windows))),
            ],
            nodes=[key(data), key(target)],
        )  # fmt: skip


def _length(shape: tuple[int, ...]) -> int:
    return prod(shape[1:])


def _window_of(run: Run, made: int, wanted: int, target: NDArray[np.floating]) -> int:
    """The data behind a prediction that have one window for each target, ending with it; NOTHING where there are none."""
    queue, seen, apart = [made], {made}, set(_rearranged(run, wanted, set()))
    for tensor in queue:
        if len(queue) > _BEHIND:
            return NOTHING
        history = run.tensors[tensor]
        for given in run.inputs(history.op):
            info = run.tensors[given].info
            if given in seen or info.is_parameter:
                continue
            seen.add(given)
            if run.status(given, history.born).requires_grad:
                queue.append(given)
                continue
            for each in _rearranged(run, given, apart):
                shape = run.tensors[each].info.shape
                if shape[:1] != target.shape or len(shape) not in (2, 3):
                    continue
                values = run.values(each, run.tensors[each].born)
                if values is not None and values.shape[1] >= _LONG and _ends_with(values, target):
                    return each
    return NOTHING


def _rearranged(run: Run, tensor: int, apart: set[int]) -> Iterator[int]:
    """Data, and those of which they are all elements in another order, or one of the parts that they were taken apart into; not
    where a part is what stands apart."""
    for _ in range(_BACK):
        yield tensor
        history = run.tensors[tensor]
        given, parts = run.inputs(history.op), history.op.outputs
        if len(given) != 1 or (history.op.op not in run.having("same_values") and history.info.view_of == NOTHING):
            return
        if sum(prod(part.shape) for part in parts) != prod(run.tensors[given[0]].info.shape):
            return
        if any(part.id in apart for part in parts):
            return
        (tensor,) = given


def _ends_with(values: NDArray[np.floating], target: NDArray[np.floating]) -> bool:
    """Whether the last moment of each window has its target, and no earlier one has."""
    moments = values.reshape(len(values), values.shape[1], -1)
    same = (moments == target[:, None, None]).all(0)
    return bool(same[-1].any()) and not same[:-1].any()


def _of_a_series(run: Run, data: int, target: int) -> bool:
    """Whether windows and targets were cut out of one series that does not repeat itself, or the windows overlap as such do."""
    one, other = _roots(run, data), _roots(run, target)
    if one == other and len(one) == 1:
        (series,) = one
        shape = run.tensors[series].info.shape
        values = run.values(series, run.tensors[series].born)
        deep = len([size for size in run.tensors[data].info.shape if size != 1])
        if values is not None and deep == len([size for size in shape if size != 1]) + 1:
            return len(np.unique(values)) >= _MANY * values.size
    # Arrays that were cut before they became tensors.
    for tensor in {data, *one}:
        values = run.values(tensor, run.tensors[tensor].born)
        if values is not None and values.ndim in (2, 3) and len(values) >= _SAMPLES and values.shape[1] >= _LONG:
            apart = len(values) + values.shape[1] - 1
            several = len(np.unique(values[:, -1])) + len(np.unique(values[0])) - 1
            if np.array_equal(values[1:, :-1], values[:-1, 1:]) and several >= _MANY * apart:
                return True
    return False


def _roots(run: Run, tensor: int) -> set[int]:
    """What a tensor's elements were taken from: views, copies and what is joined are followed."""
    through = run.having("same_values") | run.having("joins") | run.having("casts") | run.having("alias")
    queue, seen, found = [tensor], {tensor}, set()
    for each in queue:
        history = run.tensors[each]
        given = run.inputs(history.op)
        view = history.info.view_of
        taken = given if history.op.op in through else [view] if view != NOTHING else []
        if not taken or len(queue) > _PARTS or not isinstance(history.op, OpRan):
            found.add(each)
        queue += [part for part in dict.fromkeys(taken) if part not in seen]
        seen.update(taken)
    return found
