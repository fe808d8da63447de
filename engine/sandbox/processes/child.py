"""What a child does. It runs a program: compiles it, runs its cells under a recorder, and streams what happens to the parent.
Or it does another kind of job with a program, of which there is a table."""

from __future__ import annotations

import ast
import builtins
import copy
import gc
import io
import linecache
import os
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib.metadata import PackageNotFoundError
from itertools import chain, islice
from types import CodeType, FrameType, TracebackType
from typing import Any, Protocol

import numpy as np

from ... import limits
from ...compat.arguments import in_pytorchs_words
from ...compat.version import follow
from ...context import context
from ...itself import OURS, engine
from ...op.declare import TABLE
from ...op.symbolic import rule_texts
from ...program.project import NOT_OPENED, sound
from ...program.usual_imports import forgotten
from ...recording.bounded_text import UNSAYABLE, name_of, plain, said, shown
from ...recording.recorder import OFTEN, Recorder
from ...safe_attributes import guarded_by
from ...slots import slots
from ...tensor import public_names
from .. import unraisable
from ..facades import plotting
from ..facades.facade import renew
from ..facades.files import FOLDER, WORKING, Files, begin, files, streams
from ..facades.numpy import seeded
from ..facades.system import ARGUMENTS
from ..facades.torch import SUBMODULES
from ..instrument import TAPE, instrument
from ..parse import builtins_for, parsed, statement, world
from ..policy import PolicyError
from ..project import Project, located, named
from ..system import timer
from ..system.memory import all_stays
from ..tracer import Stream, Tape, file_name
from ..transport.frames import DONE, PIECE, WRITTEN
from ..transport.messages import HALTED, LONGER, Done, Job, Layers, Limits, RunError, Written, decode_job, encode
from . import preloading


def main(inward: int, out: int, enter: Callable[[Limits, Layers], None]) -> None:
    """Run the job that comes in on one file descriptor and send what happens to the other; never returns.

    Args:
        enter: drops the process's privileges before anything of the program runs.
    """
    status = 1
    try:
        job = decode_job(_read_all(inward))
        follow(job.release)
        work = KINDS[job.kind](job, out)
        work.enter = lambda: enter(job.limits, job.layers)
        work.go()
        status = 0
    finally:
        os._exit(status)


class Work(Protocol):
    """One job of some kind, made of the job and of the file descriptor to which its messages go (`Tape.frame`)."""

    enter: Callable[[], None]
    """Gives up what the program must not have; called once, before anything of the program's runs."""

    def go(self) -> None:
        """Do it, and send how it ended."""


def _read_all(fd: int) -> bytes:
    parts = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    os.close(fd)
    return b"".join(parts)


