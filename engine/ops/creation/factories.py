"""Making tensors from Python values, and of one value throughout."""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from ... import dtypes
from ...compat.signatures import invalid_combination
from ...context import beyond, context, outside, warn_once
from ...cuda import NOT_COMPILED
from ...dtypes import dtype as Dtype
from ...errors import too_many_dims
from ...memory_layout import placed
from ...op.declare import created, function
from ...op.layouts import in_memory, strides_in, watch
from ...tensor import Tensor, constant, inference
from ...tensor_attributes import as_device, default_device, preserve_format
from ..shape.dimensions import sizes
from .rows import between, from_on, powers


@overload
def creation(f: Callable[..., Tensor]) -> Callable[..., Tensor]: ...
@overload
def creation(*, traits: str = "", follows: bool = True) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]: ...
def creation(f: Callable[..., Tensor] | None = None, *, traits: str = "", follows: bool = True) -> Callable[..., Any]:
    """Register a function that makes tensors of what is no tensor: handles `requires_grad` and tells the observer.

    Args:
        follows: whether the tensors lie on the default device where nothing else is said.
    """
    return functools.partial(_creation, traits=traits, follows=follows) if f is None else _creation(f, traits, follows)


def _creation(f: Callable[..., Tensor], traits: str, follows: bool = True) -> Callable[..., Tensor]:
    declared = created(f.__name__.lstrip("_"), f"creation {traits}")
    sizes = next((p.name for p in inspect.signature(f).parameters.values() if p.kind is p.VAR_POSITIONAL), "")

    def make(
        *args: Any,
        requires_grad: bool = False,
        device: Any = None,
        pin_memory: bool = False,
        layout: Any = None,
        **kwargs: Any,
    ) -> Tensor:
        elsewhere = follows and on_meta(device, args)
        if kwargs.get("dtype").__class__ is type:
            kwargs["dtype"] = dtypes.PYTHON.get(kwargs["dtype"], kwargs["dtype"])
        if sizes in kwargs:
            if args:
                raise TypeError(f"{f.__name__}() got multiple values for argument '{sizes}'")
            args = (kwargs.pop(sizes),)
        try:
            tensor = on_the_meta_device(f, args, kwargs) if elsewhere else f(*args, **kwargs)
        except ValueError as error:
            raise too_many_dims(error) or error from None
        if requires_grad:
            if tensor._array.dtype.kind not in dtypes.INEXACT:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            tensor._needs = True
        if context.layouts is None and not tensor._array.flags.c_contiguous:
            watch()
        if context.inference:
            inference((tensor,))
        if context.observer is not None:
            context.observer.op(declared, args, tensor, None)
        return tensor

    make.__name__, make.__doc__, make.__module__ = f.__name__, f.__doc__, f.__module__
    make.__wrapped__ = f  # type: ignore[attr-defined]
    return function(make)


def on_cpu(where: Any) -> None:
    """Refuse any device but the CPU, in PyTorch's words."""
    where = default_device() if where is None else as_device(where)
    if where.type != "cpu":
        raise not_there(where.type)


def on_meta(where: Any, given: tuple[Any, ...] = ()) -> bool:
    """Whether tensors are made on the meta device: it is named, or it is where a tensor lies that others are made like."""
    if where is None:
        if given and isinstance(given[0], Tensor):
            return given[0].is_meta
        where = default_device()
    else:
        where = as_device(where)
    if where.type not in ("cpu", "meta"):
        raise not_there(where.type)
    return bool(where.type == "meta")


