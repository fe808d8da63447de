"""Draws a figure with matplotlib, in a process that ends with it: the calls of a figure are looked at and replayed.

Nothing here reads a file: fonts are loaded before (`prepare`). What a call is given is made of plain data, and what may not be
(a keyword that is not in the list, text that is no mathematics, more ticks than can be read) is left out or refused.
"""

from __future__ import annotations

import io
import logging
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from string import Formatter
from types import SimpleNamespace
from typing import Any

import numpy as np

from ... import limits
from ...figures import Call, Figure, decoded, methods
from ...figures.data import TEXT, array_of
from ...progress import Tell
from .svg import clean

STYLES: dict[str, dict[str, Any]] = {}
"""The settings of matplotlib's own styles, as far as they are harmless."""
FONTS: dict[str, bytes] = {}
_fonts: Callable[..., Any]
MODULES = (
    "contourpy",
    "matplotlib._qhull",
    "matplotlib._tri",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.category",
    "matplotlib.cm",
    "matplotlib.collections",
    "matplotlib.contour",
    "matplotlib.dates",
    "matplotlib.figure",
    "matplotlib.hatch",
    "matplotlib.legend",
    "matplotlib.mathtext",
    "matplotlib.mlab",
    "matplotlib.patches",
    "matplotlib.projections.polar",
    "matplotlib.quiver",
    "matplotlib.scale",
    "matplotlib.stackplot",
    "matplotlib.streamplot",
    "matplotlib.style",
    "matplotlib.table",
    "matplotlib.ticker",
    "matplotlib.tri",
    "mpl_toolkits.mplot3d",
    "PIL.PngImagePlugin",
    "xml.etree.ElementTree",
)
"""What matplotlib imports when it is first used."""
MATHS = 200
"""Characters of a text with mathematics."""
TICKS = 500
"""Ticks that a call may set, levels of a contour, frames of colours."""
_SPAN = re.compile(r"\[(\d{1,4}):(\d{1,4}),(\d{1,4}):(\d{1,4})\]\Z")
_LONG = re.compile(r"\d{4,}|[*]")
_NESTED = re.compile(r"[{}^_]")


def prepare() -> None:
    """Load matplotlib and its fonts; a child can open no file."""
    global _fonts
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        matplotlib: Any = import_module("matplotlib")
        matplotlib.use("agg")
        for name in MODULES:
            import_module(name)
        font_manager: Any = import_module("matplotlib.font_manager")
        mathtext: Any = import_module("matplotlib._mathtext")
        ft2font: Any = import_module("matplotlib.ft2font")
        _fonts = ft2font.FT2Font
        fonts = os.path.join(matplotlib.get_data_path(), "fonts", "ttf")
        for name in os.listdir(fonts):
            if name.endswith(".ttf"):
                with open(os.path.join(fonts, name), "rb") as file:
                    # By both names: links are followed here, and cannot be in a child.
                    FONTS[file.name] = FONTS[os.path.realpath(file.name)] = file.read()
        manager = font_manager.fontManager
        manager.ttflist = [entry for entry in manager.ttflist if os.path.realpath(entry.fname) in FONTS]
        # They look whether a font's file is there, which nobody can see where there are no files.
        seeing = SimpleNamespace(**(vars(os.path) | {"exists": _is_loaded, "isfile": _is_loaded}))
        font_manager.os = mathtext.os = SimpleNamespace(**(vars(os) | {"path": seeing}))
        font_manager.ft2font = SimpleNamespace(**(vars(ft2font) | {"FT2Font": _font}))
        for name, settings in matplotlib.style.library.items():
            STYLES[name] = {
                key: value for key, value in settings.items() if not key.startswith(("savefig.", "path.", "text.usetex"))
            }
        matplotlib.rcParams["svg.fonttype"] = "path"
        matplotlib.rcParams["svg.hashsalt"] = "figure"
        matplotlib.rcParams["text.usetex"] = False
        logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
        _draw(Figure(1, 3.0, 2.0, calls=[
            Call(0, "add_subplot", [1, 2, 1], {}, [1]), Call(1, "plot", [[1, 2, 3]], {"label": "a $x^2$"}, [2]),
            Call(1, "legend", [], {}, [3]), Call(1, "imshow", [[[1.0, 2.0], [3.0, 4.0]]], {}, [4]),
            Call(0, "colorbar", [{"r": 4}], {"ax": {"r": 1}}, [5]),
            Call(0, "add_subplot", [1, 2, 2], {"projection": "3d"}, [6]), Call(6, "scatter", [[1.0], [2.0], [3.0]], {}, [7]),
            Call(0, "tight_layout", [], {}, []),
        ]))  # fmt: skip


def _is_loaded(path: Any) -> bool:
    return str(path) in FONTS  # its type is one of matplotlib's, which is no equal of its text


def _font(path: Any, **options: Any) -> Any:
    """A font from memory. FileNotFoundError for one that was not loaded."""
    data = FONTS.get(str(path))
    if not data:
        raise FileNotFoundError(f"there is no such font: {path}")
    return _fonts(io.BytesIO(data), **options)


