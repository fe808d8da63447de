"""Sessions copied as text: which lines are code, what came of it, and what stands between."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from engine.commands import files
from engine.diagnosis import findings
from engine.diagnosis.fixes import tried
from engine.diagnosis.reason import Edit
from engine.program import Program, ProgramError, parsing, session
from engine.program.project import program_among
from engine.sandbox import run

NOTEBOOK = Path(__file__).with_name("first_notebook.json")
PYTHON = """
    >>> import torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> for i in range(2):
    ...     (x * 2).sum().backward()
    ...
    >>> x.grad
    tensor([4., 4.])
    >>> x.grad.sum()
    tensor(8.)

    Note that they add up.

    >>> print("done")
    done
"""
IPYTHON = """\
In [1]: import torch

In [2]: def f(x):
   ...:     return x * 2
   ...: 

In [3]: f(torch.tensor(2.0))
Out[3]: tensor(4.)

In [4]: 
"""


def dedented(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def as_text(document: dict[str, Any]) -> str:
    """A notebook as it is saved as text: marks of cells, and all else without marks."""
    told: list[str] = []
    number = 0
    for cell in document["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            told += [source, ""]
            continue
        number += 1
        told += [f"In [{number}]:", source, ""]
        for output in cell["outputs"]:
            told += ["".join(output["text"] if "text" in output else output["data"]["text/plain"]), ""]
    return "\n".join(told)


def test_a_notebook_that_was_saved_as_text_has_its_cells_and_notes_again() -> None:
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    found = Program.from_file(as_text(document).encode(), "autograd_notebook.txt")
    wanted = Program.from_file(json.dumps(document).encode(), "autograd_notebook.ipynb")
    assert found.notebook
    assert [cell.strip() for cell in found.cells] == [cell.strip() for cell in wanted.cells]
    titles = [note.text.splitlines()[0] for note in found.story.notes]
    assert len(titles) >= 5
    assert {note.at for note in found.story.notes} <= {note.at for note in wanted.story.notes}


def test_pythons_prompts() -> None:
    cells, notes = session.cells_of(dedented(PYTHON))
    assert cells == [
        "import torch\nx = torch.ones(2, requires_grad=True)\nfor i in range(2):\n    (x * 2).sum().backward()\nx.grad",
        "x.grad.sum()",
        'print("done")',
    ]
    assert notes == [(2, "Note that they add up.")]
    result = run(Program.from_file(PYTHON.encode(), "copied.py"))
    assert [cell.result for cell in result.cells] == ["tensor([4., 4.])", "tensor(8.)", None]
    assert result.output == "done\n"


def test_ipythons_prompts() -> None:
    assert session.cells_of(IPYTHON) == (
        ["import torch\ndef f(x):\n    return x * 2\nf(torch.tensor(2.0))"],
        [],
    )


CELLS = {
    "a function goes on behind an empty line": "def f(x):\n    y = x\n\n    return y\n\nf(2)\n\n2",
    "a text in quotes has an empty line": 's = """a\n\nb"""\nprint(s)\n\na\n\nb',
    "a second paragraph uses names that are known": "x = 1\n\nprint(x)\n\ny = x\ny\n\n1",
    "a function uses what comes later": "def f():\n    return g()\n\ndef g():\n    return 2\n\nf()\n\n2",
    "what was shown is Python that knows no such name": "x = [1]\nx\n\ntensor([1.])\n\na.grad = tensor([2.])",
    "what was shown has its mark": "x = 1\nx\n\nOut[1]: 1\n\nx",
}
CODE = {
    "a function goes on behind an empty line": "def f(x):\n    y = x\n\n    return y\n\nf(2)",
    "a text in quotes has an empty line": 's = """a\n\nb"""\nprint(s)',
    "a second paragraph uses names that are known": "x = 1\n\nprint(x)\n\ny = x\ny",
    "a function uses what comes later": "def f():\n    return g()\n\ndef g():\n    return 2\n\nf()",
    "what was shown is Python that knows no such name": "x = [1]\nx",
    "what was shown has its mark": "x = 1\nx",
}


@pytest.mark.parametrize("case", CELLS)
def test_where_a_cells_code_ends(case: str) -> None:
    assert session.cells_of(f"In [1]:\n{CELLS[case]}\n\n## A heading\nand text") in (
        ([CODE[case]], [(1, "## A heading\nand text")]),
        ([CODE[case]], []),
    )
    assert session.parts_of(f"In [1]:\n{CELLS[case]}\n")[0].text == CODE[case]


def test_as_a_program_it_has_as_many_lines_and_prints_what_was_shown() -> None:
    text = dedented(PYTHON)
    made = session.as_program(text)
    assert made.count("\n") == text.count("\n")
    assert run(made).output == "tensor([4., 4.])\ntensor(8.)\ndone\n"
    assert made.splitlines()[5:7] == ["print(x.grad)", "# tensor([4., 4.])"]
    assert "# Note that they add up." in made.splitlines()


@pytest.mark.parametrize("text", [PYTHON, IPYTHON, "In [1]:\nx = 2\nx\n\n2\n"])
def test_a_pasted_one_is_a_finding_with_a_fix_that_is_proven(text: str) -> None:
    recording = run(dedented(text) if text is PYTHON else text).recording
    assert recording is not None
    (found,) = findings(recording)
    assert (found.rule, found.title) == ("program_error", "This was copied from an interactive session, with its prompts.")
    assert isinstance(tried(recording, found), Edit)


def test_what_is_no_session_is_read_as_it_was() -> None:
    doctest = 'def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return x + 1\n'
    assert not session.is_session(doctest)
    assert Program.from_file(doctest.encode(), "f.py").cells == (doctest,)
    for text in ("", "\n\n", "... x", "In [x]: 1", "x = 1\n>>> y", ">>>x"):
        assert not session.is_session(text)
    (found,) = findings(run("x = (\n").recording)  # type: ignore[arg-type]
    assert found.title == "Python cannot read the program."


def test_a_text_is_a_program_only_if_it_is_a_session(tmp_path: Path) -> None:
    assert program_among({"copied.txt": IPYTHON.encode()}) == "copied.txt"
    assert program_among({"data.txt": b"1 2 3"}) is None
    assert program_among({"copied.txt": IPYTHON.encode(), "train.py": b"import torch"}) == "train.py"
    with pytest.raises(ProgramError, match="if it begins with the prompt of a session"):
        Program.from_file(b"1 2 3", "data.txt")
    assert ".txt" in files.PROGRAMS


def test_a_cells_text_is_tried_so_often_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []
    read = parsing.read

    def counted(text: str) -> parsing.ProgramAst:
        tries.append(text)
        return read(text)

    monkeypatch.setattr(parsing, "read", counted)
    session.parts_of("In [1]:\nx = 1\n\n" + "This is no Python.\n\n" * 1_000)
    assert len(tries) <= 2 * session.TRIES + 4


def test_a_function_of_many_paragraphs_is_read_so_often_only(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "".join(f"\n    x = {k}\n" for k in range(1_500))
    text = f"In [1]:\ndef f():\n    x = 1\n{body}"
    characters: list[int] = []
    read = parsing.read

    def counted(text: str) -> parsing.ProgramAst:
        characters.append(len(text))
        return read(text)

    monkeypatch.setattr(parsing, "read", counted)
    session.parts_of(text)
    assert sum(characters) <= session.AGAIN + (session.TRIES + 4) * len(text)
    (cell,) = session.cells_of(text.replace(body, body[: len(body) // 10]))[0]
    assert "x = 100" in cell
