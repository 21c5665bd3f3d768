"""A run as one page for a browser: every step with its panels, and nothing from elsewhere.

The rows are those of the screen's panels, made by `tutorial/present/` of what the session lets be
seen: what an open question hides is hidden here, too. What steps have in common is written
once. Text is data in the page, never markup.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise, zip_longest

from inplace_tui.common.cells import clean
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.files import FilePart, lines_of, part_of, split_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.lookup import step_of
from inplace_tui.common.run.outcome import Truth
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.common.texts.page import PageTexts
from inplace_tui.common.texts.panels import PanelTitles, QuestionTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.explain.report import ExplanationPage, of_run
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import AnswerGiven, HintRequested, StepChosen
from inplace_tui.tutorial.activity.session.view import Mask, View
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView, LinesView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.present import code, graph, lanes, narration, output, table
from inplace_tui.tutorial.report import page_html, plain, svg
from inplace_tui.tutorial.report.page_html import DRAWING, STYLES, CaseSections, PageLine, PagePanel
from inplace_tui.tutorial.state.graph_layout import GAP, MAX_SAVED, GraphLayout

Prose = list[list[int | str]]
"""Paragraphs, each as styles and texts in turn."""

ROOM = 80
"""Cells of a row: what a column of a window of 1,400 pixels has."""

ROOM_OF_CODE, ROOM_OF_NOTES = 160, 48
"""Cells of a row of code at most, and of those behind its widest line."""

ROOM_OF_PROSE = 2_000
"""Cells of a paragraph, which the browser wraps to its own width."""

MAX_ROWS = 80
"""Of tensors and nodes; lines of the program are never left out."""

CELLS = 4
"""Of a step in the life of a storage: its mark, the version behind it, and a line."""

MAX_STEPS = 1_000
"""Of a longer run, the last ones are taken: where it ended."""

MAX_NODES = 500_000
"""Of the graphs of all steps together, each of which is drawn: half a minute."""


def of_case(explained: ExplanationPage, *, file: str, leads: Leads) -> str:
    """Return the page of an explanation: who is to blame, what mends it, and the run."""
    case, sessions = explained.case, list[Session]()
    if case.timeline is not None and case.timeline.outcome is not None:
        sessions = [Session.of_recording(case.program, case.timeline, case.truth)]
    return _document(file, explained.language, sessions, CaseSections(explained, file, leads))


def of_lesson(loaded: LoadedLesson, timeline: Timeline, truth: Truth, language: str) -> str:
    """Return the page of a lesson, which asks what the lesson asks before it shows the answer."""
    answers: list[SavedAnswer] = []
    sessions = [Session.of_recording(loaded, timeline, truth)]
    while (asked := _at(sessions[-1], len(timeline)).question) and not asked.status.is_done:
        answers.append(SavedAnswer(question=asked.id, status=QuestionStatus.SHOWN))
        sessions.append(Session.of_recording(loaded, timeline, truth, answers))
    return _document("", language, sessions)


def document(session: Session, title: str, language: str, fixes: Sequence[Fix] = ()) -> str:
    """Return the page of a session as it stands; what its open question hides is not in it."""
    view = _at(session, len(session.view().timeline))
    if session.lesson is not None or view.program is None or view.outcome is None:
        return _document(title, language, [session])
    run = view.program, view.timeline, view.truth, view.blame
    case = CaseSections(of_run(*run, fixes, language=language), title)
    return _document(title, language, [session], case)


def _document(
    title: str, language: str, sessions: Sequence[Session], case: CaseSections | None = None
) -> str:
    """Return the page of a run that is seen up to a question of each session, and to its end."""
    if not sessions:
        return "".join(page_html.page(title, language, case=case))
    if (lesson := sessions[-1].lesson) is not None:
        title = lesson.lesson.title[language]
    recording = _Recording(sessions[-1], language, is_explained=case is not None)
    recording.parts = [recording.steps(each) for each in sessions]
    recording.asked = [_asked(*pair, language) for pair in pairwise(sessions)]
    notes, shown, data = recording.notes(), recording.shown, recording.data()
    return "".join(page_html.page(title, language, notes=notes, shown=shown, data=data, case=case))


class _Recording:
    """What the steps of a run show, as rows by number: each row and each panel once."""

    def __init__(self, session: Session, language: str, *, is_explained: bool) -> None:
        self._end = view = _at(session, len(session.view().timeline))
        self._language = language
        self._is_explained = is_explained
        self._layout = GraphLayout()
        self._lanes: list[PageLine] = []
        ran = {part_of(view.source, line) for line in view.timeline.index.visits}
        parts = split_files(view.source)
        self._files = [part for part in parts if part in ran] or [parts[0]]
        self._first = _first_step(view.timeline, view.reachable)
        self.parts: list[list[list[int]]] = []
        """Of each part of the run, up to a question or the end, its steps: a number a panel."""

        self.asked: list[dict[str, object]] = []
        """The question behind each part but the last one."""

        self._rows: dict[tuple[int | str, ...], int] = {}
        """What a row is about; its style; styles and texts in turn; and the number of the row."""

        self._panels: dict[tuple[int, ...], int] = {}
        self._related: dict[str, list[str]] = _related(view)
        """What is marked, too, where this is chosen."""

        self.shown: list[PagePanel] = []
        """As the page begins without its script: the last step of the first part."""

    def steps(self, session: Session) -> list[list[int]]:
        found: list[list[int]] = []
        panels: list[PagePanel] = []
        end = _at(session, len(self._end.timeline))
        self._lanes = list(_lanes(end, self._language))  # they show all that may be seen at its end
        for cursor in range(self._first, end.reachable + 1):
            panels = list(self._panels_at(_at(session, cursor)))
            found.append([self._number(panel.lines) for panel in panels])
        self.shown = self.shown or panels
        return found

    def notes(self) -> Iterator[str]:
        """Yield what is not on the page, and why."""
        view, count = self._end, len(self._end.timeline)
        if self._first >= 0:
            kept = view.reachable + 1 - self._first
            yield say(PageTexts.left_out, self._language, count=count, kept=kept)
        if view.has_open_question or view.reachable < count - 1:
            yield say(PageTexts.gated, self._language)

    def data(self) -> dict[str, object]:
        """Return what the page's script shows the steps with."""
        return {
            "first": self._first + 1,
            "begin": self._begin(),
            "count": self._end.reachable + 1,
            "rows": list(self._rows),
            "panels": list(self._panels),
            "parts": self.parts,
            "asked": self.asked,
            "names": [panel.key for panel in self.shown],
            "related": self._related,
            "step": say(PageTexts.step, self._language, step="{step}", count="{count}"),
            "start": say(PageTexts.start, self._language, count="{count}"),
            "none": say(PageTexts.unlinked, self._language),
            "right": _prose(say(QuestionTexts.right, self._language)),
            "wrong": _prose(say(QuestionTexts.wrong, self._language)),
            "line": say(GraphTexts.line, self._language, line="{line}"),
            "axis": say(LaneTexts.step, self._language),
            "here": STYLES[Style.CURRENT],
        }

    def _begin(self) -> int:
        """Return the step that is shown first: where it failed, or else what made it wrong."""
        blame, last = self._end.blame, len(self.parts[0]) - 1
        if self.asked:
            return 0
        if blame is None or blame.verdict is not Verdict.SILENTLY_WRONG or not blame.writes:
            return last
        step = step_of(self._end.timeline, blame.writes[0])
        return last if step is None else max(0, step.index - self._first)

    def _panels_at(self, view: View) -> Iterator[PagePanel]:
        language, ran = self._language, self._end.timeline.index.visits
        head = say(PanelTitles.code, language)
        for number, part in enumerate(self._files):
            name = f"{head} · {part.name or view.main_name}" if len(self._files) > 1 else head
            lines = [
                PageLine(row, f"l{row.target.line}" if row.target.line in ran else "")
                for row in _code(view, language, part)
            ]
            yield PagePanel(f"code{number}", name, lines)
        words = narration.rows(view, ROOM_OF_PROSE, language, brief=True)
        yield self._prose("step", PanelTitles.narration, words)
        if not self._is_explained:
            is_end = view.cursor == view.reachable
            words = explain.rows(view, ROOM_OF_PROSE, language) if is_end else []
            yield self._prose("why", PanelTitles.why, words)
        yield PagePanel("tensors", say(PanelTitles.tensors, language), self._tensors(view))
        yield self._prose("output", PanelTitles.output, output.rows(view, ROOM_OF_PROSE, language))
        yield PagePanel("graph", say(PanelTitles.graph, language), self._graph(view))
        recorded = f"{say(PanelTitles.lanes, language)} · {say(ScreenTexts.recorded, language)}"
        yield PagePanel("lanes", recorded, self._lanes)

    def _prose(self, key: str, title: LocalText, rows: Sequence[Row]) -> PagePanel:
        return PagePanel(key, say(title, self._language), list(map(PageLine, rows)))

    def _graph(self, view: View) -> list[PageLine]:
        """Return the rows of the graph with their strokes; what is saved is linked by storage."""
        facts, layout = graph.Facts(view, self._language), self._layout
        facts.follow(layout)
        if not len(layout):
            return [PageLine(Row((graph.nothing(view, self._language),)))]
        picture = svg.Picture(facts, layout, ROOM)
        found: list[PageLine] = []
        for place in map(layout.at, range(min(len(layout), MAX_ROWS))):
            strokes, rails = picture.strokes(place, svg.HIGH / 2)
            spans = [Span("")] if place.part == GAP else picture.words(place, rails)
            key, at = f"n{place.key}", ""
            slots = layout.slots.get(place.key, [])
            if place.part == 0:
                at = f"{picture.mark_at(place)}"
                linked = [_key("l", facts.nodes[place.key].line)]
                linked += [_key("s", each.storage) for each in slots]
                self._related[key] = list(dict.fromkeys(filter(None, linked)))
            elif 0 < place.part <= MAX_SAVED:
                key = _key("s", slots[place.part - 1].storage)
            found.append(PageLine(Row(tuple(spans)), key, f"{rails} {at} {strokes}"))
        return [*found, *self._more(len(layout) - MAX_ROWS)]

    def _tensors(self, view: View) -> list[PageLine]:
        rows = table.rows(view, ROOM, self._language)
        tensors = view.snapshot.tensors
        found: list[PageLine] = []
        for row in rows[:MAX_ROWS]:
            tensor = None if row.target.tensor is None else tensors.get(row.target.tensor)
            found.append(PageLine(row, "" if tensor is None else _key("s", tensor.storage)))
        return [*found, *self._more(len(rows) - MAX_ROWS)]

    def _more(self, count: int) -> list[PageLine]:
        text = say(PageTexts.more, self._language, count=count)
        return [PageLine(Row((Span(text, Style.DIM),)))] if count > 0 else []

    def _number(self, lines: Sequence[PageLine]) -> int:
        return self._panels.setdefault(tuple(map(self._row, lines)), len(self._panels))

    def _row(self, line: PageLine) -> int:
        drawing = (DRAWING, line.drawing) if line.drawing else ()
        parts = (line.key, STYLES[line.row.style], *drawing, *_in_turn(line.row.spans))
        return self._rows.setdefault(parts, len(self._rows))


