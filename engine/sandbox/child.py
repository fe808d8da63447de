"""One run: compiles the program, runs its cells under a recorder, and streams what happens to the parent."""

from __future__ import annotations

import ast
import gc
import io
import linecache
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy as np

import engine
from engine.context import context
from engine.formulas import rule_texts
from engine.op import TABLE
from engine.recording.events import Site
from engine.recording.recorder import Recorder
from engine.sandbox.instrument import TAPE, instrument
from engine.sandbox.messages import HEADER, Batch, CellResult, Done, Job, RunError, decode_job, encode

EAGER = 400
"""Events until which everything is sent at the end of each statement; later in batches."""
LATER = 0.05
"""Seconds between batches after that."""


class Tape:
    """What the instrumented program calls, and what sends the log on."""

    def __init__(self, job: Job, out: int) -> None:
        self.job = job
        self.out = out
        files = {file_name(job, cell): cell for cell in range(len(job.cells))}
        self.recorder = Recorder(files)
        self.recorder.store.left = job.limits.array_bytes
        self.sent = [0, 0, 0, 0, 0]
        self.last = time.monotonic()
        self.loops: list[tuple[Any, int, int]] = []
        self.shown: Any = None
        self.printed = 0
        self.streams: tuple[Stream, ...] = ()
        self.stop: Callable[[str, str], None] = lambda status, message: None
        """Ends the run at once, with a status and a message; the program cannot catch it."""
        self.writing = False
        self.late: Callable[[], None] | None = None
        """What is to happen when the frame being written is whole: the time is up."""

    # --- called by the program --------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Any, function: str) -> None:
        """A name was bound. Within a backward rule of the program, which runs unseen, it is nobody's business."""
        if context.observer is not None:
            self.recorder.bind(name, value, function)
        self.mark()

    def mark(self) -> None:
        """A statement ended."""
        for stream in self.streams:
            if stream.pending:
                stream.flush()
        count = self.recorder.count
        if count > self.job.limits.events:
            self.stop("too_large", f"the program made more than {self.job.limits.events:,} events")
        if count != self.sent[0] and (count < EAGER or time.monotonic() - self.last > LATER):
            self.send()

    def passing(self, name: str, value: Any, function: str) -> Any:
        """A name is about to be bound inside an expression."""
        self.bind(name, value, function)
        return value

    def show(self, value: Any) -> Any:
        """The value of a cell's last expression."""
        self.shown = value
        return value

    def loop(self, line: int, iterable: Any) -> Iterator[Any]:
        """A `for` loop's iterable, counting."""
        return Loop(self, line, iter(iterable))

    def tick(self, line: int) -> None:
        """An iteration of a `while` loop begins."""
        key = (line, id(sys._getframe(1)))
        if self.loops and self.loops[-1][0] == key:
            self.loops[-1] = (key, line, self.loops[-1][2] + 1)
        else:
            self.loops.append((key, line, 0))
        self.tell_loops()

    def leave(self, line: int) -> None:
        """A `while` loop was left."""
        self.drop((line, id(sys._getframe(1))))

    def drop(self, key: Any) -> None:
        """Forget a loop."""
        for i in range(len(self.loops) - 1, -1, -1):
            if self.loops[i][0] == key:
                del self.loops[i:]
                self.tell_loops()
                return

    def tell_loops(self) -> None:
        """Tell the recorder which loops run."""
        self.recorder._loops = tuple((line, k) for _, line, k in self.loops)

    # --- sending ------------------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """Send what was recorded since the last time."""
        r = self.recorder
        events, sites, scopes, arrays = r.events, r.sites, r.scopes, r.arrays
        ops = list(r.ops.values())
        e, s, c, a, o = self.sent
        batch = Batch(events[e:], sites[s:], scopes[c:], arrays[a:], ops[o:])
        self.sent = [len(events), len(sites), len(scopes), len(arrays), len(ops)]
        self.last = time.monotonic()
        self.frame(b"B", encode(batch))

    def frame(self, kind: bytes, body: bytes) -> None:
        """Write one frame."""
        data = memoryview(HEADER.pack(kind, len(body)) + body)
        self.writing = True
        while data:
            data = data[os.write(self.out, data) :]
        self.writing = False
        if self.late is not None:
            self.late()


