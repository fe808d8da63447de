"""`matplotlib.pyplot`: the figures that are open, and functions that draw into the current one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....figures import methods
from ....figures.colormaps import names as colormap_names
from ....safe_attributes import read
from ...policy.errors import PolicyError
from . import canvas
from .canvas import FigureHandle, Handle, cycled, dpi_of, notes, size_of
from .colours import colormap
from .values import is_a, numbers, plain

MOST_OPEN = 100


class Open:
    """The figures that are open, by number, and the current one."""

    def __init__(self) -> None:
        self.figures: dict[int, FigureHandle] = {}
        self.current: FigureHandle | None = None
        self.names: dict[str, int] = {}


opened = Open()


def figure(num: Any = None, figsize: Any = None, dpi: Any = None, *, clear: bool = False, **kwargs: Any) -> Any:
    """A new figure, or one that is open."""
    if is_a(num, FigureHandle):
        opened.current = num
        return num
    if is_a(num, str):
        num = opened.names.setdefault(str.__str__(num)[:200], max(opened.figures, default=0) + 1)
    if num is None:
        num = max(opened.figures, default=0) + 1
    num = int(num)
    if num not in opened.figures:
        size = size_of(figsize) if figsize is not None else notes.size
        if len(opened.figures) >= MOST_OPEN:
            raise PolicyError(f"a program has at most {MOST_OPEN} figures open here", "Close them: plt.close('all').")
        opened.figures[num] = FigureHandle(num, size, dpi_of(dpi) if dpi is not None else notes.dpi)
        made = opened.figures[num]
        for key, call in (("layout", "set_layout_engine"), ("facecolor", "set_facecolor"), ("edgecolor", "set_edgecolor")):
            if kwargs.get(key) is not None:
                made._note(made, call, (kwargs[key],), {})
        if kwargs.get("tight_layout") or kwargs.get("constrained_layout"):
            made._note(made, "set_layout_engine", ("tight" if kwargs.get("tight_layout") else "constrained",), {})
    opened.current = opened.figures[num]
    if clear:
        opened.current.clf()
    return opened.current


def gcf() -> Any:
    """The current figure."""
    return opened.current if opened.current is not None else figure()


def gca(**kwargs: Any) -> Any:
    """The current axes."""
    return gcf().gca(**kwargs)


def sca(ax: Any) -> None:
    """From now on these axes."""
    opened.current = ax._figure
    ax._figure.sca(ax)


def axes(arg: Any = None, **kwargs: Any) -> Any:
    """New axes, or those that are given become the current ones."""
    if is_a(arg, Handle):
        sca(arg)
        return arg
    return gcf().add_subplot(1, 1, 1, **kwargs) if arg is None else gcf().add_axes(arg, **kwargs)


def subplot(*args: Any, **kwargs: Any) -> Any:
    """Axes in a grid; those that are there already are given again."""
    if not args:
        args = (1, 1, 1)
    if len(args) == 1 and type(args[0]) is int:
        args = tuple(int(digit) for digit in str(args[0]))
    fig = gcf()
    key = tuple(str(plain(arg, canvas.value_of)) for arg in args)
    for ax, was in _PLACES.get(fig, ()):
        if was == key and ax in fig.axes and not kwargs:
            fig.sca(ax)
            return ax
    made = fig.add_subplot(*args, **kwargs)
    _PLACES.setdefault(fig, []).append((made, key))
    return made


_PLACES: dict[Any, list[tuple[Any, tuple[str, ...]]]] = {}
"""Of figures, the axes that were asked for by place."""


def subplots(nrows: Any = 1, ncols: Any = 1, *, figsize: Any = None, dpi: Any = None, **kwargs: Any) -> Any:
    """A new figure with a grid of axes."""
    ours = {key: kwargs.pop(key) for key in GRID if key in kwargs}
    made = figure(kwargs.pop("num", None), figsize, dpi, **kwargs)
    return made, made.subplots(nrows, ncols, **ours)


GRID = ("sharex", "sharey", "squeeze", "width_ratios", "height_ratios", "subplot_kw", "gridspec_kw")


def subplot_mosaic(mosaic: Any, **kwargs: Any) -> Any:
    """A new figure with axes in a layout that is drawn with letters."""
    lines = [line.strip() for line in mosaic.replace(";", "\n").split("\n") if line.strip()] if is_a(mosaic, str) else mosaic
    rows = [list(line) for line in lines]
    made = figure(None, kwargs.get("figsize"), kwargs.get("dpi"))
    grid = made.add_gridspec(len(rows), len(rows[0]))
    found: dict[Any, Any] = {}
    for name in dict.fromkeys(one for row in rows for one in row if one != "."):
        places = [(r, c) for r, row in enumerate(rows) for c, one in enumerate(row) if one == name]
        (top, left), (bottom, right) = min(places), (max(r for r, _ in places), max(c for _, c in places))
        found[name] = made.add_subplot(grid[top : bottom + 1, left : right + 1])
    return made, found


def subplot2grid(shape: Any, loc: Any, rowspan: int = 1, colspan: int = 1, **kwargs: Any) -> Any:
    """Axes over several fields of a grid."""
    grid = gcf().add_gridspec(*shape)
    return gcf().add_subplot(grid[loc[0] : loc[0] + rowspan, loc[1] : loc[1] + colspan], **kwargs)


def show(*_: Any, **__: Any) -> None:
    """Show what has been drawn, and close it."""
    _send_all()
    close("all")


def _send_all() -> None:
    for one in [*opened.figures.values()]:
        one._send()


def ended() -> None:
    """The program, or the cell of a notebook, has ended: what it drew and did not show is shown."""
    if opened.figures:
        show()


def close(fig: Any = None) -> None:
    """Forget the current figure, one, or all."""
    if is_a(fig, str) and fig == "all":
        opened.figures.clear()
        _PLACES.clear()
        opened.current = None
        return
    if fig is None:
        fig = opened.current
    for number, one in [*opened.figures.items()]:
        if one is fig or (type(fig) is int and number == fig):
            del opened.figures[number]
            _PLACES.pop(one, None)
    if opened.current not in opened.figures.values():
        opened.current = opened.figures[max(opened.figures)] if opened.figures else None


def savefig(*args: Any, **kwargs: Any) -> None:
    """Show the current figure under the file's name; there is no file."""
    gcf().savefig(*args, **kwargs)


