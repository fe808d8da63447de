"""Pooling: one number for each window, its largest element, its mean or its p-norm; and putting the largest back in place."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from engine import dtypes
from engine.op import function
from engine.ops.activation import relu
from engine.ops.pointwise import abs as absolute
from engine.ops.pointwise import sign
from engine.ops.reduction import mean
from engine.ops.shape import _squeeze_dim, unsqueeze
from engine.ops.taps import Taps, _picked, _planes, _put_back, _resampled, _unresampled, maxima, variant
from engine.tensor import Tensor

# --- windows ---------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _window_taps(size, made, kernel, stride, padding, dilation, include, whole):
    """The windows along one dimension.

    A place in the padding counts as the window's nearest place inside, which no maximum minds, with the weight zero. With
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
    made = _output_sizes(sizes, kernel, stride, padding, dilation, ceil_mode)
    return tuple([
        _window_taps(*values, include, whole)
        for values in zip(sizes[len(sizes) - len(kernel) :], made, kernel, stride, padding, dilation, strict=True)
    ])  # fmt: skip


def _output_sizes(sizes, kernel, stride, padding, dilation, ceil_mode):
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


def avg_slopes(grad, sizes, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The gradient of average pooling."""
    whole = divisor_override is not None
    plan = window_plan(sizes, kernel_size, stride, padding, (1,) * len(kernel_size), ceil_mode, count_include_pad, whole)
    return _unresampled(grad / divisor_override if whole else grad, plan)


def max_slopes(grad, sizes, indices, kernel_size, stride, dilation):
    """The gradient of max pooling."""
    apart = all([s >= d * (k - 1) + 1 for s, k, d in zip(stride, kernel_size, dilation)])  # noqa: B905
    return _put_back(grad, indices, tuple(sizes), len(kernel_size), apart)


def _max_pool(self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest of each window, and where in the flattened trailing dimensions it stands."""
    return maxima(self, window_plan(self.shape, kernel_size, stride, padding, dilation, ceil_mode))


def _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window."""
    dilation = (1,) * len(kernel_size)
    if self.dtype.kind != "f":
        counted = window_plan(self.shape, kernel_size, stride, padding, dilation, ceil_mode, True, True)
        sums = _resampled.op.forward(self, counted)
        ones = np.ones(self.shape[-len(kernel_size) :])
        share = _avg_pool(ones, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        counts = np.rint(_resampled.op.forward(ones, counted) / share).astype(self.dtype)
        return np.trunc(sums / counts).astype(self.dtype)
    whole = divisor_override is not None
    plan = window_plan(self.shape, kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, whole)
    out = _resampled.op.forward(self, plan)
    return out / self.dtype.type(divisor_override) if whole else out


def _adaptive_avg_pool(self, output_size):
    """Means of as many windows as the result has places."""
    return _resampled.op.forward(self, adaptive_plan(self.shape, output_size))


def _adaptive_max_pool(self, output_size):
    """The largest of as many windows as the result has places, and where they stand."""
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
    planes = self.reshape(*random_samples.shape[:2], *sizes)
    values = np.empty((*planes.shape[:2], *output_size), self.dtype)
    places = np.empty(values.shape, np.int64)
    for i in np.ndindex(*planes.shape[:2]):
        # The samples come for the last dimension first.
        samples = random_samples[i][::-1] if dims == 2 else random_samples[i]
        plan = tuple(_fractional_taps(*v) for v in zip(sizes, output_size, kernel_size, samples, strict=True))
        values[i], places[i] = maxima(planes[i], plan)
    shape = (*self.shape[: self.ndim - dims], *output_size)
    return values.reshape(shape), places.reshape(shape)


def _fractional_taps(size, made, kernel, sample):
    alpha = type(sample)((size - kernel) / (made - 1)) if made > 1 else type(sample)(0)
    start = ((np.arange(made) + sample) * alpha).astype(np.int64) - int(sample * alpha)
    start[made - 1 :] = size - kernel
    return Taps(size, start[:, None] + np.arange(kernel))


_MAX, _AVG, _MAX_UNPOOL, _ADAPTIVE_AVG, _ADAPTIVE_MAX, _FRACTIONAL = {}, {}, {}, {}, {}, {}  # type: ignore[var-annotated]
"""The operations by number of dimensions."""

for _d in (2, 3):
    _MAX[_d] = variant(
        _max_pool, r"\mathrm{{maxpool}}({self})", f"max_pool{_d}d_with_indices", f"MaxPool{_d}DWithIndicesBackward0",
        outputs=("result0", "result1"),
        self=lambda grad, self_sym_sizes, result1, kernel_size, stride, dilation: max_slopes(
            grad, self_sym_sizes, result1, kernel_size, stride, dilation
        ),
    )  # fmt: skip
    _AVG[_d] = variant(
        _avg_pool, r"\mathrm{{avgpool}}({self})", f"avg_pool{_d}d", f"AvgPool{_d}DBackward0",
        self=lambda grad, self_sym_sizes, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: avg_slopes(
            grad, self_sym_sizes, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
    )  # fmt: skip
    _ADAPTIVE_AVG[_d] = variant(
        _adaptive_avg_pool, r"\mathrm{{avgpool}}({self})", f"adaptive_avg_pool{_d}d", f"AdaptiveAvgPool{_d}DBackward0",
        self=lambda grad, self_sym_sizes, output_size: _unresampled(grad, adaptive_plan(self_sym_sizes, output_size)),
    )  # fmt: skip
    _ADAPTIVE_MAX[_d] = variant(
        _adaptive_max_pool, r"\mathrm{{maxpool}}({self})", f"adaptive_max_pool{_d}d", f"AdaptiveMaxPool{_d}DBackward0",
        outputs=("result0", "result1"),
        self=lambda grad, self_sym_sizes, result1, output_size: _put_back(
            grad, result1, tuple(self_sym_sizes), len(output_size), False
        ),
    )  # fmt: skip
    _MAX_UNPOOL[_d] = variant(
        _max_unpool, r"\mathrm{{unpool}}({self})", f"max_unpool{_d}d", f"MaxUnpool{_d}DBackward0",
        self=lambda grad, indices, output_size: _picked(grad, indices, len(output_size)), indices=None, promote=(),
    )  # fmt: skip
    _FRACTIONAL[_d] = variant(
        _fractional_max_pool, r"\mathrm{{maxpool}}({self})", f"fractional_max_pool{_d}d", f"FractionalMaxPool{_d}DBackward0",
        outputs=("result0", "result1"),
        self=lambda grad, self_sym_sizes, result1, output_size: _put_back(
            grad, result1, tuple(self_sym_sizes), len(output_size), False
        ),
        random_samples=None,
        promote=(),
    )  # fmt: skip


# --- arguments and their checks --------------------------------------------------------------------------------------------

_COUNT = {1: "one", 2: "two", 3: "three"}


def _each(name: str, what: str, value: Any, dims: int) -> tuple[int, ...]:
    """One number for all dimensions, or one each."""
    values = tuple(value) if isinstance(value, tuple | list) else (value,)
    if len(values) == dims:
        return tuple(int(v) for v in values)
    if len(values) == 1:
        return tuple(int(v) for v in values * dims)
    if dims == 1:
        raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(values)})")
    verb = "be either" if what == "dilation" else "be" if name == "avg_pool3d" and what != "stride" else "either be"
    omitted = "omitted, a" if what == "stride" else "a"
    raise RuntimeError(f"{name}: {what} must {verb} {omitted} single int, or a tuple of {_COUNT[dims]} ints")


def _named(prefix: str, values: tuple[int, ...]) -> str:
    return " ".join(f"{prefix}{side}: {v}" for side, v in zip("THW"[3 - len(values) :], values, strict=True))


def _check_pool(name, x, kernel, stride, padding, dilation, ceil_mode):
    """PyTorch's complaints about a pooling, in its order."""
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
        place = "max_pool3d_with_indices_out_cpu_template" if maximum else "avg_pool3d_out_cpu"
        raise RuntimeError(
            f"{place}(): Expected input's non-batch dimensions to have positive length, but input has a shape of {shape} and "
            f"non-batch dimension 0 has length zero!"
        )
    if dims == 3 and not maximum and any(n < k for n, k in zip(shape[-3:], kernel, strict=True)):
        given = _named("", tuple(shape[-3:]))
        raise RuntimeError(f"input image ({given}) smaller than kernel size ({_named('k', kernel)})")
    if any(k // 2 < p for k, p in zip(kernel, padding, strict=True)):
        if dims == 2:
            shown = f"padW = {padding[1]}, padH = {padding[0]}, kW = {kernel[1]}, kH = {kernel[0]}"
        else:
            k, p = kernel, padding
            shown = f"kT: {k[0]} kW: {k[2]} kH: {k[1]} padT: {p[0]} padW: {p[2]} padH: {p[1]}"
        raise RuntimeError(f"pad should be smaller than or equal to half of kernel size, but got {shown}")
    made = _output_sizes(shape, kernel, stride, padding, dilation, ceil_mode)
    if min(made) < 1:
        sizes = "x".join(map(str, shape[-dims - 1 :]))
        out = "x".join(map(str, [shape[-dims - 1], *made]))
        raise RuntimeError(f"Given input size: ({sizes}). Calculated output size: ({out}). Output size is too small")


def _windows(name, dims, kernel_size, stride, padding, dilation=1):
    """The arguments of a pooling, one number a dimension."""
    kernel = _each(name, "kernel_size", kernel_size, dims)
    stride = kernel if stride is None or stride in ((), []) else _each(name, "stride", stride, dims)
    return kernel, stride, _each(name, "padding", padding, dims), _each(name, "dilation", dilation, dims)


def _lifted(kernel, stride, padding, dilation):
    """The arguments in one dimension as those in two."""
    return (1, *kernel), (1, *stride), (0, *padding), (1, *dilation)


def _check_line(name: str, input: Tensor) -> None:
    n = input._array.ndim
    if n not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {n}-dimensional tensor for argument #1 'self' (while checking arguments for "
            f"{name})"
        )


def _check_max_line(x, kernel_size, stride, padding, dilation, ceil_mode):
    """The complaints of `max_pool1d` without indices, which PyTorch words in its own way."""
    if x.ndim not in (2, 3) or 0 in x.shape[x.ndim == 3 :]:
        raise RuntimeError(
            f"max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(x.shape)}"
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
        raise RuntimeError(f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}")
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    (made,) = _output_sizes(x.shape, (k,), (s,), (p,), (d,), ceil_mode)
    if made <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {made}")


def _pool_max(dims, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    name = f"max_pool{dims}d"
    if dims == 1:
        if return_indices:
            _check_line(name, input)
        else:
            _check_max_line(input._array, kernel_size, stride, padding, dilation, ceil_mode)
        input = unsqueeze(input, -2)
    windows = _windows(name, dims, kernel_size, stride, padding, dilation)
    if dims == 1:
        windows = _lifted(*windows)
    _check_pool(name, input._array, *windows, ceil_mode)
    values, places = _MAX[max(dims, 2)](input, *windows, ceil_mode)
    if dims == 1:
        values = _squeeze_dim(values, input._array.ndim - 2)
        places = _squeeze_dim(places, input._array.ndim - 2) if return_indices else None
    return (values, places) if return_indices else values


def _pool_avg(dims, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
    name = f"avg_pool{dims}d"
    if dims == 1:
        _check_line(name, input)
        input = unsqueeze(input, -2)
    windows = _windows(name, dims, kernel_size, stride, padding)
    if dims == 1:
        windows = _lifted(*windows)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    _check_pool(name, input._array, *windows, ceil_mode)
    out = _AVG[max(dims, 2)](input, *windows[:3], ceil_mode, count_include_pad, divisor_override)
    return _squeeze_dim(out, input._array.ndim - 2) if dims == 1 else out


def _adaptive_sizes(name: str, dims: int, input: Tensor, output_size: Any) -> tuple[int, ...]:
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
    return tuple(int(d if v is None else v) for v, d in zip(sizes, shape[-dims:], strict=True))


def _check_adaptive(name: str, x: Any, made: tuple[int, ...]) -> None:
    dims = len(made)
    if x.ndim not in (dims + 1, dims + 2):
        ranks = "3D or 4D" if dims == 2 else "4D or 5D"
        raise RuntimeError(f"{name}(): Expected {ranks} tensor, but got {list(x.shape)}")
    if "avg" in name and min(made) < 0:
        listed = ", ".join(map(str, made[:2])) + ("," + str(made[2]) if dims == 3 else "")
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
        )
    for i in range(1 if x.ndim == dims + 2 else 0 if "max" in name else 1, x.ndim):
        if x.shape[i] == 0 and (i >= x.ndim - dims or "max" in name):
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {i} being empty"
            )
    if min(made) < 0:
        shape = [*x.shape[:-dims], *made]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {shape}")


def _pool_adaptive_avg(dims, input, output_size):
    name = f"adaptive_avg_pool{dims}d"
    if dims == 1:
        _check_line(name, input)
    made = _adaptive_sizes(name, dims, input, output_size)
    if dims == 1:
        input, made, name = unsqueeze(input, -2), (1, *made), "adaptive_avg_pool2d"
    _check_adaptive(name, input._array, made)
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f'"{name}" not implemented for \'{dtypes.SCALAR_NAMES[input.dtype]}\'')
    if all(m == 1 for m in made):
        out = mean(input, list(range(-len(made), 0)), True)
    else:
        out = _ADAPTIVE_AVG[len(made)](input, made)
    return _squeeze_dim(out, input._array.ndim - 2) if dims == 1 else out


def _pool_adaptive_max(dims, input, output_size, return_indices):
    name = f"adaptive_max_pool{dims}d"
    if dims == 1:
        _check_line(name, input)
    made = _adaptive_sizes(name, dims, input, output_size)
    if dims == 1:
        input, made, name = unsqueeze(input, -2), (1, *made), "adaptive_max_pool2d"
    _check_adaptive(name, input._array, made)
    values, places = _ADAPTIVE_MAX[len(made)](input, made)
    if dims == 1:
        values, places = (_squeeze_dim(t, input._array.ndim - 2) for t in (values, places))
    return (values, places) if return_indices else values


def _pool_lp(dims, input, norm_type, kernel_size, stride, ceil_mode):
    if norm_type in (float("inf"), -float("inf")):
        largest = absolute(input) if norm_type > 0 else -absolute(input)
        out = _pool_max(dims, largest, kernel_size, stride, 0, 1, ceil_mode, False)
        return out if norm_type > 0 else -out
    kernel = _each(f"lp_pool{dims}d", "kernel_size", kernel_size, dims)
    out = _pool_avg(dims, input.pow(norm_type), kernel_size, stride, 0, ceil_mode, True)
    return (sign(out) * relu(absolute(out))).mul(prod(kernel)).pow(1.0 / norm_type)


def _unpool(dims, input, indices, kernel_size, stride, padding, output_size):
    kernel, stride, padding, _ = _windows(f"max_unpool{dims}d", dims, kernel_size, stride, padding)
    x, places = input._array, indices._array
    usual = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(x.shape[-dims:], stride, kernel, padding, strict=True)]
    made: Any = usual
    if output_size is not None:
        made = output_size[2:] if len(output_size) == dims + 2 else output_size
        if len(made) != dims:
            raise ValueError(
                f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of '{len(made)}'"
            )
        for d in range(dims):
            low, high = usual[d] - stride[d], usual[d] + stride[d]
            if not low < made[d] < high:
                raise ValueError(f'invalid output_size "{made}" (dim {d} must be between {low} and {high})')
    for d in range(dims):
        if made[d] < 0:
            raise ValueError(
                f"max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{d}]={made[d]}"
            )
    made = tuple(int(n) for n in made)
    if dims == 1:
        input, indices, made = unsqueeze(input, -1), unsqueeze(indices, -1), (*made, 1)
        x, places = input._array, indices._array
    n = len(made)
    if places.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {dtypes.SCALAR_NAMES[indices.dtype]}")
    if x.ndim not in (n + 1, n + 2):
        ranks = "3d or 4d" if n == 2 else "4d or 5d"
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {ranks} Tensor, but got a tensor with {x.ndim} dimensions."
        )
    if x.shape != places.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got indices tensor with "
            f"shape: {list(places.shape)}"
        )
    wrong = places[(places < 0) | (places >= prod(made))]
    if wrong.size:
        raise RuntimeError(f"Found an invalid max index: {wrong[0]} (output volumes are of size {'x'.join(map(str, made))})")
    out = _MAX_UNPOOL[n](input, indices, made)
    return _squeeze_dim(out, out._array.ndim - 1) if dims == 1 else out


