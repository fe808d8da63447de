"""What a checkpoint may name, and what is made of the arguments that it gives, whoever wrote it."""

from __future__ import annotations

import copyreg
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from typing import Any

import numpy as np

from .. import dtypes, tensor_attributes
from ..compat.classes import KNOWN
from ..nn.parameter import Parameter, UninitializedTensorMixin
from ..ops.creation.generator import Generator
from ..ops.memory.storages import TypedStorage, UntypedStorage
from ..tensor import Tensor
from ..tensor_attributes import Size, device, layout
from . import tensors
from .tensors import REBUILDING, STORAGES, StorageType, dtype_named


def _get_layout(name: Any) -> layout:
    """The layout of that name."""
    if type(name) is str and type(found := getattr(tensor_attributes, name.removeprefix("torch."), None)) is layout:
        return found
    raise UnpicklingError("there is no such layout")


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    """Bytes, as protocol 2 has them: as a text."""
    if type(text) is not str or type(encoding) is not str or encoding not in ("latin1", "latin-1"):
        raise UnpicklingError("bytes are written as a text in latin1")
    return text.encode("latin1")


def _size(sizes: Any = ()) -> Size:
    return Size(tensors._numbers(sizes, "size"))


def _device(kind: Any = "cpu", index: Any = None) -> device:
    if type(kind) is not str or (index is not None and type(index) is not int):
        raise UnpicklingError("a device is made of a name and a number")
    return device(kind, index)


def _filled(kind: type, types: tuple[type, ...]) -> Callable[..., Any]:
    """What makes a container of another, of these types only."""

    def filled(*given: Any) -> Any:
        if len(given) > 1 or (given and type(given[0]) not in types):
            raise UnpicklingError(f"{kind.__name__} is made of {' or '.join(t.__name__ for t in types)}")
        from .unpickling import check_key

        for item in given[0] if given and kind in (set, frozenset) else ():
            check_key(item)
        return kind(*given)

    return filled


def _ordered(items: Any = ()) -> Any:
    """An ordered dict, of pairs where protocol 0 or Python 2 wrote it."""
    from .unpickling import check_key

    if type(items) not in (list, tuple) or not all(type(i) in (list, tuple) and len(i) == 2 for i in items):
        raise UnpicklingError("an OrderedDict is made of pairs")
    made: OrderedDict[Any, Any] = OrderedDict()
    for key, value in items:
        check_key(key)
        made[key] = value
    return made


def _counted(counts: Any = None) -> Any:
    if counts is not None and type(counts) is not dict:
        raise UnpicklingError("a Counter is made of a dict")
    made: Counter[Any] = Counter()
    for key, value in (counts or {}).items():
        dict.__setitem__(made, key, value)
    return made


def _queued(items: Any = (), length: Any = None) -> Any:
    if type(items) not in (list, tuple) or (length is not None and type(length) is not int):
        raise UnpicklingError("a deque is made of a list and a length")
    return deque(items, length)


def _defaulting(factory: Any = None) -> Any:
    if factory is not None and not any(factory is kind for kind in FACTORIES):
        raise UnpicklingError("a defaultdict whose values such a thing makes cannot be read here")
    return defaultdict(factory)


FACTORIES = (bool, int, float, complex, str, bytes, list, dict, tuple, set, OrderedDict, Counter)
"""What makes the values of a defaultdict, without running anything."""


def _bytearray(data: Any = b"", *latin1: Any) -> bytearray:
    if type(data) is str:
        return bytearray(_encode(data, *latin1))
    if type(data) is not bytes:
        raise UnpicklingError("a bytearray is made of bytes")
    return bytearray(data)


def _with(kind: type, *types: type) -> Callable[..., Any]:
    """What makes something of numbers, and of nothing else."""

    def made(*given: Any) -> Any:
        if not all(type(part) in types for part in given):
            raise UnpicklingError(f"{kind.__name__} is made of {', '.join(t.__name__ for t in types)}")
        return kind(*given)

    return made


