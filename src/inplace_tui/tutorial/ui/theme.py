"""Themes: dark, light, high contrast, and for every kind of colour vision.

A `Style` says what a piece of text means; `STYLES` gives each meaning colours and
attributes from the theme's variables, so that a theme is only a palette. Right is
blue and wrong is orange in every theme: the pair that can be told apart with every
kind of colour blindness. Nothing is lost without colours: what is chosen, current, wrong or stale
also has a glyph, a word or an attribute. The last of it are filters of all that is drawn: control
characters, missing glyphs, missing colours, for which the attributes of `colourless` stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.color import Color
from textual.css.parse import parse_declarations
from textual.filter import LineFilter
from textual.theme import Theme

from inplace_tui.common.cells import without_controls
from inplace_tui.common.glyphs import fitting
from inplace_tui.common.rows import Style

ATTRIBUTES = {
    "chosen": "reverse",
    "faint": "dim",
    "here": "bold",
    "input-cursor-text-style": "reverse",
}
"""Text attributes that replace colours where there are none; else they are not set."""

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

CURSOR = "background: $foreground 10%; text-style: $chosen;"
"""The row that Enter would choose."""

_VARIABLE = re.compile(r"\$([\w-]+)")

FAINT = 0.3
"""Difference in brightness (of 1) below which something is hardly visible: borders, scroll bars."""


def theme_name(name: str | None) -> str:
    """Return this name if a theme has it, else that of the first theme."""
    return name if name in {theme.name for theme in THEMES} and name else THEMES[0].name


def colourless(theme: Theme) -> Theme:
    return replace(theme, variables=theme.variables | ATTRIBUTES)


HEAT = (7, 14, 21, 28, 36)
"""Strength of the background of a number, in percent; its text is readable on each."""

STYLES: dict[Style, str] = {
    Style.PLAIN: "",
    Style.DIM: "color: $text-muted; text-style: $faint;",
    Style.STRONG: "text-style: bold;",
    Style.HEADING: "color: $text-muted; text-style: bold;",
    Style.NAME: "color: $primary;",
    Style.CODE: "color: $secondary;",
    Style.CURRENT: "background: $primary 12%; text-style: $here;",
    Style.NEXT: "color: $primary;",
    Style.CHANGED: "color: $warning; text-style: bold;",
    Style.NEW: "color: $secondary; text-style: bold;",
    Style.STALE: "color: $error; text-style: bold;",
    Style.FREED: "color: $text-muted; text-style: italic;",
    Style.MASKED: "color: $accent;",
    Style.NODE: "color: $foreground;",
    Style.LEAF: "color: $primary;",
    Style.SAVED: "color: $accent;",
    Style.RIGHT: "color: $success; text-style: bold;",
    Style.WRONG: "color: $error; text-style: bold;",
    Style.ERROR: "color: $error;",
    Style.WARNING: "color: $warning;",
    Style.KEYWORD: "color: $accent;",
    Style.STRING: "color: $secondary;",
    Style.NUMBER: "color: $warning;",
    Style.COMMENT: "color: $text-muted; text-style: italic;",
    Style.FUNCTION: "color: $primary;",
    Style.OPERATOR: "color: $foreground 75%;",
    Style.MATCH: "color: $warning; text-style: bold underline;",
    Style.CELL: "text-style: reverse;",
    **{
        Style(f"{side}-{level}"): f"background: ${colour} {strength}%;"
        for side, colour in (("cold", "primary"), ("warm", "error"))
        for level, strength in enumerate(HEAT, 1)
    },
}


@dataclass(frozen=True)
class ThemeStyle:
    """Colours, which may let through what is under them, and attributes; None where all stays.

    As component classes of a widget they would be matched with every rule there is whenever
    it gets the focus or loses it: for each of two panels that was longer than drawing them.
    """

    color: Color | None
    background: Color | None
    attributes: RichStyle

    @property
    def rich(self) -> RichStyle:
        return (
            RichStyle(
                color=None if self.color is None else self.color.rich_color,
                bgcolor=None if self.background is None else self.background.rich_color,
            )
            + self.attributes
        )


def theme_style(style: Style, variables: Mapping[str, str]) -> ThemeStyle:
    return parsed_style(STYLES[style], variables)


def parsed_style(css: str, variables: Mapping[str, str]) -> ThemeStyle:
    """Return the style of CSS declarations; a variable that the theme lacks is none."""
    return _parsed(_VARIABLE.sub(lambda found: variables.get(found[1], "none"), css))


@lru_cache(maxsize=1024)
def _parsed(css: str) -> ThemeStyle:
    styles = parse_declarations(css, ("looks", ""))
    # As parsed it is a word or two; a stylesheet makes a style of it when it is applied.
    words = styles.get_rule("text_style", "")
    return ThemeStyle(
        color=styles.color if styles.has_rule("color") else None,
        background=styles.background if styles.has_rule("background") else None,
        attributes=RichStyle.parse(str(words)),
    )


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
    return plain + RichStyle(dim=True) if _is_faint(style, background) else plain


def _is_faint(style: RichStyle, background: Color) -> bool:
    if style.color is None:
        return True  # filtered before: it is behind a dialog
    under = background if style.bgcolor is None else Color.from_rich_color(style.bgcolor)
    return abs(Color.from_rich_color(style.color).brightness - under.brightness) < FAINT


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


class ControlFilter(LineFilter):
    """Removes control characters, should a widget forget that its text is untrusted."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments without what moves the cursor, each as wide as before."""
        return [
            segment
            if segment.control or (segment.text.isascii() and segment.text.isprintable())
            else Segment(without_controls(segment.text), segment.style)
            for segment in segments
        ]


class GlyphFilter(LineFilter):
    """Replaces glyphs that the terminal lacks, also in the editor and Textual's own widgets."""

    def __init__(self, *, encoding: str = "utf-8", narrow: bool = False) -> None:
        super().__init__()
        self._encoding, self._narrow = encoding, narrow

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments as the console can draw them, each as wide as before."""
        return [self._drawn(segment) for segment in segments]

    def _drawn(self, segment: Segment) -> Segment:
        text, style, control = segment
        if text.isascii() or control:
            return segment
        return Segment(_fitting(text, encoding=self._encoding, narrow=self._narrow), style)


_fitting = lru_cache(maxsize=8192)(fitting)
