"""Findings as SARIF 2.1.0, which code hosts and editors show at the lines of a program."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..diagnosis import Finding
from ..diagnosis.findings.catalogue import Entry, entry, every_kind
from ..diagnosis.over_iterations import shows
from ..recording import Recording
from ..recording.events import Site
from .terminal import harmless

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
"""The name of the format; nothing is fetched from it."""
_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
"""Severity → SARIF's word for it."""

Json = dict[str, Any]


def sarif(
    recording: Recording, file: str, found: Sequence[Finding], ignored: Sequence[Finding], ids: Collection[str], ran: bool
) -> Json:
    """A log of one run: the rules that looked, what they found, and what of it is ignored.

    Args:
        ids: the rules that are ignored from outside; what else is ignored, the program itself says.
        ran: whether the program could run to its end, or to its exception.
    """
    rules = list(every_kind())
    place = _Places(recording, file)
    results = [_result(f, rules, place) for f in found]
    results += [_result(f, rules, place, "external" if f.rule in ids else "inSource") for f in ignored]
    driver = {"name": "Gradtape", "semanticVersion": _version(), "rules": [_rule(entry(id)) for id in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": place.uri}}],
        "invocations": [{"executionSuccessful": ran}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _version() -> str:
    try:
        return version("gradtape")
    except PackageNotFoundError:
        return "0.0.0"


def _rule(shown: Entry) -> Json:
    """What the catalogue says of a kind of findings."""
    return {
        "id": shown.kind.id,
        "shortDescription": {"text": shown.kind.meaning},
        "fullDescription": {"text": f"{shown.kind.meaning} An example: {shown.about}"},
        "help": {
            "text": f"Broken:\n\n{shown.broken}\nMended:\n\n{shown.mended}",
            "markdown": f"Broken:\n\n```python\n{shown.broken}```\n\nMended:\n\n```python\n{shown.mended}```\n",
        },
        "defaultConfiguration": {"level": _LEVELS[shown.kind.severity]},
        "properties": {"mechanical": shown.kind.mechanical},
    }


def _result(finding: Finding, rules: list[str], place: _Places, suppressed: str = "") -> Json:
    when = f"{shows(finding).capitalize()} {finding.iterations}." if finding.iterations else ""
    facts = "\n".join(f"{what}: {value}" for what, value in finding.evidence)
    said = " ".join(part for part in (finding.title, finding.explanation, when, finding.fix) if part)
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": literal(f"{said}\n\n{facts}" if facts else said)},
        "locations": [place.location(finding.site)],
    }
    if finding.related:
        result["relatedLocations"] = [{"id": k} | place.location(site) for k, site in enumerate(finding.related, 1)]
    if suppressed:
        result["suppressions"] = [{"kind": suppressed}]
    return result


def literal(text: str) -> str:
    """A program's text as SARIF shows it as it is: no escapes of terminals, no links, no placeholders, no markup."""
    return re.sub(r"\{(\d+)\}", r"{{\1}}", harmless(text).replace("](", "] ("))


class _Places:
    """Where in the program something stands, in SARIF's words."""

    def __init__(self, recording: Recording, file: str) -> None:
        path = Path(file)
        self.uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        self.recording = recording
        self.lines: dict[int, Sequence[str]] = {}

    def location(self, site: Site | None) -> Json:
        """A place; of a notebook the file and, in words, cell and line, since a region would be one of its JSON text."""
        physical: Json = {"artifactLocation": {"uri": self.uri, "index": 0}}
        if site is None or not site.line:
            return {"physicalLocation": physical}
        if len(self.recording.source) > 1 or self.uri.endswith(".ipynb"):
            said = self.recording.site_text(site)
            return (
                {"physicalLocation": physical, "message": {"text": literal(said)}} if said else {"physicalLocation": physical}
            )
        physical["region"] = {
            "startLine": site.line, "startColumn": self._column(site.cell, site.line, site.column),
            "endLine": max(site.end_line, site.line), "endColumn": self._column(site.cell, site.end_line, site.end_column),
        }  # fmt: skip
        return {"physicalLocation": physical}

    def _column(self, cell: int, line: int, column: int) -> int:
        """A column counted in characters from 1, of one counted in bytes from 0."""
        if cell not in self.lines:
            self.lines[cell] = self.recording.source[cell].splitlines() if cell < len(self.recording.source) else []
        lines = self.lines[cell]
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        return 1 + (column if text.isascii() else len(text.encode("utf-8", "replace")[:column].decode("utf-8", "ignore")))
