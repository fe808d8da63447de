"""The file of a recording of PyTorch, to which is appended while it runs; and what is said where that fails."""

from __future__ import annotations

from pathlib import Path

import torch

from ..recording.batch import Batch
from ..recording.bounded_text import said
from ..recording.format2 import Head
from ..recording.growing import GrowingFile
from ..recording.recording import Recording
from ..recording.store import TooMuchError
from .project import ProjectCodes
from .recorder import TorchRecorder
from .telling import told


def head_of(recorder: TorchRecorder) -> Head:
    """What is said of a whole recording, as far as it is known."""
    codes = recorder.codes
    assert isinstance(codes, ProjectCodes)
    recorder.look_around()
    return Head(codes.sources(), codes.names(), f"torch {torch.__version__}", recorder.rank, recorder.world_size)


class Filing:
    """Writes what a recorder hands over into a file.

    A file that cannot be written ends no training. Where it cannot even be begun, what is recorded stays in memory.

    Args:
        path: the file, which is begun with the first event.
    """

    def __init__(self, recorder: TorchRecorder, path: Path) -> None:
        self.recorder, self.path = recorder, path
        self.file = GrowingFile(path)
        self.lost = False
        """Whether the file could not be begun."""
        self._files = 0
        self._head = Head()
        recorder.filing = self.take
        recorder.due = self.file.due

    def take(self, batch: Batch) -> bool:
        """Append what has come; whether that was tried."""
        if self.lost:
            return False
        try:
            self.file.add(batch, self._head_now())
        except OSError as error:
            if not self.file.length:
                self._lose(error)
                return False
            self.recorder.fail(error)
        except TooMuchError as error:
            self.recorder.fail(error)
        self.recorder.due = self.file.due
        return True

    def end(self) -> None:
        """Nothing more comes."""
        if self.file.foreign:
            return
        try:
            self.recorder.flush()
            if not self.lost:
                self.file.end(self._head_now())
        except Exception as error:  # the program goes on, whatever it is
            self._lose(error)
            self.file.close()

    def recording(self) -> Recording | None:
        """What is in the file; None where it could not be begun."""
        self.recorder.flush()
        if self.lost:
            return None
        if not self.file.begun:
            head = self._head_now()
            return Recording(head.source, engine=head.engine, names=head.names, rank=head.rank, world_size=head.world_size)
        return Recording.load(self.file.path)

    def _head_now(self) -> Head:
        self.recorder.look_around()
        if len(self.recorder.codes.program) != self._files or self.recorder.world_size != self._head.world_size:
            self._files, self._head = len(self.recorder.codes.program), head_of(self.recorder)
        return self._head

    def _lose(self, error: Exception) -> None:
        self.lost = True
        self.recorder.due = float("inf")
        told(f"The recording could not be written to {self.path}: {said(error)}")


def recording_of(recorder: TorchRecorder) -> Recording:
    """The recording of what a recorder has seen and kept in memory."""
    head = head_of(recorder)
    made = recorder.recording(head.source)
    made.engine, made.names = head.engine, head.names
    made.rank, made.world_size = head.rank, head.world_size
    return made