class Loop:
    """A counting iterator; it is dropped when the loop is left, in whatever way, because only the loop holds it."""

    __slots__ = ("iterator", "k", "line", "tape")

    def __init__(self, tape: Tape, line: int, iterator: Iterator[Any]) -> None:
        self.tape, self.line, self.iterator, self.k = tape, line, iterator, -1

    def __iter__(self) -> Loop:
        return self

    def __next__(self) -> Any:
        item = next(self.iterator)
        self.k += 1
        loops = self.tape.loops
        if self.k:
            for i in range(len(loops) - 1, -1, -1):
                if loops[i][0] == id(self):
                    loops[i] = (id(self), self.line, self.k)
                    break
        else:
            loops.append((id(self), self.line, 0))
        self.tape.tell_loops()
        return item

    def __del__(self) -> None:
        self.tape.drop(id(self))


class Stream(io.TextIOBase):
    """The program's stdout or stderr: whole lines become events."""

    def __init__(self, tape: Tape, name: str, cells: list[list[tuple[str, str]]]) -> None:
        self.tape, self.name, self.cells, self.pending = tape, name, cells, ""

    encoding = "utf-8"

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Take text; a whole line is passed on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        limit = self.tape.job.limits.output_chars
        left = limit - self.tape.printed
        self.tape.printed += len(text)
        self.pending += text[: max(left, 0)]
        if "\n" in self.pending or len(self.pending) > 10_000:
            self.flush()
        if left < len(text):
            self.flush()
            self._pass_on(f"\n… output stopped after {limit:,} characters\n")
            self.tape.stop("too_large", f"the program printed more than {limit:,} characters")
        return len(text)

    def flush(self) -> None:
        """Pass on what is pending."""
        text, self.pending = self.pending, ""
        if text:
            self._pass_on(text)

    def _pass_on(self, text: str) -> None:
        text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be sent
        self.tape.recorder.printed(text, self.name)
        self.cells[-1].append((self.name, text))


def file_name(job: Job, cell: int) -> str:
    """The file name that a cell's code carries in tracebacks and warnings."""
    return f"<cell {cell + 1}>" if job.notebook else "<program>"


def main(inward: int, out: int) -> None:
    """Run the job that comes in on one file descriptor and send what happens to the other; never returns."""
    status = 1
    try:
        job = decode_job(_read_all(inward))
        _limit(job)
        if job.check is None:
            Run(job, out).go()
        else:
            from engine.sandbox.check import CheckRun

            CheckRun(job, out).go()
        status = 0
    finally:
        os._exit(status)


def _read_all(fd: int) -> bytes:
    parts = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    os.close(fd)
    return b"".join(parts)


def _limit(job: Job) -> None:
    """Resource limits, beneath the language policy and the system-call filter that are to come."""
    memory = job.limits.memory_mb * 2**20
    if sys.platform == "linux":
        with open("/proc/self/statm") as file:
            memory += int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    cpu = int(job.limits.seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))


