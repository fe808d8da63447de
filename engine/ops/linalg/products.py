"""Products of more kinds: with a sum added, of batches, of several dimensions, of chains of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from ...context import context, outside, warn_once
from ...errors import expands
from ...memory_layout import by_rows
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor
from ..pointwise.complex_numbers import conj
from ..reduction.sums import sum as total
from ..shape.broadcasting import expand, spread
from ..shape.dimensions import wrap_dim
from ..shape.permute import _transpose, permute, t
from ..shape.reshaping import _reshape, reshape, unsqueeze
from .matmul import bmm, dot, mm, mv, same_dtype
from .matrices import conjugated


def scaled(grad, factor):
    """`grad * factor`, without the multiplication by one."""
    return grad if factor == 1 else grad * factor


def combined(self, product, beta, alpha):
    """`beta * self + alpha * product`; with beta zero, `self` does not count even where it is NaN."""
    expands(self.shape, product.shape)
    if alpha != 1:
        product = product * product.dtype.type(alpha)
    return product if beta == 0 else product + (self if beta == 1 else self * product.dtype.type(beta))


@op(
    r"{beta} {self} + {alpha} {mat} {vec}",
    traits="product reads_first",
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(column(grad) * vec, alpha),
    vec=lambda grad, mat, alpha: scaled(mv(t(mat), grad), alpha),
    broadcast=(),
)
def addmv(self, mat, vec, *, beta=1, alpha=1):
    """`beta * self + alpha * mat @ vec`."""
    if mat.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0]:
        shape = "x".join(map(str, mat.shape))
        raise RuntimeError(f"size mismatch, got input ({mat.shape[0]}), mat ({shape}), vec ({vec.shape[0]})")
    if self.shape not in ((), (1,), (mat.shape[0],)):
        shape = "x".join(map(str, mat.shape))
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}), mat ({shape}), vec ({vec.shape[0]})")
    return combined(self, mat @ vec, beta, alpha)


def column(grad):
    """A vector as a matrix of one column."""
    return _reshape(grad, (-1, 1))


@op(
    r"{beta} {self} + {alpha} {vec1} {vec2}^T",
    traits="product",
    self=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(mv(grad, vec2), alpha),
    vec2=lambda grad, vec1, alpha: scaled(mv(t(grad), vec1), alpha),
    broadcast=(),
    layout="first",
)
def addr(self, vec1, vec2, *, beta=1, alpha=1):
    """`beta * self + alpha *` the outer product of two vectors."""
    if vec1.ndim != 1 or vec2.ndim != 1:
        k, wrong = (1, vec1) if vec1.ndim != 1 else (2, vec2)
        raise RuntimeError(f"addr: Expected 1-D argument vec{k}, but got {wrong.ndim}-D")
    return combined(self, np.outer(vec1, vec2), beta, alpha)


@op(
    r"{beta} {self} + {alpha} {batch1} {batch2}",
    traits="product lowered reads_first",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(bmm(grad, _transpose(batch2, 1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(bmm(_transpose(batch1, 1, 2), grad), alpha),
    broadcast=(),
)
def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """`beta * self + alpha * batch1 @ batch2`, matrix by matrix."""
    if batch1.ndim == batch2.ndim == 3:
        expands(self.shape, (*batch1.shape[:2], batch2.shape[2]))
    same_dtype("baddbmm", batch1, batch2)
    return combined(self, bmm._op.forward(batch1, batch2), beta, alpha)


@op(
    r"{beta} {self} + {alpha} \sum {batch1} {batch2}",
    traits="product lowered reads_first",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch1_sym_sizes, batch2, alpha: scaled(
        bmm(batched(grad, batch1_sym_sizes), _transpose(batch2, 1, 2)), alpha
    ),
    batch2=lambda grad, batch1, batch2_sym_sizes, alpha: scaled(
        bmm(_transpose(batch1, 1, 2), batched(grad, batch2_sym_sizes)), alpha
    ),
    broadcast=(),
)
def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """`beta * self + alpha *` the sum of the products of matrices of two batches."""
    if batch1.ndim == batch2.ndim == 3:
        expands(self.shape, (batch1.shape[1], batch2.shape[2]))
    same_dtype("addbmm", batch1, batch2)
    return combined(self, bmm._op.forward(batch1, batch2).sum(0), beta, alpha)


def batched(grad, sizes):
    """The same matrix for each of a batch."""
    return spread(grad, (sizes[0], *grad.shape))


@op(
    r"{self}^{{\mathrm{{H}}}} {other}",
    traits="product",
    self=lambda grad, other: conjugated(grad) * other,
    other=lambda grad, self: grad * self,
    broadcast=(),
    holomorphic=False,
)
def vdot(self, other):
    """Inner product of two vectors, the first one's elements conjugated."""
    return dot._op.forward(np.conj(self), other)


