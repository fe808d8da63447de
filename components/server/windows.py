"""What the cards of a rolled run show in a window of steps, fetched by the player without a rerun of the page.

A picture is known by a secret name, which its visitor alone is told, for as long as the page keeps it. Where these addresses
are not served (the page can be run without this server) the player asks the page itself.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

from components.browser.component_loader import sent
from components.player import feed
from components.player.picture import Drawing
from components.server.deadline import Deadline, Over
from components.server.render_lock import LASTS
from engine.diagnosis.contributions import edge_lines
from engine.sandbox.settings import settings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PATH = "/window/{name}/{first:int}/{last:int}"

_offered: WeakValueDictionary[str, Drawing] = WeakValueDictionary()
_names: WeakKeyDictionary[Drawing, str] = WeakKeyDictionary()
_worker = ThreadPoolExecutor(1, "gradtape-windows")
"""One thread for all visitors: a window takes some milliseconds, and no visitor can have more done at a time than that."""


def offer(drawn: Drawing) -> str:
    """The address of a picture's windows, to which the player adds the first and the last step."""
    name = _names.get(drawn)
    if name is None:
        name = _names[drawn] = secrets.token_urlsafe(24)
        _offered[name] = drawn
    return f"window/{name}"


async def answer(request: Request) -> Response:
    """What a picture's cards show in a window; 404 for a picture that is not kept any more, 503 when it takes too long."""
    from starlette.responses import Response

    name, first, last = (request.path_params[each] for each in ("name", "first", "last"))
    drawn = _offered.get(name)
    if drawn is None or not first <= last < len(drawn.recording.events):
        return Response(status_code=404)
    body = await asyncio.get_running_loop().run_in_executor(_worker, _made, drawn, first, last)
    if body is None:
        return Response(status_code=503)
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _made(drawn: Drawing, first: int, last: int) -> bytes | None:
    """The player's data; None when it takes longer than a turn lasts."""
    try:
        with Deadline(LASTS[settings().hosted]):
            return sent(feed.of_window(drawn, edge_lines(drawn.recording), (first, last)))
    except Over:
        return None
