"""Modules of the standard library of which some names take care what attributes they read and write for a program."""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import json
import operator
import struct
import types
import typing
from collections.abc import Callable
from typing import Any

from ...safe_attributes import looked_at
from ..policy.attributes import settable
from ..policy.errors import PolicyError
from ..policy.formats import safe_format
from ..policy.guards import Guards, are_harmless_patterns, harmless_patterns
from ..policy.names import is_dunder, may_inject, named, normal
from ..policy.reentry import pin_class, setitem
from ..policy.unbound import MAIN, below
from . import dispatching, mended
from .copying import Copying, conversions, dictionaries, functions
from .facade import Facade, picked
from .files.system import chdir
from .files.tables import json_names
from .plain import missing

TYPING = """
AbstractSet Annotated Any AnyStr BinaryIO Callable ClassVar Collection Concatenate Container Counter DefaultDict Deque Dict
Final FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping
MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired Optional
OrderedDict ParamSpec Pattern Protocol Required Reversible Self Sequence Set Sized SupportsAbs SupportsFloat SupportsIndex
SupportsInt TYPE_CHECKING Text Tuple Type TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict Union Unpack ValuesView
assert_never assert_type cast final overload override runtime_checkable
"""


def facades(guards: Guards, copying: Copying) -> dict[str, Facade]:
    """The modules by name."""
    made = {
        "abc": _abc(guards),
        "collections": _collections(guards, copying),
        "contextlib": _contextlib(guards),
        "copy": functions(copying),
        "dataclasses": _dataclasses(guards, copying),
        "enum": _enum(guards),
        "functools": _functools(guards),
        "json": _json(guards),
        "operator": _operator(guards),
        "struct": _struct(guards),
        "types": _types(guards),
        "typing": _typing(guards),
    }
    return {name: Facade(name, names, missing(name)) for name, names in made.items()}


def _json(guards: Guards) -> dict[str, Any]:
    guards.know((mended.JSONEncoder,), bases=True)
    mended_names = {"JSONEncoder": mended.JSONEncoder, "dumps": mended.dumps}
    return picked(json, "JSONDecodeError loads") | mended_names | json_names(mended.dumps)


# --- classes ----------------------------------------------------------------------------------------------------------------


def _abc(guards: Guards) -> dict[str, Any]:
    names = picked(abc, "ABC abstractmethod abstractproperty")
    guards.know(names.values(), bases=True)
    return names | {"ABCMeta": guards.shown(abc.ABCMeta)}


class UserString(collections.UserString):
    """A text in an object, whose own `format` would look at anything."""

    def format(self, /, *args: Any, **kwargs: Any) -> str:
        """As a text's."""
        return safe_format("format", str(self.data))(*args, **kwargs)

    def format_map(self, mapping: Any) -> str:
        """As a text's."""
        return safe_format("format_map", str(self.data))(mapping)


def _collections(guards: Guards, copying: Copying) -> dict[str, Any]:
    names = picked(collections, "ChainMap Counter OrderedDict UserDict")
    names |= {"UserList": mended.UserList, "UserString": UserString, "deque": mended.deque}
    names["defaultdict"] = mended.defaultdict
    names |= dictionaries(copying)
    guards.know(names.values(), bases=True)

    def namedtuple(typename: Any, field_names: Any, *, rename: bool = False, defaults: Any = None) -> Any:
        make: Any = collections.namedtuple
        made = make(typename, field_names, rename=rename, defaults=defaults, module=MAIN)
        harmless_patterns(made)
        return made

    return names | {"namedtuple": namedtuple}


