"""Tests of pytest's that are recorded (`pytest_plugin.py` calls it): what records one, and what is told of those that fail.

A recording begins when Python calls the test's function, whose lines, loops and names it has then; fixtures are not recorded.
On PyTorch it is appended to a file while the test runs, which is removed when it has passed.
"""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from hashlib import sha256
from inspect import unwrap
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, Protocol

from ..diagnosis import Finding, Reason, findings, why
from ..diagnosis.findings.told import as_text
from ..recording import Recording
from ..recording.events import OpRan
from ..recording.recording import SUFFIX
from ..recording.session import Tape
from .files import size
from .sarif import sarif
from .terminal import harmless, on_a_line

MOST = 100
"""Recordings that a run keeps."""
BYTES = 256 * 2**20
"""What they may take together."""
EVENTS = 200_000
"""Events up to which a recording is looked through for findings."""
TEXT = 4_000
"""Characters that are told of a test."""
_NAME = 80
_SAID = frozenset(("program_error",))
"""What pytest says of a test that fails."""
_ENGINE = __name__.rpartition(".commands")[0]


class Recorder(Protocol):
    """What records a call."""

    @property
    def recording(self) -> Recording:
        """What was recorded so far."""

    def end(self, error: BaseException | None = None) -> None:
        """Record nothing more."""


