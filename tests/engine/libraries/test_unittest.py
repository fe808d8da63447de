"""`unittest` in programs, beside Python's own."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

from engine.libraries import unittest as ours
from engine.sandbox import run

ASSERTED: list[tuple[str, tuple[Any, ...]]] = [
    ("assertEqual", (1, 1)), ("assertEqual", (1, 2)), ("assertNotEqual", (1, 1)), ("assertTrue", ([],)),
    ("assertFalse", ([1],)), ("assertIs", (None, None)),
    ("assertIsNot", (None, None)), ("assertIsNone", (1,)), ("assertIsNotNone", (None,)),
    ("assertIn", (1, [2])), ("assertNotIn", (2, [2])), ("assertIsInstance", (1, str)), ("assertNotIsInstance", (1, int)),
    ("assertGreater", (1, 1)), ("assertGreaterEqual", (1, 1)), ("assertLess", (1, 1)), ("assertLessEqual", (2, 1)),
    ("assertAlmostEqual", (1.0, 1.00000001)), ("assertAlmostEqual", (1.0, 1.1)), ("assertNotAlmostEqual", (1.0, 1.0)),
    ("assertCountEqual", ([1, 2], [2, 1])), ("assertCountEqual", ([1, 2], [2, 2])), ("assertListEqual", ([1], [1])),
    ("assertListEqual", ([1], [2])), ("assertDictEqual", ({1: 2}, {1: 3})), ("assertSetEqual", ({1}, {1})), ("fail", ()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), ASSERTED)
def test_an_assertion_holds_where_pythons_does(name: str, given: tuple[Any, ...]) -> None:
    outcomes, said = list[Any](), list[str]()
    for case in (unittest.TestCase(), ours.TestCase()):
        try:
            outcomes.append(getattr(case, name)(*given))
        except AssertionError as error:
            outcomes.append("failed")
            said.append(str(error))
    assert outcomes[0] == outcomes[1]
    if name in ("assertEqual", "assertTrue", "assertIn", "assertGreater", "assertAlmostEqual"):
        assert said[:1] == said[1:]


PROGRAM = """
import unittest
import torch

class Gradients(unittest.TestCase):
    def test_raised(self):
        with self.assertRaises(ZeroDivisionError) as caught:
            1 / 0
        self.assertIsInstance(caught.exception, ZeroDivisionError)
        self.assertRaises((TypeError, ValueError), int, "x")

    def test_not_raised(self):
        self.assertRaises(ValueError, int, "1")

    def setUp(self):
        self.x = torch.ones(2, requires_grad=True)

    def test_sum(self):
        self.x.sum().backward()
        self.assertTrue(torch.equal(self.x.grad, torch.ones(2)))

    def test_wrong(self):
        self.assertAlmostEqual(1.0, 1.1, places=3)

    def test_error(self):
        1 / 0

    @unittest.skip("later")
    def test_later(self):
        pass

unittest.main(argv=[""], exit=False)
"""


def test_a_program_runs_its_tests() -> None:
    lines = run(PROGRAM).output.splitlines()
    assert lines[0] == "ERROR: Gradients.test_error"
    assert lines[3:5] == ["FAIL: Gradients.test_not_raised", "AssertionError: ValueError not raised"]
    assert lines[6:8] == [
        "FAIL: Gradients.test_wrong", "AssertionError: 1.0 != 1.1 within 3 places (0.10000000000000009 difference)",
    ]  # fmt: skip
    assert lines[-2:] == ["Ran 6 tests", "FAILED (failures=2, errors=1, skipped=1)"]


@pytest.mark.parametrize("name", ["__class__", "__reduce__", "_check", "mro"])
def test_only_tests_are_run_by_name(name: str) -> None:
    assert run(f"import unittest\nunittest.TestCase({name!r})").error is not None
    late = f"import unittest\nc = unittest.TestCase()\nc._testMethodName = {name!r}\nunittest.TextTestRunner().run(c)"
    assert run(late).status in ("error", "policy")
