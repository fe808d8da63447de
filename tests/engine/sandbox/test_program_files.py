"""A program's files: it does with them what it does in Python, what was given to it is there, and what it wrote comes back."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from engine import limits
from engine.program import Program
from engine.sandbox import Limits, run
from engine.sandbox.transport.frames import WRITTEN
from engine.sandbox.transport.messages import Written, encode
from engine.sandbox.transport.receiver import CollectedRun
from tests.corpus import Case, corpora
from tests.recorded import printed

PROGRAMS = list(corpora(Path(__file__).parent / "corpus" / "files"))


def as_python(case: Case, folder: Path) -> str:
    """What Python prints in an empty folder."""
    (folder / "empty").mkdir()
    (folder / "program.py").write_text(case.text)
    command = [sys.executable, "-W", "ignore", str(folder / "program.py")]
    done = subprocess.run(command, cwd=folder / "empty", capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


@pytest.mark.skipif(os.name != "posix", reason="paths and errors are those of Linux")
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_a_program_does_with_files_what_python_does(case: Case, tmp_path: Path) -> None:
    # The folder holds nothing but the program, which is no file of the comparison.
    result = run(Program((case.text,), notebook=True), Limits(seconds=30))
    told = printed(result.recording) if result.recording else ""
    assert result.status == "ok", (result.error, told)
    wanted = as_python(case, tmp_path)
    assert told.splitlines() == wanted.splitlines()


# --- what is given to it, and what comes back --------------------------------------------------------------------------------


FILES = (
    ("data/a.csv", b"1,2\n"),
    ("model.py", b"from helper import two\ndef double(x):\n    for k in range(3):\n        x = x * two\n    return x\n"),
    ("helper/__init__.py", b"from .numbers import two\nassert __name__ == 'helper'\n"),
    ("helper/numbers.py", b"two = 2\n"),
)
TRAINING = """import sys, os
import torch
import model
from model import double
x = torch.ones(2, requires_grad=True)
double(x).sum().backward()
print(x.grad, sys.argv, open('data/a.csv').read(), __file__, sorted(os.listdir()))
open('data/a.csv', 'w').write('3')
os.makedirs('out')
open('out/b.txt', 'w').write('b')
open('/tmp/left', 'w').write('t')
"""


def test_a_program_finds_its_files_modules_and_arguments_and_what_it_writes_comes_back() -> None:
    program = Program((TRAINING,), "train.py", files=FILES, arguments=("--lr", "0.1"))
    for _ in range(2):
        result = run(program)
        assert result.output == (
            "tensor([8., 8.]) ['train.py', '--lr', '0.1'] 1,2\n /project/train.py ['data', 'helper', 'model.py', 'train.py']\n"
        )
        assert dict(result.files) == {"data/a.csv": b"3", "out/b.txt": b"b"}


def test_what_modules_do_is_recorded_in_their_own_lines_and_loops() -> None:
    recording = run(Program((TRAINING,), "train.py", files=FILES)).recording
    assert recording is not None
    assert recording.names == ("train.py", "helper/__init__.py", "helper/numbers.py", "model.py")
    assert [text.encode() for text in recording.source[1:]] == [data for _, data in sorted(FILES[1:])]
    told = {recording.site_text(site) for site in recording.sites}
    assert {"line 6", "model.py, line 4"} <= told
    assert not any("cell" in text for text in told)
    multiplied = [event for event in recording.events if getattr(event, "op", "") == "mul"]
    assert len(multiplied) == 3
    assert len({recording.scopes[event.scope].loops for event in multiplied}) == 3


@pytest.mark.parametrize(
    ("module", "kind", "said", "line"),
    [
        (b"x = 1\nx.nothing\n", "AttributeError", "'int' object has no attribute 'nothing'", 2),
        (b"x = (\n", "SyntaxError", "'(' was never closed", 1),
        (b"\n\nx = ().__class__.__mro__\n", "PolicyError", "model.py, line 3: the attribute '__mro__' is not available", 3),
        (b"import ctypes\n", "PolicyError", "No module named 'ctypes' for programs here", 1),
        (b"from .other import x\n", "ImportError", "attempted relative import with no known parent package", 1),
        (b"from helper import nothing\n", "ImportError", "cannot import name 'nothing' from 'helper' (helper/__init__.py)", 1),
        (b"import helper.nothing\n", "ModuleNotFoundError", "No module named 'helper.nothing'", 1),
    ],
)
def test_an_error_in_a_module_names_the_file(module: bytes, kind: str, said: str, line: int) -> None:
    result = run(Program(("import model",), files=(("model.py", module), *FILES[2:])))
    assert result.error is not None
    assert (result.error.type, result.error.line) == (kind, line)
    assert said in result.error.message
    assert result.recording is not None
    assert result.recording.names[result.error.cell] == "model.py"
    if kind != "PolicyError" or "__mro__" not in said:
        assert 'File "model.py", line' in result.error.traceback


def test_modules_import_each_other_as_in_python() -> None:
    files = (
        ("a.py", b"import b\nvalue = 1\ndef get(): return b.value\n"),
        ("b.py", b"import a\nvalue = 2\n"),
        ("c.py", b"__all__ = ['x', 'get']\nfrom a import *\nx, y, _z = 1, 2, 3\n__version__ = '4'\n"),
        ("pkg/deep/__init__.py", b""),
        ("pkg/deep/e.py", b"from ..f import f\nfrom . import g\n"),
        ("pkg/f.py", b"f = 'f'\n"),
        ("pkg/deep/g.py", b"from pkg.f import f as name\n"),
    )
    text = (
        "import a, importlib\nprint(a.get(), a.b.a is a)\nfrom c import *\nprint(x, get(), 'y' in globals())\nimport c\n"
        "print(c.__version__, c._z)\nc.y = 5\nprint(c.y, importlib.reload(c).y, importlib.import_module('pkg.f').f)\n"
        "import pkg.deep.e as e, pkg\nprint(e.f, e.g.name, pkg.deep.g.name, hasattr(pkg, 'nothing'), 'get' in dir(a))\n"
    )
    result = run(Program((text,), files=files))
    assert result.status == "ok", result.error
    assert result.output == "2 True\n1 2 False\n4 3\n5 2 f\nf f f False True\n"


def test_what_a_module_puts_in_the_place_of_another_is_not_asked_for_modules_of_python() -> None:
    evil = b"import pkg\ndef evil(): pass\nevil.__name__ = 'os'\npkg.sub = evil\nvalue = 3\n"
    files = (("pkg/__init__.py", b""), ("pkg/sub/__init__.py", b""), ("pkg/sub/path.py", evil))
    result = run(Program(("import pkg.sub.path as z\nprint(z.value)\n",), files=files))
    assert (result.status, result.output) == ("ok", "3\n"), result.error


def test_a_notebook_has_modules_too_and_no_file_of_its_own() -> None:
    result = run(Program(("import model\nprint(model.x)", "model.x"), notebook=True, files=(("model.py", b"x = 3\n"),)))
    assert [cell.output for cell in result.cells] == ["3\n", ""]
    assert result.cells[1].result == "3"
    assert result.recording is not None
    assert result.recording.names == ("program", "", "model.py")
    assert run(Program(("__file__",), notebook=True)).error is not None


def test_what_was_written_comes_back_however_the_run_ends() -> None:
    for end, status in (
        ("1 / 0", "error"),
        ("raise SystemExit(3)", "error"),
        ("while True: pass", "timeout"),
        ("x.__mro__", "ok"),
    ):
        result = run(f"open('a', 'w').write('b')\n{end if status != 'ok' else ''}", Limits(seconds=1))
        assert (result.status, result.files) == (status, (("a", b"b"),)), end


def test_large_files_come_back_whole() -> None:
    size = 9 * 2**20
    result = run(f"open('a', 'wb').write(bytes({size}))\nopen('empty', 'w').close()")
    assert [(path, len(data)) for path, data in result.files] == [("a", size), ("empty", 0)]


def test_more_than_a_run_may_hold_is_refused_in_the_program() -> None:
    most = limits.FILE_BYTES.value()
    result = run(
        f"f = open('a', 'wb')\ntry:\n    for k in range({most // 2**20 + 1}): f.write(bytes(2**20))\n"
        "except OSError as e: print(e)\n"
        "import os\ntry:\n    for k in range(5000): os.mkdir(str(k))\nexcept OSError as e: print(e)\n"
    )
    assert result.output == (
        "[Errno 28] No space left on device: a run holds at most 64 MB of files\n"
        "[Errno 28] No space left on device: a run holds at most 2,000 files and folders\n"
    )


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "a\0b", "a\\b", "a\nb"])
def test_a_forged_path_is_nonsense(path: str) -> None:
    collected = CollectedRun(Program(("",)))
    with pytest.raises(ValueError, match="a file that no program of ours sends"):
        collected.take(WRITTEN, encode(Written(path, b"x")))


def test_a_forged_flood_of_files_is_nonsense() -> None:
    collected = CollectedRun(Program(("",)))
    for k in range(limits.FILE_COUNT.value()):
        collected.take(WRITTEN, encode(Written(f"f{k}", b"")))
    with pytest.raises(ValueError, match="more files"):
        collected.take(WRITTEN, encode(Written("one more", b"")))
    collected.again()
    piece = encode(Written("a", bytes(2**20)))
    for _ in range(limits.FILE_BYTES.value() // 2**20):
        collected.take(WRITTEN, piece)
    with pytest.raises(ValueError, match="a file that no program"):
        collected.take(WRITTEN, piece)
    with pytest.raises(msgspec.ValidationError):
        collected.take(WRITTEN, encode({"path": 1, "data": b""}))


def test_nothing_of_this_machine_is_seen(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    paths = [str(tmp_path / "secret"), __file__, sys.executable, "/proc/self/status", "/etc/passwd", str(Path.home())]
    text = f"""
