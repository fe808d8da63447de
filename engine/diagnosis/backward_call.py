"""The call of backward with which a program failed: what it was called on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.parsing import last_name
from ..recording.events import NOTHING, OpRan
from .paths import Paths

_BACK = 2_000
"""Steps before the failure in which what failed is looked for."""


def receiver(paths: Paths, step: int) -> int:
    """The tensor that backward was called on at a step, or that was given to it; NOTHING if it cannot be told."""
    run, source = paths.run, paths.source
    results = [
        (run.site(earlier), event.outputs[0].id)
        for earlier in range(step - 1, max(step - _BACK, -1), -1)
        if isinstance(event := run.events[earlier], OpRan) and event.outputs
    ]
    node = source.at(run.site(step))
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        given = _given(node)
        if isinstance(given, ast.Name):
            bound = run.named_at(given.id, step)
            if bound != NOTHING:
                return bound
        given_at = source.site_of(given, run.site(step))
        for site, tensor in results:
            if site == given_at:
                return tensor
    return next((tensor for _, tensor in results if run.tensors[tensor].op.op != "grad"), NOTHING)


def _given(call: ast.Call) -> ast.expr:
    """The expression for what a call of backward or grad starts from."""
    if not isinstance(call.func, ast.Attribute):
        given: ast.expr = call.args[0] if call.args else call
    elif last_name(call.func.value) in ("autograd", "torch") and call.args:
        given = call.args[0]
    else:
        given = call.func.value
    return given.elts[0] if isinstance(given, ast.List | ast.Tuple) and given.elts else given


def became_number(paths: Paths, step: int) -> Iterator[tuple[int, int]]:
    """The tensors whose values went into the number that backward was called on, each with the step of the read."""
    site = paths.run.site(step)
    node = paths.source.at(site)
    called = getattr(getattr(node, "func", node), "value", None)
    for read in paths.reads_behind(step, paths.source.site_of(called, site)):
        yield paths.tensor_read(read), read
