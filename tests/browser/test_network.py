"""pyvis's page of a hostile recording, opened from a disk: it draws all nodes, runs nothing of theirs and asks nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from components.network import network
from tests.engine.export.hostile import TAGS, hostile

pytestmark = pytest.mark.browser
HOVER = """() => {
    const node = nodes.get().find((each) => each.title.includes('onerror'));
    const at = network.canvasToDOM(network.getPosition(node.id));
    const box = document.querySelector('#mynetwork canvas').getBoundingClientRect();
    return [box.x + at.x, box.y + at.y];
}"""


@pytest.mark.parametrize("link", [False, True], ids=["text", "markup"])
def test_the_page_draws_all_and_asks_nobody(chromium: Browser, tmp_path: Path, link: bool) -> None:
    net = network(hostile(), title=TAGS)
    if link:  # then pyvis shows all hover texts as markup
        net.add_node("mine", title="<a href='#'>mine</a>", x=0, y=-200)
    net.select_menu = net.filter_menu = True
    net.show_buttons()
    path = tmp_path / "graph.html"
    net.write_html(str(path))
    tab = chromium.new_page(viewport={"width": 1480, "height": 920})
    asked: list[str] = []
    troubles: list[str] = []
    tab.on("request", lambda r: None if r.url.startswith("data:") else asked.append(r.url))
    tab.on("pageerror", lambda e: troubles.append(str(e)))
    tab.on("console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None)
    tab.goto(path.as_uri())
    tab.wait_for_function("typeof network === 'object' && document.querySelector('#mynetwork canvas')")
    assert tab.evaluate("[nodes.length, edges.length]") == [len(net.nodes), len(net.edges)]
    there = tab.evaluate("network.getPositions()")
    assert there == {node["id"]: pytest.approx({"x": node["x"], "y": node["y"]}, abs=1) for node in net.nodes}
    assert tab.locator("h1").all_inner_texts() == [TAGS]
    tab.wait_for_timeout(300)
    tab.mouse.move(*tab.evaluate(HOVER))
    shown = tab.locator(".popup" if link else ".vis-tooltip")
    shown.filter(has_text="onerror").wait_for()
    assert tab.evaluate("window.hurt") is None
    assert tab.locator("img").count() == 0
    tab.close()
    assert asked == [path.as_uri()]
    assert troubles == []