def on_the_meta_device(f: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """What a function makes, without elements: told from its arguments where they are a shape, or a tensor to be like."""
    first = next(iter(inspect.signature(f).parameters.values()))
    d = kwargs.get("dtype")
    size = args or (kwargs.get("size"),)
    if first.kind is first.VAR_POSITIONAL and first.name == "size":
        return meta(positive(sizes(size)), _numpy_dtype(d))
    if first.name == "size":
        value = args[1] if len(args) > 1 else kwargs["fill_value"]
        return meta(positive(sizes((args[0] if args else kwargs["size"],))), _numpy_dtype(d, dtypes.of_scalar(value)))
    if first.name == "input":
        like = (args[0] if args else kwargs["input"])._array
        return meta(like.shape, _numpy_dtype(d, like.dtype))
    made = f(*args, **kwargs)._array
    return meta(made.shape, made.dtype)


def meta(shape: Any, dtype: Any) -> Tensor:
    """A tensor on the meta device."""
    from ...stand_ins import settled, standing
    from ...stand_ins.meta import Meta

    context.absent = settled
    return constant(standing(Meta, shape, dtype))


def not_there(kind: str) -> Exception:
    """What PyTorch, built for the CPU, says of another kind of device."""
    if kind == "cuda":
        return AssertionError(NOT_COMPILED)
    if kind == "xpu":
        return AssertionError("Torch not compiled with XPU enabled")
    return RuntimeError(f"PyTorch is not linked with support for {kind} devices")


def as_array(data: Any, target: Dtype | None = None) -> np.ndarray[Any, Any]:
    """Nested lists of numbers and tensors as an array of the dtype PyTorch would infer; with all digits, where it is to become
    one of another dtype.

    Raises:
        ValueError, TypeError: as PyTorch, for ragged lists and things that are not numbers.
    """
    if isinstance(data, Tensor):
        return data._array
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data).view()
        if array.dtype not in dtypes.OF_NUMPY:
            raise TypeError(
                f"can't convert np.ndarray of type numpy.{array.dtype}. The only supported types are: float64, "
                "float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
            )
        return array
    if isinstance(data, bool):
        return np.asarray(data)
    if isinstance(data, int):
        return np.asarray(data, dtype=np.int64)
    if isinstance(data, float):
        return np.asarray(data, dtype=(dtypes.float64 if target else dtypes.get_default_dtype())._numpy)
    if isinstance(data, complex):
        return np.asarray(data, dtype=(dtypes.complex128 if target else dtypes.complex_default())._numpy)
    if isinstance(data, str) or not hasattr(data, "__len__"):
        if isinstance(data, str):
            raise TypeError("new(): invalid data type 'str'")
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    if isinstance(data, list) and data and isinstance(data[0], np.ndarray):
        warn_once(LIST_OF_ARRAYS, 4)
    shape, flat = _flatten(data)
    if not flat:
        return np.zeros(shape, dtypes.get_default_dtype()._numpy)
    if len(shape) > 1 and context.observer is not None:
        # What a flat list holds, the observer is told as the creation's own inputs.
        for x in flat:
            if isinstance(x, Tensor):
                context.observer.read(x, "tensor")
    arrays = [as_array(x, target) for x in flat]
    d = arrays[0].dtype
    for a in arrays[1:]:
        d = dtypes.promote_pair(d, a.dtype)
    return np.asarray([a.item() for a in arrays], dtype=d).reshape(shape)


