"""A word explains itself where a learner first meets it: once, one at a time, in both languages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.glossary import WORDS, words_in
from inplace_tui.diagnosis.protocol.messages import Loading
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.bars import Bar
from support.played import CODE
from support.screens import Stage, course, opened

LESSON = load_lesson(
    """
schema: 1
id: words
title: {en: t, zh: t}
goal: {en: "See what the version counts.", zh: "看看版本计数器数的是什么。"}
teaches: [words]
difficulty: 1
minutes: 1
"""
    + CODE
    + """\
  - at: make
    say:
      en: "`x` is a leaf, and leaves `x._version` alone."
      zh: "`x` 是叶子张量，`x._version` 不变。"
  - at: exp
    say: {en: "Its storage is saved: views of a leaf.", zh: "它的存储被保存，视图也属于叶子。"}
  - at: mutate
    say: {en: "nothing new", zh: "没有新词"}
recap: {en: the end, zh: 到此为止}
""",
    "words.yaml",
    origin=Origin.BUILT_IN,
)
MET = ["version", "leaf", "storage", "saved", "view"]
"""In the order in which the lesson has them."""

MEANINGS = {
    word.text[language].replace("`", ""): word.id for word in WORDS for language in LANGUAGES
}


@asynccontextmanager
async def words_opened(
    home: Path, language: str = "en", size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Stage]:
    opening = Opening(screen="lesson", lesson="words")
    async with opened(
        opening, home, size=size, language=language, lessons=course([LESSON]), guided=True
    ) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        yield stage


def explained(stage: Stage) -> str | None:
    """Return the word that is explained on the screen just now."""
    status = stage.lesson.query_one("#status", Bar)
    return MEANINGS.get(status.text) if status.display else None


def kept(home: Path) -> tuple[str, ...]:
    return Progress(home / "progress.json").record.words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.whole(every=2)
async def test_every_word_is_explained_once(tmp_path: Path, language: str) -> None:
    async with words_opened(tmp_path, language) as stage:
        found = [explained(stage)]
        for key in ("n", "n", "n", "n"):
            await stage.press(key)
            found.append(explained(stage))
        assert found == MET

        for key in ("N", "N", "N", "n"):
            await stage.press(key)
            assert explained(stage) is None
        assert kept(tmp_path) == tuple(sorted(MET))

    other = next(each for each in LANGUAGES if each != language)
    async with words_opened(tmp_path, other) as stage:
        await stage.press("n")
        assert explained(stage) is None


async def test_a_word_that_gave_way_to_a_notice_is_explained_later(tmp_path: Path) -> None:
    async with words_opened(tmp_path) as stage:
        assert explained(stage) == "version"
        stage.lesson.notice("something else")
        await stage.press("n")

        assert kept(tmp_path) == ()
        assert explained(stage) == "version"


async def test_what_torch_loads_behind_a_recorded_run_hides_no_word(tmp_path: Path) -> None:
    async with words_opened(tmp_path) as stage:
        stage.worker.say(Loading(what="optimizers"))
        await stage.press()

        assert explained(stage) == "version"


def test_leaves_are_more_than_one_leaf_where_they_are_no_verb() -> None:
    def found(text: str) -> list[str]:
        return [word.id for word in words_in(text)]

    assert found("See which tensors are leaves.") == ["leaf"]
    assert found("An operation leaves the rest alone.") == []


async def test_words_are_not_explained_to_a_class(tmp_path: Path) -> None:
    async with words_opened(tmp_path) as stage:
        stage.app.presenting = True
        await stage.press("n", "n")

        assert explained(stage) is None
        assert kept(tmp_path) == ("version",)


async def test_a_meaning_takes_the_keys_no_room(tmp_path: Path) -> None:
    async with words_opened(tmp_path, size=(60, 20)) as stage:
        assert explained(stage) is None
        assert "quit" in stage.lines[-1]

        await stage.pilot.resize_terminal(80, 24)
        await stage.until(lambda: explained(stage) == "version")
        assert "quit" in stage.lines[-1]
