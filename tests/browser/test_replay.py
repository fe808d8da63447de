"""The replay: one file, opened from a disk in a real browser, that plays by itself and runs nothing that it was not made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from components.replay import replay_html
from engine.export import Options, export
from engine.recording import Recording
from engine.sandbox import run
from tests.browser.conftest import FAILED, KEEPING, SCREENSHOTS
from tests.engine.export.hostile import TAGS, hostile
from tests.engine.export.programs import NAMES, recorded

pytestmark = pytest.mark.browser
LARGEST = 1_000_000
"""Bytes, as README says."""
PLAYER = "document.querySelector('#graph > div').shadowRoot.querySelector('.player').dataset"


class Replay:
    """A replay in a tab."""

    def __init__(self, tab: Page) -> None:
        self.tab = tab

    @property
    def step(self) -> int:
        return int(self.tab.evaluate("window.__gradtapePlayer.step"))

    def until(self, condition: str) -> None:
        """Wait until an expression holds; Playwright's own waiting needs `eval`, which the page's policy refuses."""
        for _ in range(300):
            if self.tab.evaluate(condition):
                return
            self.tab.wait_for_timeout(50)
        raise AssertionError(f"never happened: {condition}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    def click_node(self, title: str) -> None:
        """Click the card with this title once the camera has come to rest."""
        spot, before = self._spot(title), None
        while spot != before:
            self.tab.wait_for_timeout(120)
            spot, before = self._spot(title), spot
        self.tab.mouse.click(spot["x"], spot["y"])

    def _spot(self, title: str) -> dict[str, float]:
        found: dict[str, float] = self.tab.evaluate(
            "title => { const p = window.__gradtapePlayer; return p.screen(p.find(title).at(-1)); }", title
        )
        return found

    def shows(self, name: str) -> None:
        """Wait until the inspector is about something of this name."""
        self.tab.locator("#detail .gt-row").get_by_role("heading", name=name, exact=True).first.wait_for()

    def text(self, selector: str) -> str:
        return self.tab.locator(selector).inner_text()


def opened(
    chromium: Browser, folder: Path, recording: Recording, title: str, *, refusals: bool = False, **options: Any
) -> Iterator[Replay]:
    """A tab with a replay; afterwards nothing may have gone wrong. `refusals`: the browser may say what it refused."""
    path = folder / "replay.html"
    path.write_text(replay_html(recording, Options(title=title)), encoding="utf-8")
    settings = {"width": 1480, "height": 920, "scheme": "light", **options}
    context = chromium.new_context(
        viewport={"width": settings["width"], "height": settings["height"]}, color_scheme=settings["scheme"]
    )
    tab = context.new_page()
    troubles: list[str] = []
    requests: list[str] = []
    tab.on("pageerror", lambda e: troubles.append(str(e)))
    tab.on("console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None)
    tab.on("dialog", lambda d: troubles.append(f"dialog: {d.message}"))
    tab.on("requestfinished", lambda r: requests.append(r.url))
    tab.goto(path.as_uri())
    made = Replay(tab)
    made.until("window.__gradtapePlayer")
    made.until(f"{PLAYER}.ready === 'true'")
    yield made
    assert tab.evaluate("window.hurt") is None
    context.close()
    assert [trouble for trouble in troubles if not (refusals and "Content Security Policy" in trouble)] == []
    assert requests == [path.as_uri()]


@pytest.fixture
def replay(chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Replay]:
    """The default example's replay; `request.param` may set the window's size and colours."""
    for one in opened(chromium, tmp_path, recorded("repeated_backward"), "Repeated backward", **getattr(request, "param", {})):
        yield one
        if KEEPING or request.node.stash[FAILED]:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^\w]+", "_", request.node.name).strip("_")
            one.tab.screenshot(path=str(SCREENSHOTS / f"{name}.png"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_a_replay_of_an_example_is_below_a_megabyte(name: str) -> None:
    assert len(replay_html(recorded(name), Options(title=name)).encode()) < LARGEST


def test_the_keyboard_steps_through_source_output_and_graph(replay: Replay) -> None:
    assert replay.step == 49
    assert replay.text("#output").rstrip().endswith("None")
    replay.press("Home")
    assert replay.step == 0
    assert replay.text("#source li.now") == "x1 = torch.tensor([1.0], requires_grad=True)"
    assert replay.text("#source mark:not(.picked)") == "torch.tensor([1.0], requires_grad=True)"
    assert replay.text("#output") == ""
    replay.press("ArrowRight", "ArrowRight")
    assert replay.step == 2
    assert replay.text("#source li.now").startswith("x2 = ")


def test_a_click_on_a_card_shows_it_in_the_inspector(replay: Replay) -> None:
    replay.click_node("y2")
    replay.shows("y2")
    assert "y2 is not a leaf" in replay.text("#detail")
    assert "AddBackward0" in replay.text("#detail")
    replay.click_node("x2")
    replay.shows("x2")
    assert "46" in replay.text("#detail")


def test_the_inspector_follows_the_steps(replay: Replay) -> None:
    replay.click_node("x1")
    replay.shows("x1")
    seen = []
    for _ in range(50):
        found = re.search(r"grad now.*?\n([\d.]+)", replay.text("#detail"))
        seen.append(found[1] if found else "None")
        replay.press("ArrowLeft")
    assert list(dict.fromkeys(seen)) == ["84", "42", "None"]


def test_the_ledger_marks_the_present_and_goes_to_its_moments(replay: Replay) -> None:
    replay.tab.get_by_role("tab", name="Ledger").click()
    assert replay.tab.locator("#detail .gt-later").count() == 0
    replay.tab.locator("#detail [data-gt-step]").first.click()
    replay.tab.wait_for_selector("#detail tr.gt-now")
    assert replay.step < 49
    assert replay.text("#detail tr.gt-now").split()[:2] == ["backward", "1"]
    assert replay.tab.locator("#detail .gt-later").count() == 2


def test_findings_are_listed_and_shown_in_the_graph(chromium: Browser, tmp_path: Path) -> None:
    for one in opened(chromium, tmp_path, recorded("in_place_trouble"), "In-place trouble"):
        one.tab.get_by_role("tab", name="Findings 1").click()
        assert "changed in place" in one.text("#detail")
        one.tab.get_by_role("button", name="show in the graph").click()
        one.until(f"{PLAYER}.overlay !== ''")


def test_the_other_view_keeps_step_and_selection(replay: Replay) -> None:
    replay.click_node("y2")
    replay.press("ArrowLeft", "ArrowLeft")
    step = replay.step
    replay.tab.get_by_role("button", name="Autograd (grad_fn)").click()
    replay.until(f"{PLAYER}.selected.startsWith('n')")
    assert replay.step == step
    replay.shows("AddBackward0")
    replay.tab.get_by_role("button", name="Tensors and ops").click()
    replay.until(f"{PLAYER}.selected.startsWith('t')")
    replay.shows("y2")


def test_a_click_in_the_source_selects_what_was_made_there(replay: Replay) -> None:
    replay.tab.get_by_text("x2 = torch.tensor([2.0], requires_grad=True)").click()
    replay.shows("x2")


@pytest.mark.parametrize(
    "replay",
    [
        {"width": width, "height": height, "scheme": scheme}
        for width, height in ((1480, 920), (1100, 800), (390, 800))
        for scheme in ("light", "dark")
    ],
    indirect=True,
)
def test_nothing_sticks_out_at_any_size(replay: Replay) -> None:
    assert replay.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for selector in ("header h1", "#views", "#graph", "#program", "#side"):
        box = replay.tab.locator(selector).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= replay.tab.viewport_size["width"]  # type: ignore[index]
        assert box["height"] > 10


def test_colours_follow_the_system_while_it_is_open(replay: Replay) -> None:
    assert replay.tab.evaluate(f"{PLAYER}.theme") == "light"
    replay.tab.emulate_media(color_scheme="dark")
    replay.until(f"{PLAYER}.theme === 'dark'")


def test_paper_is_light(replay: Replay) -> None:
    replay.tab.emulate_media(color_scheme="dark")
    replay.until(f"{PLAYER}.theme === 'dark'")
    looks = f"[{PLAYER}.theme, getComputedStyle(document.body).backgroundColor].join(' ')"
    before = replay.tab.evaluate(looks)
    replay.tab.evaluate(f"addEventListener('beforeprint', () => (window.printed = {looks}))")
    replay.tab.pdf()
    assert replay.tab.evaluate("window.printed") == "light rgb(255, 255, 255)"
    replay.until(f"{looks} === '{before}'")


def test_hostile_text_stays_text(chromium: Browser, tmp_path: Path) -> None:
    for one in opened(chromium, tmp_path, hostile(), f"</title>{TAGS}</script>"):
        assert one.tab.title() == f"</title>{TAGS}</script>"
        assert one.tab.locator("body img, body iframe, body script:not([type=module])").count() == 0
        for part in ("Ledger", "Findings", "Inspector"):
            one.tab.get_by_role("tab", name=part).click()
            assert one.tab.locator("#detail img, #detail script").count() == 0
        assert TAGS in one.text("#output")
        assert TAGS in one.text("#source")
        for _ in range(5):
            one.press("ArrowLeft")


@pytest.mark.parametrize("replay", [{"refusals": True}], indirect=True)
def test_no_script_could_run_nor_anything_be_fetched(replay: Replay) -> None:
    refused = replay.tab.evaluate("""async () => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
        const image = document.createElement('div');
        image.innerHTML = '<img src=x onerror="window.hurt=1">';
        document.body.append(image);
        const script = document.createElement('script');
        script.textContent = 'window.hurt=1';
        document.body.append(script);
        await fetch('https://example.invalid/').catch(() => {});
        while (seen.length < 4) await new Promise(requestAnimationFrame);
        image.remove();
        return seen;
    }""")
    assert sorted(refused) == ["connect-src", "img-src", "script-src-attr", "script-src-elem"]
    assert replay.tab.evaluate("window.hurt") is None


@pytest.mark.parametrize("how", ["image", "opened"])
def test_hostile_names_do_not_run_in_an_svg(chromium: Browser, tmp_path: Path, how: str) -> None:
    picture = tmp_path / "hostile.svg"
    picture.write_bytes(export(hostile(), "svg", Options(title=TAGS)))
    page = tmp_path / "page.html"
    page.write_text('<!doctype html><title>page</title><img id="i" src="hostile.svg">')
    tab = chromium.new_page()
    requests: list[str] = []
    tab.on("request", lambda r: requests.append(r.url))
    tab.goto((page if how == "image" else picture).as_uri())
    if how == "image":
        assert tab.evaluate("document.getElementById('i').naturalWidth") > 100
    else:
        assert tab.evaluate("document.documentElement.localName") == "svg"
        assert tab.locator("img, script").count() == 0
        assert tab.locator("text").count() > 20
    assert tab.evaluate("window.hurt") is None
    tab.close()
    assert all(url.startswith(tmp_path.as_uri()) for url in requests)


def test_text_in_an_svg_is_as_wide_as_it_was_measured(chromium: Browser, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    picture.write_bytes(export(recorded("tiny_mlp"), "svg"))
    tab = chromium.new_page()
    tab.goto(picture.as_uri())
    off = tab.evaluate("""[...document.querySelectorAll('text[textLength]')]
        .map((text) => Math.abs(text.getComputedTextLength() - Number(text.getAttribute('textLength'))))
        .reduce((most, one) => Math.max(most, one), 0)""")
    tab.close()
    assert off < 1


LAYERS = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(70)])
loss = model(torch.ones(1, 2)).sum()
loss.backward()
"""


