"""The drill: program after program, each predicted before anything is seen of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual.content import Content
from textual.widget import Widget

from inplace_tui.common.cells import wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.actions import LABELS, TO_ENDINGS
from inplace_tui.common.texts.drill import DrillQuestionTexts, DrillTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill, lesson_after
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import QuestionView, View
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue
from inplace_tui.tutorial.drive.session_runner import Play
from inplace_tui.tutorial.present import drill
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels import QuestionPanel, WhyPanel
from inplace_tui.tutorial.ui.run.answering import Answering
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.widgets.bars import Bar


class DrillQuestion(QuestionPanel):
    """Asks how the run will end, then how sure the learner is, then explains."""

    recorded: RecordedDrill | None = None
    """The program that is asked about; None while it is being made up."""

    answer: DrillAnswer | None = None
    lesson: LoadedLesson | None = None
    failed = False
    """No program could be run; the learner may try again."""

    stepped = False
    """The learner has gone through the run: `n` at its end is a step too many, not a request."""

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        asked, recorded, language = view.question, self.recorded, self.language
        if recorded is None or asked is None:
            failed = self.failed
            message = say(DrillTexts.no_program if failed else DrillTexts.preparing, language)
            return wrapped([Span(message, Style.ERROR if failed else Style.DIM)], width)
        taught, stepped = self.lesson is not None, self.stepped
        keys = drill.keys(asked, width, language, self.key_labels, lesson=taught, stepped=stepped)
        if self.answer is None:
            return [*drill.question(asked, width, language, self.key_labels), *keys]
        reply = drill.reply_rows(recorded, self.answer, self.lesson, width, language, marks=False)
        return [*reply, *keys]

    def reveal_reply(self) -> None:
        """Begin at the top: whether it was right comes first."""
        self.scroll_to(y=0, animate=False, force=True, immediate=True)

    def action_choose(self) -> None:
        """After the reply, go on."""
        self.call_later(self.screen.run_action, "next_drill")

    def clicked(self, target: Target, *, again: bool) -> None:
        if target.line is not None:
            self.post_message(WhyPanel.SentenceChosen(target.line))
        else:
            super().clicked(target, again=again)


_NOT_HERE = (
    *("line_up", "line_down", "hint", "answer"),
    *("variants", "holds", "next_lesson", "previous_lesson", "restart"),
)
"""Actions of a lesson that a drill does not have."""


class DrillScreen(RunScreen):
    """One program in front of the learner; its session shows nothing before it is predicted."""

    BINDINGS = bindings(Where.RUN, Where.LESSON, Where.DRILL)
    QUESTION = DrillQuestion

    def __init__(self, queue: DrillQueue, play: Play, *, most: int | None = None) -> None:
        super().__init__(play(Session(Program(source="", origin=Origin.BUILT_IN))))
        self.answering = Answering(self, self.panel_layout)
        self.queue = queue
        self._play = play
        self._most = most
        self.recorded: RecordedDrill | None = None

    def begin(self) -> None:
        super().begin()
        self.action_next_drill()

    @property
    def panel_of_question(self) -> DrillQuestion:
        return self.query_one(DrillQuestion)

    @property
    def is_answered(self) -> bool:
        return self.recorded is not None and self.runner.session.may_experiment

    @property
    def awaits_run(self) -> bool:
        """Whether a program is being made up: what is pressed is meant for it."""
        if self.recorded is None:
            return not (self.is_there and self.panel_of_question.failed)
        return super().awaits_run

    @property
    def is_checking(self) -> bool:
        return False

    # Programs.

    def action_next_drill(self) -> None:
        """Go on to the next program; after the last one, leave."""
        if self._most is not None and len(self.queue.answers) >= self._most:
            self.go_away()
            return
        self.recorded = self.answering.asked = None
        self.panel_of_question.failed = False
        self.refresh_view()
        self.run_worker(self._next(), exclusive=True, group="drill")

    async def _next(self) -> None:
        panel = self.panel_of_question
        try:
            recorded = await self.queue.next()
        except DrillError:
            panel.failed = True
            self.refresh_view()
            self.answering.return_to_question()
            return
        if not self.is_there:
            return
        self.play(self._play(recorded.session()))
        self.recorded = recorded
        panel.answer, panel.lesson, panel.stepped = None, None, False
        self.refresh_view()

    # Showing.

    def current_view(self) -> View:
        """While a program is being made up, the place of its question says so."""
        if self.recorded is not None:
            return super().current_view()
        status, answers = QuestionStatus.CHECKING, ChoicesView(())
        asked = QuestionView("drill", DrillQuestionTexts.prompt, answers, status)
        return View(source="", timeline=Timeline(), question=asked)

    def prepare_view(self) -> None:
        panel = self.panel_of_question
        panel.recorded = self.recorded
        if self.recorded is not None and self.is_answered and panel.answer is None:
            course = self.host.course
            panel.answer = self.queue.answers[-1]
            panel.lesson = None if course is None else lesson_after(self.recorded, course)

    def view_shown(self) -> None:
        self.answering.follow()

    def adjust(self, needs: Needs, view: View) -> Needs:  # noqa: ARG002  (of others)
        """Show all of the program, to answer from it; the answer moves no panel."""
        return replace(needs, whole=True)

    def show_title(self) -> None:
        parts = [Content.styled(self.say(DrillTexts.drill), "bold $primary")]
        parts += self.presented
        if self.recorded is not None:
            parts.append(Content(self.say(DrillTexts.level, level=self.recorded.drill.level)))
            if self.recorded.repeat:
                parts.append(Content.styled(self.say(DrillTexts.again), "$warning"))
        right, answered = self.queue.score
        counted = [Content(self.say(DrillTexts.score, right=right, answered=answered))]
        if self.is_answered:
            counted.insert(0, self.progress_text(self.view))
        self.query_one("#title", Bar).show(Content("  ").join(parts), Content("   ").join(counted))

    @property
    def promoted(self) -> tuple[str, ...]:
        if not self.is_answered:
            back = () if self.focused is self.panel_of_question else ("question",)
            return (*back, "choice", "commit")
        return ("next_drill", "taught", "edit", *super().promoted)

    @property
    def idle(self) -> tuple[str, ...]:
        """What waits for the answer need not be offered."""
        if self.is_answered:
            return super().idle
        moves = ("next", "back", "continue", "into", "out", "start", "end", "why", "edit")
        here = ("question",) if self.focused is self.panel_of_question else ()
        return (*moves, *here, *super().idle)

    # What the learner does.

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        first = () if self.is_answered else ("next_drill", "taught", "edit")
        return {
            **dict.fromkeys(("hint", "answer"), DrillTexts.no_help),
            **dict.fromkeys(("question", "commit"), ScreenTexts.answered_already),
            "taught": DrillTexts.no_lesson,
            **dict.fromkeys(first, DrillTexts.predict_first),
        }

    def notify_session(self, text: LocalText) -> None:
        """Nothing of a run can be reached before it is predicted."""
        first = text == NoticeTexts.predict_first
        super().notify_session(DrillTexts.predict_first if first else text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _NOT_HERE:
            return False
        if action in ("question", "commit"):
            return self.view.awaits_answer
        if action == "next_drill":
            return self.is_answered or self.panel_of_question.failed
        if action == "edit":
            return self.is_answered
        if action == "taught":
            return self.panel_of_question.lesson is not None
        return super().check_action(action, parameters)

    def first_focus(self) -> Widget:
        return super().first_focus() if self.is_answered else self.panel_of_question

    def answer(self, choice: int) -> None:
        self.answering.answer(choice)

    def send(self, signal: signals.Signal) -> None:
        self.panel_of_question.stepped |= isinstance(
            signal, signals.Moved | signals.StepChosen | signals.RunToLine
        )
        super().send(signal)

    def action_commit(self) -> None:
        self.answering.commit()

    def action_question(self) -> None:
        self.answering.to_question()

    def action_next(self) -> None:
        """Run the next line; right after the answer, go on to the next program."""
        if self.is_answered and not self.panel_of_question.stepped:
            self.action_next_drill()
        else:
            self.send(signals.Moved(signals.Move.NEXT))

    def program_shown(self) -> Program | None:
        return None if self.recorded is None else self.recorded.drill.program

    def base_name(self) -> str:
        return "drill"

    def action_taught(self) -> None:
        lesson = self.panel_of_question.lesson
        if lesson is not None:
            self.host.open_lesson(lesson.lesson.id)

    @property
    def _may_take_back(self) -> bool:
        """Whether a prediction was made that is not weighed yet."""
        question = self.view.question
        return self.view.awaits_answer and question is not None and bool(question.draft)

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        changed = {}
        if self.is_answered and not self.panel_of_question.stepped:
            changed["next"] = LABELS["next_drill"]
        elif self._may_take_back:
            changed["leave"] = TO_ENDINGS
        return {**changed, **super().label_overrides}

    def action_leave(self) -> None:
        """Leave the innermost of: zoom, panel, a prediction that is not weighed yet, the drill."""
        if self.goes_back():
            pass
        elif self._may_take_back:
            self.send(signals.QuestionLeft())
        else:
            self.go_away()

    def go_away(self) -> None:
        self.host.show_contents()
        if self.queue.answers:
            self.host.notice(drill.session(self.queue.score, self.language))

    def on_unmount(self) -> None:
        self.host.retire(self.queue)
