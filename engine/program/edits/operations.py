"""The operations that the builder offers, each with its code, what it takes, and which shapes fit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import shapes
from .operands import Operand
from .shapes import MisfitError, Rule, Settings, Shape

MANY = 0
"""An operation that takes two tensors or more."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An operation: its label, and its code with operands {a} and {b}, {all} of them, and settings."""

    label: str
    code: str
    rule: Rule
    writes: bool = False
    """Whether it writes into its first operand and makes no new tensor."""
    warning: str = ""

    @property
    def operands(self) -> int:
        """How many tensors it takes, or MANY."""
        return MANY if "{all}" in self.code else 2 if "{b}" in self.code else 1

    @property
    def settings(self) -> tuple[str, ...]:
        """Which settings it uses: "number", "dim", "over", "shape", "index"."""
        placeholders = {
            "{n}": "number",
            "{dim}": "dim",
            "{new}": "dim",
            "{over}": "over",
            "{shape}": "shape",
            "{index}": "index",
        }
        return tuple(setting for placeholder, setting in placeholders.items() if placeholder in self.code)


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a choice fits: the code and the shape of its result, or the reason why not."""

    code: str = ""
    shape: Shape = ()
    reason: str = ""
    warning: str = ""


_ELEMENTWISE = shapes.elementwise
_FLOAT = shapes.floating(shapes.elementwise)
_RELUISH = shapes.subtraction

OPERATIONS: dict[str, tuple[Choice, ...]] = {
    "Arithmetic": (
        Choice("a + b", "{a} + {b}", _ELEMENTWISE), Choice("a − b", "{a} - {b}", shapes.subtraction),
        Choice("a · b, elements", "{a} * {b}", _ELEMENTWISE), Choice("a / b", "{a} / {b}", _ELEMENTWISE),
        Choice("a + number", "{a} + {n}", _ELEMENTWISE), Choice("a − number", "{a} - {n}", shapes.subtraction),
        Choice("a · number", "{a} * {n}", _ELEMENTWISE), Choice("number · a", "{n} * {a}", _ELEMENTWISE),
        Choice("a / number", "{a} / {n}", _ELEMENTWISE), Choice("power", "{a} ** {n}", shapes.power),
        Choice("−a", "-{a}", shapes.subtraction),
    ),
    "Matrix": (
        Choice("matrix product", "{a} @ {b}", shapes.matmul), Choice("transpose", "{a}.T", shapes.transpose),
        Choice("dot product", "torch.dot({a}, {b})", shapes.dot),
        Choice("outer product", "torch.outer({a}, {b})", shapes.outer),
    ),
    "Reduce": (
        Choice("sum", "{a}.sum({over})", shapes.reduced), Choice("mean", "{a}.mean({over})", shapes.floating(shapes.reduced)),
        Choice("largest", "{a}.amax({over})", shapes.reduced), Choice("smallest", "{a}.amin({over})", shapes.reduced),
        Choice("standard deviation", "{a}.std({over})", shapes.floating(shapes.spread)),
        Choice("variance", "{a}.var({over})", shapes.floating(shapes.spread)),
        Choice("length (norm)", "{a}.norm()", shapes.floating(lambda operands, settings: ())),
    ),
    "Function": (
        Choice("exp", "torch.exp({a})", _ELEMENTWISE), Choice("log", "torch.log({a})", _ELEMENTWISE),
        Choice("sqrt", "torch.sqrt({a})", _ELEMENTWISE), Choice("sin", "torch.sin({a})", _ELEMENTWISE),
        Choice("cos", "torch.cos({a})", _ELEMENTWISE), Choice("absolute value", "torch.abs({a})", _RELUISH),
        Choice("relu", "torch.relu({a})", _RELUISH), Choice("tanh", "torch.tanh({a})", _ELEMENTWISE),
        Choice("sigmoid", "torch.sigmoid({a})", _ELEMENTWISE),
        Choice("softplus", "torch.nn.functional.softplus({a})", _FLOAT),
        Choice("gelu", "torch.nn.functional.gelu({a})", _FLOAT),
        Choice("clamp below", "torch.clamp({a}, min={n})", shapes.subtraction),
        Choice("softmax", "torch.softmax({a}, {dim})", shapes.floating(shapes.along)),
        Choice("log softmax", "torch.log_softmax({a}, {dim})", shapes.floating(shapes.along)),
    ),
    "Shape": (
        Choice("reshape", "{a}.reshape({shape})", shapes.reshape), Choice("flatten", "{a}.flatten()", shapes.flattened),
        Choice("pick one entry", "{a}[{index}]", shapes.picked),
        Choice("add a dimension", "{a}.unsqueeze({new})", shapes.unsqueezed),
        Choice("drop dimensions of size 1", "{a}.squeeze()", shapes.squeezed),
        Choice("stack", "torch.stack([{all}], {new})", shapes.stacked),
        Choice("join (cat)", "torch.cat([{all}], {new})", shapes.joined),
    ),
    "Loss": (
        Choice("mean squared error", "torch.nn.functional.mse_loss({a}, {b})", shapes.floating(shapes.alike)),
        Choice("squared error by hand", "(({a} - {b}) ** 2).mean()", shapes.floating(shapes.by_broadcast)),
        Choice("mean absolute error", "torch.nn.functional.l1_loss({a}, {b})", shapes.floating(shapes.alike)),
        Choice("cross entropy", "torch.nn.functional.cross_entropy({a}, {b})", shapes.classes),
        Choice("binary cross entropy of logits", "torch.nn.functional.binary_cross_entropy_with_logits({a}, {b})",
               shapes.floating(shapes.alike)),
    ),
    "Graph": (
        Choice("detach", "{a}.detach()", _ELEMENTWISE, warning="No gradient passes through it."),
        Choice("clone", "{a}.clone()", _ELEMENTWISE),
        Choice("new leaf of the same value", "{a}.detach().clone().requires_grad_()", _FLOAT,
               warning="A leaf of its own: no gradient gets back to where the value came from."),
    ),
    "In place": (
        Choice("add number", "{a}.add_({n})", shapes.written_by_number, True),
        Choice("multiply by number", "{a}.mul_({n})", shapes.written_by_number, True),
        Choice("add b", "{a}.add_({b})", shapes.written, True), Choice("multiply by b", "{a}.mul_({b})", shapes.written, True),
        Choice("relu", "{a}.relu_()", shapes.written, True),
        Choice("zero", "{a}.zero_()", shapes.written, True), Choice("fill", "{a}.fill_({n})", shapes.written_by_number, True),
    ),
}  # fmt: skip

_COUNTS = {1: "one tensor", 2: "two tensors", MANY: "two tensors or more"}


def fit(choice: Choice, operands: Sequence[Operand], settings: Settings | None = None) -> Fit:
    """Whether an operation fits these operands, with its code or the reason."""
    settings = settings or Settings()
    wanted = choice.operands
    if not operands:
        return Fit(reason=f"takes {_COUNTS[wanted]}: choose {'it' if wanted == 1 else 'them'} in the graph")
    if wanted == 2 and len(operands) == 1:
        # `x * x` is one tensor twice.
        return Fit(reason=f"takes two tensors: choose another one, or {operands[0].code} twice")
    if (wanted == MANY and len(operands) < 2) or (wanted not in (MANY, len(operands))):
        return Fit(reason=f"takes {_COUNTS[wanted]}; {len(operands)} {'is' if len(operands) == 1 else 'are'} chosen")
    try:
        shape = choice.rule(operands, settings)
    except MisfitError as misfit:
        return Fit(reason=str(misfit))
    return Fit(code_of(choice, [operand.code for operand in operands], settings), shape, warning=warning_of(choice, operands))


def code_of(choice: Choice, names: Sequence[str], settings: Settings) -> str:
    """The code with names in it."""
    index = ", ".join([":"] * (settings.dim or 0) + [str(settings.index)])
    over = "" if settings.dim is None else f"dim={settings.dim}" + (", keepdim=True" if settings.keepdim else "")
    shape = ", ".join(map(str, settings.shape)) if settings.shape else "()"
    code = choice.code.format(
        a=names[0], b=names[1] if len(names) > 1 else "", all=", ".join(names), n=number_text(settings.number),
        dim=f"dim={settings.dim}", new=f"dim={settings.dim or 0}", over=over, shape=shape,
        index=index,
    )  # fmt: skip
    return f"with torch.no_grad():\n    {code}" if choice.writes and settings.no_grad else code


def number_text(number: float) -> str:
    """A number as one types it: 5 for 5.0."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(float(number))


def warning_of(choice: Choice, operands: Sequence[Operand]) -> str:
    """What to know about an operation that fits."""
    if choice.writes:
        target = operands[0]
        if target.kept_by:
            return f"{target.kept_by} remembers the old value of {target.code}: a backward pass through it will fail."
        return f"It writes into {target.code} itself: the old value is gone."
    if "** 2).mean()" in choice.code and operands[0].shape != operands[1].shape:
        return "The shapes differ and are broadcast: seldom meant in a loss."
    return choice.warning
