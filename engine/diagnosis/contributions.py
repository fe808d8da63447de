r"""What a node contributes along each of its edges: upstream gradient times local rule, in symbols and in this run's numbers.

    for c in contributions(recording, node, number):
        print(c.symbols)  # \bar{x} = \bar{y} \cdot w
        print(c.numbers)  # \bar{x} = 2 \cdot 3 = 6
        print(*c.steps, sep="\n")  # upstream 2 × w 3 = 6

The sum over axes that were broadcast is a line of its own: `raw` is what the rule gave, `array` what went on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..graph.numbers import shape_text
from ..op.latex import NEGATIVE, PRODUCT, Text, fill, level_of, number
from ..recording.events import NOTHING, NodeRan, Sent
from ..recording.index import index_of
from ..recording.recording import Recording
from .rule_text import NodeValues, matrix, sized

FEW = 4
"""Elements up to which each gets a line of numbers; of larger arrays one element is chosen."""
TERMS = 4
"""Terms of a sum over broadcast axes that are written out."""
BREAK, LINES_BEGIN, LINES_END = r" \\ ", r"\begin{aligned}", r"\end{aligned}"
_PRODUCT = re.compile(r"\{grad\} \\cdot \{(\w+)\}|\{(\w+)\} \\cdot \{grad\}")


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """What one edge carries when its node runs."""

    edge: int
    """The position among the node's `next_functions`."""
    source: str
    target: str
    """Keys of the nodes in the autograd view (`n12`)."""
    tensors: tuple[str, str]
    """Keys in the tensors view: whose gradient came in, whose gradient this is a part of; "" where no tensor is known."""
    upstream: int
    """Array of the gradient that the node received."""
    raw: int
    """Array that the rule gave, before sums over broadcast axes."""
    array: int
    """Array that went on."""
    symbols: str
    """The rule in LaTeX, with names."""
    numbers: str
    """The rule in LaTeX, with numbers; "" where arrays were too large to keep."""
    steps: tuple[str, ...]
    """The computation in plain lines of text; a sum over broadcast axes has a line of its own."""
    label: str = ""
    """The computation in as few characters as fit on an edge: "2 × 3 = 6"."""
    element: tuple[int, ...] = ()
    """The element (of `array`) that the numbers are of; () where they are of all."""
    chosen: bool = False
    """Whether one element was chosen because there are too many to show."""
    call: bool = False
    """Whether the rule is known by its name only."""


def contributions(recording: Recording, node: int, number: int, element: tuple[int, ...] | None = None) -> list[Contribution]:
    """What the node sends along its edges in backward pass `number`, [] if it does not run in it.

    Args:
        recording: the run.
        node: the autograd node's id.
        number: the backward pass.
        element: the element of large contributions to show; the largest one if none is given or it does not exist.
    """
    return [edge.contribution() for edge in _edges(recording, node, number, element)]


def plain_steps(recording: Recording, node: int, number: int) -> dict[int, tuple[str, ...]]:
    """Edge → the plain lines of its contribution in a backward pass, without its formulas, which take longer."""
    return {edge.edge: tuple(edge.steps()) for edge in _edges(recording, node, number, None)}


def _edges(recording: Recording, node: int, number: int, element: tuple[int, ...] | None) -> list[_Edge]:
    event = _ran(recording, node, number)
    if event is None:
        return []
    values = NodeValues(recording, event)
    return [_Edge(values, edge, sent, element) for edge, sent in enumerate(event.sent) if sent is not None]


def gradient_total(recording: Recording, node: int, number: int, input: int = 0) -> NDArray[Any] | None:
    """The sum of all contributions to a node's input in a backward pass, which is the gradient it runs on: None if none was
    kept or none came."""
    entry = index_of(recording).passes.get(number)
    track = None if entry is None else entry.arrivals.get(node)
    total: NDArray[Any] | None = None
    for arrival in track.values if track is not None else ():
        if arrival.input == input:
            array = recording.array(arrival.array)
            if array is None:
                return None
            total = array if total is None else total + array
    return total


