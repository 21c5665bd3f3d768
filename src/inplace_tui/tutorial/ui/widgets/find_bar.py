"""The line below the editor that finds and replaces."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Key
from textual.widgets import Input, Static
from textual.widgets.text_area import Selection

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts import say
from inplace_tui.common.texts.writing import EditorTexts
from inplace_tui.tutorial.editor import search
from inplace_tui.tutorial.ui.textual_private.compositor import unbind
from inplace_tui.tutorial.ui.widgets.bars import ClickableKeys
from inplace_tui.tutorial.ui.widgets.editor import Editor
from inplace_tui.tutorial.ui.widgets.lines import Lines

SMALL, TINY = 80, 50
"""Width in cells below which keys have no explanation, and below which they are left out.

So is the count then, while one replaces.
"""


class _Field(Input):
    """A line to type, which leaves to the bar and the screen what are keys of theirs."""

    def on_mount(self) -> None:
        unbind(self, ("ctrl+f", "ctrl+g"))

    def on_key(self, event: Key) -> None:
        # Terminals send Alt-A as Escape and a letter, and Textual hands on the letter.
        if event.key.startswith("alt+"):
            event.prevent_default()


class FindBar(Horizontal):
    """Asks for a text, goes to its matches, shows how many there are, and replaces them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", show=False),
        Binding("up,shift+tab", "step(-1)", show=False),
        Binding("tab", "other_field", show=False),
        Binding("escape", "close", show=False),
        Binding("alt+a", "replace_all", show=False),
    ]

    DEFAULT_CSS = """
    FindBar { height: 1; width: 1fr; display: none; background: $panel; padding: 0 1; }
    FindBar.-open { display: block; }
    FindBar Input { border: none; height: 1; width: 1fr; padding: 0; background: $surface; }
    FindBar Input:focus { border: none; background: $foreground 10%; }
    FindBar Static { width: auto; }
    FindBar .find--count { padding: 0 1; }
    FindBar .find--keys { color: $text-muted; }
    FindBar #replace, FindBar #replace-label { display: none; }
    FindBar.-replacing #replace, FindBar.-replacing #replace-label { display: block; }
    FindBar #replace-label { padding: 0 0 0 1; }
    FindBar.-tiny .find--keys { display: none; }
    FindBar.-tiny.-replacing .find--count { display: none; }
    """

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._sought = ""
        self._places: tuple[search.Match, ...] = ()
        self._anchor = (0, 0)
        self._now: int | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="find-label")
        yield _Field(id="find", select_on_focus=True)
        yield Static(classes="find--count")
        yield Static(id="replace-label")
        yield _Field(id="replace", select_on_focus=True)
        yield ClickableKeys(classes="find--keys")

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def find(self) -> None:
        """Ask what to find: at first what is selected, or the last query."""
        editor = self._editor
        selected = editor.selected_text
        self._anchor = min(editor.selection.start, editor.selection.end)
        text = selected if selected and "\n" not in selected else self._sought
        self.remove_class("-replacing")
        self.add_class("-open")
        field = self.query_one("#find", Input)
        if text:
            field.value = text
        self.screen.set_focus(field)  # now: the next letter may be here already
        self.update_texts()
        self._seek(field.value)

    def update_texts(self) -> None:
        for name, label in (("find", EditorTexts.find), ("replace", EditorTexts.replace)):
            self.query_one(f"#{name}-label", Static).update(Content(f"{self._say(label)} "))
        self._show_matches()
        self._show_keys()

    def on_resize(self) -> None:
        self.set_class(self.size.width < SMALL, "-small")
        self.set_class(self.size.width < TINY, "-tiny")
        self._show_keys()

    def find_next(self, by: int = 1) -> bool:
        """Go to the next match; return whether there is a query at all."""
        if not self._sought:
            return False
        self._search(self._sought)
        if self._places:
            start, end = sorted((self._editor.selection.start, self._editor.selection.end))
            beyond = end if self._now is not None else start
            if by > 0:
                self._go(search.after(self._places, beyond))
            else:
                self._go(search.before(self._places, start))
        self._show_matches()
        return True

    def _search(self, text: str) -> None:
        self._sought = text
        document, selection = self._editor.document, self._editor.selection
        self._places = search.matches(document.lines, text)
        start, end = sorted((selection.start, selection.end))
        here = search.Match(*start, end[1])
        self._now = self._places.index(here) if here in self._places else None

    def _go(self, number: int) -> None:
        place = self._places[number]
        self._now = number
        self._editor.selection = Selection((place.row, place.start), (place.row, place.end))
        self._editor.scroll_cursor_visible(center=True, animate=False)

    def _show_matches(self) -> None:
        at, count = self._now, len(self._places)
        text, style = self._say(EditorTexts.found_none), "$warning"
        if count:
            text = self._say(EditorTexts.found, at=0 if at is None else at + 1, count=count)
            style = "$text-muted"
        shown = Content.styled(text, style) if self.query_one("#find", Input).value else Content("")
        self.query_one(".find--count", Static).update(shown)
        if self.is_open:
            self._editor.mark_found(self._places, at)

    def _seek(self, text: str) -> None:
        """Go to the first match from where the search began; to there, where nothing matches."""
        self._search(text)
        if self._places:
            self._go(search.after(self._places, self._anchor))
        else:
            self._now = None
            self._editor.move_cursor(self._anchor)
        self._show_matches()

    def _replace(self, text: str, *, everywhere: bool) -> None:
        """Replace the match and go to the next one, or replace all of them."""
        editor = self._editor
        self._search(self._sought)
        chosen = self._places if everywhere else ()
        if not everywhere and self._now is not None:
            chosen = (self._places[self._now],)
        editor.history.checkpoint()
        for place in reversed(chosen):
            editor.replace(text, (place.row, place.start), (place.row, place.end))
        editor.history.checkpoint()
        if everywhere:
            self._search(self._sought)
            self._show_matches()
            return
        self._now = None
        if chosen:
            editor.move_cursor((chosen[0].row, chosen[0].start + len(text)))
        self.find_next()

    def action_step(self, by: int) -> None:
        """Go to the next match, or to the one before; say so where there is none."""
        if not self.find_next(by):
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_sought))
        elif not self._places:
            self.post_message(Lines.EdgeReached(EditorTexts.found_none))

    def action_other_field(self) -> None:
        self.add_class("-replacing")
        find, replacement = self.query_one("#find", Input), self.query_one("#replace", Input)
        self.screen.set_focus(find if replacement.has_focus else replacement)
        self._show_keys()

    def action_replace_all(self) -> None:
        replacement = self.query_one("#replace", Input)
        if replacement.has_focus:
            self._replace(replacement.value, everywhere=True)
        else:
            self.action_close()

    def action_close(self) -> None:
        """Return to the text, at the match."""
        if self.is_open:
            self.remove_class("-open", "-replacing")
            self._editor.mark_found((), None)
            self.screen.set_focus(self._editor)

    @on(Input.Changed, "#find")
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self._seek(event.value)

    @on(Input.Changed, "#replace")
    def _replacement_changed(self, event: Input.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == "find":
            self.action_step(1)
        else:
            self._replace(event.value, everywhere=False)

    def _show_keys(self) -> None:
        small = self.has_class("-small")
        if self.has_class("-replacing"):
            keys = EditorTexts.replace_keys_short if small else EditorTexts.replace_keys
        else:
            keys = EditorTexts.find_keys_short if small else EditorTexts.find_keys
        self.query_one(".find--keys", Static).update(Content(self._say(keys)))

    def _say(self, text: LocalText, **values: object) -> str:
        return say(text, getattr(self.app, "language", "en"), **values)
