"""Operations written by users: `torch.autograd.Function`."""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..context import context, grad_mode, observed
from ..errors import AutogradError
from ..tensor import Tensor, constant, gradient_edge
from .error_nodes import Error
from .function_outputs import Outputs
from .node import Node
from .saved_variable import FREED

TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


class FunctionCtx:
    """What `forward` and `backward` of a Function get as `ctx`: it keeps what the gradient needs.

    It is not the node itself, whose own attributes a user's `ctx.shape = …` would hide; what it lacks it takes from the node.
    """

    to_save: tuple[Any, ...] = ()
    dirty_tensors: tuple[Tensor, ...] = ()
    non_differentiable: tuple[Tensor, ...] = ()
    materialize_grads = True
    _materialize_non_diff_grads = True
    _fixed: frozenset[int] = frozenset()
    """Which outputs have no gradient."""
    _for_forward: tuple[Any, ...] | None = None
    needs_input_grad: tuple[bool, ...] = ()
    _node: Callable[[], FunctionNode | None]

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors (inputs, outputs or others) for `backward`, where they are `ctx.saved_tensors`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors (inputs, outputs or others) for `jvp`, where they are `ctx.saved_tensors`."""
        if not all(t is None or isinstance(t, Tensor) for t in tensors):
            raise AssertionError(
                "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
            )
        self._for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Tell that `forward` changed these inputs in place; they must be returned as outputs, too."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Tell that these outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether gradients that did not arrive are zeros in `backward` (the default) or None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept; in `jvp`, what `save_for_forward` did."""
        if self._for_forward is not None:
            return self._for_forward
        node = self._node()
        if node is None or node._saved is None:
            raise AutogradError(FREED)
        return tuple(node.unpack(i) for i in range(len(node._saved)))

    saved_variables = saved_tensors

    def __getattr__(self, name: str) -> Any:
        node = None if name.startswith("__") else self.__dict__["_node"]()
        if node is None or name not in FROM_NODE:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(node, name)

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {hex(id(self))}>"


FROM_NODE = ("name", "next_functions", "metadata", "register_hook", "register_prehook", "_sequence_nr")
"""What a `ctx` takes from its node."""


class FunctionNode(Node):
    """The node of a Function in the graph; attributes it lacks are those of its `ctx`."""

    __slots__ = ("argument_edges", "ctx", "keeps", "several")
    _forward_cls: ClassVar[type[Function]]

    def __init__(self, ctx: FunctionCtx) -> None:
        self.ctx = ctx
        self.edges: tuple[Any, ...] = ()
        self._saved = ()
        self.versions = None
        self._extra = None
        self.shape: Any = ()
        self.dtype = None
        self.sequence = 0
        self.keeps = False
        self.several = False
        self.argument_edges: list[int | None] = []
        """Per argument of `forward` the edge that its gradient takes, None for what is no tensor."""

    @property
    def materializes(self) -> bool:  # type: ignore[override]
        """Whether `backward` takes zeros for gradients that do not arrive."""
        return self.ctx.materialize_grads

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("ctx", "_tape"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self.ctx, name)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *dir(self.ctx)]

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {hex(id(self))}>"

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """The user's rule without recording."""
        grads = grad if self.several else [grad]
        before, context.node = context.node, self
        try:
            with observed(None), grad_mode(False):
                found = self._call([None if g is None else constant(np.asarray(g)) for g in grads])
        finally:
            context.node = before
        return tuple(None if g is None else g._array for g in found)

    def apply_tensors(self, grad: Any) -> tuple[Any, ...]:
        """The user's rule, recorded for higher derivatives."""
        return self._call(list(grad) if self.several else [grad])

    def _call(self, grads: list[Any]) -> tuple[Any, ...]:
        if self._saved is None:
            raise AutogradError(FREED)
        if self.ctx.materialize_grads:
            metas = self.shape if self.several else [(self.shape, self.dtype)]
            skipped = () if self.ctx._materialize_non_diff_grads else self.ctx._fixed
            grads = [
                constant(np.zeros(s, d)) if g is None and d is not None and k not in skipped else g
                for k, (g, (s, d)) in enumerate(zip(grads, metas, strict=True))
            ]
        returned = self._rule()(self.ctx, *grads)
        values = returned if isinstance(returned, tuple) else (returned,)
        name, wanted = type(self).__name__, len(self.argument_edges)
        if len(values) > wanted and all(v is None for v in values[wanted:]):
            values = values[:wanted]
        if len(values) != wanted:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {wanted}, got {len(values)})"
            )
        found: list[Any] = [None] * len(self.edges)
        for i, (number, value) in enumerate(zip(self.argument_edges, values, strict=True)):
            if value is None:
                continue
            if number is None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position {i + 1}, but the corresponding "
                    "forward input was not a Variable"
                )
            if not isinstance(value, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(value).__name__})")
            if self.edges[number][0] is not None:
                found[number] = self._fitted(number, value)
        return tuple(found)

    def _rule(self) -> Callable[..., Any]:
        cls = self._forward_cls
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
                "them."
            )
        return cls.vjp

    def _fitted(self, number: int, value: Tensor) -> Tensor:
        """A gradient that can be summed to the shape of its input."""
        target, output = self.edges[number]
        assert target is not None
        shape = target.shape[output][0] if target.several else target.shape
        have = value._array.shape
        if have != shape:
            try:
                fits = np.broadcast_shapes(have, shape) == have
            except ValueError:
                fits = False
            if not fits:
                raise RuntimeError(
                    f"Function {type(self).__name__} returned an invalid gradient at index {number} - got {list(have)} but "
                    f"expected shape compatible with {list(shape)}"
                )
        return value


