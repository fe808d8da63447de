"""The short-time Fourier transform: a signal cut into windows, each of them transformed, and put together again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...context import outside, warn_once
from ...op.declare import function
from ...tensor import Tensor, constant
from ..convolution.padding import constant_pad_nd, pad
from ..indexing.slicing import narrow
from ..memory.strides import _fold_back, method_unfold
from ..shape.complex_views import view_as_real
from ..shape.permute import transpose
from ..shape.reshaping import reshape, squeeze, unsqueeze
from .transforms import _fft_c2c, _fft_c2r, _fft_r2c

SPECTRAL = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other windows "
    "such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and "
    "use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
INVERTED = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make the "
    "inversion lossless.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, "
    "device=<device>)`."
)
TWO_PARTS = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all "
    "inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the complex output "
    "to recover the old return format."
)


def _kind(tensor: Tensor) -> str:
    if tensor.is_complex():
        return f"CPU{dtypes.SCALAR_NAMES[tensor.dtype]}Type"
    return f"torch.{dtypes.LEGACY_NAMES[tensor.dtype]}"


def _described(name: str, input: Tensor, **named: Any) -> str:
    """The call, as PyTorch's errors of these two functions show it."""

    def held(value: Any) -> Any:
        if isinstance(value, Tensor):
            return f"{_kind(value)}{{{list(value._array.shape)}}}"
        return int(value) if isinstance(value, bool) else value

    inner = ", ".join(f"{key}={held(value)}" for key, value in named.items())
    return f"{name}({_kind(input)}{list(input._array.shape)}, {inner}) : "


def _whole_window(window: Tensor | None, n_fft: int, win_length: int, real: Any) -> Tensor | None:
    """The window filled up with zeros on both sides to the length of a transform."""
    if win_length == n_fft:
        return window
    if window is None:
        window = constant(np.ones(win_length, real))
    left = (n_fft - win_length) // 2
    return constant_pad_nd(window, (left, n_fft - win_length - left), 0)


@function
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of overlapping windows of a signal, (…, frequencies, windows)."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        n = input._array.ndim
        extended = reshape(input, (1,) * (3 - n) + input._array.shape)
        extended = pad(extended, (n_fft // 2, n_fft // 2), pad_mode)
        input = reshape(extended, extended._array.shape[3 - n :])
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    call = _described(
        "stft", input, n_fft=n_fft, hop_length=hop, win_length=width, window=window, normalized=normalized,
        onesided=onesided, return_complex=return_complex, align_to_window=align_to_window,
    )  # fmt: skip
    if window is None:
        warn_once(SPECTRAL, outside())
    twisted = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None:
        if not twisted:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        return_complex = True
    if not return_complex:
        warn_once(TWO_PARTS, outside())
    if input._array.dtype.kind not in dtypes.INEXACT:
        raise RuntimeError(call + "expected a tensor of floating point or complex values")
    if not 1 <= input._array.ndim <= 2:
        raise RuntimeError(call + "expected a 1D or 2D tensor")
    alone = input._array.ndim == 1
    x = unsqueeze(input, 0) if alone else input
    length = x._array.shape[1]
    if not 0 < n_fft <= length:
        raise RuntimeError(call + f"expected 0 < n_fft <= {length}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(call + f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        raise RuntimeError(call + f"expected 0 < win_length <= n_fft, but got win_length={width}")
    if window is not None and window._array.shape != (width,):
        raise RuntimeError(
            call + f"expected a 1D window tensor of size equal to win_length={width}, but got window with size "
            f"{list(window._array.shape)}"
        )
    frames = method_unfold(x, -1, n_fft, hop)
    if (whole := _whole_window(window, n_fft, width, dtypes.real_of(x._array.dtype))) is not None:
        frames = frames * whole
    onesided = not frames.is_complex() if onesided is None else onesided
    scaling = 1 if normalized else 0
    if frames.is_complex():
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        out = _fft_c2c(frames, (2,), scaling, True)
    else:
        out = _fft_r2c(frames, (2,), scaling, onesided)
    out = transpose(out, 1, 2)
    out = squeeze(out, 0) if alone else out
    return out if return_complex else view_as_real(out)


@function
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose short-time Fourier transform is nearest to the given one, in the sense of least squares."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    call = _described(
        "istft", input, n_fft=n_fft, hop_length=hop, win_length=width, window=window, center=center,
        normalized=normalized, onesided=onesided, length=length, return_complex=return_complex,
    )  # fmt: skip
    if window is None:
        warn_once(INVERTED, outside())
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if not 2 <= input._array.ndim <= 3:
        raise RuntimeError(call + f"expected a tensor with 2 or 3 dimensions, but got {input._array.ndim + 1}")
    x = unsqueeze(input, 0) if input._array.ndim == 2 else input
    rows, frames = x._array.shape[1:]
    onesided = rows != n_fft if onesided is None else onesided
    if onesided and n_fft // 2 + 1 != rows:
        raise RuntimeError(
            call + "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
            f"onesided=True, but got {rows}"
        )
    if not onesided and n_fft != rows:
        raise RuntimeError(
            call + "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
            f"onesided=False, but got {rows}"
        )
    if not 0 < hop <= width:
        raise RuntimeError(call + "expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(call + "expected 0 < win_length <= n_fft")
    if window is not None and window._array.shape != (width,):
        raise RuntimeError(call + "Invalid window shape. window has to be 1D and length of `win_length`")
    real = dtypes.real_of(x._array.dtype)
    whole = _whole_window(window, n_fft, width, real)
    whole = constant(np.ones(n_fft, real)) if whole is None else whole
    pieces = transpose(x, 1, 2)
    scaling = 1 if normalized else 2
    if return_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        pieces = _fft_c2c(pieces, (2,), scaling, False)
    else:
        if not onesided:
            pieces = narrow(pieces, 2, 0, n_fft // 2 + 1)
        pieces = _fft_c2r(pieces, (2,), scaling, n_fft)
    total = n_fft + hop * (frames - 1)
    y = _overlapped(pieces * whole, total, hop)
    squares = _overlapped(unsqueeze(whole * whole, 0).expand(1, frames, n_fft), total, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    kept = max(min(end, total) - start, 0)
    y, squares = narrow(y, 1, start, kept), narrow(squares, 1, start, kept)
    if kept and float(np.abs(squares._array).min()) <= 1e-11:
        raise RuntimeError(call + "window overlap add min: 1")
    y = y / squares
    if end > total:
        y = constant_pad_nd(y, (0, end - total), 0)
    return squeeze(y, 0) if input._array.ndim == 2 else y


def _overlapped(pieces: Tensor, total: int, hop: int) -> Tensor:
    """Pieces, (batch, pieces, length), added up where they overlap, each `hop` behind the one before."""
    return _fold_back(pieces, (pieces._array.shape[0], total), 1, pieces._array.shape[2], hop)
