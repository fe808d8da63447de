"""The drawing of one part in rows: where its things are, and the routes of its edges past them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from .layout_lanes import BEYOND, Lanes, Way
from .layout_rows import LANE, Edges, Line, Rank, Rows
from .layout_strip import Block, EdgeKey, Point, Strip, moved


def in_rows(strip: Strip, rows: Sequence[Sequence[Rank]], edges: Edges) -> Block:
    """One part of a strip, its ranks divided into rows."""
    return _Routes(Rows(strip, rows, edges)).block()


class _Routes:
    def __init__(self, rows: Rows) -> None:
        self.rows, self.strip, self.edges, self.inner = rows, rows.strip, rows.edges, rows.inner
        self.lanes = Lanes(rows)
        self.by_lanes = {way.edge: way for way in self.lanes.ways}
        rows.stack(self._lines(), self.lanes.spans)
        self.left = self.lanes.beside[0]
        self.length = self.left + rows.width + self.lanes.beside[1]

    def block(self) -> Block:
        rows, strip, left = self.rows, self.strip, self.left
        made = Block(self.length, rows.breadth)
        for i in rows.row:
            if i in self.inner:
                block = self.inner[i]
                made.put(block, left + rows.middle(i) - block.length / 2, rows.y(i) - block.breadth / 2)
            elif i < strip.n:
                made.spots[strip.keys[i]] = (left + rows.middle(i), rows.y(i))
        for number in self.edges.ranked:
            edge, u, v = strip.edges[number]
            if rows.row[u] != rows.row[v] and self.lanes.falls(number, u, v):
                made.routes[edge] = moved(self._falling(edge, u, v), left, 0.0)
            else:
                self._add(made, edge, u, v, self._ranked(number))
        for _, (edge, u, v) in self.edges.lanes:
            way = self.by_lanes.get(edge)
            if way is not None:
                route = self._laned(way)
            elif rows.column[v] < rows.column[u]:
                route = self._next(edge, v, u)[::-1]
            else:
                route = self._next(edge, u, v)
            self._add(made, edge, u, v, route)
        for edge, v in self.edges.entering:
            end, way = self._end(edge, v), self.by_lanes.get(edge)
            route = self._laned(way) if way else [(-left, end[1]), end]
            made.enters[edge] = moved([*route, *self._within(edge, v, "enters")], left, 0.0)
        for edge, u in self.edges.leaving:
            start, way = self._start(edge, u), self.by_lanes.get(edge)
            route = self._laned(way) if way else [start, (made.length - left, start[1])]
            made.leaves[edge] = moved([*self._within(edge, u, "leaves"), *route], left, 0.0)
        made.far = {link[0] for kind, link in self.edges.lanes if kind == "far"}
        return made

    def _add(self, made: Block, edge: EdgeKey, u: int, v: int, route: list[Point]) -> None:
        whole = [*self._within(edge, u, "leaves"), *route, *self._within(edge, v, "enters")]
        made.routes[edge] = moved(whole, self.left, 0.0)

    def _within(self, edge: EdgeKey, i: int, how: str) -> list[Point]:
        """The part of an edge's route that is in a frame, but for the point at its border."""
        block = self.inner.get(i)
        if block is None:
            return []
        found = block.enters[edge][1:] if how == "enters" else block.leaves[edge][:-1]
        return moved(found, self.rows.middle(i) - block.length / 2, self.rows.y(i) - block.breadth / 2)

    # --- what edges take of their rows ----------------------------------------------------------------------------------------

    def _lines(self) -> list[list[Line]]:
        """The pieces of edges in each row, from its upper end."""
        rows, strip, lanes = self.rows, self.strip, self.lanes
        found: list[list[Line]] = [[] for _ in rows.rows]

        def line(i: int, low: float, high: float, *heights: float) -> None:
            found[rows.row[i]].append(Line(min(low, high), max(low, high), min(heights), max(heights)))

        def out(i: int, edge: EdgeKey, far: float) -> None:
            line(
                i,
                rows.middle(i) + rows.sign[rows.row[i]] * strip.thick[i] / 2,
                far,
                rows.at[i] + self._offset(edge, i, "leaves"),
            )

        def into(i: int, edge: EdgeKey, far: float) -> None:
            line(
                i,
                rows.middle(i) - rows.sign[rows.row[i]] * strip.thick[i] / 2,
                far,
                rows.at[i] + self._offset(edge, i, "enters"),
            )

        for number in self.edges.ranked:
            edge, u, v = strip.edges[number]
            chain = strip.chains.get(number, (u, v))
            for p, q in pairwise(chain):
                if rows.row[p] == rows.row[q]:
                    heights = rows.at[p] + self._offset(edge, p, "leaves"), rows.at[q] + self._offset(edge, q, "enters")
                    line(p, rows.middle(p), rows.middle(q), *heights)
                elif not lanes.falls(number, p, q):
                    hub = ("turn", number)
                    out(p, edge, rows.along(lanes.out(p), hub))
                    into(q, edge, rows.along(lanes.into(q), hub))
        for _, (edge, u, v) in self.edges.lanes:
            if edge not in self.by_lanes:
                heights = rows.at[u] + self._offset(edge, u, "leaves"), rows.at[v] + self._offset(edge, v, "enters")
                line(u, rows.middle(u), rows.middle(v), *heights)
        for way in lanes.ways:
            if way.source >= 0:
                out(way.source, way.edge, rows.along(lanes.out(way.source), way.hub))
            if way.target >= 0:
                into(way.target, way.edge, rows.along(lanes.into(way.target), way.hub))
        for edge, v in self.edges.entering:
            if edge not in self.by_lanes:
                into(v, edge, -BEYOND)
        for edge, u in self.edges.leaving:
            if edge not in self.by_lanes:
                out(u, edge, BEYOND)
        return found

    def _offset(self, edge: EdgeKey, i: int, how: str) -> float:
        """How far from the middle of a frame's side an edge enters or leaves it; of a card, nothing."""
        block = self.inner.get(i)
        if block is None:
            return 0.0
        at = block.enters[edge][0] if how == "enters" else block.leaves[edge][-1]
        return at[1] - block.breadth / 2

    # --- routes ---------------------------------------------------------------------------------------------------------------

    def _start(self, edge: EdgeKey, i: int) -> Point:
        """Where an edge leaves a thing."""
        rows = self.rows
        x = rows.middle(i) + rows.sign[rows.row[i]] * self.strip.thick[i] / 2
        return x, rows.y(i) + self._offset(edge, i, "leaves")

    def _end(self, edge: EdgeKey, i: int) -> Point:
        """Where an edge comes to a thing."""
        rows = self.rows
        x = rows.middle(i) - rows.sign[rows.row[i]] * self.strip.thick[i] / 2
        return x, rows.y(i) + self._offset(edge, i, "enters")

    def _ranked(self, number: int) -> list[Point]:
        """The route of an edge in ranks: past cards along its bends, and around where a row ends."""
        edge, u, v = self.strip.edges[number]
        rows, chain = self.rows, self.strip.chains.get(number, (u, v))
        start, end = self._start(edge, u), self._end(edge, v)
        route = [start, *self._rest(u, start, 1)]
        before = u
        for i in chain[1:]:
            y = rows.y(i) if i != v else end[1]
            if rows.row[i] != rows.row[before]:
                route += self._around(number, before, i, route[-1][1], y)
            if i == v:
                route += [*self._rest(v, end, -1), end]
            else:
                reach = rows.sign[rows.row[i]] * rows.thicks[rows.row[i]][rows.column[i]] / 2
                middle = rows.middle(i)
                route += [(middle - reach, y), (middle + reach, y)] if reach else [(middle, y)]
            before = i
        return route

    def _falling(self, edge: EdgeKey, u: int, v: int) -> list[Point]:
        """The route straight down from one row to the next."""
        low, high = self.lanes.common(edge, u, v)
        x, wide = (low + high) / 2, self.strip.wide
        return [(x, self.rows.y(u) + wide[u] / 2), (x, self.rows.y(v) - wide[v] / 2)]

    def _next(self, edge: EdgeKey, u: int, v: int) -> list[Point]:
        """The route from a thing to one of the next rank."""
        start, end = self._start(edge, u), self._end(edge, v)
        return [start, *self._rest(u, start, 1), *self._rest(v, end, -1), end]

    def _rest(self, i: int, at: Point, way: int) -> list[Point]:
        """A card narrower than its rank is left, and reached, past its neighbours' whole width."""
        rows = self.rows
        b, k = rows.row[i], rows.column[i]
        if rows.thicks[b][k] - self.strip.thick[i] <= 2 or len(rows.rows[b][k]) < 2:
            return []
        return [(rows.middle(i) + way * rows.sign[b] * rows.thicks[b][k] / 2, at[1])]

    def _around(self, number: int, p: int, q: int, start: float, end: float) -> list[Point]:
        hub, lanes = ("turn", number), self.lanes
        x = self.rows.along(lanes.out(p), hub)
        if lanes.turns_beside(p, q):
            return [(x, start), (x, end)]
        b = self.rows.row[q]
        back, lane = self.rows.along(lanes.into(q), hub), self._lane(b, hub)
        return [(x, start), (x, lane), (back, lane), (back, end)]

    def _lane(self, channel: int, hub: Hashable) -> float:
        return self.rows.lanes[channel][self.lanes.channel[channel, hub]]

    def _laned(self, way: Way) -> list[Point]:
        """The route of an edge by lanes."""
        route: list[Point] = []
        rows, lanes = self.rows, self.lanes
        first, second = self._lane(way.first, way.hub), self._lane(way.second, way.hub)
        if way.source >= 0:
            start = self._start(way.edge, way.source)
            x = rows.along(lanes.out(way.source), way.hub)
            route += [start, (x, start[1]), (x, first)]
        else:
            route.append((-self.left, first))
        if way.first != way.second:
            off = lanes.inmost[way.right] + LANE * lanes.margin[int(way.right), way.hub]
            x = rows.width + off if way.right else -off
            route += [(x, first), (x, second)]
        if way.target >= 0:
            end = self._end(way.edge, way.target)
            x = rows.along(lanes.into(way.target), way.hub)
            route += [(x, second), (x, end[1]), end]
        else:
            route.append((self.length - self.left, second))
        return route
