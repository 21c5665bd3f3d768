"""A Python editor: highlighted in the colours of the theme, indenting by itself."""

from __future__ import annotations

from rich.style import Style
from textual.events import Key
from textual.theme import Theme
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme

from inplace_tui.ui.theme import THEMES

INDENT = 4


def _colours(theme: Theme) -> TextAreaTheme:
    """Return what tree-sitter's names look like; the rest follows the style sheet."""
    keyword, string = Style(color=theme.accent), Style(color=theme.secondary)
    number, function = Style(color=theme.warning), Style(color=theme.primary)
    looks = {
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
    looks |= {f"keyword{word}": keyword for word in words}
    looks |= dict.fromkeys(("conditional", "repeat", "exception", "include"), keyword)
    return TextAreaTheme(name=theme.name, syntax_styles=looks)


class Editor(TextArea):
    """Edits one program. Esc is left to the screen; Enter keeps the indentation."""

    DEFAULT_CSS = """
    Editor { background: $surface; scrollbar-size: 1 1; }
    Editor > .text-area--gutter { color: $foreground 45%; background: $surface; }
    Editor > .text-area--cursor-line { background: $foreground 6%; }
    Editor > .text-area--cursor-gutter { background: $foreground 6%; color: $foreground; }
    """

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's)
        super().__init__(
            text,
            language="python",
            id=id,
            soft_wrap=False,
            tab_behavior="indent",
            show_line_numbers=True,
        )
        for theme in THEMES:
            self.register_theme(_colours(theme))

    def on_mount(self) -> None:
        """Follow the theme."""
        self._follow(self.app.current_theme)
        self.app.theme_changed_signal.subscribe(self, self._follow)

    async def _on_key(self, event: Key) -> None:
        """Leave Esc to the screen; indent what follows on Enter."""
        if event.key == "escape":
            event.prevent_default()
        elif event.key == "enter":
            event.prevent_default()
            event.stop()
            start, end = self.selection
            self._replace_via_keyboard("\n" + self._indentation(), start, end)
        elif event.key == "backspace" and self._before_cursor.isspace():
            event.prevent_default()
            event.stop()
            self._unindent()

    @property
    def _before_cursor(self) -> str:
        """The text between the start of the line and the cursor; nothing while text is selected."""
        row, column = self.cursor_location
        return self.document[row][:column] if self.selection.is_empty else ""

    def _indentation(self) -> str:
        row, column = min(self.selection.start, self.selection.end)
        before = self.document[row][:column]
        indentation = before[: len(before) - len(before.lstrip())]
        opens = before.rstrip().endswith((":", "(", "[", "{"))
        return indentation + " " * INDENT if opens else indentation

    def _unindent(self) -> None:
        """Take back one level of indentation."""
        row, column = self.cursor_location
        back = (column - 1) % INDENT + 1 if " " * column == self._before_cursor else 1
        self._delete_via_keyboard((row, column - back), (row, column))

    def _follow(self, theme: Theme) -> None:
        if theme.name in self.available_themes:
            self.theme = theme.name
