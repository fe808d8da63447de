"""What Streamlit has not sent yet when a part of the page is drawn anew: nothing stays of it that has lost what it stands in.

Messages that wait for a slow connection are dropped when the part that they draw is drawn again. But a reference to something
that the browser has already does not say to which part it belongs, and a part within the part says another one: both stayed,
without the containers around them. The browser then puts them into whatever stood there before, and where that is no container
its frontend dies and leaves a white page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from components.server.around import put_around

NAME = "clear"
"""What drops messages there: `(queue, retain_lifecycle_msgs, fragment_ids_this_run)`."""


def drop_whole_parts() -> None:
    """Have queues drop messages so; without effect on a Streamlit that keeps them otherwise."""
    put_around(ForwardMsgQueue, NAME, wholly)


def wholly(plain: Callable[..., None]) -> Callable[..., None]:
    """The method that drops messages, which drops what lies within what it drops, too."""

    @wraps(plain)
    def clear(queue: Any, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Collection[str] | None = None) -> None:
        if retain_lifecycle_msgs and fragment_ids_this_run:
            dropped = {
                tuple(each.metadata.delta_path)
                for each in queue._queue
                if each.HasField("delta") and each.delta.fragment_id in fragment_ids_this_run
            }
            if dropped:
                queue._queue = [each for each in queue._queue if not _within(tuple(each.metadata.delta_path), dropped)]
        plain(queue, retain_lifecycle_msgs, fragment_ids_this_run)

    return clear


def _within(path: tuple[int, ...], places: Collection[tuple[int, ...]]) -> bool:
    """Whether something lies in one of these places."""
    return any(path[:length] in places for length in range(1, len(path)))
