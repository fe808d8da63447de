"""Corpora: many small programs in one Python file, each a cell with a name; `python -m tests.corpus FILE::NAME` runs one.

    \"\"\"What these programs are for.\"\"\"
    #: ends: how they end
    #: prints*: what they print, a line each
    import torch

    # %% a sum that is printed
    #: ends: ok
    #: prints: tensor(2.)
    print(torch.ones(2).sum())

The head says what the cells say: `ends` once each, `prints*` any number of times, `only?` at most once. What follows in it
stands before every program. Below its name a cell has what it says, then its program, up to the next cell. A notebook says in
`cells` how many it has; each but the first begins with a bare `# %%`. A program that Python cannot read stands in lines that
begin with `#| `, so that the file as a whole stays Python. Programs that may do harm have `ONLY_SHUT_IN` for a head.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ONLY_SHUT_IN = (
    'if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")\n'
)
"""The head where nobody is to run the programs by running or importing their file; nor are they run on PyTorch."""

CELL = re.compile(r"# %%(?: (\S(?:.*\S)?))?")
LIKE_A_CELL = re.compile(r"#\s*%%")
"""What editors take for the beginning of a cell."""
DECLARED = re.compile(r"#: ([a-z]+)([?*]?): (.+)")
SAID = re.compile(r"#: ([a-z]+):(?: (.*))?")


class CorpusError(ValueError):
    """A corpus is not written as it should be; the text begins with file and line."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"{file}:{line}: {problem}")


@dataclass(frozen=True, eq=False)
class Case:
    """One program of a corpus."""

    file: str
    """From the repository's root."""
    name: str
    line: int
    """Where in the file the program begins."""
    head: str
    """What stands before it; "" or whole lines."""
    text: str
    """The program itself, whole lines."""
    said: Mapping[str, str]
    """What its cell says, by key; what is said several times, in lines."""

    def __str__(self) -> str:
        return f"{self.file}::{self.name}"

    def __getitem__(self, key: str) -> str:
        return self.said[key]

    @property
    def group(self) -> str:
        """The name of its file."""
        return Path(self.file).stem

    @property
    def program(self) -> str:
        """The program with what stands before it."""
        return self.head + self.text

    @property
    def cells(self) -> tuple[str, ...]:
        """The program as a notebook's cells, without the head; one where it is none."""
        return tuple(self.text.split("# %%\n"))

    def place(self, line: int) -> str:
        """File and line of a line of `program`."""
        return f"{self.file}:{self.line + max(line - self.head.count(chr(10)), 1) - 1}"


@dataclass(frozen=True)
class Corpus:
    """The programs of one file."""

    head: str
    only_shut_in: bool
    cases: Mapping[str, Case]
    """By name."""


@cache
def corpus(path: Path) -> Corpus:
    """Read a corpus; a `CorpusError` says where it is not written as it should be."""
    file = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [number for number, line in enumerate(lines) if _named(file, number, line)]
    if not starts:
        raise CorpusError(file, 1, "no cell begins with `# %% name`")
    keys, head = _head(file, lines[: starts[0]])
    only_shut_in = head == ONLY_SHUT_IN
    cases: dict[str, Case] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        case = _case(file, start, lines[start:end], keys, "" if only_shut_in else head)
        if case.name in cases:
            raise CorpusError(file, start + 1, f"{case.name!r} is the name of another program as well")
        cases[case.name] = case
    return Corpus(head, only_shut_in, cases)


def corpora(folder: Path) -> Iterator[Case]:
    """The programs of all corpora of a folder."""
    for path in sorted(folder.glob("*.py")):
        yield from corpus(path).cases.values()


def _named(file: str, number: int, line: str) -> str | None:
    """The name, if a line begins a program."""
    if not LIKE_A_CELL.match(line):
        return None
    found = CELL.fullmatch(line)
    if found is None:
        raise CorpusError(file, number + 1, "a cell begins with `# %% name`, with single spaces")
    return found[1]


def _head(file: str, lines: list[str]) -> tuple[dict[str, str], str]:
    """How often a cell says what, by key, and the program's first lines."""
    try:
        body = ast.parse("\n".join(lines)).body
    except SyntaxError as error:
        raise CorpusError(file, error.lineno or 1, f"the head is no Python: {error.msg}") from None
    match body[:1]:
        case [ast.Expr(ast.Constant(str()), end_lineno=int(end))]:
            pass
        case _:
            raise CorpusError(file, 1, "it does not begin with a sentence that says what its programs are for")
    keys: dict[str, str] = {}
    for number, line in enumerate(lines[end:], end + 1):
        if not line.startswith("#:"):
            continue
        found = DECLARED.fullmatch(line)
        if found is None or found[1] in keys:
            raise CorpusError(file, number, "the head has a line `#: key: what it means` for each key")
        keys[found[1]] = found[2]
    code = "\n".join(line for line in lines[end:] if not line.startswith("#:")).strip("\n")
    return keys, f"{code}\n" if code else ""


