"""A cell that runs on the PyTorch that is installed. Nothing else of this room imports it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from ..pytorch.recorder import TorchRecorder
from ..pytorch.session import Session
from ..recording.recording import Recording
from .codes import NotebookCodes


class TorchCell:
    """A cell of a notebook that is being recorded, or was.

    Args:
        held: the notebook's names.
        path: the file to which is appended while it runs, if there is one.
    """

    def __init__(self, codes: NotebookCodes, held: Mapping[str, Any], level: str, path: str) -> None:
        self.codes, self.held = codes, held
        self.session = Session(path or None, level)

    def begin(self, frame: FrameType) -> None:
        """Record from here on."""
        self.session.begin_cell(frame, self.codes, self.held)

    def end(self, error: BaseException | None) -> None:
        """Record nothing more; with the error that ended the cell, if one did."""
        self.session.end(error)

    def printed(self, text: str, stream: str) -> None:
        """The cell wrote text."""
        self._tell(lambda recorder: recorder.printed(text, stream))

    def warned(self, category: str, message: str) -> None:
        """A warning was shown."""
        self._tell(lambda recorder: recorder.warned(category, message))

    def _tell(self, tell: Callable[[TorchRecorder], None]) -> None:
        recorder = self.session.recorder
        if recorder is not None and not recorder.deaf:
            with recorder.noting():
                recorder.settle()
                tell(recorder)

    @property
    def recording(self) -> Recording:
        """What was recorded."""
        return self.session.recording

    @property
    def written(self) -> bool:
        """Whether it is in a file already."""
        return self.session.written
