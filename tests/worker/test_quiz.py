"""Checkpoints and the review with real runs: torch says what was right."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.quiz.questions import four_questions
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.signals import AnswerGiven, AnswerRequested, Move, Moved
from inplace_tui.tutorial.course.course import LoadedChapter
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView, LinesView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.playlist import checkpoint, names_of, review
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.progress import Progress
from support.course import COURSE
from support.lent import Remembered
from support.playing import started, until_judged

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHECKPOINTS = pytest.mark.parametrize("chapter", COURSE.checkpoints, ids=lambda each: each.slug)
DAY = 700_000


async def shown(runner: SessionRunner) -> dict[str, str]:
    """Ask for every answer; return them by question."""
    found = {}
    while (asked := runner.session.view().question) is not None and asked.status.is_open:
        runner.send(AnswerRequested())
        view = await until_judged(runner)
        assert view.question is not None
        assert view.question.right is not None, asked.id
        found[asked.id] = view.question.right
        runner.send(Moved(Move.NEXT))
    return found


@CHECKPOINTS
@pytest.mark.whole(every=4)
async def test_the_four_questions_are_answered_from_the_run(
    worker: Worker, chapter: LoadedChapter
) -> None:
    loaded = four_questions(COURSE, chapter)
    assert loaded is not None, "every chapter ends with a program of its own"
    runner = await started(loaded, Remembered(worker), [])

    found = await shown(runner)

    run = runner.session.finished
    assert run is not None
    blame = find_blame(run.timeline, run.truth, source=loaded.code)
    await runner.close()
    assert blame is not None
    assert blame.saver is not None
    right = {
        "saver": f"l{blame.saver.line}",
        "version": f"v{blame.saver.version}",
        "writer": f"l{blame.writes[0].line}",
        "reader": f"l{blame.reader}",
    }
    assert found == {name: right[name] for name in loaded.questions}


async def play(loaded: LoadedLesson, worker: Worker, *, rightly: bool) -> SaveProgress:
    """Answer all the questions of one program, each with one try or as many as there are."""
    known = await started(loaded, worker, [])
    rights = await shown(known)
    await known.close()
    kept: list[SaveProgress] = []
    runner = await started(loaded, worker, kept)
    while (asked := runner.session.view().question) is not None and asked.status.is_open:
        right = rights[asked.id]
        given = [right]
        match asked.answers:
            case ChoicesView(choices=choices):
                wrong = [name for name, _ in choices if name != right]
                given = given if rightly else [*wrong, right]
            case LinesView():
                lines = [str(loaded.anchors[right])]
                given = lines if rightly else ["1", *lines]
            case _:
                raise AssertionError(asked.id)
        for each in given:
            view = runner.session.view().question
            if view is not None and view.status.is_open:
                runner.send(AnswerGiven(each))
                await until_judged(runner)
        runner.send(Moved(Move.NEXT))
    await runner.close()
    return kept[-1]


@pytest.mark.whole
async def test_a_checkpoint_is_played_kept_and_drawn_anew(worker: Worker, tmp_path: Path) -> None:
    days = [DAY]
    progress = Progress(tmp_path / "progress.json", lambda: days[0])
    chapter, lent = COURSE.chapters[3], Remembered(worker)
    quiz = checkpoint(COURSE, chapter, progress)
    for place, loaded in enumerate(quiz.items):
        quiz.save(await play(loaded, lent, rightly=place > 0))
        if place == 2:  # the program ends here, and goes on where it was
            progress = Progress(tmp_path / "progress.json", lambda: days[0])
            quiz = checkpoint(COURSE, chapter, progress)
            assert quiz.first_open == 3
            assert [names_of(each) for each in quiz.items[:1]] == [[quiz.names[0]]]

    assert (quiz.score, quiz.missed, len(quiz.names)) == ((8, 9), [quiz.names[0]], 9)
    kept = progress.checkpoint(chapter.slug)
    assert (kept.drawn, kept.best, kept.total) == (1, 8, 9)
    assert checkpoint(COURSE, chapter, progress).names != quiz.names

    days[0] += 1
    again = review(COURSE, progress, lambda _: True)
    assert again.names == quiz.missed
    again.save(await play(again.items[0], lent, rightly=True))
    assert review(COURSE, progress, lambda _: True).items == ()
    days[0] += 3
    assert review(COURSE, progress, lambda _: True).names == quiz.missed


async def test_a_question_of_a_lesson_comes_back_by_itself(worker: Worker, tmp_path: Path) -> None:
    days = [DAY]
    progress = Progress(tmp_path / "progress.json", lambda: days[0])
    lesson = COURSE.find("saved-output")
    assert lesson is not None
    [asked] = lesson.questions
    kept: list[SaveProgress] = []
    runner = await started(lesson, Remembered(worker), kept)
    runner.send(Moved(Move.END))
    runner.send(AnswerRequested())
    await until_judged(runner)
    await runner.close()
    progress.save(kept[-1])
    days[0] += 1

    again, _ = review(COURSE, progress, lambda _: True).items  # and one that is new

    assert names_of(again) == [f"saved-output/{asked}"]
    assert review(COURSE, progress, lambda _: False).items == ()
