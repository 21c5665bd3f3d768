"""What every screen has: a bar above, a status line and the keys below."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.screen import Screen

from inplace_tui.common.cells import wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Span
from inplace_tui.tutorial.ui.keys import ACTIONS, shown
from inplace_tui.tutorial.ui.textual_private.app import BaseScreen
from inplace_tui.tutorial.ui.widgets.bars import NOTHING, Bar, KeyBar
from inplace_tui.tutorial.ui.widgets.lines import Lines


class Page(BaseScreen, Screen[None]):
    """A full screen. Bars are its own; `compose_body` gives the rest."""

    ESCAPE_TO_MINIMIZE: ClassVar[bool | None] = False
    AUTO_FOCUS: ClassVar[str | None] = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "other_part", "other part", show=False)
    ]

    def __init__(self) -> None:
        super().__init__()
        self._notice: Content | None = None
        self._meaning = NOTHING

    def compose(self) -> ComposeResult:
        yield Bar(id="title")
        yield from self.compose_body()
        yield Bar(id="status")
        yield KeyBar(id="keys")

    @abstractmethod
    def compose_body(self) -> ComposeResult:
        """Give what is between the bars."""

    async def on_click(self, event: Click) -> None:
        """Open the palette by a click on the title: a small screen has no other line for it."""
        if self.query_one("#title").region.contains_point(event.screen_offset):
            event.stop()
            await self.host.run_action("commands")

    def has_to_wait(self, key: str | None) -> bool:  # noqa: ARG002  (of a run)
        """Whether a key, or a click, has to wait for what was pressed before."""
        return False

    def key_waits(self) -> None:
        """Say that what was pressed is done once the page has caught up."""

    def keys_dropped(self) -> None:
        """What was pressed before this key is not done: a key went first."""

    def goes_first(self, key: str) -> bool:  # noqa: ARG002  (of a run)
        """Whether a key is answered at once while the page catches up: what waits is dropped."""
        return False

    def save_all(self) -> None:
        """Save what would be lost if the program ended now."""

    # What a subclass may show.

    @property
    def promoted(self) -> tuple[str, ...]:
        """Names of the actions whose keys come first in the footer at this moment."""
        return ()

    @property
    def idle(self) -> tuple[str, ...]:
        """Names of the actions that would only say why they don't work now."""
        return ()

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        """By the names of actions, what their keys do at this moment, where it is not the usual."""
        return {}

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        """By the names of actions, why their keys do nothing now, or never do on this page."""
        return {}

    def update_texts(self) -> None:
        self.show_title()
        self.show_status()
        self.query_one(KeyBar).follow()

    def show_title(self) -> None: ...

    def quiet_status(self) -> tuple[Content, Content]:
        """Return what the status line shows when there is no notice."""
        return Content(""), Content("")

    @property
    def trouble(self) -> Content | None:
        """What the worker waits for, or why it can't serve."""
        return self.host.worker_notice()

    def show_status(self) -> None:
        """Write the status line: a notice, else the worker's trouble, else what is quiet.

        A notice that has no room there goes on in the line of keys: the next key takes it away.
        """
        left, right = self.quiet_status()
        rest = NOTHING
        trouble = self.trouble
        if self._notice is not None:
            left, rest = self._in_two(self._notice)
            if rest or left.cell_length + 2 + right.cell_length > self._line:
                right = NOTHING
        elif trouble is not None:
            left = trouble
        elif self.meaning:
            left, right = self.meaning, NOTHING
        if self.is_there:
            self.query_one("#status", Bar).show(left, right)
            self.query_one(KeyBar).show_instead(rest)

    @property
    def _line(self) -> int:
        return self.size.width - 2

    def _in_two(self, notice: Content) -> tuple[Content, Content]:
        """Return what of a notice has room in a line, and the rest."""
        text = notice.plain
        lines = wrap([Span(text)], self._line)
        line = "".join(span.text for spans in lines[:1] for span in spans)
        return notice[: len(line)], notice[len(text) - len(text[len(line) :].lstrip()) :]

    def notice(self, text: str, *, wrong: bool = False) -> None:
        """Show a notice until the next key or click."""
        self._notice = Content.styled(text, "$error" if wrong else "$warning")
        self.show_status()

    def explain(self, text: Content) -> None:
        """Tell the learner what a word means, until the next key or click."""
        self._meaning = text
        self.show_status()

    @property
    def meaning(self) -> Content:
        """What is explained now: nothing where there is something to notice, or no room."""
        is_hidden = self._notice is not None or self.trouble is not None
        return NOTHING if is_hidden or self._meaning.cell_length > self._line else self._meaning

    def clear_notice(self) -> None:
        if self._notice is not None or self._meaning:
            self._notice, self._meaning = None, NOTHING
            self.show_status()

    def key_unused(self, key: str) -> None:
        own = {binding.id for binding in self.BINDINGS if isinstance(binding, Binding)}
        keymap, reasons = self.host.keymap, self.why_not
        for action in ACTIONS:
            if action.id in own and key in keymap.keys(action.id) and action.name in reasons:
                self.note(reasons[action.name], key=shown(key))
                return
        self.refuse_key(key)

    def on_lines_edge_reached(self, event: Lines.EdgeReached) -> None:
        self.note(event.text)

    def on_screen_resume(self) -> None:
        self.resumed()

    def resumed(self) -> None:
        if self.is_there:
            self.update_texts()
