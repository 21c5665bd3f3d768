"""How the program suits a terminal and its owner: theme, glyphs, keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from textual.app import App
from textual.filter import LineFilter

from inplace_tui.progress import Progress, ProgressError
from inplace_tui.ui.keymap import Keymap
from inplace_tui.ui.theme import THEMES, known


class Dressed(App[int]):
    """An app in the look that was chosen, with the learner's own keys."""

    def __init__(
        self, learner: Progress, *, glyphs: LineFilter | None = None, keymap: Keymap | None = None
    ) -> None:
        super().__init__()
        self.learner = learner
        self.keymap = keymap or Keymap()
        self._glyphs = () if glyphs is None else (glyphs,)

    def dress(self) -> None:
        """Put on the theme and the keys."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = known(self.learner.record.theme)
        self.set_keymap(self.keymap.bound())

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Add what the console needs to Textual's own."""
        return (*super().get_line_filters(), *self._glyphs)

    def action_theme(self) -> None:
        """Switch to the next theme."""
        names = [theme.name for theme in THEMES]
        place = names.index(self.theme) if self.theme in names else -1
        self.wear(names[(place + 1) % len(names)])

    def wear(self, name: str) -> None:
        """Switch to a theme, and keep the choice."""
        self.theme = name
        self.remember(theme=name)

    def remember(self, **chosen: str) -> None:
        """Keep a choice of the learner's, by its name in `Progress.remember`."""
        try:
            self.learner.remember(**chosen)
        except ProgressError as failure:
            self.unkept(failure)

    @abstractmethod
    def unkept(self, failure: ProgressError) -> None:
        """Tell that something could not be kept."""