def _case(file: str, start: int, lines: list[str], keys: dict[str, str], head: str) -> Case:
    """A cell: its name, what it says, its program."""

    def wrong(line: int, problem: str) -> CorpusError:
        return CorpusError(file, start + line + 1, problem)

    said: dict[str, str] = {}
    begin = 1
    while begin < len(lines) and lines[begin].startswith("#:"):
        found = SAID.fullmatch(lines[begin])
        if found is None:
            raise wrong(begin, "what a cell says is written `#: key: value`")
        key, value = found[1], found[2] or ""
        if key not in keys:
            raise wrong(begin, f"the head knows no {key!r}")
        if key in said and keys[key] != "*":
            raise wrong(begin, f"{key!r} is said twice")
        said[key] = f"{said[key]}\n{value}" if key in said else value
        begin += 1
    if missing := [key for key, often in keys.items() if not often and key not in said]:
        raise wrong(0, f"it does not say {missing[0]!r}")
    program = lines[begin:]
    while program and not program[-1].strip():
        program.pop()
    if not program:
        raise wrong(0, "the cell is empty")
    if not program[0].strip():
        raise wrong(begin, "the program begins in the line below its name and what the cell says")
    for number, line in enumerate(program, begin):
        if line.startswith("#:"):
            raise wrong(number, "what a cell says stands directly below its name")
        if line.startswith("#|") != program[0].startswith("#|") or (line.startswith("#|") and line[2:3] not in ("", " ")):
            raise wrong(number, "either all lines of a program begin with `#| ` or none")
    if program[0].startswith("#|"):
        program = [line[3:] for line in program]
    cells = 1 + program.count("# %%")
    if said.get("cells", "1") != str(cells):
        raise wrong(0, f"a bare `# %%` begins the next cell of a notebook: it has {cells}, and does not say so")
    return Case(file, lines[0].removeprefix("# %% "), start + begin + 1, head, "\n".join(program) + "\n", said)


def on_gradtape(case: Case, after: str) -> int:
    """Run a program shut in and print what it prints."""
    from engine.program import Program
    from engine.sandbox import Limits, run

    cells = case.cells
    program = Program.from_cells((case.head, *cells)) if len(cells) > 1 else Program.from_text(case.program + after)
    result = run(program, Limits(seconds=60))
    if len(cells) > 1:
        for cell in result.cells[1:]:
            print(cell.output, end="" if cell.result is None else f"{cell.result}\n")
    else:
        print(result.output, end="")
    if (error := result.error) is not None:
        before = case.head + "# %%\n".join([*cells[: error.cell - 1], ""]) if error.cell else ""
        place = case.place(before.count("\n") + error.line)
        print(error.traceback.rstrip() or error.message, f"{place}: {result.status}", sep="\n", file=sys.stderr)
    else:
        events = 0 if result.recording is None else len(result.recording.events)
        print(f"{case.file}:{case.line}: {result.status}, {events:,} events", file=sys.stderr)
    return int(result.status != "ok")


def on_pytorch(case: Case, after: str) -> int:
    """Run a program on PyTorch, in this process; a traceback has the lines of the corpus."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(case.head, "<head>", "exec", dont_inherit=True), names)
    try:
        exec(compile("\n" * (case.line - 1) + case.text, ROOT / case.file, "exec", dont_inherit=True), names)
        exec(after, names)
    except Exception as error:
        own = error.__traceback__
        traceback.print_exception(error.with_traceback(own.tb_next if own else None))
        return 1
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run one program, or print the names of all."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description="Run one program of a corpus.")
    parser.add_argument("program", metavar="FILE::NAME", help="the program; without a name, the names of a file's are printed")
    parser.add_argument("--torch", action="store_true", help="on PyTorch instead of Gradtape")
    given = parser.parse_args(arguments)
    file, _, name = given.program.partition("::")
    if not Path(file).is_file():
        parser.error(f"there is no {file}")
    cases = corpus(Path(file).resolve()).cases
    if not name:
        print(*cases, sep="\n")
        return 0
    if name not in cases:
        parser.error(f"{file} has no program {name!r}; without a name it tells which there are")
    case = cases[name]
    # Where the head has `out`, programs end with it instead of printing it.
    after = "print(out)\n" if re.search(r"^out = ", case.head, re.MULTILINE) else ""
    if not given.torch:
        return on_gradtape(case, after)
    if corpus(ROOT / case.file).only_shut_in:
        parser.error("these programs may do harm, so they are only run shut in")
    return on_pytorch(case, after)


if __name__ == "__main__":
    sys.exit(main())
