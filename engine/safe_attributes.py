"""Names that arrive as text and become attributes; Python's own, between double underscores, do not.

NumPy, for one, asks every object for `__array_interface__` and believes what it says about memory. Where the name is a
program's, and maybe the object too, the sandbox's guards are asked as if the program itself had written `x.name`: what it may
not read, the engine does not read for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Guard(Protocol):
    """What looks at each attribute that a program names; the guards of the sandbox are such."""

    def get_for(self, thing: Any, name: str) -> Any:
        """What the program reads of a thing by that name."""

    def look_at(self, thing: Any, name: str) -> None:
        """Refuse a name that the program may not set on a thing."""

    def attributes_for(self, thing: Any) -> dict[str, Any]:
        """The attributes of a thing that the program may see; none of what is not its own."""


_guard: list[Guard] = []
"""The one of the program that this process runs, where there is one."""


def guarded_by(guard: Guard) -> None:
    """From here on this one is asked."""
    _guard[:] = [guard]


def read(thing: Any, name: str) -> Any:
    """An attribute by a name that is a program's; AttributeError for one that it may not read."""
    plain(name)
    return _guard[0].get_for(thing, name) if _guard else getattr(thing, name)


def write(thing: Any, name: str, value: Any) -> None:
    """Set an attribute by a name that is a program's, if it may."""
    setattr(looked_at(thing, name), name, value)


def delete(thing: Any, name: str) -> None:
    """Delete an attribute by a name that is a program's, if it may."""
    delattr(looked_at(thing, name), name)


def looked_at(thing: Any, name: str) -> Any:
    """A thing on which a program may set an attribute of that name; what refuses another is the guard."""
    plain(name)
    if _guard:
        _guard[0].look_at(thing, name)
    return thing


def meant_for(thing: Any, kind: type[T]) -> T:
    """What a program gives, if it is an object of a class: names that are private to one are looked after by the guards in its
    objects only.

    Raises:
        TypeError: if it is none.
    """
    if not isinstance(thing, kind):
        raise TypeError(f"expected a '{kind.__name__}' object, not a '{type(thing).__name__}' object")
    return thing


def attributes_of(thing: Any) -> dict[str, Any]:
    """A copy of the attributes of a thing that is a program's; none of what is not."""
    found = _guard[0].attributes_for(thing) if _guard else thing.__dict__
    return {name: value for name, value in found.items() if not is_special(name)}


def is_special(name: object) -> bool:
    """Whether a name is between double underscores, or could pass for such a one, as a subclass of `str` with its own `==`."""
    return type(name) is not str or (name[:2] == "__" and name[-2:] == "__")


def plain(name: str) -> str:
    """A name that may become an attribute.

    Raises:
        AttributeError: for one of Python's own.
    """
    if is_special(name):
        raise AttributeError(f"'{name}' cannot be the name of an attribute: names between double underscores are Python's own")
    return name


def take_over(thing: Any, attributes: Mapping[str, Any]) -> None:
    """Give an object attributes, as loading a state does.

    Raises:
        AttributeError: for a name of Python's own, or a private one by which its class has a method, or a place in memory.
    """
    for name in attributes:
        if plain(name)[:1] == "_" and any(hasattr(vars(c).get(name), "__get__") for c in type(thing).__mro__):
            raise AttributeError(f"'{name}' is private to {type(thing).__name__}, and not for a state to give")
    thing.__dict__.update({plain(name): value for name, value in attributes.items()})


def give(thing: Any, attributes: Mapping[str, Any]) -> None:
    """Give something of a program's the attributes that a state of the program's names, as far as it may set them itself."""
    for name in attributes:
        looked_at(thing, name)
    take_over(thing, attributes)
