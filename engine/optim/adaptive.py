"""Step sizes per element without averages of the gradient: Adagrad, Adadelta, RMSprop, Rprop, Adafactor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..stand_ins import StandIn
from ..tensor import Array, Tensor, constant
from .optimizer import Group, Optimizer, State
from .update_rules import (
    addcdiv,
    addcmul,
    advance,
    at_least,
    by_index,
    check,
    lerp,
    number,
    one_element,
    options,
    scalar,
    zeros,
)


class Adagrad(Optimizer):
    r"""Adagrad (Duchi et al. 2011): $\theta \leftarrow \theta - \gamma_t\,g / (\sqrt s + \epsilon)$.

    $s \leftarrow s + g^2$ and $\gamma_t = \gamma / (1 + (t - 1)\eta)$ for `lr_decay` $\eta$.

    Raises:
        ValueError: for an option below zero.
    """

    sparse_gradients = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check(
            lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        super().__init__(params, options(locals(), "lr", "lr_decay", "eps"))
        # The only algorithm whose state is there before the first step.
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(Adagrad._start(self, p._array, group))

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "sum": constant(np.full_like(p, self.defaults["initial_accumulator_value"]))}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        t = advance(state)
        if group["weight_decay"] != 0:
            if isinstance(g, StandIn):
                raise RuntimeError("weight_decay option is not compatible with sparse gradients")
            g = g + p * group["weight_decay"]
        total = state["sum"]._array
        rate = float(number(group["lr"]) / (1 + (t - 1) * group["lr_decay"]))
        if isinstance(g, StandIn):
            at, values = by_index(g)
            total[at] += values**2
            p[at] -= rate * (values / (np.sqrt(total[at]) + group["eps"]))
            return
        total += g * g
        addcdiv(p, g, np.sqrt(total) + group["eps"], -rate)


class Adadelta(Optimizer):
    r"""Adadelta (Zeiler 2012): $\theta \leftarrow \theta - \gamma\Delta$.

    $\Delta = g\,\sqrt{u + \epsilon} / \sqrt{v + \epsilon}$, where $v$ and $u$ are averages of $g^2$ and
    $\Delta^2$: $v \leftarrow \rho v + (1 - \rho) g^2$.

    Raises:
        ValueError: for an option below zero, or rho above one.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check(lr, eps=eps, weight_decay=weight_decay)
        super().__init__(params, options(locals(), "lr", "rho", "eps", "weight_decay", "maximize", "capturable"))

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "square_avg": zeros(p), "acc_delta": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        rho, eps = group["rho"], group["eps"]
        v, u = state["square_avg"]._array, state["acc_delta"]._array
        advance(state)
        if group["weight_decay"] != 0:
            g = g + p * group["weight_decay"]
        v *= rho
        addcmul(v, g, g, 1 - rho)
        delta = np.sqrt(u + eps) / np.sqrt(v + eps) * g
        u *= rho
        addcmul(u, delta, delta, 1 - rho)
        p -= delta * float(number(group["lr"]))