class Tests:
    """The tests of a run.

    Args:
        folder: where recordings of those that fail go; without one they are not kept.
        root: the project's folder, whose code is recorded with its lines.
        workers: how many processes run tests beside each other, each of which keeps its share of what may be kept.
        interrupts: what ends all of them at once.
    """

    __test__ = False

    def __init__(
        self, folder: Path | None, root: Path, workers: int = 1, interrupts: tuple[type[BaseException], ...] = ()
    ) -> None:  # fmt: skip
        self.folder, self.root, self.interrupts = folder, root, interrupts
        self.most, self.bytes = max(MOST // workers, 1), BYTES // workers
        self.results: list[dict[str, Any]] = []
        """Runs in SARIF's words, one for each test that has failed."""
        self.notes: list[str] = []
        """What is said at the end."""
        self._kept: set[Path] = set()

    def test(self, id: str, function: Any, module: ModuleType | None, file: Path) -> RecordedTest:
        """What records a test."""
        path = None if self.folder is None or len(self._kept) >= self.most else self.folder / file_name(id)
        return RecordedTest(self, id, function, module, file, path)

    def keep(self, path: Path) -> str:
        """Keep a recording, if there is room; what is said of it."""
        length = path.stat().st_size
        if length > self.bytes:
            path.unlink()
            return f"The recording ({size(length)}) is not kept: those of this run take {size(BYTES)} at most."
        self.bytes -= length
        self._kept.add(path)
        return f"Recording: {path} ({size(length)})"

    def add(self, results: list[dict[str, Any]]) -> None:
        """Take what another process has found."""
        self.results += results

    def write(self, path: Path) -> None:
        """Write what was found in all of them as one log of SARIF's."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(together(self.results), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def file_name(id: str) -> str:
    """A file's name for a test, which every file system takes and no other test has."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", id.replace(".py::", "-")).strip("-_")[-_NAME:].strip("-_")
    return f"{plain or 'test'}-{sha256(id.encode()).hexdigest()[:8]}{SUFFIX}"


class RecordedTest:
    """A test that is recorded while it runs: a block around its call."""

    def __init__(self, tests: Tests, id: str, function: Any, module: ModuleType | None, file: Path, path: Path | None) -> None:
        self.tests, self.id, self.file, self.path = tests, id, file, path
        self.code = getattr(unwrap(function), "__code__", None)
        self.source = _source(module, getattr(self.code, "co_names", ()))
        self.recorder: Recorder | None = None
        self.note = ""
        """Why it is not recorded."""
        self.over = False
        self.tape = TestTape(self)

    def __enter__(self) -> None:
        if self.code is None or not self.source:
            return
        if sys.getprofile() is not None:
            self.note = "The test was not recorded: a profiler runs."
            return
        sys.setprofile(self._called)

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        """Python calls something, and the test's function at last."""
        if event != "call" or frame.f_code is not self.code:
            return
        sys.setprofile(None)
        try:
            self.recorder = self._begun(frame)
        except Exception as error:  # the test runs, whatever it is
            self.note = f"The test was not recorded: {type(error).__name__}: {error}"

    def _begun(self, frame: FrameType) -> Recorder:
        if self.source == "engine":
            tape = Tape(frame)
            tape.begin()
            return tape
        from ..pytorch.session import Session

        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        session = Session(self.path)
        session.begin(frame, self.tests.root)
        return session

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self.over = True
        if sys.getprofile() == self._called:
            sys.setprofile(None)
        if self.recorder is None:
            return
        self._safely(partial(self.recorder.end, error))
        if isinstance(error, self.tests.interrupts):
            # No report comes of this test.
            self._safely(self._interrupted)

    def _safely(self, work: Any) -> None:
        try:
            work()
        except Exception as failure:  # a test fails by itself alone
            self.note = f"The test was not recorded: {type(failure).__name__}: {failure}"

    def _interrupted(self) -> None:
        told = self._kept()
        if told:
            self.tests.notes.append(f"{self.id} was interrupted. {told}")

    def ended(self, failed: bool) -> str:
        """What is told of the test, "" if it has not failed."""
        told = ""
        if failed:
            found: list[str] = []
            self._safely(lambda: found.append(self._told()))
            told = "\n".join([*found, *([self.note] if self.note else [])])
        elif self.path is not None and self.recorder is not None:
            self.path.unlink(missing_ok=True)
        self.recorder = None
        return cut(harmless(told))

    def _told(self) -> str:
        if self.recorder is None:
            return ""
        recording = self.recorder.recording
        if not recording.tape.tables[OpRan].size:
            if self.path is not None:
                self.path.unlink(missing_ok=True)
            return ""
        lines = []
        if len(recording.events) > EVENTS:
            lines.append(f"Findings are not looked for in {len(recording.events):,} events.")
        else:
            found = findings(recording, _SAID)
            self.tests.results.append(_run_of(self, recording, found))
            lines += [as_text(recording, found).rstrip()] * bool(found)
        kept = self._kept()
        return "\n".join([*lines, kept] if kept else lines)

    def _kept(self) -> str:
        """Write the recording where it is not written yet, and say so; "" where none is kept."""
        if self.path is None:
            full = self.tests.folder is not None
            return f"The recording is not kept: a run keeps {MOST} at most." if full else ""
        assert self.recorder is not None
        if isinstance(self.recorder, Tape):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.recorder.recording.save(self.path)
        return self.tests.keep(self.path) if self.path.exists() else ""


class TestTape:
    """What the fixture `tape` gives: the recording of the test that asks for it."""

    __test__ = False

    def __init__(self, test: RecordedTest) -> None:
        self._test = test

    @property
    def recording(self) -> Recording:
        """What was recorded so far."""
        if self._test.recorder is None:
            raise RuntimeError(
                self._test.note or "nothing is recorded: the test's module imports neither torch nor gradtape.engine"
            )
        return self._test.recorder.recording

    def findings(self) -> list[Finding]:
        """What is wrong or odd so far."""
        return findings(self.recording)

    def why(self, what: Any) -> Reason:
        """Why the `.grad` of a tensor is what it is; by the tensor's name, or as `gradtape explain --why` takes it."""
        return why(self.recording, what)


def _source(module: ModuleType | None, names: tuple[str, ...]) -> str:
    """Which library a test is about: "torch", "engine", "" for neither."""
    held = [value.__name__ for value in vars(module).values() if isinstance(value, ModuleType)] if module is not None else []
    if any(name == "torch" or name.startswith("torch.") for name in held):
        return "torch"
    if any(name == _ENGINE or name.startswith(f"{_ENGINE}.") for name in held):
        return "engine"
    if "torch" in sys.modules or "torch" in names:
        return "torch"
    # It has been imported by this file; whether the test uses it shows.
    return "engine"


def cut(text: str) -> str:
    """The beginning of a long text, and how much more there is, with its last line."""
    if len(text) <= TEXT:
        return text
    body, _, last = text.rpartition("\n")
    return f"{body[:TEXT]}…\n({len(body) - TEXT:,} characters more)\n{last[-TEXT:]}"


def _run_of(test: RecordedTest, recording: Recording, found: list[Finding]) -> dict[str, Any]:
    try:
        file = test.file.relative_to(test.tests.root).as_posix()
    except ValueError:
        file = str(test.file)
    run: dict[str, Any] = sarif(recording, file, found, (), (), True)["runs"][0]
    for result in run["results"]:
        result["properties"] = {"test": on_a_line(test.id)}
    return run


def together(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Several runs in SARIF's words as a log of one."""
    log = sarif(Recording(), "", (), (), (), True)
    made = log["runs"][0]
    made["artifacts"] = []
    places: dict[str, int] = {}
    for run in runs:
        uri = run["artifacts"][0]["location"]["uri"]
        place = places.setdefault(uri, len(places))
        if place == len(made["artifacts"]):
            made["artifacts"].append(run["artifacts"][0])
        for result in run["results"]:
            for location in (*result["locations"], *result.get("relatedLocations", ())):
                location["physicalLocation"]["artifactLocation"]["index"] = place
            made["results"].append(result)
    return log
