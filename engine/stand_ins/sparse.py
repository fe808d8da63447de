"""Sparse arrays in coordinate format: which elements there are, and their values; what is not there is zero.

An array of `sparse_dim` + `dense_dim` dimensions has indices, (sparse_dim, nnz), and values, (nnz, *dense sizes). An index that
stands there twice means the sum, until the array is coalesced. Sums, products with numbers, products of matrices and functions
that leave zero as it is are computed with what is there; anything else PyTorch refuses, and so does this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import Array, StandIn, standing

DENSE_SECOND = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
LINEAR = frozenset((np.negative, np.positive, np.conjugate, np.conj))
"""Functions of which the sum's value is the values' sum, so that nothing need be coalesced."""
LEAVES_ZERO = frozenset((
    np.sin, np.sinh, np.arcsin, np.arcsinh, np.tan, np.tanh, np.arctan, np.arctanh, np.sqrt, np.abs, np.absolute, np.fabs,
    np.sign, np.floor, np.ceil, np.trunc, np.rint, np.expm1, np.log1p, np.square,
))  # fmt: skip
"""Functions of one element that give zero for zero."""


MOST = 2**22
"""Elements of an array that are written down, those that are not there included."""


class Parts(NamedTuple):
    """What a sparse array consists of."""

    indices: Array
    values: Array
    coalesced: bool


class Sparse(StandIn):
    """A sparse array."""

    kind = "SparseCPU"
    parts: Parts | None = None

    def told(self) -> Array | None:
        """All elements, for a recording; None where they are too many."""
        return dense(self) if self.parts is not None and self.size <= MOST else None

    def copy(self, order: Any = "C") -> Any:
        """An array with values of its own."""
        i, v, coalesced = parts_of(self)
        return sparse(i.copy(), v.copy(), self.shape, coalesced)

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """The array in another dtype."""
        i, v, coalesced = parts_of(self)
        return sparse(i, v.astype(dtype), self.shape, coalesced)

    def view(self, *kind: Any) -> Any:  # type: ignore[override]
        """The same indices and values."""
        if kind:
            return super().view(*kind)
        return sparse(*parts_of(self)[:2], self.shape, parts_of(self).coalesced)

    def swapaxes(self, axis1: Any, axis2: Any) -> Any:
        """Two of the sparse dimensions swapped."""
        i, v, _ = parts_of(self)
        order, shape = list(range(len(i))), list(self.shape)
        if max(axis1 % self.ndim, axis2 % self.ndim) >= len(i):
            raise RuntimeError("transpose: sparse and dense dimensions cannot be swapped")
        order[axis1], order[axis2] = order[axis2], order[axis1]
        shape[axis1], shape[axis2] = shape[axis2], shape[axis1]
        return sparse(i[order], v, shape, False)

    def transpose(self, *axes: Any) -> Any:
        """The sparse dimensions in another order; reversed, unless it is said."""
        given = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes
        order = [a % self.ndim for a in given] or [*range(self.ndim)][::-1]
        i, v, _ = parts_of(self)
        if sorted(order[: len(i)]) != [*range(len(i))]:
            raise RuntimeError("permute: sparse and dense dimensions cannot be mixed")
        return sparse(i[order[: len(i)]], v, [self.shape[a] for a in order], False)

    @property
    def T(self) -> Any:  # noqa: N802
        """The transpose."""
        return self.transpose()

    def reshape(self, *_: Any, **__: Any) -> Any:
        """Refused, as PyTorch refuses it."""
        raise RuntimeError("reshape is not implemented for sparse tensors")

    def __getitem__(self, index: Any) -> Any:
        places = index if isinstance(index, tuple) else (index,)
        if Ellipsis in places:
            k = places.index(Ellipsis)
            places = (*places[:k], *[slice(None)] * (self.ndim - len(places) + 1), *places[k + 1 :])
        if any(not isinstance(p, int | np.integer | slice) or (isinstance(p, slice) and p != slice(None)) for p in places):
            raise self.refused("index.Tensor")
        i, v, coalesced = parts_of(self)
        if len(places) > len(i):
            raise self.refused("select.int")
        keep, left = np.ones(i.shape[1], bool), []
        for d in range(len(i)):
            place = places[d] if d < len(places) else slice(None)
            if isinstance(place, slice):
                left.append(d)
            else:
                keep &= i[d] == (place + self.shape[d] if place < 0 else place)
        if not left:
            return v[keep].sum(0)
        return sparse(i[left][:, keep], v[keep], [self.shape[d] for d in (*left, *range(len(i), self.ndim))], coalesced)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **named: Any) -> Any:
        if method == "reduce" and ufunc is np.add:
            return summed(inputs[0], named.get("axis"), named.get("keepdims", False))
        if method != "__call__":
            raise self.refused(NAMES.get(ufunc.__name__, ufunc.__name__))
        made = _computed(ufunc, *inputs)
        if made is NotImplemented:
            raise self.refused(NAMES.get(ufunc.__name__, ufunc.__name__))
        if out is None:
            return made
        target = out[0]
        if isinstance(target, Sparse):
            target.parts = parts_of(made)
        else:
            target[...] = made
        return target

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in (np.zeros_like, np.empty_like):
            return nothing(self, args[1] if len(args) > 1 else kwargs.get("dtype"))
        if func is np.shape:
            return self.shape
        if func is np.ndim:
            return self.ndim
        if func is np.concatenate and all(isinstance(a, Sparse) for a in args[0]):
            return _joined(args[0], args[1] if len(args) > 1 else kwargs.get("axis", 0))
        if func is np.take and isinstance(args[0], Sparse):
            return _chosen(args[0], args[1], args[2] if len(args) > 2 else kwargs["axis"])
        if func is np.dot:
            return np.matmul(*args)
        if func is np.copyto:
            target, source = args
            if not isinstance(source, Sparse):
                raise self.refused("copy_")
            if not isinstance(target, Sparse):
                target[...] = dense(source)
            else:
                target.parts = parts_of(source.astype(target.dtype))
            return None
        raise self.refused(NAMES.get(func.__name__, func.__name__))


def _joined(arrays: Any, axis: int) -> Any:
    """Arrays one behind the other along a dimension."""
    offset, parts = 0, []
    axis %= arrays[0].ndim
    for a in arrays:
        i, v, _ = parts_of(a)
        if axis >= len(i):
            raise Sparse.refused("cat")
        moved = i.copy()
        moved[axis] += offset
        parts.append((moved, v))
        offset += a.shape[axis]
    shape = list(arrays[0].shape)
    shape[axis] = offset
    i, v = np.concatenate([i for i, _ in parts], 1), np.concatenate([v for _, v in parts])
    return sparse(i, v, shape, False)


def _chosen(array: Any, index: Any, axis: int) -> Any:
    """Some of the places along a dimension, in the given order."""
    i, v, _ = parts_of(array)
    axis %= array.ndim
    if axis >= len(i):
        raise Sparse.refused("index_select")
    order = np.argsort(i[axis], kind="stable")
    begin, end = (np.searchsorted(i[axis][order], index, side) for side in ("left", "right"))
    counts = end - begin
    at = order[np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(begin, counts)]
    moved = i[:, at]
    moved[axis] = np.repeat(np.arange(len(index)), counts)
    shape = list(array.shape)
    shape[axis] = len(index)
    return sparse(moved, v[at], shape, False)


NAMES = {
    "equal": "eq.Tensor", "not_equal": "ne.Tensor", "less": "lt.Tensor", "greater": "gt.Tensor", "less_equal": "le.Tensor",
    "greater_equal": "ge.Tensor", "power": "pow.Tensor_Scalar_out", "true_divide": "div.Tensor", "maximum": "max",
    "minimum": "min", "argsort": "sort.stable",
}  # fmt: skip
"""What PyTorch calls functions of NumPy's."""


