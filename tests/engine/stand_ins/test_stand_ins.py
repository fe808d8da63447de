"""Tensors on the meta device and sparse ones: what terms and programs give and say, against PyTorch."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.recording.events import OpRan
from engine.sandbox import run
from tests.engine.coverage import agreeing

torch = pytest.importorskip("torch")

HERE = Path(__file__).parent
META = (HERE / "meta_terms.txt").read_text("utf-8").splitlines()
SPARSE = (HERE / "sparse_terms.txt").read_text("utf-8").splitlines()
BEGINNING = 60
"""Characters of an error that are compared: PyTorch goes on with what its build has."""


def names(t: Any) -> dict[str, Any]:
    """What the terms speak of."""
    i, v = t.tensor([[0, 1, 1], [2, 0, 2]]), t.tensor([3.0, 4, 5])
    return {
        "torch": t,
        "nn": t.nn,
        "m": t.empty(2, 3, device="meta"),
        "w": t.empty(2, 3, device="meta", requires_grad=True),
        "c": t.ones(2, 3),
        "L": t.nn.Linear(3, 2, device="meta"),
        "i": i,
        "v": v,
        "s": t.sparse_coo_tensor(i, v, (2, 3)),
        "u": t.sparse_coo_tensor(t.tensor([[0, 0, 1], [1, 1, 0]]), v, (2, 3)),
        "p": t.sparse_coo_tensor(i, v, (2, 3), requires_grad=True),
        "d": t.arange(12.0).reshape(3, 4),
    }


def told(t: Any, term: str) -> str:
    """What a term gives, or the beginning of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(term, names(t)))
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:BEGINNING]}"


@pytest.mark.parametrize("term", META + SPARSE)
def test_a_term_gives_what_pytorch_gives(term: str) -> None:
    assert told(engine, term) == told(torch, term)


PROGRAMS = {path.stem: path.read_text("utf-8") for path in sorted(HERE.glob("*_program.txt"))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_it_prints_on_pytorch(name: str) -> None:
    ours = run(PROGRAMS[name])
    assert ours.status == "ok", ours.error
    said = io.StringIO()
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(PROGRAMS[name], name, "exec"), {"__name__": "__main__"})
    assert ours.output == said.getvalue()


def test_recordings_say_where_a_tensor_lies_and_how_and_keep_no_values_of_what_has_none() -> None:
    made = run("import torch\nm = torch.ones(2, 3, device='meta') * 2\ns = torch.eye(2).to_sparse()\n").recording
    assert made is not None
    tensors = [t for e in made.events if isinstance(e, OpRan) for t in e.outputs]
    meta, sparse = [t for t in tensors if t.device == "meta"], [t for t in tensors if t.layout == "sparse_coo"]
    assert [t.shape for t in meta] == [(2, 3), (2, 3)]
    assert [made.array(t.array) for t in meta] == [None, None]
    (kept,) = [made.array(t.array) for t in sparse]
    assert kept is not None
    assert kept.tolist() == [[1, 0], [0, 1]]


def test_a_model_far_larger_than_memory_is_computed_with_on_the_meta_device() -> None:
    with engine.device("meta"):
        layer = engine.nn.Linear(10**6, 10**6)
        out = layer(engine.empty(1000, 10**6))
    out.sum().backward()
    assert out.shape == (1000, 10**6)
    assert layer.weight.grad is not None
    assert layer.weight.grad.is_meta
    assert layer.weight.nbytes == 4 * 10**12


def on_meta(value: Any) -> Any:
    """The same with all tensors on the meta device."""
    if isinstance(value, engine.Tensor):
        return value.detach().to("meta").requires_grad_(value.requires_grad)
    if value.__class__ in (list, tuple):
        return type(value)([on_meta(v) for v in value])
    return {k: on_meta(v) for k, v in value.items()} if isinstance(value, dict) else value


KNOWN = [n for n in agreeing("operators") if n in (
    "add", "addmm", "bmm", "cat", "cumsum", "einsum", "gather", "index_select", "matmul", "mean", "nn.functional.conv2d",
    "nn.functional.cross_entropy", "nn.functional.embedding", "nn.functional.gelu", "nn.functional.interpolate/bilinear",
    "nn.functional.layer_norm", "nn.functional.max_pool2d", "permute", "pow",
    "scatter", "softmax", "sort", "std", "topk", "tril", "where",
)]  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_shapes_and_dtypes_on_the_meta_device_are_those_that_values_would_have(name: str, database: Any) -> None:
    from tests.engine.coverage import operators

    info = database("operators")[name]
    tried = 0
    for sample in list(info.sample_inputs("cpu", torch.float64, requires_grad=True))[:3]:
        given = operators.translate((sample.input, sample.args, sample.kwargs), [])
        call = operators.counterpart(info)
        real = list(operators.plain(call(given[0], *given[1], **given[2])))
        if "max_norm" in given[2]:
            continue  # which looks at values
        given = on_meta(given)
        made = list(operators.plain(call(given[0], *given[1], **given[2])))
        facts = [(t.shape, t.dtype, t.requires_grad) for t in real if isinstance(t, engine.Tensor)]
        assert [(t.shape, t.dtype, t.requires_grad) for t in made if isinstance(t, engine.Tensor)] == facts
        assert all(t.is_meta for t in made if isinstance(t, engine.Tensor))
        for t in made:
            if isinstance(t, engine.Tensor) and t.requires_grad:
                t.sum().backward(retain_graph=True)
        tried += 1
    assert tried


ATTACKS = (
    "t.numpy()", "t.__array__()", "np.asarray(t)", "np.add(t, 1)", "memoryview(t)", "t.tolist()", "t._array", "t.parts",
    "t.view(torch.float32)._array",
)  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("made", ["torch.ones(2, 2, device='meta')", "torch.eye(2).to_sparse()"])
def test_no_program_gets_hold_of_a_stand_in(made: str, attack: str) -> None:
    found = run(f"import numpy as np\nimport torch\nt = {made}\nprint(type({attack}))\n")
    assert found.status in ("error", "policy")
