"""PyTorch's operator database of wrong inputs run on the engine: the exception's type and its message's first line."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import engine
from tests.engine.coverage import operators
from tests.engine.coverage.operators import UntranslatableError, counterpart, title, translate

SCOPE = re.compile(r"complex|sparse|cuda|named tensor|\bout\b", re.IGNORECASE)
"""Inputs that are about what is out of scope."""
NAMES = re.compile(r"fft\.|complex$|polar$|jiterator|sparse")
"""Entries that are."""


@dataclass
class Outcome:
    """How one operator's wrong inputs fared."""

    name: str
    agree: int = 0
    matched: int = 0
    """Inputs whose exception has the right type and a message the database's pattern is found in."""
    total: int = 0
    trouble: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every input that could be translated agrees, and there was one."""
        return self.agree == self.total and self.total > 0


def entries() -> list[Any]:
    """The entries that have wrong inputs."""
    return [info for info in operators.entries() if info.error_inputs_func is not None and not NAMES.match(info.name)]


def raised(call: Any, sample: Any) -> Exception | None:
    """What a call raises, None where it goes through."""
    torch.manual_seed(0)
    engine.manual_seed(0)
    try:
        call(*sample)
    except Exception as error:
        return error
    return None


def kind(error: Exception) -> type[Exception]:
    """The built-in type users catch: LinAlgError, or the first built-in class of the exception's."""
    for cls in type(error).__mro__:
        if cls.__name__ == "LinAlgError" or cls.__module__ == "builtins":
            return LinAlgError if cls.__name__ in ("LinAlgError", "_LinAlgError") else cls
    return type(error)


class LinAlgError(RuntimeError):
    """Stands for both PyTorch's and the engine's."""


def first_line(error: Exception) -> str:
    """The first line of the message."""
    return str(error).split("\n")[0].strip()


def run(info: Any) -> Outcome:
    """Run an operator's wrong inputs both ways."""
    outcome = Outcome(title(info))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for wrong in info.error_inputs("cpu"):
            sample = wrong.sample_input
            theirs = raised(lambda x, a, k: info.op(x, *a, **k), (sample.input, sample.args, sample.kwargs))
            if theirs is None or SCOPE.search(str(theirs).split("\n")[0]):
                continue
            try:
                arguments = translate((sample.input, sample.args, sample.kwargs), [])
            except (UntranslatableError, TypeError, ValueError):
                continue
            if "out" in sample.kwargs:
                continue
            outcome.total += 1
            try:
                call = counterpart(info)
            except Exception as error:
                outcome.trouble.append(f"{error} instead of {kind(theirs).__name__}: {first_line(theirs)}")
                continue
            ours = raised(lambda x, a, k, call=call: call(x, *a, **k), arguments)
            same_kind = ours is not None and kind(ours) is kind(theirs)
            if same_kind and re.search(wrong.error_regex, str(ours)):
                outcome.matched += 1
            if same_kind and first_line(ours) == first_line(theirs):  # type: ignore[arg-type]
                outcome.agree += 1
                continue
            found = "no exception" if ours is None else f"{kind(ours).__name__}: {first_line(ours)}"
            outcome.trouble.append(
                f"{found}\n        not {kind(theirs).__name__}: {first_line(theirs)} [{sample.summary()[:200]}]"
            )
    return outcome
