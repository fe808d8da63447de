"""What stands in the graph's place while there is nothing to draw: why that is so, and what to do."""

from __future__ import annotations

from components.html.markup import tag, text
from engine.sandbox import RunResult

STOPPED = {
    "timeout": "The program ran too long",
    "memory": "The program needed too much memory",
    "too_large": "The program printed too much",
    "crashed": "The program's process ended abruptly",
    "policy": "The program may not run here",
}


def empty_html(source: str, result: RunResult | None, *, waiting: bool) -> str:
    """The reason, for the program `source` and its last run; a sketch of a graph while that is under way."""
    if waiting:
        return skeleton()
    if not source.strip():
        return nothing("An empty program", "Type a computation, click one together under Build, or take an example.")
    if result is None:
        return nothing("Not run yet", "Press Run, or Ctrl+Enter in the editor.")
    if result.status in STOPPED:
        return nothing(STOPPED[result.status], "It ended before its first tensor. The console says where.", bad=True)
    if result.error is not None:
        where = f" on line {result.error.line}" if result.error.line else ""
        return nothing(
            f"{result.error.type}{where}", "The program ended before its first tensor; its message is in the console.", bad=True
        )
    return nothing("No tensor was made", "Values and gradients of tensors are shown here. Make one, for instance:", EXAMPLE)


EXAMPLE = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n(x * x).sum().backward()"


def nothing(title: str, advice: str, code: str = "", *, bad: bool = False) -> str:
    """A headline, advice and perhaps a few lines of code, in the middle of the free room."""
    parts = [tag("div", cls="gt-sign", aria_hidden="true"), tag("h2", text(title)), tag("p", text(advice))]
    if code:
        parts.append(tag("pre", text(code)))
    return tag("div", *parts, cls="gt-nothing bad" if bad else "gt-nothing", role="status")


def skeleton() -> str:
    """The outline of a graph, for as long as the first run takes."""
    cards = "".join(tag("i", cls="gt-bone", style=f"grid-area: {row} / {column}") for row, column in BONES)
    words = tag("span", "The graph appears when the program has run.", cls="gt-unseen")
    return tag("div", tag("div", cards, cls="gt-bones", aria_hidden="true"), words, cls="gt-nothing", role="status")


BONES = [(1, 1), (3, 1), (1, 2), (2, 2), (3, 2), (2, 3)]
"""Rows and columns of the outline's cards."""
