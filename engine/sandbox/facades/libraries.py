"""The libraries beside PyTorch for programs: stand-ins of ours, each loaded when a program names it, and never before."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from ...itself import OURS
from ..policy.errors import MissingAttribute
from ..policy.guards import Guards
from ..policy.names import ARRAYS, CHECKED
from .facade import Facade, Missing

MODULES = {
    "PIL": ("", "Image"),
    "distutils": ("", "util", "version"),
    "einops": ("", "layers", "layers.torch"),
    "graphviz": ("",),
    "gym": ("", "spaces", "spaces.box", "spaces.discrete", "spaces.multi_discrete", "vector", "wrappers"),
    "gymnasium": ("", "spaces", "spaces.box", "spaces.discrete", "spaces.multi_discrete", "vector", "wrappers"),
    "mnist1d": ("", "data"),
    "packaging": ("", "version"),
    "pandas": ("",),
    "queue": ("",),
    "scipy": ("", "integrate", "signal", "special"),
    "sklearn": (
        "",
        "base",
        "datasets",
        "decomposition",
        "exceptions",
        "linear_model",
        "metrics",
        "model_selection",
        "preprocessing",
        "utils",
    ),
    "torchinfo": ("",),
    "torchsummary": ("",),
    "torchvision": (
        "",
        "datasets",
        "datasets.cifar",
        "datasets.folder",
        "datasets.mnist",
        "datasets.utils",
        "io",
        "models",
        *(f"models.{file}" for file in ("alexnet", "densenet", "mobilenetv2", "resnet", "squeezenet", "vgg")),
        "transforms",
        "transforms.functional",
        "transforms.transforms",
        "transforms.v2",
        "transforms.v2.functional",
        "utils",
    ),
    "tyro": ("",),
    "unittest": ("",),
}
"""Library → what of it a program may import: itself, and what is below it."""
PARTLY = frozenset(("scipy",))
"""Libraries of which programs import other parts, too, to be refused where they are used."""
SAME = {
    f"{top}.spaces.{part}": f"{top}.spaces" for top in ("gym", "gymnasium") for part in ("box", "discrete", "multi_discrete")
}
"""Modules whose names are those of another one here, which is not taken apart as far."""
NEEDS = {"torchvision": ("PIL",)}
"""Library → those whose objects it hands out, which a program can use without naming them."""

_SAFE = CHECKED - ARRAYS - {"__init__", "mro"}


def facades(library: str, guards: Guards) -> dict[str, Facade]:
    """A library and what is below it, by dotted name."""
    made: dict[str, Facade] = {}
    for below in sorted(MODULES[library], key=lambda name: -name.count(".") - bool(name)):
        dotted = f"{library}.{below}".rstrip(".")
        module = import_module(f"{OURS}libraries.{SAME.get(dotted, dotted)}")
        names = {n.rpartition(".")[2]: f for n, f in made.items() if n.rpartition(".")[0] == dotted}
        names |= {name: getattr(module, name) for name in _public(module)}
        guards.know(names.values(), bases=True)
        classes = tuple(v for v in names.values() if isinstance(v, type) and not issubclass(v, BaseException))
        guards.opened += classes
        # What NumPy's arrays are refused is harmless in classes that were written for programs.
        guards.allowed |= {(cls, name) for cls in classes for name in _SAFE & {*dir(cls)}}
        made[dotted] = Facade(dotted, names, _missing(dotted, names))
    return made


def _public(module: ModuleType) -> list[str]:
    names = [*getattr(module, "__all__", ())]
    return [*names, "__version__"] if hasattr(module, "__version__") else names


def _missing(dotted: str, names: dict[str, Any]) -> Missing:
    help = f"There are: {', '.join(sorted(name for name in names if name[0] != '_'))}."
    return lambda name: MissingAttribute(f"module '{dotted}' has no attribute '{name}' for programs here", help)
