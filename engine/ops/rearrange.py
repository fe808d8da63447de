"""Elements in another order or repeated: flips, rolls, tiles, diagonals, triangles, windows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from engine import dtypes
from engine.op import function, op
from engine.ops.shape import (
    _reshape,
    _sum_axes,
    cat,
    clone,
    expand,
    flip,
    permute,
    reshape,
    sizes,
    squeeze,
    stack,
    transpose,
    unsqueeze,
    view,
    wrap_dim,
)
from engine.tensor import Tensor, constant

# --- order -----------------------------------------------------------------------------------------------------------------


@function
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@function
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


@op(
    r"\mathrm{{roll}}({self})",
    self=lambda grad, shifts, dims: _roll(grad, tuple([-s for s in shifts]), dims),
    node="RollBackward0",
    name="roll",
)
def _roll(self, shifts, dims):
    """The elements moved along dimensions, those that fall off coming back at the other end."""
    return np.roll(self, shifts, dims if dims else None)


@function
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`, those that fall off coming back at the other end."""
    by = tuple(shifts) if isinstance(shifts, tuple | list) else (shifts,)
    along = tuple(dims) if isinstance(dims, tuple | list) else (dims,)
    if not by:
        raise RuntimeError("`shifts` required")
    if along and input._array.ndim == 0:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    if not along:
        if len(by) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:0")
        return view(_roll(reshape(input, -1), by, (0,)), input._array.shape)
    if len(by) != len(along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    return _roll(input, by, tuple(wrap_dim(d, input._array.ndim) for d in along))


@op(
    r"\mathrm{{rot90}}({self})",
    self=lambda grad, k, dims: _rot90(grad, -k, dims),
    node="Rot90Backward0",
    name="rot90",
)
def _rot90(self, k, dims):
    """Turned by 90 degrees `k` times in the plane of two dimensions."""
    return np.rot90(self, k, dims).copy()


@function
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by 90 degrees `k` times in the plane of two dimensions, from the first towards the second."""
    n = input._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == n:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return _rot90(input, k, tuple(dims))


@function
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with dimensions moved to other places, the rest staying in order."""
    n = input._array.ndim
    sources = tuple(source) if isinstance(source, tuple | list) else (source,)
    targets = tuple(destination) if isinstance(destination, tuple | list) else (destination,)
    src, dst = tuple(wrap_dim(d, n) for d in sources), tuple(wrap_dim(d, n) for d in targets)
    if len(src) != len(dst):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the same number of dims as "
            f"destination ({list(targets)} dims)"
        )
    if len(set(src)) != len(src):
        raise RuntimeError(f"movedim: repeated dim in `source` ({list(sources)})")
    if len(set(dst)) != len(dst):
        raise RuntimeError(f"movedim: repeated dim in `destination` ({list(targets)})")
    rest = iter(i for i in range(n) if i not in src)
    order = [src[dst.index(i)] if i in dst else next(rest) for i in range(n)]
    return permute(input, *order) if n else input


moveaxis = movedim
swapaxes = swapdims = transpose


@function
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped (real numbers are their own conjugates)."""
    return transpose(input, -2, -1)


# --- repetition ------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{repeat}}({self})",
    self=lambda grad, self_sym_sizes, repeats: repeat_backward(grad, self_sym_sizes, repeats),
    node="RepeatBackward0",
    name="repeat",
)
def _repeat(self, repeats):
    """The whole tensor repeated along each dimension."""
    return np.tile(self, repeats)


def repeat_backward(grad, shape, repeats):
    """The sum of the gradients of all copies."""
    if 0 in repeats:
        return _zeros(grad, tuple(shape))
    full = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    split = [n for r, s in zip(repeats, full, strict=True) for n in (r, s)]
    return _reshape(_sum_axes(_reshape(grad, tuple(split)), tuple(range(0, len(split), 2)), False), tuple(shape))


@op("0", self=lambda grad, self_sym_sizes: _zeros(grad, self_sym_sizes))
def _zeros(self, shape):
    """Zeros of a shape in the dtype of `self`."""
    return np.zeros(shape, self.dtype)


@function
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """The whole tensor repeated along each dimension, new ones in front."""
    times = sizes(repeats) if repeats else ()
    if len(times) < input._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(r < 0 for r in times):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(times)}: {list(times)}")
    return _repeat(input, times)


@function
def tile(input: Tensor, *dims: Any) -> Tensor:
    """The whole tensor repeated along each dimension, as `numpy.tile`."""
    times = sizes(dims)
    return repeat(input, *((1,) * (input._array.ndim - len(times)) + times))


@function
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element (or slice along `dim`) repeated in place."""
    if repeats is None:
        return constant(np.repeat(np.arange(input._array.size), input._array))
    x, d = (reshape(input, -1), 0) if dim is None else (input, wrap_dim(dim, input._array.ndim))
    counts = repeats._array if isinstance(repeats, Tensor) else np.asarray(repeats)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    length = x._array.shape[d] if x._array.ndim else 1
    if counts.ndim == 1 and counts.size not in (1, length):
        raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                           f"{counts.size} and input.size({d}) = {length}")
    where = np.repeat(np.arange(length), counts.reshape(-1) if counts.ndim else counts)
    return x.index_select(d, constant(where))


