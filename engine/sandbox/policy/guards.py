"""The guards that a checked program carries: what it may read of an object and write to it can only be told when it runs."""

from __future__ import annotations

import abc
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable
from typing import Any, cast

import numpy as np

from ...nn.utils.parametrize import is_made_here
from ...safe_attributes import meant_for
from ...tensor import Tensor
from . import arrays, dtypes, natives, objects, protocols
from .attributes import Attributes, Own, has_entries_for_attributes
from .classes import Maker, build_class
from .errors import MissingAttribute, PolicyError
from .formats import safe_format
from .inert import caught, is_look_alike, look_alike
from .names import (
    ARRAYS,
    ASKED,
    ATTRIBUTES,
    CALLED,
    CHECKED,
    COMPARISONS,
    NEVER,
    OVERRIDDEN,
    PLACED,
    PRIVATE,
    REPLACED,
    SEQUENCE,
    STORED,
    instead,
    is_dunder,
    may_inject,
    named,
)
from .reentry import PINNING, bound_setitem
from .unbound import MAIN, Super, below, handed_out, is_engines, lines_of, mro_of, names_of, plain, watch

_self_of = super.__dict__["__self__"].__get__

CLOSED = (*PLACED, BaseExceptionGroup)
"""Errors whose attributes Python's own code takes for what it has put there."""
CALLING = (classmethod, property, staticmethod)
"""What calls a function that nothing else may hold, and that a second `__init__` would let go of meanwhile."""
FORWARDING = (types.GenericAlias, types.MethodType, vars(typing)["_BaseGenericAlias"])
"""What asks something else for the attributes that it does not have."""
ONCE = (np.random.Generator, np.random.RandomState, *CALLING, *CLOSED)
ARRAY_STORES = frozenset(("flat", "imag", "real", "shape"))
"""What may be assigned on an array."""


