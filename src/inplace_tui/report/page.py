"""A run as one page for a browser: every step with its panels, and nothing from elsewhere.

The rows are those of the screen's panels, made by `present/` of what the session lets be
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
from itertools import accumulate

import inplace_tui
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import StepChosen
from inplace_tui.engine.session.view import View
from inplace_tui.model.files import split_files
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.timeline import Timeline
from inplace_tui.present import code, explain, graph, lanes, narration, output, table
from inplace_tui.present.rows import Row, Span, Style
from inplace_tui.texts import say
from inplace_tui.texts.page import PageTexts
from inplace_tui.texts.panels import PanelTitles
from inplace_tui.texts.screen import ScreenTexts

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
    """Return the page of a run that is over."""
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
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<header>\n"
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
    yield f"{content}</script>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"


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

_STYLE = (
    ":root{color-scheme:light dark;--back:#f6f6f3;--panel:#fdfdfb;--line:#bcbfc4;--text:#23272e;"
    "--dim:#5c6470;--blue:#1d58b1;--teal:#1a6561;--violet:#6a48a8;--yellow:#7e5200;"
    "--orange:#a03a08;--here:#dfe8f5}"
    "@media screen and (prefers-color-scheme:dark){:root{--back:#14161a;--panel:#191c21;"
    "--line:#3a404a;--text:#d5d8df;--dim:#9aa2ae;--blue:#7ca9f0;--teal:#8fb8b2;--violet:#b9a3e3;"
    "--yellow:#e3b778;--orange:#f0906a;--here:#243045}}"
    "body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--back);color:var(--text);"
    "font:1rem/1.5 system-ui,sans-serif}"
    "h1{font-size:1.3rem}h2{font-size:1rem;margin:.8rem 0 .2rem}"
    "nav{position:sticky;top:0;background:var(--back);padding:.4rem 0}"
    "nav:not([hidden]){display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}"
    "nav p{flex-basis:100%;margin:0;color:var(--dim)}input{flex:1;min-width:8rem}"
    "button{font:inherit;padding:.2rem .8rem}"
    "@media(min-width:118rem){body{max-width:124rem}main{display:flex;gap:1.5rem}"
    "main>div{flex:1;min-width:0}}"
    "@media(max-width:40rem){nav p{display:none}#at{order:1;flex-basis:100%}}"
    "@media print{nav>:not(output),#still{display:none!important}body{padding:0}"
    "h2{break-after:avoid}pre{font-size:.68rem!important;overflow:visible!important}}"
    # The notes at the ends of lines then stand below them.
    "@media print,(max-width:40rem){#code pre{white-space:pre-wrap;overflow-wrap:anywhere}"
    "#code pre>div{padding-left:7ch;text-indent:-7ch}#code .wide{display:inline}}"
    "pre{margin:0;padding:.5rem .8rem;overflow-x:auto;background:var(--panel);"
    "border:1px solid var(--line);font:.9rem/1.45 ui-monospace,monospace}"
    ".wide{display:inline-block}"
    "#step pre,#why pre{white-space:pre-wrap;overflow-wrap:anywhere}"
    ":focus-visible{outline:2px solid var(--blue)}"
    + "".join(
        f"{','.join(f'.s{_STYLES[style]}' for style in styles)}{{{look}}}"
        for look, styles in _LOOKS.items()
    )
)

_SCRIPT = """
"use strict";
const names = ["code", "step", "why", "tensors", "graph", "lanes", "output"];
const by = (id) => document.getElementById(id);
const range = by("at");
const shown = {};
let run;
let at;
async function unpacked() {
  const bytes = Uint8Array.from(atob(by("run").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
const wraps = ["step", "why"];
const wide = /([\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff01-\\uff60]+)/;
function aligned(text) {  // columns are counted in cells, whatever font has the wide characters
  return text.split(wide).map((piece, i) => {
    const part = document.createElement("span");
    part.textContent = piece;
    if (i % 2) { part.className = "wide"; part.style.width = 2 * piece.length + "ch"; }
    return part;
  });
}
function line(parts, name) {
  const row = document.createElement("div");
  if (parts[0]) row.className = "s" + parts[0];
  for (let i = 1; i < parts.length; i += 2) {
    const span = document.createElement("span");
    if (parts[i]) span.className = "s" + parts[i];
    if (wraps.includes(name) || !wide.test(parts[i + 1])) span.textContent = parts[i + 1];
    else span.append(...aligned(parts[i + 1]));
    row.append(span);
  }
  if (parts.length < 2) row.textContent = " ";
  return row;
}
function show(place) {
  at = Math.max(0, Math.min(run.steps.length - 1, place));
  names.forEach((name, i) => {
    const panel = run.steps[at][i];
    if (shown[name] === panel) return;
    shown[name] = panel;
    const rows = run.panels[panel];
    by(name).hidden = rows.length === 0;
    by(name).querySelector("pre").replaceChildren(...rows.map((row) => line(run.rows[row], name)));
  });
  const step = run.first + at;
  const text = (step ? run.step : run.start)
    .replace("{step}", step).replace("{count}", run.count);
  range.value = at;
  range.setAttribute("aria-valuetext", text);
  by("place").textContent = text;
}
const moves = {first: () => 0, back: () => at - 1, next: () => at + 1, last: () => Infinity};
for (const [id, to] of Object.entries(moves)) by(id).addEventListener("click", () => show(to()));
range.addEventListener("input", () => show(Number(range.value)));
const keys = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last",
  n: "next", N: "back", g: "first", G: "last"};
document.addEventListener("keydown", (event) => {
  if (!run || event.ctrlKey || event.altKey || event.metaKey) return;
  const {target} = event;  // while a panel has the focus, arrows scroll what is too wide in it
  const scrolls = target.tagName === "PRE" && target.scrollWidth > target.clientWidth;
  if (scrolls && event.key.startsWith("Arrow")) return;
  if (keys[event.key]) { event.preventDefault(); show(moves[keys[event.key]]()); }
});
unpacked().then((found) => {
  run = found;
  range.max = run.steps.length - 1;
  by("still").hidden = true;
  document.querySelector("nav").hidden = false;
  show(run.steps.length - 1);
});
"""
