"""Attributes of tensors that are types of their own: `torch.Size` and `torch.device`."""

from __future__ import annotations

from typing import Any

from .dtypes import sealed


class Size(tuple[int, ...]):
    """A shape; prints as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        n = 1
        for d in self:
            n *= d
        return n

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item


DEVICES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan",
    "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device:  # noqa: N801
    """Where tensors live: always the CPU; other devices can be named and not be used."""

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if type.__class__ is int:
            type, index = "cuda", type
        kind, _, number = str(type).partition(":")
        if kind not in DEVICES:
            raise RuntimeError(f"Expected one of {', '.join(DEVICES)} device type at start of device string: {kind}")
        self.type: str = kind
        self.index = int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __enter__(self) -> device:
        _defaults.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _defaults.pop()


_defaults: list[device] = [device()]
"""Where tensors are made of which nothing else is said: as `set_default_device` says, and within blocks `with device:`."""


def default_device() -> device:
    """Where tensors are made of which nothing else is said."""
    return _defaults[-1]


def set_default_device(device: Any) -> None:
    """Set where tensors are made of which nothing else is said; None for the CPU. One that is not there is refused later."""
    _defaults[0] = as_device(device)


def as_device(named: Any) -> device:
    """A device by its name, or itself; None stands for the CPU."""
    return named if isinstance(named, device) else device("cpu" if named is None else named)


class layout:  # noqa: N801
    """How a tensor's elements stand in memory: `torch.strided`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return _format, (self._name,)


class memory_format(layout):  # noqa: N801
    """The order of the dimensions in memory, which programs may ask for: `torch.channels_last`."""


strided, sparse_coo = layout("strided"), layout("sparse_coo")
contiguous_format, preserve_format, channels_last, channels_last_3d = map(
    memory_format, ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
)


def _format(name: str) -> layout:
    """The layout or memory format of that name."""
    found: layout = globals()[name]
    return found


sealed(Size, device)
sealed(layout, memory_format, made=False)
# What a program sees when it prints a type.
for _kind in (Size, device, layout, memory_format):
    _kind.__module__ = "torch"
