"""`gzip` and `zipfile` for programs: what is unpacked is counted while it is, and goes nowhere but into the run's files."""

from __future__ import annotations

import gzip
import io
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from ...policy.guards import Guards
from . import streams
from .store import Files, files, text_of

PIECE = 1 << 16


def unpacked(data: bytes, most: int) -> bytes:
    """What was packed by gzip, in one part or several.

    Raises:
        OSError: if it is none, or more than that.
    """
    found = bytearray()
    while data:
        if data[:2] != b"\x1f\x8b":
            if not data.strip(b"\0"):
                break
            raise gzip.BadGzipFile(f"Not a gzipped file ({data[:2]!r})")
        one = zlib.decompressobj(31)
        while data and not one.eof:
            found += one.decompress(data, PIECE)
            data = one.unconsumed_tail
            if len(found) > most:
                raise OSError(f"it unpacks to more than {most:,} bytes, which is more than there is room for")
        if not one.eof:
            found += one.flush()
            if not one.eof:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        data = one.unused_data
    return bytes(found)


def packed(data: bytes, level: int = 9) -> bytes:
    """Bytes packed by gzip, the same for the same bytes."""
    one = zlib.compressobj(level, wbits=31)
    return one.compress(data) + one.flush()


def gzip_names(guards: Guards) -> dict[str, Any]:
    """What `gzip` has."""

    def open(
        filename: Any, mode: Any = "rb", compresslevel: int = 9, encoding: Any = None, errors: Any = None, newline: Any = None
    ) -> Any:
        letters = mode if isinstance(mode, str) and ("t" in mode or "b" in mode) else f"{mode}b"
        streams.checked(letters, -1, encoding, errors, newline)
        inside = Files(most_bytes=files().most_bytes)
        data = inside.opened("inside")
        if "r" in letters:
            source = filename.read() if hasattr(filename, "read") else files().read(filename)
            inside.put(data, 0, unpacked(streams.bytes_of(source), inside.most_bytes))
            return streams.stream(inside, data, _name(filename), letters, encoding, errors, newline)
        write: Callable[[bytes], Any]
        if hasattr(filename, "write"):
            write = filename.write
        else:
            run = files()
            target = run.opened(filename, new="x" in letters)
            if "a" not in letters:
                run.cut(target, 0)

            def write(piece: bytes) -> None:
                run.put(target, len(target.bytes), piece)

        def ending() -> None:
            write(packed(bytes(data.bytes), int(compresslevel)))

        return streams.stream(inside, data, _name(filename), letters.replace("a", "w"), encoding, errors, newline, ending)

    def compress(data: Any, compresslevel: int = 9, *, mtime: Any = None) -> bytes:
        return packed(streams.bytes_of(data), int(compresslevel))

    def decompress(data: Any) -> bytes:
        return unpacked(streams.bytes_of(data), files().most_bytes)

    guards.know([gzip.BadGzipFile])
    return {"BadGzipFile": gzip.BadGzipFile, "GzipFile": open, "compress": compress, "decompress": decompress, "open": open}


def _name(filename: Any) -> Any:
    return getattr(filename, "name", "") if hasattr(filename, "read") or hasattr(filename, "write") else filename


class ZipInfo:
    """What is known of one file in an archive."""

    __slots__ = ("_info",)

    def __init__(self, info: zipfile.ZipInfo) -> None:
        self._info = info

    filename = property(lambda self: self._info.filename)
    file_size = property(lambda self: self._info.file_size)
    compress_size = property(lambda self: self._info.compress_size)
    date_time = property(lambda self: self._info.date_time)
    CRC = property(lambda self: self._info.CRC)

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self._info.is_dir()