def fignum_exists(num: Any) -> bool:
    """Whether a figure is open."""
    return num in opened.figures


def get_fignums() -> list[int]:
    """The numbers of the open figures."""
    return sorted(opened.figures)


def clf() -> None:
    """Begin the current figure anew."""
    gcf().clf()


def cla() -> None:
    """Begin the current axes anew."""
    gca().clear()


def colorbar(mappable: Any = None, cax: Any = None, ax: Any = None, **kwargs: Any) -> Any:
    """A bar of the colours of the last image, or of what is given."""
    fig = gcf() if mappable is None or not is_a(mappable, Handle) else mappable._figure
    return fig.colorbar(fig._mappable if mappable is None else mappable, cax, ax, **kwargs)


def clim(vmin: Any = None, vmax: Any = None) -> None:
    """The limits of the colours."""
    gcf()._mappable.set_clim(vmin, vmax)


def set_cmap(name: Any) -> None:
    """The colormap of the last image, and of those to come."""
    notes.cmap = colormap(name)
    if gcf()._mappable is not None:
        gcf()._mappable.set_cmap(name)


def imsave(fname: Any, arr: Any, cmap: Any = None, **kwargs: Any) -> None:
    """Show an image alone under the file's name; there is no file."""
    before = opened.current
    made = figure()
    made.gca().axis("off")
    made.gca().imshow(arr, cmap, **{key: kwargs[key] for key in ("vmin", "vmax", "origin") if key in kwargs})
    made.savefig(fname)
    close(made)
    opened.current = before


def suptitle(t: Any, **kwargs: Any) -> Any:
    """The title above all axes."""
    return gcf().suptitle(t, **kwargs)


def tight_layout(**kwargs: Any) -> None:
    """Make room for labels."""
    gcf()._note(gcf(), "tight_layout", (), kwargs)


def subplots_adjust(**kwargs: Any) -> None:
    """Room around the axes."""
    gcf()._note(gcf(), "subplots_adjust", (), kwargs)


def figtext(x: Any, y: Any, s: Any, **kwargs: Any) -> Any:
    """A text in the figure."""
    return gcf().text(x, y, s, **kwargs)


def figlegend(*args: Any, **kwargs: Any) -> Any:
    """A legend of all axes."""
    return gcf().legend(*args, **kwargs)


def xticks(ticks: Any = None, labels: Any = None, **kwargs: Any) -> Any:
    """Where the ticks are, and their labels."""
    return _ticks("x", ticks, labels, kwargs)


def yticks(ticks: Any = None, labels: Any = None, **kwargs: Any) -> Any:
    """Where the ticks are, and their labels."""
    return _ticks("y", ticks, labels, kwargs)


