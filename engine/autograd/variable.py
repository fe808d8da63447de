"""`torch.autograd.Variable`: the old name of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..context import context
from ..tensor import Tensor, constant


class _Engine:
    """What runs backward passes."""

    @staticmethod
    def queue_callback(callback: Callable[[], None]) -> None:
        """Call something when the backward pass under way has ended.

        Raises:
            RuntimeError: outside of a backward pass.
        """
        if context.task == -1:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        context.callbacks.append(callback)


class VariableMeta(type):
    """Lets every tensor be an instance of Variable."""

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """`Variable(data, requires_grad=False)` is a tensor that shares the memory of `data`."""

    _execution_engine = _Engine

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if data is not None and context.observer is not None:
            return data.detach().requires_grad_(requires_grad)
        return constant(np.zeros(0, np.float32) if data is None else data._array).requires_grad_(requires_grad)
