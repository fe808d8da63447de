"""The example programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "assets" / "examples"
DEFAULT = "repeated_backward"


@dataclass(frozen=True, slots=True)
class Example:
    """A program that teaches something: its first line is its title, the comment lines after it say what to look for."""

    name: str
    title: str
    about: str
    text: str


@cache
def examples() -> dict[str, Example]:
    """All examples by name, in the order of their file names."""
    found = {}
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        comments = []
        for line in text.splitlines():
            if not line.startswith("#"):
                break
            comments.append(line.lstrip("# "))
        name = path.stem.split("_", 1)[1]
        found[name] = Example(name, comments[0].rstrip("."), " ".join(comments[1:]), text)
    return found