def _ticks(axis: str, ticks: Any, labels: Any, kwargs: dict[str, Any]) -> Any:
    ax = gca()
    if ticks is None and labels is None:
        if kwargs:
            told = {"rotation": "labelrotation", "fontsize": "labelsize", "size": "labelsize", "color": "labelcolor"}
            ax._call("tick_params", [], {"axis": axis} | {told[key]: value for key, value in kwargs.items() if key in told})
        return getattr(ax, f"get_{axis}ticks")(), getattr(ax, f"get_{axis}ticklabels")()
    if ticks is None:
        ax._call(f"set_{axis}ticklabels", [labels], kwargs)
        return None, labels
    found = numbers(ticks).reshape(-1)
    ax._ticks(axis, found, labels, kwargs)
    return found, [] if labels is None else labels


def xlim(*args: Any, **kwargs: Any) -> Any:
    """The limits of x, which are set where any are given."""
    return gca().set_xlim(*args, **kwargs) if args or kwargs else gca().get_xlim()


def ylim(*args: Any, **kwargs: Any) -> Any:
    """The limits of y, which are set where any are given."""
    return gca().set_ylim(*args, **kwargs) if args or kwargs else gca().get_ylim()


def imshow(*args: Any, **kwargs: Any) -> Any:
    """An image in the current axes."""
    return gca().imshow(*args, **kwargs)


def matshow(A: Any, fignum: Any = None, **kwargs: Any) -> Any:  # noqa: N803
    """A matrix in a figure of its own."""
    if fignum is None:
        figure()
    return gca().matshow(A, **kwargs)


def polar(*args: Any, **kwargs: Any) -> Any:
    """Lines in polar coordinates."""
    return gca(projection="polar").plot(*args, **kwargs)


def pause(*_: Any) -> None:
    """Nothing moves here."""


def setp(obj: Any, *_: Any, **kwargs: Any) -> None:
    """Properties of something, or of several things."""
    for one in obj if is_a(obj, list, tuple) or is_a(obj, np.ndarray) else [obj]:
        for key, value in kwargs.items():
            read(one, f"set_{key}")(value)


def imread(*_: Any, **__: Any) -> Any:
    """There are no image files here."""
    raise PolicyError("plt.imread cannot read a file here", "Make a picture with torch.rand or a list of numbers.")


class Switch:
    """`plt.ion()`, `plt.ioff()`, `plt.style.context(…)`: taken, also in a `with`."""

    __slots__ = ("_after",)

    def __init__(self, after: Callable[[], None] = lambda: None) -> None:
        self._after = after

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *_: Any) -> None:
        self._after()


