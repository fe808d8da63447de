"""Runs attacks on copies and on NumPy's names where one of the two mends against them is missing, or both.

Each attack runs in a process of its own, with the language layer and nothing else. Run as a program with the name of what is
missing; it prints the attacks that reach their goal, as JSON.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import json
import os
import signal
import sys
import warnings
from typing import Any

from engine.context import context
from engine.sandbox.facades import World
from engine.sandbox.parse import parsed
from engine.sandbox.policy import classes, protocols
from engine.sandbox.transport.messages import Layers
from tests.corpus import Case
from tests.engine.sandbox.attacks import attacks

SECONDS = 1.0
"""Of the processor, for one attack."""
REACHED = ("0x", "REACHED")


def without_copying(world: World) -> None:
    """Python's own `copy` in the place of ours, wherever programs get at it."""
    modules = {name: vars(facade) for name, facade in world.modules.items()}
    modules["copy"].update(copy=copy.copy, deepcopy=copy.deepcopy)
    modules["collections"].update(UserDict=collections.UserDict, UserList=collections.UserList)
    modules["dataclasses"].update(asdict=dataclasses.asdict, astuple=dataclasses.astuple)
    world.guards.know((collections.UserDict, collections.UserList), bases=True)
    world.guards.replacements["__deepcopy__"] = lambda thing: thing.__deepcopy__
    setattr(world.guards, "memo_for", lambda memo, caller: memo)  # noqa: B010


def without_names(world: World) -> None:
    """NumPy finds what is there, in classes and on objects."""
    classes.look_at_names = lambda namespace, own_memo, closed: None


def missing(what: str) -> World:
    """What a program can name where something is missing: "copying", "names", "both", "syntax" (the check of the text)."""
    world = World()
    if what in ("copying", "both"):
        without_copying(world)
    else:
        context.copy, context.deepcopy = world.copying.copy, world.copying.deepcopy
    if what in ("names", "both"):
        without_names(world)
    else:
        protocols.shut()
    return world


def reaches(world: World, attack: Case, language: bool) -> bool:
    """Whether an attack reaches its goal, in a process of its own."""
    inward, out = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(out, 1)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            warnings.simplefilter("ignore")
            sys.stdout = sys.stderr = os.fdopen(1, "w", buffering=1)
            run(world, attack.text, language)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(out)
    with os.fdopen(inward, errors="replace") as file:
        said = file.read()
    os.waitpid(child, 0)
    return any(line.startswith(REACHED) for line in said.splitlines())


def run(world: World, program: str, language: bool) -> dict[str, Any]:
    """The names of a program after its run, by the language layer's rules."""
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": world.builtins}
    exec(compile(parsed(program, "<program>", Layers(language=language)), "<program>", "exec", dont_inherit=True), names)
    return names


def main(what: str) -> None:
    """Print the names of the attacks that reach their goal."""
    world = missing(what)
    # Where NumPy finds the names, only copying is to be stopped.
    groups = ("copying", "protocols") if what in ("copying", "syntax") else ("copying",)
    chosen = [a for a in attacks() if a.group in groups and a["goal"] == "memory"]
    print(json.dumps([a.name for a in chosen if reaches(world, a, what != "syntax")]))


if __name__ == "__main__":
    main(sys.argv[1])
