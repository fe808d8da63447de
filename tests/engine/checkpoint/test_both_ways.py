"""A checkpoint written here loads in PyTorch, and one written there loads here: the same values, memory, classes and errors."""

from __future__ import annotations

import contextlib
import io
import pickle
import warnings
import zipfile
from collections import Counter, OrderedDict, defaultdict, deque
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from tests.thorough import examples

torch = pytest.importorskip("torch")

WAYS = [pytest.param(engine, torch, id="to PyTorch"), pytest.param(torch, engine, id="from PyTorch")]
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")


def carried(writes: Any, reads: Any, thing: Any, **options: Any) -> Any:
    """What comes back of a thing that one saves and the other loads."""
    file = io.BytesIO()
    writes.save(thing, file)
    file.seek(0)
    return reads.load(file, **options)


def plain(thing: Any) -> Any:
    """A thing by its values, whoever's it is."""
    if type(thing).__name__ in ("Tensor", "Parameter"):
        # NumPy's strides of what has no elements are other ones.
        strides = thing.stride() if thing.numel() else ()
        about = str(thing.dtype), tuple(thing.shape), strides, thing.requires_grad, type(thing).__name__
        return *about, thing.detach().numpy().tobytes()
    if isinstance(thing, (dict, OrderedDict)):
        return type(thing).__name__, [(plain(k), plain(v)) for k, v in thing.items()], plain(getattr(thing, "_metadata", None))
    if isinstance(thing, (list, tuple, deque)):
        return type(thing).__name__, [plain(part) for part in thing]
    if isinstance(thing, np.ndarray):
        return str(thing.dtype), thing.shape, thing.tobytes()
    return repr(thing)


# --- tensors ------------------------------------------------------------------------------------------------------------------


@st.composite
def tensors(draw: st.DrawFn) -> Any:
    """What makes a tensor, or several that share memory, in either."""
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(st.lists(st.integers(0, 4), max_size=3).map(tuple))
    steps = draw(st.lists(st.sampled_from(("t", "part", "flip0", "expand", "grad", "parameter")), max_size=3))

    def make(t: Any) -> Any:
        n = int(np.prod(shape))
        x = t.tensor((np.arange(n) % 7).reshape(shape).astype(dtype), dtype=getattr(t, dtype))
        views = [x]
        for step in steps:
            y = views[-1]
            if step == "t" and y.dim() == 2:
                views.append(y.t())
            elif step == "part" and y.dim() and y.shape[0] > 1:
                views.append(y[1:])
            elif step == "flip0" and y.dim() > 1:
                views.append(y.transpose(0, -1))
            elif step == "expand" and y.dim() == 1 and y.shape[0]:
                views.append(y[:1].expand(3))
            elif step == "grad" and dtype.startswith("float"):
                views.append(t.ones(2, dtype=getattr(t, dtype), requires_grad=True))
            elif step == "parameter" and dtype.startswith("float"):
                views.append(t.nn.Parameter(t.ones(2, dtype=getattr(t, dtype))))
        return views

    return make


