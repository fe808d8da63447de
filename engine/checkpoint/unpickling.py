"""A reader of pickles: an interpreter of their opcodes that runs nothing of what a pickle names.

What a name means, what may be called, made and given a state is decided by `Objects`. The machine itself only moves values
between its stack, its memo and containers that it made.
"""

from __future__ import annotations

import struct
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections.abc import Callable
from pickle import UnpicklingError, decode_long
from typing import Any

from .. import limits
from .objects import Objects

Persistent = Callable[[Any], Any]

WEIGHTS_ONLY = frozenset(b"cR\x81baesu(t\x85\x86\x87N\x89\x88)]}\x8fJKMGXUQhjqr\x8a\x80.")
"""The opcodes that PyTorch reads where only data is expected."""


class Reader:
    """Reads pickles one after the other from bytes.

    Args:
        objects: what names mean.
        persistent: what a persistent id stands for.

    Raises:
        UnpicklingError: for what is no pickle, or names something that may not be made.
        EOFError: if it ends too soon.
    """

    def __init__(self, data: bytes, objects: Objects, persistent: Persistent | None = None, at: int = 0) -> None:
        self._data, self._objects, self._persistent = data, objects, persistent
        self.at = at
        """Where the next pickle begins."""
        self._limited = objects.weights_only
        self._start()

    def _start(self) -> None:
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}

    def load(self) -> Any:
        """The next object."""
        self._start()
        data, run, limited = self._data, _RUN, self._limited
        while True:
            if self.at >= len(data):
                raise EOFError(*(() if limited else ("Ran out of input",)))
            code = data[self.at]
            self.at += 1
            if code == _STOP:
                return self._pop()
            step = run[code]
            if step is None or (limited and code not in WEIGHTS_ONLY):
                raise UnpicklingError(f"Unsupported operand {code}" if limited else f"invalid load key, {chr(code)!r}.")
            step(self)

    # --- bytes --------------------------------------------------------------------------------------------------------------

    def _take(self, n: int) -> bytes:
        end = self.at + n
        if end > len(self._data):
            raise UnpicklingError("pickle data was truncated")
        found = self._data[self.at : end]
        self.at = end
        return found

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def _line(self) -> str:
        return self._raw_line().decode("utf-8", "surrogatepass")

    def _raw_line(self) -> bytes:
        end = self._data.find(b"\n", self.at)
        if end < 0:
            raise UnpicklingError("pickle data was truncated")
        found = self._data[self.at : end]
        self.at = end + 1
        return found

    # --- the stack ----------------------------------------------------------------------------------------------------------

    def _pop(self) -> Any:
        if not self._stack:
            raise UnpicklingError("unexpected MARK found" if self._marks else "pickle stack underflow")
        return self._stack.pop()

    def _top(self) -> Any:
        if not self._stack:
            raise UnpicklingError("unexpected MARK found" if self._marks else "pickle stack underflow")
        return self._stack[-1]

    def _to_mark(self) -> list[Any]:
        if not self._marks:
            raise UnpicklingError("could not find MARK")
        found = self._stack
        self._stack = self._marks.pop()
        return found

    def _mark(self) -> None:
        if len(self._marks) >= limits.CHECKPOINT_MARKS.value():
            raise UnpicklingError(limits.CHECKPOINT_MARKS.past())
        self._marks.append(self._stack)
        self._stack = []

    def _discard(self) -> None:
        if self._stack:
            self._stack.pop()
        else:
            self._to_mark()

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    # --- the memo -----------------------------------------------------------------------------------------------------------

    def _get(self, key: int) -> None:
        if key not in self._memo:
            if self._limited:
                raise KeyError(key)
            raise UnpicklingError(f"Memo value not found at index {key}")
        self._stack.append(self._memo[key])

    def _put(self, key: int) -> None:
        if key < 0:
            raise ValueError("negative PUT argument")
        self._memo[key] = self._top()

    # --- names and objects --------------------------------------------------------------------------------------------------

    def _find(self, module: Any, name: Any) -> None:
        if type(module) is not str or type(name) is not str:
            raise UnpicklingError("STACK_GLOBAL requires str")
        if (module, name) in NAME_MAPPING:
            module, name = NAME_MAPPING[module, name]
        else:
            module = IMPORT_MAPPING.get(module, module)
        self._stack.append(self._objects.find(module, name))

    def _global(self) -> None:
        self._find(self._line(), self._line())

    def _stack_global(self) -> None:
        name, module = self._pop(), self._pop()
        self._find(module, name)

    def _reduce(self) -> None:
        given = self._pop()
        function = self._pop()
        if type(given) is not tuple:
            raise UnpicklingError("the arguments of REDUCE are no tuple")
        self._stack.append(self._objects.reduce(function, given))

    def _new(self, options: dict[Any, Any] | None = None) -> None:
        given = self._pop()
        kind = self._pop()
        if type(given) is not tuple or not isinstance(kind, type):
            raise UnpicklingError("NEWOBJ class argument must be a type, with a tuple")
        self._stack.append(self._objects.new(kind, given))

    def _new_ex(self) -> None:
        options = self._pop()
        if options != {}:
            raise UnpicklingError("objects that are made with keywords cannot be read here")
        self._new()

    def _build(self) -> None:
        state = self._pop()
        self._objects.build(self._top(), state)

    def _persist(self, id: Any) -> None:
        if self._persistent is None:
            raise UnpicklingError("unsupported persistent id encountered")
        self._stack.append(self._persistent(id))

    # --- containers ---------------------------------------------------------------------------------------------------------

    def _extend(self, items: list[Any]) -> None:
        thing = self._top()
        if type(thing) is list:
            thing.extend(items)
        else:
            self._objects.extend(thing, items)

    def _update(self, items: list[Any]) -> None:
        if len(items) % 2:
            raise UnpicklingError("odd number of items for SET ITEMS")
        thing = self._top()
        for key in items[::2]:
            check_key(key)
        if type(thing) is dict:
            for k in range(0, len(items), 2):
                thing[items[k]] = items[k + 1]
        else:
            self._objects.update(thing, [(items[k], items[k + 1]) for k in range(0, len(items), 2)])

    def _add(self, items: list[Any]) -> None:
        thing = self._top()
        if type(thing) is not set:
            raise UnpicklingError(f"Can only add to sets, but got {type(thing)}")
        for item in items:
            check_key(item)
            thing.add(item)

    def _frozen(self) -> None:
        items = self._to_mark()
        for item in items:
            check_key(item)
        self._stack.append(frozenset(items))

    def _dict(self) -> None:
        items = self._to_mark()
        self._stack.append({})
        self._update(items)

    def _tuple(self, n: int) -> None:
        items = [self._pop() for _ in range(n)]
        self._stack.append(tuple(items[::-1]))

    def _one_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._update([key, value])