class RMSprop(Optimizer):
    r"""RMSprop (Hinton 2012): $\theta \leftarrow \theta - \gamma\,g / (\sqrt v + \epsilon)$.

    $v \leftarrow \alpha v + (1 - \alpha) g^2$. Centered (Graves 2013) subtracts from $v$ the square of the average
    gradient; with momentum $b \leftarrow \mu b + g / (\sqrt v + \epsilon)$ is what is stepped along.

    Raises:
        ValueError: for an option below zero.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, options(locals(), "lr", "momentum", "alpha", "eps", "centered"))

    def _start(self, p: Array, group: Group) -> State:
        state = {"step": scalar(0), "square_avg": zeros(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(p)
        if group["centered"]:
            state["grad_avg"] = zeros(p)
        return state

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        lr, alpha = float(number(group["lr"])), group["alpha"]
        advance(state)
        if group["weight_decay"] != 0:
            g = g + p * group["weight_decay"]
        v = state["square_avg"]._array
        v *= alpha
        addcmul(v, g, g, 1 - alpha)
        if group["centered"]:
            average = state["grad_avg"]._array
            lerp(average, g, 1 - alpha)
            bottom = np.sqrt(v - average * average)
        else:
            bottom = np.sqrt(v)
        bottom += group["eps"]
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]._array
            buffer *= group["momentum"]
            buffer += g / bottom
            p -= buffer * lr
        else:
            addcdiv(p, g, bottom, -lr)


class Rprop(Optimizer):
    r"""Resilient backpropagation (Riedmiller & Braun 1993): $\theta \leftarrow \theta - \operatorname{sign}(g)\,\Delta$.

    Each element's $\Delta$ grows by $\eta^+$ while its gradient keeps its sign; where the sign changes it shrinks by $\eta^-$
    and the gradient counts as zero.

    Raises:
        ValueError: for a learning rate below zero, or etas that are not below and above one.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, options(locals(), "lr", "etas", "step_sizes", "foreach", "maximize", "differentiable"))

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "prev": zeros(p), "step_size": constant(np.full_like(p, number(group["lr"])))}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        shrink, grow = group["etas"]
        previous, size = state["prev"]._array, state["step_size"]._array
        advance(state)
        product = g * previous
        size *= np.where(product > 0, p.dtype.type(grow), np.where(product < 0, p.dtype.type(shrink), p.dtype.type(1)))
        np.clip(size, *group["step_sizes"], out=size)
        previous[...] = np.where(product < 0, p.dtype.type(0), g)
        p -= np.sign(previous) * size


class Adafactor(Optimizer):
    r"""Adafactor (Shazeer & Stern 2018): Adam's $v$ of a matrix kept as its row and column means, $v \approx r c / \bar r$.

    $\theta \leftarrow \theta - \alpha_t\,u / \max(1, \mathrm{RMS}(u) / d)$ with $u = g / \sqrt v$ and
    $\alpha_t = \max(\epsilon_2, \mathrm{RMS}(\theta)) \min(\gamma, 1 / \sqrt t)$.

    Raises:
        ValueError: for an option outside its range.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        one_element(lr)
        at_least(0.0, lr, "Learning rate")
        if not 0.0 >= beta2_decay:  # noqa: SIM300  (so that a TypeError reads as in PyTorch)
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            at_least(0.0, eps[0], "epsilon1")
        at_least(0.0, eps[1], "epsilon2")
        at_least(1.0, d, "Clipping threshold d")
        at_least(0.0, weight_decay, "weight_decay")
        super().__init__(params, options(locals()))

    def _start(self, p: Array, group: Group) -> State:
        if p.ndim < 2:
            return {"step": scalar(0), "variance": zeros(p)}
        *batch, n, m = p.shape
        rows, columns = (constant(np.zeros((*batch, *shape), p.dtype)) for shape in ((n, 1), (1, m)))
        return {"step": scalar(0), "row_var": rows, "col_var": columns}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        lr, d = float(number(group["lr"])), group["d"]
        eps1, eps2 = group["eps"]
        if eps1 is None:
            eps1 = float(np.finfo(p.dtype).eps)
        t = advance(state)
        new = t ** group["beta2_decay"]
        alpha = max(eps2, _rms(p)) * min(lr, 1 / t**0.5)
        if group["weight_decay"] != 0:
            p *= 1 - lr * group["weight_decay"]
        if g.ndim > 1:
            rows, columns = state["row_var"]._array, state["col_var"]._array
            lerp(rows, _mean_square(g, -1), new)
            lerp(columns, _mean_square(g, -2), new)
            v = rows @ columns
            v /= np.maximum(rows.mean(axis=-2, keepdims=True), eps1)
        else:
            v = state["variance"]._array
            lerp(v, g * g, new)
        update = 1 / np.sqrt(np.maximum(v, eps1 * eps1)) * g
        p -= update * (alpha / max(1.0, _rms(update) / d))


def _rms(x: Array) -> float:
    r"""$\lVert x \rVert / \sqrt n$."""
    return float(np.sqrt((x * x).sum()) / x.size**0.5)


def _mean_square(g: Array, axis: int) -> Array:
    mean: Array = np.sqrt((g * g).sum(axis=axis, keepdims=True))
    mean *= mean
    mean /= g.shape[axis]
    return mean
