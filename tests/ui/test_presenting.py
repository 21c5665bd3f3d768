"""A lesson in front of a class: the code, one panel, and answers that wait for the teacher."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import QuestionTexts
from inplace_tui.tutorial.activity.session.questions import QuestionState
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.present.question import rows
from inplace_tui.tutorial.progress import Record
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import PANELS, CodePanel, QuestionPanel
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from support.course import COURSE
from support.screens import opened

PRESENTED = Opening(screen="lesson", lesson="first-steps", present=True)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
@pytest.mark.whole(every=3)
async def test_there_is_the_code_and_one_panel_at_most(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(PRESENTED, tmp_path, size=size) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        screen = stage.lesson
        seen = [name for name in PANELS if screen.panel(name).display]

        assert len(seen) == (0 if size[0] < 100 else 1)
        assert screen.query_one(CodePanel).size.width >= size[0] * 6 // 10 - 2
        assert "presented" in stage.lines[0]
        assert ("Lesson" in stage.lines[0]) == (size[0] >= 100)  # the title needs the room more

        await stage.press("2")
        await stage.until(lambda: screen.panel("graph").display)

        assert [name for name in PANELS if screen.panel(name).display] == ["graph"]


async def test_answers_are_locked_until_the_teacher_shows_them_and_nothing_is_kept(
    tmp_path: Path,
) -> None:
    asked = Opening(screen="lesson", lesson="saved-output", present=True)
    async with opened(asked, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c", "a", "enter")

        assert "Answers are locked for a class" in stage.text
        assert "Enter answer" not in stage.text
        question = stage.lesson.view.question
        assert question is not None
        assert question.status is QuestionStatus.OPEN

        await stage.press("A")
        await stage.until(
            lambda: (
                (asked := stage.lesson.view.question) is not None
                and asked.status is QuestionStatus.SHOWN
            )
        )
        await stage.press("c", "A", "n", "n")  # the reply has more rows than there is room for
        await stage.until(lambda: stage.lesson.view.recap is not None)
        assert stage.lesson.view.score is None  # nobody answered
        assert stage.app.learner.record == Record()
        stage.lesson.action_present()
        await stage.until(
            lambda: (
                isinstance(page := stage.app.page, LessonScreen)
                and not stage.app.presenting
                and page.view.cursor == -1
            )
        )

        assert stage.app.learner.record.lessons == {}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("id_", ["saved-output"])
async def test_on_60x20_a_class_reads_what_to_press_and_why_each_choice_is_wrong(
    tmp_path: Path, id_: str, language: str
) -> None:
    """Whoever presents wants to speak of the choices that were raised, whichever they are."""
    loaded = COURSE.find(id_)
    assert loaded is not None
    asked = Opening(screen="lesson", lesson=loaded.lesson.id, present=True)
    async with opened(asked, tmp_path, lessons=COURSE, size=(60, 20), language=language) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c")
        await stage.until(lambda: stage.lesson.view.question is not None)
        view = stage.lesson.view.question
        assert view is not None
        whys = {
            each.id: each.why
            for each in next(
                step.ask for step in loaded.lesson.steps if step.ask and step.ask.id == view.id
            ).choices
        }

        locked = say(QuestionTexts.locked, language, keys={"answer": "A"})
        assert locked in stage.text
        assert (view.whys, [w for w in whys.values() if w[language][:20] in stage.text]) == ((), [])

        await stage.press("A")
        await stage.until(
            lambda: (q := stage.lesson.view.question) is not None and q.right is not None
        )
        panel = stage.lesson.query_one(QuestionPanel)
        await stage.until(lambda: any("✗" in row.text for row in panel.rows))
        drawn = "".join(row.text.strip() for row in panel.rows).replace(" ", "")
        plain = {
            key: why[language].replace("`", "").replace(" ", "").replace("\n", "")
            for key, why in whys.items()
        }

        assert {key for key, why in plain.items() if why in drawn} == plain.keys()


async def test_the_right_choice_is_in_view_when_the_answer_is_shown(tmp_path: Path) -> None:
    asked = Opening(screen="lesson", lesson="saved-output", present=True)
    async with opened(asked, tmp_path, lessons=COURSE, size=(60, 20)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c", "A")
        await stage.until(lambda: stage.lesson.query_one(QuestionPanel).scroll_y > 0)

        assert "the answer was shown" in stage.text
        assert any(line.startswith(" ✓ ") for line in stage.lines), stage.text


async def test_a_checkpoint_in_front_of_a_class_is_locked_too_and_nothing_is_kept(
    tmp_path: Path,
) -> None:
    longest = max(COURSE.checkpoints, key=lambda each: len(each.chapter.title.en)).slug
    asked = Opening(screen="checkpoint", checkpoint=longest, present=True)
    async with opened(asked, tmp_path, lessons=COURSE, size=(80, 24)) as stage:

        def status() -> QuestionStatus | None:
            page = stage.app.page
            question = page.view.question if isinstance(page, PlaylistScreen) else None
            return None if question is None else question.status

        await stage.until(lambda: status() is QuestionStatus.OPEN)
        await stage.until(lambda: "Answers are locked" in stage.text)
        assert "presented" in stage.lines[0]

        await stage.press("A")
        await stage.until(lambda: status() is QuestionStatus.SHOWN)

        record = stage.app.learner.record
        assert (record.checkpoints, record.review.waiting) == ({}, {})


def test_of_every_question_of_the_course_a_class_is_told_what_is_wrong_with_each_other_answer() -> (
    None
):
    kinds = set()
    for loaded in COURSE.lessons:
        for asked in loaded.questions.values():
            about = asked.question
            ids = [*(each.id for each in about.choices), *asked.trials, "1"]
            right = ids[0]
            shown = QuestionState(asked, status=QuestionStatus.SHOWN, right=right)
            view = View(source="", timeline=Timeline(), question=shown.view(1))
            drawn = "".join(row.text.strip() for row in rows(view, 58, "en", locked=True))
            whys = [c.why for c in about.choices[1:]] + [each.say for each in about.why]
            whys += [each.why for each in about.slips]
            plain = drawn.replace(" ", "")
            kinds.add(about.kind)

            for why in whys:
                assert why.en.replace("`", "").replace(" ", "").replace("\n", "") in plain

            assert QuestionState(asked).view(1).whys == ()

    assert kinds == set(Kind)
