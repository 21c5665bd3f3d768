"""Pages and dialogs: when they are there, and when they are drawn.

Textual would mount what is being removed, lay a screen out for a size that the terminal has no
longer, and draw twice where one screen comes in front of another or widgets change in turn.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.await_remove import AwaitRemove
from textual.message_pump import MessagePump
from textual.screen import Screen

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts import say
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.keymap import keymap_of
from inplace_tui.tutorial.ui.keys import shown
from inplace_tui.tutorial.ui.textual_private.app import is_exiting
from inplace_tui.tutorial.ui.widgets.key_bar import key_of

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.app import InplaceApp


class BaseScreen(MessagePump):
    """A page or a dialog.

    No node of the style sheet: as the first base it would hide that its subclasses are screens.
    """

    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [
        (0, "-narrow"),
        (60, "-medium"),
        (100, "-wide"),
        (160, "-vast"),
    ]
    VERTICAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [
        (0, "-flat"),
        (20, "-short"),
        (34, "-tall"),
        (50, "-high"),
    ]

    _pruning: bool
    """Whether it is being taken away; Textual's."""

    can_be_pressed = False
    """Whether it was in front once, with the keys where they go first."""

    _repaint_required: bool
    """Whether all of it is to be drawn anew; Textual's, too."""

    @property
    def host(self) -> InplaceApp:
        """The app, with what is ours of it."""
        return cast("InplaceApp", self.app)

    @property
    def is_there(self) -> bool:
        """Whether all of it is there to be written on: it was laid out, and is not going."""
        return self._is_mounted and self.is_attached and not self._pruning

    @property
    def language(self) -> str:
        return self.host.language

    def say(self, text: LocalText, /, **values: object) -> str:
        return say(text, self.language, keys=keymap_of(self.app).labels, **values)

    @abstractmethod
    def notice(self, text: str) -> None:
        """Show something until the next key or click."""

    def note(self, text: LocalText, /, **values: object) -> None:
        self.notice(self.say(text, **values))

    def refuse_key(self, key: str) -> None:
        """Say of a key that it does nothing here."""
        screen = cast("Screen[object]", self)
        self.note(ScreenTexts.key_unused, key=shown(key), help=key_of("help", screen))

    def key_unused(self, key: str) -> None:
        """Answer a key that nothing took: none is silent. Some screens know why it does nothing."""
        self.refuse_key(key)

    async def on_event(self, event: events.Event) -> None:
        """Ignore the mount of what is being removed, and sizes that the terminal no longer has.

        A screen that is laid out anew sends itself its size: two sizes in a row would be sent
        in turn, for ever.
        """
        if isinstance(event, events.Mount) and (self._pruning or is_exiting(self.app)):
            return
        if isinstance(event, events.Resize):
            if event.size != self.app.size:
                return
            # The same size again comes from a terminal that shows something else by now.
            cast("Screen[object]", self).refresh()
        await super().on_event(event)
        if isinstance(event, events.ScreenResume):
            self.can_be_pressed = True

    async def until_laid_out(self) -> None:
        """Wait until what is shown is where it belongs: a key may scroll or measure it."""
        this = cast("Screen[object]", self)
        waits = this._layout_required or this._callbacks
        if waits and self.is_there and self.app.screen is this:
            laid_out = asyncio.Event()
            if self.call_after_refresh(laid_out.set):
                await laid_out.wait()

    def remove(self) -> AwaitRemove:
        """Remove it; the screen that is in front then draws itself, so that the app need not."""
        return self.app._prune(cast("Screen[object]", self))

    def _compositor_refresh(self) -> None:
        """Draw, unless all of it is about to be drawn: then once, with everything in its place.

        The screen in front draws those behind it, so a change there refreshes those between.
        """
        if self._repaint_required:
            return
        super()._compositor_refresh()  # type: ignore[misc]
        this, (*behind, front) = cast("Screen[object]", self), self.app.screen_stack
        if this is not front:
            self._repaint_required = False  # Textual would ask for it again, for ever
        for each, above in pairwise(behind):
            if each is this:
                above.refresh()

    def _on_timer_update(self) -> None:
        """Lay out and draw once all messages of widgets have been handled."""
        update = super()._on_timer_update  # type: ignore[misc]
        if self.message_queue_size:
            self.call_later(update)
        else:
            update()
