"""Opened files: what `open` gives a program; in Python throughout, so that no C code waits for code of the program."""

from __future__ import annotations

import codecs
import errno
import io
import operator
import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from ...policy.errors import PolicyError
from .store import Data, Files, files, text_of

ENCODINGS = frozenset((
    "ascii", "cp1252", "iso8859-1", "utf-16", "utf-16-be", "utf-16-le", "utf-32", "utf-32-be", "utf-32-le", "utf-8",
    "utf-8-sig",
))  # fmt: skip
"""What a text file may be encoded in: codecs from text to bytes that are loaded."""
ERRORS = frozenset(("backslashreplace", "ignore", "replace", "strict", "surrogateescape", "xmlcharrefreplace"))
NEWLINES = (None, "", "\n", "\r", "\r\n")


class _Opened:
    """What all opened files have in common: bytes, and a place in them."""

    __slots__ = ("_at", "_closed", "_data", "_ending", "_files", "_mode", "_name")

    def __init__(self, of: Files, data: Data, name: Any, mode: str, ending: Callable[[], None] | None = None) -> None:
        self._files, self._data, self._name, self._mode, self._ending = of, data, name, mode, ending
        self._closed = False
        self._at = len(data.bytes) if "a" in mode else 0

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)
    closed = property(lambda self: self._closed)

    def _check(self, what: str = "I/O operation on") -> None:
        if self._closed:
            raise ValueError(f"{what} closed file")

    def _check_readable(self, what: str = "read of") -> None:
        text = isinstance(self, TextIOWrapper)
        if self._closed and text:
            self._check()
        if "r" not in self._mode and "+" not in self._mode:
            raise io.UnsupportedOperation("not readable" if text else "read")
        self._check(what)

    def _check_writable(self, what: str = "write") -> None:
        text = isinstance(self, TextIOWrapper)
        if self._closed and text:
            self._check()
        if "r" in self._mode and "+" not in self._mode:
            raise io.UnsupportedOperation("not writable" if text and what == "write" else what)
        self._check(f"{what} to")

    def readable(self) -> bool:
        """Whether it can be read from."""
        self._check()
        return "r" in self._mode or "+" in self._mode

    def writable(self) -> bool:
        """Whether it can be written to."""
        self._check()
        return "r" not in self._mode or "+" in self._mode

    def seekable(self) -> bool:
        """Always."""
        self._check()
        return True

    def isatty(self) -> bool:
        """Never."""
        self._check()
        return False

    def fileno(self) -> int:
        """There is no such number."""
        raise io.UnsupportedOperation("fileno")

    def flush(self) -> None:
        """Nothing waits."""
        if self._closed and type(self) is BufferedReader:
            raise ValueError("I/O operation on closed file.")
        self._check("flush of")

    def close(self) -> None:
        """Nothing more can be done with it."""
        if not self._closed:
            self._closed = True
            if self._ending is not None:
                self._ending()

    def __enter__(self) -> Any:
        self._check()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Any:
        self._check()
        return self

    def _put(self, data: bytes) -> None:
        if "a" in self._mode:
            self._at = len(self._data.bytes)
        self._files.put(self._data, self._at, data)
        self._at += len(data)

    def _cut(self, length: int) -> int:
        if length < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._files.cut(self._data, length)
        return length

    def _rest(self, size: int = -1) -> bytes:
        """The next bytes, at most so many where that is not negative."""
        found = bytes(self._data.bytes[self._at : None if size < 0 else self._at + size])
        self._at += len(found)
        return found