# --- diagonals and triangles -----------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{diagonal}}({self})",
    view=True,
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: _diagonal_zeros(grad, tuple(self_sym_sizes), offset, dim1, dim2),
    node="DiagonalBackward0",
    name="diagonal",
)
def _diagonal(self, offset, dim1, dim2):
    """A view of a diagonal, which becomes the last dimension."""
    # NumPy marks diagonals read-only; PyTorch lets them be written through.
    down, right = max(-offset, 0), max(offset, 0)
    n = max(min(self.shape[dim1] - down, self.shape[dim2] - right), 0)
    corner = [slice(None)] * self.ndim
    corner[dim1], corner[dim2] = slice(down, down + n), slice(right, right + n)
    part = self[tuple(corner)]
    rest = [i for i in range(self.ndim) if i not in (dim1, dim2)]
    strides = (*(self.strides[i] for i in rest), self.strides[dim1] + self.strides[dim2])
    return np.lib.stride_tricks.as_strided(part, (*(self.shape[i] for i in rest), n), strides)


@op(
    r"{self}",
    self=lambda grad, offset, dim1, dim2: _diagonal_again(grad, offset, dim1, dim2),
    node="DiagonalBackwardBackward0",
    name="diagonal_backward",
)
def _diagonal_zeros(self, shape, offset, dim1, dim2):
    """Zeros of `shape` with `self` on a diagonal."""
    out = np.zeros(shape, self.dtype)
    _diagonal.op.forward(out, offset, dim1, dim2)[...] = self
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: _diagonal_zeros(grad, tuple(self_sym_sizes), offset, dim1, dim2),
    node="DiagonalBackward0",
    name="diagonal",
)
def _diagonal_again(self, offset, dim1, dim2):
    """A diagonal; bookkeeping of views left aside."""
    return self.diagonal(offset, dim1, dim2)


@function
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal of the matrices in two dimensions; it becomes the last dimension."""
    n = input._array.ndim
    d1, d2 = wrap_dim(dim1, n), wrap_dim(dim2, n)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diagonal(input, offset, d1, d2)


@function
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:  # noqa: N803
    """A view of the diagonal of each matrix of a batch."""
    return diagonal(A, offset, dim1, dim2)


@op(
    r"\mathrm{{diag}}({self})",
    self=lambda grad, offset, dim1, dim2: _diagonal_again(grad, offset, dim1, dim2),
    node="DiagEmbedBackward0",
    name="diag_embed",
)
def _diag_embed(self, offset, dim1, dim2):
    """Matrices with the last dimension of `self` on a diagonal."""
    n = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for d in sorted((dim1, dim2)):
        shape.insert(d, n)
    return _diagonal_zeros.op.forward(self, tuple(shape), offset, dim1, dim2)


@function
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices in two new dimensions with the last dimension of `input` on a diagonal."""
    n = input._array.ndim + 1
    d1, d2 = wrap_dim(dim1, n), wrap_dim(dim2, n)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diag_embed(input, offset, d1, d2)


@function
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as a diagonal matrix, or a copy of a matrix's diagonal."""
    if input._array.ndim == 1:
        return diag_embed(input, diagonal)
    if input._array.ndim == 2:
        return clone(_diagonal(input, diagonal, 0, 1))
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")