class Run:
    """One run of a job."""

    def __init__(self, job: Job, out: int) -> None:
        self.job = job
        self.tape = Tape(job, out)
        self.tape.stop = self._stop
        self.began = time.monotonic()
        self.namespace: dict[str, Any] = {"__name__": "__main__", "__doc__": None, "__annotations__": {}}
        self.modules = job.modules
        self.texts = (*job.cells, *self.modules.values())
        if not job.notebook:
            self.namespace["__file__"] = f"{WORKING}/{own_name(job.name)}"
        self.cell = self.futures = 0
        self.ended = False
        """Whether it is being told how the run ended."""
        self.enter: Callable[[], None] = lambda: None
        """Gives up what the program must not have; comes last before the program."""

    def go(self) -> None:
        """Run the cells and report how it ended."""
        self._prepare()
        self.tape.begin()
        status, error = "ok", None
        try:
            try:
                for cell in range(len(self.job.cells)):
                    self.cell = cell
                    self._run_cell()
            finally:
                context.observer = None
        except MemoryError as e:
            self.namespace.clear()
            self.tape.spare = None
            status, error = "memory", self._explain(e, limits.MEMORY.past(self.job.limits.memory_mb))
        except SystemExit as e:
            code = e.code  # the program's own, which may be anything
            if not (code is None or (code.__class__ in (int, bool) and code == 0)):
                status, error = "error", self._explain(e, said(code))
        except BaseException as e:
            status, error = "policy" if isinstance(e, PolicyError) else "error", self._explain(e)
        self.ended = True
        timer.stop()
        self._finish(status, error)

    def _prepare(self) -> None:
        builtins = builtins_for(self.job.layers)
        builtins[TAPE] = self.tape
        self.namespace["__builtins__"] = builtins
        sys.stdin = io.StringIO()
        warnings.showwarning = self._show_warning
        sys.unraisablehook = unraisable.show
        for cell, text in enumerate(self.job.cells):
            name = file_name(self.job, cell)
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        for path, text in self.modules.items():
            linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        self._give()
        timer.ring(self.job.limits.seconds, self._time_is_up)
        slots.figure = self.tape.figure
        self._seed(self.job.seed)
        context.observer = self.tape.recorder
        context.grad = True
        slots.statement = partial(statement, self.job.layers)
        slots.open = streams.open
        if self.job.layers.language:
            if sys.version_info < (3, 12):
                gc.disable()  # it would run in the middle of C code, and with it what destroyed objects and generators do
            context.copy, context.deepcopy = world().copying.copy, world().copying.deepcopy
            for function in (context.copy, context.deepcopy):  # Python's library copies what is a program's, too
                setattr(copy, function.__name__, function)
            guarded_by(world().guards)
        self.enter()

    def _give(self) -> None:
        """Give the program its files, its arguments and its modules; each time that it runs anew."""
        given = [] if self.job.notebook else [(own_name(self.job.name), self.job.cells[0].encode())]
        hosted = self.job.hosted
        bytes_, count = limits.FILE_BYTES.value(hosted), limits.FILE_COUNT.value(hosted)
        ARGUMENTS[:] = ["program" if self.job.notebook else own_name(self.job.name), *self.job.arguments]
        sys.argv = ARGUMENTS
        renew()
        begin(Files([*given, *self.job.files], bytes_, count))
        if self.modules and self.job.layers.language:
            world().project = Project(self.modules, self._compile_module, lambda: builtins_for(self.job.layers))

    def _compile_module(self, text: str, path: str) -> CodeType:
        try:
            tree = named(parsed(text, path, self.job.layers), path)
        except PolicyError as error:
            raise located(error, path) from None
        return compile(self._instrumented(tree), path, "exec", dont_inherit=True)

    def _instrumented(self, tree: ast.Module) -> ast.Module:
        return instrument(tree)

    def _seed(self, seed: int | None) -> None:
        """Begin the random numbers; each fork would otherwise draw the same ones, whatever is asked for."""
        if seed is None:
            engine.seed()
        else:
            engine.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)
        seeded(seed)

    def _run_cell(self) -> None:
        recorder = self.tape.recorder
        text = self.job.cells[self.cell]
        out, err = (Stream(self.tape, name) for name in ("stdout", "stderr"))
        sys.stdout, sys.stderr = out, err
        self.tape.streams = (out, err)
        self.namespace.pop("__warningregistry__", None)
        self.tape.shown = None
        if self.job.notebook:
            recorder.cell_began(self.cell)
        try:
            exec(self._compile(text), self.namespace)
            shown = self.tape.shown
            value = None
            if shown is not None and not text.rstrip().endswith(";"):
                value = plain(repr(shown), limits.VALUE)
            plotting.ended()
        finally:
            out.flush()
            err.flush()
        if self.job.notebook:
            recorder.cell_ended(self.cell, value)
        self.tape.send()

    def _compile(self, text: str) -> CodeType:
        name = file_name(self.job, self.cell)
        tree = parsed(text, name, self.job.layers)
        notebook = self.job.notebook
        code: CodeType = compile(instrument(tree, show_last=notebook), name, "exec", self.futures, dont_inherit=True)
        if notebook:  # what a cell imports from `__future__` holds for those below
            self.futures |= code.co_flags & annotations.compiler_flag
        return code

    def _show_warning(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        frame = self._program_frame(sys._getframe(1)) if filename.startswith(_OWN) else None
        if frame is not None:  # PyTorch names a file of its own here, which tells nothing
            filename, lineno = frame.f_code.co_filename, frame.f_lineno or 0
        sys.stderr.write(warnings.formatwarning(message, category, _told_of(filename), lineno, _line_of(filename, lineno)))
        self.tape.recorder.warned(category.__name__, said(message))

    def _stop(self, status: str, message: str) -> None:
        """End the run from within, whatever the program would make of an exception."""
        context.observer = None
        timer.stop()
        if status == "ok":
            for stream in self.tape.streams:
                stream.flush()
            self._finish(status, None)
            os._exit(0)
        kind = {"memory": "MemoryError", "crashed": "HostError"}.get(status, "TooLarge")
        self._finish(status, RunError(kind, message, self._line(sys._getframe(1)), cell=self.cell))
        os._exit(0)

    def _line(self, frame: FrameType | None) -> int:
        """The line of the program that a frame is in; 0 if it is in none."""
        frame = self._program_frame(frame)
        return frame.f_lineno or 0 if frame is not None else 0

    def _program_frame(self, frame: FrameType | None) -> FrameType | None:
        """The innermost frame of the program from this one outwards; None where there is none."""
        while frame is not None and frame.f_code.co_filename not in self.tape.recorder.program:
            frame = frame.f_back
        return frame

    # --- how it ended -----------------------------------------------------------------------------------------------------

    def _time_is_up(self, which: int, frame: FrameType | None) -> None:
        """The alarm rings, or the user wants the run to end now."""
        # Now, because a frame that has returned knows no more who had called it.
        self._end_late(which, self._line(frame))

    def _end_late(self, which: int, line: int) -> None:
        """End the run; where messages are under way, when they are whole."""
        if self.ended:
            return
        if self.tape.writing:
            self.tape.late = lambda: self._end_late(which, line)
            return
        self.tape.late = None
        timer.stop()
        context.observer = None
        self._ended_late(which, line)
        os._exit(0)

    def _ended_late(self, which: int, line: int) -> None:
        """Send what was recorded, with the line."""
        for stream in self.tape.streams:
            stream.flush()
        kind, message, help = "TimeoutError", f"the program was stopped after {self.job.limits.seconds:g} seconds", LONGER
        if which == timer.HALT:
            kind, message, help = HALTED, f"you stopped it after {time.monotonic() - self.began:.1f} s", ""
        message += f", in line {line}" if line else ""
        self._finish("timeout", RunError(kind, message, line, cell=self.cell, help=help))

    def _explain(self, error: BaseException, message: str | None = None) -> RunError:
        """The error with its span in the program: the innermost of the program's frames."""
        try:
            return self._explained(error, message)
        except BaseException:  # whatever its class, its attributes or the memory that is left make of being looked at
            return RunError(name_of(type(error).__name__), UNSAYABLE if message is None else message, cell=self.cell)

    def _explained(self, error: BaseException, message: str | None) -> RunError:
        worded = in_pytorchs_words(error)
        if worded is not None:
            error = worded.with_traceback(error.__traceback__)
        if message is not None and isinstance(error, MemoryError):  # NumPy's has a private name and tells of one array
            error = MemoryError(message).with_traceback(error.__traceback__)
        text = said(error) if message is None else message
        help_text = plain(help_for(error))
        kind = name_of(_standard(error))
        if isinstance(error, KeyError) and error.args:
            text = said(Exception(repr(error.args[0])))
        if isinstance(error, SyntaxError) and error.filename.__class__ is str and error.filename in self.tape.recorder.program:
            # Python counts the offsets of syntax errors in characters, all other columns in bytes.
            cell = self.tape.recorder.program[error.filename]
            lines = [number(n) for n in (error.lineno, error.end_lineno or error.lineno)]
            span = (
                lines[0],
                self._bytes(cell, lines[0], number(error.offset)),
                lines[1],
                self._bytes(cell, lines[1], number(error.end_offset)),
            )
            return RunError(kind, said(error.msg), *span, cell, _format(error, error.__traceback__, self), help_text)
        span = error.span if isinstance(error, PolicyError) else (0, 0, 0, 0)
        cell = self.cell
        if isinstance(error, PolicyError) and error.file in self.tape.recorder.program:
            cell = self.tape.recorder.program[error.file]
        tb = error.__traceback__ if not (isinstance(error, PolicyError) and error.file) else None
        while tb is not None:
            code = tb.tb_frame.f_code
            if code.co_filename in self.tape.recorder.program:
                position = list(code.co_positions())[tb.tb_lasti // 2]
                line, end_line, column, end_column = (n or 0 for n in position)
                span = (line or tb.tb_lineno or 0, column, end_line, end_column)
                cell = self.tape.recorder.program[code.co_filename]
            tb = tb.tb_next
        if isinstance(error, PolicyError) and span[0] and not error.span[0]:
            text = plain(f"line {span[0]}: {text}")
        told = _format(error, error.__traceback__, self)
        return RunError(kind, text, *span, cell, told, help_text, *self._module(error.__traceback__))

    def _module(self, tb: TracebackType | None) -> tuple[str, str]:
        """The innermost module that was being called: its path, and how one of `torch.nn` prints itself."""
        recorder = self.tape.recorder
        if not isinstance(recorder, Recorder):  # an experiment's, which knows no names
            return "", ""
        calls, met, module = recorder.module_calls, 0, None
        try:
            while tb is not None:
                if tb.tb_frame.f_code is engine.nn.Module.__call__.__code__:
                    module = tb.tb_frame.f_locals["self"]
                    calls.enter(module)
                    met += 1
                tb = tb.tb_next
            path = calls.inside[0]
        finally:
            for _ in range(met):
                calls.leave()
        own = module is not None and type(module).__module__.startswith("torch.nn.") and not module._modules
        return path, shown(module, limits.NAME.value()) if own else ""

    def _bytes(self, cell: int, line: int | None, offset: int | None) -> int:
        """A column counted in bytes from 0, from one counted in characters from 1."""
        lines = self.texts[cell].splitlines()
        text = lines[line - 1] if line and line <= len(lines) else ""
        return len(text[: max((offset or 1) - 1, 0)].encode("utf-8", "replace"))

    def _finish(self, status: str, error: RunError | None) -> None:
        """Send the rest of the log and the end."""
        self.ended = True
        if self.tape.levels is not None:
            self.tape.levels.settle()
        self.tape.send()
        cells = len(self.job.cells)
        states = [
            "ok" if c < self.cell else "skipped" if c > self.cell else "ok" if status == "ok" else "error" for c in range(cells)
        ]
        self.tape.sender.end(error)
        self._send_files(LATE if status == "timeout" else self.job.limits.memory_mb * 2**20)
        self.tape.frame(DONE, encode(Done(status, error, states, time.monotonic() - self.began)))

    def _send_files(self, most: int) -> None:
        """Send what the program wrote; of a run whose time is up no more than is quick to send."""
        try:
            for path, data in files().written():
                most -= len(data)
                if most < 0 or not sound(path):
                    continue
                for start in range(0, max(len(data), 1), PIECE):
                    self.tape.frame(WRITTEN, encode(Written(path, data[start : start + PIECE])))
        except MemoryError:
            return


LATE = 4 * 2**20
"""Bytes of files that are sent of a run whose time is up."""
YOUNG = 5_000
"""Objects that are made before those in cycles are looked for; what a few steps of a training make."""
KINDS: dict[str, Callable[[Job, int], Work]] = {"": Run}
"""By the kind of a job, what does it: a run, and once `preload` has been called whatever else there is."""


def _line_of(filename: str, lineno: int) -> str:
    """A line of the program's text, which `Run` has put there; no other file is read for one."""
    _, changed, lines, _ = linecache.cache.get(filename) or (0, 0.0, [], "")  # type: ignore[misc]
    return lines[lineno - 1].strip() if changed is None and 0 < lineno <= len(lines) else ""


def _told_of(filename: str) -> str:
    """A file as a warning tells of it: one of the program's as it is, of others nothing that only this machine has."""
    for above in _ABOVE:
        if filename.startswith(above):
            return filename[len(above) :]
    return filename


_OWN = f"{engine.__path__[0]}/"
"""Where our files lie."""
_ABOVE = sorted(
    {f"{os.path.dirname(path)}/" for path in (os.path.dirname(np.__file__), engine.__path__[0], os.__file__)},
    key=len,
    reverse=True,
)
"""Where the packages lie that programs use, and Python's own library."""


def own_name(name: str) -> str:
    """What the program's own file is called among its files."""
    return name if name.endswith(".py") and sound(name) and "/" not in name else "program.py"


def number(value: object) -> int:
    """A line or an offset that the program may have made up; 0 for what is none."""
    return value if isinstance(value, int) and 0 <= value <= limits.NUMBER.value() else 0


def _standard(error: BaseException) -> str:
    """The name of an error's type; of the engine's own, that of the standard type it is derived from."""
    if isinstance(error, PolicyError):
        return PolicyError.__name__
    return next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith(OURS))


def _format(error: BaseException, tb: TracebackType | None, run: Run) -> str:
    """The traceback as Python shows it, with the program's own frames only."""
    try:
        summary = traceback.TracebackException(type(error), error, tb)
        kept = [f for f in summary.stack if f.filename in run.tape.recorder.program]
        summary.stack = traceback.StackSummary.from_list(kept)
        text = "".join(summary.format(chain=False))
    except BaseException:
        return ""
    if type(error).__module__.startswith(OURS):
        # PyTorch's users know the standard exception that ours is derived from.
        text = text.replace(f"{type(error).__module__}.{type(error).__qualname__}: ", f"{_standard(error)}: ")
    return plain(text)


TOLD: dict[type[BaseException], str] = {
    FileNotFoundError: NOT_OPENED,
    PackageNotFoundError: "The package is not among those that programs have here; leave out what looks for its version.",
}
"""What is said of errors of a kind, whatever their text."""


NAMES = 1_000
"""Of the program that one is compared with which it does not have."""


def help_for(error: BaseException) -> str:
    """One sentence of help, where it takes the error itself to know it; others are explained by their text, elsewhere."""
    if isinstance(error, PolicyError):
        return error.help
    if isinstance(error, AttributeError) and error.name == "next" and hasattr(type(error.obj), "__next__"):
        return "Write next(x): iterators have had no method of that name since Python 3."
    if isinstance(error, AttributeError) and isinstance(error.name, str) and "Did you mean" not in str(error):
        near = get_close_matches(error.name, _attributes(error.obj), n=1)
        return f"Did you mean '{near[0]}'?" if near else ""
    if type(error) is FileNotFoundError and FOLDER in vars(error):
        return "Make the folder first: os.makedirs makes those that it is in, too."
    if isinstance(error, NameError) and isinstance(error.name, str):
        near = get_close_matches(error.name, _names(error), n=1)
        return forgotten(error.name) or (f"Did you mean '{near[0]}'?" if near else "")
    return next((help for kind, help in TOLD.items() if isinstance(error, kind)), "")


def _names(error: NameError) -> set[str]:
    """The names that have a value where one has none: the program's, at most `NAMES` of them, and Python's."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    own = () if at is None else islice(chain(at.tb_frame.f_locals, at.tb_frame.f_globals), NAMES)
    return {name for name in own if type(name) is str and not name.startswith("_") and name != error.name}.union(dir(builtins))


def _attributes(thing: object) -> set[str]:
    """The public names that a tensor, a module or an object of a class of the program's has."""
    if isinstance(thing, engine.Tensor):
        return set(public_names())
    found = set[str]().union(*(vars(kind) for kind in type(thing).__mro__ if kind is not object))
    own = object.__getattribute__(thing, "__dict__") if type(thing).__dictoffset__ else {}
    found.update(own, *(held for name in ("_modules", "_parameters", "_buffers") if isinstance(held := own.get(name), dict)))
    return {name for name in found if type(name) is str and not name.startswith("_")}


def preload() -> None:
    """Import and warm up in the server what every run needs, so that a fork finds it ready."""
    import math  # noqa: F401

    # First of all: what is imported may do what `preloading` takes away.
    KINDS.update((kind, load()) for kind, load in slots.jobs.items())
    preloading.up()
    alias()
    world()
    np.seterr(all="ignore")
    for source in (
        "x = torch.ones(2, 2, requires_grad=True)\n(x @ x).tanh().sum().backward()\nprint(x.grad)",
        "x: int = 1",
    ):
        instrument(ast.parse(source), show_last=True)
    recorder = Recorder()
    context.observer = recorder
    _train()
    context.observer = None
    for op in TABLE.values():
        rule_texts(op)
    encode(recorder.take())
    all_stays()
    # What programs make is mostly without cycles, and to look for those takes a sixth of the time of one that is recorded.
    gc.set_threshold(YOUNG)


def _train() -> None:
    """What programs do most, often enough that the recorder has compiled what notes it."""
    x, w = engine.ones(2, 2), engine.ones(2, 2, requires_grad=True)
    model = engine.nn.Sequential(engine.nn.Linear(2, 2), engine.nn.ReLU(), engine.nn.Linear(2, 2), engine.nn.Tanh())
    optimizers = [engine.optim.SGD([*model.parameters(), w], lr=0.1), engine.optim.Adam(model.parameters())]
    for again in range(OFTEN + 1):
        for optimizer in optimizers:
            optimizer.zero_grad()
            out = model(x * w + 1)
            loss = ((out - x) ** 2).mean() + engine.nn.functional.cross_entropy(out, engine.tensor([0, 1]))
            loss.backward()
            optimizer.step()
        y = (x[again % 2] @ w * 2 + w.sum()).sigmoid().exp().log() / 2
        (-y).mean().backward()
        with engine.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
    repr(w.grad)


def alias() -> None:
    """Let `import torch` and its submodules mean the engine, where the language layer is off."""
    import importlib

    sys.modules["torch"] = engine
    for name in SUBMODULES:
        sys.modules[f"torch.{name}"] = importlib.import_module(f"{OURS}{name}")
