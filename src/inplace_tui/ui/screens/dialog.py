"""Small screens in front of another: a question with answers, a line to type, a page to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inplace_tui.texts import say
from inplace_tui.texts.screen import TEXTS
from inplace_tui.ui.screens.page import HEIGHTS, WIDTHS

if TYPE_CHECKING:
    from inplace_tui.ui.app import InplaceApp

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None]):
    """Something in front. Esc leads back; the program can be left from here too."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "back"),
        Binding("ctrl+q", "app.quit", "quit", id="quit"),
    ]

    @property
    def program(self) -> InplaceApp:
        """The app, as what it is."""
        from inplace_tui.ui.app import InplaceApp  # noqa: PLC0415  # it imports the screens

        assert isinstance(self.app, InplaceApp)
        return self.app

    def say(self, key: str, /, **values: object) -> str:
        """Return one of the screens' texts."""
        return say(TEXTS, key, self.program.language, **values)

    def action_cancel(self) -> None:
        """Go back with nothing."""
        self.dismiss(None)

    def retell(self) -> None:
        """Say everything again in another language."""


class Ask(Dialog[str]):
    """Asks which of a few things to do; each has a number."""

    def __init__(self, question: str, answers: Sequence[tuple[str, str]]) -> None:
        """Ask `question`; `answers` are (id, text), the id of the chosen one is the result."""
        super().__init__()
        self._question = question
        self._answers = tuple(answers)

    def compose(self) -> ComposeResult:
        """The question, and a line for each answer."""
        lines = [
            Content.assemble((f" {number} ", "bold $primary"), text)
            for number, (_, text) in enumerate(self._answers, 1)
        ]
        lines.append(Content.assemble((" Esc ", "bold $primary"), self.say("do-cancel")))
        with Vertical(classes="dialog"):
            yield Static(Content(self._question), classes="dialog--lead")
            yield Static(Content("\n").join(lines))

    def key_1(self) -> None:
        """Take the first answer."""
        self._take(0)

    def key_2(self) -> None:
        """Take the second answer."""
        self._take(1)

    def key_3(self) -> None:
        """Take the third answer."""
        self._take(2)

    def _take(self, place: int) -> None:
        if place < len(self._answers):
            self.dismiss(self._answers[place][0])


class Prompt(Dialog[str]):
    """Asks for a line of text."""

    def __init__(self, question: str, *, text: str = "") -> None:
        super().__init__()
        self._question = question
        self._text = text

    def compose(self) -> ComposeResult:
        """The question, the line, and how to end it."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._question), classes="dialog--lead")
            yield Input(self._text)
            yield Static(Content(self.say("prompt-lead")), classes="dialog--foot")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if text:
            self.dismiss(text)
        else:
            self.query_one(".dialog--foot", Static).update(Content(self.say("prompt-empty")))
