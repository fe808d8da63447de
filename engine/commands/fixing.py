"""`gradtape explain --fix` and `--apply`: fixes that are proven, as diffs, or written into the file that was named.

A file is written only where that can surprise nobody: into the regular file of the command line, whose text is the one that
ran, all of it at once. No path comes from a recording, and no recording is mended.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..diagnosis import Finding
from ..diagnosis.fixes import changed_program, not_offered, offered, to_try, tried
from ..diagnosis.fixes.diff import lines_changed
from ..diagnosis.reason import Edit
from ..program import Program
from ..recording import Recording
from ..sandbox import Limits, RunResult, run
from .command import CommandError
from .terminal import harmless

MOST = 20
"""Fixes that are written one after another."""
BOM = b"\xef\xbb\xbf"


def proven(recording: Recording, limits: Limits) -> list[Finding]:
    """The findings of a run after all changes that they bring have been tried."""
    for finding in to_try(recording):
        tried(recording, finding, limits)
    return offered(recording)


def diffs(found: Iterable[Finding], file: str, recording: Recording) -> str:
    """The proven fixes as text: what each did, and what it changes; and of changes that are none, why not."""
    parts, others = [], []
    for finding in found:
        where = f" ({recording.site_text(finding.site)})" if finding.line else ""
        if why := not_offered(recording, finding):
            others.append(f"change for {finding.rule}{where}, tried and not proven: {harmless(why)}\n")
        elif finding.edit is not None:
            parts.append(f"fix of {finding.rule}{where}, {finding.edit.proof}\n{_diff(finding.edit, file)}")
    told = parts or ["No finding has a fix that is proven.\n"]
    return "\n".join([*told, "".join(others)] if others else told)


def _diff(edit: Edit, file: str) -> str:
    return f"--- {harmless(file)}\n+++ {harmless(file)}\n{harmless(edit.proof.diff)}"


# --- written into the file ------------------------------------------------------------------------------------------------


class Target:
    """The file whose program is mended, as it is when the program runs.

    Raises:
        CommandError: for what is not to be written: no program's text, no regular file.
    """

    def __init__(self, path: str) -> None:
        if not path.endswith(".py"):
            raise CommandError(f"--apply writes into programs (.py) only, and {path} is none")
        self.path = Path(path)
        self.state = self._state()
        try:
            with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
                self.data = file.read()
                same = os.path.samestat(os.fstat(file.fileno()), self.state)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}") from None
        if not same:
            raise CommandError(f"{path} is another file than a moment ago")

    def _state(self) -> os.stat_result:
        try:
            state = os.lstat(self.path)
        except OSError as error:
            raise CommandError(f"{self.path} cannot be read: {error.strerror or error}") from None
        if stat.S_ISLNK(state.st_mode):
            raise CommandError(f"{self.path} is a link: name the file itself, and it can be written")
        if not stat.S_ISREG(state.st_mode):
            raise CommandError(f"{self.path} is no regular file, so nothing is written there")
        return state

    def bytes_of(self, text: str) -> bytes:
        """A program's text as the file has texts: with its mark of UTF-8, and its ends of lines."""
        lines = text.replace("\n", "\r\n") if b"\r\n" in self.data else text
        return (BOM if self.data.startswith(BOM) else b"") + lines.encode()

    def check(self, text: str) -> None:
        """Whether the file holds exactly the text of a program that ran, and is the file that it was.

        Raises:
            CommandError: where it does not.
        """
        state = self._state()
        if not os.path.samestat(state, self.state) or self.path.read_bytes() != self.data:
            raise CommandError(f"{self.path} was changed while its program ran: nothing is written")
        if self.bytes_of(text) != self.data:
            raise CommandError(
                f"{self.path} does not hold exactly the text that ran (mixed ends of lines?): nothing is written"
            )

    def write(self, before: str, after: str) -> None:
        """Put another text into the place of the one that ran, all at once, with the file's mode.

        Raises:
            CommandError: where the file does not hold the text that ran, or cannot be written.
        """
        self.check(before)
        temporary = ""
        try:
            handle, temporary = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
            with open(handle, "wb") as file:
                file.write(self.bytes_of(after))
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, stat.S_IMODE(self.state.st_mode))
            if hasattr(os, "chown"):
                with suppress(OSError):
                    os.chown(temporary, self.state.st_uid, self.state.st_gid)
            self.check(before)
            os.replace(temporary, self.path)
        except OSError as error:
            raise CommandError(f"{self.path} cannot be written: {error.strerror or error}") from None
        finally:
            with suppress(OSError):
                if temporary:
                    os.unlink(temporary)


def applied(target: Target, result: RunResult, recording: Recording, limits: Limits) -> tuple[RunResult, Recording, str]:
    """Mend a program fix by fix, each proven on the text with those before it, and write the outcome into its file; returns the
    run of the last text, and the changes as text."""
    ran, name = recording, str(target.path)
    ran_program = Program(ran.source[:1], target.path.name, files=ran.files, arguments=ran.arguments)
    told = []
    for _ in range(MOST):
        found = next((f for f in _one_by_one(recording, limits) if f.edit is not None), None)
        if found is None or found.edit is None:
            break
        told.append(diffs([found], name, recording))
        program = ran_program.with_cells(changed_program(recording, found.edit.changes))
        again = run(program, limits, seed=ran.seed)
        if again.recording is None:
            break
        result, recording = again, again.recording
    if recording is ran:
        return result, recording, "No finding has a fix that is proven: nothing is written.\n"
    target.write(ran.source[0], recording.source[0])
    lines = lines_changed(ran.source[:1], recording.source[:1])
    count = f"{len(told)} fix{'es' * (len(told) > 1)}, {lines} line{'s' * (lines != 1)} changed"
    return result, recording, "\n".join(told) + f"\nwrote {harmless(name)}: {count}\n"


def _one_by_one(recording: Recording, limits: Limits) -> Iterable[Finding]:
    """The findings in their order, each after its changes have been tried."""
    for position, finding in enumerate(offered(recording)):
        if finding in to_try(recording):
            tried(recording, finding, limits)
        yield offered(recording)[position]
