"""Pictures of a sweep: the loss along a line with its slopes, or over a plane with arrows and lines of equal height."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from components.html.scales import is_steep
from engine.experiments.sweep.messages import Spot
from engine.lazy import Late
from engine.sweep import Sweep
from engine.sweep.contours import contours, levels

if TYPE_CHECKING:
    import altair as alt
else:
    alt = Late("altair")

HEIGHT = 330
ARROWS = 9
"""Arrows along each axis."""
SLOPES = 15
"""Pieces of tangents along a curve."""
HEAT = ["#fbfdff", "#e0ecf8", "#c3d9ef", "#a2c5e6", "#7fafda", "#5f99cd"]
BLUE, INK, FAINT, PATH, GREY = "#3f78c2", "#10243f", "#2f5f94", "#e8772e", "#9aa3af"
Rows = list[dict[str, Any]]


def picture(sweep: Sweep, what: str, before: Sweep | None = None) -> Any:
    """The chart; `what` names the loss, and `before` is the sweep of an earlier run over the same names, of which the curve or
    the path is laid over this one."""
    with np.errstate(all="ignore"):
        made = _line(sweep, what) if len(sweep.axes) == 1 else _plane(sweep, what)
        if before is not None:
            made = alt.layer(made, *_earlier(before, sweep, what))
    return made.properties(height=HEIGHT, background="transparent").configure_view(strokeWidth=0)


def _data(rows: Rows) -> Any:
    """Rows for a chart, but for those in which a number is not finite, as in a run that diverges: no browser reads such."""
    return alt.InlineData(
        values=[row for row in rows if all(v.__class__ is not float or math.isfinite(v) for v in row.values())]
    )


def _title(label: str) -> str:
    return label.split(" · ")[0]


def _scale(loss: np.ndarray[Any, Any]) -> Literal["log", "linear"]:
    return "log" if is_steep(loss[np.isfinite(loss)].tolist()) else "linear"


def _shown(value: float) -> str:
    return f"{value:.5g}"


# --- along a line -------------------------------------------------------------------------------------------------------------


def _line(sweep: Sweep, what: str) -> Any:
    axis = sweep.axes[0]
    rows: Rows = [
        {"x": x, "loss": float(loss), "gradient": _known(float(slope))}
        for x, loss, slope in zip(axis.values, sweep.loss, sweep.gradients[:, 0], strict=True)
        if math.isfinite(loss)
    ]
    low, high = min(axis.values), max(axis.values)
    x = alt.X("x:Q", title=_title(axis.label), scale=alt.Scale(domain=[low, high], nice=False, clamp=False))
    steep = _scale(sweep.loss) == "log"
    y = alt.Y("loss:Q", title=None, scale=alt.Scale(type="log") if steep else alt.Scale(zero=False))
    tooltip = [alt.Tooltip("x:Q", title=_title(axis.label), format=".5g"), alt.Tooltip("loss:Q", title=what, format=".5g")]
    slope = alt.Tooltip("gradient:Q", format=".5g")
    base = alt.Chart(_data(rows)).encode(x=x, y=y, tooltip=[*tooltip, slope])
    layers: list[Any] = [
        base.mark_line(strokeWidth=2, color=BLUE, clip=True),
        base.mark_point(size=60, filled=True, opacity=0.001, clip=True),
    ]
    slopes = _slopes(sweep, low, high)
    if slopes:
        tangents = alt.Chart(_data(slopes)).mark_line(color="#2f9e62", strokeWidth=2.2, clip=True)
        layers.append(tangents.encode(x="x:Q", y="loss:Q", detail="of:N"))
    layers += _path(_steps(sweep.path), _title(axis.label), "", what, "x", "loss")
    failed = [{"x": axis.values[k], "why": why} for k, why in sweep.errors.items()]
    if failed:
        ticks = alt.Chart(_data(failed)).mark_tick(color=GREY, thickness=3, size=12)
        layers.append(ticks.encode(x="x:Q", y=alt.value(HEIGHT - 60), tooltip=["x:Q", "why:N"]))
    return alt.layer(*layers)


def _slopes(sweep: Sweep, low: float, high: float) -> Rows:
    """Short pieces of tangents: what the backward pass says of the curve's slope, not what the curve looks like."""
    axis = sweep.axes[0]
    finite = sweep.loss[np.isfinite(sweep.loss)]
    if finite.size == 0:
        return []
    rise, run, steep = max(float(np.ptp(finite)), 1e-12), max(high - low, 1e-12), _scale(sweep.loss) == "log"
    rows: Rows = []
    for k in range(0, len(axis.values), max(1, len(axis.values) // SLOPES)):
        value, slope, x = float(sweep.loss[k]), float(sweep.gradients[k, 0]), float(axis.values[k])
        if not (math.isfinite(value) and math.isfinite(slope)):
            continue
        half = 0.028 * run / math.hypot(1.0, slope * run / rise)
        for end in (-half, half):
            if not steep or value + slope * end > 0:
                rows.append({"x": x + end, "loss": value + slope * end, "of": k})
    return rows


# --- over a plane -------------------------------------------------------------------------------------------------------------


def _plane(sweep: Sweep, what: str) -> Any:
    first, second = sweep.axes
    xs, ys = _edges(first.values), _edges(second.values)
    names = {"x": _title(first.label), "y": _title(second.label)}
    heat: Rows = []
    grey: Rows = []
    coarse = sweep.coarse
    for index, (i, j) in enumerate(np.ndindex(sweep.loss.shape)):
        # Cells overlap a little, so that no seams show.
        right, top = xs[i + 1] + 0.08 * (xs[i + 1] - xs[i]), ys[j + 1] + 0.08 * (ys[j + 1] - ys[j])
        cell = {"x": xs[i], "x2": right, "y": ys[j], "y2": top, "at x": first.values[i], "at y": second.values[j]}
        value, known = float(coarse[i, j]), not math.isnan(sweep.loss[i, j])
        if math.isfinite(value):
            slopes = ", ".join(_shown(float(g)) for g in sweep.gradients[i, j] if math.isfinite(g))
            heat.append({**cell, "loss": value, "gradient": slopes, "known": known})
        elif index in sweep.errors or not math.isnan(value):
            grey.append({**cell, "why": sweep.errors.get(index, _shown(value))})
    x = alt.X("x:Q", title=names["x"], scale=alt.Scale(domain=[xs[0], xs[-1]], nice=False))
    y = alt.Y("y:Q", title=names["y"], scale=alt.Scale(domain=[ys[0], ys[-1]], nice=False))
    tooltip = [
        alt.Tooltip("at x:Q", title=names["x"], format=".5g"),
        alt.Tooltip("at y:Q", title=names["y"], format=".5g"),
    ]
    colour = alt.Color(
        "loss:Q",
        title=None,
        scale=alt.Scale(type=_scale(sweep.loss), range=HEAT, nice=False),
        legend=alt.Legend(orient="top", gradientLength=150, gradientThickness=9, format=".3g"),
    )
    cells = alt.Chart(_data(heat)).mark_rect(clip=True)
    told = [*tooltip, alt.Tooltip("loss:Q", title=what, format=".5g"), "gradient:N"]
    opacity = alt.condition("datum.known", alt.value(1.0), alt.value(0.6))
    layers: list[Any] = [cells.encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour, tooltip=told, opacity=opacity)]
    if grey:
        failed = alt.Chart(_data(grey)).mark_rect(color=GREY, opacity=0.7, clip=True)
        layers.append(failed.encode(x=x, x2="x2:Q", y=y, y2="y2:Q", tooltip=[*tooltip, "why:N"]))
    lines = [
        {"x": a, "y": b, "x2": c, "y2": d}
        for level in levels(sweep.loss)
        for a, b, c, d in contours([float(v) for v in first.values], [float(v) for v in second.values], sweep.loss, level)
    ]
    if lines:
        level_lines = alt.Chart(_data(lines)).mark_rule(color=FAINT, strokeWidth=0.9, opacity=0.65, clip=True)
        layers.append(level_lines.encode(x="x:Q", y="y:Q", x2="x2:Q", y2="y2:Q"))
    arrows = _arrows(sweep)
    if arrows:
        drawn = alt.Chart(_data(arrows)).mark_line(color=INK, strokeWidth=1.3, opacity=0.85, clip=True)
        layers.append(drawn.encode(x="x:Q", y="y:Q", detail="of:N", order="n:Q"))
    layers += _path(_steps(sweep.path), names["x"], names["y"], what, "x", "y")
    return alt.layer(*layers)


def _edges(values: tuple[int | float, ...]) -> list[float]:
    """The borders of cells that have these values in the middle."""
    if len(values) < 2:
        return [values[0] - 0.5, values[0] + 0.5]
    middles = [(a + b) / 2 for a, b in pairwise(values)]
    return [2 * values[0] - middles[0], *middles, 2 * values[-1] - middles[-1]]


def _arrows(sweep: Sweep) -> Rows:
    """Arrows downhill: where a step against the gradient leads, as long as the gradient is large, up to one gap."""
    first, second = (axis.values for axis in sweep.axes)
    rows_, columns = (max(1, math.ceil(len(values) / ARROWS)) for values in (first, second))
    wide, high = (max(float(max(v) - min(v)), 1e-12) for v in (first, second))
    gap = 0.9 / ARROWS
    found = []
    for i in range(rows_ // 2, len(first), rows_):
        for j in range(columns // 2, len(second), columns):
            gradient = np.nan_to_num(sweep.gradients[i, j], nan=0.0)
            # In parts of the picture, so that they are as long along both axes.
            u, v = -float(gradient[0]) / wide, -float(gradient[1]) / high
            if math.isfinite(sweep.loss[i, j]) and 0 < math.hypot(u, v) < math.inf:
                found.append((float(first[i]), float(second[j]), u, v))
    longest = max((math.hypot(u, v) for *_, u, v in found), default=0.0)
    if not longest:
        return []
    rows: Rows = []
    for of, (x, y, u, v) in enumerate(found):
        length = math.hypot(u, v)
        scale = gap * math.sqrt(length / longest) / length
        u, v = u * scale, v * scale
        back = 0.32
        spots = [(0, 0), (u, v), (u - back * (u - 0.6 * v), v - back * (v + 0.6 * u)), (u, v),
                 (u - back * (u + 0.6 * v), v - back * (v - 0.6 * u))]  # fmt: skip
        rows += [{"x": x + a * wide, "y": y + b * high, "of": of, "n": n} for n, (a, b) in enumerate(spots)]
    return rows


# --- the path -----------------------------------------------------------------------------------------------------------------


def _steps(path: list[Spot]) -> Rows:
    """The spots of a path where it moved."""
    rows: Rows = []
    for spot in path:
        where = dict(zip("xy", spot.values, strict=False))
        if rows and all(rows[-1][k] == v for k, v in where.items()):
            continue
        at = f"pass {spot.number}" if spot.number else "the end"
        rows.append({**where, "loss": _known(spot.loss), "at": at, "n": len(rows), "line": spot.line or None})
    return rows


def _path(rows: Rows, x: str, y: str, what: str, across: str, up: str) -> list[Any]:
    """A line through the spots, from a ring to a dot."""
    rows = [row for row in rows if row.get(up) is not None]
    if not rows:
        return []
    tooltip: list[Any] = ["at:N", alt.Tooltip("x:Q", title=x, format=".5g")]
    tooltip += [alt.Tooltip("y:Q", title=y, format=".5g")] if y else []
    tooltip += [alt.Tooltip("loss:Q", title=what, format=".5g"), "line:Q"]
    base = alt.Chart(_data(rows)).encode(x=f"{across}:Q", y=f"{up}:Q", tooltip=tooltip)
    return [
        base.mark_line(color=PATH, strokeWidth=2, clip=True).encode(order="n:Q"),
        base.mark_point(color=PATH, size=26, filled=True, opacity=1, clip=True),
        base.transform_filter("datum.n == 0").mark_point(
            color=PATH, size=110, filled=False, strokeWidth=2.4, opacity=1, clip=True
        ),
    ]


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _earlier(before: Sweep, sweep: Sweep, what: str) -> list[Any]:
    """The curve or the path of the run before this one, dashed, as far as it lies within the picture."""
    if len(before.axes) == 1:
        axis = before.axes[0]
        low, high = min(sweep.axes[0].values), max(sweep.axes[0].values)
        rows = [
            {"x": x, "loss": float(loss)}
            for x, loss in zip(axis.values, before.loss, strict=True)
            if math.isfinite(loss) and low <= x <= high
        ]
        up, tooltip = "loss", [alt.Tooltip("loss:Q", title=f"{what}, the run before", format=".5g")]
    else:
        rows = _steps(before.path)
        up, tooltip = "y", [alt.Tooltip("at:N", title="the run before")]
    if len(rows) < 2:
        return []
    base = alt.Chart(_data([{**row, "n": at} for at, row in enumerate(rows)]))
    line = base.mark_line(color=GREY, strokeWidth=1.8, strokeDash=[5, 3], clip=True)
    return [line.encode(x="x:Q", y=f"{up}:Q", order="n:Q", tooltip=tooltip)]
