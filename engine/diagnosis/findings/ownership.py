"""Rules about which optimizer has a parameter: none, because it came too late or is not registered, the wrong one, or two."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, OpRan, Site
from ..cadence import cadence_of, takes_gradient, within
from ..mends import owners
from ..optimizer_text import made_after, optimizer_site, optimizers
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .clipping import CLIPPING
from .registry import rule

MADE_IN_FORWARD = Kind(
    "made_in_forward", "error", "A layer is made anew for every forward pass, so what it learns is thrown away."
)
LATE_PARAMETER = Kind(
    "late_parameter", "error", "Parameters were made after the optimizer, so it does not know them.", mechanical=True
)
UNREGISTERED_TENSOR = Kind(
    "unregistered_tensor",
    "error",
    "A tensor of a module requires grad but is no Parameter, so no optimizer has it.",
    mechanical=True,
)
WRONG_OPTIMIZER = Kind(
    "wrong_optimizer",
    "error",
    "Two optimizers are given the parameters of one model, and another model has none.",
    mechanical=True,
)
TWO_OPTIMIZERS = Kind("two_optimizers", "warning", "Two optimizers move the same parameters by the same gradient.")
UNOWNED_PARAMETERS = Kind("unowned_parameters", "hint", "Parameters get gradients in every pass, and no optimizer has them.")
LEFT_OUT_PARAMETER = Kind(
    "left_out_parameter", "warning", "A parameter is in no group of the optimizers that have all others of its model."
)
ALL_FROZEN = Kind(
    "all_frozen", "warning", "All that an optimizer has is frozen, and what gets gradients no optimizer has: nothing learns."
)
EXHAUSTED_PARAMETERS = Kind(
    "exhausted_parameters",
    "error",
    "A generator of parameters is used a second time, when it gives nothing any more.",
    mechanical=True,
)

_FORWARD = 8
"""Operations that a parameter alone goes through before it meets what it is used with."""
_PATH = re.compile(r"\w+(\.\w+)+")
"""Where a parameter is: model.body.weight."""
_FEW = 4
"""The part of a model's parameters, one of so many, that is forgotten; more of them are left out on purpose."""
_BACK = 200
"""Tensors that are looked at on the way back to an optimizer's parameters."""


def _lost(run: Run) -> list[int]:
    """The leaves that passes fill, that nothing updates, and whose gradients the program never looks at; in order."""

    def found() -> list[int]:
        grads = columns_of(run.recording).grads
        held = {t for _, owned in cadence_of(run).windows for t in owned} | run.trained
        roots = {root for entry in run.passes for root, _ in entry.event.roots}
        end = len(run.events)
        filled = sorted(set(np.unique(grads.tensor[grads.number > 0]).tolist()) - held - roots)
        return [t for t in filled if run.status(t, end).is_leaf and not takes_gradient(run, t, NOTHING, end)]

    return run.recording.once("lost leaves", found) if run.optimizer_steps else []


def _with_the_owned(run: Run, tensor: int) -> list[int]:
    """The fills of a tensor by passes that also fill what an optimizer has, and after which that steps."""
    last = run.optimizer_steps[-1][0]
    found = []
    for step, event in run.history(tensor):
        if isinstance(event, Accumulated) and step < last and not run.trained.isdisjoint(run.index.passes[event.number].fills):
            found.append(step)
    return found


