"""The peer of a key under load: an app that counts keys."""

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Label


class Counter(App[None]):
    """Shows how many keys were pressed."""

    def compose(self) -> ComposeResult:
        """One label."""
        self.count = 0
        self.label = Label("keys: 0")
        yield self.label

    def on_key(self, _: Key) -> None:
        """Count."""
        self.count += 1
        self.label.update(f"keys: {self.count}")


if __name__ == "__main__":
    Counter().run()
