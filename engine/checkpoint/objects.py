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
from importlib import import_module
from pickle import PicklingError, UnpicklingError
from types import FunctionType
from typing import Any

import numpy as np

from ..compat.classes import name_of, named
from ..context import outside
from ..dtypes import dtype as Dtype  # noqa: N812
from ..itself import OURS
from ..nn.parameter import Parameter, UninitializedTensorMixin
from ..ops.creation.generator import Generator
from ..safe_attributes import is_special
from ..tensor import Tensor, constant
from .makers import check_dtype, data_names, makers, more_names, set_array, set_generator
from .names import Name, name
from .reductions import MULTIARRAY, REDUCED, dtype_state, is_plain
from .tensors import NO_DTYPES, STORAGES, described, lacking

ADD = (
    "Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{0}])` or the `torch.serialization.safe_globals([{0}])` context manager to "
    "allowlist this global if you trust this class/function."
)
BLOCKED = ("sys", "os", "posix", "nt")
"""Modules of which PyTorch takes nothing, whoever allows it."""
SAFE: dict[str, Any] = {}
"""What `torch.serialization.add_safe_globals` has allowed, by name."""


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
        if full in data_names():
            return data_names()[full]
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
        return makers().get(id(function))

    def real(self, thing: Any) -> Any:
        """What a name means to the reader itself, where a program sees something else."""
        return thing

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
        if module.startswith((OURS, "torch")):
            for room in ("nn.functional", "nn.init", ""):
                if getattr(import_module((OURS + room).rstrip(".")), text, None) is thing:
                    return name(f"torch.{room}".rstrip("."), text)
        raise PicklingError(f"Can't pickle {thing!r}: attribute lookup {text} on {module} failed")

    def _found(self, module: str, text: str) -> Any:
        """What a name that is about to be written will mean."""
        full = f"{module}.{text}"
        return data_names()[full] if full in data_names() else more_names()[full] if full in more_names() else named(full)

    def reduced(self, thing: Any, protocol: int) -> Any:
        """How an object is made again: a name and its arguments, a state, items and entries.

        Raises:
            TypeError: for what cannot be pickled.
        """
        kind = type(thing)
        if kind in REDUCED:
            return REDUCED[kind](thing)
        if isinstance(thing, Tensor):
            return self._tensor(thing, kind)
        if isinstance(thing, np.dtype):
            return is_plain(thing, thing) and (name("numpy", "dtype"), (thing.str[1:], False, True), dtype_state(thing))
        if isinstance(thing, np.generic):
            return is_plain(thing, thing.dtype) and (MULTIARRAY["scalar"], (thing.dtype, thing.tobytes()))
        return self._instance(thing, kind, protocol)

    def _tensor(self, thing: Tensor, kind: type) -> Any:
        if isinstance(thing, UninitializedTensorMixin):
            return self.name_of(kind), (thing.requires_grad,)
        state = {n: v for n, v in vars(thing).items() if not n.startswith("__")} or None
        given: tuple[Any, ...]
        if issubclass(kind, Parameter):
            # Its class is forgotten, as PyTorch forgets it.
            given = constant(thing._array), thing._needs, OrderedDict()
            if state is None:
                return name("torch._utils", "_rebuild_parameter"), given
            return name("torch._utils", "_rebuild_parameter_with_state"), (*given, state)
        memory, offset, size, stride = described(thing)
        given = memory, offset, size, stride, thing._needs or thing._node is not None, OrderedDict()
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
        for table in (data_names(), more_names()):
            if full in table:
                return table[full]
        self._refuse_dtype(module, name)
        known = self._class(full) if module.partition(".")[0] == "torch" else None
        return self._elsewhere(module, name) if known is None else known

    def _class(self, full: str) -> Any:
        """The class that PyTorch calls so, or None."""
        with suppress(KeyError):
            return named(full)
        return None

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
            set_array(thing, state)
        elif isinstance(thing, np.dtype):
            check_dtype(thing, state)
        elif kind is Generator:
            set_generator(thing, state)
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
        state = giver_of(kind, lambda c: True)(thing)
        return copyreg.__newobj__, (kind,), state or None  # type: ignore[attr-defined]


class Library(Anything):
    """What Python's pickle reads and writes, for checkpoints of somebody's own in a process of their own."""

    def _elsewhere(self, module: str, name: str) -> Any:
        found: Any = import_module(ENGINE.sub(OURS, f"{module}.").rstrip("."))
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


def giver_of(kind: type, ours: Callable[[type], bool]) -> Callable[[Any], Any]:
    """What gives the state of objects of a class: what the first class that is the engine's says, or the attributes."""
    for c in type.mro(kind):
        for giving in ("_pickled", "__getstate__"):
            if giving in vars(c) and c is not object and ours(c):
                return vars(c)[giving]  # type: ignore[no-any-return]
    return lambda thing: getattr(thing, "__dict__", {})


def _is_plain(kind: type) -> bool:
    """Whether an object of a class is nothing but its attributes."""
    maker: Any = kind.__new__
    return maker is object.__new__


ENGINE = re.compile(r"^(?:(?:gradtape\.)?engine|torch)\.")
"""How the names of the engine's modules begin, which has two where checkpoints are written."""


def _shown(thing: Any) -> str:
    """A class or a function in a message; of anything else its type: what it says of itself is not asked."""
    if isinstance(thing, type):
        return type.__repr__(thing)
    return repr(thing) if type(thing) is FunctionType else f"of {type.__repr__(type(thing))}"
