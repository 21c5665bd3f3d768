"""The contents: what is marked, what is suggested, what a broken file does."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problem
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.app import InplaceApp
from inplace_tui.tutorial.ui.course_rows import Catalogue, Mark, rows, summary
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.lines import Lines
from support.course import COURSE
from support.patience import PATIENCE
from support.played import LESSON
from support.screens import FIRST, LAST, Stage, course, opened
from support.stand_in import StandIn

CONTENTS = Opening()


def kept(home: Path, *saved: SaveProgress) -> None:
    progress = Progress(home / "progress.json")
    for each in saved:
        progress.save(each)


def done(lesson: str) -> SaveProgress:
    return SaveProgress(lesson=lesson, cursor=1, answers=(), finished=True)


async def test_enter_opens_the_first_lesson_that_is_not_done(tmp_path: Path) -> None:
    kept(tmp_path, done("first-steps"))
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press("enter")

        assert stage.lesson.lesson is LESSON


async def test_the_smallest_screen_names_the_key_of_the_library(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path, size=(80, 24)) as stage:
        assert "b library  ? help  q quit" in stage.lines[-1]


@pytest.mark.whole
async def test_c_opens_it_too_wherever_the_cursor_is(tmp_path: Path) -> None:
    kept(tmp_path, done("first-steps"))
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press("down", "c")

        assert stage.lesson.lesson is LESSON


async def test_any_lesson_can_be_opened(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press("down", "down", "enter")

        assert stage.lesson.lesson is LAST


async def test_a_click_opens_a_lesson(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        line = next(i for i, text in enumerate(stage.lines) if "Last words" in text)
        await stage.pilot.click(offset=(12, line))
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        assert stage.lesson.lesson is LAST


@pytest.mark.parametrize(
    ("typed", "found"),
    [("last wo", "last-words"), ("3", "last-words"), ("saved-out", "saved-output")],
)
@pytest.mark.whole(every=3)
async def test_what_is_typed_behind_a_slash_says_what_is_listed(
    typed: str, found: str, tmp_path: Path
) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        whole = stage.text
        await stage.press("slash", *("space" if each == " " else each for each in typed))
        listed = [row for row in stage.app.screen.query_one("#course", Lines).rows if row.text]
        said = stage.text
        await stage.press("escape")
        again = stage.text
        await stage.press("slash", *("space" if each == " " else each for each in typed), "enter")

        assert len(listed) == 1
        assert "1 listed" in said
        assert again == whole
        assert stage.lesson.lesson.lesson.id == found


def test_a_plural_or_the_name_of_a_chapter_lists_lessons() -> None:
    def listed(query: str) -> list[int]:
        found = rows(Catalogue(COURSE, {}), 80, "en", query=query)
        return [row.target.choice for row in found if row.target.choice is not None]

    assert set(listed("loss")) < set(listed("los"))  # "close" has no loss
    found = [COURSE.lessons[place] for place in listed("optimizers")]

    titled = ["optimizer" in each.lesson.title.en for each in found]
    assert titled == sorted(titled, reverse=True)
    assert titled[0]
    [chapter] = [each for each in COURSE.chapters if "Optimizers" in each.chapter.title.en]
    assert {each.lesson.id for each in chapter.lessons} <= {each.lesson.id for each in found}


@pytest.mark.parametrize("key", ["Y", "W", "f7", "escape", "ctrl+y"])
@pytest.mark.whole(every=5)
async def test_no_key_of_the_contents_is_silent(key: str, tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press(key)

        assert "does nothing here. ? lists the keys that do." in stage.text


async def test_marks_say_in_words_how_far_one_is(tmp_path: Path) -> None:
    left = SavedAnswer(question="version", status=QuestionStatus.OPEN, left=True)
    kept(
        tmp_path,
        done("first-steps"),
        SaveProgress(lesson="saved-output", cursor=1, answers=(left,), finished=False),
        SaveProgress(lesson="last-words", cursor=0, answers=(), finished=False),
    )
    async with opened(CONTENTS, tmp_path) as stage:
        shown = {text.split()[1]: text for text in stage.lines if " min" in text}

        assert [("done" in shown["1"]), ("open question" in shown["2"])] == [True, True]
        assert "begun" in shown["3"]
        assert "1 of 3 done" in stage.lines[0]


@pytest.mark.whole
async def test_leaving_a_lesson_that_is_done_leads_to_the_next(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press("enter")
        await stage.ran()
        await stage.press("G", "escape")

        assert stage.app.catalogue is not None
        assert stage.app.catalogue.mark("first-steps") is Mark.DONE

        await stage.press("enter")

        assert stage.lesson.lesson is LESSON


async def test_files_that_cannot_be_used_are_named_and_hide_nothing(tmp_path: Path) -> None:
    problem = Problem("lessons/01-a/02-b.yaml", 6, 14, LocalText(en="no key [/b]", zh="没有 [/b]"))
    async with opened(CONTENTS, tmp_path, lessons=course((FIRST,), (problem,))) as stage:
        assert "First steps" in stage.text
        assert "lessons/01-a/02-b.yaml:6:14: no key [/b]" in stage.text


async def test_no_lessons_at_all_says_where_they_were_looked_for(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path, size=(200, 24), lessons=course(())) as stage:
        assert str(tmp_path / "lessons") in stage.lines[-2]


async def test_wide_screens_describe_the_lesson_under_the_cursor(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path, size=(120, 40)) as stage:
        await stage.press("down")

        assert "questions: 2" in stage.text
        assert "y.add_(1)" in stage.text

        await stage.pilot.resize_terminal(80, 24)

        await stage.until(lambda: "y.add_(1)" not in stage.text)


def test_the_suggested_lesson_is_marked_in_words_and_titles_fit() -> None:
    catalogue = Catalogue(course(), {"first-steps": Mark.DONE})
    listed = [row.text for row in rows(catalogue, 30, "en")]

    assert listed[2].startswith("  ▸  2  t")
    assert listed[2].rstrip().endswith("next")
    assert all(len(text) <= 30 for text in listed)


@pytest.mark.parametrize(("language", "said"), [("en", "builds on"), ("zh", "需要先学")])
def test_what_a_lesson_builds_on_is_named_by_the_lessons_that_teach_it(
    language: str, said: str
) -> None:
    needing = msgspec.structs.replace(LAST.lesson, requires=["first-steps"])
    last = replace(LAST, lesson=needing)
    catalogue = Catalogue(course((LESSON, FIRST, last)), {})

    listed = [row.text for row in summary(catalogue, last, 40, language)]

    place = listed.index(said)
    assert listed[place + 1] == f"   2  {FIRST.lesson.title[language]}"
    assert not [text for text in listed if "first-steps" in text]


@pytest.mark.whole
async def test_the_choice_stays_in_sight_where_a_dialog_becomes_smaller(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path, lessons=COURSE) as stage:
        await stage.press("p", *["down"] * 4)
        lines = stage.app.screen.query_one(Lines)
        before = lines.cursor
        await stage.pilot.resize_terminal(80, 10)
        await stage.pilot.pause()

        assert before == lines.cursor is not None
        assert 0 <= lines.cursor - lines.scroll_offset.y < lines.scrollable_content_region.height


@pytest.mark.parametrize(
    "keys",
    [("enter",), ("c",), ("down", "enter"), ("question_mark", "escape"), ("colon", "2", "enter")],
)
@pytest.mark.whole(every=5)
async def test_keys_pressed_while_lessons_are_read_are_done_afterwards(
    tmp_path: Path, keys: tuple[str, ...]
) -> None:
    listing = threading.Event()
    app = InplaceApp(
        opening=CONTENTS,
        progress=lambda: Progress(tmp_path / "progress.json"),
        home=tmp_path,
        lessons_folder=tmp_path,
        read=lambda _: course() if listing.wait(PATIENCE) else course(()),
        worker=StandIn(),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        stage = Stage(app, pilot, StandIn())
        await pilot.press(*keys)
        assert app.catalogue is None
        listing.set()
        await stage.until(lambda: app.catalogue is not None)

        if "question_mark" in keys:  # that needed no lesson, and was done at once
            assert isinstance(app.page, ContentsScreen)
        else:
            await stage.until(lambda: isinstance(app.page, LessonScreen))
            assert stage.lesson.lesson is (FIRST if keys in (("enter",), ("c",)) else LESSON)
