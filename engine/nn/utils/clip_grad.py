"""Limiting gradients, by their norm or each element. Pascanu et al. (2013), On the difficulty of training RNNs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

import numpy as np

from ...autograd import no_grad
from ...ops.creation.factories import tensor
from ...tensor import Tensor, constant

Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: Tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _norm(array: Any, p: float) -> Any:
    """The p-norm of all elements, in the array's dtype."""
    flat = array.reshape(-1)
    if p == 2.0:
        return np.sqrt(np.dot(flat, flat))
    return np.linalg.norm(flat, p).astype(array.dtype)


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all elements of all tensors, as a 0-d tensor.

    Raises:
        RuntimeError: if it is infinite or NaN and `error_if_nonfinite`.
    """
    arrays = [t._array for t in _listed(tensors)]
    p = float(norm_type)
    if not arrays:
        return tensor(0.0)
    total = constant(_norm(np.stack([np.asarray(_norm(a, p)) for a in arrays]), p))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {p} for gradients from `parameters` is non-finite, so it cannot be clipped. To disable "
            "this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scale the gradients, whose norm is `total_norm`, so that it is at most `max_norm`."""
    with no_grad():
        total: Any = total_norm
        factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for parameter in _listed(parameters):
            if parameter.grad is not None:
                parameter.grad.mul_(factor)


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients together so that their norm is at most `max_norm`; returns the norm they had."""
    several = _listed(parameters)
    if not several and isinstance(parameters, GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total = get_total_norm([p.grad for p in several if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(several, max_norm, total)
    return total


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Limit each element of the gradients to [-clip_value, clip_value]."""
    limit = float(clip_value)
    with no_grad():
        for parameter in _listed(parameters):
            if parameter.grad is not None:
                parameter.grad.clamp_(min=-limit, max=limit)


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """`clip_grad_norm_` under its former name, which is deprecated."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)
