"""A program's text by characters: where a node of its syntax tree begins and ends, and how to change a piece of it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

MARK = re.compile(r"  # without (?P<piece>\.\S+) @(?P<column>\d+)")
"""What stands at the end of a line from which a piece was taken: the piece, and the column where it goes back."""


class Comment(NamedTuple):
    """A comment: its line, and where it begins and ends in the text."""

    line: int
    start: int
    end: int
    text: str


class Text:
    """A text with its lines; places are counted in characters, though `ast` counts columns in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        # As Python's tokenizer does: form feeds and the like end no line.
        self.lines = re.split(r"(?<=\n)", text)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def place(self, line: int, column: int) -> int:
        """The place of a line (from 1) and a column in UTF-8 bytes."""
        text = self.lines[line - 1]
        return self.starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode(errors="ignore")))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, place: int) -> int:
        """The line (from 1) of a place."""
        return max(1, min(bisect_right(self.starts, place), len(self.lines)))

    @cached_property
    def _tokens(self) -> list[tokenize.TokenInfo]:
        try:
            return list(tokenize.generate_tokens(io.StringIO(self.text).readline))
        except (tokenize.TokenError, SyntaxError):
            return []

    @cached_property
    def comments(self) -> list[Comment]:
        """All comments, told apart from text in strings."""
        found = []
        for token in self._tokens:
            if token.type == tokenize.COMMENT:
                line, column = token.start
                start = self.starts[line - 1] + column
                found.append(Comment(line, start, start + len(token.string), token.string))
        return found

    @cached_property
    def open_lines(self) -> set[int]:
        """The lines that end inside a string, where no comment can stand."""
        found: set[int] = set()
        begun: list[int] = []
        for token in self._tokens:
            kind = tokenize.tok_name[token.type]
            if kind == "STRING":
                found.update(range(token.start[0], token.end[0]))
            elif kind in ("FSTRING_START", "TSTRING_START"):
                begun.append(token.start[0])
            elif kind in ("FSTRING_END", "TSTRING_END"):
                found.update(range(begun.pop(), token.end[0]))
        return found


def spliced(text: str, start: int, end: int, new: str) -> str:
    """The text with a piece of one line replaced; marks at the line's end go on pointing to their places."""
    source = Text(text)
    line = source.line_of(start)
    first = source.starts[line - 1]
    moved = len(new) - (end - start)
    if moved and "\n" not in text[start:end] and "\n" not in new:
        comment = next((c for c in source.comments if c.line == line and c.start >= end), None)
        if comment is not None and "# without ." in comment.text:
            begin = max(comment.start - 2, end)

            def shift(mark: re.Match[str]) -> str:
                column = int(mark["column"])
                return mark[0] if first + column < end else f"  # without {mark['piece']} @{column + moved}"

            marks = MARK.sub(shift, text[begin : comment.end])
            text = text[:begin] + marks + text[comment.end :]
    return text[:start] + new + text[end:]
