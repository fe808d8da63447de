"""`graphviz`: graphs as texts in its language; they are drawn nowhere here, as the page draws the graph of the tensors."""

from __future__ import annotations

import re
from typing import Any

from .. import tell

__all__ = ["Digraph", "Graph", "Source"]

PLAIN = re.compile(r"[A-Za-z_]\w*|-?(\.\d+|\d+(\.\d*)?)")
WORDS = frozenset(("node", "edge", "graph", "digraph", "subgraph", "strict"))
"""Names that need no quotation marks, and words of the language, which do."""
NOT_DRAWN = "graphviz: graphs are drawn nowhere here; print .source to see one. The page draws the graph of the tensors."


class Graph:
    """Nodes and edges, as text in `source`."""

    _kind, _arrow = "graph", "--"

    def __init__(self, name: Any = None, comment: Any = None, filename: Any = None, directory: Any = None,
                 format: Any = None, engine: Any = None, encoding: Any = None, graph_attr: Any = None,
                 node_attr: Any = None, edge_attr: Any = None, body: Any = None, strict: bool = False,
                 **_: Any) -> None:  # fmt: skip
        self.name, self.comment, self.format, self.engine, self.strict = name, comment, format, engine, strict
        self.filename = filename or f"{name or self._kind.capitalize()}.gv"
        self.graph_attr, self.node_attr, self.edge_attr = dict(graph_attr or {}), dict(node_attr or {}), dict(edge_attr or {})
        self.body: list[str] = list(body or ())

    def node(self, name: Any, label: Any = None, _attributes: Any = None, **attrs: Any) -> None:
        """A node."""
        self.body.append(f"\t{_quoted(name)}{_listed(label, attrs | dict(_attributes or {}))}\n")

    def edge(self, tail_name: Any, head_name: Any, label: Any = None, _attributes: Any = None, **attrs: Any) -> None:
        """An edge between two nodes."""
        ends = f"{_quoted(tail_name)} {self._arrow} {_quoted(head_name)}"
        self.body.append(f"\t{ends}{_listed(label, attrs | dict(_attributes or {}))}\n")

    def edges(self, tail_head_iter: Any) -> None:
        """Several edges."""
        for tail, head in tail_head_iter:
            self.edge(tail, head)

    def attr(self, kw: Any = None, _attributes: Any = None, **attrs: Any) -> None:
        """Attributes of the graph, or of its nodes or edges from here on."""
        found = attrs | dict(_attributes or {})
        if kw is None:
            self.body += [f"\t{_quoted(name)}={_quoted(value)}\n" for name, value in sorted(found.items())]
        elif found:
            self.body.append(f"\t{kw}{_listed(None, found)}\n")

    def subgraph(self, graph: Any = None, name: Any = None, comment: Any = None, **settings: Any) -> Any:
        """A graph within this one: given, or to be filled in a `with` block."""
        if graph is None:
            return _Within(self, type(self)(name, comment, **settings))
        self.body += [f"\t{line}" for line in graph._lines("subgraph")]
        return None

    def _lines(self, kind: str) -> list[str]:
        head = " ".join(filter(None, ("strict" if self.strict else "", kind, _quoted(self.name) if self.name else "", "{")))
        given = (("graph", self.graph_attr), ("node", self.node_attr), ("edge", self.edge_attr))
        settings = [f"\t{what}{_listed(None, attrs)}\n" for what, attrs in given if attrs]
        return [f"{head}\n", *settings, *self.body, "}\n"]

    @property
    def source(self) -> str:
        """The graph in graphviz's language."""
        return "".join(([f"// {self.comment}\n"] if self.comment else []) + self._lines(self._kind))

    def __str__(self) -> str:
        return self.source

    def render(self, filename: Any = None, *_: Any, **__: Any) -> str:
        """Nothing is drawn or written; returns what the file would be called."""
        tell(NOT_DRAWN)
        return f"{filename or self.filename}.{self.format or 'pdf'}"

    view = render


class Digraph(Graph):
    """A graph whose edges have a direction."""

    _kind, _arrow = "digraph", "->"


class Source:
    """A graph that is given as text."""

    def __init__(self, source: str, *_: Any, **__: Any) -> None:
        self.source = source

    def render(self, filename: Any = "Source.gv", *_: Any, **__: Any) -> str:
        """Nothing is drawn or written; returns what the file would be called."""
        tell(NOT_DRAWN)
        return f"{filename}.pdf"

    view = render


class _Within:
    """A graph that is filled, and then put into another one."""

    def __init__(self, outer: Graph, inner: Graph) -> None:
        self._outer, self._inner = outer, inner

    def __enter__(self) -> Graph:
        return self._inner

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self._outer.subgraph(self._inner)


def _quoted(value: Any) -> str:
    text = str(value)
    if PLAIN.fullmatch(text) and text.lower() not in WORDS:
        return text
    return '"' + re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', text) + '"'


def _listed(label: Any, attrs: dict[str, Any]) -> str:
    named = ([("label", label)] if label is not None else []) + sorted(attrs.items())
    return f" [{' '.join(f'{_quoted(name)}={_quoted(value)}' for name, value in named)}]" if named else ""