def check_key(key: Any) -> None:
    """Refuse what takes too long to hash: tuples in tuples without end."""
    if type(key) not in (tuple, frozenset):
        return
    left, most = [(key, 0)], 0
    while left:
        part, deep = left.pop()
        most += 1
        if deep > limits.CHECKPOINT_KEY_DEPTH.value() or most > limits.CHECKPOINT_KEY_PARTS.value():
            raise UnpicklingError(limits.CHECKPOINT_KEY_PARTS.past())
        if type(part) in (tuple, frozenset):
            if len(part) > limits.CHECKPOINT_KEY_PARTS.value():
                raise UnpicklingError(limits.CHECKPOINT_KEY_PARTS.past())
            left.extend((inner, deep + 1) for inner in part)


# --- the opcodes ------------------------------------------------------------------------------------------------------------


def _text(reader: Reader, size: int) -> None:
    reader._push(reader._take(reader._number(size)).decode("utf-8", "surrogatepass"))


def _old_text(reader: Reader, size: int) -> None:
    raw = reader._take(reader._number(size))
    reader._push(raw.decode("utf-8"))


def _integer(reader: Reader) -> None:
    line = reader._line()
    reader._push({"00": False, "01": True}[line] if line in ("00", "01") else int(line))


def _long(reader: Reader) -> None:
    reader._push(int(reader._line().removesuffix("L")))


