"""The file of a program that is being written: opened, saved, kept where it is not saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import on
from textual.timer import Timer
from textual.widgets import TextArea

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.model.program import Origin
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import AskDialog
from inplace_tui.ui.dialogs.path_dialog import PathDialog
from inplace_tui.ui.drafts import textfile
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.drafts.textfile import FileError, TextFile
from inplace_tui.ui.sandbox.writing import WritingScreen

KEEP_AFTER = 0.6
"""Seconds after which the recovery copy has what was typed, however fast one types on."""


class FilingScreen(WritingScreen):
    """Writes a program, and loses nothing of it."""

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft)
        self.file = draft.file
        self._seed = draft.seed
        self._origin = draft.origin
        self._recovery = recovery
        self._copy = recovery.copy(self._path, draft.kept.copies)
        self._saved_text = draft.text if draft.file is not None else ""
        self._keeping: Timer | None = None
        self._told_of_trouble = False

    def on_mount(self) -> None:
        """Go where the learner goes on."""
        draft = self._draft
        self._saved_text = self.editor.text  # as the editor has it, line ends and all
        recovered = draft.kept.text is not None and draft.kept.text != draft.text
        if draft.kept.text is not None and recovered:
            self.editor.replace_all(draft.kept.text)
            self._origin = draft.kept.origin
        super().on_mount()
        self.set_focus(self.first_focus())  # now: the next key may be here already
        if draft.notice is not None:
            self.note(draft.notice)
        elif recovered and draft.file is not None:
            self.note(ScreenTexts.recovered_file, key="Ctrl-Z")
        elif recovered:
            self.note(ScreenTexts.recovered_more if draft.kept.others else ScreenTexts.recovered)
        elif draft.kept.unreadable:
            self.note(ScreenTexts.recovered_broken, path=str(draft.kept.unreadable[0]))
        elif draft.missing and draft.file is not None:
            self.note(ScreenTexts.file_new, path=str(draft.file.path))

    def on_unmount(self) -> None:
        """What is left of a text now is for the next who opens it."""
        self._recovery.close()

    @property
    def unsaved(self) -> bool:
        """Whether something was typed that is in no file."""
        return self.editor.text != self._saved_text

    @property
    def origin(self) -> Origin:
        """Whose the text is: a copy is the learner's own when it is saved to a file of theirs."""
        is_file = self.file is not None and not self.unsaved
        return Origin.OWN if is_file else self._origin

    @on(TextArea.Changed, "Editor")
    def _typed(self) -> None:
        if self._keeping is None:
            self._keeping = self.set_timer(KEEP_AFTER, self.keep)
        self.show_title()

    def keep(self) -> None:
        """Write the recovery copy, or drop it when there is nothing to recover."""
        self._stop_keeping()
        if not self.unsaved or not self.editor.text.strip():
            self._copy.forget()
        elif not self._copy.keep(self.editor.text, self.origin) and not self._told_of_trouble:
            self._told_of_trouble = True
            self.show_title()
            self.note(ScreenTexts.not_kept, reason=self._recovery.trouble)

    def _stop_keeping(self) -> None:
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None

    def _forget(self, path: Path | None) -> None:
        """What was typed is safe, or given up; from now on this file is written."""
        self._stop_keeping()
        self._copy.forget()
        self._copy = self._recovery.copy(path)

    @property
    def _path(self) -> Path | None:
        return None if self.file is None else self.file.path

    def action_save(self) -> None:
        """Save to the file; ask for its name if there is none."""
        if self.file is None:
            self.action_save_as()
        else:
            self.run_worker(self._save(self.file), exclusive=True)

    def action_save_as(self) -> None:
        """Ask for a name and save there."""
        self.run_worker(self._save_as(), exclusive=True)

    def action_open(self) -> None:
        """Ask for a file and open it."""
        self.run_worker(self._open(), exclusive=True)

    async def _save(self, file: TextFile) -> bool:
        changed = textfile.changed_since(file)
        if changed and not await self.may_overwrite(file.path, ScreenTexts.ask_reload):
            return False
        return self._write(file.path)

    async def _save_as(self, proposed: str | None = None) -> bool:
        if proposed is None:
            proposed = "" if self.file is None else str(self.file.path)
        prompt = PathDialog(partial(self.say, ScreenTexts.prompt_save), text=proposed)
        name = await self.app.push_screen_wait(prompt)
        if name is None:
            return False
        path = textfile.named(name)
        if self.file is not None and path == self.file.path:
            return await self._save(self.file)
        if textfile.is_folder(path):
            self.notice(self.say(ScreenTexts.file_folder, path=str(path)), wrong=True)
            return False
        if textfile.exists(path) and not await self.may_overwrite(path):
            return await self._save_as(name)
        return self._write(path)

    def _write(self, path: Path) -> bool:
        try:
            file = textfile.write(path, self.editor.text)
        except FileError as refusal:
            self.notice(self.say(refusal.text, **refusal.values), wrong=True)
            return False
        self._forget(path)
        self.file, self._saved_text = file, self.editor.text
        self._origin = Origin.OWN
        self.note(ScreenTexts.saved, path=str(path))
        self.show_title()
        return True

    async def _open(self) -> None:
        if not await self.may_lose():
            return
        prompt = PathDialog(partial(self.say, ScreenTexts.prompt_open))
        name = await self.app.push_screen_wait(prompt)
        if name is None:
            return
        path = textfile.named(name)
        try:
            file = textfile.read(path)
            if file.stamp is None:
                raise FileError(ScreenTexts.file_missing, {"path": str(path)})
        except FileError as refusal:
            self.notice(self.say(refusal.text, **refusal.values), wrong=True)
            return
        self._forget(path)
        self.file, self._seed, self._origin = file, None, Origin.OWN
        self.editor.load_text(file.text)
        self._saved_text, self._ran = self.editor.text, None
        self._edit(editing=True)
        self.note(ScreenTexts.opened, path=str(path))

    async def may_lose(self) -> bool:
        """Ask what to do with changes that are not saved; True if they may go."""
        if not self.unsaved or not self.editor.text.strip():
            return True
        answers = [
            ("save", partial(self.say, ScreenTexts.do_save)),
            ("discard", partial(self.say, ScreenTexts.do_discard)),
        ]
        answer = await self.app.push_screen_wait(
            AskDialog(partial(self.say, ScreenTexts.ask_save), answers)
        )
        if answer == "save":
            return await (self._save_as() if self.file is None else self._save(self.file))
        if answer == "discard":
            self._forget(self._path)
        return answer == "discard"

    def go_away(self) -> None:
        """Leave, once nothing can be lost."""
        self.run_worker(self._go_away(), exclusive=True)

    async def _go_away(self) -> None:
        if await self.may_lose():
            self.host.leave(self)
