"""IPython's side: which cells are recorded, from when to when."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from ..itself import PACKAGE
from ..recording.bounded_text import plain, said
from ..recording.recording import Recording
from .codes import NotebookCodes
from .on_engine import EngineCell, has_torch
from .options import OptionError, Wanted, asked, read
from .output import failed, show
from .streams import listening
from .tracebacks import cleared

MAGIC = "gradtape"
_IMPORTED = re.compile(
    rf"^\s*(?:(?:import|from)\s+{re.escape(PACKAGE)}\b|from\s+gradtape\s+import\s.*\bengine\b)", re.MULTILINE
)
"""Where a program imports our engine."""


class Recorder(Protocol):
    """What records a cell."""

    def begin(self, frame: Any) -> None:
        """Record from here on."""

    def end(self, error: BaseException | None) -> None:
        """Record nothing more."""

    def printed(self, text: str, stream: str) -> None:
        """The cell wrote text."""

    def warned(self, category: str, message: str) -> None:
        """A warning was shown."""

    @property
    def recording(self) -> Recording:
        """What was recorded."""

    @property
    def written(self) -> bool:
        """Whether it is in a file already."""


class Running(NamedTuple):
    """A cell that runs and is recorded."""

    info: Any
    """What IPython says of it: the same object at its beginning and at its end."""
    wanted: Wanted
    recorder: Recorder
    around: ExitStack
    """What is put around it."""


class Extension:
    """`%%gradtape` in a shell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.running: list[Running] = []
        """Innermost last: a cell may run another."""
        self.events = {"pre_run_cell": self.began, "post_run_cell": self.ended}

    def load(self) -> None:
        """Be told of cells."""
        self.shell.input_transformers_cleanup.insert(0, commented)
        for event, told in self.events.items():
            self.shell.events.register(event, told)
        self.shell.register_magic_function(self.magic, "cell", MAGIC)

    def unload(self) -> None:
        """Be told no more."""
        self.shell.input_transformers_cleanup.remove(commented)
        for event, told in self.events.items():
            self.shell.events.unregister(event, told)
        self.shell.magics_manager.magics["cell"].pop(MAGIC, None)

    def magic(self, line: str, cell: str) -> None:
        """Run the cell as ever, and show what PyTorch did in it: findings, and the player with every step, value and gradient.

            %%gradtape [--level facts|statistics|values | --no-values] [--height PIXELS] [-o FILE]

        --level   statistics (the default) keeps of larger tensors what is known of their values, values tensors of up to 1,024
                  elements whole, facts no values at all, as does --no-values
        --height  of the player
        -o        writes the recording, too, which `gradtape open FILE` opens

        The output holds the cell's text and values, and so does the notebook once it is saved.
        """
        try:
            read(line)
        except OptionError as error:
            raise _usage_error(str(error)) from None
        # Another magic stands above it; alone, its line would have become a comment.
        self.shell.run_cell(f"%%{MAGIC} {line}\n{cell}")

    def began(self, info: Any) -> None:
        """A cell begins."""
        found = asked(info.raw_cell.splitlines())
        if found is None:
            return
        _, wanted = found
        try:
            recorder = self._recorder(info.raw_cell, wanted)
            recorder.begin(sys._getframe())
        except Exception as error:  # the cell runs, whatever it is
            failed(f"The cell was not recorded: {type(error).__name__}: {said(error)}")
            return
        around = ExitStack()
        around.enter_context(cleared(self.shell))
        around.enter_context(
            listening(
                lambda text, name: recorder.printed(plain(text), name),
                lambda category, message: recorder.warned(category, plain(message)),
            )
        )
        self.running.append(Running(info, wanted, recorder, around))

    def ended(self, result: Any = None) -> None:
        """A cell is over."""
        info = getattr(result, "info", None)
        if not self.running or (info is not None and info is not self.running[-1].info):
            return
        _, wanted, recorder, around = self.running.pop()
        error = None if result is None else result.error_in_exec or result.error_before_exec
        try:
            around.close()
            recorder.end(error)
            show(
                recorder.recording,
                wanted,
                on_engine=isinstance(recorder, EngineCell),
                written=recorder.written,
                ended=error is not None,
            )
        except KeyboardInterrupt:
            failed("The player was not made: it was interrupted.")
        except Exception as problem:  # the cell ran, whatever it is
            failed(f"The cell could not be shown: {type(problem).__name__}: {said(problem)}")

    def _recorder(self, cell: str, wanted: Wanted) -> Recorder:
        """What records a cell: on PyTorch if that is installed and the cell is not about our engine."""
        codes = NotebookCodes(self.shell)
        if not _about_the_engine(cell, self.shell.user_ns) and has_torch():
            from .on_torch import TorchCell

            return TorchCell(codes, self.shell.user_ns, wanted.level, wanted.output)
        return EngineCell(codes, self._held, wanted.level)

    def _held(self) -> dict[str, Any]:
        """The user's names, without IPython's own of what was shown."""
        return {name: value for name, value in self.shell.user_ns.items() if name not in ("In", "Out")}


def commented(lines: list[str]) -> list[str]:
    """A cell in which the magic's line is a comment, so that every line of it stays where it is."""
    found = asked(lines)
    if found is None:
        return lines
    at, _ = found
    return [*lines[:at], f"# {lines[at]}", *lines[at + 1 :]]


def _about_the_engine(cell: str, held: dict[str, Any]) -> bool:
    if _IMPORTED.search(cell):
        return True
    modules = {value.__name__ for value in held.values() if isinstance(value, ModuleType)}
    return PACKAGE in modules and "torch" not in modules


def _usage_error(message: str) -> Exception:
    from IPython.core.error import UsageError

    return UsageError(message)


_EXTENSIONS: dict[int, Extension] = {}
"""By the `id()` of their shells."""


def load(shell: Any) -> None:
    """`%load_ext gradtape`."""
    unload(shell)
    _EXTENSIONS[id(shell)] = Extension(shell)
    _EXTENSIONS[id(shell)].load()


def unload(shell: Any) -> None:
    """`%unload_ext gradtape`."""
    extension = _EXTENSIONS.pop(id(shell), None)
    if extension is not None:
        extension.unload()
