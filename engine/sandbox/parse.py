"""How a program's text becomes a tree that may be compiled, and what it finds there: both by the language layer, or without."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Iterator
from typing import Any

from .facades import World
from .policy import check
from .policy.names import may_inject
from .transport.messages import Layers


@functools.cache
def world() -> World:
    """Everything that programs can name; built once, before the first."""
    return World()


def parsed(text: str, name: str, layers: Layers) -> ast.Module:
    """The tree of a program, checked and with guards.

    Raises:
        SyntaxError: if it is no Python.
        PolicyError: for the first construct that programs may not use.
    """
    tree = ast.parse(text, name)
    if layers.language and check(tree):
        world().guards.noticed("callbacks")
    world().tried.update(_tried(tree))
    return tree


def _tried(tree: ast.Module) -> Iterator[str]:
    """The modules that a program imports within `try`."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Try):
            for inner in statement.body:
                for found in ast.walk(inner):
                    if isinstance(found, ast.Import):
                        yield from (name.name for name in found.names)
                    elif isinstance(found, ast.ImportFrom):
                        yield found.module or ""


def builtins_for(layers: Layers) -> dict[str, Any]:
    """The built-in names of a program. With the language layer it is always the same dict, by which its functions are told."""
    return world().builtins if layers.language else dict(vars(builtins))


def statement(layers: Layers, setup: str, text: str, names: Any) -> Callable[[], Any]:
    """What runs a statement that a program gives as text, after another: both are looked at as the program itself is.

    Raises:
        SyntaxError, PolicyError: as for a program.
    """
    given = {name: value for name, value in dict.items(names) if may_inject(name)}
    given["__builtins__"] = builtins_for(layers)
    setup_code, code = (
        compile(parsed(part, name, layers), name, "exec", dont_inherit=True)
        for part, name in ((setup, "<setup>"), (text, "<stmt>"))
    )
    exec(setup_code, given)
    return lambda: exec(code, given)
