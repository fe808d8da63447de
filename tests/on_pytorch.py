"""Programs run on PyTorch as `python program.py` runs them: each in a fork of one process that has imported PyTorch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVE = """
import json, os, runpy, sys
import torch
for line in sys.stdin:
    path, out, err = json.loads(line)
    child = os.fork()
    if child == 0:
        for descriptor, file in enumerate((os.devnull, out, err)):
            opened = os.open(file, os.O_WRONLY | os.O_CREAT if descriptor else os.O_RDONLY)
            os.dup2(opened, descriptor)
        os.chdir(os.path.dirname(path))
        sys.argv[:] = [path]
        code = 0
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else error.code is not None
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
PATIENCE = 120.0
"""Seconds after which a program counts as never ending, on a slow machine too."""


@dataclass(frozen=True)
class Ran:
    """What has become of a program."""

    returncode: int
    stdout: str
    stderr: str


class OnPyTorch:
    """The process that has PyTorch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = 0
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )

    def __call__(self, program: str) -> Ran:
        """Run a program in a folder of its own, and wait for its end."""
        self.programs += 1
        own = self.folder / str(self.programs)
        own.mkdir()
        path, out, err = own / "program.py", own / "out", own / "err"
        path.write_text(program, encoding="utf-8")
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([str(path), str(out), str(err)]) + "\n")
        self.process.stdin.flush()
        overdue = threading.Timer(PATIENCE, self.process.kill)
        overdue.start()
        code = self.process.stdout.readline()
        overdue.cancel()
        assert code, "PyTorch's process has ended, or the program never ends"
        return Ran(int(code), out.read_text("utf-8"), err.read_text("utf-8"))


@contextmanager
def on_pytorch(folder: Path) -> Iterator[OnPyTorch]:
    """The process, for as long as it is needed."""
    made = OnPyTorch(folder)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.communicate()
