"""`torch.save`, `torch.load` and `pickle` for programs: PyTorch's own format, and Python's, under the guards of one world."""

from __future__ import annotations

import pickle as python
import types
from collections.abc import Callable
from typing import Any

from ...checkpoint import safetensors, torch_files
from ...checkpoint.objects import SAFE
from ...checkpoint.pickling import dumped
from ...checkpoint.unpickling import Reader
from ..policy.errors import MissingAttribute, PolicyError
from ..policy.guards import Guards
from ..policy.inert import real
from . import safetensors as safetensors_facade
from .facade import Facade
from .files import files
from .files.store import text_of as path_of
from .kept_files import go_to, is_path, read_all
from .saved_objects import HELP, Guarded

LOAD_OPTIONS = frozenset(("encoding", "errors", "fix_imports"))


def facades(guards: Guards, modules: dict[str, Any]) -> dict[str, Facade]:
    """`pickle`, `torch.serialization` and `safetensors`."""
    made = {
        "pickle": _pickle(guards, modules),
        "torch.serialization": {**torch_names(guards, modules), **_safe_globals(guards, modules)},
        "safetensors.torch": safetensors_facade.of_tensors(),
        "safetensors.numpy": safetensors_facade.of_arrays(guards),
    }
    guards.know(made["pickle"].values())
    guards.know((safetensors.SafetensorError,))
    found = {module: Facade(module, names, _missing(module)) for module, names in made.items()}
    below = {part: found[f"safetensors.{part}"] for part in ("torch", "numpy")}
    names = {**below, "SafetensorError": safetensors.SafetensorError}
    return found | {"safetensors": Facade("safetensors", names, _missing("safetensors"))}


def _missing(module: str) -> Callable[[str], AttributeError]:
    return lambda n: MissingAttribute(f"module '{module}' has no attribute '{n}' for programs here", HELP)


def torch_names(guards: Guards, modules: dict[str, Any]) -> dict[str, Any]:
    """`torch.save` and `torch.load`."""

    def save(
        obj: Any,
        f: Any,
        pickle_module: Any = None,
        pickle_protocol: Any = 2,
        _use_new_zipfile_serialization: Any = True,
        _disable_byteorder_record: Any = False,
    ) -> None:
        """Saves an object to a disk file."""
        if not is_path(f) and not hasattr(f, "write"):
            raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
        objects = Guarded(guards, modules)
        if not is_path(f):
            f.write(torch_files.written(obj, objects, protocol=_protocol(pickle_protocol)))
            return
        path = path_of(f)
        stem = path.rpartition("/")[2].partition(".")[0] or "archive"
        files().write(path, torch_files.written(obj, objects, stem, _protocol(pickle_protocol)))

    def load(
        f: Any,
        map_location: Any = None,
        pickle_module: Any = None,
        *,
        weights_only: Any = None,
        mmap: Any = None,
        **pickle_load_args: Any,
    ) -> Any:
        """Loads an object saved with :func:`torch.save` from a file."""
        only = weights_only is None or bool(weights_only)
        if only and pickle_module is not None:
            raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
        for option in pickle_load_args:
            if option not in LOAD_OPTIONS:
                raise TypeError(f"load() got an unexpected keyword argument '{option}'")
        objects = Guarded(guards, modules, weights_only=only)
        if is_path(f):
            path = path_of(f)
            data = files().read(path)
            if path.endswith(".safetensors"):
                return safetensors.loaded(data)
            return torch_files.loaded(data, objects, map_location)[0]
        if not hasattr(f, "seek") or not hasattr(f, "tell"):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. "
                "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )
        data, begin = read_all(f)
        if mmap and data[:2] == b"PK":
            raise ValueError("f must be a file path in order to use the mmap argument")
        found, length = torch_files.loaded(data, objects, map_location)
        go_to(f, begin, length)
        return found

    return {"load": load, "save": save}


def _protocol(given: Any, default: int = 2) -> int:
    if given is None:
        return default
    if not isinstance(given, int):
        raise TypeError(f"'{type(given).__name__}' object cannot be interpreted as an integer")
    chosen = int.__int__(given)
    if chosen > python.HIGHEST_PROTOCOL:
        raise ValueError(f"pickle protocol must be <= {python.HIGHEST_PROTOCOL}")
    return python.HIGHEST_PROTOCOL if chosen < 0 else chosen


