"""The file of the program in the editor: opened, saved, recovered if it was not saved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from inplace_tui import paths
from inplace_tui.engine.notebook import SUFFIX
from inplace_tui.model.files import split_files
from inplace_tui.model.program import Origin
from inplace_tui.present import notebook
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import AskDialog
from inplace_tui.ui.dialogs.path_dialog import PathDialog
from inplace_tui.ui.drafts import textfile
from inplace_tui.ui.drafts.draft import Draft, drafted
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.drafts.textfile import FileError, TextFile
from inplace_tui.ui.opening import Opening
from inplace_tui.ui.run.exporting import may_overwrite
from inplace_tui.ui.sandbox.editor_page import EditorPage


class Filing:
    """Opens and saves a file; unsaved text is kept in a recovery copy."""

    def __init__(self, page: EditorPage, draft: Draft, recovery: Recovery) -> None:
        self._page = page
        self._recovery = recovery
        self._take(draft)
        self._saved_text = draft.text if draft.file is not None else ""
        self._has_warned = False

    def _take(self, draft: Draft) -> None:
        self._draft = draft
        self.file = draft.file
        self.seed = draft.seed
        self.opening = draft.opening
        self.text_origin = draft.origin
        """Who wrote the text before any edit."""

        self._copy = self._recovery.copy(self._path, draft.kept.copies)

    def begin(self) -> None:
        """Restore unsaved text, with a notice about it."""
        draft, page = self._draft, self._page
        self._saved_text = page.editor.text  # as the editor has it, line ends and all
        recovered = draft.kept.text is not None and draft.kept.text != draft.text
        if draft.kept.text is not None and recovered:
            page.editor.replace_all(draft.kept.text)
            self.text_origin = draft.kept.origin
        if draft.notice is not None:
            page.note(draft.notice)
        elif recovered and draft.file is not None:
            page.note(ScreenTexts.recovered_file, key="Ctrl-Z")
        elif recovered:
            page.note(ScreenTexts.recovered_more if draft.kept.others else ScreenTexts.recovered)
        elif draft.kept.unreadable:
            page.note(ScreenTexts.recovered_broken, path=str(draft.kept.unreadable[0]))
        elif draft.missing and draft.file is not None:
            page.note(ScreenTexts.file_new, path=str(draft.file.path))
        elif draft.file is not None and draft.file.path.suffix == SUFFIX:
            if missed := notebook.notes(draft.text, draft.file.path.name, page.language):
                page.notice(" ".join(missed))
        elif draft.file is None and (left := self._recovery.unsaved_files()):
            page.note(ScreenTexts.recovered_elsewhere, path=str(left[0]), key="Ctrl-O")

    def close(self) -> None:
        self._recovery.close()

    @property
    def unsaved(self) -> bool:
        return self._page.editor.text != self._saved_text

    @property
    def origin(self) -> Origin:
        """Who wrote the text; a copy that is saved to a file counts as the learner's own."""
        is_file = self.file is not None and not self.unsaved
        return Origin.OWN if is_file else self.text_origin

    @property
    def trouble(self) -> str | None:
        """Why recovery copies can't be written; None if they can."""
        return self._recovery.trouble

    def save_draft(self) -> None:
        """Write the recovery copy, or drop it when there is nothing to recover."""
        text = self._page.editor.text
        if not self.unsaved or not text.strip():
            self._copy.forget()
        elif not self._copy.save(text, self.origin) and not self._has_warned:
            self._has_warned = True
            self._page.show_title()
            self._page.note(ScreenTexts.not_kept, reason=self._recovery.trouble)

    def _forget(self, path: Path | None) -> None:
        """Drop the recovery copy: the text is saved or discarded; switch to another file."""
        self._page.stop_saving()
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
            self._page.run_worker(self._save(self.file), exclusive=True)

    def action_save_as(self) -> None:
        self._page.run_worker(self._save_as(), exclusive=True)

    def action_open(self) -> None:
        self._page.run_worker(self._open(), exclusive=True)

    async def _save(self, file: TextFile) -> bool:
        changed = textfile.changed_since(file)
        if changed and not await may_overwrite(self._page, file.path, ScreenTexts.ask_reload):
            return False
        return self._write(file.path)

    async def _save_as(self, proposed: str | None = None) -> bool:
        page = self._page
        if proposed is None:
            proposed = "" if self.file is None else str(self.file.path)
        name = await page.app.push_screen_wait(
            PathDialog(partial(page.say, ScreenTexts.prompt_save), text=proposed)
        )
        if name is None:
            return False
        path = paths.expanded(name)
        if self.file is not None and path == self.file.path:
            return await self._save(self.file)
        if textfile.is_folder(path):
            page.notice(page.say(ScreenTexts.file_folder, path=str(path)), wrong=True)
            return False
        if textfile.exists(path) and not await may_overwrite(page, path):
            return await self._save_as(name)
        return self._write(path)

    def _write(self, path: Path) -> bool:
        page = self._page
        try:
            file = textfile.write(path, page.editor.text, self._path)
        except FileError as refusal:
            page.notice(page.say(refusal.text, **refusal.values), wrong=True)
            return False
        self._forget(path)
        if self.file is None or path != self.file.path:
            self.opening = replace(self.opening, module=None, is_imported=False)
        written, shown = split_files(file.text), split_files(page.editor.text)
        if [part.name for part in written] != [part.name for part in shown]:
            page.editor.replace_all(file.text)  # it has cells now
        self.file, self._saved_text = file, page.editor.text
        self.text_origin = Origin.OWN
        page.note(ScreenTexts.saved, path=str(path))
        page.show_title()
        return True

    async def _open(self) -> None:
        if not await self.may_lose():
            return
        page = self._page
        left = [path for path in self._recovery.unsaved_files() if path != self._path]
        name = await page.app.push_screen_wait(
            PathDialog(
                partial(page.say, ScreenTexts.prompt_open), text=str(left[0]) if left else ""
            )
        )
        if name is None:
            return
        path = paths.expanded(name)
        try:
            draft = drafted(self._recovery, Opening(file=path))
            if draft.missing:
                raise FileError(ScreenTexts.file_missing, {"path": str(path)})
        except FileError as refusal:
            page.notice(page.say(refusal.text, **refusal.values), wrong=True)
            return
        self._forget(path)
        self._take(draft)
        page.editor.load_text(draft.text)
        page.ran_text = None
        page.edit(editing=True)
        page.note(ScreenTexts.opened, path=str(path))
        self.begin()

    async def may_lose(self) -> bool:
        """Ask what to do with unsaved changes; True if they are saved or may be discarded."""
        page = self._page
        if not self.unsaved or not page.editor.text.strip():
            return True
        answers = [
            ("save", partial(page.say, ScreenTexts.do_save)),
            ("discard", partial(page.say, ScreenTexts.do_discard)),
        ]
        answer = await page.app.push_screen_wait(
            AskDialog(partial(page.say, ScreenTexts.ask_save), answers)
        )
        if answer == "save":
            return await (self._save_as() if self.file is None else self._save(self.file))
        if answer == "discard":
            self._forget(self._path)
        return answer == "discard"
