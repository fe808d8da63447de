"""Where the elements of results stand in memory: PyTorch's operator database run with operands of several layouts, and the
strides of what comes out compared with PyTorch's: `python -m tests.engine.coverage.layouts [part of a name …]`."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import engine
from tests.engine.coverage import agreeing
from tests.engine.coverage.operators import (
    TOLERANCE,
    UNINITIALIZED,
    UntranslatableError,
    counterpart,
    difference,
    entries,
    plain,
    title,
    translate,
)

MOST = 3
"""Samples of an entry and a dtype."""


def in_order(x: torch.Tensor, order: tuple[int, ...]) -> torch.Tensor:
    """The same elements with the dimensions in memory in the given order, the outermost first."""
    back = [order.index(d) for d in range(x.ndim)]
    return x.permute(order).contiguous().permute(back)


def contiguous(x: torch.Tensor) -> torch.Tensor:
    """Row by row."""
    return x.contiguous()


def transposed(x: torch.Tensor) -> torch.Tensor:
    """The last two dimensions exchanged in memory."""
    return in_order(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)) if x.ndim > 1 else x


def channels_last(x: torch.Tensor) -> torch.Tensor:
    """The second dimension innermost."""
    return in_order(x, (0, *range(2, x.ndim), 1)) if x.ndim > 2 else x


def stepped(x: torch.Tensor) -> torch.Tensor:
    """With gaps: every second element of a row."""
    if not x.ndim:
        return x
    memory = x.new_zeros((*x.shape[:-1], 2 * x.shape[-1]))
    memory[..., ::2] = x
    return memory[..., ::2]


def expanded(x: torch.Tensor) -> torch.Tensor:
    """The first row again and again, without memory of its own."""
    return x[:1].contiguous().expand(x.shape) if x.ndim and x.shape[0] else x


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    f.__name__: f for f in (contiguous, transposed, channels_last, stepped, expanded)
}
FIRST = {"first": lambda x: channels_last(x) if x.ndim > 2 else transposed(x)}
"""What becomes of the first tensor alone, while the others are contiguous."""


def laid(value: Any, layout: Callable[[torch.Tensor], torch.Tensor], seen: list[bool], first: bool) -> Any:
    """A sample's value with its tensors laid out anew; whether that changed one is noted in `seen`."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or (first and seen):
            return value
        made = layout(value)
        seen.append(made.stride() != value.contiguous().stride())
        return made
    if isinstance(value, list | tuple) and not isinstance(value, torch.Size):
        return type(value)([laid(v, layout, seen, first) for v in value])
    if isinstance(value, dict):
        return {name: laid(v, layout, seen, first) for name, v in value.items()}
    return value


def facts(x: Any) -> dict[str, Any]:
    """What a program can ask of a tensor's layout."""
    if not x.numel():
        return {}
    module = torch if isinstance(x, torch.Tensor) else engine
    found: dict[str, Any] = {"contiguous": x.is_contiguous()}
    for name, dims in (("channels_last", 4), ("channels_last_3d", 5)):
        if x.dim() == dims:
            found[name] = x.is_contiguous(memory_format=getattr(module, name))
    try:
        x.detach().view(-1)
        found["view"] = True
    except RuntimeError:
        found["view"] = False
    found["stride"] = tuple([s for s, n in zip(x.stride(), x.shape, strict=True) if n != 1])
    found["stride of length 1"] = tuple(x.stride())
    return found


def exact(x: Any) -> Any:
    """A sample's value for the engine, with the strides that PyTorch has, of dimensions of length one, too."""
    made = translate(x, [])
    restride(made, x)
    return made


