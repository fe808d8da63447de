"""What mends cuts: the call that cuts is left out, the tensors themselves are used instead of numbers made of them."""

from __future__ import annotations

import ast

from ...compat.names import SURFACE
from ...program.changes import TextChange
from ...recording.events import NOTHING, Site
from ..cuts import Cut
from ..mending import (
    Changes,
    Spot,
    dropped,
    keyword,
    renamed,
    replaced,
    site_of,
    spot,
    unwrapped,
    with_call,
    without_attribute,
    without_call,
)
from ..paths import paths_of
from ..run import Run

_PEELED = frozenset(("item", "tolist", "numpy", "detach", "cpu", "clone"))
"""Methods that are left out on the way from numbers back to the tensor."""
_COPIES = frozenset(
    ("float", "int", "array", "asarray", "tensor", "as_tensor", "from_numpy", "Parameter", "Variable", "FloatTensor")
)
"""Functions and classes that make something of a tensor's values."""
_SIDES = 2
"""What a loss compares."""
_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def uncut(run: Run, cut: Cut) -> Changes:
    """A gradient comes back through what was a cut."""
    return uncut_at(run, cut.code, cut.site, cut.result)


def uncut_at(run: Run, code: str, site: Site | None, result: int = NOTHING) -> Changes:
    """What cuts at a site is left out, by the code of the cut, where it gave a result."""
    if code == "cut_detach":
        found = spot(run, site)
        if found is not None and isinstance(found.program.parents.get(found.node), ast.Expr):
            return dropped(run, site)  # detach_()
        return without_call(run, site, "detach", "detach_") or peeled(run, site)
    if code == "cut_data":
        return without_attribute(run, site, "data")
    if code in ("cut_numbers", "cut_copy"):
        back = run.site(run.tensors[result].born) if result != NOTHING else None
        first = peeled(run, site)
        return first if _overlap(first, second := peeled(run, back)) else [*first, *second]
    if code in ("cut_no_grad", "cut_inference"):
        return _switched_on(run, site)
    if code == "cut_sample":
        return renamed(run, site, "rsample")
    if code == "cut_dtype":
        found = spot(run, site)
        call = found.node if found is not None else None
        return (
            without_call(run, site, call.func.attr)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            else []
        )
    if code == "cut_gradient":
        return keyword(run, _call_in(run, site), "create_graph", "True")
    return []


def other_side(run: Run, cut: Cut) -> tuple[Site, str, Changes] | None:
    """Of a loss in which a side is detached that another loss detaches already: where that one is, the other side, and what
    detaches it instead. `mse(z, q.detach()) + mse(q.detach(), z)` teaches z twice and q never."""
    found = spot(run, cut.site) if cut.code == "cut_detach" else None
    loss = found.program.parents.get(found.node) if found is not None else None
    if found is None or not isinstance(loss, ast.Call) or not isinstance(found.node, ast.Call) or len(loss.args) < _SIDES:
        return None
    if not isinstance(found.node.func, ast.Attribute) or found.node.func.attr != "detach":
        return None
    sides = _sides(loss)
    other = next((each for each in loss.args[:_SIDES] if each is not found.node), None)
    if not isinstance(other, ast.Name | ast.Attribute):
        return None
    for each in ast.walk(found.program.tree):
        if isinstance(each, ast.Call) and each is not loss and len(each.args) >= _SIDES and _sides(each) == sides:
            changes = without_call(run, cut.site, "detach")
            there = site_of(found.cell, other)
            return site_of(found.cell, each), ast.unparse(other), [*changes, *with_call(run, there, "detach()")]
    return None


OTHER_SIDE = "Detach {} here instead: one of the two losses teaches the one side, the other one the other."


def same_side(run: Run, there: Site) -> str:
    """What is to be known of the other loss."""
    return f"{run.site_text(there).capitalize()} detaches the same side already."


def _sides(loss: ast.Call) -> tuple[str, list[str]]:
    """A loss's function and what it compares, whichever comes first."""
    return ast.dump(loss.func), sorted(ast.dump(each) for each in loss.args[:_SIDES])


def _overlap(first: Changes, second: Changes) -> bool:
    return not second or any(
        one.cell == other.cell
        and (one.line, one.column) < (other.end_line, other.end_column)
        and (other.line, other.column) < (one.end_line, one.end_column)
        for one in first
        for other in second
    )


