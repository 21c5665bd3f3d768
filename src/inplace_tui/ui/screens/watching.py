"""What a learner keeps an eye on in a run: tensors that are pinned, followed or open."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from textual import on
from textual.content import Content

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.watch import Following, Watch
from inplace_tui.model.snapshot import Tensor
from inplace_tui.present.tensor_notes import tensor_name
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.panels import TensorTable
from inplace_tui.ui.screens.staging import Staging
from inplace_tui.ui.screens.values import ValuesScreen


class Watching(Staging):
    """A page on which tensors can be pinned, left out, followed and opened."""

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__(runner)
        self._followed = Following()
        self._values: ValuesScreen | None = None

    def watched(self, view: View) -> View:
        """Return the view with what is kept an eye on."""
        kept = self.host.watches.get(_key(view), Watch())
        return replace(view, watched=self._followed.over(kept, view.source, view.snapshot))

    def _keep_watch(self, watch: Watch) -> None:
        self.host.watches[_key(self.view)] = replace(watch, followed=None)
        self.refresh_view()

    def show_opened(self, view: View) -> None:
        """Have a tensor that is open follow the run."""
        if self._values is not None:
            self._values.show(view)

    def notice(self, text: str, *, wrong: bool = False) -> None:
        """Tell the learner, also over a tensor that is open."""
        super().notice(text, wrong=wrong)
        if self._values is not None and self._values.is_there:
            self._values.notice(text, wrong=wrong)

    @property
    def chosen_tensor(self) -> Tensor | None:
        """The tensor that was chosen in the table, or is followed."""
        table = self.query_one(TensorTable)
        number = table.selected
        if table.cursor is not None and 0 <= table.cursor < len(table.rows):
            number = table.rows[table.cursor].target.tensor or number
        if number is None:
            number = self.view.watched.followed
        return self.view.snapshot.tensors.get(-1 if number is None else number)

    def _asked_tensor(self) -> Tensor | None:
        tensor = self.chosen_tensor
        if tensor is None:
            self.note(ScreenTexts.choose_tensor)
        return tensor

    def action_open_tensor(self) -> None:
        """Open the chosen tensor, or the only one there is."""
        shown = self.query_one(TensorTable).tensors(self.view)
        tensor = self.chosen_tensor or (shown[0] if len(shown) == 1 else None)
        if tensor is None:
            self.note(ScreenTexts.choose_tensor)
        elif self._values is None:
            self._values = ValuesScreen(self, tensor)
            self.app.push_screen(self._values, self._values_closed)

    def _values_closed(self, _: None) -> None:
        self._values = None
        self.refresh_view()

    @on(TensorTable.Opened)
    def _row_opened(self, event: TensorTable.Opened) -> None:
        event.stop()
        self.action_open_tensor()

    def action_pin(self) -> None:
        """Pin the chosen tensor, or let go of it."""
        tensor = self._asked_tensor()
        if tensor is not None:
            watch = self.view.watched
            is_pinned = watch.pins(tensor) is not None
            self._keep_watch(watch.with_pin(tensor))
            self.note(
                ScreenTexts.unpinned if is_pinned else ScreenTexts.pinned, name=tensor_name(tensor)
            )

    def action_modules(self) -> None:
        """Leave out what only modules and optimizers reach, or show it again."""
        hidden = not self.view.watched.without_modules
        self._keep_watch(replace(self.view.watched, without_modules=hidden))
        self.note(ScreenTexts.modules_hidden if hidden else ScreenTexts.modules_shown)

    def action_follow(self) -> None:
        """Follow the chosen tensor, or let go of the one that is followed."""
        if self._followed.is_on:
            self._followed.let_go()
            self.refresh_view()
            self.note(ScreenTexts.followed_none)
            return
        tensor = self._asked_tensor()
        if tensor is not None:
            self._followed.choose(tensor, self.view.source)
            self.refresh_view()
            self.note(ScreenTexts.followed, name=tensor_name(tensor))

    @abstractmethod
    def progress_said(self, view: View) -> Content:
        """Say where the cursor is."""

    @abstractmethod
    def refresh_view(self) -> None:
        """Show what the session says now."""


def _key(view: View) -> str:
    """Return what tells one program from another: a lesson's, or a file's."""
    program = view.program
    return "" if program is None else f"{program.folder}/{program.filename}"
