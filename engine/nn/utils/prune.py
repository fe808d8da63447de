"""Pruning: parameters of which some elements are held at zero by a mask. `torch.nn.utils.prune`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any, TypeVar

from ...compat.classes import known_as
from ...itself import engine as torch
from ...safe_attributes import delete, plain, read, write
from ..module import Module
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

M = TypeVar("M", bound=Module)


def _look_at(module: Any, name: str) -> None:
    """Raise TypeError or AttributeError for what is no module, or a name that leads to anything else than its members."""
    if not isinstance(module, Module):
        raise TypeError(f"{type(module).__name__} is no module that can be pruned")
    plain(name)


class BasePruningMethod(ABC):
    """A way to choose what is pruned; as a hook it computes the pruned parameter before each forward.

    A subclass has a `PRUNING_TYPE` ("unstructured", "structured" or "global") and defines `compute_mask`.
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        """Set the parameter to its pruned value."""
        write(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask for importances `t`, on top of a mask that is there."""

    def apply_mask(self, module: Any) -> Any:
        """The parameter times its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = read(module, f"{self._tensor_name}_mask")
        original = read(module, f"{self._tensor_name}_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> BasePruningMethod:
        """Prune the parameter `name` of a module, by this method after those that it has been pruned by."""
        _look_at(module, name)
        method = cls._composed(module, name, *args, **kwargs)
        original = read(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got {importance_scores.shape} "
                f"vs {original.shape}"
            )
        if isinstance(method, PruningContainer):
            default_mask = read(module, f"{name}_mask").detach().clone()
        else:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
            default_mask = torch.ones_like(original)
        try:
            module.register_buffer(f"{name}_mask", method.compute_mask(importance_scores, default_mask=default_mask))
            write(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not isinstance(method, PruningContainer):
                module.register_parameter(name, read(module, f"{name}_orig"))
                del module._parameters[f"{name}_orig"]
            raise
        return method

    @classmethod
    def _composed(cls, module: Any, name: str, *args: Any, **kwargs: Any) -> BasePruningMethod:
        """This method, or a container of it and of what the parameter was pruned by, whose hook is taken away."""
        hooks = module._forward_pre_hooks
        found = [k for k, hook in hooks.items() if isinstance(hook, BasePruningMethod) and hook._tensor_name == name]
        if len(found) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
            )
        old = [hooks.pop(k) for k in found]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if not old:
            return method
        container = old[0] if isinstance(old[0], PruningContainer) else PruningContainer(old[0])
        container.add_pruning_method(method)
        return container

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A pruned tensor."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        if default_mask is None:
            default_mask = torch.ones_like(t)
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Any) -> None:
        """Make the pruned parameter a plain one, with what is pruned at zero for good."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delete(module, name)
        original = module._parameters.pop(f"{name}_orig")
        original.data = weight.data
        del module._buffers[f"{name}_mask"]
        write(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods of one parameter, each after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add one at the end."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer {self}."
                f" Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of the last method among what the others have left."""
        method = self._pruning_methods[-1]
        new_mask = default_mask.to(dtype=t.dtype)
        kind, n = method.PRUNING_TYPE, t.dim()
        if kind == "unstructured":
            left: Any = default_mask == 1
        elif kind in ("structured", "global"):
            parts: list[Any] = [slice(None)] * n
            if kind == "structured":
                if not hasattr(method, "dim"):
                    raise AttributeError(
                        'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                    )
                dim = method.dim + n if method.dim < 0 else method.dim
                if dim < 0:
                    raise IndexError(f"Index is out of bounds for tensor with dimensions {n}")
                parts[dim] = default_mask.sum(dim=[d for d in range(n) if d != dim]) != 0
            left = tuple(parts)
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        partial = method.compute_mask(t[left], default_mask=default_mask[left])
        new_mask[left] = partial.to(dtype=new_mask.dtype)
        return new_mask


class Identity(BasePruningMethod):
    """Prunes nothing, and keeps a mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask that is there."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> BasePruningMethod:  # type: ignore[override]
        """Prune the parameter `name` of a module."""
        return super().apply(module, name)


class RandomUnstructured(BasePruningMethod):
    """Prunes elements by chance; `amount` is how many, or which part of them."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask with some elements more at zero."""
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count != 0:
            mask.view(-1)[torch.topk(torch.rand_like(t).view(-1), k=count).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any) -> BasePruningMethod:  # type: ignore[override]
        """Prune the parameter `name` of a module."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(BasePruningMethod):
    """Prunes the elements of smallest absolute value; `amount` is how many, or which part of them."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask with the smallest elements at zero."""
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count != 0:
            mask.view(-1)[torch.topk(torch.abs(t).view(-1), k=count, largest=False).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, importance_scores: Any = None) -> BasePruningMethod:  # type: ignore[override]
        """Prune the parameter `name` of a module."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes whole channels along `dim` by chance."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask with some channels more at zero."""
        _check_structured(t, self.dim)
        channels = t.shape[self.dim]
        count = _count(self.amount, channels)
        if count == 0:
            return default_mask
        draws = torch.rand(channels)
        kept = draws > torch.kthvalue(draws, k=count).values
        return _channels(t, self.dim, kept, default_mask)

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]
        """Prune the parameter `name` of a module."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the channels along `dim` whose `n`-norm is smallest."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask with the smallest channels at zero."""
        _check_structured(t, self.dim)
        channels = t.shape[self.dim]
        count = _count(self.amount, channels)
        dims = list(range(t.dim()))
        dims.remove(dims[self.dim])
        kept = torch.topk(torch.norm(t, p=self.n, dim=dims), k=channels - count, largest=True).indices
        return default_mask if count == 0 else _channels(t, self.dim, kept, default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
    ) -> BasePruningMethod:
        """Prune the parameter `name` of a module."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Both masks together."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> BasePruningMethod:  # type: ignore[override]
        """Prune the parameter `name` of a module."""
        return super().apply(module, name, mask=mask)


known_as("torch.nn.utils.prune", BasePruningMethod, PruningContainer, Identity, RandomUnstructured, L1Unstructured)
known_as("torch.nn.utils.prune", RandomStructured, LnStructured, CustomFromMask)


# --- functions --------------------------------------------------------------------------------------------------------------


def identity(module: M, name: str) -> M:
    """Give the parameter `name` a mask that prunes nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: M, name: str, amount: Any) -> M:
    """Prune elements of the parameter `name` by chance."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: M, name: str, amount: Any, importance_scores: Any = None) -> M:
    """Prune the smallest elements of the parameter `name`."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: M, name: str, amount: Any, dim: int) -> M:
    """Prune channels of the parameter `name` by chance."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: M, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> M:
    """Prune the channels of the parameter `name` with the smallest norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: M, name: str, mask: Any) -> M:
    """Prune the parameter `name` by a mask."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prune all of these parameters together, each given as its module and name."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores: Any = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    members = [(module, name) for module, name in parameters]
    for module, name in members:
        _look_at(module, name)
    all_scores = parameters_to_vector([scores.get((module, name), read(module, name)) for module, name in members])
    all_masks = parameters_to_vector(
        [getattr(module, f"{name}_mask", torch.ones_like(read(module, name))) for module, name in members]
    )
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of type '
            f"{method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    final, begin = container.compute_mask(all_scores, all_masks), 0
    for module, name in members:
        parameter = read(module, name)
        count = parameter.numel()
        custom_from_mask(module, name, mask=final[begin : begin + count].view_as(parameter))
        begin += count


def remove(module: M, name: str) -> M:
    """Make the pruned parameter `name` a plain one again, with its zeros.

    Raises:
        ValueError: if it is not pruned.
    """
    for k, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[k]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether a module, or one in it, has a pruned parameter."""
    inner = [submodule for _, submodule in module.named_modules()]
    return any(isinstance(hook, BasePruningMethod) for each in inner for hook in each._forward_pre_hooks.values())


# --- checks -----------------------------------------------------------------------------------------------------------------


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _count(amount: Any, size: int) -> int:
    """How many of so many are pruned."""
    count = int(amount) if isinstance(amount, Integral) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count


def _check_structured(t: Any, dim: int) -> None:
    if t.dim() <= 1:
        raise ValueError(
            f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} with "
            f"{t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _channels(t: Any, dim: int, kept: Any, default_mask: Any) -> Any:
    """The mask that keeps some channels of those that another has left."""
    mask = torch.zeros_like(t)
    place: list[Any] = [slice(None)] * t.dim()
    place[dim] = kept
    mask[tuple(place)] = 1
    mask *= default_mask.to(dtype=mask.dtype)
    return mask
