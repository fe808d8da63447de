"""The base of all optimizers: parameter groups, state, hooks, and the loop around an algorithm's update rule.

An algorithm is a class with the constructor of PyTorch's, `_start` (the state of a parameter before its first step) and
`_update` (one step of one parameter, on arrays and in place). Both are those of the class that PyTorch has, whatever a class
that inherits from it, or an object, has by these names: they are given the arrays of parameters.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from ..autograd.handle import Handle
from ..autograd.saved_variable import Counter
from ..compat.classes import typename
from ..compat.version import since
from ..context import context, grad_mode
from ..dtypes import INEXACT
from ..errors import Unsupported
from ..op.declare import Op
from ..tensor import Array, Tensor, constant

Group = dict[str, Any]
State = dict[str, Any]

DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)


@functools.cache
def _operation(name: str) -> Op:
    """What the observer is told of an optimizer's writes."""
    return Op(name.lower(), rf"\mathrm{{{name}}}", lambda self: None, {"self": None}, "", kind="optimizer")


class _Required:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


NO_SETS = since(
    "2.15",
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between "
    "runs. Please use a list instead. This will be an error in a future release.",
    before="",
)
"""What is said of parameters that are given as a set; "" where nothing is."""


_SCALARS = {kind for kind in np.sctypeDict.values() if issubclass(kind, np.number | np.bool_)}
_PLAIN = frozenset((bool, int, float, complex, str, type(None), np.ndarray, Tensor)) | _SCALARS


