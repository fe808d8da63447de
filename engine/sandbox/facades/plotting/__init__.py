"""matplotlib and seaborn for programs: their calls are noted as plain data, and a process without program code draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....figures import methods
from ...policy.errors import MissingAttribute
from ...policy.guards import Guards
from ..facade import Facade
from ..system import get_ipython
from . import animation, colours, display, pyplot, seaborn, tensorboard
from .axes import Axes, Axes3D
from .canvas import AxesImage, FigureHandle, GridSpec, Line2D, Rectangle, Text, maker, notes
from .values import numbers

__all__ = ["TOPS", "ended", "facades"]

TOPS = (
    "IPython", "matplotlib", "matplotlib_inline", "mpl_toolkits", "pylab", "seaborn", "tensorboardX", "torch.utils.tensorboard",
)  # fmt: skip
"""The packages, and a module of another one, whose facades these are."""
VERSION = "3.10.0"
"""What `matplotlib.__version__` says: the version whose calls these are."""
LOCATORS = [name for name in methods.OBJECTS if name.endswith(("Locator", "Formatter", "Notation"))]
PATCHES = ("Patch", "Rectangle", "Circle", "Ellipse", "Polygon", "Arrow", "FancyArrow", "FancyArrowPatch", "FancyBboxPatch",
           "Wedge")  # fmt: skip


for _kind, _module, _name in (
    (FigureHandle, "matplotlib.figure", "Figure"),
    (Axes, "matplotlib.axes._axes", "Axes"),
    (Axes3D, "mpl_toolkits.mplot3d.axes3d", "Axes3D"),
    (Line2D, "matplotlib.lines", "Line2D"),
    (Rectangle, "matplotlib.patches", "Rectangle"),
    (Text, "matplotlib.text", "Text"),
    (AxesImage, "matplotlib.image", "AxesImage"),
    (GridSpec, "matplotlib.gridspec", "GridSpec"),
    (colours.Colormap, "matplotlib.colors", "Colormap"),
):
    # Programs print them.
    _kind.__module__, _kind.__name__, _kind.__qualname__ = _module, _name, _name


SHADOWED = frozenset(("abs", "bool", "bytes", "max", "min", "pow", "round"))
"""Names of NumPy's that `pylab` leaves to Python."""


def facades(numpy: Facade, load: Callable[[str], None], guards: Guards) -> dict[str, Facade]:
    """The modules by name.

    Args:
        numpy: what programs have of NumPy, whose names `pylab` has as well.
        load: lets programs use a library.
    """
    # Grids of axes are arrays of objects.
    guards.noticed("arrays")
    guards.opened += (display.Shell,)
    plt, cm, colors = pyplot.names(), colours.cm(), colours.colors()
    cm_facade = _facade("matplotlib.cm", cm)
    plt["cm"] = cm_facade
    plt["colormaps"] = colours.Colormaps()
    plt |= {"Figure": Figure, "Axes": Axes, "Line2D": maker("Line2D"), "Normalize": colors["Normalize"], "GridSpec": _grid,
            "Circle": maker("Circle"), "Rectangle": maker("Rectangle"), "Polygon": maker("Polygon")} | {
            name: maker(name) for name in LOCATORS}  # fmt: skip
    made: dict[str, dict[str, Any]] = {
        "matplotlib.animation": animation.names(),
        "IPython": {"get_ipython": get_ipython},
        "IPython.core": {},
        "IPython.core.display": display.names(),
        "IPython.core.interactiveshell": {"InteractiveShell": display.Shell()},
        "IPython.display": display.names(),
        "matplotlib.axes": {"Axes": Axes},
        "matplotlib.collections": {"LineCollection": maker("LineCollection")},
        "matplotlib.colors": colors,
        "matplotlib.dates": {},
        "matplotlib.figure": {"Figure": Figure},
        "matplotlib.font_manager": {"FontProperties": lambda *_, **__: None},
        "matplotlib.gridspec": {"GridSpec": _grid},
        "matplotlib.image": {"AxesImage": AxesImage},
        "matplotlib.lines": {"Line2D": maker("Line2D")},
        "matplotlib.mlab": {},
        "matplotlib.patches": {name: maker(name) for name in PATCHES},
        "matplotlib.pylab": _pylab(numpy) | plt | {"plt": _facade("matplotlib.pyplot", plt)},
        "matplotlib.pyplot": plt,
        "pylab": _pylab(numpy) | plt | {"plt": _facade("matplotlib.pyplot", plt)},
        "matplotlib.style": {name: getattr(plt["style"], name) for name in ("available", "context", "use")},
        "matplotlib.ticker": {name: maker(name) for name in LOCATORS}
        | {"FuncFormatter": _unseen("FuncFormatter"), "FixedFormatter": maker("FixedFormatter")},
        "matplotlib_inline": {},
        "matplotlib_inline.backend_inline": {"set_matplotlib_formats": _taken},
        "mpl_toolkits.mplot3d": {"Axes3D": _axes3d},
        "mpl_toolkits.mplot3d.axes3d": {"Axes3D": _axes3d},
        "mpl_toolkits.axes_grid1": {"make_axes_locatable": Divider, "ImageGrid": image_grid},
        "mpl_toolkits": {},
        "seaborn": seaborn.names(load),
        "tensorboardX": tensorboard.names(),
        "torch.utils.tensorboard": tensorboard.names(),
        "matplotlib": {
            "__version__": VERSION,
            "colormaps": colours.Colormaps(),
            "get_backend": lambda: "agg",
            "interactive": _taken,
            "rc": pyplot.rc,
            "rc_context": pyplot.rc_context,
            "rcParams": pyplot.rcParams,
            "set_loglevel": _taken,
            "use": _taken,
            "rcdefaults": _taken,
        },
    }
    guards.know(
        (FigureHandle, Axes, Axes3D, AxesImage, GridSpec, Line2D, Rectangle, Text, colours.Colormap, tensorboard.SummaryWriter)
    )
    found = {name: _facade(name, names) for name, names in made.items()} | {"matplotlib.cm": cm_facade}
    for name, facade in found.items():
        package, _, last = name.rpartition(".")
        if package in found:
            vars(found[package])[last] = facade
    return found


