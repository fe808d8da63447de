"""How operations are written on the picture: `× 5` on a pill, `5 × x1` in a sentence."""

from __future__ import annotations

from collections.abc import Callable

from ...recording.events import NOTHING, Argument, OpRan
from ...recording.recording import OpInfo

SYMBOLS = {
    "add": "+",
    "sub": "−",
    "rsub": "−",
    "mul": "×",
    "div": "÷",
    "pow": "^",
    "matmul": "@",
    "mm": "@",
    "bmm": "@",
    "mv": "@",
    "dot": "·",
    "neg": "−",
    "eq": "==",
    "ne": "≠",
    "lt": "<",
    "le": "≤",
    "gt": ">",
    "ge": "≥",
}
"""Signs for ops that no OpInfo gives one."""

_INFIX = {*SYMBOLS} - {"neg"}
_COMMUTATIVE = {"add", "mul"}
_PLAIN = {"", "None", "False"}
_MAX_TEXT = 24


def symbol(op: str, ops: dict[str, OpInfo]) -> str:
    """The sign of an op, or its name."""
    base = _base(op)
    info = ops.get(op) or ops.get(base)
    return (info.symbol if info else "") or SYMBOLS.get(base) or base


def pill_title(event: OpRan, ops: dict[str, OpInfo]) -> str:
    """The op and its constant, without its tensors: `5 * x1` gives "× 5", `x.sum(dim=1)` gives "sum dim=1"."""
    sign = symbol(event.op, ops)
    operands = _operands(event)
    if operands is None:
        return clip(" ".join([sign, *_options(event)]))
    left, right = operands
    if left.tensor == NOTHING and right.tensor != NOTHING:
        if _base(event.op) not in _COMMUTATIVE:
            return clip(f"{left.text} {sign}")
        left, right = right, left
    return clip(f"{sign} {right.text}") if right.tensor == NOTHING else sign


def expression(event: OpRan, ops: dict[str, OpInfo], title: Callable[[int], str]) -> str:
    """The op with its arguments as a reader would write it; `title` names a tensor."""
    operands = _operands(event)
    if operands is not None:
        left, right = (title(argument.tensor) if argument.tensor != NOTHING else argument.text for argument in operands)
        return f"{clip(left)} {symbol(event.op, ops)} {clip(right)}"
    tensors = [clip(title(argument.tensor)) for argument in event.inputs if argument.tensor != NOTHING]
    shown = tensors[:3] + ["…"] * (len(tensors) > 3)
    return f"{_base(event.op)}({', '.join(shown + _options(event))})"


def is_infix(event: OpRan) -> bool:
    """Whether the op is written between its operands."""
    return _operands(event) is not None


def clip(text: str, length: int = _MAX_TEXT) -> str:
    """The text on one line, shortened with an ellipsis."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _base(op: str) -> str:
    return op[:-1] if op.endswith("_") and not op.endswith("__") else op


def _operands(event: OpRan) -> tuple[Argument, Argument] | None:
    """Left and right of an infix op; None if it is none, or has an option (`alpha=2`) that the sign would hide."""
    base = _base(event.op)
    if base not in _INFIX or len(event.inputs) < 2:
        return None
    left, right, *options = event.inputs
    if any(option.text not in _PLAIN | {"1"} for option in options):
        return None
    return (right, left) if base == "rsub" else (left, right)


def _options(event: OpRan) -> list[str]:
    """The arguments that are not tensors and not plainly defaults."""
    plain = [argument for argument in event.inputs if argument.tensor == NOTHING and argument.text not in _PLAIN]
    return [f"{argument.name}={clip(argument.text, 12)}" for argument in plain[:3]]
