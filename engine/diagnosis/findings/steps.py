"""Rules about steps: optimizers that never step or step twice, frozen parameters that move on, gradients that no step uses."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_left
from collections.abc import Iterator

from ...program.parsing import last_name
from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, GradSet, Printed, Site
from ..cadence import Window, cadence_of, clears, takes_gradient, within
from ..mending import Changes, loop_around
from ..mends import order as mends
from ..optimizer_text import Made, methods, optimizers
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .clipping import CLIPPING
from .registry import rule
from .training import growing, losses_by_update

NEVER_STEPPED = Kind(
    "never_stepped", "warning", "An optimizer is made and gradients are computed, but it never steps.", mechanical=True
)
STEPPED_TWICE = Kind(
    "stepped_twice", "warning", "The optimizer steps again with gradients that it has used already.", mechanical=True
)
FROZEN_MOVES = Kind("frozen_moves", "warning", "The optimizer goes on moving parameters that do not require grad any more.")
GRADIENTS_DISCARDED = Kind(
    "gradients_discarded",
    "error",
    "Gradients that are to add up are cleared before the optimizer has used them.",
    mechanical=True,
)
CLEARED_BY_ANOTHER = Kind(
    "cleared_by_another",
    "warning",
    "Another optimizer's zero_grad() clears the gradients of parameters that two share.",
    mechanical=True,
)
UNDIVIDED_ACCUMULATION = Kind(
    "undivided_accumulation",
    "hint",
    "Mean losses of several micro-batches are added up and not divided by their number.",
    mechanical=True,
)


@rule(131, NEVER_STEPPED)
def no_step_at_all(run: Run) -> Iterator[Finding]:
    """Backward passes fill gradients in a loop, and the optimizer that the program makes never steps."""
    if run.optimizer_steps or run.updates or run.raised is not None:
        return
    made = optimizers(run)
    by_site: dict[Site | None, list[int]] = {}
    for entry in run.passes:
        if entry.event.via == "backward" and entry.fills and run.loops(entry.began):
            by_site.setdefault(run.site(entry.began), []).append(entry.began)
    for optimizer in made[:1]:
        site, began = max(by_site.items(), key=lambda pair: len(pair[1]), default=(None, []))
        # What else takes an optimizer (a scaler, a function of the program) may step it in ways that are not seen.
        if len(began) < 3 or _handed_on(run, optimizer.name) or _read_often(run):
            continue
        calls = methods(run, optimizer.name, "step")
        filled = sorted({t for entry in run.passes for t in entry.fills})
        yield finding(
            run, NEVER_STEPPED,
            f"{optimizer.name} never steps: {len(began)} backward passes, and no parameter moves.",
            (f"Its step() at line {calls[0][1].lineno} is never reached. " if calls else "The program never calls its step(). ")
            + f"The gradients are computed at {run.site_text(site)} and nothing is done with them, so the loss cannot go down.",
            f"Call {optimizer.name}.step() after each backward()" + (", or correct the condition around it." if calls else "."),
            step=began[0],
            site=site,
            related=[optimizer.site],
            evidence=[("backward passes", str(len(began))), ("steps", "0")],
            nodes=[key(t) for t in filled[:20]],
            steps=began,
            changes=mends.step_called(run, optimizer.name, site) if not calls else [],
        )  # fmt: skip


def _handed_on(run: Run, name: str) -> bool:
    """Whether something bound to a name is given to a function or put elsewhere, where it may be used unseen."""
    last = name.rpartition(".")[2]
    for node, above in paths_of(run.recording).source.parents.items():
        if last_name(node) == last and not isinstance(above, ast.Attribute | ast.Assign | ast.AnnAssign | ast.Expr):
            called = ast.unparse(above.func).rpartition(".")[2] if isinstance(above, ast.Call) else ""
            if not called.endswith("LR"):
                return True
    return False


def _read_often(run: Run) -> bool:
    """Whether the program looks at gradients itself, and not only to clip them: then they are what it is about."""
    read = {run.site(step) for step, _ in run.ops_where(columns_of(run.recording).op_is({"grad"}))}
    if any(not any(name in run.segment(site) for name in CLIPPING) for site in read):
        return True
    return any(isinstance(node, ast.Attribute) and node.attr == "grad" for node in paths_of(run.recording).source.parents)


@rule(132, STEPPED_TWICE)
def old_gradients_again(run: Run) -> Iterator[Finding]:
    """An optimizer steps although nothing has come to its gradients since its last step."""
    cadence = cadence_of(run)
    for key_of, windows in cadence.windows.items():
        again: list[Window] = []
        fresh = 0
        for window in windows:
            changed = any(run.history(t, window.begun, window.step) for t in window.owned)
            fresh += changed
            if not changed and window.begun != NOTHING and window.event.parameters:
                again.append(window)
        if len(again) < 2 or fresh < 2:
            continue
        window = again[0]
        meant = _never_called(run)
        yield finding(
            run, STEPPED_TWICE,
            f"{key_of[0]} steps again with gradients that it has used already.",
            f"Between its step at {run.where(window.begun)} and the one at {run.moment(window.step)} there is no backward "
            "pass and no "
            f"zero_grad(): the same gradients move {run.names(window.event.parameters)} once more. That happens {len(again)} "
            "times."
            + (f" {meant.name} ({run.site_text(meant.site)}) never steps, so what it is for does not learn." if meant else ""),
            f"Call {meant.name}.step() there." if meant else "Call step() once for each backward().",
            step=window.step,
            related=[run.site(window.begun)],
            evidence=[("steps with used gradients", f"{len(again)} of {len(windows)}")],
            nodes=[key(t) for t in window.event.parameters],
            steps=[w.step for w in again],
            changes=mends.stepped_instead(run, window.step, meant.name) if meant else
            mends.stepped_once(run, window.step, window.begun, [w.step for w in windows if w not in again]),
        )  # fmt: skip


def _never_called(run: Run) -> Made | None:
    """The one optimizer of several that the program makes and whose step() it calls nowhere; None where there is none."""
    made = optimizers(run)
    idle = [each for each in made if not methods(run, each.name, "step") and not _handed_on(run, each.name)]
    return idle[0] if len(idle) == 1 < len(made) else None


@rule(133, FROZEN_MOVES)
def frozen_but_moving(run: Run) -> Iterator[Finding]:
    """A step changes parameters that do not require grad, by a gradient that was left behind, momentum or weight decay."""
    moved: dict[int, list[int]] = {}
    optimizer = ""
    frozen_once = paths_of(run.recording).flags.keys()
    for step, event in run.optimizer_steps if frozen_once else ():
        for tensor in frozen_once & set(event.parameters):
            if not run.status(tensor, step).requires_grad and _changed(run, tensor, step):
                moved.setdefault(tensor, []).append(step)
                optimizer = optimizer or event.optimizer
    if not moved:
        return
    tensor, steps = next(iter(moved.items()))
    step = steps[0]
    flags = [s for s, flag, value in paths_of(run.recording).flags.get(tensor, ()) if flag == "requires_grad" and not value]
    frozen = max((s for s in flags if s < step), default=step)
    array = run.tensors[tensor].grad(step - 1)
    stale = array != NOTHING and not run.zero(array)
    yield finding(
        run, FROZEN_MOVES,
        f"{run.names(moved)} {'are' if len(moved) > 1 else 'is'} frozen, and {optimizer} goes on moving "
        f"{'them' if len(moved) > 1 else 'it'}.",
        f"requires_grad was set to False at {run.where(frozen)}, but .grad is "
        + ("what the last pass before that left there" if stale else "zero and not None")
        + ", and what has a .grad is updated"
        + (": the old gradient is used at each step." if stale else ": weight decay and momentum still act."),
        "Set .grad to None when freezing (optimizer.zero_grad() with set_to_none=True), or leave the parameters out of the "
        "optimizer.",
        step=step,
        site=run.site(frozen),
        related=[run.site(step)],
        evidence=[
            ("steps that moved it", str(len(steps))),
            (f"{run.title(tensor)}.grad", run.texts.describe(array) if array != NOTHING else "None"),
        ],
        nodes=[key(t) for t in moved],
        steps=sorted({s for found in moved.values() for s in found}),
    )  # fmt: skip


def _changed(run: Run, tensor: int, step: int) -> bool:
    """Whether an optimizer's step changed a tensor's values."""
    writes = within(run.writes.get(tensor, []), NOTHING, step + 1)
    if not writes:
        return False
    before, after = run.status(tensor, writes[-1] - 1).array, run.status(tensor, writes[-1]).array
    return run.differ(before, after)


@rule(128, GRADIENTS_DISCARDED)
def discarded(run: Run) -> Iterator[Finding]:
    """Of several passes before one step all but the last are cleared unused."""
    cadence = cadence_of(run)
    for windows in cadence.windows.values():
        lost: list[tuple[Window, list[int], int]] = []
        several = 0
        for window in windows:
            passes = cadence.passes(window)
            if len(passes) < 2:
                continue
            several += 1
            cleared = [steps for steps in passes.values() if _cleared(run, window, steps) != NOTHING]
            sites = {run.site(steps[0]) for steps in passes.values()}
            if not (_apart(run, window, list(passes)) if len(sites) > 1 else _adds_up(run, window, list(passes))):
                continue
            if len(cleared) == len(passes) - 1:
                lost.append((window, [steps[0] for steps in cleared], _cleared(run, window, cleared[0])))
        if not lost or len(lost) < several or sum(len(gone) for _, gone, _ in lost) < 2:
            continue
        window, gone, clear = lost[0]
        yield finding(
            run, GRADIENTS_DISCARDED,
            f"Of {len(gone) + 1} backward passes per step only the last one counts: the others are cleared unused.",
            f"The gradients of the pass at {run.moment(gone[0])} are cleared at {run.moment(clear)}, before the step at "
            f"{run.moment(window.step)} could use them. They were to add up.",
            "Call zero_grad() once per update, right after optimizer.step(), not once per micro-batch"
            + (", and clip right before it, too." if _clipped_once(run, window) else "."),
            step=clear,
            related=[run.site(gone[0]), run.site(window.step)],
            evidence=[("passes before a step", str(len(gone) + 1)), ("of them used", "1")],
            nodes=[key(t) for t in window.owned],
            steps=[c for *_, c in lost],
            changes=[*mends.cleared_after_step(run, run.site(clear), run.site(window.step)), *_clipped_once(run, window)],
        )  # fmt: skip


def _clipped_once(run: Run, window: Window) -> Changes:
    """The change that clips right before a step what is clipped after each pass before it."""
    calls = [call for call in cadence_of(run).calls(CLIPPING) if window.begun < call.first < window.step]
    sites = {call.site for call in calls}
    return mends.clip_moved(run, sites.pop(), window.step) if len(calls) > 1 and len(sites) == 1 else []


def _adds_up(run: Run, window: Window, numbers: list[int]) -> bool:
    """Whether the passes before a step are meant to add up: they are counted, or run in a loop of their own. What a step's
    closure computes, to try out values, is not."""
    scopes, called = run.recording.scopes, window.event.site
    for number in numbers:
        event = run.index.passes[number].event
        if event.scope >= 0 and any(row == called for row, _ in scopes[event.scope].calls):
            return False
    loops = run.loops(window.step)
    inner = all(len(run.loops(run.index.passes[n].began)) > len(loops) for n in numbers)
    return inner or _counted_by(run, window.step) is not None


def _apart(run: Run, window: Window, numbers: list[int]) -> bool:
    """Whether passes that begin in several lines of the step's iteration are about nothing but what the step moves."""
    passes = [run.index.passes[number] for number in numbers]
    around = run.loops(window.step)
    return all(set(window.owned).issuperset(entry.fills) and run.loops(entry.began) == around for entry in passes)


