"""PyTorch is recorded where it is installed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from engine.recording import Recording


@pytest.fixture(autouse=True)
def with_torch(torch: ModuleType) -> None:
    """Skips where it is not."""


@pytest.fixture
def taped(tmp_path: Path) -> Taped:
    """Runs a program on PyTorch and gives its recording, as it is read from its file."""
    return Taped(tmp_path)


class Taped:
    """Scripts in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, text: str, level: str = "values", *arguments: str) -> Recording:
        recording, error = self.ending(text, level, *arguments)
        assert error is None
        return recording

    def ending(self, text: str, level: str = "values", *arguments: str) -> tuple[Recording, BaseException | None]:
        """The recording, and what the program ended with."""
        from engine.pytorch.running import run_script

        script = self.folder / "train.py"
        script.write_text(text)
        recording, error = run_script(script, arguments, level)
        return Recording.load(recording.to_bytes()), error
