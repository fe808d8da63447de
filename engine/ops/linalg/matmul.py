"""Products of matrices and vectors."""

from __future__ import annotations

from math import prod

import numpy as np

from ... import dtypes
from ...compat.version import since
from ...context import context
from ...errors import expands
from ...op.codegen import write
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor
from ..by_blas import BLAS, product
from ..shape.broadcasting import expand
from ..shape.permute import _transpose, t
from ..shape.reshaping import _reshape, _squeeze_dim, _squeeze_product, _view, reshape, unsqueeze

NO_PRODUCT = since("2.15", "{}: mat1 and mat2", before="mat1 and mat2")
"""How PyTorch begins when two matrices cannot be multiplied: with the operation, since that release."""
ADDS = since("2.15", "addmm: ", before="")
NO_MATRIX = since("2.15", "mm: {} must be a matrix, got {}-D tensor", before="{} must be a matrix")


def _shape(array):
    return "x".join(map(str, array.shape))


def no_product(name, a, b):
    """PyTorch's error for matrices whose shapes do not fit each other."""
    return RuntimeError(f"{NO_PRODUCT.now.format(name)} shapes cannot be multiplied ({_shape(a)} and {_shape(b)})")


def same_dtype(name, a, b):
    """PyTorch's complaint about a product of matrices of two dtypes, which has other words for each of its products.

    Raises:
        RuntimeError: if the dtypes differ.
    """
    if a.dtype is b.dtype or a.dtype == b.dtype:
        return
    x, y = (dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[m.dtype]] for m in (a, b))
    match name:
        case "mm":
            x, y = (dtypes.CPP_NAMES[dtypes.OF_NUMPY[m.dtype]] for m in (a, b))
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x} != {y}")
        case "mv":
            raise RuntimeError(f"addmv input tensors must have the same dtype, but got {y}, {x}, and {y}")
        case "addmm":
            raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {x} and {y}")
        case _:
            raise RuntimeError(f"expected scalar type {x} but found {y}")


_BOOL = np.dtype(bool)


def no_booleans(kernel):
    """PyTorch's error for products of truth values."""
    return NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def measures(*names):
    """What a node of PyTorch's that multiplies matrices shows of them beside the matrices: their sizes and strides."""
    return {
        f"{name}_sym_{what}": lambda get, name=name, measure=measure: () if get(name) is None else tuple(measure(get(name)))
        for name in names
        for what, measure in (("sizes", lambda a: a.shape), ("strides", lambda a: a.stride()))
    }


@op(
    r"{self} {mat2}",
    symbol="@",
    traits="product matrix_product infix lowered",
    self=lambda grad, mat2: mm(grad, t(mat2)),
    mat2=lambda grad, self: mm(t(self), grad),
    broadcast=(),
    shows=measures("mat2", "self"),
)
def mm(self, mat2):
    """Product of two matrices, (n, m) with (m, p)."""
    if self.ndim == 2 and mat2.ndim == 2 and self.dtype is mat2.dtype:
        if self.dtype is _BOOL:
            raise no_booleans("addmm_impl_cpu_")
        if self.shape[1] == mat2.shape[0] == 1 and self.shape[0] > 1 < mat2.shape[1]:
            # Products alone, as PyTorch makes them: a sum that begins with zero would lose the sign of a negative one.
            return self * mat2
        try:
            # For two matrices the same as `@`, with less around it.
            return np.dot(self, mat2) if self.dtype.char in BLAS else product(self, mat2)
        except ValueError:
            pass
    if self.ndim != 2:
        raise RuntimeError(NO_MATRIX.now.format("self", self.ndim))
    if mat2.ndim != 2:
        raise RuntimeError(NO_MATRIX.now.format("mat2", mat2.ndim))
    if self.shape[1] != mat2.shape[0]:
        raise no_product("mm", self, mat2)
    same_dtype("mm", self, mat2)
    return self @ mat2


