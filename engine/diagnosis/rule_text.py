r"""The formula of one edge: the op's rule with the program's names in it, or with this run's numbers.

A rule's text is a template of the recording's table of operations, made when the program ran; here its names are filled in from
what the node saved and received. Recordings may be a stranger's: a template that is no sound LaTeX is not shown.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.numbers import shape_text
from ..op.latex import ATOM, Text, balanced, bar, escaped, fill, number, roman, variable
from ..recording.events import NOTHING, NodeInfo, NodeRan, OpRan, Saved
from ..recording.index import Index, index_of
from ..recording.recording import RecordedRule, Recording

MATRIX = 4
"""Rows and columns up to which a matrix is written out."""
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


class NodeValues:
    """What the names in a node's rules stand for: what it received in one pass, and what it saved."""

    def __init__(self, recording: Recording, event: NodeRan) -> None:
        self.recording = recording
        self.index: Index = index_of(recording)
        self.event = event
        self.history = self.index.nodes[event.node]
        self.info: NodeInfo = self.history.info
        self.saved: dict[str, Saved] = {s.name: s for s in self.info.saved}
        self.op = recording.ops.get(self.info.rule)
        self.outputs: tuple[str, ...] = (self.op.outputs if self.op is not None else ()) or ("result",)

    # --- which text -------------------------------------------------------------------------------------------------------

    def rule(self, edge: int) -> RecordedRule:
        """The text of the rule that gave what went along an edge."""
        if self.op is not None:
            inputs = list(dict.fromkeys(rule.input for rule in self.op.rules))
            name = inputs[edge] if edge < len(inputs) and len(inputs) > 1 else inputs[0] if inputs else ""
            for rule in self.op.rules:
                if rule.input == name and all(self._holds(c) for c in rule.when):
                    shown = fill(rule.template, lambda _: Text("x"))
                    return rule if balanced(shown) else self._call()
        return self._call()

    def _call(self) -> RecordedRule:
        """The rule of a node of which only the name is known, such as a Function of the program's."""
        name = self.info.name
        if self.history.info.rule == "" and name.endswith("Backward"):
            called = rf"\mathrm{{{escaped(name.removesuffix('Backward'))}.backward}}"
        else:
            called = rf"\mathrm{{vjp}}_{{\mathrm{{{escaped(name.partition('Backward')[0])}}}}}"
        template = called.replace("{", "{{").replace("}", "}}")
        return RecordedRule("", template + r"\left({grad}\right)", False, True)

    def _holds(self, condition: tuple[str, str, str, bool]) -> bool:
        name, sign, text, outcome = condition
        saved = self.saved.get(name)
        if sign == "none":
            return (saved is None or saved.text == "None") == outcome
        value = _plain("None" if saved is None else saved.text)
        if sign == "true":
            return bool(value) == outcome
        compared = _COMPARED.get(sign)
        try:
            return compared is not None and compared(value, _plain(text)) == outcome
        except TypeError:
            return False

    # --- names ------------------------------------------------------------------------------------------------------------

    def tensor(self, tensor: int) -> str:
        """A tensor's name in formulas."""
        history = self.index.tensors[tensor]
        name = history.name(self.index.passes[self.event.number].began) or history.first_name
        return variable(name) if name else rf"v_{{{tensor}}}"

    def gradient(self, node: int, number: int = 0) -> str:
        """The name of the gradient that reaches a node's input."""
        owner = self.index.owners.get((node, number), NOTHING)
        return bar(self.tensor(owner)) if owner != NOTHING else bar(rf"n_{{{node}}}")

    def symbol(self, name: str, edge: int = 0) -> Text | None:
        """What stands for a name in the formula with symbols."""
        if name == "edge":
            return Text(str(edge))
        if name == "grad" and len(self.event.received) > 1:
            reached = [k for k, array in enumerate(self.event.received) if array != NOTHING]
            return Text(self.gradient(self.info.id, reached[0] if len(reached) == 1 else 0))
        if name == "grad" or name.startswith("grad_"):
            return Text(self.gradient(self.info.id, int(name[5:]) if name[5:].isdigit() else 0))
        if name.startswith("numel_"):
            return self.plain(name)
        if name in self.outputs:
            owner = self.index.owners.get((self.info.id, self.outputs.index(name)), NOTHING)
            return Text(self.tensor(owner) if owner != NOTHING else rf"n_{{{self.info.id}}}")
        saved = self.saved.get(name)
        if saved is not None and saved.tensor != NOTHING:
            return Text(self.tensor(saved.tensor))
        array = self.array(name)
        if array is not None and array.size == 1:
            return _scalar(array)
        return self.plain(name)

    def plain(self, name: str) -> Text | None:
        """A saved value that is no tensor; the number of elements of one that is."""
        if name.startswith("numel_"):
            array = self.array(name.removeprefix("numel_"))
            return None if array is None else Text(str(array.size))
        saved = self.saved.get(name)
        if saved is None or not saved.text:
            return None
        value = _plain(saved.text)
        if isinstance(value, bool | int | float):
            return number(value)
        return Text(rf"\mathrm{{{escaped(saved.text)}}}")

    # --- numbers ----------------------------------------------------------------------------------------------------------

    def array(self, name: str) -> NDArray[Any] | None:
        """The array that a name stands for, None if it is none or was not kept."""
        if name == "grad" or name.startswith("grad_"):
            received = self.event.received
            known = [a for a in received if a != NOTHING]
            output = int(name[5:]) if name[5:].isdigit() else NOTHING
            id = received[output] if 0 <= output < len(received) else known[0] if known else NOTHING
            return self.recording.array(id)
        if name in self.outputs and isinstance(self.history.event, OpRan):
            return self.recording.array(self._output(self.outputs.index(name)))
        saved = self.saved.get(name)
        if saved is None:
            return None
        if saved.tensor != NOTHING:
            return self.recording.array(self.index.tensors[saved.tensor].status(max(self.history.born - 1, 0)).array)
        return self.recording.array(saved.array)

    def _output(self, output: int) -> int:
        """The array of one of the node's results as the operation left it."""
        event = self.history.event
        assert isinstance(event, OpRan)
        for info in event.outputs:
            if (info.node, info.output) == (self.info.id, output):
                return info.array
        for write in event.written:
            if (write.node, write.output) == (self.info.id, output):
                return write.array
        owner = self.index.owners.get((self.info.id, output), NOTHING)
        return self.index.tensors[owner].status(self.history.born).array if owner != NOTHING else NOTHING

    def at(self, element: tuple[int, ...], shape: tuple[int, ...], edge: int) -> Callable[[str], Text | None]:
        """The numbers at one element of a result of the given shape, over which everything is broadcast."""

        def value(name: str) -> Text | None:
            array = None if name.startswith("numel_") else self.array(name)
            if array is None:
                return self.plain(name) or self.symbol(name, edge)
            try:
                return number(np.broadcast_to(array, shape)[element].item())
            except ValueError:
                return self.symbol(name, edge)

        return value

    def whole(self, edge: int) -> Callable[[str], Text | None]:
        """Small arrays written out, larger ones by name and shape."""

        def value(name: str) -> Text | None:
            array = None if name.startswith("numel_") else self.array(name)
            if array is None:
                return self.plain(name) or self.symbol(name, edge)
            return matrix(array) or sized(self.symbol(name, edge) or Text(roman(name)), array.shape)

        return value


def _plain(text: str) -> Any:
    """The value of a plain argument's text; the text itself where it is none."""
    try:
        return literal_eval(text) if len(text) < 200 else text
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text


def _scalar(array: NDArray[Any]) -> Text:
    return number(array.item())


def matrix(array: NDArray[Any]) -> Text | None:
    """A number, vector or matrix written out, or None if it is too large."""
    if array.size == 1:
        return _scalar(array)
    if array.ndim > 2 or array.size == 0 or max(array.shape) > MATRIX:
        return None
    rows = [" & ".join(number(x).latex for x in row) for row in np.atleast_2d(array).tolist()]
    return Text(r"\begin{pmatrix}" + r" \\ ".join(rows) + r"\end{pmatrix}", ATOM)


def sized(name: Text, shape: tuple[int, ...]) -> Text:
    """An array by its name and shape."""
    return Text(r"\underset{" + shape_text(shape).replace("×", r" \times ") + "}{" + name.latex + "}", ATOM)
