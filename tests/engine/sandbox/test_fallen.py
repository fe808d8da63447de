"""Where the kernel has no filter, a program that writes memory takes Python's audit hook away: what is left then, and what not.

The language layer is off, as if it had been broken, and a door to memory stands open: NumPy's, which programs do not have.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.export.picture import picture
from engine.export.svg import svg
from engine.sandbox import Layers, Limits, RunResult, run, runner
from engine.sandbox.processes.spawning import Workers
from engine.sandbox.transport.messages import PROGRAMS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the addresses are those of CPython on Linux")

FALLEN = Layers(language=False)
HOOK_FALLS = """
import numpy as np, os, socket, subprocess, sys, time, signal
from engine.sandbox.system.audit import ALLOWED
class All(frozenset):
    def __contains__(self, event): return True
near = np.zeros(1, np.uint64)
far = np.lib.stride_tricks.as_strided(near, (2,), (id(ALLOWED) + 8 - near.__array_interface__['data'][0],))
far[1] = id(All)
"""
"""Gives the list of what the hook allows another type, in memory: from here on it holds everything."""
PATIENT = Limits(seconds=30)


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[None]:
    """This module's runs go to workers, as on macOS and Windows."""
    found = Workers()
    patch = pytest.MonkeyPatch()
    patch.setattr(runner, "_running", {(PROGRAMS,): runner.Guarded(found)})
    yield
    patch.undo()
    found.close()


def fallen(program: str, limits: Limits = PATIENT) -> RunResult:
    """Run it after the hook has fallen."""
    return run(HOOK_FALLS + program, limits, layers=FALLEN)


# --- what does not hold ---------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_hook_holds_until_memory_is_written(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("swordfish")
    reading = f"print(open({str(tmp_path / 'secret')!r}).read())"
    assert "swordfish" not in run(reading, PATIENT, layers=FALLEN).output
    assert fallen(reading).output == "swordfish\n"


def test_then_files_the_network_and_other_programs_are_within_reach(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        found = fallen(
            f"print(len(os.listdir({str(tmp_path.parent)!r})) > 0)\n"
            f"socket.create_connection(('127.0.0.1', {listener.getsockname()[1]}))\nprint('connected')\n"
            "print(subprocess.run(['/bin/echo', 'started'], capture_output=True, text=True).stdout)"
        )
    assert found.output.split() == ["True", "connected", "started"], found.error


# --- what does ------------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_process_of_its_own_holds() -> None:
    found = fallen("print(os.getpid())\nos.environ['LEFT'] = sys.path.append('left') or 'behind'")
    assert int(found.output) != os.getpid()
    program = "import os, sys\nprint('LEFT' in os.environ, 'left' in sys.path)"
    assert run(program, PATIENT, layers=Layers(language=False, system=False)).output == "False False\n"
    assert run("print('next')", PATIENT).output == "next\n"


@pytest.mark.thorough
def test_the_environment_has_nothing_of_the_pages() -> None:
    os.environ["GRADTAPE_ARTIFACTS"] = "swordfish"
    try:
        assert "swordfish" not in fallen("print(dict(os.environ))").output
    finally:
        del os.environ["GRADTAPE_ARTIFACTS"]


@pytest.mark.thorough
def test_the_time_limit_holds() -> None:
    found = fallen(
        "for s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "while True: pass",
        Limits(seconds=2),
    )
    assert found.status == "timeout"


def test_the_limits_of_the_system_hold(tmp_path: Path) -> None:
    assert fallen("kept = []\nwhile True: kept.append(bytearray(10 ** 7))").status == "memory"
    target = tmp_path / "written"
    fallen(f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nos.write(os.open({str(target)!r}, os.O_CREAT | os.O_WRONLY), b'x')")
    assert not target.exists() or target.read_bytes() == b""


@pytest.mark.thorough
def test_what_it_sends_is_decoded_and_does_not_harm() -> None:
    for forged in ("b'nonsense' * 1000", "b'B' + (2 ** 31).to_bytes(4, 'little')", "b'D' + (3).to_bytes(4, 'little') + b'xyz'"):
        found = fallen(f"os.write(1, {forged})\ntime.sleep(0.1)\nos._exit(0)")
        assert found.status == "crashed"
    assert run("print('next')", PATIENT).output == "next\n"


def test_what_it_prints_and_names_stays_text() -> None:
    found = fallen(
        "import torch\nbind = __builtins__['__gradtape__'].bind\nprint('</script><script>hurt()</script>')\n"
        "(lambda v: (bind('<script>hurt()', v, ''), (v * 2).sum().backward()))(torch.ones(2, requires_grad=True))"
    )
    assert found.recording is not None
    assert "</script><script>hurt()" in found.output
    drawn = svg(picture(found.recording))
    assert "hurt()" in drawn
    assert "<script>" not in drawn


@pytest.mark.thorough
def test_others_go_on_meanwhile() -> None:
    results: list[RunResult] = []
    other = threading.Thread(target=lambda: results.append(run("import time\ntime.sleep(0.5)\nprint('honest')", PATIENT)))
    other.start()
    fallen("os.kill(os.getpid(), signal.SIGSEGV)")
    other.join()
    assert [(r.status, r.output) for r in results] == [("ok", "honest\n")]