@op(
    r"{self} {vec}",
    symbol="@",
    traits="product matrix_product infix",
    self=lambda grad, vec: column(grad) * vec,
    vec=lambda grad, self: mv(t(self), grad),
    broadcast=(),
)
def mv(self, vec):
    """Product of a matrix and a vector, (n, m) with (m,)."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {vec.ndim}, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}), mat ({_shape(self)}), vec ({vec.shape[0]})")
    same_dtype("mv", self, vec)
    if self.dtype is _BOOL:
        raise no_booleans("addmv_impl_cpu")
    return self @ vec


def column(grad):
    """A vector as a matrix of one column."""
    return _reshape(grad, (-1, 1))


@op(
    r"{self} \cdot {tensor}",
    symbol="·",
    traits="product infix",
    self=lambda grad, tensor: grad * tensor,
    tensor=lambda grad, self: grad * self,
    broadcast=(),
)
def dot(self, tensor):
    """Inner product of two vectors."""
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype != tensor.dtype:
        x, y = (dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[m.dtype]] for m in (self, tensor))
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {x} and {y}")
    if self.shape != tensor.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{self.shape[0]}] and src [{tensor.shape[0]}] to have the same number "
            f"of elements, but got {self.shape[0]} and {tensor.shape[0]} elements respectively"
        )
    if self.dtype is _BOOL:
        raise no_booleans("dot")
    return np.dot(self, tensor)


@op(
    r"{self} {mat2}",
    symbol="@",
    traits="product matrix_product infix lowered",
    self=lambda grad, mat2: bmm(grad, _transpose(mat2, 1, 2)),
    mat2=lambda grad, self: bmm(_transpose(self, 1, 2), grad),
    broadcast=(),
)
def bmm(self, mat2):
    """Products of two batches of matrices, (b, n, m) with (b, m, p)."""
    if self.dtype is _BOOL and mat2.dtype is _BOOL:
        raise no_booleans("bmm")
    if self.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError(f"batch{1 if self.ndim != 3 else 2} must be a 3D tensor")
    if self.shape[0] != mat2.shape[0] or self.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{self.shape[0]}, {self.shape[2]}] but got: "
            f"[{mat2.shape[0]}, {mat2.shape[1]}]."
        )
    same_dtype("bmm", self, mat2)
    return product(self, mat2)


def scaled(grad, factor):
    """`grad * factor`, without the multiplication by one."""
    return grad if factor == 1 else grad * factor


@op(
    r"{beta} {self} + {alpha} {mat1} {mat2}",
    traits="product matrix_product lowered reads_first",
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, alpha: scaled(mm(grad, t(mat2)), alpha),
    mat2=lambda grad, mat1, alpha: scaled(mm(t(mat1), grad), alpha),
    broadcast=(),
    shows=measures("mat1", "mat2"),
)
def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """`beta * self + alpha * mat1 @ mat2`."""
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{ADDS.now}{name} must be a matrix, got {matrix.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise no_product("addmm", mat1, mat2)
    for name, matrix in (("self", self), ("mat1", mat1)):
        if matrix.dtype != mat2.dtype:
            found = " and ".join(dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[m.dtype]] for m in (matrix, mat2))
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {found}")
    if self.ndim > 2:
        raise RuntimeError(f"{ADDS.now}self must be a matrix, got {self.ndim}-D tensor")
    out = np.dot(mat1, mat2) if mat1.dtype.char in BLAS else product(mat1, mat2)
    if self.shape != out.shape:
        expands(self.shape, out.shape)
    if alpha != 1:
        out *= self.dtype.type(alpha)
    out += self if beta == 1 else self * self.dtype.type(beta)
    return out


@function(traits="product")
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Outer product of two vectors."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        i, a = (1, input) if input._array.ndim != 1 else (2, vec2)
        name = "self" if i == 1 else "vec2"
        raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {a._array.ndim}-D")
    return reshape(input, (input._array.size, 1)) * vec2


ger = outer


@function(traits="product matrix_product infix")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product with PyTorch's rules for vectors and batches."""
    if not isinstance(other, Tensor):
        raise TypeError(f"matmul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    if context.fast is not None:
        input, other = autocast(input, other)
    a, b = input._array.ndim, other._array.ndim
    if a == 2 and b == 2:
        return mm(input, other)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return _squeeze_product(mm(unsqueeze(input, 0), other), 0)
    if b <= 2:
        # The batch folds into the rows of one product, as in PyTorch.
        rows = input._array.shape[:-1]
        folded = reshape(input, (prod(rows), input._array.shape[-1]))
        out = mv(folded, other) if b == 1 else mm(folded, other)
        return _reshape(out, rows if b == 1 else (*rows, other._array.shape[1]))
    return _batched(input, other)


def _batched(input: Tensor, other: Tensor) -> Tensor:
    vector = input._array.ndim == 1
    if vector:
        input = unsqueeze(input, 0)
    n, k = input._array.shape[-2:]
    k2, m = other._array.shape[-2:]
    try:
        batch = np.broadcast_shapes(input._array.shape[:-2], other._array.shape[:-2])
    except ValueError:
        from ...errors import sizes_mismatch

        raise sizes_mismatch(input._array.shape[:-2], other._array.shape[:-2]) from None
    if k != k2:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{prod(batch)}, {k}] but got: "
            f"[{prod(batch)}, {k2}]."
        )
    left = reshape(expand(input, (*batch, n, k)), (prod(batch), n, k))
    right = reshape(expand(other, (*batch, k, m)), (prod(batch), k, m))
    out = _reshape(bmm(left, right), (*batch, n, m))
    return _squeeze_dim(out, len(batch)) if vector else out


UNFOLDED = since("2.15", _reshape, before=_view)
"""What gives a product with a bias the input's dimensions back."""

_turned = write(t._op, inner=True)
"""The transpose of a weight, for a product only."""


@function(traits="product")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`."""
    if context.fast is not None:
        input, weight, bias = autocast(input, weight, bias)
    try:
        ndim = input._array.ndim
    except AttributeError:
        raise TypeError(f"linear(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}") from None
    if ndim == 2 and bias is not None:
        return addmm(bias, input, _turned(weight))
    if ndim == 3 and bias is not None:
        b, n, k = input._array.shape
        out = addmm(
            bias, _view(input, (b * n, k)) if input._array.flags.c_contiguous else reshape(input, (b * n, k)), _turned(weight)
        )
        return UNFOLDED.now(out, (b, n, weight._array.shape[0]))
    if ndim == 1 and bias is not None and weight._array.ndim == 2:
        out = addmm(bias, _view(input, (1, *input._array.shape)), _turned(weight))
        return UNFOLDED.now(out, (weight._array.shape[0],))
    out = matmul(input, _turned(weight))
    return out if bias is None else out + bias
