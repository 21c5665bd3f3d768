"""Which tensors are watched without a screen: pinned, followed, hidden."""

from __future__ import annotations

from dataclasses import replace

from inplace_tui.commands.plain import panels
from inplace_tui.commands.plain.printer import Printer
from inplace_tui.commands.plain.typed import TypedCommand
from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.watch import Following, Watch
from inplace_tui.present.run_format import tensor_name
from inplace_tui.texts.screen import ScreenTexts


class WatchCommands:
    """Pins, follows and hides tensors."""

    def __init__(self) -> None:
        self._watch = Watch()
        self._following = Following()

    def over(self, view: View) -> View:
        return replace(view, watched=self._following.over(self._watch, view.source, view.snapshot))

    def take(self, typed: TypedCommand, view: View, printer: Printer) -> None:
        watch = self._watch
        if typed.name == "modules":
            hidden = not watch.without_modules
            self._watch = replace(watch, without_modules=hidden)
            printer.say(ScreenTexts.modules_hidden if hidden else ScreenTexts.modules_shown)
        elif typed.name == "follow" and not typed.rest:
            self._following.stop()
            printer.say(ScreenTexts.followed_none)
        elif (tensor := panels.require_tensor(typed.rest, view, printer)) is not None:
            name = tensor_name(tensor)
            if typed.name == "follow":
                self._following.choose(tensor, view.source)
                printer.say(ScreenTexts.followed, name=name)
            else:
                pinned = watch.pins(tensor) is not None
                self._watch = watch.with_pin(tensor)
                printer.say(ScreenTexts.unpinned if pinned else ScreenTexts.pinned, name=name)
