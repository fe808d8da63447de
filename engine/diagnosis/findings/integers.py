"""A rule about small integers, which begin again at one end of their range where they leave it at the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...recording.events import OpRan
from .. import mending
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

INTEGER_WRAPPED = Kind(
    "integer_wrapped", "warning", "Integers of 8 bits leave their range, and what they wrap around to is computed with.",
    mechanical=True,
)  # fmt: skip
_EXACT = {"+": np.add, "−": np.subtract, "×": np.multiply}
"""What is written with a symbol, as whole numbers without bounds."""
_SMALL = ("uint8", "int8")
_FAR = 8
"""Tensors made of the result among which floating point numbers are looked for."""


@rule(148, INTEGER_WRAPPED)
def integer_wrapped(run: Run) -> Iterator[Finding]:
    """`image - 128` of bytes: 90 - 128 is 218. Where integers stay integers this may be meant (a hash, a counter)."""
    told = set()
    for step, event in run.first_ops_of(run.having("infix")):
        site = run.site(step)
        if len(event.outputs) != 1 or event.outputs[0].dtype not in _SMALL or site in told:
            continue
        made = event.outputs[0]
        sides = _sides(run, step, event)
        exact = _EXACT.get(run.recording.ops[event.op].symbol)
        result = run.recording.array(made.array)
        if exact is None or sides is None or result is None or not _becomes_floating(run, made.id):
            continue
        try:
            right = np.broadcast_to(exact(*sides), result.shape)
        except ValueError:  # a forged recording's shapes need not fit
            continue
        wrong = right != result
        if not wrong.any():
            continue
        told.add(site)
        at = tuple(np.argwhere(wrong)[0])
        bounds = np.iinfo(made.dtype)
        many = f"{int(wrong.sum()):,} of {wrong.size:,}"
        instead = _converted_first(run, step)
        yield finding(
            run, INTEGER_WRAPPED,
            f"{run.expression(site)} wraps around in {many} entries: they leave the range of {made.dtype}.",
            f"{made.dtype} holds {bounds.min} to {bounds.max} and begins again at the other end: where the result should be "
            f"{int(right[at])} it is {int(result[at])}. These numbers are converted to floating point afterwards.",
            f"Convert first: {instead or 'call .float() on the tensor before'}.",
            step=step, site=site,
            evidence=[("entries that wrapped", many), ("dtype", made.dtype)],
            nodes=[key(made.id)],
            changes=mending.replaced(run, site, instead) if instead else [],
        )  # fmt: skip


def _sides(run: Run, step: int, event: OpRan) -> tuple[NDArray[Any] | int, NDArray[Any] | int] | None:
    """What stands on both sides of the symbol, as integers without bounds; None where it is not known, or no integer."""
    given: list[NDArray[Any] | int] = []
    for name in ("self", "other"):
        tensor = run.argument(event, name)
        values = run.values(tensor, step - 1) if tensor >= 0 else None
        text = run.setting(event, name)
        if values is not None and values.dtype.kind in "iub":
            given.append(values.astype(np.int64))
        elif tensor < 0 and text.lstrip("-").isdecimal() and len(text) < 10:
            given.append(int(text))
        else:
            return None
    if any(a.name == "alpha" and a.text not in ("", "1") for a in event.inputs):
        return None
    left, right = given
    return (right, left) if "swapped" in run.traits(event.op) else (left, right)


def _becomes_floating(run: Run, tensor: int) -> bool:
    """Whether floating point numbers are made of it."""
    queue = [tensor]
    for count, each in enumerate(queue):
        if count > _FAR:
            break
        for step in run.consumers.get(each, ()):
            event = run.events[step]
            for made in event.outputs if isinstance(event, OpRan) else ():
                if made.dtype.startswith(("float", "bfloat")):
                    return True
                queue.append(made.id)
    return False


def _converted_first(run: Run, step: int) -> str:
    """The expression with its tensor converted before; "" where it is written otherwise."""
    site = run.site(step)
    node = paths_of(run.recording).source.at(site)
    text = mending.text_at(run, site)
    if not isinstance(node, ast.BinOp) or not text:
        return ""
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    first, kept = (left, node.left) if not isinstance(node.left, ast.Constant) else (right, node.right)
    if not isinstance(kept, ast.Name | ast.Attribute | ast.Subscript | ast.Call) or text.count(first) != 1:
        return ""
    return text.replace(first, f"{first}.float()")
