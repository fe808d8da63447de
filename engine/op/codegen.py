"""Writes the Python of one operation's call path, as `dataclasses` writes `__init__`: no loops over arguments at run time.

For `mul(self, other)` it comes out as: read both arrays, bring them to one dtype if they differ, multiply, wrap the result,
and, if an input needs a gradient, link a `MulBackward0` that saves the two tensors. The backward path (`backward_codegen`)
unpacks what was saved and calls the two rules. A chain of small operations spends its time here; the generic loop cost twice
as much.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from ..autograd.node import Node
from ..autograd.saved_variable import Result
from ..context import context
from ..dtypes import INEXACT
from ..stand_ins import array_of
from ..tensor import Tensor, constant, counter_of, gradient_edge, inference, new, share
from . import inline
from .backward_codegen import compiled, node_class, saved_names, settle
from .declare import Op, parameters_of
from .layouts import RULES, watch
from .slow_path import (
    FLOAT32,
    NUMBERS,
    NUMBERS32,
    accepts_numbers,
    autocast,
    coerce,
    coerce_list,
    in_single,
    number,
    otherwise,
    promote,
    to_floating,
    variable,
    versions_of,
)

NO_EDGE = (None, 0)


def _signature(op: Op) -> str:
    parts = []
    star = False
    for p in op.parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(variable(p.name) + ("" if p.default is p.empty else f"=default_{p.name}"))
    return ", ".join(parts)


def _read(op: Op, name: str, position: int, operator: bool) -> list[str]:
    v = variable(name)
    if name in op.tensor_lists:
        lines = [f"a_{v} = coerce_list(op, {v}, '{name}')"]
        if op.rules[name] is not None:
            lines.append(f"n_{v} = context.grad and any([t.requires_grad for t in {v}])")
        return lines
    lines = [f"if {v}.__class__ is Tensor or isinstance({v}, Tensor):", f"    a_{v} = {v}._array"]
    other = ["else:"]
    if operator and position > 1:
        other.append(f"    if not ({v}.__class__ is float or isinstance({v}, NUMBERS)): return NotImplemented")
    before = [p.name for p in op.parameters[: position - 1] if p.name in op.broadcast]
    if before and accepts_numbers(op, name):
        # A number beside a float tensor: its 0-d array is mostly at hand.
        first = f"a_{variable(before[0])}"
        other.append(
            f"    a_{v} = NUMBERS32.get({v}) if ({v}.__class__ is float or {v}.__class__ is int) "
            f"and {first}.__class__ is ndarray and {first}.dtype is FLOAT32 else None"
        )
        other.append(f"    if a_{v} is None: a_{v} = coerce(op, {v}, '{name}', {position})")
    else:
        other.append(f"    a_{v} = coerce(op, {v}, '{name}', {position})")
    if op.rules[name] is not None:
        lines.append(f"    n_{v} = {v}._needs if {v}._view is None else {v}.requires_grad")
        other.append(f"    n_{v} = False")
    if name in op.saved_names:
        lines.append(f"    c_{v} = {v}._counter")
        other.append(f"    c_{v} = None")
        if name in op.broadcast:
            # What is saved: the tensor, or of a number its array, known after promotion.
            lines.append(f"    k_{v} = {v}")
            other.append(f"    k_{v} = None")
    return lines + other


def _convert(op: Op) -> list[str]:
    if op.broadcast:
        arrays = [f"a_{variable(n)}" for n in op.broadcast]
        first, *rest = arrays
        same = " and ".join(f"{a}.__class__ is ndarray and {a}.dtype is {first}.dtype" for a in rest)
        same = f"{first}.__class__ is ndarray and {same}"
        if op.floating:
            same += f" and {first}.dtype.kind in INEXACT"
        return [f"if not ({same}):", f"    {', '.join(arrays)} = promote(op, {', '.join(arrays)})"]
    if op.floating:
        arrays = [f"a_{variable(n)}" for n in op.tensors]
        return [f"if {a}.dtype is not FLOAT32: {a} = to_floating({a})" for a in arrays]
    return []


def _formula(op: Op, names: dict[str, Any]) -> str | None:
    """The operation's formula as an expression of the variables here, in the modules where calls are worth avoiding."""
    outside = getattr(op.forward, "__globals__", {})
    if not outside.get("SMALL_FORMULAS"):
        return None
    local = {p.name: ("a_" if p.name in op.rules else "") + variable(p.name) for p in op.parameters}
    return inline.text(inline.formula(op.forward), local, outside, names)


