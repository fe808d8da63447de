"""Images and documents are made of the same picture, without anything that a machine happens to have."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
import resvg_py
from PIL import Image
from pypdf import PdfReader

from engine.export import Options, export
from engine.export.fonts import BOLD, FAMILY, REGULAR, width
from engine.export.fonts.outlines import path
from engine.export.pdf import LARGEST, POINTS, pdf
from engine.export.picture import picture
from engine.export.png import MOST, png
from engine.export.scene import Picture, Text
from engine.export.svg import svg
from engine.graph.design import THEMES, Theme, palette
from tests.engine.export.hostile import hostile
from tests.engine.export.programs import recorded


def image(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def words(data: bytes) -> str:
    return PdfReader(io.BytesIO(data)).pages[0].extract_text()


@pytest.mark.parametrize("theme", THEMES)
def test_an_image_has_twice_the_pages_pixels_and_its_colours(theme: Theme) -> None:
    made = picture(recorded("repeated_backward"), Options(theme=theme))
    shown = image(png(made))
    assert shown.size == (round(made.width * 2), round(made.height * 2))
    assert shown.getpixel((2, 2)) == tuple(bytes.fromhex(palette(theme).stage[1:]))
    colours = shown.getcolors(10**6)
    assert colours is not None
    assert len(colours) > 100


@pytest.mark.parametrize("scale", [2.0, 0.731])
@pytest.mark.parametrize("theme", THEMES)
def test_an_image_is_covered_to_its_edges(theme: Theme, scale: float) -> None:
    made = Image.open(io.BytesIO(png(Picture(200.7, 100.45, palette(theme).stage, "", "", ()), scale)))
    assert made.getextrema()[3:] in ((), ((255, 255),)), "nothing is transparent"
    assert {count for count, _ in made.convert("RGB").getcolors() or ()} == {made.width * made.height}, "all of one colour"


def test_a_huge_picture_becomes_a_smaller_image() -> None:
    shown = image(png(Picture(90_000, 90_000, "#ffffff", "", "", ())))
    assert shown.size[0] * shown.size[1] <= MOST * 1.01


@pytest.mark.parametrize("sign", "×σ∂→θ₀²±−≤∞…√∇")
@pytest.mark.parametrize("bold", [False, True])
def test_no_sign_is_drawn_as_the_missing_one(sign: str, bold: bool) -> None:
    def drawn(text: str) -> bytes:
        line = Text(5, 30, text, 30, "#000000", 26, bold)
        return image(png(Picture(40, 40, "#ffffff", "", "", (line,)))).tobytes()

    assert drawn(sign) not in (drawn("\U0010fffd"), drawn(" "))


def test_a_documents_text_can_be_found_and_it_is_one_page_of_the_pictures_size() -> None:
    data = export(recorded("repeated_backward"), "pdf", Options(title="Größe × σ"))
    made = picture(recorded("repeated_backward"))
    reader = PdfReader(io.BytesIO(data))
    assert len(reader.pages) == 1
    assert float(reader.pages[0].mediabox.width) == pytest.approx(made.width * POINTS)
    assert words(data).startswith("Größe × σ\n")
    assert {"AddBackward0", "84"} <= set(words(data).split())
    assert "float32 [1] · line 9" in words(data)


def test_what_is_faded_is_faded_in_a_document() -> None:
    line = Text(20, 90, "x", 80, "#000000", width("x", 80), opacity=0.3)
    page = PdfReader(io.BytesIO(pdf(Picture(140, 120, "#ffffff", "", "", (line,))))).pages[0]
    contents = page.get_contents()
    assert contents is not None
    before = contents.get_data().decode("latin-1").partition(" Tj")[0]
    (state,) = re.findall(r"/(\S+) gs", before)[-1:]
    assert float(page["/Resources"]["/ExtGState"][f"/{state}"]["/ca"]) == 0.3  # type: ignore[index]


def test_a_document_is_vectors_only() -> None:
    reader = PdfReader(io.BytesIO(export(recorded("tiny_mlp"), "pdf")))
    assert list(reader.pages[0].images) == []


def test_the_same_picture_gives_the_same_document() -> None:
    assert export(recorded("broadcasting"), "pdf") == export(recorded("broadcasting"), "pdf")


def test_a_page_is_never_larger_than_viewers_take() -> None:
    page = PdfReader(io.BytesIO(pdf(Picture(90_000, 400, "#ffffff", "", "", ())))).pages[0]
    assert float(page.mediabox.width) == pytest.approx(LARGEST)


def test_hostile_text_is_drawn_as_text() -> None:
    assert "<img" in words(export(hostile(), "pdf")) or "<i" in words(export(hostile(), "pdf"))
    assert image(export(hostile(), "png")).size[0] > 100
    assert b"/JavaScript" not in export(hostile(), "pdf")


LETTERS = "aBgQ8%é½ẄΩжﬁ→√∂₀·…"


@pytest.mark.parametrize("bold", [False, True])
def test_a_letters_outline_is_what_the_fonts_file_draws(bold: bool) -> None:
    for letter in LETTERS:
        line = Text(20, 90, letter, 80, "#000000", width(letter, 80, bold), bold)
        sheet = Picture(140, 120, "#ffffff", "", "", (line,))
        by_font = resvg_py.svg_to_bytes(
            svg_string=svg(sheet), skip_system_fonts=True, font_files=[str(REGULAR), str(BOLD)], sans_serif_family=FAMILY
        )
        one, other = (np.asarray(image(data).convert("L"), dtype=int) < 128 for data in (bytes(by_font), png(sheet, 1.0)))
        assert one.sum() > 20
        assert (one ^ other).sum() <= 0.06 * one.sum() + 4, letter


def test_letters_stand_one_after_another_and_spaces_are_empty() -> None:
    assert path("a b", False).count("M") == 2
    (first, second) = re.findall(r"M(\d+) 0m", path("ab", False))
    assert (int(first), int(second)) == (0, round(1000 * width("a", 1)))


def test_a_picture_too_large_to_be_read_has_bars_for_text() -> None:
    def colours(side: float) -> int:
        line = Text(side / 10, side / 2, "text of letters", side / 20, "#ff0000", side / 2)
        found = image(png(Picture(side, side, "#ffffff", "", "", (line,)))).getcolors(10**6)
        return len(found or ())

    assert colours(200) > 10, "letters have smooth edges"
    assert colours(64_000) < 6, "a bar has not"
