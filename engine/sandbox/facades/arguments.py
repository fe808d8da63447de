"""`argparse` for programs: Python's own parser, over the arguments of the run, without files or names of other objects."""

from __future__ import annotations

import argparse
import types
from typing import Any

from ..policy.attributes import settable
from ..policy.guards import Guards
from .facade import picked
from .files import files, streams
from .mended import SYS

NAMES = """
Action ArgumentDefaultsHelpFormatter ArgumentError ArgumentTypeError HelpFormatter
MetavarTypeHelpFormatter ONE_OR_MORE OPTIONAL PARSER REMAINDER RawDescriptionHelpFormatter RawTextHelpFormatter SUPPRESS
ZERO_OR_MORE
"""


def names(guards: Guards) -> dict[str, Any]:
    """What `argparse` has."""
    ours = (ArgumentParser, _ACTIONS[argparse.BooleanOptionalAction], FileType, Namespace)
    made = picked(argparse, NAMES) | {kind.__name__: kind for kind in ours}
    _guards[:] = [guards]
    guards.know((thing for thing in made.values() if isinstance(thing, type)), bases=True)
    guards.opened += (Namespace,)
    return made


_guards: list[Guards] = []
"""Those of the world; no attribute of anything that a program has."""


class Namespace(argparse.Namespace):
    """As `argparse.Namespace`, with plain names only."""

    __module__ = "argparse"

    def __init__(self, **names: Any) -> None:
        for name, value in names.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        _guards[0].write(self, settable(name))
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Namespace) and vars(self) == vars(other)

    __hash__ = None


class FileType:
    """As `argparse.FileType`, on the run's files."""

    def __init__(self, mode: Any = "r", bufsize: Any = -1, encoding: Any = None, errors: Any = None) -> None:
        self._options = mode, bufsize, encoding, errors

    def __call__(self, path: Any) -> Any:
        try:
            return streams.open(path, *self._options)
        except OSError as error:
            raise argparse.ArgumentTypeError(f"can't open '{path}': {error}") from None


def _read(thing: Any, name: str, *default: Any) -> Any:
    try:
        return _guards[0].get(thing, name)
    except AttributeError:
        if not default:
            raise
        return default[0]


def _write(thing: Any, name: str, value: Any) -> None:
    _guards[0].set(thing, name, value)


def _attributes(thing: Any) -> Any:
    return _guards[0].attributes(thing)


def _delete(thing: Any, name: str) -> None:
    _guards[0].delete(thing, name)


def _names() -> dict[str, Any]:
    """What a function of `argparse` finds by its names."""
    return {**vars(argparse), "_sys": SYS, "delattr": _delete, "getattr": _read, "setattr": _write, "vars": _attributes}


def _guarded(kind: Any) -> Any:
    """A kind of actions, which a program can call with anything for a namespace: it reads and sets what the program may."""
    real: Any = kind.__call__
    called = types.FunctionType(real.__code__, _names(), "__call__", real.__defaults__)
    return type(kind.__name__, (kind,), {"__module__": "argparse", "__qualname__": kind.__qualname__, "__call__": called})


_ACTIONS: dict[Any, Any] = {
    kind: _guarded(kind)
    for kind in list(vars(argparse).values())
    if isinstance(kind, type) and issubclass(kind, argparse.Action) and kind is not argparse.Action
}
"""Python's kinds of actions, and what programs have in their place."""


def _of_python(name: str) -> Any:
    """A method of Python's parser, which sets on a namespace, whatever its class has of its own, what the program may."""
    real: Any = vars(argparse.ArgumentParser)[name]
    made = types.FunctionType(real.__code__, _names(), name, real.__defaults__)
    made.__kwdefaults__ = real.__kwdefaults__
    return made


_parse: Any = _of_python("parse_known_args")


class ArgumentParser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`."""

    __module__ = "argparse"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        for name, kind in list(self._registries["action"].items()):
            self.register("action", name, _ACTIONS.get(kind, kind))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What is known of the arguments, and the others."""
        if namespace is None or isinstance(namespace, Namespace):
            return _parse(self, args, Namespace() if namespace is None else namespace)
        # Of another object the names are set as the program itself sets them.
        found, others = _parse(self, args, Namespace(**_guards[0].attributes(namespace)))
        for name, value in vars(found).items():
            _guards[0].set(namespace, name, value)
        return namespace, others

    parse_known_intermixed_args = _of_python("parse_known_intermixed_args")
    _parse_known_args = _of_python("_parse_known_args")
    if hasattr(argparse.ArgumentParser, "_parse_known_args2"):  # newer Pythons
        _parse_known_args2 = _of_python("_parse_known_args2")

    def _read_args_from_files(self, arg_strings: Any) -> list[str]:
        read: list[str] = []
        for text in arg_strings:
            if not text or text[0] not in (self.fromfile_prefix_chars or ""):
                read.append(text)
                continue
            try:
                lines = files().read(text[1:]).decode().splitlines()
            except OSError as error:
                self.error(str(error))
            read += self._read_args_from_files([one for line in lines for one in self.convert_arg_line_to_args(line)])
        return read