_HALF = "{0}.char in 'eE'"
"""Whether a dtype is float16 or bfloat16, by the letters that they have."""
_SPECIAL = "({0}.char in 'eE' or {0}.kind == 'c')"
"""Whether it is one of them, or complex."""


def _computed(op: Op, names: dict[str, Any]) -> str:
    """The operation's result: of numbers of 16 bits, computed in float32 and rounded once, as PyTorch's kernels do; and the
    refusal of complex ones."""
    plain = _formula(op, names) or f"forward({_forward_arguments(op)})"
    if op.view or "casts" in op.traits or not op.tensors:
        return plain
    special = _SPECIAL if op.real_only else _HALF
    if op.stepwise:
        special = "{0}.kind in 'cV'" if op.real_only else "{0}.kind == 'V'"
    halves = []
    for name in op.tensors:
        a = f"a_{variable(name)}"
        if name in op.broadcast[1:]:
            continue
        if name in op.tensor_lists:
            halves.append(f"{a} and {a}[0].dtype is not FLOAT32 and {special.format(f'{a}[0].dtype')}")
        else:
            there = "" if name in op.broadcast or name == op.parameters[0].name else f"{a} is not None and "
            halves.append(f"{there}{a}.dtype is not FLOAT32 and {special.format(f'{a}.dtype')}")
    return f"in_single(op, {_forward_arguments(op)}) if {' or '.join(halves)} else {plain}"


def _forward_arguments(op: Op) -> str:
    parts = []
    for p in op.parameters:
        value = ("a_" if p.name in op.rules else "") + variable(p.name)
        parts.append(f"{p.name}={value}" if p.kind is p.KEYWORD_ONLY else value)
    return ", ".join(parts)


def _uses(op: Op, saved: str) -> list[str]:
    """The inputs whose rule needs `saved`."""
    return [n for n in op.differentiable if saved in parameters_of(op.rules[n])]  # type: ignore[arg-type]


def _saved(op: Op, name: str) -> str:
    if name in op.outputs:
        k = op.outputs.index(name)
        return f"r_{k}" if len(op.outputs) > 1 else "r_0"
    for suffix, attribute in (("_sym_sizes", "shape"), ("_sym_numel", "size"), ("_sym_strides", "strides")):
        if name.endswith(suffix):
            v = variable(name.removesuffix(suffix))
            if name.removesuffix(suffix) in op.tensor_lists:
                return f"tuple([a.{attribute} for a in a_{v}])"
            if _default(op, name.removesuffix(suffix)) is None or name.removesuffix(suffix) not in op.broadcast:
                return f"(None if a_{v} is None else a_{v}.{attribute})" if v != "input" else f"a_{v}.{attribute}"
            return f"a_{v}.{attribute}"
    v = variable(name)
    if name not in op.rules:
        return v
    if name in op.tensor_lists:
        return f"tuple({v})"
    uses = _uses(op, name)
    value = f"(a_{v} if k_{v} is None else k_{v})" if name in op.broadcast else v
    if op.joint_vjp is None and set(uses) != set(op.differentiable):
        return f"({value} if {' or '.join('n_' + variable(u) for u in uses)} else None)"
    return value


def _counted(op: Op, name: str) -> str:
    """Whether a saved input is a tensor that has been written to; inputs that are not saved here do not count."""
    uses = _uses(op, name)
    counted = f"c_{variable(name)} is not None"
    if op.joint_vjp is None and set(uses) != set(op.differentiable):
        return f"({counted} and ({' or '.join('n_' + variable(u) for u in uses)}))"
    return counted


def _default(op: Op, name: str) -> Any:
    return next(p.default for p in op.parameters if p.name == name)