def _dataclasses(guards: Guards, copying: Copying) -> dict[str, Any]:
    def process(cls: Any, options: dict[str, Any]) -> Any:
        if not isinstance(cls, type) or not guards.is_own(cls):
            raise PolicyError("dataclass takes a class of the program's own", "Write a class statement.")
        # Its code is made from text, in which the fields' names stand, and sets the attributes itself.
        names: list[str] = []
        for base in cls.__mro__:
            for name in vars(base).get("__annotations__", ()) if guards.is_own(base) else ():
                if not (type(name) is str and name.isidentifier() and may_inject(name)):
                    raise PolicyError(f"{name!r} cannot be the name of a field", "Write the fields in the class.")
                guards.write(cls, name)
                names.append(name)
        lines = [line for kind in (cls, *below(cls)) for line in kind.__mro__]
        guards.look_at_fields(cls.__name__, lines, names)
        if not are_harmless_patterns(names):
            options["match_args"] = False
        try:
            made: Any = dataclasses.dataclass(cls, **options)
        finally:  # what it has made by then stays in the class
            pin_class(cls)
        return replaced_by_guards(pin_class(made))

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        return process(cls, options) if cls is not None else lambda cls: process(cls, options)

    def make_dataclass(cls_name: str, fields: Any, *, bases: Any = (), **options: Any) -> Any:
        options = named(options)
        if bases or options.keys() & {"namespace", "module"}:
            raise PolicyError("make_dataclass takes names and fields only here", "Write a class with @dataclass.")
        each = [(f,) if isinstance(f, str) else tuple(f) for f in fields]
        for field in each:
            if normal(settable(field[0])) != field[0]:  # it is read in code that is made of it
                raise PolicyError(f"{field[0]!r} cannot be the name of a field", "Write the fields in a class.")
        given = [f[0] if len(f) == 1 else f for f in each]
        made = dataclasses.make_dataclass(cls_name, given, namespace={"__module__": MAIN}, **options)
        harmless_patterns(made)
        return replaced_by_guards(pin_class(made))

    def replaced_by_guards(made: type) -> type:
        # Newer Pythons give each class a method of it.
        if vars(made).get("__replace__") is vars(dataclasses).get("_replace", made):
            type.__setattr__(made, "__replace__", converting["_replace"])
        return made

    names = picked(dataclasses, "Field FrozenInstanceError InitVar KW_ONLY MISSING field fields is_dataclass")
    converting = conversions(copying)
    names |= {name: converting[name] for name in ("asdict", "astuple", "replace")}
    guards.know(v for n, v in names.items() if n != "Field")
    return names | {"dataclass": dataclass, "make_dataclass": make_dataclass}


class NamesMeta(enum.EnumMeta):
    """Enumerations whose members are objects of their own; made by a call, they may not bring names of Python's own."""

    @classmethod
    def _find_new_(cls, *given: Any) -> Any:
        """What makes members: Python sets attributes of whatever it returns, and calls its `__init__`."""
        make, *others = super()._find_new_(*given)  # type: ignore[misc]
        return (_made_by(make) if isinstance(make, types.FunctionType) else make, *others)

    def __call__(cls, value: Any, *names: Any, **options: Any) -> Any:
        options = named(options)
        if not names and "names" not in options:
            return super().__call__(value, **options)
        if len(names) != 1 or options:
            raise PolicyError(
                "an enumeration made by a call takes a name and the members' names here", "Write a class statement."
            )
        given = names[0]
        if isinstance(given, str):
            given = given.replace(",", " ").split()
        members = [n if isinstance(n, str) else tuple(n) for n in (given.items() if isinstance(given, dict) else given)]
        plain = [settable(member if isinstance(member, str) else member[0]) for member in members]
        _guards[0].look_at_names(str(value), (cls,), plain)
        return super().__call__(value, members, module=MAIN)


def _made_by(make: Callable[..., Any]) -> Callable[..., Any]:
    def __new__(cls: Any, *given: Any, **options: Any) -> Any:  # noqa: N807
        made = make(cls, *given, **options)
        if not isinstance(made, cls):
            raise TypeError(f"__new__ of '{cls.__name__}' returned a '{type(made).__name__}', which is no member of it")
        return made

    return __new__


_guards: list[Guards] = []
"""Those of the world; no attribute of anything that a program has."""


