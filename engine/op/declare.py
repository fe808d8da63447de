"""How an operation is declared, and what is derived from a declaration.

    @op(r"\\tanh {self}", self=lambda grad, result: tanh_backward(grad, result))
    def tanh(self):
        '''Hyperbolic tangent of each element.'''
        return np.tanh(self)

The function is the formula on arrays. Each keyword names an input that may be a tensor and gives its derivative rule, or None
where there is no derivative. A rule's first parameter is the upstream gradient; its other parameters are what the node saves:
an argument by name, `result` (or the name of one output), `<argument>_sym_sizes`, `<argument>_sym_numel`.

A rule is read in three ways, always the same text: on arrays (first derivatives), on recorded tensors (`create_graph`), and on
symbols, for its formula. The first two differ only in what the names of other operations in it stand for, so a rule uses
operators, names of operations, and plain helper functions made of them: no methods.
"""

from __future__ import annotations

import dis
import functools
import inspect
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..autograd.node import Node
from ..compat.version import Changed
from ..itself import OURS
from .traits import checked

Rule = Callable[..., Any]
_PARTS = string.Formatter()
_DIMENSIONS = frozenset(("dim", "dims", "axes", "shape"))
"""Arguments of what is not element by element."""


@dataclass(eq=False)
class Op:
    """One operation: its formula, its rules, and how it is called."""

    name: str
    template: str
    """LaTeX with the arguments' names in braces."""
    forward: Callable[..., Any]
    rules: dict[str, Rule | None]
    node_name: str
    broadcast: tuple[str, ...] = ()
    """The tensor inputs that broadcast and are brought to one dtype; numbers are accepted for them."""
    floating: bool = False
    """Whether integers are converted to floating point first."""
    view: bool = False
    """Whether the result shares the memory of `self`."""
    outputs: tuple[str, ...] = ("result",)
    tensor_lists: tuple[str, ...] = ()
    """Inputs that are sequences of tensors."""
    joint_vjp: Rule | None = None
    """One rule for all inputs: gets `needs` (a bool per input) and returns as many gradients."""
    parameters: tuple[inspect.Parameter, ...] = ()
    node: type[Node] = Node
    saved_names: tuple[str, ...] = ()
    call: Callable[..., Any] = field(default=lambda: None)
    kind: str = "op"
    traits: set[str] = field(default_factory=set)
    """What it is known to be, by the names in `traits.TRAITS`; all variants of one name share them."""
    symbol: str = ""
    """The sign it is drawn with; its name where there is none."""
    ufunc: Callable[..., Any] | None = None
    """The function of NumPy that it is, if it can be written in place at once."""
    turned: int = 0
    """Of a view: by how much the number in the node's name is higher where the tensor itself is turned (`t_`)."""
    holomorphic: bool = True
    """Whether its rules are written without conjugates, which the engine adds where numbers are complex."""
    real_only: str | Exception | Changed[Exception] = ""
    """What PyTorch says of complex numbers: its kernel's name, a sentence, or its error; "" where it takes them."""
    fused: bool = False
    """Whether PyTorch computes its derivatives in one kernel."""
    exact_numbers: bool = False
    """Whether a number beside numbers of 16 bits is taken as it is, and not rounded to them."""
    stepwise: bool = False
    """Whether PyTorch computes it in several steps, which round float16 each."""
    shows: Mapping[str, Callable[..., Any] | None] = field(default_factory=dict)
    """What the node shows otherwise than the rule saves it: how it comes from what is saved, None for what is not shown."""
    layout: str = "rows"
    """How its result stands in memory where operands do not stand row by row, by the names in `layouts.RULES`."""

    @property
    def tensors(self) -> tuple[str, ...]:
        """Names of the inputs that may be tensors, in the order of the parameters."""
        return tuple(p.name for p in self.parameters if p.name in self.rules)

    @property
    def differentiable(self) -> tuple[str, ...]:
        """Names of the inputs that get a gradient."""
        return tuple(n for n in self.tensors if self.rules[n] is not None)

    @functools.cached_property
    def doc(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.forward) or "").split("\n")[0]


