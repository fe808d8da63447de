"""Modules in sequence: Sequential and ModuleList."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import Any, Self

from ..safe_attributes import delete, write
from .module import Module, indented


class _Numbered(Module):
    """What containers of modules named "0", "1", … have in common."""

    def _key(self, index: Any) -> str:
        """The name of the module at `index`."""
        n, i = len(self._modules), operator.index(index)
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of range")
        return list(self._modules)[i]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        write(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delete(self, key)
        self._modules = {str(i): module for i, module in enumerate(self._modules.values())}

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def _insert(self, index: int, module: Module) -> None:
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take out the module, or modules, at `key`."""
        taken = self[key]
        del self[key]
        return taken

    def __getitem__(self, index: int | slice) -> Any:
        return self._modules[self._key(index)]


class Sequential(_Numbered):
    """Modules one after the other, each given the output of the one before.

    `Sequential(a, b)`, or `Sequential(OrderedDict(first=a, second=b))` for names.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(str(name), module)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return super().__getitem__(index)

    def forward(self, input: Any) -> Any:
        """The output of the last module."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + n if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(list(other))

    def _times(self, other: Any) -> int:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*list(self) * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        return self.extend(list(self) * (self._times(other) - 1))


class ModuleList(_Numbered):
    """A list of modules that are registered; it is not called itself."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])  # type: ignore[arg-type]
        return super().__getitem__(index)

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        self._insert(index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for i, module in enumerate(modules, len(self)):
            self.add_module(str(i), module)
        return self

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        """Modules that print alike, one after the other, stand in one line."""
        if not self._modules:
            return f"{self._get_name()}()"
        lines = []
        for text, same in groupby(enumerate(map(repr, self)), key=lambda pair: pair[1]):
            numbers = [i for i, _ in same]
            first, last, n = numbers[0], numbers[-1], len(numbers)
            lines.append(indented(f"({first}): {text}" if n == 1 else f"({first}-{last}): {n} x {text}"))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"
