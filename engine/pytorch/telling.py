"""How the recorder speaks to who runs the program."""

from __future__ import annotations

import sys
import warnings


def told(message: str) -> None:
    """Warn of something that concerns the recording alone: never an error of the program, even where warnings are errors."""
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=4)
    except RuntimeWarning:
        print(f"Gradtape: {message}", file=sys.stderr)
