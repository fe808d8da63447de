"""What the run warned of: each warning with its cause, its place and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...recording.events import Site, Warned
from ..failed_passes import kind_of
from ..failures import WARNINGS, Failure, code_of_warning
from ..mends.warned import heeded
from ..operands import called, described, operands, subject
from ..paths import Paths, paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

KINDS = {failure.code: kind_of(failure) for failure in WARNINGS}
OTHER_WARNING = Kind("other_warning", "hint", "The program, or a library that it uses, warns of something.")

_ELSEWHERE = ("Using a target size", "Error detected in", "Anomaly Detection has been enabled")
"""Beginnings of warnings that other rules explain, or that the program has asked for."""


@rule(280, *KINDS.values(), OTHER_WARNING, everywhere=True)
def warned(run: Run) -> Iterator[Finding]:
    """A warning that was shown, explained."""
    at: dict[tuple[Site | None, str], list[tuple[int, Warned]]] = {}
    for step, event in run.warnings:
        if not event.message.lstrip().startswith(_ELSEWHERE):
            at.setdefault((run.site(step), _code(event)), []).append((step, event))
    paths = paths_of(run.recording)
    for (_, code), same in at.items():
        failure = next((failure for failure in WARNINGS if failure.code == code), None)
        yield _explained(paths, failure, same) if failure is not None else _quoted(run, same)


def _code(event: Warned) -> str:
    """The kind of a warning, or its text where nothing is known of it."""
    return code_of_warning(event.message, event.category) or event.message


def _explained(paths: Paths, failure: Failure, same: list[tuple[int, Warned]]) -> Finding:
    run, (step, event) = paths.run, same[0]
    given, title, name, severity = operands(paths, step), failure.title, "", ""
    for case in failure.cases:
        if found := case.search(event.message):
            title = case.title.replace("{1}", found[1])
    if failure.code == "grad_of_non_leaf":
        name = subject(paths, step)
        title = f"{name}.grad is None: {name} is the result of an operation, not a leaf." if name else title
        severity = "hint" if _only_shown(paths, run.site(step)) else ""
    what = [("called", called(paths, step))] if called(paths, step) else []
    return finding(
        run, KINDS[failure.code], title, failure.explanation, failure.remedy(name),
        step=step,
        related=[run.site(run.tensors[operand.tensor].born) for operand in given],
        evidence=[("warning", _text(event)), *what, *(described(run, operand, step) for operand in given)],
        nodes=[key(operand.tensor) for operand in given],
        steps=[step for step, _ in same],
        severity=severity,
        changes=heeded(run, failure.code, step, event.message),
    )  # fmt: skip


def _only_shown(paths: Paths, site: Site | None) -> bool:
    """Whether what stands at a site is only printed: whoever looks at a `.grad` may know that it is None."""
    node = paths.source.at(site)
    match paths.source.statement(node) if node is not None else None:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
        case ast.Expr(value=value):
            return value is node
        case _:
            return False


def _quoted(run: Run, same: list[tuple[int, Warned]]) -> Finding:
    step, event = same[0]
    return finding(
        run, OTHER_WARNING,
        f"The run shows a warning ({event.category}).",
        "Nothing more is known here of what it says; the program went on.",
        "Look at what it asks for.",
        step=step,
        evidence=[("warning", _text(event))],
        steps=[step for step, _ in same],
    )  # fmt: skip


def _text(event: Warned) -> str:
    return f"{event.category}: {event.message.strip()}"
