"""Figures, axes and what is drawn in them, as programs see them: each call is noted as plain data and drawn elsewhere.

What programs ask of these objects is worked out here as far as it takes no layout: counts and bins, data, labels, limits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .... import limits
from ....figures import methods
from ....figures.colormaps import CYCLE
from ....figures.data import Call, encoded
from ....figures.data import Figure as Sent
from ....slots import slots
from .values import UnplainError, is_a, numbers, plain

WIDTH, HEIGHT, DPI = 6.4, 4.8, 100.0
"""Of a figure that says nothing of its size: matplotlib's own."""
LARGEST = 40.0
"""Inches of a side."""


class Notes:
    """What a run has drawn so far, and what was told of it."""

    def __init__(self) -> None:
        self.told: set[str] = set()
        self.sent = 0
        self.size = (WIDTH, HEIGHT)
        self.dpi = DPI
        self.cmap: Any = None
        self.style = ""

    def tell(self, text: str) -> None:
        """Say something once."""
        if text not in self.told and len(self.told) < 50:
            self.told.add(text)
            sys.stderr.write(f"{text}\n")

    def unknown(self, what: str) -> None:
        """Say once that a call has no effect."""
        self.tell(f"Note: {what} is taken and not drawn here.")


notes = Notes()


class Handle:
    """Something that calls can be made on, and what calls return."""

    __slots__ = ("_figure", "_number", "_part")
    _kind = "artist"

    def __init__(self, figure: FigureHandle, number: int, part: str = "") -> None:
        self._figure, self._number, self._part = figure, number, part

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return Noting(self, name)

    def __repr__(self) -> str:
        return f"<matplotlib {type(self).__name__}>"

    def get_figure(self, *_: Any, **__: Any) -> Any:
        """The figure that it is in."""
        return self._figure

    @property
    def figure(self) -> Any:
        """The figure that it is in."""
        return self._figure


class Noting:
    """A method that notes its calls."""

    __slots__ = ("_name", "_of")

    def __init__(self, of: Handle, name: str) -> None:
        self._of, self._name = of, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self._of._figure._note(self._of, self._name, args, kwargs)
        return Handle(self._of._figure, made) if made else None

    def __repr__(self) -> str:
        return f"<method {self._name} of {type(self._of).__name__}>"


class Artist(Handle):
    """A line, a patch, a collection, an image or a text, and what the program may ask of it."""

    __slots__ = ("_facts",)

    def __init__(self, figure: FigureHandle, number: int, part: str = "", **facts: Any) -> None:
        super().__init__(figure, number, part)
        self._facts = facts

    def __getattr__(self, name: str) -> Any:
        if name[:4] == "get_" and name[4:] in self._facts:
            found = self._facts[name[4:]]
            return lambda *_, **__: found
        if name[:4] == "set_" and name[4:] in self._facts:
            return lambda *args, **kwargs: self._set(name, args, kwargs)
        return super().__getattr__(name)

    def _set(self, name: str, args: Any, kwargs: Any) -> None:
        self._figure._note(self, name, args, kwargs)
        if args and name[4:] in ("label", "color", "text", "height", "width", "x", "y"):
            self._facts[name[4:]] = args[0]


class Line2D(Artist):
    """A line."""

    __slots__ = ()

    def set_data(self, *args: Any) -> None:
        """Other points."""
        self._figure._note(self, "set_data", args, {})


class Rectangle(Artist):
    """A bar."""

    __slots__ = ()


class Text(Artist):
    """A text."""

    __slots__ = ()


class AxesImage(Artist):
    """An image."""

    __slots__ = ()


class Container(tuple):  # type: ignore[type-arg]
    """Bars, or what else is drawn together."""

    __slots__ = ()

    @property
    def patches(self) -> list[Any]:
        """The parts."""
        return [*self]


class Side(Handle):
    """`ax.xaxis`, `ax.spines[…]` and other parts of something, which have the methods of an artist."""

    __slots__ = ()