def _pool_fractional(dims, input, kernel_size, output_size, output_ratio, return_indices, samples):
    from engine.ops.random import rand

    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    shape = input._array.shape
    if len(shape) < dims + 1:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {-dims - 1})")
    if output_size is None:
        output_size = [int(n * r) for n, r in zip(shape[-dims:], output_ratio, strict=True)]
    kernel, made = _each(name, "kernel_size", kernel_size, dims), _each(name, "output_size", output_size, dims)
    for n, k, m, side in zip(shape[-dims:], kernel, made, ("time", "height", "width")[3 - dims :], strict=True):
        if m + k - 1 > n:
            raise RuntimeError(f"{name}(): pool {side} {k} too large relative to input {side} {n}")
    if samples is None:
        samples = rand(1 if len(shape) == dims + 1 else shape[0], shape[-dims - 1], dims, dtype=input.dtype)
    values, places = _FRACTIONAL[dims](input, kernel, made, samples)
    return (values, places) if return_indices else values


# --- the public functions --------------------------------------------------------------------------------------------------


@function
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of (N, C, L) or (C, L); with `return_indices` also where it stands."""
    return _pool_max(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@function
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest of each window of (N, C, L) or (C, L), and where it stands."""
    values, places = _pool_max(1, input, kernel_size, stride, padding, dilation, ceil_mode, True)
    return values, places