def looked_at(value: Any) -> Any:
    """A number, a tensor, a text, or a tuple or list of such, as an update may compute with it: nobody can change it meanwhile,
    and it is nothing whose class has operators of its own, which would be given the arrays of parameters.

    Raises:
        TypeError: for anything else.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return kind(map(looked_at, value))
    if isinstance(value, Tensor):
        return constant(value._array)
    if isinstance(value, np.number | np.bool_):
        return np.asarray(value)[()]
    raise TypeError(f"an optimizer computes with numbers and tensors, not with {kind.__name__}")


def _looked_at_state(state: Any) -> State:
    """A state of a parameter in a dict of its own."""
    found = {**state}
    for name, value in found.items():
        if type(value) is tuple or type(value) is list:
            found[name] = type(value)(map(looked_at, value))
        elif type(value) not in _PLAIN and not isinstance(value, Tensor):
            found[name] = looked_at(value)
    return found


@functools.cache
def _read_by(cls: Any) -> frozenset[str]:
    """The options that an algorithm reads: those of its constructor, which differs between versions."""
    makers = [vars(c)["__init__"] for c in cls.__mro__ if c.__module__.startswith("torch.") and "__init__" in vars(c)]
    codes = [inspect.unwrap(maker).__code__ for maker in makers]
    return frozenset(name for code in codes for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


@functools.cache
def algorithm(cls: Any) -> tuple[Callable[..., State], Callable[..., None]]:
    """How an optimizer of a class begins the state of a parameter, and how it makes a step.

    Raises:
        NotImplementedError: if the class is none of PyTorch's algorithms, and inherits from none.
    """
    for known in cls.__mro__:
        if known.__module__.startswith("torch.") and issubclass(known, Optimizer) and known is not Optimizer:
            return known._start, known._update
    raise NotImplementedError


class Optimizer:
    """Base class of optimizers: holds the parameters in groups, each with its options, and a state per parameter.

    Args:
        params: an iterable of tensors, of pairs (name, tensor), or of dicts with the key "params" and options of their own.
        defaults: the options of groups that do not give them.

    Raises:
        TypeError: for a single tensor, a set, or anything that is no tensor among the parameters.
        ValueError: for no parameters, a tensor that is no leaf, a tensor in two groups, names for some parameters only.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if defaults.get("differentiable"):
            raise Unsupported(
                f"{type(self).__name__}(differentiable=True) is not supported by Gradtape. Write the update with tensor "
                "operations to differentiate through it."
            )
        if defaults.get("fused") and defaults.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        self.defaults = defaults
        self._make_hooks()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {typename(params)}"
            )
        if isinstance(params, set) and NO_SETS.now:
            warnings.warn(NO_SETS.now, FutureWarning, stacklevel=2)
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    sparse_gradients = False
    """Whether the algorithm takes them."""

    @classmethod
    def dense_only(cls) -> str:
        """What PyTorch says of sparse gradients where the algorithm does not take them."""
        return f"{cls.__name__} does not support sparse gradients"

    # --- what an algorithm says ---------------------------------------------------------------------------------------------

    def _start(self, p: Array, group: Group) -> State:
        """The state of a parameter before its first step."""
        return {}

    def _update(self, p: Array, g: Array, state: State, group: Group) -> None:
        """One step of one parameter: writes `p` and the state's arrays in place; `g` is only read."""
        raise NotImplementedError

    # --- stepping ---------------------------------------------------------------------------------------------------------

    def _looked_at(self, group: Group) -> Group:
        """A group with the options that the algorithm reads, as it is while it steps: an update computes with the arrays of
        parameters, which nothing of a program's is to be given.

        Raises:
            TypeError: for options that are no numbers, or parameters that are no tensors.
        """
        params = list(group["params"]) if type(group) is dict else [None]
        if not all([isinstance(p, Tensor) for p in params]):
            raise TypeError("param_groups has to be a list of dicts, with tensors as their params")
        algorithm: Any = type(self)
        read = {name: looked_at(group[name]) for name in _read_by(algorithm) if name in group and name != "params"}
        return read | {"params": params, "decoupled_weight_decay": bool(group.get("decoupled_weight_decay", False))}

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient; returns what `closure` (computes loss and gradients anew) returns."""
        kind: Any = type(self)
        start, update = algorithm(kind)
        loss = None
        if closure is not None:
            with grad_mode(True):
                loss = closure()
        for group in map(self._looked_at, self.param_groups):
            maximize = group.get("maximize", False)
            for p in group["params"]:
                grad = p._grad
                if grad is None:
                    continue
                array = p._array
                if grad._array.__class__ is not np.ndarray and grad.is_sparse and not self.sparse_gradients:
                    raise RuntimeError(self.dense_only())
                kept = self.state.get(p)
                state = _looked_at_state(kept) if kept else start(self, array, group)
                update(self, array, -grad._array if maximize else grad._array, state, group)
                if type(kept) is dict and kept:
                    kept.update(state)
                elif state:
                    self.state[p] = state
                self._wrote(p)
        return loss

    def _wrote(self, p: Tensor) -> None:
        """Count the write to a parameter's memory and tell the observer."""
        if p._counter is None:
            p._counter = Counter()
        p._counter.value += 1
        if context.observer is not None:
            context.observer.wrote(_operation(type(self).__name__), (p,), p, None)

    def _patch_step_function(self) -> None:
        # Once per class, as in PyTorch: so hooks run for classes that override step() as well.
        if not getattr(type(self).step, "hooked", False):
            type(self).step = _hooked(type(self).step)  # type: ignore[method-assign]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero in place."""
        for group in self.param_groups:
            for p in group["params"]:
                grad = p._grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    if grad.grad_fn is not None:
                        grad.detach_()
                    elif grad._needs:
                        grad.requires_grad_(False)
                    grad.zero_()

    # --- parameter groups -------------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: Group) -> None:
        """Add a group: a dict with "params" and the options that differ from the defaults. Errors as for the constructor."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will "
                "change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        names = [p[0] for p in given if isinstance(p, tuple)]
        params = param_group["params"] = [p[1] if isinstance(p, tuple) else p for p in given]
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(DUPLICATES, UserWarning, stacklevel=3)
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                which = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    f"all optimizer param groups should be with/without names. cannot add param group {which} to the optimizer"
                )
        if not set(params).isdisjoint(chain.from_iterable(group["params"] for group in self.param_groups)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    # --- saving and loading -----------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The state and the groups, with numbers in the place of parameters. Tensors are shared, not copied."""
        for pre in self._state_dict_pre_hooks.values():
            pre(self)
        numbers: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            groups.append({**packed, "params": [numbers[id(p)] for p in group["params"]]})
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for post in self._state_dict_post_hooks.values():
            replaced = post(self, result)
            if replaced is not None:
                result = replaced
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned.

        Raises:
            ValueError: the groups differ in number or size from this optimizer's.
        """
        state_dict = state_dict.copy()
        for pre in self._load_pre_hooks.values():
            replaced = pre(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        groups, saved = self.param_groups, context.deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in saved]:
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        owners = {n: p for ours, theirs in zip(groups, saved) for n, p in zip(theirs["params"], ours["params"])}
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                state[owners[key]] = _cast(owners[key], value)
            else:
                state[key] = value
        for ours, theirs in zip(groups, saved):
            theirs["params"] = ours["params"]
            if "param_names" in ours:
                theirs.setdefault("param_names", ours["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for post in self._load_post_hooks.values():
            post(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_step_pre_hooks" not in self.__dict__:
            self._make_hooks()
        self._patch_step_function()
        for group in self.param_groups:
            # Options that a state saved by an older program may lack.
            for name, default in self.defaults.items():
                group.setdefault(name, default)

    # --- hooks ------------------------------------------------------------------------------------------------------------

    def _make_hooks(self) -> None:
        self._step_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._step_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._load_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._load_post_hooks: OrderedDict[int, Any] = OrderedDict()

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return other (args, kwargs)."""
        return Handle(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return Handle(self._step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call `hook(optimizer)` before `state_dict()` collects the state."""
        return Handle(self._state_dict_pre_hooks, hook, prepend=prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call `hook(optimizer, state_dict)` on what `state_dict()` returns; it may return another."""
        return Handle(self._state_dict_post_hooks, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call `hook(optimizer, state_dict)` before loading; it may return another state dict."""
        return Handle(self._load_pre_hooks, hook, prepend=prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call `hook(optimizer)` after loading."""
        return Handle(self._load_post_hooks, hook, prepend=prepend)


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks around it, and the observer told at the end."""

    @functools.wraps(step)
    def wrapper(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        # As in PyTorch, `args` begins with the optimizer itself.
        arguments: tuple[Any, ...] = (self, *args)
        for pre in self._step_pre_hooks.values():
            result = pre(self, arguments, kwargs)
            if result is not None:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
                arguments, kwargs = result
        out = step(*arguments, **kwargs)
        if context.observer is not None:
            stepped = [p for group in self.param_groups for p in group["params"] if isinstance(p, Tensor)]
            context.observer.stepped(self, tuple(stepped))
        for post in self._step_post_hooks.values():
            post(self, arguments, kwargs)
        return out

    wrapper.hooked = True  # type: ignore[attr-defined]
    return wrapper


def _cast(p: Tensor, value: Any, key: Any = None) -> Any:
    """A loaded state value with its tensors in the dtype of `p`; the step count keeps its own."""
    if isinstance(value, Tensor):
        if key == "step" or p._array.dtype.kind not in INEXACT or value._array.dtype == p._array.dtype:
            return value
        return constant(value._array.astype(p._array.dtype))
    if isinstance(value, dict):
        return {k: _cast(p, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_cast(p, v) for v in value)  # type: ignore[call-arg]
    return value