class Box:
    """Carries the value of a replaced attribute to where the program reads it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


_FIELDS = "__dataclass_fields__"
_SAVED = "_saved_", "_raw_saved_"
"""How the names begin by which nodes show what they save."""


class Guards:
    """The rules for objects. A type is known if programs may have it as it is; all others they see as look-alikes."""

    def __init__(self) -> None:
        self.known: set[type] = set()
        self.bases: set[type] = set()
        """What a program's classes may inherit from."""
        self.opened: tuple[type, ...] = (BaseException,)
        """Types, of whose objects a program may set attributes."""
        self.looks: dict[type, type] = {}
        self.modules: tuple[type, ...] = ()
        """Types of what programs import, whose names are all meant for them."""
        self.builtins: dict[str, Any] = {}
        self.storable: set[type] = set()
        """Types of the program's own, and opened ones, found so far."""
        self.allowed: set[tuple[type, str]] = set()
        """Types, and private names of theirs that were found to be fine to read."""
        self.settable: set[tuple[type, str]] = set()
        """Types, and private names of theirs that were found to be fine to set."""
        self._noticed: set[str] = set()
        self._asked = False
        """Whether a class of the program's has a method that C code may call."""
        self.memos: list[dict[Any, Any]] = []
        """What the programs' objects remember of the copies under way."""
        self.replacements: dict[str, Callable[[Any], Any]] = {
            "__annotations__": self._annotations,
            "__array__": self._array_method,
            "__class__": self.type_of,
            "__delattr__": lambda x: self._setter(x, "__delattr__", 1),
            "__dict__": self.attributes,
            "__getattr__": self._getattr_method,
            "__init__": self._init,
            "__members__": lambda x: dict(x.__members__),
            "__setattr__": lambda x: self._setter(x, "__setattr__", 2),
            "__setitem__": bound_setitem,
            "__setstate__": self._state_method,
            "base": _base,
            "fields": _fields,
            "format": lambda x: _formatter(x, "format"),
            "format_map": lambda x: _formatter(x, "format_map"),
            "set_state": _set_state,
        } | {name: objects.method(name) for name in objects.METHODS}

    def noticed(self, what: str) -> None:
        """Watch NumPy when a program has got both its "arrays", and "callbacks": what C code may call back."""
        self._noticed.add(what)
        if what == "callbacks":
            natives.comparing[:] = [True]
        if len(self._noticed) == 2:
            arrays.arm()

    # --- types --------------------------------------------------------------------------------------------------------------

    def is_own(self, cls: type) -> bool:
        """Whether a class is the program's own."""
        return bool(names_of(cls).get("__module__") == MAIN)

    def know(self, things: Iterable[Any], *, bases: bool = False) -> None:
        """Let programs have these types as they are (of other things nothing is noted), and inherit from them."""
        for thing in things:
            if isinstance(thing, type) and not issubclass(thing, type) and not is_look_alike(thing):
                self.known.add(thing)
                watch(thing)
                if bases:
                    self.bases.add(thing)

    def type_of(self, thing: Any) -> Any:
        """The type of something, or its look-alike."""
        cls = plain(type(thing))
        if cls in self.known:
            return cls
        if self.is_own(cls):
            self.known.add(cls)
            return cls
        if is_look_alike(thing):
            cls = type
        return self.shown(cls)

    def given(self, thing: Any) -> Any:
        """What a program is given of something: of a type that it may not have its look-alike, anything else as it is."""
        hidden = isinstance(thing, type) and thing not in self.known and not self.is_own(thing) and not is_look_alike(thing)
        return self.shown(thing) if hidden else thing

    def shown(self, cls: type, maker: Callable[..., Any] | None = None) -> type:
        """The look-alike of a type, always the same."""
        if cls not in self.looks:
            self.looks[cls] = look_alike(cls, maker)
        return self.looks[cls]

    # --- reading ------------------------------------------------------------------------------------------------------------

    def read(self, thing: Any, name: str) -> Any:
        """What a program reads an attribute of, if it may: the thing itself, or a box with what it gets instead.

        Raises:
            PolicyError: if it may not.
        """
        if (type(thing), name) in self.allowed:
            return thing
        thing = behind(thing, name)
        if name in REPLACED:
            return Box(self.replacements[name](thing))
        if not self._may_read(thing, name):
            raise PolicyError(f"the attribute '{name}' of '{_name_of(thing)}' is not available to programs here", instead(name))
        return thing

    def _may_read(self, thing: Any, name: str) -> bool:
        """Whether a program may read a private or dangerous name: its own, or one that is known."""
        if name == "__init__":
            # Made once more, they would go on with memory that is free by then, or with positions that are not there; and what
            # is not the program's is not made once more at all.
            maker = next(c for c in mro_before(thing)[1] if name in names_of(c))
            if isinstance(thing, ONCE) or maker in CALLING or thing in CLOSED:
                return False
            return type(thing) is Super or isinstance(thing, type) or self.is_own(type(thing)) or self.is_own(maker)
        if name in ARRAYS:
            self.noticed("arrays")
            return True
        if name in PRIVATE or name in OVERRIDDEN or name.startswith(_SAVED) or isinstance(thing, self.modules):
            return True
        cls, own = type(thing), self.is_own
        having = [c for c in mro_before(thing)[1] if name in names_of(c) and not is_made_here(c)]
        if having and not all(map(own, having)):
            return self._is_overridden(having, name)
        if cls is Super or isinstance(thing, type):
            return bool(having)
        if not self._is_storable(thing):
            return bool(having)
        if cls in self.storable:  # a function of the program is allowed what others are not
            self.allowed.add((cls, name))
        return True

    def is_readable(self, thing: Any, name: Any) -> bool:
        """Whether a program may read an attribute of that name."""
        if type(name) is not str or name in NEVER:
            return False
        if is_dunder(name):
            return name in ATTRIBUTES or name in REPLACED
        return not (name in CHECKED or name[:1] == "_" != name[1:2]) or self._may_read(thing, name)

    def get(self, thing: Any, name: Any) -> Any:
        """An attribute by name, as `getattr` reads it."""
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
        if name in NEVER or (is_dunder(name) and name not in ATTRIBUTES and name not in REPLACED):
            raise PolicyError(f"the attribute '{name}' is not available to programs here", instead(name))
        thing = behind(thing, name)
        if name in REPLACED:
            return self.replacements[name](thing)
        if name in CHECKED or name[:1] == "_" != name[1:2]:
            thing = self.read(thing, name)
        return getattr(thing, name)

    def get_for(self, thing: Any, name: str) -> Any:
        """An attribute that the engine reads by a name of the program's."""
        try:
            return self.get(thing, name)
        except PolicyError as error:
            raise MissingAttribute(str(error), error.help) from None

    # --- writing ------------------------------------------------------------------------------------------------------------

    def assigned(self, thing: Any, name: str, named: bool = False) -> Any:
        """The same as `write`, for what is then set as Python sets an attribute: a module looks at the name itself."""
        return thing if type(thing) in self.modules else self.write(thing, name, named, 2)

    def write(self, thing: Any, name: str, named: bool = False, calls: int = 1) -> Any:
        """What a program sets or deletes an attribute of, if it may: the thing itself.

        Args:
            thing: what it is.
            name: the attribute's name.
            named: whether the program says the thing by the name of a variable.
            calls: how many calls there are between the program and this.

        Raises:
            PolicyError: if it may not.
        """
        if (type(thing) in self.storable and name[0] != "_") or (type(thing), name) in self.settable:
            return thing
        if isinstance(thing, np.ndarray) and name in ARRAY_STORES:
            if (
                name == "shape"
                and not (named and sys.getrefcount(thing) <= _ALONE)
                and not self._is_at_rest(sys._getframe(calls))
            ):
                raise PolicyError("the shape of an array cannot be set while NumPy may be at work with it", "Use reshape().")
            return thing
        if not self._is_storable(thing):
            raise PolicyError(
                f"the attribute '{name}' of '{_name_of(thing)}' cannot be set in programs here",
                "Attributes can be set on objects and classes of your own, on tensors, modules and optimizers.",
            )
        if name == "__dict__":
            # The engine looks at the attributes of modules and tensors, and runs no code of the program's for it.
            # So it is with classes of the program's that inherit from the object's.
            kinds = (type(thing), *below(type(thing)))
            return Own(None if any(issubclass(kind, self.opened) for kind in kinds) else thing)
        if name[0] == "_" and not is_dunder(name):
            cls = thing if isinstance(thing, type) else type(thing)
            lowers = below(thing) if isinstance(thing, type) else ()
            if self.is_closed(cls, name) or any(
                name in names_of(c) and is_engines(c) and not self._may_override(mro_of(lower), name)
                for lower in lowers
                for c in mro_of(lower)
            ):
                raise PolicyError(f"the attribute '{name}' of '{_name_of(thing)}' cannot be set here", instead(name))
            if type(thing) in self.storable and not any(name in names_of(c) and not is_made_here(c) for c in mro_of(cls)):
                self.settable.add((type(thing), name))
        return thing

    def _is_at_rest(self, caller: types.FrameType) -> bool:
        """Whether no function of NumPy's has called the program back, which reads an array's shape again afterwards.

        On the level of a module nothing is called back; elsewhere it is not told what called a function.
        """
        frames: list[types.FrameType] = []
        frame: types.FrameType | None = caller
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back
        ours = [f for f in frames if f.f_builtins is self.builtins]
        if ours == frames[:1] and caller.f_code.co_name == "<module>":
            return True
        if self._asked or "callbacks" in self._noticed or np.geterrcall() is not None:
            return False
        return not any(
            f.f_code is PINNING or f.f_code in protocols.PRIVATE or str(f.f_globals.get("__name__")).startswith("numpy.")
            for f in frames
        )

    def _is_storable(self, thing: Any) -> bool:
        cls = type(thing)
        if cls in self.storable:
            return True
        if self.is_own(cls) or (issubclass(cls, self.opened) and not issubclass(cls, CLOSED)):
            self.storable.add(cls)
            return True
        if isinstance(thing, type):
            return self.is_own(thing)
        return self.is_own_function(thing)

    def is_own_function(self, thing: Any) -> bool:
        """Whether something is a function that the program defines."""
        return type(thing) is types.FunctionType and getattr(thing, "__builtins__", None) is self.builtins

    def look_at(self, thing: Any, name: Any) -> Any:
        """What an attribute is set or deleted of by a name that the program gives to the engine: see `write`."""
        self._check_stored(name)
        return self.write(thing, name)

    def set(self, thing: Any, name: Any, value: Any) -> None:
        """Set an attribute by name, as `setattr` does."""
        self._check_stored(name)
        setattr(self.assigned(thing, name), name, value)

    def delete(self, thing: Any, name: Any) -> None:
        """Delete an attribute by name, as `delattr` does."""
        self._check_stored(name)
        delattr(self.assigned(thing, name), name)

    def _check_stored(self, name: Any) -> None:
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
        if not may_inject(name) and name not in STORED:
            raise PolicyError(f"the attribute '{name}' cannot be set in programs here", instead(name))

    # --- replacements -------------------------------------------------------------------------------------------------------

    def attributes(self, thing: Any) -> dict[str, Any]:
        """The attributes that an object or class of the program's own has itself."""
        if type(thing) is Super:
            thing = _self_of(thing)
        if isinstance(thing, type):
            if not self.is_own(thing):
                raise PolicyError(f"vars() of the class '{thing.__name__}' is not available to programs here", "Use dir(x).")
            return {
                name: handed_out(value, name, (thing,)) if type(value) is types.FunctionType else value
                for name, value in names_of(thing).items()
                # What an enumeration has in the place of a member shows what a class before it has, as it is.
                if may_inject(name) and self.is_readable(thing, name) and not isinstance(value, types.DynamicClassAttribute)
            }
        if not self._is_storable(thing):
            raise PolicyError(f"vars() of '{_name_of(thing)}' is not available to programs here", "Use dir(x).")
        if has_entries_for_attributes(type(thing)):
            return cast(dict[str, Any], thing)
        return Attributes(vars(thing), lambda name: self.write(thing, name), lambda name: self.is_readable(thing, name))

    def attributes_for(self, thing: Any) -> dict[str, Any]:
        """The same for the engine; none of what is not the program's."""
        return self.attributes(thing) if not isinstance(thing, type) and self._is_storable(thing) else {}

    def _array_method(self, thing: Any) -> Any:
        """`x.__array__`, bound or not, with a type of elements that was looked at."""
        self.noticed("arrays")
        real = getattr(thing, "__array__")  # noqa: B009
        if self.is_own(thing if isinstance(thing, type) else type(thing)):
            return real
        first = int(isinstance(thing, type))

        def array(*arguments: Any, **options: Any) -> Any:
            options = named(options)
            if "dtype" in options:
                options["dtype"] = dtypes.settled(options["dtype"])
            kinds = map(dtypes.settled, arguments[first : first + 1])
            return real(*arguments[:first], *kinds, *arguments[first + 1 :], **options)

        return array

    def _annotations(self, thing: Any) -> dict[str, Any]:
        if self.is_own_function(thing) or self.is_own(thing if isinstance(thing, type) else type(thing)):
            return dict(thing.__annotations__)
        raise PolicyError("the attribute '__annotations__' is only there for functions and classes of your own", "")

    def _setter(self, thing: Any, name: str, values: int) -> Callable[..., None]:
        """`x.__setattr__` or `x.__delattr__`, bound or not, that looks at what it is told to set."""
        real = getattr(thing, name)
        bound = _self_of(thing) if type(thing) is Super else thing

        def checked(*arguments: Any) -> None:
            if len(arguments) not in (values, values + 1):
                raise TypeError(f"{name} expected {values} arguments, got {len(arguments)}")
            target = bound if len(arguments) == values else arguments[0]
            attribute = arguments[len(arguments) - values]
            self._check_stored(attribute)
            self.write(target, attribute)
            real(*arguments)

        return checked

    def _init(self, thing: Any) -> Any:
        """`x.__init__`; that of a class looks at what it is to make, which is the program's own."""
        if not self._may_read(thing, "__init__"):
            raise PolicyError(f"the attribute '__init__' of '{_name_of(thing)}' is not available to programs here", "")
        real = thing.__init__
        if not isinstance(thing, type) or self.is_own_function(real):
            return real
        maker = next(c for c in mro_of(thing) if "__init__" in names_of(c))
        # Python's own in C look at what they are given themselves; what a data class has sets its fields unguarded.
        if type(real) is not types.FunctionType and not is_engines(maker):
            return real

        def checked(*arguments: Any, **named: Any) -> None:
            if not arguments or not self.is_own(type(arguments[0])) or not isinstance(arguments[0], thing):
                raise TypeError(f"descriptor '__init__' requires an object of a class that inherits from '{thing.__name__}'")
            real(*arguments, **named)

        return checked

    def _getattr_method(self, thing: Any) -> Callable[..., Any]:
        real = getattr(thing, "__getattr__")  # noqa: B009
        bound = _self_of(thing) if type(thing) is Super else thing
        if not self._is_storable(bound) and not (isinstance(bound, type) and issubclass(bound, self.opened)):
            raise PolicyError(
                f"'__getattr__' of '{_name_of(thing)}' is not available to programs here", "Use getattr(x, name)."
            )

        def checked(*arguments: Any) -> Any:
            if not arguments or not may_inject(arguments[-1]) or arguments[-1] in NEVER:
                raise AttributeError(f"no attribute {arguments[-1]!r}" if arguments else "a name is missing")
            return real(*arguments)

        return checked

    def _state_method(self, thing: Any) -> Any:
        """`x.__setstate__` of the program's own, and what it calls of a module's or an optimizer's, which sets attributes as
        the program could."""
        holder, lines = mro_before(thing)
        owner = next((c for c in lines if "__setstate__" in names_of(c)), None)
        if owner is not None and self.is_own(owner):
            real: Any = getattr(thing, "__setstate__")  # noqa: B009
            if not isinstance(thing, type) or self.is_own_function(real):
                return real
            # What a data class has sets the fields of what it is given.
            return lambda thing, state: real(meant_for(thing, owner), state)
        whole = type(thing) is Super and not isinstance(holder, (BaseException, type)) and isinstance(holder, self.opened)
        if not whole or not (owner is None or is_engines(owner)):
            raise MissingAttribute(
                f"the attribute '__setstate__' of '{_name_of(thing)}' is not available to programs here",
                instead("__setstate__"),
            )

        def set_state(state: Any) -> None:
            if type(state) is not dict:
                raise TypeError("the state of an object is a dict of attributes")
            state = {**state}
            for name in state:
                self._check_stored(name)
                self.write(holder, name)
            if owner is None:
                vars(holder).update(state)
            else:
                names_of(owner)["__setstate__"](holder, state)

        return set_state

    # --- classes ------------------------------------------------------------------------------------------------------------

    def build(self, body: Any, name: str, /, *bases: Any, metaclass: Any = None, **options: Any) -> Any:
        """What a `class` statement calls: inherits only from what programs may inherit from, and has only names it may have."""
        given = abc.ABCMeta if metaclass is self.looks[abc.ABCMeta] else None
        if metaclass is not None and given is None and metaclass is not self.looks[type]:
            raise PolicyError(
                f"the class '{name}' cannot have a metaclass of its own here", "Use __init_subclass__, or a class decorator."
            )
        maker = Maker(self._look_at_bases, self._look_at_all, self.memo_for, self.is_closed, given)
        return self._noted(build_class(body, name, *bases, metaclass=maker, **options))

    def made(self, name: Any, bases: Any, names: Any) -> Any:
        """What `type` makes of a class's name, bases and names, of which none is Python's own.

        Raises:
            TypeError: for anything but a text, a tuple and a dictionary.
        """
        for kind, given in ((str, name), (tuple, bases), (dict, names)):
            if type(given) is not kind:
                raise TypeError(f"type() takes a name, a tuple of bases and a dict here, not {type(given).__name__}")
        inside = {**names}
        for each in inside:
            if not may_inject(each):
                raise PolicyError(
                    f"{each if type(each) is str else type(each)} cannot be defined by type() in programs here",
                    "Write a class statement.",
                )
        inside["__module__"] = MAIN
        maker = Maker(self._look_at_bases, self._look_at_all, self.memo_for, self.is_closed, None)
        return self._noted(types.new_class(name, bases, {"metaclass": maker}, lambda namespace: namespace.update(inside)))

    def _noted(self, made: Any) -> Any:
        """A class that has just been made, looked at once more."""
        if isinstance(made, type):
            # What the metaclass itself has put there.
            harmless_patterns(made)
            self._notice(names_of(made).keys(), mro_of(made))
        return made

    def _look_at_all(self, name: str, bases: tuple[Any, ...], namespace: dict[str, Any]) -> None:
        """Look at a class that is about to be made from bases and names that were looked at one by one."""
        before = self.look_at_names(name, bases, {*namespace, *namespace.get("__slots__", ())})
        if not are_harmless_patterns(namespace.get("__match_args__", ())):
            dict.__setitem__(namespace, "__match_args__", ())
        self._notice(namespace.keys(), before)

    def look_at_names(self, name: str, bases: tuple[Any, ...], names: Collection[str]) -> list[type]:
        """Look at the names that a class will have, whoever makes it; the classes that it inherits from."""
        before = [*dict.fromkeys(c for base in bases for c in mro_of(base))]
        self._look_at_private(name, before, names)
        self.look_at_fields(name, before, (f for c in before if self.is_own(c) for f in names_of(c).get(_FIELDS, ())))
        return before

    def look_at_fields(self, name: str, lines: Iterable[type], fields: Iterable[str]) -> None:
        """Refuse a data class whose methods, which read its fields unguarded, would read what another class has by their
        names and no program may read.

        Args:
            name: its own.
            lines: it and the classes that it inherits from.
            fields: the names of the fields.
        """
        others = [c for c in lines if not self.is_own(c)]
        for each in fields:
            if (each in NEVER or each in REPLACED or each in CHECKED) and any(each in names_of(c) for c in others):
                raise PolicyError(f"'{each}' cannot be a field of the class '{name}' here", instead(each))

    def _notice(self, names: Collection[str], lines: Iterable[type]) -> None:
        """Note whether C code may call methods of a class by these names."""
        lines = tuple(lines)
        compares = any(map(self._compares, lines))
        self._asked = self._asked or compares or not ASKED.isdisjoint(names)
        opened = any(issubclass(c, self.opened) for c in lines)
        if compares or not CALLED.isdisjoint(names) or (SEQUENCE.issubset(names) and not opened):
            self.noticed("callbacks")

    def _compares(self, cls: type) -> bool:
        """Whether a class has comparisons in Python that may ask what another class defines anew: `numerator`, `items`."""
        written = cls.__flags__ & protocols.HEAP and cls is not Tensor and not self.is_own(cls)
        return bool(written) and not COMPARISONS.isdisjoint(names_of(cls).keys())

    def _look_at_bases(self, name: str, bases: tuple[Any, ...]) -> None:
        for base in bases:
            if not isinstance(base, type) or not (base in self.bases or self.is_own(base)) or issubclass(base, type):
                meta = base is self.looks.get(type) or base is self.looks.get(abc.ABCMeta)
                raise PolicyError(
                    f"the class '{name}' cannot inherit from '{getattr(base, '__name__', base)}' here",
                    "Use __init_subclass__, or a class decorator." if meta else "Keep such an object in an attribute.",
                )
        kinds = [base for base in bases if isinstance(base, type)]
        if any(map(has_entries_for_attributes, kinds)) and any(issubclass(base, self.opened) for base in kinds):
            raise PolicyError(
                f"the class '{name}' cannot have its entries for attributes here", "Keep the dictionary in an attribute."
            )
        self._look_at_slots(name, kinds)
        if any(issubclass(base, BaseExceptionGroup) for base in bases):
            raise PolicyError(f"the class '{name}' cannot inherit from a group of exceptions here", "Raise ExceptionGroup.")

    def _look_at_slots(self, name: str, bases: Iterable[type]) -> None:
        """Refuse a class that has the private slots of one class of the engine's and the `__getattr__` of another one, which
        would say what stands in a slot that is empty."""
        lines = dict.fromkeys(c for base in bases for c in mro_of(base))
        engines = [c for c in lines if is_engines(c)]
        asked = [c for c in engines if "__getattr__" in names_of(c)]
        keeping = [c for c in engines if any(each[:1] == "_" != each[1:2] for each in names_of(c).get("__slots__", ()))]
        for one in asked:
            for other in keeping:
                if not issubclass(one, other) and not issubclass(other, one):
                    raise PolicyError(
                        f"the class '{name}' cannot inherit from both '{one.__name__}' and '{other.__name__}' here",
                        "Keep an object of the one in an attribute.",
                    )

    def _look_at_private(self, name: str, before: Collection[type], names: Collection[str]) -> None:
        """Refuse a class in which a private name of the engine's stands for something of the program's: what relies on that
        name would be given it.

        Args:
            name: its own.
            before: the classes that it inherits from.
            names: those that its body defines.
        """
        engines = [c for c in before if is_engines(c)]
        for own in (None, *filter(self.is_own, before)) if engines else ():
            # What a dataclass has by these names is set by its `__init__`.
            mine = names if own is None else names_of(own).keys() | names_of(own).get(_FIELDS, {}).keys()
            for each in mine:
                # What inherits from the engine itself has been looked at when it was made.
                having = [c for c in engines if each in names_of(c) and (own is None or c not in mro_of(own))]
                if having and not self._may_override(engines, each):
                    raise PolicyError(f"'{each}' cannot be defined in the class '{name}' here", instead(each))

    def is_closed(self, cls: type, name: str) -> bool:
        """Whether a private name is the engine's in objects of a class: what it stands for is nothing of a program's."""
        if name[:1] != "_" or is_dunder(name):
            return False
        having = [c for c in mro_of(cls) if name in names_of(c) and not is_made_here(c)]
        return bool(having) and not self._is_overridden(having, name) and not self._may_override(mro_of(cls), name)

    def _is_overridden(self, having: list[type], name: str) -> bool:
        """Whether what the first of some classes has by a private name is the program's, and not put there by the engine."""
        return self.is_own(having[0]) and (not any(map(is_engines, having)) or self._may_override(having, name))

    def _may_override(self, lines: Iterable[type], name: str) -> bool:
        """Whether something of the program's may take the place of what classes of the engine's have by a name.

        Args:
            lines: these classes, among others.
        """
        if name[:1] != "_" or is_dunder(name) or name.startswith("_abc_"):
            return True
        slots = [names_of(c).get("__slots__", ()) for c in lines if is_engines(c)]
        return (name in PRIVATE or name in OVERRIDDEN) and not any(name in each for each in slots)

    def memo_for(self, memo: Any, caller: types.FrameType) -> Any:
        """What a `__deepcopy__` of the program gets for a memo: this one if it is a program's, by its caller or its origin."""
        if caller.f_builtins is self.builtins or any(memo is m for m in self.memos):
            return memo
        # A library copies by Python's own way. What the program's objects remember of it is kept in one place.
        return dict.setdefault(memo, "what the program remembers", {}) if isinstance(memo, dict) else {}

    def caught(self, kinds: Any) -> Any:
        """What stands behind `except`, with types instead of their look-alikes."""
        return tuple(map(self.caught, kinds)) if isinstance(kinds, tuple) else caught(kinds)

    def own(self, cls: Any) -> Any:
        """A class that a program gives to `super`, if it is its own."""
        if not isinstance(cls, type) or not self.is_own(cls):
            raise PolicyError("super takes a class of your own", "Write super().method(…).")
        return cls