# --- numbers and copies ---------------------------------------------------------------------------------------------------


def peeled(run: Run, site: Site | None) -> Changes:
    """The tensor itself instead of what is made of its values at a site: `torch.tensor(loss.item())` becomes `loss`."""
    found = spot(run, site)
    if found is None or not isinstance(found.node, ast.expr):
        return []
    outer: ast.expr = found.node
    for above in paths_of(run.recording).source.around(found.node):
        if not isinstance(above, ast.expr) or not (_inside(above) is outer or above is getattr(outer, "func", None)):
            break
        outer = above
    text = _tensor(found, outer)
    if text is not None:
        outer, text = _on_tensors(run, found, outer, text)
    statement = found.program.parents.get(outer)
    if isinstance(statement, ast.Assign) and text == ast.unparse(statement.targets[0]):
        return dropped(run, site_of(found.cell, statement))
    return replaced(run, site_of(found.cell, outer), text) if text is not None else []


def _on_tensors(run: Run, found: Spot, node: ast.expr, text: str) -> tuple[ast.expr, str]:
    """What is computed of numbers by `math` or NumPy, computed of the tensor by PyTorch: `math.exp(-w.item())` as
    `torch.exp(-w)`, with what makes a tensor of it again left out; the same where nothing of that is around."""
    here, best = (node, text), (node, text)
    for above in paths_of(run.recording).source.around(node):
        match above:
            case ast.UnaryOp(op=ast.USub(), operand=value) if value is here[0]:
                here = above, f"-{here[1]}"
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr=name), args=[value], keywords=[]
            ) if value is here[0] and name in SURFACE["torch"]:
                here = best = above, f"torch.{name}({here[1]})"
            case ast.Call() | ast.Attribute() if here == best and best[0] is not node and _inside(above) is here[0]:
                here = best = above, here[1]
            case _:
                break
    return best


def _inside(node: ast.AST) -> ast.expr | None:
    """What a call or attribute makes something of without its graph; None for any other expression."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in _PEELED:
            return value
        case ast.Attribute(value=value, attr="data"):
            return value
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[given, *_]) if name in _COPIES:
            return given
    return None


def _tensor(found: Spot, node: ast.expr) -> str | None:
    """The text of the tensor, without what makes numbers or copies of it; None where there is nothing to leave out."""
    inner, outer = node, node
    while (below := _inside(inner)) is not None:
        inner, outer = below, inner
    if isinstance(inner, ast.List | ast.ListComp) and isinstance(outer, ast.Call):
        return _stacked(found, outer, inner)
    if inner is node:
        return None
    text = found.program.lines.of(inner)
    return text if isinstance(inner, _TIGHT) else f"({text})"


def _stacked(found: Spot, call: ast.Call, inner: ast.List | ast.ListComp) -> str | None:
    """`torch.tensor([a.item(), b.item()])` as `torch.stack([a, b])`."""
    lines = found.program.lines
    if not isinstance(call.func, ast.Attribute) or lines.of(call.func.value) != "torch":
        return None

    def of(part: ast.expr) -> str:
        return _tensor(found, part) or lines.of(part)

    if isinstance(inner, ast.List):
        return f"torch.stack([{', '.join(map(of, inner.elts))}])"
    whole, (_, end) = lines.span(inner), lines.span(inner.elt)
    return f"torch.stack([{of(inner.elt)}{lines.text[end : whole[1]]})"


# --- switched off ---------------------------------------------------------------------------------------------------------


def _switched_on(run: Run, site: Site | None) -> Changes:
    """Gradients are not switched off: without the block, the decorator or the statement."""
    found = spot(run, site)
    if found is None:
        return []
    above = found.program.parents.get(found.node)
    if isinstance(found.node, ast.With) or isinstance(above, ast.withitem):
        return unwrapped(run, site)
    if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef) and found.node in above.decorator_list:
        last = found.node.end_lineno or found.node.lineno
        return [TextChange(found.cell, found.node.lineno, 0, last + 1, 0, "")]
    return dropped(run, site) if isinstance(found.node, ast.Expr) or isinstance(above, ast.Expr) else []


def _call_in(run: Run, site: Site | None) -> Site | None:
    """The call in an expression like `grad(y, x)[0]`."""
    found = spot(run, site)
    node = found.node if found is not None else None
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return site_of(found.cell, node) if found is not None and isinstance(node, ast.Call) else None