def _ran(recording: Recording, node: int, number: int) -> NodeRan | None:
    entry = index_of(recording).passes.get(number)
    step = None if entry is None else entry.ran_at.get(node)
    event = None if step is None else recording.events[step]
    return event if isinstance(event, NodeRan) else None


class _Edge:
    """One edge while its node runs."""

    def __init__(self, values: NodeValues, edge: int, sent: Sent, element: tuple[int, ...] | None) -> None:
        self.values, self.edge, self.sent = values, edge, sent
        self.recording = values.recording
        self.rule = values.rule(edge)
        # In a stranger's file it may be any array.
        self.raw_id = sent.raw if sent.raw != NOTHING and _fits(values.recording, sent) else sent.array
        self.array, self.raw = self.recording.array(sent.array), self.recording.array(self.raw_id)
        self.shape = self.recording.arrays[sent.array].shape
        self.raw_shape = self.recording.arrays[self.raw_id].shape
        self.axes = summed_axes(self.raw_shape, self.shape)
        self.element = _element(self.array, self.shape, element)
        names = set(re.findall(r"(?<!\{)\{(\w+)\}", self.rule.template))
        upstream = [n for n in names if n == "grad" or n.startswith("grad_")]
        self.upstream = values.array(upstream[0]) if upstream else values.array("grad")
        self.target = values.gradient(sent.node, sent.input)

    def contribution(self) -> Contribution:
        """The edge described."""
        owners, node = self.values.index.owners, self.values.info.id
        whose, whole = owners.get((node, 0), NOTHING), owners.get((self.sent.node, self.sent.input), NOTHING)
        received = [a for a in self.values.event.received if a != NOTHING]
        chosen = self.rule.elementwise and _size(self.shape) > FEW
        return Contribution(
            edge=self.edge,
            source=f"n{node}",
            target=f"n{self.sent.node}",
            tensors=("" if whose == NOTHING else f"t{whose}", "" if whole == NOTHING else f"t{whole}"),
            upstream=received[0] if received else NOTHING,
            raw=self.raw_id,
            array=self.sent.array,
            symbols=self._symbols(),
            numbers=self._numbers(),
            steps=tuple(self.steps()),
            label=self._label(),
            element=self.element if chosen else (),
            chosen=chosen,
            call=self.rule.call,
        )

    # --- LaTeX ------------------------------------------------------------------------------------------------------------

    def _left(self, subscript: str = "", tab: str = "") -> str:
        track = self.values.index.passes[self.values.event.number].arrivals.get(self.sent.node)
        parts = [a for a in track.values if a.input == self.sent.input] if track is not None else []
        sign = r"\mathrel{+}=" if len(parts) > 1 else "="
        return f"{self.target}{subscript} {tab}{sign} "

    def _symbols(self) -> str:
        right = fill(self.rule.template, lambda name: self.values.symbol(name, self.edge))
        return self._left() + self._sum(right)

    def _sum(self, right: str) -> str:
        if not self.axes:
            return right
        axes = ", ".join(map(str, self.axes))
        return rf"\sum_{{\text{{axis }}{axes}}} {_group(right)}"

    def _numbers(self) -> str:
        if self.array is None or self.raw is None:
            return ""
        if not self.rule.elementwise:
            right = fill(self.rule.template, self.values.whole(self.edge))
            shown = matrix(self.array) or sized(Text(self.target), self.shape)
            inner = f" = {self._sum((matrix(self.raw) or sized(Text(self.target), self.raw_shape)).latex)}" if self.axes else ""
            return f"{self._left()}{right}{inner} = {shown.latex}"
        size = _size(self.shape)
        if size == 1:
            return self._line(self.element, "")
        if size > FEW:
            return self._line(self.element, _index(self.element))
        lines = [self._line(i, _index(i), "&") for i in np.ndindex(self.shape)]
        return LINES_BEGIN + BREAK.join(lines) + LINES_END

    def _line(self, element: tuple[int, ...], subscript: str, tab: str = "") -> str:
        """The numbers of one element."""
        assert self.array is not None
        terms = _terms(element, self.raw_shape, self.shape)
        filled = [fill(self.rule.template, self.values.at(t, self.raw_shape, self.edge)) for t in terms[:TERMS]]
        if len(terms) > 1:
            grouped = [_group(f, PRODUCT if i else NEGATIVE) for i, f in enumerate(filled)]
            right = " + ".join(grouped) + (r" + \cdots" if len(terms) > TERMS else "")
        else:
            right = filled[0]
        result = number(self.array[element].item()).latex
        left = self._left(subscript, tab)
        return f"{left}{right}" if right == result else f"{left}{right} = {result}"

    # --- plain lines ------------------------------------------------------------------------------------------------------

    def steps(self) -> list[str]:
        """What the edge does to the gradient, line by line."""
        lines = [self._local()]
        if self.axes:
            axes = f"axis {self.axes[0]}" if len(self.axes) == 1 else f"axes {', '.join(map(str, self.axes))}"
            lines.append(f"summed over {axes}: {self._added()}{brief(self.array, self.shape)}")
        elif self.raw_id != self.sent.array:
            before, after = self.recording.arrays[self.raw_id].dtype, self.recording.arrays[self.sent.array].dtype
            if self.raw_shape != self.shape:
                lines.append(f"reshaped to {shape_text(self.shape)}")
            elif before != after:
                lines.append(f"cast from {before} to {after}")
            else:
                lines.append(f"replaced by a hook: {brief(self.array, self.shape)}")
        return lines

    def _added(self) -> str:
        if self.raw is None or _size(self.shape) != 1 or self.raw.size > 6:
            return ""
        return " + ".join(plain(x) if x >= 0 else f"({plain(x)})" for x in self.raw.ravel().tolist()) + " = "

    def _local(self) -> str:
        """Upstream times local derivative, where the rule is a product of elements."""
        raw, upstream = self.raw, self.upstream
        result = brief(raw, self.raw_shape)
        if upstream is None:
            return f"contributes {result}"
        came = brief(upstream, upstream.shape)
        if self.rule.template == "{grad}":
            grown = upstream.shape != self.raw_shape
            return f"upstream {came} copied to {shape_text(self.raw_shape)}" if grown else f"upstream {came} passed on"
        found = _PRODUCT.fullmatch(self.rule.template)
        name = "" if found is None else found[1] or found[2]
        factor = self._factor(name)
        if factor is None:
            return f"upstream {came} → {result}"
        label = self._name(name) if name else "local derivative"
        single = all(a is not None and a.size == 1 for a in (upstream, raw, factor))
        return f"upstream {came} × {label} {brief(factor, factor.shape)} {'=' if single else '→'} {result}"

    def _label(self) -> str:
        """The product if there is one, then what goes on."""
        result = brief(self.array, self.shape)
        found = _PRODUCT.fullmatch(self.rule.template)
        factor = self._factor("" if found is None else found[1] or found[2])
        if self.upstream is None or factor is None or self.rule.template == "{grad}":
            return f"Σ → {result}" if self.axes else result
        product = f"{brief(self.upstream, self.upstream.shape)} × {brief(factor, factor.shape)}"
        if self.axes:
            return f"{product} → Σ {result}"
        return f"{product} {'=' if self.raw is not None and self.raw.size == 1 else '→'} {result}"

    def _factor(self, name: str) -> NDArray[Any] | None:
        """The local derivative: what the product names, or, where the rule takes element to element, the ratio."""
        if name:
            return self.values.array(name)
        upstream, raw = self.upstream, self.raw
        if not self.rule.elementwise or raw is None or upstream is None or raw.dtype.kind != "f":
            return None
        try:
            wide = np.broadcast_to(upstream.astype(np.float64), raw.shape)
        except ValueError:
            return None
        if not np.all(np.isfinite(wide)) or np.any(wide == 0):
            return None
        return raw.astype(np.float64) / wide

    def _name(self, name: str) -> str:
        saved = self.values.saved.get(name)
        tensor = saved.tensor if saved is not None else NOTHING
        if name in self.values.outputs:
            tensor = self.values.index.owners.get((self.values.info.id, self.values.outputs.index(name)), NOTHING)
        if tensor == NOTHING:
            return "factor"
        history = self.values.index.tensors[tensor]
        return " ".join((history.first_name or "factor")[:40].split())