class Run:
    """One run of a job."""

    def __init__(self, job: Job, out: int) -> None:
        self.job = job
        self.tape = Tape(job, out)
        self.tape.stop = self._stop
        self.printed: list[list[tuple[str, str]]] = []
        self.results: list[str | None] = []
        self.began = time.monotonic()
        self.namespace: dict[str, Any] = {"__name__": "__main__", "__doc__": None, "__annotations__": {}}
        self.cell = 0

    def go(self) -> None:
        """Run the cells and report how it ended."""
        self._prepare()
        status, error = "ok", None
        try:
            try:
                for cell in range(len(self.job.cells)):
                    self.cell = cell
                    self._run_cell()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                context.observer = None
        except MemoryError as e:
            self.namespace.clear()
            status, error = "memory", self._explain(e, "the program needed more memory than it may use")
        except SystemExit as e:
            if e.code not in (None, 0):
                status, error = "error", self._explain(e, str(e.code))
        except BaseException as e:
            status, error = "error", self._explain(e)
        self._finish(status, error)

    def _prepare(self) -> None:
        builtins = dict(vars(__import__("builtins")))
        builtins[TAPE] = self.tape
        self.namespace["__builtins__"] = builtins
        sys.stdin = io.StringIO()
        warnings.showwarning = self._show_warning
        for cell, text in enumerate(self.job.cells):
            name = file_name(self.job, cell)
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        signal.signal(signal.SIGALRM, self._time_is_up)
        signal.setitimer(signal.ITIMER_REAL, self.job.limits.seconds)
        # Each fork would otherwise draw the same "random" numbers.
        engine.seed()
        random.seed()
        np.random.seed()
        context.observer = self.tape.recorder
        context.grad = True
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: Any) -> None:
        """Before the program kills its own process: send what there is."""
        if event in ("os.kill", "os.killpg", "signal.pthread_kill", "os.exec", "os.posix_spawn"):
            self.tape.send()

    def _run_cell(self) -> None:
        self.printed.append([])
        self.results.append(None)
        recorder = self.tape.recorder
        text = self.job.cells[self.cell]
        out, err = (Stream(self.tape, name, self.printed) for name in ("stdout", "stderr"))
        sys.stdout, sys.stderr = out, err
        self.tape.streams = (out, err)
        self.namespace.pop("__warningregistry__", None)
        self.tape.shown = None
        if self.job.notebook:
            recorder.cell_began(self.cell)
        try:
            exec(self._compile(text), self.namespace)
            shown = self.tape.shown
            if shown is not None and not text.rstrip().endswith(";"):
                self.results[-1] = repr(shown).encode("utf-8", "replace").decode("utf-8")
        finally:
            out.flush()
            err.flush()
        if self.job.notebook:
            recorder.cell_ended(self.cell, self.results[-1])
        self.tape.send()

    def _compile(self, text: str) -> CodeType:
        name = file_name(self.job, self.cell)
        tree = ast.parse(text, name)
        return compile(instrument(tree, show_last=self.job.notebook), name, "exec", dont_inherit=True)

    def _show_warning(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))
        self.tape.recorder.warned(category.__name__, str(message))

    def _stop(self, status: str, message: str) -> None:
        """End the run from within, whatever the program would make of an exception."""
        context.observer = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename not in self.tape.recorder.program:
            frame = frame.f_back
        line = frame.f_lineno if frame is not None else 0
        self._finish(status, RunError("TooLarge", message, line, cell=self.cell))
        os._exit(0)

    # --- how it ended -----------------------------------------------------------------------------------------------------

    def _time_is_up(self, _: int, frame: FrameType | None) -> None:
        if self.tape.writing:
            self.tape.late = lambda: self._time_is_up(0, frame)
            return
        self.tape.late = None
        context.observer = None
        while frame is not None and frame.f_code.co_filename not in self.tape.recorder.program:
            frame = frame.f_back
        line = frame.f_lineno if frame is not None else 0
        for stream in self.tape.streams:
            stream.flush()
        seconds = self.job.limits.seconds
        message = f"the program was stopped after {seconds:g} seconds" + (f", in line {line}" if line else "")
        self._finish("timeout", RunError("TimeoutError", message, line, cell=self.cell))
        os._exit(0)

    def _explain(self, error: BaseException, message: str | None = None) -> RunError:
        """The error with its place in the program: the innermost of the program's frames."""
        text = said(error) if message is None else message
        help_text = help_for(error)
        shown = _standard(error)
        if isinstance(error, KeyError) and error.args:
            text = said(Exception(repr(error.args[0])))
        if isinstance(error, SyntaxError) and error.filename in self.tape.recorder.program:
            # Python counts the offsets of syntax errors in characters, all other columns in bytes.
            line, column = error.lineno or 0, self._bytes(error.lineno, error.offset)
            end = (error.end_lineno or line, self._bytes(error.end_lineno or line, error.end_offset))
            return RunError(
                shown, error.msg, line, column, *end, self.cell, _format(error, error.__traceback__, self), help_text
            )
        place = (0, 0, 0, 0)
        cell = self.cell
        tb = error.__traceback__
        while tb is not None:
            code = tb.tb_frame.f_code
            if code.co_filename in self.tape.recorder.program:
                position = list(code.co_positions())[tb.tb_lasti // 2]
                line, end_line, column, end_column = (n or 0 for n in position)
                place = (line or tb.tb_lineno, column, end_line, end_column)
                cell = self.tape.recorder.program[code.co_filename]
            tb = tb.tb_next
        return RunError(shown, text, *place[:2], *place[2:], cell, _format(error, error.__traceback__, self), help_text)

    def _bytes(self, line: int | None, offset: int | None) -> int:
        """A column counted in bytes from 0, from one counted in characters from 1."""
        lines = self.job.cells[self.cell].splitlines()
        text = lines[line - 1] if line and line <= len(lines) else ""
        return len(text[: max((offset or 1) - 1, 0)].encode("utf-8", "replace"))

    def _finish(self, status: str, error: RunError | None) -> None:
        """Send the rest of the log and the end."""
        recorder = self.tape.recorder
        try:
            if error is not None:
                span = Site(error.cell, error.line, error.column, error.end_line, error.end_column) if error.line else None
                recorder.raised(error.type, error.message, span)
            self.tape.send()
        except MemoryError:
            status = "memory"
        seconds = time.monotonic() - self.began
        self.tape.frame(b"D", encode(Done(status, error, self._cells(status), seconds)))

    def _cells(self, status: str) -> list[CellResult]:
        found = []
        for cell in range(len(self.job.cells)):
            if cell >= len(self.printed):
                found.append(CellResult(status="skipped"))
                continue
            streams: dict[str, str] = {}
            for name, text in self.printed[cell]:
                streams[name] = streams.get(name, "") + text
            failed = status != "ok" and cell == self.cell
            found.append(CellResult("".join(streams.values()), self.results[cell], "error" if failed else "ok"))
        return found


def _standard(error: BaseException) -> str:
    """The name of an error's type; of the engine's own, that of the standard type it is derived from."""
    return next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine."))


def _format(error: BaseException, tb: TracebackType | None, run: Run) -> str:
    """The traceback as Python shows it, with the program's own frames only."""
    try:
        summary = traceback.TracebackException(type(error), error, tb)
        kept = [f for f in summary.stack if f.filename in run.tape.recorder.program]
        summary.stack = traceback.StackSummary.from_list(kept)
        text = "".join(summary.format(chain=False))
    except Exception:
        return ""
    if type(error).__module__.startswith("engine."):
        # PyTorch's users know the standard exception that ours is derived from.
        text = text.replace(f"{type(error).__module__}.{type(error).__qualname__}: ", f"{_standard(error)}: ")
    return text.encode("utf-8", "replace").decode("utf-8")[:20_000]


def said(error: BaseException) -> str:
    """An error's message, whatever its class makes of it."""
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be shown)"
    return text.encode("utf-8", "replace").decode("utf-8")[:20_000]