@pytest.fixture
def large(chromium: Browser, tmp_path: Path) -> Iterator[Replay]:
    """The replay of a graph that opens folded."""
    recording = run(LAYERS).recording
    assert recording is not None
    yield from opened(chromium, tmp_path, recording, "Layers")


def groups(replay: Replay) -> list[str]:
    found: list[str] = replay.tab.evaluate("window.__gradtapePlayer.groups()")
    return found


@pytest.mark.thorough
def test_a_large_graph_opens_folded_and_its_groups_open_and_close(large: Replay) -> None:
    first = groups(large)
    assert 1 < len(first) < 80
    assert "model.0.0.weight" in large.text("#detail"), "the first parameter, which stands in the card of its module"
    large.tab.evaluate("id => window.__gradtapePlayer.open(id)", first[0])
    large.until(f"!window.__gradtapePlayer.groups().includes({first[0]!r})")
    assert first[0][2:] in large.tab.evaluate("window.__gradtapePlayer.opened()")
    assert large.step == large.tab.evaluate("window.__gradtapePlayer.step"), "the step stays"
    large.tab.locator(".player .folds .chips .chip").last.click()
    large.until("window.__gradtapePlayer.groups().length === 1")
    large.tab.evaluate("window.__gradtapePlayer.open(window.__gradtapePlayer.groups()[0])")
    large.until(f"window.__gradtapePlayer.groups().length === {len(first)}")