def behind(thing: Any, name: str) -> Any:
    """What has an attribute that is read of something: of a method its function, of `List[int]` the class, where these hand on
    what they do not have themselves."""
    while isinstance(thing, FORWARDING) and not any(name in names_of(c) for c in mro_of(type(thing))):
        thing = thing.__func__ if isinstance(thing, types.MethodType) else thing.__origin__
    return thing


def mro_before(thing: Any) -> tuple[Any, tuple[type, ...]]:
    """The object that attributes of something belong to, and the classes in which they are looked up."""
    if type(thing) is Super:
        return _self_of(thing), lines_of(thing)
    return thing, mro_of(thing if isinstance(thing, type) else type(thing))


def harmless_patterns(cls: type) -> None:
    """Keep a `case Class(a, b)` from reading attributes that need a guard."""
    if not are_harmless_patterns(names_of(cls).get("__match_args__", ())):
        type.__setattr__(cls, "__match_args__", ())


def are_harmless_patterns(names: Iterable[Any]) -> bool:
    """Whether patterns of a class may read attributes of these names in turn, unguarded."""
    return all(may_inject(n) and not (n in REPLACED or n in CHECKED or n in NEVER or n[0] == "_") for n in names)


def _name_of(thing: Any) -> str:
    return thing.__name__ if isinstance(thing, type) else type(thing).__name__


