"""Pictures: the same as the page's, valid, complete, and harmless whatever is in them."""

from __future__ import annotations

import re
from itertools import combinations, product
from xml.etree import ElementTree

import pytest

from engine.export import FORMATS, Options, export
from engine.export.fonts import covers, width
from engine.export.picture import picture
from engine.export.scene import Box, Group, Picture, Text, clean
from engine.graph import VIEWS, build
from engine.graph.graph_view import graph_view
from engine.recording import Recording
from engine.recording.events import NodeRan
from tests.engine.export.hostile import TAGS, hostile
from tests.engine.export.programs import NAMES, recorded

SVG = "{http://www.w3.org/2000/svg}"


def parsed(recording: Recording, options: Options) -> ElementTree.Element:
    return ElementTree.fromstring(export(recording, "svg", options))


def texts(recording: Recording, options: Options) -> list[str]:
    return [element.text or "" for element in parsed(recording, options).iter(f"{SVG}text")]


@pytest.mark.parametrize(("name", "view", "direction"), [*product(NAMES, VIEWS, ("LR", "TB"))])
def test_every_example_is_valid_xml_with_a_card_for_every_node(name: str, view: str, direction: str) -> None:
    recording = recorded(name)
    for step in {0, len(recording.events) // 2, len(recording.events) - 1}:
        root = parsed(recording, Options(view, direction, step))  # type: ignore[arg-type]
        assert len(root.findall(f"{SVG}g")) == len(build(recording, view))  # type: ignore[arg-type]


def test_a_folded_graph_is_drawn_with_its_groups_and_the_glow_of_what_is_inside() -> None:
    recording = recorded("tiny_mlp")
    folded = build(recording, "grouped")
    root = parsed(recording, Options(view="grouped", rolled=False))
    assert len(root.findall(f"{SVG}g")) == len(folded)
    assert set(graph_view(recording, fold="auto").focus(len(recording.events) // 2)) <= set(folded)


def test_the_running_step_shows_what_flows() -> None:
    recording = recorded("repeated_backward")
    step = next(s for s, e in enumerate(recording.events) if isinstance(e, NodeRan) and e.number == 2)
    shown = texts(recording, Options(step=step))
    assert shown.count("flowing") == 3
    assert "· grad not kept" in shown
    assert shown[-1] == "gradient flowing now"
    assert {"4", "11"} <= set(shown)


def test_gradients_grow_from_step_to_step() -> None:
    recording = recorded("repeated_backward")
    values = [texts(recording, Options(step=step)) for step in range(len(recording.events))]
    seen = [next((value for value in ("84", "42") if value in shown), "") for shown in values]
    assert list(dict.fromkeys(seen)) == ["", "42", "84"]


def test_nothing_moves_while_stepping() -> None:
    recording = recorded("repeated_backward")

    def places(step: int) -> list[tuple[str | None, str | None]]:
        groups = parsed(recording, Options(step=step)).findall(f"{SVG}g")
        return [(group[-1].get("x"), group[1].get("x")) for group in groups]

    first = [x for _, x in places(0)]
    assert [x for _, x in places(len(recording.events) - 1)] == first


def left(line: Text) -> float:
    return line.x - {"start": 0, "middle": line.width / 2, "end": line.width}[line.anchor]


def shapes(made: Picture) -> list[object]:
    return [shape for item in made.items for shape in (item.shapes if isinstance(item, Group) else (item,))]


@pytest.mark.parametrize("name", NAMES)
def test_text_stays_inside_its_card_and_cards_inside_the_picture(name: str) -> None:
    made = picture(recorded(name))
    for group in (item for item in made.items if isinstance(item, Group)):
        card = max((shape for shape in group.shapes if isinstance(shape, Box)), key=lambda box: box.width * box.height)
        assert 0 <= card.left <= card.left + card.width <= made.width
        assert 0 <= card.top <= card.top + card.height <= made.height
        for line in (shape for shape in group.shapes if isinstance(shape, Text)):
            assert card.left <= left(line)
            assert left(line) + line.width <= card.left + card.width + 0.5


@pytest.mark.parametrize("name", NAMES)
def test_lines_of_text_do_not_cover_each_other(name: str) -> None:
    for item in picture(recorded(name)).items:
        lines = [shape for shape in item.shapes if isinstance(shape, Text)] if isinstance(item, Group) else []
        for one, other in combinations(lines, 2):
            beside = left(one) + one.width <= left(other) + 0.01 or left(other) + other.width <= left(one) + 0.01
            assert beside or abs(one.y - other.y) >= min(one.size, other.size), (one, other)


def test_hostile_text_is_only_text() -> None:
    for view in VIEWS:
        data = export(hostile(), "svg", Options(view=view, title=TAGS)).decode()
        root = ElementTree.fromstring(data)
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "rect", "g", "text", "path", "polygon", "polyline"}
        attributes = {name for element in root.iter() for name in element.attrib}
        assert not any(name.startswith("on") or "href" in name or name == "style" for name in attributes)
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]", data)


def test_a_reader_is_told_what_is_seen() -> None:
    root = parsed(recorded("repeated_backward"), Options(title="Repeated"))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Repeated"
    told = root.findtext(f"{SVG}desc") or ""
    assert told.startswith("step 50 of 50 · ")
    assert "x1 · leaf · float32 [1] · value 1 · grad 84" in told


def test_the_legend_lists_only_what_is_there() -> None:
    shown = texts(recorded("mean_of_squares"), Options(step=0))
    assert "leaf, requires grad" in shown
    assert "root of a backward pass" not in shown
    assert "gradient flowing now" not in shown


def test_light_and_dark_differ_in_colours_only() -> None:
    light, dark = (export(recorded("tiny_mlp"), "svg", Options(theme=theme)).decode() for theme in ("light", "dark"))
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "#", light) == re.sub("#[0-9a-f]{6}", "#", dark)


def test_an_empty_recording_has_a_picture() -> None:
    root = ElementTree.fromstring(export(Recording(source=("",)), "svg"))
    assert [element.text for element in root.iter(f"{SVG}text")] == ["nothing was recorded"]


@pytest.mark.parametrize("step", [-1, 50, 10**9])
@pytest.mark.parametrize("format", [f.name for f in FORMATS.values() if f.of_step])
def test_a_step_that_there_is_not_is_refused(format: str, step: int) -> None:
    with pytest.raises(IndexError, match="there is no step"):
        export(recorded("repeated_backward"), format, Options(step=step))


def test_widths_are_those_of_the_fonts() -> None:
    from PIL import ImageFont

    from engine.export.fonts import BOLD, REGULAR

    for text in ("MseLossBackward0", "value 12.34 ± 5e-05", "x1 × σ ∂ → ₀ θ"):
        assert covers(text, True)
        for file, bold in ((REGULAR, False), (BOLD, True)):
            font = ImageFont.truetype(
                str(file), 1000, layout_engine=ImageFont.Layout.BASIC
            )  # letters as they are, without kerning
            assert width(text, 100, bold) == pytest.approx(font.getlength(text) / 10, abs=0.1)


def test_characters_that_are_no_text_are_dropped() -> None:
    assert clean("a\0b\x1b[1m\u202ec\ud800d\n\te") == "a b [1m c d e"