def _cleared(run: Run, window: Window, fills: list[int]) -> int:
    """The step at which all that a pass filled in a window was cleared without having been used, NOTHING if it was not."""
    first = NOTHING
    for step in fills:
        event = run.events[step]
        assert isinstance(event, Accumulated)
        clear = _clear_of(run, event.tensor, step, window.step)
        if clear == NOTHING:
            return NOTHING
        first = clear if first == NOTHING else min(first, clear)
        if _meant_for_another(run, window, step, clear):
            return NOTHING
        # What the pass filled elsewhere may have been used by another optimizer.
        for tensor in run.index.passes[event.number].fills:
            if within(run.updates.get(tensor, []), step, clear):
                return NOTHING
    return first


def _meant_for_another(run: Run, window: Window, fill: int, clear: int) -> bool:
    """Whether another optimizer stepped between a pass and the clearing and had nothing to step with: the pass was for that
    one, and something cut its parameters off."""
    steps = run.optimizer_steps
    first, last = (bisect_left(steps, moment, key=lambda known: known[0]) for moment in (fill, clear))
    owned = set(window.owned)
    return any(not event.parameters and not owned.intersection(event.idle) for _, event in steps[first:last])


def _clear_of(run: Run, tensor: int, fill: int, before: int) -> int:
    """The step at which a gradient was cleared, if nothing had used it by then: no update, no program that computed with it or
    printed it."""
    for step, event in run.history(tensor, fill, before):
        if isinstance(event, GradSet):
            if not clears(run, event) and _limited(run, step):
                continue
            used = within(run.updates.get(tensor, []), fill, step) or takes_gradient(run, tensor, fill, step)
            return NOTHING if used or not clears(run, event) or _printed(run, fill, step) else step
    return NOTHING


