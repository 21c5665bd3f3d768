"""Small screens in front of another: a question with answers, a line to type, a page to read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inplace_tui.common.cells import clip, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target, more
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.keys import BY_ID, Where, bindings
from inplace_tui.tutorial.ui.textual_private.app import BaseScreen
from inplace_tui.tutorial.ui.widgets.bars import ClickableKeys
from inplace_tui.tutorial.ui.widgets.lines import EDGE_KEYS, MOVE_KEYS, Lines

Result = TypeVar("Result")

LiveText = Callable[[], str]
"""Returns a text in the current language."""

EDGES = 2
"""Rows around what a dialog says."""


LETTER_QUITS = Binding("q", "app.quit", "quit", id="quit")
"""Of a dialog in which no letter is typed."""


def closed_by(identity: str) -> list[BindingType]:
    """Return the bindings of a dialog in which the keys of the action that opens it lead back."""
    back = Binding(",".join(BY_ID[identity].keys), "cancel", "back", id=identity)
    return [back, LETTER_QUITS]


class Dialog(BaseScreen, ModalScreen[Result | None]):
    """Something in front. Esc leads back; the program can be left from here too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "back"),
        *bindings(Where.EVERYWHERE, only=("language", "theme", "help"), of="app."),
        Binding("ctrl+q", "app.quit", "quit", id="quit"),
        Binding("tab,shift+tab", "other_part", "other part", show=False),
    ]

    HEADING: ClassVar[LocalText]
    FOOTER: ClassVar[LocalText]
    """What can be done here; both are texts of a method where they are not always the same."""

    _notice: LiveText | None = None
    """What a key was answered with, until the next one."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave, once: a key that was pressed twice is not meant for what is behind."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def action_cancel(self) -> None:
        self.dismiss(None)

    def on_click(self, event: Click) -> None:
        """Go back by a click beside it, or on its lower edge, where the way back stands."""
        box = self.query_one(".dialog").region
        if not box.contains_point(event.screen_offset) or event.screen_y == box.bottom - 1:
            event.stop()
            self.action_cancel()

    def heading(self) -> str:
        return self.say(self.HEADING)

    def footer(self) -> str:
        return self.say(self.FOOTER)

    @abstractmethod
    def update_texts(self) -> None: ...

    @abstractmethod
    def show_below(self, text: str) -> None:
        """Show this in the last line."""

    @property
    def last_line(self) -> str:
        """The answer to a key, else what can be done here."""
        return (self._notice or self.footer)()

    def notice(self, text: str) -> None:
        """Answer a key, until the next one."""
        self._notice = lambda: text
        self.show_below(text)

    def note(self, text: LocalText, /, **values: object) -> None:
        self._notice = partial(self.say, text, **values)
        self.show_below(self.last_line)

    def clear_notice(self) -> None:
        self._notice = None
        if self.is_there:
            self.show_below(self.last_line)


class Choices(Lines):
    """Rows of which several may stand for one choice: up and down go from one to the next."""

    BINDINGS = [*EDGE_KEYS]  # noqa: RUF012  (Textual's)

    def on_resize(self) -> None:
        if self.cursor is not None:
            self.reveal(self.cursor)

    def action_move(self, step: int) -> None:
        """Move to the next choice if its first row is visible, else by a row."""
        place = None if self.cursor is None else self._choice_from(self.cursor, step)
        top = self.scroll_offset.y
        if place is not None and top <= place < top + self.scrollable_content_region.height:
            self.cursor = place
            self.reveal(place, margin=1)
        else:
            super().action_move(step)

    def action_edge(self, side: int) -> None:
        """Go to the first choice or the last; without a cursor, to the top or the bottom."""
        end = -1 if side < 0 else len(self.rows)
        self.go_to_edge(None if self.cursor is None else self._choice_from(end, -side), side)

    def _choice_from(self, place: int, step: int) -> int | None:
        """Return the first row of the next choice that is another one; None where there is none."""
        here = self.under_cursor.choice if place == self.cursor else None
        ahead = self.rows[place + 1 :] if step > 0 else self.rows[: max(0, place)][::-1]
        choices = (row.target.choice for row in ahead)
        other = next((each for each in choices if each not in (None, here)), None)
        return None if other is None else self.row_of(other)


class Offers(Choices, can_focus=False):
    """Rows with a cursor while the focus is in a line that is typed."""

    @property
    def shows_cursor(self) -> bool:
        """Enter takes from here, wherever the keys go."""
        return True


class RowsDialog(Dialog[Result]):
    """Rows that scroll in a box, written anew for every width and language.

    Where rows have a `Target.choice`, Enter and a click take the one they stand for.
    """

    SHAPE: ClassVar = ""
    """The class of the box in the style sheet, beside that of any such page."""

    first: int | None = None
    """The choice with the cursor at the beginning; None for no cursor."""

    _begun = False
    """Whether the cursor was put there."""

    def compose(self) -> ComposeResult:
        with Vertical(classes=f"dialog -page {self.SHAPE}"):
            yield Choices()

    @abstractmethod
    def rows(self, room: int) -> Sequence[Row]:
        """Return the rows, none wider than `room` cells."""

    def results(self) -> Sequence[Result]:
        return ()

    def on_mount(self) -> None:
        """Take what is typed from now on: the next letter may be here already."""
        self.set_focus(self.query_one("Input, Lines"))
        self.update_texts()

    def on_resize(self) -> None:
        self.update_texts()

    def update_texts(self) -> None:
        self.call_after_refresh(self.write)

    def write(self) -> None:
        """Show what is known by now, while there is something to show it on."""
        if not self.is_there:
            return
        box, lines = self.query_one(".dialog"), self.query_one(Lines)
        box.border_title, box.border_subtitle = self.heading(), self.last_line
        room = lines.scrollable_content_region.width
        if room <= 0:
            return
        # The same choice may have another row in another width or language.
        choice = lines.under_cursor.choice
        lines.draw(self.rows(room))
        if not self._begun:
            choice = self.first
        place = None if choice is None else lines.row_of(choice)
        if place is not None and lines.cursor != place:
            self._begun = True
            lines.cursor = place
            self.call_after_refresh(lines.reveal, place)

    def show_below(self, text: str) -> None:
        self.query_one(".dialog").border_subtitle = text

    def key_unused(self, key: str) -> None:
        if key == "enter" and self.query_one(Lines).cursor is None and self.results():
            self.note(ScreenTexts.choose_row)
        else:
            super().key_unused(key)

    def on_lines_edge_reached(self, event: Lines.EdgeReached) -> None:
        self.note(event.text)

    def take(self, choice: int) -> None:
        results = self.results()
        if choice < len(results):
            self.dismiss(results[choice])

    @on(Lines.RowChosen)
    def _chosen(self, event: Lines.RowChosen) -> None:
        if event.target.choice is not None:
            self.take(event.target.choice)


class FieldDialog(RowsDialog[Result]):
    """A line to type in, and below it rows with a cursor of their own."""

    BINDINGS: ClassVar[list[BindingType]] = [*MOVE_KEYS]
    PLACEHOLDER: ClassVar[LocalText]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -page"):
            yield self.field()
            yield Offers()

    def field(self) -> Input:
        return Input(select_on_focus=False)

    def write(self) -> None:
        if self.is_there:
            self.query_one(Input).placeholder = self.say(self.PLACEHOLDER)
        super().write()

    def restart(self) -> None:
        """Show other rows, from the top."""
        lines = self.query_one(Lines)
        lines.cursor, self._begun = None, False
        lines.scroll_to(y=0, animate=False, force=True, immediate=True)
        self.write()

    def action_move(self, step: int) -> None:
        self.query_one(Lines).action_move(step)

    def action_page(self, direction: int) -> None:
        self.query_one(Lines).action_page(direction)


class NumberedDialog(RowsDialog[Result]):
    """A dialog whose choices are numbered from 1, so that a digit takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"take_number({n})", "choose", show=False) for n in range(1, 10))
    ]

    def action_take_number(self, number: int) -> None:
        if number <= len(self.results()):
            self.take(number - 1)
        else:
            self.key_unused(str(number))


