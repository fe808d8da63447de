"""Small pieces of HTML. Whatever comes from a program passes through `text`, which escapes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape


def text(value: object) -> str:
    """A value as text that is safe inside HTML, attributes included."""
    return escape(str(value), quote=True)


def literal(value: object) -> str:
    """A value as text that Streamlit's Markdown, which labels and notices are, shows as it is: no link, no picture, no
    mathematics."""
    return re.sub(r"([\\\x60*_{}\[\]()#+\-.!|<>~:$&])", r"\\\1", str(value).replace("\n", " "))


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


def copy(value: object, what: str) -> str:
    """A button that puts a text into the clipboard; `what` says for whoever does not see its sign what it copies."""
    return tag("button", cls="gt-copy", type="button", data_gt_copy=value, aria_label=f"Copy {what}", title=f"Copy {what}")


def heading(value: object) -> str:
    """The heading of a part of the page whose looks say what it is; those who do not see them go by it."""
    return tag("h2", text(value), cls="gt-unseen")


def muted(value: object) -> str:
    """Secondary text."""
    return tag("div", text(value), cls="gt-muted")


def section(*children: str, label: str = "", aside: str = "") -> str:
    """A part of a panel, with a heading of its own; `aside`, such as a copy button, stands at the other end of its line."""
    top = tag("h3", text(label), cls="gt-label") if label else ""
    if aside:
        top = tag("div", top, tag("span", aside, cls="gt-push"), cls="gt-row")
    return tag("section", top, *children, cls="gt-section")


def table(head: Iterable[object], rows: Iterable[tuple[str, Iterable[str]]], cls: str = "gt-table") -> str:
    """A table; each row is its CSS class and its cells, which are HTML already."""
    top = tag("tr", *(tag("th", text(h)) for h in head))
    body = "".join(tag("tr", *(tag("td", cell) for cell in cells), cls=kind) for kind, cells in rows)
    return tag("table", tag("thead", top), tag("tbody", body), cls=cls)
