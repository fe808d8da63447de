"""The server around the page: what it says to browsers, when it calls itself well, and how it is asked."""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from benchmarks.serving import ROOT, free_port
from components import commands
from components.server import first_files, headers, health, render_lock, serving, styles
from components.server.document import Document
from components.server.first_files import FirstFiles, files
from components.server.headers import CLOSED, Headers, policy
from components.server.health import LEAVING, UNWELL, WELL, condition, notify
from components.server.probe import main, probe
from components.server.render_lock import a_turn_is_free, in_turn, turn_given_away
from components.server.watch import STUCK, Watch
from engine.sandbox.settings import Settings, SettingsError

SOON = 60.0


# --- the watch --------------------------------------------------------------------------------------------------------------


class Clock:
    """Shows what it is set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_turn_that_nobody_takes_over_is_stuck_after_a_while() -> None:
    clock = Clock()
    watch = Watch(clock)
    watch.taken()
    clock.now += STUCK - 0.1
    assert watch.stuck(free=False) == 0
    clock.now += 0.2
    assert watch.stuck(free=False) == pytest.approx(STUCK + 0.1)
    watch.taken()
    assert watch.stuck(free=False) == 0, "somebody has got the turn, so pages are drawn"


def test_nobody_needs_to_visit() -> None:
    clock = Clock()
    watch = Watch(clock)
    clock.now += 1000 * STUCK
    assert watch.stuck(free=True) == 0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of this process's watch."""
    clock = Clock()
    monkeypatch.setattr(render_lock.watch, "_clock", clock)
    render_lock.watch.taken()
    return clock


class Drawing:
    """A page that is drawn, in a thread of its own, until it is let go."""

    def __init__(self, waits: bool = False) -> None:
        self.began, self.goes_on = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=in_turn(self._waiting if waits else self._draw))
        self.thread.start()
        assert self.began.wait(SOON)

    def _draw(self) -> None:
        self.began.set()
        assert self.goes_on.wait(SOON)

    def _waiting(self) -> None:
        with turn_given_away():
            self._draw()

    def end(self) -> None:
        self.goes_on.set()
        self.thread.join(SOON)


def test_a_stuck_page_turns_the_health_red_and_its_end_green_again(clock: Clock) -> None:
    drawing = Drawing()
    try:
        assert condition()[0] == WELL, "it has only begun"
        clock.now += STUCK + 1
        assert condition() == (UNWELL, "No page could be drawn for 6 s.")
    finally:
        drawing.end()
    assert condition()[0] == WELL


def test_a_page_that_waits_for_its_program_is_not_stuck(clock: Clock) -> None:
    drawing = Drawing(waits=True)
    try:
        clock.now += 10 * STUCK
        assert a_turn_is_free()
        assert condition()[0] == WELL
    finally:
        drawing.end()


def test_who_gets_the_turn_back_late_starts_anew(clock: Clock) -> None:
    drawing = Drawing(waits=True)
    clock.now += 10 * STUCK
    held = Drawing()
    try:
        assert condition()[0] == WELL
    finally:
        held.end()
        drawing.end()


# --- telling and asking -----------------------------------------------------------------------------------------------------