def _in_turn(spans: Iterable[Span]) -> Iterator[int | str]:
    """Yield styles and texts in turn."""
    for span in spans:
        yield from (STYLES[span.style], span.text)


def _at(session: Session, cursor: int) -> View:
    session.handle(StepChosen(cursor))
    return replace(session.view(), fixes=None, score=None)


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


def _key(kind: str, number: int | None) -> str:
    return "" if number is None else f"{kind}{number}"


def _code(view: View, language: str, part: FilePart) -> Iterator[Row]:
    """Yield the rows of a file; those that would be cut are longer than the others."""
    room = max(ROOM, min(code.widest(part.source) + ROOM_OF_NOTES, ROOM_OF_CODE))
    wide = code.rows(view, room, language, part)
    for place, row in enumerate(code.rows(view, ROOM, language, part)):
        whole = wide[place] if "…" in row.text else row
        yield whole if row.text.count("…") > whole.text.count("…") else row


def _lanes(view: View, language: str) -> Iterator[PageLine]:
    """Yield the lives of storages, in words and as they are drawn; the one at fault first."""
    write = view.blame.writes[0] if view.blame is not None and view.blame.writes else None
    about = (view.blame and view.blame.tensor) or ""
    first: list[PageLine] = []
    if write is not None and write.storage is not None:
        for line in filter(lambda each: each.key, _lives(view, language, write.storage)):
            # It may have another name by now, or none.
            is_renamed = about not in line.row.text.split()
            named = (Span(f"{clean(about)} ", Style.WRONG),) if is_renamed and about else ()
            first.append(replace(line, row=Row((*named, *line.row.spans))))
    yield from first
    keys = {line.key for line in first}
    yield from (line for line in _lives(view, language) if line.key not in keys)
    legend = "  ".join(lanes.legend_parts(language))
    yield PageLine(Row((Span(legend, Style.DIM),)))


