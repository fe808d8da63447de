"""Gradient descent: with momentum, and averaged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..compat.version import since
from ..ops.near import add_product, plus_product
from ..tensor import Array, Tensor, constant
from .optimizer import Group, Optimizer, State
from .update_rules import advance, check, not_negative, number, options, scalar, zeros


class SGD(Optimizer):
    r"""Stochastic gradient descent: $\theta \leftarrow \theta - \gamma g$.

    With momentum (Sutskever et al. 2013) $b \leftarrow \mu b + (1 - \tau) g$ takes the place of $g$, with Nesterov's
    $g + \mu b$; weight decay adds $\lambda\theta$ to $g$ first.

    Raises:
        ValueError: for an option below zero, or Nesterov without momentum or with dampening.
    """

    sparse_gradients = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check(lr, not_negative, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, options(locals()))

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        decay, momentum = number(group["weight_decay"]), group["momentum"]
        if decay != 0:
            g = plus_product(g, p, decay)
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = constant(g.copy())
            else:
                b = buffer._array
                b *= momentum
                add_product(b, g, 1 - group["dampening"])
            g = plus_product(g, buffer._array, momentum) if group["nesterov"] else buffer._array
        add_product(p, g, -float(number(group["lr"])))


AVERAGING_CHECKED = since("2.15", True, before=False)
"""Whether `lambd` and `alpha` below zero are refused, too."""


class ASGD(Optimizer):
    r"""Averaged stochastic gradient descent (Polyak & Juditsky 1992).

    $\theta \leftarrow (1 - \lambda\eta_t)\,\theta - \eta_t g$ with $\eta_t = \gamma / (1 + \lambda\gamma t)^\alpha$; the
    state's `ax` is the average of $\theta$ from step $t_0$ on.

    Raises:
        ValueError: for an option below zero.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        if AVERAGING_CHECKED.now:
            check(lr, lambd=lambd, alpha=alpha, weight_decay=weight_decay)
        else:
            check(lr, weight_decay=weight_decay)
        super().__init__(params, options(locals()))

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "eta": scalar(number(group["lr"])), "mu": scalar(1), "ax": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        lr, lambd, decay = number(group["lr"]), group["lambd"], group["weight_decay"]
        eta, mu, ax = (state[name]._array for name in ("eta", "mu", "ax"))
        t = advance(state)
        if decay != 0:
            g = g + p * decay
        rate = float(eta)
        p *= 1 - lambd * rate
        p -= g * rate
        if mu != 1:
            ax += (p - ax) * mu.astype(p.dtype)
        else:
            ax[...] = p
        eta[...] = lr / (1 + lambd * lr * t) ** group["alpha"]
        mu[...] = 1 / max(1, t - group["t0"])
