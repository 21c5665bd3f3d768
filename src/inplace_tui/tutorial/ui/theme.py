"""Themes: dark, light, high contrast, and for every kind of colour vision.

A `Style` says what a piece of text means; `STYLES` gives each meaning colours and
attributes from the theme's variables, so that a theme is only a palette. Right is
blue and wrong is orange in every theme: the pair that can be told apart with every
kind of colour blindness. Nothing is lost without colours: what is chosen, current, wrong or stale
also has a glyph, a word or an attribute. The last of it are filters of all that is drawn: control
characters, missing glyphs, missing colours, for which the attributes in `BARE` stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.style import Style as VisualStyle
from textual.theme import Theme

from inplace_tui.common.cells import without_controls
from inplace_tui.common.rows import Style

DARK = Theme(
    name="inplace-dark",
    dark=True,
    primary="#7ca9f0",
    secondary="#8fb8b2",
    accent="#b9a3e3",
    warning="#e3b778",
    error="#f0906a",
    foreground="#d5d8df",
    background="#14161a",
    surface="#191c21",
    panel="#23272e",
    variables={"border": "#3a404a"},
)

LIGHT = Theme(
    name="inplace-light",
    dark=False,
    primary="#1d58b1",
    secondary="#1a6561",
    accent="#6a48a8",
    warning="#7e5200",
    error="#a03a08",
    foreground="#23272e",
    background="#f6f6f3",
    surface="#fdfdfb",
    panel="#e9e9e4",
    variables={"border": "#bcbfc4"},
)

HIGH_CONTRAST = Theme(
    name="inplace-contrast",
    dark=True,
    primary="#66b3ff",
    secondary="#7fe0d4",
    accent="#d9b8ff",
    warning="#ffd23f",
    error="#ff9a4d",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    variables={"border": "#ffffff"},
)

COLOUR_BLIND = Theme(
    name="inplace-colour-blind",
    dark=True,
    primary="#56b4e9",
    secondary="#a0d96e",
    accent="#db9ba6",
    warning="#f0e442",
    error="#f18e2c",
    foreground="#e9ebee",
    background="#101216",
    surface="#15181d",
    panel="#20242b",
    variables={"border": "#5a626e"},
)
"""After Okabe and Ito: everybody can tell its colours apart."""

THEMES = tuple(
    replace(
        each,
        success=each.primary,
        variables=each.variables | {"text-muted": f"{each.foreground} 70%"},
    )
    for each in (DARK, LIGHT, HIGH_CONTRAST, COLOUR_BLIND)
)
"""All of them: right is blue in each, and its muted text can still be read."""

CURSOR = "cursor"
"""The name in `STYLES` of the row that Enter would choose."""

FAINT = 0.3
"""Difference in brightness (of 1) below which something is hardly visible: borders, scroll bars."""


def theme_name(name: str | None) -> str:
    """Return this name if a theme has it, else that of the first theme."""
    return name if name in {theme.name for theme in THEMES} and name else THEMES[0].name


def colourless(theme: Theme) -> Theme:
    return replace(theme, variables=theme.variables | {"input-cursor-text-style": "reverse"})


HEAT = (7, 14, 21, 28, 36)
"""Strength of the background of a number, in percent; its text is readable on each."""

MUTED = "$foreground 70%"

STYLES: dict[str, str] = {
    Style.PLAIN: "",
    Style.DIM: MUTED,
    Style.STRONG: "bold",
    Style.HEADING: f"bold {MUTED}",
    Style.NAME: "$primary",
    Style.CODE: "$secondary",
    Style.CURRENT: "on $primary 12%",
    Style.NEXT: "$primary",
    Style.CHANGED: "bold $warning",
    Style.NEW: "bold $secondary",
    Style.STALE: "bold $error",
    Style.FREED: f"italic {MUTED}",
    Style.MASKED: "$accent",
    Style.NODE: "$foreground",
    Style.LEAF: "$primary",
    Style.SAVED: "$accent",
    Style.RIGHT: "bold $success",
    Style.WRONG: "bold $error",
    Style.ERROR: "$error",
    Style.WARNING: "$warning",
    Style.KEYWORD: "$accent",
    Style.STRING: "$secondary",
    Style.NUMBER: "$warning",
    Style.COMMENT: f"italic {MUTED}",
    Style.FUNCTION: "$primary",
    Style.OPERATOR: "$foreground 75%",
    Style.MATCH: "bold underline $warning",
    Style.CELL: "reverse",
    CURSOR: "on $foreground 10%",
    **{
        Style(f"{side}-{level}"): f"on ${colour} {strength}%"
        for side, colour in (("cold", "primary"), ("warm", "error"))
        for level, strength in enumerate(HEAT, 1)
    },
}
"""By meaning, as Textual's markup has it."""

