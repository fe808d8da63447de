"""PyTorch's own databases of samples, run on the engine; the lists beside this file say what agrees and must go on to agree."""

from __future__ import annotations

from pathlib import Path

KINDS = ("operators", "errors", "modules", "optimizers")


def listed(kind: str) -> Path:
    """The file that names the entries of a database all of whose samples agree; `python -m tests.engine.coverage` writes it."""
    return Path(__file__).with_name(f"agreeing_{kind}.txt")


def agreeing(kind: str) -> list[str]:
    """Titles of the entries of a database all of whose samples agree."""
    return listed(kind).read_text(encoding="utf-8").splitlines()
