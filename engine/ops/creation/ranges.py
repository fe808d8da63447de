"""Ranges that include their end."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...context import outside
from ...dtypes import INEXACT
from ...dtypes import dtype as Dtype
from ...tensor import Tensor, constant
from .factories import _numpy_dtype, creation


@creation
def range(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None) -> Tensor:
    """Numbers from `start` up to and including `end`, `step` (1) apart; deprecated in favour of `arange`."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        UserWarning,
        stacklevel=outside(),
    )
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    first, last, by = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if (last - first) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    target = np.dtype(_numpy_dtype(dtype))
    if target.kind not in INEXACT:
        first, last, by = int(first), int(last), int(by)
        if by == 0:
            raise RuntimeError("step must be nonzero")
    steps = np.arange(math.floor((last - first) / by) + 1)
    return constant((first + by * steps).astype(target))