@rule(105, MADE_IN_FORWARD)
def made_in_forward(run: Run) -> Iterator[Finding]:
    """Parameters are made at the same place again and again, get one gradient each, and are forgotten."""
    born: dict[tuple[Site | None, tuple[int, ...]], list[int]] = {}
    for tensor in _lost(run):
        history = run.tensors[tensor]
        if history.info.is_parameter:
            born.setdefault((run.site(history.born), history.info.shape), []).append(tensor)
    steps = [step for step, _ in run.optimizer_steps]
    at: dict[Site | None, list[int]] = {}
    for (site, _), tensors in born.items():
        between = [within(steps, run.tensors[a].born, run.tensors[b].born) for a, b in itertools.pairwise(tensors)]
        if any(between) and any(_with_the_owned(run, t) for t in tensors):
            at.setdefault(site, []).extend(tensors)
    for site, tensors in at.items():
        moments = sorted({run.tensors[t].born for t in tensors})
        text = run.segment(site)
        module = run.recording.scopes[run.events[moments[0]].scope].module if run.events[moments[0]].scope >= 0 else ""
        where = f"the forward pass of {module}" if module else "every iteration"
        node = paths_of(run.recording).source.at(site)
        made = node if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Parameter") and node.args else None
        fix = f"Make {text} once, before the loop and before the optimizer."
        if made is not None and module:
            fix = f"Make the parameter once, in __init__, and compute here under another name: {ast.unparse(made.args[0])}."
        elif module:
            fix = f"Make the layer once, in __init__ (self.layer = {text}), before the optimizer is given the parameters."
        yield finding(
            run, MADE_IN_FORWARD,
            f"{text} is made anew in {where}: what it learns is thrown away.",
            f"The program makes it {len(_moments(run, tensors))} times at {run.site_text(site)}, each time "
            f"{'a leaf of its own' if made is not None else 'with new random weights'}. They "
            "get a gradient, but no optimizer has them, and the next forward pass has others.",
            fix,
            step=moments[0],
            site=site,
            related=[run.site(steps[0])],
            evidence=[("parameters made there", str(len(tensors))), ("of them updated", "0")],
            nodes=[key(t) for t in tensors[:20]],
            steps=moments,
        )  # fmt: skip


def _moments(run: Run, tensors: list[int]) -> set[tuple[tuple[int, int], ...]]:
    """The iterations in which some tensors were made."""
    return {run.loops(run.tensors[t].born) for t in tensors}


@rule(106, LATE_PARAMETER)
def late_parameter(run: Run) -> Iterator[Finding]:
    """A parameter that is made once, after the optimizer, gets gradients that nobody uses."""
    made = optimizers(run)
    late: dict[Site | None, list[int]] = {}
    for tensor in _lost(run):
        history = run.tensors[tensor]
        if history.info.is_parameter and made_after(run, made, history.born) and len(_with_the_owned(run, tensor)) > 1:
            late.setdefault(run.site(history.born), []).append(tensor)
    for site, tensors in late.items():
        born = run.tensors[tensors[0]].born
        many = len(tensors) > 1
        yield finding(
            run, LATE_PARAMETER,
            f"{run.segment(site)} was made after the optimizer, which does not know its parameters.",
            f"{len(tensors)} parameter{'s' * many} made at {run.where(born)} get{'' if many else 's'} gradients, and no step "
            "of "
            f"{run.optimizer_steps[0][1].optimizer} changes {'them' if many else 'it'}: it was given the parameters that "
            "there were at "
            f"{run.site_text(made[0].site)}.",
            "Make the optimizer after all layers are made, or call optimizer.add_param_group({'params': …}) with the new ones.",
            step=born,
            site=site,
            related=[made[0].site, run.site(run.optimizer_steps[0][0])],
            evidence=[("shapes", ", ".join(str(list(run.tensors[t].info.shape)) for t in tensors[:4]))],
            nodes=[key(t) for t in tensors],
            changes=owners.made_before(run, made[0].site if len(made) == 1 else None, run.tensors[tensors[-1]].born),
        )  # fmt: skip


@rule(107, UNREGISTERED_TENSOR)
def unregistered_tensor(run: Run) -> Iterator[Finding]:
    """A module's attribute requires grad and gets gradients, but is a plain tensor."""
    roots = {run.title(t).partition(".")[0] for t in run.trained if "." in run.title(t)}
    for tensor in _lost(run):
        name = run.title(tensor)
        if (
            run.tensors[tensor].info.is_parameter
            or name.partition(".")[0] not in roots
            or not name.replace(".", "").isidentifier()
        ):
            continue
        if "." not in name or len(_with_the_owned(run, tensor)) < 2:
            continue
        history = run.tensors[tensor]
        attribute = name.rpartition(".")[2]
        yield finding(
            run, UNREGISTERED_TENSOR,
            f"{name} gets gradients but is never updated: it is a tensor, no nn.Parameter.",
            f"A module lists in parameters() only what is an nn.Parameter. {name}, made at {run.where(history.born)}, "
            "requires grad and "
            "is used for the loss, but the optimizer was never given it.",
            f"Make it a parameter: self.{attribute} = nn.Parameter(…), without requires_grad=True.",
            step=history.born,
            related=[run.site(run.optimizer_steps[0][0])],
            evidence=[("gradients it got", str(len(run.history(tensor)))), ("updates", "0")],
            nodes=[key(tensor)],
            changes=owners.registered(run, run.site(history.born)),
        )  # fmt: skip


