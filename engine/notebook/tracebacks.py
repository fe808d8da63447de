"""Tracebacks of a cell, as they are without a recorder: it stands between the program and PyTorch, and so does what PyTorch
does on its account."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from types import TracebackType
from typing import Any

from ..itself import engine

_OURS = str(PurePath(str(engine.__file__)).parent / "pytorch")


@contextmanager
def cleared(shell: Any) -> Iterator[None]:
    """Let the shell show no frames of the recorder's meanwhile."""
    shown: Callable[..., Any] = shell.showtraceback

    def show(*given: Any, **named: Any) -> Any:
        error = sys.exc_info()[1]
        if error is not None:
            clear(error)
        return shown(*given, **named)

    had = "showtraceback" in vars(shell)
    shell.showtraceback = show
    try:
        yield
    finally:
        if vars(shell).get("showtraceback") is show:
            if had:
                shell.showtraceback = shown
            else:
                del shell.showtraceback


def clear(error: BaseException) -> None:
    """Take what the recorder has brought out of an error's tracebacks, and those of the errors that led to it."""
    met: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in met:
        met.add(id(each))
        each.__traceback__ = _without(each.__traceback__)
        each = each.__cause__ or each.__context__


def _without(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without those of its frames; the others are the same objects."""
    frames: list[TracebackType] = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    kept = [frame for place, frame in enumerate(frames) if not _brought(frames, place)]
    if not kept or len(kept) == len(frames):
        return frames[0] if frames else None
    for frame, after in zip(kept, [*kept[1:], None], strict=True):
        frame.tb_next = after
    return kept[0]


def _brought(frames: list[TracebackType], place: int) -> bool:
    """Whether a frame is the recorder's, or is there because of it: PyTorch's function calls it and is called again."""
    before, after = frames[:place], frames[place + 1 :]
    return (
        _is_ours(frames[place])
        or (_is(frames[place], "_ops.py", "__call__") and bool(before) and _is_ours(before[-1]))
        or (_hands_over(frames[place]) and bool(after) and _is_ours(after[0]))
        or (len(after) > 2 and _hands_over(after[0]) and _is_ours(after[1]) and _again(frames[place], after))
        or _is(frames[place], "module.py", "inner")
    )


def _again(frame: TracebackType, after: list[TracebackType]) -> bool:
    called = next((each for each in after[1:] if not _is_ours(each)), None)
    return called is not None and called.tb_frame.f_code is frame.tb_frame.f_code


def _hands_over(frame: TracebackType) -> bool:
    return _is(frame, "overrides.py", "handle_torch_function")


def _is(frame: TracebackType, file: str, name: str) -> bool:
    code = frame.tb_frame.f_code
    return code.co_name == name and PurePath(code.co_filename).name == file and "torch" in PurePath(code.co_filename).parts


def _is_ours(frame: TracebackType) -> bool:
    return frame.tb_frame.f_code.co_filename.startswith(_OURS)
