"""Modules that are one function of `torch.nn.functional` and the settings it is called with."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any, ClassVar

from ..safe_attributes import read, take_over
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from .module import Module

_FUNCTIONS = {name: getattr(F, name) for name in F.__all__}


class Wrapped(Module):
    """A module that calls one function with its settings, which are attributes of the names of the function's parameters.

    A subclass names the function (`calls`), how it prints (`shows`, a format of its attributes) and whether the function
    wants to know if the module is training (`trains`).
    """

    _calls: ClassVar[str] = ""
    _shows: ClassVar[str] = ""
    _trains: ClassVar[bool] = False
    _settings: tuple[str, ...] = ()

    def __init_subclass__(cls, calls: str | None = None, shows: str | None = None, trains: bool | None = None) -> None:
        for name, said in (("_calls", calls), ("_shows", shows), ("_trains", trains)):
            if said is not None:
                setattr(cls, name, said)

    def _set_up(self, **settings: Any) -> None:
        """Begin as a module, and keep the settings; what a subclass with any does in `__init__`."""
        Module.__init__(self)
        self._settings = tuple(settings)
        for name, value in settings.items():
            setattr(self, name, value)

    def _pickled(self) -> dict[str, Any]:
        """The attributes without the list of them, which PyTorch's has not."""
        return {name: value for name, value in super()._pickled().items() if name != "_settings"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        take_over(self, state)
        if "_settings" not in state:
            function = self._function()
            known = {} if function is None else signature(function).parameters
            # Weights and distances stand among buffers and modules.
            given = [*state, *state.get("_buffers", ()), *state.get("_modules", ())]
            self._settings = tuple(n for n in given if n == "inplace" or (n in known and n != "training"))

    def _function(self) -> Any:
        """What it calls, or None where there is none of that name; a text of another class could say so of itself."""
        return _FUNCTIONS.get(self._calls) if type(self._calls) is str else None

    def forward(self, input: Tensor) -> Any:
        """The function of the input."""
        return self._call(input)

    def _call(self, *inputs: Any, **named: Any) -> Any:
        """The function of the inputs, with the settings."""
        function = self._function()
        if function is None:
            raise AttributeError(f"'{self._calls}' is no function of torch.nn.functional")
        for name in self._settings:
            value = getattr(self, name)
            if name != "inplace" or value:
                named[name] = value
        if self._trains:
            named["training"] = self.training
        return function(*inputs, **named)

    def extra_repr(self) -> str:
        """The settings.

        Raises:
            ValueError: for a format that looks into the attributes, which a subclass has no business to do.
        """
        if type(self._shows) is not str or "." in self._shows or "[" in self._shows:
            raise ValueError("shows names attributes only")
        return self._shows.format_map(_Attributes(self))


class _Attributes(dict[str, Any]):
    """What a format of a module's attributes reads; `{, inplace=True}` stands there if the module works in place."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def __missing__(self, name: str) -> Any:
        if name.endswith("inplace=True"):
            return name if self.module.inplace else ""
        return read(self.module, name)


def as_tuple(value: Any, n: int) -> tuple[Any, ...]:
    """`value` for each of `n` dimensions, or the values given for them."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,) * n