TABLE: dict[str, Op] = {}
"""Every operation by name."""

_traits: dict[str, set[str]] = {}


def traits_of(name: str, more: str = "") -> set[str]:
    """The traits of the operations that users call by a name, once `more` have been added to them."""
    shared = _traits.setdefault(name, set())
    if more:
        shared |= checked(more)
    return shared


def op(
    template: str,
    *,
    broadcast: tuple[str, ...] | None = None,
    name: str | None = None,
    floating: bool = False,
    view: bool = False,
    outputs: tuple[str, ...] = ("result",),
    tensor_lists: tuple[str, ...] = (),
    joint_vjp: Rule | None = None,
    node: str | None = None,
    traits: str = "",
    symbol: str = "",
    ufunc: Callable[..., Any] | None = None,
    turned: int = 0,
    holomorphic: bool = True,
    real_only: str | Exception | Changed[Exception] = "",
    fused: bool = False,
    stepwise: bool = False,
    exact_numbers: bool = False,
    shows: Mapping[str, Callable[..., Any] | None] | None = None,
    layout: str = "",
    **rules: Rule | None,
) -> Callable[[Callable[..., Any]], Any]:
    """Declare an operation; returns the function that users call on tensors.

    Args:
        template: LaTeX of the result, with the arguments' names in braces.
        broadcast: the tensor inputs that broadcast, are brought to one dtype and may be numbers; all of them where there are
            two or more, unless said otherwise.
        name: what users call it, where the function is one of several variants (`_sum_dim` is `sum`).
        floating: convert integers to floating point first.
        view: the result shares the memory of the first argument.
        outputs: names of several outputs.
        tensor_lists: inputs that are sequences of tensors.
        joint_vjp: one rule for all inputs, `rule(grad, saved…, needs)`.
        node: the node's name where it is not `<Name>Backward0`.
        traits: names of traits, as words.
        symbol: the sign it is drawn with, where that is not its name.
        ufunc: the function of NumPy that it is; in place, it is called where there is no observer.
        turned: for a view whose in-place method turns the tensor itself (`t_`): by how much the number in its node's name is
            higher then.
        holomorphic: the operation is a complex differentiable function of each input, so that its rules are the derivative
            times the upstream gradient; the engine conjugates both as PyTorch's convention wants it. The rules of any other
            operation (`abs`, `real`) say themselves what is conjugated. For real numbers there is no difference.
        real_only: why complex numbers are refused: the name of PyTorch's kernel, the sentence of its NotImplementedError, or
            another error.
        fused: PyTorch has one kernel for its derivatives, so that numbers of 16 bits are rounded once, at its end; else each
            operation in a rule rounds them.
        stepwise: PyTorch computes the operation itself in several steps, each of which rounds numbers of float16.
        exact_numbers: a number beside numbers of 16 bits is taken as it is, and not rounded to them.
        shows: attributes of the node (`_saved_…`) that are not what the rule saves by that name: how each comes from what is
            saved, by a function of a function that gets it; None for what PyTorch's node does not show.
        layout: how the result stands in memory where operands do not stand row by row, by the names in `layouts.RULES`;
            unless said otherwise, `elementwise` for what is element by element, and for the rest what the file says
            (`LAYOUT = "elementwise"`), or else `rows`.
        rules: per input that may be a tensor its rule, or None.
    """

    def declare(forward: Callable[..., Any]) -> Any:
        from .codegen import write

        parameters = tuple(inspect.signature(forward).parameters.values())
        variant = forward.__name__
        public = name or variant.strip("_")
        by_element = forward.__globals__.get("ELEMENTWISE") and _DIMENSIONS.isdisjoint([p.name for p in parameters])
        o = Op(
            name=public,
            template=template,
            forward=forward,
            rules=rules,
            node_name=node or _camel(variant) + "Backward0",
            broadcast=(tuple(rules) if len(rules) > 1 and not tensor_lists else ()) if broadcast is None else broadcast,
            floating=floating,
            view=view,
            outputs=outputs,
            tensor_lists=tensor_lists,
            joint_vjp=joint_vjp,
            parameters=parameters,
            traits=traits_of(public, f"{traits} elementwise" if by_element else traits),
            layout=layout or ("elementwise" if by_element else forward.__globals__.get("LAYOUT", "rows")),
            symbol=symbol,
            ufunc=ufunc,
            turned=turned,
            holomorphic=holomorphic,
            real_only=real_only,
            fused=fused,
            stepwise=stepwise,
            exact_numbers=exact_numbers,
            shows=shows or {},
        )
        _check(o)
        o.call = write(o)
        if variant in TABLE:
            raise ValueError(f"two operations are declared as {variant}")
        TABLE[variant] = o
        return o.call

    return declare