class BufferedReader(_Opened):
    """A file of bytes; `open(path, "rb")` gives one, and the same under other names where it is written to."""

    __slots__ = ()
    __module__ = "_io"

    def __repr__(self) -> str:
        return f"<_io.{type(self).__name__} name={self._name!r}>"

    def read(self, size: Any = -1, /) -> bytes:
        """The next bytes, or all that are left."""
        self._check_readable()
        return self._rest(_number(size))

    def read1(self, size: Any = -1, /) -> bytes:
        """As `read`."""
        return self.read(size)

    def peek(self, size: Any = 0, /) -> bytes:
        """The next bytes, which are read again."""
        self._check_readable()
        return bytes(self._data.bytes[self._at : self._at + io.DEFAULT_BUFFER_SIZE])

    def readline(self, size: Any = -1, /) -> bytes:
        """The next line."""
        self._check_readable("readline of")
        end = self._data.bytes.find(b"\n", self._at)
        line = (end + 1 if end >= 0 else len(self._data.bytes)) - self._at
        most = _number(size)
        return self._rest(max(line, 0) if most < 0 else max(min(line, most), 0))

    def __next__(self) -> bytes:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint: Any = -1, /) -> list[bytes]:
        """The lines that are left, or some of them."""
        return _lines(self, hint)

    def write(self, data: Any, /) -> int:
        """Write bytes."""
        self._check_writable()
        plain = bytes_of(data)
        self._put(plain)
        return len(plain)

    def writelines(self, lines: Iterable[Any], /) -> None:
        """Write several pieces."""
        self._check()
        for line in lines:
            self.write(line)

    def tell(self) -> int:
        """Where it is."""
        self._check()
        return self._at

    def seek(self, offset: Any, whence: Any = 0, /) -> int:
        """Go elsewhere."""
        self._check("seek of")
        begin = {0: 0, 1: self._at, 2: len(self._data.bytes)}.get(whence)
        if begin is None:
            raise ValueError(f"whence value {whence} unsupported")
        place = begin + _index(offset)
        if place < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._at = place
        return self._at

    def truncate(self, size: Any = None, /) -> int:
        """Make it as long as that, or end it here."""
        self._check_writable("truncate")
        return self._cut(self._at if size is None else _index(size))


class BufferedWriter(BufferedReader):
    """What `open(path, "wb")` gives."""

    __slots__ = ()
    __module__ = "_io"


class BufferedRandom(BufferedReader):
    """What `open(path, "r+b")` gives."""

    __slots__ = ()
    __module__ = "_io"