def _flatten(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of nested lists and their elements in order."""
    shape: list[int] = []
    level = [data]
    while level and _is_sequence(level[0]):
        n = len(level[0])
        # Beside a list, a tensor is taken for one.
        level = [item.unbind(0) if isinstance(item, Tensor) and item._array.ndim else item for item in level]
        for item in level:
            if not _is_sequence(item):
                raise TypeError(f"expected sequence of length {n} at dim {len(shape)}")
            if len(item) != n:
                raise ValueError(f"expected sequence of length {n} at dim {len(shape)} (got {len(item)})")
        shape.append(n)
        level = [x for item in level for x in item]
    for x in level:
        if _is_sequence(x):
            raise TypeError("not a sequence")
        if isinstance(x, Tensor) and x._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
    return tuple(shape), level


def _is_sequence(x: Any) -> bool:
    """Whether something is taken apart. Tensors are not: of those in a list, each stands for its one element."""
    if isinstance(x, Tensor):
        return False
    if isinstance(x, np.ndarray):
        return x.ndim > 0
    return isinstance(x, list | tuple | range) or (hasattr(x, "__len__") and not isinstance(x, str | np.generic))


def _numpy_dtype(d: Dtype | None, otherwise: Any = None) -> Any:
    if d is None:
        return otherwise if otherwise is not None else dtypes.get_default_dtype()._numpy
    if not isinstance(d, Dtype):
        raise TypeError(f"dtype must be a torch.dtype, not {type(d).__name__}")
    return d._numpy


@creation(traits="leaf")
def tensor(data: Any, *, dtype: Dtype | None = None) -> Tensor:
    """A leaf holding a copy of `data`: a number, nested lists, an array, or another tensor."""
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=beyond(3),
        )
    array = as_array(data, dtype)
    if array.dtype.kind == "c" and dtype is not None and not dtype.is_complex:
        if not isinstance(data, Tensor | np.ndarray):
            raise TypeError("must be real number, not complex")
        array = array.real
    if dtype is not None and array.dtype.kind == "i" and array.size and not isinstance(data, Tensor | np.ndarray):
        target = dtype._numpy
        if target.kind in "iu" and target.itemsize < array.itemsize:
            for value in (array.min(), array.max()):
                dtypes.whole(int(value), target, target.name)
    return constant(np.array(array, dtype=None if dtype is None else dtype._numpy))


@creation(traits="leaf")
def _as_tensor(data: Any, dtype: Dtype | None = None) -> Tensor:
    """`data` as a new tensor, sharing memory with an array of the right dtype."""
    if isinstance(data, np.ndarray):
        _may_be_written(data)
    array = as_array(data, dtype)
    return constant(array if dtype is None else array.astype(dtype._numpy, copy=False))


@creation(traits="leaf", follows=False)
def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    _may_be_written(array)
    return constant(as_array(array))


def wrapped_array(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """`Tensor.__array_wrap__`: what NumPy's functions make of a tensor is one again, truth values of bytes."""
    return constant(as_array(array.astype(np.uint8) if array.dtype == bool else array))


def _may_be_written(array: np.ndarray[Any, Any]) -> None:
    """Warn, as PyTorch does, of memory that a tensor will share and nobody may write."""
    if not array.flags.writeable:
        warn_once(NOT_WRITABLE, 4)


NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to this "
    "tensor "
    "will result in undefined behavior. You may want to copy the array to protect its data or make it writable before "
    "converting "
    "it to a tensor. This type of warning will be suppressed for the rest of this program."
)
LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single "
    "numpy.ndarray with numpy.array() before converting to a tensor."
)


def positive(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape, refused if a length is negative."""
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")
    return shape


@creation(traits="sized")
def zeros(*size: Any, dtype: Dtype | None = None) -> Tensor:
    """Zeros."""
    if min(sizes(size), default=0) < 0:
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return constant(np.zeros(sizes(size), _numpy_dtype(dtype)))


@creation(traits="sized")
def ones(*size: Any, dtype: Dtype | None = None) -> Tensor:
    """Ones."""
    return constant(np.ones(positive(sizes(size)), _numpy_dtype(dtype)))


@creation(traits="sized uninitialized")
def empty(*size: Any, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """A tensor whose elements are of no account (zeros here, so that runs repeat)."""
    if memory_format is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    array = np.zeros(positive(sizes(size)), _numpy_dtype(dtype))
    return constant(array if memory_format is None else in_memory(array, memory_format))


@creation
def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None) -> Tensor:
    """`fill_value` everywhere."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    target = _numpy_dtype(dtype, dtypes.of_scalar(value))
    return constant(np.full(positive(sizes((size,))), dtypes.held_in(value, target), target))


@creation
def scalar_tensor(value: Any, *, dtype: Dtype | None = None) -> Tensor:
    """A 0-d tensor, of the default dtype unless said otherwise."""
    return constant(np.asarray(value, dtype=_numpy_dtype(dtype)))


@creation(traits="sized")
def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None) -> Tensor:
    """The identity matrix, (n, m)."""
    for name, length in (("n", n), ("m", m)):
        if length is not None and length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    return constant(np.eye(n, m, dtype=_numpy_dtype(dtype)))


@creation
def arange(*bounds: Any, start: Any = None, end: Any = None, step: Any = None, dtype: Dtype | None = None) -> Tensor:
    """Numbers from `start` (0) up to but not including `end`, `step` (1) apart."""
    if dtype is not None and dtype._numpy.kind == "b":
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    values = [b.item() if isinstance(b, Tensor) else b for b in bounds]
    first, last, by = 0, end, 1
    if len(values) == 1 and end is None:
        last = values[0]
    elif len(values) == 1:
        first = values[0]
    elif len(values) > 1:
        first, last = values[:2]
        by = values[2] if len(values) > 2 else 1
    first, by = first if start is None else start, by if step is None else step
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if (last - first) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    inferred = np.dtype(np.int64) if all(isinstance(v, int) for v in (first, last, by)) else None
    n = max(math.ceil((last - first) / by), 0)
    if inferred is None and (dtype is None or dtype.is_floating_point):
        return constant(from_on(first, by, n, np.dtype(_numpy_dtype(dtype))))
    return constant((first + by * np.arange(n)).astype(_numpy_dtype(dtype, inferred)))


