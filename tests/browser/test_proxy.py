"""Several page processes behind one address: visitors stay where they are, and one process's end is nobody else's."""

from __future__ import annotations

import asyncio
import http.server
import os
import random
import re
import shutil
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser

from benchmarks.serving import PROXY, Served, free_port, proxied, served
from benchmarks.visitors import Figures, arrived, visit
from components.server.probe import probe
from engine.export import FORMATS, from_json
from tests.browser.conftest import PATIENCE, Gradtape

T = TypeVar("T")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.ci,
    pytest.mark.skipif(shutil.which(PROXY) is None, reason=f"{PROXY} is not installed"),
]

PERIOD = 0.5
"""Seconds from one run of a visitor to the next."""
VISITORS = 6
PROGRAM = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward()\nprint(x.grad)\n"


@contextmanager
def installation(folder: Path, **settings: str) -> Iterator[tuple[Served, list[Served]]]:
    """A proxy and two page processes."""
    with ExitStack() as all_of_them:
        logs = [folder / f"page{k}.log" for k in (1, 2)]
        pages = [all_of_them.enter_context(served(log, GRADTAPE_HOSTED="1", **settings)) for log in logs]
        yield all_of_them.enter_context(proxied(pages, folder)), pages


@pytest.fixture(scope="module")
def framing() -> int:
    """The port of the one site that may show the page in a frame."""
    return free_port()


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, framing: int) -> Iterator[Served]:
    """The proxy before two page processes that live on."""
    with installation(tmp_path_factory.mktemp("proxy"), GRADTAPE_EMBED=f"http://127.0.0.1:{framing}") as (made, _):
        yield made


def get(address: str) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE / 1000) as answer:
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}
    except urllib.error.HTTPError as error:
        return error.code, {name.lower(): value for name, value in error.headers.items()}


def driven(visits: Coroutine[Any, Any, T]) -> T:
    """What visits come to, in a thread of their own: in this one the browsers of other tests have their loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, visits).result()


async def until(condition: Callable[[], bool], tasks: list[asyncio.Task[None]], what: str) -> None:
    """Wait until something holds; a visit that has ended meanwhile ends the waiting."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        for task in tasks:
            if task.done():
                task.result()
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.05)


def sticky(cookies: str) -> str:
    """The process that a visit was sent to, as the proxy calls it."""
    (found,) = re.findall(r"\bgradtape=(\w+)", cookies)
    return str(found)


def test_when_a_process_is_killed_the_others_visitors_notice_nothing_and_its_own_are_served_again(tmp_path: Path) -> None:
    async def under_load(address: str, first: Served) -> list[Figures]:
        each = [Figures() for _ in range(VISITORS)]
        visits = [
            visit(address, 0.1 * k, float("inf"), False, figures, random.Random(k), period=PERIOD, reload=True)
            for k, figures in enumerate(each)
        ]
        tasks = [asyncio.create_task(one) for one in visits]
        try:
            await until(lambda: all(f.latencies for f in each), tasks, "everybody has run a program")
            assert {sticky(f.cookies[0]) for f in each} == {sticky(f.cookies[0]) for f in each[:2]}, "both serve"
            os.kill(first.pid, signal.SIGKILL)
            await until(lambda: any(f.reloaded for f in each), tasks, "somebody is cut off")
            seen = [len(f.latencies) for f in each]
            await until(
                lambda: all(len(f.latencies) >= n + 3 for f, n in zip(each, seen)), tasks, "everybody goes on running programs"
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return each

    with installation(tmp_path) as (proxy, pages):
        each = driven(under_load(proxy.address, pages[0]))
    assert [(f.lost, f.mixed, f.refused) for f in each] == [(0, 0, 0)] * VISITORS
    cut = {sticky(f.cookies[0]) for f in each if f.reloaded}
    kept = {sticky(f.cookies[0]) for f in each if not f.reloaded}
    assert (len(cut), len(kept)) == (1, 1), "all visitors of one process, and nobody of the other"
    assert cut != kept
    assert {sticky(f.cookies[-1]) for f in each} == kept, "who reloads is served by the process that lives"


def test_a_process_that_is_told_to_stop_serves_who_is_there_and_nobody_new(tmp_path: Path) -> None:
    async def leaving(address: str, pages: list[Served]) -> None:
        figures, program = Figures(), PROGRAM + "print('answer', {n})\n"
        async with arrived(address, figures) as visitor, arrived(address, figures) as other:
            names = [sticky(cookies) for cookies in figures.cookies]
            assert len(set(names)) == 2, "each where there is most room"
            for page in pages:
                assert probe(port=page.port) == (True, "Pages are drawn.")
            os.kill(pages[0].pid, signal.SIGTERM)
            await until(lambda: "Going" in probe(port=pages[0].port)[1], [], "it says that it goes")
            await asyncio.to_thread(new_ones_go_elsewhere, address, set(names))
            for k, each in enumerate((visitor, other)):
                assert await each.run(program.format(n=777_000 + k), 777_000 + k) > 0
                assert not each.failed
            assert probe(port=pages[0].port)[1].startswith("Going"), "it waits for its visitor"
        await until(lambda: not alive(pages[0]), [], "it stops when nobody is left")
        assert probe(port=pages[1].port)[0]

    def new_ones_go_elsewhere(address: str, names: set[str]) -> None:
        deadline = time.monotonic() + PATIENCE / 1000
        while len({sticky(get(address)[1]["set-cookie"]) for _ in range(6)}) > 1:
            assert time.monotonic() < deadline, "never happened: the proxy sends new visitors to the other one only"

    with installation(tmp_path, GRADTAPE_DRAIN="300") as (proxy, pages):
        driven(leaving(proxy.address, pages))


def alive(page: Served) -> bool:
    """Whether a process has not ended yet; one that has waits for its parent."""
    return Path(f"/proc/{page.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_answers_say_what_browsers_must_not_do(proxy: Served, framing: int) -> None:
    for path in ("", "_stcore/health", "_stcore/host-config", "media/nothing.png", "static/nothing.js"):
        _, headers = get(proxy.address + path)
        directives = dict(each.split(" ", 1) for each in headers["content-security-policy"].split("; "))
        assert directives["default-src"] == "'none'"
        assert "unsafe" not in directives["script-src"]
        assert directives["frame-ancestors"] == f"http://127.0.0.1:{framing}"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "_stcore/metrics", "_stcore/%6detrics", "_stcore/metrics/", "_stcore/script-health-check", "_stcore/agent/openapi.json",
        "_stcore/agent/mcp", "auth/login", "oauth2callback",
    ],
)  # fmt: skip
def test_what_visitors_do_not_need_is_closed(proxy: Served, path: str) -> None:
    assert get(proxy.address + path)[0] == 404


