"""Rules about weights of losses that are trained themselves."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...graph.numbers import number
from ...recording.events import NOTHING, OpRan, Stepped
from ...recording.index import Pass
from ..mending import Changes, replaced, spot
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

LOSSES_WEIGHTED_FREELY = Kind(
    "losses_weighted_freely",
    "warning",
    "Losses are multiplied by trained weights that cost nothing: the sum becomes smaller as soon as these do.",
    mechanical=True,
)

_FEW = 64
"""Elements of a parameter that may be weights of losses."""
_TERMS = 200
"""Tensors of a sum that are looked at."""
_UPDATES = 3
"""Updates of the weights by which it shows where they go."""
_BACK = 8
"""Operations between a loss and what it sums up or averages."""


class Weighed(NamedTuple):
    """A term of a pass's root: a parameter, or an element of one, or what is computed from that element by element, times a
    loss."""

    step: int
    leaf: int
    weight: int
    """The leaf or a view of it, or what is computed from that: `exp(-s)`."""
    loss: int
    element: int
    """The leaf or a view of it."""
    divides: bool = False
    """Whether the loss is divided by it."""


class Sum(NamedTuple):
    """What a pass's root adds up."""

    weighed: list[Weighed]
    terms: int


@rule(150, LOSSES_WEIGHTED_FREELY)
def losses_weighted_freely(run: Run) -> Iterator[Finding]:
    """A pass begins at a sum with terms that are a trained parameter, or a function of it alone, times a loss, and these
    weights have become smaller."""
    small = {leaf for leaf in run.updates if math.prod(run.tensors[leaf].info.shape) <= _FEW}
    sums = [(entry, _summed(run, entry, small)) for entry in (run.first_passes if small else ())]
    told: set[int] = set()
    for leaf in sorted({w.leaf for _, found in sums for w in found.weighed}):
        filling = [(entry, found) for entry, found in sums if leaf in entry.fills]
        if leaf in told or not filling or not _own_updates(run, leaf):
            continue
        if any(found.terms < 2 or all(w.leaf != leaf for w in found.weighed) for _, found in filling):
            continue
        entry, found = filling[0]
        if not _free(run, leaf, entry, found):
            continue
        alike = [
            leaf,
            *(o for o in {w.leaf for w in found.weighed} - {leaf} if _own_updates(run, o) and _free(run, o, entry, found)),
        ]
        told |= set(alike)
        yield _found(run, entry, sorted(w for w in found.weighed if w.leaf in alike), leaf)


def _as_it_is(weighed: Weighed) -> bool:
    """Whether a loss is multiplied by a parameter or an element of it, not by what is computed from that."""
    return weighed.weight == weighed.element and not weighed.divides


def _free(run: Run, leaf: int, entry: Pass, found: Sum) -> bool:
    """Whether a leaf multiplies losses and does nothing else, and falls."""
    mine = [w for w in found.weighed if w.leaf == leaf]
    return (
        bool(mine)
        and all(_is_loss(run, w.loss) for w in mine)
        and (_falls(run, leaf, entry) if all(_as_it_is(w) for w in mine) else _fades(run, entry, mine))
        and not _used_otherwise(run, leaf, entry, mine)
    )


def _found(run: Run, entry: Pass, weighed: list[Weighed], leaf: int) -> Finding:
    first = weighed[0]
    if not _as_it_is(first):
        return _found_computed(run, entry, weighed)
    weight, loss = run.title(first.weight), run.title(first.loss)
    before, after = _values(run, leaf, entry.began), _values(run, leaf, run.updates[leaf][-1])
    leaves = list(dict.fromkeys(w.leaf for w in weighed))
    return finding(
        run, LOSSES_WEIGHTED_FREELY,
        f"{run.names(leaves)} weigh{'s' * (len(leaves) == 1)} the losses, and {'is' if len(leaves) == 1 else 'are'} trained to "
        "make their sum small.",
        f"The derivative by {weight} is {loss} itself, which is positive: each step makes the weight smaller, whatever the "
        "model gives. "
        f"{run.title(leaf)} went from {before} to {after}. The total falls, the losses need not; below zero a weight makes "
        "the optimizer raise its loss.",
        f"Let a small weight cost something: torch.exp(-{weight}) * {loss} + {weight}, with a parameter that begins at zero. "
        "Or weigh by fixed numbers.",
        step=first.step,
        related=[run.site(w.step) for w in weighed[1:4]],
        evidence=[("weights at first", before), ("weights at the end", after), ("updates", str(len(run.updates[leaf])))],
        nodes=[key(t) for w in weighed[:10] for t in (w.leaf, w.loss)],
        changes=_with_cost(run, weighed),
    )  # fmt: skip


