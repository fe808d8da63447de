"""Adam and its relatives: averages of the gradient and of its square, corrected for their start at zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..tensor import Array, Tensor
from .optimizer import Group, Optimizer, State
from .update_rules import addcdiv, addcmul, advance, check, lerp, number, options, scalar, zeros


def _decay(p: Array, g: Array, group: Group) -> Array:
    r"""Weight decay: decoupled, $\theta \leftarrow (1 - \gamma\lambda)\,\theta$, or $g + \lambda\theta$; returns $g$."""
    decay = group["weight_decay"]
    if decay == 0:
        return g
    if group.get("decoupled_weight_decay", False):
        p *= float(1 - number(group["lr"]) * decay)
        return g
    decayed: Array = g + p * decay
    return decayed


def _moments(g: Array, state: State, beta1: float, beta2: float) -> tuple[Array, Array]:
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$ and $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$."""
    m, v = state["exp_avg"]._array, state["exp_avg_sq"]._array
    lerp(m, g, 1 - beta1)
    v *= beta2
    addcmul(v, g, g, 1 - beta2)
    return m, v


def _check_kinds(betas: tuple[Any, Any], foreach: bool | None, capturable: bool) -> None:
    """Refuse betas of two kinds, and tensors where PyTorch cannot use them."""
    kinds = {type(beta) for beta in betas}
    if not (kinds == {float} or all(issubclass(kind, Tensor) for kind in kinds)):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if isinstance(beta, Tensor):
            if foreach and not capturable:
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")


class Adam(Optimizer):
    r"""Adam (Kingma & Ba 2015): $\theta \leftarrow \theta - \gamma\,\hat m / (\sqrt{\hat v} + \epsilon)$.

    $\hat m = m / (1 - \beta_1^t)$ and $\hat v = v / (1 - \beta_2^t)$ are averages of $g$ and $g^2$; AMSGrad (Reddi et al. 2018)
    takes the largest $v$ so far.

    Raises:
        ValueError: for an option below zero, or a beta outside [0, 1).
    """

    @classmethod
    def dense_only(cls) -> str:
        """What PyTorch says of sparse gradients."""
        return "Adam does not support sparse gradients, please consider SparseAdam instead"

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check(lr, eps=eps, betas=betas, weight_decay=weight_decay)
        _check_kinds(betas, foreach, capturable)
        given = options(locals(), "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize")
        super().__init__(params, given | {"betas": tuple(betas)})

    def _start(self, p: Array, group: Group) -> State:
        state = {"step": scalar(0), "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros(p)
        return state

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        beta1, beta2 = (number(beta) for beta in group["betas"])
        t = advance(state)
        g = _decay(p, g, group)
        m, v = _moments(g, state, float(beta1), float(beta2))
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]._array
            np.maximum(largest, v, out=largest)
            v = largest
        size = float(number(group["lr"]) / (1 - beta1**t))
        bottom = np.sqrt(v)
        bottom /= float((1 - beta2**t) ** 0.5)
        bottom += group["eps"]
        addcdiv(p, m, bottom, -size)


class AdamW(Adam):
    r"""Adam with decoupled weight decay (Loshchilov & Hutter 2019): first $\theta \leftarrow (1 - \gamma\lambda)\,\theta$.

    Raises:
        ValueError: as Adam.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, **options(locals()), decoupled_weight_decay=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


class Adamax(Optimizer):
    r"""Adamax (Kingma & Ba 2015): $\theta \leftarrow \theta - \frac{\gamma}{1 - \beta_1^t}\,m / u$.

    $u \leftarrow \max(\beta_2 u, |g| + \epsilon)$ is Adam's $\sqrt v$ in the infinity norm.

    Raises:
        ValueError: for an option below zero, or a beta outside [0, 1).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check(lr, eps=eps, betas=betas, weight_decay=weight_decay)
        super().__init__(params, options(locals()))

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "exp_avg": zeros(p), "exp_inf": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        m, u = state["exp_avg"]._array, state["exp_inf"]._array
        t = advance(state)
        g = _decay(p, g, group)
        lerp(m, g, 1 - beta1)
        u *= beta2
        np.maximum(u, np.abs(g) + group["eps"], out=u)
        addcdiv(p, m, u, -float(number(group["lr"]) / (1 - beta1**t)))


class NAdam(Optimizer):
    r"""Adam with Nesterov's momentum (Dozat 2016).

    $\theta \leftarrow \theta - \gamma\left(\frac{1 - \mu_t}{1 - \prod_{i \le t}\mu_i}\,g + \frac{\mu_{t+1}}{1 -
    \prod_{i \le t+1}\mu_i}\,m\right) / (\sqrt{\hat v} + \epsilon)$ with $\mu_t = \beta_1 (1 - \frac12\,0.96^{t\psi})$.

    Raises:
        ValueError: for an option below zero, or a beta outside [0, 1).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr, eps=eps, betas=betas, weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(
            params,
            options(locals(), "lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay", "maximize"),
        )

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "mu_product": scalar(1), "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        lr, psi = number(group["lr"]), group["momentum_decay"]
        beta1, beta2 = group["betas"]
        t = advance(state)
        g = _decay(p, g, group)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (t * psi))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((t + 1) * psi))
        product = state["mu_product"]._array
        product *= mu
        m, v = _moments(g, state, beta1, beta2)
        bottom = np.sqrt(v / (1 - beta2**t))
        bottom += group["eps"]
        addcdiv(p, g, bottom, float(-lr * (1.0 - mu) / (1.0 - float(product))))
        addcdiv(p, m, bottom, float(-lr * mu_next / (1.0 - float(product) * mu_next)))


class RAdam(Optimizer):
    r"""Rectified Adam (Liu et al. 2020).

    While $\rho_t = \rho_\infty - 2t\beta_2^t / (1 - \beta_2^t)$, with $\rho_\infty = 2 / (1 - \beta_2) - 1$, is at most 5,
    $\theta \leftarrow \theta - \gamma\hat m$; then
    $\theta \leftarrow \theta - \gamma\,\hat m\,r_t \sqrt{1 - \beta_2^t} / (\sqrt v + \epsilon)$ with
    $r_t^2 = \frac{(\rho_t - 4)(\rho_t - 2)\rho_\infty}{(\rho_\infty - 4)(\rho_\infty - 2)\rho_t}$.

    Raises:
        ValueError: for an option below zero, or a beta outside [0, 1).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check(lr, eps=eps, betas=betas, weight_decay=weight_decay)
        super().__init__(params, options(locals(), "lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable"))

    def _start(self, p: Array, group: Group) -> State:
        return {"step": scalar(0), "exp_avg": zeros(p), "exp_avg_sq": zeros(p)}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        t = advance(state)
        g = _decay(p, g, group)
        m, v = _moments(g, state, beta1, beta2)
        correction2 = 1 - beta2**t
        step = m / (1 - beta1**t) * float(number(group["lr"]))
        rho_inf = 2 / (1 - beta2) - 1
        rho = rho_inf - 2 * t * beta2**t / correction2
        if rho > 5.0:
            rectify = ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ** 0.5
            step *= correction2**0.5 / (np.sqrt(v) + group["eps"])
            step *= rectify
        p -= step
