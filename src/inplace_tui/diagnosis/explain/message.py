"""A pasted message as a page: what it means, number by number."""

from __future__ import annotations

from typing import Protocol

import msgspec

from inplace_tui.common.cells import clean, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.texts import say
from inplace_tui.common.texts.explain import ExplainTexts
from inplace_tui.common.texts.messages import MessageTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.explain.pasted import Message


class LessonName(Protocol):
    """The lesson about it."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> LocalText: ...


class PartDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A few words of the message, and what they mean."""

    quoted: str
    means: str


class MessageDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`inplace-tui explain --error TEXT --json`."""

    schema: int = 1
    message: str
    category: Verdict | None
    """Null where the message is not known."""

    means: str | None
    parts: list[PartDocument]
    lesson: str | None


def document(
    text: str, found: Message | None, lesson: str | None, language: str
) -> MessageDocument:
    """Return what a pasted text says."""
    if found is None:
        return MessageDocument(
            message=text.strip(), category=None, means=None, parts=[], lesson=None
        )
    return MessageDocument(
        message=found.text,
        category=found.verdict,
        means=say(found.verdict.meaning, language),
        parts=[PartDocument(quoted=p.quoted, means=p.means[language]) for p in found.parts],
        lesson=lesson,
    )


def rows(found: Message | None, lesson: LessonName | None, language: str, room: int) -> list[Row]:
    """Return the page about a pasted message."""
    if found is None:
        return _wrapped(say(MessageTexts.unknown, language), room)
    page = _wrapped(clean(found.text), room, Style.CODE)
    page += [Row(), Row((Span(say(MessageTexts.means, language), Style.HEADING),))]
    page += _wrapped(say(found.verdict.meaning, language), room, indent=2)
    if found.parts:
        page += [Row(), Row((Span(say(MessageTexts.parts, language), Style.HEADING),))]
    for part in found.parts:
        page += _wrapped(clean(part.quoted), room, Style.CODE, indent=2)
        page += _wrapped(part.means[language], room, indent=6)
    page.append(Row())
    if lesson is not None:
        text = say(ExplainTexts.lesson, language, id=lesson.id, title=lesson.title[language])
        page += _wrapped(text, room)
    return [*page, *_wrapped(say(MessageTexts.file, language), room)]


def _wrapped(text: str, room: int, style: Style = Style.PLAIN, *, indent: int = 0) -> list[Row]:
    lines = wrap((Span(text, style),), room - indent)
    return [Row((Span(" " * indent), *line)) for line in lines]