def sparse(indices: Any, values: Any, shape: Any, coalesced: bool) -> Any:
    """A sparse array of these parts."""
    made = standing(Sparse, shape, values.dtype)
    made.parts = Parts(indices, values, coalesced)
    return made


def parts_of(array: Any) -> Parts:
    """What a sparse array consists of.

    Raises:
        NotImplementedError: for what came of one by a function that knows none.
    """
    if array.parts is None:
        raise Sparse.refused("as_strided")
    found: Parts = array.parts
    return found


def nothing(array: Any, dtype: Any = None) -> Any:
    """A sparse array alike, all zero."""
    i, v, _ = parts_of(array)
    return sparse(np.zeros((len(i), 0), np.int64), np.zeros((0, *v.shape[1:]), dtype or array.dtype), array.shape, True)


def dense(array: Any) -> Array:
    """All elements."""
    i, v, _ = parts_of(array)
    out = np.zeros(array.shape, array.dtype)
    np.add.at(out, tuple(i), v)
    return out


def coalesced(array: Any) -> Any:
    """The same with each index once, in order."""
    i, v, done = parts_of(array)
    if done:
        return array
    if not len(i) or not i.shape[1]:
        return sparse(i, v.sum(0, keepdims=True) if v.size else v, array.shape, True)
    flat = _positions(array)
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return sparse(i[:, order[first]], np.add.reduceat(v[order], first, axis=0).astype(v.dtype), array.shape, True)


