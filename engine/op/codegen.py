"""Writes the Python of one operation's hot paths, as `dataclasses` writes `__init__`: no loops over arguments at run time.

For `mul(self, other)` the call path comes out as: read both arrays, bring them to one dtype if they differ, multiply, wrap the
result, and, if somebody needs a gradient, link a `MulBackward0` that saves the two tensors. The backward path unpacks what was
saved and calls the two rules. A chain of small operations spends its time here; the generic loop cost twice as much.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.node import FREED, Inference, Node, Result, check_result, check_version, opened
from ..compat.signatures import invalid_combination, overloads
from ..context import context
from ..dtypes import result_dtype
from ..errors import AutogradError, sizes_mismatch, too_many_dims
from ..tensor import Tensor, constant, counter_of, gradient_edge, inference, new, share
from . import inline
from .declare import Op, argument_names, array_vocabulary, on_arrays, parameters_of

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)
NO_EDGE = (None, 0)
NUMBERS = (bool, int, float, np.number, np.bool_)


# --- what the written code calls off its fast path -------------------------------------------------------------------------


def coerce(op: Op, value: Any, name: str, position: int) -> Any:
    """An argument that is not a tensor where one may stand: a number, None where that is the default, or a TypeError."""
    if isinstance(value, NUMBERS) and accepts_numbers(op, name) and (position > 1 or name != "self"):
        return value.item() if isinstance(value, np.generic) else value
    if value is None and (op.parameters[position - 1].default is None or (name not in op.broadcast and position > 1)):
        return None
    shown = "input" if name == "self" else name
    if op.name in overloads():
        # The caller is the written function: its variables are the arguments.
        arguments = sys._getframe(1).f_locals
        given = [arguments[_variable(p.name)] for p in op.parameters if p.name in op.rules or p.default is p.empty]
        raise invalid_combination(op.name, *given)
    raise TypeError(f"{op.name}(): argument '{shown}' (position {position}) must be Tensor, not {type(value).__name__}")


def accepts_numbers(op: Op, name: str) -> bool:
    """Whether a number may stand for the input."""
    return name in op.broadcast and "tensors_only" not in op.traits


def coerce_list(op: Op, values: Any, name: str) -> list[Any]:
    """The arrays of a sequence of tensors, brought to one dtype."""
    if isinstance(values, Tensor) or not isinstance(values, list | tuple):
        kind = type(values).__name__
        raise TypeError(f"{op.name}(): argument '{name}' (position 1) must be tuple of Tensors, not {kind}")
    for i, t in enumerate(values):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    arrays = [t._array for t in values]
    if arrays and any(a.dtype is not arrays[0].dtype for a in arrays):
        d = result_dtype(tuple(arrays))
        arrays = [a.astype(d, copy=False) for a in arrays]
    return arrays


FLOAT32 = np.dtype(np.float32)
NUMBERS32: dict[Any, np.ndarray[Any, Any]] = {}
"""0-d float32 arrays of Python numbers met so far: NumPy spends 200 ns on converting one, each time."""
MOST_NUMBERS = 1000


def promote(op: Op, *operands: Any) -> list[Any]:
    """The operands as arrays of the result's dtype; None stays None."""
    if len(operands) == len(op.tensors) and not any([x.__class__ is np.ndarray for x in operands]):
        raise invalid_combination(op.name, *operands)
    d = result_dtype(tuple(x for x in operands if x is not None))
    if op.floating and d.kind != "f":
        d = dtypes.get_default_dtype().numpy
    arrays = []
    for x in operands:
        if x is None or (x.__class__ is np.ndarray and x.dtype is d):
            arrays.append(x)
        elif x.__class__ is np.ndarray:
            arrays.append(x.astype(d))
        else:
            array = np.asarray(x).astype(d)
            # Zero has two signs and True equals 1, so neither is kept.
            if x and d is FLOAT32 and x.__class__ is not bool:
                if len(NUMBERS32) > MOST_NUMBERS:
                    NUMBERS32.clear()
                NUMBERS32[x] = array
            arrays.append(array)
    return arrays