def restride(ours: Any, theirs: Any) -> None:
    """Lay the engine's tensors in nested arguments out as PyTorch's are."""
    if isinstance(theirs, torch.Tensor) and isinstance(ours, engine.Tensor):
        plain = theirs.detach().resolve_conj()
        n = plain.untyped_storage().nbytes() // plain.itemsize
        flat = plain.as_strided((n,), (1,), 0).numpy().copy()
        strides = [s * plain.itemsize for s in plain.stride()]
        ours._array = np.lib.stride_tricks.as_strided(flat[plain.storage_offset() :], plain.shape, strides)
    elif isinstance(theirs, list | tuple) and not isinstance(theirs, torch.Size):
        for a, b in zip(ours, theirs, strict=True):
            restride(a, b)
    elif isinstance(theirs, dict):
        for name, value in theirs.items():
            restride(ours[name], value)


def compare(info: Any, sample: Any, dtype: Any, layout: str) -> str | None:
    """What differs, "" if nothing; None where the sample says nothing about the layout.

    Raises:
        UntranslatableError: for what the engine does not have.
    """
    seen: list[bool] = []
    place = FIRST.get(layout) or LAYOUTS[layout]
    input, args, kwargs = laid((sample.input, tuple(sample.args), sample.kwargs), place, seen, layout in FIRST)
    if layout != "contiguous" and not any(seen):
        return None
    arguments = exact((input, args, kwargs))
    torch.manual_seed(0)
    engine.manual_seed(0)
    try:
        theirs = list(plain(info.op(input, *args, **kwargs)))
    except Exception:
        return None
    try:
        ours = list(plain(counterpart(info)(arguments[0], *arguments[1], **arguments[2])))
    except Exception as error:
        return f"error: {type(error).__name__}: {error}"
    if len(ours) != len(theirs):
        return "values: number of results"
    for a, b in zip(ours, theirs, strict=True):
        if not isinstance(b, torch.Tensor) or b.layout != torch.strided:
            continue
        if wrong := difference(a, b, float("inf") if info.name in UNINITIALIZED else 10 * TOLERANCE[dtype]):
            return f"values: {wrong}"
        mine, yours = facts(a), facts(b)
        for fact, value in yours.items():
            if mine[fact] != value:
                return f"{fact}: {mine[fact]} instead of {value} (strides {a.stride()}, {b.stride()}; shape {tuple(b.shape)})"
    return ""


@dataclass
class Outcome:
    """How one operator fares with each layout: what differs first."""

    name: str
    tried: set[str] = field(default_factory=set)
    trouble: dict[str, str] = field(default_factory=dict)


def run(info: Any, dtypes: tuple[Any, ...] = (torch.float32,), most: int = MOST) -> Outcome:
    """Run an operator's samples with operands of every layout."""
    outcome = Outcome(title(info))
    with warnings.catch_warnings(), np.errstate(all="ignore"), torch.no_grad():
        warnings.simplefilter("ignore")
        for dtype, layout in itertools.product(dtypes, (*LAYOUTS, *FIRST)):
            if dtype not in info.dtypes or layout in outcome.trouble:
                continue
            for sample in itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), most):
                try:
                    wrong = compare(info, sample, dtype, layout)
                except UntranslatableError:
                    continue
                if wrong is not None:
                    outcome.tried.add(layout)
                if wrong:
                    outcome.trouble[layout] = f"{wrong} [{sample.summary()[:200]}]"
                    break
    return outcome


def outcomes(names: list[str]) -> Iterator[Outcome]:
    """The operators that agree in their values, or those named."""
    listed = set(agreeing("operators"))
    for info in entries():
        if title(info) in listed and (not names or any(n in title(info) for n in names)):
            yield run(info)


if __name__ == "__main__":
    kinds: Counter[tuple[str, str]] = Counter()
    pairs = 0
    for found in outcomes(sys.argv[1:]):
        pairs += len(found.tried)
        for layout, wrong in found.trouble.items():
            kinds[wrong.split(":")[0], layout] += 1
            print(f"{found.name:40} {layout:14} {wrong}", flush=True)
    print(f"--- {sum(kinds.values())} of {pairs} pairs of operator and layout differ")
    for (kind, layout), count in sorted(kinds.items()):
        print(f"    {kind:20} {layout:14} {count}")
