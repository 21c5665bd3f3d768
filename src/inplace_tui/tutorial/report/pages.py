"""Short pages of text: the list of lessons, progress, what `check` says of one lesson."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from inplace_tui.common.cells import pad, width
from inplace_tui.common.problems import fill
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.quiz import QuizScreenTexts, QuizTexts
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lesson import VARIANT_QUESTION
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.course.paths import LearningPath, reference
from inplace_tui.tutorial.progress import ChallengeProgress, LessonProgress, Record

if TYPE_CHECKING:
    from inplace_tui.tutorial.course.lessons.check import Verified

REFERENCE = "r"
"""Before a lesson on no path but that of everything."""


def course(course: Course, record: Record, language: str) -> Iterator[str]:
    """Yield the chapters with their lessons, and challenges: ✓ is one that is done, ~ one begun."""
    longest = max((len(each.id) for each in course.lessons), default=0)
    looked_up = reference(course)
    titles = [width(each.lesson.title[language]) for each in course.lessons]
    # Of some chapters only the checkpoint is assigned.
    chapters = [each for each in course.chapters if each.lessons or each not in course.checkpoints]
    for number, chapter in enumerate(chapters, 1):
        if number > 1:
            yield ""
        yield f"{number}. {chapter.chapter.title[language]}"
        for each in chapter.lessons:
            title = pad(each.lesson.title[language], max(titles))
            minutes = say(CommandTexts.minutes, language, minutes=each.lesson.minutes)
            mark = _mark(record.lessons.get(each.id))
            if not mark.strip() and each.id in looked_up:
                mark = REFERENCE
            yield f" {mark} {each.id:<{longest}}  {title}  {minutes}"
    yield from ["", f" {REFERENCE} {say(PathTexts.reference, language)}"] if looked_up else []
    yield from ["", say(CommandTexts.challenges, language)] if course.challenges else []
    longest = max((len(each.id) for each in course.challenges), default=0)
    widest = max((width(each.challenge.title[language]) for each in course.challenges), default=0)
    for task in course.challenges:
        title = pad(task.challenge.title[language], widest)
        par = say(CommandTexts.par, language, par=task.challenge.par)
        yield f" {_mark(record.challenges.get(task.id))} {task.id:<{longest}}  {title}  {par}"


def path(path: LearningPath, record: Record, language: str) -> Iterator[str]:
    """Yield the lessons of a path, and the challenge at its end."""
    passed = {key for key, kept in record.lessons.items() if kept.passed} & {*path.ids}
    left = sum(each.lesson.minutes for each in path.lessons if each.id not in passed)
    values = {"done": len(passed), "total": len(path.lessons), "minutes": left}
    yield f"{path.about.title[language]}  {say(PathTexts.far, language, **values)}"
    yield path.about.summary[language]
    yield ""
    longest = max(map(len, path.ids))
    widest = max(width(each.lesson.title[language]) for each in path.lessons)
    for number, each in enumerate(path.lessons, 1):
        title = pad(each.lesson.title[language], widest)
        minutes = say(CommandTexts.minutes, language, minutes=each.lesson.minutes)
        mark = _mark(record.lessons.get(each.id))
        yield f" {mark} {number:>2}  {each.id:<{longest}}  {title}  {minutes}"
    if path.challenge is not None:
        about = path.challenge.challenge
        mark = _mark(record.challenges.get(about.id))
        yield f" {mark}     {about.id:<{longest}}  {about.title[language]}"


def progress(record: Record, course: Course, language: str) -> Iterator[str]:
    """Yield a line a lesson or challenge that was begun, and sums."""
    if not (record.lessons or record.challenges or record.checkpoints):
        yield say(CommandTexts.progress_none, language)
        return
    yield from _lessons(record, course, language)
    yield from _challenges(record, course, language)
    yield from _checkpoints(record, course, language)


def _lessons(record: Record, course: Course, language: str) -> Iterator[str]:
    if not record.lessons:
        return
    known = {each.id: each for each in course.lessons}
    ids = [*known, *sorted(record.lessons.keys() - known.keys())]
    longest = max(map(len, ids))
    for key in ids:
        if key in record.lessons:
            yield _progress_line(key.ljust(longest), record.lessons[key], known.get(key), language)
    done = sum(each.finished for key, each in record.lessons.items() if key in known)
    yield say(CommandTexts.progress_sum, language, done=done, total=len(known))


def _progress_line(
    name: str, kept: LessonProgress, loaded: LoadedLesson | None, language: str
) -> str:
    variants = {key: a for key, a in kept.answers.items() if key.startswith(VARIANT_QUESTION)}
    title, of = say(CommandTexts.progress_gone, language), len(variants)
    asked = kept.answers.keys() - variants.keys()
    if loaded is not None:
        title, of = loaded.lesson.title[language], len(loaded.lesson.variants)
        asked = {step.ask.id for step in loaded.lesson.steps if step.ask}
    answers = (answer for key, answer in kept.answers.items() if key in asked)
    tries = [len(each.tried) for each in answers if each.status is QuestionStatus.RIGHT]
    right, total = tries.count(1), len(asked)
    values = {"mark": _mark(kept), "id": name, "title": title, "right": right, "total": total}
    line = say(CommandTexts.progress_line, language, **values)
    if right < len(tries):
        line += say(CommandTexts.progress_later, language, later=len(tries) - right)
    done = sum(answer.status.is_done for answer in variants.values())
    return line + (say(CommandTexts.progress_variants, language, done=done, of=of) if done else "")


def _challenges(record: Record, course: Course, language: str) -> Iterator[str]:
    if not record.challenges:
        return
    known = {each.challenge.id: each.challenge for each in course.challenges}
    ids = [*known, *sorted(record.challenges.keys() - known.keys())]
    longest = max(map(len, ids))
    for key, kept in ((key, record.challenges[key]) for key in ids if key in record.challenges):
        title = (known[key].title if key in known else CommandTexts.progress_gone)[language]
        state = CommandTexts.solved_in if kept.solved else CommandTexts.challenge_begun
        how = say(state, language, lines=kept.lines)
        values = {"mark": _mark(kept), "id": key.ljust(longest), "title": title, "how": how}
        yield say(CommandTexts.challenge_line, language, **values)
    solved = sum(each.solved for key, each in record.challenges.items() if key in known)
    yield say(CommandTexts.challenges_sum, language, solved=solved, total=len(known))


def _checkpoints(record: Record, course: Course, language: str) -> Iterator[str]:
    """Yield a line a checkpoint that was finished, and what comes back."""
    for chapter in course.checkpoints:
        kept = record.checkpoints.get(chapter.slug)
        if kept is not None and kept.best is not None:
            title = fill(QuizTexts.of_chapter, title=chapter.chapter.title)[language]
            best = say(QuizScreenTexts.best, language, right=kept.best, total=kept.total)
            yield f"✓ {title}  {best}"
    if record.review.waiting:
        yield say(QuizScreenTexts.waiting, language, count=len(record.review.waiting))


def _mark(kept: LessonProgress | ChallengeProgress | None) -> str:
    if kept is None:
        return " "
    if isinstance(kept, LessonProgress) and kept.known and not kept.finished:
        return "»"
    done = kept.finished if isinstance(kept, LessonProgress) else kept.solved
    return "✓" if done else "~"


def checked(
    loaded: LoadedLesson | LoadedChallenge, verified: Verified, language: str
) -> Iterator[str]:
    """Yield a line for a lesson or challenge that is true, else one for all that is not."""
    if not verified.problems:
        counts = {"programs": verified.programs, "claims": verified.claims}
        yield say(CommandTexts.check_ok, language, path=loaded.path, **counts)
    for problem in verified.problems:
        yield problem.text(language)
    for warning in verified.warnings:
        message = fill(CommandTexts.warning, message=warning.message)
        yield replace(warning, message=message).text(language)
