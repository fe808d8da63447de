"""Rules about learning rates: schedules that run too often or too seldom, and rates so small that nothing moves."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...graph.numbers import number
from ...recording.events import NOTHING, Site
from .. import mending
from ..cadence import Key, Window, cadence_of
from ..mending import keyword
from ..mends import order as mends
from ..optimizer_text import Made, given, mentioned, methods, optimizer_site, optimizers, schedules, setting_of, stepped_by
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

SCHEDULE_PER_BATCH = Kind(
    "schedule_per_batch",
    "warning",
    "A schedule that counts epochs is stepped after every batch: the learning rate falls too fast.",
    mechanical=True,
)
SCHEDULE_PER_EPOCH = Kind(
    "schedule_per_epoch",
    "warning",
    "A schedule that counts batches is stepped once per epoch: it never gets to where it should.",
    mechanical=True,
)
RATE_DECAYED = Kind("rate_decayed", "warning", "The learning rate has fallen to nothing long before the training ends.")
SCHEDULE_UNUSED = Kind("schedule_unused", "warning", "A learning rate schedule is made and never stepped.")
RATE_RISES_AGAIN = Kind("rate_rises_again", "hint", "A cosine schedule is stepped beyond its end, and the rate comes back up.")
SCHEDULE_OF_ANOTHER = Kind(
    "schedule_of_another", "warning", "A schedule changes the rate of another optimizer than the one that it is for."
)
PLATEAU_MODE = Kind(
    "plateau_mode",
    "warning",
    "ReduceLROnPlateau is given a score that is to rise, but waits for it to fall.",
    mechanical=True,
)
RATE_TWICE = Kind(
    "rate_twice", "warning", "The function of a LambdaLR gives the rate itself, by which the rate is multiplied once more.",
    mechanical=True,
)  # fmt: skip
ZERO_RATE = Kind("zero_rate", "warning", "The optimizer's learning rate is zero.")
UPDATE_LOST = Kind("update_lost", "warning", "The updates are so small that rounding swallows them.")

_NOTHING_LEFT = 1e-6
"""A share of the highest learning rate that moves nothing any more."""
_RISEN = 0.1
"""The share of its first value to which a rate may come back before it is worth a look."""
_TINY = 1e-6
"""A learning rate, and the relative change of a parameter over a run, that are worth a look."""
_SCORES = {
    "acc",
    "accuracy",
    "auc",
    "auroc",
    "bleu",
    "dice",
    "f1",
    "iou",
    "miou",
    "precision",
    "psnr",
    "recall",
    "reward",
    "ssim",
}
"""Words in the names of what is the better the larger it is."""
_LENGTHS = ("T_max", "step_size", "total_iters", "T_0", "total_steps", "epochs", "milestones")
"""The arguments in which schedules are told how long they take; all stand second among a schedule's arguments, or have "
"names."""


class Rates(NamedTuple):
    """The learning rates of an optimizer's steps."""

    windows: list[Window]
    values: list[float]
    """The largest of all groups at each step."""
    outer: list[int]
    """The iteration of the outermost loop around each step."""

    @property
    def within(self) -> bool:
        """Whether the rate changes from one step to the next of one outer iteration."""
        pairs = zip(self.values, self.values[1:], self.outer, self.outer[1:], strict=False)
        return any(a != b and m == n for a, b, m, n in pairs)

    @property
    def per_outer(self) -> float:
        """How many steps there are to an outer iteration."""
        return len(self.outer) / max(len(set(self.outer)), 1)


def _rates(run: Run) -> Iterator[tuple[Key, Rates]]:
    for optimizer, windows in cadence_of(run).windows.items():
        if all(window.event.rates for window in windows):
            outer = [loops[0][1] if len(loops := run.loops(w.step)) > 1 else NOTHING for w in windows]
            yield optimizer, Rates(windows, [max(w.event.rates) for w in windows], outer)


