"""The disposable process in which faults are tried out: each in a fork of its own, with and without the language layer."""

from __future__ import annotations

import faulthandler
import json
import os
import sys

from ..parse import builtins_for, parsed
from ..transport.messages import Layers
from . import preloading


def main() -> None:
    """Try the faults that come in, and write the names of those that stand open."""
    language, table = json.load(sys.stdin)
    preloading.up()
    bare, layered = Layers(language=False), Layers(language=language)
    builtins_for(layered)  # made once, before the forks
    open_ = [f["name"] for f in table if _crashes(f["program"], bare) and _crashes(f["program"], layered)]
    json.dump(open_, sys.stdout)


def _crashes(program: str, layers: Layers) -> bool:
    """Whether a process that runs a program is ended by a signal."""
    child = os.fork()
    if child == 0:
        _run(program, layers)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _run(program: str, layers: Layers) -> None:
    """Run it in this fork, and end."""
    try:
        faulthandler.disable()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for fd in (1, 2):
            os.dup2(nowhere, fd)
        code = compile(parsed(program, "<fault>", layers), "<fault>", "exec", dont_inherit=True)
        exec(code, {"__name__": "__main__", "__builtins__": builtins_for(layers)})
    except BaseException:
        os._exit(1)
    finally:
        os._exit(0)
