"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...compat.classes import typename
from ...ops.shape.joining import cat
from ...tensor import Tensor


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All elements of all parameters, one after the other; gradients flow back."""
    return cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the elements of `vec`, whose memory they then share."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    vector: Any = vec
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vector[start:stop].view_as(parameter).data
        start = stop