THINGS = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text(max_size=5),
        st.binary(min_size=1, max_size=5),
        st.sampled_from([Counter("aab"), {1, 2}, bytearray(b"x"), 2 - 1j]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.dictionaries(st.integers(-300, 70000), inner, max_size=3).map(OrderedDict),
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize(("writes", "reads"), WAYS)
@given(make=tensors(), beside=THINGS)
@settings(max_examples=examples(60), deadline=None)
def test_tensors_and_containers_come_as_they_were(writes: Any, reads: Any, make: Any, beside: Any) -> None:
    thing = {"tensors": make(writes), "beside": beside}
    found = carried(writes, reads, thing)
    assert plain(found) == plain(thing)
    for a, b in zip(thing["tensors"], found["tensors"], strict=True):
        if a.numel():
            # What looks into the same memory still does.
            starts = [x.data_ptr() - y[0].data_ptr() for x, y in ((a, thing["tensors"]), (b, found["tensors"]))]
            if not a.requires_grad:
                assert starts[0] == starts[1]


@pytest.mark.parametrize(("writes", "reads"), WAYS)
def test_shared_memory_is_kept_and_written_once(writes: Any, reads: Any) -> None:
    x = writes.arange(12.0).view(3, 4)
    file = io.BytesIO()
    writes.save([x, x.t(), x[1:, ::2], x[0]], file)
    names = zipfile.ZipFile(file).namelist()
    assert [n for n in names if "/data/" in n] == ["archive/data/0"]
    file.seek(0)
    whole, turned, part, row = reads.load(file)
    whole.mul_(0).add_(5)
    assert turned.sum().item() == 60
    assert part.tolist() == [[5.0, 5.0], [5.0, 5.0]]
    assert row.tolist() == [5.0] * 4
    assert part.stride() == (4, 2)


@pytest.mark.parametrize(("writes", "reads"), WAYS)
def test_attributes_of_a_tensor_stay(writes: Any, reads: Any) -> None:
    x = writes.ones(2, requires_grad=True)
    x.note = {"a": 1}
    p = writes.nn.Parameter(writes.ones(1), requires_grad=False)
    p.tag = "frozen"
    found, parameter = carried(writes, reads, [x, p])
    assert found.note == {"a": 1}
    assert found.requires_grad
    assert (type(parameter).__name__, parameter.requires_grad, parameter.tag) == ("Parameter", False, "frozen")


@pytest.mark.parametrize(("writes", "reads"), WAYS)
def test_other_things_need_more_than_data(writes: Any, reads: Any) -> None:
    thing = [
        np.arange(6.0).reshape(2, 3).T, np.float32(2), np.array(["a", "bc"]), np.array([True]), np.dtype("int16"),
        frozenset([3]), range(3), slice(1, 2), defaultdict(list, a=[1]), deque([1, 2], 5), writes.float64, writes.Size([2, 3]),
        writes.device("cpu"), writes.strided,
    ]  # fmt: skip
    assert plain(carried(writes, reads, thing, weights_only=False)) == plain(thing)
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global by default"):
        carried(writes, reads, thing)


def test_sizes_dtypes_devices_and_layouts_are_data() -> None:
    for writes, reads in ((engine, torch), (torch, engine)):
        thing = [writes.Size([2, 3]), writes.int32, writes.device("cpu", 0), writes.strided]
        assert plain(carried(writes, reads, thing)) == plain(thing)


# --- modules and what trains them ---------------------------------------------------------------------------------------------

MODULES = {
    "linear": lambda t: t.nn.Linear(2, 3),
    "tower": lambda t: t.nn.Sequential(
        t.nn.Conv2d(1, 2, 3), t.nn.BatchNorm2d(2), t.nn.LeakyReLU(0.3), t.nn.Flatten(), t.nn.Dropout(0.1)
    ),
    "lstm": lambda t: t.nn.LSTM(2, 3, num_layers=2, bidirectional=True),
    "attention": lambda t: t.nn.MultiheadAttention(4, 2),
    "encoder": lambda t: t.nn.TransformerEncoder(t.nn.TransformerEncoderLayer(4, 2, 8), 2, enable_nested_tensor=False),
    "embedding": lambda t: t.nn.Embedding(5, 2, padding_idx=0),
    "lists": lambda t: t.nn.ModuleDict(
        {"a": t.nn.ModuleList([t.nn.Linear(1, 1)]), "b": t.nn.ParameterList([t.nn.Parameter(t.ones(1))])}
    ),
    "group norm": lambda t: t.nn.GroupNorm(2, 4),
    "loss": lambda t: t.nn.CrossEntropyLoss(weight=t.tensor([1.0, 2.0])),
}  # fmt: skip


@pytest.mark.parametrize(("writes", "reads"), WAYS)
@pytest.mark.parametrize("kind", MODULES)
def test_a_state_dict_is_an_ordered_dict_that_loads_in_the_other(writes: Any, reads: Any, kind: str) -> None:
    model = MODULES[kind](writes)
    state = model.state_dict()
    assert type(state) is OrderedDict
    found = carried(writes, reads, state)
    assert type(found) is OrderedDict
    assert plain(found) == plain(state)
    twin = MODULES[kind](reads)
    assert str(twin.load_state_dict(found)) == "<All keys matched successfully>"
    assert plain(twin.state_dict()) == plain(state)


KINDS = [n for n in sorted(dir(torch.nn)) if isinstance(k := getattr(torch.nn, n), type) and issubclass(k, torch.nn.Module)]
ARGUMENTS = ((), (2,), (2, 3), (2, 2, 1), (4, 2), (2, 4, 6))
LEFT_OUT = ("Lazy", "LinearCrossEntropyLoss")
"""Modules that PyTorch keeps hooks of its own in, and one that has other attributes."""


def made(t: ModuleType, kind: str) -> Any:
    """A module of that kind, with the first arguments that it takes."""
    for arguments in ARGUMENTS:
        with warnings.catch_warnings(), contextlib.suppress(TypeError, ValueError, AssertionError, RuntimeError, KeyError):
            warnings.simplefilter("ignore")
            return getattr(t.nn, kind)(*arguments)
    return None


WHOLE = [k for k in KINDS if hasattr(engine.nn, k) and not k.startswith(LEFT_OUT) and made(torch, k) is not None]


def test_there_are_many_kinds_of_modules() -> None:
    assert len(WHOLE) > 130


@pytest.mark.parametrize(("writes", "reads"), WAYS)
@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_module_goes_to_the_other_with_its_attributes(writes: Any, reads: Any, kind: str) -> None:
    model, other = made(writes, kind), made(reads, kind)
    found = carried(writes, reads, model, weights_only=False)
    assert type(found) is type(other)
    assert vars(found).keys() >= vars(other).keys()
    if reads is torch:
        assert vars(found).keys() == vars(other).keys()
    assert repr(found) == repr(model)
    assert plain(found.state_dict()) == plain(model.state_dict())
    if hasattr(other, "_settings"):
        assert set(found._settings) == set(other._settings)


@pytest.mark.parametrize(("writes", "reads"), WAYS)
@pytest.mark.parametrize("kind", MODULES)
def test_modules_in_modules_go_to_the_other(writes: Any, reads: Any, kind: str) -> None:
    model = MODULES[kind](writes)
    found = carried(writes, reads, model, weights_only=False)
    assert repr(found) == repr(model)
    assert plain(found.state_dict()) == plain(model.state_dict())


def test_a_module_that_came_over_computes_the_same() -> None:
    for writes, reads in ((engine, torch), (torch, engine)):
        model = MODULES["tower"](writes).eval()
        found = carried(writes, reads, model, weights_only=False)
        x = np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)
        np.testing.assert_allclose(found(reads.tensor(x)).detach().numpy(), model(writes.tensor(x)).detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize(("writes", "reads"), WAYS)
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS"])
def test_training_goes_on_in_the_other(writes: Any, reads: Any, kind: str) -> None:
    def begun(t: Any) -> tuple[Any, Any, Any]:
        t.manual_seed(0)
        model = t.nn.Linear(2, 1)
        options = {"momentum": 0.9} if kind == "SGD" else {}
        optimizer = getattr(t.optim, kind)(model.parameters(), lr=0.1, **options)
        return model, optimizer, t.optim.lr_scheduler.StepLR(optimizer, 2)

    def train(t: Any, model: Any, optimizer: Any, schedule: Any, steps: int) -> None:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = model(t.tensor([[1.0, 2.0], [3.0, 1.0]])).square().sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)
            schedule.step()

    here = begun(writes)
    train(writes, *here, 3)
    kept = {n: part.state_dict() for n, part in zip(("model", "optimizer", "schedule"), here, strict=True)}
    found = carried(writes, reads, kept)
    there = begun(reads)
    for n, part in zip(found, there, strict=True):
        part.load_state_dict(found[n])
    train(writes, *here, 2)
    train(reads, *there, 2)
    for p, q in zip(here[0].parameters(), there[0].parameters(), strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-4, atol=1e-6)


