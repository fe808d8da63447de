"""Attributes of tensors that are types of their own: `torch.Size` and `torch.device`."""

from __future__ import annotations

from typing import Any


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

    def __init__(self, name: Any = "cpu", index: int | None = None) -> None:
        kind, _, number = str(name).partition(":")
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
        return self

    def __exit__(self, *_: object) -> None:
        pass


# What a program sees when it prints a type.
Size.__module__ = "torch"
