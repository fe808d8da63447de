"""Pictures as SVG text: attributes only, no style sheet and no script, so that it can stand anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from html import escape

from ..graph.design.sizes import WEIGHTS
from .fonts import FAMILY, width
from .fonts.outlines import path
from .scene import Box, Curve, Group, Picture, Pie, Polygon, Shape, Text, clean


def svg(picture: Picture, text: Callable[[Text], str] | None = None) -> str:
    """The picture as a whole SVG document; `text` writes a line of text otherwise than as an element of text."""
    across, height = _number(picture.width), _number(picture.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{height}" viewBox="0 0 {across} {height}" '
        f"role=\"img\" font-family=\"'{FAMILY}', 'Source Sans', system-ui, sans-serif\">",
        f"<title>{_text(picture.title)}</title>",
        f"<desc>{_text(picture.description)}</desc>",
        f'<rect width="{across}" height="{height}" fill="{picture.background}"/>',
        *_items(picture.items, text or written),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _items(items: Iterable[Shape | Group], text: Callable[[Text], str]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Group):
            shapes = "".join([_shape(shape, text) for shape in item.shapes])
            yield f"<g><title>{_text(item.label)}</title>{shapes}</g>"
        else:
            yield _shape(item, text)


def _shape(shape: Shape, text: Callable[[Text], str]) -> str:
    match shape:
        case Box():
            corner = f' rx="{_number(shape.radius)}"' if shape.radius else ""
            position = f'x="{_number(shape.left)}" y="{_number(shape.top)}"'
            size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
            return f"<rect {position} {size}{corner}{_fill(shape.fill)}{_stroke(shape)}/>"
        case Curve():
            (x, y) = shape.pieces[0][0]
            rest = "".join(f"C{_point(a)} {_point(b)} {_point(end)}" for _, a, b, end in shape.pieces)
            return f'<path d="M{_number(x)} {_number(y)}{rest}" fill="none"{_stroke(shape)}/>'
        case Polygon():
            points = " ".join(_point(point) for point in shape.points)
            kind = "polygon" if shape.fill else "polyline"
            return f'<{kind} points="{points}"{_fill(shape.fill)}{_stroke(shape)}/>'
        case Pie():
            turn = 2 * math.pi * shape.share
            x, y, r = shape.x, shape.y, shape.radius
            end = _point((x + r * math.sin(turn), y - r * math.cos(turn)))
            far = int(shape.share > 0.5)
            arc = f"M{_point((x, y))}V{_number(y - r)}A{_number(r)} {_number(r)} 0 {far} 1 {end}Z"
            return f'<path d="{arc}"{_fill(shape.fill)}{_stroke(shape)}/>'
        case Text():
            return text(shape)


def written(shape: Text) -> str:
    """Text is as wide as it was measured, whatever font draws it (`textLength`), so nothing is cut or overlaps."""
    weight = f' font-weight="{WEIGHTS[1]}"' if shape.bold else ""
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    length = f' textLength="{_number(shape.width)}" lengthAdjust="spacingAndGlyphs"' if len(shape.text) > 1 else ""
    opacity = f' fill-opacity="{_number(shape.opacity)}"' if shape.opacity != 1 else ""
    position = f'x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}"'
    return f'<text {position}{weight}{anchor}{length}{opacity} fill="{shape.fill}">{_text(shape.text)}</text>'


def _fill(colour: str) -> str:
    return f' fill="{colour}"' if colour else ' fill="none"'


def _stroke(shape: Box | Curve | Pie | Polygon) -> str:
    if isinstance(shape, Pie):
        return f' fill-opacity="{_number(shape.opacity)}"' if shape.opacity != 1 else ""
    parts = [f' stroke="{shape.stroke}" stroke-width="{_number(shape.line)}"'] if shape.stroke else []
    if shape.stroke and not isinstance(shape, Polygon) and shape.dash:
        parts.append(f' stroke-dasharray="{" ".join(map(_number, shape.dash))}"')
    if shape.opacity != 1:
        # The opacity of a whole element needs a layer of its own where it is drawn, which took longer than all the rest.
        which = "" if isinstance(shape, Box) and shape.fill and shape.stroke else "fill-" if _filled(shape) else "stroke-"
        parts.append(f' {which}opacity="{_number(shape.opacity)}"')
    return "".join(parts)


def _filled(shape: Box | Curve | Polygon) -> bool:
    return not isinstance(shape, Curve) and bool(shape.fill)


def _point(point: tuple[float, float]) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def outlined(shape: Text) -> str:
    """A line of text as the outlines of its letters, for where no font can be opened."""
    natural = width(shape.text, shape.size, shape.bold)
    left = shape.x - {"start": 0.0, "middle": shape.width / 2, "end": shape.width}[shape.anchor]
    up = shape.size / 1000
    along = up * (shape.width / natural if natural else 1.0)
    opacity = f' fill-opacity="{_number(shape.opacity)}"' if shape.opacity != 1 else ""
    transform = f"matrix({along:.6f} 0 0 {-up:.6f} {_number(left)} {_number(shape.y)})"
    return f'<path transform="{transform}" d="{path(shape.text, shape.bold)}" fill="{shape.fill}"{opacity}/>'


def barred(shape: Text) -> str:
    """A line of text as a bar, for where it would be too small to be read."""
    left = shape.x - {"start": 0.0, "middle": shape.width / 2, "end": shape.width}[shape.anchor]
    high = shape.size / 3
    position = f'x="{_number(left)}" y="{_number(shape.y - high)}" width="{_number(shape.width)}" height="{_number(high)}"'
    return f'<rect {position} fill="{shape.fill}" fill-opacity="{_number(shape.opacity / 2)}"/>'


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(value: str) -> str:
    return escape(clean(value), quote=True)
