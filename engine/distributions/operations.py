"""What distributions are made of: PyTorch's operations, by the names they have there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..ops import namespace
from ..ops.creation.sampling import _sample_dirichlet, _standard_gamma
from ..tensor import Tensor
from ..tensor_attributes import Size

__all__ = ["NUMBERS", "F", "Size", "T", "Tensor", "are_numbers", "empty_like", "linalg", "sample_dirichlet", "standard_gamma"]

T = SimpleNamespace(**namespace("torch"))
F = SimpleNamespace(**namespace("torch.nn.functional"))
linalg = SimpleNamespace(**namespace("torch.linalg"))
standard_gamma, sample_dirichlet = _standard_gamma, _sample_dirichlet

NUMBERS = (int, float, bool)
"""What PyTorch takes for a number where a parameter may be one."""


def are_numbers(*values: Any) -> bool:
    """Whether all of them are numbers, so that a distribution of them has no batch."""
    return all(isinstance(v, NUMBERS) for v in values)


def empty_like(param: Tensor, shape: Any) -> Any:
    """A tensor of the parameter's dtype that random numbers are drawn into."""
    return T.empty(shape, dtype=param.dtype)
