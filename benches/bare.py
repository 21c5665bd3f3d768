"""The peer of the first frame: a header, a footer and one label."""

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Footer, Header, Label


class Bare(App[None]):
    """As little as an application can be."""

    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "quit")]

    def compose(self) -> ComposeResult:
        """Three widgets."""
        yield Header()
        yield Label("one label")
        yield Footer()


if __name__ == "__main__":
    Bare().run()
