"""The commonest functions of seaborn, by way of those of matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ....itself import OURS
from . import pyplot
from .canvas import notes
from .colours import colormap, to_rgb
from .values import is_a, is_array, numbers, table_in

DEEP = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd")
STYLES = {"white": "seaborn-v0_8-white", "dark": "seaborn-v0_8-dark", "whitegrid": "seaborn-v0_8-whitegrid",
          "darkgrid": "seaborn-v0_8-darkgrid", "ticks": "seaborn-v0_8-ticks"}  # fmt: skip


def set_theme(context: Any = "notebook", style: Any = "darkgrid", palette: Any = "deep", *_: Any, **kwargs: Any) -> None:
    """Draw in a style of seaborn's from now on."""
    set_style(style)
    if kwargs.get("rc") is not None:
        pyplot.rcParams.update(kwargs["rc"])


def set_style(style: Any = None, rc: Any = None) -> None:
    """Draw in a style of seaborn's from now on."""
    name = str.__str__(style) if is_a(style, str) else "darkgrid"
    if name not in STYLES:
        raise ValueError(f"style must be one of {', '.join(STYLES)}")
    notes.style = STYLES[name]


def _taken(*_: Any, **__: Any) -> None:
    """`set_context`, `set_palette`: taken, without effect."""


class Palette(list):  # type: ignore[type-arg]
    """A list of colours."""

    __slots__ = ()

    def as_hex(self) -> list[str]:
        """The same as "#rrggbb"."""
        return ["#" + "".join(f"{round(part * 255):02x}" for part in one[:3]) for one in self]


def color_palette(palette: Any = None, n_colors: Any = None, desat: Any = None, as_cmap: bool = False) -> Any:
    """Colours by the name of a palette or a colormap."""
    if is_a(palette, list, tuple):
        return Palette([to_rgb(one) for one in palette])
    name = "deep" if palette is None else str.__str__(palette)
    if name in ("deep", "muted", "bright", "pastel", "dark", "colorblind"):
        count = 10 if n_colors is None else int(n_colors)
        return Palette([to_rgb(DEEP[index % 10]) for index in range(min(count, 1_000))])
    if name in ("husl", "hls"):
        name = "hsv"
    found = colormap(name)
    if as_cmap:
        return found
    count = min(6 if n_colors is None else int(n_colors), 1_000)
    if name.removesuffix("_r") in ("tab10", "tab20") or found._listed:
        return Palette([found(index % found.N)[:3] for index in range(count if n_colors is not None else found.N)])
    return Palette([found(float(at))[:3] for at in np.linspace(0, 1, count + 2)[1:-1]])


def _column(data: Any, key: Any) -> Any:
    """What a key of the data stands for, or what was given itself."""
    if key is None or data is None or not is_a(key, str):
        return key
    if table_in(data) is not None:
        return data[key]
    return dict.__getitem__(data, key) if is_a(data, dict) else key


def _ax(ax: Any) -> Any:
    return pyplot.gca() if ax is None else ax


def _groups(x: Any, y: Any, hue: Any) -> list[tuple[Any, Any, Any]]:
    """x and y by their hue."""
    if hue is None:
        return [(None, x, y)]
    kinds = numbers(hue).reshape(-1)
    labels = list(dict.fromkeys(kinds.tolist()))[:100]
    return [(label, None if x is None else numbers(x).reshape(-1)[kinds == label], numbers(y).reshape(-1)[kinds == label])
            for label in labels]  # fmt: skip


def lineplot(data: Any = None, *, x: Any = None, y: Any = None, hue: Any = None, ax: Any = None, palette: Any = None,
             legend: Any = "auto", **kwargs: Any) -> Any:  # fmt: skip
    """Lines, one for each hue; of several y for one x their mean."""
    ax = _ax(ax)
    if y is None and (is_array(data) or is_a(data, list)):
        ax.plot(data, **kwargs)
        return ax
    if y is None and is_a(data, dict):
        for name, column in dict.items(data):
            ax.plot(column, label=name)
        ax.legend()
        return ax
    names = x, y
    x, y, hue = (_column(data, one) for one in (x, y, hue))
    for label, xs, ys in _groups(x, y, hue):
        heights = numbers(ys).reshape(-1)
        places = np.arange(heights.size) if xs is None else numbers(xs).reshape(-1)
        found, which = np.unique(places, return_inverse=True)
        means = np.bincount(which, heights.astype(float)) / np.bincount(which)
        ax.plot(found, means, **({} if label is None else {"label": str(label)}), **_for_lines(kwargs))
    _labelled(ax, *names, hue if legend else None)
    return ax


