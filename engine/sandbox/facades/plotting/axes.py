"""Axes: what is drawn in them, and what programs get back: lines, bars, counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .canvas import (
    KINDS,
    Artist,
    AxesImage,
    Container,
    FigureHandle,
    Handle,
    Legend,
    Line2D,
    Rectangle,
    Several,
    Side,
    Spines,
    Text,
    cycled,
    notes,
)
from .values import UnplainError, fewer, is_a, is_array, numbers, plain, to_show

POINTS = 20_000
"""Points of one line or cloud that are kept: more are no more to be seen."""
BINS = 10_000
"""Bins of a histogram."""
CELLS = 256
"""Rows and columns of a grid of values that are kept, and of a surface."""


class Axes(Handle):
    """One system of coordinates."""

    __slots__ = ("_bounds", "_drawn", "_limits", "_lines", "_mappable", "_patches", "_scales", "_words")
    _kind = "axes"

    def __init__(self, figure: FigureHandle, number: int, part: str = "") -> None:
        super().__init__(figure, number, part)
        self._begin()

    def _begin(self) -> None:
        self._bounds: dict[str, tuple[float, float]] = {}
        """Of each direction, between what its data lie."""
        self._limits: dict[str, tuple[float, float]] = {}
        """Those that the program has set."""
        self._words = {"title": "", "xlabel": "", "ylabel": "", "zlabel": ""}
        self._scales = {"x": "linear", "y": "linear", "z": "linear"}
        self._drawn: list[Any] = []
        """What may stand in the legend."""
        self._lines: list[Any] = []
        self._patches: list[Any] = []
        self._mappable: Any = None

    def _call(self, name: str, args: Any, kwargs: Any, made: int | None = None) -> int:
        self._figure._current = self
        return self._figure._note(self, name, args, kwargs, made)

    # --- lines and points -----------------------------------------------------------------------------------------------------

    def plot(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Lines, of one or several pairs of x and y, each with a format if it has one."""
        return self._plot("plot", args, kwargs)

    def semilogy(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Lines with a logarithmic scale."""
        self._scales["y"] = "log"
        return self._plot("semilogy", args, kwargs)

    def semilogx(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Lines with a logarithmic scale."""
        self._scales["x"] = "log"
        return self._plot("semilogx", args, kwargs)

    def loglog(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Lines with logarithmic scales."""
        self._scales |= {"x": "log", "y": "log"}
        return self._plot("loglog", args, kwargs)

    def step(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Lines with steps."""
        return self._plot("step", args, kwargs)

    def _plot(self, name: str, args: Any, kwargs: Any) -> list[Any]:
        data = kwargs.get("data")
        if is_a(data, dict):
            args = tuple(dict.get(data, arg, arg) if is_a(arg, str) else arg for arg in args)
        lines: list[Any] = []
        rest = list(args)
        while rest:
            group = [rest.pop(0)]
            if rest and not is_a(rest[0], str):
                group.append(rest.pop(0))
            form = [rest.pop(0)] if rest and is_a(rest[0], str) else []
            lines += self._line(name, group, form, kwargs)
        return lines

    def _line(self, name: str, group: list[Any], form: list[Any], kwargs: dict[str, Any]) -> list[Any]:
        arrays = [np.atleast_1d(numbers(one)) for one in group]
        x, y = arrays if len(arrays) == 2 else (np.arange(len(arrays[0])), arrays[0])
        if len(x) != len(y):
            raise ValueError(f"x and y must have same first dimension, but have shapes {x.shape} and {y.shape}")
        if x.ndim > 2 or y.ndim > 2:
            raise ValueError(f"x and y can be no greater than 2D, but have shapes {x.shape} and {y.shape}")
        kept = fewer(len(x), POINTS)
        columns = max(x.shape[1] if x.ndim == 2 else 1, y.shape[1] if y.ndim == 2 else 1)
        if columns > 1_000:
            raise ValueError("at most 1,000 lines are drawn by one call here")
        self._see("x", x)
        self._see("y", y)
        number = self._call(name, [x[kept], y[kept], *form], kwargs, columns)
        if not number:
            return [Line2D(self._figure, 0) for _ in range(columns)]
        labels = kwargs.get("label")
        made = []
        for column in range(columns):
            label = str(
                plain(labels[column] if labels is not None and is_a(labels, list, tuple) and columns > 1 else labels, _nothing)
                or ""
            )
            own = [one[:, column % one.shape[1]] if one.ndim == 2 else one for one in (x, y)]
            color = kwargs.get("color", kwargs.get("c"))
            color = cycled(len(self._lines)) if color is None else color
            made.append(
                Line2D(
                    self._figure, number + column, label=label or f"_child{len(self._lines)}", color=color, xdata=own[0],
                    ydata=own[1], data=tuple(own), linestyle=kwargs.get("linestyle", kwargs.get("ls", "-")),
                    linewidth=kwargs.get("linewidth", kwargs.get("lw", 1.5)),
                )
            )  # fmt: skip
            self._lines.append(made[-1])
            self._labelled(made[-1], label)
        return made

    def scatter(self, x: Any, y: Any, s: Any = None, c: Any = None, **kwargs: Any) -> Any:
        """Points."""
        arrays = [numbers(x).reshape(-1), numbers(y).reshape(-1)]
        if arrays[0].size != arrays[1].size:
            raise ValueError("x and y must be the same size")
        count = arrays[0].size
        kept = fewer(count, POINTS)
        given = [one[kept] for one in arrays]
        sides = {"s": s, "c": c} | kwargs
        for key in ("s", "c"):
            value = sides[key]
            if value is None:
                del sides[key]
            elif not is_a(value, str) and (is_array(value) or is_a(value, list, tuple, range)):
                found = numbers(value)
                sides[key] = found[kept] if found.ndim and len(found) == count else found
        for name, one in zip("xy", arrays, strict=True):
            self._see(name, one)
        number = self._call("scatter", given, sides)
        offsets = np.stack([one.astype(float) for one in arrays], 1) if all(a.dtype.kind in "biuf" for a in arrays) else None
        return self._mapped(Artist(self._figure, number, **_facts(kwargs), offsets=offsets), kwargs)

    def errorbar(self, *args: Any, **kwargs: Any) -> Any:
        """Points with errors."""
        made = Artist(self._figure, self._call("errorbar", args, kwargs), **_facts(kwargs))
        self._labelled(made, kwargs.get("label"))
        for name, value in zip("xy", args, strict=False):
            self._see(name, numbers(value))
        return Container((made, (), ()))

    def fill_between(self, *args: Any, **kwargs: Any) -> Any:
        """The area between two lines."""
        return self._area("fill_between", args, kwargs, "x")

    def fill_betweenx(self, *args: Any, **kwargs: Any) -> Any:
        """The area between two lines."""
        return self._area("fill_betweenx", args, kwargs, "y")

    def _area(self, name: str, args: Any, kwargs: Any, along: str) -> Any:
        given = [numbers(one) if not is_a(one, str) else one for one in args]
        where = kwargs.get("where")
        if where is not None:
            kwargs["where"] = numbers(where)
        for place, value in enumerate(given[:3]):
            self._see(along if place == 0 else {"x": "y", "y": "x"}[along], value)
        made = Artist(self._figure, self._call(name, given, kwargs), **_facts(kwargs))
        return self._mapped(made, kwargs)

    def stem(self, *args: Any, **kwargs: Any) -> Any:
        """Stems."""
        self._call("stem", args, kwargs)
        return Container((Artist(self._figure, 0), Artist(self._figure, 0), Artist(self._figure, 0)))

    # --- bars and counts ------------------------------------------------------------------------------------------------------

    def bar(self, x: Any, height: Any, width: Any = 0.8, bottom: Any = None, **kwargs: Any) -> Any:
        """Bars."""
        return self._bars("bar", x, height, width, bottom, kwargs)

    def barh(self, y: Any, width: Any, height: Any = 0.8, left: Any = None, **kwargs: Any) -> Any:
        """Bars that lie."""
        return self._bars("barh", y, width, height, left, kwargs)

    def _bars(self, name: str, places: Any, lengths: Any, thick: Any, base: Any, kwargs: dict[str, Any]) -> Any:
        where, long = np.atleast_1d(numbers(places)), np.atleast_1d(numbers(lengths))
        try:
            where, long = (one.reshape(-1) for one in np.broadcast_arrays(where, long))
        except ValueError:
            raise ValueError(
                f"shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape "
                f"{where.shape} and arg 1 with shape {long.shape}."
            ) from None
        if where.size > 5_000:
            raise ValueError("at most 5,000 bars are drawn by one call here")
        given = dict(kwargs)
        if base is not None:
            given["bottom" if name == "bar" else "left"] = numbers(base)
        number = self._call(name, [where, long, numbers(thick)], given)
        numeric = where.astype(float) if where.dtype.kind in "biuf" else np.arange(where.size, dtype=float)
        thickness = np.broadcast_to(numbers(thick).astype(float), where.shape).tolist()
        start = np.broadcast_to(numbers(base).astype(float) if base is not None else np.zeros(()), where.shape).tolist()
        centred = kwargs.get("align", "center") == "center"
        bars = []
        for at, length, wide, low in zip(numeric, long, thickness, start, strict=True):
            corner = at - wide / 2 if centred else at
            x, y, w, h = (corner, low, wide, length) if name == "bar" else (low, corner, length, wide)
            bars.append(Rectangle(self._figure, 0, x=x, y=y, width=w, height=h, xy=(x, y), facecolor=kwargs.get("color")))
        self._see("y" if name == "bar" else "x", np.append(long.astype(float), 0.0))
        self._see("x" if name == "bar" else "y", numeric)
        self._patches += bars
        made = Bars(bars, Artist(self._figure, number))
        self._labelled(made, kwargs.get("label"))
        return made

    def bar_label(self, container: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """The lengths of bars beside them."""
        if type(container) is not Bars:
            return []
        self._call("bar_label", [container.of, *args], kwargs)
        return [Text(self._figure, 0, text="") for _ in container]

    def hist(
        self, x: Any, bins: Any = None, range: Any = None, density: bool = False, weights: Any = None, cumulative: Any = False,
        bottom: Any = None, histtype: str = "bar", align: str = "mid", orientation: str = "vertical", rwidth: Any = None,
        log: bool = False, color: Any = None, label: Any = None, stacked: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Counts in bins, which are counted here; returns them, the bins' edges and the bars."""
        several = is_a(x, list, tuple) and len(x) > 0 and (is_array(x[0]) or is_a(x[0], list, tuple))
        data = [numbers(one).reshape(-1).astype(float) for one in x] if several else _columns(numbers(x))
        if len(data) > 100:
            raise ValueError("at most 100 histograms are drawn by one call here")
        edges = _edges(data, 10 if bins is None else bins, range)
        weighed: list[Any] = [None] * len(data)
        if weights is not None:
            weighed = [numbers(one).reshape(-1).astype(float) for one in (weights if several else [weights])]
        counts = [np.histogram(one, edges, weights=weight)[0].astype(float) for one, weight in zip(data, weighed, strict=False)]
        shown = {"histtype": histtype, "align": align, "orientation": orientation, "log": log, "stacked": stacked} | kwargs
        shown |= {key: value for key, value in (("color", color), ("label", label), ("rwidth", rwidth)) if value is not None}
        if bottom is not None:
            shown["bottom"] = numbers(bottom)
        shown |= {"density": bool(density), "cumulative": cumulative if type(cumulative) is int else bool(cumulative)}
        middles = (edges[:-1] + edges[1:]) / 2
        drawn = [[middles for _ in counts] if several else middles]
        number = self._call("hist", drawn, shown | {"bins": edges, "weights": counts if several else counts[0]}, 1)
        found = _summed(counts, edges, density, cumulative, stacked)
        self._see("x" if orientation == "vertical" else "y", edges)
        self._see("y" if orientation == "vertical" else "x", np.append(np.concatenate(found), 0.0))
        containers = []
        for each in found:
            bars = [
                Rectangle(self._figure, 0, x=float(low), y=0.0, width=float(high - low), height=float(count), facecolor=color)
                for low, high, count in zip(edges[:-1], edges[1:], each, strict=True)
            ]
            self._patches += bars
            containers.append(Bars(bars, Artist(self._figure, number)))
        self._labelled(containers[0], label)
        return (np.array(found), edges, containers) if several or len(found) > 1 else (found[0], edges, containers[0])

    def hist2d(self, x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None,
               **kwargs: Any) -> Any:  # fmt: skip
        """Counts in two directions."""
        places = [numbers(one).reshape(-1).astype(float) for one in (x, y)]
        each = [bins, bins] if type(bins) is int or (is_array(bins) and bins.ndim == 1) else list(bins)
        if any(type(one) is int and not 0 < one <= 1_000 for one in each):
            raise ValueError("a histogram of two directions has at most 1,000 bins in each here")
        count: Any = np.histogram2d
        counts, xs, ys = count(*places, bins=bins, range=range, density=density, weights=weights)
        number = self._call("pcolormesh", [xs, ys, counts.T], kwargs)
        self._see("x", xs)
        self._see("y", ys)
        return counts, xs, ys, self._mapped(Artist(self._figure, number, array=counts), kwargs)

    def pie(self, x: Any, **kwargs: Any) -> Any:
        """Shares of a circle."""
        shares = numbers(x).reshape(-1)
        self._call("pie", [shares], kwargs)
        made = [[Artist(self._figure, 0) for _ in shares] for _ in "123"]
        return tuple(made) if kwargs.get("autopct") is not None else tuple(made[:2])

    def boxplot(self, x: Any, **kwargs: Any) -> Any:
        """Boxes of quartiles."""
        number = self._call("boxplot", [_groups(x)], kwargs)
        names = "whiskers caps boxes medians fliers means"
        return {name: Several([]) if not number else [] for name in names.split()}

    def violinplot(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
        """Densities of several sets."""
        self._call("violinplot", [_groups(dataset), *args], kwargs)
        return {"bodies": []}

    # --- images and fields ----------------------------------------------------------------------------------------------------

    def imshow(self, X: Any, cmap: Any = None, **kwargs: Any) -> Any:  # noqa: N803
        """An image, or a matrix in colours."""
        image = numbers(X)
        if image.ndim == 3 and image.shape[2] == 1:
            image = image[:, :, 0]
        if image.dtype.kind not in "biuf":
            raise TypeError(f"Image data of dtype {image.dtype} cannot be converted to float")
        if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] not in (3, 4)):
            raise TypeError(f"Invalid shape {image.shape} for image data")
        rows, columns = image.shape[:2]
        given = dict(kwargs) | _coloured(cmap)
        if max(rows, columns) > 512:
            given.setdefault("extent", [-0.5, columns - 0.5, -0.5, rows - 0.5] if kwargs.get("origin") == "lower"
                             else [-0.5, columns - 0.5, rows - 0.5, -0.5])  # fmt: skip
        number = self._call("imshow", [to_show(image)], given)
        self._limits = {"x": (-0.5, columns - 0.5), "y": (rows - 0.5, -0.5)}
        made = self._mapped(AxesImage(self._figure, number, array=image, **_facts(kwargs)), kwargs)
        return made

    def matshow(self, Z: Any, **kwargs: Any) -> Any:  # noqa: N803
        """A matrix in colours."""
        number = self._call("matshow", [to_show(numbers(Z).astype(float))], _coloured() | kwargs)
        return self._mapped(AxesImage(self._figure, number, array=numbers(Z)), {})

    def pcolormesh(self, *args: Any, **kwargs: Any) -> Any:
        """A grid in colours."""
        return self._field("pcolormesh", args, kwargs)

    def pcolor(self, *args: Any, **kwargs: Any) -> Any:
        """A grid in colours."""
        return self._field("pcolor", args, kwargs)

    def contour(self, *args: Any, **kwargs: Any) -> Any:
        """Lines of one height."""
        return self._field("contour", args, kwargs)

    def contourf(self, *args: Any, **kwargs: Any) -> Any:
        """Areas between heights."""
        return self._field("contourf", args, kwargs)

    def _field(self, name: str, args: Any, kwargs: Any) -> Any:
        fields: list[Any] = []
        rest = list(args)
        while rest and not is_a(rest[0], str) and len(fields) < 3:
            if len(fields) == 1 and len(rest) == 1 and not name.startswith("pcolor"):
                break  # levels
            fields.append(numbers(rest.pop(0)))
        if rest and name.startswith("contour"):
            kwargs = {"levels": rest.pop(0)} | kwargs
        if fields and fields[-1].ndim == 2:
            rows, columns = (max(1, -(-size // CELLS)) for size in fields[-1].shape)
            fields = [
                one[::rows, ::columns] if one.ndim == 2 else one[::columns] if place == 0 else one[::rows]
                for place, one in enumerate(fields)
            ]  # fmt: skip
        for axis, one in zip("xy", fields[:2] if len(fields) == 3 else (), strict=False):
            self._see(axis, one)
        number = self._call(name, fields, kwargs)
        return self._mapped(Artist(self._figure, number, levels=_maybe(kwargs.get("levels"))), kwargs)

    # --- words and limits -----------------------------------------------------------------------------------------------------

    def set_title(self, label: Any, *args: Any, **kwargs: Any) -> Any:
        """The title."""
        return self._word("title", label, args, kwargs)

    def set_xlabel(self, xlabel: Any, *args: Any, **kwargs: Any) -> Any:
        """The label of an axis."""
        return self._word("xlabel", xlabel, args, kwargs)

    def set_ylabel(self, ylabel: Any, *args: Any, **kwargs: Any) -> Any:
        """The label of an axis."""
        return self._word("ylabel", ylabel, args, kwargs)

    def set_zlabel(self, zlabel: Any, *args: Any, **kwargs: Any) -> Any:
        """The label of an axis."""
        return self._word("zlabel", zlabel, args, kwargs)

    def _word(self, name: str, value: Any, args: Any, kwargs: Any) -> Any:
        said = plain(value, _nothing)
        self._words[name] = said if isinstance(said, str) else str(value) if type(value) in (int, float) else ""
        self._figure._titles[f"{self._number} {name}"] = self._words[name]
        return Text(self._figure, self._call(f"set_{name}", [value, *args], kwargs), text=self._words[name])

    def get_title(self, *_: Any) -> str:
        """The title."""
        return self._words["title"]

    def get_xlabel(self) -> str:
        """The label of an axis."""
        return self._words["xlabel"]

    def get_ylabel(self) -> str:
        """The label of an axis."""
        return self._words["ylabel"]

    def set(self, **kwargs: Any) -> list[Any]:
        """Several properties at once."""
        for name, value in kwargs.items():
            getattr(self, f"set_{name}")(value)
        return []

    def set_xlim(self, left: Any = None, right: Any = None, **kwargs: Any) -> Any:
        """The limits of an axis."""
        return self._limit("x", left, right, kwargs)

    def set_ylim(self, bottom: Any = None, top: Any = None, **kwargs: Any) -> Any:
        """The limits of an axis."""
        return self._limit("y", bottom, top, kwargs)

    def set_zlim(self, bottom: Any = None, top: Any = None, **kwargs: Any) -> Any:
        """The limits of an axis."""
        return self._limit("z", bottom, top, kwargs)

    def _limit(self, axis: str, low: Any, high: Any, kwargs: Any) -> Any:
        if high is None and low is not None and not is_a(low, str) and numbers(low).ndim:
            low, high = numbers(low).tolist()
        low = kwargs.get(f"{axis}min", low)
        high = kwargs.get(f"{axis}max", high)
        self._call(f"set_{axis}lim", [low, high], {})
        before = self._limit_of(axis)
        found = tuple(
            np.float64(numbers(one)) if one is not None and numbers(one).dtype.kind in "biuf" else was
            for one, was in zip((low, high), before, strict=True)
        )
        self._limits[axis] = found  # type: ignore[assignment]
        return found

    def get_xlim(self) -> Any:
        """The limits of an axis."""
        return self._limit_of("x")

    def get_ylim(self) -> Any:
        """The limits of an axis."""
        return self._limit_of("y")

    def get_zlim(self) -> Any:
        """The limits of an axis."""
        return self._limit_of("z")

    def _limit_of(self, axis: str) -> tuple[float, float]:
        if axis in self._limits:
            low, high = self._limits[axis]
            return np.float64(low), np.float64(high)
        low, high = self._bounds.get(axis, (0.0, 1.0))
        if axis not in self._bounds:
            return np.float64(0.0), np.float64(1.0)
        margin = 0.05 * (high - low) or 0.05 * abs(low) or 0.05
        return np.float64(low - margin), np.float64(high + margin)

    def set_xticks(self, ticks: Any, labels: Any = None, **kwargs: Any) -> Any:
        """Where the ticks are, and their labels."""
        return self._ticks("x", ticks, labels, kwargs)

    def set_yticks(self, ticks: Any, labels: Any = None, **kwargs: Any) -> Any:
        """Where the ticks are, and their labels."""
        return self._ticks("y", ticks, labels, kwargs)

    def _ticks(self, axis: str, ticks: Any, labels: Any, kwargs: dict[str, Any]) -> Any:
        found = numbers(ticks).reshape(-1)
        self._call(f"set_{axis}ticks", [found], ({} if labels is None else {"labels": labels}) | kwargs)
        if axis in self._limits and found.size and found.dtype.kind in "biuf":
            low, high = self._limits[axis]
            least, most = float(found.min()), float(found.max())
            turned = low > high
            low, high = min(low, high, least), max(low, high, most)
            self._limits[axis] = (high, low) if turned else (low, high)
        return []

    def get_xticks(self, **_: Any) -> Any:
        """Ticks of an axis: even ones, where matplotlib looks for round numbers."""
        return np.linspace(*self._limit_of("x"), 6)

    def get_yticks(self, **_: Any) -> Any:
        """Ticks of an axis: even ones, where matplotlib looks for round numbers."""
        return np.linspace(*self._limit_of("y"), 6)

    def get_xticklabels(self, **_: Any) -> list[Any]:
        """The ticks' labels, which are told together."""
        return [_Labels(self, "x")]

    def get_yticklabels(self, **_: Any) -> list[Any]:
        """The ticks' labels, which are told together."""
        return [_Labels(self, "y")]

    def set_xscale(self, value: Any, **kwargs: Any) -> None:
        """The scale of an axis."""
        self._scales["x"] = _scale(value)
        self._call("set_xscale", [value], kwargs)

    def set_yscale(self, value: Any, **kwargs: Any) -> None:
        """The scale of an axis."""
        self._scales["y"] = _scale(value)
        self._call("set_yscale", [value], kwargs)

    def get_xscale(self) -> str:
        """The scale of an axis."""
        return self._scales["x"]

    def get_yscale(self) -> str:
        """The scale of an axis."""
        return self._scales["y"]

    def axis(self, arg: Any = None, /, **kwargs: Any) -> Any:
        """Limits, or how they are chosen."""
        if arg is not None and not is_a(arg, str, bool):
            low, high, bottom, top = numbers(arg).reshape(-1).tolist()
            self._limits |= {"x": (low, high), "y": (bottom, top)}
            arg = [low, high, bottom, top]
        if arg is not None or kwargs:
            self._call("axis", [] if arg is None else [arg], kwargs)
        return (*self._limit_of("x"), *self._limit_of("y"))

    def grid(self, visible: Any = None, which: str = "major", axis: str = "both", **kwargs: Any) -> None:
        """Lines at the ticks."""
        self._call("grid", [visible], {"which": which, "axis": axis} | kwargs)

    def text(self, x: Any, y: Any, s: Any, *args: Any, **kwargs: Any) -> Any:
        """A text at a place."""
        return Text(
            self._figure, self._call("text", [x, y, s if is_a(s, str) else str(plain(s, _nothing)), *args], kwargs), text=s
        )

    def annotate(self, text: Any, *args: Any, **kwargs: Any) -> Any:
        """A text with an arrow."""
        said = text if is_a(text, str) else str(plain(text, _nothing))
        return Text(self._figure, self._call("annotate", [said, *args], kwargs), text=said)

    def legend(self, *args: Any, **kwargs: Any) -> Any:
        """The legend."""
        if not args and "handles" not in kwargs and not self._drawn:
            import warnings

            warnings.warn(
                "No artists with labels found to put in legend.  Note that artists whose label start with an underscore are "
                "ignored when legend() is called with no argument.",
                UserWarning,
                stacklevel=2,
            )
        args = tuple(_unpacked(arg) for arg in args)
        if "handles" in kwargs:
            kwargs["handles"] = _unpacked(kwargs["handles"])
        return Legend(self._figure, self._call("legend", args, kwargs))

    def get_legend_handles_labels(self) -> Any:
        """What stands in the legend."""
        return [handle for handle, _ in self._drawn], [label for _, label in self._drawn]

    def get_legend(self) -> Any:
        """The legend."""
        return Side(self._figure, self._number, "legend_")

    # --- parts ----------------------------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[Any]:
        """Its lines."""
        return [*self._lines]

    @property
    def patches(self) -> list[Any]:
        """Its bars."""
        return [*self._patches]

    def get_lines(self) -> list[Any]:
        """Its lines."""
        return [*self._lines]

    @property
    def images(self) -> list[Any]:
        """Its images."""
        return [self._mappable] if type(self._mappable) is AxesImage else []

    @property
    def spines(self) -> Any:
        """Its four sides."""
        return Spines(self)

    @property
    def title(self) -> Any:
        """Its title."""
        return Side(self._figure, self._number, "title")

    @property
    def axes(self) -> Any:
        """Itself, as every artist tells the axes that it is in."""
        return self

    @property
    def patch(self) -> Any:
        """Its background."""
        return Side(self._figure, self._number, "patch")

    @property
    def xaxis(self) -> Any:
        """The axis of x."""
        return AxisSide(self._figure, self._number, "xaxis")

    @property
    def yaxis(self) -> Any:
        """The axis of y."""
        return AxisSide(self._figure, self._number, "yaxis")

    @property
    def zaxis(self) -> Any:
        """The axis of z."""
        return AxisSide(self._figure, self._number, "zaxis")

    @property
    def transAxes(self) -> Any:  # noqa: N802
        """The coordinates of the axes, from 0 to 1."""
        return Side(self._figure, self._number, "transAxes")

    @property
    def transData(self) -> Any:  # noqa: N802
        """The coordinates of the data."""
        return Side(self._figure, self._number, "transData")

    def get_xaxis(self) -> Any:
        """The axis of x."""
        return self.xaxis

    def get_yaxis(self) -> Any:
        """The axis of y."""
        return self.yaxis

    def twinx(self) -> Any:
        """Other axes with the same x."""
        return self._twin("twinx")

    def twiny(self) -> Any:
        """Other axes with the same y."""
        return self._twin("twiny")

    def inset_axes(self, bounds: Any, **kwargs: Any) -> Any:
        """Small axes within these."""
        return self._other(type(self)(self._figure, self._call("inset_axes", [bounds], kwargs)))

    def _twin(self, name: str) -> Any:
        return self._other(type(self)(self._figure, self._call(name, [], {})))

    def _other(self, made: Any) -> Any:
        self._figure.axes.append(made)
        self._figure._current = made
        return made

    def get_subplotspec(self) -> Any:
        """Where it is, of which nothing is known here."""
        return None

    def clear(self) -> None:
        """Begin anew."""
        self._call("clear", [], {})
        self._begin()

    cla = clear

    # --- what is known of it --------------------------------------------------------------------------------------------------

    def _see(self, axis: str, array: Any) -> None:
        """Data lie there."""
        found = array if hasattr(array, "dtype") else numbers(array)
        if found.dtype.kind not in "biuf":
            self._bounds.setdefault(axis, (0.0, max(float(found.size - 1), 0.0)))
            return
        found = found[np.isfinite(found)] if found.dtype.kind == "f" else found
        if found.size:
            low, high = float(found.min()), float(found.max())
            before = self._bounds.get(axis, (low, high))
            self._bounds[axis] = min(low, before[0]), max(high, before[1])

    def _labelled(self, made: Any, label: Any) -> None:
        if is_a(label, str) and str.__str__(label)[:1] not in ("", "_"):
            self._drawn.append((made, str.__str__(label)))

    def _mapped(self, made: Any, kwargs: Any) -> Any:
        self._labelled(made, kwargs.get("label"))
        self._mappable = self._figure._mappable = made
        return made


class Axes3D(Axes):
    """Axes of three dimensions."""

    __slots__ = ()

    def plot(self, xs: Any, ys: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """A line in space."""
        return [Line2D(self._figure, self._call("plot", [numbers(xs), numbers(ys), *args], kwargs, 1), **_facts(kwargs))]

    plot3D = plot  # noqa: N815

    def text(self, x: Any, y: Any, z: Any, s: Any, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """A text in space."""
        return Text(self._figure, self._call("text", [x, y, z, s, *args], kwargs), text=s)

    def scatter(self, xs: Any, ys: Any, zs: Any = 0, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """Points in space."""
        given = [numbers(one) for one in (xs, ys, zs)]
        kept = fewer(given[0].size, POINTS)
        given = [one.reshape(-1)[kept] if one.ndim else one for one in given]
        return self._mapped(Artist(self._figure, self._call("scatter", [*given, *args], kwargs), **_facts(kwargs)), kwargs)

    scatter3D = scatter  # noqa: N815

    def plot_surface(self, X: Any, Y: Any, Z: Any, **kwargs: Any) -> Any:  # noqa: N803
        """A surface."""
        return self._surface("plot_surface", (X, Y, Z), kwargs)

    def plot_wireframe(self, X: Any, Y: Any, Z: Any, **kwargs: Any) -> Any:  # noqa: N803
        """A surface of wires."""
        return self._surface("plot_wireframe", (X, Y, Z), kwargs)

    def _surface(self, name: str, fields: Any, kwargs: Any) -> Any:
        given = [numbers(one) for one in fields]
        if given[2].ndim != 2:
            raise ValueError("Argument Z must be 2-dimensional.")
        rows, columns = (max(1, -(-size // CELLS)) for size in given[2].shape)
        given = [one[::rows, ::columns] if one.ndim == 2 else one for one in given]
        for axis, one in zip("xyz", given, strict=True):
            self._see(axis, one)
        return self._mapped(Artist(self._figure, self._call(name, given, kwargs), **_facts(kwargs)), {})


class AxisSide(Side):
    """`ax.xaxis`."""

    __slots__ = ()

    @property
    def label(self) -> Any:
        """Its label."""
        return Side(self._figure, self._number, f"label:{self._part[0]}")

    def get_major_locator(self) -> None:
        """What sets the ticks, of which nothing is known here."""


class _Labels:
    """The labels of an axis's ticks, all of which are told the same."""

    __slots__ = ("_axes", "_axis")

    def __init__(self, axes: Axes, axis: str) -> None:
        self._axes, self._axis = axes, axis

    def __getattr__(self, name: str) -> Any:
        told = {
            "set_rotation": "labelrotation",
            "set_fontsize": "labelsize",
            "set_color": "labelcolor",
            "set_size": "labelsize",
        }
        if name in told:
            return lambda value, *_: self._axes._call("tick_params", [], {"axis": self._axis, told[name]: value}) and None
        if name[:1] == "_":
            raise AttributeError(name)
        return lambda *_, **__: None

    def get_text(self) -> str:
        """Its text, which is not known before it is drawn."""
        return ""


class Bars(Container):
    """The bars that one call has drawn."""

    of: Any

    def __new__(cls, bars: Any, of: Any) -> Bars:
        made = super().__new__(cls, bars)
        made.of = of
        return made


def _nothing(_: Any) -> None:
    return None


def _maybe(value: Any) -> Any:
    return None if value is None else numbers(value)


def _unpacked(arg: Any) -> Any:
    """Handles for the legend: of bars the call that drew them."""
    if type(arg) is Bars:
        return arg.of
    return [one.of if type(one) is Bars else one for one in arg] if is_a(arg, list, tuple) else arg


def _coloured(cmap: Any = None) -> dict[str, Any]:
    """The colormap of an image that is given this one, or none, as a keyword."""
    cmap = notes.cmap if cmap is None else cmap
    return {} if cmap is None else {"cmap": cmap}


def _facts(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {"label": kwargs.get("label", ""), "alpha": kwargs.get("alpha"), "visible": True}


def _scale(value: Any) -> str:
    name = str.__str__(value) if is_a(value, str) else "linear"
    known = ("asinh", "function", "functionlog", "linear", "log", "logit", "symlog")
    if name not in known:
        raise ValueError(f"{name!r} is not a valid value for scale; supported values are {', '.join(map(repr, known))}")
    return name


def _columns(array: Any) -> list[Any]:
    if array.dtype.kind not in "biuf":
        raise UnplainError("a histogram is drawn of numbers here")
    array = array.astype(float)
    return [array[:, column] for column in range(array.shape[1])] if array.ndim == 2 else [array.reshape(-1)]


def _groups(x: Any) -> Any:
    if is_a(x, list, tuple) and x and (is_array(x[0]) or is_a(x[0], list, tuple)):
        return [numbers(one).reshape(-1)[fewer(numbers(one).size, POINTS)] for one in x]
    return numbers(x)


def _edges(data: list[Any], bins: Any, range: Any) -> Any:
    """The edges of the bins. ValueError for more than there may be."""
    if is_a(bins, np.integer):
        bins = int(bins)
    if type(bins) is int and bins > BINS:
        raise ValueError(f"a histogram has at most {BINS:,} bins here")
    if not is_a(bins, str) and type(bins) is not int:
        bins = numbers(bins).astype(float)
        if bins.size > BINS:
            raise ValueError(f"a histogram has at most {BINS:,} bins here")
    every = np.concatenate(data) if data else np.zeros(0)
    every = every[np.isfinite(every)]
    limits = None if range is None else tuple(numbers(range).astype(float).tolist())
    if is_a(bins, str) and every.size:
        # NumPy makes as many as the spread of the data asks for, which one far point can make any number.
        spread = np.subtract(*np.percentile(every, [75, 25])) or np.ptp(every)
        if spread and np.ptp(every) / spread * every.size ** (1 / 3) > BINS:
            raise ValueError(f"a histogram has at most {BINS:,} bins here")
    return np.histogram_bin_edges(every, str.__str__(bins) if is_a(bins, str) else bins, limits)


def _summed(counts: list[Any], edges: Any, density: Any, cumulative: Any, stacked: bool) -> list[Any]:
    widths = np.diff(edges)
    found = [*counts]
    if stacked:
        found = [*np.cumsum(found, axis=0)]
    if density:
        total = [found[-1].sum()] * len(found) if stacked else [one.sum() for one in found]
        found = [one / all / widths for one, all in zip(found, total, strict=True)]
    if cumulative:
        turn = -1 if type(cumulative) in (int, float) and cumulative < 0 else 1
        found = [np.cumsum((one * widths if density else one)[::turn])[::turn] for one in found]
    return found


KINDS |= {None: Axes, "rectilinear": Axes, "polar": Axes, "3d": Axes3D}
