"""Rules about returns: what comes of an action, counted from the end of an episode, and what an episode's end leaves out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .. import mending
from ..paths import paths_of
from ..program_ast import Source, site_of
from ..ran import first_step_at
from ..reason import Finding, Kind
from ..run import Run, finding
from .registry import rule

RETURNS_REVERSED = Kind(
    "returns_reversed", "warning",
    "Returns are computed from the end of an episode and kept in that order, beside log-probabilities from its beginning.",
    mechanical=True, settled=True,
)  # fmt: skip
END_UNUSED = Kind(
    "end_unused", "hint", "The target of a value goes on behind the end of an episode: what says where it ends is used nowhere."
)

_ENDS = re.compile(r"(?:not_?|non_?)?(?:dones?|terminals?|terminated|done_mask|dones_mask)(?:_batch|_b)?", re.IGNORECASE)
"""The names of what says that an episode is over."""
_TURNING = re.compile(r"reversed?|flip\w*|insert|appendleft")
"""The names of what turns a list around, or fills it from its front."""
_DISCOUNTS = re.compile(r"gamma|discount(?:_factor)?", re.IGNORECASE)


@rule(71, RETURNS_REVERSED)
def returns_reversed(run: Run) -> Iterator[Finding]:
    """`for r in reversed(rewards): R = r + gamma * R; returns.append(R)`, and the list is never turned around."""
    source = paths_of(run.recording).source
    turning = _turning(source)
    for cell, call in source.calls.get("append", ()):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=kept)), args=[ast.Name(id=total)]):
                pass
            case _:
                continue
        loop = next((a for a in source.around(call) if isinstance(a, ast.For)), None)
        if loop is None or not _from_the_end(loop.iter) or not _discounted(loop, total):
            continue
        own = set(ast.walk(loop.iter))
        if any(node not in own for node in turning):
            continue  # that may be the list
        step = first_step_at(run, cell, (loop.end_lineno or loop.lineno) + 1)
        if step is None or "log_prob" not in run.recording.source[cell]:
            continue
        site = site_of(cell, call)
        yield finding(
            run, RETURNS_REVERSED,
            f"{kept} begins with the last step of the episode: each action is credited with what came of another one.",
            f"The loop at {run.site_text(site_of(cell, loop))} goes from the end to the beginning, and append() puts each "
            f"return behind that of the step after it. Nothing turns {kept} around, and the log-probabilities stand in the "
            "order of time.",
            f"Put each in front: {kept}.insert(0, {total}), or turn the list around after the loop.",
            step=step, site=site, related=[site_of(cell, loop)], evidence=[("order of the loop", ast.unparse(loop.iter))],
            changes=mending.replaced(run, site, f"{kept}.insert(0, {total})"),
        )  # fmt: skip


@rule(72, END_UNUSED)
def end_unused(run: Run) -> Iterator[Finding]:
    """`target = r + gamma * next_value` in a function that has `done` at hand and reads it nowhere."""
    source = paths_of(run.recording).source
    read = {
        node.id
        for node in source.parents
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not _is_own_conversion(source, node)
    }
    names = [name for name in source.assigned if _ENDS.fullmatch(name) and name not in read and _is_unpacked(source, name)]
    for name in names[:1]:
        cell, statement, _ = source.assigned[name][0]
        assert isinstance(statement, ast.stmt | ast.expr)
        for node in source.parents:
            target = node if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else None
            if target is None or source.function(target) is not source.function(statement):
                continue
            following = _discounted_value(target.right) or _discounted_value(target.left)
            step = first_step_at(run, cell, target.lineno, target.end_lineno or target.lineno)
            if following is None or step is None or target.lineno < getattr(statement, "lineno", 0):
                continue
            site = site_of(cell, target)
            yield finding(
                run, END_UNUSED,
                f"{ast.unparse(target)} goes on behind the end of an episode: {name} is read nowhere.",
                f"{name} ({run.site_text(site_of(cell, statement))}) says where an episode is over. What would come after that "
                "is worth nothing, and is added all the same: values are learned too high, by what other episodes begin with.",
                f"Multiply what follows by what goes on: {ast.unparse(following)} * (1 - {name}).",
                step=step, site=site, related=[site_of(cell, statement)], evidence=[(f"uses of {name}", "0")],
            )  # fmt: skip
            return


def _from_the_end(node: ast.expr) -> bool:
    """Whether a loop goes through something from its end."""
    match node:
        case ast.Call(func=ast.Name(id="reversed")):
            return True
        case ast.Call(func=ast.Name(id="enumerate" | "zip"), args=[*args]):
            return bool(args) and all(_from_the_end(each) for each in args)
        case ast.Subscript(
            slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)))
        ):
            return True
    return False


def _discounted(loop: ast.For, total: str) -> bool:
    """Whether a name is given, in each turn, something plus a share of itself."""
    for node in ast.walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.Add()) as value) if name == total:
                products = [n for n in ast.walk(value) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
                return any(isinstance(n, ast.Name) and n.id == total for each in products for n in ast.walk(each))
    return False


def _turning(source: Source) -> list[ast.AST]:
    """Where the program turns something around."""
    found: list[ast.AST] = []
    for node in source.parents:
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if _TURNING.fullmatch(name):
                found.append(node)
            case ast.Subscript(slice=ast.Slice(step=ast.UnaryOp())):
                found.append(node)
    return found


def _is_unpacked(source: Source, name: str) -> bool:
    """Whether a name is one of several that something is taken apart into."""
    for _, statement, _ in source.assigned[name]:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if isinstance(target, ast.Tuple) and len(target.elts) > 3:
            return True
    return False


def _is_own_conversion(source: Source, node: ast.Name) -> bool:
    """Whether a name is read only to give it the same anew, as a tensor: `done = torch.tensor(done)`."""
    statement = source.statement(node)
    if not isinstance(statement, ast.Assign):
        return False
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return any(
            isinstance(one, ast.Name) and one.id == node.id and node in ast.walk(other)
            for one, other in zip(target.elts, value.elts, strict=True)
        )
    return isinstance(target, ast.Name) and target.id == node.id


def _discounted_value(node: ast.expr) -> ast.expr | None:
    """A product with a discount, and nothing else in it than the name or result of what follows."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return None
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if _DISCOUNTS.fullmatch(ast.unparse(one).rpartition(".")[2]) and not isinstance(other, ast.BinOp):
            return node
    return None
