"""The concept map as rows: lesson by lesson, what it needs, what it teaches, where it leads."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.engine.course.concepts import ConceptPlace, concept_map
from inplace_tui.engine.course.course import Course
from inplace_tui.present.cells import clip_spans, wrap
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.concept_map import ConceptMapTexts
from inplace_tui.texts.concepts import concept_name

INDENT = 7
"""Cells before the details of a lesson."""


def rows(course: Course, marks: Mapping[str, str], room: int, language: str) -> list[Row]:
    """Return the map in `room` cells; all rows of a lesson have its place as `choice`.

    Args:
        course: what to draw.
        marks: by lesson, a glyph for how far the learner is.
        room: cells.
        language: of titles and words.
    """
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
    comma = say(ConceptMapTexts.comma, language)
    drawn = [Row(clip_spans(head, room), target)]
    needs = comma.join(
        concept_name(concept, language) + ("" if teacher is None else f" ({teacher})")
        for concept, teacher in place.needs
    )
    fields = {
        ConceptMapTexts.needs: needs,
        ConceptMapTexts.teaches: comma.join(
            concept_name(each, language) for each in lesson.teaches
        ),
        ConceptMapTexts.opens: comma.join(map(str, place.opens)),
    }
    for text, words in fields.items():
        if words:
            spans = [Span(say(text, language), Style.DIM), Span(words, Style.PLAIN)]
            for line in wrap(spans, room - INDENT):
                drawn.append(Row((Span(" " * INDENT), *line), target))
    return drawn
