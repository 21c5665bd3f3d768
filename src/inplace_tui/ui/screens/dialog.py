"""Small screens in front of another: a question with answers, a line to type, a page to read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inplace_tui.present.cells import clip, wrap
from inplace_tui.present.rows import Row, Span, Style, Target, more
from inplace_tui.texts import say
from inplace_tui.texts.screen import TEXTS
from inplace_tui.ui.keys import ascii_key
from inplace_tui.ui.pressing import pressing
from inplace_tui.ui.screens.page import HEIGHTS, WIDTHS
from inplace_tui.ui.screens.standing import Standing
from inplace_tui.ui.widgets.keyed_text import KeyedText
from inplace_tui.ui.widgets.lines import Lines

Result = TypeVar("Result")


class Dialog(Standing, ModalScreen[Result | None]):
    """Something in front. Esc leads back; the program can be left from here too."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "back"),
        Binding("ctrl+q", "app.quit", "quit", id="quit"),
    ]

    def say(self, key: str, /, **values: object) -> str:
        """Return one of the screens' texts."""
        return say(TEXTS, key, self.program.language, keys=pressing(self.app), **values)

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave, once: a key that was pressed twice is not meant for what is behind."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def action_cancel(self) -> None:
        """Go back with nothing."""
        self.dismiss(None)

    def on_click(self, event: Click) -> None:
        """Go back by a click beside it, or on its lower edge, where the way back stands."""
        box = self.query_one(".dialog").region
        if not box.contains_point(event.screen_offset) or event.screen_y == box.bottom - 1:
            event.stop()
            self.action_cancel()

    def retell(self) -> None:
        """Say everything again in another language."""


class Choices(Lines):
    """Rows of which several may stand for one choice: up and down go from one to the next."""

    def action_move(self, step: int) -> None:
        """Move to the next choice if its first row is in sight, else by a row."""
        other = self._other(step)
        top = self.scroll_offset.y
        if other is not None and top <= other < top + self.scrollable_content_region.height:
            self.cursor = other
            self.reveal(other, margin=1)
        else:
            super().action_move(step)

    def _other(self, step: int) -> int | None:
        """Return the first row of the next choice; None where there is none, or no cursor."""
        if self.cursor is None:
            return None
        choices = [row.target.choice for row in self.rows]
        index = self.cursor
        while 0 <= index < len(choices) and choices[index] in (None, choices[self.cursor]):
            index += step
        return choices.index(choices[index]) if 0 <= index < len(choices) else None


class Sheet(Dialog[Result]):
    """Rows that scroll in a box, written anew for every width and language.

    Where rows have a `Target.choice`, Enter and a click take the one they stand for.
    """

    def compose(self) -> ComposeResult:
        """The rows; what is around them is written with them."""
        with Vertical(classes="dialog -page"):
            yield Choices()

    @abstractmethod
    def heading(self) -> str:
        """Return what the box is called."""

    @abstractmethod
    def foot(self) -> str:
        """Return what can be done here, in a line."""

    @abstractmethod
    def rows(self, room: int) -> Sequence[Row]:
        """Return the rows, none wider than `room` cells."""

    def first(self) -> int | None:
        """Return the choice with the cursor at the beginning; None for no cursor."""
        return None

    def results(self) -> Sequence[Result]:
        """Return what the sheet is left with, choice by choice."""
        return ()

    def on_mount(self) -> None:
        """Write once the width is known."""
        self.query_one(Lines).focus()
        self.retell()

    def on_resize(self) -> None:
        """Wrap anew."""
        self.retell()

    def retell(self) -> None:
        """Write once the layout is that of now."""
        self.call_after_refresh(self.write)

    def write(self) -> None:
        """Show what is known by now, while there is something to show it on."""
        if not self.is_there:
            return
        box, lines = self.query_one(".dialog"), self.query_one(Lines)
        box.border_title, box.border_subtitle = self.heading(), self.foot()
        room = lines.scrollable_content_region.width
        if room <= 0:
            return
        lines.draw(self.rows(room))
        first = self.first()
        if lines.cursor is None and first is not None:
            places = [at for at, row in enumerate(lines.rows) if row.target.choice == first]
            if places:
                lines.cursor = places[0]
                self.call_after_refresh(lines.reveal, places[0])

    def take(self, choice: int) -> None:
        """Leave with what this stands for."""
        results = self.results()
        if choice < len(results):
            self.dismiss(results[choice])

    @on(Lines.Chosen)
    def _chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if event.target.choice is not None:
            self.take(event.target.choice)


class NumberedSheet(Sheet[Result]):
    """A sheet whose choices are numbered from 1, so that a digit takes one."""

    def on_key(self, event: Key) -> None:
        """A digit chooses."""
        character = ascii_key(event).character
        if character is not None and character.isdecimal() and character != "0":
            event.stop()
            self.take(int(character) - 1)


class Ask(NumberedSheet[str]):
    """Asks which of a few things to do; each has a number."""

    def __init__(self, question: str, answers: Sequence[tuple[str, str]]) -> None:
        """Ask `question`; `answers` are (id, text), the id of the chosen one is the result."""
        super().__init__()
        self._question = question
        self._answers = tuple(answers)

    def on_mount(self) -> None:
        """Take no more room than a sentence needs."""
        self.query_one(".dialog").add_class("-question")
        super().on_mount()

    def heading(self) -> str:
        """The question is below."""
        return ""

    def foot(self) -> str:
        """The ways out are above."""
        return ""

    def rows(self, room: int) -> list[Row]:
        """The question, and a line for each answer."""
        asked = [Row(line) for line in wrap([Span(self._question, Style.STRONG)], room)]
        answers = [
            Row((Span(f" {at + 1} ", Style.NAME), Span(clip(text, room - 3))), Target(choice=at))
            for at, (_, text) in enumerate(self._answers)
        ]
        back = (Span(" Esc ", Style.NAME), Span(self.say("do-cancel")))
        return [*asked, Row(), *answers, more(back, Target(action="cancel"))]

    def results(self) -> list[str]:
        """The ids of the answers."""
        return [identity for identity, _ in self._answers]


class Prompt(Dialog[str]):
    """Asks for a line of text."""

    def __init__(self, question: str, *, text: str = "", lead: str | None = None) -> None:
        """Ask a question.

        Args:
            question: to be answered with a line.
            text: what stands there already.
            lead: how to end it; None speaks of files.
        """
        super().__init__()
        self._question = question
        self._text = text
        self._lead = lead

    def compose(self) -> ComposeResult:
        """The question, the line, and how to end it."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._question), classes="dialog--lead")
            yield Input(self._text)
            lead = self._lead or self.say("prompt-lead")
            yield KeyedText(Content(lead), classes="dialog--foot")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if text:
            self.dismiss(text)
        else:
            self.query_one(".dialog--foot", Static).update(Content(self.say("prompt-empty")))
