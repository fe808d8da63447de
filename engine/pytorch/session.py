"""Recording a block of the user's own code: `with gradtape.record("run.gradtape"): train()`, or from `start` to `stop`."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import wraps
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any
from weakref import WeakValueDictionary

import torch

from ..recording.bounded_text import said
from ..recording.call_paths import is_top
from ..recording.collectives import path_of
from ..recording.recording import Recording
from ..recording.tensor_paths import tensor_paths
from ..recording.writer import LoopNest, Where
from . import serving
from .arrays import LEVELS
from .blackbox import MOMENTS, BlackBox, Moment
from .filing import Filing, recording_of
from .heard import hearing
from .loops import loops_of
from .project import ProjectCodes
from .ranks import here
from .recorder import TorchRecorder
from .watch import watching


def record(
    path: str | Path | None = None,
    *,
    level: str = "statistics",
    last: int | None = None,
    until: Moment | Sequence[Moment] | None = None,
    every: int = 1,
    serve: bool = False,
) -> Session:
    """Record what PyTorch does in a block or in a function.

        with gradtape.record("run.gradtape"):
            train()

        @gradtape.record("run.gradtape")
        def train(): …

    Args:
        path: the file, to which is appended while it runs; without one, the recording is the session's `recording`. Of
            several processes that train together (`torchrun`) each has its own, `run.rank0.gradtape` and so on.
        level: "statistics" keeps of larger tensors what is known of their values, "values" tensors of up to 1,024 elements
            whole; "facts" keeps no values at all, "off" records nothing.
        last: keep only so many iterations, the last ones at any time, and the losses of all of them: a black box, which is
            written when something happens, or else at the end.
        until: what that is: "nan" (a loss or the norm of the gradients is NaN or infinite), "jump" (a loss is ten times the
            usual one), "signal" (SIGTERM or SIGUSR1 came; after the latter the run is recorded further), "exception", or a
            function that is given each `Iteration` and says whether now; or several of them. Without it, "nan". An exception
            that ends the block always counts.
        every: record only every so manyth iteration, of the others the losses alone.
        serve: serve a page that follows the recording, for who has the address that is printed.

    Raises:
        ValueError: for any other level or moment, and for a black box or a page without a path.
    """
    if serve and path is None:
        raise ValueError("a page follows a file, whose path it needs")
    return Session(path, level, _black_box(path, last, until, every), serve)


def _black_box(
    path: str | Path | None, last: int | None, until: Moment | Sequence[Moment] | None, every: int
) -> tuple[int, tuple[Moment, ...], int] | None:
    """How many iterations, until when and how many apart; None where everything is recorded."""
    if last is None and until is None and every == 1:
        return None
    moments = ("nan",) if until is None else (until,) if isinstance(until, str) or callable(until) else tuple(until)
    last = LAST if last is None else last
    if path is None:
        raise ValueError("a black box needs the path of a file")
    if last < 1 or every < 1:
        raise ValueError("last and every count iterations, from 1")
    for moment in moments:
        if not callable(moment) and moment not in MOMENTS:
            raise ValueError(f"until is one of {', '.join(MOMENTS)} or a function, not {moment!r}")
    return last, moments, every


LAST = 3
"""Iterations of a black box of which that is not said."""
_started: list[Session] = []
"""The recording that `start` has begun and `stop` has not ended, if there is one."""


def start(
    path: str | Path | None = None,
    *,
    level: str = "statistics",
    last: int | None = None,
    until: Moment | Sequence[Moment] | None = None,
    every: int = 1,
) -> Session:
    """Record what PyTorch does from here to `gradtape.stop()`, or to the end of the program.

        gradtape.start("run.gradtape")
        train()
        gradtape.stop()

    Args:
        path: as `record` has it, and the others too.

    Raises:
        ValueError: as `record`.
        RuntimeError: where a recording that was started has not been stopped.
    """
    if _started:
        raise RuntimeError("a recording has been started already: gradtape.stop() ends it")
    session = Session(path, level, _black_box(path, last, until, every))
    session._start(sys._getframe(1))
    _started.append(session)
    session._before = _last_error()
    atexit.register(_end)
    return session


def stop() -> Session:
    """End the recording that `gradtape.start()` has begun, and write its file. Another thread may do so.

    Raises:
        RuntimeError: where none has been started.
    """
    if not _started:
        raise RuntimeError("no recording has been started: gradtape.start() begins one")
    session = _started.pop()
    atexit.unregister(_end)
    session._stop(sys.exc_info()[1])
    return session


def _end() -> None:
    """The program has ended without `stop`."""
    session = _started.pop()
    error = _last_error()
    session._stop(error if error is not session._before else None)


def _last_error() -> BaseException | None:
    """The exception that Python has shown last because nothing caught it."""
    return getattr(sys, "last_value", None)


class Session:
    """A block that is being recorded, or was."""

    def __init__(
        self,
        path: str | Path | None = None,
        level: str = "statistics",
        black_box: tuple[int, tuple[Moment, ...], int] | None = None,
        serve: bool = False,
    ) -> None:
        if level not in (*LEVELS, "off"):
            raise ValueError(f"level is one of {', '.join((*LEVELS, 'off'))}, not {level!r}")
        self.path, self.level = None if path is None else Path(path), level
        self.recorder: TorchRecorder | None = None
        self._stack = ExitStack()
        self._names: _Names | None = None
        self._filing: Filing | None = None
        self._black_box, self._serve = black_box, serve
        self._box: BlackBox | None = None
        self._held: Mapping[str, Any] = {}
        self._is_cell = False
        self._before: BaseException | None = None
        """The error that Python had shown last when it began."""

    def __enter__(self) -> Session:
        self._start(sys._getframe(1))
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop(error)

    def begin(self, frame: FrameType, folder: Path) -> None:
        """Record from here on what a call does, and the code in a folder that it calls, until `end`."""
        self._start(frame, folder)

    def begin_cell(self, frame: FrameType, codes: ProjectCodes, held: Mapping[str, Any]) -> None:
        """Record from here on, until `end`, what a notebook's cell does, which a frame's call will run.

        Args:
            codes: the notebook's code.
            held: its names, of which those are noted at the end that no frame has any more.
        """
        self._held, self._is_cell = held, True
        self._start(frame, codes=codes)

    def end(self, error: BaseException | None = None) -> None:
        """Record nothing more; with the error that ended the call, if one did."""
        self._stop(error)

    def __call__(self, function: Any) -> Any:
        """Record a function whenever it is called."""

        @wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            session = Session(self.path, self.level, self._black_box, self._serve)
            self._serve = False
            session._start(sys._getframe(1))
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                session._stop(error)
                raise
            session._stop(None)
            return result

        return recorded

    @property
    def written(self) -> bool:
        """Whether what was recorded is in a file."""
        return self._filing is not None and not self._filing.lost

    @property
    def recording(self) -> Recording:
        """What was recorded so far."""
        if self.recorder is None:
            raise RuntimeError("nothing has been recorded")
        with self.recorder.aside():  # another thread may ask
            if self._box is not None:
                made: Recording | None = self._box.made()
            else:
                made = None if self._filing is None else self._filing.recording()
            found = recording_of(self.recorder) if made is None else made
        return found

    def _start(self, frame: FrameType, folder: Path | None = None, codes: ProjectCodes | None = None) -> None:
        if self.level == "off":
            return
        rank, world_size = here()
        self.path = None if self.path is None else path_of(self.path, rank, world_size)
        self._serve = self._serve and rank == 0
        if self._serve and self.path is not None:
            self._serve = False  # one page, however often the function is called
            serving.serve(self.path)
        file = frame.f_code.co_filename
        near = Path(file).resolve().parent if file.endswith(".py") else Path.cwd()
        codes = codes or ProjectCodes(near if folder is None else folder, file)
        if self._black_box is not None and self.path is not None:
            self._boxed(codes, self.path, *self._black_box)
            self._stack.enter_context(loops_of(codes, self._loops, frame))
            self._stack.enter_context(self._hearing())
            return
        self.recorder = TorchRecorder(codes, self.level)
        if self.path is not None:
            self._filing = Filing(self.recorder, self.path)
        self._names = self._stack.enter_context(_Names(self.recorder))
        self._stack.enter_context(watching(self.recorder))
        self._stack.enter_context(loops_of(codes, self._loops, frame))
        self._stack.enter_context(self._hearing())

    def _current(self) -> TorchRecorder:
        """The recorder that writes now: a black box has ever new ones."""
        assert self.recorder is not None
        return self.recorder

    def _hearing(self) -> AbstractContextManager[None]:
        """Note warnings and what is printed, which a notebook does itself; where no values are, nothing printed is either."""
        streams = () if self.level == "facts" or self._is_cell else ("stdout",)
        return hearing(self._current, streams, warned=not self._is_cell)

    def _boxed(self, codes: ProjectCodes, path: Path, last: int, until: Sequence[Moment], every: int) -> None:
        box = self._box = BlackBox(codes, self.level, path, last, until, every, self._renewed)
        self.recorder = box.recorder
        self._names = self._stack.enter_context(_Names(box.recorder))
        box.begin()

    def _renewed(self, recorder: TorchRecorder) -> None:
        """Another recorder takes the place of the one there was."""
        assert self._names is not None
        self.recorder = recorder
        self._names.take(recorder)

    def _loops(self, nest: LoopNest) -> None:
        if self._box is not None:
            self._box.loops(nest)
            return
        assert self.recorder is not None
        with self.recorder.noting():
            self.recorder.settle()
            self.recorder.loops(nest)

    def _stop(self, error: BaseException | None) -> None:
        recorder = self.recorder
        if recorder is None:
            return
        if self._box is not None:
            self._stack.close()
            self._box.end(error)
            return
        with recorder.noting():
            recorder.settle()
            assert self._names is not None
            self._names.look()
            self._names.look_among(self._held)
        self._stack.close()
        if error is not None:
            codes = recorder.codes
            assert isinstance(codes, ProjectCodes)
            recorder.raised(type(error).__name__, said(error), codes.span_of(error))
        if self._filing is not None:
            self._filing.end()


class _Names:
    """Finds the names that the code around a block has given to tensors; a block's text is not changed for it."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._unnamed: WeakValueDictionary[int, Any] = WeakValueDictionary()
        """By `id()` the modules that were looked for in vain; one that is gone leaves its number to others."""
        self._where: Where | None = None
        """Where the program is, once that has been asked while names are looked for."""

    def __enter__(self) -> _Names:
        self.take(self.recorder)
        return self

    def take(self, recorder: TorchRecorder) -> None:
        """Tell a recorder from now on."""
        self.__exit__()
        self.recorder = recorder
        recorder.before_pass, recorder.before_module = self.look, self.name

    def __exit__(self, *_: object) -> None:
        self.recorder.before_pass = self.recorder.before_module = None

    def name(self, module: Any) -> None:
        """Note what a module is called that runs for the first time, if a variable or an attribute of one holds it."""
        if self._unnamed.get(id(module)) is module:
            return
        for frame in self._frames():
            held = _locals(frame)
            attributes = [pair for _, value in held if value is not module for pair in _attributes(value)]
            for name, value in (*held, *attributes):
                if value is module and isinstance(name, str):
                    self.recorder.module_calls.named(module, name)
                    return
        self._unnamed[id(module)] = module

    def _frames(self) -> list[FrameType]:
        """The calls of the program's functions, the innermost first."""
        frames: list[FrameType] = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if self.recorder.codes.cell(frame.f_code) >= 0:
                frames.append(frame)
            frame = frame.f_back
        return frames

    def look(self) -> None:
        """Note the names that have been bound since."""
        self._where = None
        for frame in reversed(self._frames()):
            function = "" if is_top(frame.f_code.co_name) else frame.f_code.co_name
            for name, value in _locals(frame):
                self._note(name, value, function)

    def look_among(self, held: Mapping[str, Any]) -> None:
        """Note the names of a namespace, whose code may be over."""
        self._where = None
        for name, value in list(held.items()):
            if not name.startswith("_"):
                self._note(name, value, "")

    def _note(self, name: str, value: Any, function: str) -> None:
        recorder = self.recorder
        if isinstance(value, torch.Tensor):
            if recorder.known(value) >= 0:
                self._bind(name, value, function)
        elif recorder.kinds.is_module(value):
            recorder.module_calls.named(value, name)
            for path, tensor, held in tensor_paths(value, kinds=recorder.kinds):
                if held and recorder.known(tensor) not in recorder._named:
                    self._bind(name + path, tensor, function)

    def _bind(self, name: str, tensor: torch.Tensor, function: str) -> None:
        if self._where is None:
            self._where = self.recorder.where()
        self.recorder._bind(name, tensor, function, self._where)


def _attributes(thing: Any) -> list[tuple[Any, Any]]:
    """What an object of the program's holds; nothing of the program's is run to find it."""
    if isinstance(thing, type | ModuleType):
        return []
    try:
        held = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return []
    return list(held.items()) if type(held) is dict else []


def _locals(frame: FrameType) -> list[tuple[str, Any]]:
    """The names of a call of the program, without those that begin with an underscore."""
    values = frame.f_locals
    found = [(name, value) for name, value in values.items() if not name.startswith("_")]
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED and frame.f_trace is None:
        values.clear()  # a copy, which Python would keep, with all that is in it, as long as the call runs
    return found