class Spines:
    """`ax.spines`: by name, several names, or all."""

    __slots__ = ("_axes",)
    NAMES = ("left", "right", "bottom", "top")

    def __init__(self, axes: Handle) -> None:
        self._axes = axes

    def __getitem__(self, key: Any) -> Any:
        if type(key) is slice:
            return Several([self[name] for name in self.NAMES])
        if is_a(key, list, tuple):
            return Several([self[name] for name in key])
        if key not in (*self.NAMES, "polar"):
            raise KeyError(key)
        return Side(self._axes._figure, self._axes._number, f"spines:{key}")

    def __getattr__(self, name: str) -> Any:
        if name in (*self.NAMES, "polar"):
            return self[name]
        raise AttributeError(f"'Spines' object has no attribute '{name}'")

    def __iter__(self) -> Any:
        return iter(self.NAMES)

    def keys(self) -> list[str]:
        """The names."""
        return [*self.NAMES]

    def values(self) -> list[Any]:
        """The spines."""
        return [self[name] for name in self.NAMES]

    def items(self) -> list[tuple[str, Any]]:
        """Both."""
        return [(name, self[name]) for name in self.NAMES]


class Several:
    """Things that are told the same."""

    __slots__ = ("_all",)

    def __init__(self, all: list[Any]) -> None:
        self._all = all

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)

        def each(*args: Any, **kwargs: Any) -> None:
            for one in self._all:
                getattr(one, name)(*args, **kwargs)

        return each


