"""What mends losses that are given the wrong thing: scores instead of probabilities, another loss, one shape for both."""

from __future__ import annotations

import ast

from ...program.parsing import last_name
from ...recording.events import OpRan, Site
from ..mending import (
    Changes,
    argument_at,
    call_of,
    definition_of,
    receiver_at,
    renamed,
    replaced,
    site_of,
    sites_at,
    spot,
    text_at,
    with_call,
    without_argument,
    without_call,
    without_function,
)
from ..paths import paths_of
from ..run import Run

MODULES = {"nll_loss": "NLLLoss", "cross_entropy": "CrossEntropyLoss", "binary_cross_entropy": "BCELoss",
           "binary_cross_entropy_with_logits": "BCEWithLogitsLoss", "softmax": "Softmax", "log_softmax": "LogSoftmax",
           "sigmoid": "Sigmoid"}  # fmt: skip
"""The modules that do what functions do."""


def unsquashed(run: Run, tensor: int) -> Changes:
    """Without the softmax or sigmoid that made a tensor."""
    step, event = run.op_of(tensor)
    made = _made(run, step, event)
    if made is None:
        return []
    site, module = made
    if module:
        # One of the layers of a network, or a module with a name of its own: `self.softmax(x)`.
        return without_argument(run, site) or without_function(run, run.site(step))
    call = call_of(spot(run, site))
    if call is None:
        return []
    if _is_method(run, site, call):
        return without_call(run, site, last_name(call.func))
    given = argument_at(run, site, 0, "input")
    if given is None:
        return []
    found = spot(run, given)
    tight = found is not None and isinstance(found.node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return replaced(run, site, text_at(run, given) if tight else f"({text_at(run, given)})")


def another(run: Run, step: int, before: str, after: str) -> Changes:
    """Another function or module instead of the one that ran at a step: `nll_loss` becomes `cross_entropy`."""
    made = _made(run, step, run.events[step], before)
    if made is None:
        return []
    site, module = made
    return renamed(run, site, MODULES[after] if module else after)


def _made(run: Run, step: int, event: object, name: str = "") -> tuple[Site, bool] | None:
    """The call of a function at a step, or the one that made the module that did it (and whether it is that)."""
    name = name or (event.op if isinstance(event, OpRan) else "")
    module = MODULES.get(name, "")
    for site in sites_at(run, step):
        if _called(run, site) == name:
            return site, False
        made = definition_of(run, site)
        if made is not None and _called(run, made) == module:
            return made, True
    # Within a network of several layers it is not called by its name.
    calls = paths_of(run.recording).source.calls.get(module, [])
    return (site_of(*calls[0]), True) if len(calls) == 1 and module else None


def _called(run: Run, site: Site) -> str:
    call = call_of(spot(run, site))
    return last_name(call.func) if call is not None else ""


def _is_method(run: Run, site: Site, call: ast.Call) -> bool:
    """Whether what is called is a tensor's method, and no function of a module: those have names that are imported."""
    if not isinstance(call.func, ast.Attribute):
        return False
    base = call.func.value
    imported = {"torch", "F", "nn", "functional", "special"}
    return not (isinstance(base, ast.Name) and base.id in imported) and not (
        isinstance(base, ast.Attribute) and base.attr in imported
    )


def one_shape(run: Run, step: int, site: Site | None, given: tuple[int, ...], target: tuple[int, ...]) -> Changes:
    """Prediction and target of a loss get one shape: the one that lacks a dimension of size 1 gets it."""
    _, second = _operands(run, site)
    if len(given) == len(target) + 1 and given[-1] == 1 and given[:-1] == target:
        return with_call(run, second, "unsqueeze(-1)")
    if len(target) == len(given) + 1 and target[-1] == 1 and target[:-1] == given:
        return with_call(run, second, "squeeze(-1)")
    return []


def _operands(run: Run, site: Site | None) -> tuple[Site | None, Site | None]:
    """What a loss, a difference or a comparison is computed from."""
    found = spot(run, site)
    if found is not None and isinstance(found.node, ast.Compare) and len(found.node.comparators) == 1:
        return site_of(found.cell, found.node.left), site_of(found.cell, found.node.comparators[0])
    call = call_of(found)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr in ("eq", "ne") and len(call.args) == 1:
        return receiver_at(run, site), argument_at(run, site, 0)
    if found is not None and isinstance(found.node, ast.BinOp):
        return site_of(found.cell, found.node.left), site_of(found.cell, found.node.right)
    return argument_at(run, site, 0, "input"), argument_at(run, site, 1, "target")
