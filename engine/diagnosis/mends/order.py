"""What mends the order of a training loop: clipping, modes, schedules and steps at the right moment."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import msgspec

from ...recording.events import Site
from ..mending import (
    Changes,
    after,
    before,
    beside,
    dropped,
    keyword,
    loop_around,
    moved,
    receiver_at,
    replaced,
    spot,
    statement_at,
    text_at,
)
from ..run import Run
from .training import DOTTED


def clip_moved(run: Run, clip: Site, step: int) -> Changes:
    """A call that clips gradients written right before the step that uses them."""
    return moved(run, clip, before=beside(run, step, clip) or run.site(step))


def stepped_once(run: Run, again: int, first: int, others: Iterable[int]) -> Changes:
    """One of two steps in a row left out: the second, or the first where the second one stands for other passes, too."""
    here, there = run.site(again), run.site(first)
    if here == there:
        return []
    return dropped(run, there if any(run.site(step) == here for step in others) else here)


def stepped_instead(run: Run, step: int, optimizer: str) -> Changes:
    """A step that another optimizer makes."""
    return replaced(run, receiver_at(run, run.site(step)), optimizer)


def trained_mode(run: Run, called: Site | None) -> Changes:
    """`train()` of a model right before it is called for training."""
    name = _called(run, called)
    return before(run, called, f"{name}.train()") if name else []


def evaluated_mode(run: Run, called: Site | None, trained: bool) -> Changes:
    """A model put into evaluation mode right before it is called for one, and back into training where that goes on."""
    name = _called(run, called)
    if not name:
        return []
    return [*before(run, called, f"{name}.eval()"), *(after(run, called, f"{name}.train()") if trained else [])]


def _called(run: Run, site: Site | None) -> str:
    """The name of the model that the call at a site calls, or that is called within it."""
    found = spot(run, site)
    node = found.node if found is not None else None
    node = node.value if isinstance(node, ast.Expr) else node
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return name if DOTTED.fullmatch(name) else ""


def told_the_mode(run: Run, site: Site) -> Changes:
    """Dropout that is told of the module's mode."""
    return keyword(run, site, "training", "self.training")


def stepped_per_epoch(run: Run, step: Site) -> Changes:
    """A schedule's step written after the loop over the batches that it stands in."""
    loop, statement = loop_around(run, step), statement_at(run, step)
    rest = dropped(run, step)
    if loop is None or statement is None or len(rest) != 1:
        return []
    text = text_at(run, statement)
    if loop.end_line > statement.end_line:
        return [*rest, *after(run, loop, text)]
    # It is the loop's last line, and becomes the first one behind it.
    whole = rest[0].end_column == 0 and rest[0].end_line > statement.end_line
    return [msgspec.structs.replace(rest[0], text=f"{' ' * loop.column}{text}\n")] if whole and not rest[0].text else []


def stepped_per_batch(run: Run, schedule: Site, step: int) -> Changes:
    """A schedule's step written after the optimizer's."""
    return moved(run, schedule, after=run.site(step))


def step_called(run: Run, name: str, backward: Site | None) -> Changes:
    """A step after the backward pass, in place of one that only names the method."""
    found = [] if not DOTTED.fullmatch(name) else after(run, backward, f"{name}.step()")
    return found


def cleared_after_step(run: Run, clear: Site | None, step: Site | None) -> Changes:
    """A `zero_grad()` written after the step that has used the gradients."""
    return moved(run, clear, after=step)


def cleared_before_pass(run: Run, clear: Site | None, backward: Site | None) -> Changes:
    """A `zero_grad()` written before the backward pass whose gradients it threw away."""
    return moved(run, clear, before=backward)


def loss_divided(run: Run, backward: Site | None, number: str) -> Changes:
    """The loss divided by a number where its backward pass begins."""
    loss = receiver_at(run, backward)
    text = text_at(run, loss)
    return replaced(run, loss, f"({text} / {number})") if text and statement_at(run, backward) is not None else []


def made_once(run: Run, made: Site, loop: Site) -> Changes:
    """What a loop makes anew in every iteration made before it."""
    statement = statement_at(run, made)
    return [*dropped(run, statement), *before(run, loop, text_at(run, statement))]
