"""Whether the words of a lesson or a challenge have room on a screen of 80x24, beside the code.

Asks the panels' own rows and the screen's own arrangement, so that an author is
shown what a learner would see: a text that would have to be scrolled is too long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inplace_tui.common.cells import width
from inplace_tui.common.local_text import LocalText, joined
from inplace_tui.common.problems import Problem, Problems
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.activity.challenges.grading import Grade
from inplace_tui.tutorial.activity.session.questions import QuestionState
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import QuestionView, View
from inplace_tui.tutorial.course.lesson import MEND, Question
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.course.lessons.strict_yaml import Path
from inplace_tui.tutorial.present import challenge, narration, question
from inplace_tui.tutorial.present.challenge import ChallengeAttempt
from inplace_tui.tutorial.ui.arrangement import BARS, TASK, WORDS, Needs, frame, plan
from inplace_tui.tutorial.ui.keymap import Keymap

WIDTH, HEIGHT = 80, 24

LINE = WIDTH - 2
"""Cells of a line in a panel: one is empty at its left, one is the scroll bar's."""

TITLE = 46
"""Cells that the contents leave to a title, beside number, mark and minutes."""

CHALLENGE_TITLE = 44
"""The same for a challenge, beside number and state."""

VERDICT = 2
"""Rows for the result of a run, below the task of a challenge."""


def lesson_overflows(loaded: LoadedLesson) -> tuple[Problem, ...]:
    """Return what is too long in a lesson, in the order of its file."""
    fitting = _LessonFit(loaded)
    fitting.title(("title",), loaded.lesson.title, TITLE)
    if loaded.lesson.goal is not None:
        fitting.words(("goal",), replace(fitting.view, goal=loaded.lesson.goal))
    for index, step in enumerate(loaded.lesson.steps):
        if step.say is not None:
            fitting.words(("steps", index, "say"), replace(fitting.view, narration=step.say))
        if step.ask is not None:
            fitting.question(("steps", index, "ask"), step.ask)
    for index, variant in enumerate(loaded.lesson.variants):
        fitting.title(("variants", index, "title"), variant.title, TITLE)
        if variant.say is not None:
            view = replace(fitting.view, narration=variant.say)
            fitting.words(("variants", index, "say"), view)
    fitting.recap()
    mended = () if loaded.mending is None else challenge_overflows(loaded.mending)
    return (*fitting.problems.sorted(), *mended)


def card_rows(loaded: LoadedLesson, language: str) -> int:
    """Return the rows of the largest card of a lesson: a question, a reply, or how it closes."""
    fitting, most = _LessonFit(loaded), 0
    for asked in (step.ask for step in loaded.lesson.steps if step.ask is not None):
        state = QuestionState(loaded.questions[asked.id])
        opened = state.view(1)
        most = max(most, fitting.measure(opened, language)[0])
        for _, feedback in state.asked.replies:
            replied = replace(opened, feedback=feedback, status=QuestionStatus.WRONG)
            rows, _, reply = fitting.measure(replied, language)
            most = max(most, rows - reply)
    return max(most, fitting.recap_rows(language))


class _FitChecker:
    def __init__(self, loaded: LoadedLesson | LoadedChallenge) -> None:
        self.problems = Problems(loaded.path)
        self._where = loaded.where
        about = loaded.lesson if isinstance(loaded, LoadedLesson) else loaded.challenge
        self.languages = about.title.languages
        self._reported: set[tuple[Path, str]] = set()

    def title(self, path: Path, text: LocalText, room: int) -> None:
        """A title has one line, with other things on it."""
        for language in text.languages:
            cells = width(text[language])
            if cells > room:
                at = self._where(*path, language)
                self.problems.add(at, AuthoringTexts.too_wide, cells=cells, room=room)

    def note(self, path: Path, language: str, rows: int, room: int) -> None:
        if rows > room and (path, language) not in self._reported:
            self._reported.add((path, language))
            at = self._where(*path, language)
            self.problems.add(at, AuthoringTexts.too_long, rows=rows, room=room)


