"""The base of all learning rate schedules: counts epochs and sets the learning rate of each parameter group."""

from __future__ import annotations

import functools
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..safe_attributes import attributes_of, give
from ..tensor import Tensor
from .optimizer import Group, Optimizer
from .update_rules import number

EPOCH_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is "
    "used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use "
    "case: https://github.com/pytorch/pytorch/issues/new/choose."
)
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to "
    "call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
    "the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
GET_LR = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
RESUMED = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


class LRScheduler:
    r"""Base class of schedules. A subclass computes the learning rates $\gamma_t$ of all groups in `get_lr`.

    Args:
        optimizer: whose learning rates are set, for the first time by the constructor.
        last_epoch: where to go on; -1 starts from the optimizer's current learning rates.

    Raises:
        TypeError: `optimizer` is none.
        KeyError: to be resumed, but the groups do not say "initial_lr".
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False
    _last_lr: list[Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = must_be_optimizer(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copy(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(RESUMED.format(i))
        self.base_lrs: list[Any] = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_step(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        with flag(self, "_is_initial"):
            self.step()

    def get_lr(self) -> list[Any]:
        """The learning rates at `last_epoch`, one for each group. For `step` only; ask `get_last_lr()`."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """The learning rates that were set last, one for each group."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch and set the learning rates; call it after the optimizer's step. `epoch` is deprecated."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATED, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with flag(self, "_get_lr_called_within_step"):
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set(rates)

    def _set(self, rates: list[Any]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            put(group, "lr", lr)
        self._last_lr = values(self.optimizer, "lr")

    def _scaled(self, factor: float | None = None) -> list[Any]:
        """The current learning rates times `factor`, or as they are."""
        self._check_within_step(stacklevel=4)
        if factor is None:
            return values(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _check_within_step(self, stacklevel: int = 3) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(GET_LR, UserWarning, stacklevel=stacklevel)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in attributes_of(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned."""
        give(self, state_dict)


# --- helpers of the schedules ---------------------------------------------------------------------------------------------


def must_be_optimizer(optimizer: Any) -> Optimizer:
    """`optimizer`, if it is one; raises TypeError otherwise."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def values(optimizer: Optimizer, key: str) -> list[Any]:
    """`group[key]` of all groups; tensors are copied."""
    return [_copy(group[key]) for group in optimizer.param_groups]


def put(group: Group, key: str, value: Any) -> None:
    """Set `group[key]`; a tensor there is written in place."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(number(value)))
    else:
        group[key] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One value for each group; raises ValueError for a list of another length."""
    n = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [_copy(value) for _ in range(n)]
    if len(value) != n:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups has {n}."
        )
    return [_copy(v) for v in value]


def saved_callable(f: Any) -> Any:
    """What a state dict keeps of a callable: an object's attributes, nothing of a function."""
    if f is None or isinstance(f, types.FunctionType):
        return None
    if isinstance(f, type | types.MethodType | types.BuiltinFunctionType):
        return {}  # what is in it is not the program's
    return attributes_of(f)


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


@contextmanager
def flag(scheduler: LRScheduler, name: str) -> Iterator[None]:
    """Within the block the schedule's attribute `name` is True."""
    setattr(scheduler, name, True)
    try:
        yield
    finally:
        setattr(scheduler, name, False)


def _watch_step(optimizer: Optimizer) -> None:
    """Let the optimizer note that its `step` was called, so that schedules stepped too early can warn."""
    step = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    function: Callable[..., Any] = step.__func__  # type: ignore[attr-defined]
    owner = weakref.ref(optimizer)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        optimizer: Any = owner()
        optimizer._opt_called = True
        return function(optimizer, *args, **kwargs)

    wrapper._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = wrapper  # type: ignore[method-assign]
