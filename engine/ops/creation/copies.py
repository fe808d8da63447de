"""Copies, and what cuts a tensor off its history."""

from __future__ import annotations

from typing import Any

from ...context import context
from ...memory_layout import stands_in
from ...op.declare import function, op
from ...op.layouts import in_memory
from ...tensor import Tensor
from ...tensor_attributes import contiguous_format, preserve_format


@op(r"{self}", traits="same_values", layout="own", self=lambda grad: grad)
def clone(self, *, memory_format=None):
    """A copy of its own memory; gradients flow through it."""
    return self.copy() if memory_format is None and context.layouts is None else in_memory(self, memory_format)


@function(traits="same_values")
def contiguous(input: Tensor, *, memory_format: Any = contiguous_format) -> Tensor:
    """The tensor itself if it is contiguous, or stands in the memory format that is named, else a copy that does."""
    if input.is_meta or (stands_in(input._array, memory_format) and not input.is_sparse):
        return input
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    copied: Tensor = clone(input, memory_format=memory_format)
    return copied


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
