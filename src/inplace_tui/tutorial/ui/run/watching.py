"""The tensors that a learner watches in a run: pinned, followed or opened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.values import tensor_name
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.state.watch import Following, Watch
from inplace_tui.tutorial.ui.panels import TensorTable
from inplace_tui.tutorial.ui.screens.values import ValuesScreen

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


class WatchedTensors:
    """Pins, hides, follows and opens tensors."""

    def __init__(self, page: RunScreen) -> None:
        self._page = page
        self.following = Following()
        self._values: ValuesScreen | None = None

    def watched(self, view: View) -> View:
        kept = self._page.host.watches.get(_key(view), Watch())
        return replace(view, watched=self.following.over(kept, view.source, view.snapshot))

    def _keep(self, watch: Watch) -> None:
        self._page.host.watches[_key(self._page.view)] = replace(watch, followed=None)
        self._page.refresh_view()

    @property
    def chosen(self) -> Tensor | None:
        """The tensor that was chosen in the table, or is followed."""
        view = self._page.view
        number = self._page.query_one(TensorTable).pointed
        if number is None:
            number = view.watched.followed
        return view.snapshot.tensors.get(-1 if number is None else number)

    def _chosen_or_ask(self) -> Tensor | None:
        tensor = self.chosen
        if tensor is None:
            self._page.note(ScreenTexts.choose_tensor)
        return tensor

    def action_pin(self) -> None:
        tensor = self._chosen_or_ask()
        if tensor is not None:
            watch = self._page.view.watched
            is_pinned = watch.pins(tensor) is not None
            self._keep(watch.with_pin(tensor))
            self._page.note(
                ScreenTexts.unpinned if is_pinned else ScreenTexts.pinned, name=tensor_name(tensor)
            )

    def action_modules(self) -> None:
        """Hide what only modules and optimizers reach, or show it again."""
        watch = self._page.view.watched
        hidden = not watch.without_modules
        self._keep(replace(watch, without_modules=hidden))
        self._page.note(ScreenTexts.modules_hidden if hidden else ScreenTexts.modules_shown)

    def action_follow(self) -> None:
        """Follow the chosen tensor, or stop following."""
        page = self._page
        if self.following.is_on:
            self.following.stop()
            page.refresh_view()
            page.note(ScreenTexts.followed_none)
            return
        tensor = self._chosen_or_ask()
        if tensor is not None:
            self.following.choose(tensor, page.view.source)
            page.refresh_view()
            page.note(ScreenTexts.followed, name=tensor_name(tensor))

    # A tensor that is open.

    def action_open_tensor(self) -> None:
        """Open the chosen tensor, or the only one there is."""
        page = self._page
        shown = page.query_one(TensorTable).tensors(page.view)
        tensor = self.chosen or (shown[0] if len(shown) == 1 else None)
        if tensor is None:
            page.note(ScreenTexts.choose_tensor)
        elif self._values is None:
            self._values = ValuesScreen(page, tensor)
            page.app.push_screen(self._values, self._values_closed)

    def _values_closed(self, _: None) -> None:
        self._values = None
        self._page.refresh_view()

    def show_opened(self, view: View) -> None:
        if self._values is not None:
            self._values.show(view)

    def notice_over_opened(self, text: str, *, wrong: bool) -> None:
        if self._values is not None and self._values.is_there:
            self._values.notice(text, wrong=wrong)


def _key(view: View) -> str:
    """Return what tells one program from another: a lesson's, or a file's."""
    program = view.program
    return "" if program is None else f"{program.folder}/{program.filename}"