@function
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements as a diagonal matrix."""
    return diag_embed(reshape(input, -1), offset)


@op(r"\mathrm{{tril}}({self})", self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self, diagonal=0):
    """The lower triangle of the matrices, zeros above the diagonal."""
    if self.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return np.tril(self, diagonal)


@op(r"\mathrm{{triu}}({self})", self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self, diagonal=0):
    """The upper triangle of the matrices, zeros below the diagonal."""
    if self.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return np.triu(self, diagonal)


@function
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """Row and column indices of a lower triangle, (2, n)."""
    return constant(np.stack(np.tril_indices(row, offset, col)).astype(np.int64 if dtype is None else dtype.numpy))


@function
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """Row and column indices of an upper triangle, (2, n)."""
    return constant(np.stack(np.triu_indices(row, offset, col)).astype(np.int64 if dtype is None else dtype.numpy))


@function
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return _trace(input)


@op(
    r"\mathrm{{tr}}({self})",
    self=lambda grad, self_sym_sizes: _diagonal_zeros(_unit(grad), tuple(self_sym_sizes), 0, 0, 1),
    node="TraceBackward0",
    name="trace",
)
def _trace(self):
    """The sum of a matrix's diagonal."""
    return np.trace(self)


def _unit(grad):
    return _reshape(grad, (1,))


@function
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows."""
    if input._array.ndim > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input._array.ndim} dimensions")
    c = cov(input)
    if c._array.ndim == 0:
        return c / c
    d = diagonal(c).sqrt()
    return (c / unsqueeze(d, 1) / unsqueeze(d, 0)).clamp(-1.0, 1.0)


def _check_weights(name: str, kind: str, weights: Tensor | None, observations: int) -> None:
    """PyTorch's demands on the weights of observations."""
    if weights is None:
        return
    a = weights._array
    if a.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {a.ndim} dimensions"
        )
    if (a.dtype.kind == "f") != (kind == "floating point") or a.dtype.kind == "b":
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
    if w is None:
        norm = total - correction
    elif correction == 0 or aweights is None:
        norm = total - correction
    else:
        norm = total - correction * (w * aweights).sum() / total
    norm = norm.clamp(min=0) if isinstance(norm, Tensor) else max(norm, 0)
    centred = x - unsqueeze(mean, 1)
    c = (centred @ (centred if w is None else centred * w).t()) / norm
    return squeeze(c)


# --- windows and strides ---------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{unfold}}({self})",
    view=True,
    self=lambda grad, self_sym_sizes, dimension, size, step: _fold_back(grad, tuple(self_sym_sizes), dimension, size, step),
    node="UnfoldBackward0",
    name="unfold",
)
def _unfold(self, dimension, size, step):
    """A view of all windows along a dimension; a window's elements come last."""
    if self.ndim == 0:
        return self.reshape(1)[:size]
    windows = np.lib.stride_tricks.sliding_window_view(self, size, dimension, writeable=True)
    return windows[(slice(None),) * dimension + (slice(None, None, step),)]


@op(
    r"{self}",
    self=lambda grad, dimension, size, step: _windows(grad, dimension, size, step),
    node="UnfoldBackwardBackward0",
    name="unfold_backward",
)
def _fold_back(self, shape, dimension, size, step):
    """Zeros of `shape` with each window added where it came from."""
    out = np.zeros(shape, self.dtype)
    if not shape:
        return self.sum()
    for k in range(size):
        stop = k + step * (self.shape[dimension] - 1) + 1
        out[(slice(None),) * dimension + (slice(k, stop, step),)] += self[..., k]
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dimension, size, step: _fold_back(grad, tuple(self_sym_sizes), dimension, size, step),
    node="UnfoldBackward0",
    name="unfold",
)
def _windows(self, dimension, size, step):
    """All windows along a dimension; bookkeeping of views left aside."""
    return _unfold.op.forward(self, dimension, size, step)


@function
def method_unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of `size` along a dimension, `step` apart; a window's elements become the last dimension."""
    d = wrap_dim(dimension, input._array.ndim)
    n = input._array.shape[d] if input._array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return _unfold(input, d, size, step)


