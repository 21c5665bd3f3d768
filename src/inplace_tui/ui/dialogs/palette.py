"""The command palette: what is typed says what is listed; the result is what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from inplace_tui.present.cells import pad_spans, width, wrap
from inplace_tui.present.matches import marked
from inplace_tui.present.rows import Row, Span, Style, Target, more
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.arrangement import SHORT
from inplace_tui.ui.commands import PaletteCommand, answering
from inplace_tui.ui.dialogs.dialog import Choices, RowsDialog
from inplace_tui.ui.widgets.lines import Lines


class PaletteRows(Choices, can_focus=False):
    """The matching commands, with a cursor while the focus is in the input."""

    @property
    def shows_cursor(self) -> bool:
        """Enter takes from here, wherever the keys go."""
        return True


class PaletteDialog(RowsDialog[PaletteCommand]):
    """Lists what can be done on the page below, and where one can go."""

    HEADING = ScreenTexts.palette
    FOOTER = ScreenTexts.help_lead
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("ctrl+p", "cancel", "back", id="commands"),
    ]

    def __init__(self, offered: Sequence[PaletteCommand]) -> None:
        super().__init__()
        self._offered = offered
        self._found = list(offered)
        self._is_taken = False
        """Enter was pressed where nothing answers yet: the course is being read."""

    def add(self, offered: Sequence[PaletteCommand]) -> None:
        """Offer more: what has been read by now."""
        self._offered = [*self._offered, *offered]
        if not self.is_there:
            self._found = list(self._offered)
            return
        taken = self._is_taken
        self._search()
        if taken and self._found:
            self.take(0)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -page"):
            yield Input(select_on_focus=False)
            yield PaletteRows()

    def on_mount(self) -> None:
        """Take what is typed from now on: the next letter may be here already."""
        self.set_focus(self.query_one(Input))
        self.update_texts()

    def write(self) -> None:
        if self.is_there:
            self.query_one(Input).placeholder = self.say(ScreenTexts.palette_line)
        super().write()

    def rows(self, room: int) -> Sequence[Row]:
        if not self._found:
            text = ScreenTexts.reading if self.host.course is None else ScreenTexts.palette_none
            return [Row((Span(f" {self.say(text)}", Style.DIM),))]
        long = self.app.size.height >= SHORT
        return [
            row for place in range(len(self._found)) for row in self._entry(place, room, long=long)
        ]

    def _entry(self, place: int, room: int, *, long: bool) -> list[Row]:
        command, language = self._found[place], self.host.language
        target, query = Target(choice=place), self.query_one(Input).value.strip()
        room -= 1
        left = room - width(command.key) - 1
        name, *rest = wrap([Span(command.title[language])], left - 1)
        title = Row(
            (*pad_spans([Span(" "), *name], left), Span(f" {command.key}", Style.NAME)), target
        )
        about = []
        if long and command.about is not None:
            about = wrap([Span(command.about[language], Style.DIM)], room - 3)
        return [
            marked(title, query),
            *(marked(more((Span(" "), *line), target), query) for line in rest),
            *(more((Span("   "), *line), target) for line in about),
        ]

    def first(self) -> int | None:
        return 0

    def results(self) -> Sequence[PaletteCommand]:
        return self._found

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        """List what answers, at once: the next key may be Enter."""
        event.stop()
        self._search()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        lines = self.query_one(Lines)
        if lines.cursor is not None:
            lines.action_choose()
        elif self.host.course is None:
            self._is_taken = True
        else:
            self.notice(self.say(ScreenTexts.palette_none))

    def _search(self) -> None:
        self._is_taken = False
        self._found = answering(self._offered, self.query_one(Input).value.strip())
        lines = self.query_one(Lines)
        lines.cursor, self._begun = None, False
        lines.scroll_to(y=0, animate=False, force=True, immediate=True)
        self.write()

    def action_move(self, step: int) -> None:
        self.query_one(Lines).action_move(step)

    def action_page(self, direction: int) -> None:
        """Turn a page, to the first one on it."""
        lines = self.query_one(Lines)
        lines.action_page(direction)
        lines.action_move(1)
