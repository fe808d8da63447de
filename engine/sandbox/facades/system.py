"""What programs get of `sys`, `gc`, `traceback`, `timeit` and `tqdm`: small stand-ins, written for them."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
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


class Shell:
    """What `get_ipython()` gives: commands of the notebook are taken, and nothing is done."""

    __slots__ = ()

    def run_line_magic(self, *_: Any, **__: Any) -> None:
        """Taken, without effect."""

    run_cell_magic = magic = system = getoutput = run_line_magic

    def __repr__(self) -> str:
        return "<ipykernel.zmqshell.ZMQInteractiveShell object>"


SHELL = Shell()


def get_ipython() -> Shell:
    """The notebook's shell, for commands that were written out as calls."""
    return SHELL


def facades(guards: Guards) -> dict[str, Facade]:
    """The modules by name."""
    made = {
        "gc": {"collect": lambda generation=2: gc.collect(), "disable": _nothing, "enable": _nothing},
        "logging": logging.names(guards),
        "sys": _sys(),
        "timeit": {"default_timer": time.perf_counter, "timeit": _timeit},
        "tqdm": {"tqdm": Progress, "trange": lambda *a, **k: Progress(range(*a), **k), "tqdm_notebook": Progress},
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
    }
    made["tqdm.auto"] = made["tqdm.autonotebook"] = made["tqdm.notebook"] = made["tqdm.std"] = made["tqdm"]
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
        "executable": "python",
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


BARS = 200
"""So many bars are printed; a loop that has one in each of its iterations would fill the output with them."""


class Progress:
    """`tqdm(iterable)`: goes through it, and prints the bar once, when it is full or closed, without times, so that a run that
    is repeated prints the same."""

    __slots__ = ("_after", "_before", "_items", "_leaves", "_shown", "_unit", "n", "total")
    _printed = 0

    def __init__(
        self, iterable: Any = None, desc: Any = None, total: Any = None, leave: Any = True, file: Any = None, *_: Any,
        disable: Any = False, initial: int = 0, postfix: Any = None, unit: Any = "it", position: Any = None, **__: Any,
    ) -> None:  # fmt: skip
        self._items = () if iterable is None else iterable
        if total is None and iterable is not None:
            with suppress(AttributeError, NotImplementedError, TypeError):
                total = len(iterable)
        self.n, self.total = initial, total
        self._before, self._after, self._unit = desc, "", unit
        self._leaves = bool(leave if leave is not None else not position)
        self._shown = bool(disable)
        if postfix:
            self.set_postfix(postfix)

    def __iter__(self) -> Iterator[Any]:
        try:
            for item in self._items:
                yield item
                self.n += 1
        finally:
            self.close()

    def __len__(self) -> int:
        return len(self._items) if self.total is None else int(self.total)

    def __bool__(self) -> bool:
        return self.total is None or self.total > 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        head = f"{self._before}: " if type(self._before) is str and self._before else ""
        after = f" [{self._after}]" if self._after else ""
        n, total = self.n, self.total
        if type(n) not in (int, float) or type(total) not in (int, float) or not total:
            return f"{head}{n if type(n) in (int, float) else 0}{self._unit if type(self._unit) is str else 'it'}{after}"
        share = min(max(n / total, 0.0), 1.0)
        return f"{head}{share * 100:3.0f}%|{'█' * int(share * 10):10}| {n}/{total}{after}"

    def close(self) -> None:
        """Print the bar, if it is to stay."""
        if self._shown:
            return
        self._shown = True
        if self._leaves and Progress._printed < BARS:
            Progress._printed += 1
            print(repr(self), file=sys.stderr)

    def update(self, n: Any = 1) -> None:
        """So much more is done."""
        self.n += n

    def reset(self, total: Any = None) -> None:
        """Begin anew."""
        self.n, self.total = 0, self.total if total is None else total

    def set_description(self, desc: Any = None, refresh: Any = True) -> None:
        """What stands before the bar."""
        self._before = desc

    set_description_str = set_description

    def set_postfix(self, ordered_dict: Any = None, refresh: Any = True, **kwargs: Any) -> None:
        """What stands behind it, by name: numbers with three digits, as tqdm shows them."""
        named = {**(ordered_dict if isinstance(ordered_dict, dict) else {}), **kwargs}
        self._after = ", ".join(f"{key}={_short(value)}" for key, value in named.items())

    def set_postfix_str(self, s: Any = "", refresh: Any = True) -> None:
        """What stands behind it."""
        self._after = s if type(s) is str else str(s)

    def refresh(self, *_: Any, **__: Any) -> None:
        """Nothing is drawn in between."""

    clear = display = unpause = refresh

    @staticmethod
    def write(s: Any = "", file: Any = None, end: str = "\n", nolock: bool = False) -> None:
        """Print a line."""
        print(s, end=end)


def _short(value: Any) -> str:
    """A value of a postfix."""
    if type(value) in (int, float):
        text = f"{value:.3g}".replace("e+0", "e+").replace("e-0", "e-")
        return text if len(text) < len(str(value)) else str(value)
    return str(value).strip()
