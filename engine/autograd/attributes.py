"""What nodes show of what they saved: `grad_fn._saved_…` and `grad_fn._raw_saved_…`, by PyTorch's names.

Rules here sometimes save another form of what PyTorch saves; this is where the difference is made up for, when somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .node import Node

UNSIGNED = frozenset((
    "dim", "dim0", "dim1", "dim2", "dims", "index", "start", "end", "step", "offset", "diagonal", "padding_idx", "ignore_index",
))  # fmt: skip
"""What PyTorch shows without its sign: -1 as 18446744073709551615."""
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

Get = Callable[[str], Any]


class Given(int):
    """A number counted from the start that was given counted from the end."""

    raw: int


INSTEAD: dict[str, dict[str, Callable[[Get], Any]]] = {
    "AddmmBackward0": {
        f"{name}_sym_{what}": lambda get, name=name, what=what: _measure(get(name), what)  # type: ignore[misc]
        for name in ("mat1", "mat2")
        for what in ("sizes", "strides")
    },
    "MmBackward0": {
        f"{name}_sym_{what}": lambda get, name=name, what=what: _measure(get(name), what)  # type: ignore[misc]
        for name in ("mat2", "self")
        for what in ("sizes", "strides")
    },
    "MeanBackward1": {"self_sym_numel": lambda get: prod(get("self_sym_sizes"))},
    "ConvolutionBackward0": {"bias_sym_sizes_opt": lambda get: get("shapes")[0][1:2] if get("edges")[2][0] else (0,)},
    "NativeLayerNormBackward0": {"normalized_shape": lambda get: get("channels")},
    "SplitBackward0": {
        "self_sym_sizes": lambda get: _whole(get("shapes"), get("dim")),
        "split_size": lambda get: get("shapes")[0][get("dim")],
    },
    "SplitWithSizesBackward0": {
        "self_sym_sizes": lambda get: _whole(get("shapes"), get("dim")),
        "split_sizes": lambda get: tuple(s[get("dim")] for s in get("shapes")),
    },
    "EmbeddingBackward0": {"sparse": lambda get: False, "weight_sym_argsize_0": lambda get: get("weight_sym_sizes")[0]},
    "Im2ColBackward0": {
        "self_sym_argsize_minus_1": lambda get: get("self_sym_sizes")[-1],
        "self_sym_argsize_minus_2": lambda get: get("self_sym_sizes")[-2],
    },
    "LinalgInvExBackward0": {"inverse": lambda get: get("result")},
    "LinalgCholeskyExBackward0": {"L": lambda get: get("result"), "upper": lambda get: False},
    "LinalgPinvBackward0": {"self": lambda get: get("A")},
}
"""By the node's name the attributes that stand for others, and how they come from those."""
_UPSAMPLED = {"Nearest1D": 1, "Nearest2D": 2, "Nearest3D": 3, "Linear1D": 1, "Bilinear2D": 2, "Bicubic2D": 2}
for _name, _sizes in _UPSAMPLED.items():
    INSTEAD[f"Upsample{_name}Backward0"] = {
        f"scales_{axis}" if _sizes > 1 else "scales": lambda get, k=k: (get("scales") or (None,) * 3)[k]  # type: ignore[misc]
        for k, axis in enumerate("dhw"[-_sizes:])
    }

HIDDEN = {
    "CatBackward0": ("tensors_sym_sizes",),
    "ConvolutionBackward0": ("bias_sym_sizes", "input_sym_sizes", "weight_sym_sizes"),
    "EmbeddingBackward0": ("weight_sym_sizes",),
    "Im2ColBackward0": ("self_sym_sizes",),
    "LinalgCholeskyExBackward0": ("result",),
    "LinalgInvExBackward0": ("result",),
    "LinalgPinvBackward0": ("A",),
    "NativeBatchNormBackward0": ("bias_sym_sizes", "channels", "dims", "groups", "weight_sym_sizes"),
    "NativeGroupNormBackward0": ("bias_sym_sizes", "channels", "dims", "groups", "weight_sym_sizes"),
    "NativeLayerNormBackward0": ("bias_sym_sizes", "channels", "dims", "eps", "groups", "weight_sym_sizes"),
    "ScatterAddBackward0": ("src_sym_sizes",),
    "ScatterBackward0": ("src_sym_sizes",),
    "ToCopyBackward0": ("self_dtype",),
    "UpsampleNearest2DBackward0": ("align_corners", "scales"),
    "UpsampleBilinear2DBackward0": ("scales",),
}
"""By the node's name what only the rules here save."""


def names(node: Node) -> list[str]:
    """The names of what a node shows."""
    kind = type(node).__name__
    hidden = HIDDEN.get(kind, ())
    return [n for n in node.saved_names if n not in hidden] + list(INSTEAD.get(kind, ()))


def raw_names(node: Node) -> list[str]:
    """The names of the tensors among that, which may have hooks of their own."""
    from ..tensor import Tensor
    from .node import Packed, Result

    op = getattr(type(node), "op", None)
    saved = node.saved or (None,) * len(node.saved_names)
    places = zip(node.saved_names, saved, strict=False)
    shown = [n for n, v in places if isinstance(v, (Tensor, Result, Packed)) or (op and (n in op.rules or n in op.outputs))]
    hidden = HIDDEN.get(type(node).__name__, ())
    return [n for n in shown if n not in hidden]


def value(node: Node, name: str) -> Any:
    """What `grad_fn._saved_<name>` is.

    Raises:
        AttributeError: if the node saves nothing by that name.
    """

    def get(known: str) -> Any:
        if known == "shapes":
            return [s for s, _ in node.shape] if node.several else [node.shape]
        if known == "edges":
            return node.edges
        return node.unpack(node.saved_names.index(known))

    kind = type(node).__name__
    if name in INSTEAD.get(kind, ()):
        return INSTEAD[kind][name](get)
    if name not in node.saved_names or name in HIDDEN.get(kind, ()):
        raise AttributeError(f"'{kind}' object has no attribute '_saved_{name}'")
    found = get(name)
    if name == "indices":
        return tuple(None if isinstance(v, slice) else v for v in found)
    if name in UNSIGNED:
        return _unsigned(found)
    if name == "reduction" and found in REDUCTIONS:
        return REDUCTIONS[found]
    return _number(found)


def _whole(shapes: list[tuple[int, ...]], dim: int) -> tuple[int, ...]:
    """The shape of what was split along `dim`."""
    first = shapes[0]
    return (*first[:dim], sum(s[dim] for s in shapes), *first[dim + 1 :])


def _measure(tensor: Any, what: str) -> tuple[int, ...]:
    if tensor is None:
        return ()
    return tuple(tensor.shape) if what == "sizes" else tuple(tensor.stride())


def _unsigned(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_unsigned(v) for v in value)
    value = getattr(value, "raw", value)
    return value + 2**64 if isinstance(value, int) and value < 0 else value


def _number(value: Any) -> Any:
    """A number that stood beside a tensor as a tensor of the number's own dtype."""
    array = getattr(value, "_array", None)
    if array is None or array.ndim or value._node is not None or array.dtype.kind != "f" or value._needs:
        return value
    from ..tensor import constant

    number = float(array)
    return constant(np.array(int(number) if number.is_integer() else number))
