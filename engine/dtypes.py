"""Data types and PyTorch's rules of type promotion."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import numpy as np

Scalar = bool | int | float | complex
"""A Python number as an operand: it promotes the category of a tensor's dtype, never its width."""


FLOATING = "fV"
"""What NumPy calls the kinds of real floating point types: "V", what NumPy has not of itself, is bfloat16."""
INEXACT = "fcV"
"""The kinds of floating point and complex types, which can have gradients."""


class dtype:  # noqa: N801  (PyTorch's name)
    """A data type of tensors, such as `torch.float32`."""

    __slots__ = ("_aliases", "_numpy", "is_complex", "is_floating_point", "itemsize", "name")

    _numpy: np.dtype[Any]

    def __init__(self, name: str, numpy: Any, kind: str = "", itemsize: int = 0) -> None:
        self.name = name
        if numpy is not None:
            self._numpy = np.dtype(numpy)
            kind, itemsize = self._numpy.kind, self._numpy.itemsize
        self.is_floating_point = kind in FLOATING
        self.is_complex = kind == "c"
        self.itemsize = itemsize

    def __getattr__(self, name: str) -> Any:
        # What NumPy has not of itself: its slot is empty until somebody asks for it.
        if name == "_numpy":
            self._numpy = _extension(self.name)
            OF_NUMPY[self._numpy] = self
            return self._numpy
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    @property
    def is_signed(self) -> bool:
        """Whether the type has negative values."""
        return self._numpy.kind in "fiVc"

    def to_complex(self) -> dtype:
        """The complex type whose parts have this type."""
        if self.is_complex:
            return self
        return _complex_of(self)

    def to_real(self) -> dtype:
        """The type of the real and the imaginary part."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


complex128 = dtype("complex128", np.complex128)
complex64 = dtype("complex64", np.complex64)
bfloat16 = dtype("bfloat16", None, "V", 2)
float64 = dtype("float64", np.float64)
float32 = dtype("float32", np.float32)
float16 = dtype("float16", np.float16)
int64 = dtype("int64", np.int64)
int32 = dtype("int32", np.int32)
int16 = dtype("int16", np.int16)
int8 = dtype("int8", np.int8)
uint8 = dtype("uint8", np.uint8)
bool8 = dtype("bool", np.bool_)

ALL = (complex128, complex64, float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool8)
PYTHON: dict[Any, dtype] = {bool: bool8, complex: complex128, float: float64, int: int64}
"""What PyTorch takes Python's own types for, where a dtype is asked for."""
OF_NUMPY: dict[np.dtype[Any], dtype] = {d._numpy: d for d in ALL if d is not bfloat16}
"""The types of arrays; bfloat16's is among them once there may be arrays of it."""
LEGACY_NAMES = {
    complex128: "ComplexDoubleTensor", complex64: "ComplexFloatTensor", bfloat16: "BFloat16Tensor",
    float64: "DoubleTensor", float32: "FloatTensor", float16: "HalfTensor", int64: "LongTensor", int32: "IntTensor",
    int16: "ShortTensor", int8: "CharTensor", uint8: "ByteTensor", bool8: "BoolTensor",
}  # fmt: skip
SCALAR_NAMES = {
    complex128: "ComplexDouble", complex64: "ComplexFloat", bfloat16: "BFloat16",
    float64: "Double", float32: "Float", float16: "Half", int64: "Long", int32: "Int",
    int16: "Short", int8: "Char", uint8: "Byte", bool8: "Bool",
}  # fmt: skip
"""How PyTorch's error messages name a type ("expected scalar type Float but found Double")."""
CPP_NAMES = {
    complex128: "c10::complex<double>", complex64: "c10::complex<float>", bfloat16: "c10::BFloat16",
    float64: "double", float32: "float", float16: "c10::Half", int64: "long int", int32: "int",
    int16: "short int", int8: "signed char", uint8: "unsigned char", bool8: "bool",
}  # fmt: skip
"""How other messages name it: as C++ does."""

_CATEGORY = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
_default = float32


def _extension(name: str) -> np.dtype[Any]:
    """A type that NumPy has not of itself. What makes it is imported here, on first use: that takes 8 ms."""
    import ml_dtypes

    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found


def _complex_of(d: dtype) -> dtype:
    """The complex type whose parts have the type `d`.

    Raises:
        NotImplementedError: for half precision.
    """
    if d is float16:
        raise NotImplementedError("torch.complex32 is not supported by Gradtape")
    return complex128 if d is float64 else complex64


def complex_default() -> dtype:
    """The complex type whose parts have the default dtype."""
    return _complex_of(_default)


def complex_of(d: np.dtype[Any]) -> np.dtype[Any]:
    """NumPy's complex type whose parts have the type `d`; itself if it is complex."""
    return d if d.kind == "c" else _complex_of(OF_NUMPY[d])._numpy