@rule(142, SCHEDULE_PER_BATCH, SCHEDULE_PER_EPOCH, RATE_DECAYED, RATE_RISES_AGAIN)
def schedule_out_of_step(run: Run) -> Iterator[Finding]:
    """A schedule is stepped at another pace than the one that its length is given in, or decays to nothing."""
    all_made = schedules(run) if run.optimizer_steps else []
    for _, rates in _rates(run):
        epochs = _epochs(run, rates.windows[-1].step)
        made = all_made if len(all_made) < 2 else _of(run, all_made, rates)
        for schedule in made:
            if rates.per_outer < 2 or not epochs or len({s.name for s in made}) > 1:
                continue
            unit = _unit(run, schedule, epochs)
            if unit == "epochs" and rates.within:
                yield _too_often(run, schedule, rates)
                break
            if unit == "batches" and not rates.within and len(set(rates.outer)) > 1 and methods(run, schedule.name, "step"):
                yield _too_seldom(run, schedule, rates)
                break
        else:
            yield from _decayed(run, rates, made)
            yield from _rising(run, rates, made)


def _of(run: Run, made: list[Made], rates: Rates) -> list[Made]:
    """The schedules of the optimizer that some rates are of, as the names in the text say it."""
    name = stepped_by(run, rates.windows[0].step).rpartition(".")[2]
    return [m for m in made if m.call.args and ast.unparse(m.call.args[0]).rpartition(".")[2] == name]


def _too_often(run: Run, schedule: Made, rates: Rates) -> Finding:
    first = [v for v, o in zip(rates.values, rates.outer, strict=True) if o == rates.outer[0]]
    return finding(
        run, SCHEDULE_PER_BATCH,
        f"{schedule.name}.step() runs after every batch, but {schedule.kind} counts epochs here.",
        f"Its length is given in epochs at {run.site_text(schedule.site)}, and there are {rates.per_outer:.3g} optimizer "
        "steps to an "
        f"epoch: within the first epoch the learning rate goes from {number(first[0])} to {number(first[-1])}, by the last "
        "step to "
        f"{number(rates.values[-1])}.",
        f"Call {schedule.name}.step() once per epoch, after the loop over the batches, or give {schedule.kind} its length in "
        "batches.",
        step=rates.windows[0].step,
        site=_stepped_at(run, schedule),
        related=[schedule.site],
        evidence=_told(rates),
        nodes=[key(t) for t in rates.windows[0].owned],
        changes=_in_batches(run, schedule) or mends.stepped_per_epoch(run, _stepped_at(run, schedule)),
    )  # fmt: skip


def _too_seldom(run: Run, schedule: Made, rates: Rates) -> Finding:
    return finding(
        run, SCHEDULE_PER_EPOCH,
        f"{schedule.name}.step() runs once per epoch, but {schedule.kind} counts batches here.",
        f"Its length is given in batches at {run.site_text(schedule.site)}, and there are {rates.per_outer:.3g} optimizer "
        "steps to an "
        f"epoch: in {len(rates.values)} steps the learning rate has only come from {number(rates.values[0])} to "
        f"{number(rates.values[-1])}.",
        f"Call {schedule.name}.step() after every optimizer step, in the loop over the batches.",
        step=rates.windows[-1].step,
        site=_stepped_at(run, schedule),
        related=[schedule.site],
        evidence=_told(rates),
        nodes=[key(t) for t in rates.windows[0].owned],
        changes=mends.stepped_per_batch(run, _stepped_at(run, schedule), rates.windows[-1].step),
    )  # fmt: skip


