"""How the page of a run is laid out as HTML; what is in it, `page.py` says."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from itertools import groupby

import inplace_tui
from inplace_tui.common.cells import clean
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, spans
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.files import lines_of, place_of
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.source_text import line_text, without_comment
from inplace_tui.common.texts import say
from inplace_tui.common.texts.page import PageTexts
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.diagnosis.explain.report import Annotation, ExplanationPage
from inplace_tui.diagnosis.fixes.rows import facts

STYLES = {style: place for place, style in enumerate(Style)}

DRAWING = -1
"""Stands for a style before what is drawn at the beginning of a row."""

READ_OUT = ("step", "why")
"""Panels whose words a screen reader says when they change."""

BESIDE = "graph"
"""The first panel of the second column, where a window is wide enough for two."""


@dataclass(frozen=True)
class PageLine:
    """A row of a panel, and what it is about."""

    row: Row
    key: str = ""
    """`l3` line 3, `n7` a node, `s2` a storage: the same in all panels."""

    drawing: str = ""
    """What the page's script draws beside it: of a node rails, the place of its mark, a path; of a
    storage a mark, a version and a line for each step."""


@dataclass(frozen=True)
class PagePanel:
    """What one panel shows at one step."""

    key: str
    title: str
    lines: Sequence[PageLine]


def page(
    title: str,
    language: str,
    *,
    notes: Iterable[str] = (),
    shown: Sequence[PagePanel] = (),
    data: Mapping[str, object] | None = None,
    case: CaseSections | None,
) -> Iterator[str]:
    """Yield the page. `shown` is what it begins with, `data` all that its script steps through."""
    name, dark = escape(title), _say(PageTexts.dark, language)
    lang = "zh-Hans" if language == "zh" else language
    yield f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
    # A browser then refuses whatever a program's text might make it fetch.
    yield (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<header>\n"
        f"<h1>{name}</h1>\n"
        '<label id="theme" hidden><input type="checkbox" role="switch" id="dark" '
        f'aria-label="{dark}"> {dark}</label>\n<svg id="drawn" hidden></svg>\n'
    )
    if case is not None:
        yield from case.verdict()
    for note in notes:
        yield f"<p>{escape(note)}</p>\n"
    if data is not None:  # the script hides it, if the browser can unpack what it steps through
        yield f'<p id="still">{_say(PageTexts.still, language)}</p>\n'
    yield "</header>\n<main>\n"
    if case is not None:
        yield f'<div id="found">\n{"".join(case.what())}{"".join(case.fixes())}</div>\n'
    if data is not None:
        yield from _controls(language)  # beside the header, so that it stays while one scrolls
        yield '<div id="panels">\n<div>\n'
        for panel in shown:
            yield from ["</div>\n<div>\n"] if panel.key == BESIDE else []
            yield from _panel(panel)
        yield "</div>\n</div>\n"
    made = _say(PageTexts.made, language, version=inplace_tui.__version__)
    runs = "" if case is None else case.run_count()
    yield f"</main>\n<footer>{runs}<p>{made}</p></footer>\n"
    yield f"<script>\n{_resource('theme.js')}</script>\n"
    if data is not None:
        # Steps differ in little: packed, 300 of them take a tenth. Base64 is never markup.
        packed = zlib.compress(json.dumps(data, ensure_ascii=False).encode(), 9)
        content = base64.b64encode(packed).decode("ascii")
        yield f'<script type="text/plain" id="run">{content}</script>\n'
        yield f"<script>\n{_resource('page.js')}</script>\n"
    yield "</body>\n</html>\n"


def _panel(panel: PagePanel) -> Iterator[str]:
    key, hidden = panel.key, "" if panel.lines else " hidden"
    live = ' aria-live="polite"' if key in READ_OUT else ""
    yield f'<section id="{key}" aria-labelledby="of-{key}"{live}{hidden}>\n'
    yield f'<h2 id="of-{key}">{escape(panel.title)}</h2>\n'
    yield f'<pre role="group" tabindex="0" aria-labelledby="of-{key}">'
    yield from (_row(line.row) for line in panel.lines)
    yield "</pre>\n</section>\n"


def _controls(language: str) -> Iterator[str]:
    """Yield what one steps with, and what asks: without its script the page has neither."""
    name, keys = _say(PageTexts.controls, language), _say(PageTexts.keys, language)
    steps = {"first": PageTexts.first, "back": PageTexts.back, "next": PageTexts.next}
    asks = {"answer": PageTexts.answer, "hint": PageTexts.hint, "show": PageTexts.show}
    first, back, onward, last, answer, hint, show = (
        f'<button type="button" id="{key}">{_say(text, language)}</button>\n'
        for key, text in {**steps, "last": PageTexts.last, **asks}.items()
    )
    yield f'<nav aria-label="{name}" hidden>\n{first}{back}'
    yield f'<input type="range" id="at" min="0" value="0" aria-label="{name}">\n{onward}{last}'
    yield f'<output id="place" for="at"></output>\n<p id="keys">{keys}</p>\n'
    yield '<p id="links" role="status"></p>\n</nav>\n'
    yield '<section id="question" aria-labelledby="of-question" hidden>\n'
    yield f'<h2 id="of-question">{_say(PanelTitles.question, language)}</h2>\n'
    yield f'<fieldset id="answers"></fieldset>\n{answer}{hint}{show}'
    yield '<div id="reply" role="status"></div>\n</section>\n'


@dataclass(frozen=True)
class CaseSections:
    """What `explain` prints of a case, too: before one steps through the run."""

    explained: ExplanationPage
    file: str
    leads: Leads = field(default_factory=Leads)

    def verdict(self) -> Iterator[str]:
        head = "".join(row.text for row in self.explained.head(self.file))
        look = "right" if self.explained.case.ending.is_fine else "wrong"
        text = head.removeprefix(f"{clean(self.file)}: ")
        yield f'<p id="verdict" class="s{STYLES[Style(look)]}">{escape(text)}</p>\n'

    def what(self) -> Iterator[str]:
        """Yield the lines at fault, of whatever files, and what happened there."""
        page, case = self.explained, self.explained.case
        is_right = case.ending is Ending.RIGHT and case.verdict is None
        said = page.next_steps() if is_right else page.explanation()
        rows = [*said, *page.as_module(self.file), *page.leads(self.leads)]
        source = case.program.source
        by_file: dict[str | None, list[Annotation]] = {}  # in order of time
        for note in page.annotations():
            by_file.setdefault(place_of(source, note.where.line).file, []).append(note)
        if not by_file and not rows:
            return
        yield '<section id="what" aria-labelledby="of-what">\n'
        yield f'<h2 id="of-what">{_say(PageTexts.what, page.language)}</h2>\n'
        for file, notes in by_file.items():
            main = case.program.filename.rpartition("/")[2]
            yield f'<h3>{escape(clean(file or main))}</h3>\n<div class="quote">'
            yield from _quotes(source, sorted(notes, key=lambda note: note.where.line))
            yield "</div>\n"
        if by_file and rows:
            yield f"<h3>{_say(PanelTitles.why, page.language)}</h3>\n"
        yield f"{_prose(rows)}</section>\n"

    def fixes(self) -> Iterator[str]:
        """Yield the changed programs that were run and are right; else what was tried."""
        rows = self.explained.fixes()
        if not rows:
            return
        yield '<section id="fixes" aria-labelledby="of-fixes">\n'
        yield f'<h2 id="of-fixes">{_say(PageTexts.fixes, self.explained.language)}</h2>\n'
        if not self.explained.case.fixes:
            yield _prose(rows)
        for number, fix in enumerate(self.explained.case.fixes, 1):
            yield from self._fix(number, fix)
        yield "</section>\n"

    def _fix(self, number: int, fix: Fix) -> Iterator[str]:
        name = f"of-fix-{number}"
        title = _spans(spans(fix.title[self.explained.language]))
        yield f'<article aria-labelledby="{name}">\n<h3 id="{name}">{number}. {title}</h3>\n'
        yield _prose([Row((Span(" · ".join(facts(fix, self.explained.language))),))])
        yield f'<pre role="group" tabindex="0" aria-labelledby="{name}">'
        for line in lines_of(fix.diff):
            look = "at" if line[:4] in ("--- ", "+++ ", "@@ -") else _CHANGES.get(line[:1], "")
            yield f'<div class="{look}">{escape(line[:1] + clean(line[1:])) or " "}</div>'
        yield "</pre>\n</article>\n"

    def run_count(self) -> str:
        return _prose(self.explained.run_count())


def _quotes(source: str, notes: Sequence[Annotation]) -> Iterator[str]:
    """Yield lines of a file, in each the part marked that did something, and what it did below."""
    texts = {note.where.line: without_comment(line_text(source, note.where.line)) for note in notes}
    cut = min(len(text) - len(text.lstrip()) for text in texts.values())
    for line, group in groupby(notes, lambda note: note.where.line):
        found, text = list(group), texts[line]
        where, look = found[-1].where, f"s{STYLES[found[-1].style]}"
        pieces = (text[cut : where.start], text[where.start : where.end], text[where.end :])
        before, marked, after = (escape(clean(piece)) for piece in pieces)
        yield (
            f'<div data-key="l{line}"><span class="number">{place_of(source, line).line}</span>'
            f'<code>{before}<mark class="{look}">{marked}</mark>{after}</code></div>'
        )
        for note in found:
            said = escape(note.text + note.through)
            yield f'<div class="note s{STYLES[note.style]}">{said}</div>'


def _say(text: LocalText, language: str, **values: object) -> str:
    return escape(say(text, language, **values))


def _prose(rows: Iterable[Row]) -> str:
    """Return paragraphs; code needs no marks around it where it has a type of its own."""
    said = (_spans(each for span in row.spans for each in _bare(span)) for row in rows)
    return "".join(f"<p>{each}</p>\n" for each in said if each)


def _bare(span: Span) -> list[Span]:
    if span.style is Style.CODE:
        return [Span(span.text.strip("`"), span.style)]
    return spans(span.text, span.style)


def _row(row: Row) -> str:
    return f"<div{_look(row.style)}>{_spans(row.spans) or ' '}</div>"


def _spans(found: Iterable[Span]) -> str:
    said = ((_look(span.style), escape(span.text)) for span in found)
    return "".join(f"<span{look}>{text}</span>" if look else text for look, text in said)


def _look(style: Style) -> str:
    return "" if style is Style.PLAIN else f' class="s{STYLES[style]}"'


_CHANGES = {"-": "gone", "+": "come"}

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


def looks() -> str:
    """Return a rule for each way that spans look, in variables of `page.css`."""
    return "".join(
        f"{','.join(f'.s{STYLES[style]}' for style in styles)}{{{look}}}"
        for look, styles in _LOOKS.items()
    )


def palettes() -> Iterator[dict[str, str]]:
    """Yield the colours of these variables, on light and on dark."""
    found = re.findall(r"--(\w+):light-dark\((#\w+),(#\w+)\)", _resource("page.css"))
    yield from ({name: pair[scheme] for name, *pair in found} for scheme in (0, 1))


def _style() -> str:
    code = f"p .s{STYLES[Style.CODE]}{{font:.85em ui-monospace,monospace}}"
    return _resource("page.css") + looks() + code
