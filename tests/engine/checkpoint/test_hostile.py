"""Checkpoints from strangers: whatever stands in them ends in a clean error, within its bounds, and runs nothing."""

from __future__ import annotations

import io
import pickle
import random
import struct
import time
import tracemalloc
import warnings
import zipfile
import zlib
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import engine
from engine import limits
from engine.checkpoint import archive, safetensors, torch_files
from engine.checkpoint.objects import Anything, Library, Objects
from engine.checkpoint.pickling import Writer
from engine.checkpoint.unpickling import Reader
from engine.tensor import Tensor

CLEAN = (
    RuntimeError, ValueError, TypeError, KeyError, AttributeError, EOFError, pickle.UnpicklingError, NotImplementedError,
    safetensors.SafetensorError, OverflowError,
)  # fmt: skip
"""What a damaged file may end in: errors of what reads it, never Python's own of running out of something."""
TENSOR = "torch._utils\n_rebuild_tensor_v2\n"


def saved(thing: Any) -> bytes:
    file = io.BytesIO()
    engine.save(thing, file)
    return file.getvalue()


def model() -> Any:
    net = engine.nn.Sequential(engine.nn.Linear(3, 4), engine.nn.BatchNorm1d(4))
    optimizer = engine.optim.Adam(net.parameters())
    net(engine.ones(2, 3)).sum().backward()
    optimizer.step()
    return net, optimizer


def data_only() -> dict[str, Any]:
    net, optimizer = model()
    return {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "names": ["a", ("b", 1.5)]}


def packed(pickled: bytes, **entries: bytes) -> bytes:
    """An archive with this pickle."""
    more = [(f"data/{key.removeprefix('d')}", data) for key, data in entries.items()]
    return archive.written("archive", [("data.pkl", pickled), ("byteorder", b"little"), *more, ("version", b"3\n")])


def loaded(data: bytes, objects: Objects | None = None) -> Any:
    return torch_files.loaded(data, objects or Anything())[0]


# --- mutations --------------------------------------------------------------------------------------------------------------


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with some of them changed, taken out, doubled, or cut off."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed) or 1)
        way = rng.randrange(5)
        if way == 0 and changed:
            changed[at] = rng.randrange(256)
        elif way == 1:
            del changed[at : at + rng.randint(1, 9)]
        elif way == 2:
            changed[at:at] = changed[at : at + rng.randint(1, 30)]
        elif way == 3:
            changed[at : at + 4] = rng.choice(
                (b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80")
            )
        else:
            changed[at : at + 1] = rng.choice((b"R", b"b", b"\x81", b"Q", b"(", b"t", b"2", b"0", b"1", b"u", b"e", b"h\x01"))
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.1 else changed)


def check(thing: Any, deep: int = 0) -> None:
    """Every tensor that came of a damaged file looks into memory that is there."""
    if isinstance(thing, Tensor):
        array = thing._array
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        low, high = np.lib.array_utils.byte_bounds(array)
        first, last = np.lib.array_utils.byte_bounds(root)
        assert array.size == 0 or (first <= low and high <= last)
        float(np.nansum(array.astype(float)))
    elif isinstance(thing, dict) and deep < 20:
        for value in thing.values():
            check(value, deep + 1)
    elif isinstance(thing, (list, tuple)) and deep < 20:
        for value in thing:
            check(value, deep + 1)


