"""What names in a checkpoint mean, what may be made of them, and by which names objects are written.

```
Objects               tensors, containers and numbers: what PyTorch reads where only data is expected
├── Anything          and what else is made of them without running anything: arrays, scalars, PyTorch's own classes
│   └── Library       and whatever Python's pickle would read, for somebody's own process (`utils/serialization`)
└── the sandbox's     (`sandbox/facades/saving`) adds to the second the classes of the program, by the rules of its guards
```
"""

from __future__ import annotations

import copyreg
import re
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pickle import PicklingError, UnpicklingError
from types import FunctionType
from typing import Any

import numpy as np

from .. import dtypes, tensor_attributes
from ..compat.classes import KNOWN, name_of, named
from ..context import outside
from ..dtypes import dtype as Dtype  # noqa: N812
from ..itself import OURS
from ..nn.parameter import Parameter, UninitializedTensorMixin
from ..ops.creation.generator import Generator
from ..ops.memory.storages import TypedStorage, UntypedStorage
from ..safe_attributes import is_special
from ..tensor import Tensor
from ..tensor_attributes import Size, device, layout
from . import tensors
from .tensors import NO_DTYPES, REBUILDING, STORAGES, Memory, StorageType, described, dtype_named, lacking

ADD = (
    "Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{0}])` or the `torch.serialization.safe_globals([{0}])` context manager to "
    "allowlist this global if you trust this class/function."
)
BLOCKED = ("sys", "os", "posix", "nt")
"""Modules of which PyTorch takes nothing, whoever allows it."""
SAFE: dict[str, Any] = {}
"""What `torch.serialization.add_safe_globals` has allowed, by name."""


class Name:
    """A name as it is written into a pickle."""

    __slots__ = ("module", "text")

    def __init__(self, module: str, text: str) -> None:
        self.module, self.text = module, text

    def __call__(self) -> None:
        """Python's pickler wants something to call."""


@cache
def name(module: str, text: str) -> Name:
    """The name, always the same object."""
    return Name(module, text)


# --- how things are made of what a checkpoint says ----------------------------------------------------------------------------


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
    return np.frombuffer(bytearray(data), dtype).reshape(sizes, order=order)  # type: ignore[call-overload]


def _set_array(array: Any, state: Any) -> None:
    """Give an array that was just made its shape and numbers."""
    if type(state) is not tuple or len(state) != 5 or type(state[3]) is not bool:
        raise UnpicklingError("that is no array's state")
    _, shape, dtype, fortran, data = state
    if type(data) is str:
        data = _encode(data)
    made = _array(data, dtype, shape, "F" if fortran else "C")
    array.__setstate__((1, made.shape, made.dtype, fortran, data))


def _check_dtype(dtype: Any, state: Any) -> None:
    """A dtype has no state but its order of bytes."""
    if type(state) is not tuple or len(state) < 2 or type(state[1]) is not str or state[1] not in ("<", "|", "="):
        raise UnpicklingError("an array with another order of bytes cannot be read here")
    if state[2:5] != (None, None, None):
        raise UnpicklingError("an array of records cannot be read here")


# --- what only data is ------------------------------------------------------------------------------------------------------


@cache
def data() -> dict[str, Any]:
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
def more() -> dict[str, Any]:
    """What else a checkpoint may name that holds no code."""
    core = {"_reconstruct": _reconstruct, "scalar": _scalar}
    found: dict[str, Any] = {
        "numpy.ndarray": np.ndarray, "numpy.dtype": np.dtype, "torch._C.Generator": Generator,
        "torch.storage._load_from_bytes": _load_from_bytes, "collections.deque": deque, "collections.defaultdict": defaultdict,
        "copyreg._reconstructor": _reconstructor,
    }  # fmt: skip
    for old in ("numpy.core", "numpy._core"):
        found |= {f"{old}.multiarray.{n}": f for n, f in core.items()} | {f"{old}.numeric._frombuffer": _frombuffer}
    plain = (bool, int, float, str, bytes, list, dict, tuple, frozenset, range, slice, object, type(None))
    found |= {f"builtins.{kind.__name__}": kind for kind in plain}
    return found


