"""Discrete Fourier transforms in one and more dimensions, of complex and of real signals: `torch.fft`.

Three operations do all of it, as in PyTorch: from complex to complex numbers, from real to complex, and back. `scaling` says
what the sums are divided by: 0 nothing, 1 the root of the number of points, 2 that number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..convolution.padding import constant_pad_nd
from ..creation.factories import creation
from ..indexing.slicing import narrow
from ..pointwise.complex_numbers import conj, real_of
from ..shape.dimensions import wrap_dim
from ..shape.flip_roll import roll

FORWARD: Any = ("backward", "ortho", "forward")
BACKWARD: Any = ("forward", "ortho", "backward")
"""NumPy's names of the scalings, of a transform and of an inverse one."""


@op(
    r"\mathcal{{F}}({self})",
    traits="sized",
    holomorphic=False,
    self=lambda grad, dim, scaling, direct: _fft_c2c(grad, dim, scaling, not direct),
    node="FftC2CBackward0",
    name="_fft_c2c",
)
def _fft_c2c(self, dim, scaling, direct):
    """The transform of complex numbers over some dimensions, or the inverse one."""
    if not dim:
        return self.copy()
    if direct:
        return np.fft.fftn(self, axes=dim, norm=FORWARD[scaling])
    return np.fft.ifftn(self, axes=dim, norm=BACKWARD[scaling])


@op(
    r"\mathcal{{F}}({self})",
    traits="sized",
    holomorphic=False,
    self=lambda grad, self_sym_sizes, dim, scaling, onesided: from_half(grad, self_sym_sizes, dim, scaling, onesided),
    node="FftR2CBackward0",
    name="_fft_r2c",
)
def _fft_r2c(self, dim, scaling, onesided):
    """The transform of real numbers over some dimensions; with `onesided` the half of the last that determines the rest."""
    return (np.fft.rfftn if onesided else np.fft.fftn)(self, axes=dim, norm=FORWARD[scaling])


def from_half(grad, sizes, dim, scaling, onesided):
    """The derivative of a real signal's transform: the real part of the inverse of what is there of it."""
    whole = _filled_up(grad, dim[-1], sizes[dim[-1]]) if onesided else grad
    return real_of(_fft_c2c(whole, dim, scaling, False))


@op(r"{self}", self=lambda grad, self_sym_sizes, dim: _cut(grad, dim, self_sym_sizes[dim]), name="constant_pad_nd")
def _filled_up(self, dim, length):
    """Zeros at the end of a dimension up to a length."""
    widths = [(0, length - n if i == dim else 0) for i, n in enumerate(self.shape)]
    return np.pad(self, widths)


@op(r"{self}", self=lambda grad, self_sym_sizes, dim: _filled_up(grad, dim, self_sym_sizes[dim]), name="slice")
def _cut(self, dim, length):
    """The first entries of a dimension."""
    return self[(slice(None),) * dim + (slice(0, length),)]


@op(
    r"\mathcal{{F}}^{{-1}}({self})",
    traits="sized",
    holomorphic=False,
    self=lambda grad, dim, scaling: _doubled(_fft_r2c(grad, dim, scaling, True), dim[-1], grad.shape[dim[-1]]),
    node="FftC2RBackward0",
    name="_fft_c2r",
)
def _fft_c2r(self, dim, scaling, last_dim_size):
    """The real signal, so long in the last dimension, of which half of the transform is given."""
    lengths = [self.shape[d] for d in dim[:-1]] + [last_dim_size]
    return np.fft.irfftn(self, s=lengths, axes=dim, norm=BACKWARD[scaling])


@op(r"{self}", self=lambda grad, dim, length: _doubled(grad, dim, length), name="_doubled")
def _doubled(self, dim, length):
    """Half of a transform, in which those count twice that stand for two of the whole one's `length`."""
    weights = np.ones(self.shape[dim], np.float32)
    weights[1 : 1 + length - self.shape[dim]] = 2
    return self * weights.reshape([-1 if i == dim else 1 for i in range(self.ndim)])


# --- what users give -------------------------------------------------------------------------------------------------------


