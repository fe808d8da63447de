"""The visual builder: builds a computation with the mouse, as lines of readable PyTorch appended to the program."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.recording import Recording, replay

Change = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """An operation to choose: what it is called, and the code with operands a, b and number n."""

    label: str
    code: str

    @property
    def operands(self) -> int:
        """How many tensors it takes."""
        return 2 if "{b}" in self.code else 1

    @property
    def number(self) -> bool:
        """Whether it takes a number."""
        return "{n}" in self.code


OPERATIONS: dict[str, list[Choice]] = {
    "Arithmetic": [
        Choice("a + b", "{a} + {b}"), Choice("a - b", "{a} - {b}"), Choice("a · b (elements)", "{a} * {b}"),
        Choice("a / b", "{a} / {b}"), Choice("number · a", "{n} * {a}"), Choice("a + number", "{a} + {n}"),
        Choice("a to the power of a number", "{a} ** {n}"), Choice("-a", "-{a}"),
    ],
    "Reduction": [
        Choice("sum", "{a}.sum()"), Choice("mean", "{a}.mean()"), Choice("largest element", "{a}.max()"),
        Choice("product", "{a}.prod()"), Choice("standard deviation", "{a}.std()"), Choice("norm", "{a}.norm()"),
        Choice("sum over rows", "{a}.sum(dim=0)"), Choice("mean over columns", "{a}.mean(dim=-1)"),
    ],
    "Function": [
        Choice("exp", "torch.exp({a})"), Choice("log", "torch.log({a})"), Choice("sqrt", "torch.sqrt({a})"),
        Choice("sin", "torch.sin({a})"), Choice("cos", "torch.cos({a})"), Choice("absolute value", "torch.abs({a})"),
    ],
    "Activation": [
        Choice("relu", "torch.relu({a})"), Choice("tanh", "torch.tanh({a})"), Choice("sigmoid", "torch.sigmoid({a})"),
        Choice("softmax", "torch.softmax({a}, dim=-1)"),
    ],
    "Matrix": [
        Choice("a @ b (matrix product)", "{a} @ {b}"), Choice("transpose", "{a}.T"),
        Choice("outer product", "torch.outer({a}, {b})"),
    ],
    "Shape": [
        Choice("flatten", "{a}.flatten()"), Choice("first entry", "{a}[0]"), Choice("add a dimension", "{a}.unsqueeze(0)"),
        Choice("stack a and b", "torch.stack([{a}, {b}])"), Choice("join a and b", "torch.cat([{a}, {b}])"),
    ],
    "Graph": [
        Choice("detach", "{a}.detach()"), Choice("copy", "{a}.clone()"),
    ],
    "Loss": [
        Choice("mean squared error of a against b", "((({a}) - ({b})) ** 2).mean()"),
    ],
}  # fmt: skip

SHAPES: dict[str, tuple[int, ...]] = {
    "one number": (), "1": (1,), "2": (2,), "3": (3,), "4": (4,),
    "2 × 2": (2, 2), "2 × 3": (2, 3), "3 × 2": (3, 2), "3 × 3": (3, 3), "4 × 4": (4, 4),
}  # fmt: skip
FILLS = {"values": "", "ones": "torch.ones", "zeros": "torch.zeros", "random": "torch.randn"}


def builder(
    text: str,
    recording: Recording | None,
    selected: str | None,
    *,
    on_change: Change,
    on_undo: Callable[[], None],
    can_undo: bool,
) -> None:
    """Offer what can be added to the program `text`; `on_change` gets the new text."""
    tensors = named_tensors(recording)
    kind = st.segmented_control(
        "Add", ["Tensor", "Operation", "Backward", "Zero grad"], default="Tensor", key="build_kind",
        label_visibility="collapsed",
        required=True,
    )  # fmt: skip
    if kind == "Tensor":
        line = _new_tensor(tensors)
    elif not tensors:
        st.html('<div class="gt-muted">Add a tensor first.</div>')
        line = None
    elif kind == "Operation":
        line = _operation(tensors, recording, selected)
    elif kind == "Backward":
        line = _backward(tensors, recording)
    else:
        line = _zero(tensors, recording)
    with st.container(horizontal=True, key="build_actions"):
        if st.button("Add", type="primary", key="build_add", disabled=line is None, icon=":material/add:") and line:
            on_change(appended(text, line))
            st.rerun()
        if st.button("Undo", key="build_undo", disabled=not can_undo, icon=":material/undo:"):
            on_undo()
            st.rerun()
        if st.button("Start empty", key="build_new", icon=":material/note_add:"):
            on_change("import torch\n")
            st.rerun()
    if line:
        st.code(line, language="python")


def named_tensors(recording: Recording | None) -> dict[str, int]:
    """The program's named tensors at its end, the newest first."""
    if recording is None or not recording.events:
        return {}
    names = replay(recording, len(recording.events) - 1).names
    found: dict[int, str] = {}
    for name, tensor in names.items():
        # A tensor of several names (`for p in (w, b)`) is called by its first.
        if name.isidentifier():
            found.setdefault(tensor, name)
    return {found[tensor]: tensor for tensor in sorted(found, reverse=True)}


def appended(text: str, line: str) -> str:
    """The program with a line at its end, and the import it needs at its top."""
    if "import torch" not in text:
        text = "import torch\n\n" + text.lstrip("\n")
    return text.rstrip("\n") + ("\n" if text.strip() else "") + line + "\n"


def fresh_name(taken: Sequence[str], first: str = "abcdefghkmnpqrstuvwxyz") -> str:
    """A name that is not taken yet."""
    for name in first:
        if name not in taken:
            return name
    return next(f"t{i}" for i in range(1, 10_000) if f"t{i}" not in taken)