def help_for(error: BaseException) -> str:
    """One sentence of help for the errors people meet most."""
    text = said(error)
    for part, help_text in HELP.items():
        if part in text:
            return help_text
    if isinstance(error, AttributeError) and isinstance(error.name, str) and isinstance(error.obj, engine.Tensor):
        near = get_close_matches(error.name, (n for n in dir(engine.Tensor) if not n.startswith("_")), n=1)
        return f"Did you mean '{near[0]}'?" if near else ""
    return ""


HELP = {
    "backward through the graph a second time": "Call backward(retain_graph=True) in the earlier pass, or compute the result "
    "anew before each pass.",
    "grad can be implicitly created only for scalar outputs": "Reduce the result first, for example with .sum() or .mean(), or "
    "pass a gradient of its shape to backward().",
    "does not require grad and does not have a grad_fn": "Nothing it depends on has requires_grad=True, or detach(), no_grad() "
    "or an integer conversion cut the graph.",
    "modified by an inplace operation": "Replace the in-place operation (a method ending in _, or += and the like) by one that "
    "makes a new tensor, or do it after backward().",
    "a leaf Variable that requires grad is being used in an in-place operation": "Do the update inside "
    "`with torch.no_grad():`.",
    "mat1 and mat2 shapes cannot be multiplied": "The columns of the first matrix must equal the rows of the second.",
    "at non-singleton dimension": "Shapes are compared from the last dimension; each pair must be equal, or one of them 1.",
    "Can't call numpy() on Tensor that requires grad": "Use .detach().numpy().",
}


def preload() -> None:
    """Import and warm up in the server what every run needs, so that a fork finds it ready."""
    import math  # noqa: F401

    alias()
    np.seterr(all="ignore")
    for source in (
        "x = torch.ones(2, 2, requires_grad=True)\n(x @ x).tanh().sum().backward()\nprint(x.grad)",
        "x: int = 1",
    ):
        instrument(ast.parse(source), show_last=True)
    recorder = Recorder()
    context.observer = recorder
    x = engine.ones(2, 2, requires_grad=True)
    y = (x @ x * 2 + 1).tanh().mean()
    y.backward()
    repr(x.grad)
    context.observer = None
    for op in TABLE.values():
        rule_texts(op)
    from engine.sandbox import check  # noqa: F401

    encode(Batch(recorder.events, recorder.sites, recorder.scopes, recorder.arrays, []))
    gc.collect()
    gc.freeze()


SUBMODULES = (
    "autograd", "autograd.function", "autograd.functional", "autograd.grad_mode", "autograd.gradcheck", "autograd.graph",
    "backends", "cuda", "func", "linalg", "masked", "nn", "nn.functional", "nn.init", "nn.modules", "nn.parameter", "nn.utils",
    "nn.utils.rnn", "optim", "optim.lr_scheduler", "optim.optimizer", "optim.swa_utils", "signal", "signal.windows", "special",
    "utils", "utils.checkpoint", "utils.data",
)  # fmt: skip
"""What a program may import by its dotted name."""


def alias() -> None:
    """Let `import torch` and its submodules mean the engine."""
    import importlib

    sys.modules["torch"] = engine
    for name in SUBMODULES:
        sys.modules[f"torch.{name}"] = importlib.import_module(f"engine.{name}")
