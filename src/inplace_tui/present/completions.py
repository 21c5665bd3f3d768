"""A row of the completion list: a name and its details."""

from __future__ import annotations

from inplace_tui.engine.editor.completion import Completion
from inplace_tui.present.cells import clean, clip_spans, spans_width
from inplace_tui.present.rows import Span, Style
from inplace_tui.texts import list_of, say
from inplace_tui.texts.writing import OFFER_KINDS, EditorTexts

CHOSEN = "▸"
NAMES = 14
"""Cells of the names, before their details; longer names push them away."""


def row(offer: Completion, language: str, room: int, *, chosen: bool = False) -> tuple[Span, ...]:
    name = Span((CHOSEN if chosen else " ") + clean(offer.text), Style.NAME)
    details = _details(offer, language)
    if not details:
        return clip_spans((name,), room)
    gap = Span(" " * max(2, NAMES - spans_width((name,))))
    return clip_spans((name, gap, *details), room)


def _details(offer: Completion, language: str) -> tuple[Span, ...]:
    if offer.tensor is not None:
        shape = ", ".join(map(str, offer.tensor.shape))
        return (Span(f"{offer.tensor.dtype} [{shape}]", Style.DIM),)
    name = offer.name
    if name is None:
        return ()
    spans: list[Span] = []
    if name.in_place:
        spans.append(Span(f"~ {say(EditorTexts.in_place, language)}", Style.CHANGED))
    if name.saves:
        text = say(EditorTexts.can_save, language, names=list_of(name.saves, language))
        spans += [Span("  "), Span(text, Style.SAVED)] if spans else [Span(text, Style.SAVED)]
    if name.signature and name.signature != "()":
        lead = [Span("  ")] if spans else []
        spans += [*lead, Span(name.signature, Style.DIM)]
    if not spans and name.kind != "function":
        spans.append(Span(say(OFFER_KINDS[name.kind], language), Style.DIM))
    return tuple(spans)
