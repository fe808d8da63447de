"""Pictures as PDF: vectors, and text that can be selected and searched, in the fonts that come along."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from ..progress import Tell, part, told, untold
from .fonts import BOLD, FAMILY, REGULAR, covers, width
from .scene import Box, Curve, Group, Picture, Pie, Polygon, Shape, Text, clean

POINTS = 0.75
"""Points in a pixel."""
LARGEST = 14_400.0
"""Points: no viewer needs to show a larger page."""
_UNKNOWN = "\ufffd"
_BOLD = f"{FAMILY} Semibold"


def pdf(picture: Picture, tell: Tell = untold) -> bytes:
    """The picture as a document of one page of its own size; the same picture gives the same bytes."""
    from reportlab.pdfgen.canvas import Canvas

    _fonts()
    scale = min(POINTS, LARGEST / max(picture.width, picture.height))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(picture.width * scale, picture.height * scale), invariant=1, pageCompression=1)
    canvas.setTitle(clean(picture.title))
    canvas.setSubject(clean(picture.description)[:2000])
    canvas.setCreator("Gradtape")
    canvas.scale(scale, scale)
    sheet = _Sheet(canvas, picture.height)
    sheet.draw(Box(0, 0, picture.width, picture.height, fill=picture.background))
    for item in told(picture.items, part(tell, 0, 0.8)):
        for shape in item.shapes if isinstance(item, Group) else (item,):
            sheet.draw(shape)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@cache
def _fonts() -> None:
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfbase.ttfonts import TTFont

    registerFont(TTFont(FAMILY, str(REGULAR)))
    registerFont(TTFont(_BOLD, str(BOLD)))


class _Sheet:
    """A page whose y runs downwards, as the picture's does."""

    def __init__(self, canvas: Any, height: float) -> None:
        self.canvas, self.height = canvas, height

    def draw(self, shape: Shape) -> None:
        canvas = self.canvas
        if isinstance(shape, Text):
            self.text(shape)
            return
        if isinstance(shape, Pie):
            x, y = self.at((shape.x, shape.y))
            r = shape.radius
            canvas.setFillColor(_colour(shape.fill), shape.opacity)
            canvas.wedge(x - r, y - r, x + r, y + r, 90, -360 * shape.share, stroke=0, fill=1)
            return
        if shape.stroke:
            canvas.setStrokeColor(_colour(shape.stroke), shape.opacity)
            canvas.setLineWidth(shape.line)
            canvas.setDash([] if isinstance(shape, Polygon) else list(shape.dash))
        match shape:
            case Box():
                self.box(shape)
            case Curve():
                path = canvas.beginPath()
                path.moveTo(*self.at(shape.pieces[0][0]))
                for _, a, b, end in shape.pieces:
                    path.curveTo(*self.at(a), *self.at(b), *self.at(end))
                canvas.drawPath(path, stroke=1, fill=0)
            case Polygon():
                path = canvas.beginPath()
                path.moveTo(*self.at(shape.points[0]))
                for point in shape.points[1:]:
                    path.lineTo(*self.at(point))
                if shape.fill:
                    path.close()
                    canvas.setFillColor(_colour(shape.fill), shape.opacity)
                canvas.drawPath(path, stroke=int(bool(shape.stroke)), fill=int(bool(shape.fill)))

    def box(self, box: Box) -> None:
        if box.fill:
            self.canvas.setFillColor(_colour(box.fill), box.opacity)
        bottom = self.height - box.top - box.height
        how = {"stroke": int(bool(box.stroke)), "fill": int(bool(box.fill))}
        if box.radius:
            radius = min(box.radius, box.width / 2, box.height / 2)
            self.canvas.roundRect(box.left, bottom, box.width, box.height, radius, **how)
        else:
            self.canvas.rect(box.left, bottom, box.width, box.height, **how)

    def text(self, line: Text) -> None:
        written = (
            line.text if covers(line.text, line.bold) else "".join(c if covers(c, line.bold) else _UNKNOWN for c in line.text)
        )
        natural = width(written, line.size, line.bold)
        left = line.x - {"start": 0.0, "middle": line.width / 2, "end": line.width}[line.anchor]
        text = self.canvas.beginText(left, self.height - line.y)
        text.setFont(_BOLD if line.bold else FAMILY, line.size)
        text.setFillColor(_colour(line.fill), line.opacity)
        text.setHorizScale(100 * line.width / natural if natural else 100)
        text.textOut(written)
        self.canvas.drawText(text)

    def at(self, point: tuple[float, float]) -> tuple[float, float]:
        return point[0], self.height - point[1]


@cache
def _colour(code: str) -> Any:
    from reportlab.lib.colors import HexColor

    return HexColor(code)