def figure(argument: memoryview, tell: Tell) -> bytes:
    """The picture of a figure."""
    return _draw(decoded(bytes(argument).decode()))


def _draw(wanted: Figure) -> bytes:
    matplotlib: Any = import_module("matplotlib")
    figures: Any = import_module("matplotlib.figure")
    agg: Any = import_module("matplotlib.backends.backend_agg")
    size = [min(max(side, 0.5), 40.0) for side in (wanted.width, wanted.height)]
    dpi = min(wanted.dpi, 200.0)
    most = limits.FIGURE_PIXELS.value()
    pixels = size[0] * size[1] * dpi * dpi
    dpi *= min(1.0, (most / pixels) ** 0.5)
    with warnings.catch_warnings(), matplotlib.rc_context(STYLES.get(wanted.style, {})):
        warnings.simplefilter("ignore")
        made = figures.Figure(figsize=size, dpi=dpi)
        canvas = agg.FigureCanvasAgg(made)
        replay = Replay(made)
        for call in wanted.calls[: limits.FIGURE_CALLS.value()]:
            replay.call(call)
        made.set_size_inches(size)
        made.set_dpi(dpi)
        _without_broken(made, canvas)
        out = io.BytesIO()
        if replay.points < limits.FIGURE_CALLS.value() * 10:
            made.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
            text = clean(out.getvalue().decode()).encode()
            if len(text) <= limits.DRAWN.value() // 2:
                return text
        out = io.BytesIO()
        made.savefig(out, format="png", metadata={"Software": None})
        return out.getvalue()


def _without_broken(figure: Any, canvas: Any) -> None:
    """Take away what cannot be drawn, which matplotlib finds out late, so that the rest of a figure can be seen."""
    renderer = canvas.get_renderer()
    with suppress(Exception):
        figure.draw(renderer)
        return
    for axes in figure.axes:
        for artist in axes.get_children():
            try:
                artist.draw(renderer)
            except MemoryError:
                raise
            except Exception:
                with suppress(Exception):
                    artist.remove()


