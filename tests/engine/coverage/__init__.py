"""PyTorch's own databases of samples, run on the engine; the lists beside this file say what agrees and must go on to agree,
one for each release that can be the oracle."""

from __future__ import annotations

from pathlib import Path

from engine.compat.version import DEFAULT, followed

KINDS = ("operators", "errors", "modules", "optimizers")


def listed(kind: str, release: str = "") -> Path:
    """The file that names the entries of a database all of whose samples agree; `python -m tests.engine.coverage` writes it."""
    release = release or followed()
    return Path(__file__).with_name(f"agreeing_{kind}{'' if release == DEFAULT else f'_{release}'}.txt")


def agreeing(kind: str) -> list[str]:
    """Titles of the entries of a database all of whose samples agree, with the release that is followed."""
    found = listed(kind)
    return found.read_text(encoding="utf-8").splitlines() if found.exists() else []
