"""A run as one page for a browser: every step with its panels, and nothing from elsewhere.

The rows are those of the screen's panels, made by `tutorial/present/` of what the session lets be
seen: what an open question hides is hidden here, too. What steps have in common is written
once. Text is data in the page, never markup.
"""

from __future__ import annotations

import base64
import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from itertools import accumulate

import inplace_tui
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.files import split_files
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.page import PageTexts
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import StepChosen
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import code, graph, lanes, narration, output, table

ROOM = 100
"""Cells of a row."""

ROOM_OF_CODE, ROOM_OF_NOTES = 160, 48
"""Cells of a row of code at most, and of those behind its widest line."""

ROOM_OF_PROSE = 2_000
"""Cells of a paragraph, which the browser wraps to its own width."""

MAX_ROWS = 40
"""Of tensors and nodes; lines of the program are never left out."""

MAX_LANES = 16
"""Rows of storages, in each of which every step is drawn."""

MAX_STEPS = 1_000
"""Of a longer run, the last ones are taken: where it ended."""

MAX_NODES = 500_000
"""Of the graphs of all steps together, each of which is drawn: half a minute."""

PANELS: tuple[tuple[str, LocalText], ...] = (
    ("code", PanelTitles.code),
    ("step", PanelTitles.narration),
    ("why", PanelTitles.why),
    ("tensors", PanelTitles.tensors),
    ("graph", PanelTitles.graph),
    ("lanes", PanelTitles.lanes),
    ("output", PanelTitles.output),
)

READ_OUT = ("step", "why")
"""Panels whose words a screen reader says when they change."""

BESIDE = "tensors"
"""The first panel of the second column, where a window is wide enough for two."""

_STYLES = {style: place for place, style in enumerate(Style)}


def document(session: Session, title: str, language: str) -> str:
    if session.lesson is not None:
        title = session.lesson.lesson.title[language]
    tables = _Tables()
    reachable = _at(session, len(session.view().timeline)).reachable
    first = _first_step(session.view().timeline, reachable)
    steps: list[list[int]] = []
    last: dict[str, Sequence[Row]] = {}
    for cursor in range(first, reachable + 1):
        last = _panels(_at(session, cursor), language)
        steps.append([tables.panel(rows) for rows in last.values()])
    view = session.view()
    count = len(view.timeline)
    notes = []
    if first >= 0:
        notes.append(say(PageTexts.left_out, language, count=count, kept=reachable + 1 - first))
    if view.has_open_question or reachable < count - 1:
        notes.append(say(PageTexts.gated, language))
    data = {
        "first": first + 1,
        "count": reachable + 1,
        "rows": tables.rows,
        "panels": tables.panels,
        "steps": steps,
        "step": say(PageTexts.step, language, step="{step}", count="{count}"),
        "start": say(PageTexts.start, language, count="{count}"),
    }
    return "".join(_page(title, language, notes, last, data))


def _first_step(timeline: Timeline, reachable: int) -> int:
    """Return the step that the page begins with; -1 is before the first line."""
    alive: set[int] = set()
    counts: list[int] = []
    for step in timeline.steps[: reachable + 1]:
        alive.difference_update(step.lost)
        alive.update(node.id for node in step.nodes)
        counts.append(len(alive))
    kept = max(1, bisect_right(list(accumulate(reversed(counts[-MAX_STEPS:]))), MAX_NODES))
    return -1 if kept > reachable else reachable + 1 - kept


def _at(session: Session, cursor: int) -> View:
    session.handle(StepChosen(cursor))
    return replace(session.view(), fixes=None, score=None)


def _panels(view: View, language: str) -> dict[str, Sequence[Row]]:
    return {
        "code": tuple(_code(view, language)),
        "step": narration.rows(view, ROOM_OF_PROSE, language, brief=True),
        "why": explain.rows(view, ROOM_OF_PROSE, language) if view.cursor == view.reachable else (),
        "tensors": _first(table.rows(view, ROOM, language), MAX_ROWS, language),
        "graph": _first(graph.rows(view, ROOM, language), MAX_ROWS, language),
        "lanes": _first(lanes.rows(view, ROOM, language), MAX_LANES, language),
        "output": output.rows(view, ROOM, language),
    }


def _code(view: View, language: str) -> Iterator[Row]:
    """Yield the rows of the code; those that would be cut are longer than the others."""
    widest = max(code.widest(part.source) for part in split_files(view.source))
    room = max(ROOM, min(widest + ROOM_OF_NOTES, ROOM_OF_CODE))
    wide = code.titled_rows(view, room, language)
    for row, whole in zip(code.titled_rows(view, ROOM, language), wide, strict=True):
        yield whole if row.text.count("…") > whole.text.count("…") else row


def _first(rows: Sequence[Row], most: int, language: str) -> Sequence[Row]:
    """Return as many rows as are taken, which are made when they are looked at."""
    if len(rows) <= most:
        return rows
    more = say(PageTexts.more, language, count=len(rows) - most)
    return [*rows[:most], Row((Span(more, Style.DIM),))]


