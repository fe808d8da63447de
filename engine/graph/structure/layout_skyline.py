"""How far down a drawing reaches at every place along it, so that what comes next can stand as close below as it may."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Skyline:
    """A function of the place along the drawing: constant between neighbouring borders, and `floor` where nothing is yet."""

    def __init__(self, floor: float) -> None:
        self.borders = [-float("inf")]
        self.heights = [floor]

    def over(self, low: float, high: float) -> float:
        """The most between two places."""
        first = bisect_right(self.borders, low) - 1
        return max(self.heights[first : max(bisect_left(self.borders, high), first + 1)])

    def lift(self, low: float, high: float, height: float) -> None:
        """Reach at least so far down between two places."""
        if high <= low:
            return
        borders, heights = self.borders, self.heights
        first = self._cut(low)
        last = self._cut(high)
        heights[first:last] = [max(height, other) for other in heights[first:last]]
        # What has become level is one piece again, so that there are as many as can be told apart.
        k = max(first, 1)
        while k <= min(last, len(borders) - 1):
            if heights[k] == heights[k - 1]:
                del borders[k], heights[k]
                last -= 1
            else:
                k += 1

    def _cut(self, at: float) -> int:
        k = bisect_left(self.borders, at)
        if k == len(self.borders) or self.borders[k] != at:
            self.borders.insert(k, at)
            self.heights.insert(k, self.heights[k - 1])
        return k