def _lives(view: View, language: str, only: int | None = None) -> Iterator[PageLine]:
    options = lanes.LaneOptions(height=plain.MAX_LANES, only=only)
    room = count = CELLS * (view.reachable + 1)
    while (layout := lanes.LaneLayout(view, room, options, language)).track < count:
        room += count - layout.track  # names may take more, too
    words = plain.lives(view, plain.UNCUT, language, only=only)
    for row, lane in zip_longest(words, layout.lanes[: plain.MAX_LANES]):
        if lane is None:
            yield PageLine(row)
            continue
        track = lanes.track(layout, lane, hidden=layout.hidden(lane))
        drawing = "".join(span.text for span in track).ljust(count)
        yield PageLine(row, f"s{lane.storage}", drawing)


def _related(view: View) -> dict[str, list[str]]:
    """Return the lines that made, saved or wrote each storage; nothing while a question is open."""
    if view.mask != Mask():
        return {}
    steps, found = view.timeline.steps, dict[str, set[int]]()
    for storage, life in view.timeline.index.lives.items():
        at = [life.born, *(step for step, _ in life.writes)]
        found[f"s{storage}"] = {steps[step].line for step in at if step < len(steps)}
    for step in steps:
        for saved in step.saved:
            if saved.storage is not None and any(node.id == saved.node for node in step.nodes):
                found.setdefault(f"s{saved.storage}", set()).add(step.line)
    return {key: [f"l{line}" for line in sorted(lines)] for key, lines in found.items()}


