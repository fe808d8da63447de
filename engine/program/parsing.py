"""Reads a program's text as a syntax tree, within bounds: the one place where program text is parsed in the page's process.

A stranger's text is looked through before it is parsed (`engine/program/scan.py`), and one that is over a bound is not parsed
at all: the caller gets a reason to show. Trees of the last few texts are kept, with what was worked out from
them, because knobs, builder and diagnosis ask for the same text again and again. Nothing is ever compiled here, nothing runs.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

from ..limits import DEPTH, FIELDS, READ, SIGNS
from .scan import Bounds, Scan, scan

T = TypeVar("T")

BOUNDS = Bounds(READ.value(), SIGNS.value(), DEPTH.value(), FIELDS.value())
"""What is read. Of 1,200 files of Python's library, PyTorch and Gradtape ten are larger, and none has a nest that counts more
than 89. At the bounds, text and tree take less than 40 MB while they are made, and half of that afterwards."""
KEPT = 40 * 2**20
"""Bytes of the trees that are kept, as `_WEIGHT` estimates them; the last one is kept whatever it takes."""
_WEIGHT = 700
"""Bytes for each sign of a text: its nodes, their parents and what is derived from them."""
_REASONS = {
    "characters": "is longer than {who} ({bounds.characters:,} characters)",
    "signs": "has more words and signs than {who} ({bounds.signs:,})",
    "depth": "is nested more deeply than {who} ({bounds.depth} levels; line {line})",
    "fields": "has an f-string with more values than {who} ({bounds.fields:,}; line {line})",
}
FILE = "<program text>"
"""What the parser calls it."""
# `"\\d"` is worth a warning where the program runs, not here, where it would only fill the server's log.
warnings.filterwarnings("ignore", module="<program text>")
_LINES = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
"""Between lines as Python's parser counts them: form feeds and the like end none."""


class UnreadError(ValueError):
    """Why a text has no syntax tree: it is no Python, or over a bound."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(self._said(problem, line, "is read here"))
        self.problem = problem
        """"syntax", or the field of `Bounds` that the text exceeds."""
        self.line = line

    @property
    def over(self) -> bool:
        """Whether the text is over a bound, and may well be Python."""
        return self.problem in _REASONS

    def sentence(self, reader: str) -> str:
        """The reason for a user, who knows by which name it is that `reader` reads: "What if reads"."""
        return f"The program {self._said(self.problem, self.line, reader)}."

    @staticmethod
    def _said(problem: str, line: int, who: str) -> str:
        if problem in _REASONS:
            return _REASONS[problem].format(who=who, bounds=BOUNDS, line=line)
        return "is not Python yet" + (f": see line {line}" if line else "")


class Comment(NamedTuple):
    """A comment: its line, where it begins and ends in the text, and what it says."""

    line: int
    start: int
    end: int
    text: str


class Lines:
    """A text with its lines; offsets are counted in characters, though `ast` counts columns in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _LINES.split(text)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self._widths: dict[int, list[int]] = {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column in UTF-8 bytes; a line that is not there is the last one."""
        line = min(max(line, 1), len(self.lines))
        text, start = self.lines[line - 1], self.starts[line - 1]
        if text.isascii():
            return start + min(column, len(text))
        if line not in self._widths:
            # Where each character of the line begins, in bytes: looking that up is what makes a long line bearable.
            widths, total = [], 0
            for sign in text:
                widths.append(total)
                total += 1 if sign < "\x80" else 2 if sign < "\u0800" else 3 if sign < "\U00010000" else 4
            self._widths[line] = [*widths, total]
        return start + max(bisect_right(self._widths[line], column) - 1, 0)

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """Where a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, offset: int) -> int:
        """The line (from 1) of an offset."""
        return max(1, min(bisect_right(self.starts, offset), len(self.lines)))


