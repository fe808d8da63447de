"""Averages of a model's parameters along its training: `torch.optim.swa_utils`. Izmailov et al. (2018)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from .. import dtypes
from ..autograd import no_grad
from ..compat.classes import known_as
from ..context import context
from ..nn.module import Module
from ..nn.normalization import _BatchNorm
from ..ops.creation.factories import tensor
from .optimizer import Optimizer
from .scheduler_base import LRScheduler, for_each_group

Average = Callable[[Any, Any, Any], Any]
Tensors = Sequence[Any]

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip


def _check(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """A function that moves all averages by `1 - decay` towards the current parameters."""
    _check(decay)

    @no_grad()
    def ema_update(ema_param_list: Tensors, current_param_list: Tensors, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list):
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Average:
    """A function that updates means of all parameters so far."""

    @no_grad()
    def swa_update(averaged_param_list: Tensors, current_param_list: Tensors, num_averaged: Any) -> None:
        for average, current in zip(averaged_param_list, current_param_list):
            if average.is_floating_point():
                average.lerp_(current, float(1 / (num_averaged + 1)))
            else:
                average.add_((current - average) // (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """A function that gives an exponential average of a parameter."""
    _check(decay)

    @no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """A function that gives the mean of a parameter so far."""

    @no_grad()
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages, by default means, of those it is given by `update_parameters`."""

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Average | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = context.deepcopy(model)
        self.register_buffer("n_averaged", tensor(0, dtype=dtypes.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The copy's forward."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's present parameters into the averages; buffers too, or else as they are."""
        pairs = zip(self.parameters(), model.parameters())
        if self.use_buffers:
            ours, theirs = (chain(m.parameters(), m.buffers()) for m in (self.module, model))
            pairs = zip(ours, theirs)
        both: list[tuple[Any, Any]] = [(average.detach(), current.detach()) for average, current in pairs]
        if self.n_averaged == 0:
            for average, current in both:
                average.copy_(current)
        elif self.avg_fn is not None:
            for average, current in both:
                average.copy_(self.avg_fn(average, current, self.n_averaged))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            update([average for average, _ in both], [current for _, current in both], self.n_averaged)
        if not self.use_buffers:
            for average, current in zip(self.module.buffers(), model.buffers()):
                average.detach().copy_(current.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's batch normalisations anew, from all batches of `loader`."""
    momenta = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    model.train()
    for input in loader:
        model(input[0] if isinstance(input, list | tuple) else input)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the learning rate of each group to `swa_lr` in `anneal_epochs` steps, along a line or a cosine."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t: float) -> float:
        """How far the rate has come when `t`, between 0 and 1, of the steps are done."""
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[Any]:
        """The groups' rates after this step."""
        self._check_within_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (self.anneal_func(max(0, min(1, s / max(1, self.anneal_epochs)))) for s in (step - 1, step))
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            rates.append(goal * now + start * (1 - now))
        return rates


known_as("torch.optim.swa_utils", AveragedModel, SWALR)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..errors import unsupported

    raise unsupported("torch.optim.swa_utils", name, __all__)