class Known:
    """A norm, a locator, a formatter, a patch or a line that the program made: its class and what it was made with."""

    __slots__ = ("_called", "_name")

    def __init__(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        words = frozenset(methods.OBJECTS[name].split())
        kept = {key: value for key, value in kwargs.items() if key in words}
        self._name = name
        self._called = [plain(arg, value_of) for arg in args[:8]], {key: plain(one, value_of) for key, one in kept.items()}

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(f"'{self._name}' object has no attribute '{name}'")
        return lambda *_, **__: notes.unknown(f"{self._name}.{name}()")

    def __repr__(self) -> str:
        return f"<matplotlib {self._name}>"


def maker(name: str) -> Callable[..., Known]:
    """What makes such an object."""

    def make(*args: Any, **kwargs: Any) -> Known:
        return Known(name, args, kwargs)

    return make


def value_of(value: Any) -> Any:
    """What stands for an object of ours in a call; None for anything else."""
    kind = type(value)
    if issubclass(kind, Handle):
        return {"r": value._number, "p": value._part} if value._part else {"r": value._number}
    if kind is Known:
        return {"c": value._name, "v": value._called[0], "d": value._called[1]}
    name = NAMED.get(kind)
    return None if name is None else name(value)


NAMED: dict[type, Callable[[Any], Any]] = {}
"""Types of other modules here → what stands for one."""


class FigureHandle(Handle):
    """`Figure`: its calls, in order, and its axes."""

    __slots__ = ("_calls", "_current", "_dpi", "_last", "_mappable", "_name", "_sent", "_size", "_titles",
                 "axes", "number")  # fmt: skip
    _kind = "figure"

    def __init__(self, number: int, size: tuple[float, float], dpi: float) -> None:
        super().__init__(self, 0)
        self.number = number
        self.axes: list[Any] = []
        self._size, self._dpi = size, dpi
        self._calls: list[Call] = []
        self._last = 0
        """The number that was last given to something."""
        self._sent = 0
        """How many of the calls have been sent."""
        self._current: Any = None
        self._titles: dict[str, str] = {}
        self._mappable: Any = None
        self._name = ""

    # --- noting -------------------------------------------------------------------------------------------------------------

    def _note(self, of: Handle, name: str, args: Any, kwargs: Any, made: int | None = None) -> int:
        """Note a call; returns the number of what it returns, or the first of so many as are `made`; 0 for an unknown call."""
        kind = "artist" if of._part else of._kind
        words = methods.keywords(kind, name)
        shown = f"{type(of).__name__.removesuffix('Handle')}.{name}()"
        if words is None:
            if name[:4] != "get_":
                notes.unknown(shown)
            return 0
        if len(self._calls) >= limits.FIGURE_CALLS.value():
            notes.tell(f"Note: {limits.FIGURE_CALLS.past()}; what comes after them is not drawn.")
            return 0
        given: dict[str, Any] = {}
        try:
            noted = [plain(arg, value_of) for arg in args[:8]]
            for key, value in kwargs.items():
                if key in words:
                    given[key] = plain(value, value_of)
                elif key not in SILENT:
                    notes.unknown(f"the argument {key} of {shown}")
        except UnplainError as error:
            notes.tell(f"Note: {shown} is not drawn: {error}.")
            return 0
        first = self._last + 1
        self._last += 1 if made is None else made
        method = f"{of._part}.{name}" if of._part else name
        self._calls.append(Call(of._number, method, noted, given, list(range(first, self._last + 1))))
        return first

    def _send(self) -> None:
        """Have it shown as it is now, unless it was shown so before or is empty."""
        if self._sent == len(self._calls) or not self._calls:
            return
        self._sent = len(self._calls)
        if notes.sent >= limits.FIGURES.value():
            notes.tell(f"Note: {limits.FIGURES.past()}; those after them are not shown.")
            return
        notes.sent += 1
        title = " · ".join(dict.fromkeys(filter(None, self._titles.values())))[:300]
        try:
            text = encoded(Sent(notes.sent, *self._size, self._dpi, title, self._name, notes.style, self._calls))
        except ValueError as error:
            notes.tell(f"Note: figure {notes.sent} is not shown: {error}.")
            return
        slots.figure(text)

    # --- what programs call -------------------------------------------------------------------------------------------------

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        """Axes in a grid."""
        if args and is_a(args[0], Handle) and args[0]._kind == "axes":
            return args[0]
        return self._axes("add_subplot", args or (1, 1, 1), kwargs)

    def add_axes(self, *args: Any, **kwargs: Any) -> Any:
        """Axes at a place."""
        return self._axes("add_axes", args, kwargs)

    def _axes(self, name: str, args: Any, kwargs: Any) -> Any:
        projection = kwargs.get("projection")
        kind = kind_of_axes(projection)
        number = self._note(self, name, args, kwargs)
        made = kind(self, number or self._last)
        self.axes.append(made)
        self._current = made
        return made

    def subplots(
        self, nrows: Any = 1, ncols: Any = 1, *, sharex: Any = False, sharey: Any = False, squeeze: bool = True,
        width_ratios: Any = None, height_ratios: Any = None, subplot_kw: Any = None, gridspec_kw: Any = None,
    ) -> Any:  # fmt: skip
        """A grid of axes, in an array."""
        nrows, ncols = int(nrows), int(ncols)
        if nrows < 1 or ncols < 1:
            raise ValueError(f"Number of rows must be a positive integer, not {min(nrows, ncols)}")
        if nrows * ncols > 400:
            raise ValueError("a figure has at most 400 axes here")
        ratios = dict(gridspec_kw or {})
        if width_ratios is not None:
            ratios["width_ratios"] = width_ratios
        if height_ratios is not None:
            ratios["height_ratios"] = height_ratios
        grid = self.add_gridspec(nrows, ncols, **ratios)
        found = np.empty((nrows, ncols), object)
        for row in range(nrows):
            for column in range(ncols):
                given = dict(subplot_kw or {})
                for key, share, first in (("sharex", sharex, (0, column)), ("sharey", sharey, (row, 0))):
                    if share is True or share == "all":
                        first = (0, 0)
                    elif share is False or share in (0, "none"):
                        continue
                    elif share == "row":
                        first = (row, 0)
                    elif share == "col":
                        first = (0, column)
                    if first != (row, column):
                        given[key] = found[first]
                found[row, column] = self.add_subplot(grid[row, column], **given)
        self._current = found[0, 0] if nrows * ncols == 1 else found[-1, -1]
        if not squeeze:
            return found
        return found.item() if found.size == 1 else found.squeeze()

    def add_gridspec(self, nrows: Any = 1, ncols: Any = 1, **kwargs: Any) -> Any:
        """A grid, whose fields are places of axes."""
        return GridSpec(self, self._note(self, "add_gridspec", (int(nrows), int(ncols)), kwargs), int(nrows), int(ncols))

    def gca(self, **kwargs: Any) -> Any:
        """The axes that are drawn in now."""
        return self._current if self._current is not None else self.add_subplot(1, 1, 1, **kwargs)

    def sca(self, axes: Any) -> Any:
        """From now on these."""
        self._current = axes
        return axes

    def get_axes(self) -> list[Any]:
        """All axes."""
        return [*self.axes]

    def suptitle(self, t: Any, **kwargs: Any) -> Any:
        """The title above all axes."""
        self._titles["suptitle"] = str(plain(t, value_of))[:200]
        return Text(self, self._note(self, "suptitle", (t,), kwargs), text=t)

    def colorbar(self, mappable: Any = None, cax: Any = None, ax: Any = None, **kwargs: Any) -> Any:
        """A bar of the colours of an image or of points."""
        if mappable is None:
            raise RuntimeError("No mappable was found to use for colorbar creation. First define a mappable such as an image "
                               "(with imshow) or a contour set (with contourf).")  # fmt: skip
        places = {key: one for key, one in (("cax", cax), ("ax", ax)) if one is not None}
        if not places and self._current is not None and not is_a(mappable, Scalar):
            places["ax"] = self._current
        number = self._note(self, "colorbar", (mappable,), places | kwargs)
        return Colorbar(self, number)

    def get_size_inches(self) -> Any:
        """Width and height."""
        return np.array(self._size)

    def set_size_inches(self, w: Any, h: Any = None, **_: Any) -> None:
        """Another size."""
        width, height = numbers(w).reshape(-1).tolist() if h is None else (w, h)
        self._size = size_of((width, height))
        self._calls.append(Call(0, "set_size_inches", [*self._size]))

    def set_figwidth(self, width: Any, **_: Any) -> None:
        """Another width."""
        self.set_size_inches(width, self._size[1])

    def set_figheight(self, height: Any, **_: Any) -> None:
        """Another height."""
        self.set_size_inches(self._size[0], height)

    def get_figwidth(self) -> float:
        """Its width in inches."""
        return self._size[0]

    def get_figheight(self) -> float:
        """Its height in inches."""
        return self._size[1]

    @property
    def dpi(self) -> float:
        """Pixels of an inch."""
        return self._dpi

    def get_dpi(self) -> float:
        """Pixels of an inch."""
        return self._dpi

    def set_dpi(self, dpi: Any) -> None:
        """Pixels of an inch."""
        self._dpi = dpi_of(dpi)

    def show(self, *_: Any, **__: Any) -> None:
        """Show it."""
        self._send()

    def savefig(self, fname: Any, *_: Any, **__: Any) -> None:
        """Show it under the file's name; there is no file."""
        self._name = file_name(fname)
        self._send()

    @property
    def canvas(self) -> Any:
        """What matplotlib draws on; there is none here, and nothing waits."""
        return Canvas(self)

    @property
    def patch(self) -> Any:
        """Its background."""
        return Side(self, 0, "patch")

    @property
    def transFigure(self) -> Any:  # noqa: N802
        """The coordinates of the figure, from 0 to 1."""
        return Side(self, 0, "transFigure")

    def __repr__(self) -> str:
        width, height = (round(side * self._dpi) for side in self._size)
        return f"<Figure size {width}x{height} with {len(self.axes)} Axes>"

    def __str__(self) -> str:
        width, height = (round(side * self._dpi) for side in self._size)
        return f"Figure({width}x{height})"

    def clf(self, *_: Any, **__: Any) -> None:
        """Begin anew."""
        self._calls.clear()
        self.axes.clear()
        self._titles.clear()
        self._current, self._sent, self._last = None, 0, 0

    clear = clf

    def text(self, x: Any, y: Any, s: Any, **kwargs: Any) -> Any:
        """A text in the figure."""
        return Text(self, self._note(self, "text", (x, y, s), kwargs), text=s)

    def legend(self, *args: Any, **kwargs: Any) -> Any:
        """A legend of all axes."""
        return Legend(self, self._note(self, "legend", args, kwargs))


SILENT = frozenset(
    ("num", "clear", "data", "gid", "url", "picker", "figure", "animated", "rasterized", "gridspec_kw", "in_layout")
)
"""Keywords without effect that are not worth a note."""


class Canvas:
    """`fig.canvas`: nothing waits to be drawn."""

    __slots__ = ("_figure",)

    def __init__(self, figure: Any) -> None:
        self._figure = figure

    def draw(self, *_: Any, **__: Any) -> None:
        """Nothing waits."""

    draw_idle = flush_events = set_window_title = mpl_connect = draw
    manager = property(lambda self: self)


class Colorbar(Handle):
    """`plt.colorbar()`."""

    __slots__ = ()

    @property
    def ax(self) -> Any:
        """The axes of the bar."""
        return Side(self._figure, self._number, "ax")

    def get_ticks(self, *_: Any) -> Any:
        """Its ticks, as far as they are known."""
        return np.linspace(0, 1, 6)


class Legend(Handle):
    """`ax.legend()`."""

    __slots__ = ()

    def get_frame(self) -> Any:
        """What is around it."""
        return Side(self._figure, self._number, "frame")

    def get_texts(self) -> list[Any]:
        """Its texts, which are told together."""
        return []


class Scalar:
    """`plt.cm.ScalarMappable`: a norm and a colormap for a colour bar."""

    __slots__ = ("_cmap", "_norm")

    def __init__(self, norm: Any = None, cmap: Any = None) -> None:
        self._norm, self._cmap = norm, cmap

    def set_array(self, *_: Any) -> None:
        """The values, of which a bar needs none."""

    set_clim = set_array


NAMED[Scalar] = lambda one: {
    "c": "ScalarMappable",
    "v": [],
    "d": {"norm": plain(one._norm, value_of), "cmap": plain(one._cmap, value_of)},
}


class GridSpec(Handle):
    """A grid: `fig.add_subplot(gs[0, :])`."""

    __slots__ = ("_shape",)
    _kind = "grid"

    def __init__(self, figure: FigureHandle, number: int, rows: int, columns: int) -> None:
        super().__init__(figure, number)
        self._shape = rows, columns

    def __getitem__(self, key: Any) -> Any:
        rows, columns = self._shape
        if not is_a(key, tuple):
            if rows == 1 or columns == 1:
                key = (0, key) if rows == 1 else (key, 0)
            elif type(key) is int:
                key = divmod(range(rows * columns)[key], columns)
            else:
                key = (key, slice(None))
        if len(key) != 2:
            raise ValueError("Unrecognized subplot spec")
        bounds = [_span(one, size) for one, size in zip(key, self._shape, strict=True)]
        return Side(self._figure, self._number, "[{}:{},{}:{}]".format(*bounds[0], *bounds[1]))

    def subplots(self, *, sharex: Any = False, sharey: Any = False, squeeze: bool = True, subplot_kw: Any = None) -> Any:
        """Axes in all fields."""
        return self._figure.subplots(*self._shape, sharex=sharex, sharey=sharey, squeeze=squeeze, subplot_kw=subplot_kw)


def _span(key: Any, size: int) -> tuple[int, int]:
    if type(key) is slice:
        start, stop, _ = key.indices(size)
        if start >= stop:
            raise IndexError("GridSpec slice would result in no space allocated for subplot")
        return start, stop
    if not -size <= int(key) < size:
        raise IndexError(f"index {int(key)} is out of bounds for axis with size {size}")
    return int(key) % size, int(key) % size + 1


KINDS: dict[Any, Any] = {}
"""The class of axes of each projection."""


def kind_of_axes(projection: Any) -> Any:
    """The class of axes of a projection. ValueError for one that there is not."""
    name = str.__str__(projection) if is_a(projection, str) else projection
    if name is not None and not (type(name) is str and name in KINDS):
        raise ValueError(
            f"{projection!r} is not a valid value for projection; supported values are '3d', 'polar', 'rectilinear'"
        )
    return KINDS[name]


def size_of(size: Any) -> tuple[float, float]:
    """A size in inches that can be drawn. ValueError for one that is none, in matplotlib's words."""
    found = numbers(size).astype(float).reshape(-1).tolist()
    if len(found) != 2 or not all(np.isfinite(one) and one >= 0 for one in found):
        raise ValueError(f"figure size must be positive finite not {tuple(found)}")
    if max(found) > LARGEST:
        notes.tell(f"Note: figures are at most {LARGEST:g} inches wide and high here.")
    return min(max(found[0], 0.1), LARGEST), min(max(found[1], 0.1), LARGEST)


def dpi_of(dpi: Any) -> float:
    """Pixels of an inch, of which there are not too many here."""
    found = float(numbers(dpi).reshape(-1)[0]) if dpi != "figure" else DPI
    return min(max(found, 10.0), 200.0) if np.isfinite(found) else DPI


def file_name(name: Any) -> str:
    """The name that a figure is saved by, without its folders."""
    return str.__str__(name).replace("\\", "/").rpartition("/")[2][:100] if is_a(name, str) else "figure"


def cycled(index: int) -> str:
    """The colour of the so-many-th line."""
    return CYCLE[index % len(CYCLE)]