class _Counting:
    """Counts the references to a thing as a guard sees them."""

    def assigned(self, thing: Any, name: str, named: bool = False) -> int:
        return self.write(thing, name, named)

    def write(self, thing: Any, name: str, named: bool = False) -> int:
        return sys.getrefcount(thing)


def _count_alone() -> int:
    """How many references a guard sees of an array that one variable holds, and nothing else; versions of Python differ."""
    assigned = _Counting().assigned
    array = np.zeros(1)
    return assigned(array, "shape", True)


_ALONE = _count_alone()


# --- attributes of some objects ---------------------------------------------------------------------------------------------


def _base(thing: Any) -> Any:
    """The array that an array is a view of; what else owns memory is not shown."""
    found = getattr(thing, "base")  # noqa: B009
    return None if isinstance(thing, np.ndarray) and not isinstance(found, np.ndarray) else found


def _fields(thing: Any) -> Any:
    """NumPy reads a structured type's memory by this dict, so a program gets a copy."""
    found = getattr(thing, "fields")  # noqa: B009
    return dict(found) if isinstance(thing, np.dtype) and found is not None else found


def _formatter(thing: Any, name: str) -> Any:
    found = getattr(thing, name)
    if type(found) is types.BuiltinMethodType and isinstance(found.__self__, str):
        return safe_format(name, found.__self__)
    return safe_format(name) if type(found) is types.MethodDescriptorType and found.__objclass__ is str else found


def _set_state(thing: Any) -> Any:
    if not isinstance(thing, np.random.RandomState):
        return getattr(thing, "set_state")  # noqa: B009

    def set_state(state: Any) -> None:
        thing.set_state(plain_state(state))

    return set_state


def plain_state(state: Any) -> tuple[Any, ...]:
    """A state of NumPy's older generator with all numbers in range, which NumPy does not check.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(state, tuple) or len(state) != 5 or state[0] != "MT19937":
        raise ValueError("set_state takes what get_state() returned")
    keys = np.array(state[1], np.uint32)
    position = int(state[2])
    if keys.shape != (624,) or not 0 <= position <= 624:
        raise ValueError("set_state takes what get_state() returned")
    return "MT19937", keys, position, int(state[3]), float(state[4])
