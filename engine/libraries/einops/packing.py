"""`einops.pack` and `unpack`: tensors of different shapes side by side along one axis, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...itself import engine as torch
from ...tensor import Tensor
from .parsing import EinopsError, wrong_with

Shape = Sequence[int]


def _read(pattern: str, name: str) -> tuple[int, int]:
    """How many axes stand before the star and behind it."""
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise EinopsError(f'Duplicates in axes names in {name}(..., "{pattern}")')
    if "*" not in axes:
        raise EinopsError(f'No *-axis in {name}(..., "{pattern}")')
    for axis in axes:
        if axis != "*" and wrong_with(axis):
            raise EinopsError(f'Invalid axis name {axis} in {name}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def pack(tensors: Sequence[Any], pattern: str) -> tuple[Any, list[Shape]]:
    """Tensors side by side along the axis `*`, and what of each one's shape it stands for.

    Raises:
        EinopsError: for a tensor with too few dimensions.
    """
    before, behind = _read(pattern, "pack")
    reshaped, shapes = [], []
    for i, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) < before + behind:
            raise EinopsError(
                f"packed tensor #{i} (enumeration starts with 0) has shape {shape}, "
                f"while pattern {pattern} assumes at least {before + behind} axes"
            )
        end = len(shape) - behind
        shapes.append(shape[before:end])
        reshaped.append(tensor.reshape((*shape[:before], -1, *shape[end:])))
    joined: Any = torch.cat(reshaped, dim=before) if isinstance(tensors[0], Tensor) else np.concatenate(reshaped, axis=before)
    return joined, shapes


def unpack(tensor: Any, packed_shapes: Sequence[Shape], pattern: str) -> list[Any]:
    """The tensors that `pack` put together; one length may be -1.

    Raises:
        EinopsError: if the shapes do not make up the axis.
    """
    before, behind = _read(pattern, "unpack")
    shape = tensor.shape
    if len(shape) != before + 1 + behind:
        raise EinopsError(f"unpack(..., {pattern}) received input of wrong dim with shape {shape}")
    lengths = [-1 if -1 in packed else math.prod(packed) for packed in packed_shapes]
    if lengths.count(-1) > 1:
        raise EinopsError(f"unpack(..., {pattern}) received more than one -1 in {packed_shapes} and can't infer dimensions")
    total = shape[before]
    if -1 in lengths:
        lengths[lengths.index(-1)] = total - sum(length for length in lengths if length != -1)
    ends = [sum(lengths[: k + 1]) for k in range(len(lengths))]
    if lengths:
        ends[-1] = total
    try:
        found, start = [], 0
        for packed, end in zip(packed_shapes, ends, strict=True):
            part = tensor[(*(slice(None),) * before, slice(start, end))]
            found.append(part.reshape((*shape[:before], *packed, *shape[before + 1 :])))
            start = end
        return found
    except Exception as error:
        raise EinopsError(
            f'Error during unpack(..., "{pattern}"): could not split axis of size {total} into requested {packed_shapes}'
        ) from error
