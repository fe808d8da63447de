"""Answers of the diagnosis as HTML: why a gradient is what it is, and what was found in a run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from components.html.diff_html import line_html
from components.html.markup import chip, moment, more, muted, section, table, tag, text
from components.html.rules_html import rule_of
from engine.diagnosis import Finding, Reason
from engine.diagnosis.concerning import beneath, concerning
from engine.diagnosis.findings import known_findings, outcome
from engine.diagnosis.over_iterations import shows
from engine.diagnosis.reason import Edit
from engine.graph.rolled_graph import cards_for
from engine.graph.structure.moments import iteration_text
from engine.recording import Recording
from engine.recording.events import NOTHING
from engine.recording.index import index_of

SEVERITIES = {"error": ("bad", "error"), "warning": ("grad", "warning"), "hint": ("", "hint")}
"""Severity -> tone and word of its chip."""


FINDINGS = 60
"""Findings that are shown, the gravest ones."""
ROWS = 30
"""Facts of one answer, and lines that it names."""
LINES, LINE = 60, 400
"""Lines of a diff, and characters of one."""
DIFF = {"-": "gt-gone", "+": "gt-new", " ": ""}
MARKS = 2_000
"""Nodes that a button marks in the graph."""


def why_html(recording: Recording, reason: Reason) -> str:
    """A reason, with links to the cause and its path; amber, and with a fix, only where something is wrong.
    Facts with something to be done otherwise are grey, what is in order is green. What is known to be wrong about the very
    thing that was asked about stands above."""
    about = concerning(recording, reason, known_findings(recording) or ())
    reason = beneath(reason, about)
    tone = "gt-note" if reason.wrong else "gt-note gt-fact" if reason.fix else "gt-note gt-fine"
    parts = [tag("div", text(reason.title), cls="gt-answer")]
    if reason.explanation:
        parts.append(tag("div", text(reason.explanation)))
    if reason.fix:
        parts.append(tag("div", tag("b", "Fix: "), text(reason.fix)) if reason.wrong else muted(reason.fix))
    links = [moment(reason.moment, recording.site_text(reason.site) or "the moment")] if reason.moment != NOTHING else []
    if reason.good != NOTHING:
        links.append(moment(reason.good, f"{iteration_text(recording, reason.good, of=False)}, the last good one"))
    if reason.nodes:
        links.append(path_button(recording, reason.nodes, reason.cut, "show the path"))
    if links:
        parts.append(tag("div", *links, cls="gt-links"))
    flags = muted(reason.requires_grad) if reason.requires_grad else ""
    above = "" if about is None else _finding(recording, about, "")
    return above + section(tag("div", *parts, cls=tone), evidence_table(reason.evidence), flags, label="why")


def findings_html(recording: Recording, findings: Sequence[Finding], opens: bool = False) -> str:
    """Everything that was found in a run, in the order of `engine.diagnosis.findings`, and what there is to say beside it.

    `opens` where the page is at hand, in which programs of the catalogue can be opened.
    """
    said = outcome(recording)
    if not findings:
        return tag("div", *(tag("p", text(sentence)) for sentence in said), cls="gt-empty")
    return "".join(each_html(recording, findings, opens)) + rest_html(recording, findings)


def each_html(recording: Recording, findings: Sequence[Finding], opens: bool = False) -> list[str]:
    """The first ones, each by itself."""
    shown = findings[:FINDINGS]
    # What the catalogue says of a rule stands with its first finding.
    first = {f.rule: number for number, f in reversed(list(enumerate(shown)))}
    return [
        _finding(recording, f, rule_of(f.rule, opens) if first[f.rule] == number else muted(f.rule))
        for number, f in enumerate(shown)
    ]


def rest_html(recording: Recording, findings: Sequence[Finding]) -> str:
    """What stands below them: how many more there are, and what there is to say beside them."""
    return more(len(findings), FINDINGS) + "".join(map(muted, outcome(recording)))


def _finding(recording: Recording, finding: Finding, rule: str) -> str:
    tone, word = SEVERITIES.get(finding.severity, ("", finding.severity))
    where = tag("span", text(recording.site_text(finding.site)), cls="gt-push gt-muted")
    head = tag("div", chip(word, tone), tag("h3", text(finding.title)), where, cls="gt-row")
    links = [moment(finding.step, "go to the moment")] if finding.step != NOTHING else []
    if finding.steps:
        ends = ("first", finding.steps[0]), ("last", finding.steps[-1])
        links = [moment(step, f"{word}: {iteration_text(recording, step, of=False)}") for word, step in ends]
    if finding.nodes:
        links.append(path_button(recording, finding.nodes, (), "show in the graph", open=True))
    lines = [recording.site_text(site) for site in finding.related[:ROWS]]
    return section(
        head,
        tag("p", text(finding.explanation)),
        tag("p", tag("b", "Fix: "), text(finding.fix)) if finding.fix else "",
        evidence_table([*finding.evidence, *([(shows(finding), finding.iterations)] if finding.iterations else [])]),
        muted("see also " + ", ".join(dict.fromkeys(lines))) if lines else "",
        tag("div", *links, cls="gt-links") if links else "",
        rule,
    )


def edit_html(edit: Edit) -> str:
    """A fix that is proven: what came of trying it, and its lines as a diff."""
    lines = edit.proof.diff.splitlines()
    shown = [_diff_line(line) for line in lines[:LINES]]
    told = tag("div", chip("proven", "ok"), tag("span", text(str(edit.proof))), cls="gt-proof")
    return told + tag("div", *shown, cls="gt-diff", role="group", aria_label="What is changed") + more(len(lines), LINES)


def _diff_line(line: str) -> str:
    """A line of a diff; where it goes on elsewhere, which line that is."""
    if line[:1] in DIFF:
        return line_html(line[0], line[1:], text(line[1:], LINE), DIFF[line[0]])
    hunk = re.match(r"@@ -(\d+)", line)
    return tag("div", text(line if hunk is None else f"line {hunk[1]}", LINE), cls="gt-muted")


def evidence_table(evidence: Iterable[tuple[str, str]]) -> str:
    """Facts as a table of two columns."""
    facts = list(evidence)
    rows = [("", [text(what), tag("span", text(value), cls="gt-value")]) for what, value in facts[:ROWS]]
    return table(["", ""], rows, cls="gt-table gt-evidence") + more(len(facts), ROWS) if rows else ""


def path_button(
    recording: Recording, nodes: Iterable[str], cut: Iterable[tuple[str, str]], label: str, *, open: bool = False
) -> str:
    """A button that marks nodes and cut edges in the graph, in either view, and takes the marks away again. With `open` it
    opens what hides the first of the nodes; else a closed group's card is marked for what is in it."""
    named = [k for n in islice(nodes, MARKS) for k in both_views(recording, n)]
    cuts = [list(pair) for pair in islice(cut, MARKS)]
    marks: dict[str, Any] = {"nodes": named, "cut": cuts}
    if rolled := cards_for(recording, named):
        ends = [(cards_for(recording, [u]), cards_for(recording, [v])) for u, v in cuts]
        marks["rolled"] = {
            view: {"nodes": cards, "cut": [[u[view][0], v[view][0]] for u, v in ends if u[view] and v[view]]}
            for view, cards in rolled.items()
        }
    if open:
        marks["open"] = True
    return tag("button", text(label), cls="gt-moment", type="button", data_gt_marks=json.dumps(marks))


def both_views(recording: Recording, key: str) -> list[str]:
    """A node's keys in the two views: a tensor's own and its grad_fn's."""
    index = index_of(recording)
    number = int(key[1:])
    if key.startswith("t"):
        history = index.tensors.get(number)
        return [key, f"n{history.birth.node}"] if history is not None and history.birth.node != NOTHING else [key]
    owner = index.owners.get((number, 0), NOTHING)
    return [key, f"t{owner}"] if owner != NOTHING else [key]