def _decayed(run: Run, rates: Rates, made: list[Made]) -> Iterator[Finding]:
    peak = max(rates.values)
    # Where it has once fallen to nothing it stays there: a cosine that comes back has not.
    last = len(rates.values)
    while last and rates.values[last - 1] <= _NOTHING_LEFT * peak:
        last -= 1
    idle = len(rates.values) - last
    if peak <= 0 or idle < 4 or idle * 5 < len(rates.values):
        return
    window = rates.windows[last]
    site = _stepped_at(run, made[0]) if made else _scaled_at(run)
    yield finding(
        run, RATE_DECAYED,
        f"The learning rate has fallen to nothing after {last} of {len(rates.values)} steps.",
        f"From {number(peak)} it has come to {number(rates.values[last])} at {run.moment(window.step)} and to "
        f"{number(rates.values[-1])} at the end: the last {idle} steps hardly move anything.",
        "Let the schedule decay more slowly, or step it once per epoch instead of after every batch.",
        step=window.step,
        site=site,
        related=[run.site(window.step), *([made[0].site] if made else [])],
        evidence=_told(rates),
        nodes=[key(t) for t in window.owned],
        steps=[w.step for w in rates.windows[last:]],
    )  # fmt: skip


def _scaled_at(run: Run) -> Site | None:
    """Where the program multiplies a learning rate by itself."""
    for name, bindings in paths_of(run.recording).source.assigned.items():
        for cell, statement, _ in bindings:
            if name and isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Subscript):
                index = statement.target.slice
                if isinstance(index, ast.Constant) and index.value == "lr":
                    return site_of(cell, statement)
    return None


def _rising(run: Run, rates: Rates, made: list[Made]) -> Iterator[Finding]:
    """A cosine that has come down to its minimum goes up again."""
    cosine = [schedule for schedule in made if schedule.kind == "CosineAnnealingLR"]
    values = rates.values
    lowest = min(range(len(values)), key=values.__getitem__)
    after, before = values[lowest:], values[: lowest + 1]
    if len(made) != 1 or not cosine or lowest < 2 or len(after) < 3:
        return
    one_turn = sorted(before, reverse=True) == before and sorted(after) == after
    if not one_turn or after[-1] < max(5 * values[lowest], _RISEN * values[0]):
        return
    window = rates.windows[lowest + 1]
    yield finding(
        run, RATE_RISES_AGAIN,
        f"The learning rate comes back up: {cosine[0].name} is stepped more often than it is long.",
        f"After {lowest} steps it has come from {number(values[0])} to {number(values[lowest])}, and goes up to "
        f"{number(values[-1])} "
        f"by the last of {len(values)}. A CosineAnnealingLR that is stepped beyond T_max runs its curve backwards.",
        "Set T_max to the number of times that step() is called; to restart on purpose, use CosineAnnealingWarmRestarts.",
        step=window.step,
        site=_stepped_at(run, cosine[0]),
        related=[cosine[0].site],
        evidence=_told(rates),
        nodes=[key(t) for t in window.owned],
        steps=[w.step for w in rates.windows[lowest + 1 :]],
    )  # fmt: skip


def _told(rates: Rates) -> list[tuple[str, str]]:
    values = rates.values
    shown = values if len(values) <= 6 else [*values[:3], *values[-3:]]
    text = [number(value) for value in shown]
    if len(values) > 6:
        text.insert(3, "…")
    return [("learning rate", " → ".join(text)), ("steps", str(len(values)))]


def _stepped_at(run: Run, schedule: Made) -> Site:
    calls = methods(run, schedule.name, "step")
    return site_of(*calls[0]) if calls else schedule.site


def _epochs(run: Run, step: int) -> list[ast.expr]:
    """What the outermost loop around a step counts: the arguments of its `range`."""
    event = run.events[step]
    scope = run.recording.scopes[event.scope] if event.scope >= 0 else None
    if scope is None or len(scope.loops) < 2:
        return []
    line, cell = scope.loops[0][0], scope.around[0][0] if scope.around else 0
    spans = paths_of(run.recording).source.spans
    for node in spans[cell].values() if cell < len(spans) else ():
        if isinstance(node, ast.For) and node.lineno == line:
            calls = [n for n in ast.walk(node.iter) if isinstance(n, ast.Call) and _is(n.func, "range", "trange")]
            return calls[0].args if calls else []
    return []


