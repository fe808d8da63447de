"""`functools.singledispatch` for programs: a function for each type of the first argument.

Python's own evaluates annotations that are texts, and looks for what is below a class; here neither happens.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType, UnionType
from typing import Any, Union, get_args, get_origin

from ..policy.errors import PolicyError
from ..policy.guards import Guards
from ..policy.inert import is_look_alike, real

_mro_of = type.__dict__["__mro__"].__get__


def names(guards: Guards) -> dict[str, Any]:
    """`singledispatch` and `singledispatchmethod`."""

    def single(func: Any) -> tuple[Callable[[Any], Any], Callable[..., Any]]:
        by_type: dict[Any, Any] = {object: func}

        def dispatch(cls: Any) -> Any:
            return _chosen(by_type, real(cls))

        def register(cls: Any, func: Any = None) -> Any:
            kinds = _types(cls)
            if kinds and func is None:
                return lambda func: register(cls, func)
            if not kinds:
                if func is not None:
                    raise TypeError(f"Invalid first argument to `register()`. {cls!r} is not a class or union type.")
                cls, func = _annotated(guards, cls), cls
                kinds = _types(cls)
                if not kinds:
                    raise TypeError(f"Invalid annotation of the first argument. {cls!r} is not a class or union type.")
            by_type.update(dict.fromkeys(kinds, func))
            return func

        return dispatch, register

    class Dispatching:
        """What `singledispatch` gives: it is called, and bound to objects, as a function is."""

        __slots__ = ("__dict__", "_dispatch", "_name", "_register")
        __module__ = "functools"

        def __init__(self, func: Any) -> None:
            self._dispatch, self._register = single(func)
            self._name = str(getattr(func, "__name__", "singledispatch function"))
            if guards.is_own_function(func):
                self.__dict__.update(__name__=func.__name__, __qualname__=func.__qualname__, __doc__=func.__doc__)

        def __call__(self, *args: Any, **kw: Any) -> Any:
            if not args:
                raise TypeError(f"{self._name} requires at least 1 positional argument")
            return self._dispatch(type(args[0]))(*args, **kw)

        def __get__(self, thing: Any, cls: Any = None) -> Any:
            return self if thing is None else MethodType(self, thing)

        def dispatch(self, cls: Any) -> Any:
            """The function for a type."""
            return self._dispatch(cls)

        def register(self, cls: Any, func: Any = None) -> Any:
            """Take another one, for a type."""
            return self._register(cls, func)

    def singledispatch(func: Any) -> Any:
        return Dispatching(func)

    class singledispatchmethod:  # noqa: N801
        """The same for a method, by the type of what follows `self`."""

        __slots__ = ("_dispatch", "_register")
        __module__ = "functools"

        def __init__(self, func: Any) -> None:
            self._dispatch, self._register = single(func)

        def register(self, cls: Any, method: Any = None) -> Any:
            """Take another one, for a type."""
            return self._register(cls, method)

        def __get__(self, thing: Any, cls: Any = None) -> Any:
            def method(*args: Any, **kw: Any) -> Any:
                found = self._dispatch(type(args[0]))
                bound = found if thing is None else MethodType(found, thing)
                return bound(*args, **kw)

            return method

    guards.know([singledispatchmethod])
    guards.allowed |= {(Dispatching, "register"), (singledispatchmethod, "register")}
    return {"singledispatch": singledispatch, "singledispatchmethod": singledispatchmethod}


def _types(given: Any) -> list[Any]:
    """The types that a function is registered for; none where it is no type."""
    if isinstance(given, type) or is_look_alike(given):
        return [real(given)]
    if given is None:
        return []
    if get_origin(given) in (Union, UnionType):
        parts = get_args(given)
        return [real(part) for part in parts] if all(isinstance(part, type) for part in parts) else []
    return []


def _annotated(guards: Guards, func: Any) -> Any:
    """The annotation of a function's first argument.

    Raises:
        PolicyError: where it has to be worked out.
    """
    notes = func.__annotations__ if guards.is_own_function(func) else {}
    if not notes:
        raise TypeError(
            f"Invalid first argument to `register()`: {func!r}. Use either `@register(some_class)` or plain `@register` on an "
            "annotated function."
        )
    note = next(iter(notes.values()))
    if type(note) is str:
        found = func.__globals__.get(note, guards.builtins.get(note)) if note.isidentifier() else None
        if not _types(found):
            raise PolicyError(f"the annotation {note!r} is not evaluated here", f"Write @register({note}).")
        return found
    return note


def _chosen(by_type: dict[Any, Any], cls: Any) -> Any:
    """The function for a type: that of the first of its bases, or of what it counts as an instance of."""
    bases = _mro_of(cls)
    for base in bases[:-1]:
        if base in by_type:
            return by_type[base]
    counted = [kind for kind in by_type if kind is not object and issubclass(cls, kind)]
    first = [kind for kind in counted if all(kind is other or issubclass(kind, other) for other in counted)]
    if counted and not first:
        raise RuntimeError(f"Ambiguous dispatch: {counted[0]} or {counted[1]}")
    return by_type[first[0] if first else object]
