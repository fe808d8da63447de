"""How the recorder speaks to who runs the program."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import FrameType

OURS = str(Path(__file__).parents[1])
"""The folder of the code that records."""


def told(message: str) -> None:
    """Warn, where the program is, of something that concerns the recording alone: never an error of the program, even where
    warnings are errors."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_programs(frame.f_code.co_filename):
        frame = frame.f_back
    place = ("<recording>", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
    try:
        warnings.warn_explicit(message, RuntimeWarning, *place)
    except RuntimeWarning:
        print(f"Gradtape: {message}", file=sys.stderr)


def _is_programs(file: str) -> bool:
    """Whether a file is neither the recorder's nor PyTorch's."""
    return not file.startswith(OURS) and "torch" not in Path(file).parts
