"""What a browser tells the page is heard as far as it is no more than a page of ours has: the rest is left out.

A request is taken apart in the one thread that serves everybody, before any turn or deadline. A client that is no browser may
send a million controls in it, or a few megabytes of JSON that unfold to a gigabyte.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from engine.limits import CONTROLS, ENTERED, LINK, TOLD_THINGS

MOST = CONTROLS.value()
LONGEST = ENTERED.value()
THINGS = TOLD_THINGS.value()
QUERY = 4 * LINK.value()
"""Characters of an address's query, in which each of a link may be written as three."""
TEXTS = ("string_value", "string_trigger_value")
LISTS = ("double_array_value", "int_array_value", "string_array_value")
JSON = ("json_value", "json_trigger_value")


def told_by(asked: ClientState) -> list[WidgetState]:
    """The controls of which a request tells, without those that tell more than any of ours."""
    if len(asked.query_string) > QUERY:
        asked.ClearField("query_string")
    if len(asked.cached_message_hashes) > MOST:
        asked.ClearField("cached_message_hashes")
    if len(asked.widget_states.widgets) > MOST:
        asked.ClearField("widget_states")
    return list(_bounded(asked))


def _bounded(asked: ClientState) -> Iterator[WidgetState]:
    left = THINGS
    for each in asked.widget_states.widgets:
        kind = each.WhichOneof("value")
        if kind in JSON:
            told = things(getattr(each, kind))
            if told <= left:
                left -= told
                yield each
        elif kind in TEXTS:
            if len(getattr(each, kind).data if kind == "string_trigger_value" else each.string_value) <= LONGEST:
                yield each
        elif kind in LISTS:
            if _size(each, kind) <= LONGEST:
                yield each
        elif kind != "file_uploader_state_value" or len(each.file_uploader_state_value.uploaded_file_info) <= LONGEST:
            yield each


def things(text: str) -> int:
    """How many things a text of JSON unfolds to, at most."""
    found = _marks(text)
    if found <= THINGS:
        return found
    # Perhaps they stand in texts, as those of a program. Nothing here goes through the text in Python.
    plain = text.replace("\\\\", "").replace('\\"', "")
    if plain.count('"') > 2 * THINGS:
        return found
    return sum(map(_marks, plain.split('"')[::2]))


def _marks(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{") + 1


def _size(each: WidgetState, kind: str) -> int:
    """How long a list is, its texts counted by their characters."""
    data = getattr(each, kind).data
    if len(data) > LONGEST or kind != "string_array_value":
        return len(data)
    return len(data) + sum(map(len, data))
