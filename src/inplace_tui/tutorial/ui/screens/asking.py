"""A page that asks: the question and its keys, the reply, and the words met for the first time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from textual.content import Content
from textual.widget import Widget

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Style, spans
from inplace_tui.common.texts import space
from inplace_tui.common.texts.actions import CLOSE_REPLY, LATER
from inplace_tui.common.texts.glossary import WORDS, Word, words_in
from inplace_tui.common.texts.panels import QuestionTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.movement import goes_forward
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.course.course import panels_ahead
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.course.lessons.kinds.order import moved
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.lessons import named_panels
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.present.question import open_answers
from inplace_tui.tutorial.ui.arrangement import UNKNOWN, Needs
from inplace_tui.tutorial.ui.panels import PANELS, CodePanel, Panel, QuestionPanel, RecapPanel
from inplace_tui.tutorial.ui.screens.contents import Entry
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.widgets.lines import edge_text

WORDED = "narration", "question", "recap", "why"
"""Ids of the panels in which a learner may meet a word for the first time."""


class AfterLesson(NamedTuple):
    """What comes after a lesson that is done."""

    title: LocalText
    entry: Entry
    label: LocalText | None = None
    """What the key that leads there does, where that is no lesson."""


def to_lesson(after: LoadedLesson | None) -> AfterLesson | None:
    return None if after is None else AfterLesson(after.lesson.title, after)


class AskingScreen(RunScreen):
    """A run about which something is asked. Subclasses decide what comes after the answers."""

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__(runner)
        self.asked: str | None = None
        """The question that waits, by its id."""

        self._pointing = False
        """The code has the focus because a question wants one of its lines."""

        self._untaught: set[str] = set()
        """Columns and panels that no lesson explained to this learner yet."""

        self._read: set[str] = set()
        """Questions whose replies were read to their end; empty for the recap."""

        self._unexplained: list[Word] = []
        """Words that the learner came to, and that may have to be explained."""

        self._explained: Word | None = None

    @property
    def teaches(self) -> bool:
        """Whether it is of the course: a class may think first, and what is new is explained."""
        return True

    def begin(self) -> None:
        """Leave out panels that this learner of the course did not come to yet.

        What is left out stays so until the lesson is left, or somebody asks for it.
        """
        self.query_one(QuestionPanel).locked = self.host.presenting and self.teaches
        catalogue, record = self.host.catalogue, self.host.learner.record
        if self._guides:
            folder = self.host.lessons_folder
            named = named_panels(folder) if catalogue is None else catalogue.course.named_panels
            reached = self.reached(named)
            path = catalogue.path.ids if catalogue and catalogue.path else ()
            ahead = panels_ahead(named, reached, record.lessons, path)
            self._untaught = ahead.difference(record.panels)
            layout = self.panel_layout
            is_new = reached in named and not record.lessons
            layout.empty = {"state", "why"} if is_new else set()
            layout.waiting = self._untaught & {*PANELS} | layout.empty
        super().begin()

    @abstractmethod
    def reached(self, listed: Iterable[str]) -> str:
        """Return the lesson that the learner has come to, of those that are listed."""

    @property
    def _guides(self) -> bool:
        return self.teaches and self.host.guided and not self.host.presenting

    # Showing.

    def current_view(self) -> View:
        """Say what comes after the lesson, where that closes."""
        view = super().current_view()
        self._untaught -= {facet for _, facet in view.mask.cells}  # it is asked for
        if self.panel_layout.zoomed != "state":
            view = replace(view, untaught=frozenset(self._untaught))
        if view.recap is None:
            return view
        score = None if self.host.presenting else view.score  # there, nobody answered
        after = self.following()
        return replace(view, score=score, after=None if after is None else after.title)

    def adjust(self, needs: Needs, view: View) -> Needs:
        presented = self.host.presenting and self.teaches
        return replace(super().adjust(needs, view), presented=presented, card_rows=UNKNOWN)

    def send(self, signal: signals.Signal) -> None:
        """Going forward reads on in a reply that has no room."""
        forward = isinstance(signal, signals.Moved) and goes_forward(signal)
        if not (forward and self.teaches and self._reads_on()):
            super().send(signal)

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
        """Open a question that has come up; give the focus away where one has gone."""
        view, before, self.asked = self.view, self.asked, None
        if view.question is None and before is not None:
            self.panel_layout.mend_focus()
        elif view.question is not None and view.awaits_answer:
            self.asked = view.question.id
            if self.asked != before:
                self._open_question()
        if self._pointing and view.question_is_done:
            # The focus goes to the reply: Enter must not run to a line now.
            self._pointing = False
            if self.focused is self.query_one(CodePanel):
                self.set_focus(self.query_one(QuestionPanel))
        if self._guides:
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

    def clear_notice(self) -> None:
        """A key or a click: the word that was explained has been read."""
        explained = self._explained if self.meaning else None
        super().clear_notice()
        if explained is not None:
            self.host.keep(partial(self.host.learner.save_explained, explained.id))

    def first_focus(self) -> Widget:
        return self.place if self.view.awaits_answer else super().first_focus()

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.view.awaits_answer:
            return (*(self.ways if self.at_question else ("question",)), "hint", "answer", "leave")
        if self.view.recap is not None:
            return ("next_lesson", "leave", *super().promoted, "mend", "variants", "holds", "edit")
        return super().promoted

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        """What leaves a lesson leaves its open question first; after the last is the checkpoint."""
        found = dict(super().label_overrides)
        if self.view.awaits_answer:
            return {"leave": LATER, **found}
        if self.runner.session.shows_reply:
            found.setdefault("leave", CLOSE_REPLY)
        after = self._leads_to
        if after is not None and after.label is not None:
            found["next_lesson"] = after.label
        return found

    @property
    def is_done(self) -> bool:
        """Whether it leads on to what follows."""
        return self.view.recap is not None

    @property
    def _leads_to(self) -> AfterLesson | None:
        """What a lesson that is done leads on to."""
        return self.following() if self.is_done else None

    def following(self) -> AfterLesson | None:
        """Return what comes after this lesson is done, once the course is read."""
        return None

    @property
    def idle(self) -> tuple[str, ...]:
        barred = super().idle
        if self.view.awaits_answer:
            barred += ("next", "continue", "into", "out", "end")
            barred += ("question",) if self.at_question else self.ways
            barred += ("commit",) if self.host.presenting else ()
        session = self.runner.session
        if session.awaits_prediction:
            return (*barred, "edit")
        return barred if session.may_experiment else (*barred, "variants", "edit")

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        asked = self.view.awaits_answer
        return {
            "hint": NoticeTexts.no_hints if asked else NoticeTexts.no_question,
            **dict.fromkeys(("answer", "question", "commit", "guess"), NoticeTexts.no_question),
            **dict.fromkeys(("line_up", "line_down"), NoticeTexts.no_order),
            "variants": NoticeTexts.no_variants,
            "holds": NoticeTexts.no_holds,
            "mend": NoticeTexts.no_mend,
        }

    def key_unused(self, key: str) -> None:
        """Say where the question is, to an answer that is too early or too late."""
        answers = key == "enter" or key in tuple("abcdef")
        view = self.view
        if answers and not view.awaits_answer and view.has_open_question:
            self.note(ScreenTexts.no_question_yet)
        elif answers and self._leads_to is not None:
            self.note(ScreenTexts.lesson_done)
        elif answers and view.question_is_done:
            self.note(ScreenTexts.answered_already)
        else:
            super().key_unused(key)

    def _noticed(self, text: LocalText) -> None:
        """Say at the end of a lesson that is done which key leads on."""
        at_end = text is NoticeTexts.at_the_end and self._leads_to is not None
        super()._noticed(ScreenTexts.lesson_done if at_end else text)

    # Where the question is answered: with which keys depends on its kind.

    @property
    def place(self) -> Panel:
        return self.query_one(CodePanel) if self._pointing else self.query_one(QuestionPanel)

    @property
    def at_question(self) -> bool:
        """Whether the keys that answer lead to the question now."""
        return self.focused is self.place

    @property
    def ways(self) -> tuple[str, ...]:
        """The actions that answer the open question."""
        match open_answers(self.view):
            case LinesView() | TypedView():
                return ("commit",)
            case OrderView():
                return ("line_up", "line_down", "commit")
            case ChoicesView():
                return ("choice", "commit")
            case None:
                return ()

    def _open_question(self) -> None:
        """Show the question, and give the focus to the panel in which it is answered."""
        self.panel_layout.show_card()
        code = self.query_one(CodePanel)
        self._pointing = code.pointing
        if self._pointing:
            code.begin_pointing()
        else:
            self.set_focus(self.query_one(QuestionPanel))

    def return_to_question(self) -> None:
        """Show the open question again, with what is marked in it."""
        self.panel_layout.show_card()
        self.set_focus(self.place)

    # What the learner does.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        answering = self.view.awaits_answer
        match action:
            case "hint":
                question = self.view.question
                return answering and question is not None and question.hints_total > 0
            case "answer":
                return answering
            case "question":
                return answering or Gate.PASSED in self.view.gates.values()
            case "commit" | "guess":
                return "commit" in self.ways
            case "move_line":
                return isinstance(open_answers(self.view), OrderView)
            case _:
                return super().check_action(action, parameters)

    def action_give(self, choice: int, *, guessed: bool = False) -> None:
        """Answer with a choice; the first one is 0."""
        question = self.view.question
        answers = None if question is None else question.answers
        if isinstance(answers, ChoicesView) and choice < len(answers.choices):
            self._give(answers.choices[choice][0], guessed=guessed)

    def _give(self, answer: str, *, guessed: bool) -> None:
        """Give an answer, unless a class is still to think about it."""
        if self.query_one(QuestionPanel).locked:
            self.note(QuestionTexts.locked)
        else:
            self.send(signals.AnswerGiven(answer, guessed))

    def action_guess(self) -> None:
        """Answer as `commit` does; if it is right, that was luck, and it comes back."""
        self.action_commit(guessed=True)

    def action_commit(self, *, guessed: bool = False) -> None:
        """Answer with what is marked; first go where that is seen."""
        code, panel = self.query_one(CodePanel), self.query_one(QuestionPanel)
        match open_answers(self.view):
            case None:
                pass
            case _ if not self.at_question:
                self.return_to_question()
            case TypedView(draft=draft):
                self._give(draft, guessed=guessed)
            case OrderView(answer=answer):
                self._give(answer, guessed=guessed)
            case ChoicesView():
                if panel.marked is None:
                    self.note(QuestionTexts.mark_first, choices=panel.letters)
                else:
                    self.action_give(panel.marked, guessed=guessed)
            case LinesView() if code.cursor is not None:
                self._give(str(code.cursor + 1), guessed=guessed)
            case LinesView():
                code.begin_pointing()

    def action_question(self) -> None:
        """Go back to the open question, or to the one that was left last."""
        if not self.view.awaits_answer:
            self.send(signals.QuestionReopened())
        elif self.at_question:
            self.note(ScreenTexts.at_question)
        else:
            self.return_to_question()

    def action_move_line(self, by: int) -> None:
        """Move the marked line; first go where it is seen."""
        panel, answers = self.query_one(QuestionPanel), open_answers(self.view)
        place = panel.place
        if not self.at_question:
            self.return_to_question()
            return
        if not isinstance(answers, OrderView) or place is None:
            return
        draft = moved(answers, place, by)
        if draft == answers.answer:
            self.note(edge_text(0, by))
        else:
            panel.place = place + by
            self.send(signals.AnswerDrafted(draft))

    def action_hint(self) -> None:
        """Show the next hint, also where a panel covers the question."""
        if not self.query_one(QuestionPanel).display:
            self.return_to_question()
        self.send(signals.HintRequested())

    def action_answer(self) -> None:
        self.send(signals.AnswerRequested())

    def action_edit(self) -> None:
        session = self.runner.session
        if not session.may_experiment or session.awaits_prediction:
            self.note(NoticeTexts.answer_all_first)
        else:
            super().action_edit()

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
        elif self.asked is not None:
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
