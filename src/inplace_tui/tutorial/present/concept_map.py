"""The concept map as rows: as a list, and drawn around one lesson."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from inplace_tui.common.cells import clip, clip_spans, hanging, pad, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.concept_map import ConceptMapTexts
from inplace_tui.common.texts.concepts import concept_name
from inplace_tui.tutorial.course.course import ConceptPlace, Course, concept_map
from inplace_tui.tutorial.state.rails import DOWN, LEFT, RIGHT, STROKES, UP

INDENT = 7
"""Cells before the details of a lesson."""


def rows(course: Course, marks: Mapping[str, str], room: int, language: str) -> list[Row]:
    """Return the map in `room` cells; all rows of a lesson have its place as `choice`."""
    places = iter(concept_map(course))
    drawn: list[Row] = []
    for number, chapter in enumerate(course.chapters, 1):
        drawn += [Row()] if drawn else []
        title = Span(f"{number}  {chapter.chapter.title[language]}", Style.HEADING)
        drawn.append(Row(clip_spans((title,), room)))
        for _ in chapter.lessons:
            drawn += _lesson(next(places), marks, room, language)
    return drawn


def _lesson(place: ConceptPlace, marks: Mapping[str, str], room: int, language: str) -> list[Row]:
    target = Target(choice=place.number - 1)
    lesson = place.loaded.lesson
    head = (
        Span(f" {marks.get(lesson.id, ' ')} {place.number:>2}  ", Style.NAME),
        Span(lesson.title[language], Style.STRONG),
    )
    drawn = [Row(clip_spans(head, room), target)]
    needs = (
        concept_name(concept, language) + ("" if teacher is None else f" ({teacher})")
        for concept, teacher in place.needs
    )
    fields: dict[LocalText, Iterable[object]] = {
        ConceptMapTexts.needs: needs,
        ConceptMapTexts.teaches: (concept_name(each, language) for each in lesson.teaches),
        ConceptMapTexts.opens: place.opens,
    }
    for text, names in fields.items():
        if words := list_of(names, language):
            spans = [Span(say(text, language), Style.DIM), Span(words)]
            drawn += hanging(Span(" " * INDENT), spans, room, target)
    return drawn


BOX = 4
"""Rows of a box: its edges, and two lines of a title."""

GAP = 5
"""Cells between two columns, for the arrows."""

WIDEST = 44
"""Cells of a box; the titles of lessons fit in two lines of it."""

NARROWEST = 60
"""Cells of a screen below which three columns of boxes can't be read, and the list is shown."""


@dataclass(frozen=True)
class MapView:
    """One lesson with those around it, by their numbers, and where the cursor is."""

    columns: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    """What the lesson needs, its chapter, and where it leads."""

    centre: int
    column: int = 1
    row: int = 0
    """Of the cursor; in the middle column it is at the lesson itself."""

    @property
    def cursor(self) -> int:
        """The number of the lesson under the cursor."""
        return self.centre if self.column == 1 else self.columns[self.column][self.row]

    def moved(self, course: Course, across: int, down: int) -> MapView:
        """Return the view after an arrow key: beyond the outer columns the map moves along."""
        if down and self.column == 1:
            last = len(course.lessons)
            return around(course, max(1, min(self.centre + down, last)))
        if down:
            most = len(self.columns[self.column]) - 1
            return replace(self, row=max(0, min(self.row + down, most)))
        view, there = self, self.column + across
        if not 0 <= there <= 2:
            view, there = around(course, self.cursor), 1 + across
        return replace(view, column=there, row=0) if view.columns[there] else view


def around(course: Course, centre: int) -> MapView:
    """Return the map around a lesson; numbers begin at 1."""
    places = concept_map(course)
    place = places[centre - 1]
    ends = [0, *accumulate(len(each.lessons) for each in course.chapters)]
    before, last = max(end for end in ends if end < centre), min(e for e in ends if e >= centre)
    chapter = tuple(range(before + 1, last + 1))
    needs = {teacher for _, teacher in place.needs if teacher not in (None, centre)}
    opens = tuple(each for each in place.opens if each != centre)
    return MapView((tuple(sorted(filter(None, needs))), chapter, opens), centre)


