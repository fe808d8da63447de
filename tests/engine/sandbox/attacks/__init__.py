"""Programs that try to get out, each with the goal by which it is judged; the texts beside this file hold them by class.

An entry begins with `## what it tries [goal]`. Words between at-signs are filled in by the test: the path of a file with a
secret, a path where nothing is, the port of a listening socket, and texts that are too long to be written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

GOALS = {
    "reads": "prints what stands in a file",
    "writes": "makes a file",
    "starts": "starts a process, which makes a file",
    "connects": "connects to a socket",
    "environment": "prints an environment variable of the page's process",
    "sees": "prints a module, a frame, code, or the real built-ins",
    "memory": "reads or writes memory that it has not been given",
    "marks": "prints a word after having done what it must not",
    "forges": "changes the result of a run, its own or another's",
    "slow": "holds up the page or the next program",
}
OUTSIDE = frozenset(("reads", "writes", "starts", "connects", "environment"))
"""Goals beyond the process, which the system layer prevents alone."""
LONG = {
    "NEST": "(" * 5_000 + ")" * 5_000,
    "CHAIN": "1" + "+1" * 100_000,
    "LITERAL": "[" + "9," * 200_000 + "]",
    "STATEMENTS": "x = 1\n" * 80_000,
    "BLOCKS": "".join(" " * k + "if 1:\n" for k in range(99)) + " " * 99 + "pass",
    "PATTERN": "[" * 2_000 + "]" * 2_000,
}


_ENTRY = re.compile(r"^## ([^\n]+) \[(\w+)\]\n(.*?)(?=^## |\Z)", re.M | re.S)


@dataclass(frozen=True)
class Attack:
    """One program."""

    group: str
    name: str
    goal: str
    program: str

    def filled(self, **places: object) -> str:
        """The program for these places."""
        return re.sub("@([A-Z]+)@", lambda found: str((LONG | places).get(found[1], found[0])), self.program)


def corpus() -> list[Attack]:
    """All programs, by class."""
    found = []
    for file in sorted(Path(__file__).parent.glob("*.txt")):
        for title, goal, program in _ENTRY.findall(file.read_text("utf-8")):
            if goal not in GOALS:
                raise ValueError(f"{file.name}: {goal} is no goal")
            found.append(Attack(file.stem, title, goal, program.strip("\n") + "\n"))
    return found
