"""What mends how parameters are kept: updates in place, layers in lists that modules know, optimizers made last."""

from __future__ import annotations

import ast
import re

from ...program.changes import TextChange
from ..mending import (
    Changes,
    Spot,
    argument_at,
    beside,
    call_of,
    dropped,
    in_body,
    instead,
    keyword,
    moved,
    receiver_at,
    renamed,
    replaced,
    site_of,
    sites_at,
    spot,
    statement_at,
    statement_of,
    text_at,
    with_call,
    wrapped,
)
from ..paths import paths_of
from ..run import Run
from .training import made


def updated_in_place(run: Run, step: int, name: str, recorded: bool) -> Changes:
    """`w = w - lr * w.grad` as `w -= lr * w.grad`, within no_grad, and its `.grad` cleared."""
    site = statement_at(run, run.site(step))
    found = spot(run, site)
    node = found.node if found is not None else None
    if found is None or not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.BinOp):
        return []
    left, sign = node.value.left, {ast.Sub: "-", ast.Add: "+"}.get(type(node.value.op))
    if sign is None or ast.unparse(node.targets[0]) != name or _plain(left) != name:
        return []
    text = found.program.lines.of(node.value)
    rest = text[text.index(sign, len(found.program.lines.of(left))) + 1 :].strip()
    lines = [f"{name} {sign}= {rest}"]
    if not re.search(rf"{re.escape(name)}\.grad(\.data)?(\.zero_\(|\s*=\s*None)", found.program.text):
        lines.append(f"{name}.grad = None")
    if recorded:
        lines = ["with torch.no_grad():", *("    " + line for line in lines)]
    return instead(run, site, *lines)


def _plain(node: ast.expr) -> str:
    """The text of a name, or of its `.data` or `.detach()`."""
    match node:
        case ast.Attribute(value=value, attr="data") | ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
            return ast.unparse(value)
    return ast.unparse(node)


def listed(run: Run, step: int) -> Changes:
    """Layers that were kept in a plain list or dict of a module are kept in one that the module knows."""
    for site in sites_at(run, step):
        found = spot(run, site)
        if found is not None and (changes := _in_container(run, found)):
            return changes
    return []


def _in_container(run: Run, found: Spot) -> Changes:
    source = paths_of(run.recording).source
    container: ast.expr | None = None
    for node in (found.node, *source.around(found.node)):
        if isinstance(node, ast.List | ast.ListComp | ast.Dict | ast.DictComp):
            container = node
        above = found.program.parents.get(node)
        if isinstance(above, ast.Assign) and container is node:
            return _known(found, run, container)
        if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and above.func.attr in ("append", "extend"):
            # `self.layers.append(nn.Linear(2, 2))`: the list was made elsewhere.
            lists = [(cell, v) for cell, _, v in source.values(ast.unparse(above.func.value)) if isinstance(v, ast.List)]
            if len(lists) == 1 and lists[0][0] == found.cell:
                return _known(found, run, lists[0][1])
    return []


def _known(found: Spot, run: Run, container: ast.expr) -> Changes:
    nn = "nn" if re.search(r"^[ \t]*(import torch\.nn as nn|from torch import .*\bnn\b)|;\s*import torch\.nn as nn",
                           found.program.text, re.MULTILINE) else "torch.nn"  # fmt: skip
    layers = "List" if isinstance(container, ast.List | ast.ListComp) else "Dict"
    of = "Parameter" if "Parameter(" in found.program.lines.of(container) else "Module"
    return wrapped(run, site_of(found.cell, container), f"{nn}.{of}{layers}(", ")")


def made_later(run: Run, step: int, born: int) -> Changes:
    """The optimizer is made after the parameters that it is to update."""
    optimizer = statement_at(run, made(run, run.site(step)))
    target = in_body(run, beside(run, born, optimizer), optimizer)
    if optimizer is None or target is None or (target.line, target.column) <= (optimizer.line, optimizer.column):
        return []
    return moved(run, optimizer, after=target)


def at_random(run: Run, step: int) -> Changes:
    """Weights that were given one value get random ones."""
    for site in sites_at(run, step):
        found = spot(run, site)
        call = call_of(found)
        if call is not None and ast.unparse(call.func).rpartition(".")[2] == "Parameter" and call.args:
            call = call.args[0] if isinstance(call.args[0], ast.Call) else None
        if found is None or call is None or not isinstance(call.func, ast.Attribute):
            continue
        name, base, site = call.func.attr, found.program.lines.of(call.func.value), site_of(found.cell, call)
        if name in ("zeros_", "ones_", "constant_") and call.args:
            given = found.program.lines.of(call.args[0])
            how = f"xavier_uniform_({given})" if given.endswith("weight") else f"normal_({given}, std=0.1)"
            return replaced(run, site, f"{base}.{how}")
        if name in ("zero_", "fill_"):
            return replaced(run, site, f"{base}.normal_(0, 0.1)")
        if name in ("zeros", "ones"):
            return renamed(run, site, "randn")
        if name == "full" and base == "torch" and len(call.args) >= 2:
            return [*renamed(run, site, "randn"), *_without_value(found, call)]
    return []


def _without_value(found: Spot, call: ast.Call) -> Changes:
    first, second = call.args[:2]
    ends = (first.end_lineno or 0, first.end_col_offset or 0, second.end_lineno or 0, second.end_col_offset or 0)
    return [TextChange(found.cell, *ends, "")]


def leaf_made_last(run: Run, tensor: int) -> Changes:
    """`w = torch.randn(3, requires_grad=True) * 0.1` as `w = (torch.randn(3) * 0.1).requires_grad_()`."""
    found = statement_of(run, run.site(run.tensors[tensor].born))
    node = found.node if found is not None else None
    if found is None or not isinstance(node, ast.Assign):
        return []
    calls = [
        part
        for part in ast.walk(node.value)
        if isinstance(part, ast.Call) and any(k.arg == "requires_grad" for k in part.keywords)
    ]
    if len(calls) != 1 or calls[0] is node.value:
        return []
    whole = with_call(run, site_of(found.cell, node.value), "requires_grad_()")
    return [*keyword(run, site_of(found.cell, calls[0]), "requires_grad", None), *whole]


def wants_gradients(run: Run) -> Changes:
    """What the program asks the `.grad` of is made with requires_grad=True, where nothing is."""
    changes: Changes = []
    for name in dict.fromkeys(re.findall(r"\b([A-Za-z_]\w*)\.grad\b(?!_)", "\n".join(run.recording.source))):
        bound = run.named_tensors.get(name, [])
        if not bound or not run.status(bound[0][1], bound[0][0]).is_leaf:
            continue
        tensor = bound[0][1]
        site = run.site(run.tensors[tensor].born)
        if "float" in run.tensors[tensor].info.dtype and call_of(spot(run, site)) is not None:
            changes += keyword(run, site, "requires_grad", "True")
    return changes


def assigned(run: Run, step: int, name: str) -> Changes:
    """A result that is thrown away is kept under the name that it was computed from; one that nobody uses is not computed."""
    site = run.site(step)
    if name:
        return dropped(run, site)
    receiver, found = text_at(run, receiver_at(run, site)), spot(run, site)
    if receiver in ("torch", "F", "np"):
        receiver = text_at(run, argument_at(run, site, 0))
    if found is None or not re.fullmatch(r"[A-Za-z_]\w*", receiver):
        return []
    return wrapped(run, site, f"{receiver} = ", "")
