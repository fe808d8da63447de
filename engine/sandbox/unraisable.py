"""Errors that no code can catch, as in a `__del__`: shown like others, with the program's own lines and no addresses."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from ..itself import OURS


def show(unraisable: Any) -> None:
    """What Python calls instead of raising such an error."""
    error, source = unraisable.exc_value, unraisable.object
    name = getattr(source, "__qualname__", None) if callable(source) else None
    where = f" in {name}" if type(name) is str else ""
    lines = [line for line in traceback.extract_tb(unraisable.exc_traceback) if line.filename.startswith("<")]
    text = "".join(traceback.format_list(lines))
    try:
        said = "".join(traceback.format_exception_only(unraisable.exc_type, error))
    except Exception:
        said = "(its message cannot be shown)\n"
    said = said.replace(f"{OURS}sandbox.policy.errors.", "")
    sys.stderr.write(f"Exception ignored{where}:\nTraceback (most recent call last):\n{text}{said}")
