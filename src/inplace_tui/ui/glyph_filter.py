"""What stands between all that is drawn and the terminal: no controls, and glyphs that it has."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from inplace_tui.glyphs import fitting
from inplace_tui.sanitize import without_controls


class ControlFilter(LineFilter):
    """Lets no control character through, whichever widget forgot that its text is foreign."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments without what moves the cursor, each as wide as before."""
        return [
            segment
            if segment.control or (segment.text.isascii() and segment.text.isprintable())
            else Segment(without_controls(segment.text), segment.style)
            for segment in segments
        ]


class GlyphFilter(LineFilter):
    """Stands behind all that is drawn: panels, borders, the editor, Textual's own widgets."""

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
        return Segment(_fitting(text, self._encoding, self._narrow), style)


@lru_cache(maxsize=8192)
def _fitting(text: str, encoding: str, narrow: bool) -> str:
    return fitting(text, encoding=encoding, narrow=narrow)
