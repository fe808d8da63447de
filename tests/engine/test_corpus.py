"""The corpora and their loader: what is written is what is handed over, and what is not written as it should be is an error."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.corpus import ONLY_SHUT_IN, ROOT, Case, CorpusError, corpora, corpus, main

FILES = sorted(ROOT.glob("tests/**/corpus/**/*.py"))
HEAD = '"""What they are for."""\n#: ends: how\n#: prints*: lines\n#: only?: why\n#: cells?: how many\n\nimport torch\nx = 1\n'
TEXT = f"""{HEAD}
# %% a program
#: ends: ok
#: prints: 1
#: prints:
#: prints:  two
print(x)

# no cell, %% but a comment
print('''
 # %% nor this
''')


# %% a program: another
#: ends: error
1 / 0
# %% not Python [1]
#: ends: ok
#| x = = 1
#|
#| # %% y
#|     z

# %% a notebook
#: ends: ok
#: cells: 2
x = 2
# %%

x
"""


def made(folder: Path, text: str) -> Path:
    path = folder / "made.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_programs_are_what_stands_there(tmp_path: Path) -> None:
    found = corpus(made(tmp_path, TEXT))
    assert found.head == "import torch\nx = 1\n"
    assert not found.only_shut_in
    first, second, third, last = found.cases.values()
    assert list(found.cases) == [case.name for case in (first, second, third, last)]
    assert first.name == "a program"
    assert first.text == "print(x)\n\n# no cell, %% but a comment\nprint('''\n # %% nor this\n''')\n"
    assert first.program == "import torch\nx = 1\n" + first.text
    assert first.said == {"ends": "ok", "prints": "1\n\n two"}
    assert first["ends"] == "ok"
    assert (second.name, second.text, second.said) == ("a program: another", "1 / 0\n", {"ends": "error"})
    assert third.text == "x = = 1\n\n# %% y\n    z\n"
    assert last.text == "x = 2\n# %%\n\nx\n"
    assert last.cells == ("x = 2\n", "\nx\n")
    assert first.cells == (first.text,)
    assert str(second) == f"{tmp_path}/made.py::a program: another"
    assert second.group == "made"


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    for case in corpus(made(tmp_path, TEXT)).cases.values():
        lines, program = TEXT.split("\n"), case.program.split("\n")
        for number, line in enumerate(program[2:-1], 3):
            file, _, there = case.place(number).rpartition(":")
            assert file == case.file
            assert lines[int(there) - 1].removeprefix("#| ").removeprefix("#|") == line


def test_a_corpus_is_read_once(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT)
    assert corpus(path) is corpus(path)


CELL = "# %% a\n#: ends: ok\n1\n"
WRONG = {
    "no sentence": ("import torch\n" + CELL, 1, "does not begin with a sentence"),
    "nothing": ("", 1, "no cell"),
    "no cells": (HEAD, 1, "no cell"),
    "a head that is no Python": ('"""A."""\nx = = 1\n' + CELL, 2, "the head is no Python"),
    "a key without a meaning": ('"""A."""\n#: ends\n' + CELL, 2, "for each key"),
    "a key with an odd sign": ('"""A."""\n#: ends+: how\n' + CELL, 2, "for each key"),
    "a key that is there twice": (HEAD.replace("only?", "ends") + CELL, 4, "for each key"),
    "a cell without a space": (HEAD + "#%% a\n1\n", 9, "single spaces"),
    "a cell with two": (HEAD + "# %%  a\n1\n", 9, "single spaces"),
    "a cell with a space at its end": (HEAD + "# %% a \n1\n", 9, "single spaces"),
    "a name that is there twice": (HEAD + CELL + "\n" + CELL, 13, "another program"),
    "a key that nobody knows": (HEAD + "# %% a\n#: end: ok\n1\n", 10, "knows no 'end'"),
    "a key that is said twice": (HEAD + "# %% a\n#: ends: ok\n#: ends: ok\n1\n", 11, "said twice"),
    "an optional key that is said twice": (HEAD + "# %% a\n#: only: ok\n#: only: ok\n1\n", 11, "said twice"),
    "a key that is missing": (HEAD + "# %% a\n#: prints: ok\n1\n", 9, "does not say 'ends'"),
    "a line that says nothing": (HEAD + "# %% a\n#: ends ok\n1\n", 10, "key: value"),
    "a value without a space": (HEAD + "# %% a\n#:ends: ok\n1\n", 10, "key: value"),
    "something said within the program": (HEAD + CELL + "#: prints: 1\n", 12, "directly below"),
    "an empty cell": (HEAD + "# %% a\n#: ends: ok\n\n" + CELL, 9, "empty"),
    "an empty cell at the end": (HEAD + "# %% a\n#: ends: ok\n", 9, "empty"),
    "a line between": (HEAD + "# %% a\n#: ends: ok\n\n1\n", 11, "in the line below"),
    "half a text": (HEAD + "# %% a\n#: ends: ok\n#| x\ny\n", 12, "all lines"),
    "the other half": (HEAD + "# %% a\n#: ends: ok\ny\n#| x\n", 12, "all lines"),
    "a text without its space": (HEAD + "# %% a\n#: ends: ok\n#|x\n", 11, "all lines"),
    "a cell without a name": (HEAD + CELL + "# %%\n2\n", 9, "it has 2"),
    "too few cells": (HEAD + "# %% a\n#: ends: ok\n#: cells: 3\n1\n# %%\n2\n", 9, "it has 2"),
}


@pytest.mark.parametrize(("text", "line", "problem"), WRONG.values(), ids=WRONG.keys())
def test_it_is_an_error_to_have(text: str, line: int, problem: str, tmp_path: Path) -> None:
    path = made(tmp_path, text)
    with pytest.raises(CorpusError) as caught:
        corpus(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert problem in str(caught.value)


# --- the corpora that there are -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_corpus_can_be_read_by_the_loader_and_by_python(path: Path) -> None:
    assert corpus(path).cases
    assert not path.match("test_*.py"), "pytest would import it, which runs all of its programs"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(path.read_bytes())


def test_there_are_all_of_them() -> None:
    assert len(FILES) >= 33
    assert sum(len(corpus(path).cases) for path in FILES) >= 2_200


def test_nobody_runs_an_attack_by_running_its_file() -> None:
    harmful = [path for folder in ("attacks", "doors") for path in (ROOT / "tests/engine/sandbox/corpus" / folder).glob("*.py")]
    assert harmful
    for path in harmful:
        assert corpus(path).only_shut_in, path
        guard = ast.parse(path.read_text(encoding="utf-8")).body[1]
        assert ast.unparse(guard) == ast.unparse(ast.parse(ONLY_SHUT_IN))
    ran = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "may do harm" in ran.stderr


def test_a_folder_is_read_in_order() -> None:
    folder = ROOT / "tests/engine/sandbox/corpus/doors"
    groups = [case.group for case in corpora(folder)]
    assert groups == sorted(groups)
    assert set(groups) == {path.stem for path in folder.glob("*.py")}


# --- one program --------------------------------------------------------------------------------------------------------------

RUNS = f"""{HEAD}
out = None

