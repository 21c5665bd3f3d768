"""The editor with its find bar."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets.text_area import Selection

from inplace_tui.engine.editor import search
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.widgets.editor import Editor
from inplace_tui.ui.widgets.find_bar import FindBar
from inplace_tui.ui.widgets.lines import Lines


class EditorPane(Vertical):
    """A program to write, and to find something in."""

    DEFAULT_CSS = """
    EditorPane {
        border-title-color: $text-muted;
        &:focus-within { border-title-color: $primary; border-title-style: bold; }
        & Editor { height: 1fr; }
    }
    """

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's)
        super().__init__(id=id)
        self.editor = Editor(text)
        """The text."""

        self._sought = ""
        self._places: tuple[search.Match, ...] = ()
        self._anchor = (0, 0)
        self._now: int | None = None

    def compose(self) -> ComposeResult:
        yield self.editor
        yield FindBar()

    def update_texts(self, language: str) -> None:
        self.query_one(FindBar).update_texts(language)

    @property
    def is_finding(self) -> bool:
        return self.query_one(FindBar).is_open

    def find(self, language: str) -> None:
        """Ask what to find: at first what is selected, or the last query."""
        editor = self.editor
        selected = editor.selected_text
        self._anchor = min(editor.selection.start, editor.selection.end)
        text = selected if selected and "\n" not in selected else self._sought
        self.query_one(FindBar).open(language, text)

    def find_next(self, by: int = 1) -> bool:
        """Go to the next match; return whether there is a query at all."""
        if not self._sought:
            return False
        self._search(self._sought)
        if self._places:
            start, end = sorted((self.editor.selection.start, self.editor.selection.end))
            beyond = end if self._now is not None else start
            if by > 0:
                self._go(search.after(self._places, beyond))
            else:
                self._go(search.before(self._places, start))
        self._show_matches()
        return True

    def _search(self, text: str) -> None:
        self._sought = text
        editor = self.editor
        lines = [editor.document[row] for row in range(editor.document.line_count)]
        self._places = search.matches(lines, text)
        selection = editor.selection
        here = (*min(selection.start, selection.end), max(selection.start, selection.end)[1])
        spots = [(each.row, each.start, each.end) for each in self._places]
        self._now = spots.index(here) if here in spots else None

    def _go(self, number: int) -> None:
        place = self._places[number]
        self._now = number
        self.editor.selection = Selection((place.row, place.start), (place.row, place.end))
        self.editor.scroll_cursor_visible(center=True, animate=False)

    def _show_matches(self) -> None:
        bar = self.query_one(FindBar)
        bar.count(self._now, len(self._places))
        if bar.is_open:
            self.editor.mark_found(self._places, self._now)

    @on(FindBar.QueryChanged)
    def _is_sought(self, event: FindBar.QueryChanged) -> None:
        event.stop()
        self._search(event.text)
        if self._places:
            self._go(search.after(self._places, self._anchor))
        else:
            self._now = None
            self.editor.move_cursor(self._anchor)
        self._show_matches()

    @on(FindBar.Stepped)
    def _step(self, event: FindBar.Stepped) -> None:
        event.stop()
        if not self.find_next(event.by):
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_sought))
        elif not self._places:
            self.post_message(Lines.EdgeReached(EditorTexts.found_none))

    @on(FindBar.Replaced)
    def _replace(self, event: FindBar.Replaced) -> None:
        event.stop()
        editor = self.editor
        self._search(self._sought)
        chosen = self._places if event.everywhere else ()
        if not event.everywhere and self._now is not None:
            chosen = (self._places[self._now],)
        editor.history.checkpoint()
        for place in reversed(chosen):
            editor.replace(event.text, (place.row, place.start), (place.row, place.end))
        if not event.everywhere:
            editor.history.checkpoint()
            self._now = None
            if chosen:
                end = chosen[0].start + len(event.text)
                editor.move_cursor((chosen[0].row, end))
            self.find_next()
            return
        editor.history.checkpoint()
        self._search(self._sought)
        self._show_matches()

    @on(FindBar.Dismissed)
    def _bar_closed(self, event: FindBar.Dismissed) -> None:
        event.stop()
        self.close()

    def close(self) -> None:
        """Return to the text, at the match."""
        bar = self.query_one(FindBar)
        if not bar.is_open:
            return
        bar.close()
        self.editor.mark_found((), None)
        self.screen.set_focus(self.editor)
