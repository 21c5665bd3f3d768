"""The command `results`: what a class got wrong, by misconception, or did, by learner, as CSV.

There is one row for each wrong answer that anybody gave.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole
from inplace_tui.common.cells import sanitize
from inplace_tui.common.command import parser
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option
from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts, ResultTexts
from inplace_tui.common.texts.drill import CONCEPTS
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.tutorial import progress
from inplace_tui.tutorial.activity.drill import grammar
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.quiz.names import DRILL
from inplace_tui.tutorial.activity.quiz.questions import question as quiz_question
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.commands.assignment import assigned, assigned_drills, read_assignment
from inplace_tui.tutorial.commands.library import load_library
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lesson import VARIANT_QUESTION
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.progress import LessonProgress, Record
from inplace_tui.tutorial.settings import Settings

FORMULAS = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet would compute instead of showing it; some also take full-width signs."""

MARK = "\ufeff"
"""Without it Excel reads a file of UTF-8 as one of the system's older encoding."""


@localized_command("results", HelpTexts.results)
@option("--assignment", text=HelpTexts.results_of, metavar="FILE", type=click.Path(path_type=Path))
@option("--excel", text=HelpTexts.results_for_excel, is_flag=True)
@option("--learners", "by_learner", text=HelpTexts.results_by_learner, is_flag=True)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
def results_command(
    settings: Settings,
    files: tuple[Path, ...],
    *,
    assignment: Path | None,
    excel: bool,
    by_learner: bool,
) -> int:
    course = load_library(None if assignment else settings.lessons, settings.lessons).course
    drills: Sequence[DrillOptions] = ()
    if assignment is not None:
        given = read_assignment(assignment, course)
        drills, course = assigned_drills(given), assigned(course, given)
    records, refusals = _records(dict.fromkeys(files))
    for refusal in refusals if records else ():
        print_message(refusal.text[settings.language])
    if refusals and not records:
        raise parser.all_of(refusal.text for refusal in refusals)
    if not files:
        records = {"": progress.Progress(paths.progress_file()).record}
    if excel:
        sys.stdout.write(MARK)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(LEARNERS if by_learner else COLUMNS)
    if by_learner:
        rows = list(learners(records, course, drills, settings.language))
    else:
        asked = assignment is None or bool(drills)
        found = misconceptions(records, course, settings.language, drills=asked)
        rows = [each.row for each in found]
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    return 1 if refusals else 0


def _records(files: Collection[Path]) -> tuple[dict[str, Record], list[CommandError]]:
    """Return what learners did, by their names, and which files are no records.

    A name is that of the file, with folders that tell it apart.
    """
    records: dict[str, Record] = {}
    refusals: list[CommandError] = []
    ways = {path: (path.stem, f"{path.parent.name}/{path.stem}") for path in files}
    shared = Counter(name for names in ways.values() for name in names)
    for path, names in ways.items():
        name = next((each for each in names if shared[each] == 1), path.as_posix())
        try:
            with parser.refusing(path):
                content = read_whole(path, MAX_USER_FILE)
            records[name] = progress.record_in(content)
        except CommandError as refusal:
            refusals.append(refusal)
        except progress.ProgressError as error:
            refusals.append(CommandError(ErrorTexts.no_record, path=path, why=error.text))
    return records, refusals


def _plain(cell: str | int) -> str | int:
    """Return a cell that neither a spreadsheet nor a terminal obeys: learners sent the files."""
    if isinstance(cell, int):
        return cell
    text = sanitize(cell)
    return f"'{text}" if text.startswith(FORMULAS) else text


ITEM = ("kind", "item", "title")
COUNTS = ("learners", "asked", "right_later")
COLUMNS = ("concepts", *ITEM, "question", "misconception", *COUNTS, "who")
"""Of the CSV: of those `asked`, `learners` gave that answer, `right_later` of them were right in
the end."""


LEARNERS = ("learner", *ITEM, "done", "first_try", "of", "lines")
"""Of the CSV of what each learner did: `done` is 1 or 0, `first_try` how many questions `of` how
many were right at the first try, `lines` with how many lines a challenge was solved."""


def learners(
    records: Mapping[str, Record], course: Course, drills: Sequence[DrillOptions], language: str
) -> Iterator[tuple[str | int, ...]]:
    """Yield a row for each learner and each item, done or not."""
    for who, record in records.items():
        for loaded in course.lessons:
            about = loaded.lesson
            kept = record.lessons.get(about.id, LessonProgress())
            asked = [kept.answers.get(step.ask.id) for step in about.steps if step.ask]
            right = (a for a in asked if a is not None and a.status is QuestionStatus.RIGHT)
            first = sum(len(answer.tried) == 1 for answer in right)
            title = about.title[language]
            yield who, "lesson", about.id, title, int(kept.finished), first, len(asked), ""
        for chapter in course.checkpoints:
            quiz = record.checkpoints.get(chapter.slug, progress.CheckpointProgress())
            title, done = chapter.chapter.title[language], int(quiz.best is not None)
            yield who, "checkpoint", chapter.slug, title, done, quiz.best or 0, quiz.total, ""
        for task in course.challenges:
            tried = record.challenges.get(task.challenge.id, progress.ChallengeProgress())
            title, identity = task.challenge.title[language], task.challenge.id
            yield who, "challenge", identity, title, int(tried.solved), "", "", tried.lines or ""
        for each in drills:
            given = record.drill.given
            first, done = sum(given.get(each.name, {}).values()), int(each.is_done(given))
            yield who, "drill", each.name, "", done, first, each.count or 0, ""