def _positions(array: Any) -> Array:
    """The indices as numbers, in the order of the elements."""
    i = parts_of(array).indices
    flat = np.zeros(i.shape[1], np.int64)
    for d, index in enumerate(i):
        flat = flat * array.shape[d] + index
    return flat


def masked(values: Any, pattern: Any) -> Any:
    """The elements of a dense or sparse array where `pattern` has some."""
    found = coalesced(pattern)
    i = parts_of(found).indices
    if isinstance(values, Sparse):
        values = dense(values)
    return sparse(i, values[tuple(i)], pattern.shape, True)


def summed(array: Any, axis: Any, keepdims: bool = False) -> Any:
    """The sum over all dimensions, or over some: then of the others, sparse as long as there are sparse ones."""
    i, v, _ = parts_of(array)
    axes = {a % array.ndim for a in ((*range(array.ndim),) if axis is None else axis if isinstance(axis, tuple) else (axis,))}
    if len(axes) == array.ndim:
        return v.sum().reshape((1,) * array.ndim if keepdims else ())
    inner = tuple(1 + a - len(i) for a in axes if a >= len(i))
    v = v.sum(inner) if inner else v
    left = [d for d in range(len(i)) if d not in axes]
    shape = [n for d, n in enumerate(array.shape) if d not in axes]
    if keepdims:
        raise Sparse.refused("sum.dim_IntList")
    return coalesced(sparse(i[left], v, shape, False)) if left else v.sum(0)


def _computed(ufunc: Any, *inputs: Any) -> Any:
    """What a function of NumPy's gives for sparse arrays; NotImplemented where PyTorch has nothing of the kind."""
    if len(inputs) == 1:
        (a,) = inputs
        if ufunc not in LINEAR and ufunc not in LEAVES_ZERO:
            return NotImplemented
        a = a if ufunc in LINEAR else coalesced(a)
        return sparse(parts_of(a).indices, ufunc(parts_of(a).values), a.shape, parts_of(a).coalesced)
    a, b = inputs
    if ufunc is np.matmul:
        return product(a, b)
    if ufunc in (np.add, np.subtract):
        return _sum(a, b if ufunc is np.add else -b)
    if ufunc is np.multiply:
        return _times(a, b)
    if ufunc is np.power and _dims(b) == 0 and not isinstance(b, Sparse):
        a = coalesced(a)
        return sparse(parts_of(a).indices, parts_of(a).values ** b, a.shape, True)
    if ufunc is np.true_divide and _dims(b) == 0 and not isinstance(b, Sparse):
        return _times(a, 1 / b)
    if ufunc is np.maximum and _dims(b) == 0 and not np.any(b):
        a = coalesced(a)
        return sparse(parts_of(a).indices, np.maximum(parts_of(a).values, b), a.shape, True)
    return NotImplemented


