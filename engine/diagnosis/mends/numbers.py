"""What mends operations at the edge of where they are defined: an epsilon, a clamp, a stable form."""

from __future__ import annotations

import ast

from ...recording.events import OpRan, Site
from ..mending import Changes, argument_at, call_of, keyword, site_of, spot, with_call, wrapped
from ..run import Run


def kept_inside(run: Run, step: int, *, backward: bool) -> Changes:
    """The input of an operation is kept away from where the operation, or its derivative, is not finite."""
    event, site = run.events[step], run.site(step)
    if not isinstance(event, OpRan):
        return []
    traits = run.traits(event.op)
    if "logarithm" in traits:
        return with_call(run, _input(run, site), "clamp(min=1e-8)")
    if "root" in traits:
        return _added(run, _input(run, site), "1e-12") if backward else with_call(run, _input(run, site), "clamp(min=0)")
    if "arc" in traits:
        return with_call(run, _input(run, site), "clamp(-1 + 1e-6, 1 - 1e-6)")
    if "division" in traits:
        return _divisor(run, site)
    if "exponential" in traits:
        return with_call(run, _input(run, site), "clamp(max=80)")
    if event.op.startswith(("std", "var")) and not backward:
        return keyword(run, site, "correction", "0")
    if event.op.startswith("pow") or "norm" in event.op:
        return _added(run, _input(run, site), "1e-12")
    return []


def _input(run: Run, site: Site | None) -> Site | None:
    """What an operation is computed from: the tensor that a method belongs to, the first argument of a function, or the left
    side of an operator."""
    found = spot(run, site)
    call = call_of(found)
    if found is None:
        return None
    if isinstance(found.node, ast.BinOp):
        return site_of(found.cell, found.node.left)
    if call is None:
        return None
    given = argument_at(run, site, 0, "input")
    if isinstance(call.func, ast.Attribute) and not (
        isinstance(call.func.value, ast.Name) and call.func.value.id in ("torch", "F", "np", "math", "functional")
    ):
        return site_of(found.cell, call.func.value)
    return given


def _divisor(run: Run, site: Site | None) -> Changes:
    found = spot(run, site)
    if found is not None and isinstance(found.node, ast.BinOp | ast.AugAssign):
        right = found.node.right if isinstance(found.node, ast.BinOp) else found.node.value
        return _added(run, site_of(found.cell, right), "1e-8")
    call = call_of(found)
    if found is None or call is None:
        return []
    return _added(run, argument_at(run, site, len(call.args) - 1), "1e-8") if call.args else []


def _added(run: Run, site: Site | None, epsilon: str) -> Changes:
    found = spot(run, site)
    above = found.program.parents.get(found.node) if found is not None else None
    alone = isinstance(above, ast.Call) and found is not None and found.node in above.args
    return wrapped(run, site, "" if alone else "(", f" + {epsilon}" if alone else f" + {epsilon})")


def let_through(run: Run, step: int) -> Changes:
    """A rounded value whose gradient is that of the value: `x + (round(x) - x).detach()`."""
    found = spot(run, run.site(step))
    given = spot(run, _input(run, run.site(step)))
    if found is None or given is None or not isinstance(found.node, ast.Call):
        return []
    x, whole = given.text(), found.text()
    x = x if isinstance(given.node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({x})"
    return wrapped(run, run.site(step), f"({x} + (", f" - {x}).detach())") if "\n" not in whole else []
