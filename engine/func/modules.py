"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..ops.shape.joining import stack
from ..safe_attributes import looked_at, plain
from ..tensor import Tensor

if TYPE_CHECKING:
    from ..nn.module import Module


ABSENT = object()


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with other tensors in place of its parameters and buffers.

    Args:
        module: the module; it is as before afterwards.
        parameter_and_buffer_dicts: names, as in `named_parameters` and `named_buffers`, and tensors; one dict or several.
            What is not named stays. A buffer that the call replaces is replaced in the dict.
        args: the arguments, a tuple or a single one.
        kwargs: the keyword arguments.
        tie_weights: a parameter that stands under two names is replaced under both.
        strict: refuse names that are missing or that the module does not have.

    Raises:
        ValueError: for a name in several dicts, or two tensors for one tied parameter.
        RuntimeError: in strict mode for missing and unexpected names.
    """
    given = _one_dict(parameter_and_buffer_dicts)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, _tied(module, given) if tie_weights else given, strict):
        return module(*arguments, **(kwargs or {}))


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several modules of one class, stacked along a new first dimension, for `vmap`.

    Raises:
        RuntimeError: for no modules, or modules of different class or training mode.
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any(m.training != models[0].training for m in models):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters: list[dict[str, Tensor]] = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    result = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        if any(t.requires_grad != tensors[0].requires_grad for t in tensors):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        together = stack(tensors, 0)
        result[name] = together.detach().requires_grad_() if tensors[0].requires_grad else together
    return result


def _one_dict(dicts: Any) -> dict[str, Tensor]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}")
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for d in dicts for name in d]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for d in dicts for name, tensor in d.items()}


def _tied(module: Module, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """The dict with the other names of the same parameters added."""
    names: dict[int, list[str]] = {}
    for name, tensor in _members(module).items():
        names.setdefault(id(tensor), []).append(name)
    result = dict(given)
    for same in names.values():
        found = [given[name] for name in same if name in given]
        if len(same) == 1 or not found:
            continue
        if any(tensor is not found[0] for tensor in found):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(same)}, which are tied. Consider using tie_weights=False"
            )
        result.update(dict.fromkeys(same, found[0]))
    return result


def _members(module: Module) -> dict[str, Tensor]:
    return {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}


@contextmanager
def _replaced(module: Module, given: dict[str, Tensor], tensors: dict[str, Tensor], strict: bool) -> Iterator[None]:
    """Let the module have other tensors within the block."""
    if strict:
        _check_names(module, tensors)
    members_of = [(name, *_member(module, name)) for name in tensors]
    before = [(name, members, last, members.get(last, ABSENT)) for name, members, last in members_of]
    try:
        for name, members, last in members_of:
            members[last] = tensors[name]
        yield
    finally:
        for name, members, last, tensor in reversed(before):
            if name in given:
                given[name] = members[last]
            if tensor is ABSENT:
                del members[last]
            else:
                members[last] = tensor


def _member(module: Module, name: str) -> tuple[dict[str, Any], str]:
    """The dict that holds a parameter, buffer or plain attribute of the module, and its key there."""
    path, _, last = name.rpartition(".")
    owner = module.get_submodule(path)
    plain(last)
    for members in (owner._parameters, owner._buffers):
        if last in members:
            return members, last
    return looked_at(owner, last).__dict__, last


def _check_names(module: Module, tensors: dict[str, Tensor]) -> None:
    have = _members(module)
    unexpected = [repr(name) for name in tensors if name not in have]
    absent = [repr(name) for name in have if name not in tensors]
    messages = [f"Unexpected key(s): {', '.join(unexpected)}."] * bool(unexpected)
    messages += [f"Missing key(s): {', '.join(absent)}."] * bool(absent)
    if messages:
        told = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t{told}")
