"""A cell that runs on our engine, recorded with its loops. Where PyTorch is not installed `import torch` finds the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import FrameType
from typing import Any

from ..context import context
from ..itself import OURS, engine
from ..pytorch.loops import loops_of
from ..recording.bounded_text import said
from ..recording.recording import Recording
from ..recording.session import Onlooker
from ..recording.store import StoredArray, untold
from .codes import NotebookCodes
from .options import Level


class EngineCell:
    """A cell of a notebook that is being recorded, or was.

    Args:
        held: gives the notebook's names.
        level: of "facts" no values are left; the engine keeps small and large ones alike otherwise.
    """

    def __init__(self, codes: NotebookCodes, held: Callable[[], Mapping[str, Any]], level: Level) -> None:
        self.codes, self.level = codes, level
        self.recorder = Onlooker(codes, held)
        self._stack = ExitStack()
        self._before: Any = None
        self.written = False
        """The recording is in memory."""

    def begin(self, frame: FrameType) -> None:
        """Record from here on."""
        self._stack.enter_context(engine_as_torch())
        self._before, context.observer = context.observer, self.recorder
        self._stack.enter_context(loops_of(self.codes, self.recorder.loops, frame))

    def end(self, error: BaseException | None) -> None:
        """Record nothing more; with the error that ended the cell, if one did."""
        self._stack.close()
        try:
            self.recorder.look_around(deep=True)
            if error is not None:
                self.recorder.raised(type(error).__name__, said(error), self.codes.span_of(error))
        finally:
            context.observer = self._before

    def printed(self, text: str, stream: str) -> None:
        """The cell wrote text."""
        self.recorder.printed(text, stream)

    def warned(self, category: str, message: str) -> None:
        """A warning was shown."""
        self.recorder.warned(category, message)

    @property
    def recording(self) -> Recording:
        """What was recorded."""
        made = self.recorder.recording(self.codes.sources())
        made.names = self.codes.names()
        if self.level == "facts":
            made.arrays = [StoredArray(each.dtype, each.shape, summary=untold()) for each in made.arrays]
        return made


def has_torch() -> bool:
    """Whether PyTorch is installed: what stands under its name while a cell runs on the engine is not it."""
    if sys.modules.get("torch") is engine:
        return False
    try:
        return find_spec("torch") is not None
    except (ImportError, ValueError):
        return False


@contextmanager
def engine_as_torch() -> Iterator[None]:
    """Let `import torch` find the engine, where there is no PyTorch; other modules that are imported later find neither."""
    if "torch" in sys.modules or has_torch():
        yield
        return
    from ..sandbox.facades.torch import SUBMODULES

    names = {"torch": engine} | {f"torch.{name}": import_module(f"{OURS}{name}") for name in SUBMODULES}
    sys.modules |= names
    try:
        yield
    finally:
        for name, module in names.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
