"""What meets the eye first and when nothing is there: the tour's stops, empty states, copying, and the page in trouble."""

from __future__ import annotations

import html
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from components.html.arrays import array_copy
from components.html.markup import copy
from components.menus.gallery import DEFAULT, examples
from components.menus.help import KEYS
from components.page import console, guided_tour, state
from components.page.console import console_html
from components.page.empty_state import empty_html
from components.tour import moments
from engine.diagnosis import findings
from engine.recording import Recording, replay
from engine.recording.index import index_of
from engine.sandbox import run

ROOT = Path(__file__).resolve().parents[2]
EVIL = '"><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def recording() -> Recording:
    made = run(examples()[DEFAULT].text).recording
    assert made is not None
    return made


def test_the_tour_has_five_stops_at_the_moments_it_speaks_of(recording: Recording) -> None:
    stops = moments(recording)
    assert len(stops) == 5
    leaf = int(stops[0].select[1:])
    grads = [replay(recording, stop.step).tensor(leaf).grad for stop in stops]
    values = [None if grad < 0 else float(recording.array(grad)[0]) for grad in grads]
    assert values == [None, None, 42.0, 84.0, 84.0]
    assert replay(recording, stops[0].step).tensors == (0, 1), "only the leaves are there"
    assert stops[1].step + 1 == index_of(recording).passes[1].began
    assert "x1.grad is now 42" in stops[2].text
    assert "42 + 42 = 84" in stops[3].text


def test_the_tour_marks_both_paths_of_each_pass(recording: Recording) -> None:
    first, second = moments(recording)[2:4]
    titles = [{replay(recording, s.step).tensor(int(k[1:])).name for k in s.marks} - {""} for s in (first, second)]
    assert titles == [{"x1", "y1", "y2", "z"}] * 2
    assert set(first.marks) & set(second.marks) == {"t0"}


def test_another_program_has_no_tour() -> None:
    made = run("import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).sum().backward()\n").recording
    assert made is not None
    assert moments(made) == []


def test_a_stop_has_two_sentences(recording: Recording) -> None:
    for stop in moments(recording):
        assert len(re.findall(r"[.!](?: |$)", re.sub(r"\w+\.\w+(?:\(\))?", "name", stop.text))) == 2, stop.text


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("", "An empty program"),
        ("print(1)", "No tensor was made"),
        ("x = 1 / 0", "ZeroDivisionError on line 1"),
        ("if", "SyntaxError on line 1"),
    ],
)
def test_what_stands_in_the_graphs_place_says_why(program: str, words: str) -> None:
    assert words in empty_html(program, run(program), waiting=False)


def test_while_the_first_run_is_under_way_an_outline_is_shown() -> None:
    shown = empty_html("import torch", None, waiting=True)
    assert shown.count("gt-bone") > 5
    assert "The graph appears when the program has run." in shown
    assert "Not run yet" in empty_html("import torch", None, waiting=False)


def test_what_is_copied_is_text_only() -> None:
    shown = copy(EVIL, "the text")
    assert "<img" not in shown
    assert html.unescape(re.search(r'data-gt-copy="([^"]*)"', shown)[1]) == EVIL  # type: ignore[index]


def test_the_console_says_what_to_do_about_an_error_as_the_findings_do() -> None:
    result = run("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().item().backward()\n")
    assert result.recording is not None
    (found,) = findings(result.recording)
    assert found.fix in html.unescape(console_html(result))
    assert "Did you mean" in console_html(run("import torch\ntorch.ones(2).summ()\n"))


def test_outputs_and_errors_can_be_copied() -> None:
    shown = console_html(run("print('seen')\nraise ValueError('odd')\n"))
    copied = [html.unescape(each) for each in re.findall(r'data-gt-copy="([^"]*)"', shown)]
    assert copied == ["seen\n", "ValueError: odd\n(line 2)"]


def test_a_recording_from_a_file_shows_what_was_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = run("print('<b>first</b>')\nfor k in range(3):\n    print(k)\n").recording
    assert made is not None

    def output(recording: Recording) -> str:
        result = console.printed(recording)
        assert result is not None
        return result.output

    assert "&lt;b&gt;first&lt;/b&gt;" in console_html(console.printed(Recording.load(made.to_bytes())))
    assert output(made) == "<b>first</b>\n0\n1\n2\n"
    monkeypatch.setattr(console, "OUTPUT", SimpleNamespace(value=lambda: 5))
    assert output(Recording.load(made.to_bytes())) == "<b>fi"


def test_a_recording_without_what_was_printed_does_not_say_that_it_was_nothing() -> None:
    silent = run("import torch\ntorch.ones(2)\n").recording
    assert silent is not None
    assert "printed nothing" not in console_html(console.printed(silent))


def test_values_are_copied_as_nested_lists(recording: Recording) -> None:
    stored = recording.arrays[replay(recording, 3).tensor(0).value]
    assert 'data-gt-copy="[1.0]"' in array_copy(stored, "the value")
    assert array_copy(None, "the value") == ""


def test_a_mistake_of_the_page_is_a_notice_with_a_way_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, faults: list[str]
) -> None:
    def broken(*_: object) -> list[object]:
        raise RuntimeError("a mistake")

    with monkeypatch.context() as patched:
        patched.setattr(guided_tour, "moments", broken)
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
    assert not app.exception, "no traceback on the page"
    assert "could not be drawn" in app.error[0].value
    assert "a mistake" in caplog.text
    assert len(faults) == 1
    faults.clear()
    app.button(key="trouble_page_run").click().run()
    assert not app.error
    assert app.session_state[state.KEY].recording is not None


def test_the_page_lists_every_key_of_the_player() -> None:
    sheet = (ROOT / "components/player/frontend/src/help.js").read_text(encoding="utf-8")
    of_player = {
        key for group in re.findall(r"\[(\[(?:'[^']+'(?:, )?)+\]), '", sheet) for key in re.findall(r"'([^']+)'", group)
    }
    listed = {key for rows in KEYS.values() for keys, _ in rows for key in keys.split("  ")}
    assert {"Space", "Enter", "?"} <= of_player
    assert of_player <= listed
