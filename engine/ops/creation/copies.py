"""Copies, and what cuts a tensor off its history."""

from __future__ import annotations

from typing import Any

from ...context import context
from ...op.declare import function, op
from ...tensor import Tensor


@op(r"{self}", traits="same_values", self=lambda grad: grad)
def clone(self, *, memory_format=None):
    """A copy of its own memory; gradients flow through it."""
    return self.copy()


@function(traits="same_values")
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself if it is contiguous, else a copy that is."""
    return input if input._array.flags.c_contiguous else clone(input)


@op(r"{self}", self=None, view=True, traits="detaches alias")
def detach(self):
    """The same memory without the history: gradients stop here."""
    return self.view()


@function
def detach_(input: Tensor) -> Tensor:
    """Cut the tensor itself off its history."""
    if input._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
            "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
            "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
            "torch/optim/optimizer.py as the solution."
        )
    input._node, input._nr, input._needs = None, 0, False
    if context.observer is not None:
        context.observer.flag_set(input, "requires_grad", False)
    return input
