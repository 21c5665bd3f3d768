"""The keys that answer: a number, a line pointed at, an order of lines."""

from __future__ import annotations

from textual import on

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.lessons.kinds.choice import ChoicesView
from inplace_tui.engine.lessons.kinds.line import LinesView
from inplace_tui.engine.lessons.kinds.order import OrderView, moved
from inplace_tui.engine.session.signals import AnswerDrafted, AnswerGiven
from inplace_tui.present.question import is_settled, numbered, open_answers
from inplace_tui.ui.panels import CodePanel, QuestionPanel
from inplace_tui.ui.screens.run_screen import RunScreen


class Answering(RunScreen):
    """A run with questions. What is pressed for an answer depends on the kind of the question."""

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__(runner)
        self._pointing = False
        """The code has the keys because a question wants one of its lines."""

    @property
    def ways_to_answer(self) -> tuple[str, ...]:
        """The actions that answer the open question."""
        match open_answers(self.view):
            case LinesView():
                return ("commit",)
            case OrderView():
                return ("line_up", "line_down", "commit")
            case ChoicesView() | None:
                return ("choose",)

    def open_question(self) -> None:
        """Give the keys to the panel in which the question is answered."""
        self._pointing = self.query_one(CodePanel).pointing
        if self._pointing:
            self.query_one(CodePanel).begin_pointing()
        else:
            self.set_focus(self.query_one(QuestionPanel))

    def end_pointing(self) -> None:
        """When all is told, give the keys to the reply: Enter must not run to a line now."""
        if self._pointing and is_settled(self.view):
            self._pointing = False
            if self.focused is self.query_one(CodePanel):
                self.set_focus(self.query_one(QuestionPanel))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Digits lead to panels where they are of no use to a question."""
        count = numbered(open_answers(self.view))
        match action:
            case "choose":
                place = parameters[0]
                assert isinstance(place, int)
                return place <= count
            case "panel":
                return count == 0
            case "commit" | "line_up" | "line_down":
                return action in self.ways_to_answer
            case _:
                return super().check_action(action, parameters)

    def action_choose(self, number: int) -> None:
        """Answer with the choice of this number, or choose the line that is to move."""
        if isinstance(open_answers(self.view), OrderView):
            panel = self.query_one(QuestionPanel)
            self.set_focus(panel)
            panel.choose_place(number - 1)
        else:
            self._answer(number - 1)

    @on(QuestionPanel.Answered)
    def _answered(self, event: QuestionPanel.Answered) -> None:
        event.stop()
        self._answer(event.choice)

    def _answer(self, place: int) -> None:
        answers = self.view.question and self.view.question.answers
        if isinstance(answers, ChoicesView) and place < len(answers.choices):
            self.send(AnswerGiven(answers.choices[place][0]))

    def action_commit(self) -> None:
        """Answer with the line under the cursor, or with the order; first go where that is seen."""
        code, answers = self.query_one(CodePanel), open_answers(self.view)
        match answers:
            case OrderView():
                self.send(AnswerGiven(answers.answer))
            case LinesView() if self.focused is not code:
                self.set_focus(code)
            case LinesView() if code.cursor is not None:
                self.send(AnswerGiven(str(code.cursor + 1)))

    def action_line_up(self) -> None:
        self._move_line(-1)

    def action_line_down(self) -> None:
        self._move_line(1)

    def _move_line(self, by: int) -> None:
        panel, answers = self.query_one(QuestionPanel), open_answers(self.view)
        place = panel.place
        if not isinstance(answers, OrderView) or place is None:
            return
        draft = moved(answers, place, by)
        if draft != answers.answer:
            panel.place = place + by
            self.send(AnswerDrafted(draft))