def begun() -> dict[str, tuple[bytes, Any]]:
    """Files of every kind, and what reads them."""
    net, optimizer = model()
    state = data_only()
    many = {
        "x": engine.arange(12.0).view(3, 4).t(), "a": np.arange(5.0), "s": np.float32(1), "set": {1, 2}, "b": b"abc",
        "n": 2**80, "g": engine.Generator(), "p": engine.nn.Parameter(engine.ones(2)), "d": OrderedDict(a=(1, None, True)),
    }  # fmt: skip
    pickles = {p: torch_files.dumped(many, Anything(), p) for p in (0, 2, 4)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = torch_files.legacy_written(torch_files.memory_of(engine.ones(9).untyped_storage()), Objects())  # type: ignore[arg-type]
    with zipfile.ZipFile(io.BytesIO(saved(state))) as file:
        entries = {n.removeprefix("archive/"): file.read(n) for n in file.namelist()}
    kept = {f"d{n.removeprefix('data/')}": data for n, data in entries.items() if n.startswith("data/")}
    tensors = {"a": engine.ones(2, 3), "b": engine.arange(4), "c": engine.zeros(0)}
    return {
        "a checkpoint": (saved(state), lambda data: loaded(data, Objects())),
        "a checkpoint of everything": (saved([net, optimizer, many]), loaded),
        "its pickle": (entries.pop("data.pkl"), lambda data: loaded(packed(data, **kept))),
        "an older checkpoint": (memory, loaded),
        "a safetensors file": (safetensors.written(tensors, {"k": "v"}), safetensors.loaded),
        **{f"a pickle of protocol {p}": (data, lambda data: Reader(data, Anything()).load()) for p, data in pickles.items()},
    }


KINDS = sorted(begun())


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_end_in_clean_errors(kind: str) -> None:
    data, read = begun()[kind]
    check(read(data))
    rng = random.Random(kind)
    ends = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(1500):
            try:
                found = read(mutated(data, rng))
            except CLEAN:
                ends += 1
            else:
                check(found)
    assert ends > 100


@pytest.mark.parametrize("seed", range(3))
def test_opcodes_in_any_order_end_in_clean_errors(seed: int) -> None:
    from engine.checkpoint import unpickling

    rng = random.Random(seed)
    codes = [bytes([code]) for code, step in enumerate(unpickling._RUN) if step is not None]
    words = [
        b"ctorch._utils\n_rebuild_tensor_v2\n", b"ccollections\nOrderedDict\n", b"cnumpy\ndtype\n", b"cnumpy\nndarray\n",
        b"cnumpy._core.multiarray\n_reconstruct\n", b"ctorch._C\nGenerator\n", b"ctorch.nn.modules.linear\nLinear\n", b"K\x05",
        b"X\x02\x00\x00\x00ab", b"h\x00", b"q\x00", b"C\x03abc", b"X\x02\x00\x00\x00f4", b"J\xff\xff\xff\xff",
        b"ctorch\nfloat32\n", b"ctorch.storage\n_load_from_bytes\n", b"cbuiltins\nset\n", b"ccollections\ndefaultdict\n",
    ]  # fmt: skip
    for _ in range(4000):
        program = b"\x80\x02" + b"".join(rng.choice(words if rng.random() < 0.5 else codes) for _ in range(rng.randint(1, 14)))
        try:
            Reader(program + b".", Anything()).load()
        except CLEAN:
            continue


# --- what must not run ------------------------------------------------------------------------------------------------------

RUNS = {
    "a command": b"cos\nsystem\n(S'false'\ntR.",
    "a command by its other name": b"cposix\nsystem\n(X\x05\x00\x00\x00falsetR.",
    "a built-in": b"cbuiltins\neval\n(X\x01\x00\x00\x001tR.",
    "a built-in of Python 2": b"c__builtin__\nexec\n(X\x01\x00\x00\x001tR.",
    "a module": b"cimportlib\nimport_module\n(X\x02\x00\x00\x00ostR.",
    "an attribute": b"cbuiltins\ngetattr\n(cbuiltins\nint\nX\x07\x00\x00\x00__doc__tR.",
    "an attribute of an attribute": b"\x8c\x08builtins\x8c\x0bint.__doc__\x93.",
    "a subclass's list": b"\x8c\x08builtins\x8c\x15object.__subclasses__\x93.",
    "an old instance": b"(S'false'\nios\nsystem\n.",
    "an object of a class": b"csubprocess\nPopen\n(S'false'\ntR.",
    "an object made by a class": b"\x80\x02csubprocess\nPopen\n)\x81.",
    "a function of the engine": b"cengine.opening\nopened\n)R.",
    "a function of PyTorch's": b"ctorch.hub\nload\n)R.",
    "NumPy": b"cnumpy\nload\n(X\x01\x00\x00\x00xtR.",
    "NumPy's tests": b"cnumpy.testing._private.utils\nruncstring\n(X\x01\x00\x00\x00xtR.",
}  # fmt: skip


@pytest.mark.parametrize("objects", [Objects, Anything])
@pytest.mark.parametrize("what", RUNS)
def test_nothing_that_a_pickle_names_is_run(what: str, objects: Any) -> None:
    for read in (lambda: Reader(RUNS[what], objects()).load(), lambda: loaded(packed(RUNS[what]), objects())):
        with pytest.raises(pickle.UnpicklingError):
            read()


# --- tensors ----------------------------------------------------------------------------------------------------------------


def tensor(offset: int, size: Any, stride: Any, numel: int = 4, key: str = "0") -> bytes:
    """The pickle of a tensor in float32 that looks so into its memory."""
    id = ("storage", "@", key, "cpu", numel)
    pickled = pickle.dumps([id, offset, size, stride, False], 2)
    at = pickled.index(b"X\x01\x00\x00\x00@")
    parts = pickled[:at] + b"ctorch\nFloatStorage\n" + pickled[at + 6 :]
    # The list's items on the stack: the tuple becomes an id, and the rest the arguments of the function.
    reader: list[Any] = []
    found = Reader(parts, _Recording(reader)).load()
    out = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + _id(found[0]) + b"Q"
    for value in found[1:]:
        out += pickle.dumps(value, 2)[2:-1]
    return out + b"ccollections\nOrderedDict\n)RtR."


class _Recording(Objects):
    def __init__(self, kept: list[Any]) -> None:
        self.kept = kept


def _id(id: tuple[Any, ...]) -> bytes:
    out = b"("
    for part in id:
        out += b"ctorch\nFloatStorage\n" if not isinstance(part, (str, int)) else pickle.dumps(part, 2)[2:-1]
    return out + b"t"


def test_a_tensor_within_its_memory_is_read() -> None:
    found = loaded(packed(tensor(1, (3,), (1,)), d0=np.arange(4, dtype=np.float32).tobytes()))
    assert found.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("offset", "size", "stride"),
    [
        (0, (5,), (1,)), (1, (4,), (1,)), (4, (1,), (1,)), (-1, (2,), (1,)), (0, (2,), (4,)), (0, (2, 2), (2, 2)),
        (0, (-1,), (1,)), (3, (2,), (-1,)), (0, (2,), (2**62,)), (2**62, (1,), (1,)),
        (0, (2**40, 2**40), (0, 0)), (0, (2**63,), (0,)),
        (0, (1,) * 65, (1,) * 65), (0, (2,), (1, 1)), (0, (2.0,), (1,)), (0, (True,), (1,)), (0.0, (1,), (1,)), (0, [2], (1,)),
        (0, (2**31, 2**31), (0, 2**62)),
    ],
)  # fmt: skip
def test_a_tensor_beside_its_memory_is_refused(offset: Any, size: Any, stride: Any) -> None:
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        loaded(packed(tensor(offset, size, stride), d0=bytes(16)))