def _name(key: str, taken: Sequence[str], first: str) -> str | None:
    proposed = fresh_name(taken, first)
    name = st.text_input("Name", proposed, key=f"{key}_{proposed}_{len(taken)}", max_chars=40).strip()
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__") or name == "torch":
        st.html('<div class="gt-muted">A name has letters, digits and _, and does not start with a digit.</div>')
        return None
    return name


def _new_tensor(tensors: dict[str, int]) -> str | None:
    top = st.columns(2)
    with top[0]:
        name = _name("build_tensor", list(tensors), "xwabcdefghkmnpqrstuvyz")
    with top[1]:
        shape = SHAPES[st.selectbox("Shape", list(SHAPES), index=2, key="build_shape")]
    bottom = st.columns(2, vertical_alignment="bottom")
    with bottom[0]:
        fill = st.selectbox("Filled with", list(FILLS), key="build_fill")
    with bottom[1]:
        grad = st.toggle("requires_grad", value=True, key="build_grad")
    if fill == "values":
        values = _values(shape)
        code = f"torch.tensor({values}{', requires_grad=True' if grad else ''})"
    else:
        size = ", ".join(map(str, shape)) if shape else "()"
        code = f"{FILLS[fill]}({size}{', requires_grad=True' if grad else ''})"
    return f"{name} = {code}" if name else None


def _values(shape: tuple[int, ...]) -> str:
    """The values typed or clicked into a grid, as nested lists."""
    rows = shape if len(shape) == 2 else (1, shape[0] if shape else 1)
    start = np.arange(1, rows[0] * rows[1] + 1, dtype=np.float64).reshape(rows)
    edited = st.data_editor(start, key=f"build_values_{shape}", hide_index=True, width="stretch")
    array = np.asarray(edited, dtype=np.float64)
    array = np.where(np.isfinite(array), array, 0.0)
    nested: Any = array.tolist() if len(shape) == 2 else array[0].tolist() if shape else array[0, 0]
    return repr(nested)


def _default(tensors: dict[str, int], selected: str | None, skip: int = 0) -> int:
    """Which name is chosen at first: the tensor selected in the graph, else the newest."""
    names = list(tensors)
    if skip == 0 and selected and selected.startswith("t"):
        for i, name in enumerate(names):
            if f"t{tensors[name]}" == selected:
                return i
    return min(skip, len(names) - 1)


def _operation(tensors: dict[str, int], recording: Recording | None, selected: str | None) -> str | None:
    top = st.columns(2)
    with top[0]:
        category = st.selectbox("Kind", list(OPERATIONS), key="build_category")
    with top[1]:
        choices = {c.label: c for c in OPERATIONS[category]}
        choice = choices[st.selectbox("Operation", list(choices), key=f"build_op_{category}")]
    middle = st.columns(2)
    state = f"{selected}_{len(tensors)}"
    shown = _describer(tensors, recording)
    with middle[0]:
        a = st.selectbox("a", list(tensors), index=_default(tensors, selected), format_func=shown, key=f"build_a_{state}")
    b = n = ""
    with middle[1]:
        if choice.operands == 2:
            b = st.selectbox(
                "b", list(tensors), index=_default(tensors, selected, 1), format_func=shown, key=f"build_b_{state}"
            )
        elif choice.number:
            value = st.number_input("Number", value=2.0, key="build_number")
            n = f"{value:g}"
    name = _name("build_result", list(tensors), "yzuvrsqpnmkhgfedcba")
    if name is None:
        return None
    return f"{name} = " + choice.code.format(a=a, b=b, n=n).replace("((" + a + ") - (" + b + "))", f"({a} - {b})")


def _describer(tensors: dict[str, int], recording: Recording | None) -> Callable[[str], str]:
    """Shows a tensor's name with its shape."""
    if recording is None:
        return str
    state = replay(recording, len(recording.events) - 1)
    return lambda name: f"{name}  {list(state.tensor(tensors[name]).info.shape)}"


def _backward(tensors: dict[str, int], recording: Recording | None) -> str | None:
    assert recording is not None
    state = replay(recording, len(recording.events) - 1)
    roots = [name for name, t in tensors.items() if state.tensor(t).requires_grad and not state.tensor(t).is_leaf]
    if not roots:
        st.html('<div class="gt-muted">No result requires grad yet: apply an operation to a tensor with requires_grad.</div>')
        return None
    root = st.selectbox("From", roots, format_func=_describer(tensors, recording), key=f"build_root_{len(tensors)}")
    keep = st.toggle("Keep the graph for another pass (retain_graph)", key="build_retain")
    arguments = ["retain_graph=True"] if keep else []
    size = int(np.prod(state.tensor(tensors[root]).info.shape))
    if size != 1:
        st.html(f'<div class="gt-muted">{size} elements: each gets weight 1, as .sum().backward() would give it.</div>')
        arguments.insert(0, f"torch.ones_like({root})")
    return f"{root}.backward({', '.join(arguments)})"


def _zero(tensors: dict[str, int], recording: Recording | None) -> str | None:
    assert recording is not None
    state = replay(recording, len(recording.events) - 1)
    filled = [name for name, t in tensors.items() if state.tensor(t).grad >= 0]
    if not filled:
        st.html('<div class="gt-muted">No .grad is filled yet: add a backward pass first.</div>')
        return None
    name = st.selectbox("Gradient of", ["all leaves", *filled] if len(filled) > 1 else filled, key=f"build_zero_{len(filled)}")
    if name == "all leaves":
        return f"for leaf in ({', '.join(filled)}):\n    leaf.grad.zero_()"
    return f"{name}.grad.zero_()"
