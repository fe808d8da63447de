"""Why a `.grad` that is there holds what it holds: which passes gave it, over how many ways, and where zeros come from."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from ...graph.structure.moments import iteration_of
from ...recording.columns import columns_of
from ...recording.events import NOTHING, HookRan
from ...recording.index import LedgerRow, Pass
from ...recording.operations import base_of
from ..failed_passes import failure
from ..reason import Reason
from ..run import Run
from .accumulated import accumulated
from .cancelled import cancelled
from .changed import changed
from .course import Course, Line, registered, thrown_away
from .grad_query import Question, listed
from .ledger_rows import ledger, line_of, pass_of, site_of, way_back
from .not_finite import grad_not_finite
from .unreached import failed
from .zeros import Zero, finite, zero_origin


def present(q: Question) -> Reason:
    """The reason for a `.grad` that is not None."""
    run, rows = q.run, q.rows
    start = _since(run, rows)
    current = rows[start:]
    if not current:
        return _cleared_to_zero(q, rows[-1])
    added = [row for row in current if row.kind == "backward"]
    last = current[-1]
    if not finite(run, last.total):
        found = grad_not_finite(q, ledger(q), _last_good(q))
        if found is not None:
            return found
    if not added:
        return _assigned(q, last)
    if _empty(run, last.total):
        return q.because("set", f"{q.name}.grad has no entries", step=last.step, nodes=[q.tensor])
    if run.zero(last.total):
        return _zero(q, added, last)
    failed = _failed_since(q, added[-1])
    if failed is not None:
        return failed
    if current[0].kind != "backward" and not _clears(run, current[0].kind) and len(added) > 0:
        return _on_top_of_assigned(q, current[0], added)
    writes = [
        row
        for before, row in zip([current[0], *current], current, strict=False)
        if row.kind != "backward" and not (row.kind == "assign" and _rewritten(run, before, row))
    ]
    if writes and writes[-1].step > added[-1].step:
        return changed(q, added, writes[-1])
    if len({row.number for row in added}) > 1 and q.status.node == NOTHING:
        return accumulated(q, added, rows[start - 1] if start else None)
    return _set(q, added[-1])


def _clears(run: Run, kind: str) -> bool:
    """Whether a kind of write to a `.grad` leaves nothing of what was there: `None`, or what fills it with one number."""
    return kind == "None" or (kind.endswith("_") and base_of(kind) in run.having("fills"))


def _since(run: Run, rows: list[LedgerRow]) -> int:
    """The index of the first row after the last clearing; of an assignment, its own."""
    for position in range(len(rows) - 1, -1, -1):
        row = rows[position]
        if row.total == NOTHING or (_clears(run, row.kind) and run.zero(row.total)):
            return position + 1
        if row.kind == "assign":
            # `w.grad += g` and `w.grad /= n` assign what was there.
            if position and _rewritten(run, rows[position - 1], row):
                continue
            return position + 1 if run.zero(row.total) else position
    return 0


def _rewritten(run: Run, before: LedgerRow, row: LedgerRow) -> bool:
    """Whether an assignment puts back what was changed in place: the second half of `w.grad /= 4`."""
    changed = before.kind not in ("backward", "assign") and before.total != NOTHING != row.total
    return changed and run.same(before.total, row.total)


def _empty(run: Run, array: int) -> bool:
    return 0 in run.recording.arrays[array].shape


def _cleared_to_zero(q: Question, row: LedgerRow) -> Reason:
    run = q.run
    before = [r for r in q.rows if r.kind == "backward" and r.step < row.step]
    history = f" Pass {before[-1].number} ({line_of(q, before[-1])}) had filled it before." if before else ""
    how = "zeros were assigned to it" if row.kind == "assign" else "it was zeroed"
    return q.because(
        "zeroed",
        f"{q.name}.grad is zero because {how} at {run.moment(row.step)}, and no backward pass has reached {q.name} since",
        history.strip(),
        "Read the gradient before it is zeroed, or run backward() again.",
        step=row.step,
        nodes=[q.tensor],
        evidence=ledger(q),
    )


def _assigned(q: Question, row: LedgerRow) -> Reason:
    how = "assigned" if row.kind == "assign" else f"changed by {row.kind}"
    return q.because(
        "assigned",
        f"{q.name}.grad was {how} by the program at {q.run.where(row.step)}, not by a backward pass",
        f"It is {q.grad_text()}.",
        step=row.step,
        nodes=[q.tensor],
        evidence=ledger(q),
    )


def _on_top_of_assigned(q: Question, first: LedgerRow, added: list[LedgerRow]) -> Reason:
    return q.because(
        "accumulated",
        f"{q.name}.grad is what was assigned at {q.run.where(first.step)} plus what {len(added)} backward "
        f"pass{'es' * (len(added) > 1)} added ({listed([line_of(q, r) for r in added])})",
        "backward() adds to what is in .grad.",
        f"Set {q.name}.grad = None before the pass if only its gradient is wanted.",
        step=added[-1].step,
        site=site_of(q, added[-1]),
        nodes=[q.tensor],
        evidence=ledger(q),
    )


def _set(q: Question, row: LedgerRow) -> Reason:
    entry = pass_of(q, row)
    node = next((node for node in q.paths.nodes_of(q.tensor, entry.began) if node in entry.arrivals), NOTHING)
    course = Course(q, entry, node)
    retained = q.status.node != NOTHING
    lost, cleared = ([], NOTHING) if retained else thrown_away(q, row.number)
    if lost:
        return _lost(q, row, lost, cleared)
    hooks = course.hooks()
    if hooks:
        return _hooked(q, row, hooks)
    nothing = cancelled(q, row, entry, course)
    if nothing is not None:
        return nothing
    if course.kind and course.main is not None:
        return _scaled(q, row, course, course.main)
    return _in_order(q, row, course)


def _pass_text(q: Question, row: LedgerRow) -> str:
    return f"{'backward pass' if pass_of(q, row).via == 'backward' else 'pass'} {row.number}"


def _increment(q: Question, row: LedgerRow) -> list[tuple[str, str]]:
    return [("backward pass", f"{row.number}, {line_of(q, row)}"), ("increment", q.run.texts.describe(row.increment))]


def _lost(q: Question, row: LedgerRow, lost: list[int], cleared: int) -> Reason:
    """Earlier passes were to be added to it, and were cleared."""
    run = q.run
    how = "zero_grad()" if "zero_grad" in run.segment(run.site(cleared)) else "The program"
    count = f"{len(lost)} earlier passes" if len(lost) > 1 else "an earlier pass"
    return q.because(
        "thrown_away",
        f"{q.name}.grad holds only what {_pass_text(q, row)} ({line_of(q, row)}) gave: {how} ({run.where(cleared)}) "
        "threw away what "
        f"{count} had given, before any step used it",
        f"It is {q.grad_text()}. backward() adds up until .grad is cleared.",
        "To add up over several passes, clear .grad once per step, after step().",
        step=cleared,
        nodes=way_back(q, row),
        evidence=ledger(q),
    )


def _hooked(q: Question, row: LedgerRow, hooks: list[tuple[int, HookRan]]) -> Reason:
    run, (step, event) = q.run, hooks[-1]
    tensor = event.tensor if event.tensor != NOTHING else run.index.owners.get((event.node, 0), NOTHING)
    name = q.name if tensor == q.tensor else q.label(tensor)
    before, after = run.texts.describe(hooks[0][1].before), run.texts.describe(event.after)
    several = len(hooks) > 1
    what = f"{len(hooks)} hooks on {name} replaced the gradient, one after another" if several else (
        f"a hook on {name} replaced the gradient"
    )  # fmt: skip
    return q.because(
        "hooked",
        f"{q.name}.grad was set by {_pass_text(q, row)} ({line_of(q, row)}), in which {what}",
        f"{before} came to {name}, and {after} went on. {q.name}.grad is {q.grad_text()}.",
        step=step,
        site=registered(q, name, run.site(step)),
        nodes=way_back(q, row),
        evidence=[
            *_increment(q, row),
            (f"before the hook{'s' * several}", before),
            ("after them" if several else "after it", after),
            *([("hooks in this pass", str(len(hooks)))] if several else []),
        ],
    )


def _scaled(q: Question, row: LedgerRow, course: Course, line: Line) -> Reason:
    """The gradient is very large or small, and a line of its way makes it so."""
    word = "large" if course.kind == "magnified" else "small"
    return q.because(
        course.kind,
        f"{q.name}.grad is very {word}: {_pass_text(q, row)} ({line_of(q, row)}) reached {q.name}, and {course.said(line)}",
        f"{q.name}.grad is {q.grad_text()}.",
        course.remedy(),
        step=line.step,
        nodes=way_back(q, row),
        evidence=[*_increment(q, row), *course.evidence()],
    )


def _in_order(q: Question, row: LedgerRow, course: Course) -> Reason:
    entry, run = pass_of(q, row), q.run
    arrivals = [
        a
        for node in q.paths.nodes_of(q.tensor, entry.began)
        if (track := entry.arrivals.get(node)) is not None
        for a in track.values
        if a.array >= 0 and (q.status.node == NOTHING or a.input == q.status.output)
    ]
    kept = f"; retain_grad() keeps it, as {q.name} is not a leaf" if q.status.node != NOTHING else ""
    pass_ = _pass_text(q, row)
    later = "".join(f" {part}" for part in (course.told(), course.shared(), course.part(row.increment)) if part) + _later(
        q, row
    )
    lost, cleared = thrown_away(q, row.number, elsewhere=True) if q.status.node == NOTHING else ([], NOTHING)
    if lost:
        before = run.where(run.index.passes[lost[-1]].began)
        later += f" What pass {lost[-1]} ({before}) gave was cleared at {run.where(cleared)}, before any step used it."
    evidence = [*_increment(q, row), *course.evidence()]
    sources = [a.source for a in arrivals if a.source != NOTHING]
    if len(sources) > 1:
        lines = _lines_of(run, sources)
        where = listed([f"{line}{f' ({n} times)' if n > 1 else ''}" for line, n in lines.items()])
        texts = [run.texts(a.array) for a in arrivals[:5]]
        total = ""
        if len(texts) <= 4 and all(len(text) < 16 for text in texts):
            total = f" {' + '.join(texts)} = {run.texts(row.increment)}."
        uses = [
            ("as a root" if a.source == NOTHING else f"from {run.where(run.nodes[a.source].born)}", run.texts.describe(a.array))
            for a in arrivals[:8]
        ]
        return q.because(
            "paths",
            f"{q.name}.grad was set by {pass_} ({line_of(q, row)}) and is a sum over {len(sources)} paths: {q.name} is used "
            f"{len(sources)} times{kept}",
            f"The uses are at {where}; the gradients of all of them add up.{total}{later}",
            step=row.step,
            site=site_of(q, row),
            nodes=[t for s in sources[:8] for t in (q.tensor, *q.paths.backwards(entry, s, 100))],
            evidence=[*evidence, *uses],
        )
    return q.because(
        "set",
        f"{q.name}.grad was set by {pass_}, {line_of(q, row)}{kept}",
        f"It is {q.grad_text()}.{later}",
        step=row.step,
        site=site_of(q, row),
        nodes=way_back(q, row),
        evidence=evidence,
    )


def _lines_of(run: Run, nodes: list[int]) -> Counter[str]:
    """How many of some nodes were made in each line: of columns, as one tensor may be used thousands of times."""
    columns = columns_of(run.recording)
    rows = columns.events.site[columns.nodes.step[columns.row_of_node[np.array(nodes)]]]
    found: Counter[str] = Counter()
    for row, count in Counter(rows.tolist()).items():
        found[run.site_text(run.recording.sites[row] if row >= 0 else None)] += count
    return found


def _later(q: Question, row: LedgerRow) -> str:
    """A remark on passes after the last that reached the tensor."""
    after = [e for e in q.passes if e.began > row.step and e.via == "backward"]
    if not after:
        return ""
    if after[-1].ended > q.step:
        return f" Another pass, at {q.run.where(after[-1].began)}, is on its way."
    return f" The later pass at {q.run.where(after[-1].began)} did not reach {q.name}."


def _zero(q: Question, added: list[LedgerRow], last: LedgerRow) -> Reason:
    run = q.run
    moving = [row for row in added if not run.zero(row.increment)]
    if moving and last.kind == "backward":
        return q.because(
            "zero_cancelled",
            f"{q.name}.grad is zero because what {len(added)} backward passes added cancels "
            f"({listed([line_of(q, row) for row in added])})",
            " + ".join(run.texts(row.increment) for row in added[:6]) + " = 0.",
            step=added[-1].step,
            site=site_of(q, added[-1]),
            nodes=[q.tensor],
            evidence=ledger(q),
        )
    if moving:
        return changed(q, added, last)
    row = added[-1]
    entry = pass_of(q, row)
    zero = None
    for node in q.paths.nodes_of(q.tensor, entry.began):
        if node in entry.arrivals:
            zero = zero_origin(q.paths, entry, node, row.step)
            break
    evidence = [("gradient", q.grad_text()), ("backward pass", f"{row.number}, {line_of(q, row)}")]
    if zero is not None and zero.code in ("zero_op", "zero_factor"):
        own = next((node for node in q.paths.nodes_of(q.tensor, entry.began) if node in entry.arrivals), NOTHING)
        if (nothing := cancelled(q, row, entry, Course(q, entry, own))) is not None:
            return nothing
    if zero is None:
        return q.because(
            "zero_op",
            f"{q.name}.grad is zero: backward pass {row.number} ({line_of(q, row)}) brought only zeros",
            step=row.step,
            site=site_of(q, row),
            nodes=way_back(q, row),
            evidence=evidence,
        )
    owner = run.index.owners.get((zero.node, 0), NOTHING)
    way = way_back(q, row)
    cut = []
    if owner in way and way.index(owner) > 0:
        cut = [(way[way.index(owner) - 1], owner)]
    return q.because(
        zero.code,
        f"{q.name}.grad is zero because {_clause(zero.sentence)}",
        f"Backward pass {row.number} ({line_of(q, row)}) reached {q.name}, but with zeros only.",
        zero.fix,
        step=zero.step,
        site=zero.site,
        nodes=[*way, zero.factor],
        cut=cut,
        evidence=evidence,
        wrong=False if _is_local(zero) and _others_learn(q, entry) else None,
    )


def _is_local(zero: Zero) -> bool:
    """Whether it is a matter of this tensor alone, and right where others learn from the same pass: a bias that is subtracted
    again or that a penalty on gradients does not depend on, a table of which only the padding is looked up."""
    return zero.code == "zero_cancelled" or (zero.code == "zero_op" and zero.node != NOTHING)


def _others_learn(q: Question, entry: Pass) -> bool:
    """Whether the pass brings another leaf of the same kind more than zeros: then the zeros are a fact about this one."""
    run = q.run
    for other in entry.fills:
        ledger = run.tensors[other].ledger if other != q.tensor else None
        if ledger is None or run.tensors[other].info.is_parameter != q.history.info.is_parameter:
            continue
        own = next(
            (row for row in reversed(ledger.until(q.step)) if row.kind == "backward" and row.number == entry.number), None
        )
        if own is not None and not run.zero(own.increment):
            return True
    return False


def _clause(sentence: str) -> str:
    """A sentence that begins with its line, "line 6: relu is dead.", as the end of another one."""
    where, colon, rest = sentence.rstrip(".").partition(": ")
    if colon and re.fullmatch(r"(cell \d+, )?line \d+", where):
        return f"at {where} {rest[:1].lower() + rest[1:] if rest[:2] in ('A ', 'Th') else rest}"
    return (
        sentence[:1].lower() + sentence[1:].rstrip(".")
        if sentence[1:2].islower() or sentence[:2] == "A "
        else sentence.rstrip(".")
    )


def _last_good(q: Question) -> int:
    """The iteration whose pass was the last to bring a finite gradient before the first one that is not, NOTHING for none."""
    good = NOTHING
    for row in q.rows:
        if row.kind == "backward":
            if not finite(q.run, row.increment):
                break
            good = pass_of(q, row).began
    return iteration_of(q.run.recording, good) if good != NOTHING else NOTHING


def _failed_since(q: Question, row: LedgerRow) -> Reason | None:
    """A later pass that reached for the tensor and failed, so that only the earlier gradient is there."""
    for entry in reversed(q.passes):
        if entry.began <= row.step:
            break
        error = failure(q.run, entry)
        if error and q.paths.reached(entry).intersection(q.paths.nodes_of(q.tensor, entry.began)):
            return failed(q, entry, error, f"{q.name}.grad holds only what pass {row.number} ({line_of(q, row)}) gave")
    return None
