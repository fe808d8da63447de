"""Padding: constant, reflected, replicated, circular."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor

Pad = tuple[int, ...]


def _widths(ndim: int, pad: Pad) -> list[tuple[int, int]]:
    """Widths per dimension; `pad` counts from the last dimension backwards."""
    widths = [(0, 0)] * ndim
    for k in range(len(pad) // 2):
        widths[ndim - 1 - k] = (pad[2 * k], pad[2 * k + 1])
    return widths


@op(
    r"\mathrm{{pad}}({self})",
    self=lambda grad, pad: _constant_pad(grad, tuple([-p for p in pad]), 0),
    node="ConstantPadNdBackward0",
    name="constant_pad_nd",
    layout="channels",
)
def _constant_pad(self, pad, value):
    """The tensor with a border of a constant; negative widths cut off."""
    widths = _widths(self.ndim, pad)
    cut = self[tuple([slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, self.shape, strict=True)])]
    out = np.full([n + max(a, 0) + max(b, 0) for (a, b), n in zip(widths, cut.shape, strict=True)], value, self.dtype)
    out[tuple([slice(max(a, 0), max(a, 0) + n) for (a, _), n in zip(widths, cut.shape, strict=True)])] = cut
    return out


@function
def constant_pad_nd(input: Tensor, pad: Any, value: float = 0) -> Tensor:
    """The tensor with a border of a constant: widths from the last dimension backwards, two each; negative ones cut off."""
    pad = tuple(pad)
    n = input._array.ndim
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * n:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {n}dimensions."
        )
    for (a, b), size in zip(_widths(n, pad), input._array.shape, strict=True):
        if size + a + b < 0:
            d = list(_widths(n, pad)).index((a, b))
            raise RuntimeError(
                f"The input size {size}, plus negative padding {a} and {b} resulted in a negative output size, which is "
                f"invalid. Check dimension {d} of your input."
            )
    return _constant_pad(input, pad, value)


def _maps(shape: tuple[int, ...], pad: Pad, source: Any) -> tuple[Any, ...]:
    """For each dimension that is padded, which element stands at each position of the result."""
    found = []
    for d, (a, b) in enumerate(_widths(len(shape), pad)):
        if a or b:
            found.append((d, source(a, b, shape[d])))
    return tuple(found)


def _around(a, b, n):
    """Positions that go round; what negative widths cut off is not part of the circle."""
    start, left = max(-a, 0), n - max(-a, 0) - max(-b, 0)
    return start + np.arange(-max(a, 0), left + max(b, 0)) % left


PLACES = {
    "reflect": lambda a, b, n: (n - 1) - np.abs((n - 1) - np.abs(np.arange(-a, n + b))),
    "replicate": lambda a, b, n: np.clip(np.arange(-a, n + b), 0, n - 1),
    "circular": _around,
}
"""Which elements of a dimension of length n stand where it is widened by a in front and b behind."""


def _bordered(kind: str, nodes: str) -> dict[int, Any]:
    """Operations that pad with the tensor's own elements, one per number of padded dimensions (for the nodes' names)."""

    def declare(k: int) -> Any:
        def padded(self, maps):
            for d, sources in maps:
                self = np.take(self, sources, axis=d)
            return self

        padded.__name__ = f"_{kind}_pad{k}d"
        padded.__doc__ = f"The tensor with a border of its own elements ({kind})."
        return op(
            r"\mathrm{{pad}}({self})",
            self=lambda grad, self_sym_sizes, maps: _unpadded(grad, tuple(self_sym_sizes), maps),
            node=nodes.format(k),
            name=f"{kind}_pad{k}d",
            layout="rows" if kind == "circular" else "channels",
        )(padded)

    return {k: declare(k) for k in (1, 2, 3)}


@op(r"{self}", self=lambda grad, maps: _again(grad, maps), name="pad_backward")
def _unpadded(self, shape, maps):
    """The elements of a padded tensor added up where they came from."""
    for d, sources in reversed(maps):
        out = np.zeros((*self.shape[:d], shape[d], *self.shape[d + 1 :]), self.dtype)
        np.add.at(np.moveaxis(out, d, 0), sources, np.moveaxis(self, d, 0))
        self = out
    return self


@op(r"{self}", self=lambda grad, self_sym_sizes, maps: _unpadded(grad, tuple(self_sym_sizes), maps), name="pad")
def _again(self, maps):
    """The tensor with a border of its own elements."""
    for d, sources in maps:
        self = np.take(self, sources, axis=d)
    return self


BORDERED = {
    "reflect": _bordered("reflection", "ReflectionPad{}DBackward0"),
    "replicate": _bordered("replication", "ReplicationPad{}DBackward0"),
    "circular": _bordered("circular", "CopySlices"),
}


@function
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """The tensor with a border: widths from the last dimension backwards, two each; filled with `value`, or with the
    tensor's own elements ("reflect", "replicate", "circular")."""
    widths = tuple(index(p) for p in pad)
    a = input._array
    if mode == "constant":
        return constant_pad_nd(input, widths, 0.0 if value is None else value)
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if value is not None and value != 0:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in BORDERED:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    k = len(widths) // 2
    if not (k in (1, 2, 3) and a.ndim in (k + 1, k + 2)):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    sizes = list(a.shape)
    for d, (left, right) in enumerate(_widths(a.ndim, widths)):
        n = sizes[d]
        if mode == "reflect" and (left >= n or right >= n) and (left or right):
            raise RuntimeError(
                f"Argument #{4 + 2 * (a.ndim - 1 - d)}: Padding size should be less than the corresponding input dimension, "
                f"but got: padding ({left}, {right}) at dimension {d} of input {list(a.shape)}"
            )
        if mode == "circular" and (left > n or right > n):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if n + left + right < 0 or (mode == "circular" and n + left + right < 0):
            raise RuntimeError("Negative padding value is resulting in an empty dimension.")
    return BORDERED[mode][k](input, _maps(a.shape, widths, PLACES[mode]))
