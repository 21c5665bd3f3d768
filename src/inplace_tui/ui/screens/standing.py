"""What everything in front of the learner knows: whose it is, and whether all of it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from inplace_tui.ui.app import InplaceApp


class Standing(MessagePump):
    """A screen of ours, a page or a dialog.

    No node of the style sheet: as the first base it would hide that its heirs are screens.
    """

    _pruning: bool
    """Whether it is being taken away; Textual's."""

    can_be_pressed = False
    """Whether it was in front once, with the keys where they go first."""

    @property
    def program(self) -> InplaceApp:
        """The app, as what it is."""
        from inplace_tui.ui.app import InplaceApp  # noqa: PLC0415  # it imports the screens

        assert isinstance(self.app, InplaceApp)
        return self.app

    @property
    def is_there(self) -> bool:
        """Whether all of it is there to be written on: it was laid out, and is not going."""
        return self._is_mounted and self.is_attached and not self._pruning

    async def on_event(self, event: events.Event) -> None:
        """Set nothing up that is going already; take no size that the terminal has no longer.

        A screen that is laid out anew tells itself its size. Of two sizes in a row each
        would be told of again after the other, for ever.
        """
        match event:
            case events.Mount() if self._pruning or self.app._exit:
                return
            case events.Resize() if event.size != self.app.size:
                return
        await super().on_event(event)
        if isinstance(event, events.ScreenResume):
            self.can_be_pressed = True
