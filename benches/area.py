"""The peer of a letter in the editor: Textual's own area, nothing around it."""

import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import TextArea


class Area(App[None]):
    """One text area."""

    def compose(self) -> ComposeResult:
        """Show the program."""
        text = Path(sys.argv[1]).read_text(encoding="utf-8")
        area = TextArea.code_editor(text, language="python")
        area.cursor_blink = False
        yield area


if __name__ == "__main__":
    Area().run()
