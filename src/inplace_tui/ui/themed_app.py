"""The app with the learner's theme and keys, and with the glyphs of the terminal."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from textual import events
from textual.filter import LineFilter, Monochrome
from textual.scrollbar import ScrollBar

from inplace_tui.lazy import LazyModule
from inplace_tui.ui import clipboard
from inplace_tui.ui.keymap import Keymap
from inplace_tui.ui.line_filters import COLOURLESS, SIXTEEN_COLOURS, ControlFilter
from inplace_tui.ui.textual_private.app import BaseApp
from inplace_tui.ui.theme import THEMES, colourless, theme_name
from inplace_tui.ui.widgets.lines import Lines
from inplace_tui.ui.widgets.scroll_bar import ThumbRender

if TYPE_CHECKING:
    from inplace_tui.engine.state.watch import Watch
    from inplace_tui.progress import Progress, ProgressError
    from inplace_tui.ui import deferred
else:
    deferred = LazyModule("inplace_tui.ui.deferred")


MOVEMENTS = ("next", "back", "into", "scrub", "scrub_back")
"""Actions that are one larger movement if many come in a row."""

MOVING_KEYS = frozenset({"up", "down", "left", "right", "pageup", "pagedown"})
"""Keys of panels, lists and editors that move the cursor and can't be rebound."""


class ThemedApp(BaseApp):
    """An app with the learner's theme, keys and progress."""

    def __init__(
        self,
        learner: Callable[[], Progress],
        *,
        theme: str | None = None,
        glyphs: LineFilter | None = None,
        keymap: Keymap | None = None,
    ) -> None:
        super().__init__()
        ScrollBar.renderer = ThumbRender
        self._read_learner = learner
        self.keymap = keymap or Keymap()
        self.watches: dict[str, Watch] = {}
        """The tensors that the learner watches, by program, until the end of the session."""

        self.no_color = bool(os.environ.get("NO_COLOR"))  # empty means nothing, by no-color.org
        # The same objects each time: Textual caches filtered lines by them.
        self._text_filters = (ControlFilter(), *(() if glyphs is None else (glyphs,)))
        few = self.console.color_system in {"standard", "windows"}
        self._colour_filters = (SIXTEEN_COLOURS,) if few else ()
        # Before anything is drawn: another theme would draw all of it anew.
        for each in THEMES:
            self.register_theme(colourless(each) if self.no_color else each)
        self.theme = theme_name(self.learner.record.theme if theme is None else theme)
        self.set_keymap(self.keymap.bound())

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Switch off the blinking cursor where animations are off."""
        widget = event.widget
        if self.animation_level != "none" or isinstance(widget, Lines):
            return  # the first frame has lines alone, and does not wait for what types
        if isinstance(widget, deferred.Input | deferred.TextArea):
            widget.cursor_blink = False

    def quits(self, key: str) -> bool:
        return key in self.keymap.keys("quit")

    def moves(self, key: str) -> bool:
        return key in MOVING_KEYS or key in self.keymap.keys(*MOVEMENTS)

    @cached_property
    def learner(self) -> Progress:
        return self._read_learner()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of this terminal; none depends on the text."""
        # Textual's own answer to NO_COLOR is grey, and greys are colours, too.
        own = (each for each in super().get_line_filters() if not isinstance(each, Monochrome))
        colours = (COLOURLESS,) if self.no_color else (*own, *self._colour_filters)
        return (*colours, *self._text_filters)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text: a panel's, or what is selected somewhere."""
        self.send_to_clipboard(text, clipboard.sequences(text, os.environ))

    def action_theme(self) -> None:
        names = [theme.name for theme in THEMES]
        place = names.index(self.theme) if self.theme in names else -1
        self.use_theme(names[(place + 1) % len(names)])

    def use_theme(self, name: str) -> None:
        self.theme = name
        self.remember(theme=name)

    def remember(self, **chosen: str) -> None:
        """Save a choice of the learner's, by its name in `Progress.remember`."""
        from inplace_tui.progress import ProgressError  # noqa: PLC0415  # not for the first frame

        try:
            self.learner.remember(**chosen)
        except ProgressError as failure:
            self.save_failed(failure)

    @abstractmethod
    def save_failed(self, failure: ProgressError) -> None: ...
