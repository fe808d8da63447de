"""`IPython.display`, as far as programs show values with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .canvas import FigureHandle
from .values import is_a


class Html:
    """`HTML(…)`, `Markdown(…)`, `Math(…)`: shown as the text that it is."""

    __slots__ = ("data",)

    def __init__(self, data: Any = "", *_: Any, **__: Any) -> None:
        self.data = str.__str__(data) if is_a(data, str) else ""

    def __repr__(self) -> str:
        return self.data


class Shown:
    """`Image(…)`, `Audio(…)`, `Video(…)`: what a notebook would show, which is named and not shown."""

    __slots__ = ("_kind",)
    KINDS = "Audio Code FileLink FileLinks GeoJSON IFrame Image JSON Javascript Pretty SVG Video VimeoVideo YouTubeVideo"

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        return f"<IPython.core.display.{self._kind} object>"


def shown(kind: str) -> Callable[..., Shown]:
    """What makes such objects of one kind."""

    def make(*_: Any, **__: Any) -> Shown:
        return Shown(kind)

    make.__name__ = make.__qualname__ = kind
    return make


class Shell:
    """`InteractiveShell`, of which notebooks set how much of a cell is shown: the last value is, as ever."""

    __slots__ = ("ast_node_interactivity",)

    def __init__(self) -> None:
        self.ast_node_interactivity = "last_expr"


def display(*objs: Any, **_: Any) -> None:
    """Show values: figures as figures, everything else as it prints itself."""
    for each in objs:
        if is_a(each, FigureHandle):
            each.show()
        else:
            print(repr(each))


def clear_output(*_: Any, **__: Any) -> None:
    """Nothing is taken back: what was printed stays."""


def names() -> dict[str, Any]:
    """What `IPython.display` has."""
    taken = dict.fromkeys(("set_matplotlib_formats", "update_display"), clear_output)
    return {
        "display": display,
        "clear_output": clear_output,
        **dict.fromkeys(("HTML", "Markdown", "Math", "Latex"), Html),
        **{kind: shown(kind) for kind in Shown.KINDS.split()},
        **taken,
    }
