"""The matches of a search in a row, marked so that they are visible without colours."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from inplace_tui.common.rows import Row, Span, Style


def has(text: str, query: str) -> bool:
    """Whether a text contains the query, in any case.

    >>> has("MulBackward0", "mulb")
    True
    """
    return query.casefold() in text.casefold()


def marked(row: Row, query: str) -> Row:
    """Return the row with every place of `query` marked.

    >>> [span.text for span in marked(Row((Span("y = y"),)), "y").spans]
    ['y', ' = ', 'y']
    """
    if not query or not has(row.text, query):
        return row
    found = [match.span() for match in re.finditer(re.escape(query), row.text, re.IGNORECASE)]
    spans: list[Span] = []
    start = 0
    for span in row.spans:
        end = start + len(span.text)
        cuts = sorted({start, end, *(at for spot in found for at in spot if start < at < end)})
        for first, last in pairwise(cuts):
            piece = replace(span, text=span.text[first - start : last - start])
            if any(a <= first and last <= b for a, b in found):
                piece = replace(piece, style=Style.MATCH)
            spans.append(piece)
        start = end
    return replace(row, spans=tuple(spans))
