"""What the user does to cards, as the page remembers it and the player is told."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from components.page import choosing, edits, state, tasks
from components.page.keeping.record import MARKED, told
from components.page.state import Page
from components.player import feed
from components.player.feed import plain
from components.player.picture import Wish, drawing
from components.player.protocol import COLOURS, Choices, read
from engine.diagnosis.contributions import edge_lines
from engine.graph.chosen import Chosen
from engine.graph.design import PALETTES
from engine.graph.graph_view import graph_view
from engine.graph.structure.tensor_titles import best_names
from engine.graph.watch import MOST
from engine.program import Program
from engine.recording import Recording
from engine.recording.index import index_of
from tests.components.conftest import page
from tests.components.test_keeping import MESSAGE, RECORD
from tests.recorded import recorded


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()\n")


@pytest.fixture
def p(monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setattr(choosing.controls, "put", lambda key, value: None)
    return Page(Program.from_text(""))


def do(p: Page, recording: Recording, *choices: dict[str, Any], **view: Any) -> None:
    told = read({"last": [{"run": "a", **choice} for choice in choices]}, Choices)
    assert told is not None
    choosing.heed(p, graph_view(recording, chosen=p.chosen, **view), "a", told)


def test_each_is_done_once_and_in_order(p: Page, recording: Recording) -> None:
    first = {"n": 5, "do": "hide", "key": "t0"}
    do(p, recording, first, {"n": 6, "do": "colour", "key": "t1", "colour": 3})
    assert p.chosen == Chosen(("t0",), (("t1", 3),))
    do(p, recording, first, {"n": 7, "do": "show"})
    assert p.chosen == Chosen((), (("t1", 3),)), "what was hidden before is not hidden again"
    do(
        p,
        recording,
        {"n": 8, "do": "colour", "key": "t1"},
        {"n": 9, "do": "hide", "key": "t1"},
        {"n": 10, "do": "hide", "key": "t0"},
    )
    do(p, recording, {"n": 11, "do": "show", "key": "t1"})
    assert p.chosen == Chosen(("t0",))


def test_what_has_a_name_is_watched(p: Page, recording: Recording) -> None:
    names = {name: f"t{tensor}" for tensor, name in best_names(recording).items()}
    unnamed = next(f"t{tensor}" for tensor in index_of(recording).tensors if f"t{tensor}" not in names.values())
    for n, key in enumerate((names["y"], names["x"], unnamed, "gone", "t99")):
        do(p, recording, {"n": n + 1, "do": "watch", "key": key})
    assert p.watched == ["y", "x"], "no result without a name, and nothing that there is not"
    p.watched = [f"x[{k}]" for k in range(MOST)]
    do(p, recording, {"n": 9, "do": "watch", "key": names["x"]})
    assert (len(p.watched), p.watched[-1]) == (MOST, "x")


@pytest.mark.parametrize(
    "nonsense",
    [
        {"n": -1, "do": "hide", "key": "t0"}, {"n": 1, "do": "eval", "key": "t0"}, {"n": 1, "do": "hide", "key": "x" * 10_000},
        {"n": 1, "do": "colour", "key": "t0", "colour": COLOURS}, {"n": 2**60, "do": "hide"}, {"do": "hide"}, 3, None,
        {"run": 3}, {"n": 1, "do": "hide", "key": "t0", "run": "another"},
    ],
)  # fmt: skip
def test_nonsense_is_passed_over_and_the_rest_is_done(p: Page, recording: Recording, nonsense: Any) -> None:
    told = read({"last": [{"run": "a", **nonsense} if isinstance(nonsense, dict) else nonsense]}, Choices)
    assert told is not None
    choosing.heed(p, graph_view(recording), "a", told)
    assert p.chosen == Chosen()
    do(p, recording, {"n": 2, "do": "hide", "key": "t0"})
    assert p.chosen == Chosen(("t0",))
    assert read({"last": [{}] * 1_000}, Choices) is None


@pytest.mark.parametrize("key", ["", "t", "tx", "tensor", "pt1", "g:", "n-1", "t1e3", "\0", "\u0663", "t\u0663"])
@pytest.mark.parametrize("what", ["hide", "show", "colour", "watch"])
@pytest.mark.parametrize("rolled", [False, True])
def test_odd_keys_are_nothing(p: Page, recording: Recording, key: str, what: str, rolled: bool) -> None:
    do(p, recording, {"n": 1, "do": what, "key": key, "colour": 1}, rolled=rolled)
    assert p.watched == []
    view = graph_view(recording, rolled=rolled, chosen=p.chosen)
    assert (view.hidden, view.coloured) == (frozenset(), {})


def test_what_was_chosen_in_one_view_is_taken_back_in_another(p: Page, recording: Recording) -> None:
    tensors, autograd = graph_view(recording), graph_view(recording, "autograd")
    (node,) = autograd.cards_of(["t0"])["t0"]
    do(p, recording, {"n": 1, "do": "hide", "key": "t0"}, {"n": 2, "do": "colour", "key": "t0", "colour": 1})
    do(p, recording, {"n": 3, "do": "colour", "key": node, "colour": 4}, view="autograd")
    assert p.chosen == Chosen(("t0",), ((node, 4),))
    do(p, recording, {"n": 4, "do": "show", "key": node}, {"n": 5, "do": "colour", "key": node}, view="autograd")
    assert p.chosen == Chosen()
    assert "t0" in tensors.graph


def test_they_go_with_their_nodes_when_the_program_is_edited(app: AppTest) -> None:
    program = (
        "import torch\nw = torch.ones(2, requires_grad=True)\n"
        "for k in range(6):\n    loss = (w * w).sum()\n    loss.backward()\n"
    )
    p = page(app)

    def ran(text: str) -> tuple[Recording, str]:
        """The run, and the card of its loss."""
        with patch.object(state.st, "session_state", {state.KEY: p}):
            edits.vary(0, text)
            p.tasks and p.tasks["run"].ticket.result(60)
            tasks.settle()
        assert p.recording is not None
        view = graph_view(p.recording, rolled=True)
        return p.recording, next(key for key, a in view.graph.nodes(data=True) if a["title"] == "loss")

    _, before = ran(program)
    p.step, p.chosen = 3, Chosen(("t0", "g:any"), ((before, 2),))
    recording, after = ran(program.replace("import torch\n", "import torch\nfirst = torch.zeros(3)\n"))
    assert before != after, "the tensors have other numbers"
    assert p.chosen == Chosen(("t1", "g:any"), ((after, 2),))
    assert graph_view(recording, rolled=True, chosen=p.chosen).coloured == {after: 2}


def test_no_more_are_kept_than_a_browser_keeps(p: Page, recording: Recording) -> None:
    for number in range(1, MARKED + 20):
        do(p, recording, {"n": 2 * number, "do": "hide", "key": f"t{number}"})
        do(p, recording, {"n": 2 * number + 1, "do": "colour", "key": f"t{number}", "colour": 0})
    assert (len(p.chosen.hidden), len(p.chosen.coloured)) == (MARKED, MARKED)
    do(p, recording, {"n": 10_000, "do": "colour", "key": "t1"})
    assert len(p.chosen.coloured) == MARKED - 1


def test_the_player_is_told_what_is_hidden_and_which_colours_cards_have(recording: Recording) -> None:
    wish = Wish(run="a")
    plainly, dressed = (
        drawing(recording, msgspec.structs.replace(wish, chosen=c)) for c in (Chosen(), Chosen(("t0",), (("t1", 4),)))
    )
    assert plainly.rev != dressed.rev
    shown = plain(feed.message(feed.parts_of(dressed, edge_lines(recording)), key="player"))
    assert shown["hidden"] == ["t0"]
    assert {card["id"]: card.get("colour") for card in shown["nodes"]} == {
        key: 4 if key == "t1" else None for key in plainly.graph if key != "t0"
    }
    assert "hidden" not in plain(feed.message(feed.parts_of(plainly, edge_lines(recording)), key="player"))


@pytest.mark.parametrize(
    ("moment", "sound"),
    [
        ({"hidden": ["t0"], "coloured": [["t1", 2]]}, True), ({"hidden": ["x" * 10_000]}, False),
        ({"hidden": ["t0"] * 1_000}, False), ({"coloured": [["t0", COLOURS]]}, False), ({"coloured": [["t0"]]}, False),
    ],
)  # fmt: skip
def test_a_browser_brings_them_back(moment: dict[str, Any], sound: bool) -> None:
    message = told({**MESSAGE, "record": {**RECORD, "moment": moment}})
    assert message is not None
    assert (message.record is not None) == sound


def test_both_themes_have_as_many_colours() -> None:
    assert {len(colours.chosen) for colours in PALETTES.values()} == {COLOURS}
