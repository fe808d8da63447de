"""The literals of a program: what they are called by the program's names, and in which range it makes sense to turn them."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from ..called import traits_called
from ..parsing import Lines, last_name
from .knob import Group, Kind, Knob, Number

MAX_ENTRIES = 400
"""Entries of a grid."""
_SINGLE = 3
"""Entries of a list that still get a knob each."""
_HOLE = "□"
_MAX_LABEL = 34
_LONGEST = 4 * _MAX_LABEL
"""Characters of the text that are looked at for a label."""

_DATA = {"tensor", "as_tensor", "asarray", "array", "Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "Parameter"}
"""Calls whose argument is known by the name that the result gets."""
_SIZED = {
    "size", "Linear", "Bilinear", "Embedding", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "LayerNorm", "GroupNorm",
    "MultiheadAttention", "TransformerEncoderLayer", "Identity", "Softmax", "LogSoftmax", "Flatten", "Unflatten",
}  # fmt: skip
"""Modules and methods whose plain arguments are sizes and dimensions; of operations their declarations say it."""
_SIZED_FAMILIES = re.compile(r"(Lazy)?(Conv|ConvTranspose|BatchNorm|InstanceNorm|(Adaptive)?(Max|Avg)Pool|Unfold|Fold)\w*")
_SIZE_NAMES = {
    "dim", "dims", "axis", "size", "shape", "keepdim", "start_dim", "end_dim", "in_features", "out_features",
    "in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "num_embeddings",
    "embedding_dim", "input_size", "hidden_size", "num_layers", "num_heads", "embed_dim", "num_classes", "batch_size",
    "k", "chunks", "diagonal", "batch_first", "normalized_shape", "num_features", "sizes",
}  # fmt: skip
_SILENT = {"print", "round", "isinstance", "len", "open", "warn", "format", "set_printoptions", "allclose", "isclose", "exit"}
"""Calls whose literals have no part in a computation."""
_SHARES = {
    "momentum",
    "p",
    "dropout",
    "beta",
    "beta1",
    "beta2",
    "betas",
    "alpha",
    "gamma",
    "rho",
    "label_smoothing",
    "dampening",
}
"""Hyperparameters between 0 and 1."""
_POSITIVE = {"lr", "learning_rate", "rate", "step_size", "weight_decay", "eps", "lam", "lambda_", "temperature", "sigma", "std"}
_COUNTS = {"range", "steps", "epochs", "iterations", "n_steps", "num_steps", "num_epochs", "manual_seed", "seed", "T_max"}


def literals(source: Lines, tree: ast.Module, most: int) -> tuple[list[Knob], bool]:
    """A knob for every literal that takes part in a computation, still without an id; the first `most` of them, and whether
    there are more."""
    finder = _Finder(source, most)
    finder.of(tree)
    return finder.knobs[:most], len(finder.knobs) > most


@dataclass(frozen=True, slots=True)
class _Context:
    """Where in the program a literal stands."""

    target: str = ""
    """The name that the statement binds."""
    name: str = ""
    """What the literal itself is called: the target, a keyword, an entry (`x[0]`)."""
    role: Literal["value", "sizes", "silent"] = "value"
    integral: bool = False
    """Whether an integer must stay one."""
    parent: ast.expr | None = None
    """The expression around the literal."""
    callee: str = ""


_NOWHERE = _Context()


class _Finder:
    """Walks the tree once, knowing at each literal what surrounds it.

    What is still to be looked at waits in a list, so that no nest in the text becomes one of calls.
    """

    def __init__(self, source: Lines, most: int) -> None:
        self.source = source
        self.most = most
        self.knobs: list[Knob] = []
        self.waiting: list[tuple[ast.AST, _Context | None]] = []
        """Nodes with what surrounds them, the next one last; a statement has nothing around it."""

    def of(self, tree: ast.Module) -> None:
        self.later([(statement, None) for statement in tree.body])
        while self.waiting and len(self.knobs) <= self.most:
            node, context = self.waiting.pop()
            if isinstance(node, ast.stmt):
                self.statement(node)
            elif isinstance(node, ast.expr):
                self.expression(node, context or _NOWHERE)
            else:
                # Whatever holds expressions: comprehensions, with items, handlers.
                self.later([(child, context) for child in ast.iter_child_nodes(node)])

    def later(self, nodes: Sequence[tuple[ast.AST, _Context | None]]) -> None:
        """Have nodes looked at before all that wait already, in this order."""
        self.waiting += reversed(nodes)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assert() | ast.Raise() | ast.Import() | ast.ImportFrom():
                return
            case ast.Expr(ast.Constant()):
                return
            case ast.Assign(targets=[target], value=value):
                self.later(list(self.assigned(target, value)))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.later(list(self.assigned(target, value)))
            case ast.AugAssign(target=target, value=value):
                name = f"{self.target(target)} {_SIGNS.get(type(node.op), '?')}="
                self.later([(value, _Context(self.target(target), name))])
            case ast.For(target=target, iter=iterable, body=body, orelse=rest):
                head = _Context("", f"for {self.target(target)} in", integral=True)
                self.later([(iterable, head), *((each, None) for each in body + rest)])
            case ast.Return(value=ast.expr() as value):
                self.later([(value, _Context("", "return"))])
            case ast.While(test=ast.Constant()) | ast.If(test=ast.Constant()):
                self.later([(each, None) for each in node.body + node.orelse])
            case ast.FunctionDef(args=arguments):
                self.later([*self.defaults(arguments), *((each, None) for each in node.body)])
            case _:
                self.later([(child, None) for child in ast.iter_child_nodes(node)])

    def assigned(self, target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.AST, _Context]]:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts, strict=True):
                yield from self.assigned(one, its)
            return
        name = self.target(target)
        yield value, _Context(name, name)

    def defaults(self, arguments: ast.arguments) -> Iterator[tuple[ast.AST, _Context]]:
        positional = arguments.posonlyargs + arguments.args
        with_default = positional[len(positional) - len(arguments.defaults) :]
        pairs = [
            *zip(with_default, arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for argument, default in pairs:
            if default is not None:
                yield default, _Context("", _short(argument.arg))

    def expression(self, node: ast.expr, context: _Context) -> None:
        if context.role == "silent" or isinstance(node, ast.JoinedStr):
            return
        number = _number(node)
        if number is not None:
            self.knobs.append(self.single(node, number, context))
            return
        match node:
            case ast.List() | ast.Tuple():
                self.nested(node, context)
            case ast.Call():
                self.call(node, context)
            case ast.Subscript(value=value, slice=index):
                inside = replace(context, name="", parent=node)
                self.later([(value, inside), (index, replace(inside, role="sizes", integral=True))])
            case ast.BinOp(left=left, op=op, right=right):
                whole = context.integral or isinstance(op, ast.Mod | ast.FloorDiv | ast.LShift | ast.RShift)
                inside = replace(context, name="", parent=node, integral=whole, callee="binary" if not whole else "")
                self.later([(left, inside), (right, inside)])
            case ast.Dict(keys=keys, values=values):
                entries = []
                for key, value in zip(keys, values, strict=True):
                    named = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
                    entries.append((value, replace(context, name=_clipped(named), parent=node)))
                self.later(entries)
            case ast.Compare():
                inside = replace(context, name="", parent=node, callee="binary")
                self.later([(child, inside) for child in (node.left, *node.comparators)])
            case ast.UnaryOp(operand=operand):
                self.later([(operand, replace(context, parent=node))])
            case _:
                inside = replace(context, name="", parent=node)
                self.later([(part, inside) for part in ast.iter_child_nodes(node)])

    def call(self, node: ast.Call, context: _Context) -> None:
        callee = last_name(node.func)
        if callee in _SILENT:
            return
        parts: list[tuple[ast.AST, _Context | None]] = []
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
            # `x = torch.tensor(2.0).requires_grad_()` is still x.
            parts.append((node.func.value, context))
        else:
            parts.append((node.func, replace(context, name="", parent=node)))
        sized = callee in _SIZED or "sized" in traits_called(callee) or _SIZED_FAMILIES.fullmatch(callee) is not None
        integral = context.integral or callee in _COUNTS
        callee = _short(callee)
        for position, argument in enumerate(node.args):
            inside = replace(context, name="", parent=node, callee=callee, integral=integral)
            if callee in _DATA and position == 0:
                inside = replace(inside, name=context.name, callee="data")
            elif context.role == "sizes" or sized or (callee == "full" and position == 0):
                inside = replace(inside, role="sizes", integral=True)
            parts.append((argument, inside))
        for keyword in node.keywords:
            name = _short(keyword.arg or "")
            sizes = context.role == "sizes" or name in _SIZE_NAMES
            called = f"{name} of {context.target}" if name == "requires_grad" and context.target else f"{name} in {callee}(…)"
            inside = replace(context, name=called if name else "", parent=node, callee=callee)
            parts.append((keyword.value, replace(inside, role="sizes", integral=True) if sizes else inside))
        self.later(parts)

    def nested(self, node: ast.List | ast.Tuple, context: _Context) -> None:
        """A list: small ones entry by entry, rectangular ones as a grid, deeper ones by their parts."""
        grid = _grid(node)
        if grid is not None and _SINGLE < len(grid[0]) <= MAX_ENTRIES and context.role == "value":
            entries, shape = grid
            numbers = [number for number in map(_number, entries) if number is not None]
            if len(numbers) == len(entries) and not any(isinstance(number, bool) for number in numbers):
                spans = tuple(map(self.source.span, entries))
                low, high, step = _range(max(numbers, key=abs), "", False)
                knob = Knob(
                    "", self.label(node, context), node.lineno, "matrix", tuple(numbers), spans, "values", shape,
                    low, high, step, tuple(isinstance(number, int) for number in numbers),
                )  # fmt: skip
                self.knobs.append(knob)
                return
        alone = len(node.elts) == 1
        parts = []
        for position, element in enumerate(node.elts):
            name = _entry(context.name, position) if context.name and not alone else context.name
            parts.append((element, replace(context, name=name, parent=context.parent if context.name else node)))
        self.later(parts)

    def single(self, node: ast.expr, number: Number, context: _Context) -> Knob:
        label = self.label(node, context)
        span = self.source.span(node)
        if isinstance(number, bool):
            return Knob("", label, node.lineno, "bool", number, (span,), "sizes" if context.role == "sizes" else "switches")
        # `5 * x` may become `5.5 * x`, but `range(5)`, a seed and a tensor of integers stay whole.
        kind: Kind = "int" if isinstance(number, int) and (context.integral or context.callee != "binary") else "number"
        name = context.name.split(" ")[0].split("[")[0] or context.callee
        low, high, step = _range(number, name, kind == "int", context.role == "sizes")
        group: Group = "sizes" if context.role == "sizes" else "values"
        return Knob("", label, node.lineno, kind, number, (span,), group, (), low, high, step)

    def label(self, node: ast.expr, context: _Context) -> str:
        """The program's name for a literal, else the expression around it with a hole in its place."""
        if context.name:
            return _clipped(context.name)
        text, (start, end) = self.source.text, self.source.span(node)
        if context.parent is None:
            return _clipped(text[start : min(end, start + _LONGEST)])
        if isinstance(context.parent, ast.Call):
            # No more of them fit.
            few = context.parent.args[:_MAX_LABEL]
            arguments = [_HOLE if one is node else self.beginning(one, 8) for one in few]
            arguments += ["…"] * bool(context.parent.keywords)
            around = _clipped(f"{_short(last_name(context.parent.func))}({', '.join(arguments)})")
        else:
            first, last = self.source.span(context.parent)
            before, after = text[max(first, start - _LONGEST) : start], text[end : min(last, end + _LONGEST)]
            around = _clipped(before, 14, tail=True) + _HOLE + _clipped(after, 14)
        return f"{around} in {context.target}" if context.target else around

    def beginning(self, node: ast.expr, length: int) -> str:
        """The beginning of a node's text."""
        start, end = self.source.span(node)
        return _clipped(self.source.text[start : min(end, start + _LONGEST)], length)

    def target(self, node: ast.expr) -> str:
        """What is assigned to, as Python would write it."""
        match node:
            case ast.Name(id=name):
                return _clipped(name)
            case ast.Tuple(elts=[_, _, *_] as parts):
                return _clipped(f"({', '.join(map(self.target, parts[:_MAX_LABEL]))})")
        start, end = self.source.span(node)
        return _clipped(self.source.text[start : min(end, start + _LONGEST)])


