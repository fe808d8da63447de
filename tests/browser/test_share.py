"""Links: what is shared is what is opened, and what cannot be opened says why."""

from __future__ import annotations

import pytest

from engine.program.share import Link, pack
from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

PROGRAM = """\
import torch

w = torch.tensor([3.0], requires_grad=True)
loss = (w * 2 + 1) ** 2
loss.backward()
print('slope', w.grad)
"""


def shared(page: Gradtape) -> str:
    """The link that Share offers."""
    page.page.get_by_role("button", name="Share").click()
    code = page.page.locator(".st-key-share_panel code").first
    code.wait_for()
    link = code.inner_text()
    page.page.keyboard.press("Escape")
    return link


def visit(page: Gradtape, address: str) -> Gradtape:
    """Another visitor at this address, in the same tab."""
    page.page.goto(address)
    page.ready()
    return page


def test_a_link_opens_at_the_same_moment_with_the_same_node(page: Gradtape) -> None:
    page.set_code(PROGRAM)
    page.until(lambda: page.console().startswith("slope"), "it ran")
    page.until(lambda: bool(page.page.evaluate("window.__gradtapePlayer.find('loss').length")), "its graph")
    page.settled()
    page.click_node("loss")
    page.until(lambda: "loss" in page.inspector(), "loss is selected")
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("Home")
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    page.until(lambda: page.step == 3, "three steps on")
    page.page.wait_for_timeout(400)
    page.settled()
    selected = page.player.get_attribute("data-selected")
    other = visit(page, shared(page))
    assert other.code() == PROGRAM
    other.until(lambda: other.step == 3, "the same moment")
    other.until(lambda: other.player.get_attribute("data-selected") == selected, "the same node")
    assert other.console().startswith("slope")


@pytest.mark.thorough
@pytest.mark.parametrize("broken", ["1abc", "9" * 50, "%3Cscript%3E", "1" + "A" * 5000], ids=["cut", "version", "text", "long"])
def test_a_broken_link_says_so_and_shows_an_example(blank: Gradtape, address: str, broken: str) -> None:
    other = visit(blank, f"{address}?p={broken}")
    other.page.get_by_text("This link cannot be opened").wait_for()
    assert "Repeated backward" in other.code()
    assert "p=" not in other.page.url


@pytest.mark.thorough
def test_a_program_too_long_for_a_link_is_offered_as_a_file(page: Gradtape) -> None:
    text = "import torch\n" + "\n".join(
        f"a{k} = torch.tensor([{k * k * 7919 % 100_003}.0])  # {k * 104_729 % 65_521:x}" for k in range(400)
    )
    page.set_code(text)
    page.until(lambda: page.total > 300, "it ran")
    page.settled()
    page.page.get_by_role("button", name="Share").click()
    page.page.get_by_text("No link this time").wait_for()
    with page.page.expect_download() as waiting:
        page.page.locator(".st-key-share_panel").get_by_role("button", name="Program (.py)").click()
    assert waiting.value.path().read_text() == text


def test_markup_in_a_link_stays_text(blank: Gradtape, address: str) -> None:
    evil = '"><img src=x onerror="window.__pwned=1"><script>window.__pwned=1</script>'
    link = pack(Link((f"import torch\nx = torch.ones(1)\nprint('''{evil}''')\n",), name=evil, selected="t0"))
    other = visit(blank, f"{address}?p={link}")
    other.until(lambda: "<img src=x" in other.console(), "it is shown as text")
    other.page.get_by_role("button", name="Share").click()
    other.page.locator(".st-key-share_panel code").nth(1).wait_for()
    assert other.page.evaluate("window.__pwned") is None


def test_embedded_there_is_graph_timeline_and_source_only(blank: Gradtape, address: str) -> None:
    link = f"{address}?p={pack(Link((PROGRAM,), step=2))}"
    other = visit(blank, f"{link}&embed=true")
    other.page.set_viewport_size({"width": 800, "height": 450})
    assert other.code() == PROGRAM
    other.until(lambda: other.step == 2, "the link's moment")
    other.page.locator(".gt-moment").wait_for()
    for absent in (".st-key-header", ".st-key-panel", ".gt-console", "[data-testid=stToolbar]"):
        assert other.page.locator(absent).count() == 0, absent
    whole = other.page.get_by_role("link", name="Open in Gradtape")
    assert (whole.get_attribute("href") or "").startswith(f"{address}?p=")
    for width, height in ((800, 450), (600, 800)):
        other.page.set_viewport_size({"width": width, "height": height})
        box = other.player.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert other.page.evaluate("document.documentElement.scrollWidth") <= 600
