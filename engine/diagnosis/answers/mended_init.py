"""An initialisation whose leaf is converted or computed with at once, written so that the result is the leaf."""

from __future__ import annotations

import ast
import copy

from ...program.parsing import last_name


def leaf_last(value: ast.expr) -> str:
    """The assigned expression with requires_grad set last: `torch.randn(3, requires_grad=True) / c` gives
    `(torch.randn(3) / c).requires_grad_()`, `nn.Parameter(x).double()` gives `nn.Parameter(x.double())`; "" where nothing in it
    makes a leaf."""
    taken = _Taken()
    bare = taken.visit(copy.deepcopy(value))
    if taken.parameter:
        return f"{taken.parameter}({ast.unparse(bare)})"
    if not taken.found:
        return ""
    text = ast.unparse(bare)
    return f"{text}.requires_grad_()" if isinstance(bare, ast.Call | ast.Name | ast.Attribute) else f"({text}).requires_grad_()"


class _Taken(ast.NodeTransformer):
    """Takes out what makes a leaf."""

    def __init__(self) -> None:
        self.found = False
        self.parameter = ""
        """The function that makes a parameter, as it is written."""

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """What stands in a function is none of this."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`f(…, requires_grad=True)`, `x.requires_grad_()`, `nn.Parameter(x)`."""
        self.generic_visit(node)
        name = last_name(node.func)
        if name == "requires_grad_" and isinstance(node.func, ast.Attribute) and not node.args:
            self.found = True
            return node.func.value
        if name == "Parameter" and len(node.args) == 1 and not node.keywords:
            self.found, self.parameter = True, ast.unparse(node.func)
            return node.args[0]
        kept = [
            k
            for k in node.keywords
            if not (k.arg == "requires_grad" and isinstance(k.value, ast.Constant) and k.value.value is True)
        ]
        if len(kept) < len(node.keywords):
            self.found = True
            node.keywords = kept
        return node
