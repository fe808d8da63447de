"""Faults of interpreters and libraries by which a program could read or write memory, tried out before strangers' programs run.

Each is a program that crashes where the fault is open, tried in a disposable process: first as Python runs it, and if that
crashes, within the language layer. What crashes there as well is neither mended in the interpreter nor shut by the layer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..processes.forking import ENVIRONMENT, ROOT
from ..transport.messages import Layers

START = "import sys; sys.path.insert(0, sys.argv[1]); from engine.sandbox.processes.fault_trial import main; main()"
FREED = ("-X", "dev", "-W", "ignore")
"""Python fills memory that is freed, so that its use is seen at once."""
FILLED = {"MALLOC_PERTURB_": "171"}
"""The C library fills memory that is freed, too."""
PATIENCE = 180.0
"""Seconds that all of them may take on a slow machine."""


@dataclass(frozen=True)
class Fault:
    """One fault."""

    name: str
    """In words for the operator of the installation."""
    guard: str
    """What of the language layer shuts it."""
    program: str


_EMPTIES = """
class A:
    def __lt__(self, other):
        a[:] = [None] * len(a)
        b[:] = [None] * len(b)
        return NotImplemented
    __gt__ = __add__ = __radd__ = __lt__
"""

TABLE = (
    Fault(
        "an error about text whose positions are not in the text",
        "policy/natives.py: what makes such errors looks at the positions",
        "str(UnicodeDecodeError('x', b'abc', -2 ** 40, -2 ** 40 + 1, 'x'))",
    ),
    Fault(
        "a list that gets shorter while its slice with steps is assigned",
        "policy/reentry.py: what is assigned is made a list before",
        "class E:\n    def __iter__(self):\n        yield from range(10_000)\n        a.clear()\n"
        "a = list(range(10_000))\na[::-1] = E()",
    ),
    Fault(
        "a group of exceptions that splits into nothing",
        "policy/guards.py: such classes cannot be inherited from",
        "class G(ExceptionGroup):\n    def split(self, condition):\n        return ()\n"
        "try:\n    raise G('x', [ValueError()])\nexcept* ValueError:\n    pass",
    ),
    Fault(
        "lists whose items go while they are compared",
        "policy/reentry.py: special methods keep their operands",
        f"{_EMPTIES}a, b = [A()], [A()]\na < b",
    ),
    Fault(
        "a deque that is emptied while something is looked for in it",
        "facades/mended.py",
        "import collections\nclass A:\n    def __eq__(self, other):\n        d.clear()\n        return NotImplemented\n"
        "d = collections.deque([A() for _ in range(100)])\nd.index(5)",
    ),
    Fault(
        "a counter whose numbers empty it",
        "policy/reentry.py, and facades/mended.py",
        "import collections\nclass V:\n    def __add__(self, other):\n        c.clear()\n        return NotImplemented\n"
        "c = collections.Counter()\nc[1] = V()\nc.update([1])",
    ),
    Fault(
        "an output that goes while it is printed to",
        "facades/mended.py: redirected outputs stay",
        "import contextlib\nclass F:\n    def write(self, text):\n        global m\n        if m is not None:\n"
        "            m.__exit__(None, None, None)\n            m = None\n    def flush(self):\n        pass\n"
        "m = contextlib.redirect_stdout(F())\nm.__enter__()\nprint('x', 'y')",
    ),
    Fault(
        "objects in an array that go while it is sorted",
        "policy/objects.py: objects are sorted in a copy",
        f"import numpy as np\n{_EMPTIES}a = np.array([A() for _ in range(100)], dtype=object)\nb = []\na.sort()",
    ),
    Fault(
        "objects in an array that go while they are looked at in order",
        "policy/objects.py",
        f"import numpy as np\n{_EMPTIES}a = np.array([A() for _ in range(100)], dtype=object)\nb = []\nnp.argsort(a)",
    ),
    Fault(
        "objects in arrays that go while they are added",
        "policy/reentry.py: special methods keep their operands",
        f"import numpy as np\n{_EMPTIES}a = np.array([A() for _ in range(100)], dtype=object)\nb = a[::-1].copy()\na + b",
    ),
    Fault(
        "a list whose parts empty it while it becomes an array",
        "facades/numpy.py: functions of NumPy's get lists that nobody else has",
        "import numpy as np\nclass S:\n    def __len__(self):\n        return 5\n    def __getitem__(self, k):\n"
        "        a.clear()\n        if k > 4:\n            raise IndexError\n        return 1.0\n"
        "a = [S() for _ in range(100)]\nnp.array(a)",
    ),
)
"""All that hosted programs rely on being closed. Others of the kind are known that only end the program's own process."""


UNKNOWN = "the interpreter could not be tried out"


def unshut(table: Sequence[Fault], layers: Layers) -> list[str]:
    """The names of those that are neither mended here nor shut by the language layer, tried out in a process of their own."""
    try:
        found = subprocess.run(
            [sys.executable, "-I", *FREED, "-c", START, ROOT],
            env=ENVIRONMENT | FILLED,
            input=json.dumps([layers.language, [asdict(fault) for fault in table]]),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            cwd="/",
        )
    except subprocess.TimeoutExpired:
        return [UNKNOWN]
    return [UNKNOWN] if found.returncode else [str(name) for name in json.loads(found.stdout)]


_lock = threading.Lock()
_known: dict[tuple[Fault, ...], list[str]] = {}


def standing() -> list[str]:
    """The names of those that stand open on this machine, which is tried out once."""
    with _lock:
        if TABLE not in _known:
            _known[TABLE] = unshut(TABLE, Layers())
        return _known[TABLE]


def look() -> None:
    """Begin to try them out, for those who will ask."""
    threading.Thread(target=standing, daemon=True, name="gradtape-faults").start()
