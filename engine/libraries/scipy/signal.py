"""`scipy.signal`: convolutions, filters and waves."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from .numbers import numbers

__all__ = [
    "convolve", "convolve2d", "correlate", "correlate2d", "detrend", "fftconvolve", "lfilter", "savgol_filter", "sawtooth",
    "square",
]  # fmt: skip

Array = Any
_PADDED: dict[str, Any] = {"wrap": "wrap", "symm": "symmetric", "symmetric": "symmetric", "circular": "wrap"}


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Array:
    """The convolution of two arrays of as many dimensions.

    Raises:
        ValueError: for other dimensions or another mode, and with "valid" where neither array is the longer one.
    """
    a, b = _pair(in1, in2, "volume and kernel should have the same dimensionality")
    if mode == "valid" and _smaller(a, b):
        a, b = b, a
    if method == "fft":
        return _cut(_by_fourier(a, b), a.shape, b.shape, mode)
    return _cut(_full(a, b), a.shape, b.shape, mode)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Array:
    """The convolution by Fourier transforms."""
    if axes is not None:
        raise ValueError("Here all axes are transformed.")
    a, b = _pair(in1, in2, "in1 and in2 should have the same dimensionality")
    if mode == "valid" and _smaller(a, b):
        a, b = b, a
    return _cut(_by_fourier(a, b), a.shape, b.shape, mode)


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Array:
    """The correlation of two arrays of as many dimensions."""
    a, b = _pair(in1, in2, "in1 and in2 should have the same dimensionality")
    if mode == "valid" and _smaller(a, b):
        return np.conj(correlate(b, a, mode, method))[(slice(None, None, -1),) * a.ndim]
    return convolve(a, np.conj(b)[(slice(None, None, -1),) * b.ndim], mode, method)


def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Array:
    """The convolution of two matrices, of which the first goes on with zeros ("fill"), from its other side ("wrap") or
    mirrored ("symm")."""
    a, b = _pair(in1, in2, "convolve2d inputs must both be 2-D arrays", 2)
    if mode == "valid" and _smaller(a, b):
        a, b = b, a
    return _cut(_bounded(a, b, boundary, fillvalue), a.shape, b.shape, mode)


def _bounded(a: Array, b: Array, boundary: str, fillvalue: Any) -> Array:
    """The full convolution of matrices, of which the first goes on."""
    if boundary in ("fill", "pad") and not fillvalue:
        return _full(a, b)
    widths = [(n - 1, n - 1) for n in b.shape]
    if boundary in ("fill", "pad"):
        wide = np.pad(a, widths, constant_values=fillvalue)
    elif boundary in _PADDED:
        wide = np.pad(a, widths, mode=_PADDED[boundary])
    else:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    return _cut(_full(wide, b), wide.shape, b.shape, "valid")


def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Array:
    """The correlation of two matrices."""
    a, b = _pair(in1, in2, "correlate2d inputs must both be 2-D arrays", 2)
    if mode == "valid" and _smaller(a, b):
        return np.conj(correlate2d(b, a, mode, boundary, fillvalue))[::-1, ::-1]
    full = _bounded(a, np.conj(b)[::-1, ::-1], boundary, fillvalue)
    if mode != "same":
        return _cut(full, a.shape, b.shape, mode)
    # A window of even length stands one further on than for a convolution.
    return full[tuple(slice(m // 2, m // 2 + n) for n, m in zip(a.shape, b.shape, strict=True))].copy()


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A signal through a filter with a memory: `a[0] y[n] = b[0] x[n] + b[1] x[n-1] + … - a[1] y[n-1] - …`.

    Returns the signal, and with `zi`, what the filter remembers at first, what it remembers at the end, too.

    Raises:
        ValueError: where `a[0]` is zero.
    """
    b, a, x = np.atleast_1d(numbers(b)), np.atleast_1d(numbers(a)), numbers(x)
    if not a[0]:
        raise ValueError("a[0] must be nonzero.")
    kind = np.result_type(b, a, x, np.float32)
    size = max(len(a), len(b))
    b, a = (np.concatenate([v, np.zeros(size - len(v))]).astype(kind) / a[0] for v in (b, a))
    signal = np.moveaxis(x, axis, 0).astype(kind)
    memory = np.zeros((size, *signal.shape[1:]), kind)
    if zi is not None:
        memory[: size - 1] = np.moveaxis(numbers(zi), axis, 0)
    out = np.empty_like(signal)
    for n, value in enumerate(signal):
        out[n] = b[0] * value + memory[0]
        for k in range(1, size):
            memory[k - 1] = memory[k] + b[k] * value - a[k] * out[n]
    made = np.moveaxis(out, 0, axis)
    return made if zi is None else (made, np.moveaxis(memory[: size - 1], 0, axis))


