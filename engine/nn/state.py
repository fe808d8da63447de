"""State dicts of modules: what `state_dict` returns and how `load_state_dict` copies it back."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..autograd import no_grad
from ..context import outside
from ..safe_attributes import write
from ..tensor import Tensor
from .hooks import RemovableHandle
from .parameter import Parameter, is_lazy

if TYPE_CHECKING:
    from .module import Module

EXTRA = "_extra_state"
"""The key of what `get_extra_state` returns."""


class IncompatibleKeys(namedtuple("_IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """The keys `load_state_dict` missed or did not expect."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys!r}, unexpected_keys={self.unexpected_keys!r})"

    __str__ = __repr__


IncompatibleKeys.__name__ = "_IncompatibleKeys"  # as errors of PyTorch call it


# --- saving ----------------------------------------------------------------------------------------------------------------


def state_dict(self: Module, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
    """Parameters and persistent buffers by name, detached from autograd unless `keep_vars`; they share memory."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local_metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local_metadata
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for id, hook in self._state_dict_hooks.items():
        replaced = hook(self, destination, prefix, local_metadata)
        if replaced is not None:
            if id not in RemovableHandle.replacing:
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
    return destination


def _save_to_state_dict(self: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    for name, tensor in [*self._parameters.items(), *_persistent(self).items()]:
        if tensor is not None:
            destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()
    if getattr(type(self), "get_extra_state", None) not in (None, get_extra_state):
        destination[prefix + EXTRA] = self.get_extra_state()


_NEVER = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


def get_extra_state(self: Module) -> Any:
    """What else than tensors belongs in `state_dict`; a subclass that has something defines this and `set_extra_state`."""
    raise RuntimeError(_NEVER.format("get_extra_state"))


def set_extra_state(self: Module, state: Any) -> None:
    """Take back what `get_extra_state` returned."""
    raise RuntimeError(_NEVER.format("set_extra_state"))


def _persistent(module: Module) -> dict[str, Tensor | None]:
    return {k: v for k, v in module._buffers.items() if k not in module._non_persistent_buffers_set}


# --- loading ---------------------------------------------------------------------------------------------------------------


def load_state_dict(self: Module, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> IncompatibleKeys:
    """Copy parameters and buffers from `state_dict`; with `assign`, make its tensors the module's own.

    Returns:
        The keys missing and the keys not expected; both empty when `strict`.

    Raises:
        RuntimeError: for shapes that differ and, when `strict`, keys missing or not expected.
        TypeError: for what is no mapping.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    metadata = getattr(state_dict, "_metadata", {})
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []

    def load(module: Module, local: dict[str, Any], prefix: str) -> None:
        about = dict(metadata.get(prefix[:-1], {}))
        if assign:
            about["assign_to_params_buffers"] = True
        module._load_from_state_dict(local, prefix, about, True, missing, unexpected, errors)
        for name, child in module._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                load(child, {k: v for k, v in local.items() if k.startswith(below)}, below)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, IncompatibleKeys(missing, unexpected)) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
                    "incompatible_keys need to be modified, it should be done inplace."
                )

    load(self, dict(state_dict), "")
    if strict:
        for kind, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                quoted = ", ".join(f'"{k}"' for k in keys)
                errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
    if errors:
        lines = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
    return IncompatibleKeys(missing, unexpected)


def _load_from_state_dict(
    self: Module,
    state_dict: dict[str, Any],
    prefix: str,
    local_metadata: dict[str, Any],
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    for hook in self._load_state_dict_pre_hooks.values():
        hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    own = {k: v for k, v in [*self._parameters.items(), *_persistent(self).items()] if v is not None}
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, tensor in own.items():
        key = prefix + name
        if key in state_dict:
            problem = _load_one(self, name, tensor, key, state_dict[key], assign)
            if problem is not None:
                error_msgs.append(problem)
        elif strict:
            missing_keys.append(key)
    extra = prefix + EXTRA
    if getattr(type(self), "set_extra_state", None) not in (None, set_extra_state):
        if extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict:
            missing_keys.append(extra)
    elif strict and extra in state_dict:
        unexpected_keys.append(extra)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                name, *below = key[len(prefix) :].split(".", 1)
                if name not in (self._modules if below else own):
                    unexpected_keys.append(key)


def _load_one(module: Module, name: str, tensor: Tensor, key: str, value: Any, assign: bool) -> str | None:
    """Copy or assign one value; what PyTorch says where that cannot be done."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
            f"received {type(value)}"
        )
    if is_lazy(tensor) and is_lazy(value):
        return None
    if tensor.dim() == 0 and tuple(value.shape) == (1,):
        value = value.reshape(())
    if value.shape != tensor.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current model "
            f"is {tensor.shape}."
        )
    if not assign:
        if tensor.is_meta and not value.is_meta:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, "
                "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
                "corresponding key in the module instead of copying them in place?)",
                stacklevel=outside(),
            )
        try:
            with no_grad():
                tensor.copy_(value)
        except NotImplementedError as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.shape} and whose '
                f"dimensions in the checkpoint are {value.shape}, an exception occurred : {error.args}."
            )
        return None
    if isinstance(tensor, Parameter):
        if isinstance(value, Parameter):
            value.requires_grad_(tensor.requires_grad)
        else:
            value = Parameter(value, requires_grad=tensor.requires_grad)
    write(module, name, value)
    return None


# --- hooks -----------------------------------------------------------------------------------------------------------------


def register_state_dict_pre_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, prefix, keep_vars)` before the module's state is saved."""
    return RemovableHandle(self._state_dict_pre_hooks, hook)


def register_state_dict_post_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, state_dict, prefix, local_metadata)` after the module's state is saved; it may change the dict."""
    return RemovableHandle(self._state_dict_hooks, hook)


def _register_state_dict_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """The same for a hook that may return another dict in the place of `state_dict`."""
    handle = RemovableHandle(self._state_dict_hooks, hook)
    RemovableHandle.replacing.add(handle.id)
    return handle


def _register_load_state_dict_pre_hook(self: Module, hook: Callable[..., Any], with_module: bool = False) -> RemovableHandle:
    """`register_load_state_dict_pre_hook`, for a hook that is not given the module."""
    if with_module:
        return register_load_state_dict_pre_hook(self, hook)
    return RemovableHandle(self._load_state_dict_pre_hooks, partial(_without_module, hook))


def _without_module(hook: Callable[..., Any], module: Module, *args: Any) -> None:
    hook(*args)


def register_load_state_dict_pre_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` before loading."""
    return RemovableHandle(self._load_state_dict_pre_hooks, hook)


def register_load_state_dict_post_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, incompatible_keys)` after loading; it may change the lists of keys."""
    return RemovableHandle(self._load_state_dict_post_hooks, hook)
