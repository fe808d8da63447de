"""Small pieces of HTML. Whatever comes from a program passes through `text`, which escapes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

MOST = 5_000
"""Characters of one value that are shown: names, messages and numbers belong to a program, which may make them as long as it
likes. What a link holds fits in."""
COPIED = 100_000
"""Characters of a text that a button copies; they are sent with the page."""


def text(value: object, most: int = MOST) -> str:
    """A value as text that is safe inside HTML, attributes included; of a long one the beginning, and how much more it has."""
    return escape(shortened(str(value), most), quote=True)


def shortened(value: str, most: int) -> str:
    """A text, or the beginning of a longer one and how much more there is."""
    return value if len(value) <= most else f"{value[:most]}… ({len(value) - most:,} characters more)"


def literal(value: object) -> str:
    """A value as text that Streamlit's Markdown, which labels and notices are, shows as it is: no link, no picture, no
    mathematics."""
    return re.sub(r"([\\\x60*_{}\[\]()#+\-.!|<>~:$&])", r"\\\1", shortened(str(value), MOST).replace("\n", " "))


def tag(name: str, *children: str, cls: str = "", **attributes: object) -> str:
    """An element around children that are HTML already; attribute values are escaped."""
    parts = [f' class="{text(cls)}"'] if cls else []
    given = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None)
    parts += [f' {key}="{text(value, COPIED)}"' for key, value in given]
    return f"<{name}{''.join(parts)}>{''.join(children)}</{name}>"


def chip(label: object, tone: str = "") -> str:
    """A small rounded label; `tone` is "leaf", "grad", "bad", "ok" or ""."""
    return tag("span", text(label), cls=f"gt-chip {tone}".strip())


def moment(step: int, label: object) -> str:
    """A link to a moment of the tape: the player goes there when it is clicked, without a run of the page."""
    return tag("button", text(label), cls="gt-moment", type="button", data_gt_step=step)


def copy(value: object, what: str) -> str:
    """A button that puts a text into the clipboard; `what` is its accessible name: what it copies. Empty for a text longer than
    `COPIED` characters."""
    whole, told = str(value), f"Copy {shortened(what, 100)}"
    if len(whole) > COPIED:
        return ""
    return tag("button", cls="gt-copy", type="button", data_gt_copy=whole, aria_label=told, title=told)


def nothing_yet(does: str, why: str) -> str:
    """What an empty panel shows: in one line what it does, below it why there is nothing."""
    return tag("div", tag("p", text(does), cls="gt-does"), tag("p", text(why)), cls="gt-empty")


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


def more(count: int, most: int) -> str:
    """How many there are beyond the most that are shown; nothing if these are all."""
    return muted(f"and {count - most:,} more") if count > most else ""


def table(head: Iterable[object], rows: Iterable[tuple[str, Iterable[str]]], cls: str = "gt-table") -> str:
    """A table; each row is its CSS class and its cells, which are HTML already."""
    top = tag("tr", *(tag("th", text(h)) for h in head))
    body = "".join(tag("tr", *(tag("td", cell) for cell in cells), cls=kind) for kind, cells in rows)
    return tag("table", tag("thead", top), tag("tbody", body), cls=cls)
