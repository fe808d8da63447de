"""What the page puts into its controls is shown, although a run is followed at once by another.

That the script has set a control (the title to a file's name, the panel to the one that a button opens) Streamlit tells the
browser in one message, that of the run in which it was set. Where this run is stopped before, or where the next one begins
before the message was sent and drops it, the browser goes on showing what it showed; and as it tells with each request what
all controls say, it takes the new value back. Here a value is put again with every run until it was sent, and what the
browser tells of such a control counts only where it has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from threading import Lock
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.state import SessionState

from components.server.around import put_around
from components.server.kept import Kept

REGISTERS = "register_widget"
"""What a control takes its value from there: `(session_state, metadata, user_key)`."""
KINDS = {
    "bool_value", "double_value", "int_value", "string_value", "double_array_value", "int_array_value", "string_array_value",
}  # fmt: skip
"""What controls say; components tell what they want to (`json_value`), and are sent what they need."""
UNCONTROLLED = {"html", "markdown", "space", "bidi_component", "vertical", "flex_container", "column"}
"""Kinds of what a page is nearly all made of, and that hold no value to be put."""
SENDS = "flush"
"""What hands the messages over to be sent: `(queue)`."""


def show_what_was_put() -> None:
    """Have sessions do so; without effect on a Streamlit that takes it under other names."""
    put_around(SessionState, REGISTERS, registered)
    put_around(ForwardMsgQueue, SENDS, sent)


class Puts:
    """What the page has put into controls of a session and the browser does not know yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[str, Any] = {}
        """By the control's id."""
        self._whole: set[str] = set()
        """Ids of what is always sent with its value, as a menu is with whether it is open."""

    def again(self, id: str, value: Any, put: bool) -> bool:
        """Whether the browser is to be told what a control shows, `put` if the script has just set it."""
        with self._lock:
            if id in self._whole:
                return put
            if put:
                self._waiting[id] = value
            elif id in self._waiting and self._waiting[id] != value:
                del self._waiting[id]
            return id in self._waiting

    def told(self, messages: Iterable[ForwardMsg]) -> None:
        """Messages go to the browser."""
        for each in messages:
            holder = each.delta.add_block if each.delta.HasField("add_block") else each.delta.new_element
            kind = holder.WhichOneof("type")
            if kind is None or kind in UNCONTROLLED:
                continue
            drawn: Any = getattr(holder, kind)
            id, told = getattr(drawn, "id", ""), getattr(drawn, "set_value", None)
            if id and told is not False:
                with self._lock:
                    self._waiting.pop(id, None)
                    if told is None:
                        self._whole.add(id)

    def news(self, told: Iterable[WidgetState], before: Mapping[str, WidgetState]) -> list[WidgetState]:
        """What the browser tells, without what it only told before of a control into which something was put since."""
        with self._lock:
            return [each for each in told if each.id not in self._waiting or before.get(each.id) != each]


_PUTS: Kept[Puts] = Kept("gradtape_puts")
"""Found by a session's state, and by its queue."""


def puts_of(session: Any) -> Puts:
    """What was put in a session."""
    queue = getattr(session, "_browser_queue", None)
    return _PUTS.of(session, Puts, *(() if queue is None else (session.session_state, queue)))


def registered(plain: Callable[..., Any]) -> Callable[..., Any]:
    """The method that gives a control its value, which has the browser told again."""

    @wraps(plain)
    def register(state: Any, metadata: Any, *more: Any, **named: Any) -> Any:
        result = plain(state, metadata, *more, **named)
        puts = _PUTS.by(state) if metadata.value_type in KINDS else None
        if puts is None or puts.again(metadata.id, result.value, result.value_changed) == result.value_changed:
            return result
        return replace(result, value_changed=True)

    return register


def sent(plain: Callable[[Any], list[ForwardMsg]]) -> Callable[[Any], list[ForwardMsg]]:
    """The method that hands messages over, which notes what is told with them."""

    @wraps(plain)
    def flush(queue: Any) -> list[ForwardMsg]:
        if queue.is_empty():  # every visitor's is asked for each message of any
            return []
        messages = plain(queue)
        puts = _PUTS.by(queue)
        if puts is not None:
            puts.told(messages)
        return messages

    return flush
