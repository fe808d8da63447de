"""A writer of pickles: Python's own, told by `Objects` how each object is made again, so that it asks no object itself."""

from __future__ import annotations

import copyreg
import io
import pickle
from _compat_pickle import REVERSE_IMPORT_MAPPING, REVERSE_NAME_MAPPING
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from ..dtypes import dtype as Dtype  # noqa: N812
from .names import Name, name
from .objects import Objects

PLAIN = frozenset((type(None), bool, int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset))
"""What Python's pickler writes without asking."""


NEWOBJ: Any = vars(copyreg)["__newobj__"]
"""How protocols before 2 make an object of its class."""
PYTHONS: Any = vars(pickle)["_Pickler"]
"""The pickler that is written in Python, of which each step can be another."""


class Writer(PYTHONS):  # type: ignore[misc]
    """Writes one object."""

    dispatch: ClassVar[dict[Any, Any]] = dict(PYTHONS.dispatch)

    def __init__(
        self, file: io.BytesIO, objects: Objects, protocol: int | None = None, persistent: Callable[[Any], Any] | None = None
    ) -> None:
        super().__init__(file, protocol)
        self._objects, self._persistent = objects, persistent

    def persistent_id(self, thing: Any) -> Any:
        """The id of memory, which stands elsewhere."""
        return None if self._persistent is None else self._persistent(thing)

    def reducer_override(self, thing: Any) -> Any:
        """How an object is made again."""
        kind = type(thing)
        if kind is bytes and self.proto < 3:
            return name("_codecs", "encode"), (thing.decode("latin1"), "latin1")
        if kind in PLAIN or kind is Name:
            return NotImplemented
        if thing is NEWOBJ:
            return "__newobj__"
        if isinstance(thing, type) or kind is FunctionType or kind is Dtype:
            return self._objects.name_of(thing).text
        return self._objects.reduced(thing, self.proto)

    def save_global(self, thing: Any, text: str | None = None) -> None:
        """Write a name."""
        named = (
            thing if type(thing) is Name else name("copyreg", "__newobj__") if thing is NEWOBJ else self._objects.name_of(thing)
        )
        module, text = named.module, named.text
        if self.proto >= 4:
            self.save(module)
            self.save(text)
            self.write(pickle.STACK_GLOBAL)
        else:
            if self.proto < 3:
                if (module, text) in REVERSE_NAME_MAPPING:
                    module, text = REVERSE_NAME_MAPPING[module, text]
                else:
                    module = REVERSE_IMPORT_MAPPING.get(module, module)
            self.write(pickle.GLOBAL + f"{module}\n{text}\n".encode())
        self.memoize(thing)

    dispatch[Name] = save_global


def dumped(thing: Any, objects: Objects, protocol: int | None = None, persistent: Callable[[Any], Any] | None = None) -> bytes:
    """The pickle of an object.

    Raises:
        PicklingError, AttributeError, TypeError: for what cannot be pickled, in Python's words.
    """
    file = io.BytesIO()
    Writer(file, objects, protocol, persistent).dump(thing)
    return file.getvalue()
