"""Why a line failed; of one that did not, what it did, or why it did not run."""

from __future__ import annotations

import ast
import re

import numpy as np

from ...graph.symbols import clip
from ...recording.columns import columns_of
from ...recording.events import NOTHING, Raised, Site
from ..backward_call import receiver
from ..cuts import Cut, cuts_above, fact
from ..failed_passes import explained
from ..failures import failure_of
from ..paths import Paths
from ..program_ast import site_of
from ..quoted import quoted
from ..ran import first_step_at, is_done
from ..reason import Reason
from ..run import Run, key
from .absent import absent
from .grad_query import Question
from .names import named
from .subject import LineSubject

_NAMES = 8
"""Tensors of a line whose shapes are told."""
_WORD = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_GRAD = re.compile(r"([A-Za-z_][\w.\[\]]*)\.grad\b(?!_)")


def why_line(paths: Paths, subject: LineSubject, step: int) -> Reason:
    """The answer about a line, or about that with which the program ended.

    Raises:
        KeyError: for a line that the program does not have.
    """
    run = paths.run
    cell = max(subject.cell - 1, 0)
    raised = run.raised if run.raised is not None and run.raised[0] <= step else None
    if raised is not None:
        site = run.site(raised[0])
        if not subject.line or (site is not None and site.line <= subject.line <= site.end_line and site.cell == cell):
            return _failed(paths, *raised)
    if not subject.line:
        return _answer(step, "line_ran", "The program did not fail", "It ran to its end without an error.")
    text = run.line(Site(cell, subject.line))
    if subject.line > len(run.lines(cell)):
        raise KeyError(f"line {subject.line}")
    where = run.site_text(Site(cell, subject.line))
    own = [s for s in _steps_at(paths, cell, subject.line) if s <= step]
    done = own or [s for s in _steps_called(paths, cell, subject.line) if s <= step]
    if not done:
        return _not_run(paths, Site(cell, subject.line), where, step)
    tensors = columns_of(run.recording).tensors
    made = tensors.id[np.isin(tensors.step, done)]
    last = made[-1].item() if len(made) else NOTHING
    what = ""
    if last != NOTHING:
        info = run.tensors[last].info
        what = f"{'It' if own else f'What it calls ({run.where(done[-1])})'} last made {run.title(last)}"
        what += f", {info.dtype} {list(info.shape)}"
        what += ", which requires grad." if run.status(last, step).requires_grad else ", which does not require grad."
    return _answer(
        step,
        "line_ran",
        f"{where} did not fail: {clip(text.strip(), 80)}",
        what,
        site=Site(cell, subject.line, 0, subject.line, len(text)),
        moment=done[-1],
        nodes=[f"t{last}"] if last != NOTHING else [],
    )


def why_bound(paths: Paths, name: str, step: int) -> Reason | None:
    """The answer about a name of what is no tensor and no module, such as an optimizer: that of the line that gives it last."""
    given = [(cell, node) for cell, node, _ in paths.source.values(name) if isinstance(node, ast.stmt)]
    cell, statement = given[-1] if given else (0, None)
    if statement is None or not is_done(paths.run, cell, statement):
        return None
    site = site_of(cell, statement)
    text = clip(paths.run.line(site).strip(), 80)
    title = f"{name} is no tensor and no module: {paths.run.site_text(site)} gives it its value, {text}"
    return _answer(step, "line_ran", title, "It has no gradient of its own.", site=site)


def _steps_at(paths: Paths, cell: int, line: int) -> list[int]:
    """The events of a line."""
    recording = paths.run.recording
    found: list[int] = np.flatnonzero(np.isin(columns_of(recording).events.site, _rows_at(paths, cell, line))).tolist()
    return found


def _rows_at(paths: Paths, cell: int, line: int) -> list[int]:
    """The sites of a line."""
    sites = paths.run.recording.sites
    return [row for row, site in enumerate(sites) if site.cell == cell and site.line <= line <= site.end_line]


def _steps_called(paths: Paths, cell: int, line: int) -> list[int]:
    """The events of the functions that a line calls."""
    recording, rows = paths.run.recording, {*_rows_at(paths, cell, line)}
    scopes = [n for n, scope in enumerate(recording.scopes) if any(row in rows for row, _ in scope.calls)]
    found: list[int] = np.flatnonzero(np.isin(columns_of(recording).events.scope, scopes)).tolist()
    return found