class ProgramAst:
    """A text that is Python: its tree, which must not be changed, and what it says between the signs."""

    def __init__(self, text: str, tree: ast.Module, scanned: Scan) -> None:
        self.text = text
        self.tree = tree
        self.signs = scanned.signs
        self._scan = scanned
        self._derived: dict[str, object] = {}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` works out from the text, kept with it under a name."""
        if name not in self._derived:
            self._derived[name] = make()
        return cast(T, self._derived[name])

    @cached_property
    def lines(self) -> Lines:
        """The text by lines."""
        return Lines(self.text)

    @cached_property
    def comments(self) -> list[Comment]:
        """All comments, told apart from text in quotes."""
        line_of = self.lines.line_of
        return [Comment(line_of(start), start, end, self.text[start:end]) for start, end in self._scan.comments]

    @cached_property
    def comment_in(self) -> dict[int, Comment]:
        """The comment of each line that has one."""
        return {comment.line: comment for comment in self.comments}

    @cached_property
    def open_lines(self) -> set[int]:
        """The lines that end inside a text in quotes, where no comment can stand."""
        found: set[int] = set()
        for start, end in self._scan.strings:
            found.update(range(self.lines.line_of(start), self.lines.line_of(end)))
        return found

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Node → the node that it stands in."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}


def read(text: str) -> ProgramAst:
    """The program's tree, parsed once for all who ask soon after one another.

    Raises:
        UnreadError: for a text that is no Python, or over a bound; nothing over a bound is parsed.
    """
    with _lock:
        known = _kept.get(text)
        if known is not None:
            _kept.move_to_end(text)
    if known is None:
        known = _read(text)
        with _lock:
            _keep(text, known)
    if isinstance(known, UnreadError):
        # One of its own: an exception collects the frames that it passes through.
        raise UnreadError(known.problem, known.line)
    return known


def fresh(text: str) -> ast.Module:
    """A tree of one's own, to be changed.

    Raises:
        UnreadError: as `read` does.
    """
    found = _read(text)
    if isinstance(found, UnreadError):
        raise found
    return found.tree


def parses(text: str) -> bool:
    """Whether a text is Python and within bounds; for one that is only tried, nothing is kept."""
    return isinstance(_read(text), ProgramAst)


def forget() -> None:
    """Keep nothing."""
    global _weight
    with _lock:
        _kept.clear()
        _weight = 0


def read_cells(cells: Sequence[str]) -> list[ProgramAst | UnreadError]:
    """The trees of a notebook's cells; all of them together are bounded like one program, and later ones stay unread."""
    found: list[ProgramAst | UnreadError] = []
    characters = signs = 0
    for text in cells:
        characters += len(text)
        if characters > BOUNDS.characters:
            found.append(UnreadError("characters"))
            continue
        try:
            one = read(text)
        except UnreadError as error:
            found.append(error)
            continue
        signs += one.signs
        found.append(one if signs <= BOUNDS.signs else UnreadError("signs"))
    return found


def alike(first: ast.AST, second: ast.AST) -> bool:
    """Whether two trees are the same program, whatever their spacing and parentheses."""
    waiting: list[tuple[object, object]] = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            waiting += [(getattr(one, name, None), getattr(other, name, None)) for name in one._fields]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif isinstance(one, float | complex):
            # 0.0 == -0.0, and nan is nothing's equal.
            if repr(one) != repr(other):
                return False
        elif one != other:
            return False
    return True


def last_name(node: ast.AST | None) -> str:
    """The last part of a dotted name: `nn.functional.relu` gives "relu"; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


_lock = threading.Lock()
_kept: OrderedDict[str, ProgramAst | UnreadError] = OrderedDict()
_weight = 0


def _weight_of(text: str, known: ProgramAst | UnreadError) -> int:
    return 4 * len(text) + 1_000 + (_WEIGHT * known.signs if isinstance(known, ProgramAst) else 0)


def _keep(text: str, known: ProgramAst | UnreadError) -> None:
    """Keep one more, and as many of the others as there is room for; the caller holds the lock."""
    global _weight
    if text in _kept or len(text) > BOUNDS.characters:
        return
    _kept[text] = known
    _weight += _weight_of(text, known)
    while _weight > KEPT and len(_kept) > 1:
        _weight -= _weight_of(*_kept.popitem(last=False))


def _read(text: str) -> ProgramAst | UnreadError:
    found = scan(text, BOUNDS)
    if found.problem:
        line = 0 if found.problem == "characters" else Lines(text).line_of(found.offset)
        return UnreadError("syntax" if found.problem == "quotes" else found.problem, line)
    try:
        return ProgramAst(text, ast.parse(text, FILE), found)
    except SyntaxError as error:
        return UnreadError("syntax", error.lineno or 0)
    except (RecursionError, MemoryError):
        return UnreadError("depth", 1)
    except ValueError:
        return UnreadError("syntax")
