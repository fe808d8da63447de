"""The picture's colours, light and dark, and how the shades between a few hues are mixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they are for, as `#rrggbb`; blue and orange stay apart for every kind of colour vision."""

    page: str
    stage: str
    """The canvas behind the picture."""
    card: str
    constant: str
    blue_tint: str
    orange_tint: str
    red_tint: str
    nan_tint: str
    inf_tint: str
    block: str
    """A card seen from afar."""
    blue_block: str
    orange_block: str
    ink: str
    mute: str
    faint: str
    line: str
    border: str
    blue: str
    blue_text: str
    blue_halo: str
    orange: str
    orange_text: str
    orange_mute: str
    orange_halo: str
    red: str
    amber: str
    edge: str
    cut: str
    carried: str
    carried_pale: str
    carried_firm: str
    region: str
    region_line: str
    shadow: str
    on_colour: str
    frame: str
    frame_line: str
    paper_line: str
    tab: str
    on_tab: str
    on_tab_mute: str
    tones: Mapping[str, str]
    """Marks that are laid over the picture, by their tone."""
    chosen: tuple[str, ...]
    """What the reader may give to a card, to find it again; none of them means anything by itself."""
    scale: tuple[str, ...]
    """Errors from none to large: lightness goes one way, so that the order is seen without telling the hues apart."""


def palette(theme: Theme) -> Palette:
    """The colours of a theme.

    Raises:
        ValueError: for a theme that there is not.
    """
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}, expected light or dark")
    return PALETTES[theme]


@dataclass(frozen=True, slots=True)
class _Hues:
    """What the shades of a theme are mixed from."""

    page: str
    ink: str
    blue: str
    blue_text: str
    orange: str
    orange_text: str
    edge: str
    cut: str
    carried: str
    on_colour: str
    path: str
    red: str
    green: str
    amber: str
    changed: str
    chosen: tuple[str, ...]


_LIGHT = _Hues(
    page="#f7f8fa", ink="#1d2433", blue="#2f6fde", blue_text="#245ab8", orange="#d9722e", orange_text="#a84c14", edge="#98a1b1",
    cut="#98a1b1", carried="#7a5bc7", on_colour="#ffffff", path="#b0308a", red="#c2384a", green="#17795a", amber="#8f6a00",
    changed="#6f4fc4", chosen=("#0f9d9a", "#b8428c", "#5f8f1e", "#a8741a", "#7a63d2", "#5b6b7f"),
)  # fmt: skip
_DARK = _Hues(
    page="#12151b", ink="#e6e9ef", blue="#6ea4ff", blue_text="#8fb8ff", orange="#f08a47", orange_text="#ffb07a", edge="#6d7789",
    cut="#7f899b", carried="#b79cff", on_colour="#10141c", path="#f090d0", red="#ff8c99", green="#58c99b", amber="#e0b84a",
    changed="#b79cff", chosen=("#3fd0cc", "#ef8fc8", "#a5cf5a", "#e2b45c", "#b3a2ff", "#9fb0c6"),
)  # fmt: skip
_ERRORS = ("#fae696", "#f6aa46", "#d6573e", "#8c2963", "#3a0f5a")
"""From pale yellow over orange and red to dark violet; the other way round on a dark page."""
_WHITE, _BLACK = "#ffffff", "#000000"


def _mixed(hues: _Hues, dark: bool) -> Palette:
    """The shades in between."""
    page, ink, blue, orange = hues.page, hues.ink, hues.blue, hues.orange
    card = _mix(page, _WHITE, 0.075 if dark else 0.9)
    stage = _mix(page, _WHITE, 0.018) if dark else _mix(page, ink, 0.012)
    return Palette(
        page=page,
        stage=stage,
        card=card,
        constant=_mix(card, ink, 0.05),
        blue_tint=_mix(card, blue, 0.2 if dark else 0.1),
        orange_tint=_mix(card, orange, 0.2 if dark else 0.1),
        red_tint=_mix(card, hues.red, 0.2 if dark else 0.09),
        nan_tint=_mix(card, hues.red, 0.3 if dark else 0.17),
        inf_tint=_mix(card, hues.amber, 0.34 if dark else 0.24),
        block=_mix(card, ink, 0.09),
        blue_block=_mix(card, blue, 0.3),
        orange_block=_mix(card, orange, 0.36),
        ink=ink,
        mute=_mix(ink, page, 0.32),
        faint=_mix(ink, page, 0.58),
        line=_mix(page, ink, 0.16 if dark else 0.13),
        border=_mix(page, ink, 0.34 if dark else 0.27),
        blue=blue,
        blue_text=hues.blue_text,
        blue_halo=_mix(stage, blue, 0.34 if dark else 0.2),
        orange=orange,
        orange_text=hues.orange_text,
        orange_mute=_mix(orange, page, 0.3),
        orange_halo=_mix(stage, orange, 0.36 if dark else 0.24),
        red=hues.red,
        amber=hues.amber,
        edge=hues.edge,
        cut=hues.cut,
        carried=hues.carried,
        carried_pale=_mix(stage, hues.carried, 0.34 if dark else 0.38),
        carried_firm=_mix(stage, hues.carried, 0.66),
        region=_mix(stage, orange, 0.09 if dark else 0.07),
        region_line=_mix(stage, orange, 0.4 if dark else 0.42),
        shadow=_mix(stage, _BLACK, 0.35) if dark else _mix(stage, ink, 0.07),
        on_colour=hues.on_colour,
        frame=_mix(stage, _WHITE, 0.03 if dark else 0.75),
        frame_line=_mix(stage, ink, 0.26),
        paper_line=_mix(stage, ink, 0.15),
        tab=_mix(page, ink, 0.86) if dark else ink,
        on_tab=page,
        on_tab_mute=_mix(page, ink, 0.3),
        tones={
            "path": hues.path, "cut": hues.red, "good": hues.green, "bad": hues.red, "warn": hues.amber, "added": hues.green,
            "removed": hues.red, "changed": hues.changed,
        },
        chosen=hues.chosen,
        scale=tuple(_mix(stop, _WHITE, 0.12) for stop in reversed(_ERRORS)) if dark else _ERRORS,
    )  # fmt: skip


def _mix(a: str, b: str, share: float) -> str:
    pairs = zip(bytes.fromhex(a[1:]), bytes.fromhex(b[1:]), strict=True)
    return "#" + bytes(round(one + (other - one) * share) for one, other in pairs).hex()


PALETTES: dict[Theme, Palette] = {"light": _mixed(_LIGHT, False), "dark": _mixed(_DARK, True)}