def _unit(run: Run, schedule: Made, epochs: list[ast.expr]) -> str:
    """What a schedule's length is counted in, as far as the text says so: "epochs", "batches" or ""."""
    if any(k.arg == "steps_per_epoch" for k in schedule.call.keywords):
        return "batches"
    length = _length(schedule)
    if length is None:
        return ""
    length = _behind(run, length)
    if any(isinstance(n, ast.Call) and _is(n.func, "len") for n in ast.walk(length)):
        return "batches"
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) for n in ast.walk(length)):
        return ""
    names = {n.id for n in ast.walk(length) if isinstance(n, ast.Name)}
    counted = {n.id for e in epochs for n in ast.walk(e) if isinstance(n, ast.Name)}
    same = [isinstance(e, ast.Constant) and isinstance(length, ast.Constant) and e.value == length.value for e in epochs]
    return "epochs" if names & counted or any(same) else ""


def _length(schedule: Made) -> ast.expr | None:
    """The argument in which a schedule is told how long it takes."""
    return next((e for name in _LENGTHS if (e := given(schedule.call, 1 if name == "T_max" else -1, name)) is not None), None)


def _in_batches(run: Run, schedule: Made) -> mending.Changes:
    """A length in epochs times the number of batches, which the loop around the schedule's step goes through."""
    length = _length(schedule)
    loop = mending.spot(run, mending.loop_around(run, _stepped_at(run, schedule)))
    if length is None or loop is None or not isinstance(loop.node, ast.For) or isinstance(length, ast.List | ast.Tuple):
        return []
    batches = loop.node.iter
    if isinstance(batches, ast.Call) and batches.args and _is(batches.func, "enumerate", "tqdm"):
        batches = batches.args[0]
    text = loop.program.lines.of(batches)
    bound = paths_of(run.recording).source.values(text) if isinstance(batches, ast.Name | ast.Attribute) else []
    earlier = all(cell == schedule.site.cell and node.lineno < schedule.site.line for cell, _, node in bound)
    if not bound or not earlier or len(schedules(run)) > 1:
        return []
    simple = isinstance(length, ast.Name | ast.Attribute | ast.Constant | ast.Call)
    return mending.wrapped(
        run, site_of(schedule.site.cell, length), "" if simple else "(", ("" if simple else ")") + f" * len({text})"
    )


def _behind(run: Run, expression: ast.expr) -> ast.expr:
    """An expression, or what the name that it is was given once."""
    if isinstance(expression, ast.Name):
        values = paths_of(run.recording).source.values(expression.id)
        if len(values) == 1 and isinstance(values[0][2], ast.BinOp | ast.Call):
            return values[0][2]
    return expression


