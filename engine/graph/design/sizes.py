"""The picture's sizes, gaps, widths of lines and dashes, and which colours its kinds of cards have.

Lengths are pixels at zoom 1; a baseline is counted from the upper edge of its card; opacities go from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Dash: TypeAlias = tuple[float, ...]


# --- letters ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Font:
    """A size of the picture's typeface, in one of its two weights."""

    size: float
    bold: bool = False


WEIGHTS = (400, 600)
"""Of the two: as CSS counts them."""
FONTS: dict[str, Font] = {
    "title": Font(14.5, True),
    "small": Font(11.5),
    "name": Font(11.5, True),
    "row": Font(12.5),
    "strong": Font(12.5, True),
    "pill": Font(13),
    "mark": Font(10, True),
    "sign": Font(11, True),
    "tab": Font(12.5, True),
    "tab_rest": Font(12),
    "head": Font(16, True),
    "caption": Font(12),
}


# --- cards --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """Border and fill of a kind of card, by the names of their colours."""

    stroke: str = "border"
    line: float = 1.4
    fill: str = "card"
    dash: Dash = ()
    block: str = "block"
    """From afar."""


LOOKS: dict[str, Look] = {
    "usual": Look(),
    "leaf": Look("blue", 2.0, block="blue_block"),
    "accumulate": Look("blue", 1.6, "blue_tint", block="blue_block"),
    "root": Look("ink", 2.2),
    "constant": Look("line", 1.2, "constant"),
    "cut": Look("cut", 1.4, dash=(4, 4)),
    "group": Look("blue_text", 1.5, block="blue_block"),
    "removed": Look("red", 1.4, "constant", (2, 3)),
    "begins": Look("red", 2.2, "red_tint", block="red_tint"),
    "running": Look("orange", 2.8, "orange_tint", block="orange"),
    "receiving": Look("orange", 2.4, block="orange_block"),
}
"""By tone (`look_of`); "usual" for all that have none of their own, the last three for what happens at a step."""


def look_of(tone: str) -> Look:
    """Border and fill of the cards of a tone."""
    return LOOKS.get(tone, LOOKS["usual"])


@dataclass(frozen=True, slots=True)
class _Card:
    padding: float = 12
    radius: float = 9
    pill_radius: float = 16
    title: float = 20
    badge: float = 19.5
    sub: float = 36
    first_row: float = 53
    row: float = 17
    below: float = 6
    """Room under the last row."""
    gap: float = 8
    """Between texts that are no columns."""
    word: float = 4
    """Between the parts of one."""
    badge_least: float = 0.35
    """Share of the card's width that a badge may always take, and"""
    badge_named: float = 0.55
    """the same where it is the name of a tensor beside that of an operation."""
    label: float = 9
    """Between the labels of rows and what stands behind them, and the same"""
    label_tight: float = 6
    """where a curve stands beside it."""
    flow: float = 0.45
    """Share of a row that what flows may take."""
    stripe: float = 5
    """How wide the stripe is that says which colour the reader has given to a card, along its left edge, and"""
    stripe_in: float = 3.5
    """how far it stays away from it."""
    shadow: float = 1.5
    halo: float = 7
    stack: float = 8
    """How far the lower of two cards peeps out behind a group's."""
    stack_line: float = 1
    ghost: float = 0.45
    """Opacity of what does not exist yet at the step."""
    ghost_line: float = 1.2
    ghost_dash: Dash = (4, 4)
    some_dash: Dash = (6, 4)
    """What only some iterations have."""
    old: float = 0.6
    """Opacity of such a card in an iteration that does not have it."""


@dataclass(frozen=True, slots=True)
class _Pill:
    padding: float = 8
    base: float = 4.3
    """Of its text, below its middle."""
    gap: float = 8
    least: float = 26
    """Room from which on its value is written."""
    below: float = 14
    below_halo: float = 19
    """Baseline of what stands under it, from its lower edge."""
    spill: float = 24
    """How far that may reach beyond it at either side."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """The small sign of the ready queue on a card's upper right corner, by its centre."""

    aside: float = 5
    down: float = 2
    pill_aside: float = 8
    pill_down: float = -1
    radius: float = 6
    ready: float = 7.5
    line: float = 1.6
    dash: Dash = (2.4, 2)
    filled: float = 1.6
    """By how much what fills is smaller than the ring."""
    base: float = 3.6
    tick: tuple[tuple[float, float], ...] = ((-2.9, 0.2), (-0.8, 2.3), (3, -2.1))
    tick_line: float = 1.7


@dataclass(frozen=True, slots=True)
class _Sign:
    """ "NaN", "Inf" or "!" on a card's upper left corner."""

    left: float = 6
    up: float = 9
    height: float = 17
    letter: float = 7
    padding: float = 10
    base: float = 3.2


