"""Writes an operation's backward path: its rules on arrays, and what runs them on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.node import Node
from ..autograd.primitives import primitives
from ..autograd.saved_variable import FREED, check_result, check_version, opened
from ..context import grad_mode, observed
from ..dtypes import INEXACT
from ..errors import AutogradError
from ..tensor import Tensor, constant
from . import inline
from .code_cache import codes
from .declare import Op, argument_names, array_vocabulary, on_arrays, parameters_of


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
            "_op": op,
            "saved_names": op.saved_names,
            "several": len(op.outputs) > 1 or op.outputs[0] == "*",
            "keeps": any(n in op.rules or n in op.outputs for n in op.saved_names),
            "apply_arrays": first_arrays,
            "apply_tensors": apply_tensors,
        },
    )
    return cls


_settled: dict[tuple[type[Node], str], type[Node]] = {}


def settle(node: Node, kind: str) -> None:
    """Let a new node run its rules as complex numbers ("c") or those of 16 bits ("V" and "f") want it."""
    cls: Any = type(node)
    made = _settled.get((cls, kind))
    if made is None:
        own = _rounding(cls) if kind != "c" else _conjugating(cls) if cls._op.holomorphic else None
        made = cls
        if own is not None:
            made = type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__, **own})
        _settled[cls, kind] = made
    node.__class__ = made


def _conjugating(cls: type[Node]) -> dict[str, Any]:
    r"""The rules of a holomorphic operation for complex numbers: they give g f'(x), and PyTorch's gradient is
    $g \overline{f'(x)}$, the conjugate of what they give for the conjugate of g."""

    def apply_arrays(node: Node, grad: Any) -> tuple[Any, ...]:
        upstream = [None if g is None else _conj(g) for g in grad] if node.several else _conj(grad)
        return tuple([None if g is None else np.conj(g) for g in cls.apply_arrays(node, upstream)])

    def apply_tensors(node: Node, grad: Any) -> tuple[Any, ...]:
        conj = primitives.conj
        upstream = [None if g is None else conj(g) for g in grad] if node.several else conj(grad)
        return tuple([None if g is None else conj(g) for g in cls.apply_tensors(node, upstream)])

    return {"apply_arrays": apply_arrays, "apply_tensors": apply_tensors}


def _conj(array: Any) -> Any:
    """The conjugates; what NumPy makes a number of stays an array, which rules may write into."""
    return np.asarray(np.conj(array))


def _rounding(cls: Any) -> dict[str, Any]:
    """The rules for numbers of 16 bits: on tensors, since each operation in them rounds its result; those of one kernel on
    numbers of 32 bits, which are rounded at its end."""
    op: Op = cls._op

    def apply_arrays(node: Node, grad: Any) -> tuple[Any, ...]:
        with grad_mode(False), observed(None):
            upstream = [None if g is None else constant(g) for g in grad] if node.several else constant(grad)
            half = _only_half(upstream, node) if op.fused else None
            if half is None:
                return tuple([getattr(g, "_array", g) for g in cls.apply_tensors(node, upstream)])
            upstream = [_single(g) for g in upstream] if node.several else _single(upstream)
            made = run_on_tensors(op, node, upstream, _single)
            return tuple([None if g is None else g._array.astype(half) for g in made])

    return {"apply_arrays": apply_arrays}


def _only_half(upstream: Any, node: Node) -> Any:
    """The one dtype, of 16 bits, of all floating point numbers that a rule is given; None where they are of several."""
    given = [*(upstream if node.several else [upstream]), *[node.unpack(i) for i in range(len(node.saved_names))]]
    found = {t._array.dtype for t in given if isinstance(t, Tensor) and t._array.dtype.kind in INEXACT}
    return found.pop() if len(found) == 1 else None


def _single(value: Any) -> Any:
    """A tensor of 16 bits in 32; anything else as it is."""
    if isinstance(value, Tensor) and value._array.dtype.char in "eE":
        return constant(value._array.astype(np.float32))
    return value


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
    body = ["saved = node._saved"]
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
    return compiled(text, "apply_arrays", names)


def run_on_tensors(op: Op, node: Node, grad: Any, kept: Callable[[Any], Any] = lambda value: value) -> tuple[Any, ...]:
    """The rules on recorded tensors, for `create_graph`, and on what `kept` makes of each that the node has saved."""
    if node._saved is None:
        raise AutogradError(FREED)
    values: dict[str, Any] = {}
    for i, name in enumerate(op.saved_names):
        value = node.unpack(i)
        values[name] = [kept(each) for each in value] if name in op.tensor_lists else kept(value)
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


def compiled(text: str, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The function `name` that `text` defines, in which `names` are global."""
    scope: dict[str, Any] = {}
    exec(codes.code(text, f"<engine op {name}>"), names, scope)
    function: Callable[..., Any] = scope[name]
    return function
