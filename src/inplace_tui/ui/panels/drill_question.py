"""The question of a drill, and the reply to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.drill.round import Round
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.session.view import View
from inplace_tui.present import drill
from inplace_tui.present.cells import wrapped
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.drill import DrillTexts
from inplace_tui.ui.panels.question import QuestionPanel


class DrillQuestion(QuestionPanel):
    """Asks how the run will end, then how sure the learner is, then explains."""

    round: Round | None = None
    lesson: LoadedLesson | None = None
    """The lesson to read after the reply."""

    failed = False
    """No program could be run; the learner may try again."""

    stepped = False
    """The learner has gone through the run: `n` at its end is a step too many, not a request."""

    @dataclass
    class Proceed(Message):
        """The learner has read it and wants the next program."""

    @dataclass
    class ReasonChosen(Message):
        """A sentence of the explanation was chosen: show its line."""

        line: int

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
        if self.failed or (self.round is not None and self.round.is_answered):
            self.post_message(self.Proceed())

    def clicked(self, target: Target, *, again: bool) -> None:
        if target.line is not None:
            self.post_message(self.ReasonChosen(target.line))
        else:
            super().clicked(target, again=again)
