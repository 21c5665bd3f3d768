"""Checkpoints and the review on the screen."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.paths import LEARNER
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol.messages import Report
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from inplace_tui.tutorial.activity.drill.grammar import make
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer
from inplace_tui.tutorial.activity.drill.record import DrillOptions, Sureness
from inplace_tui.tutorial.activity.quiz.questions import VARIANTS
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.commands.assignment import assigned
from inplace_tui.tutorial.course.lesson import Assignment
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.playlist import Quiz
from inplace_tui.tutorial.progress import ChallengeProgress, CheckpointProgress, Progress, Record
from inplace_tui.tutorial.ui.dialogs.palette import commands
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistQuestion, PlaylistScreen, ResultDialog
from support.course import COURSE
from support.lent import Remembered
from support.screens import Stage, opened
from support.stand_in import READY, StandIn

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHAPTER = COURSE.chapters[3]
LONG = COURSE.chapters[9]
"""It asks of programs with more lines than a small screen has."""


def page(stage: Stage) -> PlaylistScreen:
    assert isinstance(stage.app.page, PlaylistScreen)
    return stage.app.page


def lesson_asked(stage: Stage) -> LoadedLesson:
    program = page(stage).program
    assert program is not None
    assert program.lesson is not None
    return program.lesson


@asynccontextmanager
async def contents(home: Path, worker: Worker, size: tuple[int, int]) -> AsyncIterator[Stage]:
    lent = Remembered(worker)
    async with opened(Opening(), home, size=size, lessons=COURSE, worker=lent) as stage:
        await stage.until(lambda: stage.app.is_loaded and stage.app.catalogue is not None)
        yield stage


async def asked(stage: Stage, name: str | None = None) -> str:
    """Wait until a question is open, another one than that of this name; return its name."""

    def open_now() -> str | None:
        if not isinstance(stage.app.page, PlaylistScreen):
            return None
        question = stage.app.page.view.question
        if question is None or not question.status.is_open:
            return None
        return f"{lesson_asked(stage).lesson.id}/{question.id}"

    await stage.until(lambda: open_now() not in (None, name))
    found = open_now()
    assert found is not None
    return found


async def until_judged(stage: Stage) -> None:
    def is_known() -> bool:
        question = page(stage).view.question
        return question is not None and question.status.is_done and question.right is not None

    await stage.until(is_known)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
@pytest.mark.whole
async def test_a_checkpoint_is_answered_to_its_card_and_leads_to_the_challenge(
    worker: Worker, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with contents(tmp_path, worker, size) as stage:
        screen = stage.app.page
        assert isinstance(screen, ContentsScreen)
        screen.point_at(CHAPTER)
        await stage.press("enter")
        names: list[str] = []
        for _ in range(9):
            names.append(await asked(stage, names[-1] if names else None))
            await stage.press("A")
            await until_judged(stage)
            await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, ResultDialog))
        await stage.until(lambda: "You answered 0 of 9 right" in stage.text)
        kept = stage.app.learner.checkpoint(CHAPTER.slug)
        await stage.press("1")
        await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))

    ends = [name.rpartition("/")[2] for name in names[-4:]]
    assert ends == ["saver", "version", "writer", "reader"]
    assert len(set(names)) == 9
    assert (kept.drawn, kept.best, kept.total) == (1, 0, 9)


@pytest.mark.whole
async def test_on_a_small_screen_the_code_has_the_room_and_says_where_it_goes_on(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LEARNER, "4")
    async with contents(tmp_path, worker, (80, 24)) as stage:
        stage.app.open_checkpoint(LONG.slug)
        name = await asked(stage)
        while len(lesson_asked(stage).code.splitlines()) < 12:
            await stage.press("A")
            await until_judged(stage)
            await stage.press("enter")
            name = await asked(stage, name)
        code, question = page(stage).query_one(CodePanel), page(stage).query_one(PlaylistQuestion)
        await stage.until(lambda: code.outer_size.height == 12)
        await stage.until(lambda: "Code · ▾ more below: PageDown" in stage.text)
        assert code.scroll_offset.y == 0, "the program before was scrolled"
        choices = stage.text
        await stage.press("pagedown")
        await stage.until(lambda: code.scroll_offset.y > 0)
        focused = page(stage).focused
        await stage.press("right_square_bracket")
        told = stage.text
        await stage.press("A")
        await until_judged(stage)
        reply = stage.text

    assert all(f"  {letter}  R" in choices for letter in "abcd")
    assert focused is question
    assert "Answer this question first; then" in told
    assert "no tensor changed" not in reply


class Held(Remembered):
    """Makes its runs once it may."""

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        await self.may_go_on.wait()
        async for report in super().run(program, mode, limits, detail):
            yield report


@pytest.mark.whole
async def test_an_answer_typed_before_its_question_is_given_to_it(
    worker: Worker, tmp_path: Path
) -> None:
    held = Held(worker)
    async with opened(Opening(), tmp_path, lessons=COURSE, worker=held) as stage:
        await stage.until(lambda: stage.app.is_loaded and stage.app.catalogue is not None)
        held.may_go_on.clear()
        stage.app.open_checkpoint(CHAPTER.slug)
        await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))
        await stage.press("b", "enter")
        assert "done as soon as it has" in stage.text

        held.may_go_on.set()
        await until_judged(stage)
        question = page(stage).view.question

    assert question is not None
    assert isinstance(question.answers, ChoicesView)
    assert question.tried == (question.answers.choices[1][0],)


@pytest.mark.whole
async def test_a_checkpoint_leads_to_the_next_chapter(worker: Worker, tmp_path: Path) -> None:
    following = COURSE.chapters[4]
    async with contents(tmp_path, worker, (80, 24)) as stage:
        stage.app.open_checkpoint(CHAPTER.slug)
        name = None
        for _ in range(9):
            name = await asked(stage, name)
            await stage.press("A")
            await until_judged(stage)
            await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, ResultDialog))
        await stage.until(lambda: following.chapter.title.en in stage.text)
        await stage.press("2")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        opened_lesson = lesson_page(stage).lesson

    assert opened_lesson is following.lessons[0]


async def test_the_challenge_of_a_chapter_leads_to_the_next_chapter_once_it_is_solved(
    worker: Worker, tmp_path: Path
) -> None:
    checkpoint = CHAPTER.chapter.checkpoint
    assert checkpoint is not None
    assert checkpoint.challenge is not None
    Progress(tmp_path / "progress.json").save_challenge(
        checkpoint.challenge, ChallengeProgress(lines=1)
    )
    async with contents(tmp_path, worker, (80, 24)) as stage:
        stage.app.open_challenge(checkpoint.challenge)
        await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))
        await stage.press("escape", "right_square_bracket")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        opened_lesson = lesson_page(stage).lesson

    assert opened_lesson is COURSE.chapters[4].lessons[0]


@pytest.mark.whole
async def test_a_checkpoint_that_was_left_goes_on_where_it_was(
    worker: Worker, tmp_path: Path
) -> None:
    async with contents(tmp_path, worker, (80, 24)) as stage:
        stage.app.open_checkpoint(CHAPTER.slug)
        first = await asked(stage)
        offered = {each.id for each in commands(stage.app)}
        await stage.press("A")
        await until_judged(stage)
        await stage.press("enter")
        second = await asked(stage, first)
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.page, ContentsScreen))
    async with contents(tmp_path, worker, (80, 24)) as stage:
        stage.app.open_checkpoint(CHAPTER.slug)
        again = await asked(stage)

    assert again == second
    assert "present" not in offered, "it is of the course's lessons: a made-up one has no place"


async def test_what_is_due_is_said_in_the_contents_and_asked_by_a_key(
    worker: Worker, tmp_path: Path
) -> None:
    lesson = COURSE.find("saved-output")
    assert lesson is not None
    [name] = lesson.questions
    wrong = SavedAnswer(question=name, tried=("wrong",), status=QuestionStatus.WRONG)
    saved = SaveProgress(lesson="saved-output", cursor=0, answers=(wrong,), finished=True)
    Progress(tmp_path / "progress.json", lambda: 1).save(saved)

    async with contents(tmp_path, worker, (80, 24)) as stage:
        await stage.until(lambda: "today: 1 question comes back, 1 is new: r" in stage.text)
        await stage.press("r")
        again = await asked(stage)
        code = lesson_asked(stage).code
        for _ in range(2):
            await stage.press("A")
            await until_judged(stage)
            await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, ResultDialog))
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.page, ContentsScreen))
        await stage.press("r")
        await stage.until(lambda: "Nothing to review today." in stage.text)

    assert (again, code) == (f"saved-output/{name}", lesson.code)


async def test_what_was_said_to_an_early_answer_goes_once_the_question_is_there(
    tmp_path: Path,
) -> None:
    worker = StandIn(waits=True)
    async with opened(Opening(), tmp_path, lessons=COURSE, worker=worker) as stage:
        await stage.until(lambda: stage.app.is_loaded and stage.app.catalogue is not None)
        stage.app.open_checkpoint(CHAPTER.slug)
        await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))
        await stage.press("a")
        early = stage.text
        worker.say(READY)
        await asked(stage)
        await stage.until(lambda: "done as soon as" not in stage.text)

    assert "done as soon as the program runs" in early


async def read_to_the_end(stage: Stage, lesson: str) -> str:
    """Show the answer of a lesson with one question, read on, and return what it closes with."""
    stage.app.open_lesson(lesson)
    await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
    await stage.ran()
    await stage.press("G", "A")
    await stage.until(lambda: lesson_page(stage).runner.session.may_experiment)
    while lesson_page(stage).view.recap is None:
        await stage.press("n")
    return stage.text


@pytest.mark.whole
async def test_the_last_lesson_of_a_chapter_leads_to_its_checkpoint(
    worker: Worker, tmp_path: Path
) -> None:
    async with contents(tmp_path, worker, (120, 40)) as stage:
        stage.app.choose_path("everything")
        said = await read_to_the_end(stage, "y-plus-one")
        await stage.press("right_square_bracket")
        await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))

    assert "Next: the checkpoint of “The problem”" in said
    assert "] checkpoint" in said


@pytest.mark.whole
async def test_the_last_lesson_of_the_course_leads_to_a_challenge(
    worker: Worker, tmp_path: Path
) -> None:
    done = Record(checkpoints={COURSE.chapters[-1].slug: CheckpointProgress(best=9, total=9)})
    (tmp_path / "progress.json").write_bytes(msgspec.json.encode(done))
    async with contents(tmp_path, worker, (120, 40)) as stage:
        said = await read_to_the_end(stage, COURSE.lessons[-1].lesson.id)
        await stage.press("right_square_bracket")
        await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))

    assert f"Next: {COURSE.challenges[0].challenge.title.en}" in said
    assert "] challenge" in said


async def test_the_commands_open_a_checkpoint_and_the_review(
    worker: Worker, tmp_path: Path
) -> None:
    lent = Remembered(worker)
    opening = Opening(screen="checkpoint", checkpoint=CHAPTER.slug)
    async with opened(opening, tmp_path, lessons=COURSE, worker=lent) as stage:
        await asked(stage)
        assert stage.lines[0].startswith(f" Checkpoint: {CHAPTER.chapter.title.en}")
    async with opened(Opening(screen="review"), tmp_path, lessons=COURSE, worker=lent) as stage:
        await stage.until(lambda: "Nothing to review today." in stage.text)


async def test_an_assigned_checkpoint_asks_about_all_of_its_chapter(
    worker: Worker, tmp_path: Path
) -> None:
    given = Assignment(
        schema=1,
        title=LocalText(en="Week", zh="周"),
        checkpoints=[CHAPTER.slug],
        lessons=["leaves"],
        challenges=["fix-numpy", "break-sigmoid"],
    )
    lent = Remembered(worker)
    course = assigned(COURSE, given)
    progress = Progress(tmp_path / "progress.json")
    progress.save_challenge("fix-numpy", ChallengeProgress(lines=3))
    progress.save(SaveProgress(lesson="leaves", cursor=1, answers=(), finished=True))
    drills = (DrillOptions(seed=7, count=1, kept=True), DrillOptions(seed=9, count=1, kept=True))
    done = DrillAnswer(make(9, 1), right=False, sureness=Sureness.SURE, day=1, given="9/1")
    progress.save_drill(done)
    opening = Opening(drills=drills)
    async with opened(opening, tmp_path, lessons=course, worker=lent) as stage:
        await stage.until(lambda: stage.app.is_loaded and stage.app.catalogue is not None)
        listing = stage.text
        stage.app.open_checkpoint(CHAPTER.slug)
        await asked(stage)
        quiz = page(stage).playlist
        assert isinstance(quiz, Quiz)
        sources = {each.lesson.id for each in quiz.items}

    assert "3 of 6 done" in listing
    assert CHAPTER.chapter.title.en in listing
    assert "Checkpoint" in listing
    # Where too few made-up programs need only what was taught, more of the chapter's are asked.
    assert len(sources & {each.lesson.id for each in CHAPTER.lessons}) >= VARIANTS


def lesson_page(stage: Stage) -> LessonScreen:
    assert isinstance(stage.app.page, LessonScreen)
    return stage.app.page
