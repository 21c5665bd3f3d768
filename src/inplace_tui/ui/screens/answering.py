"""The keys that answer: a digit, a line pointed at, an order of lines."""

from __future__ import annotations

from textual import on

from inplace_tui.drive.player import Player
from inplace_tui.engine.session.signals import Answered, LineMoved, LinePointed, OrderGiven
from inplace_tui.model.lesson import Kind
from inplace_tui.present.question import asked_kind, is_settled
from inplace_tui.ui.panels import CodePanel, QuestionPanel
from inplace_tui.ui.screens.run_screen import RunScreen


class Answering(RunScreen):
    """A run with questions. What is pressed for an answer depends on the kind of the question."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self._pointing = False
        """The code has the keys because a question wants one of its lines."""

    @property
    def ways_to_answer(self) -> tuple[str, ...]:
        """The actions that answer the open question."""
        match asked_kind(self.view):
            case Kind.LINE:
                return ("commit",)
            case Kind.ORDER:
                return ("line_up", "line_down", "commit")
            case _:
                return ("choose",)

    def open_question(self) -> None:
        """Give the keys to the panel in which the question is answered."""
        self._pointing = asked_kind(self.view) is Kind.LINE
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
        kind = asked_kind(self.view)
        match action:
            case "choose":
                place = parameters[0]
                assert isinstance(place, int)
                return place <= self._numbered()
            case "panel":
                return self._numbered() == 0
            case "commit":
                return kind in (Kind.LINE, Kind.ORDER)
            case "line_up" | "line_down":
                return kind is Kind.ORDER
            case _:
                return super().check_action(action, parameters)

    def _numbered(self) -> int:
        """Return how many digits mean something to the open question."""
        question, kind = self.view.question, asked_kind(self.view)
        if question is None or kind is None:
            return 0
        return len(question.lines) if kind is Kind.ORDER else len(question.choices)

    def action_choose(self, number: int) -> None:
        """Answer with the choice of this number, or choose the line that is to move."""
        if asked_kind(self.view) is Kind.ORDER:
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
        question = self.view.question
        if question is not None and place < len(question.choices):
            self.send(Answered(question.choices[place][0]))

    def action_commit(self) -> None:
        """Answer with the line under the cursor, or with the order; first go where that is seen."""
        code = self.query_one(CodePanel)
        match asked_kind(self.view):
            case Kind.ORDER:
                self.send(OrderGiven())
            case Kind.LINE if self.focused is not code:
                self.set_focus(code)
            case Kind.LINE if code.cursor is not None:
                self.send(LinePointed(code.cursor + 1))

    def action_line_up(self) -> None:
        """Move the chosen line up."""
        self._move_line(-1)

    def action_line_down(self) -> None:
        """Move the chosen line down."""
        self._move_line(1)

    def _move_line(self, by: int) -> None:
        panel, question = self.query_one(QuestionPanel), self.view.question
        place = panel.place
        if question is None or place is None or not 0 <= place + by < len(question.lines):
            return
        panel.place = place + by
        self.send(LineMoved(place, by))
