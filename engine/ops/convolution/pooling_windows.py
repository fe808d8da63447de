"""The windows of a pooling: which they are, the operations on them, and the checks of what describes them."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import index
from typing import Any

import numpy as np

from ...compat.version import since
from ...dtypes import INEXACT
from ...tensor import Tensor
from .resample_kernels import Taps, _picked, _planes, _put_back, _resampled, _unresampled, maxima, variant

Sizes = tuple[int, ...]

# --- windows ---------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _window_taps(size, made, kernel, stride, padding, dilation, include, whole):
    """The windows along one dimension.

    A position in the padding counts as the window's nearest position inside, which no maximum minds, with the weight zero. With
    `include` the padding counts towards the length by which a mean divides; with `whole` nothing is divided.
    """
    start = np.arange(made) * stride - padding
    index = start[:, None] + np.arange(kernel) * dilation
    inside = (index >= 0) & (index < size)
    first = start + -(np.minimum(start, 0) // dilation) * dilation
    last = start + np.minimum((size - 1 - start) // dilation, kernel - 1) * dilation
    lengths = (np.minimum(start + kernel, size + padding) - start) if include else inside.sum(1)
    weight: Any = inside / (1 if whole else np.maximum(lengths, 1)[:, None])
    if weight.size and inside.all() and (weight == weight[0, 0]).all():
        weight = float(weight[0, 0])
    return Taps(size, np.clip(index, first[:, None], last[:, None]), weight)


def window_plan(sizes, kernel, stride, padding, dilation, ceil_mode, include=True, whole=False):
    """The taps of each dimension of a pooling."""
    made = output_sizes(sizes, kernel, stride, padding, dilation, ceil_mode)
    return tuple([
        _window_taps(*values, include, whole)
        for values in zip(sizes[len(sizes) - len(kernel) :], made, kernel, stride, padding, dilation, strict=True)
    ])  # fmt: skip


def output_sizes(sizes, kernel, stride, padding, dilation, ceil_mode):
    made = []
    for n, k, s, p, d in zip(sizes[len(sizes) - len(kernel) :], kernel, stride, padding, dilation, strict=True):
        m = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        made.append(m - 1 if ceil_mode and (m - 1) * s >= n + p else m)
    return made


@lru_cache(maxsize=256)
def _adaptive_taps(size, made):
    """`made` windows that cover a dimension as evenly as whole numbers can."""
    k = np.arange(made)
    start = k * size // max(made, 1)
    stop = -((k + 1) * size // -max(made, 1))
    lengths = stop - start
    index = start[:, None] + np.arange(lengths.max(initial=1))
    weight: Any = (index < stop[:, None]) / lengths[:, None]
    if (lengths == lengths[:1]).all():
        weight = 1 / int(lengths[0]) if made else 1.0
    return Taps(size, np.minimum(index, stop[:, None] - 1), weight)


def adaptive_plan(sizes, made):
    """The taps of each dimension of an adaptive pooling."""
    return tuple([_adaptive_taps(n, m) for n, m in zip(sizes[len(sizes) - len(made) :], made, strict=True)])


# --- operations ------------------------------------------------------------------------------------------------------------


def avg_slopes(grad, self_sym_sizes, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The gradient of average pooling."""
    whole = divisor_override is not None
    dilation = (1,) * len(kernel_size)
    plan = window_plan(self_sym_sizes, kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, whole)
    return _unresampled(grad / divisor_override if whole else grad, plan)


def max_slopes(grad, sizes, indices, kernel_size, stride, dilation):
    """The gradient of max pooling."""
    apart = all([s >= d * (k - 1) + 1 for s, k, d in zip(stride, kernel_size, dilation, strict=True)])
    return _put_back(grad, indices, tuple(sizes), len(kernel_size), apart)


