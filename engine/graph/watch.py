"""What an expression comes to at any step of a recording: `w.grad.norm()`, `loss`, `net.fc.weight[0] - w.mean(0)`.

Nothing of the program runs again. A name stands for the tensor that it was bound to at the step, its `.grad` for the gradient
that it held then; the rest is arithmetic on what was recorded, with PyTorch's names and rules for the functions that there are.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np

from ..program.parsing import UnreadError, read
from ..recording.events import NOTHING
from ..recording.index import StepFunction, index_of
from ..recording.recording import Recording
from ..recording.replay import State, TensorState, replay
from ..recording.store import Summary
from .numbers import UNMEASURED, ArrayTexts, number, preview, shape_text
from .structure.tensor_titles import best_names

LONGEST = 200
"""Characters of an expression."""
MOST = 20
"""Expressions that are watched at once."""
LARGEST = 1_000_000
"""Elements of anything that is computed on the way."""
WORK = 100 * LARGEST
"""Multiplications of a matrix product: some 50 ms."""
PLACE = re.compile(r"\[(\d+)\]")
DOTTED = re.compile(r"(?<=[A-Za-z_\]])\.(\d+)\b")
"""A part of a list as a path in a module names it: `net.0.weight`."""
NONSENSE = "this is no expression that can be watched"
Array = np.ndarray[Any, np.dtype[Any]]


class Watched(msgspec.Struct, frozen=True):
    """What an expression comes to."""

    text: str
    """The value in few characters, or why there is none."""
    known: bool
    about: str = ""
    """Dtype and shape of an array."""
    tensor: int = NOTHING
    """The tensor that it names, or whose gradient it is."""
    since: int = NOTHING
    """The step at which what it is made of changed last."""


class Unknown(Exception):
    """An expression has no value at the step; why not is its text."""


class _Tensor:
    """A tensor at the step, or its gradient: the array is read when it is asked for."""

    def __init__(self, recording: Recording, state: TensorState, id: int) -> None:
        self.recording, self.state, self.id = recording, state, id

    @property
    def array(self) -> Array:
        array = self.recording.array(self.id)
        if array is None and self.recording.arrays[self.id].unmeasured:
            raise Unknown(f"its values were {UNMEASURED}")
        if array is None:
            raise Unknown("only its mean, deviation and norm were recorded here")
        return array

    @property
    def summary(self) -> Summary | None:
        stored = self.recording.arrays[self.id]
        return None if stored.unmeasured else stored.summary

    @property
    def shape(self) -> tuple[int, ...]:
        return self.recording.arrays[self.id].shape

    @property
    def dtype(self) -> str:
        return self.recording.arrays[self.id].dtype


def watched(recording: Recording, step: int, expression: str) -> Watched:
    """The value of an expression after the event `step`.

    Args:
        expression: names of the program's tensors, or parameters by the path of their module; `.grad`, `.shape`, `.dtype`,
            `.grad_fn`, `.T` and the like; subscripts with numbers and slices; arithmetic and comparisons; and the functions of
            `FUNCTIONS` as methods or of `torch`.
    """
    if len(expression) > LONGEST:
        return Watched(f"longer than {LONGEST} characters", False)
    try:
        statements = read(DOTTED.sub(r"[\1]", expression.strip())).tree.body
    except UnreadError:
        return Watched(NONSENSE, False)
    if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
        return Watched(NONSENSE, False)
    tree = statements[0].value
    reading = _Reading(recording, step)
    try:
        with np.errstate(all="ignore"):
            value = reading.value(tree)
            text, about = _shown(recording, value)
    except OverflowError:
        return Watched("too large a number", False)
    except (Unknown, TypeError, ValueError, IndexError, ArithmeticError, AttributeError, RecursionError) as why:
        return Watched(str(why).partition("\n")[0] or type(why).__name__, False, since=reading.since)
    plain = value.state.id if isinstance(value, _Tensor) else NOTHING
    return Watched(text, True, about, plain, reading.since)


def named(recording: Recording, name: str, step: int) -> TensorState | None:
    """The tensor that a name stands for at a step: a global, the local of a function that was bound last, or a parameter by the
    path of its module, with `.0` or `[0]` for the parts of a list."""
    return _named(replay(recording, step), name)[0]


def _named(state: State, name: str) -> tuple[TensorState | None, int]:
    """The tensor, and the step since which the name has stood for it."""
    recording = state.recording
    since = found = NOTHING
    for where, track in recording.once("names by name", lambda: _tracks(recording)).get(name, ()):
        tensor, bound = track.at(state.step, NOTHING), track.since(state.step)
        if tensor != NOTHING and (bound > since or not where):
            since, found = bound, tensor
            if not where:
                break
    if found == NOTHING and "." in (path := PLACE.sub(r".\1", name)):
        found = next((id for id, called in best_names(recording).items() if called in (name, path) and id in state), NOTHING)
    return (None, NOTHING) if found == NOTHING else (state.tensor(found), since)


def _tracks(recording: Recording) -> dict[str, list[tuple[str, StepFunction[int]]]]:
    """Name → the functions that have a local of it, the program itself first, and what it stood for there."""
    tracks: dict[str, list[tuple[str, StepFunction[int]]]] = {}
    for (where, name), track in sorted(index_of(recording).names.items(), key=lambda each: each[0]):
        tracks.setdefault(name, []).append((where, track))
    return tracks


class _Reading:
    """One reading of an expression at a step."""

    def __init__(self, recording: Recording, step: int) -> None:
        self.recording, self.step = recording, step
        self.state = replay(recording, step)
        self.since = NOTHING

    def value(self, node: ast.expr) -> Any:
        """What a part of the expression comes to."""
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            found, since = _named(self.state, ast.unparse(node))
            if found is not None:
                return self._tensor(found, since)
        match node:
            case ast.Constant(value=bool() | int() | float() as constant):
                return constant
            case ast.Name(id=name):
                raise Unknown(f"no tensor is called {name} at this step")
            case ast.Attribute(value=of, attr=what):
                return self._attribute(self.value(of), what)
            case ast.Subscript(value=of, slice=place):
                return self._part(self.value(of), place)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in SIGNS:
                return SIGNS[type(op)](_array(self.value(operand)))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return self._both(OPERATORS[type(op)], left, right)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return self._both(COMPARISONS[type(op)], left, right)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name), args=[of, *args], keywords=keywords):
                return self._call(name, self.value(of), args, keywords)
            case ast.Call(func=ast.Attribute(value=of, attr=name), args=args, keywords=keywords):
                return self._call(name, self.value(of), args, keywords)
            case ast.Call(func=ast.Name(id="abs" | "float" | "int" | "len" as name), args=[of], keywords=[]):
                return BUILTINS[name](self.value(of))
        raise Unknown(NONSENSE)

    def _tensor(self, found: TensorState, since: int) -> _Tensor:
        history = index_of(self.recording).tensors[found.id]
        changed = NOTHING if history.changes is None else history.changes.since(self.step)
        self.since = max(self.since, since, history.born, changed)
        return _Tensor(self.recording, found, found.value)

    def _attribute(self, of: Any, what: str) -> Any:
        if not isinstance(of, _Tensor):
            if what in ("shape", "T") and isinstance(of, np.ndarray):
                return of.shape if what == "shape" else of.T
            raise Unknown(f"there is no .{what} of this")
        state = of.state
        if what == "grad":
            if of.id != state.value:
                raise Unknown("the gradient of a gradient is another tensor; it goes by its own name")
            ledger = index_of(self.recording).tensors[state.id].ledger
            self.since = max(self.since, NOTHING if ledger is None else ledger.since(self.step))
            return None if state.grad == NOTHING else _Tensor(self.recording, state, state.grad)
        if what == "shape":
            return of.shape
        if what == "dtype":
            return f"torch.{of.dtype}"
        if what == "T":
            return of.array.T
        if what == "data":
            return of
        if of.id != state.value:
            raise Unknown(f"there is no .{what} of a gradient here")
        if what == "grad_fn":
            node = index_of(self.recording).nodes.get(state.node)
            return None if state.is_leaf or node is None else f"<{node.info.name}>"
        if what in ("requires_grad", "is_leaf"):
            return bool(getattr(state, what))
        if what == "_version":
            return state.version
        raise Unknown(f"there is no .{what} to watch")

    def _part(self, of: Any, place: ast.expr) -> Any:
        if isinstance(of, tuple):
            return of[self._place(place)]
        places = place.elts if isinstance(place, ast.Tuple) else [place]
        return np.asarray(_array(of))[tuple(self._place(each) for each in places)]

    def _place(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            return slice(*(None if each is None else self._whole(each) for each in (node.lower, node.upper, node.step)))
        if isinstance(node, ast.Constant) and node.value is Ellipsis:
            return Ellipsis
        return self._whole(node)

    def _whole(self, node: ast.expr) -> int:
        value = self.value(node)
        if isinstance(value, _Tensor):
            value = value.array.item()
        if not isinstance(value, int | np.integer):
            raise Unknown("a place is a whole number")
        return int(value)

    def _both(self, does: Callable[[Any, Any], Any], left: ast.expr, right: ast.expr) -> Any:
        a, b = _array(self.value(left)), _array(self.value(right))
        size, work = _cost(does, np.shape(a), np.shape(b))
        if size > LARGEST or work > WORK:
            raise Unknown("more than can be worked out at every step")
        if isinstance(a, int) and isinstance(b, int) and does is operator.pow:
            a = float(a)  # whole numbers would grow without end
        return does(a, b)

    def _call(self, name: str, of: Any, args: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if name not in FUNCTIONS:
            raise Unknown(f"{name}() cannot be watched")
        given: dict[str, Any] = {each.arg: self._argument(each.value) for each in keywords if each.arg is not None}
        positions = [self._argument(each) for each in args]
        plain = isinstance(of, _Tensor) and not positions and not given
        if plain and of.summary is not None and name in ("norm", "mean", "std"):
            return float(getattr(of.summary, name))
        return FUNCTIONS[name](np.asarray(_array(of)), *positions, **given)

    def _argument(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self._whole(each) for each in node.elts)
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str)):
            return node.value
        value = self.value(node)
        return value.array.item() if isinstance(value, _Tensor) else value


def _cost(does: Callable[[Any, Any], Any], a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, int]:
    """Elements of a result, and multiplications that it takes."""
    if does is not operator.matmul or not a or not b:
        size = math.prod(np.broadcast_shapes(a, b))
        return size, size
    size = math.prod(np.broadcast_shapes(a[:-2], b[:-2])) * math.prod(a[-2:-1]) * (b[-1] if len(b) > 1 else 1)
    return size, size * a[-1]


def _array(value: Any) -> Any:
    if isinstance(value, _Tensor):
        return value.array
    if value is None or isinstance(value, str | tuple):
        raise Unknown(f"{value} is no number")
    return value


def _shown(recording: Recording, value: Any) -> tuple[str, str]:
    """A value in few characters, and its dtype and shape."""
    if isinstance(value, _Tensor):
        return ArrayTexts(recording)(value.id), f"{value.dtype} {shape_text(value.shape)}"
    if isinstance(value, np.ndarray) and value.ndim:
        return preview(_Computed(value)), shape_text(value.shape)  # type: ignore[arg-type]
    if isinstance(value, np.generic | np.ndarray):
        return number(value.item()), ""
    if isinstance(value, bool | str | tuple) or value is None:
        return str(list(value)) if isinstance(value, tuple) else str(value), ""
    return number(value), ""


class _Computed:
    """What was computed, as a recorded array is told."""

    def __init__(self, array: Array) -> None:
        self.shape, self.array, self.summary = array.shape, array, None

    def to_numpy(self) -> Array:
        return self.array


def _reduced(does: Callable[..., Any]) -> Callable[..., Any]:
    """A function over all elements, or along `dim`, in double precision."""

    def reduced(of: Array, dim: Any = None, keepdim: bool = False) -> Any:
        return does(_wide(of), axis=dim, keepdims=bool(keepdim))

    return reduced


def _deviation(power: float) -> Callable[..., Any]:
    def deviation(
        of: Array, dim: Any = None, unbiased: bool = True, correction: float | None = None, keepdim: bool = False
    ) -> Any:
        less = float(bool(unbiased)) if correction is None else float(correction)
        return np.var(_wide(of), axis=dim, ddof=less, keepdims=bool(keepdim)) ** power

    return deviation


def _norm(of: Array, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    size = np.abs(_wide(of))
    order = 2.0 if p in (None, "fro") else float(p)
    if order == math.inf:
        return size.max(axis=dim, keepdims=bool(keepdim))
    if order == 0:
        return (size != 0).sum(axis=dim, keepdims=bool(keepdim))
    return (size**order).sum(axis=dim, keepdims=bool(keepdim)) ** (1 / order)


def _median(of: Array, dim: int | None = None) -> Any:
    """The lower of the two in the middle, as PyTorch has it."""
    ordered = np.sort(of, axis=dim)
    return np.take(ordered, (ordered.shape[-1 if dim is None else dim] - 1) // 2, axis=-1 if dim is None else dim)


def _softmax(of: Array, dim: int) -> Any:
    grown = np.exp(_wide(of) - of.max(axis=dim, keepdims=True))
    return grown / grown.sum(axis=dim, keepdims=True)


def _wide(of: Array) -> Array:
    if of.dtype.kind == "c":
        return of.astype(np.complex128)
    return of if of.dtype.kind in "iub" else of.astype(np.float64)


def _elementwise(does: Callable[[Any], Any]) -> Callable[[Array], Any]:
    return lambda of: does(of)


def _item(of: Array) -> Any:
    if of.size != 1:
        raise Unknown(f"item() is of one element, and there are {of.size}")
    return of.item()


def _size(of: Array, dim: int | None = None) -> Any:
    return of.shape if dim is None else of.shape[dim]


def _measure(of: Any) -> int:
    shape = of if isinstance(of, tuple) else np.shape(_array(of))
    if not shape:
        raise Unknown("a scalar has no length")
    return len(of) if isinstance(of, tuple) else int(shape[0])


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": _reduced(np.sum), "mean": _reduced(np.mean), "prod": _reduced(np.prod),
    "max": _reduced(np.max), "min": _reduced(np.min), "amax": _reduced(np.max), "amin": _reduced(np.min),
    "std": _deviation(0.5), "var": _deviation(1.0), "norm": _norm, "median": _median,
    "argmax": lambda of, dim=None: np.argmax(of, axis=dim), "argmin": lambda of, dim=None: np.argmin(of, axis=dim),
    "all": lambda of, dim=None: np.all(of, axis=dim), "any": lambda of, dim=None: np.any(of, axis=dim),
    "abs": _elementwise(np.abs), "sqrt": _elementwise(np.sqrt), "exp": _elementwise(np.exp), "log": _elementwise(np.log),
    "sign": _elementwise(np.sign), "tanh": _elementwise(np.tanh), "round": _elementwise(np.round),
    "isnan": _elementwise(np.isnan), "isinf": _elementwise(np.isinf), "isfinite": _elementwise(np.isfinite),
    "sigmoid": lambda of: 1 / (1 + np.exp(-of)), "relu": lambda of: np.maximum(of, 0), "softmax": _softmax,
    "flatten": lambda of: of.ravel(), "t": lambda of: of.T, "detach": lambda of: of, "clone": lambda of: of,
    "item": _item, "tolist": lambda of: of, "numel": lambda of: of.size, "dim": lambda of: of.ndim, "size": _size,
}  # fmt: skip
"""What can be called: the name that PyTorch has for it → the function of an array."""
BUILTINS: Mapping[str, Callable[[Any], Any]] = {
    "abs": lambda of: abs(_array(of)), "float": lambda of: float(_item(np.asarray(_array(of)))),
    "int": lambda of: int(_item(np.asarray(_array(of)))), "len": _measure,
}  # fmt: skip
SIGNS: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: np.logical_not, ast.Invert: np.logical_not,
}  # fmt: skip
OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def suggestions(recording: Recording) -> list[str]:
    """Two or three expressions that are worth watching in a run, of each kind one."""
    return recording.once("worth watching", lambda: _suggestions(recording))


def _suggestions(recording: Recording) -> list[str]:
    state = replay(recording, len(recording.events) - 1)
    names = list(reversed(state.names.items()))
    scalar = [name for name, id in names if not state.tensor(id).info.shape]
    sized = [f"{name}.grad.norm()" for name, id in names if state.tensor(id).grad != NOTHING]
    paths = [path for id, path in best_names(recording).items() if "." in path and state.tensor(id).grad != NOTHING]
    sized = sized or [f"{path}.grad.norm()" for path in paths]
    others = [f"{name}[0]" for name, id in names if state.tensor(id).info.shape]
    return [each for kind in (scalar, sized, others) for each in kind[:1]]
