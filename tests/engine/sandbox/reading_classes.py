"""Reads every method of every class that programs get to know, as a program does, and calls it with a stranger.

Run as a program, since it watches the classes of its process; it prints what got through, a line each.
"""

from __future__ import annotations

import types
from typing import Any

from engine.sandbox.facades import World
from engine.sandbox.facades.libraries import MODULES
from engine.sandbox.policy import unbound
from engine.sandbox.policy.names import REPLACED
from engine.sandbox.processes import preloading


def read(world: World, cls: type) -> list[tuple[str, Any]]:
    """What a program is given by the names of a class, where there is a Python function behind it."""
    found = []
    for name in set(dir(cls)) - REPLACED:  # these look themselves
        try:
            given = world.guards.get(cls, name)
        except Exception:
            continue
        for part in ("fget", "fset", "fdel") if type(given) is property else ("",):
            function = getattr(given, part) if part else given
            if type(function) is types.FunctionType:
                found.append((f"{cls.__module__}.{cls.__qualname__}.{name}", function))
    return found


def is_static(cls: type, name: str) -> bool:
    """Whether a name of a class is that of a static method, which takes no object of it; `__new__` takes the class."""
    return name != "__new__" and any(
        type(unbound.names_of(line)[name]) is staticmethod for line in unbound.mro_of(cls) if name in unbound.names_of(line)
    )


def main() -> None:
    """Print the names of methods that a program is given as they are, and how many were looked at."""
    preloading.up()
    world = World()
    for library in MODULES:
        world.load(library)
    plain: Any = main
    looking = {unbound._function(int, plain).__code__, unbound.making(int, plain).__code__}
    count = 0
    for cls in sorted(world.guards.known, key=lambda c: (c.__module__, c.__qualname__)):
        if not unbound.is_written(cls):
            continue
        for name, function in read(world, cls):
            count += 1
            if function.__code__ not in looking and not is_static(cls, name.rpartition(".")[2]):
                print(name)
    print(count)


if __name__ == "__main__":
    main()