class _LessonFit(_FitChecker):
    def __init__(self, loaded: LoadedLesson) -> None:
        super().__init__(loaded)
        self._loaded = loaded
        self.view = View(source=loaded.code, timeline=Timeline())
        self._needs = Needs(code_rows=max(1, len(loaded.code.splitlines())), panels=("state",))

    def words(self, path: Path, view: View) -> None:
        """The text at a step, or the goal before it, has to fit the rows that there always are."""
        for language in self.languages:
            self.note(path, language, len(narration.words(view, LINE, language)), WORDS)

    def recap(self) -> None:
        """At the end, the text of the last line stands above the recap, the score below it."""
        for language in self.languages:
            self.note(("recap",), language, self.recap_rows(language), self._room("recap"))

    def recap_rows(self, language: str) -> int:
        lesson = self._loaded.lesson
        view = replace(
            self.view,
            narration=lesson.steps[-1].say,
            recap=lesson.recap,
            links=self._loaded.links,
            score=(0, 0),
            after=lesson.title,
        )
        return len(narration.rows(view, LINE, language))

    def question(self, path: Path, asked: Question) -> None:
        """Prompt and choices have to fit together, and so has the whole reply to an answer."""
        for language in self.languages:
            state = QuestionState(self._loaded.questions[asked.id])
            opened = state.view(1)
            rows, room, _ = self.measure(opened, language)
            self.note((*path, "prompt"), language, rows - 1, room)
            for below, feedback in state.asked.replies:
                for status in (QuestionStatus.AGAIN, QuestionStatus.WRONG):
                    question_view = replace(opened, feedback=feedback, status=status)
                    self._reply((*path, *below), question_view, language)
            for below, feedback in _beside(asked):
                question_view = replace(opened, feedback=feedback, status=QuestionStatus.WRONG)
                self._reply((*path, *below), question_view, language)
            for index in range(len(asked.hints)):
                before, after = (
                    self.measure(replace(state, hints=count).view(1), language)
                    for count in (index, index + 1)
                )
                self.note((*path, "hints", index), language, after[0] - before[0], after[1])

    def _reply(self, path: Path, question_view: QuestionView, language: str) -> None:
        """The reply to an answer has to fit, with the keys that work then below it."""
        rows, room, reply = self.measure(question_view, language)
        self.note(path, language, rows - reply, room)

    def measure(self, question_view: QuestionView, language: str) -> tuple[int, int, int]:
        """Return the rows of a question, how many are seen, and where the reply begins."""
        view = replace(self.view, question=question_view)
        rows = question.rows(view, LINE, language, keys=Keymap().labels)
        shown = len(rows)
        while shown and not rows[shown - 1].text.strip():
            shown -= 1
        return shown, self._room("question"), question.reply_at(view, LINE, language)

    def _room(self, card: str) -> int:
        stage = HEIGHT - BARS
        needs = replace(self._needs, card=card)
        return plan(WIDTH, stage, needs).regions[card].height - frame(stage)


def _beside(asked: Question) -> Iterator[tuple[Path, LocalText]]:
    """Yield the replies to two choices: that to the right one follows that to a wrong one."""
    for index, choice in enumerate(asked.choices):
        for other in asked.choices[index + 1 :]:
            yield ("choices", index, "why"), joined((choice.why, other.why), "\n\n")


def challenge_overflows(loaded: LoadedChallenge) -> tuple[Problem, ...]:
    """Return what is too long in a challenge, or in what a lesson offers to be fixed."""
    fitting, about = _FitChecker(loaded), loaded.challenge
    if not about.id.endswith(MEND):  # it is on no list
        fitting.title(("title",), about.title, CHALLENGE_TITLE)
    stage = plan(WIDTH, HEIGHT - BARS, Needs(code_rows=1, task_rows=HEIGHT))
    room, line = stage.regions[TASK].height - 1, WIDTH - 3
    solved = Grade((), (), about.par, about.par)
    for language in fitting.languages:
        rows = len(challenge.rows(ChallengeAttempt(loaded), line, language))
        fitting.note(("task",), language, rows, room - VERDICT)
        attempt = ChallengeAttempt(loaded, grade=solved)
        total = len(challenge.rows(attempt, line, language))
        rows = total - challenge.verdict_at(attempt, line, language)
        fitting.note(("explain",), language, rows, room)
    return fitting.problems.sorted()
