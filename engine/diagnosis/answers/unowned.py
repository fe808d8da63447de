"""Why no optimizer moves a parameter: which parameters there are in its place, and how it has come to be left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from ...recording.events import NOTHING, Site, Stepped
from ...recording.index import Pass
from ..optimizer_text import made_after, methods, optimizers
from ..reason import Reason
from .grad_query import Question, listed

_SHOWN = 4
"""Parameters of an optimizer that are named."""
_LOOKED_AT = 50
"""The last steps whose optimizers are looked at."""
_CONTAINERS = {ast.List: "list", ast.ListComp: "list", ast.Tuple: "tuple", ast.Dict: "dict", ast.DictComp: "dict"}
"""Expression -> the container that it makes, which keeps what lies in it from parameters()."""


def unowned(q: Question) -> Reason:
    """The answer for a parameter that no optimizer which stepped has, and that no line writes."""
    steps = [(s, event) for s, event in q.run.optimizer_steps if s <= q.step]
    if not steps:
        return _not_stepped(q)
    if (idle := _made_and_not_stepped(q)) is not None:
        return idle
    run, (last, event) = q.run, _nearest(q, steps)
    made = _made_for(q, event)
    those = event.owned
    by = event.optimizer + (f" ({run.site_text(made)})" if made is not None else "")
    have = listed([q.label(t) for t in those[:_SHOWN]])
    has = f"{by} has {have}{f' and {len(those) - _SHOWN} more' if len(those) > _SHOWN else ''}"
    left = f"{q.name} does not move because no optimizer has it: {has}"
    only = "step() changes only the parameters that the optimizer was made with."
    born = run.where(q.history.born)
    namesake = next((t for t in q.predecessors if t in those), NOTHING)
    copied = next((t for t in those if copied_from(q, t)), NOTHING)
    site = made
    nodes = list(those[:_SHOWN])
    if namesake != NOTHING:
        older = run.where(run.introduced(namesake, q.tensor))
        born = run.where(run.introduced(q.tensor, namesake))
        title = (
            f"{q.name} does not move because {by} does not have it: {event.optimizer} has the {q.name} that was made at "
            f"{older}, and the one in use was made at {born}"
        )
        explanation = f"{only} It goes on moving the older one, which nothing is computed from."
        fix = f"Make the optimizer after {born}, or add the new parameters: opt.add_param_group({{'params': …}})."
        nodes = [namesake]
    elif copied != NOTHING:
        site, nodes = run.site(run.tensors[copied].born), [copied]
        title = f"{q.name} does not move because {event.optimizer} has a copy of it, {q.label(copied)}"
        explanation = (
            f"{run.where(run.tensors[copied].born)} makes {q.label(copied)} from the values of {q.name}: it is a tensor of its "
            f"own, and what step() does to it leaves {q.name} as it is."
        )
        fix = f"Give the optimizer {q.name} itself."
    elif (kept := _kept_in(q, those)) is not None:
        where, what, name = kept
        plain = f"{name} is a plain {what}, whose layers parameters() leaves out"
        title = f"{q.name} does not move because no optimizer has it: {plain}"
        explanation = (
            f"A module lists what is in its own attributes and in ModuleList and ModuleDict. {has[:1].upper()}{has[1:]}."
        )
        fix = "Keep layers in nn.ModuleList or nn.ModuleDict, tensors in nn.ParameterList, and make the optimizer after that."
        site = where or made
    elif not q.history.info.is_parameter and beside(q, those):
        title, site = left, run.site(q.history.born)
        explanation = f"A module lists in parameters() only what is an nn.Parameter, and {q.name} ({born}) is a plain tensor."
        fix = f"Make it a parameter: self.{q.name.rpartition('.')[2]} = nn.Parameter(…)."
    elif made_after(run, [one for one in optimizers(run) if one.kind == event.optimizer], q.history.born):
        title = f"{q.name} does not move because {by} does not have it: it was made after that, at {born}"
        explanation = f"{only} {event.optimizer} has {have}."
        fix = "Make the optimizer after the model is complete, or add the new parameters: opt.add_param_group({'params': …})."
    else:
        title, explanation = left, only
        name = next((each.name for each in optimizers(run) if each.kind == event.optimizer), "opt")
        fix = (
            f"Add it to what the optimizer is made with, or {name}.add_param_group({{'params': …}}). If it is not to learn, "
            f"requires_grad_(False) spares its gradient."
        )
    return q.because("not_optimized", title, explanation, fix, step=last, site=site, nodes=[q.tensor, *nodes])


def _nearest(q: Question, steps: list[tuple[int, Stepped]]) -> tuple[int, Stepped]:
    """The step of the optimizer that has most to do with a parameter: an older one of its name, a copy, others of its model; of
    none the last one."""

    def near(event: Stepped) -> int:
        held = {*event.owned}
        return 2 * (any(t in held for t in q.predecessors) or any(copied_from(q, t) for t in held)) + beside(q, held)

    latest = {(event.optimizer, event.parameters, event.idle): (step, event) for step, event in steps[-_LOOKED_AT:]}
    return max(latest.values(), key=lambda pair: (near(pair[1]), pair[0]))


def _made_for(q: Question, event: Stepped) -> Site | None:
    """Where the optimizer of a step is made; of several of its class the one that is given the model of its parameters."""
    made = [each for each in optimizers(q.run) if each.kind == event.optimizer]
    if len(made) < 2:
        return constructor(q, event.optimizer)
    roots = {re.split(r"[.\[]", q.label(t), maxsplit=1)[0] for t in event.owned}
    named = [each for each in made if roots & {node.id for node in ast.walk(each.call) if isinstance(node, ast.Name)}]
    return named[0].site if len(named) == 1 else None


def meant(q: Question) -> bool:
    """Whether a parameter may be left out on purpose: nothing says how it could have been forgotten."""
    run = q.run
    held = run.optimized
    if not all(run.tensors[t].info.is_parameter for t in held):
        return True  # what is trained is an image or a prompt
    forgotten = (
        any(t in held for t in q.predecessors)
        or any(copied_from(q, t) for t in held)
        or _kept_in(q, held) is not None
        or (not q.history.info.is_parameter and beside(q, held))
        or made_after(run, optimizers(run), q.history.born)
    )
    return not forgotten


def constructor(q: Question, optimizer: str) -> Site | None:
    """Where the program makes its optimizer: the call of a class by that name, or else of one of torch.optim."""
    source = q.paths.source
    for name, calls in source.calls.items():
        for cell, call in calls:
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            within = (
                isinstance(owner, ast.Name | ast.Attribute)
                and (getattr(owner, "attr", "") or getattr(owner, "id", "")) == "optim"
            )
            if name == optimizer or (not optimizer and within):
                return source.site_of(call, Site(cell))
    return None


def beside(q: Question, those: Collection[int]) -> bool:
    """Whether others of the same model are among some parameters, by the first part of their names."""
    root, _, rest = q.name.replace("[", ".").partition(".")
    return bool(rest) and any(name.startswith(f"{root}.") for t in those for _, name, _, _ in q.run.index.bindings(t))


def _kept_in(q: Question, those: Collection[int]) -> tuple[Site | None, str, str] | None:
    """The container of a module that keeps a parameter from being listed: where it is filled, what it is, and its name with its
    line. The recorder names what lies in one by its index there, `net.hidden[0].weight`, and a module's own by its path."""
    run, source = q.run, q.paths.source
    if not beside(q, those):
        return None
    for _, name, _, _ in run.index.bindings(q.tensor):
        owner, bracket, _ = name.rpartition("[")
        path, _, attribute = owner.rpartition(".")
        if not bracket or not path:
            continue
        for cell, _, value in source.values(f"self.{attribute}"):
            made = next((word for kind, word in _CONTAINERS.items() if isinstance(value, kind)), "")
            if made:
                site = source.site_of(value, Site(cell))
                return site, made, f"{attribute} ({run.site_text(site)})"
        return None, "list or dict", attribute
    return None