def _fits(recording: Recording, sent: Sent) -> bool:
    """Whether what was sent can be what the rule gave, summed over some axes at most."""
    raw, target = recording.arrays[sent.raw].shape, recording.arrays[sent.array].shape
    return _size(raw) == _size(target) or bool(summed_axes(raw, target))


def summed_axes(raw: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `raw` that are summed to undo a broadcast from `target`, () where that is not how they differ."""
    extra = len(raw) - len(target)
    if extra < 0 or any(t not in (1, r) for r, t in zip(raw[extra:], target, strict=True)):
        return ()
    return (*range(extra), *(i + extra for i, t in enumerate(target) if t == 1 and raw[i + extra] != 1))


def _terms(element: tuple[int, ...], raw: tuple[int, ...], target: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The elements of `raw` that are summed into one element of `target`; no more than a few of many."""
    axes = summed_axes(raw, target)
    if not axes:
        return [tuple(int(i) for i in np.unravel_index(int(np.ravel_multi_index(element, target)), raw))] if target else [()]
    extra = len(raw) - len(target)
    found: list[tuple[int, ...]] = []
    for summed in np.ndindex(tuple(raw[a] for a in axes)):
        at = dict(zip(axes, summed, strict=True))
        found.append(tuple(at[i] if i in at else element[i - extra] for i in range(len(raw))))
        if len(found) > TERMS:
            break
    return found


def _element(array: NDArray[Any] | None, shape: tuple[int, ...], wanted: tuple[int, ...] | None) -> tuple[int, ...]:
    """The wanted element, or the largest one."""
    if wanted is not None and len(wanted) == len(shape) and all(0 <= i < n for i, n in zip(wanted, shape, strict=True)):
        return tuple(wanted)
    if array is None or not array.size:
        return (0,) * len(shape)
    sizes = np.nan_to_num(np.abs(array.astype(np.float64)), nan=np.inf)
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(sizes)), shape)) if shape else ()


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64)) if shape else 1


