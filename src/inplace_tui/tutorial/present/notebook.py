"""What a program misses of the notebook that it is from, in sentences."""

from __future__ import annotations

from inplace_tui.common.cells import clean, clip
from inplace_tui.common.notebook import is_in_order, left_out
from inplace_tui.common.texts import say
from inplace_tui.common.texts.notebook import NotebookTexts

MAX_LINES = 5
"""Lines of IPython that are named."""


def notes(source: str, name: str, language: str) -> list[str]:
    """Return what to say of a program of a notebook's cells before it runs."""
    found, missed = [], left_out(source)
    if missed:
        lines = [f"{cell}:{line} {clip(clean(text), 40)}" for cell, line, text in missed]
        shown = "; ".join(lines[:MAX_LINES] + ["…"] * (len(missed) > MAX_LINES))
        found.append(say(NotebookTexts.left_out, language, file=clean(name), lines=shown))
    if not is_in_order(source):
        found.append(say(NotebookTexts.order, language, file=clean(name)))
    return found