@op(
    r"\mathrm{{as\_strided}}({self})",
    view=True,
    self=lambda grad, self, size, stride, storage_offset: _strided_zeros(grad, self, size, stride, storage_offset),
    node="AsStridedBackward0",
    name="as_strided",
)
def _as_strided(self, size, stride, storage_offset):
    """Any pattern of places in memory as a view."""
    memory, start = _memory(self)
    first = start if storage_offset is None else storage_offset
    last = first + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if prod(size) else first
    if last >= max(memory.size, 1) and prod(size):
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {first}, and itemsize {self.itemsize} "
            f"requiring a storage size of {(last + 1) * self.itemsize} are out of bounds for storage of size {memory.nbytes}"
        )
    return np.lib.stride_tricks.as_strided(memory[first:], size, tuple(s * self.itemsize for s in stride))


def _memory(array):
    """The memory an array looks into, as a vector, and where in it the array starts."""
    root = array
    while root.base is not None:
        # NumPy's `as_strided` puts an object of its own between an array and the one it looks into.
        below = root.base if isinstance(root.base, np.ndarray) else getattr(root.base, "base", None)
        if not isinstance(below, np.ndarray):
            break
        root = below
    if not root.flags.c_contiguous:
        root = root.T if root.flags.f_contiguous else np.ascontiguousarray(root)
    start = (array.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // array.itemsize
    return root.reshape(-1), start


@op(r"{self}", self=None, like=None, promote=(), name="as_strided_backward")
def _strided_zeros(self, like, size, stride, storage_offset):
    """Zeros of the shape of `like` with each element of `self` added where in memory it came from."""
    memory, start = _memory(like)
    first = start if storage_offset is None else storage_offset
    flat = np.zeros(memory.size, self.dtype)
    places = first + sum(np.arange(n).reshape((-1,) + (1,) * (len(size) - i - 1)) * s
                         for i, (n, s) in enumerate(zip(size, stride, strict=True)))
    np.add.at(flat, np.broadcast_to(places, self.shape), self)
    return np.lib.stride_tricks.as_strided(
        flat[start:], like.shape, tuple(s // like.itemsize * self.itemsize for s in like.strides)
    ).copy()


@function
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of any pattern of places in memory."""
    size, stride = sizes((size,)), sizes((stride,))
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    return _as_strided(input, size, stride, storage_offset)


# --- joins of several ------------------------------------------------------------------------------------------------------


@function
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Vectors spread over a grid: one tensor each, all of the grid's shape."""
    items = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else list(tensors)
    if indexing is None:
        import warnings

        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. (Triggered internally "
            "at /pytorch/aten/src/ATen/native/TensorShape.cpp:4381.)",
            UserWarning,
            stacklevel=2,
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(items) >= 2
    if swap:
        items[:2] = [items[1], items[0]]
    shape = tuple(t._array.size for t in items)
    grids = [
        expand(view(t, tuple(-1 if i == k else 1 for i in range(len(items)))), shape) for k, t in enumerate(items)
    ]
    if swap:
        grids[:2] = [grids[1], grids[0]]
    return tuple(grids)


@function
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors expanded to one shape."""
    items = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    shape = broadcast_shapes(*[t._array.shape for t in items])
    return tuple(expand(t, shape) for t in items)


@function
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that shapes broadcast to."""
    from engine.tensor import Size

    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError:
        raise RuntimeError(
            "Shape mismatch: objects cannot be broadcast to a single shape"
        ) from None


@function
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one, zeros elsewhere."""
    rows = [reshape(t, (1, -1)) if t._array.ndim < 2 else t for t in tensors]
    for i, t in enumerate(rows):
        if t._array.ndim > 2:
            raise RuntimeError(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t._array.ndim} dimensions")
    total = sum(t._array.shape[1] for t in rows)
    pieces, start = [], 0
    for t in rows:
        n, m = t._array.shape
        left, right = (constant(np.zeros((n, w), t._array.dtype)) for w in (start, total - start - m))
        pieces.append(cat([left, t, right], 1))
        start += m
    return cat(pieces, 0)


@function
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of elements of vectors, (n, vectors)."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(g, -1) for g in meshgrid(*tensors, indexing="ij")], 1)


@function
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of `r` elements of a vector, (n, r)."""
    import itertools

    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input._array.size), r))
    if r == 0:
        return input.new_zeros(0)
    index = constant(np.array(rows, np.int64).reshape(len(rows), r))
    return reshape(input.index_select(0, reshape(index, -1)), (len(rows), r))

