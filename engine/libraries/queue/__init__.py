"""`queue` for programs, which have one thread: whoever would wait for another one is told that none comes."""

from __future__ import annotations

from collections import deque
from typing import Any, Generic, NoReturn, TypeVar

__all__ = ["Empty", "Full", "LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"]

T = TypeVar("T")


class Empty(Exception):
    """There is nothing to take."""

    __module__ = "_queue"


class Full(Exception):
    """There is no room."""

    __module__ = "queue"


def _waits(block: Any, timeout: Any, what: str) -> None:
    """Return where waiting ends without anybody's coming.

    Raises:
        RuntimeError: where it would not.
    """
    if block and timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    if block and timeout is None:
        _for_ever(what)


def _for_ever(what: str) -> NoReturn:
    raise RuntimeError(f"{what}, and this would wait for ever: a program has one thread here")


class Queue(Generic[T]):
    """What is put in first is taken first."""

    __module__ = "queue"

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self._held: Any = deque()

    def _take(self) -> Any:
        return self._held.popleft()

    def _add(self, item: Any) -> None:
        self._held.append(item)

    def qsize(self) -> int:
        """How many there are."""
        return len(self._held)

    def empty(self) -> bool:
        """Whether there is nothing."""
        return not self._held

    def full(self) -> bool:
        """Whether there is no room."""
        return 0 < self.maxsize <= len(self._held)

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        """Put one in."""
        if self.full():
            _waits(block, timeout, "The queue is full")
            raise Full
        self._add(item)
        self.unfinished_tasks += 1

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take one out."""
        if not self._held:
            _waits(block, timeout, "The queue is empty")
            raise Empty
        return self._take()

    def put_nowait(self, item: Any) -> None:
        """Put one in, if there is room."""
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        """Take one out, if there is one."""
        return self.get(block=False)

    def task_done(self) -> None:
        """One that was taken is done."""
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self) -> None:
        """Wait until all are done."""
        if self.unfinished_tasks:
            _for_ever("Not all tasks of the queue are done")


class LifoQueue(Queue[T]):
    """What is put in last is taken first."""

    __module__ = "queue"

    def _take(self) -> Any:
        return self._held.pop()


class PriorityQueue(Queue[T]):
    """The smallest is taken first, in the order of Python's heap.

    The heap is kept here, and not by `heapq`, because the program's own code may compare.
    """

    __module__ = "queue"

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__(maxsize)
        self._held = []

    def _add(self, item: Any) -> None:
        self._held.append(item)
        self._rise(len(self._held) - 1)

    def _take(self) -> Any:
        last = self._held.pop()
        if not self._held:
            return last
        least, self._held[0] = self._held[0], last
        self._sink()
        return least

    def _rise(self, at: int) -> None:
        """Let one find its place above."""
        heap, item = self._held, self._held[at]
        while at > 0 and item < heap[(at - 1) // 2]:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = item

    def _sink(self) -> None:
        """Let the first one find its place: down to a leaf by the smaller children, and up from there."""
        heap, item, at = self._held, self._held[0], 0
        while (child := 2 * at + 1) < len(heap):
            if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
                child += 1
            heap[at] = heap[child]
            at = child
        heap[at] = item
        self._rise(at)


class SimpleQueue(Generic[T]):
    """A queue without bounds and tasks."""

    __module__ = "_queue"

    def __init__(self) -> None:
        self._held: deque[Any] = deque()

    def qsize(self) -> int:
        """How many there are."""
        return len(self._held)

    def empty(self) -> bool:
        """Whether there is nothing."""
        return not self._held

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        """Put one in."""
        self._held.append(item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take one out."""
        if not self._held:
            _waits(block, timeout, "The queue is empty")
            raise Empty
        return self._held.popleft()

    def put_nowait(self, item: Any) -> None:
        """Put one in."""
        self.put(item)

    def get_nowait(self) -> Any:
        """Take one out, if there is one."""
        return self.get(block=False)
