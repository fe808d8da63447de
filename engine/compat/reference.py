"""The compatibility page, `assets/compatibility.md`, from the declarations: `python -m engine.compat.reference` writes it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..itself import OURS, engine
from ..ops import FAMILIES, namespace
from ..ops.calling import declared_as
from ..ops.memory.inplace import INPLACE
from ..tensor import Tensor
from .names import SURFACE

NAMESPACES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")
MODULES = ("torch.nn", "torch.nn.init", "torch.nn.utils", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data",
           "torch.autograd", "torch.autograd.functional", "torch.func",
           "torch.distributions")  # fmt: skip

DIFFERENCES = {
    "empty": "Zeros, so that runs repeat.",
    "empty_like": "Zeros, so that runs repeat.",
    "vmap": "A loop over the batch.",
    "sort": "Always stable.",
    "linalg_svd": "Signs of singular vectors may differ.",
    "linalg_eigh": "Signs of eigenvectors may differ.",
    "linalg_qr": "Signs may differ.",
    "matrix_exp": "Computed in double precision.",
    "linalg_matrix_sqrth": "There with 2.15.",
    "linalg_polar": "There with 2.15.",
    "nextafter": "Has no gradient (PyTorch refuses it in backward).",
}
"""What is different from PyTorch, by declared name."""

INTRODUCTION = """# What of PyTorch is here

This page is written from the operations' declarations (`make reference`); a test fails when it is stale. Gradtape follows
PyTorch 2.13 on the CPU; for a program that pins 2.15 (`# torch==2.15`), or with `GRADTAPE_TORCH=2.15`, that release. A name
that stands below behaves as there: same values, dtypes, shapes, gradients, graph, exceptions and printed text, but for what
the column *differs* says. A formula is shown for what is one node of the graph; the rest is made of other operations, and
the graph shows which.

Not here: complex numbers in half precision (`torch.complex32`), quantised tensors, sparse ones in other formats than
coordinates, devices other than the CPU and the meta device, `torch.jit`, distributed training. Their names raise an error
that says so.

`torch.compile` gives a program back as it is, and what a `DataLoader`'s workers would do is done in this process.

In general: sums of many float32 numbers may differ from PyTorch's in the last digits, because the order of additions differs.
The random numbers of a seeded program are PyTorch's, bit for bit.
"""


@dataclass
class Entry:
    """A function and the names it has."""

    function: Callable[..., Any]
    name: str = ""
    names: dict[str, list[str]] = field(default_factory=dict)


def entries() -> dict[str, list[Entry]]:
    """The functions by family, each once: with its name, its other names and its in-place variant."""
    found: dict[int, Entry] = {}
    in_place = {id(f): name for name, f in INPLACE.items()}
    names = {owner: {name: declared_as(f) for name, f in namespace(owner).items()} for owner in NAMESPACES}
    plain = {name: f for functions in names.values() for name, f in functions.items() if id(f) not in in_place}
    for owner in NAMESPACES:
        for name, f in sorted(names[owner].items()):
            base = plain.get(name.removesuffix("_"), f) if id(f) in in_place else f
            entry = found.setdefault(id(base), Entry(base))
            entry.names.setdefault(name, []).append(owner)
            if not entry.name or (len(name), name) < (len(entry.name), entry.name):
                entry.name = name
    families: dict[str, list[Entry]] = {}
    for entry in found.values():
        declared = getattr(entry.function, "__name__", "")
        if declared in entry.names:
            entry.name = declared
        families.setdefault(getattr(entry.function, "__module__", f"{OURS}ops.memory.inplace"), []).append(entry)
    return families


def signature(f: Callable[..., Any]) -> str:
    """How a function is called, without annotations."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return "(…)"
    plain = [p.replace(annotation=p.empty) for p in parameters if not callable(p.default) or p.default is p.empty]
    return str(inspect.Signature(plain)).replace("Ellipsis", "...")


def formula(f: Callable[..., Any]) -> str:
    """The LaTeX of an operation, its arguments by name; "" for a function made of operations."""
    declared = getattr(f, "_op", None)
    if declared is None or not declared.parameters:
        return ""
    names = {p.name: r"\mathit{" + p.name.replace("_", r"\_") + "}" for p in declared.parameters}
    try:
        return f"${declared.template.format(**names)}$"
    except (KeyError, IndexError, ValueError):
        return ""


def summary(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


SHORT = {
    "torch": "torch",
    "torch.Tensor": "Tensor",
    "torch.nn.functional": "F",
    "torch.linalg": "linalg",
    "torch.fft": "fft",
    "torch.special": "special",
}


def called(entry: Entry) -> str:
    """Every name of a function: `torch.add`, `Tensor.add`, `Tensor.add_`."""
    return ", ".join(f"`{SHORT[o]}.{name}`" for name, owners in sorted(entry.names.items()) for o in owners)


def table(module: str, found: list[Entry]) -> list[str]:
    """A family as rows of a table."""
    title = module.rpartition(".")[2]
    rows = [f"## {title}", "", summary(sys.modules[module]), ""]
    rows += ["| function | what it does | formula | called | differs |", "| --- | --- | --- | --- | --- |"]
    for entry in sorted(found, key=lambda e: e.name):
        f = entry.function
        text = formula(f).replace("|", r"\vert ")
        difference = DIFFERENCES.get(getattr(f, "__name__", entry.name), DIFFERENCES.get(entry.name, ""))
        call = f"{entry.name}{signature(f)}".replace("|", "\\|")
        rows.append(f"| `{call}` | {summary(f)} | {text} | {called(entry)} | {difference} |")
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
        return hasattr(module, name)
    if name in vars(module) or name in getattr(module, "__all__", ()):
        return True
    # A module within it is there before anybody has imported it, too.
    return hasattr(module, "__path__") and find_spec(f"{module.__name__}.{name}") is not None


def page() -> str:
    """The whole page, in Markdown."""
    families = entries()
    functions = sum(len(found) for found in families.values())
    names = sum(len(e.names[n]) for found in families.values() for e in found for n in e.names)
    parts = [INTRODUCTION, f"{functions} functions under {names} names; `F` is `torch.nn.functional`.\n"]
    order = {module.__name__: i for i, module in enumerate(FAMILIES)}
    for module in sorted(families, key=lambda m: order.get(m, len(order))):
        parts.append("\n".join(table(module, families[module])) + "\n")
    for owner in MODULES:
        parts.append("\n".join(listing(owner)) + "\n")
    parts.append("## Names of PyTorch that are not here\n")
    for owner in ("torch.nn.functional", "torch.linalg", "torch.nn", "torch.nn.utils", "torch.func"):
        missing = absent(owner)
        if missing:
            parts.append(f"**`{owner}`**: {', '.join(f'`{n}`' for n in missing)}\n")
    return "\n".join(parts)


PAGE = Path(__file__).parent.parent.parent / "assets" / "compatibility.md"

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