class _Tables:
    """Rows and panels that were seen, each once."""

    def __init__(self) -> None:
        self.rows: list[list[int | str]] = []
        """Style and text in turn; the first style is the whole row's."""

        self.panels: list[list[int]] = []
        self._known_rows: dict[tuple[int | str, ...], int] = {}
        self._known_panels: dict[tuple[int, ...], int] = {}

    def panel(self, rows: Sequence[Row]) -> int:
        places = tuple(self._row(row) for row in rows)
        known = self._known_panels.setdefault(places, len(self.panels))
        if known == len(self.panels):
            self.panels.append(list(places))
        return known

    def _row(self, row: Row) -> int:
        spans = tuple(part for span in row.spans for part in (_STYLES[span.style], span.text))
        parts = (_STYLES[row.style], *spans)
        known = self._known_rows.setdefault(parts, len(self.rows))
        if known == len(self.rows):
            self.rows.append(list(parts))
        return known


def _page(
    title: str,
    language: str,
    notes: Sequence[str],
    shown: dict[str, Sequence[Row]],
    data: dict[str, object],
) -> Iterator[str]:
    name = escape(title)
    lang = "zh-Hans" if language == "zh" else language
    yield f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
    # A browser then refuses whatever a program's text might make it fetch.
    yield (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<header>\n"
        f"<h1>{name}</h1>\n"
    )
    for note in notes:
        yield f"<p>{escape(note)}</p>\n"
    # The script hides it, if there is one and the browser can unpack what it steps through.
    yield f'<p id="still">{escape(say(PageTexts.still, language))}</p>\n'
    yield "</header>\n"
    yield from _controls(language)  # beside the header, so that it stays while one scrolls
    yield "<main>\n<div>\n"
    for key, text in PANELS:
        if key == BESIDE:
            yield "</div>\n<div>\n"
        rows, head = shown.get(key, ()), say(text, language)
        if key == "lanes":  # at any step they show what comes after it, too
            head += f" · {say(ScreenTexts.recorded, language)}"
        live = ' aria-live="polite"' if key in READ_OUT else ""
        yield f'<section id="{key}" aria-labelledby="of-{key}"{live}{"" if rows else " hidden"}>\n'
        yield f'<h2 id="of-{key}">{escape(head)}</h2>\n'
        yield f'<pre role="group" tabindex="0" aria-labelledby="of-{key}">'
        for row in rows:
            yield _static(row)
        yield "</pre>\n</section>\n"
    made = escape(say(PageTexts.made, language, version=inplace_tui.__version__))
    # Steps differ in little: packed, 300 of them take a tenth. Base64 is never markup.
    packed = zlib.compress(json.dumps(data, ensure_ascii=False).encode(), 9)
    content = base64.b64encode(packed).decode("ascii")
    yield f'</div>\n</main>\n<footer><p>{made}</p></footer>\n<script type="text/plain" id="run">'
    yield f"{content}</script>\n<script>\n{_resource('page.js')}</script>\n</body>\n</html>\n"


def _controls(language: str) -> Iterator[str]:
    name = escape(say(PageTexts.controls, language))
    yield f'<nav aria-label="{name}" hidden>\n'
    for key, text in (("first", PageTexts.first), ("back", PageTexts.back)):
        yield f'<button type="button" id="{key}">{escape(say(text, language))}</button>\n'
    yield f'<input type="range" id="at" min="0" value="0" aria-label="{name}">\n'
    for key, text in (("next", PageTexts.next), ("last", PageTexts.last)):
        yield f'<button type="button" id="{key}">{escape(say(text, language))}</button>\n'
    keys = escape(say(PageTexts.keys, language))
    yield f'<output id="place" for="at"></output>\n<p>{keys}</p>\n</nav>\n'


def _static(row: Row) -> str:
    spans = "".join(
        escape(span.text)
        if span.style is Style.PLAIN
        else f'<span class="s{_STYLES[span.style]}">{escape(span.text)}</span>'
        for span in row.spans
    )
    look = "" if row.style is Style.PLAIN else f' class="s{_STYLES[row.style]}"'
    return f"<div{look}>{spans or ' '}</div>"


_LOOKS = {
    "color:var(--dim)": (Style.DIM, Style.HEADING, Style.FREED, Style.COMMENT),
    "color:var(--blue)": (Style.NAME, Style.NEXT, Style.LEAF, Style.FUNCTION),
    "color:var(--teal)": (Style.CODE, Style.STRING),
    "color:var(--violet)": (Style.MASKED, Style.SAVED, Style.KEYWORD),
    "color:var(--yellow)": (Style.WARNING, Style.NUMBER),
    "color:var(--yellow);font-weight:bold": (Style.CHANGED, Style.MATCH),
    "color:var(--teal);font-weight:bold": (Style.NEW,),
    "color:var(--orange)": (Style.ERROR,),
    "color:var(--orange);font-weight:bold": (Style.STALE, Style.WRONG),
    "color:var(--blue);font-weight:bold": (Style.RIGHT,),
    "font-weight:bold": (Style.STRONG,),
    "background:var(--here)": (Style.CURRENT,),
}


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _style() -> str:
    looks = (
        f"{','.join(f'.s{_STYLES[style]}' for style in styles)}{{{look}}}"
        for look, styles in _LOOKS.items()
    )
    return _resource("page.css") + "".join(looks)