def _is(node: ast.expr, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names


@rule(142, PLATEAU_MODE)
def waits_for_the_wrong_way(run: Run) -> Iterator[Finding]:
    """A plateau is looked for in a score as if it were a loss, and the rate was cut."""
    made = [each for each in schedules(run) if each.kind == "ReduceLROnPlateau"] if run.optimizer_steps else []
    for schedule in made:
        mode = given(schedule.call, 1, "mode")
        if mode is not None and not (isinstance(mode, ast.Constant) and mode.value == "min"):
            continue
        calls = [(cell, call) for cell, call in methods(run, schedule.name, "step") if (metric := given(call, 0, "metrics"))
                 is not None and _is_score(run, metric)]  # fmt: skip
        for _, rates in _rates(run) if calls else ():
            cut = next((k for k, (a, b) in enumerate(zip(rates.values, rates.values[1:], strict=False), 1) if b < a), None)
            if cut is None or (len(schedules(run)) > 1 and schedule not in _of(run, made, rates)):
                continue
            cell, call = calls[0]
            told = ast.unparse(given(call, 0, "metrics") or call)
            yield finding(
                run, PLATEAU_MODE,
                f"{schedule.name} waits for {told} to fall, but higher is better.",
                "With mode='min', as it is unless another is given, ReduceLROnPlateau cuts the rate when the number it is "
                f"given has not fallen for some steps. {told} rises while the training goes well, so the rate is cut all the "
                f"same: it has come from {number(rates.values[0])} to {number(rates.values[-1])}, the first time after {cut} "
                "steps.",
                f"Make {schedule.name} with mode=\"max\", or give it the loss of the validation data.",
                step=rates.windows[cut].step,
                site=schedule.site,
                related=[site_of(cell, call)],
                evidence=_told(rates),
                nodes=[key(t) for t in rates.windows[cut].owned],
                steps=[w.step for w in rates.windows[cut:]],
                changes=keyword(run, schedule.site, "mode", '"max"'),
            )  # fmt: skip
            break


def _is_score(run: Run, metric: ast.expr) -> bool:
    """Whether an expression is, by its name, a score and no loss, and nothing in the text turns it around."""
    while isinstance(metric, ast.Call):
        metric = metric.func
    if isinstance(metric, ast.Subscript) and isinstance(metric.slice, ast.Constant):
        name = str(metric.slice.value)
    elif isinstance(metric, ast.Name | ast.Attribute):
        name = ast.unparse(metric).rpartition(".")[2]
    else:
        return False
    if not _SCORES & set(re.findall(r"[a-z0-9]+", name.lower())):
        return False
    behind = [value for _, _, value in paths_of(run.recording).source.values(ast.unparse(metric))]
    text = " ".join([name, *(ast.unparse(value) for value in behind)]).lower()
    return (
        "loss" not in text
        and "err" not in text
        and not any(
            isinstance(value, ast.UnaryOp) or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub))
            for value in behind
        )
    )


@rule(143, SCHEDULE_UNUSED)
def forgotten_schedule(run: Run) -> Iterator[Finding]:
    """A schedule is made for an optimizer that steps, and the text never mentions it again."""
    if len(run.optimizer_steps) < 2 or run.raised is not None:
        return
    for schedule in schedules(run):
        if mentioned(run, schedule.name):
            continue
        yield finding(
            run, SCHEDULE_UNUSED,
            f"{schedule.name} is made and never stepped: the learning rate stays as it is.",
            f"{schedule.kind} at {run.site_text(schedule.site)} changes the rate only when its step() is called, and the "
            "program never "
            f"mentions {schedule.name} again: the optimizer's {len(run.optimizer_steps)} steps have the rate "
            f"{number(max(run.optimizer_steps[-1][1].rates, default=float('nan')))}.",
            f"Call {schedule.name}.step() after each epoch, after optimizer.step().",
            step=run.optimizer_steps[0][0],
            site=schedule.site,
            related=[run.site(run.optimizer_steps[0][0])],
            evidence=[("optimizer steps", str(len(run.optimizer_steps)))],
            nodes=[key(t) for t in run.optimizer_steps[0][1].parameters],
        )  # fmt: skip


@rule(143, SCHEDULE_OF_ANOTHER)
def schedule_of_another(run: Run) -> Iterator[Finding]:
    """A schedule is made for what a name stood for, the name is given another optimizer behind it, and that one steps."""
    source = paths_of(run.recording).source
    if not run.optimizer_steps:
        return
    for schedule in schedules(run):
        if not schedule.call.args or not methods(run, schedule.name, "step"):
            continue
        name = ast.unparse(schedule.call.args[0])
        function = source.function(schedule.call)
        later = [
            site_of(cell, statement)
            for cell, statement, value in source.assigned.get(name, [])
            if isinstance(value, ast.Call) and isinstance(statement, ast.Assign) and cell == schedule.site.cell
            and statement.lineno > schedule.site.line and source.function(statement) is function
            and source.parents.get(statement) is source.parents.get(schedule.statement or statement)
        ]  # fmt: skip
        warned = any(event.message.startswith("Detected call of `lr_scheduler.step()`") for _, event in run.warnings)
        if len(later) != 1 or not warned:
            continue
        yield finding(
            run, SCHEDULE_OF_ANOTHER,
            f"{schedule.name} belongs to an optimizer that never steps: {name} is another one by then.",
            f"{schedule.kind} is given what {name} is at {run.site_text(schedule.site)}. {run.site_text(later[0])} makes a new "
            f"optimizer, whose rate stays at {number(max(run.optimizer_steps[-1][1].rates, default=float('nan')))} in all "
            f"{len(run.optimizer_steps)} steps, while {schedule.name}.step() lowers that of the old one.",
            f"Make {schedule.name} after the optimizer that is to step.",
            step=run.optimizer_steps[0][0], site=schedule.site, related=later,
            evidence=[("optimizers by this name", str(len(source.assigned.get(name, []))))],
            nodes=[key(t) for t in run.optimizer_steps[0][1].parameters],
        )  # fmt: skip


