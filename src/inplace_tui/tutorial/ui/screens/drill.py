"""The drill: program after program, each predicted before anything is seen of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

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
from inplace_tui.common.texts.panels import QuestionTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.drill.round import Round, lesson_after
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import Gate, Mask, QuestionView, View
from inplace_tui.tutorial.course.lessons.kinds.choice import ChoicesView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue
from inplace_tui.tutorial.present import drill
from inplace_tui.tutorial.present.drill import ENDINGS, SURENESSES
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels import QuestionPanel, WhyPanel
from inplace_tui.tutorial.ui.run.session_runner import Play
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.widgets.line_widget import Bar


class DrillQuestion(QuestionPanel):
    """Asks how the run will end, then how sure the learner is, then explains."""

    round: Round | None = None
    lesson: LoadedLesson | None = None
    failed = False
    """No program could be run; the learner may try again."""

    stepped = False
    """The learner has gone through the run: `n` at its end is a step too many, not a request."""

    def rows_of(self, view: View, width: int) -> Sequence[Row]:  # noqa: ARG002  # it is the same for all
        asked = self.round
        if asked is None:
            failed = self.failed
            message = say(DrillTexts.no_program if failed else DrillTexts.preparing, self.language)
            text = Span(message, Style.ERROR if failed else Style.DIM)
            return wrapped([text], width)
        taught, stepped = self.lesson is not None, self.stepped
        keys = drill.keys(
            asked, width, self.language, self.key_labels, lesson=taught, stepped=stepped
        )
        if asked.is_answered:
            return [*drill.reply_rows(asked, self.lesson, width, self.language, marks=False), *keys]
        return [*drill.question(asked, width, self.language, self.key_labels), *keys]

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
    """One program in front of the learner; what it did is in the session, behind a mask."""

    BINDINGS = bindings(Where.RUN, Where.LESSON, Where.DRILL)
    QUESTION = DrillQuestion

    def __init__(self, queue: DrillQueue, play: Play, *, most: int | None = None) -> None:
        super().__init__(play(Session(Program(source="", origin=Origin.BUILT_IN))))
        self.queue = queue
        self._play = play
        self._most = most
        self.round: Round | None = None

    def begin(self) -> None:
        super().begin()
        self.action_next_drill()

    @property
    def panel_of_question(self) -> DrillQuestion:
        return self.query_one(DrillQuestion)

    @property
    def awaits_run(self) -> bool:
        """Whether a program is being made up: what is pressed is meant for it."""
        if self.round is None:
            return not (self.is_there and self.panel_of_question.failed)
        return super().awaits_run

    @property
    def is_checking(self) -> bool:
        return False

    # Programs.

    def action_next_drill(self) -> None:
        """Go on to the next program; after the last one, leave."""
        if self._most is not None and len(self.queue.rounds) >= self._most:
            self.go_away()
            return
        self.round = None
        self.panel_of_question.failed = False
        self.refresh_view()
        self.run_worker(self._next(), exclusive=True, group="drill")

    async def _next(self) -> None:
        try:
            recorded = await self.queue.next()
        except DrillError:
            self.panel_of_question.failed = True
            self.refresh_view()
            self._show_question()
            return
        if not self.is_there:
            return
        self.play(
            self._play(
                Session.of_recording(recorded.drill.program, recorded.timeline, recorded.truth)
            )
        )
        self.round = Round(recorded)
        self.panel_of_question.lesson, self.panel_of_question.stepped = None, False
        self.refresh_view()
        self.panel_of_question.reveal_reply()
        self._show_question()

    # Showing.

    def current_view(self) -> View:
        """Return what may be shown: before the answer, the program alone."""
        asked = self.round
        if asked is None:
            return View(source="", timeline=Timeline(), question=_question(None))
        if not asked.is_answered:
            return View(
                source=asked.recorded.drill.source,
                timeline=Timeline(),
                question=_question(asked),
                gates={0: Gate.OPEN},
                mask=Mask(outcome=True),
            )
        view = super().current_view()
        at_end = view.cursor == len(view.timeline) - 1
        return replace(view, question=_question(asked)) if at_end else view

    def prepare_view(self) -> None:
        self.panel_of_question.round = self.round

    def adjust(self, needs: Needs, view: View) -> Needs:  # noqa: ARG002  (of others)
        """Show all of the program, to answer from it; the answer moves no panel."""
        return replace(needs, whole=True)

    def show_title(self) -> None:
        parts = [Content.styled(self.say(DrillTexts.drill), "bold $primary")]
        parts += self.presented
        if self.round is not None:
            level = self.round.recorded.drill.level
            parts.append(Content(self.say(DrillTexts.level, level=level)))
            if self.round.recorded.repeat:
                parts.append(Content.styled(self.say(DrillTexts.again), "$warning"))
        right = sum(each.is_right for each in self.queue.rounds)
        answered = len(self.queue.rounds)
        counted = [Content(self.say(DrillTexts.score, right=right, answered=answered))]
        if self.round is not None and self.round.is_answered:
            counted.insert(0, self.progress_text(self.view))
        self.query_one("#title", Bar).show(Content("  ").join(parts), Content("   ").join(counted))

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.round is None or not self.round.is_answered:
            back = () if self.focused is self.panel_of_question else ("question",)
            return (*back, "choice", "commit")
        return ("next_drill", "taught", "edit", *super().promoted)

    @property
    def idle(self) -> tuple[str, ...]:
        """What waits for the answer need not be offered."""
        if self.round is not None and self.round.is_answered:
            return super().idle
        moves = ("next", "back", "continue", "into", "out", "start", "end", "why", "edit")
        here = ("question",) if self.focused is self.panel_of_question else ()
        return (*moves, *here, *super().idle)

    # What the learner does.

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        answered = self.round is not None and self.round.is_answered
        first = () if answered else ("next_drill", "taught", "edit")
        return {
            **dict.fromkeys(("hint", "answer"), DrillTexts.no_help),
            **dict.fromkeys(("question", "commit"), ScreenTexts.answered_already),
            "taught": DrillTexts.no_lesson,
            **dict.fromkeys(first, DrillTexts.predict_first),
        }

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        answered = self.round is not None and self.round.is_answered
        if action in ("question", "commit"):
            return self.round is not None and not answered
        if action in _NOT_HERE:
            return False
        if action == "next_drill":
            return answered or self.panel_of_question.failed
        if action == "edit":
            return answered
        if action == "taught":
            return answered and self.panel_of_question.lesson is not None
        return super().check_action(action, parameters)

    def action_question(self) -> None:
        if self.focused is self.panel_of_question and self.zoomed is None:
            self.note(ScreenTexts.at_question)
        else:
            self._show_question()

    def _show_question(self) -> None:
        self.panel_layout.show_card()
        self.set_focus(self.panel_of_question)

    def first_focus(self) -> Widget:
        asked = self.round is None or not self.round.is_answered
        return self.panel_of_question if asked else super().first_focus()

    def action_commit(self) -> None:
        """Answer with the marked choice; first go where it is seen."""
        panel = self.panel_of_question
        if self.focused is not panel:
            self._show_question()
        elif panel.marked is None:
            self.note(QuestionTexts.mark_first, choices=panel.letters)
        else:
            self.answer(panel.marked)

    def answer(self, choice: int) -> None:
        if self.round is None or self.round.is_answered:
            return
        self.round = self.round.answered(choice)
        if self.round.is_answered:
            self._keep_answer(self.round)
        self.panel_of_question.cursor = None
        self.refresh_view()
        self.panel_of_question.reveal_reply()

    def _keep_answer(self, answered: Round) -> None:
        course = self.host.course
        lesson = None if course is None else lesson_after(answered.recorded, course)
        self.panel_of_question.lesson = lesson
        self.host.keep(partial(self.queue.save, answered))
        self.runner.send(signals.Moved(signals.Move.END))

    def send(self, signal: signals.Signal) -> None:
        if self.round is None or not self.round.is_answered:
            if not isinstance(signal, signals.ForecastRequested):
                self.note(DrillTexts.predict_first)
            return
        self.panel_of_question.stepped |= isinstance(
            signal, signals.Moved | signals.StepChosen | signals.RunToLine
        )
        super().send(signal)

    def action_next(self) -> None:
        """Run the next line; right after the answer, go on to the next program."""
        if self.round is not None and self.round.is_answered and not self.panel_of_question.stepped:
            self.action_next_drill()
        else:
            self.send(signals.Moved(signals.Move.NEXT))

    def program_shown(self) -> Program | None:
        return None if self.round is None else self.round.recorded.drill.program

    def base_name(self) -> str:
        return "drill"

    def action_taught(self) -> None:
        lesson = self.panel_of_question.lesson
        if lesson is not None:
            self.host.open_lesson(lesson.lesson.id)

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        asked = self.round
        changed = {}
        if asked is not None and asked.is_answered:
            if not self.panel_of_question.stepped:
                changed["next"] = LABELS["next_drill"]
        elif asked is not None and asked.predicted is not None:
            changed["leave"] = TO_ENDINGS
        return {**changed, **super().label_overrides}

    def action_leave(self) -> None:
        """Leave the innermost of: zoom, panel, a prediction that is not weighed yet, the drill."""
        asked = self.round
        if self.goes_back():
            pass
        elif asked is not None and not asked.is_answered and asked.predicted is not None:
            self.round = asked.taken_back()
            self.refresh_view()
        else:
            self.go_away()

    def go_away(self) -> None:
        rounds = self.queue.rounds
        self.host.show_contents()
        if rounds:
            self.host.notice(drill.session(rounds, self.language))

    def on_unmount(self) -> None:
        self.host.retire(self.queue)


def _question(asked: Round | None) -> QuestionView:
    """Return what the stage has to know of the question; its panel draws it."""
    status = QuestionStatus.CHECKING
    choices: tuple[tuple[str, LocalText], ...] = ()
    if asked is not None and asked.is_answered:
        status = QuestionStatus.RIGHT if asked.is_right else QuestionStatus.WRONG
    elif asked is not None:
        status = QuestionStatus.OPEN
        answers = ENDINGS if asked.predicted is None else SURENESSES
        choices = tuple((str(each), text) for each, text in answers.items())
    shown = ChoicesView(choices)
    return QuestionView(id="drill", prompt=DrillQuestionTexts.prompt, answers=shown, status=status)