def _sum(a: Any, b: Any) -> Any:
    if not isinstance(b, Sparse):
        raise RuntimeError(DENSE_SECOND)
    if not isinstance(a, Sparse):
        return np.asarray(a) + dense(b)
    if a.shape != b.shape:
        raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but {_sizes(a)} != {_sizes(b)}")
    (i, v, first), (j, w, second) = parts_of(a), parts_of(b)
    joined = sparse(np.concatenate((i, j), 1), np.concatenate((v, w)), a.shape, False)
    if not (v.flags.c_contiguous and w.flags.c_contiguous):
        return joined  # as PyTorch leaves it then
    return coalesced(joined) if first and second else _merged(a, b, joined)


def _merged(a: Any, b: Any, joined: Any) -> Any:
    """The sum of two arrays as PyTorch merges them where an index may stand twice: step by step, as if both were in order."""
    mine, theirs = _positions(a).tolist(), _positions(b).tolist()
    first, second, count = [], [], len(mine)
    x = y = 0
    while x < len(mine) or y < len(theirs):
        ahead = -1 if x >= len(mine) else 1 if y >= len(theirs) else (mine[x] < theirs[y]) - (mine[x] > theirs[y])
        first.append(x if ahead >= 0 else count + y)
        second.append(count + y if ahead == 0 else -1)
        x, y = x + (ahead >= 0), y + (ahead <= 0)
    i, v, _ = parts_of(joined)
    values = v[np.array(first, np.int64)]
    both = np.array(second, np.int64)
    values[both >= 0] += v[both[both >= 0]]
    return sparse(i[:, np.array(first, np.int64)], values, a.shape, False)


def _dims(value: Any) -> int:
    return value.ndim if isinstance(value, np.ndarray | np.generic) else 0


def _sizes(a: Any) -> str:
    return f"[{', '.join(map(str, a.shape))}]"


def _times(a: Any, b: Any) -> Any:
    if _dims(a) == 0 and not isinstance(a, Sparse):
        a, b = b, a
    if _dims(b) == 0 and not isinstance(b, Sparse):
        i, v, done = parts_of(a)
        return sparse(i, v * b, a.shape, done)
    if not isinstance(a, Sparse):
        a, b = b, a
    if isinstance(b, Sparse):
        a, b = coalesced(a), coalesced(b)
        _, mine, theirs = np.intersect1d(_positions(a), _positions(b), assume_unique=True, return_indices=True)
        return sparse(parts_of(a).indices[:, mine], parts_of(a).values[mine] * parts_of(b).values[theirs], a.shape, True)
    i, v, done = parts_of(a)
    return sparse(i, v * np.broadcast_to(b, a.shape)[tuple(i)], a.shape, done)


def product(a: Any, b: Any) -> Any:
    """The product of two matrices, or of one and a vector, of which one at least is sparse: dense, unless both are sparse."""
    if isinstance(a, Sparse) and isinstance(b, Sparse):
        return _both(a, b)
    if not isinstance(a, Sparse):
        return product(b.T, a.T).T
    i, v, _ = parts_of(a)
    if len(i) != 2 or a.shape[1] != b.shape[0]:
        raise ValueError("the matrices do not fit")
    out = np.zeros((a.shape[0], *b.shape[1:]), np.result_type(a.dtype, b.dtype))
    np.add.at(out, i[0], v.reshape(-1, *(1,) * (b.ndim - 1)) * b[i[1]])
    return out


def _both(a: Any, b: Any) -> Any:
    """The product of two sparse matrices."""
    a, b = coalesced(a), coalesced(b)
    (i, v, _), (j, w, _) = parts_of(a), parts_of(b)
    # Each element of `a` meets a row of `b`, whose elements stand together.
    begin, end = np.searchsorted(j[0], i[1]), np.searchsorted(j[0], i[1], "right")
    counts = end - begin
    mine = np.repeat(np.arange(i.shape[1]), counts)
    theirs = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(begin, counts)
    made = sparse(np.stack((i[0][mine], j[1][theirs])), v[mine] * w[theirs], (a.shape[0], b.shape[1]), False)
    return coalesced(made)