def _max_pool(self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest of each window, and where in the flattened trailing dimensions it stands."""
    return maxima(self, window_plan(self.shape, kernel_size, stride, padding, dilation, ceil_mode))


def _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window."""
    dilation = (1,) * len(kernel_size)
    if self.dtype.kind not in INEXACT:
        counted = window_plan(self.shape, kernel_size, stride, padding, dilation, ceil_mode, True, True)
        sums = _resampled._op.forward(self, counted)
        ones = np.ones(self.shape[-len(kernel_size) :])
        share = _avg_pool(ones, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        counts = np.rint(_resampled._op.forward(ones, counted) / share).astype(self.dtype)
        return np.trunc(sums / counts).astype(self.dtype)
    whole = divisor_override is not None
    plan = window_plan(self.shape, kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, whole)
    out = _resampled._op.forward(self, plan)
    return out / self.dtype.type(divisor_override) if whole else out


def _adaptive_avg_pool(self, output_size):
    """Means of as many windows as the result has positions."""
    return _resampled._op.forward(self, adaptive_plan(self.shape, output_size))


def _adaptive_max_pool(self, output_size):
    """The largest of as many windows as the result has positions, and where they stand."""
    return maxima(self, adaptive_plan(self.shape, output_size))


def _max_unpool(self, indices, output_size):
    """Zeros with each element put where `indices` say."""
    dims = len(output_size)
    sizes = (*self.shape[: self.ndim - dims], *output_size)
    out = np.zeros(prod(sizes), self.dtype)
    out[_planes(indices, sizes, dims).reshape(-1)] = self.reshape(-1)
    return out.reshape(sizes)


def _fractional_max_pool(self, kernel_size, output_size, random_samples):
    """The largest of windows at random distances, and where they stand."""
    dims = len(output_size)
    sizes = self.shape[self.ndim - dims :]
    planes = self.reshape(*(self.shape[:2] if self.ndim == dims + 2 else (1, self.shape[0])), *sizes)
    values = np.empty((*planes.shape[:2], *output_size), self.dtype)
    positions = np.empty(values.shape, np.int64)
    for i in np.ndindex(*planes.shape[:2]):
        # The samples come for the last dimension first.
        samples = random_samples[i][::-1] if dims == 2 else random_samples[i]
        plan = tuple(_fractional_taps(*v) for v in zip(sizes, output_size, kernel_size, samples, strict=True))
        values[i], positions[i] = maxima(planes[i], plan)
    shape = (*self.shape[: self.ndim - dims], *output_size)
    return values.reshape(shape), positions.reshape(shape)


def _fractional_taps(size, made, kernel, sample):
    alpha = type(sample)((size - kernel) / (made - 1)) if made > 1 else type(sample)(0)
    start = ((np.arange(made) + sample) * alpha).astype(np.int64) - int(sample * alpha)
    start[made - 1 :] = size - kernel
    return Taps(size, start[:, None] + np.arange(kernel))


MAX, AVG, MAX_UNPOOL, ADAPTIVE_AVG, ADAPTIVE_MAX, FRACTIONAL = {}, {}, {}, {}, {}, {}
"""The operations by number of dimensions."""

for _d in (2, 3):
    _flat = "channels" if _d == 2 else "rows"  # in three dimensions, only the largest are found where they stand
    MAX[_d] = variant(
        _max_pool, r"\mathrm{{maxpool}}({self})", f"max_pool{_d}d_with_indices", f"MaxPool{_d}DWithIndicesBackward0",
        layout="channels",
        outputs=("result0", "result1"),
        self=lambda grad, self_sym_sizes, result1, kernel_size, stride, dilation: max_slopes(
            grad, self_sym_sizes, result1, kernel_size, stride, dilation
        ),
    )  # fmt: skip
    AVG[_d] = variant(
        _avg_pool, r"\mathrm{{avgpool}}({self})", f"avg_pool{_d}d", f"AvgPool{_d}DBackward0",
        layout=_flat,
        self=avg_slopes,
    )  # fmt: skip
    ADAPTIVE_AVG[_d] = variant(
        _adaptive_avg_pool, r"\mathrm{{avgpool}}({self})", f"adaptive_avg_pool{_d}d", f"AdaptiveAvgPool{_d}DBackward0",
        layout=_flat,
        self=lambda grad, self_sym_sizes, output_size: _unresampled(grad, adaptive_plan(self_sym_sizes, output_size)),
    )  # fmt: skip
    ADAPTIVE_MAX[_d] = variant(
        _adaptive_max_pool, r"\mathrm{{maxpool}}({self})", f"adaptive_max_pool{_d}d", f"AdaptiveMaxPool{_d}DBackward0",
        layout=_flat,
        outputs=("result0", "result1"),
        self=lambda grad, self_sym_sizes, result1, output_size: _put_back(
            grad, result1, tuple(self_sym_sizes), len(output_size), False
        ),
    )  # fmt: skip
    MAX_UNPOOL[_d] = variant(
        _max_unpool, r"\mathrm{{unpool}}({self})", f"max_unpool{_d}d", f"MaxUnpool{_d}DBackward0",
        layout=_flat,
        self=lambda grad, indices, output_size: _picked(grad, indices, len(output_size)), indices=None, broadcast=(),
    )  # fmt: skip
    FRACTIONAL[_d] = variant(
        _fractional_max_pool, r"\mathrm{{maxpool}}({self})", f"fractional_max_pool{_d}d", f"FractionalMaxPool{_d}DBackward0",
        outputs=("result0", "result1"),
        self=lambda grad, self_sym_sizes, result1, output_size: _put_back(
            grad, result1, tuple(self_sym_sizes), len(output_size), False
        ),
        random_samples=None,
        broadcast=(),
    )  # fmt: skip


# --- arguments and their checks --------------------------------------------------------------------------------------------

_COUNT = {1: "one", 2: "two", 3: "three"}


def each(name: str, what: str, value: Any, dims: int) -> tuple[int, ...]:
    """One number for all dimensions, or one each."""
    values = tuple(value) if isinstance(value, tuple | list) else (value,)
    if len(values) == dims:
        return tuple(index(v) for v in values)
    if len(values) == 1:
        return tuple(index(v) for v in values * dims)
    if dims == 1:
        raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(values)})")
    verb = "be either" if what == "dilation" else "be" if name == "avg_pool3d" and what != "stride" else "either be"
    omitted = "omitted, a" if what == "stride" else "a"
    raise RuntimeError(f"{name}: {what} must {verb} {omitted} single int, or a tuple of {_COUNT[dims]} ints")