# --- generators -------------------------------------------------------------------------------------------------------------

DRAWS = {
    "nothing": lambda t: None,
    "uniform numbers": lambda t: t.rand(3),
    "an odd number of normal ones": lambda t: t.randn(3),
    "a whole block": lambda t: t.rand(624),
    "more than a block": lambda t: t.rand(700),
    "many normal ones": lambda t: t.randn(1000),
}


@pytest.mark.parametrize("drawn", DRAWS)
@pytest.mark.parametrize("seed", [5, 2**40 + 7])
def test_the_state_of_a_generator_is_pytorchs_byte_for_byte(drawn: str, seed: int) -> None:
    states = []
    for t in (engine, torch):
        t.manual_seed(seed)
        DRAWS[drawn](t)
        states.append(t.get_rng_state())
    ours, theirs = states
    assert ours.numpy().tobytes() == theirs.numpy().tobytes()
    for writes, reads, state in ((engine, torch, ours), (torch, engine, theirs)):
        reads.manual_seed(1)
        reads.set_rng_state(carried(writes, reads, state))
        writes.set_rng_state(state)
        assert reads.initial_seed() == seed
        assert reads.randn(5).tolist() == writes.randn(5).tolist()


@pytest.mark.parametrize("size", [10, 5048, 5056])
def test_a_state_that_is_none_is_refused_in_pytorchs_words(size: int) -> None:
    said = []
    for t in (engine, torch):
        with pytest.raises(RuntimeError) as raised:
            t.set_rng_state(t.full((size,), 255, dtype=t.uint8))
        said.append(str(raised.value))
        with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
            t.set_rng_state(t.ones(5056))
    assert said[0] == said[1]