def _load_from_bytes(raw: Any) -> Any:
    """Memory, as a pickle has it that is no checkpoint: a checkpoint of its own."""
    from .torch_files import loaded

    if type(raw) is not bytes or raw[:2] == b"PK":
        raise UnpicklingError("memory is written as bytes")
    return loaded(raw, Objects())[0]


def _reconstructor(*_: Any) -> Any:
    raise UnpicklingError("objects in protocols 0 and 1 cannot be read here; use protocol 2 or newer")


@cache
def _makers() -> dict[int, Callable[..., Any]]:
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


class Objects:
    """What PyTorch reads where only data is expected, and everything that can be written."""

    weights_only = True

    # --- reading --------------------------------------------------------------------------------------------------------------

    def find(self, module: str, name: str) -> Any:
        """What a name means.

        Raises:
            UnpicklingError: if it is not one of those that hold data, in PyTorch's words.
        """
        full = f"{module}.{name}"
        if module in BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        if full in data():
            return data()[full]
        self._refuse_dtype(module, name)
        if full in SAFE:
            return SAFE[full]
        raise UnpicklingError(ADD.format(full.removeprefix("builtins.")))

    def _refuse_dtype(self, module: str, name: str) -> None:
        if module == "torch" and (name in STORAGES or name in NO_DTYPES):
            raise lacking(STORAGES.get(name, name))

    def reduce(self, function: Any, given: tuple[Any, ...]) -> Any:
        """What a function makes of arguments.

        Raises:
            UnpicklingError: for one that is not known.
        """
        maker = self._maker(function)
        if maker is None:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {_shown(function)}")
        try:
            return maker(*given)
        except TypeError as error:
            raise UnpicklingError(f"{_shown(function)} cannot be made of what the checkpoint gives: {error}") from None

    def _maker(self, function: Any) -> Callable[..., Any] | None:
        return _makers().get(id(function))

    def new(self, kind: type, given: tuple[Any, ...]) -> Any:
        """An object of a class, without its attributes."""
        if kind is Parameter or kind is OrderedDict or kind is Counter:
            return self.reduce(kind, given)
        raise UnpicklingError(
            f"Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got {_shown(kind)}"
        )

    def build(self, thing: Any, state: Any) -> None:
        """Give an object its state.

        Raises:
            UnpicklingError: for what may not be given one.
        """
        if type(thing) is OrderedDict:
            self._set_attributes(thing, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{_shown(type(thing))}"
            )

    def _set_attributes(self, thing: Any, state: Any) -> None:
        if type(state) is not dict or not all(type(n) is str and not is_special(n) for n in state):
            raise UnpicklingError("the state of an object is a dict of attributes")
        vars(thing).update(state)

    def extend(self, thing: Any, items: list[Any]) -> None:
        """Add items to something like a list that is none."""
        raise UnpicklingError(f"Can only extend lists, but got {_shown(type(thing))}")

    def update(self, thing: Any, pairs: list[tuple[Any, Any]]) -> None:
        """Add entries to something like a dict that is none."""
        if type(thing) not in (OrderedDict, Counter):
            raise UnpicklingError(
                "Can only SETITEMS for dict, collections.OrderedDict, collections.Counter, but got " + _shown(type(thing))
            )
        for key, value in pairs:
            thing[key] = value

    def warn_of_protocol(self, protocol: int) -> None:
        """Say that PyTorch's reader of data expects protocol 2."""
        warnings.warn(
            f"Detected pickle protocol {protocol} in the checkpoint, which was not the default pickle protocol used by "
            "`torch.load` (2). The weights_only Unpickler might not support all instructions implemented by this protocol, "
            "please file an issue for adding support if you encounter this.",
            stacklevel=outside(),
        )

    # --- writing --------------------------------------------------------------------------------------------------------------

    def name_of(self, thing: Any) -> Name:
        """By which name a class or a function is written.

        Raises:
            PicklingError: if there is none by which it would be found again.
        """
        if type(thing) is Dtype:
            return name("torch", thing.name)
        module, text = str(thing.__module__), thing.__qualname__
        if "<locals>" in text:
            raise AttributeError(f"Can't pickle local object {text!r}")
        with suppress(Exception):
            if self._found(module, text) is thing:
                return name(module, text)
        raise PicklingError(f"Can't pickle {thing!r}: attribute lookup {text} on {module} failed")

    def _found(self, module: str, text: str) -> Any:
        """What a name that is about to be written will mean."""
        full = f"{module}.{text}"
        return data()[full] if full in data() else more()[full] if full in more() else named(full)

    def reduced(self, thing: Any, protocol: int) -> Any:
        """How an object is made again: a name and its arguments, a state, items and entries.

        Raises:
            TypeError: for what cannot be pickled.
        """
        kind = type(thing)
        if kind in _REDUCED:
            return _REDUCED[kind](thing)
        if isinstance(thing, Tensor):
            return self._tensor(thing, kind)
        if isinstance(thing, np.dtype):
            return _plain_array(thing, thing) and (name("numpy", "dtype"), (thing.str[1:], False, True), _dtype_state(thing))
        if isinstance(thing, np.generic):
            return _plain_array(thing, thing.dtype) and (_MULTIARRAY["scalar"], (thing.dtype, thing.tobytes()))
        return self._instance(thing, kind, protocol)

    def _tensor(self, thing: Tensor, kind: type) -> Any:
        if isinstance(thing, UninitializedTensorMixin):
            return self.name_of(kind), (thing.requires_grad,)
        state = {n: v for n, v in vars(thing).items() if not n.startswith("__")} or None
        given: tuple[Any, ...]
        if issubclass(kind, Parameter):
            # Its class is forgotten, as PyTorch forgets it.
            given = thing.data, thing.requires_grad, OrderedDict()
            if state is None:
                return name("torch._utils", "_rebuild_parameter"), given
            return name("torch._utils", "_rebuild_parameter_with_state"), (*given, state)
        memory, offset, size, stride = described(thing)
        given = memory, offset, size, stride, thing.requires_grad, OrderedDict()
        rebuild = name("torch._utils", "_rebuild_tensor_v2")
        if kind is Tensor and state is None:
            return rebuild, given
        return name("torch._tensor", "_rebuild_from_type_v2"), (rebuild, kind, given, state or {})

    def _instance(self, thing: Any, kind: type, protocol: int) -> Any:
        """How an object of another class is made again."""
        raise TypeError(f"cannot pickle '{kind.__name__}' object")


