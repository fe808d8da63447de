"""Lines that make gradients and use them: backward passes, zeroing, keeping a result's gradient, a step by hand, printing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .operands import Operand
from .operations import number_text

Zeroing = Literal["zero_", "None"]


def backward(root: Operand, retain_graph: bool = False, times: int = 1) -> str:
    """A backward pass, or several through the same graph, which all but the last must keep."""
    arguments = [] if _one(root) else [f"torch.ones_like({root.code})"]
    keep = [*arguments, "retain_graph=True"]
    if times == 1:
        return f"{root.code}.backward({', '.join(keep if retain_graph else arguments)})"
    return f"for _ in range({times}):\n    {root.code}.backward({', '.join(keep)})"


def backward_reason(root: Operand) -> str:
    """Why no backward pass can begin at a tensor, or ""."""
    if root.leaf and not root.requires_grad:
        return f"{root.code} does not require grad: no leaf under it does, or the way to it is cut."
    if not root.requires_grad:
        return f"{root.code} does not require grad."
    return ""


def zero(names: Sequence[str], how: Zeroing = "zero_") -> str:
    """The gradients of these tensors cleared."""
    clear = ".grad.zero_()" if how == "zero_" else ".grad = None"
    if len(names) == 1:
        return f"{names[0]}{clear}"
    return f"for leaf in ({', '.join(names)}):\n    leaf{clear}"


def descent(names: Sequence[str], rate: float, then_zero: bool = False) -> str:
    """One step of gradient descent by hand."""
    lines = [f"    {name} -= {number_text(rate)} * {name}.grad" for name in names]
    if then_zero:
        lines += [f"    {name}.grad.zero_()" for name in names]
    return "\n".join(["with torch.no_grad():", *lines])


def optimizer(names: Sequence[str], rate: float, name: str, kind: str = "SGD") -> str:
    """An optimizer over these leaves."""
    return f"{name} = torch.optim.{kind}([{', '.join(names)}], lr={number_text(rate)})"


def printed(names: Sequence[str], what: str) -> str:
    """What the program prints about tensors: `value` for themselves, else an attribute."""
    return f"print({', '.join(name if what == 'value' else f'{name}.{what}' for name in names)})"


def _one(operand: Operand) -> bool:
    return all(size == 1 for size in operand.shape)
