"""What `NO_COLOR` asks for: no colour reaches the terminal, and nothing is lost by it.

What is chosen, current, wrong or stale says so by a glyph, a word or an attribute as well;
the attributes that stand in for a colour are those of `theme.colourless`.
"""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

FAINT = 0.3
"""Difference in brightness, of 1, below which something is hardly there: borders, scroll bars."""


class ColourlessFilter(LineFilter):
    """Takes the colours out of all that is drawn, and dims what they kept in the background."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and _colourless(style, background), control)
            for text, style, control in segments
        ]


COLOURLESS = ColourlessFilter()


@lru_cache(maxsize=4096)
def _colourless(style: Style, background: Color) -> Style:
    plain = style.without_color
    if style.meta:  # what a click does there
        plain += Style.from_meta(style.meta)
    return plain + Style(dim=True) if _is_faint(style, background) else plain


def _is_faint(style: Style, background: Color) -> bool:
    if style.color is None:
        return True  # it has been here before: it is seen behind a dialog
    under = background if style.bgcolor is None else Color.from_rich_color(style.bgcolor)
    return abs(Color.from_rich_color(style.color).brightness - under.brightness) < FAINT
