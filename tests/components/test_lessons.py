"""Our own lessons: they say what PyTorch says, ask what has an answer, and the page goes through them."""

from __future__ import annotations

import ast
import re

import pytest

from components.html.notes import markdown, note_html
from components.menus.gallery import lessons
from components.page import tasks
from components.replay.lesson import lesson
from components.replay.making import REPLAYED
from engine.export import Options
from engine.export.isolated import make_file
from engine.graph.lessons import answer, selected_of
from engine.recording.story import Look, Note, Picture
from engine.sandbox import run
from tests.components.visits import Visit
from tests.on_pytorch import OnPyTorch

MARK = "----"


def test_there_are_three_with_a_title_and_a_sentence() -> None:
    assert list(lessons()) == ["how_gradients_add_up", "where_gradients_stop", "why_training_fails"]
    for each in lessons().values():
        assert each.title.startswith("Lesson: ")
        assert len(each.about) > 40


@pytest.mark.parametrize("name", lessons())
def test_a_lesson_says_what_pytorch_says(pytorch: OnPyTorch, name: str) -> None:
    program = lessons()[name].program
    result = run(program)
    assert result.status == "ok", result.error
    assert result.recording is not None
    text = ""
    for cell, source in enumerate(program.cells):
        last = ast.parse(source).body[-1]
        assert isinstance(last, ast.Expr)
        look = program.story.look(cell)
        lines = source.split("\n")
        text += "\n".join(lines[: last.lineno - 1]) + f"\nprint(repr({lines[-1]}))\n"
        text += f"print(repr({look.predict or None}))\nprint({MARK!r})\n"
    told = pytorch(text).stdout.split(f"{MARK}\n")
    for cell, (mine, theirs) in enumerate(zip(result.cells, told, strict=False)):
        shown, asked = theirs.rstrip("\n").rsplit("\n", 1)
        assert (mine.result or "None") == shown
        look = program.story.look(cell)
        if not look.predict:
            continue
        found = answer(result.recording, look)
        assert found is not None, look.predict
        numbers = [float(each) for each in re.findall(r"-?(?:\d+\.?\d*|nan)", asked)]
        match found.kind:
            case "numbers":
                assert [float(each) for each in found.values] == pytest.approx(numbers, rel=1e-4, nan_ok=True)
            case "name":
                assert f"<{found.values[0]} " in asked
            case _:
                assert found.text == asked
        assert not look.selected or selected_of(result.recording, look) is not None


@pytest.mark.parametrize("name", lessons())
def test_a_lessons_file_has_all_its_pages(name: str) -> None:
    program = lessons()[name].program
    recording = run(program).recording
    assert recording is not None
    made = lesson(recording)
    assert made is not None
    assert [page["cell"] for page in made["pages"]] == [*range(len(program.cells)), None]
    assert all(page["prose"] for page in made["pages"])
    asked = [look.cell for look in program.story.looks if look.predict]
    assert [page["cell"] for page in made["pages"] if page.get("answer")] == asked


def test_the_page_goes_through_a_lesson() -> None:
    visit = Visit(example="why_training_fails")
    for _ in range(600):
        if not visit.page.tasks:
            break
        tasks.PATIENCE = 1.0
        visit.draw()
    assert "1 of 8 · In [1]" in visit.text("lesson_bar")
    assert visit.sent("notebook") == {"kind": "actions", "presenting": True, "page": 0}


# --- notes -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<script>hurt()</script>", "<img src=x onerror=hurt()>", "[a](javascript:hurt())", "![a](javascript:hurt())",
        "![a](https://elsewhere/x.png)", "![a](data:text/html,<script>hurt()</script>)", r"$\text{<script>hurt()</script>}$",
        r"$\text{&lt;script&gt;hurt()&lt;/script&gt;}$", r"$\href{javascript:hurt()}{x}$", "<img src='attachment:none.png'>",
        '[a](<https://x" onclick="hurt()>)', "```\n<script>hurt()</script>\n```", "| <b> | x |\n|-|-|\n| <script> | y |",
        r"$\class{x\" onclick=\"hurt()}{y}$", "$" + "{" * 6_000 + "$", "[a](data:text/html,x)",
    ],
)  # fmt: skip
def test_nothing_of_a_note_runs_or_is_fetched(text: str) -> None:
    made = note_html(Note(0, text))
    assert not re.search(r"<(?:script|b|iframe|object|style|svg|form)\b", made)
    assert not re.search(r"<[^>]*\s(?:on\w+|style)=", re.sub(r'"[^"]*"', '""', made))
    assert not re.search(r'(?:src|href)="(?!https://|data:image/png;)', made)
    assert not re.search(r'src="(?!data:image/)', made)
    assert not re.search(r"!\[[^\]]*\]\((?!data:image/)(?!javascript)", markdown(Note(0, text)))


def test_a_note_is_rendered_with_its_formulas_and_pictures() -> None:
    made = note_html(
        Note(0, "# A *b*\n\n$$x^2$$ and $y_1$\n\n![p](attachment:p.png)<br>", (Picture("p.png", "image/png", b"abc"),))
    )
    assert "<h1>A <em>b</em></h1>" in made
    assert made.count("<math") == 2
    assert '<img src="data:image/png;base64,YWJj" alt="p"' in made
    assert "(data:image/png;base64,YWJj)" in markdown(
        Note(0, "![p](attachment:p.png)", (Picture("p.png", "image/png", b"abc"),))
    )


def test_a_page_of_a_cell_that_did_not_run_has_no_moment() -> None:
    cells = ("import torch\nx = torch.ones(1)", "1 / 0", "x")
    recording = run(lessons()["how_gradients_add_up"].program.with_cells(cells)).recording
    assert recording is not None
    assert answer(recording, Look(2, predict="x")) is None
    made = lesson(recording)
    assert made is not None
    assert ["first" in page for page in made["pages"]] == [True, True, False, False]


def test_a_lessons_file_is_made_in_a_process_that_opens_none() -> None:
    recording = run(lessons()["how_gradients_add_up"].program).recording
    made = make_file("html", recording, Options(title="Lesson"), by=REPLAYED).decode()
    assert "createLesson" in made
    assert len(made) < 1_500_000