def _named(prefix: str, values: tuple[int, ...]) -> str:
    return " ".join(f"{prefix}{side}: {v}" for side, v in zip("THW"[3 - len(values) :], values, strict=True))


EMPTY = since(
    "2.15",
    "{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {shape} with dimension {dim} "
    "being empty",
    before="{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of {shape} and "
    "non-batch dimension 0 has length zero!",
)
"""How PyTorch refuses to pool in three dimensions what has nothing in one of them."""
LARGEST = 2**63 - 1
TOO_WIDE = since("2.15", "effective kernel size overflows, but got kernel_size={} and dilation={}", before="")
"""What is said of windows that are wider than any number; "" where another complaint follows."""


def check_pool(name: str, x: Any, windows: tuple[Sizes, Sizes, Sizes, Sizes], ceil_mode: bool) -> None:
    """PyTorch's complaints about a pooling, in its order."""
    kernel, stride, padding, dilation = windows
    dims = len(kernel)
    ranks = "3D or 4D" if dims == 2 else "4D or 5D"
    maximum = name.startswith("max")
    if x.ndim not in (dims + 1, dims + 2):
        if not maximum and dims == 2 and x.ndim < 3:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got -3)")
        raise RuntimeError(f"non-empty {ranks} (batch mode) tensor expected for input")
    for k, s, p, d in zip(kernel, stride, padding, dilation, strict=True):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
            )
    for what, prefix, values in (("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation)):
        if min(values) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {_named(prefix, values)}")
    shape = list(x.shape)
    batched = x.ndim == dims + 2
    if dims == 2 and (0 in shape[1:] or (not batched and shape[0] == 0)):
        raise RuntimeError(f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}")
    if dims == 3 and 0 in shape[batched:]:
        name = "max_pool3d_with_indices_out_cpu_template" if maximum else "avg_pool3d"
        raise RuntimeError(EMPTY.now.format(name=name, shape=shape, dim=shape.index(0, batched)))
    if dims == 3 and not maximum and any(n < k for n, k in zip(shape[-3:], kernel, strict=True)):
        given = _named("", tuple(shape[-3:]))
        raise RuntimeError(f"input image ({given}) smaller than kernel size ({_named('k', kernel)})")
    if any(k // 2 < p for k, p in zip(kernel, padding, strict=True)):
        if dims == 2:
            shown = f"padW = {padding[1]}, padH = {padding[0]}, kW = {kernel[1]}, kH = {kernel[0]}"
        else:
            (a, b, c), (t, h, w) = kernel, padding
            shown = f"kT: {a} kW: {c} kH: {b} padT: {t} padW: {w} padH: {h}"
        raise RuntimeError(f"pad should be smaller than or equal to half of kernel size, but got {shown}")
    made = output_sizes(shape, kernel, stride, padding, dilation, ceil_mode)
    if min(made) < 1:
        sizes = "x".join(map(str, shape[-dims - 1 :]))
        out = "x".join(map(str, [shape[-dims - 1], *made]))
        raise RuntimeError(f"Given input size: ({sizes}). Calculated output size: ({out}). Output size is too small")


def windows_of(name, dims, kernel_size, stride, padding, dilation=1):
    """The arguments of a pooling, one number a dimension."""
    kernel = each(name, "kernel_size", kernel_size, dims)
    stride = kernel if stride is None or stride in ((), []) else each(name, "stride", stride, dims)
    return kernel, stride, each(name, "padding", padding, dims), each(name, "dilation", dilation, dims)


def lifted(kernel, stride, padding, dilation):
    """The arguments in one dimension as those in two."""
    return (1, *kernel), (1, *stride), (0, *padding), (1, *dilation)


def check_line(name: str, input: Tensor) -> None:
    n = input._array.ndim
    if n not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {n}-dimensional tensor for argument #1 'self' (while checking arguments for "
            f"{name})"
        )


def check_max_line(x, kernel_size, stride, padding, dilation, ceil_mode):
    """The complaints of `max_pool1d` without indices, which PyTorch words in its own way."""
    if x.ndim not in (2, 3) or 0 in x.shape[x.ndim == 3 :]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(x.shape)}"
        )
    values = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    found = {}
    for what, value in values.items():
        items = tuple(value) if isinstance(value, tuple | list) else (kernel_size if value is None else value,)
        if what == "stride" and not items:
            items = (kernel_size,)
        if len(items) != 1:
            raise RuntimeError(
                f"max_pool1d() {what} must be an int, list of ints or tuple of ints of size 1 but got size {len(items)}"
            )
        found[what] = items[0][0] if isinstance(items[0], tuple | list) else items[0]
    k, s, p, d = found.values()
    for what in ("kernel_size", "stride", "dilation"):
        if what != "dilation" and found[what] <= 0:
            raise RuntimeError(f"max_pool1d() {what} must be greater than zero, but got {found[what]}")
    if p < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}"
        )
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    if TOO_WIDE.now and d * (k - 1) + 1 > LARGEST:
        raise RuntimeError(TOO_WIDE.now.format(k, d))
    (made,) = output_sizes(x.shape, (k,), (s,), (p,), (d,), ceil_mode)
    if made <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {made}")