@rule(102, WRONG_OPTIMIZER)
def wrong_optimizer(run: Run) -> Iterator[Finding]:
    """Two optimizers are given the same parameters, while those of another model get gradients and have none."""
    made = [m for m in optimizers(run) if m.call.args]
    lost: dict[str, list[int]] = {}
    trained = {run.title(t).partition(".")[0] for t in run.trained}
    for tensor in _lost(run):
        parts = run.title(tensor).split(".")
        if len(parts) > 1 and run.tensors[tensor].info.is_parameter:
            # Models that are attributes of one object have its name in common.
            lost.setdefault(".".join(parts[: 1 + (parts[0] in trained)]), []).append(tensor)
    for position, second in enumerate(made):
        for first in made[:position]:
            given = ast.unparse(second.call.args[0])
            if ast.unparse(first.call.args[0]) != given or first.name == second.name or not given.endswith(".parameters()"):
                continue
            model = given.removesuffix(".parameters()")
            holder, _, last = model.rpartition(".")
            others = [(name, found) for name, found in lost.items() if name.rpartition(".")[2] != last]
            if len(others) != 1:
                continue
            name, tensors = others[0]
            name = name.rpartition(".")[2]
            wrong, right = (first, second) if _alike(first.name, name) > _alike(second.name, name) else (second, first)
            meant = f"{holder}.{name}" if holder else name
            step = run.optimizer_steps[0][0]
            yield finding(
                run, WRONG_OPTIMIZER,
                f"{wrong.name} is given {given}, as {right.name} is: no optimizer has the parameters of {name}.",
                f"{run.names(tensors)} get gradients in every iteration and are never updated, while {model} is moved by both.",
                f"Give {wrong.name} the parameters it is for: {meant}.parameters().",
                step=step,
                site=site_of(wrong.site.cell, wrong.call.args[0]),
                related=[right.site],
                evidence=[(f"parameters of {name} with gradients", str(len(tensors))), ("of them updated", "0")],
                changes=owners.given_instead(run, site_of(wrong.site.cell, wrong.call.args[0]), f"{meant}.parameters()"),
                nodes=[key(t) for t in tensors],
            )  # fmt: skip


def _alike(optimizer: str, model: str) -> int:
    """How much of a model's name stands in an optimizer's."""
    first, second = optimizer.lower(), model.lower()
    return max(
        (n for n in range(1, len(second) + 1) if second[:n] in first.replace("opt", "").replace("optimizer", "")), default=0
    )


@rule(134, TWO_OPTIMIZERS)
def two_optimizers(run: Run) -> Iterator[Finding]:
    """A parameter is moved by two optimizers, and no gradient comes to it between them."""
    cadence = cadence_of(run)
    steps: dict[int, list[tuple[int, int]]] = {}
    holders = [frozenset(owned) for _, owned in cadence.windows]
    for number, windows in enumerate(cadence.windows.values()):
        # Where each has parameters of its own beside what they share, both are meant to move that.
        if any(other != number and (holders[number] <= held or held <= holders[number]) for other, held in enumerate(holders)):
            for window in windows:
                for tensor in window.event.parameters:
                    steps.setdefault(tensor, []).append((window.step, number))
    twice: dict[int, list[tuple[int, int]]] = {}
    for tensor, moments in steps.items():
        if len({which for _, which in moments}) > 1:
            moments.sort()
            for (before, a), (after, b) in itertools.pairwise(moments):
                if a != b and not run.history(tensor, before, after):
                    twice.setdefault(tensor, []).append((before, after))
    twice = {t: pairs for t, pairs in twice.items() if len(pairs) > 1}
    if not twice:
        return
    tensor = next(iter(twice))
    before, after = twice[tensor][0]
    yield finding(
        run, TWO_OPTIMIZERS,
        f"Two optimizers move {run.names(twice)} by the same gradient.",
        f"The step at {run.where(before)} has used it, and the step at {run.moment(after)} uses it again: no backward pass "
        "and no "
        f"zero_grad() lie between them. That happens {len(twice[tensor])} times.",
        "Give each parameter to one optimizer only.",
        step=after,
        related=[run.site(before)],
        evidence=[("updates that were made twice", str(len(twice[tensor]))), ("shared parameters", run.names(twice))],
        nodes=[key(t) for t in twice],
        steps=[after for _, after in twice[tensor]],
    )  # fmt: skip


