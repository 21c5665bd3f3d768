"""A text area for Python: it indents, moves and comments blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.theme import Theme
from textual.widgets.text_area import Selection, TextAreaTheme

from inplace_tui.engine.editor import indentation
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.textual_private.app import run_binding
from inplace_tui.ui.textual_private.text_area import IncrementalTextArea
from inplace_tui.ui.textual_private.widget import unbind
from inplace_tui.ui.theme import THEMES
from inplace_tui.ui.widgets.lines import Lines

INDENT = indentation.INDENT


def _colours(theme: Theme) -> TextAreaTheme:
    """Return the styles of tree-sitter's names; the rest follows the style sheet."""
    keyword, string = Style(color=theme.accent), Style(color=theme.secondary)
    number, function = Style(color=theme.warning), Style(color=theme.primary)
    styles = {
        "comment": Style(color=theme.foreground, dim=True, italic=True),
        "string": string,
        "string.documentation": string,
        "number": number,
        "float": number,
        "boolean": number,
        "constant.builtin": number,
        "function": function,
        "function.call": function,
        "method": function,
        "method.call": function,
    }
    words = ("", ".function", ".return", ".operator")
    styles |= {f"keyword{word}": keyword for word in words}
    styles |= dict.fromkeys(("conditional", "repeat", "exception", "include"), keyword)
    return TextAreaTheme(name=theme.name, syntax_styles=styles)


class PythonArea(IncrementalTextArea):
    """Edits one program. Esc is the screen's; Enter keeps the indentation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "first_line", show=False),
        Binding("ctrl+end", "last_line", show=False),
    ]

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's)
        super().__init__(text, id=id)
        for theme in THEMES:
            self.register_theme(_colours(theme))

    def on_mount(self) -> None:
        self._follow(self.app.current_theme)
        self.app.theme_changed_signal.subscribe(self, self._follow)

    def leave_keys(self, keys: frozenset[str]) -> None:
        """Leave these keys to the screen, whatever a text area does with them."""
        unbind(self, keys)

    def replace_all(self, text: str) -> None:
        self.history.checkpoint()
        self.replace(text, (0, 0), self.document.end)
        self.history.checkpoint()

    async def on_key(self, event: Key) -> None:
        """Indent what follows on Enter, and blocks on Tab; no key of the screen's is text."""
        match event.key:
            case "enter":
                self._break_line()
            case "tab" if self._spans_lines:
                self.change_lines(lambda lines: indentation.moved(lines, 1))
            case "shift+tab":
                self.change_lines(lambda lines: indentation.moved(lines, -1))
            case "backspace" if self._before_cursor.isspace():
                self._unindent()
            case key if not event.is_printable and await run_binding(self.app, key):
                pass
            case "escape":
                pass  # a text area would leave the focus
            case _:
                return
        event.prevent_default()
        event.stop()

    def change_lines(self, change: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Change the lines that are selected, or the cursor's, in one step that can be undone."""
        top, bottom = sorted((self.selection.start, self.selection.end))
        last = bottom[0] - 1 if bottom[1] == 0 and bottom[0] > top[0] else bottom[0]
        before = [self.document[row] for row in range(top[0], last + 1)]
        after = list(change(before))
        if after == before:
            return
        selection = self.selection
        self.history.checkpoint()
        self.replace("\n".join(after), (top[0], 0), (last, len(before[-1])))
        self.history.checkpoint()
        self.selection = Selection(
            *(
                self._shifted(place, top[0], before, after)
                for place in (selection.start, selection.end)
            )
        )

    def _shifted(
        self,
        place: tuple[int, int],
        top: int,
        before: Sequence[str],
        after: Sequence[str],
    ) -> tuple[int, int]:
        row, column = place
        if not 0 <= row - top < len(before) or (column == 0 and not self.selection.is_empty):
            return place
        grown = len(after[row - top]) - len(before[row - top])
        return row, max(0, column + grown)

    def action_undo(self) -> None:
        if not self.history.undo_stack:
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_to_undo))
        super().action_undo()

    def action_redo(self) -> None:
        if not self.history.redo_stack:
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_to_redo))
        super().action_redo()

    def action_paste(self) -> None:
        """Paste what was copied here: what was copied elsewhere comes from the terminal."""
        if not self.app.clipboard:
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_copied))
        super().action_paste()

    def action_first_line(self) -> None:
        self.move_cursor((0, 0))

    def action_last_line(self) -> None:
        self.move_cursor(self.document.end)

    def action_comment(self) -> None:
        self.change_lines(indentation.commented)

    @property
    def _spans_lines(self) -> bool:
        return self.selection.start[0] != self.selection.end[0]

    @property
    def _before_cursor(self) -> str:
        """The text between the start of the line and the cursor; nothing while text is selected."""
        row, column = self.cursor_location
        return self.document[row][:column] if self.selection.is_empty else ""

    def _break_line(self) -> None:
        start, end = sorted((self.selection.start, self.selection.end))
        first = max(0, start[0] - indentation.LOOK_BACK)
        before = [self.document[row] for row in range(first, start[0])]
        before.append(self.document[start[0]][: start[1]])
        self.replace("\n" + indentation.after(before), start, end, maintain_selection_offset=False)

    def _unindent(self) -> None:
        row, column = self.cursor_location
        back = (column - 1) % INDENT + 1 if " " * column == self._before_cursor else 1
        self.replace("", (row, column - back), (row, column), maintain_selection_offset=False)

    def _follow(self, theme: Theme) -> None:
        if theme.name in self.available_themes:
            self.theme = theme.name
