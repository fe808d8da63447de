"""The engine is the same under both of its names: its own, and `gradtape.engine`, which it has in somebody's program."""

from __future__ import annotations

import ast
import io
import warnings
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import engine
import gradtape

ENGINE = Path(engine.__file__).parent
BOTH = (engine, gradtape.engine)
IN_OUR_PROCESSES = {
    "engine.sandbox.processes.child", "engine.sandbox.processes.callee", "engine.opening:program", "engine.opening:recording",
    "engine.export.figures.drawing:figure", "engine.export.isolated:file", "engine.rank_files:answer",
}  # fmt: skip
"""What the sandbox's processes are told to load: they are Gradtape's own wherever they are started."""


def test_in_a_checkout_both_names_lead_to_the_same_files() -> None:
    assert gradtape.engine is import_module("gradtape.engine") is not engine
    assert gradtape.engine.__file__ == engine.__file__
    with pytest.raises(AttributeError):
        gradtape.nothing  # noqa: B018


@pytest.mark.thorough
def test_no_module_of_the_engine_takes_another_engine_for_it() -> None:
    for path in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    assert not [each.name for each in names if each.name.partition(".")[0] == "engine"], (
                        f"{path}: `from . import`"
                    )
                case ast.ImportFrom(level=0, module=str(name)):
                    assert name.partition(".")[0] != "engine", f"{path}: say `from .` instead"
                case ast.Constant(value=str(text)) if text.startswith("engine.") and " " not in text:
                    known = text in IN_OUR_PROCESSES or path.name == "serialization.py"
                    assert known, f"{path}: `engine.itself` says what the engine is called"


def test_operations_are_read_alike() -> None:
    tables = [import_module(".op.declare", torch.__name__).TABLE for torch in BOTH]
    names = sorted(tables[0].keys() & tables[1].keys())  # other tests declare some of their own
    assert len(names) > 400

    def texts(torch: ModuleType, table: dict[str, Any]) -> dict[str, list[tuple[object, ...]]]:
        read = import_module(".op.symbolic", torch.__name__).rule_texts
        return {name: [astuple(text) for text in read(table[name])] for name in names[::10]}

    assert texts(BOTH[0], tables[0]) == texts(BOTH[1], tables[1])


@pytest.mark.parametrize("reads", BOTH, ids=lambda torch: torch.__name__)
@pytest.mark.parametrize("writes", BOTH, ids=lambda torch: torch.__name__)
@pytest.mark.parametrize("weights_only", [True, False])
def test_what_one_has_saved_the_other_loads(writes: ModuleType, reads: ModuleType, weights_only: bool) -> None:
    file = io.BytesIO()
    layer = writes.nn.Linear(2, 3)
    writes.save({"weights": layer.state_dict(), "parameter": layer.bias, "dtype": writes.float64}, file)
    file.seek(0)
    found = reads.load(file, weights_only=weights_only)
    assert type(found["weights"]["weight"]) is reads.Tensor
    assert found["weights"]["weight"].tolist() == layer.weight.tolist()
    assert type(found["parameter"]) is reads.nn.Parameter
    assert found["dtype"] is reads.float64


@pytest.mark.parametrize("torch", BOTH, ids=lambda torch: torch.__name__)
def test_a_warning_points_at_whoever_called(torch: ModuleType) -> None:
    x = torch.ones(1, requires_grad=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        (x * x).sum().backward(create_graph=True)
        torch.set_warn_always(False)
    x.grad = None
    assert {each.filename for each in told} == {__file__}
