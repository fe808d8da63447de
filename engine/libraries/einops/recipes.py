"""What a pattern does to a tensor of so many dimensions: reshape, permute, reduce, add axes, reshape."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...itself import engine as torch
from ...safe_attributes import plain
from ...tensor import Tensor
from .parsing import ELLIPSIS, AnonymousAxis, EinopsError, Expression, wrong_with

REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A pattern, read for a number of dimensions; an axis is its position in `lengths`."""

    lengths: list[int | None]
    """Known lengths: of the axes on the left, then of those that are added."""
    positions: dict[str, int]
    """The axes whose lengths the caller gives."""
    inputs: list[tuple[list[int], list[int]]]
    """For each dimension, its axes whose length is known and the one whose is not."""
    permutation: list[int]
    kept: int
    """How many of the permuted axes are not reduced."""
    added: dict[int, int]
    """Where an axis is added, and which."""
    outputs: list[list[int]]


def recipe(pattern: str, operation: Any, names: tuple[str, ...], ndim: int) -> Recipe:
    """Read a pattern.

    Raises:
        EinopsError: if it does not fit the operation, the dimensions, or the axes whose lengths are given.
    """
    left_text, right_text = pattern.split("->")
    left, right = Expression(left_text), Expression(right_text)
    _look_at_sides(pattern, operation, names, left, right)
    ins, outs = _without_ellipsis(left, right, ndim)
    lengths: dict[Any, int | None] = {axis: _length(axis) for group in ins for axis in group}
    right_axes = {axis for group in outs for axis in group}
    lengths |= {axis: _length(axis) for group in outs for axis in group if axis not in lengths}
    left_axes = {axis for group in ins for axis in group}
    at = {axis: k for k, axis in enumerate(lengths)}
    for name in names:
        if wrong_with(name):
            raise EinopsError("Invalid name for an axis", name)
        if name not in lengths:
            raise EinopsError(f"Axis {name} is not used in transform")
    inputs = []
    for group in ins:
        unknown = [axis for axis in group if lengths[axis] is None and axis not in names]
        if len(unknown) > 1:
            raise EinopsError(f"Could not infer sizes for {set(unknown)}")
        inputs.append(([at[axis] for axis in group if axis not in unknown], [at[axis] for axis in unknown]))
    ordered, wanted = [a for group in ins for a in group], [a for group in outs for a in group]
    kept = [axis for axis in wanted if axis in left_axes]
    reduced = [axis for axis in ordered if axis not in right_axes]
    return Recipe(
        list(lengths.values()),
        {name: at[name] for name in names},
        inputs,
        [ordered.index(axis) for axis in kept + reduced],
        len(kept),
        {k: at[axis] for k, axis in enumerate(wanted) if axis not in left_axes},
        [[at[axis] for axis in group] for group in outs],
    )


