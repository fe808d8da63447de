"""Gradtape's command and public names: a module in a checkout, the package itself where Gradtape is installed.

Installed, it takes this one name, because a project may have an `engine` or an `app` of its own: everything else is below it,
`gradtape.engine` first of all. In a checkout the same folders stand beside this file. The page is a process of our own, where
they are `engine` and `components` in both.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
if "__path__" not in globals():  # a module: what stands beside it is to be found below it
    __path__ = [str(FOLDER)]

OF_THE_PAGE = ("health", "html", "open", "pyvis")
"""Commands that need more than the engine (`components.commands`)."""
OF_PYTORCH = ("record", "start", "stop")
"""Names that are there where PyTorch is (`engine.pytorch`)."""
START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from components.commands import main; sys.exit(main(sys.argv[1:]))"


def main(argv: Sequence[str] | None = None) -> int:
    """Do what a command line says; without a command, serve the page with Streamlit, to which arguments go."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in OF_THE_PAGE:
        commands = import_module("gradtape.engine.commands")
        if arguments[0] in commands.commands():
            return int(commands.main(arguments))
    # Whatever has the same names where this was called, and whatever PYTHONPATH says, comes after our own folder.
    command = [sys.executable, "-P", "-c", START, str(FOLDER), *arguments]
    if argv is None and os.name == "posix":
        # It takes the place of this process, which a service manager knows and stops by its number.
        os.execv(sys.executable, command)
    return subprocess.call(command)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext gradtape`: notebooks have `%%gradtape` then."""
    beside("notebook").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext gradtape`."""
    beside("notebook").unload(shell)


def beside(name: str) -> Any:
    """A part of the engine that records what others compute: NumPy warns them as before, though the engine keeps it silent."""
    from numpy import errstate

    with errstate():
        return import_module(f"gradtape.engine.{name}")


def __getattr__(name: str) -> Any:
    """`engine`, `record`, `start` and `stop` (of PyTorch), and `network` (a recording as pyvis's Network).

    They are imported when asked for, because others do without.
    """
    if name == "engine":
        return import_module("gradtape.engine")
    if name in OF_PYTORCH:
        return getattr(beside("pytorch"), name)
    if name == "network":
        return import_module("gradtape.components.network").network
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    sys.exit(main())