@pytest.mark.parametrize(("numel", "there"), [(4, 12), (4, 20), (2**40, 16), (-4, 16), (2**62, 16)])
def test_memory_is_as_long_as_it_says(numel: int, there: int) -> None:
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        loaded(packed(tensor(0, (1,), (1,), numel), d0=bytes(there)))


def test_memory_that_is_not_there_is_missed_in_pytorchs_words() -> None:
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed locating file data/7: file not found"):
        loaded(packed(tensor(0, (1,), (1,), key="7"), d0=bytes(16)))


# --- bombs ------------------------------------------------------------------------------------------------------------------


def test_an_archive_that_unfolds_without_end_is_refused_before_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("archive/data.pkl", bytes(60_000_000))
    tracemalloc.start()
    monkeypatch.setattr(limits, "CHECKPOINT", limits.Row("of data", 2**20, "", of="a checkpoint has", bytes=True))
    try:
        with pytest.raises(RuntimeError, match="a checkpoint has at most 1 MB of data"):
            loaded(file.getvalue())
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_an_entry_that_is_longer_than_it_says_is_refused() -> None:
    data = bytearray(packed(b"\x80\x02N."))
    deflated = zlib.compressobj(wbits=-15)
    body = deflated.compress(bytes(50_000_000)) + deflated.flush()
    name = b"archive/data.pkl"
    sum = zlib.crc32(b"abcd")
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 0, 0, 8, 0, 0, sum, len(body), 4, len(name), 0) + name + body
    entry = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 0, 0, 0, 8, 0, 0, sum, len(body), 4, len(name), 0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), len(local), 0)
    tracemalloc.start()
    with pytest.raises(RuntimeError, match="unexpected decompressed size"):
        loaded(local + entry + end)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert loaded(bytes(data)) is None


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CHECKPOINT_ENTRIES", limits.Row("entries", 3, "", of="a checkpoint has"))
    with pytest.raises(RuntimeError, match="a checkpoint has at most 3 entries"):
        loaded(packed(b"N.", d0=b"", d1=b""))


def test_a_short_pickle_does_not_unfold_without_end() -> None:
    """Ten containers, each twice in the next, as a key: hashing that takes two to the power of the number."""
    for program in (
        b"N" + b"2\x86" * 60 + b"q\x00}h\x00Ns.",
        b"N" + b"\x85" * 100_000 + b"q\x00}h\x00Ns.",
        b"N" + b"\x85" * 100_000 + b"q\x00\x8f(h\x00\x90.",
    ):
        began = time.process_time()
        with pytest.raises(pickle.UnpicklingError, match="a checkpoint has at most 10,000 parts of a key of a dict"):
            Reader(program, Anything()).load()
        assert time.process_time() - began < 5


def test_marks_are_counted() -> None:
    with pytest.raises(pickle.UnpicklingError, match="at most 10,000 marks"):
        Reader(b"(" * 20_000 + b".", Anything()).load()


def test_what_is_nested_deeply_is_read_and_goes_away() -> None:
    found = Reader(b"]" + b"q\x00]" * 1 + b"h\x00a" + b"\x85" * 200_000 + b".", Anything()).load()
    assert type(found) is tuple
    del found


def test_a_list_may_hold_itself() -> None:
    found = Reader(b"]q\x00h\x00a.", Anything()).load()
    assert found[0] is found