@pytest.mark.thorough
def test_one_path_of_groups_is_open_at_a_time(large: Replay) -> None:
    first, last = groups(large)[0], groups(large)[-1]
    for chosen, other in ((first, last), (last, first)):
        large.tab.evaluate("id => window.__gradtapePlayer.open(id)", chosen)
        large.until(f"!window.__gradtapePlayer.groups().includes({chosen!r})")
        assert other in groups(large)


@pytest.mark.thorough
def test_what_was_opened_and_closed_opens_again(large: Replay) -> None:
    first = groups(large)
    for _ in range(2):
        large.tab.evaluate("id => window.__gradtapePlayer.open(id)", first[0])
        large.until(f"!window.__gradtapePlayer.groups().includes({first[0]!r})")
        large.tab.get_by_role("button", name="Folded").click()
        large.until(f"window.__gradtapePlayer.groups().includes({first[0]!r})")


@pytest.mark.thorough
def test_all_can_be_open_and_what_is_found_opens_what_hides_it(large: Replay) -> None:
    count = len(groups(large))
    large.tab.get_by_role("button", name="All open").click()
    large.until("window.__gradtapePlayer.groups().length === 0")
    assert int(large.tab.evaluate(f"{PLAYER}.nodes")) > 200
    large.tab.get_by_role("button", name="Folded").click()
    large.until(f"window.__gradtapePlayer.groups().length === {count}")
    large.tab.get_by_placeholder("Find").fill("model.40.0.weight")
    large.press("Enter")
    large.until("window.__gradtapePlayer.find('model.40.0.weight').length === 1")
    large.shows("model.40.0.weight")


