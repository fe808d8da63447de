"""Runs a training script on the user's own PyTorch, outside of any sandbox, and records it: with its loops and names, which its
instrumented text tells, in every module of its folder."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from threading import get_ident
from traceback import StackSummary, TracebackException
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..recording.events import NOTHING
from ..recording.recording import Recording
from ..recording.running_loops import RunningLoop, RunningLoops
from ..recording.tensor_paths import nothing_came
from ..sandbox.instrument import TAPE, instrument
from .filing import Filing, recording_of
from .heard import hearing
from .project import ProjectCodes
from .recorder import TorchRecorder
from .watch import watching


class Program(RunningLoops):
    """What the instrumented program calls."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__()
        self.recorder, self.codes = recorder, recorder.codes

    def bind(self, name: str, value: Any, function: str, given: bool = False) -> None:
        """A name was bound."""
        recorder = self.recorder
        if not recorder.deaf and not recorder.passes_over:
            with recorder.noting():
                recorder.settle()
                recorder.bind(name, value, function, given)

    def given(self, name: str, value: Any, function: str) -> None:
        """An argument of a function, or what a loop has come to, got its name."""
        self.bind(name, value, function, True)

    def grown(self, name: str, value: Any, function: str) -> None:
        """Something was appended to what has a name."""
        if not nothing_came(value, self.recorder.kinds):
            self.bind(name, value, function)

    def passing(self, name: str, value: Any, function: str) -> Any:
        """A name is about to be bound inside an expression."""
        self.bind(name, value, function)
        return value

    def placed(self, owner: Any, attribute: str) -> None:
        """A method gave an attribute of its object a value."""
        recorder = self.recorder
        if not recorder.deaf and not recorder.passes_over:
            with recorder.noting():
                recorder.settle()
                recorder.placed(owner, attribute)

    def mark(self) -> None:
        """A statement ended."""

    def show(self, value: Any) -> Any:
        """The value of a cell's last expression."""
        return value

    # Other threads run the same text; their loops are not those of the recorded one.

    def loop(self, line: int, iterable: Any) -> Iterator[Any]:
        """A `for` loop's iterable, counting."""
        return self.counted(line, iterable, sys._getframe(1)) if self._here else iter(iterable)

    def enter(self, loop: RunningLoop) -> None:
        """An iteration of a loop begins."""
        if self._here:
            super().enter(loop)

    def drop(self, loop: RunningLoop) -> None:
        """Forget a loop."""
        if self._here:
            super().drop(loop)

    def _around(self, frame: FrameType) -> tuple[int, int]:
        return super()._around(frame) if self._here else (NOTHING, 0)

    @property
    def _here(self) -> bool:
        return get_ident() == self.recorder.thread

    def tell_loops(self) -> None:
        """Other loops, or other iterations of them, run from now on."""
        with self.recorder.noting():
            self.recorder.settle()
            self.recorder.loops(self.nest())


class _Loader(SourceFileLoader):
    """Loads a module of the program's with its reports."""

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, which is not that of its bytecode file."""
        path = self.get_filename(fullname)
        return instrumented(self.get_data(path), path)


class _Finder(MetaPathFinder):
    """Finds the modules that stand in the program's folder."""

    def __init__(self, codes: ProjectCodes) -> None:
        self.codes = codes

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """The module as Python finds it, to be loaded with its reports where it is the program's."""
        found = PathFinder.find_spec(fullname, path, target)
        if (
            found is None
            or found.origin is None
            or type(found.loader) is not SourceFileLoader
            or not self.codes.has(found.origin)
        ):
            return None
        found.loader = _Loader(fullname, found.origin)
        return found


def instrumented(source: bytes, path: str) -> CodeType:
    """The code of a file with its reports."""
    tree = ast.parse(source, path)
    code: CodeType = compile(instrument(tree), path, "exec", dont_inherit=True)
    return code


def run_script(
    path: Path, arguments: Sequence[str] = (), level: str = "statistics", into: Path | None = None
) -> tuple[Recording, BaseException | None]:
    """Run a script as `python script.py …` does, and record it.

    Args:
        into: the file to which is appended while it runs.

    Returns:
        The recording, and what the script ended with, if it was no ordinary end.
    """
    file = str(path.absolute())  # as Python has it: the script may go to another folder
    codes = ProjectCodes(path.resolve().parent, file)
    recorder = TorchRecorder(codes, level)
    code = instrumented(path.read_bytes(), file)
    error: BaseException | None = None
    filing = None if into is None else Filing(recorder, into)
    with _as_script(path, arguments, recorder):
        try:
            with watching(recorder):
                exec(code, _main(file))
        except SystemExit as ended:
            error = ended if ended.code not in (None, 0) else None
        except BaseException as raised:
            error = raised
            recorder.raised(type(raised).__name__, str(raised), codes.span_of(raised))
    if filing is None or not recorder.count:
        return recording_of(recorder), error
    filing.end()
    return filing.recording() or recording_of(recorder), error


def _main(file: str) -> dict[str, Any]:
    """The names of a fresh `__main__`, which becomes the module of that name."""
    module = type(sys)("__main__")
    module.__file__ = file
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    return vars(module)


_ended: list[Any] = []
"""The module of the script that ran last. As with Python, what it holds is there until the process ends: a group of processes
that is let go of while its threads still answer may wait for them without end."""


_NUMPY_WARNS: dict[str, Any] = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
"""What NumPy does about numbers unless it is told otherwise, as the engine tells it."""


@contextmanager
def _as_script(path: Path, arguments: Sequence[str], recorder: TorchRecorder) -> Iterator[None]:
    """Python as a script finds it, and what listens to it."""
    assert isinstance(recorder.codes, ProjectCodes)
    finder = _Finder(recorder.codes)
    before = sys.argv[:], sys.path[:], sys.modules.get("__main__")
    with ExitStack() as stack:
        stack.enter_context(np.errstate(**_NUMPY_WARNS))
        stack.callback(lambda: delattr(builtins, TAPE))
        setattr(builtins, TAPE, Program(recorder))
        sys.argv[:] = [str(path), *arguments]
        sys.path.insert(0, str(path.resolve().parent))
        sys.meta_path.insert(0, finder)
        try:
            with hearing(lambda: recorder):
                yield
        finally:
            sys.meta_path.remove(finder)
            sys.argv[:], sys.path[:] = before[0], before[1]
            _ended[:] = [sys.modules["__main__"]]
            if before[2] is not None:
                sys.modules["__main__"] = before[2]


def traceback_of(error: BaseException) -> str:
    """An error as Python shows it, without the frames that are ours, and those that led to them."""
    shown = TracebackException.from_exception(error)
    ours = str(Path(__file__).parent)
    each: Any = shown
    while each is not None:
        kept: list[Any] = []
        for frame in each.stack:
            if not frame.filename.startswith(ours):
                kept.append(frame)
            elif kept and kept[-1].name == "handle_torch_function":
                del kept[-2:]  # a function of PyTorch's asks who listens, which calls it again
        each.stack = StackSummary.from_list(kept)
        each = each.__cause__ or each.__context__
    return "".join(shown.format())