class Replay:
    """Calls, and what they have made so far."""

    def __init__(self, figure: Any) -> None:
        self.figure = figure
        self.made: dict[int, Any] = {0: figure}
        self.refused: list[str] = []
        """The calls that had no effect, and why."""
        self.points = 0
        """Numbers that are drawn."""

    def call(self, call: Call) -> None:
        """Make one call; one that matplotlib does not take has no effect."""
        try:
            self._call(call)
        except MemoryError:
            raise
        except Exception as error:  # whatever matplotlib makes of what a stranger has sent
            self.refused.append(f"{call.method}: {type(error).__name__}: {error}")

    def _call(self, call: Call) -> None:
        target = self.made[call.target]
        part, _, method = call.method.rpartition(".")
        if part and part[-1] == "]":
            raise ValueError("a place is no axes")
        if part:
            target = self._part(target, part)
        kind = kind_of(target)
        words = methods.keywords(kind, method)
        if words is None or not words.issuperset(call.kwargs):
            raise ValueError("no known call")
        name = {"clear": "clear"}.get(method, method)
        args = [self.value(arg) for arg in call.args]
        kwargs = {key: self.value(value, key) for key, value in call.kwargs.items()}
        _bounded(method, args, kwargs)
        result = getattr(target, name)(*args, **kwargs)
        found = list(result) if len(call.made) > 1 and isinstance(result, list | tuple) else [result]
        if len(call.made) == 1 and isinstance(result, list) and len(result) == 1:
            found = result
        if method == "hist":
            found = [result[2]]
        self.made.update(zip(call.made, found, strict=False))

    def _part(self, of: Any, part: str) -> Any:
        if part not in methods.PARTS[kind_of(of)]:
            raise ValueError("no known part")
        name, _, key = part.partition(":")
        if name == "spines" and key:
            return of.spines[key]
        if name == "label":
            return getattr(of, f"{key}axis").label if key else of.label
        if name == "frame":
            return of.get_frame()
        found = getattr(of, name)
        return found

    def value(self, value: Any, key: str = "") -> Any:
        """What a value stands for."""
        if isinstance(value, str):
            return _said(value)
        if isinstance(value, list):
            self.points += len(value)
            return [self.value(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "a" in value:
            found = array_of(value)
            self.points += found.size
            return found
        if "f" in value:
            return float(str(value["f"])[:10])
        if "r" in value:
            return self._reference(value)
        if "c" in value:
            return self._object(value)
        given = value.get("d", {})
        return {name: self.value(one) for name, one in given.items() if name in DICTS}

    def _reference(self, value: dict[str, Any]) -> Any:
        found = self.made[value["r"]]
        part = str(value.get("p", ""))
        span = _SPAN.match(part)
        if span is not None:
            top, bottom, left, right = map(int, span.groups())
            return found[top:bottom, left:right]
        return self._part(found, part) if part else found

    def _object(self, value: dict[str, Any]) -> Any:
        from matplotlib import cm, collections, colors, lines, patches, ticker

        name = value["c"]
        args = [self.value(one) for one in value.get("v", [])]
        kwargs = {key: self.value(one, key) for key, one in value.get("d", {}).items()}
        if name == "ScalarMappable":
            return cm.ScalarMappable(**{key: one for key, one in kwargs.items() if key in ("norm", "cmap")})
        if name not in methods.OBJECTS or not set(methods.OBJECTS[name].split()).issuperset(kwargs):
            raise ValueError("no known object")
        _bounded(name, args, kwargs)
        if name == "LinearSegmentedColormap":
            return colors.LinearSegmentedColormap.from_list(*args, **kwargs)
        module = next(module for module in (colors, ticker, patches, lines, collections) if hasattr(module, name))
        return getattr(module, name)(*args, **kwargs)


DICTS = frozenset(
    [
        "color",
        "c",
        "alpha",
        "fontsize",
        "size",
        "weight",
        "fontweight",
        "style",
        "family",
        "ha",
        "va",
        "rotation",
        "boxstyle",
        "facecolor",
        "fc",
        "edgecolor",
        "ec",
        "lw",
        "linewidth",
        "ls",
        "linestyle",
        "pad",
        "arrowstyle",
        "connectionstyle",
        "shrink",
        "width",
        "headwidth",
        "headlength",
        "shrinkA",
        "shrinkB",
        "markersize",
        "marker",
        "markerfacecolor",
        "markeredgecolor",
        "zorder",
        "label",
        "capsize",
        "capthick",
        "elinewidth",
        "ecolor",
        "mutation_scale",
        "wspace",
        "hspace",
        "left",
        "right",
        "top",
        "bottom",
        "height_ratios",
        "width_ratios",
        "relpos",
        "fill",
        "hatch",
    ]
)
"""What dicts in calls may say: the style of a box, an arrow, an error bar."""


def kind_of(thing: Any) -> str:
    """By which list of methods something goes."""
    from matplotlib import axes, figure, gridspec

    for kind, name in ((axes.Axes, "axes"), (figure.Figure, "figure"), (gridspec.GridSpec, "grid")):
        if isinstance(thing, kind):
            return name
    return "artist"


def _said(text: str) -> str:
    """A text, of which no mathematics is made that is long or does not read as such."""
    text = text[:TEXT]
    if text.count("$") < 2:
        return text.replace("$", r"\$") if "\\" not in text else text
    if len(text) > MATHS or len(_NESTED.findall(text)) > 60:
        return text.replace("$", r"\$")
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except Exception:
        return text.replace("\\", "").replace("$", r"\$")
    return text


SIZES = {
    "levels": TICKS,
    "bins": 10_000,
    "gridsize": 200,
    "numticks": TICKS,
    "nbins": TICKS,
    "points": 1_000,
    "rcount": 200,
    "ccount": 200,
    "density": 5,
    "N": 1_024,
    "ncolors": 1_024,
    "capsize": 100,
    "fontsize": 500,
    "size": 500,
    "linewidth": 500,
    "lw": 500,
    "labelsize": 500,
    "markersize": 1_000,
    "ms": 1_000,
    "markerscale": 100,
    "n": 100,
    "ncol": 100,
    "ncols": 100,
    "nrows": 100,
    "pad": 500,
    "labelpad": 500,
    "width": 1e9,
    "numpoints": 100,
    "scatterpoints": 100,
    "linespacing": 50,
}
"""Keywords, and what their numbers are at most."""


def _check_format(given: Any) -> None:
    """Refuse a format that is too wide, or looks into what it is given, with a ValueError."""
    if isinstance(given, str):
        if _LONG.search(given):
            raise ValueError("a format that is too wide")
        if any((name and not name.isalnum()) or "{" in (spec or "") for _, name, spec, _ in Formatter().parse(given)):
            raise ValueError("a format that looks into what it is given")


def _bounded(method: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Look at numbers that make much of little. ValueError for too much."""
    for key, value in kwargs.items():
        most = SIZES.get(key)
        if most is not None and isinstance(value, int | float) and not abs(value) <= most:
            raise ValueError(f"{key} is too large")
        if key in ("fmt", "autopct", "format"):
            _check_format(value)
    if "formatter" in method.lower():
        for one in args:
            _check_format(one)
    if method in ("add_subplot", "add_gridspec") and any(isinstance(one, int) and not 0 < one <= 999 for one in args):
        raise ValueError("a grid that is too fine")
    if method in ("set_xticks", "set_yticks", "set_zticks", "set_ticks") and args and np.size(args[0]) > TICKS:
        raise ValueError("more ticks than can be read")
    if method == "MultipleLocator" and args and not abs(args[0]) > 0:
        raise ValueError("no distance between ticks")
    if method in ("contour", "contourf", "tricontour", "tricontourf") and np.size(kwargs.get("levels", 0)) > TICKS:
        raise ValueError("more levels than can be seen")
