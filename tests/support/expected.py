"""What a lesson shows a learner who answers right: read from the views of its session.

Nothing of this comes from `tutorial/present/` or `tutorial/report/`: the facts are taken from the
view, and looked for in what was printed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.outcome import Completed, Raised, Right, Wrong
from inplace_tui.common.run.program import Program
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    AnswerRequested,
    Move,
    Moved,
    Signal,
)
from inplace_tui.tutorial.activity.session.view import QuestionView, View
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.state.diff import diff
from support.patience import PATIENCE

UNMARKED = {"names", "data_ptr"}
"""Facets that may change without a mark in the table."""

NAME = 12
"""Cells in which a name is not cut."""

OPEN = (QuestionStatus.OPEN, QuestionStatus.AGAIN)
RIGHT = {"en": "gradients right", "zh": "梯度正确"}
UNASKED = {"en": "no gradient asked for", "zh": "没有求梯度"}
LINE = {"en": "line {line} {code}", "zh": "第 {line} 行 {code}"}


@dataclass
class Expected:
    """A lesson played through: what was typed, and what must have been printed."""

    lesson: LoadedLesson
    typed: list[str] = field(default_factory=list)
    steps: list[list[str]] = field(default_factory=list)
    """For every line that ran, what its part of the page must say."""

    asked: list[str] = field(default_factory=list)
    """The texts of questions and of what was said to answers, in their order."""

    ending: list[str] = field(default_factory=list)
    """How it ended, said where the outcome may first be seen."""


class Sitting:
    """A session that is waited for."""

    def __init__(self, subject: LoadedLesson | Program, worker: Worker) -> None:
        self._changed = asyncio.Event()
        self.runner = SessionRunner(Session(subject), worker, on_change=self._changed.set)

    async def start(self) -> View:
        """Run the program."""
        self.runner.start()
        return await self._until_finished()

    async def send(self, *signals: Signal) -> View:
        """Do what a learner does."""
        for signal in signals:
            self.runner.send(signal)
        return await self._until_finished()

    async def _until_finished(self) -> View:
        async with asyncio.timeout(PATIENCE):
            while self._waits(view := self.runner.session.view()):
                self._changed.clear()
                await self._changed.wait()
        return view

    @staticmethod
    def _waits(view: View) -> bool:
        checking = view.question is not None and view.question.status is QuestionStatus.CHECKING
        return view.running or view.verifying or checking


async def expected(lesson: LoadedLesson, worker: Worker, language: str) -> Expected:
    """Play a lesson with the right answers."""
    rights = await _right_answers(lesson, worker)
    sitting, found = Sitting(lesson, worker), Expected(lesson)
    view = await sitting.start()
    while True:
        before = view
        if view.question is not None and view.question.status in OPEN:
            found.asked += _question(view.question, language)
            typed, signal = _answer(view.question, rights[view.question.id])
            found.typed.append(typed)
            view = await sitting.send(signal)
            assert view.question is not None
            assert view.question.status is QuestionStatus.RIGHT, f"{lesson.lesson.id}: {typed}"
            found.asked += _texts([view.question.feedback], language)
        else:
            view = await sitting.send(Moved(Move.NEXT))
            if (view.cursor, view.question) == (before.cursor, before.question):
                break
            found.typed.append("")
        if view.cursor != before.cursor:
            found.steps.append(_facts(view, language))
    await sitting.runner.close()
    assert view.recap is not None, f"{lesson.lesson.id} has an end"
    found.ending = [*_ending(view, language), *_texts([view.recap], language)]
    return found


async def _right_answers(lesson: LoadedLesson, worker: Worker) -> dict[str, QuestionView]:
    """Return every question of a lesson as it stands when its answer was shown."""
    sitting = Sitting(lesson, worker)
    view = await sitting.start()
    shown: dict[str, QuestionView] = {}
    while True:
        before = view
        if view.question is not None and view.question.status in OPEN:
            view = await sitting.send(AnswerRequested())
            assert view.question is not None
            shown[view.question.id] = await _known(sitting, view.question.id)
        view = await sitting.send(Moved(Move.NEXT))
        if (view.cursor, view.question) == (before.cursor, before.question):
            break
    await sitting.runner.close()
    return shown


async def _known(sitting: Sitting, question: str) -> QuestionView:
    """Wait until a right answer is known: other orders of the lines may have to be run."""
    async with asyncio.timeout(PATIENCE):
        while True:
            asked = sitting.runner.session.view().question
            if asked is not None and asked.id == question and asked.right is not None:
                return asked
            await asyncio.sleep(0.01)


def _answer(asked: QuestionView, known: QuestionView) -> tuple[str, Signal]:
    """Return what to type, and what that means."""
    assert known.right is not None
    match asked.answers, known.answers:
        case LinesView(), LinesView(lines=lines):
            number = next(line.number for line in lines if line.name == known.right)
            return str(number), AnswerGiven(str(number))
        case OrderView(lines=lines), OrderView(works=works):
            names = [line.name for line in lines]
            typed = " ".join(str(names.index(line.name) + 1) for line in works)
            return typed, AnswerGiven(known.right)
        case TypedView(), TypedView():
            return known.right, AnswerGiven(known.right)
        case ChoicesView(choices=choices), ChoicesView():
            ids = [identity for identity, _ in choices]
            return str(ids.index(known.right) + 1), AnswerGiven(known.right)
        case _:
            raise AssertionError(f"{asked.id}: another kind when its answer was shown")


def _question(asked: QuestionView, language: str) -> list[str]:
    choices = asked.answers.choices if isinstance(asked.answers, ChoicesView) else ()
    return _texts([asked.prompt, *(text for _, text in choices)], language)


def _texts(texts: list[LocalText | None], language: str) -> list[str]:
    return [text[language].replace("`", "") for text in texts if text is not None]


def _facts(view: View, language: str) -> list[str]:
    """Return what must be printed of the line that ran."""
    step = view.ran
    assert step is not None
    code = view.source.split("\n")[step.line - 1]
    found = [f"▸ {step.line} {code}", *_texts([view.narration], language)]
    changes = diff(view.previous, view.snapshot)
    masked = bool(view.mask.cells) or view.mask.writes
    hidden = masked or view.mask.outcome
    for number in sorted(changes.new | changes.changed.keys()):
        tensor = view.snapshot.tensors[number]
        old = view.previous.tensors.get(number)
        if old is not None and old.version != tensor.version and not masked:
            found.append(f"{old.version}→{tensor.version}")
        marked = number in changes.new or changes.changed[number] - UNMARKED
        if marked and tensor.names and not hidden:
            name = tensor.names[0]
            # Of a path that is too long for its column, the first parts are cut.
            found.append((name if len(name) <= NAME else name.rpartition(".")[2])[:NAME])
    made = {node.id: node.name for node in step.nodes}
    for saved in step.saved:
        if saved.node in made and saved.node in view.snapshot.nodes and not masked:
            found += [made[saved.node], f"{saved.slot}:"]
    return found


def _ending(view: View, language: str) -> list[str]:
    """Return what must be said of how it ended, once that may be told."""
    found: list[str] = []
    match view.outcome:
        case Raised(exception=exception, message=message):
            found += [exception, " ".join(message.split())[:60]]
        case Completed() if isinstance(view.truth, Wrong):
            found += [view.truth.differences[0].tensor, view.truth.differences[0].got]
        case Completed() if isinstance(view.truth, Right):
            found.append((RIGHT if view.truth.asked else UNASKED)[language])
    if view.blame is not None:
        lines = [write.line for write in view.blame.writes[:1]]
        if view.blame.saver is not None and view.blame.saver.line is not None:
            lines.append(view.blame.saver.line)
        source = view.source.split("\n")
        found += [LINE[language].format(line=n, code=source[n - 1][:40]) for n in lines]
    return found