def _asked(before: Session, after: Session, language: str) -> dict[str, object]:
    """Return the question that a part of a lesson ends with, and the replies to its answers."""
    view = _at(before, len(before.view().timeline))
    asked, told = view.question, _at(after, view.cursor).question
    assert asked is not None, "the part ends there"
    given: dict[str, str] = {}  # an order is judged by running it: it is thought of, and then seen
    if isinstance(asked.answers, ChoicesView):
        given = {identity: text[language] for identity, text in asked.answers.choices}
    elif isinstance(asked.answers, LinesView):
        lines = lines_of(view.source)
        given = {str(n): f"{n}  {each}" for n, each in enumerate(lines, 1) if each.strip()}
    replies = ((text, _reply(before, each, language)) for each, text in given.items())
    hinted = before.again()
    assert hinted is not None, "its run is over"
    _at(hinted, view.cursor)
    for _ in range(asked.hints_total):
        hinted.handle(HintRequested())
    now = hinted.view().question
    return {
        "prompt": _prose(asked.prompt[language]),
        "answers": [[_prose(text), *reply] for text, reply in replies if reply is not None],
        "hints": [_prose(hint[language]) for hint in (now.hints if now else ())],
        "shown": [] if told is None or told.feedback is None else _prose(told.feedback[language]),
    }


def _prose(text: str) -> Prose:
    return [list(_in_turn(spans)) for spans in narration.paragraphs(text)]


def _reply(session: Session, given: str, language: str) -> tuple[bool, Prose] | None:
    """Return whether an answer is right, and what is said to it; None where it is no answer."""
    fresh = session.again()
    assert fresh is not None, "its run is over"
    view = _at(fresh, len(fresh.view().timeline))
    fresh.handle(AnswerGiven(given))
    told = fresh.view().question
    if told is None or (view.question is not None and told.tried == view.question.tried):
        return None
    parts = (text[language] for text in (told.did, told.feedback) if text is not None)
    return told.status is QuestionStatus.RIGHT, _prose("\n\n".join(parts))