def _scaling(norm: str | None, forward: bool) -> int:
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _promoted(input: Tensor, twisted: bool = False) -> Tensor:
    """Integers as floating point numbers; all as complex ones where that is wanted."""
    if not isinstance(input, Tensor):
        raise TypeError(f"fft_fft(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if input.dtype in (dtypes.float16, dtypes.bfloat16):
        raise RuntimeError(f"Unsupported dtype {dtypes.SCALAR_NAMES[input.dtype]}")
    if input._array.dtype.kind not in dtypes.INEXACT:
        input = input.to(dtypes.get_default_dtype())
    return input.to(input.dtype.to_complex()) if twisted else input


def _resized(input: Tensor, dims: tuple[int, ...], lengths: Any) -> Tensor:
    """The tensor cut or filled up with zeros at the ends of dimensions; a length of -1 leaves one as it is."""
    for d, n in zip(dims, lengths, strict=True):
        have = input._array.shape[d]
        if n > have:
            behind = input._array.ndim - 1 - d
            input = constant_pad_nd(input, (0, 0) * behind + (0, n - have), 0)
        elif -1 < n < have:
            input = narrow(input, d, 0, n)
    return input


def _points(n: int) -> int:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def _one(input: Tensor, n: int | None, dim: int, half: bool = False) -> tuple[Tensor, int, int]:
    """A signal along one dimension, brought to its length: the tensor, the dimension, and how many points there are."""
    d = wrap_dim(dim, input._array.ndim)
    if not input._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    have = input._array.shape[d]
    points = _points(n if n is not None else 2 * (have - 1) if half else have)
    return _resized(input, (d,), (points // 2 + 1 if half else points,)), d, points


def _several(input: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], list[int]]:
    """Dimensions, counted from the start, and the lengths that are wanted of them, -1 for what they have."""
    n = input._array.ndim
    lengths = None if s is None else [s] if isinstance(s, int) else list(s)
    if dim is not None:
        listed = [dim] if isinstance(dim, int) else list(dim)
        dims = tuple(wrap_dim(d, n) for d in listed)
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique")
        if lengths is not None and len(lengths) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    elif lengths is not None:
        if len(lengths) > n:
            raise RuntimeError(f"Got shape with {len(lengths)} values but input tensor only has {n} dimensions.")
        dims = tuple(range(n - len(lengths), n))
    else:
        dims = tuple(range(n))
    lengths = [-1] * len(dims) if lengths is None else lengths
    for d, k in zip(dims, lengths, strict=True):
        _points(input._array.shape[d] if k == -1 else k)
    return dims, lengths


def _only_real(name: str, input: Tensor, what: str = "real") -> Tensor:
    if input.is_complex():
        raise RuntimeError(f"{name} expects a {what} input tensor, but got {dtypes.SCALAR_NAMES[input.dtype]}")
    return _promoted(input)


# --- one dimension ---------------------------------------------------------------------------------------------------------


@function(traits="sized")
def fft_fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The discrete Fourier transform along one dimension."""
    x, d, _ = _one(_promoted(input), n, dim)
    scaling = _scaling(norm, True)
    return _fft_c2c(x, (d,), scaling, True) if x.is_complex() else _fft_r2c(x, (d,), scaling, False)


@function(traits="sized")
def fft_ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along one dimension."""
    x, d, _ = _one(_promoted(input), n, dim)
    scaling = _scaling(norm, False)
    return _fft_c2c(x, (d,), scaling, False) if x.is_complex() else conj(_fft_r2c(x, (d,), scaling, False))


@function(traits="sized")
def fft_rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The half of a real signal's transform that determines the rest."""
    x, d, _ = _one(_only_real("rfft", input), n, dim)
    return _fft_r2c(x, (d,), _scaling(norm, True), True)


@function(traits="sized")
def fft_irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real signal of which `rfft` is given."""
    x, d, points = _one(_promoted(input, True), n, dim, half=True)
    return _fft_c2r(x, (d,), _scaling(norm, False), points)


@function(traits="sized")
def fft_hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real transform of a signal of which half is given: its other half are the conjugates."""
    x, d, points = _one(_promoted(input, True), n, dim, half=True)
    return _fft_c2r(conj(x), (d,), _scaling(norm, True), points)


@function(traits="sized")
def fft_ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Half of the signal whose transform is real."""
    x, d, _ = _one(_only_real("ihfft", input), n, dim)
    return conj(_fft_r2c(x, (d,), _scaling(norm, False), True))


# --- several dimensions ----------------------------------------------------------------------------------------------------


def _complex_transform(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    x = _promoted(input, True)
    dims, lengths = _several(x, s, dim)
    return _fft_c2c(_resized(x, dims, lengths), dims, _scaling(norm, forward), forward)


def _half_lengths(x: Tensor, s: Any, dims: tuple[int, ...], lengths: list[int]) -> tuple[Tensor, int]:
    """What a real result is made of, brought to its lengths, and the length of the result's last dimension."""
    if not dims:
        raise RuntimeError("Dim argument must have at least one axis for a real transform")
    last = lengths[-1] if lengths[-1] != -1 else 2 * (x._array.shape[dims[-1]] - 1)
    return _resized(x, dims, [*lengths[:-1], _points(last) // 2 + 1]), last


@function(traits="sized")
def fft_fftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The discrete Fourier transform over several dimensions, all of them unless said otherwise."""
    return _complex_transform(input, s, dim, norm, True)


@function(traits="sized")
def fft_ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform over several dimensions."""
    return _complex_transform(input, s, dim, norm, False)


@function(traits="sized")
def fft_rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The transform of a real signal over several dimensions, half of the last of them."""
    x = _only_real("rfftn", input, "real-valued")
    dims, lengths = _several(x, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    return _fft_r2c(_resized(x, dims, lengths), dims, _scaling(norm, True), True)


@function(traits="sized")
def fft_irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The real signal of which `rfftn` is given."""
    x = _promoted(input, True)
    dims, lengths = _several(x, s, dim)
    x, last = _half_lengths(x, s, dims, lengths)
    return _fft_c2r(x, dims, _scaling(norm, False), last)


@function(traits="sized")
def fft_hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The real transform over several dimensions of a signal of which half of the last is given."""
    x = _promoted(input, True)
    dims, lengths = _several(x, s, dim)
    x, last = _half_lengths(x, s, dims, lengths)
    scaling = _scaling(norm, True)
    if len(dims) > 1:
        x = _fft_c2c(x, dims[:-1], scaling, True)
    return _fft_c2r(conj(x), dims[-1:], scaling, last)


@function(traits="sized")
def fft_ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Half of the signal over several dimensions whose transform is real."""
    if input.is_complex():
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {dtypes.SCALAR_NAMES[input.dtype]}")
    x = _promoted(input)
    dims, lengths = _several(x, s, dim)
    if not dims:
        raise RuntimeError("ihfftn must transform at least one axis")
    scaling = _scaling(norm, False)
    half = conj(_fft_r2c(_resized(x, dims, lengths), dims[-1:], scaling, True))
    return _fft_c2c(half, dims[:-1], scaling, False) if len(dims) > 1 else half


def _plane(whole: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The transform over the last two dimensions, made of the one over several."""

    def transform(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
        return whole(input, s, dim, norm)

    transform.__name__ = whole.__name__.removesuffix("n") + "2"
    transform.__doc__ = (
        f"{(whole.__doc__ or '').split(' over several')[0].rstrip('.')} over two dimensions, the last unless said otherwise."
    )
    return function(transform, traits="sized")


fft_fft2, fft_ifft2, fft_rfft2, fft_irfft2, fft_hfft2, fft_ihfft2 = (
    _plane(f) for f in (fft_fftn, fft_ifftn, fft_rfftn, fft_irfftn, fft_hfftn, fft_ihfftn)
)


# --- frequencies -----------------------------------------------------------------------------------------------------------


def _frequencies(values: Any, n: int, d: float, dtype: Any) -> Tensor:
    target = (dtype or dtypes.get_default_dtype())._numpy
    return constant(values.astype(target) * target.type(1.0 / (n * d)))


@creation
def fft_fftfreq(n: int, d: float = 1.0, *, dtype: Any = None) -> Tensor:
    """The frequencies that belong to the entries of a transform of `n` points, `d` apart."""
    return _frequencies(np.fft.ifftshift(np.arange(-(n // 2), (n - 1) // 2 + 1)), n, d, dtype)


@creation
def fft_rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None) -> Tensor:
    """The frequencies that belong to the entries of a real signal's half transform."""
    return _frequencies(np.arange(n // 2 + 1), n, d, dtype)


def _shifted(input: Tensor, dim: Any, sign: int) -> Tensor:
    n = input._array.ndim
    listed = range(n) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = tuple(wrap_dim(d, n) for d in listed)
    lengths = [input._array.shape[d] for d in dims]
    return roll(input, tuple(k // 2 if sign > 0 else (k + 1) // 2 for k in lengths), dims)


@function(traits="same_values sized")
def fft_fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The entries in the order of their frequencies, zero in the middle."""
    return _shifted(input, dim, 1)


@function(traits="same_values sized")
def fft_ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """What `fftshift` has moved, moved back."""
    return _shifted(input, dim, -1)