class ZipFile:
    """An archive in the run's files, or in an object with bytes."""

    __slots__ = ("_closed", "_memory", "_mode", "_target", "_zip")

    def __init__(
        self,
        file: Any,
        mode: Any = "r",
        compression: Any = 0,
        allowZip64: Any = True,  # noqa: N803
        compresslevel: Any = None,
        **_: Any,
    ) -> None:
        if mode not in ("r", "w", "x", "a"):
            raise ValueError("ZipFile requires mode 'r', 'w', 'x', or 'a'")
        held = hasattr(file, "read") or hasattr(file, "write")
        there = b""
        if mode == "r":
            if held and hasattr(file, "seek"):
                file.seek(0)
            there = streams.bytes_of(file.read() if held else files().read(file))
        elif not held:
            files().opened(file, new=mode == "x")
            there = files().read(file) if mode == "a" else b""
        self._mode, self._target, self._closed = mode, file, False
        self._memory = io.BytesIO(there)
        method = compression if compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else zipfile.ZIP_DEFLATED
        self._zip = zipfile.ZipFile(
            self._memory, mode if there else "r" if mode == "r" else "w", method, compresslevel=compresslevel
        )

    def __enter__(self) -> ZipFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def namelist(self) -> list[str]:
        """The names of what is in it."""
        return self._zip.namelist()

    def infolist(self) -> list[ZipInfo]:
        """What is known of it."""
        return [ZipInfo(info) for info in self._zip.infolist()]

    def getinfo(self, name: Any) -> ZipInfo:
        """What is known of one of them."""
        return ZipInfo(self._zip.getinfo(text_of(name)))

    def read(self, name: Any, pwd: Any = None) -> bytes:
        """What is in one of them."""
        most = files().most_bytes
        archive = self._zip
        with archive.open(name._info if isinstance(name, ZipInfo) else text_of(name)) as part:
            found = part.read(most + 1)
        if len(found) > most:
            raise OSError(f"it unpacks to more than {most:,} bytes, which is more than there is room for")
        return found

    def open(self, name: Any, mode: Any = "r", pwd: Any = None, *, force_zip64: Any = False) -> Any:
        """One of them as an opened file; written to, it is put in when it is closed."""
        if mode not in ("r", "w"):
            raise ValueError('open() requires mode "r" or "w"')
        inside = Files(most_bytes=files().most_bytes)
        data = inside.opened("inside")
        called = name._info.filename if isinstance(name, ZipInfo) else text_of(name)
        if mode == "r":
            inside.put(data, 0, self.read(name))
            return streams.stream(inside, data, called, "rb")
        return streams.stream(inside, data, called, "wb", ending=lambda: self.writestr(called, bytes(data.bytes)))

    def writestr(self, zinfo_or_arcname: Any, data: Any, compress_type: Any = None, compresslevel: Any = None) -> None:
        """Put text or bytes in under a name."""
        plain = data.encode("utf-8") if isinstance(data, str) else streams.bytes_of(data)
        name = zinfo_or_arcname._info.filename if isinstance(zinfo_or_arcname, ZipInfo) else text_of(zinfo_or_arcname)
        if self._memory.getbuffer().nbytes + len(plain) > files().most_bytes:
            raise OSError("the archive is larger than there is room for")
        # The same archive for the same files: no time of day stands in it.
        info = zipfile.ZipInfo(name)
        archive = self._zip
        info.compress_type = archive.compression
        archive.writestr(info, plain)

    def write(self, filename: Any, arcname: Any = None, compress_type: Any = None, compresslevel: Any = None) -> None:
        """Put a file of the run in."""
        name = text_of(filename if arcname is None else arcname).lstrip("/")
        self.writestr(posixpath.normpath(name), files().read(filename))

    def extract(self, member: Any, path: Any = None, pwd: Any = None) -> str:
        """Write one of them into the run's files, below a folder."""
        name = member._info.filename if isinstance(member, ZipInfo) else text_of(member)
        kept = [part for part in name.split("/") if part not in ("", ".", "..")]
        target = posixpath.join("." if path is None else text_of(path), *kept)
        if name.endswith("/"):
            files().make_folders(target)
        else:
            files().make_folders(posixpath.dirname(target) or ".")
            files().write(target, self.read(member))
        return target

    def extractall(self, path: Any = None, members: Any = None, pwd: Any = None) -> None:
        """Write all of them."""
        for member in self._zip.namelist() if members is None else members:
            self.extract(member, path)

    def testzip(self) -> Any:
        """The first that is damaged."""
        return self._zip.testzip()

    def close(self) -> None:
        """Write the archive, if it was written to."""
        if self._closed:
            return
        self._closed = True
        self._zip.close()
        if self._mode != "r":
            data = self._memory.getvalue()
            if hasattr(self._target, "write"):
                self._target.write(data)
            else:
                files().write(self._target, data)

    def __iter__(self) -> Iterator[str]:
        return iter(self.namelist())


def zip_names(guards: Guards) -> dict[str, Any]:
    """What `zipfile` has."""

    def is_zipfile(filename: Any) -> bool:
        held = filename.read() if hasattr(filename, "read") else files().read(filename)
        return zipfile.is_zipfile(io.BytesIO(streams.bytes_of(held)))

    guards.know([zipfile.BadZipFile])
    return {
        "BadZipFile": zipfile.BadZipFile, "ZIP_DEFLATED": zipfile.ZIP_DEFLATED, "ZIP_STORED": zipfile.ZIP_STORED,
        "ZipFile": ZipFile, "is_zipfile": is_zipfile,
    }  # fmt: skip