def to_floating(array: Any) -> Any:
    """The array in the default floating point dtype if it holds integers or bools."""
    return array if array is None or array.dtype.kind == "f" else array.astype(dtypes.get_default_dtype().numpy)


def explain(op: Op, error: Exception, arrays: tuple[Any, ...]) -> Exception:
    """PyTorch's error for what NumPy refused."""
    if isinstance(error, IndexError):
        return too_many_dims(error) or error
    chosen = [a for n, a in zip(op.tensors, arrays, strict=True) if n in op.broadcast or not op.tensor_lists]
    shapes = [a.shape for a in chosen if isinstance(a, np.ndarray)]
    if op.broadcast and len(shapes) > 1:
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            for other in shapes[1:]:
                try:
                    np.broadcast_shapes(shapes[0], other)
                except ValueError:
                    return sizes_mismatch(shapes[0], other)
            return sizes_mismatch(shapes[-2], shapes[-1])
    return too_many_dims(error) or RuntimeError(f"{op.name}: {error}")


def versions_of(saved: tuple[Any, ...]) -> tuple[int, ...]:
    """The version counters of the tensors among `saved`, 0 for the rest.

    Raises:
        RuntimeError: for an inference tensor, which autograd does not take up.
    """
    if any([isinstance(v, Tensor) and v._counter.__class__ is Inference for v in saved]):
        raise RuntimeError(INFERENCE_SAVED)
    return tuple(v._counter.value if isinstance(v, Tensor) and v._counter is not None else 0 for v in saved)


# --- the call path ---------------------------------------------------------------------------------------------------------


def _variable(name: str) -> str:
    return "input" if name == "self" else name


def _signature(op: Op) -> str:
    parts = []
    star = False
    for p in op.parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(_variable(p.name) + ("" if p.default is p.empty else f"=default_{p.name}"))
    return ", ".join(parts)


def _read(op: Op, name: str, position: int, operator: bool) -> list[str]:
    v = _variable(name)
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
        first = f"a_{_variable(before[0])}"
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
        arrays = [f"a_{_variable(n)}" for n in op.broadcast]
        first, *rest = arrays
        same = " and ".join(f"{a}.__class__ is ndarray and {a}.dtype is {first}.dtype" for a in rest)
        same = f"{first}.__class__ is ndarray and {same}"
        if op.floating:
            same += f" and {first}.dtype.kind == 'f'"
        return [f"if not ({same}):", f"    {', '.join(arrays)} = promote(op, {', '.join(arrays)})"]
    if op.floating:
        arrays = [f"a_{_variable(n)}" for n in op.tensors]
        return [f"if {a}.dtype is not FLOAT32: {a} = to_floating({a})" for a in arrays]
    return []


def _formula(op: Op, names: dict[str, Any]) -> str | None:
    """The operation's formula as an expression of the variables here, in the modules where calls are worth avoiding."""
    outside = getattr(op.forward, "__globals__", {})
    if not outside.get("SMALL_FORMULAS"):
        return None
    local = {p.name: ("a_" if p.name in op.rules else "") + _variable(p.name) for p in op.parameters}
    return inline.text(inline.formula(op.forward), local, outside, names)


def _forward_arguments(op: Op) -> str:
    parts = []
    for p in op.parameters:
        value = ("a_" if p.name in op.rules else "") + _variable(p.name)
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
            v = _variable(name.removesuffix(suffix))
            if name.removesuffix(suffix) in op.tensor_lists:
                return f"tuple([a.{attribute} for a in a_{v}])"
            if _default(op, name.removesuffix(suffix)) is None or name.removesuffix(suffix) not in op.broadcast:
                return f"(None if a_{v} is None else a_{v}.{attribute})" if v != "input" else f"a_{v}.{attribute}"
            return f"a_{v}.{attribute}"
    v = _variable(name)
    if name not in op.rules:
        return v
    if name in op.tensor_lists:
        return f"tuple({v})"
    uses = _uses(op, name)
    value = f"(a_{v} if k_{v} is None else k_{v})" if name in op.broadcast else v
    if op.joint_vjp is None and set(uses) != set(op.differentiable):
        return f"({value} if {' or '.join('n_' + _variable(u) for u in uses)} else None)"
    return value