_FACTS = ("_sym_sizes", "_sym_numel", "_sym_strides")
"""What a rule may ask for of an argument beside the argument itself."""


def _check(o: Op) -> None:
    """Raise TypeError for names in a declaration that stand for nothing; in the code made of it they would be a riddle."""
    variant = o.forward.__name__
    names = [p.name for p in o.parameters]
    there = f"the arguments are {', '.join(names) or 'none'}"
    if not o.rules and o.joint_vjp is None:
        first = names[0] if names else "one"
        raise TypeError(f"{variant}: no input has a rule; {there}, and {first}=None says that nothing comes back")
    for argument in o.rules.keys() - set(names):
        raise TypeError(f"{variant}: a rule is given for {argument!r}, which is no argument; {there}")
    saved = {*names, *o.outputs, *(f"{name}{fact}" for name in names for fact in _FACTS)}
    for argument, rule in [*o.rules.items(), ("joint_vjp", o.joint_vjp)]:
        if rule is not None and any(rule.__globals__.get(name) is np for name in rule.__code__.co_names):
            raise TypeError(
                f"{variant}: the rule of {argument} uses NumPy, and would fail on tensors and symbols; it is made of operators "
                "and of operations that the file imports"
            )
        for name in () if rule is None else parameters_of(rule):
            if name not in saved:
                raise TypeError(
                    f"{variant}: the rule of {argument} asks for {name!r}, which is no argument and no output; {there}"
                )
    for _, named, _, _ in _PARTS.parse(o.template):
        if named and named not in names:
            raise TypeError(f"{variant}: the template names {named!r}, which is no argument; {there}")


CREATED: dict[str, Op] = {}
"""What the observer is told of tensors that no operation on tensors made: creation functions by name."""


def created(name: str, traits: str) -> Op:
    """Register a way tensors come about, for the observer."""
    declared = CREATED[name] = Op(name, name, lambda: None, {}, "", kind="creation", traits=traits_of(name, traits))
    return declared


