"""The builder's panel for operations: a button for each that fits the chosen tensors, and why the others do not."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from components.builder.work import Work, explain, name_input, note, warn
from engine.program.edits import RefusedError
from engine.program.edits.expressions import Span, all_named, continued
from engine.program.edits.lines import appended
from engine.program.edits.names import RESULTS, fresh
from engine.program.edits.operands import Operand
from engine.program.edits.operations import OPERATIONS, Choice, Fit, code_of, fit
from engine.program.edits.shapes import Settings, Shape, listed, shapes_of

ALL = "all"


def operation_panel(work: Work) -> None:
    """Offer the operations of a kind."""
    left, right = st.columns(2)
    with left:
        kind = st.selectbox("Kind", list(OPERATIONS), key="build_category")
    choices = OPERATIONS[kind]
    writes = all(choice.writes for choice in choices)
    with right:
        name = "" if writes else name_input(work, "build_result", RESULTS, "Result")
        inside = writes and st.toggle("in no_grad", key="build_inside", help="Inside `with torch.no_grad():`")
    operands, unnamed = _with_names(work, name)
    settings, twice = _settings(choices, operands, bool(inside))
    target = "" if writes else _target(work, operands)
    fits = [(choice, fit(choice, _taken(choice, operands, twice), settings)) for choice in choices]
    bases = _Bases(work.text)
    with st.container(key="build_ops"):
        for choice, found in sorted(fits, key=lambda each: bool(each[1].reason)):
            if found.reason:
                st.button(choice.label, key=_key(choice), disabled=True, width="stretch")
                explain(found.reason)
            elif name or writes:
                taken = _taken(choice, operands, twice)
                needed = [each for each in unnamed if each[1] in [operand.code for operand in taken]]
                grows = target if taken[0].name == target else ""
                template = code_of(choice, ["{a}" if each.name == grows else each.code for each in taken], settings)
                _offer(work, bases, choice, found, name, needed, grows, template)


class _Bases:
    """The text with names for expressions that have none; operations of one kind need the same few."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._texts: dict[tuple[tuple[Span, str], ...], str] = {}

    def named(self, wanted: list[tuple[Span, str]]) -> str:
        """The text with these names; refused as `all_named` refuses."""
        key = tuple(wanted)
        if key not in self._texts:
            self._texts[key] = all_named(self._text, wanted)
        return self._texts[key]


def _offer(
    work: Work,
    bases: _Bases,
    choice: Choice,
    fit: Fit,
    name: str,
    unnamed: list[tuple[Span, str]],
    target: str,
    template: str,
) -> None:
    def make() -> str:
        text = bases.named(unnamed)
        if target:
            return continued(text, target, template)
        return appended(text, fit.code if choice.writes else f"{name} = {fit.code}")

    short = fit.code.replace("torch.nn.functional.", "F.").split("\n    ")[-1]
    label = f"{choice.label}  `{short}`  → {listed(fit.shape)}"
    names = [] if choice.writes else [target or name]
    work.offer(label, make, key=_key(choice), names=names)
    if fit.warning:
        warn(fit.warning)


def _key(choice: Choice) -> str:
    """From the code, which tells apart what labels do not: `a + b`, `a − b`."""
    return "build_op_" + "".join(c if c.isalnum() and c.isascii() else f"_{ord(c):x}" for c in choice.code)


def _taken(choice: Choice, operands: list[Operand], twice: bool) -> list[Operand]:
    """Which of the chosen tensors an operation takes: one takes the last one clicked, two may be the same one twice."""
    if choice.operands == 1:
        return operands[-1:]
    return operands * 2 if twice and choice.operands == 2 else operands


def _with_names(work: Work, result: str) -> tuple[list[Operand], list[tuple[Span, str]]]:
    """The chosen tensors, with names for expressions that have none, and which names those are."""
    used = {*work.names, result}
    operands, unnamed = [], []
    for operand in work.chosen:
        if not operand.name and operand.span is not None:
            name = fresh(used, "uvrsqpnmkhgfedcba")
            used.add(name)
            unnamed.append((operand.span, name))
            operand = replace(operand, code=name)
        operands.append(operand)
    if unnamed:
        try:
            all_named(work.text, unnamed)
            calls = ", ".join(
                f"{name} = {o.code}" for o, (_, name) in zip([c for c in work.chosen if not c.name], unnamed, strict=True)
            )
            note(f"First gets a name: {calls}")
        except RefusedError as refused:
            explain(str(refused))
            operands = [operand for operand in operands if operand.name]
            unnamed = []
    return operands, unnamed


def _settings(choices: tuple[Choice, ...], operands: list[Operand], inside: bool) -> tuple[Settings, bool]:
    """The fields that the operations of this kind need beside tensors, and whether a tensor is to be taken twice."""
    wanted = {setting for choice in choices for setting in choice.settings}
    shape: Shape = operands[-1].shape if operands else ()
    number, dim, keep, index = 2.0, None, False, 0
    target: Shape = ()
    fields = [each for each in ("number", "over", "dim", "index", "shape") if each in wanted]
    if "over" in fields and "dim" in fields:
        fields.remove("over")
    columns = st.columns(2) if fields else []
    for position, each in enumerate(fields):
        with columns[position % 2]:
            if each == "number":
                number = float(st.number_input("Number", value=2.0, key="build_number", format="%g"))
            elif each in ("over", "dim"):
                dims = list(range(max(1, len(shape))))
                options = [ALL, *map(str, dims)] if each == "over" else [str(each) for each in dims]
                # Classes are in the last dimension.
                last = len(options) - 1 if any("softmax" in choice.code for choice in choices) else 0
                chosen = st.selectbox("dim", options, index=last, key=f"build_dim_{each}_{len(shape)}")
                dim = None if chosen == ALL else int(chosen)
                if each == "over" and dim is not None:
                    keep = st.toggle("keepdim", key="build_keepdim")
            elif each == "index":
                index = int(st.number_input("Index", 0, max(0, max(shape, default=1) - 1), 0, key=f"build_index_{shape}"))
            elif operands:
                reshapes = [each for each in shapes_of(math.prod(shape)) if each != shape] or [shape]
                target = st.selectbox("New shape", reshapes, format_func=listed, key=f"build_reshape_{shape}")
    twice = False
    if any(choice.operands == 2 for choice in choices) and len(operands) == 1:
        name = operands[0].code
        twice = st.toggle(f"take {name} twice", key="build_twice", help=f"As in `{name} * {name}`")
    return Settings(number, dim, keep, target, index, inside), twice


def _target(work: Work, operands: list[Operand]) -> str:
    """The line that the operation goes into: a new one, or that of its first operand, if it is a result nothing else uses."""
    if not operands or not operands[0].name or operands[0].leaf:
        return ""
    name = operands[0].name
    try:
        continued(work.text, name, "-{a}")
    except RefusedError:
        return ""
    inside = st.toggle(
        f"go on in the line of {name}", key=f"build_continue_{name}_{work.rev}", help=f"`{name} = … + 3`, one line"
    )
    return name if inside else ""