class Anything(Objects):
    """Whatever is made without running anything of a file's: arrays, scalars, objects of the engine's classes."""

    weights_only = False

    def find(self, module: str, name: str) -> Any:
        """What a name means.

        Raises:
            UnpicklingError: if it is nothing that a checkpoint may name here.
        """
        full = f"{module}.{name}"
        for table in (data(), more()):
            if full in table:
                return table[full]
        self._refuse_dtype(module, name)
        if module.partition(".")[0] == "torch":
            with suppress(KeyError):
                return named(full)
        return self._elsewhere(module, name)

    def _elsewhere(self, module: str, name: str) -> Any:
        raise UnpicklingError(f"The pickle names {module}.{name}, which cannot be read here.")

    def reduce(self, function: Any, given: tuple[Any, ...]) -> Any:
        """What a function makes of arguments."""
        if function is copyreg.__newobj__ and given:  # type: ignore[attr-defined]
            return self.new(given[0], given[1:])
        return super().reduce(function, given)

    def new(self, kind: type, given: tuple[Any, ...]) -> Any:
        """An object of a class, without its attributes."""
        if self._maker(kind) is not None:
            return self.reduce(kind, given)
        if name_of(kind) is not None and issubclass(kind, tuple) and len(given) == len(getattr(kind, "_fields", ())):
            return tuple.__new__(kind, given)
        if name_of(kind) is None or issubclass(kind, Tensor) or not _is_plain(kind) or given:
            raise UnpicklingError(f"an object of {_shown(kind)} cannot be read here")
        return object.__new__(kind)

    def build(self, thing: Any, state: Any) -> None:
        """Give an object its state."""
        kind = type(thing)
        if kind is np.ndarray:
            if thing.shape != (0,) or thing.dtype != "S1":
                raise UnpicklingError("an array is given its state once")
            _set_array(thing, state)
        elif isinstance(thing, np.dtype):
            _check_dtype(thing, state)
        elif kind is Generator:
            _set_generator(thing, state)
        elif kind is OrderedDict or kind is defaultdict:
            self._set_attributes(thing, state)
        else:
            self._set_state(thing, state)

    def _set_state(self, thing: Any, state: Any) -> None:
        if name_of(type(thing)) is None or isinstance(thing, Tensor):
            raise UnpicklingError(f"an object of {_shown(type(thing))} cannot be given a state")
        self._check_state(thing, state)
        taking = getattr(type(thing), "__setstate__", None)
        if taking is None:
            vars(thing).update(state)
        else:
            taking(thing, state)

    def _check_state(self, thing: Any, state: Any) -> None:
        if type(state) is not dict or not all(type(n) is str and not is_special(n) for n in state):
            raise UnpicklingError("the state of an object is a dict of attributes")

    def extend(self, thing: Any, items: list[Any]) -> None:
        """Add items to something like a list."""
        if type(thing) is not deque:
            super().extend(thing, items)
        thing.extend(items)

    def update(self, thing: Any, pairs: list[tuple[Any, Any]]) -> None:
        """Add entries to something like a dict."""
        if type(thing) is not defaultdict:
            super().update(thing, pairs)
            return
        for key, value in pairs:
            thing[key] = value

    # --- writing --------------------------------------------------------------------------------------------------------------

    def _instance(self, thing: Any, kind: type, protocol: int) -> Any:
        if name_of(kind) is not None and issubclass(kind, tuple):
            return copyreg.__newobj__, (kind, *tuple(thing))  # type: ignore[attr-defined]
        if name_of(kind) is None or not _is_plain(kind):
            return super()._instance(thing, kind, protocol)
        giving: Any = getattr(kind, "__getstate__", None)
        state = vars(thing) if giving is None or giving is getattr(object, "__getstate__", None) else giving(thing)
        return copyreg.__newobj__, (kind,), state or None  # type: ignore[attr-defined]