def _edges(op: Op) -> str:
    parts = []
    for n in op.differentiable:
        v = variable(n)
        if n in op.tensor_lists:
            return f"tuple([gradient_edge(t) for t in {v}])"
        parts.append(
            f"(({v}._node, {v}._nr) if {v}._node is not None and {v}._view is None else gradient_edge({v})) "
            f"if n_{v} else NO_EDGE"
        )
    return f"({', '.join(parts)},)"


def _link(op: Op) -> list[str]:
    """The node: made only if an input needs a gradient."""
    needs = " or ".join("n_" + variable(n) for n in op.differentiable)
    lines = [f"if context.grad and ({needs}):", "    node = Node()"]
    several = len(op.outputs) > 1
    for k, name in enumerate(op.outputs):
        if name in op.saved_names:
            array = f"out[{k}]" if several else "out"
            target = f"result[{k}]" if several else "result"
            lines.append(f"    r_{k} = Result({array}, {k}); {target}._counter = r_{k}")
    saved = [_saved(op, n) for n in op.saved_names]
    lines.append(f"    node._saved = ({', '.join(saved)}{',' if saved else ''})")
    counters = [_counted(op, n) for n in op.saved_names if n in op.rules and n not in op.tensor_lists]
    if counters:
        lines.append(f"    node.versions = versions_of(node._saved) if {' or '.join(counters)} else None")
    else:
        lines.append("    node.versions = None")
    lines.append(f"    node.edges = {_edges(op)}")
    lines.append("    context.sequence = node.sequence = context.sequence + 1")
    lines.append("    node._extra = None")
    if several or op.outputs[0] == "*":
        lines.append("    node.shape = tuple([(a.shape, a.dtype) for a in out])")
        lines.append("    node.dtype = None")
        lines.append("    for a in out:")
        lines.append(f"        if a.dtype is not FLOAT32 and {_SPECIAL.format('a.dtype')}: settle(node, a.dtype.kind); break")
        lines.append("    for k, r in enumerate(result):")
        lines.append("        if r._array.dtype.kind in INEXACT: r._needs = True; r._node = node; r._nr = k")
    else:
        lines.append("    node.shape = out.shape; node.dtype = dtype_of_out = out.dtype")
        special = _SPECIAL.format("dtype_of_out")
        lines.append(f"    if dtype_of_out is not FLOAT32 and {special}: settle(node, dtype_of_out.kind)")
        lines.append("    result._needs = True; result._node = node")
    return lines


