"""A rule about skip connections: what is to be carried past a branch was overwritten within it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, argument_at, beside, call_of, definition_of, keyword, site_of, spot, statement_of, with_call
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

SKIP_OVERWRITTEN = Kind(
    "skip_overwritten", "warning", "A skip connection adds what an activation in place has overwritten within the branch.",
    mechanical=True,
)  # fmt: skip

_BRANCH = 300
"""Results between the sum and the beginning of a branch."""


@rule(166, SKIP_OVERWRITTEN)
def skip_overwritten(run: Run) -> Iterator[Finding]:
    """`out = branch(x)`, whose first layer writes into `x`, and then `out + x`: under its name stands the layer's result.

    Where the result of the write is given the same name, `x = relu(x)`, it is meant; and where it is a statement by itself.
    """
    told: set[tuple[Site | None, Site | None]] = set()
    for step, event in run.first_ops_of(run.having("additive") | run.having("joins"), 2):
        given = list(dict.fromkeys(run.inputs(event)))
        if event.in_backward or not event.grad_mode or not 1 < len(given) < 5:
            continue
        for skip in given:
            write = _overwritten(run, skip, step)
            call = beside(run, write, run.site(step)) if write != NOTHING else None
            name = _carried_past(run, skip, call, write, step) if call is not None else ""
            if not name or (call, run.site(step)) in told or not any(_computed_from(run, t, skip) for t in given if t != skip):
                continue
            told.add((call, run.site(step)))
            layer = run.module(write, writes=True) or run.expression(run.site(write))
            adds = event.op in run.having("additive")
            fix, changes = _mended(run, call, write, skip, layer)
            yield finding(
                run, SKIP_OVERWRITTEN,
                f"{run.where(step)} {'adds' if adds else 'joins on'} {name}, which {run.site_text(call)} has overwritten: the "
                "skip carries the activation's result.",
                f"{layer} works in place: it puts its result into the memory of what it is given, and that is {name} itself. "
                f"So {run.expression(run.site(step)) or event.op} takes {name} as the activation left it, not as it came in.",
                fix,
                step=step, related=[call, run.site(run.tensors[skip].born)],
                evidence=[("overwritten by", f"{layer} at {run.site_text(call)}"),
                          (f"{name} before", run.texts.describe(run.status(skip, write - 1).array)),
                          (f"{name} afterwards", run.texts.describe(run.status(skip, write).array))],
                nodes=[key(skip)], severity="" if adds else "hint", changes=changes,
            )  # fmt: skip


def _overwritten(run: Run, skip: int, step: int) -> int:
    """The step of an activation that has put its result into a tensor before a step, in the same iteration; NOTHING for none,
    or where all was left as it was."""
    for write in reversed(run.writes.get(skip, ())):
        event = run.events[write]
        if write >= step or not isinstance(event, OpRan) or run.loops(write) != run.loops(step):
            continue
        alone = run.inputs(event) == [skip] and not event.outputs and event.node is not None
        if not alone or event.op not in run.having("elementwise") or not _activates(run, event.op):
            return NOTHING
        before, after = run.status(skip, write - 1).array, run.status(skip, write).array
        return write if NOTHING not in (before, after) and run.differ(before, after) else NOTHING
    return NOTHING


def _activates(run: Run, op: str) -> bool:
    """Whether an operation is an activation: it is flat somewhere."""
    return any(op in run.having(trait) for trait in ("relu", "flat_below", "flat_outside", "saturates", "squashes"))


def _carried_past(run: Run, skip: int, call: Site | None, write: int, step: int) -> str:
    """The name under which a tensor is added that a call was given under that name, or another one, and has overwritten; ""
    where it got the name afterwards."""
    given, sum_ = statement_of(run, call), statement_of(run, run.site(step))
    whole = spot(run, run.site(step))
    if given is None or sum_ is None or whole is None or given.node is sum_.node or not isinstance(given.node, ast.Assign):
        return ""
    if (given.node.lineno, given.node.col_offset) > (sum_.node.lineno, sum_.node.col_offset):
        return ""
    targets = {part.id for target in given.node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    passed = {part.id for part in ast.walk(given.node.value) if isinstance(part, ast.Name)} - targets
    names = {part.id for part in ast.walk(whole.node) if isinstance(part, ast.Name)} - targets
    bound = {event.name for at, event in run.namings if event.tensor == skip and at < write}
    later = {event.name for at, event in run.namings if write < at < step and event.name in names}
    known = sorted(name for name in (names & bound) - later if run.named_at(name, step) == skip)
    return known[0] if known and passed | targets & bound else ""


def _computed_from(run: Run, tensor: int, source: int) -> bool:
    return any(source in run.inputs(run.tensors[each].op) for each in run.behind(tensor, most=_BRANCH, learned=True))


def _mended(run: Run, call: Site | None, write: int, skip: int, layer: str) -> tuple[str, Changes]:
    """What to do, in a sentence, and its change: the activation makes a new tensor, or the branch is given a copy."""
    made = definition_of(run, call) if _inplace(run, call) is None else call
    for site in (call, made, _within(run, made, write)):
        if site is not None and _inplace(run, site) is not None:
            what = "Call it" if site == call else f"Make {layer.partition(' (')[0]}"
            return f"{what} without inplace=True.", keyword(run, site, "inplace", None)
    given = spot(run, argument_at(run, call, 0))
    text = given.text() if given is not None else run.title(skip)
    fix = f"Make it without inplace=True, or give the branch a copy: {text}.clone()."
    return fix, with_call(run, argument_at(run, call, 0), "clone()")


def _inplace(run: Run, site: Site | None) -> ast.Call | None:
    call = call_of(spot(run, site))
    return call if call is not None and any(k.arg == "inplace" for k in call.keywords) else None


def _within(run: Run, made: Site | None, write: int) -> Site | None:
    """Where the text makes the layer that writes, as a part of what is made at a site: the second of `nn.Sequential(…, …)`."""
    scope = run.events[write].scope
    parts = run.recording.scopes[scope].module.split(".") if scope >= 0 else []
    call = call_of(spot(run, made))
    number = parts[-1] if parts else ""
    if made is None or call is None or not number.isdigit() or int(number) >= len(call.args):
        return None
    if any(isinstance(each, ast.Starred) for each in call.args):
        return None
    return site_of(made.cell, call.args[int(number)])
