"""A lesson on the screen, as a learner goes through it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts.actions import CLOSE_REPLY
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel, NarrationPanel, QuestionPanel
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen, VariantsDialog
from support.played import ERROR, LESSON, RAISES, STEPS
from support.screens import SAVED_OUTPUT, Stage, course, lesson, opened
from support.stand_in import StandIn


async def at_second_question(stage: Stage) -> None:
    """Answer the first question rightly and go on to the second."""
    await stage.press("c", "n", "b", "enter", "n", "n")


# Stepping.


async def test_the_whole_program_is_there_before_anything_ran(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        assert all(line.strip() in stage.text for line in LESSON.code.splitlines())
        assert stage.lesson.view.cursor == -1


async def test_forward_and_back_show_what_the_author_says(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(120, 40)) as stage:
        await stage.press("n", "n")

        assert stage.lesson.query_one(NarrationPanel).text.startswith("saved")

        await stage.press("N")

        assert stage.lesson.view.cursor == 0


@pytest.mark.whole
async def test_every_stepping_key_moves_as_it_is_promised(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        cursors = []
        for key in ("right", "left", "space", "N", "G", "g", "c", "C", "end", "N", "home"):
            await stage.press(key)
            cursors.append(stage.lesson.view.cursor)

        assert cursors == [0, -1, 0, -1, 1, -1, 1, -1, 1, 0, -1]


async def test_enter_on_a_line_runs_to_it(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        stage.lesson.query_one(CodePanel).focus()
        await stage.press("down", "down", "enter")

        assert stage.lesson.view.next_line == 2


async def test_learner_text_is_never_markup(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson="first-steps")
    async with lesson(tmp_path, opening=opening) as stage:
        await stage.press("n", "n")

        assert "[/b] is not markup" in stage.text


async def test_a_deep_link_opens_at_its_step(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson="saved-output", step=2)
    async with lesson(tmp_path, opening=opening) as stage:
        assert stage.lesson.view.cursor == 1


# Questions.


async def test_a_question_stops_the_way_and_a_letter_and_enter_answer_it(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("G", "n", "n")

        assert "Answer the question first" in stage.text

        await stage.press("b", "enter")

        question = stage.lesson.view.question
        assert question is not None
        assert question.status is QuestionStatus.RIGHT
        assert "yes1" in stage.text


async def test_without_room_for_both_a_question_opens_and_the_words_follow_it(
    tmp_path: Path,
) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("c")

        assert stage.lesson.view.question is not None
        shown = stage.lesson.panel("question").text
        assert shown.index("which") < shown.index("saved")


async def test_a_question_with_more_below_says_so_until_it_was_read(tmp_path: Path) -> None:
    words = LocalText(en="word " * 200, zh="词")
    steps = [msgspec.structs.replace(each, say=words) for each in LESSON.lesson.steps]
    wordy = dataclasses.replace(LESSON, lesson=msgspec.structs.replace(LESSON.lesson, steps=steps))
    async with opened(
        SAVED_OUTPUT, tmp_path, lessons=course((wordy,)), worker=StandIn(RAISES)
    ) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await at_second_question(stage)
        panel, before = (
            stage.lesson.panel("question"),
            str(stage.lesson.panel("question").border_title),
        )
        await stage.press(*["pagedown"] * 4)

        assert "more below" in before
        assert "more below" not in str(panel.border_title)


async def test_time_shows_no_step_before_one_came_to_it(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(120, 40)) as stage:
        await stage.press("5")
        counts = []
        for key in ("n", "n", "N"):
            await stage.press(key)
            counts.append(len(stage.lesson.panel("timeline").rows))

        assert counts == [1, 2, 2]
        assert "all steps" in stage.text


async def test_with_room_for_both_the_question_is_there_at_once(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(120, 40)) as stage:
        await stage.press("c")

        assert stage.lesson.view.question is not None
        assert "saved" in stage.lesson.panel("narration").text


async def test_without_room_the_words_and_the_recap_follow_the_reply(tmp_path: Path) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("d", "enter")

        shown = stage.lesson.panel("question").text
        await stage.press("n")
        closing = stage.lesson.panel("recap").text

        assert "delivered" in shown
        assert "delivered" in closing
        assert LESSON.lesson.recap["en"] in closing
        assert shown.index("✓ right") < shown.index("delivered")


async def test_enter_answers_with_the_chosen_line(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("c", "n")

        assert isinstance(stage.lesson.focused, QuestionPanel)

        await stage.press("down", "enter")

        question = stage.lesson.view.question
        assert question is not None
        assert question.tried == ("zero",)


async def test_digits_lead_to_panels_when_no_question_is_open(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("4")

        assert stage.lesson.focused is not None
        assert stage.lesson.focused.id == "output"


async def test_digits_lead_to_panels_while_a_question_is_open_and_one_key_back(
    tmp_path: Path,
) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("c", "1")  # marks a choice, and leads to the table
        table = stage.app.focused
        question = stage.lesson.view.question
        await stage.press("Q", "enter")

        assert table is stage.lesson.panel("state")
        assert question is not None
        assert question.tried == ()
        question = stage.lesson.view.question
        assert question is not None
        assert len(question.tried) == 1


async def test_a_mark_stays_with_its_choice_whatever_the_width(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(120, 40), worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("c")
        panel = stage.lesson.query_one(QuestionPanel)
        before = panel.cursor
        panel.draw([*[panel.rows[0]] * 5, *panel.rows])  # the prompt takes more rows

        assert panel.marked == 2
        assert panel.cursor != before


async def test_enter_without_a_mark_says_how_to_mark(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("c", "n", "enter")

        assert "Mark a choice first: a–b or ↑↓." in stage.text


@pytest.mark.whole
async def test_esc_goes_back_one_thing_and_leaves_the_lesson_last(tmp_path: Path) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        places = []
        for key in ("1", "z", *["escape"] * 5):
            await stage.press(key)
            at_lesson = isinstance(stage.app.page, LessonScreen)
            name = stage.app.focused.id if stage.app.focused is not None else None
            places.append((name, stage.lesson.zoomed) if at_lesson else "contents")
            if "once more leaves" in stage.text:
                places.append("asked")

        assert places == [
            *[("state", None), ("state", "state"), ("state", None)],
            ("question", None),
            *[("code", None)] * 2,
            "asked",
            "contents",
        ]


async def test_esc_closes_the_reply_to_the_last_answer_before_it_leaves_the_lesson(
    tmp_path: Path,
) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("A")
        assert stage.lesson.label_overrides["leave"] == CLOSE_REPLY

        await stage.press("escape")
        assert stage.lesson.view.recap is not None
        assert "once more leaves" in stage.text
        await stage.press("escape")
        assert isinstance(stage.app.page, ContentsScreen)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("H", "No question is open here."),
        ("K", "K moves a line of a question that asks for an order."),
        ("j", "no graph yet"),
    ],
)
async def test_a_key_that_does_nothing_now_says_so(key: str, said: str, tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press(key)

        assert said in stage.text


async def test_a_first_wrong_try_is_told_why_and_a_second_is_offered(tmp_path: Path) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("a", "enter")

        assert "One more try" in stage.text
        assert "failed here" not in stage.text

        await stage.press("d", "enter")

        assert "✓ right" in stage.text
        assert "RuntimeError in backward" in stage.lines[0]

        await stage.press("w")

        assert "RuntimeError" in stage.lesson.panel("why").text


async def test_hints_are_counted_and_the_answer_is_shown_on_request(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(80, 40), worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("H")

        assert "h1" in stage.text
        assert "h2" not in stage.text

        await stage.press("H", "H")

        assert "h2" in stage.text
        assert "There are no more hints." in stage.text

        await stage.press("A")

        question = stage.lesson.view.question
        assert question is not None
        assert (question.status, question.right) == (QuestionStatus.SHOWN, "raises")


async def test_going_on_reads_a_reply_that_has_no_room_to_its_end(tmp_path: Path) -> None:
    words = LocalText(en=f"{'recap ' * 90}finis", zh="词")
    long = dataclasses.replace(
        LESSON, lesson=msgspec.structs.replace(LESSON.lesson, id="long-recap", recap=words)
    )
    shelf = course((long,))
    opening = Opening(screen="lesson", lesson="long-recap")
    async with opened(opening, tmp_path, lessons=shelf, worker=StandIn(RAISES)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await at_second_question(stage)
        await stage.press("d", "enter")
        before = stage.text
        await stage.press("n")
        after = stage.text
        await stage.press("n", "n")

        assert "finis" not in before
        assert "This is the end of the run." not in after
        assert "finis" in stage.text
        assert "This is the end of the run." in stage.text


async def test_hints_give_way_to_what_follows_an_answer(tmp_path: Path) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("H", "H")
        asked = stage.lesson.panel("question").text
        await stage.press("d", "enter")

        assert "h1" in asked
        assert "h1" not in stage.lesson.panel("question").text


async def test_a_question_can_be_left_and_taken_up_again(tmp_path: Path) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("escape", "n")

        assert stage.lesson.view.outcome is None
        assert "RuntimeError" not in stage.text

        await stage.press("Q")

        question = stage.lesson.view.question
        assert question is not None
        assert question.status is QuestionStatus.OPEN


@pytest.mark.whole
async def test_the_footer_offers_the_answers_while_a_question_is_open(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("c", "n")

        assert stage.lines[-1].startswith(" a-b mark  Enter answer  A show answer  Esc later")

        await stage.press("b", "enter", "n", "n")

        assert stage.lines[-1].startswith(
            " a-d mark  Enter answer  H hint  A show answer  Esc later"
        )

        await stage.press("escape")

        assert "later" not in stage.lines[-1]


async def test_answers_are_kept_and_resumed(tmp_path: Path) -> None:
    async with lesson(tmp_path, worker=StandIn(RAISES)) as stage:
        await at_second_question(stage)
        await stage.press("a", "enter")
    async with lesson(tmp_path, worker=StandIn(RAISES)) as again:
        question = again.lesson.view.question

        assert again.lesson.view.cursor == 2
        assert question is not None
        assert (question.id, question.tried) == ("ends", ("right",))


async def test_restart_forgets_the_answers_once_that_was_said(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await at_second_question(stage)
        await stage.press("R")
        assert "R once more starts over and forgets your answers" in stage.text
        assert stage.lesson.view.cursor > 0
        await stage.press("N", "R")
        assert "R once more" in stage.text

        await stage.press("R")
        await stage.ran()
        await stage.press("c", "n")

        question = stage.lesson.view.question
        assert question is not None
        assert (question.id, question.status) == ("version", QuestionStatus.OPEN)


# Variants, the sandbox, other lessons.


async def test_variants_wait_for_the_open_questions(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("v")

        assert "would give its answer away" in stage.text
        assert isinstance(stage.app.screen, LessonScreen)


async def test_variants_are_compared_and_one_key_shows_one(tmp_path: Path) -> None:
    worker = StandIn({**RAISES, LESSON.variants["late"].code: ((STEPS[0],), ERROR)})
    async with lesson(tmp_path, worker=worker) as stage:
        await at_second_question(stage)
        await stage.press("d", "enter", "v")

        assert isinstance(stage.app.screen, VariantsDialog)
        assert stage.text.count("? predict it first") == 2

        await stage.press("3", "d", "enter")
        await stage.until(lambda: stage.lesson.view.outcome is not None)

        assert stage.lesson.view.variant == "late"

        await stage.press("v")

        assert stage.text.count("✗ RuntimeError in backward, on line 4") == 2
        assert stage.text.count("as you said") == 1

        await stage.press("2")

        assert stage.lesson.view.variant == "data"
        assert "y.data.add_(1)" in stage.text
        assert stage.lesson.view.outcome is None

        await stage.press("escape")

        assert stage.lesson.view.variant is None


async def test_a_copy_opens_in_the_sandbox_at_this_step(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson="first-steps")
    async with lesson(tmp_path, opening=opening) as stage:
        await stage.press("n", "e")
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.ran()

        assert stage.sandbox.view.cursor == 0
        assert stage.sandbox.editor.text == stage.worker.asked[0].source

        await stage.press("escape")

        assert isinstance(stage.app.screen, LessonScreen)


async def test_the_next_lesson_is_one_key_away(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("]")

        assert stage.lesson.lesson.lesson.id == "last-words"

        await stage.press("]")

        assert "This is the last lesson." in stage.text


async def test_escape_leads_from_the_lesson_to_the_contents(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("escape")

        assert isinstance(stage.app.screen, ContentsScreen)


@pytest.mark.parametrize("key", ["a", "d"])
async def test_who_answers_before_there_is_a_question_is_told_where_it_is(
    key: str, tmp_path: Path
) -> None:
    async with opened(Opening(screen="lesson", lesson="saved-output"), tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press(key)

        assert "No question is open yet: c goes to the next one." in stage.text
