"""Rows of styled text for a terminal that is not a screen of ours."""

from __future__ import annotations

from inplace_tui.present.rows import Row, Style
from inplace_tui.sanitize import sanitize

_CODES = {
    Style.DIM: "2",
    Style.STRONG: "1",
    Style.HEADING: "1",
    Style.NAME: "1",
    Style.CODE: "36",
    Style.RIGHT: "34",
    Style.WRONG: "38;5;208",
    Style.ERROR: "38;5;208",
    Style.STALE: "38;5;208",
    Style.WARNING: "33",
}
"""Blue for right and orange for wrong; what is not here is plain."""


def coloured(row: Row) -> str:
    """Return the row with escape codes, which its text has none of."""
    parts = []
    for span in row.spans:
        code = _CODES.get(span.style)
        text = sanitize(span.text)
        parts.append(text if code is None else f"\x1b[{code}m{text}\x1b[0m")
    return "".join(parts)
