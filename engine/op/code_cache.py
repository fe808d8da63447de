"""Keeps the code of what is written anew at every start, beside the bytecode that Python keeps of modules (in `__pycache__`).

Python compiles a module once and an operation's call path at every start: a thousand short texts, a third of the time of
`import engine`. The code of a text depends on the text and on Python alone, so it is looked up by the text.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType

MOST = 5000
"""Texts that are kept; with more of them (after many changes of the engine) only those go on that were asked for."""


class CodeCache:
    """The code of texts, from a file and for it.

    Args:
        path: the file; None where nothing is kept.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._used: dict[tuple[str, str], CodeType] = {}
        self._kept = _read(path) if path else {}
        self._more = False

    def code(self, text: str, name: str) -> CodeType:
        """The code of `text`, compiled as from a file called `name`."""
        key = text, name
        found = self._kept.get(key)
        if found is None:
            found = compile(text, name, "exec")
            self._more = True
        self._used[key] = found
        return found

    def save(self) -> None:
        """Write down what was compiled, if anything was; where nothing can be written the next start compiles again."""
        if not self._more or self.path is None or sys.dont_write_bytecode:
            return
        self._more = False
        # Another process may have written meanwhile what this one never asked for.
        kept = _read(self.path) | self._used
        if len(kept) > MOST:
            kept = self._used
        part = self.path.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            part.parent.mkdir(exist_ok=True)
            part.write_bytes(MAGIC_NUMBER + marshal.dumps(kept))
            part.replace(self.path)


def _read(path: Path) -> dict[tuple[str, str], CodeType]:
    try:
        data = path.read_bytes()
        if data.startswith(MAGIC_NUMBER):
            found = marshal.loads(data[len(MAGIC_NUMBER) :])
            if isinstance(found, dict):
                return found
    except (OSError, ValueError, EOFError, TypeError):
        pass
    return {}


def _place() -> Path | None:
    """The file beside Python's own of this module."""
    try:
        return Path(cache_from_source(__file__)).with_suffix(".operations")
    except NotImplementedError:  # a Python that keeps no bytecode
        return None


codes = CodeCache(_place())
"""Of the operations and their rules, and of what users call."""
