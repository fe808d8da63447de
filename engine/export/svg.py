"""Pictures as SVG text: attributes only, no style sheet and no script, so that it can stand anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from engine.export.fonts import FAMILY
from engine.export.scene import Box, Curve, Group, Picture, Polygon, Shape, Text, clean


def svg(picture: Picture) -> str:
    """The picture as a whole SVG document."""
    width, height = _number(picture.width), _number(picture.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f"role=\"img\" font-family=\"'{FAMILY}', 'DejaVu Sans', system-ui, sans-serif\">",
        f"<title>{_text(picture.title)}</title>",
        f"<desc>{_text(picture.description)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{picture.background}"/>',
        *_items(picture.items),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _items(items: Iterable[Shape | Group]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Group):
            yield f"<g><title>{_text(item.label)}</title>{''.join(map(_shape, item.shapes))}</g>"
        else:
            yield _shape(item)


def _shape(shape: Shape) -> str:
    match shape:
        case Box():
            corner = f' rx="{_number(shape.radius)}"' if shape.radius else ""
            place = f'x="{_number(shape.left)}" y="{_number(shape.top)}"'
            size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
            return f"<rect {place} {size}{corner}{_fill(shape.fill)}{_stroke(shape)}/>"
        case Curve():
            (x, y) = shape.pieces[0][0]
            rest = "".join(f"C{_point(a)} {_point(b)} {_point(end)}" for _, a, b, end in shape.pieces)
            return f'<path d="M{_number(x)} {_number(y)}{rest}" fill="none"{_stroke(shape)}/>'
        case Polygon():
            points = " ".join(_point(point) for point in shape.points)
            kind = "polygon" if shape.fill else "polyline"
            return f'<{kind} points="{points}"{_fill(shape.fill)}{_stroke(shape)}/>'
        case Text():
            return _line(shape)


def _line(shape: Text) -> str:
    """Text is as wide as it was measured, whatever font draws it (`textLength`), so nothing is cut or overlaps."""
    weight = ' font-weight="700"' if shape.bold else ""
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    length = f' textLength="{_number(shape.width)}" lengthAdjust="spacingAndGlyphs"' if len(shape.text) > 1 else ""
    opacity = f' opacity="{_number(shape.opacity)}"' if shape.opacity != 1 else ""
    place = f'x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}"'
    return f'<text {place}{weight}{anchor}{length}{opacity} fill="{shape.fill}">{_text(shape.text)}</text>'


def _fill(colour: str) -> str:
    return f' fill="{colour}"' if colour else ' fill="none"'


def _stroke(shape: Box | Curve | Polygon) -> str:
    parts = [f' stroke="{shape.stroke}" stroke-width="{_number(shape.line)}"'] if shape.stroke else []
    if shape.stroke and not isinstance(shape, Polygon) and shape.dash:
        parts.append(f' stroke-dasharray="{" ".join(map(_number, shape.dash))}"')
    if shape.opacity != 1:
        parts.append(f' opacity="{_number(shape.opacity)}"')
    return "".join(parts)


def _point(point: tuple[float, float]) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(value: str) -> str:
    return escape(clean(value), quote=True)
