"""The formats in which `gradtape explain` tells of findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from ..diagnosis import Finding
from ..diagnosis.findings import explain
from ..diagnosis.over_iterations import shows
from ..recording import Recording
from .sarif import sarif
from .terminal import harmless, on_a_line


class Report(NamedTuple):
    """What is told of."""

    recording: Recording
    file: str
    """The program or recording, as it was named."""
    found: list[Finding]
    ignored: list[Finding]
    ids: frozenset[str]
    """The rules that the command line ignores."""
    ran: bool
    """Whether the program could run to its end, or to its exception."""


def _text(report: Report) -> str:
    return harmless(explain(report.recording, report.ids))


def _json(report: Report) -> str:
    return json.dumps([_plain(f) for f in report.found], indent=1) + "\n"


def _plain(finding: Finding) -> dict[str, Any]:
    """A finding with its sites as objects, not as the rows of the log."""
    plain: dict[str, Any] = msgspec.structs.asdict(finding)
    plain["site"] = None if finding.site is None else msgspec.structs.asdict(finding.site)
    plain["related"] = [msgspec.structs.asdict(site) for site in finding.related]
    plain["changes"] = msgspec.to_builtins(finding.changes)
    plain["edit"] = msgspec.to_builtins(finding.edit)
    return plain


_LEVELS = {"error": "error", "warning": "warning", "hint": "notice"}
"""Severity → GitHub's word for it."""


def _github(report: Report) -> str:
    return "".join(_annotation(f, report.file, report.recording) for f in report.found)


def _annotation(finding: Finding, file: str, recording: Recording) -> str:
    """One finding as a workflow command; its text is data, whatever is in it."""
    properties = {"file": on_a_line(file)}
    if finding.site is not None and finding.line and len(recording.source) == 1:
        properties |= {"line": str(finding.line), "endLine": str(finding.site.end_line)}
    properties["title"] = on_a_line(f"{finding.title} [{finding.rule}]")
    where = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    when = f"{shows(finding).capitalize()} {finding.iterations}." if finding.iterations else ""
    quoted = "\n".join(value for what, value in finding.evidence if what in ("error", "warning"))
    said = " ".join(part for part in (finding.explanation, when, finding.fix) if part) + (f"\n{quoted}" if quoted else "")
    return f"::{_LEVELS[finding.severity]} {where}::{_data(harmless(said))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _sarif(report: Report) -> str:
    log = sarif(report.recording, report.file, report.found, report.ignored, report.ids, report.ran)
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


FORMATS: Mapping[str, Callable[[Report], str]] = {"text": _text, "github": _github, "sarif": _sarif, "json": _json}
