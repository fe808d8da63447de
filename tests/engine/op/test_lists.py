"""What is known of operations is said where they are declared: no list of their names stands anywhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.op.declare import CREATED, FUNCTIONS, TABLE

ROOT = Path(__file__).resolve().parents[3]
NAMES = {name.strip("_") for o in TABLE.values() for name in (o.name, o.forward.__name__, o.node_name)}
NAMES |= {name.strip("_") for name in (*FUNCTIONS, *CREATED)}
LEAST = 3
"""Names that make a list."""

PYTORCH = "what PyTorch calls the values of an argument"
NUMPY = "functions of NumPy's, which the sandbox guards"
ALLOWED = [
    ("engine/compat/", None, "PyTorch's own tables of names"),
    ("engine/autograd/attributes.py", "none mean sum", PYTORCH),
    ("engine/nn/init.py", None, PYTORCH),
    ("engine/ops/convolution/interpolation.py", "linear bilinear trilinear UpsampleBilinear2D", PYTORCH),
    ("engine/ops/indexing/scatter_reduce.py", "sum prod mean amax amin", PYTORCH),
    ("engine/ops/loss/elementwise.py", "none mean sum", PYTORCH),
    ("engine/ops/nn/embedding.py", "sum mean max", PYTORCH),
    ("engine/diagnosis/comparison/array_change.py", "mean std min max", "what is known of an array that is not kept"),
    (
        "engine/graph/watch.py",
        None,
        "the functions of recorded arrays that can be watched, and what is known of those not kept",
    ),
    ("engine/diagnosis/mends/", None, "words of a text that a fix looks for or writes"),
    ("engine/program/edits/expressions.py", None, "words of a text that may be methods of anything"),
    ("engine/libraries/", None, "what other libraries call things"),
    ("engine/pytorch/aten.py", None, "what PyTorch's dispatcher calls operations"),
    ("engine/sandbox/facades/numpy.py", None, NUMPY),
    ("engine/sandbox/facades/plotting/", None, "words of matplotlib's, which programs give as arguments"),
    ("engine/sandbox/policy/arrays.py", None, NUMPY),
    ("engine/sandbox/policy/objects.py", None, NUMPY),
]
"""Where a list may stand, the words in it (None for any), and why."""


def words(node: ast.AST) -> list[str]:
    """The texts that a literal collection, the keys of a dict, a split text or the alternatives of a pattern consist of."""
    match node:
        case ast.List(elts=items) | ast.Set(elts=items) | ast.Tuple(elts=items) | ast.Dict(keys=items):
            constants = items
        case ast.MatchOr(patterns=patterns):
            constants = [p.value for p in patterns if isinstance(p, ast.MatchValue)]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return text.split()
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            return [k.arg for k in keywords if k.arg]
        case _:
            return []
    return [c.value for c in constants if isinstance(c, ast.Constant) and isinstance(c.value, str)]


def lists(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lists of operations' names in a module: line and words. What it exports (`__all__`) is none."""
    tree = ast.parse(text)
    exported = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    }
    for node in ast.walk(tree):
        found = list(dict.fromkeys(words(node))) if id(node) not in exported else []
        known = [word for word in found if not word.startswith("__") and word.strip("_") in NAMES]
        if len(found) >= LEAST and 2 * len(known) > len(found):
            yield getattr(node, "lineno", 0), found


def allowed(path: str, found: list[str]) -> bool:
    return any(path.startswith(start) and (only is None or {*found} <= {*only.split()}) for start, only, _ in ALLOWED)


@pytest.mark.thorough
def test_no_list_of_operations_stands_outside_their_declarations() -> None:
    paths = sorted(path for room in ("engine", "components") for path in (ROOT / room).rglob("*.py"))
    assert len(paths) > 300
    found = [
        f"{name}:{line}: {' '.join(names)[:80]}"
        for path in paths
        if (name := path.relative_to(ROOT).as_posix())
        for line, names in lists(path.read_text(encoding="utf-8"))
        if not allowed(name, names)
    ]
    assert not found, "say it where the operations are declared (engine/op/traits.py):\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        'RELUS = frozenset(("relu", "relu6", "elu"))',
        'KINDS = {"relu": 1, "exp": 2, "log": 3, "of no operation": 4}',
        'if op in ["add_", "sub_", "mul_"]: pass',
        'NAMES = "relu exp log".split()',
        "KINDS = dict(relu=1, exp=2, log=3)",
        'match op:\n    case "relu" | "exp" | "log": pass',
        'NODES = ("AddmmBackward0", "MmBackward0", "TanhBackward0")',
        'MAKES = {"tensor", "as_tensor", "Parameter"}',
    ],
)
def test_a_list_is_found_however_it_is_written(text: str) -> None:
    assert len(list(lists(text))) == 1


@pytest.mark.parametrize(
    "text",
    ['__all__ = ["relu", "exp", "log"]', 'PAIR = ("softmax", "log_softmax")', 'WORDS = ("relu", "exp", "left", "right")'],
)
def test_what_is_no_list_of_operations_is_none(text: str) -> None:
    assert not list(lists(text))


def test_every_exception_is_still_there() -> None:
    unused = []
    for start, only, _ in ALLOWED:
        paths = [ROOT / start] if start.endswith(".py") else sorted((ROOT / start).rglob("*.py"))
        texts = [path.read_text(encoding="utf-8") for path in paths]
        if not any(only is None or {*found} <= {*only.split()} for text in texts for _, found in lists(text)):
            unused.append(start)
    assert not unused