def _found_computed(run: Run, entry: Pass, weighed: list[Weighed]) -> Finding:
    """What is said of weights that are computed from parameters."""
    first = weighed[0]
    weight, loss, element = run.title(first.weight), run.title(first.loss), run.title(first.element)
    leaves = list(dict.fromkeys(w.leaf for w in weighed))
    last = _last_like(run, entry, first.leaf)
    before, after = _weights(run, weighed), _weights(run, last)
    variance = _is_inverse_exponential(run, first)
    term, what = (f"{loss} / {_bracketed(weight)}", "divisor") if first.divides else (f"{weight} * {loss}", "weight")
    product = spot(run, run.site(first.step))
    if product is not None and isinstance(product.node, ast.BinOp):
        term = product.text()  # in the names that it has there
    cost = f"+ {element}" if variance else f"{'+' if first.divides else '-'} torch.log({weight})"
    return finding(
        run, LOSSES_WEIGHTED_FREELY,
        f"{run.names(leaves)} go{'es' * (len(leaves) == 1)} to where the losses weigh nothing: a small weight costs nothing.",
        f"{run.title(leaves[0])} is in the loss by {term} alone. Both are positive, so each step makes the {what} "
        f"{'larger' if first.divides else 'smaller'}, whatever the model gives: the {what}s went from {before} to {after}. The "
        "total falls, the losses need not, and the gradients that the model learns by fall with it.",
        f"{'Add the logarithm that belongs to it' if variance else 'Let a small weight cost something'}: {term} {cost}. Or "
        "weigh by fixed numbers.",
        step=first.step,
        related=[run.site(w.step) for w in weighed[1:4]],
        evidence=[
            (f"{what}s at first", before), (f"{what}s at the end", after), ("updates", str(len(run.updates[first.leaf])))
        ],
        nodes=[key(t) for w in weighed[:10] for t in (w.leaf, w.loss)],
        changes=_with_logarithm(run, weighed) if variance else [],
    )  # fmt: skip


def _bracketed(text: str) -> str:
    """An expression as a divisor."""
    return text if re.fullmatch(r"[\w.]+|\(.*\)|[\w.]+[(\[][^()\[\]]*[)\]]", text) else f"({text})"


def _last_like(run: Run, entry: Pass, leaf: int) -> list[Weighed]:
    """What a leaf weighs in the last pass that begins where another one does."""
    site = run.site(entry.began)
    last = next(each for each in reversed(run.passes) if run.site(each.began) == site)
    return [w for w in _summed(run, last, {leaf}).weighed if w.leaf == leaf]


def _fades(run: Run, entry: Pass, weighed: list[Weighed]) -> bool:
    """Whether the weights that are computed from a leaf are positive and smaller in the last pass than in this one."""
    last = _last_like(run, entry, weighed[0].leaf)
    before = [run.values(w.weight, w.step) for w in sorted(weighed)]
    after = [run.values(w.weight, w.step) for w in sorted(last)]
    if len(before) != len(after):
        return False
    return all(
        a is not None and b is not None and a.shape == b.shape and bool(((b < a) if w.divides else (a < b)).all())
        and bool((a > 0).all() and (b > 0).all())
        for a, b, w in zip(after, before, sorted(weighed), strict=True)
    )  # fmt: skip


def _weights(run: Run, weighed: list[Weighed]) -> str:
    return ", ".join(_values(run, w.weight, w.step) for w in sorted(weighed)[:4]) + ", …" * (len(weighed) > 4)


def _is_inverse_exponential(run: Run, weighed: Weighed) -> bool:
    """Whether a weight is exp(-s) of an element, as one over a variance is written."""
    event = run.tensors[weighed.weight].op
    if "exponential" not in run.traits(event.op) or len(run.inputs(event)) != 1 or weighed.divides:
        return False
    (inner,) = run.inputs(event)
    here, there = run.values(inner, weighed.step), run.values(weighed.element, weighed.step)
    given = run.inputs(run.tensors[inner].op)
    if here is None or there is None or here.shape != there.shape or len(given) != 1 or given[0] != weighed.element:
        return False
    return "additive" in run.traits(run.tensors[inner].op.op) and bool(np.array_equal(here, -there))


