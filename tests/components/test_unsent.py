"""Of a part of the page that is drawn anew, nothing waits that has lost its container."""

from __future__ import annotations

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from components.server import unsent

PART, INNER = "part", "a part within it"


def message(*path: int, part: str = "", block: bool = False) -> ForwardMsg:
    made = ForwardMsg()
    made.metadata.delta_path.extend(path)
    made.delta.fragment_id = part
    if block:
        made.delta.add_block.allow_empty = True
    else:
        made.delta.new_element.markdown.body = str(path)
    return made


def reference(*path: int) -> ForwardMsg:
    made = ForwardMsg(ref_hash="known")
    made.metadata.delta_path.extend(path)
    return made


def paths(queue: ForwardMsgQueue) -> list[tuple[int, ...]]:
    return [tuple(each.metadata.delta_path) for each in queue._queue]


@pytest.fixture
def queue() -> ForwardMsgQueue:
    """A page with a part at [0, 1], whose container there is the page's; within, one of its own, and another part in that."""
    unsent.drop_whole_parts()
    made = ForwardMsgQueue()
    for each in (
        message(0, 0), message(0, 1, block=True), message(0, 1, 0, part=PART, block=True), reference(0, 1, 0, 0),
        message(0, 1, 0, 1, part=INNER, block=True), message(0, 1, 0, 1, 0, part=INNER), message(0, 1, 1, part=PART),
        message(0, 2), message(0, 3, block=True), message(0, 3, 0, part=INNER), reference(0, 3, 1),
    ):  # fmt: skip
        made.enqueue(each)
    made.enqueue(ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY))
    return made


def test_a_part_that_is_drawn_anew_goes_with_all_that_lies_in_it(queue: ForwardMsgQueue) -> None:
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=[PART])
    assert paths(queue) == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 3, 0), (0, 3, 1), ()]


def test_what_remains_has_its_containers(queue: ForwardMsgQueue) -> None:
    for part in (PART, INNER):
        before = set(paths(queue))
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=[part])
        left = set(paths(queue))
        assert all(path[:length] in left for path in left for length in range(2, len(path)) if path[:length] in before)


def test_all_else_is_dropped_as_it_was(queue: ForwardMsgQueue) -> None:
    count = len(queue._queue)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["a part of which nothing waits"])
    assert len(queue._queue) == count
    queue.clear(retain_lifecycle_msgs=True)
    assert paths(queue) == [()]
    assert len(queue.flush()) == 1
    assert queue.is_empty()


def test_streamlit_has_what_this_relies_on(queue: ForwardMsgQueue) -> None:
    taken = ForwardMsgQueue.clear
    assert hasattr(taken, "__wrapped__")
    unsent.drop_whole_parts()
    assert ForwardMsgQueue.clear is taken
    assert isinstance(queue._queue, list)
    plain = vars(taken)["__wrapped__"]
    plain(queue, retain_lifecycle_msgs=True, fragment_ids_this_run=[PART])
    assert (0, 1, 0, 0) in paths(queue), "where Streamlit drops whole parts itself, this module can go"
    assert (0, 1, 0) not in paths(queue)
