"""The SVG that matplotlib writes, rewritten with the elements and attributes that a picture needs and no others.

It is written by `clean` in the process that draws, and read by `check` where it is taken: a line of tags whose names,
attributes and values are all known. There are no scripts, links, styles of a page's, animations, comments, declarations or
addresses but those within the picture itself and of images that it holds.
"""

from __future__ import annotations

import re
from html import escape

ELEMENTS: dict[str, str] = {
    "svg": "width height viewBox version style xmlns xmlns:xlink",
    "g": "transform style id clip-path opacity",
    "path": "d transform style id clip-path",
    "use": "x y style transform xlink:href clip-path",
    "image": "x y width height transform xlink:href id clip-path style preserveAspectRatio",
    "defs": "",
    "clipPath": "id",
    "rect": "x y width height transform style id",
    "text": "x y style transform",
    "tspan": "x y style",
    "pattern": "id patternUnits x y width height",
    "linearGradient": "id gradientUnits x1 y1 x2 y2",
    "stop": "offset style",
    "polygon": "points style",
}
NAMESPACES = {"xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink"}
STYLES = frozenset(
    [
        "fill",
        "stroke",
        "stroke-width",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-dasharray",
        "stroke-dashoffset",
        "stroke-opacity",
        "fill-opacity",
        "fill-rule",
        "opacity",
        "stroke-miterlimit",
        "font",
        "text-anchor",
        "font-size",
        "font-family",
        "font-weight",
        "font-",
        "style",
        "white-space",
        "image-rendering",
        "color",
        "stop-color",
        "stop-opacity",
        "clip-path",
    ]
)
_OWN = r"url\(#g[\w.-]{1,100}\)"
_STYLE = re.compile(rf"(?:[#\w.,%' ()-]*|{_OWN})\Z")
_WITHIN = re.compile(r"#g[\w.-]{1,100}\Z")
_IMAGE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*\Z")
_ID = re.compile(r"g[\w.-]{1,100}\Z")
_PLAIN = re.compile(r"[\w\s.,:;#%()+-]*\Z")
_TAG = re.compile(r'<(/?)([A-Za-z]+)((?: [A-Za-z][\w:-]*="[^"<>&]*")*) ?(/?)>|([^<>&]+|&(?:amp|lt|gt|quot|#x27);)')
_ATTRIBUTE = re.compile(r' ([A-Za-z][\w:-]*)="([^"]*)"')
DEEP = 60


def is_fine(element: str, name: str, value: str) -> bool:
    """Whether an element may have an attribute with that value."""
    if name not in ELEMENTS[element].split():
        return False
    if name in NAMESPACES:
        return value == NAMESPACES[name]
    if name == "id":
        return _ID.match(value) is not None
    if name == "xlink:href":
        return (_IMAGE if element == "image" else _WITHIN).match(value) is not None
    if name == "clip-path":
        return re.fullmatch(_OWN, value) is not None
    if name == "style":
        return all(_is_style(part) for part in value.split(";") if part.strip())
    return _PLAIN.match(value) is not None


def _is_style(part: str) -> bool:
    name, _, value = part.partition(":")
    value = value.strip()
    if name.strip() not in STYLES or ("url" in value.lower() and not re.fullmatch(_OWN, value)):
        return False
    return _STYLE.match(value) is not None


def check(text: str) -> None:
    """Look at an SVG as it was sent. ValueError for anything in it that `clean` does not write."""
    place = 0
    open_: list[str] = []
    while place < len(text):
        found = _TAG.match(text, place)
        if found is None:
            raise ValueError("no picture")
        place = found.end()
        closes, name, attributes, alone, between = found.groups()
        if between is not None:
            if between.strip() and (not open_ or open_[-1] not in ("text", "tspan")):
                raise ValueError("text where there is none in a picture")
            continue
        if closes:
            if attributes or alone or not open_ or open_.pop() != name:
                raise ValueError("no picture")
            if not open_ and text[place:].strip():
                raise ValueError("something after a picture")
            continue
        if name not in ELEMENTS or bool(open_) == (name == "svg") or len(open_) > DEEP:
            raise ValueError("an element that is in no picture")
        if not all(is_fine(name, key, value) for key, value in _ATTRIBUTE.findall(attributes)):
            raise ValueError("an attribute that is in no picture")
        if not alone:
            open_.append(name)
    if open_ or not text:
        raise ValueError("no whole picture")


def clean(text: str) -> str:
    """An SVG of matplotlib's with what is known of it alone; identifiers begin with "g"."""
    from xml.etree import ElementTree

    parts: list[str] = []
    _write(ElementTree.fromstring(text), parts, True)
    return "".join(parts)


_SPACES = {"{http://www.w3.org/2000/svg}": "", "{http://www.w3.org/1999/xlink}": "xlink:"}


def _named(name: str) -> str:
    for space, short in _SPACES.items():
        if name.startswith(space):
            return short + name[len(space) :]
    return name


def _write(element: object, parts: list[str], root: bool = False) -> None:
    name = _named(str(element.tag))  # type: ignore[attr-defined]
    if name not in ELEMENTS:
        return
    given = {_named(key): value for key, value in element.attrib.items()}  # type: ignore[attr-defined]
    if root:
        # What matplotlib says in a sheet of styles.
        given |= NAMESPACES | {"style": "stroke-linejoin: round; stroke-linecap: butt"}
    shown = []
    for key, value in given.items():
        if key == "id":
            value = f"g{value}"
        elif key == "xlink:href" and value[:1] == "#":
            value = f"#g{value[1:]}"
        value = value.replace("url(#", "url(#g").strip() if key in ("style", "clip-path") else value
        if key == "xlink:href" and name == "image":
            value = "".join(value.split())
        if is_fine(name, key, value):
            shown.append(f' {key}="{value}"')
    said = element.text or ""  # type: ignore[attr-defined]
    parts.append(f"<{name}{''.join(shown)}>")
    if name in ("text", "tspan"):
        parts.append(escape(said))
    for child in element:  # type: ignore[attr-defined]
        _write(child, parts)
    parts.append(f"</{name}>")
