"""Findings that are not to be told: by `# gradtape: ignore[no_zero_grad]` in a line of the program, or by their ids."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable

from ..program.parsing import ProgramAst, read_cells
from ..recording.recording import Recording
from .reason import Finding

_COMMENT = re.compile(r"gradtape:\s*ignore\[([^\[\]]*)\]")

Lines = dict[tuple[int, int], frozenset[str]]
"""(cell, line) -> the ids that are ignored in it."""


def split(recording: Recording, found: Iterable[Finding], ids: Collection[str] = ()) -> tuple[list[Finding], list[Finding]]:
    """The findings that are told, and those that are ignored: by their id, or by a comment in a line of their statement."""
    lines = _lines(recording)
    told: list[Finding] = []
    ignored: list[Finding] = []
    for finding in found:
        site = finding.site
        by_line = site is not None and finding.rule in lines.get((site.cell, site.line), ())
        (ignored if by_line or finding.rule in ids else told).append(finding)
    return told, ignored


def named(recording: Recording) -> dict[str, tuple[int, int]]:
    """The ids that comments of the program name, each with the cell and the line of the first one."""
    found: dict[str, tuple[int, int]] = {}
    for cell, program in enumerate(read_cells(recording.source)):
        for comment in program.comments if isinstance(program, ProgramAst) else ():
            for id in ids_in(comment.text):
                found.setdefault(id, (cell, comment.line))
    return found


def ids_in(comment: str) -> list[str]:
    """The ids that a comment says are to be ignored."""
    return [id for part in _COMMENT.findall(comment) for id in re.split(r"[\s,]+", part) if id]


def _lines(recording: Recording) -> Lines:
    kept = recording.derived.get("ignored lines")
    if kept is None:
        kept = recording.derived["ignored lines"] = _read(recording)
    lines: Lines = kept
    return lines


def _read(recording: Recording) -> Lines:
    found: Lines = {}
    if not any("gradtape" in text for text in recording.source):
        return found
    for cell, program in enumerate(read_cells(recording.source)):
        if not isinstance(program, ProgramAst):
            continue
        said = {comment.line: ids for comment in program.comments if (ids := frozenset(ids_in(comment.text)))}
        for line, ids in said.items():
            found[cell, line] = found.get((cell, line), frozenset()) | ids
        for first, last in _statements(program.tree) if said else ():
            ids = frozenset[str]().union(*(said.get(line, frozenset()) for line in range(first, last + 1)))
            for line in range(first, last + 1) if ids else ():
                found[cell, line] = found.get((cell, line), frozenset()) | ids
    return found


def _statements(tree: ast.Module) -> Iterable[tuple[int, int]]:
    """The first and the last line of each statement that has several; of one with a body, of what stands before the body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if last > node.lineno:
                yield node.lineno, last