def drawing(
    course: Course,
    view: MapView,
    marks: Mapping[str, tuple[str, Style]],
    *,
    room: int,
    height: int,
    language: str,
    state: Span | None = None,
) -> list[Row]:
    """Return the map in `height` rows: boxes, and arrows from what is needed to what needs it.

    `state` is how far one is with the lesson under the cursor.
    """
    wide = max(12, min(WIDEST, (room - 2 * GAP) // 3))
    fitting = boxes_in(height)
    canvas = _Canvas(max(fitting * BOX, height - 4), wide)
    heads, middle = list[str](), 0
    titles = (ConceptMapTexts.before, None, ConceptMapTexts.after)
    for column in (1, 0, 2):
        numbers = view.columns[column]
        at = numbers.index(view.centre) if column == 1 else view.row * (view.column == column)
        first = max(0, min(at - fitting // 2, len(numbers) - fitting))
        shown = numbers[first : first + fitting]
        top = 0
        if column == 1:
            middle, below = BOX * (at - first) + 1, BOX * len(shown)
            _draw_following(canvas, course, numbers[-1], marks, top=below, language=language)
        else:
            top = max(0, min(middle + 1 - BOX * len(shown) // 2, BOX * (fitting - len(shown))))
        for place, number in enumerate(shown):
            lesson = course.lessons[number - 1].lesson
            look = marks.get(lesson.id, (" ", Style.PLAIN))
            chosen = (view.column, view.cursor) == (column, number)
            title, centre = lesson.title[language], number == view.centre
            there = column, top + BOX * place
            canvas.box(there, number, title, look, chosen=chosen, centre=centre)
        if column != 1:
            canvas.arrows(column // 2, middle, [top + BOX * n + 1 for n in range(len(shown))])
        text = titles[column]
        head = _chapter_of(course, view.centre, language) if text is None else say(text, language)
        left = len(numbers) - len(shown)
        more = f" (+{left})" if left else ""
        heads.insert(column, clip(head, wide - len(more)) + more)
        if not numbers:
            canvas.text(column, middle, say(ConceptMapTexts.nothing, language), Style.DIM)
    between = Span(" " * GAP)
    top_row = [Span(pad(head, wide), Style.HEADING) for head in heads]
    spans = (top_row[0], between, top_row[1], between, top_row[2])
    rows = [Row(spans), *canvas.rows()]
    if 2 * GAP + 3 * wide > room:  # on a screen that was made narrow
        rows = [Row(clip_spans(row.spans, room)) for row in rows]
    return [*rows, Row(), *_about(course, view.cursor, state, room, language)]


def boxes_in(height: int) -> int:
    """Return how many boxes stand in a column of the map."""
    return max(1, (height - 4) // BOX)


def _draw_following(
    canvas: _Canvas,
    course: Course,
    number: int,
    marks: Mapping[str, tuple[str, Style]],
    *,
    top: int,
    language: str,
) -> None:
    """Draw the lessons after the chapter in the middle, as far as there is room below it."""
    chapter = _chapter_of(course, number, language)
    while number < len(course.lessons):
        number += 1
        begins = _chapter_of(course, number, language) != chapter
        if top + begins + BOX > canvas.height:
            break
        if begins:
            chapter = _chapter_of(course, number, language)
            canvas.text(1, top, chapter, Style.HEADING)
            top += 1
        lesson = course.lessons[number - 1].lesson
        look = marks.get(lesson.id, (" ", Style.PLAIN))
        canvas.box((1, top), number, lesson.title[language], look, chosen=False, centre=False)
        top += BOX


def _chapter_of(course: Course, number: int, language: str) -> str:
    for chapter in course.chapters:
        number -= len(chapter.lessons)
        if number <= 0:
            return chapter.chapter.title[language]
    return ""


def _about(course: Course, number: int, state: Span | None, room: int, language: str) -> list[Row]:
    """Return the title of a lesson in full, how far one is with it, and what it teaches."""
    lesson = course.lessons[number - 1].lesson
    taught = list_of((concept_name(each, language) for each in lesson.teaches), language)
    title = (Span(f"{number}  ", Style.NAME), Span(lesson.title[language], Style.STRONG))
    about = (Span(say(ConceptMapTexts.teaches, language), Style.DIM), Span(taught))
    teaches = about if state is None else (state, Span(" · ", Style.DIM), *about)
    target = Target(choice=number - 1)
    return [Row(clip_spans(each, room), target) for each in (title, teaches)]


class _Canvas:
    """Three columns of boxes, and what leads from one to the other."""

    def __init__(self, height: int, wide: int) -> None:
        self.height = height
        self._wide = wide
        blank = (Span(" " * wide),)
        self._cells: list[list[tuple[Span, ...]]] = [[blank] * height for _ in range(3)]
        self._gaps = [[" " * GAP] * height for _ in range(2)]

    def box(
        self,
        place: tuple[int, int],
        number: int,
        title: str,
        mark: tuple[str, Style],
        *,
        chosen: bool,
        centre: bool,
    ) -> None:
        """Draw the box of a lesson; `place` is its column and its top row."""
        (column, top), (glyph, look) = place, mark
        inner = self._wide - 4
        edge = Style.CURRENT if chosen else Style.NAME if centre else Style.DIM
        corners, flat, side = ("┏┓┗┛", "━", "┃") if chosen else ("╭╮╰╯", "─", "│")
        head = f"{flat} {glyph} {number} " if glyph.strip() else f"{flat} {number} "
        lines = wrap([Span(title)], inner)
        texts = ["".join(span.text for span in line).strip() for line in lines[:2]]
        if len(lines) > 2:
            texts[1] = clip(f"{texts[1]}…", inner) if len(texts[1]) < inner else texts[1][:-1] + "…"
        target = Target(choice=number - 1)
        style = Style.STRONG if chosen or centre else Style.PLAIN
        first = corners[0] + head.ljust(self._wide - 2, flat) + corners[1]
        before, shown, after = first.partition(glyph if glyph.strip() else "\0")
        top_edge = (before, edge), (shown, look), (after, edge)
        drawn = [tuple(Span(text, look, target) for text, look in top_edge if text)]
        for text in (*texts, "")[:2]:
            middle = Span(pad(text, inner), style, target)
            drawn.append((Span(f"{side} ", edge, target), middle, Span(f" {side}", edge, target)))
        drawn.append((Span(corners[2] + flat * (self._wide - 2) + corners[3], edge, target),))
        for row, spans in enumerate(drawn, top):
            self._cells[column][row] = spans

    def text(self, column: int, row: int, text: str, style: Style) -> None:
        self._cells[column][row] = (Span(pad(clip(text, self._wide), self._wide), style),)

    def arrows(self, gap: int, middle: int, others: Sequence[int]) -> None:
        """Join the box in the middle with others; an arrow points at what needs the other."""
        if not others:
            return
        rows = {middle, *others}
        for row in range(min(rows), max(rows) + 1):
            outer, inner = row in others, row == middle
            west, east = (outer, inner) if gap == 0 else (inner, outer)
            upright = UP * (row > min(rows)) + DOWN * (row < max(rows))
            join = STROKES[upright + LEFT * west + RIGHT * east]
            lead, tail = "──" if west else "  ", "─▶" if east else "  "
            self._gaps[gap][row] = f"{lead}{join}{tail}"

    def rows(self) -> list[Row]:
        left, centre, right = self._cells
        return [
            Row((*a, Span(b, Style.DIM), *c, Span(d, Style.DIM), *e))
            for a, b, c, d, e in zip(left, self._gaps[0], centre, self._gaps[1], right, strict=True)
        ]
