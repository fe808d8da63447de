"""Products of more kinds: with a sum added, of batches, of several dimensions, by Einstein's notation."""

from __future__ import annotations

import string
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from engine.op import function, op
from engine.ops.comparison import where
from engine.ops.linalg import bmm, dot, mm, mv, same_dtype
from engine.ops.rearrange import diagonal
from engine.ops.reduction import _sum_dim
from engine.ops.reduction import sum as total
from engine.ops.shape import _reshape, _transpose, expand, permute, reshape, t, unsqueeze, wrap_dim
from engine.tensor import Tensor


def scaled(grad, factor):
    """`grad * factor`, without the multiplication by one."""
    return grad if factor == 1 else grad * factor


def combined(self, product, beta, alpha):
    """`beta * self + alpha * product`; with beta zero, `self` does not count even where it is NaN."""
    if alpha != 1:
        product = product * product.dtype.type(alpha)
    return product if beta == 0 else product + (self if beta == 1 else self * product.dtype.type(beta))


@op(
    r"{beta} {self} + {alpha} {mat} {vec}",
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(column(grad) * vec, alpha),
    vec=lambda grad, mat, alpha: scaled(mv(t(mat), grad), alpha),
    promote=(),
)
def addmv(self, mat, vec, *, beta=1, alpha=1):
    """`beta * self + alpha * mat @ vec`."""
    if mat.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0]:
        shape = "x".join(map(str, mat.shape))
        raise RuntimeError(f"size mismatch, got input ({mat.shape[0]}), mat ({shape}), vec ({vec.shape[0]})")
    return combined(self, mat @ vec, beta, alpha)


def column(grad):
    """A vector as a matrix of one column."""
    return _reshape(grad, (-1, 1))


@op(
    r"{beta} {self} + {alpha} {vec1} {vec2}^T",
    self=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(mv(grad, vec2), alpha),
    vec2=lambda grad, vec1, alpha: scaled(mv(t(grad), vec1), alpha),
    promote=(),
)
def addr(self, vec1, vec2, *, beta=1, alpha=1):
    """`beta * self + alpha *` the outer product of two vectors."""
    if vec1.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec{1 if vec1.ndim != 1 else 2}, but got {vec1.ndim if vec1.ndim != 1 else vec2.ndim}-D")
    return combined(self, np.outer(vec1, vec2), beta, alpha)