def _uninitialized(kind: type) -> Callable[..., Any]:
    def made(requires_grad: Any = True, *others: Any) -> Any:
        if type(requires_grad) is not bool:
            raise UnpicklingError("requires_grad is neither True nor False")
        return kind(requires_grad)

    return made


def _placed(of: Any = None) -> Generator:
    if of is not None and type(of) is not device:
        raise UnpicklingError("a generator is made for a device")
    return Generator("cpu" if of is None else of)


# --- arrays of NumPy's ------------------------------------------------------------------------------------------------------

DTYPE = re.compile(r"[<>|=]?(?:b1|\?|[iu][1248]|f[248]|c(?:8|16)|[SU]\d{1,9})")
"""Data types of arrays without objects."""


def _dtype(text: Any, align: Any = False, copy: Any = False) -> Any:
    """NumPy's dtype of that name."""
    if type(text) is not str or not DTYPE.fullmatch(text):
        raise UnpicklingError("an array of that dtype cannot be read here")
    return np.dtype(text)


def _reconstruct(subtype: Any, shape: Any, dtype: Any) -> Any:
    """An array that gets its shape and numbers later."""
    if subtype is not np.ndarray or shape != (0,) or type(shape) is not tuple:
        raise UnpicklingError("only plain arrays can be read here")
    return np.zeros(0, "S1")


def _frombuffer(data: Any, dtype: Any, shape: Any, order: Any, axis_order: Any = None) -> Any:
    """An array of its bytes, as protocol 5 has it."""
    if axis_order is not None or type(order) is not str or order not in ("C", "F"):
        raise UnpicklingError("only plain arrays can be read here")
    return _array(data, dtype, shape, order)


def _scalar(dtype: Any, data: Any) -> Any:
    """A scalar of NumPy's."""
    return _array(data, dtype, (), "C")[()]


def _array(data: Any, dtype: Any, shape: Any, order: str) -> Any:
    sizes = tensors._numbers(shape, "shape")
    if not isinstance(dtype, np.dtype) or dtype.hasobject or dtype.fields or type(data) not in (bytes, bytearray):
        raise UnpicklingError("an array of that dtype cannot be read here")
    size = dtype.itemsize
    for n in sizes:
        if n < 0:
            raise UnpicklingError("an array cannot have a negative size")
        size *= n
    if size != len(data) or max(sizes, default=0) > 2**48:
        raise UnpicklingError("an array's shape does not fit its bytes")
    if not size:
        return np.zeros(sizes, dtype)
    if dtype.kind == "U" and np.frombuffer(data, np.dtype("u4").newbyteorder(dtype.byteorder)).max() > sys.maxunicode:
        raise UnpicklingError("an array of text has something in it that is no character")
    return np.frombuffer(bytearray(data), dtype).reshape(sizes, order=order)  # type: ignore[call-overload]


def set_array(array: Any, state: Any) -> None:
    """Give an array that was just made its shape and numbers."""
    if type(state) is not tuple or len(state) != 5 or type(state[3]) is not bool:
        raise UnpicklingError("that is no array's state")
    _, shape, dtype, fortran, data = state
    if type(data) is str:
        data = _encode(data)
    made = _array(data, dtype, shape, "F" if fortran else "C")
    array.__setstate__((1, made.shape, made.dtype, fortran, data))


def check_dtype(dtype: Any, state: Any) -> None:
    """A dtype has no state but its order of bytes."""
    if type(state) is not tuple or len(state) < 2 or type(state[1]) is not str or state[1] not in ("<", "|", "="):
        raise UnpicklingError("an array with another order of bytes cannot be read here")
    if state[2:5] != (None, None, None):
        raise UnpicklingError("an array of records cannot be read here")


# --- what only data is ------------------------------------------------------------------------------------------------------


