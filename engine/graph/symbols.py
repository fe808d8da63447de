"""How operations are written on the picture: `× 5` on a pill, `5 × x1` in a sentence."""

from __future__ import annotations

from collections.abc import Callable

from ..recording.events import NOTHING, Argument, OpRan
from ..recording.operations import Table, base_of, symbol_in, traits_in

_PLAIN = {"", "None", "False"}
_MAX_TEXT = 24
TITLE = 120
"""Letters of a title: who draws it cuts it as there is room."""


def pill_title(event: OpRan, ops: Table) -> str:
    """The op and its constant, without its tensors: `5 * x1` gives "× 5", `x.sum(dim=1)` gives "sum dim=1"."""
    sign = symbol_in(ops, event.op)
    operands = _operands(event, ops)
    if operands is None:
        return clip(" ".join([sign, *_options(event)]), TITLE)
    left, right = operands
    if left.tensor == NOTHING and right.tensor != NOTHING:
        if "commutative" not in traits_in(ops, event.op):
            return clip(f"{left.text} {sign}")
        left, right = right, left
    return clip(f"{sign} {right.text}") if right.tensor == NOTHING else sign


def expression(event: OpRan, ops: Table, title: Callable[[int], str]) -> str:
    """The op with its arguments as a reader would write it; `title` names a tensor."""
    operands = _operands(event, ops)
    if operands is not None:
        left, right = (title(argument.tensor) if argument.tensor != NOTHING else argument.text for argument in operands)
        return f"{clip(left)} {symbol_in(ops, event.op)} {clip(right)}"
    tensors = [clip(title(argument.tensor)) for argument in event.inputs if argument.tensor != NOTHING]
    shown = tensors[:3] + ["…"] * (len(tensors) > 3)
    return f"{base_of(event.op)}({', '.join(shown + _options(event))})"


def is_infix(event: OpRan, ops: Table) -> bool:
    """Whether the op is written between its operands."""
    return _operands(event, ops) is not None


def clip(text: str, length: int = _MAX_TEXT) -> str:
    """The text on one line, shortened with an ellipsis."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length else line[: length - 1] + "…"


def clip_name(name: str, length: int = _MAX_TEXT) -> str:
    """A name on one line, its middle left out where it is long: the end of a path tells a weight from a bias."""
    line = " ".join(name.split())
    end = 3 * (length - 1) // 5
    return line if len(line) <= length else f"{line[: length - 1 - end]}…{line[-end:]}"


def _operands(event: OpRan, ops: Table) -> tuple[Argument, Argument] | None:
    """Left and right of an infix op; None if it is none, or has an option (`alpha=2`) that the sign would hide."""
    if len(event.inputs) < 2 or "infix" not in (traits := traits_in(ops, event.op)):
        return None
    left, right, *options = event.inputs
    if any(option.text not in _PLAIN | {"1"} for option in options):
        return None
    return (right, left) if "swapped" in traits else (left, right)


def _options(event: OpRan) -> list[str]:
    """The arguments that are not tensors and not plainly defaults."""
    plain = [argument for argument in event.inputs if argument.tensor == NOTHING and argument.text not in _PLAIN]
    return [f"{argument.name}={clip(argument.text, 12)}" for argument in plain[:3]]
