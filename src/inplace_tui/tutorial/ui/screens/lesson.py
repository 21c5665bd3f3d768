"""A lesson: its program, its words, its questions, its variants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from textual.content import Content
from textual.widget import Widget

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.rows import Row, Style, spans
from inplace_tui.common.run.program import Program
from inplace_tui.common.texts import space
from inplace_tui.common.texts.actions import CLOSE_REPLY, LATER
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.common.texts.glossary import WORDS, Word, words_in
from inplace_tui.common.texts.quiz import QuizTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.movement import goes_forward
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.course.course import LoadedChapter, panels_ahead
from inplace_tui.tutorial.course.lessons.loader import HOLDS, LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.drive.lessons import named_panels
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.present.variants import held_rows, rows
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.dialogs.dialog import NumberedDialog, closed_by
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels import Panel, QuestionPanel, RecapPanel
from inplace_tui.tutorial.ui.run.answering import Answering
from inplace_tui.tutorial.ui.screens.contents import Entry, open_entry
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.widgets.bars import Bar

AS_WRITTEN = ""
"""The result that means the lesson's own program."""

CHOICE_KEYS = tuple("abcdef")
WORDED = "narration", "question", "recap", "why"
"""Ids of the panels in which a learner may meet a word for the first time."""


class VariantsDialog(NumberedDialog[str]):
    """Lists the variants; the result is the id of the chosen one, or `AS_WRITTEN`."""

    HEADING = ScreenTexts.variants
    FOOTER = ScreenTexts.variants_lead
    BINDINGS = closed_by("variants")

    def __init__(self, lesson: LoadedLesson, session: Session) -> None:
        super().__init__()
        self._lesson = lesson
        self._session = session
        # Begin at the first that is not predicted yet.
        keys, known = enumerate(self.results()), session.guesses
        self.first = next((n for n, each in keys if each and each not in known), 0)

    def rows(self, room: int) -> list[Row]:
        session = self._session
        return rows(
            self._lesson,
            session.outcomes,
            session.guesses,
            shown=session.variant,
            room=room,
            language=self.language,
        )

    def results(self) -> list[str]:
        return [AS_WRITTEN, *(variant.id for variant in self._lesson.lesson.variants)]


class HoldsDialog(NumberedDialog[str]):
    """Lists the programs that would show the recap false; the result is the key of one."""

    HEADING = ScreenTexts.try_to_break
    FOOTER = ScreenTexts.try_to_break_lead
    BINDINGS = closed_by("holds")
    first = 0

    def __init__(self, lesson: LoadedLesson, session: Session) -> None:
        super().__init__()
        self._lesson = lesson
        self._session = session

    def rows(self, room: int) -> list[Row]:
        session = self._session
        return held_rows(self._lesson, session.outcomes, session.held, room, self.language)

    def results(self) -> list[str]:
        return [HOLDS + each.id for each in self._lesson.lesson.holds]


