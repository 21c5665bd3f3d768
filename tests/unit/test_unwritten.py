"""Texts that nobody has written yet are found: in a `chapter.yaml` as in lessons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.tutorial.course.lesson import Lesson
from inplace_tui.tutorial.course.lessons.lesson_rules import unwritten
from inplace_tui.tutorial.drive.check import select
from support.course import COURSE

CHAPTER = """\
schema: 1
title: {{en: "{en}", zh: "{zh}"}}
summary: {{en: "Read this.", zh: "{intro}"}}
"""


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        (("Storage", "存储", "请读。"), []),
        (("TO WRITE", "存储", "请读。"), [2]),
        (("Storage", "待写", "请读。"), [2]),
        (("Storage", "Storage", "请读。"), [2]),
        (("Storage", "存储", "Read this."), [3]),
        (("TO WRITE: a title", "TO WRITE", "待写"), [2, 2, 3]),
    ],
)
@pytest.mark.parametrize("part", [".", "01-one"])
def test_a_chapter_without_its_texts_is_told_of(
    tmp_path: Path, texts: tuple[str, ...], lines: list[int], part: str
) -> None:
    folder = tmp_path / "01-one"
    folder.mkdir()
    (folder / "chapter.yaml").write_text(
        CHAPTER.format(**dict(zip(("en", "zh", "intro"), texts, strict=True)))
    )

    problems = select([tmp_path / part]).problems

    assert [each.line for each in problems if each.path.endswith("chapter.yaml")] == lines


LESSON = """\
schema: 1
id: one
title: {title}
teaches: [one]
difficulty: 2
minutes: 4
code: |
  x = 1  #@ make
steps:
  - at: make
    say: {say}
recap: {{en: the end, zh: 到此为止}}
"""
BOTH, ENGLISH = '{en: "a", zh: "甲"}', '{en: "a"}'


@pytest.mark.parametrize(
    ("chapter", "title", "say", "places"),
    [
        (BOTH, BOTH, BOTH, []),
        (BOTH, BOTH, ENGLISH, ["11:10"]),
        (BOTH, ENGLISH, BOTH, ["3:1", "3:8"]),
        (ENGLISH, ENGLISH, BOTH, ["3:8"]),
    ],
)
def test_a_text_that_lacks_a_promised_language_is_shown_in_english_and_told_of(
    tmp_path: Path, chapter: str, title: str, say: str, places: list[str]
) -> None:
    folder = tmp_path / "01-one"
    folder.mkdir()
    (folder / "chapter.yaml").write_text(f"schema: 1\ntitle: {chapter}\nsummary: {ENGLISH}\n")
    text = LESSON.format(title=title, say=say)
    (folder / "01-one.yaml").write_text(text)

    [loaded] = select([folder]).lessons
    said = loaded.lesson.steps[0].say

    of_chapter = [each for each in select([folder]).problems if each.path == loaded.path]
    found = [*of_chapter, *unwritten(Lesson, text, loaded.path)]
    assert [f"{each.line}:{each.column}" for each in found] == places
    assert {each.message.en for each in found} <= {"missing language 'zh'"}
    assert said is not None
    assert said["zh"] == ("a" if say is ENGLISH else "甲")


def test_a_lesson_and_its_chapter_may_be_in_english_alone(tmp_path: Path) -> None:
    folder = tmp_path / "01-one"
    folder.mkdir()
    (folder / "chapter.yaml").write_text(f"schema: 1\ntitle: {ENGLISH}\nsummary: {ENGLISH}\n")
    text = LESSON.format(title=ENGLISH, say=ENGLISH).replace(", zh: 到此为止", "")
    (folder / "01-one.yaml").write_text(text)

    chosen = select([folder])

    assert chosen.problems == ()
    assert unwritten(Lesson, text, "01-one.yaml") == ()
    assert chosen.lessons[0].lesson.recap["zh"] == "the end"


def texts(value: object) -> Iterator[LocalText]:
    """Yield every text in what was read of a file."""
    if isinstance(value, LocalText):
        yield value
    elif isinstance(value, msgspec.Struct):
        yield from (text for each in msgspec.structs.astuple(value) for text in texts(each))
    elif isinstance(value, (list, tuple)):
        yield from (text for each in value for text in texts(each))
    elif isinstance(value, dict):
        yield from texts([*value.values()])


def test_our_own_course_says_everything_in_english_and_chinese() -> None:
    read = [
        *(each.chapter for each in COURSE.chapters),
        *(each.lesson for each in COURSE.lessons),
        *(each.challenge for each in COURSE.challenges),
    ]
    found = [text for each in read for text in texts(each)]

    assert len(found) > 1_000
    assert [text.en for text in found if {"en", "zh"} - {*text.languages}] == []