created("Tensor", "creation leaf")
created("Parameter", "creation leaf")
created("data", "alias detaches")

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Public functions made of operations (`F.linear`, `reshape`) by name."""


def function(
    f: Callable[..., Any] | None = None, *, traits: str = "", inplace: Any = None, turned: int = 0
) -> Callable[..., Any]:
    """Register a plain function made of operations, so that it becomes public; the graph shows what it is made of.

    Args:
        traits: as for an operation; other engines, and recordings of what it writes in place, know it by its name.
        inplace: the operation among its variants by which an observer knows what it writes in place.
        turned: as for an operation.
    """

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS[f.__name__] = f
        if traits:
            traits_of(f.__name__, traits)
        if inplace is not None:
            f._inplace = inplace._op  # type: ignore[attr-defined]
        if turned:
            f._turned = turned  # type: ignore[attr-defined]
        return f

    return register if f is None else register(f)


def family(name: str, make: Callable[[int], Any], dims: Sequence[int] = (1, 2, 3), *, traits: str = "") -> tuple[Any, ...]:
    """Register functions that differ in the number of spatial dimensions only: `conv1d`, `conv2d`, `conv3d`.

    Args:
        name: theirs, with `{dims}` for the number.
        make: the function for a number of dimensions; in its docstring `{dims}` and `{shape}` (the input's) are filled in.
        dims: the numbers there are.
        traits: as for an operation.
    """
    made = []
    for n in dims:
        f = make(n)
        axes, own = "DHW"[-n:] if n > 1 else "L", name.format(dims=n)
        shape = ", ".join(axes)
        f.__doc__ = inspect.cleandoc(f.__doc__).format(dims=n, shape=f"(N, C, {shape}) or (C, {shape})", k=", ".join("k" * n))
        # Tracebacks show the name of the code.
        f.__name__, f.__code__ = own, f.__code__.replace(co_name=own, co_qualname=own)
        made.append(function(f, traits=traits))
    return tuple(made)


def overload(of: Callable[..., Any], name: str, node: str, *, number: str | None = None) -> Any:
    """Declare an operation once more: what takes a number, and what is written in place, has a node of its own in PyTorch.

    Args:
        of: the operation.
        name: the overload's, for the table of operations.
        node: its node's name.
        number: the input that is a number here, so that it has no rule.
    """
    own: Op = of._op  # type: ignore[attr-defined]
    f = own.forward
    forward = FunctionType(f.__code__, f.__globals__, name, f.__defaults__, f.__closure__)
    forward.__kwdefaults__, forward.__doc__ = f.__kwdefaults__, f.__doc__
    rules: dict[str, Any] = {n: None if n == number else rule for n, rule in own.rules.items()}
    declare = op(
        own.template, broadcast=own.broadcast, name=own.name, floating=own.floating, node=node, symbol=own.symbol,
        holomorphic=own.holomorphic, real_only=own.real_only, fused=own.fused, stepwise=own.stepwise,
        exact_numbers=own.exact_numbers, layout=own.layout, **rules,
    )  # fmt: skip
    return declare(forward)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def parameters_of(rule: Rule) -> list[str]:
    """Names of what a rule saves: its parameters after the upstream gradient, `needs` aside."""
    return [p for p in argument_names(rule)[1:] if p != "needs"]


def argument_names(rule: Rule) -> tuple[str, ...]:
    """The names of a function's parameters; asked of thousands at every start, so the signature is not built for it."""
    code = rule.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# --- reading a rule on arrays ---------------------------------------------------------------------------------------------

_vocabularies: dict[str, dict[str, Any]] = {}


def on_arrays(function: FunctionType) -> FunctionType:
    """The same function with the names of operations standing for their formulas on arrays."""
    return FunctionType(
        function.__code__,
        array_vocabulary(function),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def array_vocabulary(function: FunctionType) -> dict[str, Any]:
    """What the names in a rule stand for when it is read on arrays."""
    module = function.__globals__
    vocabulary = _vocabularies.setdefault(
        module["__name__"], {"__builtins__": module["__builtins__"], "__name__": module["__name__"]}
    )
    for name in global_names(function.__code__):
        if name in module and name not in vocabulary:
            value = module[name]
            vocabulary[name] = value
            vocabulary[name] = _translate(value)
    return vocabulary


def _translate(value: Any) -> Any:
    if isinstance(value, FunctionType):
        o = getattr(value, "_op", None)
        if o is not None:
            return o.forward
        if value.__module__.startswith(f"{OURS}ops"):
            translated = on_arrays(value)
            translated.__kwdefaults__ = value.__kwdefaults__
            return translated
    if isinstance(value, ModuleType) and f"{value.__name__}.".startswith(OURS):
        raise TypeError(f"a rule must name operations directly, not through the module {value.__name__}")
    return value


@functools.cache
def global_names(code: CodeType) -> frozenset[str]:
    """The global names that code uses."""
    names = (
        {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")} if code.co_names else set()
    )
    return frozenset(names.union(*(global_names(c) for c in code.co_consts if isinstance(c, CodeType))))
