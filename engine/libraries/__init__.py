"""Stand-ins for the libraries that programs use beside PyTorch, written on the engine: `engine.libraries.einops` is `einops`.

Each is loaded when a program first names it. Numbers are computed as the library computes them; where data would have to be
downloaded they are made up, and a line in the output says so once.
"""

from __future__ import annotations

import sys

_TOLD: set[str] = set()


def tell(note: str) -> None:
    """Print a note beside the program's output, each once."""
    if note not in _TOLD:
        _TOLD.add(note)
        print(note, file=sys.stderr)