def test_a_page_that_is_going_says_so_but_not_if_it_is_stuck(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_leaving", True)
    assert condition()[0] == LEAVING
    drawing = Drawing()
    try:
        clock.now += STUCK
        assert condition()[0] == UNWELL
    finally:
        drawing.end()


def test_the_service_manager_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        notify("READY=1")
        assert manager.recv(100) == b"READY=1"
    notify("WATCHDOG=1")  # a manager that has gone is no trouble


def test_the_watchdog_hears_nothing_of_a_stuck_page(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(health, "notify", told.append)

    async def some_time() -> None:
        task = asyncio.create_task(health._keep_telling({"WATCHDOG_USEC": "4000"}))
        await until(lambda: len(told) >= 2)
        clock.now += STUCK
        await asyncio.sleep(0)
        drawing = Drawing()
        clock.now += STUCK
        before = len(told)
        await asyncio.sleep(0.05)
        assert len(told) == before
        drawing.end()
        await until(lambda: len(told) > before)
        task.cancel()

    async def until(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON):
            while not condition():
                await asyncio.sleep(0.001)

    asyncio.run(some_time())
    assert set(told) == {"WATCHDOG=1"}


def test_without_a_watchdog_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "notify", lambda state: pytest.fail(state))
    asyncio.run(health._keep_telling({}))


def test_asking_where_nothing_listens_fails(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    assert commands.main(["health", "--port", str(port)]) == 1
    assert "does not answer" in capsys.readouterr().out
    assert main(port=port) == 1


STICKS = """
import pathlib
from components.server import render_lock
from components.server import watch
watch.STUCK = 0.5

@render_lock.in_turn
def draw():
    while pathlib.Path({flag!r}).exists():
        pass

draw()
"""
SERVES = """
from pathlib import Path
from streamlit.starlette import App
from components.server.health import life
from components.server.serving import MIDDLEWARE, ROUTES

app = App(Path(__file__).with_name("sticks.py"), routes=ROUTES, middleware=MIDDLEWARE, lifespan=life)
if __name__ == "__main__":
    app.run(config={{"server.port": {port}, "server.address": "127.0.0.1", "server.headless": True}})
"""


@pytest.fixture
def stuck(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The port of a server whose page is never drawn to its end as long as a file is there, and that file."""
    flag, port = tmp_path / "flag", free_port()
    flag.touch()
    (tmp_path / "sticks.py").write_text(STICKS.format(flag=str(flag)))
    (tmp_path / "serves.py").write_text(SERVES.format(port=port))
    server = subprocess.Popen(
        [sys.executable, str(tmp_path / "serves.py")], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        eventually(lambda: probe(port=port)[0], server)
        yield port, flag
    finally:
        flag.unlink(missing_ok=True)
        server.terminate()
        assert server.wait(SOON) is not None


def eventually(condition: Callable[[], bool], server: subprocess.Popen[bytes] | None = None) -> None:
    deadline = time.monotonic() + SOON
    while not condition():
        assert server is None or server.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.thorough
def test_a_server_whose_drawing_thread_is_stuck_says_so_until_it_is_free(stuck: tuple[int, Path]) -> None:
    port, flag = stuck
    assert probe(port=port) == (True, "Pages are drawn.")
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"]) as visitor:  # type: ignore[list-item]
        visitor.send(a_visit())
        eventually(lambda: not probe(port=port)[0])
        assert re.fullmatch(r"No page could be drawn for \d+ s\.", probe(port=port)[1])
        assert main(port=port) == 1
        assert status(f"http://127.0.0.1:{port}/_stcore/health") == 503, "Streamlit's own check knows it too"
        assert status(f"http://127.0.0.1:{port}/_stcore/host-config") == 200
        flag.unlink()
        eventually(lambda: probe(port=port)[0])
        assert status(f"http://127.0.0.1:{port}/_stcore/health") == 200


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=SOON) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def a_visit() -> bytes:
    """What a browser sends first."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    message = BackMsg()
    message.rerun_script.query_string = ""
    return bytes(message.SerializeToString())


# --- headers ----------------------------------------------------------------------------------------------------------------


def ask(path: str, type: str = "http") -> list[dict[str, Any]]:
    """What goes out for a request, of an application that says too much."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        said = [(b"content-type", b"text/html"), (b"X-Content-Type-Options", b"sniff"), (b"referrer-policy", b"unsafe-url")]
        await send({"type": "http.response.start", "status": 200, "headers": said})
        await send({"type": "http.response.body", "body": b"all"})

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Headers(app)({"type": type, "path": path}, None, send))  # type: ignore[arg-type]
    return sent


def test_every_answer_has_the_headers_once() -> None:
    start, body = ask("/")
    assert body["body"] == b"all"
    told = [name.lower() for name, _ in start["headers"]]
    assert sorted(told) == [b"content-security-policy", b"content-type", b"referrer-policy", b"x-content-type-options"]
    assert dict(start["headers"])[b"x-content-type-options"] == b"nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/script-health-check",
        "/_stcore/agent/mcp",
        "/auth/login",
        "/oauth2callback",
        "/below/_stcore/metrics",
    ],
)
def test_closed_paths_reach_nothing_and_are_as_strict(path: str) -> None:
    start, body = ask(path)
    assert (start["status"], body["body"]) == (404, b"")
    assert b"content-security-policy" in dict(start["headers"])


@pytest.mark.parametrize(
    "path", ["/", "/_stcore/health", "/_stcore/stream", "/_stcore/host-config",
             "/_stcore/upload_file/a/b", "/_stcore/bidi-components/gradtape.player/player.js", "/media/a.png",
             "/static/js/a.js", "/health"]
)  # fmt: skip
def test_what_the_page_needs_is_open(path: str) -> None:
    assert not CLOSED.fullmatch(path)
    assert ask(path)[0]["status"] == 200


def test_the_stream_is_left_alone() -> None:
    assert ask("/_stcore/stream", "websocket")[0]["headers"][0] == (b"content-type", b"text/html")


def test_streamlit_has_no_address_that_nobody_has_looked_at() -> None:
    """Each is either closed, or known to be needed or harmless; a new version's are to be looked at."""
    known = {
        "health", "host-config", "stream", "metrics", "upload_file/{session_id}/{file_id}", "bidi-components/{path:path}",
        "agent/interact", "agent/openapi.json", "agent/mcp",
    }  # fmt: skip
    from streamlit.runtime import Runtime
    from streamlit.web.server.starlette import starlette_app

    class Anything:
        def __getattr__(self, name: str) -> Any:
            return Anything()

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return Anything()

    made: Runtime = Anything()  # type: ignore[assignment]
    paths = {getattr(route, "path", "") for route in starlette_app.create_streamlit_routes(made)}
    assert {path.removeprefix("/_stcore/") for path in paths if path.startswith("/_stcore/")} <= known
    others = {"/auth/login", "/auth/logout", "/oauth2callback", "/media/{file_id:path}", "/component/{path:path}", ""}
    assert {path for path in paths if not path.startswith("/_stcore/")} <= others


def test_the_policy_names_who_may_show_the_page() -> None:
    assert policy().endswith("frame-ancestors 'none'")
    assert policy("https://course.example https://*.school.example:8443").endswith(
        "frame-ancestors https://course.example https://*.school.example:8443"
    )
    assert policy("*").endswith("frame-ancestors *")


@pytest.mark.parametrize(
    "embed", ["https://a.example; script-src *", "a.example,b.example", "'self'; x", "https://a.example/path\r\nX: y"]
)
def test_what_is_no_site_stops_the_start(embed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="GRADTAPE_EMBED"):
        policy(embed)
    monkeypatch.setattr(headers, "settings", lambda: Settings(embed=embed))
    with pytest.raises(SettingsError):
        Headers(lambda *_: None)  # type: ignore[arg-type, return-value]


def test_streamlits_own_script_is_allowed_by_its_hash_and_no_other() -> None:
    assert policy().count("'sha256-") == 1
    assert "unsafe-inline" not in policy().partition("script-src")[2].partition(";")[0]
    assert "unsafe-eval" not in policy()


# --- the first visit --------------------------------------------------------------------------------------------------------

BUNDLE = next(address for address in files() if "/gradtape.player/player-" in address)


STREAMLIT = b'<html><head></head><body><div id="root"></div></body></html>'


def document(*asked: tuple[bytes, bytes], kind: bytes = b"text/html") -> tuple[dict[bytes, bytes], bytes, list[bytes]]:
    """The headers and the body that a browser gets which asks so, and what Streamlit has been asked."""
    sent: list[dict[str, Any]] = []
    heard: list[bytes] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.extend(name for name, _ in scope["headers"])
        said = [(b"content-type", kind), (b"etag", b"old"), (b"content-length", str(len(STREAMLIT)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": said})
        await send({"type": "http.response.body", "body": STREAMLIT[:20], "more_body": True})
        await send({"type": "http.response.body", "body": STREAMLIT[20:]})

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Document(app)({"type": "http", "path": "/any", "method": "GET", "headers": asked}, None, send))  # type: ignore[arg-type]
    return dict(sent[0]["headers"]), b"".join(each["body"] for each in sent[1:]), heard


def test_the_document_has_the_styles_behind_its_head() -> None:
    told, body, heard = document((b"accept", b"text/html,*/*"), (b"if-none-match", b"old"), (b"accept-encoding", b"gzip"))
    text = gzip.decompress(body).decode()
    assert text.replace(styles.sheet(), "", 1).encode() == STREAMLIT
    assert text.index("</head>") < text.index("<style>") < text.index('<div id="root">')
    assert (told[b"content-encoding"], told[b"content-length"]) == (b"gzip", str(len(body)).encode())
    assert b"etag" not in told, "an old document would stay"
    assert b"if-none-match" not in heard
    assert document((b"accept", b"text/html"))[1] == text.encode(), "a browser that takes no gzip"


def test_what_is_no_document_is_passed_on() -> None:
    for asked, kind in (((b"accept", b"*/*"), b"text/html"), ((b"accept", b"text/html"), b"text/javascript")):
        told, body, _ = document(asked, kind=kind)
        assert (body, told[b"etag"]) == (STREAMLIT, b"old")


def fetch(path: str, method: str = "GET", accept: bytes = b"gzip, br") -> tuple[dict[bytes, bytes], bytes]:
    """The headers and the body that a browser gets, of an application that says "Streamlit" to everything."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"Streamlit"})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "method": method, "headers": [(b"accept-encoding", accept)]}
    asyncio.run(FirstFiles(app)(scope, None, send))  # type: ignore[arg-type]
    start, body = sent
    return dict(start["headers"]), body["body"]


def test_streamlit_still_has_the_modules_that_the_page_begins_with() -> None:
    """Where it has not, nothing breaks, but first visits are slower: see what took their place."""
    for name in first_files.ELEMENTS:
        assert any(address.startswith(f"{first_files.SCRIPTS}{name}.") for address in files()), name


def test_what_a_module_imports_is_kept_with_it() -> None:
    for address in files():
        if address.startswith(first_files.SCRIPTS):
            imported = re.findall(r'from"\./([\w.-]+\.js)"', (first_files.STATIC / address).read_text(encoding="utf-8"))
            assert not [name for name in imported if first_files.SCRIPTS + name not in files()], address


@pytest.mark.parametrize(
    "address", [BUNDLE, next(a for a in files() if "/react-dom" in a), next(a for a in files() if ".css" in a)]
)
def test_a_file_of_the_first_visit_comes_compressed_and_is_kept(address: str) -> None:
    told, body = fetch(f"/{address}")
    path = first_files.COMPONENTS / "player" / "build" / Path(address).name
    path = path if path.is_file() else first_files.STATIC / address
    assert gzip.decompress(body) == path.read_bytes()
    assert told[b"content-encoding"] == b"gzip"
    assert int(told[b"content-length"]) == len(body) < 0.5 * path.stat().st_size
    assert told[b"cache-control"] == b"public, immutable, max-age=31536000"
    assert told[b"content-type"].startswith(b"text/css" if address.endswith(".css") else b"text/javascript")
    assert fetch(f"/{address}", "HEAD") == (told, b"")


@pytest.mark.parametrize(
    ("path", "method", "accept"),
    [
        (f"/{BUNDLE}", "GET", b"identity"),
        (f"/{BUNDLE}", "OPTIONS", b"gzip"),
        ("/_stcore/bidi-components/gradtape.player/player-0000000000.js", "GET", b"gzip"),
        ("/static/js/../../index.html", "GET", b"gzip"),
        ("/static/js/PlotlyChart.js", "GET", b"gzip"),
    ],
)
def test_everything_else_is_streamlits(path: str, method: str, accept: bytes) -> None:
    assert fetch(path, method, accept)[1] == b"Streamlit"


@pytest.mark.parametrize("hosted", [False, True])
@pytest.mark.parametrize("opened", [False, True])
def test_the_page_is_drawn_once_before_anybody_comes(opened: bool, hosted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    class Runtime:
        async def does_script_run_without_error(self) -> tuple[bool, str]:
            done.append("page")
            return True, "ok"

    monkeypatch.setattr(serving, "get_instance", Runtime)
    monkeypatch.setattr(serving, "get_ready", lambda: done.append("server of calls"))
    monkeypatch.setattr(serving, "settings", lambda: Settings(hosted=hosted))
    monkeypatch.delenv(commands.OPEN, raising=False)
    if opened:
        monkeypatch.setenv(commands.OPEN, "large.gradtape")
    asyncio.run(serving._prepare())
    expected = ([] if opened else ["page"]) + (["server of calls"] if hosted else [])
    assert done == expected, "a file that is to be opened is opened once"
