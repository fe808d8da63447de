"""The objects of a program in checkpoints and pickles: how they are written and made again under the guards of one world.

A program's classes are written and read by rules of our own, as they are copied (`policy/copying.py`): none of its methods is
asked, and a state becomes an object's attributes only as far as the program could set them itself.
"""

from __future__ import annotations

import copyreg
import enum
import pickle as python
import sys
import types
from collections import OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from ...checkpoint.names import Name, name
from ...checkpoint.objects import SAFE, Anything, Objects, giver_of
from ...compat.classes import KNOWN, name_of
from ...tensor import Tensor
from ..policy.copying import KEPT
from ..policy.errors import PolicyError
from ..policy.guards import Guards
from ..policy.inert import real
from ..policy.names import may_inject
from ..policy.unbound import MAIN, names_of
from . import mended
from .facade import Facade

HELP = "Save tensors, state dicts, containers and objects of classes that stand at the top of the program."
MENDED = {deque: mended.deque, defaultdict: mended.defaultdict}
"""Python's types, and what programs have in their place."""
VALUES = (int, float, complex, str, bytes, tuple)
"""Types whose objects are given what they hold when they are made."""
CONTAINERS = (list, dict, OrderedDict)


class Guarded(Anything):
    """What a program may load and save: what holds data, PyTorch's classes that it may name, and its own."""

    def __init__(self, guards: Guards, modules: dict[str, Any], *, weights_only: bool = False) -> None:
        self._guards, self._modules, self.weights_only = guards, modules, weights_only
        self._names = program_names(guards)

    # --- names ----------------------------------------------------------------------------------------------------------------

    def find(self, module: str, name: str) -> Any:
        """What a name means to a program: types that it may not have are look-alikes."""
        found = Objects.find(self, module, name) if self.weights_only else super().find(module, name)
        if module.partition(".")[0] == "numpy":
            self._guards.noticed("arrays")
        if isinstance(found, type):
            found = next((ours for kind, ours in MENDED.items() if kind is found), found)
            if not self._guards.is_own(found) and found not in self._guards.known:
                return self._guards.shown(found)
        return found

    def _class(self, full: str) -> Any:
        # All that programs can name is loaded; nothing else is for them.
        return KNOWN.get(full)

    def _elsewhere(self, module: str, name: str) -> Any:
        if module == MAIN:
            return self._own(name)
        facade = self._modules.get(module)
        if module.partition(".")[0] == "torch" and isinstance(facade, Facade) and "." not in name:
            found = vars(facade).get(name)
            if isinstance(found, types.FunctionType):
                return found
        raise PolicyError(f"the pickle names {module}.{name}, which is not available to programs here", HELP)

    def _own(self, path: str) -> Any:
        """A class or a function of the program.

        Raises:
            AttributeError: if there is none of that name.
        """
        names: Any = self._names
        found: Any = None
        for part in path.split("."):
            found = dict.get(names, part) if type(names) is dict else names.get(part)
            own = isinstance(found, type) and self._guards.is_own(found)
            if not own and not self._guards.is_own_function(found):
                raise AttributeError(f"Can't get attribute {path!r} on <module '__main__'>")
            names = names_of(found) if own else {}
        return found

    def name_of(self, thing: Any) -> Name:
        """By which name a class or a function is written."""
        if isinstance(thing, type):
            thing = real(thing)
            if thing in MENDED.values():
                return name("collections", thing.__name__)
            if not self._guards.is_own(thing):
                return super().name_of(thing)
        elif type(thing) is not types.FunctionType:
            return super().name_of(thing)
        elif not self._guards.is_own_function(thing):
            return self._name_of_ours(thing)
        text = thing.__qualname__
        if "<locals>" in text.split("."):
            if thing.__name__ != "<lambda>":
                raise AttributeError(f"Can't pickle local object {text!r}")
        else:
            try:
                if self._own(text) is thing:
                    return name(MAIN, text)
            except AttributeError:
                pass
        shown = type.__repr__(thing) if isinstance(thing, type) else repr(thing)
        raise python.PicklingError(f"Can't pickle {shown}: attribute lookup {text} on __main__ failed")

    def _name_of_ours(self, function: Any) -> Name:
        """The name of a function of PyTorch's."""
        for module in ("torch.nn.functional", "torch", *(m for m in self._modules if m.startswith("torch."))):
            facade = self._modules.get(module)
            if isinstance(facade, Facade):
                for n, value in vars(facade).items():
                    if value is function:
                        return name(module, n)
        raise python.PicklingError(f"Can't pickle {function!r}: it is not found by its name")

    # --- reading --------------------------------------------------------------------------------------------------------------

    def reduce(self, function: Any, given: tuple[Any, ...]) -> Any:
        """What a function makes of arguments."""
        kind = real(function)
        given = tuple([real(part) for part in given])
        if isinstance(kind, type) and self._guards.is_own(kind):
            return self._member(kind, given)
        for python_kind, ours in MENDED.items():
            if kind is ours:
                if python_kind is defaultdict:
                    return self._defaulting(given)
                plain = super().reduce(deque, given)
                return ours(plain, plain.maxlen)
        found = super().reduce(kind, given) if not self.weights_only else Objects.reduce(self, kind, given)
        if isinstance(found, (np.ndarray, np.generic)):
            self._guards.noticed("arrays")
        return found

    def real(self, thing: Any) -> Any:
        """What stands behind a look-alike."""
        return real(thing)

    def _defaulting(self, given: tuple[Any, ...]) -> Any:
        factory = given[0] if given else None
        own = self._guards.is_own_function(factory) or (isinstance(factory, type) and self._guards.is_own(factory))
        if own and len(given) == 1:
            return mended.defaultdict(factory)
        return mended.defaultdict(super().reduce(defaultdict, given).default_factory)

    def _member(self, kind: Any, given: tuple[Any, ...]) -> Any:
        """A member of an enumeration of the program."""
        if issubclass(kind, enum.Enum) and len(given) == 1 and type(given[0]) in (int, str, float, bool):
            for member in kind.__members__.values():
                if type(member._value_) is type(given[0]) and member._value_ == given[0]:
                    return member
        raise python.UnpicklingError(f"an object of {type.__repr__(kind)} cannot be read here")

    def new(self, kind: type, given: tuple[Any, ...]) -> Any:
        """An object of a class, without its attributes, and without asking the class."""
        kind = real(kind)
        if self.weights_only and not any(kind is safe for safe in SAFE.values()):
            return Objects.new(self, kind, given)
        if kind in MENDED.values():
            return self.reduce(kind, given)
        if not self._guards.is_own(kind):
            if kind not in self._guards.known:
                raise python.UnpicklingError(f"an object of {type.__repr__(kind)} cannot be read here")
            return super().new(kind, given)
        maker = _maker_of(self._guards, kind)
        if maker is object or maker in CONTAINERS or maker in MENDED.values():
            if not given:
                return maker.__new__(kind)
        elif maker is tuple and hasattr(kind, "_fields"):
            if type(kind._fields) is tuple and len(given) == len(kind._fields):
                return tuple.__new__(kind, given)
        elif maker in VALUES and len(given) <= 1 and all(type(part) is maker for part in given):
            return maker.__new__(kind, *given)
        elif maker is complex and len(given) == 2 and all(type(part) is float for part in given):
            return complex.__new__(kind, *given)
        raise python.UnpicklingError(f"an object of {type.__repr__(kind)} cannot be read here")

    def build(self, thing: Any, state: Any) -> None:
        """Give an object its state, as far as the program could."""
        if self.weights_only and not any(type(thing) is safe for safe in SAFE.values()):
            Objects.build(self, thing, state)
        else:
            super().build(thing, state)

    def _set_attributes(self, thing: Any, state: Any) -> None:
        if type(state) is not dict or not all(map(may_inject, state)):
            raise python.UnpicklingError("the state of an object is a dict of attributes")
        vars(thing).update(state)

    def _set_state(self, thing: Any, state: Any) -> None:
        kind = type(thing)
        own = self._guards.is_own(kind)
        if not own and (name_of(kind) is None or isinstance(thing, Tensor)):
            raise python.UnpicklingError(f"an object of {type.__repr__(kind)} cannot be given a state")
        attributes, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
        for part in (attributes, slots):
            if part is not None and type(part) is not dict:
                raise python.UnpicklingError("the state of an object is a dict of attributes")
        # No object is seen with half of its state.
        stores = [(_slot(kind, n), value) for n, value in (slots or {}).items()]
        for n in attributes or {}:
            if type(n) is not str or (n not in KEPT and not _is_property(kind, n)):
                self._guards._check_stored(n)
                self._guards.write(thing, n)
        for slot, value in stores:
            slot.__set__(thing, value)
        if not attributes:
            return
        if not hasattr(thing, "__dict__"):
            raise python.UnpicklingError(f"an object of {type.__repr__(kind)} has no attributes")
        owner = next((c for c in type.mro(kind) if "__setstate__" in names_of(c) and not self._guards.is_own(c)), None)
        if owner is None:
            vars(thing).update(attributes)
        else:
            names_of(owner)["__setstate__"](thing, attributes)

    def extend(self, thing: Any, items: list[Any]) -> None:
        """Add items to something like a list."""
        if self.weights_only or not isinstance(thing, (list, deque)):
            Objects.extend(self, thing, items)
        (list if isinstance(thing, list) else deque).extend(thing, items)

    def update(self, thing: Any, pairs: list[tuple[Any, Any]]) -> None:
        """Add entries to something like a dict."""
        own = isinstance(thing, dict) and (self._guards.is_own(type(thing)) or type(thing) is mended.defaultdict)
        if self.weights_only or not own:
            Objects.update(self, thing, pairs)
            return
        store: Any = OrderedDict.__setitem__ if isinstance(thing, OrderedDict) else dict.__setitem__
        for key, value in pairs:
            store(thing, key, value)

    # --- writing --------------------------------------------------------------------------------------------------------------

    def reduced(self, thing: Any, protocol: int) -> Any:
        """How an object is made again; a program's class is not asked."""
        kind = type(thing)
        if kind is mended.deque:
            return kind, (tuple(thing), thing.maxlen) if thing.maxlen is not None else (tuple(thing),)
        if kind is mended.defaultdict:
            return kind, (thing.default_factory,), None, None, iter(list(thing.items()))
        if kind is Facade:
            raise TypeError("cannot pickle 'module' object")
        if not self._guards.is_own(kind) or isinstance(thing, (Tensor, np.ndarray, np.generic)):
            return super().reduced(thing, protocol)
        if isinstance(thing, enum.Enum):
            return kind, (thing._value_,)
        maker = _maker_of(self._guards, kind)
        given: tuple[Any, ...] = ()
        if maker in VALUES:
            given = maker.__getnewargs__(thing)
            if maker is tuple and hasattr(kind, "_fields"):
                given = given[0]
        elif maker is not object and maker not in CONTAINERS and maker not in MENDED.values():
            raise TypeError(f"cannot pickle '{kind.__name__}' object")
        items = iter(list(list.__iter__(thing))) if isinstance(thing, list) else None
        pairs = None
        if isinstance(thing, dict):
            pairs = iter(list((OrderedDict if isinstance(thing, OrderedDict) else dict).items(thing)))
        return copyreg.__newobj__, (kind, *given), self._state_of(thing, kind), items, pairs  # type: ignore[attr-defined]

    def _state_of(self, thing: Any, kind: type) -> Any:
        """The attributes of an object, and those in slots."""
        given = giver_of(kind, lambda c: not self._guards.is_own(c))(thing)
        attributes = {n: v for n, v in given.items() if may_inject(n)}
        slots = {}
        for c in type.mro(kind):
            for n, slot in names_of(c).items() if self._guards.is_own(c) else ():
                if isinstance(slot, types.MemberDescriptorType) and may_inject(n) and n not in slots:
                    try:
                        slots[n] = slot.__get__(thing, kind)
                    except AttributeError:
                        continue
        return (attributes or None, slots) if slots else attributes or None


def _maker_of(guards: Guards, kind: type) -> Any:
    """The class that is not the program's whose `__new__` makes the objects of a class of the program."""
    return next((c for c in type.mro(kind) if "__new__" in names_of(c) and not guards.is_own(c)), object)


def _is_property(kind: type, n: Any) -> bool:
    """Whether a class of the engine computes an attribute that PyTorch's keeps: what is kept of it is never seen."""
    for c in type.mro(kind):
        if may_inject(n) and n in names_of(c):
            return isinstance(names_of(c)[n], property) and names_of(c).get("__module__") != MAIN
    return False


def _slot(kind: type, n: Any) -> Any:
    """What sets an attribute that stands in a slot.

    Raises:
        UnpicklingError: if there is none.
    """
    for c in type.mro(kind):
        found = names_of(c).get(n) if may_inject(n) else None
        if isinstance(found, types.MemberDescriptorType) and names_of(c).get("__module__") == MAIN:
            return found
    raise python.UnpicklingError(f"an object of {type.__repr__(kind)} has no slot of that name")


def program_names(guards: Guards) -> dict[str, Any]:
    """The global names of the program that is being run, by the innermost of its frames."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_builtins is guards.builtins:
            return frame.f_globals
        frame = frame.f_back
    return {}
