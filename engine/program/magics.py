"""Notebook commands, which are no Python: what a cell's text becomes so that the rest of it can run."""

from __future__ import annotations

import re
from textwrap import indent

COMMAND = re.compile(
    r"(\s*)(%[A-Za-z]|!|[\w.]+\?{1,2}\s*$|\?{1,2}[\w.]+\s*$"
    r"|(?:cat|cd|conda|cp|ls|mkdir|mv|pip|rm)\s+(?!(?:and|else|for|if|in|is|not|or)\b)[\w./~])"
)
"""A line that is a command of the notebook; a `%` with a space behind it is Python's. Some need no sign before them."""
TIMED = re.compile(r"(\s*)%time\s+(?=[^\s-])")
"""A statement that is run, and timed."""
ASSIGNED = re.compile(r"(\s*[A-Za-z_]\w*\s*=\s*)!")
"""What a command of the shell printed, as a list of lines."""
PYLAB = re.compile(r"(\s*)%pylab\b(?!.*--no-import-all)")
"""What brings the names of NumPy and of pyplot."""
NAMES = (
    "import matplotlib, numpy; from matplotlib import mlab, pylab, pyplot; np, plt = numpy, pyplot; "
    "from IPython.display import display; from pylab import *; from numpy import *"
)
"""What it runs."""
RUNS = ("capture", "prun", "time", "timeit")
"""Commands of a whole cell that run it."""
QUOTES = ("'", '"')
PART = re.compile(r"#.*|'{3}|\"{3}|['\"()\[\]{}]")
"""What opens and closes something that may go on in the next line, and what hides it."""
CLOSES = {quote: re.compile(rf"\\.|{quote}") for quote in ("'", '"', "'''", '"""')}
"""A string's quotation mark → where it ends, or what hides that."""


def without_magics(source: str) -> str:
    """A cell with its commands (`%matplotlib inline`, `!pip install …`) as comments, on as many lines.

    Where a command stands alone in a block, `pass` stands for it; what `%%time` and `%time` would run stays, and `%pylab`
    imports. As in IPython, a cell may be indented as a whole.
    """
    lines = source.split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    margin = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    lines = [line[len(margin) :] if line.startswith(margin) else line for line in lines]
    whole = re.match(r"%%(\w+)", lines[first])
    if whole and whole[1] not in RUNS:
        return indent("\n".join(lines), "# ", lambda _: True)
    if whole:
        lines[first] = "# " + lines[first]
    made: list[str] = []
    opened = ""
    goes_on = False
    for line in lines:
        command = None if opened else COMMAND.match(line)
        if goes_on and not opened:  # a command that the line above has not ended
            made.append("# " + line)
            goes_on = line.rstrip().endswith("\\")
        elif timed := None if opened else TIMED.match(line):
            made.append(timed[1] + line[timed.end() :])
        elif command and (names := PYLAB.match(line)):
            made.append(f"{names[1]}{NAMES}  # {line.lstrip()}")
        elif command:
            made.append(f"{command[1]}pass  # {line.lstrip()}" if command[1] else "# " + line)
            goes_on = line.rstrip().endswith("\\")
        elif assigned := None if opened else ASSIGNED.match(line):
            made.append(f"{assigned[1]}[]  # {line[assigned.end() - 1 :]}")
            goes_on = line.rstrip().endswith("\\")
        else:
            made.append(line)
            opened = _open(line, opened)
    return "\n".join(made)


def _open(line: str, opened: str) -> str:
    """What is open after a line of Python: brackets, a string that goes on, or the line itself."""
    opened = opened.removesuffix("\\")
    at = 0
    while part := PART.search(line, at) if opened[-1:] not in QUOTES else CLOSES[_quote(opened)].search(line, at):
        found, at = part[0], part.end()
        if found[0] in "\\#":
            continue
        if opened[-1:] in QUOTES:
            opened = opened.removesuffix(found)
        elif found in ")]}":
            opened = opened[:-1]
        else:
            opened += found
    if opened[-1:] in QUOTES and len(_quote(opened)) == 1 and not line.endswith("\\"):
        opened = opened[:-1]
    return opened + "\\" if line.endswith("\\") and opened[-1:] not in QUOTES else opened


def _quote(opened: str) -> str:
    """The quotation mark that the innermost string ends with."""
    return opened[-3:] if opened[-3:] == opened[-1] * 3 else opened[-1]