@pytest.mark.parametrize(("writes", "reads"), WAYS)
def test_a_generator_goes_on_in_the_other(writes: Any, reads: Any) -> None:
    generator = writes.Generator().manual_seed(3)
    writes.rand(5, generator=generator)
    found = carried(writes, reads, generator, weights_only=False)
    assert reads.rand(3, generator=found).tolist() == writes.rand(3, generator=generator).tolist()


# --- formats ----------------------------------------------------------------------------------------------------------------


def test_the_entries_of_an_archive_are_pytorchs() -> None:
    found = []
    for t in (engine, torch):
        file = io.BytesIO()
        t.save(OrderedDict(a=t.ones(3), b=t.zeros(2)), file)
        with zipfile.ZipFile(file) as archive:
            assert archive.testzip() is None
            infos = archive.infolist()
            data = [
                i.header_offset
                + 30
                + len(i.filename)
                + int.from_bytes(file.getvalue()[i.header_offset + 28 : i.header_offset + 30], "little")
                for i in infos
            ]
            found.append([(i.filename, i.compress_type, at % 64) for i, at in zip(infos, data, strict=True)])
            found[-1].append(
                [
                    archive.read(f"archive/{n}")
                    for n in (".format_version", ".storage_alignment", "byteorder", "version", "data/0", "data.pkl")
                ]
            )
    assert found[0] == found[1]


