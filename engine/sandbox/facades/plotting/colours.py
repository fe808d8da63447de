"""`matplotlib.cm` and `matplotlib.colors`: colormaps that give colours, and norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....figures.colormaps import CYCLE, colour, is_listed, names, table
from .canvas import NAMED, Known, Scalar, maker, value_of
from .values import is_a, numbers, plain


class Colormap:
    """A colormap: gives colours for numbers from 0 to 1, or for whole numbers from its list."""

    __slots__ = ("N", "_colours", "_listed", "_made", "name")

    def __init__(self, name: str, colours: Any, listed: bool, count: int, made: Any = None) -> None:
        self.name, self._colours, self._listed, self.N = name, colours, listed, count
        self._made = made
        """How the process that draws makes it, where it has no name."""

    def __call__(self, X: Any, alpha: Any = None, bytes: bool = False) -> Any:  # noqa: N803
        found = numbers(X)
        whole = found.dtype.kind in "iu"
        flat = found.reshape(-1).tolist()
        made = np.array([self._at(one, whole) for one in flat]).reshape(*found.shape, 4)
        if alpha is not None:
            made[..., 3] = numbers(alpha)
        if bytes:
            made = np.rint(made * 255).astype(np.uint8)
        return made if found.ndim else tuple(made)

    def _at(self, one: Any, whole: bool) -> Any:
        if whole:
            one = min(max(one, 0), self.N - 1)
            if self._listed:
                return (*self._colours[one % len(self._colours)], 1.0)
            return colour(self._colours, False, one / max(self.N - 1, 1))
        if not self._listed and one == one:  # as matplotlib, which has so many colours and none between them
            one = min(int(min(max(one, 0.0), 1.0) * self.N), self.N - 1) / max(self.N - 1, 1)
        return colour(self._colours, self._listed, one)

    @property
    def colors(self) -> Any:
        """The colours of a list."""
        return tuple(self._colours) if self._listed else [self(index)[:3] for index in range(self.N)]

    def reversed(self, name: Any = None) -> Colormap:
        """The other way round."""
        turned = self.name.removesuffix("_r") if self.name.endswith("_r") else f"{self.name}_r"
        return Colormap(turned, self._colours[::-1], self._listed, self.N, self._made)

    def resampled(self, lutsize: Any) -> Colormap:
        """With so many colours."""
        return Colormap(self.name, self._colours, self._listed, min(max(int(lutsize), 1), 1024), self._made)

    def copy(self) -> Colormap:
        """The same."""
        return Colormap(self.name, self._colours, self._listed, self.N, self._made)

    def set_bad(self, *_: Any, **__: Any) -> None:
        """The colour of what is no number, which is left out here."""

    set_under = set_over = set_bad

    def __repr__(self) -> str:
        return f"<matplotlib colormap {self.name}>"


NAMED[Colormap] = lambda one: one.name if one._made is None else one._made
NAMES = frozenset(names())


def colormap(name: Any, lut: Any = None) -> Any:
    """A colormap by its name. ValueError for an unknown one, in matplotlib's words."""
    if is_a(name, Colormap):
        return name
    text = str.__str__(name) if is_a(name, str) else ""
    if text.removesuffix("_r") not in NAMES:
        raise ValueError(f"{text!r} is not a valid value for name; supported values are {', '.join(map(repr, sorted(NAMES)))}")
    colours = table(text)
    count = len(colours) if is_listed(text) else 256
    made = Colormap(text, colours, is_listed(text), count)
    return made if lut is None else made.resampled(lut)


class Colormaps:
    """`matplotlib.colormaps`."""

    __slots__ = ()

    def __getitem__(self, name: Any) -> Any:
        try:
            return colormap(name)
        except ValueError as error:
            raise KeyError(str(error)) from None

    def get_cmap(self, name: Any) -> Any:
        """One by its name."""
        return colormap("viridis" if name is None else name)

    def __iter__(self) -> Any:
        return iter(sorted({*NAMES, *(f"{name}_r" for name in NAMES)}))

    def __contains__(self, name: Any) -> bool:
        return is_a(name, str) and str.__str__(name).removesuffix("_r") in NAMES


class Normed(Known):
    """`Normalize(vmin, vmax)`, which programs also call."""

    __slots__ = ("vmax", "vmin")

    def __init__(self, vmin: Any = None, vmax: Any = None, clip: bool = False) -> None:
        super().__init__("Normalize", (vmin, vmax), {})
        self.vmin, self.vmax = vmin, vmax

    def __call__(self, value: Any) -> Any:
        found = numbers(value).astype(float)
        low = float(found.min()) if self.vmin is None else float(numbers(self.vmin))
        high = float(found.max()) if self.vmax is None else float(numbers(self.vmax))
        made = (found - low) / ((high - low) or 1.0)
        return made if found.ndim else float(made)


NAMED[Normed] = lambda one: {"c": "Normalize", "v": one._called[0], "d": {}}
BASE = {"b": "#0000ff", "g": "#008000", "r": "#ff0000", "c": "#00bfbf", "m": "#bf00bf", "y": "#bfbf00", "k": "#000000",
        "w": "#ffffff"}  # fmt: skip
