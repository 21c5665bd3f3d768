"""The question that is open, or was just answered."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.strip import Strip

from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts.panels import PanelTitles, QuestionTexts
from inplace_tui.tutorial.activity.session.signals import AnswerDrafted
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.present import narration, question
from inplace_tui.tutorial.ui.keys import Where, ascii_twin, bindings
from inplace_tui.tutorial.ui.panels.code import CodePanel
from inplace_tui.tutorial.ui.panels.panel import Panel

MARK = "▸"
"""Before the choice that Enter would give."""


IN_ANSWERS = frozenset("0123456789.,;-+[]() Nonaife、")
"""The characters that a typed answer is made of: numbers, `None`, `nan`, `inf`."""


class QuestionPanel(Panel):
    """Shows prompt, choices, feedback and hints; a choice is marked, then given."""

    BINDINGS = bindings(Where.QUESTION)

    TITLE = PanelTitles.question
    SAYS_MORE = True

    alone = False
    """There is no room for the narration beside it, so it follows the reply here."""

    locked = False
    """No answer is taken: a class is to think about it."""

    _hidden_rows: frozenset[int] = frozenset()
    """The indices of blank rows that are not drawn."""

    _undrawn_mark: int | None = None
    """The choice that was marked before the choices were drawn; the first one is 0."""

    place: int | None = None
    """The selected line of an order, by its place."""

    @property
    def marked(self) -> int | None:
        """The choice that Enter would give; the first one is 0."""
        is_drawn = self.cursor is not None and self.cursor < len(self.rows)
        return self.under_cursor.choice if is_drawn else self._undrawn_mark

    @property
    def letters(self) -> str:
        """What to press for one of the choices."""
        return question.letters(self.key_labels, question.count(question.open_answers(self.view)))

    @property
    def shows_cursor(self) -> bool:
        """The mark stays where the focus is elsewhere."""
        return super().shows_cursor or self.marked is not None

    def show(self, view: View, language: str) -> None:
        """Start at the top of a new question: the previous one was scrolled to its reply."""
        if _asked(self.view) != _asked(view):
            self.scroll_to(y=0, animate=False)
            self.place = 0 if isinstance(question.open_answers(view), OrderView) else None
        if _tried(self.view) != _tried(view):
            self.cursor = self._undrawn_mark = None
        super().show(view, language)

    def redraw(self) -> None:
        """Keep the cursor on the line that was chosen, wherever that is now."""
        super().redraw()
        if self.place is not None:
            at = (n for n, row in enumerate(self.rows) if row.target.place == self.place)
            self.cursor = next(at, None)
            if self.cursor is not None:
                self.reveal(self.cursor, margin=1)

    def draw(self, rows: Sequence[Row], *, pinned: int = 0, widest: int | None = None) -> None:
        """Leave out blank rows where that keeps more of an open question in view."""
        lacking, blank = len(rows) - self.scrollable_content_region.height, []
        if not self.view.question_is_done and lacking > 0:
            blank = [place for place, row in enumerate(rows) if not row.text.strip()]
        self._hidden_rows = frozenset(blank[: max(0, lacking)])
        shown = [row for place, row in enumerate(rows) if place not in self._hidden_rows]
        marked = self.marked
        super().draw(shown, pinned=pinned, widest=widest)
        self._undrawn_mark = None
        if marked is not None:  # in another width or language it has another row
            self.cursor = self.row_of(marked)

    def watch_cursor(self, before: int | None, after: int | None) -> None:
        """Follow the line of an order that the cursor is on."""
        super().watch_cursor(before, after)
        if self.under_cursor.place is not None:
            self.place = self.under_cursor.place

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a question is open, letters mark its choices, and Enter is the screen's."""
        answers = question.open_answers(self.view)
        match action:
            case "choose":
                return answers is None and self.cursor is not None
            case "choice":
                is_one = isinstance(parameters[0], int) and parameters[0] <= question.count(answers)
                return is_one and self.typed is None
            case _:
                return super().check_action(action, parameters)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return self._is_of_answer(key, character) or super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        """Take what a typed answer is made of; other keys do what they do."""
        answers = question.open_answers(self.view)
        character = None if event.character is None else ascii_twin(event.character)
        if not isinstance(answers, TypedView) or not self._is_of_answer(event.key, character):
            return
        event.stop()
        event.prevent_default()
        longer = (answers.draft + (character or ""))[:80]
        draft = answers.draft[:-1] if event.key == "backspace" else longer
        self.post_message(self.Signalled(AnswerDrafted(draft)))

    def _is_of_answer(self, key: str, character: str | None) -> bool:
        asks = self.typed is None and isinstance(question.open_answers(self.view), TypedView)
        return asks and (key == "backspace" or ascii_twin(character or "?") in IN_ANSWERS)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        asked = question.rows(view, width, self.language, keys=self.key_labels, locked=self.locked)
        if not self.alone:
            return asked
        if view.question_is_done:
            return [*asked, *narration.narration_rows(view, width, self.language)]
        return [*asked, Row(), *narration.words(view, width, self.language, brief=True)]

    def reveal_reply(self) -> None:
        """Scroll so that the reply can be read from its beginning."""
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        first = question.reply_at(self.view, width, self.language)
        asked = self.view.question
        if asked is not None and isinstance(asked.answers, LinesView):
            # The line that was given is a part of the reply.
            first -= len(asked.answers.lines) + 1
        first -= sum(place < first for place in self._hidden_rows)
        if self.locked:  # a class looks for the right choice
            styled = ([span.style for span in row.spans] for row in self.rows[:first])
            right = (place for place, styles in enumerate(styled) if Style.RIGHT in styles)
            first = next(right, first)
        last = self.last_row
        tall = last - first >= self.scrollable_content_region.height
        if tall or (self.alone and self.view.question_is_done):
            self.scroll_to(y=first, animate=False, force=True, immediate=True)
        else:
            self.reveal(last, margin=0)

    def next_choice(self) -> None:
        """Put the cursor on the next of what can be chosen, from the last one on the first."""
        before = self.cursor
        self.action_move(1)
        if self.cursor == before:
            self.cursor = None
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
            self.action_move(1)

    def action_choice(self, number: int) -> None:
        """Mark the choice of this number, or the line that is to move; the first one is 1."""
        for index, row in enumerate(self.rows):
            if number - 1 in (row.target.choice, row.target.place):
                if index == self.cursor:
                    self.post_message(self.EdgeReached(QuestionTexts.marked_already))
                self.cursor = index
                self.reveal(index, margin=1)
                return
        asked = self.view.question
        if asked is None or not isinstance(asked.answers, ChoicesView):
            self.place = number - 1
        elif asked.answers.choices[number - 1][0] in asked.tried:
            self._give(number - 1)  # the session says so
        else:
            self._undrawn_mark = number - 1

    def action_page(self, direction: int) -> None:
        """Scroll the code, where all of an open question is in view."""
        height = self.scrollable_content_region.height
        is_open = question.open_answers(self.view) is not None
        if is_open and self.last_row < height:
            self.screen.query_one(CodePanel).action_page(direction)
        else:
            super().action_page(direction)

    def make_strip(self, row: Row, *, chosen: bool) -> Strip:
        """Mark the choice with a glyph, too."""
        if chosen and row.spans and row.spans[0].text.startswith(" "):
            head, *rest = row.spans
            row = Row((Span(MARK + head.text[1:], head.style), *rest), row.target, row.style)
        return super().make_strip(row, chosen=chosen)

    def clicked(self, target: Target, *, again: bool) -> None:
        """A click marks a choice, a second one gives it."""
        if target.choice is None:
            return
        if again:
            self._give(target.choice)
        else:
            self.action_choice(target.choice + 1)

    def _give(self, choice: int) -> None:
        self.call_later(self.screen.run_action, f"give({choice})")


def _tried(view: View) -> object:
    """Return what a mark belongs to: with another try it goes."""
    return _asked(view), view.question and view.question.tried


def _asked(view: View) -> object:
    """Return what a view asks: which question, and which step of its answer."""
    asked = view.question
    if asked is None:
        return None
    return asked.id, asked.draft if isinstance(asked.answers, ChoicesView) else ""