class AskDialog(NumberedDialog[Result]):
    """Asks which of a few things to do; each has a number."""

    SHAPE = "-question"

    def __init__(self, question: LiveText, answers: Sequence[tuple[Result, LiveText]]) -> None:
        """Ask `question`; of the `answers`, each with its text, the chosen one is the result."""
        super().__init__()
        self._question = question
        self._answers = tuple(answers)

    def heading(self) -> str:
        return ""

    def footer(self) -> str:
        room = self.query_one(Lines).scrollable_content_region.width
        if len(self.rows(room)) <= self.app.size.height - EDGES:
            return ""
        answers = (f"{at} {text()}" for at, (_, text) in enumerate(self._answers, 1))
        return " · ".join((*answers, f"Esc {self.say(ScreenTexts.do_cancel)}"))

    def rows(self, room: int) -> list[Row]:
        asked = wrapped([Span(self._question(), Style.STRONG)], room)
        answers = [
            Row((Span(f" {at + 1} ", Style.NAME), Span(clip(text(), room - 3))), Target(choice=at))
            for at, (_, text) in enumerate(self._answers)
        ]
        back = (Span(" Esc ", Style.NAME), Span(self.say(ScreenTexts.do_cancel)))
        return [*asked, Row(), *answers, more(back, Target(action="cancel"))]

    def results(self) -> list[Result]:
        return [answer for answer, _ in self._answers]


class PromptDialog(Dialog[str]):
    """Asks for a line of text."""

    def __init__(self, question: LocalText, lead: LocalText, *, text: str = "") -> None:
        super().__init__()
        self._question, self._lead, self._text = question, lead, text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(self.say(self._question)), classes="dialog--lead")
            yield from self.lines(self._text)
            yield ClickableKeys(Content(self.footer()), classes="dialog--foot")

    def lines(self, text: str) -> ComposeResult:
        yield Input(text)

    def footer(self) -> str:
        return self.say(self._lead)

    def update_texts(self) -> None:
        self.query_one(".dialog--lead", Static).update(Content(self.say(self._question)))
        self.show_below(self.last_line)

    def show_below(self, text: str) -> None:
        self.query_one(".dialog--foot", Static).update(Content(text))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if text:
            self.dismiss(text)
        else:
            self.note(ScreenTexts.prompt_empty)
