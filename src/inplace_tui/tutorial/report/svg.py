"""A backward graph as a picture that needs nothing else: SVG, made without a library.

It is the drawing of the panel, with lines for strokes. Colours follow the viewer's
preference, light or dark, and say nothing that a word does not say, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape as escaped

from inplace_tui.common.cells import clean, width
from inplace_tui.common.rows import Span
from inplace_tui.common.texts import say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.graph import Drawing, Facts, nothing
from inplace_tui.tutorial.report import page_html
from inplace_tui.tutorial.report.page_html import STYLES
from inplace_tui.tutorial.state.graph_layout import GAP, GraphLayout, RowSource
from inplace_tui.tutorial.state.rails import NodePosition

ROOM = 132
"""Cells of a row, strokes included."""

CELL, HIGH, RAIL, EDGE, CURVE = 8.4, 22, 20, 20, 8
"""Pixels: of a character, a row, from rail to rail, of the margin, of a corner."""


def escape(text: str) -> str:
    """Return text escaped for XML, which has no control characters."""
    return escaped(clean(text))


def document(view: View, language: str) -> str:
    """Return the graph of a view as a picture; what the view hides is not in it."""
    facts, layout = Facts(view, language), GraphLayout()
    facts.follow(layout)
    title = say(GraphTexts.picture, language, nodes=len(view.snapshot.nodes))
    picture = Picture(facts, layout)
    rows = list(picture.rows())
    wide, high = round(picture.widest + EDGE), 2 * EDGE + HIGH * max(1, len(layout))
    if not rows:
        rows = [_text([nothing(view, language)], EDGE, EDGE + HIGH / 2)[0]]
        wide = 640
    drawn = "\n".join(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}"'
        f' viewBox="0 0 {wide} {high}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n<style>{_style()}</style>\n"
        f'<rect class="ground" width="{wide}" height="{high}"/>\n{drawn}\n</svg>\n'
    )


class Picture:
    """A graph that is drawn row by row."""

    def __init__(self, facts: Facts, layout: GraphLayout, room: int = ROOM) -> None:
        self._facts, self._layout = facts, layout
        self._rails = layout.rails()
        self._drawing = Drawing(facts, layout, room)
        self.widest = 0.0
        """Pixels to the right end of the widest row so far."""

    def rows(self) -> Iterator[str]:
        """Yield one group a row; that of a node has its name as a title."""
        for row in range(len(self._layout)):
            yield self._row(self._layout.at(row), EDGE + HIGH * row + HIGH / 2)

    def strokes(self, place: RowSource, middle: float) -> tuple[str, int]:
        """Return the path of a row's edges, and beside how many rails its words stand."""
        if place.part:
            below = self._rails.rails(place.item + (1 if place.part > 0 else 0))
            top, bottom = middle - HIGH / 2, middle + HIGH / 2
            there = (_x(rail) for rail, node in enumerate(below) if node is not None)
            lines = "".join(f"M{x} {top:g}V{bottom:g}" for x in there)
        else:
            placed = self._rails.place(place.item)
            lines = _edges(placed, middle)
            below = max(placed.above, placed.below, (None,) * (placed.rail + 1), key=len)
        return lines, max(len(below), 1)

    def mark_at(self, place: RowSource) -> int:
        """Return where the mark of a node stands, from the left."""
        return _x(self._rails.place(place.item).rail)

    def words(self, place: RowSource, rails: int) -> list[Span]:
        """Return the glyph of a row, and its words behind so many rails."""
        return self._drawing.words(place, round(rails * RAIL / CELL) + 1)

    def _row(self, place: RowSource, middle: float) -> str:
        lines, rails = self.strokes(place, middle)
        edge = f'<path class="edge" d="{lines}"/>' if lines else ""
        if place.part == GAP:
            return edge
        mark, *words = self.words(place, rails)
        left = EDGE + (round(rails * RAIL / CELL) + 1) * CELL
        text, right = _text(words, left, middle)
        self.widest = max(self.widest, right)
        kind = "saved" if place.part else "node"
        kind = "run" if place.key in self._layout.folded else kind
        if place.part:
            return f'<g class="{kind}">{edge}{text}</g>'
        label = escape(" ".join("".join(word.text for word in words).split()))
        inside = f"<title>{label}</title>{edge}{self._mark(place, mark, middle)}{text}"
        return f'<g class="{kind}" id="n{place.key}">{inside}</g>'

    def _mark(self, place: RowSource, mark: Span, middle: float) -> str:
        x, style = self.mark_at(place), f"s{STYLES[mark.style]}"
        if place.key in self._layout.folded:
            return (
                f'<rect class="hollow" x="{x - 6}" y="{middle - 6:g}" width="12" height="12"/>'
                f'<path class="edge" d="M{x - 3} {middle:g}h6M{x} {middle - 3:g}v6"/>'
            )
        if mark.text == "✗":
            d = f"M{x - 5} {middle - 5:g}l10 10M{x + 5} {middle - 5:g}l-10 10"
            ground = f'<circle class="hollow" cx="{x}" cy="{middle:g}" r="8"/>'
            return f'{ground}<path class="cross" d="{d}"/>'
        solid = "hollow" if mark.text == "○" else "solid"
        return f'<circle class="{solid} {style}" cx="{x}" cy="{middle:g}" r="5"/>'


