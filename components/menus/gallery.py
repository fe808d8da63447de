"""The example programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.diagnosis.findings.catalogue import entry, kinds
from engine.program import Program

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "assets" / "examples"
LESSON = "Lesson: "
LESSONS = EXAMPLES.parent / "lessons"
DEFAULT = "repeated_backward"


@dataclass(frozen=True, slots=True)
class Example:
    """A program that teaches something: its first line is its title, the comment lines after it say what to look for. Of a
    lesson, which is a notebook, it is the first note: a heading and a sentence."""

    name: str
    title: str
    about: str
    program: Program

    @property
    def text(self) -> str:
        """The program's text; of a lesson its first cell."""
        return self.program.cells[0]


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
        found[name] = Example(name, comments[0].rstrip("."), " ".join(comments[1:]), Program.from_text(text))
    return found


@cache
def lessons() -> dict[str, Example]:
    """All lessons, likewise."""
    found = {}
    for path in sorted(LESSONS.glob("*.ipynb")):
        program = Program.from_file(path)
        heading, _, rest = program.story.notes[0].text.partition("\n\n")
        name = path.stem.split("_", 1)[1]
        found[name] = Example(name, f"{LESSON}{heading.lstrip('# ')}", rest.partition("\n\n")[0].replace("\n", " "), program)
    return found


PROGRAMS = ("broken", "mended")
"""The programs of a rule of the catalogue, as they are named behind its id."""


def example(name: str) -> Example | None:
    """The example or the lesson of a name, or a program of a rule, `no_zero_grad.mended`; None where there is neither."""
    id, _, which = name.partition(".")
    if which in PROGRAMS and id in kinds():
        shown = entry(id)
        text = shown.broken if which == PROGRAMS[0] else shown.mended
        return Example(name, f"{id}, {which}", shown.about, Program.from_text(text))
    return examples().get(name) or lessons().get(name)