@rule(143, SCHEDULE_OF_ANOTHER)
def schedules_of_one(run: Run) -> Iterator[Finding]:
    """Two schedules of a kind are made for one optimizer, both step, and another optimizer that steps has none."""
    made = [each for each in schedules(run) if each.call.args and methods(run, each.name, "step")]
    owners = [ast.unparse(each.call.args[0]) for each in made]
    stepping = [each for each in optimizers(run) if methods(run, each.name, "step")]
    without = [each for each in stepping if each.name not in owners]
    alike = [each for each, name in zip(made, owners, strict=True) if owners.count(name) == 2]
    wrapped = any(each.kind in ("SequentialLR", "ChainedScheduler") for each in schedules(run))
    if len(alike) != 2 or len(without) != 1 or wrapped or len(stepping) != 2 or not run.optimizer_steps:
        return
    if alike[0].kind != alike[1].kind:
        return
    first, second = alike
    name, other = ast.unparse(second.call.args[0]), without[0].name
    yield finding(
        run, SCHEDULE_OF_ANOTHER,
        f"{first.name} and {second.name} both change the rate of {name}; that of {other} stays as it is.",
        f"{second.kind} at {run.site_text(second.site)} is given {name}, as {first.kind} at {run.site_text(first.site)} is. "
        f"Each step of the two lowers the same rate, and {other} has no schedule.",
        f"Give {second.name} the other optimizer: {other}.",
        step=run.optimizer_steps[0][0], site=second.site, related=[first.site, without[0].site],
        evidence=[(f"schedules of {name}", "2"), (f"schedules of {other}", "0")],
        nodes=[key(t) for t in run.optimizer_steps[0][1].parameters],
    )  # fmt: skip


@rule(142, RATE_TWICE)
def rate_twice(run: Run) -> Iterator[Finding]:
    """A LambdaLR's function multiplies by the optimizer's learning rate, and no step has had more than its square."""
    made = [each for each in schedules(run) if each.kind == "LambdaLR"] if run.optimizer_steps else []
    for _, rates in _rates(run) if made else ():
        for schedule in made if len(made) < 2 else _of(run, made, rates):
            base = _base(run, schedule)
            factor = _factor(run, schedule, base[0]) if base is not None else None
            if base is None or factor is None or max(rates.values) > base[1] ** 2 * 1.001:
                continue
            cell, product, other = factor
            text = ast.unparse(base[0])
            yield finding(
                run, RATE_TWICE,
                f"The function of LambdaLR multiplies by {text}, and LambdaLR does so again: the rate is at most "
                f"{number(max(rates.values))}, not {number(base[1])}.",
                "What the function gives is no rate but a factor, by which LambdaLR multiplies the rate that the optimizer was "
                "given.",
                f"Leave {text} out of the function: {ast.unparse(other)}.",
                step=rates.windows[0].step, site=site_of(cell, product), related=[schedule.site],
                evidence=[("lr of the optimizer", number(base[1])), *_told(rates)],
                nodes=[key(t) for t in rates.windows[0].owned],
                changes=mending.replaced(run, site_of(cell, product), _alone(run, product, other)),
            )  # fmt: skip


