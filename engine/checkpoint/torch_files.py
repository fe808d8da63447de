"""Checkpoints in PyTorch's formats: a zip archive with a pickle and the memory of tensors, or the older row of pickles."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from .. import limits
from ..dtypes import dtype as Dtype  # noqa: N812
from ..ops.memory.storages import Storage, UntypedStorage
from ..tensor_attributes import device
from . import archive
from .names import Name, name
from .objects import Objects
from .pickling import dumped
from .reductions import memory_of
from .tensors import KINDS, Memory, StorageType, memory
from .unpickling import Reader

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
ADVICE = (
    ". This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint file "
    "is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was "
    "modified after saving."
)
UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. "
    "Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code "
    "execution. Do it only if you got the file from a trusted source."
)
TWO_OPTIONS = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo those steps only if you "
    "trust the source of the checkpoint\033[0m. \n\t(1) {unsafe}\n\t(2) Alternatively, to load with `weights_only=True` please "
    "check the recommended steps in the following error message.\n\tWeightsUnpickler error: {message}"
)
ISSUE = (
    "Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: "
    "WeightsUnpickler error: "
)
DOCUMENTS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
DIFFERENT = "Cannot save multiple tensors or storages that view the same data as different types"

Place = Callable[[Storage, str], Storage]


# --- writing ----------------------------------------------------------------------------------------------------------------


class _Memories:
    """The memory of all tensors of a checkpoint, each once."""

    def __init__(self) -> None:
        self.kept: list[Memory] = []
        self._keys: dict[int, str] = {}
        self._dtypes: dict[int, Dtype] = {}

    def id(self, thing: Any) -> Any:
        """The persistent id of memory."""
        found = memory_of(thing)
        if found is None:
            return None
        address, size = found.address, found.array.nbytes
        if size and self._dtypes.setdefault(address, found.dtype) is not found.dtype:
            raise RuntimeError(DIFFERENT)
        if not size or address not in self._keys:
            self._keys[address] = str(len(self.kept))
            self.kept.append(found)
        return "storage", kind_of(found), self._keys[address], "cpu", found.array.size


def kind_of(of: Memory) -> Name:
    """The name of the class that PyTorch has for memory."""
    if not of.typed or of.dtype.name not in KINDS:
        return name("torch.storage", "UntypedStorage")
    return name("torch", KINDS[of.dtype.name])


def written(thing: Any, objects: Objects, folder: str = "archive", protocol: int = 2) -> bytes:
    """The checkpoint that holds an object: a zip archive."""
    memories = _Memories()
    pickled = dumped(thing, objects, protocol, memories.id)
    total = len(pickled) + sum(kept.array.nbytes for kept in memories.kept)
    if total > limits.CHECKPOINT.value():
        raise RuntimeError(limits.CHECKPOINT.past())
    entries: list[tuple[str, bytes | memoryview]] = [
        ("data.pkl", pickled),
        (".format_version", b"1"),
        (".storage_alignment", b"64"),
        ("byteorder", b"little"),
        *((f"data/{key}", kept.bytes) for key, kept in enumerate(memories.kept)),
        ("version", b"3\n"),
    ]
    entries.append((".data/serialization_id", _serialization_id(entries)))
    return archive.written(folder, entries)


def _serialization_id(entries: list[tuple[str, bytes | memoryview]]) -> bytes:
    """What tells checkpoints from each other: two hashes as decimal numbers, of the names and of the contents."""
    names, contents = 0, 0
    for entry, data in entries:
        names, contents = zlib.crc32(entry.encode(), names), zlib.crc32(data, contents)
    return f"{names:020}{contents:020}".encode()


def legacy_written(of: Memory, objects: Objects) -> bytes:
    """A checkpoint in the older format that holds memory, as a pickle that is no checkpoint has it."""
    size = of.array.size

    def id(part: Any) -> Any:
        return ("storage", kind_of(of), "0", "cpu", size, None) if part is of else None

    info = {"protocol_version": PROTOCOL, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    parts = [dumped(part, objects, 2) for part in (MAGIC, PROTOCOL, info)]
    parts += [dumped(of, objects, 2, id), dumped(["0"], objects, 2), struct.pack("<q", size), bytes(of.bytes)]
    return b"".join(parts)


# --- reading ----------------------------------------------------------------------------------------------------------------


def placed(storage: Storage, location: Any) -> Storage:
    """Memory where a checkpoint says that it was: on the CPU.

    Raises:
        RuntimeError: if it was elsewhere, in PyTorch's words.
    """
    where = location.decode("ascii", "replace") if type(location) is bytes else location
    if where == "cpu":
        return storage
    kind = str(where).partition(":")[0]
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    if kind in ("mps", "meta"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {kind}")
    raise RuntimeError(f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {_text(where)})")


def _text(where: Any) -> str:
    return where if type(where) is str else type(where).__name__


def placing(map_location: Any) -> Place:
    """How `map_location` says where memory comes."""
    if map_location is None:
        return placed
    if isinstance(map_location, dict):
        return lambda storage, location: placed(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, device)):
        where = str.__str__(map_location) if isinstance(map_location, str) else map_location
        where = str(where) if isinstance(where, device) else where
        return lambda storage, _: placed(storage, where)

    def asked(storage: Storage, location: str) -> Storage:
        bytes = UntypedStorage(storage._flat)
        found = map_location(bytes, location)
        return placed(storage, location) if found is None else storage

    return asked


def loaded(data: bytes, objects: Objects, map_location: Any = None) -> tuple[Any, int]:
    """The object in a checkpoint, and how many bytes of them it took.

    Raises:
        RuntimeError, UnpicklingError, EOFError: in PyTorch's words, for what cannot be read.
    """
    if len(data) > limits.CHECKPOINT.value():
        raise RuntimeError(limits.CHECKPOINT.past())
    place = placing(map_location)
    try:
        if data[:4] == archive.LOCAL:
            return _from_archive(data, objects, place), len(data)
        return _from_pickles(data, objects, place)
    except archive.BadArchive as error:
        raise RuntimeError(f"{error}{ADVICE}" if "file not found" not in str(error) else str(error)) from None
    except UnpicklingError as error:
        if not objects.weights_only:
            raise
        raise UnpicklingError(_explained(str(error))) from None
    except RecursionError:
        raise UnpicklingError("the checkpoint holds containers in containers without end") from None


def _explained(message: str) -> str:
    if "was not an allowed global by default" in message:
        return TWO_OPTIONS.format(unsafe=UNSAFE, message=message) + DOCUMENTS
    said = f"Weights only load failed. {UNSAFE}\n"
    if "is blocked" not in message:
        said += ISSUE
    return f"{said}\n\n{message}{DOCUMENTS}"


def _from_archive(data: bytes, objects: Objects, place: Place) -> Any:
    file = archive.Archive(data)
    if "constants.pkl" in file:
        raise RuntimeError("Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. " + UNSAFE)
    big = "byteorder" in file and file.read("byteorder") == b"big"
    if "byteorder" in file and not big and file.read("byteorder") != b"little":
        raise ValueError("Unknown endianness type: " + file.read("byteorder").decode("utf-8", "replace"))
    found: dict[str, Storage] = {}

    def persistent(id: Any) -> Storage:
        kind, key, location, numel = _of_storage(id, 4)
        if key not in found:
            dtype = _dtype_of(objects.real(kind))
            size = numel * (1 if dtype is None else dtype.itemsize)
            entry = f"data/{key}"
            if file.size(entry) != size:
                raise RuntimeError(f"storage has wrong byte size: expected {size} got {file.size(entry)}")
            raw: bytes | bytearray = file.read(entry)
            if big and dtype is not None:
                raw = _swapped(raw, dtype.itemsize)
            found[key] = place(memory(raw, dtype), location)
        return found[key]

    return Reader(file.read("data.pkl"), objects, persistent).load()


def _of_storage(id: Any, parts: int) -> tuple[Any, ...]:
    """What a persistent id says: the class of the memory, its key, where it was, how long it is.

    Raises:
        UnpicklingError: if it is none of memory.
    """
    if type(id) is not tuple:
        raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(id)}")
    if len(id) != parts + 1 or type(id[0]) is not str or id[0] != "storage":
        raise UnpicklingError("Only persistent_load of storage is allowed")
    _, _, key, location, numel, *_ = id
    if type(key) is not str or type(location) is not str or type(numel) is not int or not 0 <= numel <= 2**48:
        raise UnpicklingError("that is no persistent id of a storage")
    return id[1:]


def _dtype_of(kind: Any) -> Dtype | None:
    if kind is UntypedStorage:
        return None
    if type(kind) is not StorageType:
        raise UnpicklingError("that is no class of memory")
    return kind.dtype


def _swapped(raw: bytes | bytearray, width: int) -> bytearray:
    """The bytes of numbers the other way round."""
    out = bytearray(len(raw))
    for k in range(width):
        out[k::width] = raw[width - 1 - k :: width]
    return out


def _from_pickles(data: bytes, objects: Objects, place: Place) -> tuple[Any, int]:
    """The older format: pickles in a row, then the memory."""
    found: dict[str, tuple[Storage, Any]] = {}
    views: dict[str, Storage] = {}
    sizes: dict[str, int] = {}
    total = 0

    def persistent(id: Any) -> Storage:
        nonlocal total
        kind, key, location, numel, view = _of_storage(id, 5)
        dtype = _dtype_of(objects.real(kind))
        width = 1 if dtype is None else dtype.itemsize
        if key not in found:
            total += numel * width
            # It stands behind the pickles, so it cannot be longer than what there is.
            if total > len(data):
                raise RuntimeError("unexpected EOF. The file might be corrupted.")
            found[key] = place(memory(bytes(numel * width), dtype), location), dtype
            sizes[key] = numel
        storage = found[key][0]
        if view is None:
            return storage
        if type(view) is not tuple or len(view) != 3 or type(view[0]) is not str or not all(type(n) is int for n in view[1:]):
            raise UnpicklingError("that is no view of memory")
        name, offset, length = view
        if offset < 0 or length < 0 or offset + length > sizes[key]:
            raise RuntimeError("a view of memory in the checkpoint reaches beyond it")
        if name not in views:
            part = type(storage)(storage._flat)
            part._flat = storage._flat[offset : offset + length]
            views[name] = part
        return views[name]

    reader = Reader(data, objects, persistent)
    if _is_tar(data):
        raise RuntimeError("Cannot use ``weights_only=True`` with files saved in the legacy .tar format. " + UNSAFE)
    if reader.load() != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = reader.load()
    if version != PROTOCOL:
        raise RuntimeError(f"Invalid protocol version: {version if type(version) is int else '?'}")
    info = reader.load()
    thing = reader.load()
    keys = reader.load()
    if type(keys) is not list or not all(type(key) is str and key in found for key in keys) or len(set(keys)) != len(keys):
        raise RuntimeError("the checkpoint lists memory that it does not have")
    big = type(info) is dict and info.get("little_endian") is False
    at = reader.at
    for key in keys:
        storage, dtype = found[key]
        size = storage._flat.nbytes
        if at + 8 + size > len(data):
            raise RuntimeError("unexpected EOF. The file might be corrupted.")
        if struct.unpack_from("<q", data, at)[0] != storage._flat.size:
            raise RuntimeError("storage has wrong byte size")
        raw: bytes | bytearray = data[at + 8 : at + 8 + size]
        if big and dtype is not None:
            raw = _swapped(raw, dtype.itemsize)
        target: Any = storage._flat.view("u1")
        memoryview(target)[:] = raw
        at += 8 + size
    return thing, at


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"