def adaptive_sizes(name: str, dims: int, input: Tensor, output_size: Any) -> tuple[int, ...]:
    shape = input._array.shape
    if not isinstance(output_size, tuple | list):
        sizes = (output_size,) * dims
    else:
        if dims > 1 and len(shape) <= len(output_size):
            raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
        sizes = tuple(output_size)
    if len(sizes) != dims:
        if dims == 1:
            raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(sizes)})")
        if "max" in name:
            raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
        raise RuntimeError(f"{name}: output_size must be {dims}")
    return tuple(index(d if v is None else v) for v, d in zip(sizes, shape[-dims:], strict=True))


def check_adaptive(name: str, x: Any, made: tuple[int, ...]) -> None:
    dims = len(made)
    if x.ndim not in (dims + 1, dims + 2):
        ranks = "3D or 4D" if dims == 2 else "4D or 5D"
        raise RuntimeError(f"{name}(): Expected {ranks} tensor, but got {list(x.shape)}")
    if "avg" in name and min(made) < 0:
        listed = ", ".join(map(str, made[:2])) + ("," + str(made[2]) if dims == 3 else "")
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}")
    for i in range(1 if x.ndim == dims + 2 else 0 if "max" in name else 1, x.ndim):
        if x.shape[i] == 0 and (i >= x.ndim - dims or "max" in name):
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {i} being empty"
            )
    if min(made) < 0:
        shape = [*x.shape[:-dims], *made]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {shape}")
