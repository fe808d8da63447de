"""The child's side of every experiment: a job that runs its program many times, measures, and replies once, in time."""

from __future__ import annotations

import os
import sys
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable
from types import CodeType
from typing import Any

import msgspec

from ..context import context
from ..recording.bounded_text import said
from ..sandbox.instrument import instrument
from ..sandbox.parse import parsed
from ..sandbox.processes.child import Run
from ..sandbox.system import timer
from ..sandbox.tracer import cell_files, file_name
from ..sandbox.transport.frames import REPLY
from ..sandbox.transport.messages import Job, encode
from .rerun import Null, Program


class Experiment(Run):
    """One experiment: it asks for `measure`, and sends what `reply` makes of how that ended."""

    most_text: int
    """Characters of its longest message."""
    stopped = "stopped after {:g} seconds"
    """What the message says when the time is up."""

    def __init__(self, job: Job, out: int) -> None:
        super().__init__(job, out)
        self.tape.send = lambda: None  # type: ignore[method-assign]
        self.last = self.began
        """When a message was sent."""

    @abstractmethod
    def measure(self) -> None:
        """Do what was asked."""

    @abstractmethod
    def reply(self, status: str, message: str, line: int) -> msgspec.Struct:
        """The last message: "ok" with what was found, or why there is nothing, or no more."""

    def go(self) -> None:
        """Measure and reply."""
        self._prepare()
        sys.stdout = sys.stderr = Null()
        warnings.showwarning = lambda *_, **__: None
        status, message, line = "ok", "", 0
        try:
            self.measure()
        except Unmeasured as why:
            status, message = why.args
        except MemoryError:
            status, message = "memory", f"the {self.job.kind} needed more memory than it may use"
        except BaseException as error:
            context.observer = None
            explained = self._explain(error)
            status, message, line = "error", f"{explained.type}: {said(error)}", explained.line
        timer.stop()
        self.end(status, message, line)

    def end(self, status: str, message: str, line: int = 0) -> None:
        """Send the reply."""
        self.ended = True
        context.observer = None
        self.tape.frame(REPLY, encode(self.reply(status, self.short(message), line)))

    def _stop(self, status: str, message: str) -> None:
        self.end(status, message)
        os._exit(0)

    def _ended_late(self, which: int, line: int) -> None:
        self.end("timeout", self.stopped.format(self.job.limits.seconds))

    # --- for those who measure ----------------------------------------------------------------------------------------------

    def short(self, text: str) -> str:
        """A message that is not longer than any."""
        return text if len(text) <= self.most_text else text[: self.most_text - 1] + "…"

    def spent(self, share: float) -> bool:
        """Whether so much of the time has passed."""
        return time.monotonic() - self.began > share * self.job.limits.seconds

    def due(self, every: float) -> bool:
        """Whether it is time for another message."""
        return time.monotonic() - self.last > every

    def send(self, kind: bytes, body: bytes) -> None:
        """Send a message on the way."""
        self.last = time.monotonic()
        self.tape.frame(kind, body)

    def compiled(self, begins: Callable[[bool], None] = lambda first: None) -> Program:
        """The program, which can be run any number of times."""
        codes: list[CodeType] = []
        for cell, text in enumerate(self.job.cells):
            name = file_name(self.job, cell)
            tree = self.changed(cell, parsed(text, name, self.job.layers))
            codes.append(compile(instrument(tree), name, "exec", dont_inherit=True))
        return Program(codes, dict(self.namespace), cell_files(self.job), self.tape, begins, self._again)

    def _again(self) -> None:
        """The program runs anew, with the files that it had at first."""
        self._give()

    def changed(self, cell: int, tree: Any) -> Any:
        """A cell's tree as it is to be run."""
        return tree


class Unmeasured(Exception):
    """There is nothing to measure; status and message say why."""