@rule(118, ALL_FROZEN)
def all_frozen(run: Run) -> Iterator[Finding]:
    """The optimizer steps and never has a gradient to step with, since its parameters require none, while others get some."""
    if len(run.optimizer_steps) < 2 or run.updates:
        return
    frozen = sorted({t for _, event in run.optimizer_steps for t in event.idle})
    if not frozen or any(run.status(t, step).requires_grad for step, event in run.optimizer_steps for t in event.idle):
        return
    lost = [t for t in _lost(run) if run.tensors[t].info.is_parameter]
    if not lost:
        return
    step, event = run.optimizer_steps[0]
    flags = paths_of(run.recording).flags
    set_at = next((run.site(flags[t][0][0]) for t in frozen if flags.get(t)), None)
    yield finding(
        run, ALL_FROZEN,
        f"{event.optimizer} has nothing to train: {run.names(frozen)} do not require grad.",
        f"No step ({run.where(step)}) finds a gradient. The passes compute those of {run.names(lost)}, which no optimizer has, "
        "so the model stays as it is.",
        "Freeze what is not to learn, and give the optimizer what is: "
        "[p for p in model.parameters() if p.requires_grad], once the flags are set.",
        step=step,
        site=run.site(step),
        related=[set_at, run.site(run.tensors[lost[0]].born)],
        evidence=[("parameters of the optimizer", str(len(frozen))), ("of them with requires_grad", "0"),
                  ("other parameters with gradients", str(len(lost)))],
        nodes=[key(t) for t in [*frozen, *lost][:20]],
        steps=[at for at, _ in run.optimizer_steps],
    )  # fmt: skip


@rule(280, UNOWNED_PARAMETERS)
def unowned_parameters(run: Run) -> Iterator[Finding]:
    """Parameters of a module get gradients in all the passes by which others are trained, and nothing is done with them."""
    owned = {t for _, held in cadence_of(run).windows for t in held}
    if not all(run.tensors[t].info.is_parameter for t in owned):
        return  # an image or a prompt is made, with a model that stays as it is
    trained = {front for t in owned for front in _fronts(run.title(t))}
    models: dict[str, list[int]] = {}
    for tensor in _lost(run):
        name = run.title(tensor)
        if run.tensors[tensor].info.is_parameter and _PATH.fullmatch(name) and len(_with_the_owned(run, tensor)) > 2:
            # Of a model that is trained in part, the part that is not; single parameters are a matter of their own.
            model = next((front for front in _fronts(name) if front not in trained), "")
            if model:
                models.setdefault(model, []).append(tensor)
    for model, tensors in models.items():
        if not _behind(run, tensors[0], owned):
            continue  # what comes before the part that is trained is features
        if "." in model and all(len(run.tensors[t].info.shape) < 2 for t in tensors):
            continue  # of a model the matrices may be trained alone
        many = len(tensors) > 1
        yield finding(
            run, UNOWNED_PARAMETERS,
            f"The parameters of {model} get gradients, and no optimizer has them.",
            f"Each pass computes a gradient for {run.names(tensors)} and adds it to .grad; no step uses "
            f"{'them' if many else 'it'}, so {model} stays as it was made.",
            f"If {model} is to learn, give its parameters to an optimizer; if not, call {model}.requires_grad_(False).",
            step=run.tensors[tensors[0]].born,
            site=optimizer_site(run, run.optimizer_steps[0][1].optimizer, run.site(run.optimizer_steps[0][0])),
            related=[run.site(run.tensors[tensors[0]].born)],
            evidence=[
                ("parameters with gradients", str(len(tensors))),
                ("gradients that were added up", str(len(run.history(tensors[0])))),
            ],
            nodes=[key(t) for t in tensors],
        )  # fmt: skip