class Library(Anything):
    """What Python's pickle reads and writes, for checkpoints of somebody's own in a process of their own."""

    def _elsewhere(self, module: str, name: str) -> Any:
        found: Any = import_module(ENGINE.sub(OURS, module))
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def _maker(self, function: Any) -> Callable[..., Any] | None:
        return super()._maker(function) or (function if callable(function) else None)

    def new(self, kind: type, given: tuple[Any, ...]) -> Any:
        """An object of a class, without its attributes."""
        if super()._maker(kind) is not None:
            return self.reduce(kind, given)
        made: Any = kind
        return made.__new__(made, *given)

    def _set_state(self, thing: Any, state: Any) -> None:
        if hasattr(thing, "__setstate__"):
            thing.__setstate__(state)
            return
        attributes, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
        vars(thing).update(attributes or {}) if attributes else None
        for n, value in (slots or {}).items():
            setattr(thing, n, value)

    def extend(self, thing: Any, items: list[Any]) -> None:
        """Add items to something like a list."""
        for item in items:
            thing.append(item)

    def update(self, thing: Any, pairs: list[tuple[Any, Any]]) -> None:
        """Add entries to something like a dict."""
        for key, value in pairs:
            thing[key] = value

    def _found(self, module: str, text: str) -> Any:
        try:
            return super()._found(module, text)
        except (KeyError, ModuleNotFoundError):
            found: Any = import_module(module)
            for part in text.split("."):
                found = getattr(found, part)
            return found

    def _instance(self, thing: Any, kind: type, protocol: int) -> Any:
        if name_of(kind) is not None:
            slots = hasattr(kind, "__slots__") and not issubclass(kind, tuple)
            return object.__reduce_ex__(thing, 2) if slots else super()._instance(thing, kind, protocol)
        made = copyreg.dispatch_table.get(kind)
        return made(thing) if made is not None else thing.__reduce_ex__(protocol)