@function
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products along `dim`, the elements of `x` conjugated."""
    if context.fast is not None:
        x, y = autocast(x, y)
    return total(conj(x) * y, dim)


@function(traits="product")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last dimensions."""
    if input._array.ndim == 0 or other._array.ndim == 0:
        return input * other
    if input._array.shape[-1] != other._array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._array.shape)} and {list(other._array.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


@function(traits="product")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    """Sums of products over several dimensions: the last `dims` of one with the first of the other, or two lists of them."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims._array.ndim else int(dims.item())
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        left, right = list(range(-dims, 0)), list(range(dims))
    else:
        left, right = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(left) != len(right):
        raise RuntimeError("both dimension lists should have same length")
    n, m = a._array.ndim, b._array.ndim
    left, right = [wrap_dim(d, n) for d in left], [wrap_dim(d, m) for d in right]
    for x, y in zip(left, right, strict=True):
        # A dimension of length one is spread over the other's.
        if a._array.shape[x] == 1 and b._array.shape[y] != 1:
            b = total(b, y, True)
        elif b._array.shape[y] == 1 and a._array.shape[x] != 1:
            a = total(a, x, True)
        if a._array.shape[x] != b._array.shape[y]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a._array.shape[x]} in dim {x} and second has size "
                f"{b._array.shape[y]} in dim {y}"
            )
    keep_a, keep_b = [d for d in range(n) if d not in left], [d for d in range(m) if d not in right]
    rows = prod(a._array.shape[d] for d in keep_a)
    shared = prod(a._array.shape[d] for d in left)
    columns = prod(b._array.shape[d] for d in keep_b)
    first = reshape(permute(a, *keep_a, *left) if n else a, (rows, shared))
    second = reshape(permute(b, *right, *keep_b) if m else b, (shared, columns))
    return reshape(mm(first, second), (*(a._array.shape[d] for d in keep_a), *(b._array.shape[d] for d in keep_b)))


@function
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of one times the whole other."""
    n = max(input._array.ndim, other._array.ndim)
    a, b = ((1,) * (n - x._array.ndim) + x._array.shape for x in (input, other))
    left = reshape(input, tuple(s for k in a for s in (k, 1)))
    right = reshape(other, tuple(s for k in b for s in (1, k)))
    return reshape(left * right, tuple(x * y for x, y in zip(a, b, strict=True)))


@function
def linalg_multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices (the first and the last may be vectors), in the cheapest order."""
    items = list(tensors)
    if len(items) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got " + str(len(items)))
    first, last = items[0]._array.ndim == 1, items[-1]._array.ndim == 1
    if first:
        items[0] = unsqueeze(items[0], 0)
    if last:
        items[-1] = unsqueeze(items[-1], 1)
    for i, (x, y) in enumerate(pairwise(items)):
        if x._array.shape[1] != y._array.shape[0]:
            a, b = ("x".join(map(str, z._array.shape)) for z in (x, y))
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes [{a}] and [{b}] cannot be multiplied")
    out = _cheapest(items)
    if first:
        out = out.squeeze(0)
    return out.squeeze(-1) if last else out


@function
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices."""
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, "
        "which accepts a list of two or more tensors rather than multiple parameters.",
        outside(),
    )
    return matrices[0] if len(matrices) == 1 else linalg_multi_dot(matrices)


def _cheapest(items: list[Tensor]) -> Tensor:
    """The product of a chain in the order of fewest multiplications (dynamic programming)."""
    n = len(items)
    sizes = [x._array.shape[0] for x in items] + [items[-1]._array.shape[1]]
    cost = {(i, i): 0 for i in range(n)}
    cut: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], cut[i, j] = min(choices)

    def product(i: int, j: int) -> Tensor:
        return items[i] if i == j else mm(product(i, cut[i, j]), product(cut[i, j] + 1, j))

    return product(0, n - 1)


@op(
    r"{self} \times {other}",
    self=lambda grad, other, dim: linalg_cross_op(other, grad, dim),
    other=lambda grad, self, dim: linalg_cross_op(grad, self, dim),
    node="LinalgCrossBackward0",
    name="cross",
)
def linalg_cross_op(self, other, dim):
    """The cross product of vectors of three along a dimension."""
    return by_rows(np.cross(self, other, axis=dim))


def _cross(name: str, input: Tensor, other: Tensor, dim: int) -> Tensor:
    if input._array.ndim != other._array.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input._array.ndim)
    if input._array.shape[d] != 3 or other._array.shape[d] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input._array.shape[d]} and {other._array.shape[d]}"
        )
    shape = np.broadcast_shapes(input._array.shape, other._array.shape)
    return linalg_cross_op(expand(input, shape), expand(other, shape), d)


@function
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three along `dim`."""
    return _cross("linalg.cross", input, other, dim)


@function
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three along `dim`, by default the first dimension of that length."""
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
            "use torch.linalg.cross.\n"
            "The default value of dim will change to agree with that of linalg.cross in a future release.",
            outside(),
        )
        found = [i for i, n in enumerate(input._array.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return _cross("cross", input, other, dim)
