"""What the operations on matrices share: transposes, diagonals, corners, checks, results with names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...errors import UNIMPLEMENTED
from ...tensor import Tensor, constant
from ..pointwise.complex_numbers import _conj
from ..pointwise.unary import is_complex
from ..shape.diagonals import _diag_embed, _diagonal_again
from ..shape.joining import _take_slice, cat
from ..shape.permute import _transpose


def mT(x):
    """The matrices transposed."""
    return _transpose(x, x.ndim - 2, x.ndim - 1)


def mH(x):
    """The matrices transposed, with each element conjugated."""
    return conjugated(mT(x))


def conjugated(x):
    """The conjugates of complex numbers; real ones as they are."""
    return _conj(x) if is_complex(x) else x


def diag_of(x):
    """The diagonals of the matrices."""
    return _diagonal_again(x, 0, x.ndim - 2, x.ndim - 1)


def as_diag(x):
    """Diagonal matrices of the vectors."""
    return _diag_embed(x, 0, x.ndim - 1, x.ndim)


def check(name: str, A: Tensor, square: bool = True) -> None:
    """Refuse what is no (square) matrix of floating point numbers."""
    if A._array.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if square and A._array.shape[-1] != A._array.shape[-2]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {A._array.shape[-2]} by {A._array.shape[-1]} "
            "matrices"
        )
    if A._array.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        kind = dtypes.SCALAR_NAMES[A.dtype]
        if A._array.dtype.kind in dtypes.INEXACT:
            raise UNIMPLEMENTED.now(f"linalg.{name}: Low precision dtypes not supported. Got {kind}")
        raise UNIMPLEMENTED.now(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {kind}")


def _each(f: Any, *arrays: Any) -> list[Any]:
    """`f` for each matrix of a batch."""
    return [f(*(a[k] for a in arrays)) for k in np.ndindex(arrays[0].shape[:-2])]


def _stacked(results: list[Any], batch: tuple[int, ...], shape: tuple[int, ...], dtype: Any) -> Any:
    return np.array(results, dtype).reshape(batch + shape)


def joined(pieces, dim):
    """The pieces one after another."""
    return cat(pieces, dim) if isinstance(pieces[0], Tensor) else np.concatenate(pieces, axis=dim)


def _no_trouble(A: Tensor) -> Tensor:
    return constant(np.zeros(A._array.shape[:-2], np.int32))


def _named(name: str, fields: tuple[str, ...], *values: Any) -> Any:
    from ...op.codegen import named_result

    return named_result(name, fields)(*values)


def corner(x, rows, columns):
    """The first rows and columns."""
    return _take_slice(_take_slice(x, x.ndim - 2, 0, rows, 1), x.ndim - 1, 0, columns, 1)