def write(op: Op, operator: bool = False, inner: bool = False) -> Callable[..., Any]:
    """The function users call. As an operator (`x + y`) it returns NotImplemented for foreign operands; what an `inner` one
    makes never gets into a program's hands, so that it does not matter where that stands in memory."""
    if op.layout not in RULES and op.layout != "own":
        raise ValueError(f"{op.name}: no such layout: {op.layout}; there are own, {', '.join(sorted(RULES))}")
    op.saved_names = saved_names(op)
    if op.node is Node and op.differentiable:
        op.node = node_class(op)
    several = len(op.outputs) > 1
    many = op.outputs[0] == "*"
    names: dict[str, Any] = {}
    body: list[str] = []
    if op.traits & {"lowered", "raised"}:
        cast = ", ".join(variable(n) for n in op.tensors if n not in op.tensor_lists)
        body.append(f"if context.fast is not None: {cast}, = autocast({cast}, raised={'raised' in op.traits})")
    for position, p in enumerate(op.parameters, 1):
        if p.name in op.rules:
            body += _read(op, p.name, position, operator)
        elif p.default.__class__ in (int, float) or p.default is p.empty:
            v = variable(p.name)
            other = f"{v} is not default_{p.name} and " if p.default is not p.empty else ""
            place = "" if p.kind is p.KEYWORD_ONLY else f" (position {position})"
            body.append(f"if {other}{v}.__class__ is Tensor: {v} = number({v}, \"{op.name}(): argument '{p.name}'{place}\")")
    body += _convert(op)
    arrays = ", ".join("a_" + variable(n) for n in op.tensors)
    inputs = ", ".join(("a_" if p.name in op.rules else "") + variable(p.name) for p in op.parameters)
    body += [
        f"try: out = {_computed(op, names)}",
        f"except (ValueError, IndexError) as error: out = otherwise(op, error, ({arrays},), ({inputs},))",
    ]
    if (op.view or op.layout == "own") and not inner:
        apart = "any([not a.flags.c_contiguous for a in out])" if several or many else "not out.flags.c_contiguous"
        body.append(f"if context._layouts is None and {apart}: watch()")
    if several or many:
        body.append("result = [constant(a) for a in out]")
    else:
        body += [
            "if out.__class__ is not ndarray: out = asarray(out)",
            "result = new(Tensor)",
            "result._array = out; result._grad = None; result._counter = None; result._view = None; result._meta = None",
            "result._nr = 0",
        ]
    if op.differentiable:
        body += _link(op)
        body.append("else:")
        body.append("    node = None" if several or many else "    node = None; result._needs = False; result._node = None")
    else:
        body.append("node = None" if several or many else "node = None; result._needs = False; result._node = None")
    if op.view and not op.differentiable:
        body.append("result._counter = counter_of(input)")
    elif op.view:
        plain = ", ".join(
            f"{p.name}={variable(p.name)}" if p.kind is p.KEYWORD_ONLY else variable(p.name) for p in op.parameters[1:]
        )
        if several or many:
            body += [
                f"for k, r in enumerate(result): share(input, r, lambda array, k=k: forward(array, {plain})[k])",
                "for r in result: r._view.several = True",
            ]
        else:
            body.append(f"share(input, result, lambda array: forward(array, {plain}))")
    values = ", ".join(variable(p.name) for p in op.parameters)
    body.append("if context.special:")
    body.append("    if node is not None and context._linked is not None: context._linked(node)")
    body.append(f"    if context._inference: inference({'result' if several or many else '(result,)'})")
    body.append(f"    if context._absent is not None: context._absent(op, ({values},), result)")
    body.append(f"    if context._layouts is not None: context._layouts(op, ({values},), result)")
    body.append(f"    if context._dual is not None: context._dual(op, ({values},), result)")
    body.append(f"    if context._observer is not None: context._observer.op(op, ({values},), result, node)")
    if several:
        body.append("return wrap(*result)")
    else:
        body.append("return tuple(result)" if many else "return result")
    text = f"def {op.forward.__name__}({_signature(op)}):\n" + "\n".join("    " + line for line in body)
    names |= {
        "op": op, "forward": op.forward, "Node": op.node, "Tensor": Tensor, "Result": Result, "context": context,
        "new": new, "constant": constant, "gradient_edge": gradient_edge, "share": share, "ndarray": np.ndarray,
        "asarray": array_of, "FLOAT32": FLOAT32, "NUMBERS32": NUMBERS32, "NO_EDGE": NO_EDGE, "NUMBERS": NUMBERS,
        "inference": inference, "counter_of": counter_of, "coerce": coerce, "coerce_list": coerce_list, "promote": promote,
        "to_floating": to_floating, "number": number, "otherwise": otherwise, "versions_of": versions_of,
        "watch": watch, "INEXACT": INEXACT, "autocast": autocast, "settle": settle, "in_single": in_single,
        "wrap": return_type(op) if several else None,
    }  # fmt: skip
    names |= {f"default_{p.name}": p.default for p in op.parameters}
    function = compiled(text, op.forward.__name__, names)
    function.__doc__ = inspect.getdoc(op.forward)
    function.__module__ = op.forward.__module__
    function._op = op  # type: ignore[attr-defined]
    return function


def return_type(op: Op) -> type[tuple[Any, ...]]:
    """The named tuple of an operation with several outputs."""
    return named_result(op.name.removesuffix("_dim"), op.outputs)


@functools.cache
def named_result(name: str, outputs: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """A named tuple that prints as PyTorch's `torch.return_types.max(...)`."""
    fields = {n: property(itemgetter(k)) for k, n in enumerate(outputs)}

    def represent(self: tuple[Any, ...]) -> str:
        inner = ",\n".join(f"{n}={self[k]!r}" for k, n in enumerate(outputs))
        return f"torch.return_types.{name}(\n{inner})"

    def make(cls: Any, *values: Any) -> Any:
        return tuple.__new__(cls, values)

    own = {"__slots__": (), "__module__": "torch.return_types", "__new__": make, "__repr__": represent, "fields": outputs}
    return type(name, (tuple,), own | fields)
