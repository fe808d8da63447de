"""Learning rate schedules: `torch.optim.lr_scheduler`. Here those that scale, or follow one curve."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..compat.classes import known_as, own
from ..safe_attributes import give
from .composite_schedulers import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from .cyclic_schedulers import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from .optimizer import Optimizer
from .scheduler_base import LRScheduler, saved_callable

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

Factor = Callable[[int], float]


class _LRScheduler(LRScheduler):
    """The old name of the base class."""


class _Lambdas(LRScheduler):
    """Schedules made of one function, or one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        if not isinstance(lr_lambda, list | tuple):
            self.lr_lambdas = [lr_lambda] * n
        else:
            if len(lr_lambda) != n:
                raise ValueError(f"Expected {n} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        self._check()
        super().__init__(optimizer, last_epoch)

    def _check(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions only objects' attributes."""
        state = {key: value for key, value in super().state_dict().items() if key != "lr_lambdas"}
        state["lr_lambdas"] = [saved_callable(f) for f in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned; the functions stay, objects get their attributes."""
        give(self, {key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for f, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if saved is not None:
                give(f, saved)


class LambdaLR(_Lambdas):
    r"""$\gamma_t = \gamma_0\,f(t)$. Raises ValueError for as many functions as there are not groups."""

    def get_lr(self) -> list[Any]:
        """See the class."""
        self._check_within_step()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_Lambdas):
    r"""$\gamma_t = \gamma_{t-1}\,f(t)$. Raises as LambdaLR, and TypeError for what is no function."""

    def _check(self) -> None:
        for f in self.lr_lambdas:
            if not callable(f):
                raise TypeError(f"lr_lambda should be a function, but got {type(f).__name__}")

    def get_lr(self) -> list[Any]:
        """See the class."""
        if self._is_initial:
            return self._scaled()
        self._check_within_step()
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups, strict=True)]


for _kind in (LambdaLR, MultiplicativeLR):
    own(_kind, "__init__")


class StepLR(LRScheduler):
    r"""$\gamma_t = \gamma_{t-1}\,\Gamma$ every `step_size` epochs, $\Gamma$ being `gamma`."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class."""
        now = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if now else None)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    r"""$\gamma_t = \gamma_{t-1}\,\Gamma$ at each of the `milestones` (twice at one that is given twice)."""

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class."""
        times = self.milestones.get(self.last_epoch)
        return self._scaled(None if times is None else self.gamma**times)

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    r"""$\gamma_t = f\gamma_0$ until epoch `total_iters`, $\gamma_0$ from then on.

    Raises:
        ValueError: the factor is not between 0 and 1.
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class."""
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor if self.last_epoch == self.total_iters else None)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    r"""$\gamma_t = \gamma_0\left(a + (b - a)\,t / T\right)$ from `start_factor` $a$ to `end_factor` $b$ in $T$ epochs.

    Raises:
        ValueError: a factor is not between 0 and 1, or the first is 0.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class; computed from one epoch to the next, as other schedules may act, too."""
        t, total, start = self.last_epoch, self.total_iters, self.start_factor
        if t == 0:
            return self._scaled(start)
        if self._is_initial or t > total:
            return self._scaled()
        slope = self.end_factor - start
        return self._scaled(1.0 + slope / (total * start + (t - 1) * slope))

    def _get_closed_form_lr(self) -> list[Any]:
        t, start = min(self.total_iters, self.last_epoch), self.start_factor
        return [base * (start + (self.end_factor - start) * t / self.total_iters) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    r"""$\gamma_t = \gamma_{t-1}\,\Gamma$, $\Gamma$ being `gamma`."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class."""
        return self._scaled(None if self._is_initial else self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    r"""$\gamma_t = \gamma_0\,(1 - t / T)^p$ until epoch $T$ (`total_iters`)."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class; computed from one epoch to the next."""
        t, total = self.last_epoch, self.total_iters
        if self._is_initial or t > total:
            return self._scaled()
        return self._scaled(((1.0 - t / total) / (1.0 - (t - 1) / total)) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        t, total = min(self.total_iters, self.last_epoch), self.total_iters
        return [base * (1.0 - t / total) ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    r"""$\gamma_t = \eta + \frac12(\gamma_0 - \eta)\left(1 + \cos(\pi t / T)\right)$ (Loshchilov & Hutter 2017, no restarts)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """See the class; computed from one epoch to the next."""
        t, period, low = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._scaled()
        self._check_within_step()
        groups = self.optimizer.param_groups
        if self._step_count == 1 and t > 0:
            return [low + (base - low) * (1 + math.cos(t * math.pi / period)) / 2 for base in self.base_lrs]
        if (t - 1 - period) % (2 * period) == 0:
            # The epoch after the minimum, where the quotient below is 0 / 0.
            return [
                group["lr"] + (base - low) * (1 - math.cos(math.pi / period)) / 2
                for base, group in zip(self.base_lrs, groups, strict=True)
            ]
        quotient = (1 + math.cos(math.pi * t / period)) / (1 + math.cos(math.pi * (t - 1) / period))
        return [quotient * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        t, low = self.last_epoch, self.eta_min
        return [low + (base - low) * (1 + math.cos(math.pi * t / self.T_max)) / 2 for base in self.base_lrs]


known_as("torch.optim.lr_scheduler", _LRScheduler, *(globals()[name] for name in __all__))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..errors import unsupported

    raise unsupported("torch.optim.lr_scheduler", name, __all__)