class FunctionMeta(type):
    """Gives each Function its own kind of node, named after it."""

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        super().__init__(name, bases, attributes)
        where = {"__module__": "torch.autograd.function"}
        cls._backward_cls = type(name + "Backward", (FunctionNode,), {"_forward_cls": cls, "__slots__": (), **where})
        cls._ctx_cls = type(name + "Backward", (FunctionCtx,), where)


class Function(metaclass=FunctionMeta):
    """Base class of operations with their own derivative: subclasses define static methods `forward` and `backward` and are
    used by `apply`."""

    _backward_cls: ClassVar[type[FunctionNode]]
    _ctx_cls: ClassVar[type[FunctionCtx]]
    generate_vmap_rule = False

    def __init__(self, *_: Any, **__: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
            "on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result: `forward(ctx, …)`, or `forward(…)` where there is a `setup_context`."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep in `ctx` what `backward` needs."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Turn the gradients of the outputs into those of the arguments, None where there is none."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Turn the tangents of the arguments into those of the outputs, None where there is none."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and, if an argument requires grad, link a node that runs `backward`."""
        ctx = cls._ctx_cls()
        node = cls._backward_cls(ctx)
        ctx._node = weakref.ref(node)
        if cls.setup_context is not Function.setup_context:
            args = _bound(cls.forward, args, kwargs)
            kwargs = {}
        needs = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        ctx.needs_input_grad = needs
        before = {id(a): gradient_edge(a) for a, n in zip(args, needs, strict=True) if n}
        with observed(None), grad_mode(False):
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        result = Outputs(node, args, before, context.grad and any(needs)).wrap(output)
        if context.dual is not None:
            _pushed(cls, ctx, args, result)
        ctx._for_forward = None
        if context.observer is not None:
            _tell(_declared(cls), args, result, node if node.sequence else None)
        return result


def _pushed(cls: type[Function], ctx: Any, args: tuple[Any, ...], result: Any) -> None:
    """Give the outputs of a Function their tangents, by its `jvp`, where an argument carries one."""
    from .forward_ad import check_shape, give, tangent_of

    tangents = [tangent_of(a) if isinstance(a, Tensor) else None for a in args]
    if all(t is None for t in tangents):
        return
    if ctx.materialize_grads:
        tangents = [
            constant(np.zeros_like(a._array)) if t is None and isinstance(a, Tensor) else t
            for a, t in zip(args, tangents, strict=True)
        ]
    before, context.dual = context.dual, None
    try:
        found = cls.jvp(ctx, *tangents)
    finally:
        context.dual = before
    outputs = result if isinstance(result, tuple) else (result,)
    for output, tangent in zip(outputs, found if isinstance(found, tuple) else (found,), strict=True):
        if isinstance(output, Tensor) and tangent is not None:
            check_shape(output, tangent)
            give(output, tangent)


def _tell(declared: Any, args: tuple[Any, ...], result: Any, node: Node | None) -> None:
    """Tell the observer what a Function made, and what it wrote in place."""
    observer = context.observer
    assert observer is not None
    results = [r for r in (result if isinstance(result, tuple) else (result,)) if isinstance(r, Tensor)]
    for r in results:
        if any(r is a for a in args):
            observer.wrote(declared, args, r, node)
    made = [r for r in results if not any(r is a for a in args)]
    if made:
        observer.op(declared, args, made if isinstance(result, tuple) else made[0], node)


def _bound(forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Arguments as positional ones, defaults filled in."""
    if not kwargs:
        try:
            bound = inspect.signature(forward).bind(*args)
        except TypeError:
            return args
    else:
        bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


@functools.cache
def _declared(cls: type[Function]) -> Any:
    """What the observer is told of a Function."""
    from ..op.declare import Op

    names = [p for p in inspect.signature(cls.forward).parameters.values() if p.kind is not p.VAR_KEYWORD]
    own = tuple(names if cls.setup_context is not Function.setup_context else names[1:])
    return Op(
        cls.__name__,
        rf"\mathrm{{{{{cls.__name__}}}}}(" + ", ".join(f"{{{p.name}}}" for p in own) + ")",
        cls.forward,
        {p.name: None for p in own},
        cls.__name__ + "Backward",
        parameters=own,
    )


class InplaceFunction(Function):
    """A Function that may work in place; kept for old programs."""


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of `backward`: its result has no derivative, and asking for one is an error."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with grad_mode(False):
            outputs = fn(ctx, *args)
        needs = context.grad and any(isinstance(a, Tensor) and a.requires_grad for a in args)
        if not needs:
            return outputs
        marked = Error.of(TWICE, outputs if isinstance(outputs, tuple) else (outputs,))
        return marked if isinstance(outputs, tuple) else marked[0]

    return wrapper
