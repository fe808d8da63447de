"""What programs get of `sys`, `gc`, `traceback`, `timeit` and `tqdm`: small stand-ins, written for them."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..policy.guards import Guards
from . import logging
from .facade import Facade, picked
from .plain import missing

SYS = """
byteorder float_info getrecursionlimit getrefcount getsizeof hexversion int_info maxsize maxunicode platform version
version_info
"""
ARGUMENTS = ["program"]
"""What `sys.argv` is: the name of the program, and the arguments that it was given."""
DEEPEST = 3000
"""How deep calls may go; Python itself crashes somewhere far beyond."""


class Output:
    """`sys.stdout` or `sys.stderr`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, text: str) -> int:
        """Print text."""
        return int(getattr(sys, self._name).write(text))

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        """Never."""
        return False


def facades(guards: Guards) -> dict[str, Facade]:
    """The modules by name."""
    made = {
        "gc": {"collect": lambda generation=2: gc.collect(), "disable": _nothing, "enable": _nothing},
        "logging": logging.names(guards),
        "sys": _sys(),
        "timeit": {"default_timer": time.perf_counter, "timeit": _timeit},
        "tqdm": {"tqdm": Progress, "trange": lambda *a, **k: Progress(range(*a), **k)},
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
    }
    made["tqdm.auto"] = made["tqdm.notebook"] = made["tqdm"]
    guards.know((Progress,))
    return {name: Facade(name, names, _absent if name.startswith("tqdm") else missing(name)) for name, names in made.items()}


def _nothing() -> None:
    """Nothing happens."""


def _absent(name: str) -> AttributeError:
    return AttributeError(f"module 'tqdm' has no attribute '{name}' here")


def _sys() -> dict[str, Any]:
    def exit(code: Any = None) -> NoReturn:
        raise SystemExit(code)

    def setrecursionlimit(limit: int) -> None:
        sys.setrecursionlimit(max(min(int(limit), DEEPEST), 50))

    return picked(sys, SYS) | {
        "argv": ARGUMENTS,
        "path": [],
        "exit": exit,
        "setrecursionlimit": setrecursionlimit,
        "stderr": Output("stderr"),
        "stdout": Output("stdout"),
    }


def _timeit(stmt: Callable[[], Any], *, number: int = 1000) -> float:
    """How long `number` calls of a function take; code in a text is not run."""
    if not callable(stmt):
        raise TypeError("timeit takes a function here: timeit.timeit(lambda: f(x), number=100)")
    began = time.perf_counter()
    for _ in range(number):
        stmt()
    return time.perf_counter() - began


def format_exc() -> str:
    """The text of the exception that is being handled, with the program's own lines."""
    kind, error, at = sys.exc_info()
    if kind is None:
        return "NoneType: None\n"
    lines = traceback.extract_tb(at)
    own = [line for line in lines if line.filename.startswith("<")]
    shown = ["Traceback (most recent call last):\n", *traceback.format_list(own), *traceback.format_exception_only(kind, error)]
    return "".join(shown)


def print_exc(*_: Any, **__: Any) -> None:
    """Print that text."""
    sys.stderr.write(format_exc())


class Progress:
    """`tqdm(iterable)`: goes through it; there is no terminal to draw a bar in."""

    __slots__ = ("_items",)

    def __init__(self, iterable: Any = (), *_: Any, **__: Any) -> None:
        self._items = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def set_description(self, *_: Any, **__: Any) -> None:
        """Nothing is drawn."""

    set_postfix = set_postfix_str = update = refresh = close = set_description

    @staticmethod
    def write(text: str) -> None:
        """Print a line."""
        print(text)