class Settings:
    """`plt.rcParams`: the size of figures is kept, everything else is taken and dropped."""

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        name = str.__str__(key) if is_a(key, str) else ""
        if name == "figure.figsize":
            notes.size = size_of(value)
        elif name == "figure.dpi":
            notes.dpi = dpi_of(value)
        elif name == "image.cmap":
            notes.cmap = colormap(value)
        else:
            notes.unknown("a setting of matplotlib besides figure.figsize, figure.dpi and image.cmap")

    def __getitem__(self, key: Any) -> Any:
        known = {
            "figure.figsize": [*notes.size],
            "figure.dpi": notes.dpi,
            "axes.prop_cycle": Cycle(),
            "lines.linewidth": 1.5,
            "lines.markersize": 6.0,
            "font.size": 10.0,
            "font.family": ["sans-serif"],
            "image.cmap": notes.cmap.name if notes.cmap is not None else "viridis",
        }
        if key not in known:
            raise KeyError(f"{key} is not a valid rc parameter (see rcParams.keys() for a list of valid parameters)")
        return known[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Several at once."""
        for given in (*args, kwargs):
            if is_a(given, dict):
                for key, value in dict.items(given):
                    self[key] = value

    def copy(self) -> dict[str, Any]:
        """The size of figures."""
        return {"figure.figsize": [*notes.size], "figure.dpi": notes.dpi}

    def get(self, key: Any, default: Any = None) -> Any:
        """One of them."""
        try:
            return self[key]
        except KeyError:
            return default


class Cycle:
    """`plt.rcParams["axes.prop_cycle"]`: the colours that lines take in turn."""

    __slots__ = ()

    def by_key(self) -> dict[str, list[str]]:
        """The colours."""
        return {"color": [cycled(index) for index in range(10)]}

    def __iter__(self) -> Iterator[dict[str, str]]:
        return iter([{"color": cycled(index)} for index in range(10)])


STYLES = (
    "bmh",
    "classic",
    "dark_background",
    "fivethirtyeight",
    "ggplot",
    "grayscale",
    "seaborn-v0_8",
    "seaborn-v0_8-darkgrid",
    "seaborn-v0_8-whitegrid",
    "seaborn-v0_8-white",
    "seaborn-v0_8-ticks",
    "seaborn-v0_8-dark",
    "seaborn-v0_8-deep",
    "seaborn-v0_8-muted",
    "seaborn-v0_8-paper",
    "seaborn-v0_8-talk",
    "tableau-colorblind10",
    "Solarize_Light2",
)


class Style:
    """`plt.style`."""

    __slots__ = ()
    available = list(STYLES)

    def use(self, style: Any) -> None:
        """Draw in a style from now on. OSError for one that there is not, in matplotlib's words."""
        for one in style if is_a(style, list, tuple) else [style]:
            name = str.__str__(one) if is_a(one, str) else "default"
            if name == "default":
                notes.style = ""
            elif name in STYLES or name.startswith("seaborn"):
                notes.style = name if name in STYLES else "seaborn-v0_8" + name.removeprefix("seaborn").removeprefix("-v0_8")
                notes.style = notes.style if notes.style in STYLES else "seaborn-v0_8"
            else:
                raise OSError(
                    f"{name!r} is not a valid package style, path of style file, URL of style file, or library style name "
                    f"(library styles are listed in `style.available`)"
                )

    def context(self, style: Any, *_: Any, **__: Any) -> Switch:
        """Draw in a style within a `with`."""
        before = notes.style
        self.use(style)
        return Switch(lambda: setattr(notes, "style", before))

    def reload_library(self) -> None:
        """Nothing is read."""


def _of_axes(name: str) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        return getattr(gca(), name)(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


def rc(group: Any, *_: Any, **kwargs: Any) -> None:
    """Settings of a group."""
    for key, value in kwargs.items():
        rcParams[f"{group}.{key}"] = value


def rc_context(rc: Any = None, **_: Any) -> Switch:
    """Settings within a `with`."""
    before = notes.size, notes.dpi, notes.cmap

    def after() -> None:
        notes.size, notes.dpi, notes.cmap = before

    rcParams.update(rc)
    return Switch(after)


def set_loglevel(*_: Any, **__: Any) -> None:
    """Nothing is logged."""


rcParams = Settings()  # noqa: N816
SETTERS = {"title": "set_title", "xlabel": "set_xlabel", "ylabel": "set_ylabel", "xscale": "set_xscale", "yscale": "set_yscale"}
"""Functions that are named otherwise than the methods of axes."""
OWN = ("axes", "cla", "clear", "clf", "imshow", "matshow", "legend", "text", "set", "remove")
COLORMAPS = (
    "autumn", "bone", "cool", "copper", "flag", "gray", "hot", "hsv", "inferno", "jet", "magma", "nipy_spectral", "pink",
    "plasma", "prism", "spring", "summer", "viridis", "winter",
)  # fmt: skip
"""Colormaps that a function of their name sets."""


def names() -> dict[str, Any]:
    """What `matplotlib.pyplot` has."""
    ours: dict[str, Any] = {
        name: thing for name, thing in globals().items()
        if callable(thing) and getattr(thing, "__module__", "") == __name__ and name[0] != "_" and not isinstance(thing, type)
    }  # fmt: skip
    del ours["names"], ours["ended"]
    drawing = [name for name in methods.AXES if name[:4] not in ("set_", "add_") and name not in ours]
    extra = ("autoscale", "bar", "barh", "hist", "pie", "twinx", "twiny", "axis", "grid", "annotate", "text", "legend")
    ours |= {name: _of_axes(name) for name in (*drawing, *extra)}
    ours |= {name: _of_axes(method) for name, method in SETTERS.items()}
    ours |= {name: _setting(name) for name in COLORMAPS}
    return ours | {
        "rcParams": rcParams, "style": Style(), "ion": Switch, "ioff": Switch, "draw": pause, "draw_if_interactive": pause,
        "isinteractive": lambda: False, "get_cmap": get_cmap, "colormaps": colormap_names, "switch_backend": pause,
        "waitforbuttonpress": lambda *_, **__: False, "ginput": lambda *_, **__: [], "rcdefaults": pause, "box": _box,
        "get_backend": lambda: "agg", "xkcd": lambda *_, **__: Switch(),
    }  # fmt: skip


def _setting(name: str) -> Callable[[], None]:
    """`plt.gray()`: a function that sets the colormap of its name."""

    def setting() -> None:
        set_cmap(name)

    setting.__name__ = setting.__qualname__ = name
    return setting


def _box(on: Any = None) -> None:
    gca().set_frame_on(on is None or bool(on))


def get_cmap(name: Any = None, lut: Any = None) -> Any:
    """A colormap by its name."""
    return colormap("viridis" if name is None else name, lut)
