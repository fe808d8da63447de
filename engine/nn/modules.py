"""All modules by name, and `torch.nn.modules`: PyTorch's files of modules, as names for what stands elsewhere here."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ..compat.classes import known_as, own
from . import (
    activation,
    adaptive_softmax,
    containers,
    convolution,
    dropout,
    embedding,
    hooks,
    keyed_containers,
    lazy,
    linear,
    loss,
    multihead,
    normalization,
    padding_fold,
    pooling,
    recurrent,
    repeated,
    transformer,
)
from .functional_module import Wrapped
from .module import Module

FAMILIES: tuple[tuple[str, ModuleType], ...] = (
    ("linear", linear), ("container", containers), ("container", keyed_containers), ("activation", activation),
    ("conv", convolution), ("pooling", pooling), ("batchnorm", normalization), ("dropout", dropout), ("sparse", embedding),
    ("rnn", recurrent), ("transformer", transformer), ("loss", loss), ("padding", padding_fold),
    ("adaptive", adaptive_softmax), ("lazy", lazy),
)  # fmt: skip
"""The files of modules here, with the file where PyTorch has most of them."""

ELSEWHERE = {
    **dict.fromkeys(("LayerNorm", "GroupNorm", "RMSNorm", "LocalResponseNorm"), "normalization"),
    **dict.fromkeys(("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), "instancenorm"),
    **dict.fromkeys(("Flatten", "Unflatten"), "flatten"),
    **dict.fromkeys(("Fold", "Unfold"), "fold"),
    **dict.fromkeys(("PixelShuffle", "PixelUnshuffle"), "pixelshuffle"),
    **dict.fromkeys(("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"), "upsampling"),
    **dict.fromkeys(("PairwiseDistance", "CosineSimilarity"), "distance"),
    "ChannelShuffle": "channelshuffle",
    "CrossMapLRN2d": "normalization",
    "LazyLinear": "linear",
    **{f"Lazy{kind}{n}d": "conv" for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)},
    **{f"LazyBatchNorm{n}d": "batchnorm" for n in (1, 2, 3)},
    **{f"LazyInstanceNorm{n}d": "instancenorm" for n in (1, 2, 3)},
}  # fmt: skip
"""Modules that PyTorch has in a file of another name."""


SHARED = {
    "__init__": (
        "_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_BatchNorm", "_DropoutNd", "_InstanceNorm", "_LPPoolNd", "_LazyNormBase",
        "_Loss", "_MaxPoolNd", "_WeightedLoss",
    ),
    "forward": (
        "_BatchNorm", "_CircularPadNd", "_ConstantPadNd", "_InstanceNorm", "_ReflectionPadNd", "_ReplicationPadNd",
    ),
}  # fmt: skip
"""Methods that PyTorch's classes have from these bases, too; what others share here each of PyTorch's has for itself."""


BASES = {
    "loss": (loss, "_Loss _WeightedLoss"),
    "batchnorm": (normalization, "_NormBase _BatchNorm"),
    "instancenorm": (normalization, "_InstanceNorm"),
    "conv": (convolution, "_ConvNd _ConvTransposeNd"),
    "dropout": (dropout, "_DropoutNd"),
    "pooling": (
        pooling, "_MaxPoolNd _MaxUnpoolNd _AvgPoolNd _LPPoolNd _AdaptiveMaxPoolNd _AdaptiveAvgPoolNd",
    ),
    "padding": (padding_fold, "_ConstantPadNd _ReflectionPadNd _ReplicationPadNd"),
}  # fmt: skip
"""Bases that programs import, as in `isinstance(m, _BatchNorm)`: the file where PyTorch has them, and where they are."""


def _defined_in(file: ModuleType) -> dict[str, type[Module]]:
    return {
        name: value
        for name, value in vars(file).items()
        if isinstance(value, type) and issubclass(value, Module) and value.__module__ == file.__name__ and name[0] != "_"
    }


BY_NAME: dict[str, type[Module]] = {}
"""Every module of `torch.nn`, by name."""


def _file(name: str) -> ModuleType:
    """`torch.nn.modules.<name>`, made on first use."""
    full = f"{__name__}.{name}"
    if full not in sys.modules:
        sys.modules[full] = globals()[name] = ModuleType(full, "Modules, by the name of PyTorch's file.")
    return sys.modules[full]


def _register(name: str, kind: type[Module], file: str) -> None:
    """Put a module where PyTorch has it; `print(type(module))` names that file."""
    setattr(_file(file), name, kind)
    known_as(f"torch.nn.modules.{file}", kind)
    for method, bases in SHARED.items():
        owner = next(base for base in kind.__mro__ if method in vars(base))
        if (owner is Wrapped or owner.__name__[0] == "_") and owner.__name__ not in bases:
            own(kind, method)


_register("Module", Module, "module")
vars(_file("module")).update({n: f for n, f in vars(hooks).items() if n.startswith("register_module_")})
for _name, _kind in _defined_in(multihead).items():
    _register(_name, _kind, "linear" if _name.startswith("Non") else "activation")
BY_NAME["MultiheadAttention"] = multihead.MultiheadAttention
for _module_file, _family in FAMILIES:
    for _name, _kind in _defined_in(_family).items():
        _register(_name, _kind, ELSEWHERE.get(_name, _module_file))
        BY_NAME[_name] = _kind
for _module_file, (_family, _names) in BASES.items():
    vars(_file(_module_file)).update({_name: getattr(_family, _name) for _name in _names.split()})
vars(_file("utils")).update({_name: getattr(repeated, _name) for _name in repeated.__all__})


def __getattr__(name: str) -> Any:
    if name == "lazy":
        return _file("lazy")
    if name in BY_NAME:
        return BY_NAME[name]
    raise AttributeError(f"module 'torch.nn.modules' has no attribute '{name}'")
