"""A checkpoint or the review: question after question, each judged by a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row
from inplace_tui.common.texts.actions import CLOSE_REPLY, LATER, NEXT_QUESTION
from inplace_tui.common.texts.quiz import QuizScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.quiz.result import QuizResult
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.quiz import Quiz, names_of
from inplace_tui.tutorial.drive.session_runner import Play
from inplace_tui.tutorial.present import question
from inplace_tui.tutorial.present.quiz import rows
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.dialogs.dialog import LETTER_QUITS, NumberedDialog
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels import QuestionPanel
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.widgets.bars import Bar

_NOT_HERE = (
    *("variants", "holds", "restart", "previous_lesson", "next_lesson", "taught", "present"),
)
"""Actions of a lesson that a question of its own does not have."""


class QuizQuestion(QuestionPanel):
    """Asks about a program that has not run; after the reply comes what the run says."""

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        asked = question.rows(view, width, self.language, keys=self.key_labels, locked=self.locked)
        explanation = explain.rows(view, width, self.language, keys=self.key_labels)
        return [*asked, *explanation] if view.question_is_done else asked

    def action_choose(self) -> None:
        """After the reply, go on."""
        self.call_later(self.screen.run_action, "next_drill")


class QuizScreen(LessonScreen):
    """One question after another; at the end, how it went."""

    BINDINGS = bindings(Where.RUN, Where.LESSON, Where.DRILL)
    QUESTION = QuizQuestion

    def __init__(self, quiz: Quiz, play: Play, title: LocalText) -> None:
        self._quiz = quiz
        self._play = play
        self._title = title
        self._place = min(quiz.first_open, len(quiz.items) - 1)
        first = quiz.items[self._place]
        super().__init__(first, play(quiz.session(first)))

    def reached(self, listed: Iterable[str]) -> str:
        """A checkpoint ends its chapter; the review asks about lessons that were begun."""
        chapter, begun = self._quiz.chapter, self.host.learner.record.lessons
        if chapter is not None and chapter.lessons:
            return chapter.lessons[-1].lesson.id
        return next((each for each in reversed([*listed]) if each in begun), "")

    # Showing.

    def adjust(self, needs: Needs, view: View) -> Needs:
        """Show all of the program, to answer from it; the answer moves no panel."""
        return replace(super().adjust(needs, view), whole=True)

    def show_title(self) -> None:
        names = self._quiz.names
        before = [name for each in self._quiz.items[: self._place] for name in names_of(each)]
        asked = self.view.question
        here = [] if asked is None else [f"{self.lesson.lesson.id}/{asked.id}"]
        number = len(before) + next((names_of(self.lesson).index(name) for name in here), 0) + 1
        title = Content.styled(self.say(self._title), "bold $primary")
        place = Content(self.say(QuizScreenTexts.question_of, number=number, total=len(names)))
        parts = [title, place]
        if self.host.presenting:  # a long title is cut, and not this
            parts = [place, *self.presented, title]
        right, answered = self._quiz.score
        score = self.say(QuizScreenTexts.score, right=right, answered=answered)
        self.query_one("#title", Bar).show(Content("  ").join(parts), Content(score))

    @property
    def _is_over(self) -> bool:
        """Whether nothing of the program that is shown is asked any more."""
        return self.runner.session.may_experiment

    @property
    def awaits_run(self) -> bool:
        """Whether the program has not come to its question yet: what is pressed is meant for it."""
        prepares = self.view.question is None and self.view.running and not self._is_over
        return prepares or super().awaits_run

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.view.awaits_answer:
            return super().promoted
        return ("next_drill", "edit")

    @property
    def idle(self) -> tuple[str, ...]:
        """Before a program has run, there is no step to go back to."""
        return (*super().idle, "back", "start") if self.view.cursor < 0 else super().idle

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        labels = {**super().label_overrides, "next_drill": NEXT_QUESTION}
        if labels.get("leave") in (LATER, CLOSE_REPLY):  # it leaves all of the questions
            del labels["leave"]
        return labels

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        first, once = QuizScreenTexts.answer_first, QuizScreenTexts.no_way_back
        without = QuizScreenTexts.no_variants
        return {
            **super().why_not,
            **dict.fromkeys(("next_lesson", "next_drill"), first),
            **dict.fromkeys(("previous_lesson", "restart", "question"), once),
            **dict.fromkeys(("variants", "holds"), without),
        }

    # What the learner does.

    def notify_session(self, text: LocalText) -> None:
        """A question can't be left for later: Esc leaves all of them."""
        first = text == NoticeTexts.answer_first
        super().notify_session(QuizScreenTexts.answer_first if first else text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _NOT_HERE:
            return False
        if action == "next_drill":
            return self._is_over or self.view.question_is_done
        return super().check_action(action, parameters)

    def action_next_drill(self) -> None:
        """Go on to the question that comes next, or to the result."""
        if not self._is_over:
            self.send(Moved(Move.NEXT))
            return
        self.runner.save()
        if self._place + 1 < len(self._quiz.items):
            self._place += 1
            self._show(self._quiz.items[self._place])
        else:
            self.app.push_screen(ResultDialog(self._result(), self._title), self._go_on)

    def _show(self, loaded: LoadedLesson) -> None:
        self.lesson = loaded
        self.answering.asked = None
        self.play(self._play(self._quiz.session(loaded)))
        self.refresh_view()
        self.runner.start()

    def _result(self) -> QuizResult:
        course = self.host.course
        assert course is not None, "it is opened from the course"
        return self._quiz.result(course)

    def _go_on(self, chosen: str | None) -> None:
        match chosen:
            case "challenge":
                challenge = self._result().challenge
                assert challenge is not None, "it was offered"
                self.host.open_challenge(challenge.challenge.id)
            case "chapter":
                after, catalogue = self._result().chapter, self.host.catalogue
                assert after is not None, "it was offered"
                assert catalogue is not None, "checkpoints are opened from it"
                self.host.open_lesson(catalogue.first_open(after))
            case "again":
                assert self._quiz.chapter is not None, "it was offered"
                self.host.open_checkpoint(self._quiz.chapter.slug)
            case _:
                self.go_away()

    action_leave = RunScreen.action_leave

    def lesson_shown(self) -> str | None:
        return None

    def base_name(self) -> str:
        return "checkpoint" if self._quiz.chapter else "review"


class ResultDialog(NumberedDialog[str]):
    """How a checkpoint or the review went, and what can be done next."""

    FOOTER = QuizScreenTexts.result_lead
    BINDINGS: ClassVar[list[BindingType]] = [LETTER_QUITS]
    first = 0

    def __init__(self, result: QuizResult, title: LocalText) -> None:
        super().__init__()
        self._result = result
        self._title = title

    def heading(self) -> str:
        return self.say(self._title)

    def rows(self, room: int) -> Sequence[Row]:
        return rows(self._result, self.host.course, room, self.language)

    def results(self) -> list[str]:
        return [key for key, _ in self._result.ways]