SOME = {
    "black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#008000", "blue": "#0000ff", "orange": "#ffa500",
    "purple": "#800080", "gray": "#808080", "grey": "#808080", "yellow": "#ffff00", "cyan": "#00ffff", "magenta": "#ff00ff",
    "brown": "#a52a2a", "pink": "#ffc0cb", "navy": "#000080", "teal": "#008080", "crimson": "#dc143c", "steelblue": "#4682b4",
}  # fmt: skip
TABLEAU = dict(zip(("blue", "orange", "green", "red", "purple", "brown", "pink", "gray", "olive", "cyan"), CYCLE, strict=True))


def to_rgba(c: Any, alpha: Any = None) -> tuple[float, float, float, float]:
    """A colour as four numbers. ValueError for what is none."""
    if is_a(c, str):
        name = str.__str__(c)
        hexed = BASE.get(name) or SOME.get(name) or (TABLEAU.get(name[4:]) if name[:4] == "tab:" else None) or name
        if name[:1] == "C" and name[1:].isdecimal():
            hexed = CYCLE[int(name[1:3]) % 10]
        if hexed[:1] == "#" and len(hexed) in (4, 7, 9):
            digits = hexed[1:] if len(hexed) > 4 else "".join(digit * 2 for digit in hexed[1:])
            parts = [int(digits[start : start + 2], 16) / 255 for start in range(0, len(digits), 2)]
        else:
            try:
                parts = [float(name)] * 3
            except ValueError:
                raise ValueError(f"{name!r} is not a known colour here; write it as '#rrggbb'") from None
    else:
        parts = numbers(c).astype(float).reshape(-1).tolist()
    if len(parts) not in (3, 4):
        raise ValueError(f"RGBA sequence should have length 3 or 4, not {len(parts)}")
    last = float(numbers(alpha)) if alpha is not None else parts[3] if len(parts) == 4 else 1.0
    return parts[0], parts[1], parts[2], last


def to_rgb(c: Any) -> tuple[float, float, float]:
    """A colour as three numbers."""
    return to_rgba(c)[:3]


def to_hex(c: Any, keep_alpha: bool = False) -> str:
    """A colour as "#rrggbb"."""
    return "#" + "".join(f"{round(part * 255):02x}" for part in to_rgba(c)[: 4 if keep_alpha else 3])


def listed(colors: Any, name: Any = "from_list", N: Any = None) -> Colormap:  # noqa: N803
    """`ListedColormap`."""
    shades = [to_rgb(one) for one in (colors if is_a(colors, list, tuple) else [*numbers(colors)])]
    shades = shades[: 1024 if N is None else int(N)]
    made = {"c": "ListedColormap", "v": [plain([list(one) for one in shades], value_of)], "d": {}}
    return Colormap("from_list", shades, True, len(shades), made)


class Segmented:
    """`LinearSegmentedColormap`."""

    __slots__ = ()

    @staticmethod
    def from_list(name: Any, colors: Any, N: Any = 256, gamma: Any = 1.0) -> Colormap:  # noqa: N803
        """Between these colours."""
        given = [*colors]
        if given and is_a(given[0], tuple) and len(given[0]) == 2:
            given = [one[1] for one in given]
        shades = [to_rgb(one) for one in given]
        count = min(max(int(N), 1), 1024)
        made = {
            "c": "LinearSegmentedColormap",
            "v": ["from_list", plain([list(one) for one in shades], value_of), count],
            "d": {},
        }
        return Colormap("from_list", shades, False, count, made)


def cm() -> dict[str, Any]:
    """What `matplotlib.cm` has."""
    ours = {name: colormap(name) for base in NAMES for name in (base, f"{base}_r")}
    return ours | {
        "ScalarMappable": Scalar,
        "get_cmap": lambda name=None, lut=None: colormap("viridis" if name is None else name, lut),
    }


def colors() -> dict[str, Any]:
    """What `matplotlib.colors` has."""
    norms = ("LogNorm", "PowerNorm", "SymLogNorm", "TwoSlopeNorm", "CenteredNorm", "BoundaryNorm")
    css = SOME | BASE
    return {name: maker(name) for name in norms} | {
        "Normalize": Normed,
        "ListedColormap": listed,
        "LinearSegmentedColormap": Segmented(),
        "to_rgba": to_rgba,
        "to_rgb": to_rgb,
        "to_hex": to_hex,
        "rgb2hex": to_hex,
        "Colormap": Colormap,
        "BASE_COLORS": {key: to_rgb(one) for key, one in BASE.items()},
        "TABLEAU_COLORS": {f"tab:{key}": one for key, one in TABLEAU.items()},
        "CSS4_COLORS": css,
        "to_rgba_array": lambda c, alpha=None: np.array([to_rgba(one, alpha) for one in (c if is_a(c, list, tuple) else [c])]),
    }
