"""Themes: dark, light, high contrast, and for every kind of colour vision.

A `Style` says what a piece of text means; `STYLES` gives each meaning colours and
attributes from the theme's variables, so that a theme is only a palette. Right is
blue and wrong is orange in every theme: the pair that can be told apart with every
kind of colour blindness. What a colour says, a glyph and a word say, too.
"""

from __future__ import annotations

from dataclasses import replace

from textual.theme import Theme

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