_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "−",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
}


def _number(node: ast.expr) -> Number | None:
    """The value of a number or truth value with an optional minus sign, else None."""
    match node:
        case ast.Constant(value=bool() | int() | float() as value) if abs(value) < 1e300:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if not isinstance(value, bool):
            return -value if abs(value) < 1e300 else None
    return None


def _grid(node: ast.List | ast.Tuple) -> tuple[list[ast.expr], tuple[int, int]] | None:
    """The entries of a list of numbers, or of a rectangular list of such lists, with rows and columns."""
    rows = [row.elts for row in node.elts if isinstance(row, ast.List | ast.Tuple)]
    if not rows:
        return (node.elts, (1, len(node.elts))) if all(_number(element) is not None for element in node.elts) else None
    whole = len(rows) == len(node.elts) and len({len(row) for row in rows}) == 1
    entries = list(chain.from_iterable(rows))
    return (entries, (len(rows), len(rows[0]))) if whole and all(_number(entry) is not None for entry in entries) else None


_TINY = 1e-300
"""Below it there is no room left for a slider's step."""


def _range(value: Number, name: str, whole: bool, counted: bool = False) -> tuple[float, float, float]:
    """Lowest, highest and step of a slider for a value: a round range around it that keeps its sign's meaning."""
    size = abs(value)
    if whole:
        high = _round(max(10, 2 * size))
        return 0.0 if value >= 0 and (counted or name in _COUNTS) else -high, high, 1.0
    if name in _SHARES and 0 <= value <= 1:
        return 0.0, 1.0, 0.01
    high = _round(2.5 * size) if size > _TINY else 1.0
    low = 0.0 if name in _POSITIVE and value >= 0 else -high
    return low, high, _round((high - low) / 400, (1, 2, 5, 10))


def _round(value: float, digits: tuple[int, ...] = (1, 2, 3, 5, 10)) -> float:
    """The next of these digits times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    digit = next(digit for digit in digits if digit * power >= value * (1 - 1e-9))
    # Through decimal text, so that 3 × 0.1 is 0.3.
    return float(f"{digit * power:.3g}")


def _short(name: str) -> str:
    """A name, or as much of it as any label shows."""
    return name if len(name) <= _LONGEST else name[:_LONGEST]


def _entry(name: str, position: int) -> str:
    """`x[0]`, and `betas[0] in Adam(…)`."""
    head, space, tail = name.partition(" ")
    return f"{head}[{position}]{space}{tail}"


def _clipped(text: str, length: int = _MAX_LABEL, tail: bool = False) -> str:
    line = " ".join(text[-4 * length :].split()) if tail else " ".join(text[: 4 * length].split())
    # The spaces at the hole belong to the text.
    if tail and text[-1:].isspace():
        line += " "
    if not tail and text[:1].isspace():
        line = " " + line
    if len(line) <= length:
        return line
    return "…" + line[-length + 1 :] if tail else line[: length - 1] + "…"