def _made_and_not_stepped(q: Question) -> Reason | None:
    """The answer where the optimizer that is given the parameter's model never steps, and others do."""
    run = q.run
    head = re.match(r"\w+", q.name)
    for made in optimizers(run):
        words = {node.id for node in ast.walk(made.call) if isinstance(node, ast.Name)} if head is not None else set()
        if head is None or head[0] not in words or methods(run, made.name, "step"):
            continue
        if not run.optimized.isdisjoint(q.predecessors):
            continue
        return q.because(
            "not_stepped",
            f"{q.name} does not move because step() of {made.name} ({run.site_text(made.site)}), which is made with it, is "
            "never called",
            "backward() computes gradients; only step() changes the parameters, those of its own optimizer.",
            f"Call {made.name}.step() after backward().",
            step=run.optimizer_steps[-1][0],
            site=made.site,
            nodes=[q.tensor],
        )
    return None


def _not_stepped(q: Question) -> Reason:
    """No optimizer stepped at all."""
    run, made = q.run, constructor(q, "")
    backwards: list[Pass] = [entry for entry in q.passes if entry.via == "backward"]
    last = backwards[-1].began if backwards else q.history.born
    if made is None:
        return q.because(
            "not_stepped",
            f"{q.name} does not move because nothing updates it: there is no optimizer, and no line changes it by its gradient",
            "backward() computes gradients and leaves the parameters as they are.",
            f"Use an optimizer, or update by hand: with torch.no_grad(): {q.name} -= 0.01 * {q.name}.grad",
            step=last,
            nodes=[q.tensor],
        )
    return q.because(
        "not_stepped",
        f"{q.name} does not move because step() of the optimizer ({run.site_text(made)}) is never called",
        f"backward() {'at ' + run.where(last) + ' ' if backwards else ''}computes gradients; only step() changes "
        "the parameters.",
        "Call step() after backward().",
        step=last,
        nodes=[q.tensor],
    )


def copied_from(q: Question, tensor: int) -> bool:
    """Whether a tensor holds values of the one that is asked about, copied or taken out of the graph."""
    run = q.run
    for _ in range(8):
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if len(given) != 1 or not (event.op in run.having("alias") or event.op in run.having("leaf") or event.op == "clone"):
            return False
        (tensor,) = given
        if tensor == q.tensor:
            return True
    return False
