"""The builder's panel for gradients: backward passes, zeroing, keeping, switching, a step by hand, an optimizer, printing."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.builder.work import Work, choose, explain, note, warn
from engine.program.edits.gradients import backward, backward_reason, descent, optimizer, printed, zero
from engine.program.edits.lines import after, appended
from engine.program.edits.names import fresh
from engine.program.edits.operands import Operand

ALL = "all leaves"


def gradient_panel(work: Work) -> None:
    """Offer what is done with gradients."""
    what = st.selectbox("Do", list(PANELS), key="build_gradient", label_visibility="collapsed")
    if not work.named:
        note("Add a tensor first.")
        return
    PANELS[what](work)


def _backward(work: Work) -> None:
    roots = [operand for operand in work.named if not backward_reason(operand)]
    if not roots:
        explain("No result requires grad: apply an operation to a tensor with requires_grad first.")
        return
    results = [root for root in roots if not root.leaf] or roots
    root = choose("From", results, "build_root", work.chosen)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        times = int(st.number_input("Times", 1, 10, 1, key="build_times"))
    with right:
        keep = st.toggle(
            "retain_graph", key="build_retain", help="Keep the graph for another backward pass", disabled=times > 1
        )
    code = backward(root, keep, times)
    if root.kept_by == "" and any(size != 1 for size in root.shape):
        note("Not one number: each entry gets weight 1, as .sum().backward() would give it.")
    if times > 1:
        note("Through the same graph, so it is kept, and the gradients add up.")
    _append(work, code, "build_add_backward")


def _zero(work: Work) -> None:
    filled = [operand for operand in work.named if operand.grad]
    if not filled:
        explain("No .grad is filled yet: add a backward pass first.")
        return
    leaves = [operand.name for operand in reversed(filled) if operand.leaf]
    every = [ALL] if len(leaves) > 1 else []
    of = st.selectbox("Gradient of", [*every, *(each.name for each in reversed(filled))], key=f"build_zero_{len(filled)}")
    how = st.segmented_control(
        "How", ["zero_()", "None"], default="zero_()", key="build_zero_how", required=True, label_visibility="collapsed"
    )
    names = leaves if of == ALL else [of]
    _append(work, zero(names, "None" if how == "None" else "zero_"), "build_add_zero")


def _retain(work: Work) -> None:
    results = [operand for operand in work.named if not operand.leaf and operand.requires_grad]
    if not results:
        explain("Only results that require grad can retain it: leaves keep theirs anyway.")
        return
    result = choose("Result", results, "build_retained", work.chosen)
    code = f"{result.name}.retain_grad()"
    if result.retained:
        note(f"{result.name} retains its grad already.")
        return
    note("Goes right below its line, before any backward pass.")
    work.offer(
        f"Add  `{code}`", lambda: after(work.text, result.name, code), key="build_add_retain", names=[result.name], primary=True
    )


def _switch(work: Work) -> None:
    tensors = [operand for operand in work.named if operand.leaf and operand.floating]
    if not tensors:
        explain("Only leaves of floating point numbers can be switched; cut a result with detach.")
        return
    leaf = choose("Leaf", tensors, "build_switched", work.chosen)
    _append(work, f"{leaf.name}.requires_grad_({'False' if leaf.requires_grad else 'True'})", "build_add_switch")


def _parameters(work: Work) -> list[Operand]:
    return [operand for operand in reversed(work.named) if operand.leaf and operand.requires_grad]


def _step(work: Work) -> None:
    leaves = [leaf for leaf in _parameters(work) if leaf.grad]
    if not leaves:
        explain("No leaf has a gradient yet: add a backward pass first.")
        return
    names = st.multiselect(
        "Leaves", [leaf.name for leaf in leaves], [leaf.name for leaf in leaves], key=f"build_step_{len(leaves)}"
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        rate = float(st.number_input("Learning rate", value=0.1, key="build_rate", format="%g"))
    with right:
        then = st.toggle("then zero", value=True, key="build_then", help="Zero the gradients after the step")
    if names:
        _append(work, descent(names, rate, then), "build_add_step")


def _optimizer(work: Work) -> None:
    leaves = [leaf.name for leaf in _parameters(work)]
    if not leaves:
        explain("No leaf requires grad.")
        return
    made = [name for name in ("optimizer", "opt") if f"{name} = torch.optim" in work.text]
    if made:
        note(f"The program has an optimizer: {made[0]}.")
        left, right = st.columns(2)
        with left:
            _append(work, f"{made[0]}.step()", "build_add_opt_step", primary=False)
        with right:
            _append(work, f"{made[0]}.zero_grad()", "build_add_opt_zero", primary=False)
        return
    left, right = st.columns(2)
    with left:
        kind = st.selectbox("Optimizer", ["SGD", "Adam"], key="build_optimizer")
    with right:
        rate = float(st.number_input("Learning rate", value=0.1, key="build_opt_rate", format="%g"))
    name = "optimizer" if "optimizer" not in work.names else fresh(work.names, "")
    _append(work, optimizer(leaves, rate, name, kind), "build_add_optimizer")


def _print(work: Work) -> None:
    names = [operand.name for operand in work.named]
    chosen = [operand.name for operand in work.chosen if operand.name]
    shown = st.multiselect("Tensors", names, chosen or names[:1], key=f"build_print_{work.rev}_{len(names)}")
    what = st.selectbox(
        "What of them", ["value", "grad", "grad_fn", "requires_grad", "is_leaf", "shape"], key="build_print_what"
    )
    results = [o.name for o in work.named if o.name in shown and not o.leaf and not o.retained]
    if what == "grad" and results:
        warn(f"{', '.join(results)}: results keep no .grad, unless retain_grad is called before the backward pass.")
    if shown:
        _append(work, printed(shown, what), "build_add_print")


def _append(work: Work, code: str, key: str, primary: bool = True) -> None:
    names = [operand.name for operand in work.chosen if operand.name]
    first = code.split("\n")
    label = f"Add  `{first[0]}`" if len(first) == 1 else f"Add {len(first)} lines"
    work.offer(label, lambda: appended(work.text, code), key=key, names=names, primary=primary)
    if len(first) > 1:
        st.code(code, language="python")


PANELS: dict[str, Callable[[Work], None]] = {
    "Backward": _backward, "Zero the gradients": _zero, "Keep a result's gradient": _retain, "Switch requires_grad": _switch,
    "A step by hand": _step, "Optimizer": _optimizer, "Print": _print,
}  # fmt: skip