def _counted(op: Op, name: str) -> str:
    """Whether a saved input is a tensor that has been written to; of inputs that are not saved here nobody asks."""
    uses = _uses(op, name)
    counted = f"c_{_variable(name)} is not None"
    if op.joint_vjp is None and set(uses) != set(op.differentiable):
        return f"({counted} and ({' or '.join('n_' + _variable(u) for u in uses)}))"
    return counted


def _default(op: Op, name: str) -> Any:
    return next(p.default for p in op.parameters if p.name == name)


def _edges(op: Op) -> str:
    parts = []
    for n in op.differentiable:
        v = _variable(n)
        if n in op.tensor_lists:
            return f"tuple([gradient_edge(t) for t in {v}])"
        parts.append(
            f"(({v}._node, {v}._nr) if {v}._node is not None and {v}._view is None else gradient_edge({v})) "
            f"if n_{v} else NO_EDGE"
        )
    return f"({', '.join(parts)},)"


def _link(op: Op) -> list[str]:
    """The node: made only if an input needs a gradient."""
    needs = " or ".join("n_" + _variable(n) for n in op.differentiable)
    lines = [f"if context.grad and ({needs}):", "    node = Node()"]
    several = len(op.outputs) > 1
    for k, name in enumerate(op.outputs):
        if name in op.saved_names:
            array = f"out[{k}]" if several else "out"
            target = f"result[{k}]" if several else "result"
            lines.append(f"    r_{k} = Result({array}, {k}); {target}._counter = r_{k}")
    saved = [_saved(op, n) for n in op.saved_names]
    lines.append(f"    node.saved = ({', '.join(saved)}{',' if saved else ''})")
    counters = [_counted(op, n) for n in op.saved_names if n in op.rules and n not in op.tensor_lists]
    if counters:
        lines.append(f"    node.versions = versions_of(node.saved) if {' or '.join(counters)} else None")
    else:
        lines.append("    node.versions = None")
    lines.append(f"    node.edges = {_edges(op)}")
    lines.append("    context.sequence = node.sequence = context.sequence + 1")
    lines.append("    node.extra = None")
    if several or op.outputs[0] == "*":
        lines.append("    node.shape = tuple([(a.shape, a.dtype) for a in out])")
        lines.append("    node.dtype = None")
        lines.append("    for k, r in enumerate(result):")
        lines.append("        if r._array.dtype.kind == 'f': r._needs = True; r._node = node; r._nr = k")
    else:
        lines.append("    node.shape = out.shape; node.dtype = out.dtype")
        lines.append("    result._needs = True; result._node = node")
    return lines


def write(op: Op, operator: bool = False) -> Callable[..., Any]:
    """The function users call. As an operator (`x + y`) it returns NotImplemented for foreign operands."""
    op.saved_names = saved_names(op)
    if op.node is Node and op.differentiable:
        op.node = node_class(op)
    several = len(op.outputs) > 1
    many = op.outputs[0] == "*"
    names: dict[str, Any] = {}
    body: list[str] = []
    for position, p in enumerate(op.parameters, 1):
        if p.name in op.rules:
            body += _read(op, p.name, position, operator)
    body += _convert(op)
    arrays = ", ".join("a_" + _variable(n) for n in op.tensors)
    body += [
        f"try: out = {_formula(op, names) or f'forward({_forward_arguments(op)})'}",
        f"except (ValueError, IndexError) as error: raise explain(op, error, ({arrays},)) from None",
    ]
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
            f"{p.name}={_variable(p.name)}" if p.kind is p.KEYWORD_ONLY else _variable(p.name) for p in op.parameters[1:]
        )
        if several or many:
            body += [
                f"for k, r in enumerate(result): share(input, r, lambda array, k=k: forward(array, {plain})[k])",
                "for r in result: r._view.several = True",
            ]
        else:
            body.append(f"share(input, result, lambda array: forward(array, {plain}))")
    values = ", ".join(_variable(p.name) for p in op.parameters)
    body.append("if context.special:")
    body.append("    if node is not None and context._linked is not None: context._linked(node)")
    body.append(f"    if context._inference: inference({'result' if several or many else '(result,)'})")
    body.append(f"    if context._observer is not None: context._observer.op(op, ({values},), result, node)")
    if several:
        body.append("return wrap(*result)")
    else:
        body.append("return tuple(result)" if many else "return result")
    text = f"def {op.forward.__name__}({_signature(op)}):\n" + "\n".join("    " + line for line in body)
    names |= {
        "op": op, "forward": op.forward, "Node": op.node, "Tensor": Tensor, "Result": Result, "context": context,
        "new": new, "constant": constant, "gradient_edge": gradient_edge, "share": share, "ndarray": np.ndarray,
        "asarray": np.asarray, "FLOAT32": FLOAT32, "NUMBERS32": NUMBERS32, "NO_EDGE": NO_EDGE, "NUMBERS": NUMBERS,
        "inference": inference, "counter_of": counter_of, "coerce": coerce, "coerce_list": coerce_list, "promote": promote,
        "to_floating": to_floating, "explain": explain, "versions_of": versions_of,
        "wrap": return_type(op) if several else None,
    }  # fmt: skip
    names |= {f"default_{p.name}": p.default for p in op.parameters}
    function = _compile(text, op.forward.__name__, names)
    function.__doc__ = inspect.getdoc(op.forward)
    function.__module__ = op.forward.__module__
    function.op = op  # type: ignore[attr-defined]
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

    return type(name, (tuple,), {"__slots__": (), "__new__": make, "__repr__": represent, **fields})