def _is_plain(kind: type) -> bool:
    """Whether an object of a class is nothing but its attributes."""
    maker: Any = kind.__new__
    return maker is object.__new__


ENGINE = re.compile(r"^(?:gradtape\.)?engine\.")
"""How the names of the engine's modules begin, which has two where checkpoints are written."""


def _set_generator(generator: Generator, state: Any) -> None:
    if type(state) is not tuple or len(state) != 3 or type(state[0]) is not int or not isinstance(state[2], Tensor):
        raise UnpicklingError("that is no generator's state")
    generator.manual_seed(state[0])
    generator.set_state(state[2])


def _shown(thing: Any) -> str:
    """A class or a function in a message; of anything else its type: what it says of itself is not asked."""
    if isinstance(thing, type):
        return type.__repr__(thing)
    return repr(thing) if type(thing) is FunctionType else f"of {type.__repr__(type(thing))}"


# --- how things are written -------------------------------------------------------------------------------------------------

_MULTIARRAY = {n: name("numpy._core.multiarray", n) for n in ("_reconstruct", "scalar")}


def _plain_array(thing: Any, dtype: Any) -> bool:
    """Whether an array or a scalar is one of numbers or texts.

    Raises:
        TypeError: if it is not.
    """
    if not DTYPE.fullmatch(dtype.str):
        raise TypeError(f"cannot pickle an array of dtype {dtype} here")
    return True


def _dtype_state(dtype: Any) -> tuple[Any, ...]:
    width, order = (dtype.itemsize, dtype.alignment) if dtype.kind in "SU" else (-1, -1)
    return 3, dtype.str[0], None, None, None, width, order, 0


def _array_reduced(array: Any) -> Any:
    _plain_array(array, array.dtype)
    fortran = bool(array.flags.f_contiguous and not array.flags.c_contiguous)
    state = 1, array.shape, array.dtype, fortran, array.tobytes("F" if fortran else "C")
    return _MULTIARRAY["_reconstruct"], (np.ndarray, (0,), b"b"), state


def memory_of(thing: Any) -> Memory | None:
    """The memory that something is, if it is memory."""
    if type(thing) in (TypedStorage, UntypedStorage):
        return Memory(thing._flat, type(thing) is TypedStorage)
    return thing if type(thing) is Memory else None


def _storage_reduced(thing: Any) -> Any:
    from .torch_files import legacy_written

    memory = memory_of(thing)
    assert memory is not None
    return name("torch.storage", "_load_from_bytes"), (legacy_written(memory, Objects()),)


def _generator_reduced(generator: Any) -> Any:
    return name("torch._C", "Generator"), (device("cpu"),), (generator.initial_seed(), None, generator.get_state())


_REDUCED: dict[type, Callable[[Any], Any]] = {
    OrderedDict: lambda x: (OrderedDict, (), vars(x) or None, None, iter(list(x.items()))),
    Counter: lambda x: (Counter, (dict(x),)),
    defaultdict: lambda x: (defaultdict, (x.default_factory,), None, None, iter(list(x.items()))),
    deque: lambda x: (deque, ((), x.maxlen) if x.maxlen is not None else (), None, iter(list(x))),
    Size: lambda x: (Size, (tuple(x),)),
    device: lambda x: (device, (x.type,) if x.index is None else (x.type, x.index)),
    layout: lambda x: (name("torch.serialization", "_get_layout"), (repr(x),)),
    complex: lambda x: (complex, (x.real, x.imag)),
    range: lambda x: (range, (x.start, x.stop, x.step)),
    slice: lambda x: (slice, (x.start, x.stop, x.step)),
    np.ndarray: _array_reduced,
    Memory: _storage_reduced,
    TypedStorage: _storage_reduced,
    UntypedStorage: _storage_reduced,
    Generator: _generator_reduced,
}