def _look_at_sides(pattern: str, operation: Any, names: tuple[str, ...], left: Expression, right: Expression) -> None:
    if not left.has_ellipsis and right.has_ellipsis:
        raise EinopsError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.ellipsis_is_inside:
        raise EinopsError(f"Ellipsis inside parenthesis in the left side is not allowed: {pattern}")
    only_left, only_right = left.identifiers - right.identifiers, right.identifiers - left.identifiers
    if operation == "rearrange":
        if left.has_lengths or right.has_lengths:
            raise EinopsError("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
        if only_left or only_right:
            raise EinopsError(f"Identifiers only on one side of expression (should be on both): {only_left | only_right}")
    elif operation == "repeat":
        if only_left:
            raise EinopsError(f"Unexpected identifiers on the left side of repeat: {only_left}")
        unsaid = {axis for axis in only_right if not isinstance(axis, AnonymousAxis) and axis not in names}
        if unsaid:
            raise EinopsError(f"Specify sizes for new axes in repeat: {unsaid}")
    elif operation in REDUCTIONS or callable(operation):
        if only_right:
            raise EinopsError(f"Unexpected identifiers on the right side of reduce {operation}: {only_right}")
    else:
        raise EinopsError(f"Unknown reduction {operation}. Expect one of {REDUCTIONS}.")


def _without_ellipsis(left: Expression, right: Expression, ndim: int) -> tuple[list[list[Any]], list[list[Any]]]:
    """The axes of each dimension on both sides, those of the ellipsis under names of their own."""
    if not left.has_ellipsis:
        if ndim != len(left.composition):
            raise EinopsError(f"Wrong shape: expected {len(left.composition)} dims. Received {ndim}-dim tensor.")
        return left.composition, right.composition
    others = len(left.composition) - 1
    if ndim < others:
        raise EinopsError(f"Wrong shape: expected >={others} dims. Received {ndim}-dim tensor.")
    inside = [f"{ELLIPSIS}{k}" for k in range(ndim - others)]

    def spread(composition: list[Any]) -> list[list[Any]]:
        groups: list[list[Any]] = []
        for group in composition:
            if group == ELLIPSIS:
                groups += [[axis] for axis in inside]
            else:
                groups.append([a for axis in group for a in (inside if axis == ELLIPSIS else [axis])])
        return groups

    return spread(left.composition), spread(right.composition)


def _length(axis: Any) -> int | None:
    return axis.value if isinstance(axis, AnonymousAxis) else None


def apply(recipe: Recipe, tensor: Any, reduction: Any, given: dict[str, int]) -> Any:
    """A tensor or array, transformed.

    Raises:
        EinopsError: if its shape does not fit.
    """
    shape = tuple(tensor.shape)
    lengths: list[Any] = list(recipe.lengths)
    for name, length in given.items():
        lengths[recipe.positions[name]] = length
    for length, (known, unknown) in zip(shape, recipe.inputs, strict=True):
        if not known and len(unknown) == 1:
            lengths[unknown[0]] = length
            continue
        product = math.prod(lengths[k] for k in known)
        if not unknown and length != product:
            raise EinopsError(f"Shape mismatch, {length} != {product}")
        if unknown:
            if product == 0 or length % product != 0:
                raise EinopsError(f"Shape mismatch, can't divide axis of length {length} in chunks of {product}")
            lengths[unknown[0]] = length // product
    count = len(recipe.permutation)
    if any(len(known) + len(unknown) != 1 for known, unknown in recipe.inputs):
        tensor = tensor.reshape(tuple(lengths[:count]))
    if recipe.permutation != list(range(count)):
        tensor = tensor.permute(recipe.permutation) if isinstance(tensor, Tensor) else tensor.transpose(recipe.permutation)
    if recipe.kept < count:
        tensor = _reduced(tensor, reduction, tuple(range(recipe.kept, count)))
    if recipe.added:
        tensor = _with_axes(tensor, {k: lengths[axis] for k, axis in recipe.added.items()})
    if any(len(group) != 1 for group in recipe.outputs):
        tensor = tensor.reshape(tuple(math.prod(lengths[k] for k in group) for group in recipe.outputs))
    return tensor


def _reduced(tensor: Any, reduction: Any, axes: tuple[int, ...]) -> Any:
    if callable(reduction):
        call: Callable[..., Any] = reduction
        return call(tensor, axes)
    reduction = plain(reduction)
    if reduction not in REDUCTIONS:  # of a layer it may have been set
        raise EinopsError(f"Unknown reduction {reduction}. Expect one of {REDUCTIONS}.")
    floating = tensor.is_floating_point() if isinstance(tensor, Tensor) else tensor.dtype.kind == "f"
    if reduction == "mean" and not floating:
        raise NotImplementedError("reduce_mean is not available for non-floating tensors")
    if not isinstance(tensor, Tensor):
        return getattr(np, reduction)(tensor, axis=axes)
    if reduction in ("min", "max"):
        return getattr(tensor, f"a{reduction}")(dim=axes)
    if reduction in ("sum", "mean"):
        return getattr(tensor, reduction)(dim=axes)
    for axis in reversed(axes):  # PyTorch reduces by one dimension at a time here
        tensor = getattr(tensor, reduction)(dim=axis)
    return tensor


def _with_axes(tensor: Any, added: dict[int, int]) -> Any:
    """A tensor that is expanded along new dimensions."""
    if isinstance(tensor, Tensor):
        for k in added:
            tensor = torch.unsqueeze(tensor, k)
        return tensor.expand([added.get(k, -1) for k in range(tensor.ndim)])
    tensor = np.expand_dims(tensor, tuple(added))
    return np.tile(tensor, [added.get(k, 1) for k in range(tensor.ndim)])
