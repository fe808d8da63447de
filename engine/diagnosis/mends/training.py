"""What mends training loops: gradients cleared, steps and passes in their order, smaller steps."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ...program.changes import TextChange
from ...recording.events import NOTHING, Site, Stepped
from ..mending import (
    Changes,
    after,
    argument_at,
    before,
    beside,
    call_of,
    first_in,
    in_body,
    loop_around,
    moved,
    receiver_at,
    replaced,
    site_of,
    spot,
    statement_of,
    text_at,
)
from ..paths import paths_of
from ..run import Run

DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\w+\])*")
"""A name that can be written again as it is."""


def cleared_each_time(run: Run, first: int, update: int, backward: Site | None) -> Changes:
    """The gradients that an update uses, and an earlier one has used, are cleared once for each update."""
    site = run.site(update)
    if not isinstance(run.events[update], Stepped):
        return after(run, site, *(f"{name}.grad = None" for name in _updated(run, site)))
    name = text_at(run, receiver_at(run, site))
    if not DOTTED.fullmatch(name):
        return []
    clear = f"{name}.zero_grad()"
    call = call_of(spot(run, site))
    if call is not None and (call.args or call.keywords):
        return before(run, backward, clear)  # in the closure that it calls as often as it likes
    loop = loop_around(run, site)
    if loop is not None and _plainly_in(run, site, loop) and not _assigned_in(run, name, loop):
        return first_in(run, loop, clear)
    return after(run, site, clear) if run.site(first) == site else before(run, backward, clear)


def _updated(run: Run, site: Site | None) -> list[str]:
    """What a statement that updates by hand takes the `.grad` of, as it is written there."""
    found = statement_of(run, site)
    bases = [
        found.program.lines.of(node.value)
        for node in (ast.walk(found.node) if found is not None else ())
        if found is not None and isinstance(node, ast.Attribute) and node.attr == "grad"
    ]
    return [base for base in dict.fromkeys(bases) if DOTTED.fullmatch(base)]


def _plainly_in(run: Run, site: Site | None, loop: Site) -> bool:
    """Whether a statement runs in every turn of a loop: only blocks like `with` are in between."""
    found, around = statement_of(run, site), spot(run, loop)
    if found is None or around is None:
        return False
    node = found.program.parents.get(found.node)
    while isinstance(node, ast.With | ast.Try):
        node = found.program.parents.get(node)
    return node is around.node


def _assigned_in(run: Run, name: str, loop: Site) -> bool:
    values = paths_of(run.recording).source.values(name)
    return any(cell == loop.cell and loop.line <= getattr(at, "lineno", 0) <= loop.end_line for cell, at, _ in values)


def clear_moved(run: Run, clear: int, step: int, passes: Iterable[int]) -> Changes:
    """What clears the gradients stands before the backward passes, not between them and the step."""
    site = run.site(clear)
    for began in passes:
        target = in_body(run, beside(run, began, site), site)
        if target is not None:
            return moved(run, site, before=target)
    return moved(run, site, after=in_body(run, beside(run, step, site), site))


def step_moved(run: Run, step: int, backward: int) -> Changes:
    """The optimizer steps after the backward pass."""
    site = run.site(step)
    return moved(run, site, after=in_body(run, beside(run, backward, site), site)) if backward != NOTHING else []


def backward_called(run: Run, step: int) -> Changes:
    """backward() is called on the loss, which is the last single number with a graph that has a name, before a step."""
    site = run.site(step)
    named = [(s, e) for s, e in run.namings if s < step and run.status(e.tensor, s).requires_grad and "." not in e.name]
    losses = [e.name for s, e in named if math.prod(run.tensors[e.tensor].info.shape) == 1 and beside(run, s, site) is not None]
    if not losses:
        return []
    optimizer = text_at(run, receiver_at(run, site)) if isinstance(run.events[step], Stepped) else ""
    clear = [f"{optimizer}.zero_grad()"] if DOTTED.fullmatch(optimizer) and not run.words["zero_grad"] else []
    return before(run, site, *clear, f"{losses[-1]}.backward()")


_NUMBER = re.compile(r"(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)")


def smaller_steps(run: Run, rate: Site | None, update: int, losses: Sequence[float]) -> Changes:
    """The learning rate is divided by a power of ten: by the least that makes the steps shorter than to the minimum."""
    growth = max((b / a for a, b in pairwise(losses) if a > 0 and math.isfinite(b)), default=1.0)
    # Of a quadratic loss that grows by g in a step, the step is 1 + √g times as long as the way to the minimum.
    divisor = 10.0 ** max(1, min(math.ceil(math.log10(1 + math.sqrt(growth))), 8))
    if rate is not None:
        given = run.segment(rate).index("=") + 1
        number = _NUMBER.match(run.segment(rate), given + _spaces(run.segment(rate)[given:]))
        if number is None:
            return []
        column = rate.column + len(run.segment(rate)[: number.start()].encode())
        end = column + len(number[0].encode())
        return [TextChange(rate.cell, rate.line, column, rate.line, end, _divided(number[0], divisor))]
    argument = _given_rate(run, run.site(update))
    return replaced(run, argument, _divided(text_at(run, argument), divisor)) if argument is not None else []


def _given_rate(run: Run, update: Site | None) -> Site | None:
    """The number that stands for the learning rate: the second argument of the optimizer, or the only number of an update."""
    optimizer = spot(run, made(run, update))
    if optimizer is not None:
        rate = argument_at(run, site_of(optimizer.cell, optimizer.node), 1)
        return rate if _NUMBER.fullmatch(text_at(run, rate)) else None
    found = statement_of(run, update)
    nodes = list(ast.walk(found.node)) if found is not None else []
    numbers = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    return site_of(found.cell, numbers[0]) if found is not None and len(numbers) == 1 else None


def made(run: Run, update: Site | None) -> Site | None:
    """The call that made the optimizer whose step is at a site."""
    values = paths_of(run.recording).source.values(text_at(run, receiver_at(run, update)))
    calls = [(cell, value) for cell, _, value in values if isinstance(value, ast.Call)]
    return site_of(*calls[0]) if len(calls) == 1 and len(values) == 1 else None


def _spaces(text: str) -> int:
    return len(text) - len(text.lstrip())


def _divided(text: str, divisor: float) -> str:
    return f"{float(text) / divisor:.6g}"


def downhill(run: Run, update: int) -> Changes:
    """An update by hand subtracts instead of adding."""
    found = statement_of(run, run.site(update))
    if found is None or not isinstance(found.node, ast.AugAssign) or not isinstance(found.node.op, ast.Add):
        return []
    target = found.node.target
    between = found.program.lines.text[found.program.lines.span(target)[1] : found.program.lines.span(found.node.value)[0]]
    if "+=" not in between or "#" in between:
        return []
    line, column = found.place(found.program.lines.span(target)[1] + between.index("+="))
    return [TextChange(found.cell, line, column, line, column + 1, "-")]
