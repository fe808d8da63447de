"""One pass over a program's text before anything parses it: comments, texts in quotes, how many signs, how deeply nested.

Python's parser recurses: nests and chains that are deep enough overflow its stack or fill the memory, in each version of
Python others. So what could nest is counted here first, in one loop over the text: indentation, brackets, operators in a row,
`elif` after `elif`. The count is never too small; it may be too large, since `a < b < c` is counted like `a + b + c`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

NESTED = sys.version_info >= (3, 12)
"""Whether this Python lets the values in an f-string hold its own quotes."""
_TAB = 8

_SIGN = re.compile(
    r"""[ \t\f]*(?:
      (?P<string>(?P<prefix>(?i:br|rb|fr|rf|tr|rt|[rubft])?)(?P<quote>'''|\"\"\"|'|\"))
    | (?P<number>0[xX][0-9a-fA-F_]+ | (?:[0-9][0-9_]*\.?[0-9_]* | \.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?[jJ]?)
    | (?P<word>\w+)
    | (?P<line>\r\n?|\n)
    | (?P<comment>\#[^\r\n]*)
    | (?P<joined>\\(?:\r\n?|\n))
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<comma>,)
    | (?P<semicolon>;)
    | (?P<sign>\*\*|//|<<|>>|[<>=!]=|->|:=|.)
    )""",
    re.VERBOSE,
)
_INSIDE = {
    "'": re.compile(r"[^\\'\r\n]*(?:\\(?:\r\n|.)[^\\'\r\n]*)*'", re.DOTALL),
    '"': re.compile(r'[^\\"\r\n]*(?:\\(?:\r\n|.)[^\\"\r\n]*)*"', re.DOTALL),
    "'''": re.compile(r"[^\\']*(?:(?:\\.|'(?!''))[^\\']*)*'''", re.DOTALL),
    '"""': re.compile(r'[^\\"]*(?:(?:\\.|"(?!""))[^\\"]*)*"""', re.DOTALL),
}
"""What follows the opening quote of a text, its closing quote included."""
_BREAK = {
    (quote, raw): re.compile(
        ("" if raw else r"\\N\{[^{}'\"\r\n]*\}|") + r"\\[^{}]|\{\{|\}\}|[{}]|" + quote + ("|[\r\n]" if len(quote) == 1 else ""),
        re.DOTALL,
    )
    for quote in _INSIDE
    for raw in (False, True)
}
"""What ends a piece of an f-string that stands for itself."""
_WORDS = frozenset(
    {"not", "lambda", "if", "else", "elif", "and", "or", "is", "in", "await", "yield", "for", "from", "async", "while"}
)  # fmt: skip
"""Words that something can nest under."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a program is read."""

    characters: int
    signs: int
    """Names, numbers, texts, operators, brackets, ends of lines: a syntax tree has about as many nodes."""
    depth: int
    fields: int
    """Values in one f-string, each of which CPython 3.11 looks for in the whole of it."""


@dataclass(slots=True)
class Scan:
    """What there is to know of a text before it is parsed."""

    comments: list[tuple[int, int]] = field(default_factory=list)
    """Where each comment begins and ends, in characters."""
    strings: list[tuple[int, int]] = field(default_factory=list)
    """Where each text in quotes begins and ends; what is inside the values of an f-string belongs to it."""
    signs: int = 0
    depth: int = 0
    problem: str = ""
    """Why the text is not to be parsed: the field of `Bounds` that it exceeds, or "quotes" for one that is not closed."""
    offset: int = 0
    """Where the problem is."""


class _Level:
    """A bracket that is open, an f-string, a value in it: everything in which something else stands."""

    __slots__ = ("kind", "lambdas", "links", "quote", "raw")

    def __init__(self, kind: str, quote: str = "", raw: bool = False) -> None:
        self.kind = kind
        """"" for the statement, a bracket, "f" for an f-string, "value" for a value in it, "format" for how that is printed."""
        self.quote = quote
        self.raw = raw
        self.links = 0
        """Signs since the last comma that may each nest."""
        self.lambdas = 0
        """These go on nesting over commas."""


def scan(text: str, bounds: Bounds, nested: bool = NESTED) -> Scan:
    """Look through a text, up to the first reason not to parse it. The work is linear in `bounds`, whatever the text is."""
    if len(text) > bounds.characters:
        return Scan(problem="characters", offset=bounds.characters)
    return _Scanner(text, bounds, nested).run()


class _Scanner:
    def __init__(self, text: str, bounds: Bounds, nested: bool) -> None:
        self.text = text
        self.bounds = bounds
        self.nested = nested
        self.scanned = Scan()
        self.levels = [_Level("")]
        self.inside = 0
        """Depth of all levels together."""
        self.indents: list[tuple[int, int]] = [(0, 0)]
        """For every open block: its indentation, and how many `elif` stand in a row there."""
        self.blocks = 0
        """Depth of the blocks."""
        self.begins = True
        """Whether a statement is about to begin."""
        self.line = 0
        """Where the line begins."""
        self.strings: list[tuple[int, int]] = []
        """For every open f-string: the offset of its beginning, and where it must end if it may not hold its own quotes."""
        self.fields = 0

    def run(self) -> Scan:
        offset, end = 0, len(self.text)
        while offset < end and not self.scanned.problem:
            offset = self.literal(offset) if self.levels[-1].kind in ("f", "format") else self.code(offset)
        if self.strings and not self.scanned.problem:
            self.refuse("quotes", self.strings[-1][0])
        return self.scanned

    def refuse(self, problem: str, offset: int) -> int:
        self.scanned.problem, self.scanned.offset = problem, offset
        return len(self.text)

    def code(self, offset: int) -> int:
        """Take the next sign; returns the offset behind it."""
        match = _SIGN.match(self.text, offset)
        if match is None:
            return len(self.text)
        kind, stop = str(match.lastgroup), match.end()
        if kind == "quote":
            kind = "string"
        start = match.start(kind)
        if kind == "comment":
            self.scanned.comments.append((start, stop))
            return stop
        if kind == "joined":
            return stop
        self.scanned.signs += 1
        if self.scanned.signs > self.bounds.signs:
            return self.refuse("signs", start)
        top = self.levels[-1]
        if kind == "line":
            if not top.kind:
                self.clear(top)
                self.begins = True
            self.line = stop
            return stop
        if self.begins and not top.kind:
            self.statement(start, match["word"])
        if kind == "string":
            return self.string(match)
        if kind == "comma":
            self.inside -= top.links
            top.links = 0
        elif kind == "semicolon":
            self.clear(top)
        elif kind == "close":
            return self.close(match[kind], stop)
        elif kind == "open":
            self.link(top, start)
            self.push(_Level(match[kind]), start)
        elif kind == "sign":
            if top.kind == "value" and match[kind][0] == ":":
                self.push(_Level("format", top.quote, top.raw), start)
                return start + 1
            self.link(top, start)
        elif kind == "word" and match[kind] in _WORDS:
            if match[kind] == "lambda":
                top.lambdas += 1
                self.inside += 1
            self.link(top, start)
        return stop

    def statement(self, start: int, word: str | None) -> None:
        """A statement begins here: note how deeply it is indented, and whether it is one more `elif`."""
        self.begins = False
        width = 0
        for sign in self.text[self.line : min(start, self.line + 10_000)]:
            width = 0 if sign == "\f" else (width // _TAB + 1) * _TAB if sign == "\t" else width + 1
        while len(self.indents) > 1 and self.indents[-1][0] > width:
            self.blocks -= 1 + self.indents.pop()[1]
        if self.indents[-1][0] < width:
            self.indents.append((width, 0))
            self.blocks += 1
        row = self.indents[-1][1]
        if word == "elif":
            self.indents[-1] = (width, row + 1)
            self.blocks += 1
        elif row and word != "else":
            self.indents[-1] = (width, 0)
            self.blocks -= row
        self.deep(start)

    def link(self, level: _Level, offset: int) -> None:
        level.links += 1
        self.inside += 1
        self.deep(offset)

    def push(self, level: _Level, offset: int) -> None:
        self.levels.append(level)
        self.inside += 1
        self.deep(offset)

    def pop(self) -> None:
        level = self.levels.pop()
        self.inside -= 1 + level.links + level.lambdas

    def clear(self, level: _Level) -> None:
        self.inside -= level.links + level.lambdas
        level.links = level.lambdas = 0

    def deep(self, offset: int) -> None:
        depth = self.inside + self.blocks
        if depth > self.scanned.depth:
            self.scanned.depth = depth
            if depth > self.bounds.depth:
                self.refuse("depth", offset)

    def close(self, bracket: str, stop: int) -> int:
        """A closing bracket; one that closes nothing is for the parser to complain about."""
        if len(self.levels) > 1 and (self.levels[-1].kind != "value" or bracket == "}"):
            self.pop()
        return stop

    # --- texts in quotes ------------------------------------------------------------------------------------------------------

    def string(self, match: re.Match[str]) -> int:
        """A text in quotes begins."""
        start, quote, prefix = match.start("string"), match["quote"], match["prefix"].lower()
        closed = _INSIDE[quote].match(self.text, match.end())
        if "f" not in prefix and "t" not in prefix:
            if closed is None:
                return self.refuse("quotes", start)
            if not self.strings:
                self.scanned.strings.append((start, closed.end()))
            return closed.end()
        if closed is None and not self.nested:
            return self.refuse("quotes", start)
        if not self.strings:
            self.fields = 0
        self.strings.append((start, -1 if closed is None or self.nested else closed.end()))
        self.push(_Level("f", quote, "r" in prefix), start)
        return match.end()

    def literal(self, offset: int) -> int:
        """Take what stands for itself in an f-string, up to the next value, or to the end."""
        top = self.levels[-1]
        match = _BREAK[top.quote, top.raw].search(self.text, offset)
        if match is None:
            return self.refuse("quotes", offset)
        sign, stop = match[0], match.end()
        if sign == top.quote:
            return self.end_of_string(stop)
        if sign in ("\r", "\n"):
            return self.refuse("quotes", offset)
        if sign[0] == "\\" or (sign in ("{{", "}}") and top.kind == "f"):
            return stop
        if sign[0] == "{":
            self.fields += 1
            if self.fields > self.bounds.fields:
                return self.refuse("fields", offset)
            self.push(_Level("value", top.quote, top.raw), offset)
        elif top.kind == "format":
            self.pop()
            self.pop()
        else:
            return self.refuse("quotes", offset)
        return match.start() + 1

    def end_of_string(self, stop: int) -> int:
        if self.levels[-1].kind != "f":
            return self.refuse("quotes", stop)
        self.pop()
        start, must = self.strings.pop()
        if must >= 0 and must != stop:
            return self.refuse("quotes", start)
        if not self.strings:
            self.scanned.strings.append((start, stop))
        return stop