def _with_logarithm(run: Run, weighed: list[Weighed]) -> Changes:
    """Each product of exp(-s) and a loss with s beside it."""
    changes: Changes = []
    for step in dict.fromkeys(w.step for w in weighed):
        site = run.site(step)
        found = spot(run, site)
        one = next(w for w in weighed if w.step == step)
        if found is None or run.tensors[one.weight].info.shape != run.tensors[one.loss].info.shape:
            return []
        match found.node:
            case (
                ast.BinOp(op=ast.Mult(), left=ast.Call(args=[ast.UnaryOp(op=ast.USub(), operand=operand)]))
                | ast.BinOp(op=ast.Mult(), right=ast.Call(args=[ast.UnaryOp(op=ast.USub(), operand=operand)]))
            ) if isinstance(operand, ast.Name | ast.Attribute | ast.Subscript):
                changes += replaced(run, site, f"({found.text()} + {found.program.lines.of(operand)})")
            case _:
                return []
    return list(dict.fromkeys(changes))


def _own_updates(run: Run, leaf: int) -> bool:
    """Whether nothing but an optimizer has changed a leaf since its first update, often enough to see where it goes."""
    updates = run.updates[leaf]
    if len(updates) < _UPDATES or any(not isinstance(run.events[step], Stepped) for step in updates[:_UPDATES]):
        return False
    writes = run.writes.get(leaf, [])
    return bool(run.index.stepping[np.array(writes[bisect_left(writes, updates[0]) :], np.int64)].all())


def _summed(run: Run, entry: Pass, leaves: set[int]) -> Sum:
    """The terms of a pass's root; all that is subtracted, or is multiplied by anything but a positive number, is one term."""
    found = Sum([], 0)
    if entry.event.via != "backward" or len(entry.event.roots) != 1:
        return found
    additive, minus = run.having("additive"), run.having("difference")
    through = run.having("same_values") | run.having("joins") | run.having("reduces")
    terms, stack = 0, [entry.event.roots[0][0]]
    if math.prod(run.tensors[stack[0]].info.shape) != 1:
        return found
    for _ in range(_TERMS):
        if not stack:
            return found._replace(terms=terms)
        tensor = stack.pop()
        step, event = run.op_of(tensor)
        given = run.inputs(event)
        if event.node is None or not given or math.prod(run.tensors[tensor].info.shape) > _FEW:
            terms += 1
        elif event.op in additive and (len(given) > 1 or event.op in run.having("commutative")):
            stack += given[:1] if event.op in minus else given
            terms += event.op in minus
        elif _scaled(run, event) or (event.op in through and all(_single(run, t) for t in _parts(run, given))):
            stack += given[:1] if _scaled(run, event) else given
        elif event.op in run.having("product") and (pair := _pair(run, given, leaves)) is not None:
            parts = _parts(run, pair[2:3])
            found.weighed.append(Weighed(step, *pair))
            terms += len(parts)
        elif event.op in run.having("division") and (pair := _pair(run, given[::-1], leaves, 1)) is not None:
            found.weighed.append(Weighed(step, *pair, divides=True))
            terms += len(_parts(run, pair[2:3]))
        else:
            terms += 1
    return Sum([], 0)


def _scaled(run: Run, event: OpRan) -> bool:
    """Whether an operation multiplies or divides by a positive number."""
    given = run.inputs(event)
    if len(given) != 1 or not (event.op in run.having("division") or event.op in run.having("product")):
        return False
    return run.number(event) > 0 and event.inputs[0].tensor == given[0]


def _single(run: Run, tensor: int) -> bool:
    return math.prod(run.tensors[tensor].info.shape) <= _FEW


def _parts(run: Run, tensors: list[int] | tuple[int, ...]) -> list[int]:
    """The tensors that others join, or themselves."""
    found: list[int] = []
    for tensor in tensors:
        beneath = run.beneath_views(tensor)
        event = run.tensors[beneath].op
        joined = event.op in run.having("joins") and len(run.inputs(event)) <= _FEW
        found += run.inputs(event) if joined else [tensor]
    return found