@op(
    r"{beta} {self} + {alpha} {batch1} {batch2}",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(bmm(grad, _transpose(batch2, 1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(bmm(_transpose(batch1, 1, 2), grad), alpha),
    promote=(),
)
def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """`beta * self + alpha * batch1 @ batch2`, matrix by matrix."""
    same_dtype("baddbmm", batch1, batch2)
    return combined(self, bmm.op.forward(batch1, batch2), beta, alpha)


@op(
    r"{beta} {self} + {alpha} \sum {batch1} {batch2}",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch1_sym_sizes, batch2, alpha: scaled(
        bmm(batched(grad, batch1_sym_sizes), _transpose(batch2, 1, 2)), alpha
    ),
    batch2=lambda grad, batch1, batch2_sym_sizes, alpha: scaled(
        bmm(_transpose(batch1, 1, 2), batched(grad, batch2_sym_sizes)), alpha
    ),
    promote=(),
)
def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """`beta * self + alpha *` the sum of the products of matrices of two batches."""
    same_dtype("addbmm", batch1, batch2)
    return combined(self, bmm.op.forward(batch1, batch2).sum(0), beta, alpha)


def batched(grad, sizes):
    """The same matrix for each of a batch."""
    return spread(grad, (sizes[0], *grad.shape))


@op("{self}", self=lambda grad, self_sym_sizes: _sum_dim(grad, (0,), False), name="expand")
def spread(self, shape):
    """`self` repeated along a new first dimension."""
    return np.broadcast_to(self, shape).copy()


@function
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Inner product of two vectors (of real numbers: `dot`)."""
    return dot(input, other)


@function
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products along `dim`."""
    return total(x * y, dim)


@function
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


@function
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
    for i, (x, y) in enumerate(zip(items, items[1:], strict=False)):
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
    return np.cross(self, other, axis=dim)


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
        found = [i for i, n in enumerate(input._array.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return _cross("cross", input, other, dim)


# --- Einstein's notation ---------------------------------------------------------------------------------------------------


@function
def einsum(*args: Any) -> Tensor:
    """Sums of products by Einstein's notation: `einsum("ij,jk->ik", a, b)`, or operands each followed by their indices."""
    equation, operands = _equation(args)
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        more = "more" if len(terms) < len(operands) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    dots = 0
    for term, x in zip(terms, operands, strict=True):
        named = len(term.replace("...", ""))
        if "..." in term:
            dots = max(dots, x._array.ndim - named)
        elif named != x._array.ndim:
            raise RuntimeError(
                "einsum(): the number of subscripts in the equation "
                f"({named}) {'does not match' if named < x._array.ndim else 'is more than'} the number of dimensions "
                f"({x._array.ndim}) for operand {operands.index(x)}" + (" and no ellipsis was given" if named < x._array.ndim else "")
            )
    covered = [chr(1 + i) for i in range(dots)]
    labels = []
    for term, x in zip(terms, operands, strict=True):
        k = x._array.ndim - len(term.replace("...", ""))
        labels.append(list(term.replace("...", "".join(covered[dots - k :]) if k else "")))
    counts: dict[str, int] = {}
    for letters in labels:
        for c in letters:
            counts[c] = counts.get(c, 0) + 1
    if arrow:
        out = list(right.replace("...", "".join(covered)))
    else:
        out = covered + sorted(c for c, n in counts.items() if n == 1 and c not in covered)
    for i, c in enumerate(out):
        if c in out[:i]:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in counts and c not in covered:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    return _contract(operands, labels, out)


def _equation(args: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    if isinstance(args[0], str):
        rest = args[1:]
        operands = list(rest[0]) if len(rest) == 1 and isinstance(rest[0], tuple | list) else list(rest)
        return args[0], operands
    letters = string.ascii_letters

    def subscript(indices: Any) -> str:
        return "".join("..." if i is Ellipsis else letters[i] for i in indices)

    operands, terms = list(args[: len(args) // 2 * 2 : 2]), [subscript(i) for i in args[1::2]]
    return ",".join(terms) + ("->" + subscript(args[-1]) if len(args) % 2 else ""), operands


def _contract(operands: list[Tensor], labels: list[list[str]], out: list[str]) -> Tensor:
    order = out + sorted({c for letters in labels for c in letters} - set(out))
    lengths: dict[str, int] = {}
    spread_out = []
    for i, (x, letters) in enumerate(zip(operands, labels, strict=True)):
        while len(set(letters)) < len(letters):
            c = next(c for c in letters if letters.count(c) > 1)
            first = letters.index(c)
            second = letters.index(c, first + 1)
            if x._array.shape[first] != x._array.shape[second]:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {i} but the sizes don't match, "
                    f"{x._array.shape[second]} != {x._array.shape[first]}"
                )
            x = diagonal(x, 0, first, second)
            letters = [*(l for k, l in enumerate(letters) if k not in (first, second)), c]
        for c, n in zip(letters, x._array.shape, strict=True):
            if lengths.get(c, 1) not in (1, n) and n != 1:
                raise RuntimeError(
                    f"einsum(): operands do not broadcast with remapped shapes [original->remapped]: "
                    + " ".join(f"{list(o._array.shape)}->{list(o._array.shape)}" for o in operands)
                )
            lengths[c] = max(lengths.get(c, 1), n)
        x = permute(x, *sorted(range(len(letters)), key=lambda k: order.index(letters[k]))) if letters else x
        for k, c in enumerate(order):
            if c not in letters:
                x = unsqueeze(x, k)
        spread_out.append(x)
    result = spread_out[0]
    summed = list(range(len(out), len(order)))
    for k, x in enumerate(spread_out[1:], 1):
        later = spread_out[k + 1 :]
        now = [d for d in summed if all(y._array.shape[d] == 1 for y in later)]
        result = _product_summed(result, x, now)
    if len(spread_out) == 1 and summed:
        return total(result, summed)
    return reshape(result, result._array.shape[: len(out)]) if summed else result


def _product_summed(a: Tensor, b: Tensor, dims: list[int]) -> Tensor:
    """The sum over `dims` (kept with length one) of the product of two tensors that broadcast, as one batched product."""
    for d in list(dims):
        # What only one of them has can be summed beforehand.
        if a._array.shape[d] == 1 or b._array.shape[d] == 1:
            if a._array.shape[d] != 1:
                a = total(a, d, True)
            elif b._array.shape[d] != 1:
                b = total(b, d, True)
            dims = [x for x in dims if x != d]
    if not dims:
        return a * b
    n = a._array.ndim
    both, left, right = [], [], []
    for d in range(n):
        if d in dims:
            continue
        if a._array.shape[d] == b._array.shape[d]:
            both.append(d)
        elif b._array.shape[d] == 1:
            left.append(d)
        else:
            right.append(d)

    def sizes(x: Tensor, ds: list[int]) -> list[int]:
        return [x._array.shape[d] for d in ds]

    first = permute(a, *both, *left, *dims, *right)
    second = permute(b, *both, *dims, *right, *left)
    batch, rows, columns, shared = prod(sizes(a, both)), prod(sizes(a, left)), prod(sizes(b, right)), prod(sizes(a, dims))
    out = bmm(reshape(first, (batch, rows, shared)), reshape(second, (batch, shared, columns)))
    shape = [*sizes(a, both), *sizes(a, left), *sizes(b, right), *[1] * len(dims)]
    now = [*both, *left, *right, *dims]
    return permute(reshape(out, tuple(shape)), *[now.index(d) for d in range(n)])


# --- distances -------------------------------------------------------------------------------------------------------------


@op(
    r"\lVert {x1} - {x2} \rVert_{{ {p} }}",
    x1=lambda grad, x1, x2, p, result: _sum_dim(pair_slopes(grad, x1, x2, p, result), (-2,), False),
    x2=lambda grad, x1, x2, p, result: -_sum_dim(pair_slopes(grad, x1, x2, p, result), (-3,), False),
    promote=(),
    node="CdistBackward0",
    name="cdist",
)
def _cdist(x1, x2, p):
    """Distances between the rows of two (batches of) matrices."""
    d = np.abs(x1[..., :, None, :] - x2[..., None, :, :])
    if p == 0:
        return (d != 0).sum(-1).astype(x1.dtype)
    if p == 1:
        return d.sum(-1)
    if p == 2:
        return np.sqrt((d * d).sum(-1))
    if p == np.inf:
        return d.max(-1) if d.shape[-1] else np.zeros(d.shape[:-1], d.dtype)
    return ((d**p).sum(-1)) ** d.dtype.type(1 / p)


def pair_slopes(grad, x1, x2, p, result):
    """The slopes of the distances in the differences of coordinates."""
    d = unsqueezed(x1, -2) - unsqueezed(x2, -3)
    g, r = unsqueezed(grad, -1), unsqueezed(result, -1)
    safe = where(r == 0, 1.0, r)
    if p == 0:
        return d * 0.0 * g
    if p == 1:
        return g * signs(d)
    if p == 2:
        return where(r == 0, 0.0, g * d / safe)
    if p == np.inf:
        return g * signs(d) * (magnitudes(d) == r)
    size = magnitudes(d)
    positive = where(size == 0, 1.0, size)
    return where((r == 0) | (size == 0), 0.0, g * signs(d) * positive ** (p - 1) / safe ** (p - 1))


def unsqueezed(x, dim):
    """A dimension of length one at `dim`, counted from the end."""
    k = x.ndim + 1 + dim
    return _reshape(x, (*x.shape[:k], 1, *x.shape[k:]))


def signs(x):
    """The signs of the elements."""
    return (x > 0) * 1.0 - (x < 0) * 1.0


def magnitudes(x):
    """The elements without their signs."""
    return where(x < 0, -x, x)


@function
def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """Distances of order `p` between the rows of two (batches of) matrices, (…, n, m) from (…, n, k) and (…, m, k)."""
    for k, x in ((1, x1), (2, x2)):
        if x._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{k} got: {x._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: {x2._array.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = np.broadcast_shapes(x1._array.shape[:-2], x2._array.shape[:-2])
    a, b = expand(x1, (*batch, *x1._array.shape[-2:])), expand(x2, (*batch, *x2._array.shape[-2:]))
    return _cdist(a, b, float(p))


@function
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Distances between all pairs of rows of a matrix, as a vector."""
    from engine.tensor import constant

    if input._array.ndim != 2:
        raise RuntimeError("pdist only supports 2D tensors, got: " + f"{input._array.ndim}D")
    n = input._array.shape[0]
    i, j = np.triu_indices(n, 1)
    full = _cdist(input, input, float(p))
    return reshape(full, -1).index_select(0, constant(i * n + j))


@function
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order `p` of the difference."""
    from engine.ops.reduction import norm

    return norm(input - other, p)

