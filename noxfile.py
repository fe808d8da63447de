"""`make test-all`: the suite on every Python that is installed, what depends on the interpreter first.

The language layer, its copies and mends, and whatever reads bytecode positions are written against CPython's insides, so what a
new Python changes shows itself there; the rest follows.
"""

from __future__ import annotations

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FIRST = (
    "tests/engine/sandbox/test_policy.py",
    "tests/engine/sandbox/test_copying.py",
    "tests/engine/sandbox/test_mends.py",
    "tests/engine/sandbox/test_facades.py",
    "tests/engine/sandbox/test_doors.py",
    "tests/engine/sandbox/test_attacks.py",
    "tests/engine/recording",
    "tests/engine/diagnosis/test_program_ast.py",
    "tests/engine/graph/test_change_index.py",
    "tests/engine/diagnosis/test_compare.py",
)

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The interpreter's own part first, then everything; arguments go to pytest instead."""
    session.install("--editable", ".[test]")
    if session.posargs:
        session.run("python", "-m", "pytest", *session.posargs)
        return
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "worksteal", *FIRST)
    session.run("python", "-m", "tests.browser.install")
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "worksteal", "tests/engine", "tests/components")
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "worksteal", "tests/browser")