@cache
def data_names() -> dict[str, Any]:
    """What PyTorch lets a checkpoint name where only data is expected, by dotted name."""
    found: dict[str, Any] = {
        "collections.OrderedDict": OrderedDict, "collections.Counter": Counter, "torch.nn.parameter.Parameter": Parameter,
        "torch.serialization._get_layout": _get_layout, "torch.Size": Size, "torch.Tensor": Tensor, "torch.device": device,
        "_codecs.encode": _encode, "builtins.bytearray": bytearray, "builtins.set": set, "builtins.complex": complex,
        "torch.storage.UntypedStorage": UntypedStorage, "torch._tensor._rebuild_from_type_v2": tensors._rebuild_from_type_v2,
    }  # fmt: skip
    found |= {f"torch.{d.name}": d for d in dtypes.ALL}
    found |= {f"torch._utils.{f.__name__}": f for f in REBUILDING}
    for storage, of in STORAGES.items():
        if (kind := dtype_named(of)) is not None:
            found[f"torch.{storage}"] = StorageType(kind)
    return found


@cache
def more_names() -> dict[str, Any]:
    """What else a checkpoint may name that holds no code."""
    core = {"_reconstruct": _reconstruct, "scalar": _scalar}
    found: dict[str, Any] = {
        "numpy.ndarray": np.ndarray, "numpy.dtype": np.dtype, "torch._C.Generator": Generator,
        "torch.storage._load_from_bytes": _load_from_bytes, "collections.deque": deque, "collections.defaultdict": defaultdict,
        "copyreg._reconstructor": _reconstructor, "copyreg.__newobj__": vars(copyreg)["__newobj__"],
    }  # fmt: skip
    for old in ("numpy.core", "numpy._core"):
        found |= {f"{old}.multiarray.{n}": f for n, f in core.items()} | {f"{old}.numeric._frombuffer": _frombuffer}
    plain = (bool, int, float, str, bytes, list, dict, tuple, frozenset, range, slice, object, type(None))
    found |= {f"builtins.{kind.__name__}": kind for kind in plain}
    return found


def _load_from_bytes(raw: Any) -> Any:
    """Memory, as a pickle has it that is no checkpoint: a checkpoint of its own."""
    from .objects import Objects
    from .torch_files import loaded

    if type(raw) is not bytes or raw[:2] == b"PK":
        raise UnpicklingError("memory is written as bytes")
    # Data only, and yet nothing is said of protocols and of reading it otherwise.
    only = Objects()
    only.weights_only = False
    found = loaded(raw, only)[0]
    if type(found) not in (TypedStorage, UntypedStorage):
        raise UnpicklingError("memory is a storage")
    return found


def _reconstructor(*_: Any) -> Any:
    raise UnpicklingError("objects in protocols 0 and 1 cannot be read here; use protocol 2 or newer")


@cache
def makers() -> dict[int, Callable[..., Any]]:
    """id() of what a checkpoint may call → what is called instead, with arguments from anybody."""
    made: dict[Any, Callable[..., Any]] = {
        OrderedDict: _ordered, Counter: _counted, Size: _size, device: _device, bytearray: _bytearray, deque: _queued,
        defaultdict: _defaulting, set: _filled(set, (list, tuple)), frozenset: _filled(frozenset, (list, tuple)),
        Generator: _placed,
        complex: _with(complex, float, int), range: _with(range, int), slice: _with(slice, int, type(None)),
        np.dtype: _dtype, Parameter: lambda *given: Parameter(*tensors_only(given)),
    }  # fmt: skip
    functions = (
        *REBUILDING, tensors._rebuild_from_type_v2, _get_layout, _encode, _reconstruct, _scalar, _frombuffer, _load_from_bytes,
        _reconstructor,
    )  # fmt: skip
    lazy = [kind for kind in KNOWN.values() if issubclass(kind, UninitializedTensorMixin) and issubclass(kind, Tensor)]
    return {id(f): f for f in functions} | {id(k): f for k, f in made.items()} | {id(k): _uninitialized(k) for k in lazy}


def tensors_only(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """A parameter's arguments."""
    if len(given) > 2 or not all(isinstance(part, Tensor) or type(part) is bool for part in given):
        raise UnpicklingError("a parameter is made of a tensor")
    return given


def set_generator(generator: Generator, state: Any) -> None:
    if type(state) is not tuple or len(state) != 3 or type(state[0]) is not int or not isinstance(state[2], Tensor):
        raise UnpicklingError("that is no generator's state")
    generator.manual_seed(state[0])
    generator.set_state(state[2])