# %% prints
#: ends: ok
print(torch.ones(2).sum(), x)

# %% ends with out
#: ends: ok
out = x + 1

# %% fails
#: ends: error
y = torch.ones(2)

y @ torch.ones(3)

# %% notebook
#: ends: ok
#: cells: 2
x = 4
# %%
print('a')
x

# %% notebook that fails
#: ends: error
#: cells: 3
x = 4
# %%

x = 5
# %%
x
x @ x
"""


@pytest.mark.parametrize("options", [[], ["--torch"]], ids=["on Gradtape", "on PyTorch"])
def test_one_program_runs(
    options: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    if options:
        request.getfixturevalue("torch")
    path = made(tmp_path, RUNS)

    def told(name: str) -> tuple[int, str, str]:
        code = main([f"{path}::{name}", *options])
        out, error = capfd.readouterr()
        return code, out, error if code or options else error.rpartition(": ")[2]

    ended = "" if options else "ok, 4 events\n"
    assert told("prints") == (0, "tensor(2.) 1\nNone\n", ended)
    assert told("ends with out")[:2] == (0, "2\n")
    for name, kind, code in (("fails", "RuntimeError", "y @"), ("notebook that fails", "TypeError", "x @")):
        failed, out, error = told(name)
        assert (failed, out) == (1, "")
        line = RUNS[: RUNS.index(code)].count("\n") + 1
        assert kind in error
        assert (f'made.py", line {line}' if options else f"made.py:{line}: error") in error
    assert told("notebook")[:2] == (0, "a\nNone\n" if options else "a\n4\n")


def test_the_programs_of_a_file_are_listed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = made(tmp_path, RUNS)
    assert main([str(path)]) == 0
    assert capfd.readouterr().out.split("\n") == ["prints", "ends with out", "fails", "notebook", "notebook that fails", ""]
    for words, problem in ((f"{path}::print", "has no program 'print'"), (f"{path}s::prints", "there is no")):
        with pytest.raises(SystemExit):
            main([words])
        assert problem in capfd.readouterr().err


def test_what_may_do_harm_is_not_run_on_pytorch(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = made(tmp_path, f'"""A."""\n{ONLY_SHUT_IN}\n# %% a\nprint("run")\n')
    assert main([f"{path}::a"]) == 0
    assert capfd.readouterr().out == "run\n", "the head is no part of it"
    with pytest.raises(SystemExit):
        main([f"{path}::a", "--torch"])
    assert "only run shut in" in capfd.readouterr().err


@pytest.mark.thorough
def test_a_test_that_fails_says_how_to_run_its_program(tmp_path: Path) -> None:
    path = made(tmp_path, RUNS)
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_runtest_makereport\n")
    (tmp_path / "test_it.py").write_text(
        "import pytest\nfrom pathlib import Path\nfrom tests.corpus import corpus\n"
        f"@pytest.mark.parametrize('case', corpus(Path({str(path)!r})).cases.values())\n"
        "def test_it(case): assert case.name != 'fails'\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert "1 failed, 4 passed" in ran.stdout
    line = RUNS[: RUNS.index("y = ")].count("\n") + 1
    assert f"{path}:{line}: python -m tests.corpus {shlex.quote(f'{path}::fails')}\n" in ran.stdout


def test_a_case_is_equal_to_itself_alone(tmp_path: Path) -> None:
    case = next(iter(corpus(made(tmp_path, TEXT)).cases.values()))
    assert isinstance(case, Case)
    assert case in {case}
