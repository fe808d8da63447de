"""What NumPy does with files, for programs: on the run's files, of numbers and text only, never of pickled objects."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ...policy import dtypes
from ...policy.errors import PolicyError
from ...policy.names import named
from . import archives, streams
from .store import files, text_of

NPZ = b"PK"


class NpzFile(Mapping[str, Any]):
    """The arrays of an `.npz` file, read when they are asked for."""

    __slots__ = ("_data", "_names")
    __module__ = "numpy.lib.npyio"

    def __init__(self, data: bytes) -> None:
        self._data = data
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self._names = [name.removesuffix(".npy") for name in archive.namelist()]

    @property
    def files(self) -> list[str]:
        """The names of the arrays."""
        return list(self._names)

    def __getitem__(self, key: str) -> Any:
        if key.removesuffix(".npy") not in self._names:
            raise KeyError(f"{key} is not a file in the archive")
        with zipfile.ZipFile(io.BytesIO(self._data)) as archive:
            held = archive.namelist()
            name = f"{key}.npy" if f"{key}.npy" in held else key
            with archive.open(name) as part:
                data = part.read(files().most_bytes + 1)
        if len(data) > files().most_bytes:
            raise OSError("the array is larger than there is room for")
        return _array(data)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._names))

    def __len__(self) -> int:
        return len(self._names)

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def close(self) -> None:
        """Nothing is open."""

    def __repr__(self) -> str:
        return f"NpzFile 'object' with keys: {', '.join(self._names[:5])}"


def _bytes(file: Any) -> bytes:
    return streams.bytes_of(file.read()) if hasattr(file, "read") else files().read(file)


def _put(file: Any, data: bytes, suffix: str) -> None:
    if hasattr(file, "write"):
        file.write(data)
        return
    path = text_of(file)
    files().write(path if path.endswith(suffix) else path + suffix, data)


def _array(data: bytes) -> Any:
    found = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    dtypes.checked(found.dtype)
    dtypes.check_text(found)
    return found


def _plain(array: Any) -> Any:
    """An array of numbers or text.

    Raises:
        ValueError: for one of objects, in NumPy's words.
    """
    found = _as_array[0](array)
    if found.dtype.hasobject:
        raise ValueError("Object arrays cannot be saved when allow_pickle=False")
    return found


def _packed(array: Any) -> bytes:
    memory = io.BytesIO()
    np.lib.format.write_array(memory, _plain(array), allow_pickle=False)
    return memory.getvalue()


def save(file: Any, arr: Any, allow_pickle: Any = False, fix_imports: Any = True) -> None:
    """Save an array to a binary file in NumPy ``.npy`` format."""
    _put(file, _packed(arr), ".npy")


def load(
    file: Any, mmap_mode: Any = None, allow_pickle: Any = False, fix_imports: Any = True, encoding: Any = "ASCII", **_: Any
) -> Any:
    """Load arrays from ``.npy`` and ``.npz`` files."""
    data = _bytes(file)
    if data[:2] == NPZ:
        return NpzFile(data)
    if not data:
        raise EOFError("No data left in file")
    if data[:6] != np.lib.format.MAGIC_PREFIX:
        raise PolicyError(
            "np.load reads no pickled objects here", "Save arrays with np.save or np.savez, others with torch.save."
        )
    return _array(data)


def _save_all(file: Any, arrays: tuple[Any, ...], named: dict[str, Any], method: int) -> None:
    numbered = {f"arr_{k}": array for k, array in enumerate(arrays)}
    if both := numbered.keys() & named.keys():
        raise ValueError(f"Cannot use un-named variables and keyword {min(both)}")
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        for name, array in (named | numbered).items():
            info = zipfile.ZipInfo(f"{name}.npy")
            info.compress_type = method
            archive.writestr(info, _packed(array))
    _put(file, memory.getvalue(), ".npz")


def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Save several arrays into a single file in uncompressed ``.npz`` format."""
    _save_all(file, args, kwds, zipfile.ZIP_STORED)


def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """Save several arrays into a single file in compressed ``.npz`` format."""
    _save_all(file, args, kwds, zipfile.ZIP_DEFLATED)


def _lines(fname: Any, encoding: Any) -> list[str]:
    """The lines of a text file, an opened file, or something else that has lines."""
    if isinstance(fname, str) or hasattr(fname, "__fspath__"):
        if files().find(fname) is None:
            raise FileNotFoundError(f"{text_of(fname)} not found.")
        if text_of(fname).endswith(".gz"):
            data = archives.unpacked(files().read(fname), files().most_bytes)
            return data.decode(encoding if isinstance(encoding, str) and encoding != "bytes" else "utf-8").splitlines()
        with streams.open(fname, "r", -1, encoding if isinstance(encoding, str) and encoding != "bytes" else None) as file:
            return [line.rstrip("\n") for line in file]
    found = []
    for line in fname:
        plain = str.__str__(line) if isinstance(line, str) else streams.bytes_of(line).decode("latin-1")
        found.append(plain.rstrip("\n"))
    return found


