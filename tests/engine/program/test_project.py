"""The files that are opened together with a program: their paths, and which of them are its modules."""

from __future__ import annotations

import time

import pytest

from engine import limits
from engine.program import Program, ProgramError
from engine.program.project import absolute, modules, sound

FILES = {
    "model.py": b"from utils.data import load\nimport torch",
    "utils/__init__.py": b"",
    "utils/data.py": b"from . import helper, nothing\nfrom .deep.one import (\n    a,\n    b,\n)",
    "utils/helper.py": b"x = 1",
    "utils/deep/one.py": b"from ..helper import x; from ...above import y",
    "above.py": b"",
    "unused.py": b"",
    "data.csv": b"import unused",
    "bad.py": b"\xff\xfe",
}


def test_modules_are_what_is_imported_and_what_that_imports() -> None:
    cells = ["import torch, os", "try:\n    import model as m, bad\nexcept ImportError: pass"]
    found = modules(cells, FILES)
    assert list(found) == ["model.py", "utils/__init__.py", "utils/data.py", "utils/deep/one.py", "utils/helper.py"]
    assert modules(["print('import unused')  # from unused import x"], FILES) == {}
    assert list(modules(["x = 1; import unused"], FILES)) == ["unused.py"]


@pytest.mark.parametrize(
    ("package", "level", "name", "wanted"),
    [("a.b", 1, "c", "a.b.c"), ("a.b", 2, "c", "a.c"), ("a.b", 1, "", "a.b"), ("a", 2, "c", None), ("", 1, "c", None)],
)
def test_a_relative_import_means_what_it_means_in_python(package: str, level: int, name: str, wanted: str | None) -> None:
    assert absolute(package, level, name) == wanted


@pytest.mark.parametrize("path", ["a", "a/b.txt", "ä b/c-1.py", ".hidden", "x" * 255])
def test_a_plain_path_is_taken(path: str) -> None:
    assert sound(path)
    assert Program(("",), files=((path, b""),)).files == ((path, b""),)


@pytest.mark.parametrize(
    "path",
    ["", "/", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "a/", "./a", "C:\\x", "C:x", "a\\b", "a\0b", "a\nb", "x" * 256,
     "\u202ea", "a/" * 499 + "b\ud800", "a*", "~\x7f"],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_or_is_odd_is_refused(path: str) -> None:
    assert not sound(path)
    with pytest.raises(ProgramError, match="is no path of a file below a folder"):
        Program(("",), files=((path, b""),))


def test_too_many_files_bytes_or_characters_are_refused() -> None:
    with pytest.raises(ProgramError, match="a run holds at most 2,000 files and folders"):
        Program(("",), files=tuple((f"f{k}", b"") for k in range(limits.FILE_COUNT.value() + 1)))
    with pytest.raises(ProgramError, match="a run holds at most 64 MB of files"):
        Program(("",), files=(("a", bytes(limits.FILE_BYTES.value())), ("b", b"1")))
    with pytest.raises(ProgramError, match="its modules are too long"):
        Program(("import a",), files=(("a.py", b"#" * 500_001),))
    assert Program(("import a",), files=(("a.py", b"#" * 2_000_001),)).modules == {}


def test_other_text_keeps_files_and_arguments() -> None:
    program = Program(("a",), "x.py", files=(("f", b"1"),), arguments=("--lr", "1"))
    assert program.with_cells(("b",)) == Program(("b",), "x.py", files=(("f", b"1"),), arguments=("--lr", "1"))


def test_hostile_imports_are_read_in_no_time() -> None:
    began = time.process_time()
    modules(["from x import (" * 30_000, "import " * 60_000, "from " + "." * 400_000, ";" * 400_000], {"x.py": b""})
    assert time.process_time() - began < 2
