"""The screen as a picture: SVG that every renderer shows alike."""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import groupby
from typing import TypeVar

from rich.cells import cell_len
from textual.app import App

Result = TypeVar("Result")

_TEXT = re.compile(r'(<text [^>]*?)x="([\d.]+)"([^>]*)textLength="([\d.]+)"([^>]*>)([^<]*)</text>')


def screen_svg(app: App[Result]) -> str:
    # Simplified it is drawn by Textual: ours are pieces, each for its place on a terminal.
    drawn = _TEXT.sub(_in_cells, app.export_screenshot(simplify=True))
    # Without `xml:space`, renderers other than browsers swallow leading spaces.
    return drawn.replace("<svg ", '<svg xml:space="preserve" ', 1)


def _in_cells(found: re.Match[str]) -> str:
    """Put wide characters where the terminal has them: Rich gives each the width of one cell."""
    head, x, middle, length, tail, escaped = found.groups()
    text = unescape(escaped)
    if cell_len(text) <= len(text):
        return found[0]
    cell, place, pieces = float(length) / len(text), float(x), []
    for _, run in groupby(text, lambda character: cell_len(character) > 1):
        piece = "".join(run)
        width = cell * cell_len(piece)
        shown = escape(piece, quote=False).replace("\xa0", "&#160;")
        pieces.append(f'{head}x="{place:g}"{middle}textLength="{width:g}"{tail}{shown}</text>')
        place += width
    return "".join(pieces)