def _limited(run: Run, step: int) -> bool:
    """Whether a gradient is changed in place by a statement that does nothing else, as one that clips it: that uses it for
    nothing."""
    source = paths_of(run.recording).source
    node = source.at(run.site(step))
    statement = source.statement(node) if node is not None else None
    return isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.Expr) and node in (statement, statement.value))


def _printed(run: Run, after: int, before: int) -> bool:
    """Whether a line that mentions gradients printed something between two steps."""
    steps = within(run.recording.tape.steps(Printed).tolist(), after, before)
    return any("grad" in run.line(run.site(step)) for step in steps[:20])


@rule(129, CLEARED_BY_ANOTHER)
def cleared_by_another(run: Run) -> Iterator[Finding]:
    """What two optimizers share is cleared by one of them between the other's backward pass and its step."""
    cadence = cadence_of(run)
    owners: dict[int, int] = {}
    for _, owned in cadence.windows:
        for tensor in owned:
            owners[tensor] = owners.get(tensor, 0) + 1
    if all(count < 2 for count in owners.values()):
        return
    for (optimizer, _), windows in cadence.windows.items():
        lost: list[tuple[Window, int, int, list[int]]] = []
        for window in windows:
            gone: dict[int, list[int]] = {}
            left: set[int] = set()
            at = NOTHING
            for number, fills in cadence.passes(window).items():
                for step in fills:
                    event = run.events[step]
                    assert isinstance(event, Accumulated)
                    clear = _clear_of(run, event.tensor, step, window.step)
                    again = [s for s, e in run.history(event.tensor, clear, window.step) if isinstance(e, Accumulated)]
                    if clear == NOTHING:
                        left.add(number)
                    elif owners[event.tensor] > 1 and again:
                        gone.setdefault(number, []).append(event.tensor)
                        at = clear if at == NOTHING else at
            halved = [number for number in gone if number in left]
            if halved:
                lost.append((window, at, halved[0], gone[halved[0]]))
        if not lost:
            continue
        window, clear, number, tensors = lost[0]
        backward = run.index.passes[number].began
        yield finding(
            run, CLEARED_BY_ANOTHER,
            f"{run.names(tensors)} lose the gradients of the pass at {run.where(backward)}: another zero_grad() clears them.",
            f"Two optimizers share {run.names(tensors)}. zero_grad() at {run.moment(clear)} is called between backward() at "
            f"{run.where(backward)} and the step of {optimizer} at {run.where(window.step)}, which finds there what came "
            "later only.",
            "Clear all gradients first, then run the backward passes, then the steps; or give the shared parameters to one "
            "optimizer.",
            step=clear,
            related=[run.site(backward), run.site(window.step)],
            evidence=[
                ("steps that miss gradients", f"{len(lost)} of {len(windows)}"),
                ("shared parameters", run.names(tensors)),
            ],
            nodes=[key(t) for t in tensors],
            steps=[c for _, c, *_ in lost],
            changes=mends.cleared_before_pass(run, run.site(clear), run.site(backward)),
        )  # fmt: skip
        return


