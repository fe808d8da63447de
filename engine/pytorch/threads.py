"""Which thread does what: one is recorded, of the others' passes it is told that they are not, and autograd has its own.

Hooks are the nodes' and not a thread's, so whoever comes to a node calls them: another thread that trains the same parameters,
or a thread of autograd's, which runs the nodes of a device, or passes that are nested deeply, for the thread that waits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock, get_ident
from types import FrameType
from typing import Any, TypeAlias

import torch

from .project import ProjectCodes

Place: TypeAlias = tuple[str, str, int]
"""A thread's name, and the file and the line of the program that it is at; "" and 0 where it is at none."""
changing = RLock()
"""Belongs to the thread that puts something of ours in PyTorch's place, or takes it away."""
_recorded: dict[int, int] = {}
"""Threads that are recorded, and by how many recordings."""


@contextmanager
def recorded_thread(thread: int) -> Iterator[None]:
    """A block in which a thread is recorded."""
    with changing:
        _recorded[thread] = _recorded.get(thread, 0) + 1
    try:
        yield
    finally:
        with changing:
            _recorded[thread] -= 1
            if not _recorded[thread]:
                del _recorded[thread]


class Others:
    """What threads do beside the one that is recorded."""

    def __init__(self) -> None:
        self.tells = True
        """Whether who runs the program is to be told of them."""
        self._noticed = False
        self._passing: dict[int, int] = {}
        """Threads that run backward passes of their own, and how many."""
        self._passes = 0
        """How many they have begun."""
        self._tasks: dict[int, tuple[int, int]] = {}
        """For each pass that is recorded and under way, how many of the others' had begun before it, -1 where one of them was
        under way; and its number among autograd's, -1 as long as it is not known."""
        self._seeds: dict[int, list[Any]] = {}
        """The gradients that such a pass begins with."""

    @contextmanager
    def passing(self) -> Iterator[None]:
        """A pass of this thread's, which is not the recorded one."""
        thread = get_ident()
        self._passing[thread] = self._passing.get(thread, 0) + 1
        self._passes += 1
        try:
            yield
        finally:
            self._passing[thread] -= 1
            if not self._passing[thread]:
                del self._passing[thread]

    def pass_began(self, number: int, seeds: Sequence[Any]) -> None:
        """A pass that is recorded begins, with some gradients."""
        self._tasks[number] = -1 if self._passing else self._passes, -1
        self._seeds[number] = [g for g in seeds if g is not None]

    def pass_ended(self, number: int) -> None:
        """It is over."""
        self._tasks.pop(number, None)
        self._seeds.pop(number, None)

    def lends(self, number: int, received: Sequence[Any] = ()) -> bool:
        """Whether this thread is one of autograd's and runs a pass that is recorded, the innermost one.

        Which of autograd's passes that is becomes known by the gradients that its first node receives, or where there is no
        other one.

        Args:
            received: what the node that asks has received.
        """
        if get_ident() in self._passing:
            return False
        task = torch._C._current_graph_task_id()
        alone, known = self._tasks.get(number, (-1, -1))
        if task >= 0 and known < 0:
            seeds = self._seeds.get(number, [])
            if (alone == self._passes and not self._passing) or any([g is seed for g in received for seed in seeds]):
                self._tasks[number] = alone, task
                known = task
        return known == task >= 0

    def first(self, codes: ProjectCodes) -> Place | None:
        """Where this thread is, if nothing is recorded of it and it is the first that is asked about."""
        thread = get_ident()
        if self._noticed or thread in _recorded or torch._C._current_graph_task_id() >= 0:
            return None
        self._noticed = True
        name = next((each.name for each in threading.enumerate() if each.ident == thread), "")
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if file in codes.program or codes.has(file):
                return name, file, frame.f_lineno
            frame = frame.f_back
        return name, "", 0