def _numbers(name: str, function: Callable[..., Any], fname: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What NumPy makes of lines; it goes through them in C, so it is given no function of the program's and no objects."""
    options = named(options) | dict(zip(("dtype", "comments", "delimiter"), arguments, strict=False))
    if options.pop("converters", None) is not None:
        raise PolicyError(f"np.{name} takes no converters here", "Read the text with open() or csv.")
    lines = _lines(fname, options.get("encoding"))
    options["encoding"] = None
    options.setdefault("dtype", float)
    if options["dtype"] is not None:
        options["dtype"] = np.dtype(dtypes.settled(options["dtype"]))
        if options["dtype"].hasobject:
            raise PolicyError(f"np.{name} makes no arrays of objects here", "Read the text with open() or csv.")
    for value in options.values():
        _check_plain(name, value)
    found = function(lines, **options)
    for array in found if isinstance(found, list | tuple) else [found]:
        dtypes.checked(array.dtype)
    return found


def _check_plain(name: str, value: Any) -> None:
    if type(value) in (list, tuple, set, frozenset, dict):
        for part in value.items() if isinstance(value, dict) else value:
            _check_plain(name, part)
    elif not isinstance(value, str | bytes | int | float | np.dtype | np.generic | type | None):
        raise PolicyError(f"np.{name} takes plain values only here", "Read the text with open() or csv.")


def loadtxt(fname: Any, *arguments: Any, **options: Any) -> Any:
    """Load data from a text file."""
    return _numbers("loadtxt", np.loadtxt, fname, arguments, options)


def genfromtxt(fname: Any, *arguments: Any, **options: Any) -> Any:
    """Load data from a text file, with missing values handled as specified."""
    return _numbers("genfromtxt", np.genfromtxt, fname, arguments, options)


def savetxt(
    fname: Any, X: Any, fmt: Any = "%.18e", delimiter: Any = " ", newline: Any = "\n", header: Any = "", footer: Any = "",  # noqa: N803
    comments: Any = "# ", encoding: Any = None,
) -> None:  # fmt: skip
    """Save an array to a text file."""
    texts = [*(fmt if isinstance(fmt, list | tuple) else [fmt]), delimiter, newline, header, footer, comments]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("fmt, delimiter, newline, header, footer and comments must be texts")
    plain = [str.__str__(text) for text in texts]
    memory = io.StringIO()
    given = plain[: len(plain) - 5]
    shown: Any = given if isinstance(fmt, list | tuple) else given[0]
    delimiter, newline, header, footer, comments = plain[-5:]
    np.savetxt(memory, _plain(X), shown, delimiter, newline, header, footer, comments)
    text = memory.getvalue()
    if not hasattr(fname, "write"):
        path = text_of(fname)
        data = text.encode(encoding or "latin-1", "replace") if encoding else text.encode()
        files().write(path, archives.packed(data) if path.endswith(".gz") else data)
        return
    try:
        fname.write(text)
    except TypeError:
        fname.write(text.encode("latin-1"))


def fromfile(file: Any, dtype: Any = float, count: Any = -1, sep: Any = "", offset: Any = 0) -> Any:
    """Construct an array from data in a text or binary file."""
    kind = np.dtype(dtypes.settled(dtype))
    if kind.hasobject:
        raise ValueError("Cannot read into object array")
    data = _bytes(file)[int(offset) :]
    if sep:
        return np.fromstring(data.decode("latin-1"), kind, int(count), sep=str(sep))
    whole = len(data) // kind.itemsize if kind.itemsize else 0
    found = np.frombuffer(data, kind, whole if int(count) < 0 else min(int(count), whole)).copy()
    dtypes.check_text(found)
    return found


def memmap(filename: Any, dtype: Any = np.uint8, mode: Any = "r+", offset: Any = 0, shape: Any = None, order: Any = "C") -> Any:
    """The numbers of a file as an array, which is read whole here: what is written into it does not come to the file.

    Raises:
        PolicyError: where a file is to be made or changed by writing into the array.
    """
    if mode not in ("r", "readonly", "c", "copyonwrite"):
        raise PolicyError(f"np.memmap with mode={mode!r} is not available to programs here", "Fill an array, and np.save it.")
    found = fromfile(filename, dtype, offset=offset)
    if shape is not None:
        sizes = (shape,) if np.ndim(shape) == 0 else tuple(shape)
        wanted = math.prod(map(int, sizes))
        if found.size < wanted:
            raise ValueError("mmap length is greater than file size")
        found = found[:wanted].reshape(sizes, order=order)
    found.flags.writeable = mode in ("c", "copyonwrite")
    return found


_as_array: list[Callable[[Any], Any]] = [np.asanyarray]


def names(as_array: Callable[[Any], Any]) -> dict[str, Any]:
    """What `numpy` has of these.

    Args:
        as_array: makes an array of what a program hands over.
    """
    _as_array[:] = [as_array]
    functions = (fromfile, genfromtxt, load, loadtxt, memmap, save, savetxt, savez, savez_compressed)
    return {function.__name__: function for function in functions}