@rule(275, UNDIVIDED_ACCUMULATION)
def undivided(run: Run) -> Iterator[Finding]:
    """The program counts micro-batches with a number, `(i + 1) % n == 0` or a loop named so, and never divides by it."""
    cadence = cadence_of(run)
    for (optimizer, _), windows in cadence.windows.items():
        full = [(window, passes) for window in windows if len(passes := cadence.passes(window)) > 1]
        if len(full) < 2 or len(full) < len(windows) - 1:
            continue
        window, passes = full[0]
        sites = {run.site(run.index.passes[number].began) for number in passes}
        number = _counted_by(run, window.step) or _counted_by_loop(run, window.step, next(iter(sites)))
        if number is None or len(sites) > 1 or not _averages(run, run.index.passes[min(passes)].event.roots[0][0]):
            continue
        if _divides(run, number, next(iter(sites))) or any(
            _clear_of(run, t, min(passes[min(passes)]), window.step) >= 0 for t in window.owned
        ):
            continue
        count, name = len(passes), ast.unparse(number)
        yield finding(
            run, UNDIVIDED_ACCUMULATION,
            f"The gradients of {count} micro-batches are added up, and nothing is divided by {name}.",
            f"Each loss is a mean over its own micro-batch, so at {run.where(window.step)} {optimizer} steps with {count} "
            "times the "
            f"gradient that one batch of all samples would give: the learning rate is in effect {count} times as large.",
            f"Divide the loss by {name} before backward().",
            step=run.index.passes[min(passes)].began,
            related=[run.site(window.step)],
            evidence=[("backward passes per step", str(count))],
            nodes=[key(t) for t in window.owned],
            steps=[run.index.passes[min(p)].began for _, p in full],
            severity="warning" if any(growing([value for _, value in points]) for points in losses_by_update(run)) else "",
            changes=mends.loss_divided(run, run.site(run.index.passes[min(passes)].began), name),
        )  # fmt: skip