def _enum(guards: Guards) -> dict[str, Any]:
    _guards[:] = [guards]

    def derived(name: str) -> Any:
        real = getattr(enum, name)
        namespace = NamesMeta.__prepare__(name, (real,))
        namespace["__module__"] = "enum"
        return NamesMeta(name, (real,), namespace)

    made = {name: derived(name) for name in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum")}
    guards.know(made.values(), bases=True)
    return made | picked(enum, "auto unique")


class SimpleNamespace(types.SimpleNamespace):
    """A namespace whose names are checked."""

    __module__ = "types"

    def __init__(self, mapping: Any = (), /, **names: Any) -> None:
        names = dict(mapping, **names)
        for name in names:
            looked_at(self, settable(name))
        super().__init__(**names)

    def __replace__(self, /, **changes: Any) -> SimpleNamespace:
        return SimpleNamespace(**{**vars(self), **changes})

    def __repr__(self) -> str:
        return f"namespace({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


def _types(guards: Guards) -> dict[str, Any]:
    guards.know((SimpleNamespace,), bases=True)
    guards.opened += (SimpleNamespace,)
    looks = "BuiltinFunctionType BuiltinMethodType FunctionType GeneratorType LambdaType ModuleType"
    names = {name: guards.shown(kind) for name, kind in picked(types, looks).items()}
    names |= {"MethodType": guards.shown(types.MethodType, types.MethodType), "ModuleType": guards.shown(Facade)}
    return names | {"SimpleNamespace": SimpleNamespace, "NoneType": type(None), "EllipsisType": type(...)}


def _typing(guards: Guards) -> dict[str, Any]:
    names = picked(typing, TYPING)
    guards.know((typing.Generic, typing.Protocol), bases=True)
    # What `class A(NamedTuple)` and `class A(TypedDict)` inherit from in the end.
    special = types.resolve_bases((typing.NamedTuple, typing.TypedDict))
    guards.bases.update(b for b in special if isinstance(b, type))
    return names


# --- functions --------------------------------------------------------------------------------------------------------------


def _contextlib(guards: Guards) -> dict[str, Any]:
    names = picked(contextlib, "AbstractContextManager ContextDecorator ExitStack closing contextmanager nullcontext suppress")
    names |= {"redirect_stderr": mended.redirect_stderr, "redirect_stdout": mended.redirect_stdout}
    names |= {"chdir": chdir} if hasattr(contextlib, "chdir") else {}
    guards.know(names.values())
    guards.know((contextlib.AbstractContextManager, contextlib.ContextDecorator), bases=True)
    return names


def _functools(guards: Guards) -> dict[str, Any]:
    def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = (), updated: Any = ()) -> Any:
        for name in ("__name__", "__qualname__", "__doc__"):
            with contextlib.suppress(AttributeError):
                guards.set(wrapper, name, guards.get(wrapped, name))
        if guards.is_own_function(wrapped):
            for name, value in vars(wrapped).items():
                if may_inject(name):
                    guards.set(wrapper, name, value)
        return wrapper

    def wraps(wrapped: Any, assigned: Any = (), updated: Any = ()) -> Callable[[Any], Any]:
        return lambda wrapper: update_wrapper(wrapper, wrapped)

    def cmp_to_key(mycmp: Any) -> Any:
        guards.noticed("callbacks")
        return functools.cmp_to_key(mycmp)

    class cached_property(functools.cached_property[Any]):  # noqa: N801
        __module__ = "functools"
        __doc__ = functools.cached_property.__doc__

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            name = self.attrname
            if instance is None or type(name) is not str or type(getattr(instance, "__dict__", None)) is not dict:
                return super().__get__(instance, owner)  # which says what is wrong
            kept = instance.__dict__
            if name in kept:
                return kept[name]
            found = self.func(instance)
            # The name under which it keeps that may be that of another class's attribute.
            guards.write(instance, name)
            kept[name] = found
            return found

    cached_property.__qualname__ = "cached_property"
    names = picked(functools, "cache lru_cache partial partialmethod reduce") | {"cached_property": cached_property}
    guards.know((functools.partial, cached_property))

    def total_ordering(cls: Any) -> Any:
        if not isinstance(cls, type) or not guards.is_own(cls):
            raise PolicyError("total_ordering takes a class of the program's own", "Write a class statement.")
        return pin_class(functools.total_ordering(cls))

    names |= {"total_ordering": total_ordering}
    names |= dispatching.names(guards)
    return names | {"cmp_to_key": cmp_to_key, "update_wrapper": update_wrapper, "wraps": wraps}


def _struct(guards: Guards) -> dict[str, Any]:
    def of_plain_formats(real: Any) -> Any:
        def called(format: Any, /, *others: Any, **options: Any) -> Any:
            # Formats are kept for all who say the same, and a class of the program's would say what is the same.
            if isinstance(format, str):
                format = str.__str__(format)
            elif isinstance(format, bytes):
                format = bytes.__bytes__(format)
            return real(format, *others, **options)

        called.__name__ = called.__qualname__ = real.__name__
        called.__doc__ = real.__doc__
        return called

    guards.know((struct.error,))
    functions = picked(struct, "calcsize iter_unpack pack unpack unpack_from")
    return {name: of_plain_formats(function) for name, function in functions.items()} | {"error": struct.error}


def _operator(guards: Guards) -> dict[str, Any]:
    def one(thing: Any, path: str) -> Any:
        for name in path.split("."):
            thing = guards.get(thing, name)
        return thing

    def attrgetter(*paths: Any) -> Callable[[Any], Any]:
        if not paths or not all(type(p) is str for p in paths):
            raise TypeError("attribute name must be a string")
        if len(paths) == 1:
            return lambda thing: one(thing, paths[0])
        return lambda thing: tuple(one(thing, p) for p in paths)

    def methodcaller(name: Any, /, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
        return lambda thing: guards.get(thing, name)(*arguments, **options)

    guards.know((operator.itemgetter,))
    public = " ".join(n for n in operator.__all__ if not is_dunder(n))
    return picked(operator, public) | {"attrgetter": attrgetter, "methodcaller": methodcaller, "setitem": setitem}