def _ends(name: str, start: Any, end: Any, steps: Any) -> tuple[Any, Any]:
    """The ends of a range of so many steps as numbers."""
    if not isinstance(steps, int):
        raise invalid_combination(name, start, end, steps)
    dims = [x._array.ndim if isinstance(x, Tensor) else 0 for x in (start, end)]
    if any(dims):
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got start with {dims[0]} dimension(s) and end "
            f"with {dims[1]} dimension(s)."
        )
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    first, last = [x.item() if isinstance(x, Tensor) else x for x in (start, end)]
    return first, last


@creation
def linspace(start: Any, end: Any, steps: int, *, dtype: Dtype | None = None) -> Tensor:
    """`steps` numbers from `start` to `end`, evenly apart, both included."""
    start, end = _ends("linspace", start, end, steps)
    twisted = isinstance(start, complex) or isinstance(end, complex)
    target = np.dtype(_numpy_dtype(dtype, dtypes.complex_default()._numpy if twisted else None))
    return constant(between(start, end, steps, target))


@creation
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Dtype | None = None) -> Tensor:
    """`steps` numbers from `base ** start` to `base ** end`, evenly apart in the exponent."""
    start, end = _ends("logspace", start, end, steps)
    target = np.dtype(_numpy_dtype(dtype))
    return constant(powers(base, start, end, steps, target))


def _like(input: Tensor, value: Any, dtype: Dtype | None, memory_format: Any) -> Tensor:
    target = _numpy_dtype(dtype, input._array.dtype)
    if input.is_sparse and not value:
        return constant(np.zeros_like(input._array, target))
    return constant(like(input, np.full(input._array.shape, dtypes.held_in(value, target), target), memory_format))


def like(input: Tensor, array: np.ndarray[Any, Any], memory_format: Any) -> np.ndarray[Any, Any]:
    """A new array of the shape of `input` in a memory format; None is `preserve_format`."""
    if memory_format is None and context.layouts is None:
        return array
    return placed(array, strides_in(input._array, memory_format))


@creation
def zeros_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """Zeros in the shape and dtype of `input`."""
    return _like(input, 0, dtype, memory_format)


@creation
def ones_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """Ones in the shape and dtype of `input`."""
    return _like(input, 1, dtype, memory_format)


@creation(traits="uninitialized")
def empty_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """A tensor in the shape and dtype of `input` whose elements are of no account (zeros here)."""
    return _like(input, 0, dtype, memory_format)


@creation
def full_like(input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """`fill_value` everywhere, in the shape and dtype of `input`."""
    return _like(input, fill_value, dtype, memory_format)


def _new(f: Callable[..., Tensor]) -> Any:
    def make(self: Tensor, *args: Any, dtype: Dtype | None = None, **named: Any) -> Tensor:
        if self.is_meta:
            named.setdefault("device", "meta")
        return f(*args, dtype=dtype or self.dtype, **named)

    make.__name__, make.__doc__ = f"new_{f.__name__}", f"`torch.{f.__name__}(...)` of this tensor's dtype."
    return make


def new_tensor(self: Tensor, data: Any, *, dtype: Dtype | None = None, **named: Any) -> Tensor:
    """`torch.tensor(...)` of this tensor's dtype."""
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor).",
            UserWarning,
            stacklevel=outside(),
        )
    made: Tensor = _new_tensor(data, dtype=dtype or self.dtype, **named)
    return made


@creation(traits="leaf")
def _new_tensor(data: Any, *, dtype: Dtype) -> Tensor:
    """A new leaf of `data` in `dtype`: what `tensor.new_tensor` makes."""
    return constant(np.array(as_array(data, dtype), dtype=dtype._numpy))


METHODS = {f"new_{f.__name__}": _new(f) for f in (zeros, ones, empty, full)} | {"new_tensor": new_tensor}
"""Methods of tensors that make other tensors."""
