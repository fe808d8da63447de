"""`unittest`: test cases with their assertions, and a runner that says what passed, after Python's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "SkipTest", "TestCase", "TestLoader", "TestSuite", "TextTestRunner", "expectedFailure", "main", "skip", "skipIf",
    "skipUnless",
]  # fmt: skip

_SHOWN = 10
"""Elements of a difference that a message names."""
_cases: list[type] = []
"""The classes of tests that a program has made, for `main`."""


class SkipTest(Exception):
    """Raised by a test that is not to run."""


class Raising:
    """What `assertRaises` gives for a `with` statement."""

    def __init__(self, expected: Any, failure: type[Exception]) -> None:
        self._expected, self._failure = expected, failure
        self.exception: BaseException | None = None

    def __enter__(self) -> Raising:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if kind is None:
            names = self._expected if isinstance(self._expected, tuple) else (self._expected,)
            raise self._failure(f"{' or '.join(each.__name__ for each in names)} not raised")
        self.exception = error
        return issubclass(kind, self._expected)


class Part:
    """What `subTest` gives for a `with` statement."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


def _checked(name: Any, owner: type) -> str:
    """A method's name, which is that of a test."""
    if type(name) is not str or not name.startswith(("test", "runTest")):
        raise ValueError(f"no such test method in {owner!r}: {name}")
    return name


def _said(standard: str, msg: Any) -> str:
    return standard if msg is None else f"{standard} : {msg}"


