"""Which kinds of arguments PyTorch's functions take, asked of PyTorch by giving it what it refuses.

`python -m tests.engine.compat.argument_kinds` writes `engine/compat/arguments.txt` anew, with the PyTorch that is installed.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engine.compat
from engine.ops import namespace
from engine.ops.calling import declared_as

FILE = Path(engine.compat.__file__).with_name("arguments.txt")
OWNERS = ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft")
MUST = re.compile(r"(?:(\w+)\(\): )?argument '(\w+)'(?: \(position (\d+)\))? must be (.+?), not Probe_(\w+)")
LACKS = re.compile(r"'Probe_(\w+)' object has no attribute '(\w+)'")
OVERLOADED = re.compile(
    r"(\w+)\(\) received an invalid combination of arguments - got .*?, but expected one of:\n(.*)", re.DOTALL
)
MOST = 40
"""Arguments of one function."""


@dataclass(frozen=True)
class Parameter:
    """How one is given: "positional", "named" or "rest"."""

    name: str
    how: str
    needed: bool


def lines() -> Iterator[str]:
    """The file's."""
    import torch

    modules = {"torch": torch, "torch.Tensor": torch.Tensor, "torch.nn.functional": torch.nn.functional}
    for owner in OWNERS:
        module: Any = modules.get(owner) or getattr(torch, owner.removeprefix("torch."))
        yield f"[{owner}]"
        for name, ours in sorted(namespace(owner).items()):
            theirs = getattr(module, name, None)
            if "storage" in name:
                continue  # PyTorch warns of them once in a process
            if callable(theirs) and (said := " ".join(_facts(owner, name, ours, theirs))):
                yield f"{name} {said}"


def _facts(owner: str, name: str, ours: Callable[..., Any], theirs: Any) -> list[str]:
    try:
        own = inspect.signature(theirs)  # it is written in Python
    except (TypeError, ValueError):
        own = None
    try:
        signature = own or inspect.signature(declared_as(ours), follow_wrapped=False)
    except (TypeError, ValueError):
        return []
    how = {inspect.Parameter.KEYWORD_ONLY: "named", inspect.Parameter.VAR_POSITIONAL: "rest"}
    parameters = [
        Parameter(p.name, how.get(p.kind, "positional"), p.default is p.empty and p.kind is not p.KEYWORD_ONLY)
        for p in signature.parameters.values()
        if p.kind is not p.VAR_KEYWORD and p.name not in ("out", "generator", "_stacklevel")
    ]
    parameters = [
        each
        for k, p in enumerate(parameters)
        for each in (_numbered(theirs, p, k, method=owner == "torch.Tensor") if p.how == "rest" else [p])
    ]
    method = owner == "torch.Tensor"
    if own is None and (signatures := _overloads(theirs, len(parameters), method)):
        return signatures
    found = _probed(name, theirs, parameters if own is None else [p for p in parameters if p.needed], {}, method)
    if own is not None:
        said = {fact.partition(":")[0]: fact for fact in found}
        known = {p.name: _value(said.get(p.name, ":Tensor")) for p in parameters if p.needed}
        for parameter in parameters:
            if not parameter.needed and parameter.how == "positional":
                found += _probed(name, theirs, [Parameter(parameter.name, "named", False)], known, method)
    return found


def _numbered(function: Callable[..., Any], rest: Parameter, before: int, *, method: bool) -> list[Parameter]:
    """What stands for any number of arguments in our function, as one parameter for each that PyTorch's function takes; one for
    all, where that takes any number, too."""
    import torch

    first = [torch.ones(2, 2) if method and not k else object() for k in range(before)]
    count = 1
    while count < MOST and "positional argument" not in _refusal(function, [*first, *[object()] * (count + 1)], {}):
        count += 1
    if count in (1, MOST):
        return [Parameter(rest.name, "rest", True)]
    return [Parameter(f"{rest.name}_{k}", "rest", True) for k in range(count)]


def _overloads(function: Callable[..., Any], most: int, method: bool) -> list[str]:
    """A function's name and signatures, where it has several; PyTorch lists them where a number of arguments fits more than
    one."""
    import torch

    for count in range(most + 1):
        positional = [type("Probe", (), {})() for _ in range(count)]
        found = OVERLOADED.search(_refusal(function, [torch.ones(2, 2), *positional] if method else positional, {}))
        if found:
            return [f"({found[1]})", *[f"({each})" for each in re.findall(r"^ \* \((.*)\)$", found[2], re.MULTILINE)]]
    return []


def _probed(
    name: str, function: Callable[..., Any], parameters: Sequence[Parameter], known: dict[str, Any], method: bool
) -> list[str]:
    """What is said of parameters: each is given something that PyTorch refuses, until it says what it wants there."""
    import torch

    given: dict[str, Any] = {p.name: type(f"Probe_{p.name}", (), {})() for p in parameters}
    if method:
        given[parameters[0].name] = torch.ones(2, 2)
    facts: dict[str, str] = {}
    for _ in range(MOST):
        positional = [given[p.name] for p in parameters if p.how != "named"]
        named = known | {p.name: given[p.name] for p in parameters if p.how == "named"}
        said = _refusal(function, positional, named)
        must, lacks = MUST.search(said), LACKS.search(said)
        if lacks and lacks[1] in given and lacks[1] not in facts:
            facts[lacks[1]] = f"{lacks[1]}:.{lacks[2]}"
            break
        if not must or must[5] not in given or must[5] in facts:
            break
        function_name, argument, place, kind, parameter = must.groups()
        kind = kind.replace(" ", "_")
        values = _values()

        def refuses(value: Any, parameter: str = parameter, argument: str = argument) -> bool:
            tried = given | {parameter: value}
            named = known | {p.name: tried[p.name] for p in parameters if p.how == "named"}
            told = _refusal(function, [tried[p.name] for p in parameters if p.how != "named"], named)
            return f"'{argument}'" in told and f"not {type(value).__name__}" in told

        for wanted, number, more in (("tuple_of_ints", 1, "_or_int"), ("Tensor", 1.5, "_or_Number")):
            if kind == wanted and not refuses(number):
                kind += more
        takes = kind
        kind += "" if refuses(None) else "?"
        facts[parameter] = f"{parameter}:{function_name or name}.{argument}:{place or ''}:{kind}"
        if takes not in values:
            break
        given[parameter] = values[takes]
    return list(facts.values())


def _refusal(function: Callable[..., Any], positional: Sequence[Any], named: dict[str, Any]) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*positional, **named)
    except Exception as error:
        return str(error)
    return ""


def _values() -> dict[str, Any]:
    import torch

    return {
        "Tensor": torch.ones(2, 2), "Tensor_or_Number": torch.ones(2, 2),
        "int": 1, "float": 0.5, "Number": 1, "bool": True, "str": "mean", "tuple_of_ints": (1, 1),
        "tuple_of_ints_or_int": 1, "tuple_of_Tensors": [torch.ones(2, 2)], "torch.dtype": torch.float32,
        "tuple_of_floats": (1.0, 1.0),
    }  # fmt: skip


def _value(fact: str) -> Any:
    kind = fact.rpartition(":")[2].removesuffix("?")
    return _values().get("Tensor" if kind.startswith(".") else kind)


if __name__ == "__main__":
    FILE.write_text("\n".join([*lines(), ""]), encoding="utf-8")