def _edges(placed: NodePosition, middle: float) -> str:
    """Return the strokes of a node's row: what passes, what comes in, what leads on."""
    top, bottom, here = middle - HIGH / 2, middle + HIGH / 2, _x(placed.rail)
    drawn = []
    for rail, node in enumerate(placed.above):
        if node is not None:
            drawn.append(f"M{_x(rail)} {top:g}V{middle if rail == placed.rail else bottom:g}")
    for end in placed.ends:
        x = _x(end)
        if end == placed.rail:
            drawn.append(f"M{here} {middle:g}V{bottom:g}")
            continue
        turn = CURVE if x > here else -CURVE
        drawn.append(
            f"M{here} {middle:g}H{x - turn}Q{x} {middle:g} {x} {middle + CURVE:g}V{bottom:g}"
        )
    return "".join(drawn)


def _x(rail: int) -> int:
    return EDGE + RAIL // 2 + RAIL * rail


def _text(words: list[Span], left: float, middle: float) -> tuple[str, float]:
    """Return words at their places, and where they end.

    Each piece has its own place, so that columns stand below each other in any font.
    """
    pieces, x = [], left
    for word in words:
        cells, lead = width(word.text), len(word.text) - len(word.text.lstrip(" "))
        if bare := word.text.strip(" "):
            at = f'x="{x + lead * CELL:g}"'
            pieces.append(f'<tspan class="s{STYLES[word.style]}" {at}>{escape(bare)}</tspan>')
        x += cells * CELL
    text = f'<text xml:space="preserve" y="{middle + 5:g}">{"".join(pieces)}</text>'
    return text if pieces else "", x


def _style() -> str:
    """Return the colours of the page; viewers other than browsers know no variables."""
    fixed = (
        "text{font:14px 'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono CJK SC',monospace;"
        "white-space:pre}"
        ".edge{fill:none;stroke-width:1.6}.cross{fill:none;stroke-width:2.4}"
        ".hollow{stroke-width:1.8}"
    )
    looks = (
        f"tspan,.solid{{color:var(--text)}}{page_html.looks()}.ground,.hollow{{fill:var(--panel)}}"
        ".edge,.hollow{stroke:var(--dim)}.cross{stroke:var(--orange)}"
    ).replace("color:", "fill:")
    light, dark = (
        re.sub(r"var\(--(\w+)\)", lambda name: colors[name[1]], looks)  # noqa: B023  (used at once)
        for colors in page_html.palettes()
    )
    return f"{fixed}{light}@media (prefers-color-scheme:dark){{{dark}}}"