def _safe_globals(guards: Guards, modules: dict[str, Any]) -> dict[str, Any]:
    """`add_safe_globals` and what belongs to it."""

    def by_name(safe_globals: Any) -> dict[str, Any]:
        found = {}
        for thing in safe_globals:
            full = None
            if type(thing) is tuple:
                if len(thing) != 2 or type(thing[1]) is not str:
                    raise ValueError("Expected tuple of length 2 (global, str of callable full path)")
                thing, full = thing
            if not isinstance(thing, type) and type(thing) is not types.FunctionType:
                raise TypeError(f"a class or a function is expected, not '{type(thing).__name__}'")
            if full is None:
                named = Guarded(guards, modules).name_of(thing)
                full = f"{named.module}.{named.text}"
            found[full] = real(thing)
        return found

    def add_safe_globals(safe_globals: Any) -> None:
        """Marks the given globals as safe for ``weights_only`` load."""
        SAFE.update(by_name(safe_globals))

    def clear_safe_globals() -> None:
        """Clears the list of globals that are safe for ``weights_only`` load."""
        SAFE.clear()

    def get_safe_globals() -> list[Any]:
        """Returns the list of user-added globals that are safe for ``weights_only`` load."""
        return [guards.given(thing) for thing in SAFE.values()]

    class safe_globals:  # noqa: N801
        """Context-manager that adds certain globals as safe for ``weights_only`` load."""

        __slots__ = ("_added",)
        __module__ = "torch.serialization"

        def __init__(self, safe_globals: Any) -> None:
            self._added = by_name(safe_globals)

        def __enter__(self) -> None:
            SAFE.update(self._added)

        def __exit__(self, *_: Any) -> None:
            for full in self._added:
                SAFE.pop(full, None)

    return {f.__name__: f for f in (add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals)}


def _pickle(guards: Guards, modules: dict[str, Any]) -> dict[str, Any]:
    default = python.DEFAULT_PROTOCOL

    def dumps(obj: Any, protocol: Any = None, *, fix_imports: Any = True, buffer_callback: Any = None) -> bytes:
        """Return the pickled representation of the object as a bytes object."""
        if buffer_callback is not None:
            raise PolicyError("pickle takes no buffer_callback here", "Leave it out.")
        return dumped(obj, Guarded(guards, modules), _protocol(protocol, default))

    def dump(obj: Any, file: Any, protocol: Any = None, *, fix_imports: Any = True, buffer_callback: Any = None) -> None:
        """Write a pickled representation of obj to the open file object file."""
        if not hasattr(file, "write"):
            raise TypeError("file must have a 'write' attribute")
        file.write(dumps(obj, protocol, buffer_callback=buffer_callback))

    def loads(
        data: Any, /, *, fix_imports: Any = True, encoding: Any = "ASCII", errors: Any = "strict", buffers: Any = None
    ) -> Any:
        """Read and return an object from the given pickle data."""
        if not isinstance(data, (bytes, bytearray)):
            raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")
        return Reader(bytes(memoryview(data)), Guarded(guards, modules)).load()

    def load(
        file: Any, *, fix_imports: Any = True, encoding: Any = "ASCII", errors: Any = "strict", buffers: Any = None
    ) -> Any:
        """Read and return an object from the pickle data stored in a file."""
        if not hasattr(file, "read") or not hasattr(file, "readline"):
            raise TypeError("file must have 'read' and 'readline' attributes")
        data, begin = read_all(file)
        reader = Reader(data, Guarded(guards, modules))
        found = reader.load()
        go_to(file, begin, reader.at)
        return found

    errors = {n: getattr(python, n) for n in ("PickleError", "PicklingError", "UnpicklingError")}
    numbers = {"DEFAULT_PROTOCOL": default, "HIGHEST_PROTOCOL": python.HIGHEST_PROTOCOL}
    return {f.__name__: f for f in (dump, dumps, load, loads)} | errors | numbers