def savgol_filter(
    x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1, mode: str = "interp",
    cval: float = 0.0,
) -> Array:  # fmt: skip
    """A signal smoothed by polynomials that are fitted to windows of it (Savitzky and Golay, 1964), or its derivative."""
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    signal = np.moveaxis(numbers(x, float), axis, -1)
    if mode == "interp" and window_length > signal.shape[-1]:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    half, places = window_length // 2, np.arange(window_length) - (window_length - 1) / 2
    fits = np.linalg.pinv(np.vander(places, polyorder + 1, increasing=True))
    modes: dict[str, Any] = {"interp": "edge", "nearest": "edge", "mirror": "reflect", "constant": "constant", "wrap": "wrap"}
    if mode not in modes:
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    more: dict[str, Any] = {"constant_values": cval} if mode == "constant" else {}
    widths = [(0, 0)] * (signal.ndim - 1) + [(half, window_length - 1 - half)]
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(signal, widths, mode=modes[mode], **more), window_length, -1)

    def read(parts: Array, at: Any) -> Array:
        """The derivative, at a place of each window, of the polynomials through its values."""
        powers = np.vander(np.atleast_1d(at), polyorder + 1, increasing=True)
        factors = np.array([np.prod(np.arange(k, k - deriv, -1.0)) if k >= deriv else 0.0 for k in range(polyorder + 1)])
        shifted = np.concatenate([np.zeros((len(powers), deriv)), powers], 1)[:, : polyorder + 1] * factors
        return parts @ fits.T @ shifted.T / delta**deriv

    out = np.array(read(windows, 0.0)[..., 0])
    if mode == "interp":
        # At the ends the first and the last whole window are read where the values stand.
        out[..., :half] = read(signal[..., :window_length], places[:half])
        out[..., signal.shape[-1] - half :] = read(signal[..., -window_length:], places[window_length - half :])
    return np.moveaxis(out, -1, axis)


def detrend(data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> Array:
    """A signal without the line ("linear") or the mean ("constant") that is nearest to it.

    Raises:
        ValueError: for another type, and for pieces of a signal.
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    if np.any(bp):
        raise ValueError("Here a signal is taken as a whole, without break points.")
    signal = numbers(data, float)
    if type in ("constant", "c"):
        return signal - signal.mean(axis, keepdims=True)
    signal = np.moveaxis(signal, axis, 0)
    n = len(signal)
    line = np.stack([np.arange(1, n + 1) / n, np.ones(n)], 1)
    flat = signal.reshape(n, -1)
    return np.moveaxis((flat - line @ np.linalg.lstsq(line, flat, rcond=None)[0]).reshape(signal.shape), 0, axis)


def sawtooth(t: Any, width: Any = 1) -> Array:
    """A wave from -1 to 1 in the share `width` of its period of two pi, and back in the rest."""
    t, width = np.broadcast_arrays(numbers(t, float), numbers(width, float))
    part = np.mod(t, 2 * np.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = part / (np.pi * width) - 1
        falling = (np.pi * (width + 1) - part) / (np.pi * (1 - width))
    wave = np.where(part < width * 2 * np.pi, rising, falling)
    return np.where((width > 1) | (width < 0), np.nan, wave)


def square(t: Any, duty: Any = 0.5) -> Array:
    """A wave that is 1 in the share `duty` of its period of two pi, and -1 in the rest."""
    t, duty = np.broadcast_arrays(numbers(t, float), numbers(duty, float))
    wave = np.where(np.mod(t, 2 * np.pi) < duty * 2 * np.pi, 1.0, -1.0)
    return np.where((duty > 1) | (duty < 0), np.nan, wave)


# --- convolutions ----------------------------------------------------------------------------------------------------------


def _pair(in1: Any, in2: Any, otherwise: str, ndim: int | None = None) -> tuple[Array, Array]:
    a, b = numbers(in1), numbers(in2)
    if a.ndim != b.ndim or (ndim is not None and a.ndim != ndim):
        raise ValueError(otherwise)
    return a, b


def _smaller(a: Array, b: Array) -> bool:
    """Whether the first is to be moved over the second."""
    if all(n >= m for n, m in zip(a.shape, b.shape, strict=True)):
        return False
    if all(n <= m for n, m in zip(a.shape, b.shape, strict=True)):
        return True
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")


def _full(a: Array, b: Array) -> Array:
    if a.ndim == 1 and a.size and b.size:
        return np.convolve(a, b)
    out = np.zeros([n + m - 1 for n, m in zip(a.shape, b.shape, strict=True)], np.result_type(a, b))
    few, many = (a, b) if a.size < b.size else (b, a)
    for place in product(*map(range, few.shape)):
        out[tuple(slice(k, k + n) for k, n in zip(place, many.shape, strict=True))] += few[place] * many
    return out


def _by_fourier(a: Array, b: Array) -> Array:
    sizes = [n + m - 1 for n, m in zip(a.shape, b.shape, strict=True)]
    axes = range(a.ndim)
    found = np.fft.ifftn(np.fft.fftn(a, sizes, axes) * np.fft.fftn(b, sizes, axes), axes=axes)
    kind = np.result_type(a, b)
    return found if kind.kind == "c" else found.real if kind.kind == "f" else np.rint(found.real).astype(kind)


def _cut(full: Array, size: tuple[int, ...], other: tuple[int, ...], mode: str) -> Array:
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError(f"Acceptable mode flags are 'valid', 'same', or 'full', not mode={mode}")
    wanted = size if mode == "same" else tuple(n - m + 1 for n, m in zip(size, other, strict=True))
    begins = [(n - m) // 2 for n, m in zip(full.shape, wanted, strict=True)]
    return full[tuple(slice(k, k + n) for k, n in zip(begins, wanted, strict=True))].copy()