def real_of(d: np.dtype[Any]) -> np.dtype[Any]:
    """NumPy's type of the parts of complex numbers of type `d`; itself if it is real."""
    return d if d.kind != "c" else OF_NUMPY[d].to_real()._numpy


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
        return bool8._numpy
    if isinstance(value, int | np.integer):
        return int64._numpy
    if isinstance(value, complex | np.complexfloating):
        return complex_default()._numpy
    return _default._numpy


def held_in(value: Any, d: np.dtype[Any]) -> Any:
    """A number as tensors of a real dtype hold it: a complex one without its imaginary part, if that is zero.

    Raises:
        RuntimeError: where it is not, and for a whole number that is too large.
    """
    if isinstance(value, complex | np.complexfloating) and d.kind not in "cb":
        if value.imag:
            kind = "int64_t" if d == int64._numpy else CPP_NAMES[OF_NUMPY[d]]
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
        return value.real
    return whole(value, d) if isinstance(value, int | float) and d.kind in "iu" else value


def whole(value: float, d: np.dtype[Any], written: str = "") -> Any:
    """A number as C++ makes it one of a dtype of whole numbers: negative ones of an unsigned dtype wrap around.

    Args:
        written: how the error names the dtype, where that is not as in C++.

    Raises:
        RuntimeError: if it is too large, or no number.
    """
    most = int(np.iinfo(d).max)
    least = -most - 1 if d.kind == "i" else -most
    if not least <= value <= most:
        kind = written or ("int" if d == int32._numpy else f"{d.name}_t")
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    value = int(value)
    return d.type(value if value >= 0 or d.kind == "i" else value + most + 1)


def promote_pair(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a result of two types of equal standing (`torch.promote_types`)."""
    if a == b:
        return a
    kinds = _CATEGORY[a.kind], _CATEGORY[b.kind]
    if kinds[0] != kinds[1]:
        low, high = (b, a) if kinds[0] > kinds[1] else (a, b)
        # A double beside complex numbers makes both parts of them doubles.
        return complex128._numpy if high.kind == "c" and low == float64._numpy else high
    if "V" in (a.kind, b.kind):
        other = b if a.kind == "V" else a
        return float32._numpy if other.itemsize == 2 else other
    # uint8 with a signed type of one byte needs two bytes; otherwise the wider one wins.
    return np.promote_types(a, b)


def result_dtype(operands: tuple[Any, ...]) -> np.dtype[Any]:
    """The type of a result: tensors with dimensions decide, then 0-d tensors, then Python numbers, each only if it is of
    a higher category (bool < integer < floating point < complex)."""
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
            # Complex numbers of a lower rank do not widen floating point ones of a higher.
            result = complex_of(result) if result is not None and d.kind == "c" and result.kind in FLOATING else d
    assert result is not None
    return result


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type to which both can be converted without losing category."""
    return OF_NUMPY[promote_pair(a._numpy, b._numpy)]


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether in-place results of `source` may be stored in `target`: a category is never lowered."""
    return _CATEGORY[source._numpy.kind] <= _CATEGORY[target._numpy.kind]


class finfo:  # noqa: N801
    """Limits of a floating point type, as `torch.finfo`."""

    def __init__(self, type: dtype | None = None) -> None:
        d = _asked("finfo", _default if type is None else type).to_real()
        if not d.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        if d is bfloat16:
            import ml_dtypes

            info: Any = ml_dtypes.finfo(d._numpy)  # type: ignore[no-untyped-call]
        else:
            info = np.finfo(d._numpy)
        self.dtype = d.name
        self.bits, self.eps, self.max = info.bits, float(info.eps), float(info.max)
        self.min, self.tiny, self.smallest_normal = float(info.min), float(info.tiny), float(info.tiny)
        self.resolution = 10.0**-info.precision

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
        if d._numpy.kind not in "iu":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = np.iinfo(d._numpy)
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


def sealed(*kinds: type, made: bool = True) -> None:
    """Let nobody inherit from classes: PyTorch's are written in C++, and what is of one of them is taken for what it says.

    Args:
        kinds: the classes.
        made: whether a program makes objects of them by calling them.
    """
    for kind in kinds:
        setattr(kind, "__init_subclass__", classmethod(partial(_not_inherited, kind)))  # noqa: B010
        if not made:
            setattr(kind, "__new__", staticmethod(partial(_not_made, kind)))  # noqa: B010


def _not_inherited(kind: type, *_: Any, **__: Any) -> NoReturn:
    raise TypeError(f"type 'torch.{kind.__name__}' is not an acceptable base type")


def _not_made(kind: type, *_: Any, **__: Any) -> NoReturn:
    raise TypeError(f"cannot create 'torch.{kind.__name__}' instances")


sealed(finfo, iinfo)
sealed(dtype, made=False)
# What a program sees when it prints a type.
for _kind in (finfo, iinfo):
    _kind.__module__ = "torch"
