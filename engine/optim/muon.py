"""Muon: momentum whose update is made orthogonal; and SparseAdam, for gradients of which few elements are there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..compat.version import since
from ..stand_ins import StandIn
from ..tensor import Array, Tensor
from .optimizer import Group, Optimizer, State
from .update_rules import above_zero, at_least, by_index, check, lerp, number, one_element, options, zeros

COEFFICIENTS = (3.4445, -4.775, 2.0315)


def rounded(array: Any) -> Any:
    """Float32 numbers rounded to those that bfloat16 has, to the nearest, to the even one of two."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    kept = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (kept & np.uint32(0xFFFF0000)).view(np.float32)


def orthogonal(g: Array, coefficients: tuple[float, float, float], steps: int, eps: float) -> Array:
    """Nearly the orthogonal matrix closest to `g`, by Newton-Schulz iterations in the precision of bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = (np.float32(x) for x in coefficients)
    x = rounded(g.T if g.shape[0] > g.shape[1] else g)
    length = rounded(np.sqrt(np.sum(x * x, dtype=np.float32)))
    x = rounded(x / np.maximum(length, rounded(np.float32(eps))))
    for _ in range(steps):
        gram = rounded(x @ x.T)
        update = rounded(b * gram + c * (gram @ gram))
        x = rounded(a * x + update @ x)
    made: Array = x.T if g.shape[0] > g.shape[1] else x
    return made


ADJUSTMENTS = since("2.15", ("original", "match_rms_adamw", "spectral_unclamped"), before=("original", "match_rms_adamw"))
"""How the rate may depend on a matrix's shape."""


class Muon(Optimizer):
    r"""Muon (Jordan 2024): $\theta \leftarrow (1 - \gamma\lambda)\,\theta - \gamma' O$, $O$ the momentum made orthogonal.

    For matrices only, as the weights of hidden layers. `adjust_lr_fn` says how $\gamma'$ depends on the matrix's shape.

    Raises:
        ValueError: for an option below zero, an unknown `adjust_lr_fn`, or a parameter that is no matrix.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        one_element(lr)
        at_least(0.0, lr, "Learning rate")
        at_least(0.0, momentum, "momentum")
        at_least(0.0, weight_decay, "weight decay")
        if adjust_lr_fn is not None and adjust_lr_fn not in ADJUSTMENTS.now:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, options(locals()))
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}")

    def _start(self, p: Array, group: Group) -> State:
        return {"momentum_buffer": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        lr, momentum, buffer = number(group["lr"]), group["momentum"], state["momentum_buffer"]._array
        lerp(buffer, g, 1 - momentum)
        update = buffer
        if group["nesterov"]:
            update = g.copy()
            lerp(update, buffer, momentum)
        update = orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        high, wide = p.shape
        ratio = math.sqrt(max(1, high / wide))
        if group["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(high, wide))
        elif group["adjust_lr_fn"] == "spectral_unclamped":
            ratio = math.sqrt(high / wide)
        p *= float(1 - lr * group["weight_decay"])
        p -= update.astype(p.dtype) * float(lr * ratio)


class SparseAdam(Optimizer):
    r"""Adam for sparse gradients: where a gradient has no element, averages and parameters stay as they are.

    Where it has, $m \leftarrow m + (1 - \beta_1)(g - m)$, $v \leftarrow v + (1 - \beta_2)(g^2 - v)$ and
    $\theta \leftarrow \theta - \gamma\,\sqrt{1 - \beta_2^t} / (1 - \beta_1^t)\; m / (\sqrt v + \epsilon)$.

    Raises:
        ValueError: for an option that is not above zero, a beta outside [0, 1), or parameters that are sparse or complex.
    """

    sparse_gradients = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check(lr, above_zero, eps=eps, betas=betas)
        super().__init__(params, options(locals()))
        places = [(n, k, p) for n, group in enumerate(self.param_groups) for k, p in enumerate(group["params"])]
        if found := [[n, k] for n, k, p in places if p.is_sparse]:
            raise ValueError(f"Sparse params at indices {found}: SparseAdam requires dense parameter tensors")
        if found := [[n, k] for n, k, p in places if p.is_complex()]:
            raise ValueError(f"Complex params at indices {found}: SparseAdam does not support complex parameters")

    def _start(self, p: Array, group: Group) -> State:
        return {"step": 0, "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        if not isinstance(g, StandIn):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        state["step"] += 1
        at, values = by_index(g)
        if not values.size:
            return
        first, second = group["betas"]
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        real = p.dtype.type
        mean[at] += (values - mean[at]) * real(1 - first)
        square[at] += (values**2 - square[at]) * real(1 - second)
        rate = number(group["lr"]) * math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
        p[at] -= real(rate) * (mean[at] / (np.sqrt(square[at]) + real(group["eps"])))