def test_a_file_with_a_name_has_its_folder_and_is_mapped(tmp_path: Path) -> None:
    engine.save({"x": engine.arange(5.0)}, tmp_path / "model.pt")
    with zipfile.ZipFile(tmp_path / "model.pt") as archive:
        assert "model/data.pkl" in archive.namelist()
    for options in ({}, {"mmap": True}, {"map_location": "cpu"}):
        for t in (engine, torch):
            assert t.load(tmp_path / "model.pt", **options)["x"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_the_older_format_is_read_and_several_stand_in_one_file() -> None:
    x = torch.arange(6.0).view(2, 3)
    file = io.BytesIO()
    torch.save({"x": x, "y": x.t(), "p": torch.nn.Parameter(x[0])}, file, _use_new_zipfile_serialization=False)
    torch.save([torch.ones(2, dtype=torch.int16)], file, _use_new_zipfile_serialization=False)
    file.seek(0)
    first, second = engine.load(file), engine.load(file)
    assert plain(first) == plain({"x": x, "y": x.t(), "p": torch.nn.Parameter(x[0])})
    first["x"].zero_()
    assert first["y"].sum().item() == 0
    assert plain(second) == plain([torch.ones(2, dtype=torch.int16)])


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize(("writes", "reads"), WAYS)
def test_other_protocols_are_read(writes: Any, reads: Any, protocol: int) -> None:
    file = io.BytesIO()
    thing = {"x": writes.ones(2), "b": b"x", "s": {1}, "t": "é" * 300}
    writes.save(thing, file, pickle_protocol=protocol)
    file.seek(0)
    assert plain(reads.load(file, weights_only=False)) == plain(thing)


def test_an_archive_that_was_packed_again_is_read() -> None:
    file = io.BytesIO()
    torch.save({"x": torch.zeros(1000)}, file)
    again = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert len(again.getvalue()) < 3000
    again.seek(0)
    assert engine.load(again)["x"].shape == (1000,)


def test_bytes_in_the_other_order_are_turned() -> None:
    file = io.BytesIO()
    torch.save([torch.tensor([1.5, -2.0]), torch.tensor([258], dtype=torch.int16)], file)
    big = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(big, "w") as new:
        for name in old.namelist():
            data = b"big" if name.endswith("byteorder") else old.read(name)
            if "/data/" in name:
                width = 4 if name.endswith("0") else 2
                data = b"".join(data[k : k + width][::-1] for k in range(0, len(data), width))
            new.writestr(name, data)
    big.seek(0)
    assert [x.tolist() for x in engine.load(big)] == [[1.5, -2.0], [258]]


# --- what is refused, and how -------------------------------------------------------------------------------------------------


class Local:
    """A class that a checkpoint may not name."""


def said(t: ModuleType, code: Any) -> tuple[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code(t)
        except Exception as error:
            return type(error).__name__, str(error)
    return "", ""


def saved(thing: Any) -> bytes:
    file = io.BytesIO()
    torch.save(thing, file)
    return file.getvalue()


def loads(data: bytes, **options: Any) -> Any:
    return lambda t: t.load(io.BytesIO(data), **options)


REFUSED = {
    "a class": loads(saved(Local())),
    "a function": loads(saved({"f": plain})),
    "a built-in function": loads(saved([len])),
    "a blocked module": loads(b"\x80\x02cposix\nsystem\nq\x00."),
    "an opcode": loads(b"\x80\x02P1\n."),
    "nothing": loads(b""),
    "nothing, as anything": loads(b"", weights_only=False),
    "text": loads(b"hello"),
    "another pickle": loads(pickle.dumps(3, 2)),
    "a place": loads(saved(torch.ones(1)), map_location="cuda:0"),
    "a place that is none": loads(saved(torch.ones(1)), map_location="nowhere"),
    "a place by a dict": loads(saved(torch.ones(1)), map_location={"cpu": "cuda"}),
    "a map that cannot be called": loads(saved(torch.ones(1)), map_location=5),
    "half an archive": loads(saved(torch.ones(1))[:-30]),
    "no file": lambda t: t.load("there is no such file"),
    "a number to write to": lambda t: t.save(1, 5),
    "two types of one memory": lambda t: t.save(
        [x := t.from_numpy(np.ones(4)), t.from_numpy(x.numpy().view("i8"))], io.BytesIO()
    ),
    "a local function": lambda t: t.save(lambda: 0, io.BytesIO()),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_refused_in_pytorchs_words(what: str) -> None:
    ours, theirs = said(engine, REFUSED[what]), said(torch, REFUSED[what])
    assert theirs[0]
    if what == "a local function":
        assert ours[0] == theirs[0]
        return
    assert ours == theirs


def test_a_map_by_a_function_is_asked_for_every_memory() -> None:
    data = saved([torch.ones(2), torch.zeros(3)])
    asked = []
    for t in (engine, torch):
        found = t.load(io.BytesIO(data), map_location=lambda storage, where: asked.append((len(storage), where)) or storage)
        assert [x.tolist() for x in found] == [[1.0, 1.0], [0.0, 0.0, 0.0]]
    assert asked[:2] == asked[2:] == [(8, "cpu"), (12, "cpu")]


@pytest.mark.parametrize("dtype", ["bfloat16", "complex64", "complex128", "uint16", "float8_e5m2"])
def test_a_dtype_that_is_not_here_is_named(dtype: str) -> None:
    if any(d.name == dtype for d in engine.dtypes.ALL):
        assert str(engine.load(io.BytesIO(saved(torch.ones(2).to(getattr(torch, dtype))))).dtype) == f"torch.{dtype}"
        return
    with pytest.raises(NotImplementedError, match=f"a tensor of torch.{dtype}, which Gradtape does not have"):
        engine.load(io.BytesIO(saved(torch.ones(2).to(getattr(torch, dtype)))))
