"""Classes say that they stand where PyTorch's do, are called with the same arguments, and are found again in a pickle."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import engine
import gradtape
from tests.engine.oracle import outcome

torch = pytest.importorskip("torch")

ROOT = Path(engine.__file__).parent.parent
ROOMS = ("nn", "nn.parameter", "nn.utils.rnn", "optim", "optim.lr_scheduler", "optim.swa_utils", "utils.data")


def room(t: ModuleType, name: str) -> ModuleType:
    return import_module(f"{t.__name__}.{name}")


CLASSES = [
    (name, kind)
    for name in ROOMS
    for kind in sorted(dir(room(torch, name)))
    if kind[0] != "_" and isinstance(getattr(room(torch, name), kind), type) and hasattr(room(engine, name), kind)
]


def test_there_are_many() -> None:
    assert len(CLASSES) > 220
    assert len({name for name, _ in CLASSES}) == len(ROOMS)


@pytest.mark.parametrize(("name", "kind"), CLASSES)
@pytest.mark.parametrize("ours", [engine, gradtape.engine], ids=lambda t: t.__name__)
def test_a_class_says_that_it_stands_where_pytorchs_does(ours: ModuleType, name: str, kind: str) -> None:
    assert str(getattr(room(ours, name), kind)) == str(getattr(room(torch, name), kind))


def called(function: Any) -> list[tuple[str, Any, str]]:
    """Names, kinds and defaults of arguments; of a function that is a default, its name."""
    found = inspect.signature(function).parameters.values()
    return [(p.name, p.kind, getattr(p.default, "__name__", repr(p.default))) for p in found]


@pytest.mark.parametrize(("name", "kind"), [pair for pair in CLASSES if pair[1] != "Tensor"])
def test_a_class_is_called_with_the_arguments_of_pytorchs(name: str, kind: str) -> None:
    ours, theirs = (getattr(room(t, name), kind) for t in (engine, torch))
    assert called(ours) == called(theirs)
    if not issubclass(theirs, torch.Tensor):
        # As Python names it in an error about arguments.
        assert ours.__init__.__qualname__ == theirs.__init__.__qualname__


@pytest.mark.parametrize(
    "kind", [kind for name, kind in CLASSES if name == "nn" and hasattr(getattr(torch.nn, kind), "forward")]
)
def test_a_module_is_called_with_the_arguments_of_pytorchs(kind: str) -> None:
    ours, theirs = (getattr(t.nn, kind).forward for t in (engine, torch))
    assert called(ours) == called(theirs)
    assert ours.__qualname__.rpartition("Module.")[2] == theirs.__qualname__


def things(t: Any) -> dict[str, Any]:
    """One of each kind that a program may want to keep."""
    model = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3), t.nn.LSTMCell(3, 2))
    optimizer = t.optim.Adam(model.parameters())
    for p in model.parameters():
        p.grad = t.ones_like(p)
    optimizer.step()
    data = room(t, "utils.data")
    return {
        "model": model,
        "optimizer": optimizer,
        "schedule": t.optim.lr_scheduler.StepLR(optimizer, 2),
        "average": room(t, "optim.swa_utils").AveragedModel(model),
        "dataset": data.TensorDataset(t.ones(2, 3)),
        "loader": data.DataLoader(data.TensorDataset(t.ones(2, 3))),
        "packed": room(t, "nn.utils.rnn").pack_sequence([t.ones(2, 1)]),
        "lazy": t.nn.LazyLinear(3),
    }


def pickled(t: ModuleType, thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def saved(t: Any, thing: Any) -> Any:
    file = io.BytesIO()
    t.save(thing, file)
    file.seek(0)
    return t.load(file, weights_only=False)


def kept(thing: Any) -> set[str]:
    """The names of an object's attributes; that a schedule watches an optimizer is forgotten, as in PyTorch."""
    return set(getattr(thing, "__dict__", ())) - {"step", "_opt_called"}


KEPT = [k for k in things(engine) if k != "lazy"]


@pytest.mark.parametrize("way", [pickled, saved, lambda t, thing: copy.copy(thing), lambda t, thing: copy.deepcopy(thing)])
@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("t", [engine, gradtape.engine], ids=lambda t: t.__name__)
def test_what_is_pickled_comes_back(t: Any, name: str, way: Any) -> None:
    thing = things(t)[name]
    found = way(t, thing)
    assert type(found) is type(thing)
    assert kept(found) == kept(thing)
    if hasattr(thing, "state_dict"):
        assert str(found.state_dict()) == str(thing.state_dict())