BARE = {Style.DIM: "dim", Style.CURRENT: "bold", CURSOR: "reverse"}
"""Attributes that stand for colours where there are none."""


def theme_style(meaning: str, app: App[object]) -> VisualStyle:
    """Return what a meaning looks like in the app's theme.

    As component classes of a widget they would be matched with every rule there is whenever
    it gets the focus or loses it: for each of two panels that was longer than drawing them.
    """
    attributes = BARE.get(meaning, "") if app.no_color else ""
    return app.stylesheet.parse_style(f"{attributes} {STYLES[meaning]}")


class StyleFilter(LineFilter):
    """Replaces each style by what a function makes of it on its background."""

    def __init__(self, restyle: Callable[[RichStyle, Color], RichStyle]) -> None:
        super().__init__()
        self._restyle = restyle

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and self._restyle(style, background), control)
            for text, style, control in segments
        ]


@lru_cache(maxsize=4096)
def _colourless(style: RichStyle, background: Color) -> RichStyle:
    plain = style.without_color
    if style.meta:  # what a click does there
        plain += RichStyle.from_meta(style.meta)
    if style.color is not None:  # else it was filtered before: it is behind a dialog
        under = background if style.bgcolor is None else Color.from_rich_color(style.bgcolor)
        seen = abs(Color.from_rich_color(style.color).brightness - under.brightness)
        if seen >= FAINT:
            return plain
    return plain + RichStyle(dim=True)


COLOURLESS = StyleFilter(_colourless)
"""Removes all colours, and dims what was faint."""


READABLE_ON_WHITE = ((0, 1), (225, 4), (285, 5), (360, 1))
"""Hue in degrees, and the colour of a terminal's sixteen that stands for it: red, blue, magenta.

Yellow, green and cyan are hardly visible on white, nor are the bright ones.
"""

GREY = 0.3
"""Saturation in HSL below which a colour is a grey, which sixteen colours have enough of."""


@lru_cache(maxsize=4096)
def _seen_on_light(style: RichStyle, background: Color) -> RichStyle:
    if style.color is None or style.color.is_default:
        return style
    under = background if style.bgcolor is None else Color.from_rich_color(style.bgcolor)
    hue, saturation, _ = Color.from_rich_color(style.color).hsl
    if under.brightness < 0.5 or saturation < GREY:
        return style
    _, number = min(READABLE_ON_WHITE, key=lambda each: abs(each[0] - hue * 360))
    return style + RichStyle(color=RichColor.from_ansi(number))


SIXTEEN_COLOURS = StyleFilter(_seen_on_light)
"""For terminals with sixteen colours: on a light background, takes those that are visible."""


class TextFilter(LineFilter):
    """Has a function replace text, also in the editor and Textual's own widgets."""

    def __init__(self, replaced: Callable[[str], str]) -> None:
        super().__init__()
        self._replaced = replaced

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments, each as wide as before; plain ASCII stays as it is."""
        return [
            segment
            if segment.control or (segment.text.isascii() and segment.text.isprintable())
            else Segment(self._replaced(segment.text), segment.style)
            for segment in segments
        ]


CONTROLS = TextFilter(without_controls)
"""Removes control characters, should a widget forget that its text is untrusted."""
