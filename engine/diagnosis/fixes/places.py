"""Where the lines of a program are after changes of its text."""

from __future__ import annotations

from collections.abc import Sequence

from ...program.changes import TextChange, changed
from ...program.parsing import Lines
from ...recording.events import Site


class Places:
    """The places of a text, before and after changes."""

    def __init__(self, cells: Sequence[str], changes: Sequence[TextChange]) -> None:
        self.before = [Lines(text) for text in cells]
        self.after = [Lines(text) for text in changed(cells, changes)]
        self.spans: dict[int, list[tuple[int, int, int]]] = {}
        """Cell -> begin and end of each change, and the length of its text, in order."""
        for change in changes:
            lines = self.before[change.cell]
            begin, end = lines.offset(change.line, change.column), lines.offset(change.end_line, change.end_column)
            self.spans.setdefault(change.cell, []).append((begin, end, len(change.text)))
        for spans in self.spans.values():
            spans.sort()

    def written(self) -> list[tuple[int, int, int]]:
        """The cell, and the first and the last line, of each text that the changes have written."""
        found = []
        for cell, spans in self.spans.items():
            moved, line_of = 0, self.after[cell].line_of
            for begin, end, length in spans:
                if length:
                    found.append((cell, line_of(begin + moved), line_of(begin + moved + length)))
                moved += length - (end - begin)
        return found

    def lines(self, site: Site) -> tuple[int, int]:
        """The first and the last line on which what began at a site may begin now: (1, 0) where it is gone."""
        if site.cell >= len(self.before):
            return site.line, site.line
        offset, moved = self.before[site.cell].offset(site.line, site.column), 0
        line_of = self.after[site.cell].line_of
        for begin, end, length in self.spans.get(site.cell, ()):
            if begin <= offset < end:
                return (line_of(begin + moved), line_of(begin + moved + length)) if length else (1, 0)
            if end > offset:
                break
            moved += length - (end - begin)
        return line_of(offset + moved), line_of(offset + moved)
