"""The keys that answer a question: a choice, a line pointed at, an order of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_tui.common.texts.panels import QuestionTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.signals import (
    AnswerDrafted,
    AnswerGiven,
    QuestionReopened,
)
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView, LinesView, OrderView
from inplace_tui.tutorial.course.lessons.kinds.order import moved
from inplace_tui.tutorial.present.question import open_answers
from inplace_tui.tutorial.ui.panels import CodePanel, Panel, QuestionPanel
from inplace_tui.tutorial.ui.run.panel_layout import PanelLayout
from inplace_tui.tutorial.ui.widgets.lines import edge_text

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


class Answering:
    """Answers a question; with which keys depends on its kind."""

    def __init__(self, page: RunScreen, layout: PanelLayout) -> None:
        self._page = page
        self._layout = layout
        self._pointing = False
        """The code has the focus because a question wants one of its lines."""

        self.asked: str | None = None
        """The question that waits, by its id."""

    @property
    def has_focus(self) -> bool:
        """Whether the keys that answer lead to the question now."""
        return self._page.focused is self.place

    @property
    def place(self) -> Panel:
        page = self._page
        return page.query_one(CodePanel) if self._pointing else page.query_one(QuestionPanel)

    @property
    def ways(self) -> tuple[str, ...]:
        """The actions that answer the open question."""
        match open_answers(self._page.view):
            case LinesView():
                return ("commit",)
            case OrderView():
                return ("line_up", "line_down", "commit")
            case ChoicesView():
                return ("choice", "commit")
            case None:
                return ()

    def follow(self) -> None:
        """Open a question that has come up; give the focus away where one has gone."""
        view = self._page.view
        before, self.asked = self.asked, None
        if view.question is None and before is not None:
            self._layout.mend_focus()
        elif view.question is not None and view.awaits_answer:
            self.asked = view.question.id
            if self.asked != before:
                self.open_question()
        self._end_pointing()

    def open_question(self) -> None:
        """Show the question, and give the focus to the panel in which it is answered."""
        self._layout.show_card()
        code = self._page.query_one(CodePanel)
        self._pointing = code.pointing
        if self._pointing:
            code.begin_pointing()
        else:
            self._page.set_focus(self._page.query_one(QuestionPanel))

    def return_to_question(self) -> None:
        """Show the open question again, with what is marked in it."""
        self._layout.show_card()
        self._page.set_focus(self.place)

    def _end_pointing(self) -> None:
        """When it is answered, give the focus to the reply: Enter must not run to a line now."""
        page = self._page
        if self._pointing and page.view.question_is_done:
            self._pointing = False
            if page.focused is page.query_one(CodePanel):
                page.set_focus(page.query_one(QuestionPanel))

    def _give(self, answer: str) -> None:
        """Give an answer, unless a class is still to think about it."""
        if self._page.query_one(QuestionPanel).locked:
            self._page.note(QuestionTexts.locked)
        else:
            self._page.send(AnswerGiven(answer))

    def answer(self, choice: int) -> None:
        """Answer with a choice; the first one is 0."""
        question = self._page.view.question
        answers = None if question is None else question.answers
        if isinstance(answers, ChoicesView) and choice < len(answers.choices):
            self._give(answers.choices[choice][0])

    def commit(self) -> None:
        """Answer with what is marked; first go where that is seen."""
        page, code = self._page, self._page.query_one(CodePanel)
        panel = page.query_one(QuestionPanel)
        answers = open_answers(page.view)
        match answers:
            case None:
                pass
            case _ if not self.has_focus:
                self.return_to_question()
            case OrderView():
                self._give(answers.answer)
            case ChoicesView():
                if panel.marked is None:
                    page.note(QuestionTexts.mark_first, choices=panel.letters)
                else:
                    self.answer(panel.marked)
            case LinesView() if code.cursor is not None:
                self._give(str(code.cursor + 1))
            case LinesView():
                code.begin_pointing()

    def to_question(self) -> None:
        """Go back to the open question, or to the one that was left last."""
        if not self._page.view.awaits_answer:
            self._page.send(QuestionReopened())
        elif self.has_focus:
            self._page.note(ScreenTexts.at_question)
        else:
            self.return_to_question()

    def move_line(self, by: int) -> None:
        """Move the marked line; first go where it is seen."""
        panel, answers = self._page.query_one(QuestionPanel), open_answers(self._page.view)
        place = panel.place
        if not self.has_focus:
            self.return_to_question()
            return
        if not isinstance(answers, OrderView) or place is None:
            return
        draft = moved(answers, place, by)
        if draft == answers.answer:
            self._page.note(edge_text(0, by))
        else:
            panel.place = place + by
            self._page.send(AnswerDrafted(draft))
