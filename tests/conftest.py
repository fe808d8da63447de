"""Shared fixtures: PyTorch as the oracle, where it is installed."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
from collections.abc import Generator, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from tests.corpus import Case
from tests.on_pytorch import OnPyTorch, on_pytorch
from tests.thorough import examples, mark_many

for library in ("OMP", "OPENBLAS", "MKL"):
    # Tests run on every core already; threads of NumPy and PyTorch would only wait for each other (a third of the time).
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

if platform.machine() in ("x86_64", "AMD64"):
    # PyTorch's last digits depend on the machine's registers: these are what nearly every machine has.
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=examples(100))
settings.load_profile("steady")
"""No test depends on how fast the machine is, or on what is drawn."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: the tests of the sandbox wait for other processes a fifth of the time."""
    return cores() + 1


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that at the end no process waits for it. Tests that look at what others have done come
    last; they find it out themselves where the others have not run. Of a test with very many cases most are for CI."""
    mark_many(items)
    items.sort(key=lambda item: (item.get_closest_marker("last") is not None, item.get_closest_marker("long") is None))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that has failed about a program of a corpus says where the program stands and how to run it alone."""
    report = yield
    if report.failed:
        given = getattr(item, "callspec", None)
        for case in given.params.values() if given else ():
            if isinstance(case, Case):
                report.sections.append(("Program", f"{case.place(1)}: python -m tests.corpus {shlex.quote(str(case))}"))
    return report


def needed(package: str) -> None:
    """Skip the tests where a package is absent, unless CI says that it must be there."""
    if importlib.util.find_spec(package) is None:
        if os.environ.get("GRADTAPE_NEEDS_TORCH"):
            pytest.fail(f"{package} is not installed, but GRADTAPE_NEEDS_TORCH is set")
        pytest.skip(f"{package} is not installed")


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch."""
    needed("torch")
    import torch

    for device in (torch.cuda, torch.xpu, torch.mtia):
        if not device.is_available():
            # For each that is absent every call of manual_seed writes down the whole stack, which below pytest is a long one.
            device.manual_seed_all = lambda seed: None
    return torch


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def pytorch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnPyTorch]:
    """Runs whole programs on PyTorch, in processes of their own."""
    needed("torch")
    with on_pytorch(tmp_path_factory.mktemp("programs")) as process:
        yield process


@pytest.fixture(autouse=True)
def python_stays_as_it_is() -> Iterator[None]:
    """What the sandbox changes in Python and NumPy for a process of programs is undone where a test has tried it here."""
    yield
    from engine.sandbox.policy import protocols

    assert not protocols.watched[0], "NumPy is watched from here on"
    assert not isinstance(vars(object).get("__array_struct__"), protocols.Nothing), "names are shut"
