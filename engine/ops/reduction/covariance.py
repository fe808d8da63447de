"""Covariances and correlations."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...errors import UNIMPLEMENTED
from ...op.declare import function
from ...tensor import Tensor
from ..pointwise.complex_numbers import complex, conj
from ..shape.diagonals import diagonal
from ..shape.reshaping import reshape, squeeze, unsqueeze


@function
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows."""
    if input._array.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input._array.ndim} dimensions"
        )
    c = cov(input)
    if c._array.ndim == 0:
        return c / c
    d = diagonal(c).sqrt()
    found = c / unsqueeze(d, 1) / unsqueeze(d, 0)
    if found.is_complex():
        return complex(found.real.clamp(-1.0, 1.0), found.imag.clamp(-1.0, 1.0))
    return found.clamp(-1.0, 1.0)


def _check_weights(name: str, kind: str, weights: Tensor | None, observations: int) -> None:
    """PyTorch's demands on the weights of observations."""
    if weights is None:
        return
    a = weights._array
    if a.ndim > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with {a.ndim} dimensions")
    if (a.dtype.kind in dtypes.INEXACT) != (kind == "floating point") or a.dtype.kind == "b":
        shown = dtypes.SCALAR_NAMES[weights.dtype]
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {shown} dtype")
    if a.size != observations:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got {a.size} != "
            f"{observations}"
        )
    if (a < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


@function
def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """Covariances of the rows, each a variable and each column an observation."""
    if input._array.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input._array.ndim} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise UNIMPLEMENTED.now("cov(): bool dtype is not supported for input")
    x = reshape(input, (1, -1)) if input._array.ndim < 2 else input
    n = x._array.shape[1]
    w: Any = None
    _check_weights("fweights", "integral", fweights, n)
    _check_weights("aweights", "floating point", aweights, n)
    if fweights is not None:
        w = fweights
    if aweights is not None:
        w = aweights if w is None else w * aweights
    total: Any = n if w is None else w.sum()
    mean = (x if w is None else x * w).sum(1) / total
    if w is None or correction == 0 or aweights is None:
        norm = total - correction
    else:
        norm = total - correction * (w * aweights).sum() / total
    norm = norm.clamp(min=0) if isinstance(norm, Tensor) else max(norm, 0)
    centred = x - unsqueeze(mean, 1)
    c = (centred @ conj((centred if w is None else centred * w).t())) / norm
    return squeeze(c)