def test_what_says_no_policy_gets_the_strictest_and_so_do_the_proxys_own_answers(tmp_path: Path) -> None:
    with ExitStack() as until_the_end:
        with site(0, "") as silent:
            page = Served(urllib.parse.urlsplit(silent).port or 0, 0)
            proxy = until_the_end.enter_context(proxied([page], tmp_path))
            answers = [get(proxy.address)]
        answers.append(get(proxy.address))
        assert [status for status, _ in answers] == [200, 503]
        for _, headers in answers:
            assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
            assert headers["x-content-type-options"] == "nosniff"


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Gradtape]:
    """A browser without cookies; afterwards there is no error in its console."""
    context = chromium.new_context(viewport={"width": 1480, "height": 920})
    page, errors = context.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: errors.append(str(e)))
    yield Gradtape(page)
    context.close()
    assert errors == []


def test_the_page_works_through_the_proxy(proxy: Served, tab: Gradtape, tmp_path: Path) -> None:
    page = tab.page
    page.goto(proxy.address)
    tab.ready()
    tab.set_code(PROGRAM)
    tab.until(lambda: "3." in tab.console(), "the program has run")
    (tmp_path / "tripled.py").write_text(PROGRAM.replace("3", "7"))
    page.locator(".st-key-opening button").click()
    page.locator(".st-key-upload input[type=file]").set_input_files(tmp_path / "tripled.py")
    tab.until(lambda: "7." in tab.console(), "the upload has reached the process that draws the page")
    page.locator(".st-key-upload").wait_for(state="hidden")
    page.locator(".st-key-save button").first.click()
    with page.expect_download() as download:
        page.locator(".st-key-save_menu").get_by_role("button", name=FORMATS["json"].label, exact=True).click()
    kept = from_json(Path(download.value.path()).read_bytes())
    assert kept.source == (PROGRAM.replace("3", "7"),), "the download comes from there as well"
    assert {cookie["name"] for cookie in page.context.cookies()} >= {"gradtape"}


@contextmanager
def site(port: int, address: str) -> Iterator[str]:
    """A site that shows an address in a frame."""

    class Course(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = f'<link rel="icon" href="data:,"><iframe src="{address}" width="900" height="500"></iframe>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Course)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_site_that_is_named_may_show_the_page(proxy: Served, tab: Gradtape, framing: int) -> None:
    with site(framing, f"{proxy.address}?embed=true") as course:
        tab.page.goto(course)
        tab.page.frame_locator("iframe").locator(".player").wait_for(state="visible")


def test_another_site_may_not(proxy: Served, chromium: Browser) -> None:
    page, errors = chromium.new_page(), []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    with site(0, f"{proxy.address}?embed=true") as course:
        page.goto(course)
    assert any("frame-ancestors" in each for each in errors)
    assert page.frame_locator("iframe").locator(".player").count() == 0
    page.close()