class LessonScreen(RunScreen):
    """One lesson in front of the learner."""

    BINDINGS = bindings(Where.RUN, Where.LESSON)

    def __init__(self, lesson: LoadedLesson, runner: SessionRunner) -> None:
        super().__init__(runner)
        self.answering = Answering(self, self.panel_layout)
        self.lesson = lesson
        self._listed: tuple[str, ...] = ()
        """The ids of the course's lessons, where they are known before it is read."""

        self._read: set[str] = set()
        """Questions whose replies were read to their end; empty for the recap."""

        self._table: VariantsDialog | HoldsDialog | None = None
        self._unexplained: list[Word] = []
        """Words that the learner came to, and that may have to be explained."""

        self._explained: Word | None = None

    def begin(self) -> None:
        """Leave out panels that this learner of the course did not come to yet.

        What is left out stays so until the lesson is left, or somebody asks for it.
        """
        self.query_one(QuestionPanel).locked = self.host.presenting
        course, record = self.host.course, self.host.learner.record
        if self.host.guided and not self.host.presenting:
            folder = self.host.lessons_folder
            named = named_panels(folder) if course is None else course.named_panels
            self._listed = tuple(named)
            ahead = panels_ahead(named, self.reached(named), record.lessons)
            self.panel_layout.waiting = ahead.difference(record.panels)
        super().begin()

    def reached(self, listed: Iterable[str]) -> str:  # noqa: ARG002  (of a quiz)
        """Return the lesson that the learner has come to, of those that are listed."""
        return self.lesson.lesson.id

    # Showing.

    def show_title(self) -> None:
        about = self.lesson.lesson
        wide = self.size.width >= 100
        parts: list[Content] = []
        if wide:
            parts.append(Content.styled(self.say(ScreenTexts.brand), "bold $primary"))
        place = self._number()
        if place is not None:
            parts.append(Content(self.numbered(ScreenTexts.lesson_of, place)))
        parts += self.presented
        parts.append(Content.styled(about.title[self.language], "bold"))
        if self.view.variant is not None:
            title = self.lesson.title_of(self.view.variant)[self.language]
            parts.append(Content.styled(self.say(ScreenTexts.variant_of, title=title), "$warning"))
        self.query_one("#title", Bar).show(Content("  ").join(parts), self.progress_text(self.view))

    def current_view(self) -> View:
        """Show what the lesson closes with once the reply to the last answer was read."""
        view = super().current_view()
        if view.recap is None:
            return view
        if self.host.presenting:  # nobody answered
            view = replace(view, score=None)
        if view.question is not None:
            return replace(view, recap=None)
        return replace(view, after=self._title_after())

    def _number(self) -> tuple[int, int] | None:
        """Return the number of the lesson and how many there are, also while they are read."""
        catalogue, identity = self.host.catalogue, self.lesson.lesson.id
        if catalogue is not None:
            return catalogue.places[identity]
        if identity in self._listed:
            return self._listed.index(identity) + 1, len(self._listed)
        return None

    def _title_after(self) -> LocalText | None:
        match self.following():
            case LoadedChapter(chapter=chapter):
                return fill(QuizTexts.next_checkpoint, title=chapter.title)
            case LoadedLesson(lesson=lesson):
                return lesson.title
            case LoadedChallenge(challenge=challenge):
                return challenge.title
            case None:
                return None

    def following(self) -> Entry | None:
        """Return what comes after this lesson is done, once the course is read.

        That is its chapter's checkpoint, if it was not done yet, else a lesson, else a challenge.
        """
        catalogue, identity = self.host.catalogue, self.lesson.lesson.id
        if catalogue is None or catalogue.course.find(identity) is None:
            return None
        for chapter in catalogue.course.checkpoints:
            done = self.host.learner.checkpoint(chapter.slug).best is not None
            if not done and chapter.lessons and chapter.lessons[-1].lesson.id == identity:
                return chapter
        return catalogue.beside(identity, 1) or catalogue.after_challenge()

    def send(self, signal: signals.Signal) -> None:
        """Going forward reads on in a reply; at the end, the recap comes after it."""
        forward = isinstance(signal, signals.Moved) and goes_forward(signal)
        if forward and self._reads_on():
            return
        now = self.runner.session.view()
        closes = now.question is not None and now.recap is not None
        super().send(signals.QuestionLeft() if forward and closes else signal)

    def _reads_on(self) -> bool:
        """Scroll in a reply or a recap that has no room, the first time that one comes by."""
        card: Panel
        if self.view.question is not None and self.view.question_is_done:
            card, about = self.query_one(QuestionPanel), self.view.question.id
        elif self.view.recap is not None:
            card, about = self.query_one(RecapPanel), ""
        else:
            return False
        if about not in self._read and card.read_on():
            return True
        self._read.add(about)
        return False

    def view_shown(self) -> None:
        self.answering.follow()
        if self._table is not None:
            self._table.write()
        if self.host.guided and not self.host.presenting:
            self._explain_word()

    def _explain_word(self) -> None:
        """Explain one word that is new to the learner, unless a notice is shown."""
        known = self.host.learner.record.words
        if len(known) == len(WORDS):
            return
        between = space(self.language)  # what a row ends with goes on in the next
        panels = [panel for panel in map(self.panel, WORDED) if panel.display]
        text = " ".join(between.join(row.text for row in panel.rows) for panel in panels)
        self._unexplained = [
            word
            for word in dict.fromkeys((*self._unexplained, *words_in(text)))
            if word.id not in known
        ]
        if self._unexplained and not self._meaning:
            self._explained = self._unexplained[0]
            parts = [
                (each.text, "bold" if each.style is Style.CODE else "")
                for each in spans(self._explained.text[self.language])
            ]
            self.explain(Content.assemble(*parts))

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.view.awaits_answer:
            ways = self.answering.ways if self.answering.has_focus else ("question",)
            return (*ways, "hint", "answer", "leave")
        if self.view.recap is not None:
            return ("next_lesson", "leave", *super().promoted, "variants", "holds", "edit")
        return super().promoted

    @property
    def idle(self) -> tuple[str, ...]:
        barred = super().idle
        if self.view.awaits_answer:
            barred += ("next", "continue", "into", "out", "end")
            barred += ("question",) if self.answering.has_focus else self.answering.ways
            barred += ("commit",) if self.host.presenting else ()
        session = self.runner.session
        barred += () if self.view.recap is not None else ("holds",)  # offered with the recap
        if session.awaits_prediction:
            return (*barred, "edit")
        return barred if session.may_experiment else (*barred, "variants", "edit")

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        """What leaves a lesson leaves its open question first; after the last is the checkpoint."""
        found = dict(super().label_overrides)
        if self.view.awaits_answer:
            return {"leave": LATER, **found}
        if self.runner.session.shows_reply:
            found.setdefault("leave", CLOSE_REPLY)
        match self.following() if self._is_done else None:
            case LoadedChapter():
                found["next_lesson"] = QuizTexts.to_checkpoint
            case LoadedChallenge():
                found["next_lesson"] = ChallengeTexts.to_challenge
            case LoadedLesson() | None:
                pass
        return found

    @property
    def _is_done(self) -> bool:
        """Whether the lesson was played to its end, though a variant may be shown by now."""
        kept = self.host.learner.lesson(self.lesson.lesson.id)
        return self.view.recap is not None or kept.finished

    # Questions.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        answering = self.view.awaits_answer
        if action == "hint":
            question = self.view.question
            return answering and question is not None and question.hints_total > 0
        if action == "answer":
            return answering
        if action == "question":
            return answering or Gate.PASSED in self.view.gates.values()
        if action in ("variants", "holds"):
            return bool(getattr(self.lesson.lesson, action))
        if action in ("commit", "line_up", "line_down"):
            return action in self.answering.ways
        return super().check_action(action, parameters)

    def answer(self, choice: int) -> None:
        self.answering.answer(choice)

    def adjust(self, needs: Needs, view: View) -> Needs:
        return replace(super().adjust(needs, view), presented=self.host.presenting)

    def action_present(self) -> None:
        """Present the lesson, or no longer; begin where that starts."""
        self.host.presenting = not self.host.presenting
        self.host.open_lesson(self.lesson.lesson.id)

    def action_commit(self) -> None:
        self.answering.commit()

    def action_question(self) -> None:
        self.answering.to_question()

    def action_line_up(self) -> None:
        self.answering.move_line(-1)

    def action_line_down(self) -> None:
        self.answering.move_line(1)

    def action_hint(self) -> None:
        """Show the next hint, also where a panel covers the question."""
        if not self.query_one(QuestionPanel).display:
            self.answering.return_to_question()
        self.send(signals.HintRequested())

    def action_answer(self) -> None:
        self.send(signals.AnswerRequested())

    def action_restart(self) -> None:
        """Start over; who answered something is told first that it is forgotten."""
        warning = self.say(ScreenTexts.restart_again)
        if self.runner.session.has_answers and self.noticed != warning:
            self.notice(warning)
        else:
            self.send(signals.Restarted())

    def action_leave(self) -> None:
        """Leave the innermost of: what waits, zoom, panel, question, variant, reply, lesson.

        Who has just left something may not mean to leave the lesson, too.
        """
        if self.runner.session.is_waiting:
            self.stay()
            self.send(signals.MovementsDropped())
            self.note(ScreenTexts.taken_back)
        elif self.goes_back():
            self.stay()
        elif self.answering.asked is not None:
            self.stay()
            self.send(signals.QuestionLeft())
        elif self.view.variant is not None:
            self.stay()
            self.send(signals.VariantChosen(None))
            self.note(ScreenTexts.back_to_lesson)
        elif self.runner.session.shows_reply:
            self.send(signals.QuestionLeft())
            self.note(ScreenTexts.leave_again)
        elif self.stayed:
            self.note(ScreenTexts.leave_again)
        else:
            self.go_away()

    def first_focus(self) -> Widget:
        return self.answering.place if self.view.awaits_answer else super().first_focus()

    def clear_notice(self) -> None:
        """A key or a click: the word that was explained has been read."""
        explained = self._explained if self.meaning else None
        super().clear_notice()
        if explained is not None:
            self.host.keep(partial(self.host.learner.save_explained, explained.id))

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        asked = self.view.awaits_answer
        return {
            "hint": NoticeTexts.no_hints if asked else NoticeTexts.no_question,
            "answer": NoticeTexts.no_question,
            "question": NoticeTexts.no_question,
            "commit": NoticeTexts.no_question,
            **dict.fromkeys(("line_up", "line_down"), NoticeTexts.no_order),
            "variants": NoticeTexts.no_variants,
            "holds": NoticeTexts.no_holds,
        }

    def key_unused(self, key: str) -> None:
        """Say where the question is, to an answer that is too early or too late."""
        answers = key == "enter" or key in CHOICE_KEYS
        view = self.view
        if answers and not view.awaits_answer and view.has_open_question:
            self.note(ScreenTexts.no_question_yet)
        elif answers and view.question_is_done:
            self.note(ScreenTexts.answered_already)
        else:
            super().key_unused(key)

    # Variants and the sandbox.

    def action_variants(self) -> None:
        """Show the table of variants, and run those that were not run yet."""
        self._open_table(VariantsDialog, signals.OutcomesRequested())

    def action_holds(self) -> None:
        """Run the programs that would show the recap false."""
        self._open_table(HoldsDialog, signals.HoldsRequested())

    def _open_table(
        self, table: type[VariantsDialog | HoldsDialog], wanted: signals.Signal
    ) -> None:
        session = self.runner.session
        if not session.may_experiment:
            self.note(NoticeTexts.answer_all_first)
            return
        self._table = table(self.lesson, session)
        self.app.push_screen(self._table, self._variant_chosen)
        self.send(wanted)

    def _variant_chosen(self, chosen: str | None) -> None:
        self._table = None
        if chosen is not None:
            self.send(signals.VariantChosen(None if chosen == AS_WRITTEN else chosen))

    def action_edit(self) -> None:
        session = self.runner.session
        if not session.may_experiment or session.awaits_prediction:
            self.note(NoticeTexts.answer_all_first)
        else:
            super().action_edit()

    # Taking something out.

    def program_shown(self) -> Program:
        return self.lesson.program(self.view.variant)

    def lesson_shown(self) -> str | None:
        return self.lesson.lesson.id

    def base_name(self) -> str:
        names = [self.lesson.lesson.id, *(self.view.variant or "").split("/")]
        return "-".join(name for name in names if name)

    # Other lessons.

    def action_next_lesson(self) -> None:
        """Go on to what follows; before this lesson is done, to the next one."""
        catalogue = self.host.catalogue
        if catalogue is None:
            self.note(ScreenTexts.reading)
            return
        beside = catalogue.beside(self.lesson.lesson.id, 1)
        following = self.following() if self._is_done else beside
        if following is None:
            self.note(ScreenTexts.last_lesson)
        else:
            open_entry(self, following)

    def action_previous_lesson(self) -> None:
        catalogue = self.host.catalogue
        if catalogue is None:
            self.note(ScreenTexts.reading)
            return
        before = catalogue.beside(self.lesson.lesson.id, -1)
        if before is None:
            self.note(ScreenTexts.first_lesson)
        else:
            self.host.open_lesson(before.lesson.id)