TRAINING = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.last = nn.Linear(3, 1)
    def forward(self, x):
        return self.last(torch.tanh(self.first(x)))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    error = model(torch.ones(4, 2)).pow(2).mean()
    loss = error + torch.log(torch.tensor(-1.0 if step == 7 else 2.0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def training(chromium: Browser, tmp_path: Path) -> Iterator[Replay]:
    """The replay of a run with iterations."""
    recording = run(TRAINING).recording
    assert recording is not None
    yield from opened(chromium, tmp_path, recording, "Training")


def test_a_run_opens_rolled_with_curves_and_its_keys_go_from_iteration_to_iteration(training: Replay) -> None:
    assert training.tab.evaluate(f"'rolled' in {PLAYER} && {PLAYER}.iteration") == "11"
    assert training.tab.locator(".player .curves").is_visible()
    training.press(",", ",")
    training.until(f"{PLAYER}.iteration === '9'")
    training.press("Shift+N")
    training.until(f"{PLAYER}.iteration === '7'")
    training.press("Shift+L")
    training.until(f"{PLAYER}.iteration === '6' && !('unknown' in {PLAYER})")
    box = training.tab.locator(".player .nest input").last
    box.fill("3")
    box.press("Enter")
    training.until(f"{PLAYER}.iteration === '3' && !('unknown' in {PLAYER})")


@pytest.mark.thorough
def test_the_inspector_shows_the_chosen_iteration_and_the_run(training: Replay) -> None:
    training.tab.evaluate("window.__gradtapePlayer.iteration(2)")
    training.click_node("loss")
    training.shows("loss")
    assert training.text("#detail tr.gt-now").split()[0] == "2"
    training.press(".")
    training.until("document.querySelector('#detail tr.gt-now')?.innerText.startsWith('3')")
    assert "value" in training.text("#detail")
    training.tab.evaluate("window.__gradtapePlayer.iteration(7)")
    training.until("document.querySelector('#detail tr.gt-now')?.innerText.startsWith('7')")
    assert "NaN" in training.text("#detail tr.gt-now")


@pytest.mark.thorough
def test_its_groups_open_and_the_other_view_is_rolled_too(training: Replay) -> None:
    training.tab.get_by_role("button", name="All open").click()
    training.until("window.__gradtapePlayer.groups().length === 0")
    assert training.tab.evaluate(f"{PLAYER}.iteration") == "11"
    training.tab.get_by_role("button", name="Autograd (grad_fn)").click()
    training.until("window.__gradtapePlayer.find('TanhBackward0').length === 1")
    assert training.tab.evaluate(f"'rolled' in {PLAYER}")


@pytest.mark.thorough
def test_unrolled_is_one_click_and_so_is_the_way_back(training: Replay) -> None:
    training.tab.evaluate("window.__gradtapePlayer.iteration(4)")
    step = training.step
    training.tab.get_by_role("button", name="Unrolled").click()
    training.until(f"!('rolled' in {PLAYER})")
    assert training.step == step
    training.tab.get_by_role("button", name="Rolled", exact=True).click()
    training.until(f"'rolled' in {PLAYER} && {PLAYER}.iteration === '4'")


def test_of_an_iteration_without_events_the_file_has_what_the_curves_say(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = run(TRAINING).recording
    assert recording is not None
    monkeypatch.setattr("components.replay.rolled.ROOM", 1)
    monkeypatch.setattr("components.replay.page.MAX_UNROLLED", 1)
    for one in opened(chromium, tmp_path, recording, "Training"):
        one.tab.evaluate("window.__gradtapePlayer.iteration(3)")
        one.until(f"{PLAYER}.iteration === '3' && 'unknown' in {PLAYER}")
        one.click_node("loss")
        one.until("document.querySelector('#detail tr.gt-now')?.innerText.startsWith('3')")
        assert "opened in Gradtape" in one.text("#detail")
        assert one.tab.get_by_role("button", name="Unrolled").count() == 0
        one.press("u")
        one.tab.locator(".player .notice", has_text="no other picture").wait_for()


def test_hostile_names_in_a_loop_stay_text(chromium: Browser, tmp_path: Path) -> None:
    recording = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nkept = {}\n"
        f"for step in range(5):\n    kept[{TAGS!r}] = (w * 2).sum()\n    kept[{TAGS!r}].backward()\n    print({TAGS!r})\n"
    ).recording
    assert recording is not None
    for one in opened(chromium, tmp_path, recording, TAGS):
        assert one.tab.evaluate(f"'rolled' in {PLAYER}")
        for part in ("Ledger", "Findings", "Inspector"):
            one.tab.get_by_role("tab", name=part).click()
            assert one.tab.locator("#detail img, #detail script").count() == 0
        one.press(",", ",")


@pytest.mark.thorough
def test_what_the_pointer_is_over_is_marked_wherever_it_stands(training: Replay) -> None:
    training.tab.get_by_role("tab", name="Ledger").click()
    row = training.tab.locator(".gt-multiple", has_text="model.first.weight")
    key = row.get_attribute("data-gt-key")
    row.hover()
    training.until(f"{PLAYER}.linked === {key!r}")
    assert row.get_attribute("data-gt-on") is not None
    assert training.tab.locator(".player .names .name").last.inner_text().endswith("weight.grad")
    training.tab.locator("header h1").hover()
    training.until(f"{PLAYER}.linked === ''")
    assert training.tab.locator("[data-gt-on]").count() == 0
    # And the other way round: the card in the graph marks the row.
    spot = training.tab.evaluate("key => window.__gradtapePlayer.screen(key)", key)
    training.tab.mouse.move(spot["x"] - 3, spot["y"])
    training.tab.mouse.move(spot["x"], spot["y"])
    training.tab.wait_for_selector(f'.gt-multiple[data-gt-key="{key}"][data-gt-on]')


@pytest.mark.thorough
def test_what_is_found_says_its_iterations_and_is_shown_in_the_one_that_was_asked_for(training: Replay) -> None:
    training.press("/")
    find = training.tab.get_by_placeholder("Find")
    entries = training.tab.locator(".player .find .results button")
    find.fill("loss")
    assert "all 12 iterations" in entries.first.inner_text()
    find.fill("loss iteration 7")
    assert entries.first.inner_text().endswith("iteration 7")
    find.press("Enter")
    training.until(f"{PLAYER}.iteration === '7'")
    training.shows("loss")
    find.fill("error 3")
    find.press("Enter")
    training.until(f"{PLAYER}.iteration === '3'")
    training.shows("error")
    find.fill("iteration 5")
    find.press("Enter")
    training.until(f"{PLAYER}.iteration === '5'")
    find.fill("loss iteration 99")
    assert training.text(".player .find .count") == "no iteration 99"


@pytest.mark.thorough
def test_what_only_some_iterations_have_is_shown_in_the_first_of_them(chromium: Browser, tmp_path: Path) -> None:
    recording = run(
        TRAINING.replace(
            "    optimizer.zero_grad()", "    if step in (4, 6):\n        extra = loss * 3\n    optimizer.zero_grad()"
        )
    ).recording
    assert recording is not None
    for one in opened(chromium, tmp_path, recording, "Training"):
        one.press("/")
        one.tab.get_by_placeholder("Find").fill("extra")
        assert "2 of 12 iterations: 4, 6" in one.text(".player .find .results")
        one.tab.locator(".player .find .results button").first.click()
        one.until(f"{PLAYER}.iteration === '4'")
        one.shows("extra")