def _for_lines(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in kwargs.items() if key not in ("errorbar", "ci", "style", "markers", "size", "estimator")
    }


def scatterplot(data: Any = None, *, x: Any = None, y: Any = None, hue: Any = None, ax: Any = None, palette: Any = None,
                legend: Any = "auto", **kwargs: Any) -> Any:  # fmt: skip
    """Points, of a colour for each hue."""
    ax = _ax(ax)
    names = x, y
    x, y, hue = (_column(data, one) for one in (x, y, hue))
    shades = color_palette(palette, 10) if hue is not None else []
    for index, (label, xs, ys) in enumerate(_groups(x, y, hue)):
        more = {} if label is None else {"label": str(label), "color": shades[index % len(shades)]}
        ax.scatter(
            xs, ys, **more, **{key: one for key, one in kwargs.items() if key not in ("style", "markers", "size", "sizes")}
        )
    _labelled(ax, *names, hue if legend else None)
    return ax


def _labelled(ax: Any, x: Any, y: Any, hue: Any) -> None:
    if is_a(x, str):
        ax.set_xlabel(x)
    if is_a(y, str):
        ax.set_ylabel(y)
    if hue is not None:
        ax.legend()


def heatmap(data: Any, *, vmin: Any = None, vmax: Any = None, cmap: Any = None, center: Any = None, annot: Any = None,
            fmt: Any = ".2g", annot_kws: Any = None, linewidths: Any = 0, linecolor: Any = "white", cbar: bool = True,
            square: bool = False, xticklabels: Any = "auto", yticklabels: Any = "auto", ax: Any = None,
            **kwargs: Any) -> Any:  # fmt: skip
    """A matrix in colours, with its numbers where `annot` is true."""
    ax = _ax(ax)
    matrix = numbers(data).astype(float)
    if matrix.ndim != 2:
        raise ValueError("Must pass 2-d input. shape=" + str(matrix.shape))
    low = float(np.nanmin(matrix)) if vmin is None else vmin
    high = float(np.nanmax(matrix)) if vmax is None else vmax
    if center is not None:
        wide = max(high - center, center - low)
        low, high = center - wide, center + wide
    shades = colormap("magma" if cmap is None else cmap) if not is_a(cmap, list) else colormap("magma")
    rows, columns = matrix.shape
    made = ax.pcolormesh(np.arange(columns + 1), np.arange(rows + 1), matrix, cmap=shades, vmin=low, vmax=high,
                         edgecolors=linecolor if linewidths else "face", linewidth=linewidths)  # fmt: skip
    ax.set_xlim(0, columns)
    ax.set_ylim(rows, 0)
    titles = (data.columns, data.index) if table_in(data) is not None else (None, None)
    for axis, labels, count, names in (("x", xticklabels, columns, titles[0]), ("y", yticklabels, rows, titles[1])):
        if labels is False:
            getattr(ax, f"set_{axis}ticks")([])
            continue
        step = max(1, count // 25)
        given = labels if not is_a(labels, str, bool, int) else range(count) if names is None else names
        named = [str(one) for one in [*given]]
        getattr(ax, f"set_{axis}ticks")([index + 0.5 for index in range(0, count, step)], labels=named[::step])
    if annot is not None and annot is not False and matrix.size <= 2_500:
        shown = matrix if annot is True else numbers(annot)
        for row in range(rows):
            for column in range(columns):
                one, value = matrix[row, column], shown[row, column].item()
                dark = sum(shades((one - low) / ((high - low) or 1.0))[:3]) < 1.5
                form = str.__str__(fmt)[:10]
                said = value if is_a(value, str) else format(int(value) if form == "d" else value, form)
                ax.text(
                    column + 0.5, row + 0.5, said, ha="center", va="center", color="w" if dark else ".15", **(annot_kws or {})
                )
    if square:
        ax.set_aspect("equal")
    if cbar:
        ax._figure.colorbar(made, ax=ax)
    return ax


def histplot(data: Any = None, *, x: Any = None, hue: Any = None, bins: Any = "auto", kde: bool = False, stat: Any = "count",
             ax: Any = None, color: Any = None, label: Any = None, palette: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """A histogram, of each hue one."""
    ax = _ax(ax)
    values = _column(data, x) if x is not None else data
    if kde:
        notes.unknown("the argument kde of histplot()")
    for group, _, ys in _groups(None, values, _column(data, hue)):
        named = {"label": str(group)} if group is not None else {} if label is None else {"label": label}
        taken = {key: kwargs[key] for key in ("alpha", "edgecolor", "linewidth") if key in kwargs}
        tinted = {} if color is None else {"color": color}
        ax.hist(ys, bins, density=stat in ("density", "probability"), **named, **tinted, **taken)
    ax.set_ylabel(str(stat).capitalize())
    _labelled(ax, x, None, hue)
    return ax


def kdeplot(data: Any = None, *, x: Any = None, ax: Any = None, fill: bool = False, **kwargs: Any) -> Any:
    """The density of numbers, by kernels with Scott's width."""
    ax = _ax(ax)
    values = numbers(_column(data, x) if x is not None else data).reshape(-1).astype(float)
    values = values[np.isfinite(values)][:20_000]
    width = (values.std(ddof=1) if values.size > 1 else 1.0) * values.size ** (-1 / 5) or 1.0
    places = np.linspace(values.min() - 3 * width, values.max() + 3 * width, 200)
    density = [float(np.exp(-(((at - values) / width) ** 2) / 2).mean() / (width * np.sqrt(2 * np.pi))) for at in places]
    kept = {key: kwargs[key] for key in ("label", "color", "alpha") if key in kwargs}
    if fill:
        ax.fill_between(places, density, **(kept | {"alpha": 0.25}))
    else:
        ax.plot(places, density, **kept)
    ax.set_ylabel("Density")
    return ax


def barplot(data: Any = None, *, x: Any = None, y: Any = None, ax: Any = None, color: Any = None, palette: Any = None,
            hue: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """Bars; of several y for one x their mean."""
    ax = _ax(ax)
    names = x, y
    places, heights = (numbers(_column(data, one)).reshape(-1) for one in (x, y))
    kinds = list(dict.fromkeys(places.tolist()))
    means = [float(heights[places == kind].mean()) for kind in kinds]
    shades = color_palette(palette, max(len(kinds), 1)) if palette is not None else [color or DEEP[0]] * len(kinds)
    ax.bar([str(kind) for kind in kinds], means, color=[*shades[: len(kinds)]])
    _labelled(ax, *names, None)
    return ax


def countplot(data: Any = None, *, x: Any = None, ax: Any = None, **kwargs: Any) -> Any:
    """How often each value is there."""
    ax = _ax(ax)
    found, counts = np.unique(numbers(_column(data, x) if x is not None else data).reshape(-1), return_counts=True)
    ax.bar([str(one) for one in found.tolist()], counts)
    ax.set_ylabel("count")
    return ax


def _of_axes(name: str) -> Callable[..., Any]:
    def drawn(data: Any = None, *, x: Any = None, y: Any = None, ax: Any = None, **_: Any) -> Any:
        ax = _ax(ax)
        getattr(ax, name)(_column(data, y if y is not None else x) if y is not None or x is not None else data)
        return ax

    return drawn


def despine(fig: Any = None, ax: Any = None, top: bool = True, right: bool = True, left: bool = False, bottom: bool = False,
            **_: Any) -> None:  # fmt: skip
    """Take sides of the axes away."""
    for one in [ax] if ax is not None else [*pyplot.gcf().axes]:
        for name, away in (("top", top), ("right", right), ("left", left), ("bottom", bottom)):
            if away:
                one.spines[name].set_visible(False)


class Grid:
    """What `pairplot` gives: a figure with axes for each pair of columns."""

    def __init__(self, figure: Any, axes: Any) -> None:
        self.fig = self.figure = figure
        self.axes = axes

    def add_legend(self, *_: Any, **__: Any) -> Any:
        """The legend of the first axes that have something to tell apart."""
        self.axes[0][0].legend()
        return self


def pairplot(data: Any, *, hue: Any = None, vars: Any = None, x_vars: Any = None, y_vars: Any = None, kind: str = "scatter",
             diag_kind: Any = "auto", palette: Any = None, height: float = 2.5, **_: Any) -> Any:  # fmt: skip
    """Each column of numbers against each other one, and by itself as a histogram.

    Raises:
        TypeError: for anything but a table.
    """
    if table_in(data) is None:
        raise TypeError(f"'data' must be pandas DataFrame object, not: {type(data)}")
    columns = [str(name) for name in data.columns]
    found = [name for name in columns if name != hue and numbers(data[name]).dtype.kind in "biuf"]
    across, down = ([*(one or vars or found)][:MOST] for one in (x_vars, y_vars))
    figure, axes = pyplot.subplots(len(down), len(across), figsize=(height * len(across), height * len(down)), squeeze=False)
    for row, y in enumerate(down):
        for column, x in enumerate(across):
            ax = axes[row][column]
            if x != y:
                scatterplot(data, x=x, y=y, hue=hue, palette=palette, legend=False, ax=ax, s=8)
            elif diag_kind is not None:
                histplot(data, x=x, ax=ax)
            ax.set_xlabel(x if row == len(down) - 1 else "")
            ax.set_ylabel("" if column else y)
    return Grid(figure, axes)


MOST = 8
"""Columns that are drawn against each other."""


def _tables(load: Callable[[str], None]) -> Callable[..., Any]:
    def load_dataset(name: Any, *_: Any, **__: Any) -> Any:
        """A table of seaborn's examples, of which one is here: 150 irises.

        Raises:
            OSError: for any other one, which would have to be downloaded.
        """
        if not is_a(name, str) or str.__ne__(name, "iris"):
            raise OSError(
                'there is no network here. Of seaborn\'s tables only "iris" is here; open the CSV file of another one together '
                "with the program, and read it with pandas.read_csv"
            )
        load("pandas")
        frame = import_module(f"{OURS}libraries.pandas.frame").DataFrame
        flowers = import_module(f"{OURS}libraries.sklearn.loaded").load_iris()
        lengths = [f"{part}_{side}" for part in ("sepal", "petal") for side in ("length", "width")]
        table = dict(zip(lengths, flowers["data"].T, strict=True))
        return frame(table | {"species": [str(flowers["target_names"][kind]) for kind in flowers["target"]]})

    return load_dataset


def names(load: Callable[[str], None]) -> dict[str, Any]:
    """What `seaborn` has.

    Args:
        load: lets programs use a library.
    """
    return {
        "load_dataset": _tables(load),
        "pairplot": pairplot,
        "set": set_theme,
        "set_theme": set_theme,
        "set_style": set_style,
        "set_context": _taken,
        "set_palette": _taken,
        "set_color_codes": _taken,
        "reset_defaults": _taken,
        "axes_style": lambda *_, **__: pyplot.Switch(),
        "plotting_context": lambda *_, **__: pyplot.Switch(),
        "reset_orig": _taken,
        "color_palette": color_palette,
        "hls_palette": lambda n=6, **_: color_palette("hsv", n),
        "husl_palette": lambda n=6, **_: color_palette("hsv", n),
        "cubehelix_palette": lambda n=6, **k: color_palette("magma", n),
        "lineplot": lineplot,
        "scatterplot": scatterplot,
        "heatmap": heatmap,
        "histplot": histplot,
        "distplot": histplot,
        "kdeplot": kdeplot,
        "barplot": barplot,
        "countplot": countplot,
        "boxplot": _of_axes("boxplot"),
        "violinplot": _of_axes("violinplot"),
        "despine": despine,
        "__version__": "0.13.2",
    }