import os, glob, pathlib
for path in {paths!r}:
    assert not os.path.exists(path) and not pathlib.Path(path).exists() and not glob.glob(path), path
    for read in (open, os.listdir, os.stat, lambda p: pathlib.Path(p).read_bytes()):
        try: read(path)
        except (FileNotFoundError, NotADirectoryError): pass
        else: raise AssertionError(path)
print(sorted(os.listdir('/')), os.getcwd(), os.path.relpath('x', 'y'), dict(os.environ), sorted(p for p, _, _ in os.walk('/')))
"""
    result = run(text)
    assert result.error is None, result.error
    assert result.output == ("['home', 'project', 'tmp'] /project ../x {} ['/', '/home', '/home/user', '/project', '/tmp']\n")


def test_a_program_with_files_starts_as_fast_as_one_without() -> None:
    def quickest(program: Program) -> float:
        took = []
        for _ in range(5):
            began = time.perf_counter()
            assert run(program).status == "ok"
            took.append(time.perf_counter() - began)
        return min(took)

    plain = quickest(Program(("x = 1",)))
    assert quickest(Program(("x = open('a').read()",), files=(("a", b"1"),))) < plain + 0.5


def test_what_would_be_fetched_is_the_file_of_that_name_that_was_opened() -> None:
    text = (
        "import os, urllib.request\nfrom torch.hub import download_url_to_file\nos.makedirs('data')\n"
        "print(urllib.request.urlretrieve('http://a.org/x/b.csv?raw=1', 'data/b.csv'), open('data/b.csv').read())\n"
        "print(urllib.request.urlretrieve('http://a.org/b.csv'))\n"
        "download_url_to_file('https://a.org/b.csv', 'c.csv')\nprint(open('c.csv').read())\n"
        "urllib.request.urlretrieve('http://a.org/none.csv', 'n.csv')\n"
    )
    result = run(Program((text,), files=(("b.csv", b"1,2"),)))
    assert result.output == "('data/b.csv', {}) 1,2\n('b.csv', {})\n1,2\n"
    assert result.error is not None
    assert result.error.message == "line 8: none.csv cannot be fetched by programs here"
    assert result.error.help.startswith("A program has no network here. Open the file together with the program")
