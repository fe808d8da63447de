"""Who reads a recording's events, and which kinds of event each of them knows: found in the source, nothing is imported.

Whoever tells kinds of event apart with `match`, or in a table of kinds, names all of them: those that it leaves alone stand
together in one last `case A() | B(): pass`. So a new kind is missing wherever nobody has thought of it yet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

EVENTS = "engine/recording/events.py"
SEVERAL = 3
"""Kinds from which on a function is a reader, however it tells them apart."""


def kinds(root: Path) -> list[str]:
    """The names in `AnyEvent`."""
    for statement in ast.parse((root / EVENTS).read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "AnyEvent":
            names = [each for each in ast.walk(statement.value) if isinstance(each, ast.Name)]
            return [each.id for each in sorted(names, key=lambda each: (each.lineno, each.col_offset))]
    raise AssertionError(f"{EVENTS} has no AnyEvent")


def readers(root: Path) -> dict[str, set[str]]:
    """The readers in a checkout, as "file: function", and the kinds that each names."""
    known = set(kinds(root))
    found: dict[str, set[str]] = {}
    for path in sorted((*root.glob("app.py"), *root.glob("engine/**/*.py"), *root.glob("components/**/*.py"))):
        text = path.read_text(encoding="utf-8")
        if not any(kind in text for kind in known):
            continue
        for place, named in _told_apart(_parsed(text), known):
            found.setdefault(f"{path.relative_to(root).as_posix()}: {place}", set()).update(named)
    return found


def forgotten(root: Path) -> list[str]:
    """What readers have forgotten, a sentence each."""
    every = kinds(root)
    return [
        f"{place} says nothing of {', '.join(kind for kind in every if kind not in named)}"
        for place, named in readers(root).items()
        if not named.issuperset(every)
    ]


_parsed = cache(ast.parse)


def _told_apart(module: ast.Module, known: set[str]) -> Iterator[tuple[str, set[str]]]:
    for statement in module.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Dict):
            named = {_name(key) for key in statement.value.keys if key is not None} & known
            if len(named) >= SEVERAL:
                target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
                yield ast.unparse(target), named
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef):
            continue
        asked: set[str] = set()
        for each in ast.walk(function):
            match each:
                case ast.Match(cases=cases):
                    patterns = [p for case in cases for p in ast.walk(case.pattern) if isinstance(p, ast.MatchClass)]
                    named = {_name(pattern.cls) for pattern in patterns} & known
                    if named:
                        yield function.name, named
                case ast.Call(func=ast.Name(id="isinstance"), args=[_, which]):
                    asked |= {_name(part) for part in ast.walk(which)} & known
        if len(asked) >= SEVERAL:
            yield function.name, asked


def _name(node: ast.AST) -> str:
    """The last name of `Printed` or `events.Printed`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