class TestCase:
    """A test, or a place for assertions: `unittest.TestCase().assertEqual(a, b)`."""

    failureException = AssertionError
    longMessage = True
    maxDiff = 640

    def __init__(self, methodName: str = "runTest") -> None:
        self._testMethodName = _checked(methodName, type(self))

    def __init_subclass__(cls) -> None:
        _cases.append(cls)

    def setUp(self) -> None:
        """What is done before each test."""

    def tearDown(self) -> None:
        """What is done after each test."""

    @classmethod
    def setUpClass(cls) -> None:
        """What is done before the tests of a class."""

    @classmethod
    def tearDownClass(cls) -> None:
        """What is done after the tests of a class."""

    def id(self) -> str:
        """The test's name."""
        return f"{type(self).__name__}.{self._testMethodName}"

    def skipTest(self, reason: Any) -> None:
        """Leave the test."""
        raise SkipTest(reason)

    def fail(self, msg: Any = None) -> None:
        """Fail."""
        raise self.failureException(msg)

    def _check(self, holds: Any, standard: str, msg: Any) -> None:
        if not holds:
            raise self.failureException(_said(standard, msg))

    def assertEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fail unless they are equal."""
        self._check(first == second, f"{first!r} != {second!r}", msg)

    def assertNotEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fail if they are equal."""
        self._check(first != second, f"{first!r} == {second!r}", msg)

    def assertTrue(self, expr: Any, msg: Any = None) -> None:
        """Fail unless it is true."""
        self._check(expr, f"{expr!r} is not true", msg)

    def assertFalse(self, expr: Any, msg: Any = None) -> None:
        """Fail if it is true."""
        self._check(not expr, f"{expr!r} is not false", msg)

    def assertIs(self, expr1: Any, expr2: Any, msg: Any = None) -> None:
        """Fail unless they are the same object."""
        self._check(expr1 is expr2, f"{expr1!r} is not {expr2!r}", msg)

    def assertIsNot(self, expr1: Any, expr2: Any, msg: Any = None) -> None:
        """Fail if they are the same object."""
        self._check(expr1 is not expr2, f"unexpectedly identical: {expr1!r}", msg)

    def assertIsNone(self, obj: Any, msg: Any = None) -> None:
        """Fail unless it is None."""
        self._check(obj is None, f"{obj!r} is not None", msg)

    def assertIsNotNone(self, obj: Any, msg: Any = None) -> None:
        """Fail if it is None."""
        self._check(obj is not None, "unexpectedly None", msg)

    def assertIn(self, member: Any, container: Any, msg: Any = None) -> None:
        """Fail unless it is in there."""
        self._check(member in container, f"{member!r} not found in {container!r}", msg)

    def assertNotIn(self, member: Any, container: Any, msg: Any = None) -> None:
        """Fail if it is in there."""
        self._check(member not in container, f"{member!r} unexpectedly found in {container!r}", msg)

    def assertIsInstance(self, obj: Any, cls: Any, msg: Any = None) -> None:
        """Fail unless it is an instance."""
        self._check(isinstance(obj, cls), f"{obj!r} is not an instance of {cls!r}", msg)

    def assertNotIsInstance(self, obj: Any, cls: Any, msg: Any = None) -> None:
        """Fail if it is an instance."""
        self._check(not isinstance(obj, cls), f"{obj!r} is an instance of {cls!r}", msg)

    def assertGreater(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail unless a > b."""
        self._check(a > b, f"{a!r} not greater than {b!r}", msg)

    def assertGreaterEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail unless a >= b."""
        self._check(a >= b, f"{a!r} not greater than or equal to {b!r}", msg)

    def assertLess(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail unless a < b."""
        self._check(a < b, f"{a!r} not less than {b!r}", msg)

    def assertLessEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail unless a <= b."""
        self._check(a <= b, f"{a!r} not less than or equal to {b!r}", msg)

    def assertAlmostEqual(self, first: Any, second: Any, places: int | None = None, msg: Any = None, delta: Any = None) -> None:
        """Fail unless they differ by less than half of the last of so many decimal places, or by `delta` at most."""
        if first == second:
            return
        difference = abs(first - second)
        if delta is not None:
            self._check(difference <= delta, f"{first!r} != {second!r} within {delta!r} delta ({difference!r} difference)", msg)
            return
        digits = 7 if places is None else places
        close = round(difference, digits) == 0
        self._check(close, f"{first!r} != {second!r} within {digits!r} places ({difference!r} difference)", msg)

    def assertNotAlmostEqual(
        self, first: Any, second: Any, places: int | None = None, msg: Any = None, delta: Any = None
    ) -> None:
        """Fail if they are as near as `assertAlmostEqual` wants."""
        difference = abs(first - second)
        digits = 7 if places is None else places
        near = difference <= delta if delta is not None else first == second or round(difference, digits) == 0
        self._check(not near, f"{first!r} == {second!r} within {digits!r} places", msg)

    def assertSequenceEqual(self, first: Any, second: Any, msg: Any = None, seq_type: Any = None) -> None:
        """Fail unless they have the same elements in the same order."""
        self._check(list(first) == list(second), f"Sequences differ: {first!r} != {second!r}", msg)

    assertListEqual = assertTupleEqual = assertSequenceEqual

    def assertDictEqual(self, d1: Any, d2: Any, msg: Any = None) -> None:
        """Fail unless they are equal."""
        self._check(d1 == d2, f"{d1!r} != {d2!r}", msg)

    assertSetEqual = assertMultiLineEqual = assertDictEqual

    def assertCountEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fail unless they have the same elements, in whatever order."""
        rest, missing = list(second), []
        for each in first:
            if each in rest:
                rest.remove(each)
            else:
                missing.append(each)
        said = f"Element counts were not equal: {missing[:_SHOWN]!r} and {rest[:_SHOWN]!r} are left over"
        self._check(not missing and not rest, said, msg)

    def assertRaises(self, expected: Any, callable: Callable[..., Any] | None = None, *args: Any, **kwargs: Any) -> Any:
        """Fail unless a call, or what stands in the `with` statement, raises such an error."""
        raising = Raising(expected, self.failureException)
        if callable is None:
            return raising
        with raising:
            callable(*args, **kwargs)
        return None

    def subTest(self, msg: Any = None, **params: Any) -> Part:
        """A part of a test; the first that fails ends the test here."""
        return Part()


class TestSuite:
    """Several tests."""

    def __init__(self, tests: Any = ()) -> None:
        self._tests = list(tests)

    def addTest(self, test: Any) -> None:
        """Put one more in."""
        self._tests.append(test)

    def addTests(self, tests: Any) -> None:
        """Put more in."""
        self._tests.extend(tests)

    def __iter__(self) -> Any:
        return iter(self._tests)


class TestLoader:
    """What finds the tests of a class."""

    def loadTestsFromTestCase(self, testCaseClass: type[TestCase]) -> TestSuite:
        """A test for each method whose name begins with "test"."""
        return TestSuite(testCaseClass(name) for name in sorted(dir(testCaseClass)) if name.startswith("test"))


class Result:
    """How tests ended."""

    def __init__(self) -> None:
        self.testsRun = 0
        self.failures: list[Any] = []
        self.errors: list[Any] = []
        self.skipped: list[Any] = []

    def wasSuccessful(self) -> bool:
        """Whether all passed."""
        return not self.failures and not self.errors


class TextTestRunner:
    """What runs tests and prints how they ended."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Of how much it prints nothing can be chosen here."""

    def run(self, test: Any) -> Result:
        """Run a suite."""
        result = Result()
        begun: set[type] = set()
        for case in _flat(test):
            if type(case) not in begun:
                begun.add(type(case))
                case.setUpClass()
            result.testsRun += 1
            _run(case, result)
        for cls in begun:
            cls.tearDownClass()  # type: ignore[attr-defined]
        for kind, found in (("ERROR", result.errors), ("FAIL", result.failures)):
            for case, error in found:
                print(f"{kind}: {case.id()}\n{type(error).__name__}: {error}\n")
        count = result.testsRun
        print(f"Ran {count} test{'s' * (count != 1)}")
        ends = {"failures": result.failures, "errors": result.errors, "skipped": result.skipped}
        told = ", ".join(f"{what}={len(found)}" for what, found in ends.items() if found)
        print(("OK" if result.wasSuccessful() else "FAILED") + (f" ({told})" if told else ""))
        return result


def _flat(test: Any) -> Any:
    for each in test if isinstance(test, TestSuite) else (test,):
        yield from _flat(each) if isinstance(each, TestSuite) else (each,)


def _run(case: TestCase, result: Result) -> None:
    method = getattr(case, _checked(case._testMethodName, type(case)))
    try:
        case.setUp()
        try:
            method()
        finally:
            case.tearDown()
    except SkipTest as reason:
        result.skipped.append((case, reason))
    except AssertionError as error:
        result.failures.append((case, error))
    except Exception as error:
        result.errors.append((case, error))


def skip(reason: Any) -> Callable[[Any], Any]:
    """A decorator of a test that is not to run."""

    def decorate(test: Any) -> Any:
        def skipped(*_: Any, **__: Any) -> None:
            raise SkipTest(reason)

        return skipped

    return decorate


def skipIf(condition: Any, reason: Any) -> Callable[[Any], Any]:
    """The same where a condition holds."""
    return skip(reason) if condition else lambda test: test


def skipUnless(condition: Any, reason: Any) -> Callable[[Any], Any]:
    """The same where a condition does not hold."""
    return skipIf(not condition, reason)


def expectedFailure(test: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of a test that is to fail."""

    def failing(*args: Any, **kwargs: Any) -> None:
        try:
            test(*args, **kwargs)
        except Exception:
            return
        raise AssertionError("unexpected success")

    return failing


def main(*_: Any, exit: bool = True, **__: Any) -> None:
    """Run the tests of all classes of the program."""
    result = TextTestRunner().run(TestSuite(map(TestLoader().loadTestsFromTestCase, _cases)))
    if exit and not result.wasSuccessful():
        raise SystemExit(1)
