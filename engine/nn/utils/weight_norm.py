"""Weights as length times direction. Salimans & Kingma (2016), Weight normalization."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from ...ops.nn.weight_norms import norm_except_dim, weighted
from ...safe_attributes import delete, read, write
from ..module import Module
from ..parameter import Parameter

M = TypeVar("M", bound=Module)


class WeightNorm:
    r"""The hook that computes $w = g \, v / \lVert v \rVert$ before each forward."""

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self.dim = dim

    def compute_weight(self, module: Module) -> Any:
        """The weight, from its length and direction."""
        return weighted(read(module, f"{self.name}_v"), read(module, f"{self.name}_g"), self.dim)

    def __call__(self, module: Module, inputs: Any) -> None:
        write(module, self.name, self.compute_weight(module))


def _hooks(module: Module, name: str) -> list[int]:
    hooks = module._forward_pre_hooks.items()
    return [id for id, hook in hooks if isinstance(hook, WeightNorm) and hook.name == name]


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Replace the parameter `name` by its lengths `<name>_g` and directions `<name>_v`; `dim` keeps its lengths apart."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if _hooks(module, name):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, -1 if dim is None else dim)
    weight = read(module, name)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, hook.dim).data))
    module.register_parameter(f"{name}_v", Parameter(weight.data))
    write(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Make the parameter `name` one parameter again."""
    for id in _hooks(module, name):
        weight = module._forward_pre_hooks.pop(id).compute_weight(module)  # type: ignore[attr-defined]
        delete(module, name)
        del module._parameters[f"{name}_g"], module._parameters[f"{name}_v"]
        write(module, name, Parameter(weight.data))
        return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