def _memoize(reader: Reader) -> None:
    reader._put(len(reader._memo))


def _inst(reader: Reader) -> None:
    raise UnpicklingError("instances of old classes cannot be read here")


_STOP = ord(".")
_STEPS: dict[bytes, Callable[[Reader], None]] = {
    b"\x80": lambda r: _protocol(r, r._number(1)),
    b"\x95": lambda r: None if r._number(8) <= len(r._data) else _truncated(),
    b"(": Reader._mark,
    b"0": Reader._discard,
    b"1": lambda r: r._to_mark().clear(),
    b"2": lambda r: r._push(r._top()),
    b"N": lambda r: r._push(None),
    b"\x88": lambda r: r._push(True),
    b"\x89": lambda r: r._push(False),
    b"I": _integer,
    b"L": _long,
    b"J": lambda r: r._push(struct.unpack("<i", r._take(4))[0]),
    b"K": lambda r: r._push(r._number(1)),
    b"M": lambda r: r._push(r._number(2)),
    b"\x8a": lambda r: r._push(decode_long(r._take(r._number(1)))),
    b"\x8b": lambda r: r._push(decode_long(r._take(r._number(4)))),
    b"F": lambda r: r._push(float(r._line())),
    b"G": lambda r: r._push(struct.unpack(">d", r._take(8))[0]),
    b"T": lambda r: _old_text(r, 4),
    b"U": lambda r: _old_text(r, 1),
    b"V": lambda r: r._push(r._raw_line().decode("raw-unicode-escape")),
    b"X": lambda r: _text(r, 4),
    b"\x8c": lambda r: _text(r, 1),
    b"\x8d": lambda r: _text(r, 8),
    b"B": lambda r: r._push(r._take(r._number(4))),
    b"C": lambda r: r._push(r._take(r._number(1))),
    b"\x8e": lambda r: r._push(r._take(r._number(8))),
    b"\x96": lambda r: r._push(bytearray(r._take(r._number(8)))),
    b"]": lambda r: r._push([]),
    b"}": lambda r: r._push({}),
    b")": lambda r: r._push(()),
    b"\x8f": lambda r: r._push(set()),
    b"a": lambda r: r._extend([r._pop()]),
    b"e": lambda r: r._extend(r._to_mark()),
    b"s": Reader._one_item,
    b"u": lambda r: r._update(r._to_mark()),
    b"\x90": lambda r: r._add(r._to_mark()),
    b"\x91": Reader._frozen,
    b"l": lambda r: r._push(r._to_mark()),
    b"d": Reader._dict,
    b"t": lambda r: r._push(tuple(r._to_mark())),
    b"\x85": lambda r: r._tuple(1),
    b"\x86": lambda r: r._tuple(2),
    b"\x87": lambda r: r._tuple(3),
    b"c": Reader._global,
    b"\x93": Reader._stack_global,
    b"R": Reader._reduce,
    b"\x81": Reader._new,
    b"\x92": Reader._new_ex,
    b"b": Reader._build,
    b"i": _inst,
    b"o": _inst,
    b"P": lambda r: r._persist(r._line()),
    b"Q": lambda r: r._persist(r._pop()),
    b"g": lambda r: r._get(int(r._line())),
    b"h": lambda r: r._get(r._number(1)),
    b"j": lambda r: r._get(r._number(4)),
    b"p": lambda r: r._put(int(r._line())),
    b"q": lambda r: r._put(r._number(1)),
    b"r": lambda r: r._put(r._number(4)),
    b"\x94": _memoize,
}
_RUN: list[Callable[[Reader], None] | None] = [_STEPS.get(bytes([code])) for code in range(256)]


def _protocol(reader: Reader, protocol: int) -> None:
    if protocol > 5 and not reader._limited:
        raise ValueError(f"unsupported pickle protocol: {protocol}")
    if protocol != 2 and reader._limited:
        reader._objects.warn_of_protocol(protocol)


def _truncated() -> None:
    raise UnpicklingError("pickle data was truncated")