def _index(element: tuple[int, ...]) -> str:
    """An element's index as the program would write it: a subscript of a name with a subscript would be hard to read."""
    return f"[{', '.join(map(str, element))}]"


def _group(latex: str, level: int = PRODUCT) -> str:
    return rf"\left({latex}\right)" if level_of(latex) < level else latex


def plain(value: Any) -> str:
    """A number in plain text, to seven significant digits."""
    if isinstance(value, bool):
        return str(value)
    return f"{value:.7g}".replace("-0", "0") if value == 0 else f"{value:.7g}"


def brief(array: NDArray[Any] | None, shape: tuple[int, ...]) -> str:
    """A small array's elements, a larger one's shape."""
    if array is None or array.size > 6 or array.ndim > 2 or not array.size:
        return shape_text(shape)
    if array.size == 1:
        return plain(array.item())
    return f"[{'; '.join(' '.join(map(plain, row)) for row in np.atleast_2d(array).tolist())}]"


def edge_lines(recording: Recording) -> Callable[[int, int, int], tuple[str, ...]]:
    """For the graph's edges: what passes along edge `slot` of `node` at `step`, in plain lines."""
    made: dict[tuple[int, int], dict[int, tuple[str, ...]]] = {}

    def lines(step: int, node: int, slot: int) -> tuple[str, ...]:
        event = recording.events[step]
        assert isinstance(event, NodeRan)
        if (node, event.number) not in made:
            made[node, event.number] = plain_steps(recording, node, event.number)
        return made[node, event.number].get(slot, ())

    return lines