@pytest.mark.parametrize("reads", [engine, gradtape.engine], ids=lambda t: t.__name__)
@pytest.mark.parametrize("writes", [engine, gradtape.engine], ids=lambda t: t.__name__)
def test_a_file_holds_classes_and_what_has_no_shape_yet_and_either_engine_reads_it(writes: Any, reads: Any) -> None:
    file = io.BytesIO()
    writes.save({"kind": writes.optim.SGD, "layer": writes.nn.Linear, "lazy": writes.nn.LazyLinear(3)}, file)
    file.seek(0)
    found = reads.load(file, weights_only=False)
    assert found["kind"] is reads.optim.SGD
    assert found["layer"] is reads.nn.Linear
    assert found["lazy"](reads.ones(1, 2)).shape == (1, 3)


def test_a_process_that_has_not_used_the_engine_yet_finds_the_classes() -> None:
    written = pickle.dumps({name: thing for name, thing in things(engine).items() if name in KEPT})
    reads = "import pickle, sys; print(sorted(pickle.load(sys.stdin.buffer)))"
    ran = subprocess.run([sys.executable, "-c", reads], input=written, capture_output=True, check=True, cwd=ROOT)
    assert ran.stdout.decode().strip() == str(sorted(KEPT))


@pytest.mark.parametrize(
    "file", ["engine.optim.adam\nAdamW", "engine.utils.data.dataset\nTensorDataset", "engine.nn.utils.rnn\nPackedSequence"]
)
def test_what_named_a_class_by_its_file_here_is_still_read(file: str) -> None:
    kind = pickle.loads(b"c" + file.encode() + b"\n.")
    assert kind.__name__ == file.partition("\n")[2]
    assert kind.__module__.startswith("torch.")


def test_where_only_data_is_expected_a_model_is_refused_in_pytorchs_words() -> None:
    for t in (engine, torch):
        file = io.BytesIO()
        t.save(t.nn.Linear(2, 3), file)
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL torch\.nn\.modules\.linear\.Linear was not an allowed"):
            t.load(file, weights_only=True)


@pytest.mark.parametrize(
    "code",
    [
        lambda t: t.nn.Module().add_module("a", t.optim.SGD([t.ones(1, requires_grad=True)])),
        lambda t: t.nn.Module().register_buffer("a", t.nn.ReLU()),
        lambda t: t.optim.SGD([t.ones(1, requires_grad=True), t.nn.ReLU()]),
        lambda t: t.optim.SGD([t.ones(1, requires_grad=True), t.nn.ReLU]),
        lambda t: t.optim.SGD(t.ones(1)),
        lambda t: t.nn.Conv2d(3, 16),
        lambda t: t.nn.MaxPool2d(),
        lambda t: t.nn.LazyConv1d(),
        lambda t: t.optim.lr_scheduler.LambdaLR(),
        lambda t: t.nn.LogSigmoid(1),
        lambda t: t.nn.CrossEntropyLoss()(t.ones(2, 3)),
        lambda t: t.nn.BCELoss()(t.ones(2), t.ones(2), t.ones(2)),
        lambda t: t.nn.Dropout(0.5)(t.ones(2), 0.9),
        lambda t: t.nn.Conv2d(1, 1, 1)(),
        lambda t: t.nn.Softmax(dim=0)(t.ones(2), dim=0),
        lambda t: t.nn.Softsign(dim=1),
        lambda t: t.nn.L1Loss(weight=None),
        lambda t: t.nn.ReLU(dim=1),
    ],
)
def test_errors_name_types_as_pytorchs_do(code: Any) -> None:
    ours = outcome(engine, code)
    assert ours[0]
    assert ours == outcome(torch, code)


@pytest.mark.parametrize("name", ["Size", "device", "dtype", "finfo", "iinfo", "layout", "memory_format"])
def test_what_pytorch_has_in_cpp_is_not_inherited_from(name: str) -> None:
    inherited, made = [], []
    for t in (torch, engine):
        with pytest.raises(TypeError) as said:
            type("Own", (getattr(t, name),), {})
        inherited.append(str(said.value))
        try:
            getattr(t, name)("x")
        except TypeError as error:
            made.append(str(error) if "instances" in str(error) else "")
        except RuntimeError:
            made.append("")
        else:
            made.append("")
    assert inherited[0] == inherited[1]
    assert made[0] == made[1]