class TextIOWrapper(_Opened):
    """A file of text. What is left of it is decoded when it is first read."""

    __slots__ = (
        "_ahead",
        "_began",
        "_coding",
        "_decoded",
        "_encoder",
        "_encoding",
        "_errors",
        "_iterating",
        "_newline",
        "_raw",
    )
    __module__ = "_io"

    def __init__(
        self,
        of: Files,
        data: Data,
        name: Any,
        mode: str,
        ending: Callable[[], None] | None = None,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
    ) -> None:
        super().__init__(of, data, name, mode, ending)
        self._encoding = "UTF-8" if encoding is None or encoding == "locale" else encoding
        self._errors, self._newline = errors or "strict", newline
        self._coding = _codec(self._encoding, self._errors)
        self._encoder: Any = None
        self._raw: str | None = None
        self._iterating = False
        self._decoded, self._ahead, self._began = "", 0, 0

    def _check(self, what: str = "") -> None:
        if self._closed:
            raise ValueError("I/O operation on closed file.")

    encoding = property(lambda self: self._encoding)
    errors = property(lambda self: self._errors)
    newlines = property(lambda self: None)
    line_buffering = property(lambda self: False)

    def __repr__(self) -> str:
        return f"<_io.TextIOWrapper name={self._name!r} mode={self._mode!r} encoding={self._encoding!r}>"

    # --- reading ------------------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Decode what there is from here on, unless that has been done."""
        self._check_readable()
        if self._raw is None or (self._at < len(self._data.bytes) and self._ahead >= len(self._decoded)):
            self._began = self._at
            coding = self._coding.name
            if coding == "utf-8-sig" and self._began:
                coding = "utf-8"
            self._raw = self._rest().decode(coding, self._errors)
            self._decoded = self._raw if self._newline is not None else self._raw.replace("\r\n", "\n").replace("\r", "\n")
            self._ahead = 0

    def _leave(self) -> None:
        """What has been decoded counts no more."""
        self._raw, self._decoded, self._ahead, self._iterating = None, "", 0, False

    def read(self, size: Any = -1, /) -> str:
        """The next characters, or all that are left."""
        self._fill()
        most = _number(size)
        end = len(self._decoded) if most < 0 else min(self._ahead + most, len(self._decoded))
        found, self._ahead = self._decoded[self._ahead : end], end
        return found

    def readline(self, size: Any = -1, /) -> str:
        """The next line."""
        self._fill()
        if self._newline == "":
            found = _ANY.search(self._decoded, self._ahead)
            end = found.end() if found else len(self._decoded)
        else:
            mark = self._newline or "\n"
            at = self._decoded.find(mark, self._ahead)
            end = at + len(mark) if at >= 0 else len(self._decoded)
        most = _number(size)
        end = end if most < 0 else min(end, self._ahead + most)
        line, self._ahead = self._decoded[self._ahead : end], end
        return line

    def __next__(self) -> str:
        line = self.readline()
        self._iterating = bool(line)
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint: Any = -1, /) -> list[str]:
        """The lines that are left, or some of them."""
        return _lines(self, hint)

    # --- writing ------------------------------------------------------------------------------------------------------------

    def write(self, text: Any, /) -> int:
        """Write text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._check_writable()
        plain = str.__str__(text)
        self._leave()
        if self._encoder is None:
            self._encoder = self._coding.incrementalencoder(self._errors)
            if self._at:
                self._encoder.setstate(0)
        ends = self._newline if self._newline in ("\r", "\r\n") else "\n"
        self._put(self._encoder.encode(plain.replace("\n", ends)))
        return len(plain)

    def writelines(self, lines: Iterable[Any], /) -> None:
        """Write several pieces."""
        self._check()
        for line in lines:
            self.write(line)

    def tell(self) -> int:
        """Where it is, as a number that `seek` takes."""
        self._check()
        if self._iterating:
            raise OSError("telling position disabled by next() call")
        if self._raw is None:
            return self._at
        read = self._ahead
        if self._newline is None:
            for k, pair in enumerate(_PAIR.finditer(self._raw)):
                read += pair.start() - k < self._ahead
        coding = self._coding.name if not self._began else self._coding.name.replace("-sig", "")
        return self._began + len(self._raw[:read].encode(coding, self._errors))

    def seek(self, cookie: Any, whence: Any = 0, /) -> int:
        """Go to the beginning, to the end, or to where `tell` has been."""
        self._check()
        place = _index(cookie)
        if whence == 1 and place:
            raise io.UnsupportedOperation("can't do nonzero cur-relative seeks")
        if whence == 2 and place:
            raise io.UnsupportedOperation("can't do nonzero end-relative seeks")
        if whence not in (0, 1, 2):
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        if place < 0:
            raise ValueError(f"negative seek position {place}")
        self._at = {0: place, 1: self.tell(), 2: len(self._data.bytes)}[whence]
        self._leave()
        if self._encoder is not None:
            self._encoder = None
        return self._at

    def truncate(self, size: Any = None, /) -> int:
        """Make it as long as that, or end it here."""
        self._check_writable("truncate")
        return self._cut(self.tell() if size is None else _index(size))

    def reconfigure(self, **options: Any) -> None:
        """Nothing that it could be told changes what it does here."""
        self._check()


_ANY, _PAIR = re.compile("\r\n|\r|\n"), re.compile("\r\n")


def _lines(of: Any, hint: Any) -> list[Any]:
    most, found, length = -1 if hint is None else _number(hint), [], 0
    while line := of.readline():
        found.append(line)
        length += len(line)
        if 0 < most <= length:
            break
    return found


def _number(value: Any) -> int:
    """A whole number; None means all."""
    if value is None:
        return -1
    if not isinstance(value, int):
        raise TypeError(f"argument should be integer or None, not '{type(value).__name__}'")
    return int.__int__(value)


def _index(value: Any) -> int:
    return int.__int__(operator.index(value))


def bytes_of(data: Any) -> bytes:
    """The bytes of something that has memory, and no objects in it, whose addresses they would be."""
    if type(data) is bytes:
        return data
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'") from None
    if "O" in view.format:
        raise PolicyError("memory with objects in it cannot be written", "Write text, or an array of numbers.")
    return view.tobytes()


def _codec(encoding: Any, errors: Any) -> codecs.CodecInfo:
    """What encodes and decodes.

    Raises:
        LookupError: for an encoding that is not one of text, or is not here.
    """
    for what, given in (("encoding", encoding), ("errors", errors)):
        if not isinstance(given, str):
            raise TypeError(f"open() argument '{what}' must be str or None, not {type(given).__name__}")
    try:
        found = codecs.lookup(encoding)
    except (LookupError, OSError, ImportError):
        raise LookupError(f"unknown encoding: {encoding}") from None
    if found.name not in ENCODINGS:
        raise LookupError(f"unknown encoding: {encoding}")
    if errors not in ERRORS:
        raise LookupError(f"unknown error handler name '{errors}'")
    return found


class Nowhere(Files):
    """Takes everything and keeps nothing."""

    def put(self, file: Data, at: int, data: Any) -> None:
        """It is gone."""

    def cut(self, file: Data, size: int) -> None:
        """There is nothing."""


# --- open --------------------------------------------------------------------------------------------------------------------


def open(
    file: Any,
    mode: Any = "r",
    buffering: Any = -1,
    encoding: Any = None,
    errors: Any = None,
    newline: Any = None,
    closefd: Any = True,
    opener: Any = None,
) -> Any:
    """Open file and return a stream.  Raise OSError upon failure."""
    if opener is not None:
        raise PolicyError("open() takes no opener here", "Give the path.")
    path = text_of(file)
    letters = checked(mode, buffering, encoding, errors, newline)
    run = files()
    if path == os.devnull:
        run, data = Nowhere(), Data()
    elif "r" in letters:
        data = run.data(file)
    else:
        data = run.opened(file, new="x" in letters)
        if "w" in letters:
            run.cut(data, 0)
    return stream(run, data, file, mode, encoding, errors, newline)


def codecs_open(filename: Any, mode: Any = "r", encoding: Any = None, errors: Any = "strict", buffering: Any = -1) -> Any:
    """As `codecs.open`, which leaves the ends of lines alone."""
    if encoding is None:
        return open(filename, mode, buffering)
    return open(filename, mode.replace("b", ""), buffering, encoding, errors, "")


def stream(
    of: Files,
    data: Data,
    name: Any,
    mode: str,
    encoding: Any = None,
    errors: Any = None,
    newline: Any = None,
    ending: Callable[[], None] | None = None,
) -> Any:
    """The open file over some bytes; `ending` is called when it is closed."""
    if "b" not in mode:
        return TextIOWrapper(of, data, name, mode, ending, encoding, errors, newline)
    kind = BufferedRandom if "+" in mode else BufferedReader if "r" in mode else BufferedWriter
    first = next(letter for letter in mode if letter in "rwax")
    if "+" in mode and first == "w":
        first = "r"
    return kind(of, data, name, f"{first}b{'+' if '+' in mode else ''}", ending)


def checked(mode: Any, buffering: Any = -1, encoding: Any = None, errors: Any = None, newline: Any = None) -> set[str]:
    """The letters of a mode.

    Raises:
        ValueError, TypeError: in Python's words for what does not go together.
    """
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    letters = set(mode)
    if letters - set("axrwb+t") or len(mode) > len(letters):
        raise ValueError(f"invalid mode: {mode!r}")
    text, binary = "t" in letters, "b" in letters
    if text and binary:
        raise ValueError("can't have text and binary mode at once")
    if not letters & set("rwax"):
        raise ValueError("Must have exactly one of create/read/write/append mode and at most one plus")
    if len(letters & set("rwax")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    for what, given in (("encoding", encoding), ("errors", errors), ("newline", newline)):
        if binary and given is not None:
            raise ValueError(f"binary mode doesn't take {'a' if what == 'newline' else 'an'} {what} argument")
    if not binary:
        if newline not in NEWLINES:
            raise ValueError(f"illegal newline value: {newline}")
        if buffering == 0:
            raise ValueError("can't have unbuffered text I/O")
        _codec("utf-8" if encoding in (None, "locale") else encoding, errors or "strict")
    return letters