def _fronts(path: str) -> list[str]:
    """The modules that a parameter is in, the outermost first: "net", "net.body"."""
    names = path.split(".")[:-1]
    return [".".join(names[: count + 1]) for count in range(len(names))]


@rule(112, LEFT_OUT_PARAMETER)
def left_out_parameter(run: Run) -> Iterator[Finding]:
    """Optimizers have all of a model but a few parameters, which get gradients in every pass. Modules that are left out whole
    are left out on purpose, and so are most of the parameters."""
    if not run.optimizer_steps:
        return
    lost = [t for t in _lost(run) if run.tensors[t].info.is_parameter and _PATH.fullmatch(run.title(t))]
    paths: dict[int, str] = {}
    for _, named in run.namings if lost else ():
        if _PATH.fullmatch(named.name):  # a list of parameters gives them names, too
            paths.setdefault(named.tensor, named.name)
    held: dict[str, list[str]] = {}
    for tensor in {t for _, owned in cadence_of(run).windows for t in owned} & paths.keys():
        held.setdefault(paths[tensor].partition(".")[0], []).append(paths[tensor])
    models: dict[str, list[int]] = {}
    for tensor in lost:
        models.setdefault(run.title(tensor).partition(".")[0], []).append(tensor)
    for model, tensors in models.items():
        owned = held.get(model, [])
        beside = [f"{run.title(t).rpartition('.')[0]}." for t in tensors]
        if len(tensors) * _FEW > len(owned) or not all(any(name.startswith(each) for name in owned) for each in beside):
            continue
        if any(_is_spoken_of(run, run.title(t)) for t in tensors):
            continue
        if any(len(_with_the_owned(run, t)) <= 2 for t in tensors):
            continue
        step, event = run.optimizer_steps[0]
        many, name = len(tensors) > 1, run.names(tensors)
        codes = ", ".join(re.sub(r"\.(\d+)", r"[\1]", run.title(t)) for t in tensors[:3]) + ", …" * (len(tensors) > 3)
        made = [made.name for made in optimizers(run)]
        yield finding(
            run, LEFT_OUT_PARAMETER,
            f"{name} get{'' if many else 's'} gradients and {'are' if many else 'is'} in no optimizer, which ha"
            f"{'ve' if len(cadence_of(run).windows) > 1 else 's'} the {len(owned)} other parameters of {model}.",
            f"Each of the {len(_with_the_owned(run, tensors[0]))} passes computes a gradient for {'them' if many else 'it'}, "
            f"and no step uses it: {'they stay as they were' if many else 'it stays as it was'} made. Nothing freezes "
            f"{'them' if many else 'it'} either, so {'they have' if many else 'it has'} probably fallen through where the "
            "parameters are chosen or put into groups.",
            "Let the last group take whatever no other has"
            + (f", or add {'them' if many else 'it'}: {made[0]}.add_param_group({{'params': [{codes}]}})." if made else ".")
            + f" If {'they are' if many else 'it is'} not to learn, call requires_grad_(False).",
            step=run.tensors[tensors[0]].born,
            site=optimizer_site(run, event.optimizer, run.site(step)),
            related=[run.site(run.tensors[tensors[0]].born)],
            evidence=[
                ("parameters in optimizers", str(len(owned))), ("left out", str(len(tensors))),
                ("gradients that were added up", str(len(run.history(tensors[0])))),
            ],
            nodes=[key(t) for t in tensors],
        )  # fmt: skip


