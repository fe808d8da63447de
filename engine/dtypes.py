"""Data types and PyTorch's rules of type promotion."""

from __future__ import annotations

from typing import Any

import numpy as np

Scalar = bool | int | float
"""A Python number as an operand: it promotes the category of a tensor's dtype, never its width."""


class dtype:  # noqa: N801  (PyTorch's name)
    """A data type of tensors, such as `torch.float32`."""

    __slots__ = ("_aliases", "is_floating_point", "itemsize", "name", "numpy")

    def __init__(self, name: str, numpy: Any) -> None:
        self.name = name
        self.numpy: np.dtype[Any] = np.dtype(numpy)
        self.is_floating_point = self.numpy.kind == "f"
        self.itemsize = self.numpy.itemsize

    is_complex = False

    @property
    def is_signed(self) -> bool:
        """Whether the type has negative values."""
        return self.numpy.kind in "fi"

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


float64 = dtype("float64", np.float64)
float32 = dtype("float32", np.float32)
float16 = dtype("float16", np.float16)
int64 = dtype("int64", np.int64)
int32 = dtype("int32", np.int32)
int16 = dtype("int16", np.int16)
int8 = dtype("int8", np.int8)
uint8 = dtype("uint8", np.uint8)
bool8 = dtype("bool", np.bool_)

ALL = (float64, float32, float16, int64, int32, int16, int8, uint8, bool8)
OF_NUMPY: dict[np.dtype[Any], dtype] = {d.numpy: d for d in ALL}
LEGACY_NAMES = {
    float64: "DoubleTensor", float32: "FloatTensor", float16: "HalfTensor", int64: "LongTensor", int32: "IntTensor",
    int16: "ShortTensor", int8: "CharTensor", uint8: "ByteTensor", bool8: "BoolTensor",
}  # fmt: skip
SCALAR_NAMES = {
    float64: "Double", float32: "Float", float16: "Half", int64: "Long", int32: "Int",
    int16: "Short", int8: "Char", uint8: "Byte", bool8: "Bool",
}  # fmt: skip
"""How PyTorch's error messages name a type ("expected scalar type Float but found Double")."""
CPP_NAMES = {
    float64: "double", float32: "float", float16: "c10::Half", int64: "long int", int32: "int",
    int16: "short int", int8: "signed char", uint8: "unsigned char", bool8: "bool",
}  # fmt: skip
"""How other messages name it: as C++ does."""

_CATEGORY = {"b": 0, "i": 1, "u": 1, "f": 2}
_default = float32


def get_default_dtype() -> dtype:
    """The dtype of floating point results that nothing else decides (float32 unless changed)."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Set the default floating point dtype.

    Raises:
        TypeError: if `d` is not a floating point type.
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def of_scalar(value: Scalar) -> np.dtype[Any]:
    """The dtype a tensor of this Python number would have."""
    if isinstance(value, bool | np.bool_):
        return bool8.numpy
    if isinstance(value, int | np.integer):
        return int64.numpy
    return _default.numpy


def promote_pair(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a result of two types of equal standing (`torch.promote_types`)."""
    if a == b:
        return a
    kinds = _CATEGORY[a.kind], _CATEGORY[b.kind]
    if kinds[0] != kinds[1]:
        return a if kinds[0] > kinds[1] else b
    # uint8 with a signed type of one byte needs two bytes; otherwise the wider one wins.
    return np.promote_types(a, b)


def result_dtype(operands: tuple[Any, ...]) -> np.dtype[Any]:
    """The type of a result: tensors with dimensions decide, then 0-d tensors, then Python numbers, each only if it is of
    a higher category (bool < integer < floating point)."""
    best: list[np.dtype[Any] | None] = [None, None, None]
    for x in operands:
        if isinstance(x, np.ndarray):
            rank, d = (0, x.dtype) if x.ndim else (1, x.dtype)
        else:
            rank, d = 2, of_scalar(x)
        current = best[rank]
        best[rank] = d if current is None else promote_pair(current, d)
    result = None
    for d in best:
        if d is None:
            continue
        if result is None or _CATEGORY[d.kind] > _CATEGORY[result.kind]:
            result = d
    assert result is not None
    return result


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type to which both can be converted without losing category."""
    return OF_NUMPY[promote_pair(a.numpy, b.numpy)]


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether in-place results of `source` may be stored in `target`: a category is never lowered."""
    return _CATEGORY[source.numpy.kind] <= _CATEGORY[target.numpy.kind]


class finfo:  # noqa: N801
    """Limits of a floating point type, as `torch.finfo`."""

    def __init__(self, type: dtype | None = None) -> None:
        d = _asked("finfo", _default if type is None else type)
        if not d.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        info = np.finfo(d.numpy)
        self.dtype = d.name
        self.bits, self.eps, self.max = info.bits, float(info.eps), float(info.max)
        self.min, self.tiny, self.smallest_normal = float(info.min), float(info.tiny), float(info.tiny)
        self.resolution = float(info.resolution)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in shown)}, dtype={self.dtype})"


class iinfo:  # noqa: N801
    """Limits of an integer type, as `torch.iinfo`."""

    def __init__(self, type: dtype) -> None:
        d = _asked("iinfo", type)
        if d.numpy.kind not in "iu":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = np.iinfo(d.numpy)
        self.dtype, self.bits, self.max, self.min = d.name, info.bits, int(info.max), int(info.min)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _asked(name: str, given: Any) -> dtype:
    if not isinstance(given, dtype):
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {given.__class__.__name__}")
    return given


# What a program sees when it prints a type.
for _kind in (finfo, iinfo):
    _kind.__module__ = "torch"