def _compile(text: str, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    scope: dict[str, Any] = {}
    exec(compile(text, f"<engine op {name}>", "exec"), names, scope)
    function: Callable[..., Any] = scope[name]
    return function


# --- the backward path -----------------------------------------------------------------------------------------------------


def saved_names(op: Op) -> tuple[str, ...]:
    """What a node of `op` saves: the parameters of its rules, each once, in alphabetical order as PyTorch lists them."""
    names: set[str] = set()
    for n in op.differentiable:
        names |= set(parameters_of(op.rules[n]))  # type: ignore[arg-type]
    if op.joint_vjp is not None:
        names |= set(parameters_of(op.joint_vjp))
    return tuple(sorted(names))


def node_class(op: Op) -> type[Node]:
    """The subclass of Node for `op`. Its backward path is written when it first runs, once all operations are declared."""

    def first_arrays(node: Node, grad: Any) -> tuple[Any, ...]:
        apply = write_backward(op)
        setattr(cls, "apply_arrays", apply)  # noqa: B010
        return apply(node, grad)

    def apply_tensors(node: Node, grad: Any) -> tuple[Any, ...]:
        return run_on_tensors(op, node, grad)

    cls = type(
        op.node_name,
        (Node,),
        {
            "__slots__": (),
            "__module__": "torch.autograd.graph",
            "op": op,
            "saved_names": op.saved_names,
            "several": len(op.outputs) > 1 or op.outputs[0] == "*",
            "keeps": any(n in op.rules or n in op.outputs for n in op.saved_names),
            "apply_arrays": first_arrays,
            "apply_tensors": apply_tensors,
        },
    )
    return cls


def _rule_arguments(op: Op, names: list[str]) -> str:
    return "".join(f", {n}" for n in names)


def _gradient(op: Op, rule: Any) -> str:
    """How a rule wants the upstream gradient: that of the first output, all of them as `grads`, or all of them as `known`,
    None where nothing arrived."""
    if len(op.outputs) == 1 and op.outputs[0] != "*":
        return "grad"
    return {"grads": "grads", "known": "grad"}.get(argument_names(rule)[0], "grad[0]")


def write_backward(op: Op) -> Callable[[Node, Any], tuple[Any, ...]]:
    """The rules on arrays: `apply_arrays(node, grad)`."""
    body = ["saved = node.saved"]
    if op.node.keeps:
        body.append("if saved.__class__ is not tuple: saved = opened(node)")
    for i, name in enumerate(op.saved_names):
        body.append(f"{name} = saved[{i}]")
        if name in op.outputs:
            body += [
                f"if {name}.shared is not None or {name}.value: check_result(node, {name})",
                f"{name} = {name}.array",
            ]
        elif name in op.tensor_lists:
            body.append(f"{name} = [t._array for t in {name}]")
        elif name in op.rules:
            body += [
                f"if {name} is not None and {name}.__class__ is not ndarray:",
                f"    if {name}._counter is not None: check_version(node, {i}, {name})",
                f"    {name} = {name}._array",
            ]
    inlined: dict[str, Any] = {}
    if op.forward.__globals__.get("SMALL_FORMULAS") and len(op.outputs) == 1:
        # NumPy is several times faster with its scalars than with arrays without dimensions.
        loose = [n for n in op.saved_names if n in op.outputs or (n in op.rules and n not in op.tensor_lists)]
        if loose:
            body.append("if not node.shape:")
            body += [f"    if {n} is not None: {n} = {n}[()]" for n in loose]
    rules = {f"rule_{n}": on_arrays(op.rules[n]) for n in op.differentiable}  # type: ignore[arg-type]
    if any(_gradient(op, op.rules[n]) == "grads" for n in op.differentiable):
        body.append("grads = [zeros(s, d) if g is None else g for g, (s, d) in zip(grad, node.shape)]")
    if op.joint_vjp is not None:
        rules["rule"] = on_arrays(op.joint_vjp)  # type: ignore[arg-type]
        if _gradient(op, op.joint_vjp) == "grads":
            body.append("grads = [zeros(s, d) if g is None else g for g, (s, d) in zip(grad, node.shape)]")
        needs = "tuple([e[0] is not None for e in node.edges])"
        gradient = _gradient(op, op.joint_vjp)
        arguments = _rule_arguments(op, parameters_of(op.joint_vjp))
        body.append(f"return rule({gradient}{arguments}, needs={needs})")
    elif op.tensor_lists:
        (n,) = op.differentiable
        arguments = _rule_arguments(op, parameters_of(op.rules[n]))  # type: ignore[arg-type]
        body.append(f"return tuple(rule_{n}(grad{arguments}))")
    else:
        if len(op.differentiable) > 1:
            body.append("edges = node.edges")
        results = []
        for k, n in enumerate(op.differentiable):
            rule: Any = op.rules[n]
            call = f"rule_{n}({_gradient(op, rule)}{_rule_arguments(op, parameters_of(rule))})"
            if _gradient(op, rule) == "grad":
                local = {p: p for p in ("grad", *op.saved_names)}
                call = inline.text(inline.rule(op.forward, n, rule), local, array_vocabulary(rule), inlined) or call
            results.append(f"{call} if edges[{k}][0] is not None else None" if len(op.differentiable) > 1 else call)
        body.append(f"return ({', '.join(results)},)")
    text = "def apply_arrays(node, grad):\n" + "\n".join("    " + line for line in body)
    names = {
        "ndarray": np.ndarray, "zeros": np.zeros, "check_version": check_version, "check_result": check_result,
        "opened": opened, **rules, **inlined,
    }  # fmt: skip
    return _compile(text, "apply_arrays", names)


def run_on_tensors(op: Op, node: Node, grad: Any) -> tuple[Any, ...]:
    """The rules on recorded tensors, for `create_graph`."""
    if node.saved is None:
        raise AutogradError(FREED)
    values: dict[str, Any] = {}
    for i, name in enumerate(op.saved_names):
        value = node.unpack(i)
        values[name] = list(value) if name in op.tensor_lists else value
    needs = tuple(e[0] is not None for e in node.edges)

    def call(rule: Any, **extra: Any) -> Any:
        upstream = grad
        if _gradient(op, rule) == "grads":
            upstream = [constant(np.zeros(s, d)) if g is None else g for g, (s, d) in zip(grad, node.shape, strict=True)]
        elif _gradient(op, rule) == "grad[0]":
            upstream = grad[0]
        return rule(upstream, *[values[n] for n in parameters_of(rule)], **extra)

    if op.joint_vjp is not None:
        return tuple(call(op.joint_vjp, needs=needs))
    if op.tensor_lists:
        return tuple(call(op.rules[op.differentiable[0]]))
    return tuple(call(op.rules[n]) if need else None for n, need in zip(op.differentiable, needs, strict=True))
