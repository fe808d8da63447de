"""How models are asked for: by a function or a name, and with weights, of which there are none here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from typing import Any

from ....context import outside
from ....nn.module import Module
from ... import tell
from ..transforms.presets import ImageClassification

CLASSES = 1000
"""What trained weights tell apart: the classes of ImageNet."""
BUILDERS: dict[str, Callable[..., Any]] = {}
"""The functions that make models, by name."""
WEIGHTS: dict[str, Any] = {}
"""The weights that models have been published with, by the model's name."""


@dataclass(frozen=True, eq=False)
class Weights:
    """What is known of trained weights: what they were trained on, and how pictures are prepared for them."""

    resize_size: int = 256
    meta: dict[str, Any] = field(default_factory=lambda: {"categories": [f"class {k}" for k in range(CLASSES)]})

    def transforms(self, **kwargs: Any) -> ImageClassification:
        """The transform that pictures need."""
        return ImageClassification(**{"crop_size": 224, "resize_size": self.resize_size} | kwargs)


class WeightsEnum(Enum):
    """The weights that a model has been published with."""

    @classmethod
    def verify(cls, obj: Any) -> Any:
        """The member that is meant, by itself or by its name."""
        if type(obj) is str:
            return cls[obj.replace(cls.__name__ + ".", "")]
        if obj is not None and not isinstance(obj, cls):
            raise TypeError(f"Invalid Weight class provided; expected {cls.__name__} but received {obj.__class__.__name__}.")
        return obj

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    @property
    def meta(self) -> dict[str, Any]:
        """What is known of them."""
        found: dict[str, Any] = self.value.meta
        return found

    @property
    def transforms(self) -> Any:
        """Makes the transform that pictures need."""
        return self.value.transforms

    def get_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: nothing can be downloaded."""
        raise RuntimeError(f"{self!r} cannot be downloaded: programs here reach no network.")


def weights_of(name: str, *sizes: int) -> Any:
    """The weights of a model, one for each size that pictures are brought to first; the last are the default."""
    members = {f"IMAGENET1K_V{k}": Weights(size) for k, size in enumerate(sizes or (256,), 1)}
    enum: Any = WeightsEnum
    made = enum(name, members | {"DEFAULT": list(members.values())[-1]}, module=__name__)
    return made


def builder(weights: Any) -> Callable[[Callable[..., Module]], Callable[..., Any]]:
    """Let a function make a model under its name: with `weights`, or `pretrained` as it was called before, or neither."""

    def declare(make: Callable[..., Module]) -> Callable[..., Any]:
        @wraps(make)
        def build(weights: Any = None, progress: bool = True, **kwargs: Any) -> Any:
            wanted = kinds.verify(_former(weights, kwargs))
            if wanted is not None:
                if kwargs.setdefault("num_classes", CLASSES) != CLASSES:
                    raise ValueError(
                        f"The parameter 'num_classes' expected value {CLASSES} but got {kwargs['num_classes']} instead."
                    )
                tell(f"torchvision: there are no trained weights here; {make.__name__} begins with random ones.")
            return make(**kwargs)

        def _former(weights: Any, kwargs: dict[str, Any]) -> Any:
            """The weights that `pretrained` stands for, with torchvision's warnings."""
            if "pretrained" in kwargs:
                weights = kwargs.pop("pretrained")
                warnings.warn(
                    "The parameter 'pretrained' is deprecated since 0.13 and may be removed in the future, please use "
                    "'weights' instead.",
                    stacklevel=outside(),
                )
            elif not isinstance(weights, bool):
                return weights
            chosen = kinds.IMAGENET1K_V1 if weights else None
            text = (
                "Arguments other than a weight enum or `None` for 'weights' are deprecated since 0.13 and may be removed in "
                f"the future. The current behavior is equivalent to passing `weights={chosen!r}`."
            )
            if chosen is not None:
                text += f" You can also use `weights={kinds.__name__}.DEFAULT` to get the most up-to-date weights."
            warnings.warn(text, stacklevel=outside())
            return chosen

        BUILDERS[make.__name__], WEIGHTS[make.__name__] = build, kinds
        return build

    kinds = weights  # in `build` the name stands for what the caller gives
    return declare


def list_models(module: Any = None, include: Any = None, exclude: Any = None) -> list[str]:
    """The names of the models, in order; `include` and `exclude` are patterns as of files."""
    from fnmatch import fnmatch

    def among(name: str, patterns: Any) -> bool:
        return any(fnmatch(name, p) for p in ([patterns] if isinstance(patterns, str) else patterns))

    names = [name for name in BUILDERS if not include or among(name, include)]
    return sorted(name for name in names if not exclude or not among(name, exclude))


def get_model_builder(name: str) -> Callable[..., Any]:
    """The function that makes the model of that name."""
    name = name.lower()
    if name not in BUILDERS:
        raise ValueError(f"Unknown model {name}")
    return BUILDERS[name]


def get_model(name: str, **config: Any) -> Any:
    """The model of that name."""
    return get_model_builder(name)(**config)


def get_model_weights(name: Any) -> Any:
    """The weights that the model of that name, or the function that makes it, has been published with."""
    build = get_model_builder(name) if isinstance(name, str) else name
    return WEIGHTS[build.__name__]
