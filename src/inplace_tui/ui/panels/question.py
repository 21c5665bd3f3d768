"""The question that is open, or was just answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.lessons.kinds.line import LinesView
from inplace_tui.engine.lessons.kinds.order import OrderView
from inplace_tui.engine.session.view import View
from inplace_tui.present import narration, question
from inplace_tui.present.rows import Row, Target
from inplace_tui.texts.panels import PanelTitles
from inplace_tui.ui.panels.panel import Panel


class QuestionPanel(Panel):
    """Shows prompt, choices, feedback and hints; an answer is a choice's number."""

    TITLE = PanelTitles.question

    alone = False
    """There is no room for the narration beside it, so it follows the reply here."""

    _left_out: frozenset[int] = frozenset()
    """The blank rows that are not drawn, by their place among all."""

    place: int | None = None
    """The chosen one of the lines that are to be put into an order."""

    @dataclass
    class ChoiceMade(Message):
        """A choice was made; the first one is 0."""

        choice: int

    def show(self, view: View, language: str) -> None:
        """Start at the top of a new question: the previous one was scrolled to its reply."""
        if _asked(self.view) != _asked(view):
            self.scroll_to(y=0, animate=False)
            self.place = 0 if isinstance(question.open_answers(view), OrderView) else None
        super().show(view, language)

    def redraw(self) -> None:
        """Keep the cursor on the line that was chosen, wherever that is now."""
        super().redraw()
        if self.place is not None:
            self.choose_place(self.place)

    def draw(self, rows: Sequence[Row], *, pinned: int = 0, widest: int | None = None) -> None:
        """Leave out blank rows where that keeps more of an open question in view."""
        lacking, blank = len(rows) - self.scrollable_content_region.height, []
        if self.view is not None and not question.is_settled(self.view) and lacking > 0:
            blank = [place for place, row in enumerate(rows) if not row.text.strip()]
        self._left_out = frozenset(blank[: max(0, lacking)])
        shown = [row for place, row in enumerate(rows) if place not in self._left_out]
        super().draw(shown, pinned=pinned, widest=widest)

    def choose_place(self, place: int) -> None:
        """Put the cursor on the line that is at this place of the order."""
        self.place = place
        at = (n for n, row in enumerate(self.rows) if row.target.place == place)
        self.cursor = next(at, None)
        if self.cursor is not None:
            self.reveal(self.cursor, margin=1)

    def watch_cursor(self, before: int | None, after: int | None) -> None:
        """Know which line of an order the cursor is on."""
        super().watch_cursor(before, after)
        if after is None or after >= len(self.rows):
            return
        if self.rows[after].target.place is not None:
            self.place = self.rows[after].target.place

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter commits where a row is no answer by itself."""
        answers = None if self.view is None else question.open_answers(self.view)
        lines = isinstance(answers, LinesView | OrderView)
        return False if action == "choose" and lines else super().check_action(action, parameters)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        asked = question.rows(view, width, self.language, keys=self.key_labels)
        if self.alone and question.is_settled(view):
            return [*asked, *narration.rows(view, width, self.language)]
        return asked

    def reveal_reply(self) -> None:
        """Scroll so that the reply can be read from its beginning."""
        width = self.scrollable_content_region.width
        if self.view is None or width <= 0:
            return
        first = question.reply_at(self.view, width, self.language)
        asked = self.view.question
        if asked is not None and isinstance(asked.answers, LinesView):
            # The line that was given is a part of the reply.
            first -= len(asked.answers.lines) + 1
        first -= sum(place < first for place in self._left_out)
        tall = self._last_row() - first >= self.scrollable_content_region.height
        if tall or (self.alone and question.is_settled(self.view)):
            self.scroll_to(y=first, animate=False, force=True, immediate=True)
        else:
            self.reveal(self._last_row(), margin=0)

    def read_on(self) -> bool:
        """Scroll to what stands below in a reply; False where all of it was in view."""
        height = self.scrollable_content_region.height
        if self.view is None or not (self.alone and self.display and height > 0):
            return False
        if not question.is_settled(self.view):
            return False
        top, last = round(self.scroll_offset.y), self._last_row()
        if last < top + height:
            return False
        self.scroll_to(
            y=min(top + max(1, height - 1), last - height + 1),
            animate=False,
            force=True,
            immediate=True,
        )
        return True

    def _last_row(self) -> int:
        return max((at for at, row in enumerate(self.rows) if row.text.strip()), default=0)

    def next_choice(self) -> None:
        """Put the cursor on the next of what can be chosen, from the last one on the first."""
        before = self.cursor
        self.action_move(1)
        if self.cursor == before:
            self.cursor = None
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
            self.action_move(1)

    def choose(self, choice: int) -> None:
        if any(row.target.choice == choice for row in self.rows):
            self.post_message(self.ChoiceMade(choice))

    def chosen(self, target: Target) -> None:
        if target.choice is not None:
            self.post_message(self.ChoiceMade(target.choice))


def _asked(view: View | None) -> str | None:
    """Return the id of the question that a view shows."""
    return None if view is None or view.question is None else view.question.id