@dataclass(frozen=True, slots=True)
class _Rows:
    """Parameters that stand in the card of what uses them."""

    most: int = 4
    height: float = 22
    gap: float = 4
    below: float = 6
    aside: float = 9
    head: float = 76
    """What the card itself needs above them."""
    over: float = 2
    """Room under the card's own rows."""
    radius: float = 6
    line: float = 1.3
    padding: float = 9
    base: float = 15
    more: float = 7
    """Baseline of "+3 more", from the lower edge of its row."""
    gap_number: float = 7
    least: float = 40
    """Room from which on a number is written."""


@dataclass(frozen=True, slots=True)
class _Spark:
    """Curves over all iterations."""

    card: float = 196
    """Width of cards that have them beside their numbers."""
    width: float = 58
    least: float = 34
    height: float = 14
    up: float = 11
    """Of its upper edge, above the baseline of its row."""
    gap: float = 7
    words: float = 122
    """What a row's label and a number such as "0.02 ± 0.57" take."""
    narrow: float = 118
    """Cards with less room than this have no curves beside their numbers."""
    line: float = 1.2
    dot: float = 0.6
    """Length of the line where there is one number between gaps."""
    bad: float = 1.5
    """Least width of where it is not finite."""
    cursor: float = 1
    cursor_reach: float = 1
    cursor_opacity: float = 0.6
    wide: float = 1000
    """Ratio of the largest to the smallest beyond which the line is logarithmic."""
    pill_least: float = 70
    pill_aside: float = 12
    pill_up: float = 9
    pill_height: float = 7
    pill_opacity: float = 0.5
    row_width: float = 46
    row_least: float = 24
    """Where only so narrow a curve leaves room for a parameter's number."""
    row_share: float = 0.36
    row_aside: float = 7
    row_gap: float = 6
    row_inset: float = 4


# --- edges --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Edge:
    line: float = 1.4
    arrow: float = 7
    arrow_wing: float = 0.46
    """Half of the angle at the tip, in radians."""
    covered: float = 6.4
    """What the head covers of the line."""
    handle: float = 0.46
    turn: float = 36
    """Least length of the handles of an edge that turns back on itself."""
    corner: float = 10
    round: float = 0.5523
    """What of a corner makes a cubic round."""
    twins: float = 12
    """Between edges that would lie exactly on each other (`x * x`)."""
    far: float = 0.4
    ghost: float = 0.36
    few: float = 0.5
    """Opacity of what only some iterations have."""
    few_line: float = 0.8
    """Share of the usual width of what stands back."""
    cut_dash: Dash = (5, 4)
    ghost_dash: Dash = (3, 4)
    some_dash: Dash = (1.5, 4)
    carried_dash: Dash = (8, 4)
    carried_arrow: float = 9
    carried_wing: float = 0.55
    carried_arrow_line: float = 1.6
    flow: float = 2.2
    """Width where a gradient flows, and how much it grows over five decades of the recording."""
    flow_more: float = 1.4
    decades: float = 5
    flow_halo: float = 5
    flow_arrow: float = 10.5
    label_height: float = 18
    label_padding: float = 6
    label_radius: float = 6
    label_base: float = 4.2
    label_short: float = 34
    """On an edge that is no longer than its label and this, the label stands beside it."""
    label_hidden: float = 4
    """Square pixels that a label may cover of cards as if it covered none, and by which a better place must be better."""
    label_lifts: tuple[float, ...] = (0, -16, 16)
    label_lifts_short: tuple[float, ...] = (-20, 20, 0)
    label_shares: tuple[float, ...] = (0.5, 0.38, 0.62, 0.26, 0.74)


# --- what stands behind -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
    """The sheet of paper behind the cards of a loop, and the tab on it."""

    radius: float = 14
    line: float = 1.2
    paper: float = 6
    """How far the sheet under it peeps out."""
    tab: float = 26
    tab_padding: float = 13
    tab_gap: float = 9
    tab_base: float = 17.4
    tab_least: float = 40
    sunk: float = 10
    """How far the tab reaches into its frame."""


@dataclass(frozen=True, slots=True)
class _Region:
    """What backward passes recorded of themselves."""

    margin: float = 13
    radius: float = 18
    line: float = 1.2
    band: float = 11
    """Half of the width along edges."""
    label_right: float = 4
    label_up: float = 7
    most: int = 400
    """Nodes beyond which the bands along the edges are left out."""


@dataclass(frozen=True, slots=True)
class _Veil:
    """What keeps text apart from the lines behind it."""

    opacity: float = 0.86
    aside: float = 3
    up: float = 12
    height: float = 16


CARD, PILL, MARK, SIGN, ROWS, SPARK = _Card(), _Pill(), _Mark(), _Sign(), _Rows(), _Spark()
EDGE, FRAME, REGION, VEIL = _Edge(), _Frame(), _Region(), _Veil()
PARTS: dict[str, object] = {
    "CARD": CARD, "PILL": PILL, "MARK": MARK, "SIGN": SIGN, "ROWS": ROWS, "SPARK": SPARK, "EDGE": EDGE, "FRAME": FRAME,
    "REGION": REGION, "VEIL": VEIL,
}  # fmt: skip
"""What the page's painter is told, by name."""