def _pair(run: Run, given: list[int], leaves: set[int], most: int = 2) -> tuple[int, int, int, int] | None:
    """A leaf, what stands for it, an element of it or what is computed from that in a product, the other factor, and the
    leaf or the element. The first `most` of what an operation is given may be it."""
    if len(given) != 2:
        return None
    for weight, loss in (given, given[::-1])[:most]:
        element = _element(run, weight)
        leaf = _base(run, element)
        if leaf in leaves and _base(run, loss) not in leaves:
            return leaf, weight, loss, element
    return None


def _base(run: Run, tensor: int) -> int:
    """The tensor that another is a view of, one of several that an operation gave among them: `for s in log_vars`."""
    for _ in range(_BACK):
        tensor = run.beneath_views(tensor)
        info = run.tensors[tensor].info
        if info.view_of == NOTHING:
            break
        tensor = info.view_of
    return tensor


def _element(run: Run, weight: int) -> int:
    """What a weight is computed from, element by element, and from nothing else; the weight itself where there is no such
    thing, or it is kept within bounds."""
    for _ in range(_BACK):
        event = run.tensors[weight].op
        given, traits = run.inputs(event), run.traits(event.op)
        if len(given) != 1 or event.node is None or "elementwise" not in traits or "flat_outside" in traits:
            break
        (weight,) = given
    return weight


def _is_loss(run: Run, tensor: int) -> bool:
    """Whether a factor is one number, or several joined, each positive and made of many elements that are trained."""
    for part in _parts(run, (tensor,)):
        info = run.tensors[part].info
        value = run.scalar(info.array) if math.prod(info.shape) == 1 and info.requires_grad else None
        if value is None or value <= 0 or not _made_of_many(run, part):
            return False
    return True


def _made_of_many(run: Run, tensor: int) -> bool:
    queue = [tensor]
    for source in queue:
        event = run.tensors[source].op
        given = run.inputs(event)
        if event.node is None or len(queue) > 4 * _BACK:
            continue
        many = any(math.prod(run.tensors[t].info.shape) > 1 for t in given)
        if many and event.op not in run.having("same_values"):
            return True
        queue += [t for t in given if t not in queue] if not many else []
    return False


def _falls(run: Run, leaf: int, entry: Pass) -> bool:
    """Whether all of a leaf's elements are smaller at the end than they were at a pass."""
    last = run.updates[leaf][-1]
    before, after = run.values(leaf, entry.began), run.values(leaf, last)
    if before is None or after is None or last <= entry.began or not np.isfinite(after).all():
        return False
    return bool((after < before).all())


def _used_otherwise(run: Run, leaf: int, entry: Pass, weighed: list[Weighed]) -> bool:
    """Whether before a pass anything else is computed from a leaf with a gradient than its products with losses."""
    updates, products = run.updates[leaf], {w.step for w in weighed}
    position = bisect_left(updates, entry.began)
    since = updates[position - 1] if position else NOTHING
    queue, views = [leaf], run.having("same_values")
    for tensor in queue:
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not since < step < entry.began or not isinstance(event, OpRan) or event.node is None or step in products:
                continue
            alone = len(run.inputs(event)) == 1 and "elementwise" in run.traits(event.op)
            parts = bool(event.outputs) and all(info.view_of == tensor for info in event.outputs)
            if not (event.op in views or alone or parts) or len(queue) > 2 * _FEW:
                return True
            queue += [info.id for info in event.outputs]
    return False


def _values(run: Run, leaf: int, step: int) -> str:
    values = run.values(leaf, step)
    if values is None:
        return "…"
    shown = [number(float(value)) for value in values.reshape(-1)[:6]]
    return ", ".join(shown) + (", …" if values.size > len(shown) else "")


def _with_cost(run: Run, weighed: list[Weighed]) -> Changes:
    """Each product as a loss divided by its variance, with the logarithm of that beside it."""
    changes: Changes = []
    for step in dict.fromkeys(w.step for w in weighed):
        site = run.site(step)
        found = spot(run, site)
        node = found.node if found is not None else None
        if found is None or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            return []
        pair, event = next(w for w in weighed if w.step == step), run.events[step]
        left = isinstance(event, OpRan) and run.inputs(event)[0] == pair.weight
        weight, loss = (node.left, node.right) if left else (node.right, node.left)
        if not isinstance(weight, ast.Name | ast.Attribute | ast.Subscript) or run.tensors[pair.weight].info.shape:
            return []
        text, other = found.program.lines.of(weight), found.program.lines.of(loss)
        changes += replaced(run, site, f"(torch.exp(-{text}) * {other} + {text})")
    return changes if run.words["torch"] else []
