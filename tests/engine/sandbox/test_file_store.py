"""The file system of a run: paths, contents, errors as on Linux, and what is counted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.facades.files.store import Data, Files, Folder


def test_what_is_written_is_read_by_whatever_way_the_path_is_said() -> None:
    files = Files()
    files.make_folders("out/run 1")
    files.write("out/run 1/x.bin", b"\x00\xff")
    for path in ("out/run 1/x.bin", "./out//run 1/../run 1/x.bin", "/project/out/run 1/x.bin", b"out/run 1/x.bin"):
        assert files.read(path) == b"\x00\xff"
    files.go("out")
    assert files.read("run 1/x.bin") == b"\x00\xff"
    assert files.read("../../../../../project/out/run 1/x.bin") == b"\x00\xff"


def test_a_path_above_the_root_is_the_root() -> None:
    files = Files()
    files.write("../../../../etc/../x", b"1")
    assert sorted(files.root.inside) == ["home", "project", "tmp", "x"]


def test_seeds_are_there_and_what_was_written_beside_them_is_told() -> None:
    files = Files([("data/a.csv", b"1,2\n"), ("b.txt", b"b")])
    assert files.read("data/a.csv") == b"1,2\n"
    assert list(files.written()) == []
    files.write("data/a.csv", b"1,2\n")
    files.write("b.txt", b"changed")
    files.write("c.txt", b"")
    files.write("/tmp/left", b"x")
    assert list(files.written()) == [("b.txt", b"changed"), ("c.txt", b"")]


CALLS: dict[str, Callable[[Any, str], Any]] = {
    "a file that is not there is read": lambda do, at: do.read(f"{at}none"),
    "a folder is read": lambda do, at: do.read(f"{at}folder"),
    "something within a file": lambda do, at: do.read(f"{at}file/x"),
    "a folder is written": lambda do, at: do.write(f"{at}folder", b""),
    "a file in a folder that is not there": lambda do, at: do.write(f"{at}none/x", b""),
    "a file with a stroke behind it": lambda do, at: do.read(f"{at}file/"),
    "a new file is there": lambda do, at: do.new(f"{at}file"),
    "a folder is there": lambda do, at: do.make_folder(f"{at}folder"),
    "a folder where there is none": lambda do, at: do.make_folder(f"{at}none/x"),
    "folders where there is a file": lambda do, at: do.make_folders(f"{at}file/x"),
    "what is not there is removed": lambda do, at: do.remove(f"{at}none"),
    "a folder is removed as a file": lambda do, at: do.remove(f"{at}folder"),
    "a file is removed as a folder": lambda do, at: do.remove_folder(f"{at}file"),
    "a full folder is removed": lambda do, at: do.remove_folder(f"{at}folder"),
    "nothing is renamed": lambda do, at: do.rename(f"{at}none", f"{at}other"),
    "a folder becomes a file's name": lambda do, at: do.rename(f"{at}folder", f"{at}file"),
    "a file becomes a folder's name": lambda do, at: do.rename(f"{at}file", f"{at}folder"),
    "a folder moves into itself": lambda do, at: do.rename(f"{at}folder", f"{at}folder/within"),
    "a name that is too long": lambda do, at: do.read(f"{at}{'x' * 256}"),
    "a null in a path": lambda do, at: do.read(f"{at}x\0"),
    "a working folder that is none": lambda do, at: do.go(f"{at}file"),
}


class Real:
    """The same on a real folder, by Python's own functions."""

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes() if not path.endswith("/") else open(path, "rb").read()

    def write(self, path: str, data: bytes) -> None:
        Path(path).write_bytes(data)

    def new(self, path: str) -> None:
        open(path, "x").close()

    def make_folders(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    make_folder = staticmethod(os.mkdir)
    remove, remove_folder, rename, go = staticmethod(os.remove), staticmethod(os.rmdir), staticmethod(os.rename), os.chdir


@pytest.mark.skipif(os.name != "posix", reason="errors are those of Linux")
@pytest.mark.parametrize("what", CALLS)
def test_errors_are_pythons_own(what: str, tmp_path: Path) -> None:
    files = Files()
    ours: Any = files
    ours.new = lambda path: files.opened(path, new=True)
    for do in (files, Real()):
        at = "" if do is files else f"{tmp_path}/"
        do.make_folders(f"{at}folder")
        do.write(f"{at}folder/inside", b"")
        do.write(f"{at}file", b"")
    with pytest.raises((OSError, ValueError)) as wanted:
        CALLS[what](Real(), f"{tmp_path}/")
    with pytest.raises(type(wanted.value)) as found:
        CALLS[what](ours, "")
    assert str(found.value) == str(wanted.value).replace(f"{tmp_path}/", "")


def test_bytes_and_names_are_counted_and_what_is_taken_away_counts_no_more() -> None:
    files = Files(most_bytes=100, most_files=9)
    files.make_folders("a/b")
    files.write("a/b/x", bytes(60))
    with pytest.raises(OSError, match="No space left on device: a run holds at most 100 bytes of files"):
        files.write("a/y", bytes(41))
    files.write("a/b/x", bytes(100))
    files.remove_folder("a", full=True)
    assert files.used == 0
    files.make_folders("c/d/e/f/g")
    with pytest.raises(OSError, match="No space left on device: a run holds at most 9 files and folders"):
        files.make_folder("c/h")
    files.remove_folder("c", full=True)
    files.make_folder("c")


def test_a_hole_that_is_left_out_counts_too() -> None:
    files = Files(most_bytes=1_000)
    file = files.opened("x")
    with pytest.raises(OSError, match="No space left"):
        files.put(file, 10**15, b"1")
    with pytest.raises(OSError, match="No space left"):
        files.cut(file, 10**15)
    files.put(file, 10, b"end")
    assert files.read("x") == bytes(10) + b"end"
    files.cut(file, 4)
    assert (files.read("x"), files.used) == (bytes(4), 4)


def test_a_file_that_was_replaced_is_read_no_more() -> None:
    files = Files()
    files.write("old", b"old")
    held = files.data("old")
    files.write("new", b"new")
    files.rename("new", "old")
    assert (files.read("old"), files.used) == (b"new", 3)
    assert isinstance(held, Data)
    assert files.find("new") is None
    assert isinstance(files.find("/project"), Folder)


def test_the_working_folder_stays() -> None:
    files = Files()
    with pytest.raises(OSError, match="busy"):
        files.remove_folder("/project", full=True)
    with pytest.raises(OSError, match="busy"):
        files.remove_folder("/", full=True)
    assert files.find("/project") is not None