@dataclass
class Misconception:
    """A wrong answer, and who gave it."""

    concepts: tuple[str, ...]
    kind: str
    item: str
    title: str
    question: str
    text: str = ""
    asked: int = 0
    right_later: int = 0
    who: list[str] = field(default_factory=list)

    @property
    def row(self) -> tuple[str | int, ...]:
        about = (self.kind, self.item, self.title, self.question, self.text)
        counts = (len(self.who), self.asked, self.right_later)
        return (" ".join(self.concepts), *about, *counts, "; ".join(self.who))


def misconceptions(
    records: Mapping[str, Record], course: Course, language: str, *, drills: bool = True
) -> list[Misconception]:
    """Return the wrong answers that were given, the commonest first."""
    found: dict[tuple[str, str, str], Misconception] = {}
    asked = Counter[tuple[str, str]]()
    for who, record in records.items():
        for name, answer, loaded, question, about in _answers(record, course, language):
            if not (answer.tried or answer.status is QuestionStatus.SHOWN):
                continue
            key = (about.item, name)
            asked[key] += 1
            for text in _wrong(loaded, question, answer, language):
                row = found.setdefault((*key, text), replace(about, text=text, who=[]))
                row.who.append(who)
                row.right_later += answer.status is QuestionStatus.RIGHT
    for (item, question, _), row in found.items():
        row.asked = asked[item, question]
    rows = [*found.values(), *(_drills(records, language) if drills else ())]
    return sorted(rows, key=lambda row: -len(row.who))


def _answers(
    record: Record, course: Course, language: str
) -> Iterator[tuple[str, SavedAnswer, LoadedLesson, str, Misconception]]:
    """Yield the answers of a learner to questions that there still are.

    Each with the name it is kept by, the lesson and its question that words it, and the row that
    a wrong one begins.
    """
    for loaded in course.lessons:
        lesson = loaded.lesson
        concepts, title = tuple(lesson.teaches), lesson.title[language]
        for question, answer in record.lessons.get(lesson.id, LessonProgress()).answers.items():
            described = _described(loaded, question, language)
            if described is not None:
                about = Misconception(concepts, "lesson", lesson.id, title, described)
                yield question, answer, loaded, question, about
    for chapter in course.checkpoints:
        done = record.checkpoints.get(chapter.slug, progress.CheckpointProgress())
        for name, answer in {**done.last, **done.answers}.items():
            made = quiz_question(name, course.whole)
            if made is not None:
                about = _of_checkpoint(chapter, name, made, course, language)
                yield name, answer, made, name.partition("/")[2], about


def _of_checkpoint(
    chapter: LoadedChapter, name: str, made: LoadedLesson, course: Course, language: str
) -> Misconception:
    """Return the row of a checkpoint's question: of a variant, a made-up program, or the four."""
    place, _, asked = name.partition("/")
    concepts: tuple[str, ...] = ("four-questions",)
    lesson, described = course.whole.find(place), _described(made, asked, language)
    if place == DRILL:
        _, level, seed = asked.split("-")
        concepts = tuple(each.value for each in grammar.make(int(seed), int(level)).tags)
        described = f"inplace-tui drill --seed {seed} --level {level} --count 1"
    elif lesson is not None:
        concepts = tuple(lesson.lesson.teaches)
        described = f"{lesson.lesson.title[language]}: {_described(lesson, asked, language)}"
    title = chapter.chapter.title[language]
    return Misconception(concepts, "checkpoint", chapter.slug, title, described or asked)


def _described(loaded: LoadedLesson, question: str, language: str) -> str | None:
    """Return what was asked; None where the lesson no longer has that question."""
    asked = {each.ask.id: each.ask.prompt for each in loaded.lesson.steps if each.ask is not None}
    asked |= {f"{VARIANT_QUESTION}{each.id}": each.title for each in loaded.lesson.variants}
    return asked[question][language] if question in asked else None


def _wrong(
    loaded: LoadedLesson, question: str, answer: SavedAnswer, language: str
) -> Iterator[str]:
    """Yield the wrong ones of the answers that were given, as they were worded."""
    wrong = answer.tried[:-1] if answer.status is QuestionStatus.RIGHT else answer.tried
    asked = loaded.questions.get(question)
    for given in dict.fromkeys(wrong):
        if given in PREDICTED and (asked is None or not asked.question.choices):
            yield ENDINGS[Ending(given)][language]
        else:
            yield asked.wording(given)[language] if asked and asked.is_answer(given) else given
    if answer.status is QuestionStatus.SHOWN and not wrong:
        yield ResultTexts.shown[language]


def _drills(records: Mapping[str, Record], language: str) -> Iterator[Misconception]:
    """Yield, for each concept of the drill, who predicted a program with it wrongly."""
    for concept in sorted({each for record in records.values() for each in record.drill.concepts}):
        title = CONCEPTS[concept][language] if concept in CONCEPTS else concept
        row = Misconception((concept,), "drill", concept, title, "")
        for who, record in records.items():
            tally = record.drill.concepts.get(concept)
            if tally is not None and tally.answered:
                row.asked += 1
                if tally.right < tally.answered:
                    row.who.append(f"{who} {tally.answered - tally.right}/{tally.answered}")
        if row.who:
            yield row
