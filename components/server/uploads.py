"""Files that a visitor's browser has sent, of which Streamlit keeps every one for as long as the visit lasts.

A file is let go of as soon as it is being opened. And since a browser may send files that it never speaks of again, there is a
bound on what waits: few files for a visitor, and few megabytes in all. What goes first is the oldest of the visitor who has
most of it waiting.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from functools import cache
from typing import Any

from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from engine.limits import FILE_COUNT, UPLOAD
from engine.sandbox.settings import settings

EACH = FILE_COUNT.value(hosted=True)
"""Files of one visitor that wait to be opened: a program comes with others, and a folder with many."""
ALL = 2
"""Files of the largest size whose bytes all visitors' files may have; the newest stays whatever it has."""


def taken(file: UploadedFile) -> bytes:
    """The bytes of a file; the manager keeps them no longer."""
    data = file.getvalue()
    context = get_script_run_ctx()
    if context is not None:
        manager: Any = context.uploaded_file_mgr
        manager.remove_file(context.session_id, file.file_id)
    file.close()
    return data


@cache
def bounded() -> None:
    """Have Streamlit keep to the bounds, from the first page on."""
    if exists():
        manager: Any = get_instance().uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            bound(manager)


def bound(manager: MemoryUploadedFileManager, each: int = EACH, most: int | None = None) -> None:
    """Have a manager forget the oldest files when it has been given more than `each` of a visitor's or `most` bytes in all."""
    room = ALL * UPLOAD.value(settings().hosted) if most is None else most
    add, lock = manager.add_file, threading.Lock()
    order: deque[tuple[str, str]] = deque()

    def add_file(session_id: str, file: Any) -> None:
        with lock:
            add(session_id, file)
            order.append((session_id, file.file_id))
            sizes = {stored: _size(manager, *stored) for stored in order}
            for stored in [stored for stored in order if sizes[stored] is None]:
                order.remove(stored)
            own = [stored for stored in order if stored[0] == session_id]
            for stored in own[:-each]:
                _forget(manager, order, stored)
            while sum(sizes[stored] or 0 for stored in order) > room and len(order) > 1:
                has: Counter[str] = Counter()
                for session, name in order:
                    has[session] += sizes[session, name] or 0
                older = [stored for stored in order if stored != order[-1]]
                _forget(manager, order, max(older, key=lambda stored: has[stored[0]]))  # the first of those with most

    manager.add_file = add_file  # type: ignore[method-assign]


def _size(manager: MemoryUploadedFileManager, session: str, file: str) -> int | None:
    """Bytes of a file; None when it has gone."""
    found = manager.get_files(session, [file])
    return len(found[0].data) if found else None


def _forget(manager: MemoryUploadedFileManager, order: deque[tuple[str, str]], stored: tuple[str, str]) -> None:
    order.remove(stored)
    manager.remove_file(*stored)