def _pylab(numpy: Facade) -> dict[str, Any]:
    """What `pylab` has of NumPy."""
    names: dict[str, Any] = {}
    for module in (numpy, *(vars(numpy)[below] for below in ("fft", "random", "linalg"))):
        names |= {name: value for name, value in vars(module).items() if name not in SHADOWED}
    return names | {"np": numpy, "numpy": numpy}


def ended() -> None:
    """The program, or the cell of a notebook, has ended: what it drew and did not show is shown."""
    tensorboard.ended()
    pyplot.ended()


def _facade(name: str, names: dict[str, Any]) -> Facade:
    def missing(attribute: str) -> AttributeError:
        return MissingAttribute(
            f"module '{name}' has no attribute '{attribute}' for programs here",
            "A call that only adorns a plot can be left out.",
        )

    return Facade(name, names, missing)


def _taken(*_: Any, **__: Any) -> None:
    """Taken, without effect."""


def _unseen(name: str) -> Callable[..., None]:
    """What is made of a function of the program's, which the process that draws does not have."""
    return lambda *_, **__: notes.unknown(name)


def Figure(figsize: Any = None, dpi: Any = None, **kwargs: Any) -> Any:  # noqa: N802
    """`matplotlib.figure.Figure`."""
    return pyplot.figure(None, figsize, dpi, **kwargs)


def _axes3d(fig: Any, *_: Any, **__: Any) -> Any:
    """`Axes3D(fig)`, as axes in space were made before there was `projection="3d"`."""
    return fig.add_subplot(111, projection="3d")


def _grid(nrows: Any, ncols: Any, figure: Any = None, **kwargs: Any) -> Any:
    """`GridSpec` of the current figure, or the one that is given."""
    return (pyplot.gcf() if figure is None else figure).add_gridspec(nrows, ncols, **kwargs)


class Divider:
    """`make_axes_locatable(ax)`: room for a colour bar beside axes."""

    __slots__ = ("_axes",)

    def __init__(self, axes: Any) -> None:
        self._axes = axes

    def append_axes(self, position: Any, size: Any = "5%", pad: Any = 0.05, **_: Any) -> Any:
        """Axes at a side of the others."""
        bounds = {
            "right": [1.03, 0, 0.05, 1], "left": [-0.08, 0, 0.05, 1], "top": [0, 1.03, 1, 0.05], "bottom": [0, -0.08, 1, 0.05]
        }  # fmt: skip
        return self._axes.inset_axes(bounds[position])


def image_grid(fig: Any, rect: Any, nrows_ncols: Any = (1, 1), **_: Any) -> Any:
    """`ImageGrid`: axes for images, in a list."""
    rows, columns = numbers(nrows_ncols).tolist()
    return [*fig.subplots(rows, columns, squeeze=False).reshape(-1)]
