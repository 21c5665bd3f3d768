"""A drill, a checkpoint or the review: program after program, each asked about first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from inplace_tui.common.cells import wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.actions import LABELS, NEXT_QUESTION, TO_ENDINGS
from inplace_tui.common.texts.drill import DrillQuestionTexts, DrillTexts
from inplace_tui.common.texts.quiz import QuizScreenTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill, lesson_after
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import QuestionView, View
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue
from inplace_tui.tutorial.drive.playlist import Playlist, PlaylistItem, Quiz
from inplace_tui.tutorial.drive.session_runner import Play
from inplace_tui.tutorial.present import playlist, question
from inplace_tui.tutorial.present.playlist import QuizResult
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.dialogs.dialog import LETTER_QUITS, NumberedDialog
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels import QuestionPanel
from inplace_tui.tutorial.ui.screens.asking import AskingScreen
from inplace_tui.tutorial.ui.widgets.bars import Bar


class PlaylistQuestion(QuestionPanel):
    """Asks about a program that has not run; after the reply comes what the run says."""

    drill: RecordedDrill | None = None
    """The program of a drill that is asked about."""

    lesson: LoadedLesson | None = None
    """What to read about it, once it was answered."""

    stepped = False
    """The learner has gone through the run: `n` at its end is a step too many, not a request."""

    instead: list[Span] | None = None
    """What is said where there is no program to ask about."""

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        asked, language, pressed = view.question, self.language, self.key_labels
        if self.instead is not None:
            return wrapped(self.instead, width)
        if self.drill is None or asked is None:
            shown = question.rows(view, width, language, keys=pressed, locked=self.locked)
            told = explain.rows(view, width, language, keys=pressed)
            return [*shown, *told] if view.question_is_done else shown
        taught, stepped = self.lesson is not None, self.stepped
        keys = playlist.keys(asked, width, language, pressed, lesson=taught, stepped=stepped)
        if not asked.status.is_done:
            return [*playlist.question(asked, width, language, pressed), *keys]
        return [
            *playlist.reply_rows(self.drill, asked, self.lesson, width, language, marks=False),
            *keys,
        ]

    def reveal_reply(self) -> None:
        """In a drill, begin at the top: whether it was right comes first."""
        if self.drill is None:
            super().reveal_reply()
        else:
            self.scroll_to(y=0, animate=False, force=True, immediate=True)

    def action_choose(self) -> None:
        """After the reply, go on."""
        self.call_later(self.screen.run_action, "next_drill")

    def clicked(self, target: Target, *, again: bool) -> None:
        if self.drill is not None and target.line is not None:
            self.call_later(self.screen.run_action, f"point_at({target.line})")
        else:
            super().clicked(target, again=again)


_NOT_HERE = ("variants", "holds", "mend", "restart", "previous_lesson", "next_lesson", "present")
"""Actions of a lesson that a question of its own does not have."""

_NOTICES = {
    NoticeTexts.predict_first: DrillTexts.predict_first,
    NoticeTexts.answer_first: QuizScreenTexts.answer_first,
}
"""What is said instead: nothing is left for later here, Esc leaves all of the programs."""


class PlaylistScreen(AskingScreen):
    """One program after another in front of the learner; at the end, how it went."""

    BINDINGS = bindings(Where.RUN, Where.LESSON, Where.DRILL)
    QUESTION = PlaylistQuestion

    def __init__(self, playlist: Playlist, play: Play) -> None:
        super().__init__(play(Session(Program(source="", origin=Origin.BUILT_IN))))
        self.playlist = playlist
        self._play = play
        self.program: PlaylistItem | None = None
        """What is asked about now; None until it is there."""

        self._failed = False
        """No program could be run; the learner may try again."""

    def begin(self) -> None:
        super().begin()
        self.action_next_drill()

    @property
    def of_drill(self) -> bool:
        """Whether programs are predicted as a whole, and nothing of their runs is shown before."""
        return isinstance(self.playlist, DrillQueue)

    @property
    def teaches(self) -> bool:
        return not self.of_drill

    def reached(self, listed: Iterable[str]) -> str:
        """A checkpoint ends its chapter; the review asks about lessons that were begun."""
        chapter, begun = self.playlist.chapter, self.host.learner.record.lessons
        if chapter is not None and chapter.lessons:
            return chapter.lessons[-1].lesson.id
        return next((each for each in reversed([*listed]) if each in begun), "")

    @property
    def panel_of_question(self) -> PlaylistQuestion:
        return self.query_one(PlaylistQuestion)

    @property
    def is_answered(self) -> bool:
        """Whether nothing of the program that is shown is asked any more."""
        return self.program is not None and self.runner.session.may_experiment

    @property
    def awaits_run(self) -> bool:
        """Whether the program has not come to its question yet: what is pressed is meant for it."""
        if self.program is None:
            return not self._failed
        prepares = self.view.question is None and self.view.running and not self.is_answered
        return prepares or super().awaits_run

    @property
    def is_checking(self) -> bool:
        return self.program is not None and super().is_checking

    # Programs.

    def action_next_drill(self) -> None:
        """Go on to the question that comes next; after the last one, say how it went."""
        if self.program is not None and not self.is_answered:
            self.send(signals.Moved(signals.Move.NEXT))
            return
        self.runner.save()
        if self.playlist.is_over:
            self._end()
            return
        self.program = self.asked = None
        self._failed = False
        if self.of_drill:  # another playlist has it at once
            self.refresh_view()
        self.run_worker(self._next(), exclusive=True, group="playlist")

    async def _next(self) -> None:
        try:
            program = await self.playlist.next()
        except DrillError:
            self._failed = True
            self.refresh_view()
            self.return_to_question()
            return
        if not self.is_there:
            return
        self.play(self._play(program.session))
        self.program = program
        self.panel_of_question.lesson = None
        self.refresh_view()
        self.runner.start()

    def _end(self) -> None:
        if isinstance(self.playlist, Quiz):
            assert self.host.course is not None, "it is opened from the course"
            result = self.playlist.result(self.host.course)
            dialog = ResultDialog(result, self.playlist.title)
            self.app.push_screen(dialog, partial(self._go_on, result))
        else:
            self.go_away()

    def _go_on(self, result: QuizResult, chosen: str | None) -> None:
        match chosen:
            case "challenge":
                assert result.challenge is not None, "it was offered"
                self.host.open_challenge(result.challenge.challenge.id)
            case "chapter":
                assert result.chapter is not None, "it was offered"
                assert self.host.catalogue is not None, "checkpoints are opened from it"
                self.host.open_lesson(self.host.catalogue.first_open(result.chapter))
            case "again":
                assert self.playlist.chapter is not None, "it was offered"
                self.host.open_checkpoint(self.playlist.chapter.slug)
            case _:
                self.go_away()

    def go_away(self) -> None:
        self.host.show_contents()
        if isinstance(self.playlist, DrillQueue) and self.playlist.answers:
            self.host.notice(playlist.session(self.playlist.score, self.language))

    def on_unmount(self) -> None:
        self.host.retire(self.playlist)

    # Showing.

    def current_view(self) -> View:
        """While a program is being made up, the place of its question says so."""
        if self.program is not None:
            return super().current_view()
        status, answers = QuestionStatus.CHECKING, ChoicesView(())
        asked = QuestionView("drill", DrillQuestionTexts.prompt, answers, status)
        return View(source="", timeline=Timeline(), question=asked)

    def prepare_view(self) -> None:
        panel, program = self.panel_of_question, self.program
        panel.drill = None if program is None else program.drill
        panel.stepped = not self.runner.session.leads_on
        panel.instead = None
        if program is None:
            said = DrillTexts.no_program if self._failed else DrillTexts.preparing
            style = Style.ERROR if self._failed else Style.DIM
            panel.instead = [Span(say(said, self.language), style)] if self.of_drill else []
        elif program.drill is not None and self.is_answered and panel.lesson is None:
            course = self.host.course
            panel.lesson = None if course is None else lesson_after(program.drill, course)

    def adjust(self, needs: Needs, view: View) -> Needs:
        """Show all of the program, to answer from it; the answer moves no panel."""
        return replace(super().adjust(needs, view), whole=True)

    def show_title(self) -> None:
        title = [Content.styled(self.say(self.playlist.title), "bold $primary")]
        right, answered = self.playlist.score
        parts, counted = [*title, *self.presented], list[Content]()
        score = DrillTexts.score
        if isinstance(self.playlist, Quiz):
            score = QuizScreenTexts.score
            asked = None if self.view.question is None else self.view.question.id
            if self.program is not None and self.program.lesson is not None:
                number = self.playlist.number(self.program.lesson, asked)
                total = len(self.playlist.names)
                place = self.say(QuizScreenTexts.question_of, number=number, total=total)
                # In front of a class, a long title is cut, and not this.
                here = [Content(place), *self.presented]
                parts = [*here, *title] if self.host.presenting else [*title, *here]
        elif self.program is not None and self.program.drill is not None:
            made = self.program.drill
            parts.append(Content(self.say(DrillTexts.level, level=made.drill.level)))
            if made.repeat:
                parts.append(Content.styled(self.say(DrillTexts.again), "$warning"))
            if self.is_answered:
                counted.append(self.progress_text(self.view))
        counted.append(Content(self.say(score, right=right, answered=answered)))
        self.query_one("#title", Bar).show(Content("  ").join(parts), Content("   ").join(counted))

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.of_drill and not self.is_answered:
            return (*(() if self.at_question else ("question",)), "choice", "commit")
        if self.view.awaits_answer:
            return super().promoted
        return ("next_drill", "taught", "edit", *(super().promoted if self.of_drill else ()))

    @property
    def idle(self) -> tuple[str, ...]:
        """What waits for the answer need not be offered."""
        if self.of_drill and not self.is_answered:
            moves = ("next", "back", "continue", "into", "out", "start", "end", "why", "edit")
            here = ("question",) if self.at_question else ()
            return (*moves, *here, *super(AskingScreen, self).idle)
        # Before a program has run, there is no step to go back to.
        return (*super().idle, "back", "start") if self.view.cursor < 0 else super().idle

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        changed = {} if self.of_drill else {"next_drill": NEXT_QUESTION}
        if self.runner.session.leads_on:
            changed["next"] = LABELS["next_drill"]
        elif self._may_take_back:
            changed["leave"] = TO_ENDINGS
        return {**changed, **super(AskingScreen, self).label_overrides}

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        if self.of_drill:
            first = () if self.is_answered else ("next_drill", "taught", "edit")
            return {
                **dict.fromkeys(("hint", "answer"), DrillTexts.no_help),
                **dict.fromkeys(("question", "commit"), ScreenTexts.answered_already),
                "taught": DrillTexts.no_lesson,
                **dict.fromkeys(first, DrillTexts.predict_first),
            }
        once = ("previous_lesson", "restart", "question")
        return {
            **super().why_not,
            **dict.fromkeys(("next_lesson", "next_drill"), QuizScreenTexts.answer_first),
            **dict.fromkeys(once, QuizScreenTexts.no_way_back),
            **dict.fromkeys(("variants", "holds"), QuizScreenTexts.no_variants),
        }

    def notify_session(self, text: LocalText) -> None:
        super().notify_session(_NOTICES.get(text, text))

    # What the learner does.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "answer" | "hint" if self.of_drill:
                return False
            case "edit" if self.of_drill:
                return self.is_answered
            case "taught":
                return self.panel_of_question.lesson is not None
            case "next_drill" if self.program is None:
                return self._failed
            case "next_drill":
                return self.is_answered or self.view.question_is_done
            case _:
                return action not in _NOT_HERE and super().check_action(action, parameters)

    def action_go(self, move: str) -> None:
        """Right after a prediction was judged, go on to the next program instead of a line."""
        if move == signals.Move.NEXT and self.runner.session.leads_on:
            self.action_next_drill()
        else:
            super().action_go(move)

    def action_taught(self) -> None:
        lesson = self.panel_of_question.lesson
        if lesson is not None:
            self.host.open_lesson(lesson.lesson.id)

    @property
    def _may_take_back(self) -> bool:
        """Whether a prediction was made that is not weighed yet."""
        asked = self.view.question
        return self.of_drill and self.view.awaits_answer and asked is not None and asked.draft != ""

    def action_leave(self) -> None:
        """Leave the innermost of: zoom, panel, a prediction that is not weighed yet, all of it."""
        if self.goes_back():
            pass
        elif self._may_take_back:
            self.send(signals.QuestionLeft())
        else:
            self.go_away()

    def base_name(self) -> str:
        return self.playlist.name


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
        return playlist.result_rows(self._result, self.host.course, room, self.language)

    def results(self) -> list[str]:
        return [key for key, _ in self._result.ways]
