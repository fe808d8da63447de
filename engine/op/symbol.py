r"""What a rule is read on instead of arrays: values of which only the LaTeX is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .latex import ATOM, NEGATIVE, POWER, PRODUCT, SUM


class Unreadable(Exception):
    """A rule did what symbols cannot."""


class Reader(Protocol):
    """What reads a rule and makes symbols of it."""

    def symbol(self, value: Any) -> Symbol:
        """A value as a symbol; Unreadable if it is none."""

    def decide(self, name: str, sign: str, text: str) -> bool:
        """The outcome of a comparison with a plain value that is not known yet."""

    def worked(self) -> None:
        """Count a piece of work; Unreadable if it was too much."""


PLACEHOLDER = re.compile("\x02(\\w+)\x03")


def placeholder(name: str) -> str:
    """A saved name inside LaTeX under construction, where single braces are LaTeX's own."""
    return f"\x02{name}\x03"


class Symbol:
    """A value of which only the LaTeX is known."""

    __slots__ = ("elementwise", "latex", "level", "plain", "reader")

    __array_ufunc__ = None

    def __init__(self, reader: Reader, latex: str, level: int = ATOM, *, plain: str = "", elementwise: bool = True) -> None:
        reader.worked()
        self.reader, self.latex, self.level, self.plain, self.elementwise = reader, latex, level, plain, elementwise

    def at_least(self, level: int) -> str:
        """The LaTeX, in parentheses unless it holds together as tightly."""
        return self.latex if self.level >= level else rf"\left({self.latex}\right)"

    def _with(self, other: Any, latex: Callable[[Symbol, Symbol], str], level: int, swapped: bool = False) -> Symbol:
        b = self.reader.symbol(other)
        first, second = (b, self) if swapped else (self, b)
        made = latex(first, second)
        if level == PRODUCT and first.level == NEGATIVE and not made.startswith(r"\frac"):
            level = NEGATIVE
        return Symbol(self.reader, made, level, elementwise=self.elementwise and b.elementwise)

    def __add__(self, other: Any, swapped: bool = False) -> Symbol:
        return self._with(other, lambda a, b: f"{a.latex} + {b.at_least(PRODUCT)}", SUM, swapped)

    def __sub__(self, other: Any, swapped: bool = False) -> Symbol:
        return self._with(other, lambda a, b: f"{a.latex} - {b.at_least(PRODUCT)}", SUM, swapped)

    def __mul__(self, other: Any, swapped: bool = False) -> Symbol:
        b = self.reader.symbol(other)
        if b.latex == self.latex and self.level == ATOM:
            return Symbol(self.reader, f"{self.latex}^2", POWER, elementwise=self.elementwise)
        if self.latex == f"{b.latex}^2" and b.level == ATOM:
            return Symbol(self.reader, f"{b.latex}^3", POWER, elementwise=self.elementwise)
        return self._with(b, lambda x, y: rf"{x.at_least(NEGATIVE)} \cdot {y.at_least(PRODUCT)}", PRODUCT, swapped)

    def __truediv__(self, other: Any, swapped: bool = False) -> Symbol:
        return self._with(other, lambda a, b: rf"\frac{{{a.latex}}}{{{b.latex}}}", PRODUCT, swapped)

    def __pow__(self, other: Any, swapped: bool = False) -> Symbol:
        return self._with(other, lambda a, b: f"{a.at_least(ATOM)}^{{{b.latex}}}", POWER, swapped)

    def __matmul__(self, other: Any, swapped: bool = False) -> Symbol:
        made = self._with(other, lambda a, b: f"{a.at_least(PRODUCT)} {b.at_least(PRODUCT)}", PRODUCT, swapped)
        made.elementwise = False
        return made

    def __radd__(self, other: Any) -> Symbol:
        return self.__add__(other, True)

    def __rsub__(self, other: Any) -> Symbol:
        return self.__sub__(other, True)

    def __rmul__(self, other: Any) -> Symbol:
        return self.__mul__(other, True)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self.__truediv__(other, True)

    def __rpow__(self, other: Any) -> Symbol:
        return self.__pow__(other, True)

    def __rmatmul__(self, other: Any) -> Symbol:
        return self.__matmul__(other, True)

    def __neg__(self) -> Symbol:
        return Symbol(self.reader, f"-{self.at_least(PRODUCT)}", NEGATIVE, elementwise=self.elementwise)

    def _compared(self, other: Any, sign: str, latex: str) -> Any:
        if self.plain and isinstance(other, str | bool | int | float):
            return self.reader.decide(self.plain, sign, str(other))
        if other is None:
            return False
        made = self._with(other, lambda a, b: rf"\left[{a.latex} {latex} {b.latex}\right]", ATOM)
        return made

    def __eq__(self, other: object) -> Any:
        return self._compared(other, "==", "=")

    def __ne__(self, other: object) -> Any:
        return self._compared(other, "!=", r"\ne")

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, "<", "<")

    def __le__(self, other: Any) -> Any:
        return self._compared(other, "<=", r"\le")

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, ">", ">")

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, ">=", r"\ge")

    def __and__(self, other: Any) -> Symbol:
        return self._with(other, lambda a, b: rf"{a.at_least(ATOM)} \land {b.at_least(ATOM)}", SUM)

    def __or__(self, other: Any) -> Symbol:
        return self._with(other, lambda a, b: rf"{a.at_least(ATOM)} \lor {b.at_least(ATOM)}", SUM)

    def __invert__(self) -> Symbol:
        return Symbol(self.reader, rf"\lnot {self.at_least(ATOM)}", PRODUCT, elementwise=self.elementwise)

    def __abs__(self) -> Symbol:
        return Symbol(self.reader, rf"\left|{self.latex}\right|", elementwise=self.elementwise)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        if self.plain:
            return self.reader.decide(self.plain, "true", "")
        raise Unreadable

    def __getattr__(self, name: str) -> Any:
        if name in ("ndim", "shape", "size"):
            return Symbol(self.reader, rf"\mathrm{{{name}}}")
        raise Unreadable

    def __iter__(self) -> Iterator[Any]:
        raise Unreadable

    def __len__(self) -> int:
        raise Unreadable

    def __getitem__(self, index: Any) -> Any:
        raise Unreadable


class Several:
    """The gradients of several outputs."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def __getitem__(self, index: int) -> Symbol:
        return Symbol(self.reader, placeholder(f"grad_{index}"))


class Mathematics:
    """The module `math` on symbols and numbers: constants and roots stay what they are."""

    def __init__(self, reader: Reader) -> None:
        self.pi = Symbol(reader, r"\pi")
        self.e = Symbol(reader, "e")
        self.nan = Symbol(reader, r"\mathrm{NaN}")
        self.inf = Symbol(reader, r"\infty")
        self._reader = reader

    def sqrt(self, value: Any) -> Symbol:
        """Square root."""
        return Symbol(self._reader, rf"\sqrt{{{self._reader.symbol(value).latex}}}")

    def log(self, value: Any) -> Symbol:
        """Natural logarithm."""
        return Symbol(self._reader, rf"\ln {self._reader.symbol(value).at_least(ATOM)}", PRODUCT)

    def __getattr__(self, name: str) -> Any:
        raise Unreadable


class Forbidden:
    """A module that means nothing on symbols."""

    def __getattr__(self, name: str) -> Any:
        raise Unreadable