def _not_run(paths: Paths, site: Site, where: str, step: int) -> Reason:
    run = paths.run
    text = run.line(site).strip()
    if not text or text.startswith("#"):
        return _answer(step, "line_not_run", f"{where} holds no statement", site=site)
    statement = paths.source.innermost(site.cell, site.line)
    if statement is not None and is_done(run, site.cell, statement):
        return _done(run, statement, site, where, step)
    raised = run.raised
    ended = ""
    if raised is not None and raised[0] <= step and (at := run.site(raised[0])) is not None:
        ended = f"The program ended before, at {run.site_text(at)}, with {quoted(raised[1].type, raised[1].message)}."
    return _answer(
        step,
        "line_not_run",
        f"Nothing that is recorded happened in {where}: {clip(text, 80)}",
        ended
        or "It made no tensor, bound none to a name and changed none, or it stands in a branch or function that did not run.",
        site=site,
        moment=raised[0] if ended and raised is not None else NOTHING,
    )


def _done(run: Run, statement: ast.stmt, site: Site, where: str, step: int) -> Reason:
    """A line that was carried out and left nothing in the recording, as what stands behind it shows."""
    said = "It made no tensor and changed none."
    body = getattr(statement, "body", None)
    if body and first_step_at(run, site.cell, body[0].lineno, statement.end_lineno or site.line) is None:
        said = "Nothing in its block ran." if not isinstance(statement, ast.For) else (
            f"Nothing in its block ran, or it made no tensor there: {ast.unparse(statement.iter)} may hold nothing."
        )  # fmt: skip
    return _answer(step, "line_ran", f"{where} did not fail: {clip(run.line(site).strip(), 80)}", said, site=site)


def _failed(paths: Paths, step: int, event: Raised) -> Reason:
    run = paths.run
    site = run.site(step)
    known = failure_of(event.message)
    entry = run.passes[-1] if run.passes else None
    found = explained(run, entry) if entry is not None and entry.ended >= step - 1 else None
    explanation = known.explanation if known is not None else ""
    fix = known.remedy() if known is not None else ""
    nodes: list[str] = []
    evidence = _shapes(paths, step, site)
    if found is not None:
        explanation, fix, nodes = f"{found.title} {found.explanation}", found.fix, list(found.nodes)
        evidence = list(found.evidence)
    elif "NoneType" in event.message and (none := _none(paths, step, site)) is not None:
        explanation, fix, nodes = f"{none.title}. {none.explanation}", none.fix, list(none.nodes)
        evidence = list(none.evidence)
    elif known is not None and known.code == "loss_not_connected" and (cut := _cut(paths, step)) is not None:
        explanation, fix, nodes = cut.sentence, cut.fix, [key(t) for t in (cut.source, cut.result) if t != NOTHING]
        evidence = [fact(run, cut)]
    elif known is None:
        explanation = "" if site is None else f"The line is: {clip(run.line(site).strip(), 120)}"
    where = run.site_text(site)
    during = run.during(step)
    return _answer(
        step,
        "line_failed",
        f"{where}{f', {during},' if during else ''} failed: {quoted(event.type, event.message)}",
        explanation,
        fix,
        site=site,
        moment=step,
        nodes=nodes,
        evidence=evidence,
        wrong=True,
    )


def _none(paths: Paths, step: int, site: Site | None) -> Reason | None:
    """Why the `.grad` that a line computes with is None."""
    run = paths.run
    for name in dict.fromkeys(_GRAD.findall(run.segment(site)) or _GRAD.findall(run.line(site))):
        try:
            tensor = named(paths, name, step)
        except KeyError:
            continue
        if tensor != NOTHING and run.tensors[tensor].born <= step and run.tensors[tensor].grad(step) == NOTHING:
            return absent(Question(paths, tensor, step, name))
    return None


def _cut(paths: Paths, step: int) -> Cut | None:
    """What cut off from its graph what backward() was called on."""
    root = receiver(paths, step)
    if root == NOTHING:
        return None
    return next((cut for cut, _ in cuts_above(paths, root, step, lambda t: paths.label(t, step))), None)


def _shapes(paths: Paths, step: int, site: Site | None) -> list[tuple[str, str]]:
    """The tensors that a line names, with their dtypes and shapes."""
    run = paths.run
    found: list[tuple[str, str]] = []
    for name in dict.fromkeys(_WORD.findall(run.line(site))):
        tensor = run.named_at(name, step)
        if tensor != NOTHING and len(found) < _NAMES:
            info = run.tensors[tensor].info
            found.append((name, f"{info.dtype} {list(info.shape)}{f' on {info.device}' if info.device else ''}"))
    return found


def _answer(
    step: int,
    code: str,
    title: str,
    explanation: str = "",
    fix: str = "",
    *,
    site: Site | None = None,
    moment: int = NOTHING,
    nodes: list[str] | None = None,
    evidence: list[tuple[str, str]] | None = None,
    wrong: bool = False,
) -> Reason:
    return Reason(
        tensor=NOTHING,
        step=step,
        code=code,
        title=title,
        explanation=explanation,
        fix=fix,
        wrong=wrong,
        site=site,
        moment=moment,
        nodes=tuple(nodes or ()),
        evidence=tuple(evidence or ()),
    )
