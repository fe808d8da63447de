"""What registering a hook returns: `torch.utils.hooks.RemovableHandle`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    pass


class Handle:
    """What registering a hook returns; `remove()` takes the hook away again, as does leaving a `with` block."""

    __slots__ = ("_tables", "id")
    _next: ClassVar[int] = 0
    any: ClassVar[bool] = False
    """Whether a hook was ever registered in this process; while none was, passes need not look for them."""

    def __init__(self, hooks: dict[int, Any], hook: Any, *marks: dict[int, bool], prepend: bool = False) -> None:
        self.id = Handle._next
        Handle._next += 1
        type(self).any = True
        self._tables = (hooks, *marks)
        hooks[self.id] = hook
        for mark in marks:
            mark[self.id] = True
        if prepend:
            # Only where PyTorch lets a hook be put first, and there it keeps an ordered dict.
            hooks.move_to_end(self.id, last=False)  # type: ignore[attr-defined]

    def remove(self) -> None:
        """Take the hook away."""
        for table in self._tables:
            table.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


Handle.__name__ = Handle.__qualname__ = "RemovableHandle"
Handle.__module__ = "torch.utils.hooks"
