"""Small pieces of HTML. Whatever comes from a program passes through `text`, which escapes it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def text(value: object) -> str:
    """A value as text that is safe inside HTML, attributes included."""
    return escape(str(value), quote=True)


def tag(name: str, *children: str, cls: str = "", **attributes: object) -> str:
    """An element around children that are HTML already; attribute values are escaped."""
    parts = [f' class="{text(cls)}"'] if cls else []
    parts += [f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items() if value is not None]
    return f"<{name}{''.join(parts)}>{''.join(children)}</{name}>"


def chip(label: object, tone: str = "") -> str:
    """A small rounded label; `tone` is "leaf", "grad", "bad", "ok" or ""."""
    return tag("span", text(label), cls=f"gt-chip {tone}".strip())


def moment(step: int, label: object) -> str:
    """A link to a moment of the tape: the player goes there when it is clicked, without a run of the page."""
    return tag("button", text(label), cls="gt-moment", type="button", data_gt_step=step)


def muted(value: object) -> str:
    """Secondary text."""
    return tag("div", text(value), cls="gt-muted")


def section(*children: str, label: str = "") -> str:
    """A part of a panel, with a heading of its own."""
    heading = tag("div", text(label), cls="gt-label") if label else ""
    return tag("section", heading, *children, cls="gt-section")


def table(head: Iterable[object], rows: Iterable[tuple[str, Iterable[str]]], cls: str = "gt-table") -> str:
    """A table; each row is its CSS class and its cells, which are HTML already."""
    top = tag("tr", *(tag("th", text(h)) for h in head))
    body = "".join(tag("tr", *(tag("td", cell) for cell in cells), cls=kind) for kind, cells in rows)
    return tag("table", tag("thead", top), tag("tbody", body), cls=cls)
