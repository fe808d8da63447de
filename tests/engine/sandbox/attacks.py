"""Programs that try to get out, each with the goal by which it is judged; `corpus/attacks` holds them by class.

Words between at-signs are filled in by the test: the path of a file with a secret, a path where nothing is, the port of a
listening socket, frames as a child sends them, and texts that are too long to be written out.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.recording.batch import batch_of
from engine.recording.events import Printed, Scope, Site
from engine.sandbox.transport.frames import BATCH, DONE
from engine.sandbox.transport.messages import HEADER, Done, encode
from tests.corpus import Case, CorpusError, corpora

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
FORGED = batch_of([Printed("FORGED")], [Site()], [Scope()]), Done("ok", None, ["ok"], 0.0)
LONG = {
    "FORGERY": b"".join(HEADER.pack(k, len(b)) + b for k, b in zip((BATCH, DONE), map(encode, FORGED), strict=True)).hex(),
    "NEST": "(" * 5_000 + ")" * 5_000,
    "CHAIN": "1" + "+1" * 100_000,
    "LITERAL": "[" + "9," * 200_000 + "]",
    "STATEMENTS": "x = 1\n" * 80_000,
    "BLOCKS": "".join(" " * k + "if 1:\n" for k in range(99)) + " " * 99 + "pass",
    "PATTERN": "[" * 2_000 + "]" * 2_000,
}


def filled(attack: Case, **places: object) -> str:
    """The program for these places."""
    return re.sub("@([A-Z]+)@", lambda found: str((LONG | places).get(found[1], found[0])), attack.text)


def attacks() -> list[Case]:
    """All programs, by class."""
    found = list(corpora(Path(__file__).parent / "corpus/attacks"))
    for attack in found:
        if attack["goal"] not in GOALS:
            raise CorpusError(attack.file, attack.line, f"{attack['goal']} is no goal")
    return found
