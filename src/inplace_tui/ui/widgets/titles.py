"""What panels are called on tabs, borders and the help page."""

from __future__ import annotations

from inplace_tui.texts import say
from inplace_tui.texts.panels import PANELS
from inplace_tui.ui.panels.panel import Panel


def title_of(panel: Panel, language: str) -> str:
    """Return the title of a panel."""
    title = say(PANELS[panel.KEY], language)
    return f"{title} · {panel.aside}" if panel.aside else title
