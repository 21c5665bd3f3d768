"""Filters of all that is drawn: control characters, missing glyphs, missing colours.

Nothing is lost without colours: what is chosen, current, wrong or stale also has a glyph, a
word or an attribute. The attributes that replace colours are those of `theme.colourless`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from inplace_tui.common.cells import without_controls
from inplace_tui.common.glyphs import fitting

FAINT = 0.3
"""Difference in brightness (of 1) below which something is hardly visible: borders, scroll bars."""


class StyleFilter(LineFilter):
    """Replaces each style by what a function makes of it on its background."""

    def __init__(self, restyle: Callable[[Style, Color], Style]) -> None:
        super().__init__()
        self._restyle = restyle

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and self._restyle(style, background), control)
            for text, style, control in segments
        ]


@lru_cache(maxsize=4096)
def _colourless(style: Style, background: Color) -> Style:
    plain = style.without_color
    if style.meta:  # what a click does there
        plain += Style.from_meta(style.meta)
    return plain + Style(dim=True) if _is_faint(style, background) else plain


def _is_faint(style: Style, background: Color) -> bool:
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
def _seen_on_light(style: Style, background: Color) -> Style:
    if style.color is None or style.color.is_default:
        return style
    under = background if style.bgcolor is None else Color.from_rich_color(style.bgcolor)
    hue, saturation, _ = Color.from_rich_color(style.color).hsl
    if under.brightness < 0.5 or saturation < GREY:
        return style
    _, number = min(READABLE_ON_WHITE, key=lambda each: abs(each[0] - hue * 360))
    return style + Style(color=RichColor.from_ansi(number))


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
