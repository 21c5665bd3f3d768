"""A Python editor: highlighted in the colours of the theme, with notes on its lines."""

from __future__ import annotations

from inplace_tui.ui.widgets.annotated import Annotated


class Editor(Annotated):
    """Edits one program."""

    DEFAULT_CSS = """
    Editor { background: $surface; scrollbar-size: 1 1; border: none; padding: 0; }
    Editor:focus { border: none; }
    Editor > .text-area--gutter { color: $foreground 45%; background: $surface; }
    Editor > .text-area--cursor-line { background: $foreground 6%; }
    Editor > .text-area--cursor-gutter { background: $foreground 6%; color: $foreground; }
    """
