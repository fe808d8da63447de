"""What lies beside a program on the command line, and where what it wrote goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gradtape
from engine.commands.beside import saved
from engine.commands.command import CommandError

PROGRAM = """
import sys, torch
from model import double
x = torch.ones(2, requires_grad=True)
double(x).sum().backward()
print(sys.argv, __file__)
print(open('data/a.csv').read(), open('b.txt').read())
open('out.txt', 'w').write('written')
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    for name in ("data/.git", "data/__pycache__", "data/deep"):
        (project / name).mkdir(parents=True)
    for name, text in {
        "train.py": PROGRAM, "model.py": "def double(x):\n    return x * 2\n", "data/a.csv": "1,2", "data/deep/c.csv": "3",
        "data/.git/config": "secret", "data/__pycache__/x.pyc": "", "b.txt": "b",
    }.items():  # fmt: skip
        (project / name).write_text(text)
    monkeypatch.chdir(project)
    return project


def run(*arguments: str) -> int:
    return gradtape.main(["run", "train.py", "-o", "tape.gradtape", *arguments])


@pytest.mark.thorough
def test_a_program_finds_files_modules_and_arguments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--files", "data", "--files", "b.txt", "--", "--lr", "0.1", "--", "-x") == 0
    told = capsys.readouterr()
    assert told.out == "['train.py', '--lr', '0.1', '--', '-x'] /project/train.py\n1,2 b\n"
    assert "the program wrote out.txt (7 bytes); --save-files FOLDER keeps them" in told.err
    assert not (folder / "out.txt").exists()
    assert str(folder) not in told.out


def test_what_the_program_wrote_goes_into_the_folder_that_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--files", "data", "--files", "b.txt", "--save-files", "kept/there") == 0
    assert (folder / "kept" / "there" / "out.txt").read_text() == "written"
    assert [path.name for path in (folder / "kept").rglob("*") if path.is_file()] == ["out.txt"]
    assert f"wrote {Path('kept/there/out.txt')} (7 bytes)" in capsys.readouterr().err


def test_hidden_folders_stay_where_they_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text("import os\nprint(sorted(p for p, _, _ in os.walk('.')), os.listdir('.'))\n")
    assert run("--files", "data") == 0
    assert capsys.readouterr().out == "['.', 'data', 'data/deep'] ['data', 'train.py']\n"


def test_other_commands_run_it_with_its_files_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "train.py", "--files", "data", "--files", "b.txt"]) == 0
    assert gradtape.main(["svg", "train.py", "-o", "x.svg", "--files", "data", "--files", "b.txt"]) == 0
    assert gradtape.main(["explain", "train.py", "--files", "data"]) == 1
    assert "No such file or directory: 'b.txt'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--files", "none"], "none cannot be read"), (["--files", "data", "--files", "data/none"], "none cannot be read")],
)
def test_what_cannot_be_given_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(*arguments) == 2
    assert told in capsys.readouterr().err


def test_arguments_are_for_commands_that_run_a_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gradtape.main(["rules", "--", "--lr", "1"])
    assert "runs no program" in capsys.readouterr().err


def test_an_error_in_a_module_names_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.py").write_text("def double(x):\n    return x.nothing\n")
    assert gradtape.main(["svg", "train.py", "--files", "data", "--files", "b.txt", "-o", "x.svg"]) in (0, 2)
    assert run("--files", "data", "--files", "b.txt") == 1
    assert 'File "model.py", line 2, in double' in capsys.readouterr().err


@pytest.mark.parametrize("path", ["../out", "/tmp/gradtape-out", "a/../../out", "C:\\out", "a\\..\\out", ""])
def test_no_path_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(CommandError, match="is not written"):
        saved([(path, b"x")], str(tmp_path / "in"))
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == []


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own there")
def test_no_link_that_lies_there_leads_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "file").symlink_to(tmp_path / "out" / "file")
    for path in ("folder/x", "file"):
        with pytest.raises(CommandError, match="link"):
            saved([(path, b"x")], str(tmp_path / "in"))
    assert list((tmp_path / "out").iterdir()) == []


def test_arguments_that_do_not_fit_end_the_program_as_in_python(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float)\n"
        "print(parser.parse_args().lr)\n"
    )
    assert run("--", "--lr", "0.5") == 0
    assert run("--", "--help") == 0
    told = capsys.readouterr()
    assert told.out.startswith("0.5\nusage: train.py [-h] [--lr LR]")
    assert run("--", "--lr", "x") == 1
    told = capsys.readouterr()
    assert "usage: train.py [-h] [--lr LR]\ntrain.py: error: argument --lr: invalid float value: 'x'\n" in told.err
    assert "Traceback" not in told.err
    (folder / "train.py").write_text("raise SystemExit('that is all')\n")
    assert run() == 1
    assert "that is all" in capsys.readouterr().err
