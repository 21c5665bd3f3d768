"""What can be taken out of a run, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inplace_tui.present.cells import hanging
from inplace_tui.present.rows import Row, Span, Style, Target


@dataclass(frozen=True)
class Export:
    """One thing to take out."""

    key: str
    text: str
    about: str
    refused: str | None = None
    """Why it can't be had now."""


def listing(offers: Sequence[Export], room: int) -> list[Row]:
    """Return each with its number, and what it is or why it can't be had."""
    rows: list[Row] = []
    for place, offer in enumerate(offers):
        target = Target(choice=place)
        open_ = offer.refused is None
        title = Span(offer.text, Style.STRONG if open_ else Style.DIM)
        lead = Span(f" {place + 1}  ", Style.NAME if open_ else Style.DIM)
        rows += hanging(lead, [title], room, target)
        about = Span(offer.about, Style.DIM) if open_ else Span(offer.refused or "", Style.MASKED)
        rows += hanging(Span("    "), [about], room, target)
    return rows