def _base(run: Run, schedule: Made) -> tuple[ast.expr, float] | None:
    """The learning rate of a schedule's optimizer as the text has it, with its value, if that is below 1; else None."""
    name = ast.unparse(schedule.call.args[0]).rpartition(".")[2] if schedule.call.args else ""
    rates = [given(m.call, 1, "lr") for m in optimizers(run) if m.name.rpartition(".")[2] == name]
    rate = rates[0] if len(rates) == 1 else None
    value = setting_of(run, rate) if rate is not None else None
    known = value.value if isinstance(value, ast.Constant) else None
    return (rate, known) if rate is not None and isinstance(known, float) and 0 < known < 1 else None


def _factor(run: Run, schedule: Made, rate: ast.expr) -> tuple[int, ast.BinOp, ast.expr] | None:
    """The product with a rate in the text of a LambdaLR's function, and the other factor; None where there is not one."""
    source, wanted = paths_of(run.recording).source, ast.unparse(rate)
    function: ast.AST | None = given(schedule.call, 1, "lr_lambda")
    if isinstance(function, ast.Name):
        named = [n for n in source.parents if isinstance(n, ast.FunctionDef) and n.name == ast.unparse(function)]
        function = named[0] if len(named) == 1 else next((v for _, _, v in source.values(function.id)), None)
    if not isinstance(function, ast.Lambda | ast.FunctionDef):
        return None
    products = [n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    found = [
        (schedule.site.cell, product, other)
        for product in products
        for one, other in ((product.left, product.right), (product.right, product.left))
        if ast.unparse(one) == wanted
    ]
    return found[0] if len(found) == 1 else None


def _alone(run: Run, product: ast.BinOp, factor: ast.expr) -> str:
    """A factor in place of its product."""
    inside = isinstance(factor, ast.BinOp) and isinstance(paths_of(run.recording).source.parents.get(product), ast.BinOp)
    return f"({ast.unparse(factor)})" if inside else ast.unparse(factor)


@rule(144, ZERO_RATE, UPDATE_LOST)
def standing_still(run: Run) -> Iterator[Finding]:
    """No step of an optimizer changes a parameter, though there are gradients."""
    for optimizer, windows in cadence_of(run).windows.items():
        steps = [w for w in windows if any(_gradient(run, t, w.step) for t in w.event.parameters)]
        if len(steps) < 2 or len(steps) < len(windows):
            continue
        made = schedules(run, own=True)
        site = made[0].site if len(made) == 1 else optimizer_site(run, optimizer[0], run.site(steps[0].step))
        if (without := _without_rate(run, optimizer[0], windows, steps, site)) is not None:
            yield without
            continue
        if len(steps) < 3 or not all(w.event.rates and max(w.event.rates) > 0 for w in steps):
            continue
        moved = _moved(run, steps)
        highest = max(max(w.event.rates) for w in steps)
        if moved == 0:
            tensor = max(steps[0].event.parameters, key=lambda t: run.tensors[t].info.array)
            info = run.tensors[tensor].info
            yield finding(
                run, UPDATE_LOST,
                f"Rounding swallows every update: {run.names(windows[0].owned)} stay as they are.",
                f"In {len(steps)} steps not one element changes, though the gradients are not zero: with a learning rate of "
                f"{number(max(steps[0].event.rates))} an update is smaller than the spacing of numbers of {info.dtype} near "
                "the weight.",
                "Use a larger learning rate; where the weights are in half precision, keep them in float32.",
                step=steps[0].step,
                site=site,
                related=[run.site(steps[0].step)],
                evidence=[
                    ("learning rate", number(max(steps[0].event.rates))),
                    (f"{run.title(tensor)}.grad", run.texts.describe(run.tensors[tensor].grad(steps[0].step - 1))),
                    ("dtype", info.dtype),
                ],
                nodes=[key(t) for t in steps[0].event.parameters],
                steps=[w.step for w in steps],
            )  # fmt: skip

        elif len(steps) >= 5 and highest < _TINY and moved < _TINY:
            yield finding(
                run, UPDATE_LOST,
                f"The learning rate of {optimizer[0]} is too small to move anything.",
                f"With a rate of {number(highest)} {len(steps)} steps have changed no parameter by more than {number(moved)} "
                "of its "
                "size.",
                "Use a learning rate of the usual size: about 1e-3 for Adam, 1e-2 for SGD.",
                step=steps[0].step,
                site=site,
                related=[run.site(steps[0].step)],
                evidence=[("learning rate", number(highest)), ("largest relative change", number(moved))],
                nodes=[key(t) for t in steps[0].event.parameters],
                steps=[w.step for w in steps],
                severity="hint",
            )  # fmt: skip


def _without_rate(run: Run, name: str, windows: list[Window], steps: list[Window], site: Site | None) -> Finding | None:
    """That an optimizer's rate is zero in its whole first epoch, or always; None where it is neither."""
    owned = run.names(windows[0].owned)
    if still := _still_at_first(run, steps):
        after = steps[len(still)]
        title = f"The learning rate of {name} is zero in the whole of the first epoch."
        explanation = (
            f"Its {len(still)} steps multiply their gradients by zero, and {owned} stay as they are; the rate is "
            f"{number(max(after.event.rates))} from {run.moment(after.step)} on. A schedule that begins at zero and is stepped "
            "once per epoch stays there for an epoch."
        )
        fix = "Let the warm-up begin above zero, with (epoch + 1) in the place of epoch, or step it after every batch."
    elif all(w.event.rates and not any(w.event.rates) for w in steps):
        still = steps
        title = f"The learning rate of {name} is zero in all {len(steps)} steps."
        explanation = f"The gradients are there, and each step multiplies them by zero: {owned} stay as they are."
        fix = "Give the optimizer a learning rate, such as lr=1e-3, or let a warm-up begin above zero."
    else:
        return None
    return finding(
        run, ZERO_RATE, title, explanation, fix,
        step=still[0].step,
        site=site,
        related=[run.site(still[0].step)],
        evidence=[("steps with a rate of zero", f"{len(still)} of {len(windows)}")],
        nodes=[key(t) for t in still[0].event.parameters],
        steps=[w.step for w in still],
    )  # fmt: skip


def _still_at_first(run: Run, windows: list[Window]) -> list[Window]:
    """The steps of the first iteration of the outer loop, if there are several, the rate is zero in all of them, and above zero
    right behind them."""
    loops = [run.loops(window.step) for window in windows]
    first = next((n for n, around in enumerate(loops) if len(around) < 2 or around[0] != loops[0][0]), len(windows))
    if not 2 <= first < len(windows) or not all(window.event.rates for window in windows[: first + 1]):
        return []
    still = [max(window.event.rates) for window in windows[: first + 1]]
    return windows[:first] if still[-1] > 0 and not any(still[:-1]) else []


def _gradient(run: Run, tensor: int, step: int) -> bool:
    """Whether a tensor has a gradient that is not zero."""
    array = run.tensors[tensor].grad(step - 1)
    return array != NOTHING and not run.zero(array)


def _moved(run: Run, windows: list[Window]) -> float:
    """The largest change of a parameter over some steps, relative to its size; infinite where it is not known."""
    largest = 0.0
    for tensor in windows[0].event.parameters:
        # The optimizer's own write, the last before its step.
        writes = run.writes.get(tensor, [])
        place = bisect_right(writes, windows[0].step)
        if not place:
            return math.inf
        before, after = run.values(tensor, writes[place - 1] - 1), run.values(tensor, windows[-1].step)
        if before is None or after is None or before.dtype.kind != "f":
            return math.inf
        change = float(np.linalg.norm(np.subtract(after, before, dtype=np.float64)))
        size = float(np.linalg.norm(before.astype(np.float64)))
        if not math.isfinite(change) or (change and not size):
            return math.inf
        largest = max(largest, change / size if size else 0.0)
    return largest
