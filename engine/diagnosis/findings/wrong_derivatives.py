"""A rule about what the numerical check has found of Functions with a backward of their own (`gradcheck.functions`)."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.numbers import number
from ...recording.events import NOTHING, NodeRan, OpRan
from ...recording.index import Pass
from ..custom_functions import Custom, changes_in_place, deliberate, functions_of, is_custom
from ..gradcheck.check_result import BAD, Check, Checked, Part
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sampling import leaves_of

WRONG_BACKWARD = Kind("wrong_backward", "error", "A custom backward is not the derivative of its forward, as differences show.")

_NOTHING = 1e-9
"""Up to here a difference is none."""
_LEAVES = 16
"""Leaves that are named among what a finding is about."""


class Wrong(NamedTuple):
    """An input of a custom Function by which its backward is wrong."""

    maker: OpRan
    entry: Pass
    part: Part
    tensor: int
    name: str
    """What `forward` calls it."""
    compared: list[Checked]
    bad: list[Checked]
    moving: list[Checked]
    """Those of the wrong ones at which forward is not constant."""


@rule(58, WRONG_BACKWARD, everywhere=True)
def wrong_backward(run: Run) -> Iterator[Finding]:
    """Differences of a custom forward say something else than its backward."""
    functions = functions_of(paths_of(run.recording)) if run.recording.checks else {}
    found: dict[str, dict[int, Wrong]] = {}
    for number_of, check in sorted(run.recording.checks.items()):
        entry = run.index.passes.get(number_of)
        if not isinstance(check, Check) or entry is None:
            continue
        for part in check.edges:
            history = run.nodes.get(int(part.key[1:])) if part.key[:1] == "n" else None
            maker = history.event if history is not None else None
            if not isinstance(maker, OpRan) or not is_custom(maker) or maker.op not in functions or part.verdict != BAD:
                continue
            told_elsewhere = _kept_changed(run, maker, entry) or changes_in_place(functions[maker.op].backward) is not None
            if not deliberate(run, maker) and not told_elsewhere:
                wrong = _wrong(run, maker, entry, part)
                if wrong is not None:
                    found.setdefault(maker.op, {}).setdefault(part.edge, wrong)
    for name, by_edge in found.items():
        yield _finding(run, functions[name], sorted(by_edge.values(), key=lambda one: not one.moving))


def _wrong(run: Run, maker: OpRan, entry: Pass, part: Part) -> Wrong | None:
    compared = [one for one in part.checked if not one.all] or list(part.checked)
    bad = [one for one in compared if one.verdict == BAD]
    moving = [one for one in bad if abs(one.numeric) > _NOTHING]
    if not bad or all(abs(one.numeric) <= _NOTHING for one in compared):
        return None  # a forward that is constant between jumps: what comes back is a stand-in
    tensors = run.inputs(maker)
    tensor = tensors[part.edge] if part.edge < len(tensors) else NOTHING
    name = next((a.name for a in maker.inputs if a.tensor == tensor and tensor != NOTHING), part.title)
    return Wrong(maker, entry, part, tensor, name, compared, bad, moving)


def _kept_changed(run: Run, maker: OpRan, entry: Pass) -> bool:
    """Whether an input was changed between forward and backward: `tensor_on_ctx` says that."""
    if maker.node is None:
        return True
    born, ran = run.nodes[maker.node.id].born, entry.ran_at.get(maker.node.id, NOTHING)
    return any(born < step < ran for tensor in run.inputs(maker) for step in run.writes.get(tensor, ()))


def _finding(run: Run, custom: Custom, wrongs: list[Wrong]) -> Finding:
    maker, entry, _, tensor, name, compared, bad, moving = wrongs[0]
    assert maker.node is not None
    worst = max(moving or bad, key=lambda one: abs(one.analytic - one.numeric))
    at = f"{name}{list(worst.element) if worst.element else ''}"
    where = run.nodes[maker.node.id].born
    given = _value(run, tensor, worst, where)
    others = [one.name for one in wrongs[1:] if bool(one.moving) == bool(moving)]
    said = [
        _pattern(run, custom, maker, entry, moving),
        f"{len(bad)} of the {len(compared)} entries of {name} that were compared differ.",
        f"It is wrong by {' and '.join(others)} as well." if others else "",
        "The differences were taken in float64, with the program run again.",
    ]
    numbers = f"it gives {number(worst.analytic)} for {at}, and differences of forward give {number(worst.numeric)}."
    return finding(
        run, WRONG_BACKWARD,
        f"backward of {custom.name} is wrong: {numbers}" if moving else
        f"backward of {custom.name} lets a gradient through where forward is constant: {numbers}",
        " ".join(filter(None, said)),
        f"Derive forward once more: backward must return the gradient that it is given times the derivative by {name}."
        if moving else
        f"The derivative is 0 there: set the gradient by {name} to 0, unless it is meant to go through.",
        step=entry.ran_at.get(maker.node.id, where), site=custom.site(custom.returns(custom.backward)),
        related=[custom.site(custom.returns(custom.forward)), run.site(where)],
        evidence=[
            ("entry", f"{at} = {given}" if given else at),
            ("backward gives", number(worst.analytic)),
            ("differences give", number(worst.numeric)),
            ("entries that differ", f"{len(bad)} of {len(compared)}"),
        ],
        nodes=[
            *([key(tensor)] if tensor != NOTHING else []), f"n{maker.node.id}", *(key(i.id) for i in maker.outputs),
            *(key(leaf) for leaf in leaves_of(run, [one.tensor for one in wrongs if one.tensor != NOTHING])[:_LEAVES]),
        ],
        severity="" if moving else "hint",
    )  # fmt: skip


def _value(run: Run, tensor: int, worst: Checked, step: int) -> str:
    values = run.values(tensor, step - 1) if tensor != NOTHING else None
    if values is None or len(worst.element) != values.ndim:
        return ""
    return number(values[worst.element].item())


def _pattern(run: Run, custom: Custom, maker: OpRan, entry: Pass, bad: list[Checked]) -> str:
    """What all wrong entries have in common, if that tells what is wrong."""
    ratios = [one.numeric / one.analytic for one in bad if abs(one.analytic) > _NOTHING]
    if len(ratios) < len(bad) or not ratios or not all(map(math.isfinite, ratios)):
        return ""
    first = custom.backward.args.args[1].arg if len(custom.backward.args.args) > 1 else "the gradient that it is given"
    received = _received(run, maker, entry)
    if received is not None:
        with_element = [(one, ratio) for one, ratio in zip(bad, ratios, strict=True) if len(one.element) == received.ndim]
        inside = [(one, ratio) for one, ratio in with_element
                  if all(i < n for i, n in zip(one.element, received.shape, strict=True))]  # fmt: skip
        if inside and len(inside) == len(bad) and all(np.isclose(r, float(received[o.element]), rtol=1e-3) for o, r in inside) \
                and not _uses(custom, first):  # fmt: skip
            return f"It leaves out {first}: what comes back is the derivative alone, without the gradient that arrives."
    if np.allclose(ratios, ratios[0], rtol=1e-3):
        if np.isclose(ratios[0], -1, rtol=1e-3):
            return "It has the wrong sign everywhere."
        return f"It is {number(abs(1 / ratios[0]))} times what it should be everywhere" + (
            ", with the wrong sign." if ratios[0] < 0 else "."
        )
    return ""


def _uses(custom: Custom, name: str) -> bool:
    """Whether backward mentions the gradient that it is given."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(custom.backward))


def _received(run: Run, maker: OpRan, entry: Pass) -> NDArray[Any] | None:
    step = entry.ran_at.get(maker.node.id, NOTHING) if maker.node is not None else NOTHING
    event = run.events[step] if step != NOTHING else None
    return run.recording.array(event.received[0]) if isinstance(event, NodeRan) and event.received else None
