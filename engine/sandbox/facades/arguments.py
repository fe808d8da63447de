"""`argparse` for programs: Python's own parser, over the arguments of the run, without files or names of other objects."""

from __future__ import annotations

import argparse
import types
from typing import Any

from ..policy.errors import PolicyError
from ..policy.guards import Guards
from ..policy.names import instead, may_inject
from .facade import picked
from .files import files, streams

NAMES = """
Action ArgumentDefaultsHelpFormatter ArgumentError ArgumentTypeError BooleanOptionalAction HelpFormatter
MetavarTypeHelpFormatter ONE_OR_MORE OPTIONAL PARSER REMAINDER RawDescriptionHelpFormatter RawTextHelpFormatter SUPPRESS
ZERO_OR_MORE
"""


def names(guards: Guards) -> dict[str, Any]:
    """What `argparse` has."""
    made = picked(argparse, NAMES) | {"ArgumentParser": ArgumentParser, "FileType": FileType, "Namespace": Namespace}
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
        if not may_inject(name):
            raise PolicyError(f"the attribute {name!r} cannot be set in programs here", instead(str(name)))
        _guards[0].write(self, name)
        super().__setattr__(name, value)


class FileType:
    """As `argparse.FileType`, on the run's files."""

    def __init__(self, mode: Any = "r", bufsize: Any = -1, encoding: Any = None, errors: Any = None) -> None:
        self._options = mode, bufsize, encoding, errors

    def __call__(self, path: Any) -> Any:
        try:
            return streams.open(path, *self._options)
        except OSError as error:
            raise argparse.ArgumentTypeError(f"can't open '{path}': {error}") from None


class _Subparsers(argparse._SubParsersAction):  # type: ignore[type-arg]
    """As Python's own; what a parser of the program's gives for a namespace is looked at as `vars` of it."""

    def __call__(self, *given: Any, **options: Any) -> None:
        _chosen(self, *given, **options)


def _attributes(thing: Any) -> Any:
    return _guards[0].attributes(thing)


_chosen: Any = types.FunctionType(
    argparse._SubParsersAction.__call__.__code__, {**vars(argparse), "vars": _attributes}, "__call__", (None,)
)


class ArgumentParser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`."""

    __module__ = "argparse"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.register("action", "parsers", _Subparsers)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What is known of the arguments, and the others."""
        if namespace is None or isinstance(namespace, Namespace):
            return super().parse_known_args(args, Namespace() if namespace is None else namespace)
        # Of another object the names are set as the program itself sets them.
        found, others = super().parse_known_args(args, Namespace(**_guards[0].attributes(namespace)))
        for name, value in vars(found).items():
            _guards[0].set(namespace, name, value)
        return namespace, others

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