@function
def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of (N, C, H, W) or (C, H, W); with `return_indices` also where it stands."""
    return _pool_max(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@function
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest of each window of (N, C, H, W) or (C, H, W), and where it stands."""
    values, places = _pool_max(2, input, kernel_size, stride, padding, dilation, ceil_mode, True)
    return values, places


@function
def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest of each window of (N, C, D, H, W) or (C, D, H, W); with `return_indices` also where it stands."""
    return _pool_max(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@function
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest of each window of (N, C, D, H, W) or (C, D, H, W), and where it stands."""
    values, places = _pool_max(3, input, kernel_size, stride, padding, dilation, ceil_mode, True)
    return values, places


@function
def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of (N, C, L) or (C, L)."""
    return _pool_avg(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@function
def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, H, W) or (C, H, W)."""
    return _pool_avg(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@function
def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""
    return _pool_avg(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@function
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Means of (N, C, L) or (C, L) over as many windows as `output_size` says."""
    return _pool_adaptive_avg(1, input, output_size)


@function
def functional_adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of (N, C, L) or (C, L) over as many windows as `output_size` says; with `return_indices` also where."""
    return _pool_adaptive_max(1, input, output_size, return_indices)


@function
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The largest of (N, C, L) or (C, L) over as many windows as `output_size` says, and where they stand."""
    values, places = _pool_adaptive_max(1, input, output_size, True)
    return values, places


@function
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means of (N, C, H, W) or (C, H, W) over as many windows as `output_size` says."""
    return _pool_adaptive_avg(2, input, output_size)


@function
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of (N, C, H, W) or (C, H, W) over as many windows as `output_size` says; with `return_indices` also where."""
    return _pool_adaptive_max(2, input, output_size, return_indices)


@function
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The largest of (N, C, H, W) or (C, H, W) over as many windows as `output_size` says, and where they stand."""
    values, places = _pool_adaptive_max(2, input, output_size, True)
    return values, places


@function
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Means of (N, C, D, H, W) or (C, D, H, W) over as many windows as `output_size` says."""
    return _pool_adaptive_avg(3, input, output_size)


@function
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of (N, C, D, H, W) or (C, D, H, W) over as many windows as `output_size` says; with `return_indices` also where."""
    return _pool_adaptive_max(3, input, output_size, return_indices)


@function
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The largest of (N, C, D, H, W) or (C, D, H, W) over as many windows as `output_size` says, and where they stand."""
    values, places = _pool_adaptive_max(3, input, output_size, True)
    return values, places


@function
def torch_adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest of (N, C, L) or (C, L) over `output_size` windows, and where they stand."""
    values, places = _pool_adaptive_max(1, input, output_size, True)
    return values, places


@function
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of (N, C, L) or (C, L)."""
    return _pool_lp(1, input, norm_type, kernel_size, stride, ceil_mode)


@function
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """What `max_pool1d` returned put back where it stood, zeros elsewhere."""
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


@function
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of (N, C, H, W) or (C, H, W)."""
    return _pool_lp(2, input, norm_type, kernel_size, stride, ceil_mode)


@function
def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """What `max_pool2d` returned put back where it stood, zeros elsewhere."""
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


@function
def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W)."""
    return _pool_lp(3, input, norm_type, kernel_size, stride, ceil_mode)


@function
def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """What `max_pool3d` returned put back where it stood, zeros elsewhere."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


@function
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest of each window of (N, C, H, W) or (C, H, W), the windows at random distances."""
    return _pool_fractional(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@function
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest of each window of (N, C, H, W) or (C, H, W), the windows at random distances; also where it stands."""
    values, places = _pool_fractional(2, input, kernel_size, output_size, output_ratio, True, _random_samples)
    return values, places


@function
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest of each window of (N, C, D, H, W) or (C, D, H, W), the windows at random distances."""
    return _pool_fractional(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@function
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest of each window of (N, C, D, H, W) or (C, D, H, W), the windows at random distances; also where it stands."""
    values, places = _pool_fractional(3, input, kernel_size, output_size, output_ratio, True, _random_samples)
    return values, places