@pytest.mark.parametrize("code", [b"X", b"B", b"T", b"\x8b", b"\x8e", b"\x8d", b"\x95", b"\x96"])
def test_a_length_beyond_the_end_takes_no_memory(code: bytes) -> None:
    width = 8 if code in b"\x8e\x8d\x95\x96" else 4
    tracemalloc.start()
    with pytest.raises(pickle.UnpicklingError, match="truncated"):
        Reader(code + b"\xff" * (width - 1) + b"\x7f" + b"abc.", Anything()).load()
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


# --- objects ------------------------------------------------------------------------------------------------------------------

BUILT = {
    "a tensor's memory": b"X\x06\x00\x00\x00_array",
    "a special attribute of a tensor": b"X\x13\x00\x00\x00__array_interface__",
}  # fmt: skip


@pytest.mark.parametrize("what", BUILT)
def test_a_tensor_is_given_no_attribute_of_the_engines_own(what: str) -> None:
    inner = tensor(0, (1,), (1,))
    given = inner[2:-2].replace(
        b"ctorch._utils\n_rebuild_tensor_v2\n(", b"ctorch._utils\n_rebuild_tensor_v2\nctorch\nTensor\n(", 1
    )
    program = b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n(" + given + b"}" + BUILT[what] + b"NstR."
    with pytest.raises(pickle.UnpicklingError, match="cannot be given the attribute"):
        loaded(packed(program, d0=bytes(16)))


@pytest.mark.parametrize("objects", [Objects, Anything])
def test_an_engines_object_is_built_as_data_only(objects: Any) -> None:
    special = b"X\x13\x00\x00\x00__array_interface__N"
    for program in (
        b"\x80\x02ccollections\nOrderedDict\n)R}" + special + b"sb.",
        b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81}" + special + b"sb.",
        b"\x80\x02cnumpy\nndarray\n}b.",
        b"\x80\x02ctorch\nfloat32\n}b.",
        b"\x80\x02ctorch\nSize\n)R}b.",
    ):
        with pytest.raises(pickle.UnpicklingError):
            Reader(program, objects()).load()


ARRAYS = {
    "objects": (b"X\x01\x00\x00\x00O", (1,), b"12345678"),
    "records": (b"X\x05\x00\x00\x00i4,i4", (1,), b"12345678"),
    "too few bytes": (b"X\x02\x00\x00\x00f8", (2,), b"12345678"),
    "a negative size": (b"X\x02\x00\x00\x00f8", (-1,), b"12345678"),
    "a size without end": (b"X\x02\x00\x00\x00f8", (2**62, 2**62, 0), b""),
    "dates": (b"X\x02\x00\x00\x00M8", (1,), b"12345678"),
    "a width without end": (b"X\x0b\x00\x00\x00S9999999999", (0,), b""),
}


@pytest.mark.parametrize("what", ARRAYS)
def test_an_array_that_is_none_is_refused(what: str) -> None:
    dtype, shape, data = ARRAYS[what]
    made = b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85C\x01btR"
    state = (
        b"(K\x01"
        + pickle.dumps(shape, 2)[2:-1]
        + b"cnumpy\ndtype\n("
        + dtype
        + b"\x89\x88tR\x89"
        + pickle.dumps(data, 4)[11:-2]
        + b"t"
    )
    with pytest.raises(pickle.UnpicklingError):
        Reader(b"\x80\x04" + made + state + b"b.", Anything()).load()


def test_an_array_is_given_its_state_once() -> None:
    array = np.arange(3.0)
    data = torch_files.dumped(array, Anything(), 4)
    assert Reader(data, Anything()).load().tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(pickle.UnpicklingError, match="once"):
        Anything().build(array, (1, (1,), np.dtype("f8"), False, bytes(8)))


def test_the_engine_as_a_library_reads_whatever_python_does() -> None:
    """In somebody's own process `weights_only=False` is what it is in PyTorch."""
    found = Reader(b"cos.path\njoin\n(X\x01\x00\x00\x00aX\x01\x00\x00\x00btR.", Library()).load()
    assert found.replace("\\", "/") == "a/b"


# --- writing ------------------------------------------------------------------------------------------------------------------


class Answers:
    """An object with an answer of its own to how it is made again."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise AssertionError("it was asked")


def test_no_object_is_asked_how_it_is_made_again() -> None:
    writer = Writer(io.BytesIO(), Anything(), 2)
    with pytest.raises(TypeError, match="cannot pickle 'Answers' object"):
        writer.reducer_override(Answers())
    for thing in (engine.ones(1), np.ones(1), engine.nn.ReLU(), OrderedDict(), 1j, engine.Size([1])):
        assert writer.reducer_override(thing) is not NotImplemented
        assert writer.persistent_id(thing) is None
