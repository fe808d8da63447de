"""The player with a rolled run: its bundle, mounted in a page of its own and sent what `rolled-run.mjs` makes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from benchmarks.serving import ROOT
from tests.browser.conftest import LARGE, SCHEMES, Gradtape

RUN = ROOT / "components/player/frontend/test/rolled-run.mjs"
THEMES = {"light": ("#ffffff", "#1d2433"), "dark": ("#0e1117", "#fafafa")}
HOST = """<!doctype html><title>A rolled run</title><style>
body { margin: 0; font-family: "DejaVu Sans", sans-serif; }
#place { position: fixed; inset: 0 25%; --st-background-color: PAGE; --st-text-color: INK; background: PAGE; }
</style><main id="place"></main><script type="module">
import render from "./player.js";
import { messageOf } from "./rolled-run.mjs";
const told = [];
window.told = told;
window.send = (size, more = {}) => {
  const data = { ...messageOf(size), key: "rolled" };
  Object.assign(data.drawn, more);
  const setStateValue = (name, value) => told.push([name, value]);
  render({ parentElement: document.getElementById("place"), name: "rolled", data, setStateValue });
};
</script>"""
SEEN = "window.__gradtapePlayer"


class Rolled:
    """The player as a user handles it."""

    def __init__(self, page: Page, handled: Gradtape) -> None:
        self.page = page
        self.handled = handled
        self.player = page.locator(".player")

    def send(self, size: dict[str, Any] | None = None) -> None:
        """Send it a run, and wait until it is painted."""
        self.page.evaluate("size => window.send(size)", size or {})
        self.page.locator(".player[data-ready]").wait_for()

    @property
    def iteration(self) -> int:
        return int(self.player.get_attribute("data-iteration") or -1)

    @property
    def step(self) -> int:
        return int(self.player.get_attribute("data-step") or -1)

    def told(self, name: str) -> list[Any]:
        """What Python was told under a name."""
        found: list[Any] = self.page.evaluate(
            "name => window.told.filter(([each]) => each === name).map(([, value]) => value)", name
        )
        return found

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


@pytest.fixture
def rolled(blank: Gradtape, address: str, request: pytest.FixtureRequest) -> Iterator[Rolled]:
    """A page with nothing but the player in it, which has been sent nothing yet."""
    scheme = getattr(request, "param", "light")
    paper, ink = THEMES[scheme]
    (bundle,) = (ROOT / "components/player/build").glob("player-*.js")
    files: dict[str, tuple[str, str | Path]] = {
        "": ("text/html", HOST.replace("PAGE", paper).replace("INK", ink)),
        "player.js": ("text/javascript", bundle),
        "rolled-run.mjs": ("text/javascript", RUN),
    }
    place = f"{address}rolled-run/"

    def serve(route: Route) -> None:
        kind, content = files[route.request.url.removeprefix(place)]
        text = content if isinstance(content, str) else content.read_text(encoding="utf-8")
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=text)

    blank.page.route(f"{place}**", serve)
    blank.page.goto(place)
    blank.until_true("Boolean(window.send)")
    yield Rolled(blank.page, blank)
    blank.page.unroute(f"{place}**")


def test_keys_and_jumps_go_from_iteration_to_iteration(rolled: Rolled) -> None:
    rolled.send()
    assert rolled.iteration == 199
    rolled.press("N")
    assert rolled.iteration == 137
    assert "log of a negative number" in rolled.page.locator(".notice").inner_text()
    rolled.press(",")
    assert rolled.iteration == 136
    rolled.press("<")
    assert rolled.iteration == 128, "the first of the epoch before"
    rolled.press("}", ".", "G")
    assert rolled.iteration == 3
    rolled.page.get_by_role("button", name="last good").click()
    assert rolled.iteration == 136
    assert rolled.page.locator(".where .now").inner_text() == "iteration 136 of 200"
    assert [each.input_value() for each in rolled.page.locator(".nest input").all()] == ["17", "136"], "as everywhere"


def test_the_selectors_name_an_iteration_of_each_loop(rolled: Rolled) -> None:
    rolled.send()
    epoch, batch = rolled.page.locator(".nest input").all()
    epoch.fill("2")
    epoch.press("Enter")
    assert rolled.iteration == 23, "the end of the third epoch"
    batch.fill("21")
    batch.press("Enter")
    assert rolled.iteration == 21
    rolled.page.get_by_role("button", name="Next iteration of while, line 46").click()
    assert rolled.iteration == 29


def test_the_curves_are_a_timeline(rolled: Rolled) -> None:
    rolled.send()
    box = rolled.page.locator(".plot").bounding_box()
    assert box is not None
    middle, y = box["x"] + box["width"] / 2, box["y"] + 30
    rolled.page.mouse.move(middle, y)
    assert rolled.page.locator(".field .tip").inner_text().startswith("iteration 100 · loss ")
    rolled.page.mouse.down()
    assert rolled.iteration == 100
    rolled.page.mouse.move(middle + box["width"] / 4, y, steps=4)
    rolled.page.mouse.up()
    assert 148 <= rolled.iteration <= 151
    whole = rolled.page.get_by_role("button", name="whole run")
    assert not whole.is_visible()
    rolled.page.mouse.wheel(0, -400)
    whole.wait_for()
    rolled.page.mouse.dblclick(middle, y)
    whole.wait_for(state="hidden")


def test_the_bar_has_the_chosen_iteration(rolled: Rolled) -> None:
    rolled.send()
    rolled.press("N")
    bar = rolled.page.locator(".bar")
    low, high = (int(bar.get_attribute(name) or -1) for name in ("aria-valuemin", "aria-valuemax"))
    assert high - low + 1 == 15
    assert rolled.page.locator(".layer.pale span").all_inner_texts()[:2] == ["forward", "backward 138"]
    assert low <= rolled.step + 1 <= high
    assert rolled.page.get_by_role("group", name="One step is").locator("[aria-pressed=true]").inner_text() == "Iteration"


def test_a_parameter_in_a_card_is_selected_by_its_own_key(rolled: Rolled) -> None:
    rolled.send()
    spot = rolled.page.evaluate(f"{SEEN}.screen('w2')")
    rolled.page.mouse.click(spot["x"], spot["y"])
    assert rolled.player.get_attribute("data-selected") == "w2"
    assert [moment["selected"] for moment in rolled.told("moment")][-1:] == ["w2"]


def test_a_loop_is_turned_on_its_tab_and_the_run_unrolled_in_the_row(rolled: Rolled) -> None:
    rolled.send()
    rolled.page.get_by_role("button", name="for, line 47", exact=True).click()
    menu = rolled.page.get_by_role("dialog", name="Loop")
    assert "use the same parameters" in menu.inner_text()
    menu.get_by_label("Iteration").fill("50")
    menu.get_by_role("button", name="Go").click()
    assert rolled.iteration == 50
    rolled.page.get_by_role("button", name="for, line 47", exact=True).click()
    menu.get_by_role("button", name="Turn into depth").click()
    assert rolled.told("rolled")[-1] == {"on": True, "turned": ["inner"], "window": None}
    assert rolled.player.get_attribute("data-waiting") is not None, "what is on show is not what was asked for"
    rolled.page.get_by_role("button", name="Unrolled").click()
    assert rolled.told("rolled")[-1]["on"] is False


def test_a_card_for_many_is_opened_by_a_double_click(rolled: Rolled) -> None:
    rolled.send()
    spot = rolled.page.evaluate(f"{SEEN}.screen('pt64')")
    rolled.page.mouse.dblclick(spot["x"], spot["y"])
    assert rolled.told("rolled")[-1]["turned"] == ["pt64"]
    assert rolled.player.get_attribute("data-waiting") is not None, "what is on show is not what was asked for"


def test_unrolled_is_taken_back_while_its_picture_is_under_way(rolled: Rolled) -> None:
    rolled.send()
    rolled.page.get_by_role("button", name="Unrolled").click()
    assert rolled.player.get_attribute("data-waiting") is not None
    rolled.page.get_by_role("button", name="Rolled", exact=True).click()
    assert [wish["on"] for wish in rolled.told("rolled")[-2:]] == [False, True]
    assert rolled.player.get_attribute("data-waiting") is None, "what is on show is what is wanted"


def test_the_frame_of_a_loop_has_a_menu_on_its_tab(rolled: Rolled) -> None:
    rolled.send()
    # The tab is a little above the first card of the frame, whose left end it has.
    spot, scale = rolled.page.evaluate(f"[{SEEN}.screen('p1'), {SEEN}.scale()]")
    rolled.page.mouse.click(spot["x"], spot["y"] - 105 * scale)
    assert "for bx, by in loader" in rolled.page.get_by_role("dialog", name="Loop").inner_text()
    rolled.press("Escape")
    assert rolled.page.get_by_role("dialog", name="Loop").count() == 0


def test_a_window_of_histories_is_asked_for_once(rolled: Rolled) -> None:
    rolled.send({"window": [1000, 1300]})
    rolled.handled.until_true("window.told.some(([name]) => name === 'rolled')")
    assert rolled.player.get_attribute("data-unknown") is not None
    (asked,) = rolled.told("rolled")
    assert asked["on"] is True
    assert asked["window"][0] < rolled.step <= asked["window"][1]
    rolled.send({"window": asked["window"]})
    assert rolled.player.get_attribute("data-unknown") is None
    rolled.page.get_by_role("slider", name="Iteration").focus()
    step = rolled.step
    rolled.press("ArrowLeft")
    assert rolled.iteration == 198
    rolled.press("End")
    assert rolled.step == step - 1
    assert rolled.player.get_attribute("data-unknown") is None


@pytest.mark.parametrize("more", [{"rolled": None}, {}], ids=["none is known", "it is not to be rolled"])
def test_without_a_rolled_run_there_is_none_of_it(rolled: Rolled, more: dict[str, Any]) -> None:
    rolled.page.evaluate("more => window.send({ on: false }, more)", more)
    rolled.page.locator(".player[data-ready]").wait_for()
    assert not rolled.page.locator(".curves").is_visible()
    assert rolled.page.locator(".nest").is_visible() == (not more), "the way back is there"
    assert rolled.page.locator(".bar").get_attribute("aria-valuemax") == rolled.player.get_attribute("data-total")
    group = rolled.page.get_by_role("group", name="One step is")
    assert group.get_by_role("button", name="Iteration").count() == 0
    assert group.locator("[aria-pressed=true]").inner_text() == "Event"


@pytest.mark.parametrize("rolled", SCHEMES, indirect=True)
def test_the_row_over_the_curves_is_one_line(rolled: Rolled) -> None:
    for width, height in LARGE:
        rolled.page.set_viewport_size({"width": width, "height": height})
        rolled.send()
        rolled.press("N")
        texts = rolled.page.locator(".names .name, .where > *")
        overflowing = [
            each.inner_text()
            for each in texts.all()
            if each.evaluate("each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0")
        ]
        assert overflowing == []
