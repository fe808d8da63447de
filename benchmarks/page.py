"""From a run to what the browser is sent: the sandbox, graph, layout and faces."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

from benchmarks.sizes import smallest
from components.menus.gallery import examples
from components.player import feed
from components.player.picture import Wish, drawing
from engine.sandbox import run

HUNDRED = """import torch
x = torch.ones(2, 2, requires_grad=True)
y = x
for i in range(33):
    y = torch.tanh(y * 0.9 + x)
y.sum().backward()
"""


def sandbox(small: bool = False) -> None:
    """Milliseconds from the call to the finished recording, the server being warm; and to the picture's data."""
    runs, pictures = (1, 1) if small else (21, 11)
    run("pass")
    for name, text in [
        ("an empty program", "pass"),
        ("the default example", examples()["repeated_backward"].text),
        ("100 operations", HUNDRED),
    ]:
        times = []
        for _ in range(runs):
            began = time.perf_counter()
            result = run(text)
            times.append(time.perf_counter() - began)
        assert result.status == "ok"
        print(f"run of {name}: {statistics.median(times) * 1000:.1f} ms")
    result = run(HUNDRED)
    assert result.recording is not None
    times = []
    for i in range(pictures):
        began = time.perf_counter()
        data = feed.plain(feed.message(feed.parts_of(drawing(result.recording, Wish(run=str(i))), lambda *_: ())))
        times.append(time.perf_counter() - began)
    print(f"graph, layout and faces of {len(data['nodes'])} nodes: {statistics.median(times) * 1000:.1f} ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures."""
    sandbox(smallest(__doc__, arguments))


if __name__ == "__main__":
    main()