def _is_spoken_of(run: Run, name: str) -> bool:
    """Whether the text has a part of a parameter's name as a word of its own, by which it may be left out on purpose."""
    constants = (node.value for node in paths_of(run.recording).source.parents if isinstance(node, ast.Constant))
    return any(isinstance(word, str) and len(word) > 1 and word in name for word in constants)


def _behind(run: Run, tensor: int, owned: set[int]) -> bool:
    """Whether what a parameter is used with was computed from what an optimizer has."""
    queue: list[int] = []
    for _ in range(_FORWARD):  # to the first operation that takes something else that gradients pass
        events = [run.events[s] for s in run.consumers.get(tensor, ())]
        event = next((e for e in events if isinstance(e, OpRan) and e.node is not None and e.outputs), None)
        if event is None:
            return False
        others = [t for t in run.inputs(event) if t != tensor and run.tensors[t].info.requires_grad]
        if any(run.beneath_views(t) in owned for t in others):
            return False  # it comes before what the optimizer has
        queue = [t for t in others if not run.tensors[run.beneath_views(t)].info.is_parameter]
        if queue:
            break
        tensor = event.outputs[0].id
    seen = set(queue)
    for source in queue:
        if source in owned:
            return True
        if len(seen) > _BACK:
            return False
        for before in run.inputs(run.tensors[source].op):
            if before not in seen:
                seen.add(before)
                queue.append(before)
    return False


@rule(108, EXHAUSTED_PARAMETERS)
def exhausted_parameters(run: Run) -> Iterator[Finding]:
    """A name holds a generator, `net.parameters()`, which the optimizer has used up, and it is gone through again."""
    if not run.optimizer_steps:
        return
    source = paths_of(run.recording).source
    for made in optimizers(run):
        first = made.call.args[0] if made.call.args else None
        if not isinstance(first, ast.Name) or len(values := source.values(first.id)) != 1 or not _generates(values[0][2]):
            continue
        uses = [
            (name, above)
            for name, above in source.parents.items()
            if isinstance(name, ast.Name) and name.id == first.id and name is not first and isinstance(name.ctx, ast.Load)
        ]
        again = [
            name
            for name, above in uses
            if (isinstance(above, ast.For | ast.comprehension) and above.iter is name)
            or (isinstance(above, ast.Call) and name in above.args)
        ]
        # The recursion of scopes is left to Python: a name of the same function, further down, is the same generator.
        again = [n for n in again if n.lineno > made.call.lineno and source.function(n) is source.function(made.call)]
        if not again:
            continue
        use = min(again, key=lambda name: (name.lineno, name.col_offset))
        value = ast.unparse(values[0][2])
        yield finding(
            run, EXHAUSTED_PARAMETERS,
            f"{first.id} gives nothing any more at line {use.lineno}: the optimizer has used the generator up.",
            f"{value} is a generator, which can be gone through once. {made.kind} has done that at "
            f"{run.site_text(made.site)}; what goes "
            f"through {first.id} afterwards sees no parameter at all"
            + (", so nothing is clipped." if isinstance(above := source.parents.get(use), ast.Call) and _clips(above) else "."),
            f"Keep a list: {first.id} = list({value}).",
            step=run.optimizer_steps[0][0],
            site=site_of(made.site.cell, use),
            related=[made.site],
            evidence=[("uses after the optimizer's", str(len(again)))],
            changes=owners.listed(run, site_of(values[0][0], values[0][2])),
            nodes=[key(t) for t in run.optimizer_steps[0][1].parameters],
        )  # fmt: skip


def _clips(call: ast.Call) -> bool:
    """Whether a call is that of a function that clips gradients."""
    return ast.unparse(call.func).rpartition(".")[2] in CLIPPING


def _generates(value: ast.AST) -> bool:
    """Whether an expression is an iterator over parameters."""
    if isinstance(value, ast.GeneratorExp):
        return "parameters" in ast.unparse(value)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute):
        return value.func.attr == "parameters" or (value.func.attr == "chain" and "parameters" in ast.unparse(value))
    return (
        isinstance(value.func, ast.Name) and value.func.id in ("filter", "chain", "map") and "parameters" in ast.unparse(value)
    )
