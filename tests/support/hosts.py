"""The smallest app that can hold a panel."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.app import App, ComposeResult
from textual.dom import DOMNode
from textual.message import Message

from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.panels import GraphPanel, LanesPanel, Panel, TensorTable
from inplace_tui.tutorial.ui.theme import THEMES


class Host(App[None]):
    """Shows one panel, and keeps what it said."""

    CSS = "Panel { width: 1fr; height: 1fr; }"

    def __init__(self, panel: Panel, view: View, language: str = "en") -> None:
        super().__init__()
        self.panel, self.view, self.language = panel, view, language
        self.said: list[tuple[str, object]] = []

    def compose(self) -> ComposeResult:
        """The panel and nothing else."""
        yield self.panel

    def on_mount(self) -> None:
        """Show the view."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.panel.show(self.view, self.language)

    @on(GraphPanel.NodeChosen)
    @on(LanesPanel.LaneChosen)
    @on(TensorTable.Selected)
    @on(Panel.Signalled)
    def keep(self, message: Message) -> None:
        """Remember what a panel said, without the panel itself."""
        words = {k: v for k, v in vars(message).items() if not k.startswith("_") and k != "panel"}
        self.said.append((type(message).__qualname__, words))

    async def run_action(  # type: ignore[override]
        self, action: str, default_namespace: DOMNode | None = None, *rest: Any
    ) -> bool:
        """Remember which way time was turned."""
        if not action.startswith("scrub"):
            return await super().run_action(action, default_namespace, *rest)
        self.said.append((action, {}))
        return True
