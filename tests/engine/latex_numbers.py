r"""Evaluates the LaTeX of formulas: enough of it to see whether what a formula says is what the engine computed."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+\.?\d*|[A-Za-z]\w*|\S")
FUNCTIONS: dict[str, Any] = {
    r"\sin": np.sin,
    r"\cos": np.cos,
    r"\tan": np.tan,
    r"\sinh": np.sinh,
    r"\cosh": np.cosh,
    r"\tanh": np.tanh,
    r"\ln": np.log,
    r"\sqrt": np.sqrt,
    r"\sigma": lambda x: 1 / (1 + np.exp(-x)),
    "sign": np.sign,
    "sgn": np.sign,
    "isfinite": np.isfinite,
    "where": np.where,
    "clamp": np.clip,
    "trunc": np.trunc,
    "softplus": lambda x: np.logaddexp(x, 0),
    "numel": np.size,
}
COMPARISONS = {
    "=": np.equal,
    "<": np.less,
    ">": np.greater,
    r"\le": np.less_equal,
    r"\ge": np.greater_equal,
    r"\ne": np.not_equal,
}
SPACES = (r"\left", r"\right", r"\,", r"\ ")


class Unknown(Exception):
    """LaTeX that is not understood here."""


def evaluate(latex: str, values: dict[str, Any] | None = None) -> Any:
    """The value of an expression."""
    reader = _Reader(latex, values or {})
    value = reader.sum()
    if reader.tokens:
        raise Unknown(f"{reader.tokens[0]!r} in {latex}")
    return value


class _Reader:
    def __init__(self, latex: str, values: dict[str, Any]) -> None:
        self.tokens = [t for t in TOKEN.findall(latex) if t not in SPACES]
        self.values = values

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, wanted: str = "") -> str:
        if not self.tokens or (wanted and self.tokens[0] != wanted):
            raise Unknown(f"{self.peek()!r} instead of {wanted!r}")
        return self.tokens.pop(0)

    def sum(self) -> Any:
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        if self.peek() in COMPARISONS:
            value = COMPARISONS[self.take()](value, self.sum())
        while self.peek() in (r"\land", r"\lor"):
            value = np.logical_and(value, self.sum()) if self.take() == r"\land" else np.logical_or(value, self.sum())
        return value

    def product(self) -> Any:
        if self.peek() == "-":
            self.take()
            return -self.product()
        value = self.power()
        while True:
            if self.peek() in (r"\cdot", "/"):
                value = value * self.power() if self.take() == r"\cdot" else value / self.power()
            elif self.peek() and self.peek() not in (
                *COMPARISONS,
                "+",
                "-",
                ")",
                "]",
                "}",
                ",",
                r"\land",
                r"\lor",
                r"\rfloor",
                "|",
            ):
                value = value * self.power()
            else:
                return value

    def power(self) -> Any:
        value = self.atom()
        while self.peek() == "^":
            self.take()
            value = value ** (self.group() if self.peek() == "{" else float(self.take()))
        return value

    def group(self, opening: str = "{", closing: str = "}") -> Any:
        self.take(opening)
        value = self.sum()
        self.take(closing)
        return value

    def atom(self) -> Any:
        token = self.take()
        if token in ("(", "["):
            value = self.sum()
            self.take(")" if token == "(" else "]")
            return value * 1.0 if token == "[" else value
        if token == "|":
            value = abs(self.sum())
            self.take("|")
            return value
        if token == r"\lfloor":
            value = np.floor(self.sum())
            self.take(r"\rfloor")
            return value
        if token == r"\frac":
            top = self.group()
            return top / self.group()
        if token == r"\mathrm":
            self.take("{")
            name = self.take()
            self.take("}")
            if name == "NaN":
                return math.nan
            return self.call(name)
        if token in FUNCTIONS:
            return self.call(token)
        if token == r"\pi":
            return math.pi
        if token == "e" and token not in self.values:
            return math.e
        if token[0].isdigit():
            return float(token)
        if token in self.values:
            return self.values[token]
        raise Unknown(f"{token!r}")

    def call(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise Unknown(name)
        function = FUNCTIONS[name]
        if self.peek() == "{":
            return function(self.group())
        if self.peek() != "(":
            return function(self.power())
        self.take("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.take(")")
        return function(*arguments)
