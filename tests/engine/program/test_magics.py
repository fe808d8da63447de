"""Notebook commands: what becomes of a cell's text, which a notebook of Jupyter would run."""

from __future__ import annotations

import pytest

from engine.program.magics import NAMES, without_magics

CELLS = {
    "a line of its own": ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
    "alone in a block": ("if new:\n    !wget a.npy\ny = 2", "if new:\n    pass  # !wget a.npy\ny = 2"),
    "over several lines": ("!pip install a \\\n  b \\\n  c\nx = 1", "# !pip install a \\\n#   b \\\n#   c\nx = 1"),
    "a cell that is timed": ("%%time\nx = 1\n!ls", "# %%time\nx = 1\n# !ls"),
    "names that are brought": ("%pylab inline\n%pylab --no-import-all", f"{NAMES}  # %pylab inline\n# %pylab --no-import-all"),
    "a cell of another language": ("%%bash\nls\necho", "# %%bash\n# ls\n# echo"),
    "a statement that is timed": ("%time x = f(1)\n%timeit f(1)\n%time", "x = f(1)\n# %timeit f(1)\n# %time"),
    "the output of a command": ("found = !nvidia-smi\nprint(found)", "found = []  # !nvidia-smi\nprint(found)"),
    "commands without a sign": ("cd a/b\\ c\npip install x", "# cd a/b\\ c\n# pip install x"),
    "names of commands": ("ls = 1\nrm -ls\nls is None\ncat(x)", "ls = 1\nrm -ls\nls is None\ncat(x)"),
    "questions": ("torch.add?\nx??\n?x", "# torch.add?\n# x??\n# ?x"),
    "a cell that is indented": (" x = 1\n for k in 'ab':\n     print(k)", "x = 1\nfor k in 'ab':\n    print(k)"),
    "an operator in brackets": ("x = (7\n     %y)", "x = (7\n     %y)"),
    "an operator in a line that goes on": ("x = 7 \\\n  %y", "x = 7 \\\n  %y"),
    "a string": ('x = """\n%time\n!ls\n"""\n!ls', 'x = """\n%time\n!ls\n"""\n# !ls'),
    "signs in strings and comments": ("print('# (', \"it's\\\"\")  # (\n!ls", "print('# (', \"it's\\\"\")  # (\n# !ls"),
    "brackets over lines": ("f(\n  '(',\n)\n!ls", "f(\n  '(',\n)\n# !ls"),
    "quotation marks of the other kind": ("x = '''a\"\n(\n'''\n!ls", "x = '''a\"\n(\n'''\n# !ls"),
}


@pytest.mark.parametrize(("cell", "expected"), CELLS.values(), ids=CELLS)
def test_a_cell_without_its_commands(cell: str, expected: str) -> None:
    assert without_magics(cell) == expected
    assert without_magics(cell).count("\n") == cell.count("\n")
    assert without_magics(without_magics(cell)) == expected
