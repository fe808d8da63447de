"""A notebook's notes, safe to be shown: as Markdown that Streamlit renders in the browser, or as HTML of our own making.

Either way no HTML of theirs is let through, pictures are those that are attached, as data, and nothing is fetched.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from components.html.markup import tag, text
from engine.recording.story import Note

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown_it import MarkdownIt

PICTURE = re.compile(r"!\[([^\]\n]{0,500})\]\(\s{0,9}<?([^)\s>]{1,2000})(?=[)\s>])>?(?:\s[^)\n]{0,200})?\)")
"""A picture in a text."""
TAG = re.compile(
    r"<img\b[^<>\n]{0,1000}?\bsrc\s?=\s?[\"']?attachment:([^\"'\s<>]{1,500})(?=[\"'\s>])[^<>\n]{0,1000}>", re.IGNORECASE
)
"""One that is written as HTML, as Jupyter does when it is resized."""
BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
FORMULA = 5_000
"""Characters of a formula that is set; a longer one is shown as it is written."""


def markdown(note: Note) -> str:
    """A note's Markdown with its attached pictures in it; a picture elsewhere is a link."""
    pictures = {picture.name: picture for picture in note.pictures}

    def placed(match: re.Match[str]) -> str:
        words, where = match[1], match[2]
        if where.startswith("attachment:"):
            picture = pictures.get(where.removeprefix("attachment:"))
            if picture is None:
                return f"*{words or 'a picture that is not kept here'}*"
            return f"\0[{words}](data:{picture.mime};base64,{b64encode(picture.data).decode()})"
        return words if where.startswith("data:") else f"[{words or where}]({where})"

    text = TAG.sub(r"![](attachment:\1)", note.text.replace("\0", ""))
    return PICTURE.sub(placed, BREAK.sub("  \n", text)).replace("![", "[").replace("\0", "!")  # any other way to name a picture


def note_html(note: Note) -> str:
    """A note as HTML, its formulas as MathML: for a file, where nobody else renders it. It takes a while for a long one."""
    return tag("div", _renderer().render(markdown(note)), cls="gt-prose")


@cache
def _renderer() -> MarkdownIt:
    # Loaded where a note is rendered: the page has its notes rendered by browsers.
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    made = MarkdownIt("commonmark", {"html": False, "breaks": False}).enable(["table", "strikethrough"])
    made.use(dollarmath_plugin, renderer=_formula, double_inline=True)
    made.add_render_rule("link_open", _link)
    made.add_render_rule(
        "math_inline", lambda self, tokens, at, options, env: _formula(tokens[at].content, {"display_mode": False})
    )
    made.add_render_rule(
        "math_inline_double", lambda self, tokens, at, options, env: _formula(tokens[at].content, {"display_mode": True})
    )
    made.add_render_rule(
        "math_block", lambda self, tokens, at, options, env: _formula(tokens[at].content, {"display_mode": True})
    )
    return made


def _link(self: Any, tokens: Sequence[Any], at: int, options: Any, env: Any) -> str:
    """A link opens elsewhere, and tells nobody where it was followed."""
    return tag("a", href=tokens[at].attrs.get("href", ""), target="_blank", rel="noopener noreferrer").removesuffix("</a>")


def _formula(latex: str, options: dict[str, Any]) -> str:
    """A formula as MathML, or as it is written where it cannot be set."""
    from latex2mathml.converter import convert_to_element

    block = bool(options.get("display_mode"))
    if len(latex) > FORMULA:
        return tag("code", text(latex, FORMULA))
    try:
        from xml.etree.ElementTree import tostring

        element = convert_to_element(latex.strip(), display="block" if block else "inline")
        _plain(element)
        return str(tostring(element, encoding="unicode"))
    except Exception:  # a stranger's formula may be anything, and the library says of none what it raises
        return tag("code", text(latex, FORMULA))


def _plain(element: Element) -> None:
    """Leave nothing but MathML's own: the library holds signs as HTML's entities, and has links."""
    for each in element.iter():
        if not re.fullmatch(r"m[a-z]{1,12}", str(each.tag)) or each.tag == "maction":
            raise ValueError(f"MathML has no {each.tag}")
        each.text = html.unescape(each.text) if each.text else each.text
        each.tail = html.unescape(each.tail) if each.tail else each.tail
        for name in [name for name in each.attrib if name.startswith(("on", "href", "src", "style"))]:
            del each.attrib[name]