def _counted_by(run: Run, step: int) -> ast.expr | None:
    """What a step's iteration is divided by in the condition around it: `n` in `if (i + 1) % n == 0`."""
    source = paths_of(run.recording).source
    node = source.at(run.site(step))
    for above in source.around(node) if node is not None else ():
        if isinstance(above, ast.If):
            for part in ast.walk(above.test):
                if (
                    isinstance(part, ast.BinOp)
                    and isinstance(part.op, ast.Mod)
                    and isinstance(part.right, ast.Name | ast.Attribute | ast.Constant)
                ):
                    return part.right
    return None


def _counted_by_loop(run: Run, step: int, backward: Site | None) -> ast.expr | None:
    """How often a loop around backward() turns before the step behind it, `n` in `for _ in range(n)`, where a name says that it
    gathers micro-batches: a loop over tasks or over time adds up as well, and is not divided."""
    source = paths_of(run.recording).source
    backs, steps = source.at(backward), source.at(run.site(step))
    around = source.around(backs) if backs is not None else ()
    loop = next((each for each in around if isinstance(each, ast.For | ast.While)), None)
    match loop:
        case ast.For(target=turn, iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name() | ast.Attribute() as number])) if (
            steps is not None and loop not in source.around(steps)
        ):
            return number if re.search(r"accum|micro", f"{ast.unparse(turn)} {ast.unparse(number)}", re.IGNORECASE) else None
    return None


def _divides(run: Run, number: ast.expr, backward: Site | None) -> bool:
    """Whether anything in the text is divided or multiplied by a number; then that may be how the sum is scaled. What the loop
    does behind backward() comes too late."""
    text, loop = ast.unparse(number), loop_around(run, backward)
    late = range(backward.end_line + 1, loop.end_line + 1) if backward is not None and loop is not None else range(0)
    for node in paths_of(run.recording).source.parents:
        if isinstance(node, ast.stmt | ast.expr) and node.lineno in late and not _of_gradients(node):
            continue
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
            right = node.right if isinstance(node, ast.BinOp) else node.value
            if text in (ast.unparse(right), ast.unparse(node.left) if isinstance(node, ast.BinOp) else ""):
                return True
    return False


def _of_gradients(node: ast.AST) -> bool:
    """Whether an expression is about gradients, or a rate, which may be divided as well as the loss."""
    return bool(re.search(r"grad|lr", ast.unparse(node)))


def _averages(run: Run, root: int) -> bool:
    """Whether a loss is a mean, as far as its last operations say."""
    divided, by = False, 1.0
    for _ in range(5):
        event = run.tensors[root].op
        how = run.setting(event, "reduction")
        inputs = run.inputs(event)
        if how:
            return "mean" in how and not divided
        if "reduces" in run.traits(event.op):
            mean = ".mean(" in run.segment(run.site(run.tensors[root].born))
            if divided and not mean and by > math.prod(run.tensors[inputs[0]].info.shape if inputs else ()):
                return False  # by the number of all samples, not of these
            return mean != divided  # a sum that was divided is a mean, as "batchmean" does it
        if len(inputs) != 1 or not {"elementwise", "division"} & set(run.traits(event.op)):
            return False
        if "division" in run.traits(event.op):
            divided, by = True, by * run.number(event)
        root = inputs[0]
    return False
