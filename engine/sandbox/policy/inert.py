"""Look-alikes of types that programs may compare, name and test with `isinstance`, but not make objects of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .errors import PolicyError

_REAL: dict[type, type] = {}
"""Look-alike → what it stands for."""
_MAKERS: dict[type, Callable[..., Any]] = {}
"""Look-alike → what a call of it does instead."""


class _Look(type):
    """The type of look-alikes."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _REAL[cls])

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(_REAL.get(subclass, subclass), _REAL[cls])

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        maker = _MAKERS.get(cls)
        if maker is None:
            raise PolicyError(
                f"'{cls.__name__}' objects cannot be made by calling their type here", "Use type(x) to compare types."
            )
        return maker(*args, **kwargs)

    def __repr__(cls) -> str:
        return repr(_REAL[cls])

    def __getitem__(cls, parameters: Any) -> Any:
        return cls


def look_alike(real: type, maker: Callable[..., Any] | None = None) -> type:
    """The look-alike of a type; calling it calls `maker`, or is refused."""
    namespace = {"__module__": real.__module__, "__qualname__": real.__qualname__, "__slots__": ()}
    made = _Look(real.__name__, (), namespace)
    _REAL[made] = real
    if maker is not None:
        _MAKERS[made] = maker
    return made


def is_look_alike(thing: object) -> bool:
    """Whether something is one."""
    return type(thing) is _Look


def real(thing: Any) -> Any:
    """What a look-alike stands for; anything else is itself."""
    return _REAL[thing] if type(thing) is _Look else thing


class _Never(Exception):
    """Raised by nobody."""


def caught(kind: Any) -> Any:
    """What `except` is to compare an error with: a type of errors instead of its look-alike. Of what is not here nobody
    raises anything, so that another error goes on as if nothing was said of it."""
    if type(kind) is _Absent:
        return _Never
    real = _REAL.get(kind) if is_look_alike(kind) else None
    return real if real is not None and issubclass(real, BaseException) else kind


def refusal(what: str, help: str) -> Callable[..., NoReturn]:
    """A function that is there only to say that it is not, and what to do instead."""

    def refused(*_: Any, **__: Any) -> NoReturn:
        raise PolicyError(f"{what} is not available to programs here", help)

    refused.__name__ = refused.__qualname__ = what.rstrip("()").rpartition(".")[2]
    return refused


class _Absent(type):
    """The type of names that are imported from what is not there."""

    def __call__(cls, *_: Any, **__: Any) -> NoReturn:
        name, help = _ABSENT[next(base for base in cls.__mro__ if base in _ABSENT)]
        raise PolicyError(f"{name} is not available to programs here", help)

    def __getattr__(cls, name: str) -> NoReturn:
        if name[:2] == "__":
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        cls()

    def __getitem__(cls, parameters: Any) -> Any:
        # `Float[Tensor, "batch"]` in an annotation, which nothing asks.
        return cls

    def __bool__(cls) -> bool:
        return True

    # Who iterates it, counts it or computes with it is refused as well.
    __iter__ = __len__ = __contains__ = __enter__ = __exit__ = __float__ = __int__ = __index__ = __call__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __truediv__ = __rtruediv__ = __neg__ = __call__
    __lt__ = __le__ = __gt__ = __ge__ = __call__


_ABSENT: dict[type, tuple[str, str]] = {}
"""Such a name → what it is called, and what to do instead."""


def absent_class(what: str, help: str) -> type:
    """A class that nothing is an instance of, which may be a base; whoever calls it, or asks it for something, is refused."""
    made = _Absent(what.rpartition(".")[2], (), {"__slots__": (), "__module__": "absent"})
    _ABSENT[made] = what, help
    return made
