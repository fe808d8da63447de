"""The pytest plugin: `pytest --gradtape` keeps a recording of every test that fails, and the fixture `tape` records one test.

pytest imports it wherever Gradtape is installed, so it imports nothing but pytest itself: what records is imported when the
first test is to be recorded.
"""

from __future__ import annotations

from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

FOLDER = "gradtape-tapes"
"""Where recordings go if nothing else is said."""
_ITEM: pytest.StashKey[Any] = pytest.StashKey()
"""A test's recording."""
_RUN: pytest.StashKey[Any] = pytest.StashKey()
"""What records the tests of a run that was asked to."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say what the command line takes."""
    group = parser.getgroup("gradtape")
    group.addoption(
        "--gradtape", nargs="?", const=FOLDER, metavar="DIR",
        help=f"record every test, on PyTorch or on Gradtape's engine, and keep the recordings of those that fail in DIR "
        f"(--gradtape=DIR; {FOLDER})",
    )  # fmt: skip
    group.addoption(
        "--gradtape-sarif", metavar="FILE", help="write what is found in the tests that fail as SARIF 2.1.0; records them, too"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(args: list[str]) -> None:
    """A folder is given after an equals sign alone: what follows `--gradtape` is a test."""
    args[:] = [f"--gradtape={FOLDER}" if each == "--gradtape" else each for each in args]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Get ready to record, if that was asked for."""
    config = session.config
    folder, sarif = config.getoption("--gradtape"), config.getoption("--gradtape-sarif")
    if (folder or sarif) and not config.option.collectonly:
        config.stash[_RUN] = _Later(config.invocation_params.dir / folder if folder else None, config.rootpath)


class _Later:
    """The tests of a run; what records them is imported with the first one."""

    def __init__(self, folder: Path | None, root: Path) -> None:
        self.folder, self.root = folder, root
        self.tests: Any = None

    def test(self, item: pytest.Item) -> Any:
        """What records a test."""
        if self.tests is None:
            workers = int(getattr(item.config, "workerinput", {}).get("workercount", 1))
            self.tests = _tests(self.folder, self.root, workers)
        return _recorded(self.tests, item)


def _tests(folder: Path | None, root: Path, workers: int = 1) -> Any:
    interrupts = (KeyboardInterrupt, pytest.exit.Exception)
    return import_module("gradtape").beside("commands.recorded_tests").Tests(folder, root, workers, interrupts)


def _recorded(tests: Any, item: pytest.Item) -> Any:
    function = getattr(item, "function", None) or getattr(item, "obj", None)
    return tests.test(item.nodeid, function, getattr(item, "module", None), item.path)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test comes."""
    run = item.config.stash.get(_RUN, None)
    if run is not None:
        item.stash[_ITEM] = run.test(item)


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Any:
    """The recording of this test, which begins with its first line: `tape.recording`, `tape.findings()`, `tape.why("w")`."""
    item = request.node
    if _ITEM not in item.stash:
        item.stash[_ITEM] = _recorded(_tests(None, item.config.rootpath), item)
    return item.stash[_ITEM].tape


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Record a test, if it is to be."""
    recorded = item.stash.get(_ITEM, None)
    if recorded is None:
        return (yield)
    with recorded:
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Tell of what is found in a test that has failed."""
    report: Any = yield
    recorded = item.stash.get(_ITEM, None)
    if recorded is not None and call.when == "call":
        told = recorded.ended(report.failed)
        if told:
            report.sections.append(("Gradtape", told))
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A process of pytest-xdist's is through: what was found in its tests comes here."""
    run = node.config.stash.get(_RUN, None)
    found = (getattr(node, "workeroutput", None) or {}).get("gradtape")
    if run is not None and found:
        run.tests = run.tests or _tests(run.folder, run.root)
        run.tests.add(found)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what is to be written at the end."""
    config = session.config
    run = config.stash.get(_RUN, None)
    if run is None:
        return
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output["gradtape"] = run.tests.results if run.tests is not None else []
    elif config.getoption("--gradtape-sarif"):
        run.tests = run.tests or _tests(run.folder, run.root)
        try:
            run.tests.write(config.invocation_params.dir / config.getoption("--gradtape-sarif"))
        except OSError as error:
            run.tests.notes.append(f"{config.getoption('--gradtape-sarif')} cannot be written: {error.strerror or error}")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say where the recordings are."""
    run = config.stash.get(_RUN, None)
    if run is None:
        return
    told = [r for r in terminalreporter.stats.get("failed", []) if any(title == "Gradtape" for title, _ in r.sections)]
    if told and run.folder is not None:
        terminalreporter.write_line(f"Gradtape: recordings of tests that failed are in {run.folder}")
    for note in run.tests.notes if run.tests is not None else []:
        terminalreporter.write_line(f"Gradtape: {note}")
