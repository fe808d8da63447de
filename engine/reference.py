"""The compatibility page, written from the declarations: `python -m engine.reference` prints it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import engine
from engine.ops import namespace
from engine.surface import SURFACE
from engine.tensor import Tensor

NAMESPACES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special")
MODULES = ("torch.nn", "torch.nn.init", "torch.nn.utils", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data",
           "torch.autograd", "torch.autograd.functional", "torch.func")  # fmt: skip

DIFFERENCES = {
    "empty": "Zeros, so that runs repeat.",
    "empty_like": "Zeros, so that runs repeat.",
    "vmap": "A loop over the batch.",
    "sort": "Always stable.",
    "linalg_svd": "Signs of singular vectors may differ.",
    "linalg_eigh": "Signs of eigenvectors may differ.",
    "linalg_qr": "Signs may differ.",
    "matrix_exp": "Computed in double precision.",
    "nextafter": "Has no gradient (PyTorch refuses it in backward).",
}
"""What is different from PyTorch, by declared name."""

INTRODUCTION = """# What of PyTorch is here

This page is written from the operations' declarations (`make reference`); a test fails when it is stale. Gradtape follows
PyTorch 2.13 on the CPU. A name that stands below behaves as there: same values, dtypes, shapes, gradients, graph, exceptions
and printed text, but for what the column *differs* says. A formula is shown for what is one node of the graph; the rest is made
of other operations, and the graph shows which.

Not here: complex numbers (and with them `torch.fft`, `torch.linalg.eig`, `torch.stft`), bfloat16, sparse and quantised tensors,
devices other than the CPU, `torch.compile`, `torch.jit`, distributed training. Their names raise an error that says so.

In general: sums of many float32 numbers may differ from PyTorch's in the last digits, because the order of additions differs.
The random numbers of a seeded program are PyTorch's, bit for bit.
"""


def signature(f: Callable[..., Any]) -> str:
    """How a function is called, without annotations."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return "(…)"
    plain = [p.replace(annotation=p.empty) for p in parameters]
    return str(inspect.Signature(plain)).replace("Ellipsis", "...")


def formula(f: Callable[..., Any]) -> str:
    """The LaTeX of an operation, its arguments by name; "" for a function made of operations."""
    declared = getattr(f, "op", None)
    if declared is None or not declared.parameters:
        return ""
    names = {p.name: rf"\\mathit{{{p.name}}}".replace("\\\\", "\\").replace("_", r"\_") for p in declared.parameters}
    try:
        return f"${declared.template.format(**names)}$"
    except (KeyError, IndexError, ValueError):
        return ""


def summary(thing: Any) -> str:
    """The first sentence of a docstring, on one line."""
    doc = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    return doc


def table(owner: str) -> list[str]:
    """The functions of a namespace as rows of a table."""
    rows = [f"## `{owner}`", "", "| name | what it does | formula | differs |", "| --- | --- | --- | --- |"]
    for name, f in sorted(namespace(owner).items()):
        text = formula(f).replace("|", r"\vert ")
        difference = DIFFERENCES.get(getattr(f, "__name__", name), DIFFERENCES.get(name, ""))
        rows.append(f"| `{name}{signature(f)}` | {summary(f)} | {text} | {difference} |".replace("`|`", "`\\|`"))
    return rows


def listing(owner: str) -> list[str]:
    """The names of a module."""
    module: Any = engine
    for part in owner.split(".")[1:]:
        module = getattr(module, part)
    rows = [f"## `{owner}`", "", "| name | what it does | differs |", "| --- | --- | --- |"]
    for name in sorted(set(getattr(module, "__all__", ())) or {n for n in vars(module) if n in SURFACE[owner]}):
        thing = getattr(module, name)
        if not inspect.ismodule(thing):
            rows.append(f"| `{name}` | {summary(thing)} | {DIFFERENCES.get(name, '')} |")
    return rows


def absent(owner: str) -> list[str]:
    """What PyTorch has in a namespace and Gradtape has not."""
    module: Any = Tensor if owner == "torch.Tensor" else engine
    if owner not in ("torch", "torch.Tensor"):
        for part in owner.split(".")[1:]:
            module = getattr(module, part)
    return sorted(n for n in SURFACE[owner] if not has(module, n) and not n.startswith("_"))


def has(module: Any, name: str) -> bool:
    """Whether a name is there, without warnings of looking."""
    if isinstance(module, type):
        return any(name in c.__dict__ for c in module.__mro__)
    return name in vars(module) or name in getattr(module, "__all__", ())


def page() -> str:
    """The whole page, in Markdown."""
    parts = [INTRODUCTION]
    counts = sum(len(namespace(o)) for o in NAMESPACES)
    distinct = len({id(f) for o in NAMESPACES for f in namespace(o).values()})
    parts.append(f"{distinct} functions under {counts} names in the first five namespaces.\n")
    for owner in NAMESPACES:
        parts.append("\n".join(table(owner)) + "\n")
    for owner in MODULES:
        parts.append("\n".join(listing(owner)) + "\n")
    parts.append("## Names of PyTorch that are not here\n")
    for owner in (*NAMESPACES[2:], *MODULES):
        names = absent(owner)
        if names:
            parts.append(f"**`{owner}`**: {', '.join(f'`{n}`' for n in names)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(page())
