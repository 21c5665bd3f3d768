"""The files of the program in the editor: opened, saved, recovered if they were not saved.

Those besides the main one that a fix changed run so, and are saved with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.file_changes import FileChange, FileChangedError, rewritten
from inplace_tui.common.notebook import SUFFIX, missed_by
from inplace_tui.common.run.files import FilePart, join_files, split_files
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathDialog
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.draft import (
    Draft,
    DraftCopy,
    RecoveredDraft,
    Recovery,
    digest,
    drafted,
    last_programs,
    remember,
)
from inplace_tui.tutorial.ui.drafts.textfile import FileError, TextFile, unsaved
from inplace_tui.tutorial.ui.keys import UNDO
from inplace_tui.tutorial.ui.run.exporting import may_overwrite


@dataclass
class _ChangedFile:
    before: str
    """What is in the file, as far as is known."""

    text: str
    copy: DraftCopy


class OtherFiles:
    """Their texts, each with a recovery copy."""

    def __init__(self, recovery: Recovery) -> None:
        self._recovery = recovery
        self._edits: dict[Path, _ChangedFile] = {}

    @property
    def paths(self) -> list[Path]:
        return list(self._edits)

    def change(self, program: Program, source: str) -> list[str]:
        """Have them as a fix of a program has them; return the names of those it changes."""
        changed = []
        for (path, old), (_, new) in zip(_parts(program), _parts(program, source), strict=True):
            if old.source != new.source:
                edit = self._edits.get(path)
                self._set(path, old.source if edit is None else edit.before, new.source)
                changed.append(new.name or str(path))
        return changed

    def recover(self, program: Program) -> list[str]:
        """Take up what was not saved last time; return the names of those files."""
        found = []
        for path, part in _parts(program):
            kept = self._recovery.kept(path)
            if kept.text is not None:
                is_changed = kept.base not in {"", digest(part.source)}
                # No file says what stands for another text than is in it: saving asks.
                self._set(path, "\0" if is_changed else part.source, kept.text, kept)
            if kept.text not in (None, part.source):
                found.append(part.name or str(path))
        self.over(program)
        return found

    def over(self, program: Program) -> Program:
        """Return a program with them; one that says the same on disk by now is done with."""
        sources = []
        for path, part in _parts(program):
            edit = self._edits.get(path)
            if edit is not None and edit.text == part.source:
                self.drop(path)
            sources.append((part.name or str(path), part.source if edit is None else edit.text))
        return msgspec.structs.replace(program, source=join_files(program.main, sources))

    def change_of(self, path: Path, *, asked: bool = False) -> FileChange | None:
        """Return what saving one writes; None where another text is in it and nobody was `asked`.

        Raises:
            FileError: it can't be read.
        """
        edit = self._edits[path]
        try:
            return rewritten(path, None if asked else edit.before, edit.text)
        except (FileChangedError, FileNotFoundError):
            return None
        except OSError as refusal:
            raise unsaved(path, refusal) from None

    def drop(self, path: Path) -> None:
        """It is saved, or given up."""
        self._edits.pop(path).copy.forget()

    def _set(self, path: Path, before: str, text: str, kept: RecoveredDraft | None = None) -> None:
        edit, kept = self._edits.get(path), kept or RecoveredDraft()
        base = kept.base or digest(before)
        copy = self._recovery.copy(path, kept.copies, base) if edit is None else edit.copy
        self._edits[path] = _ChangedFile(before, text, copy)
        copy.save(text, Origin.OWN)


def _parts(program: Program, source: str | None = None) -> Iterator[tuple[Path, FilePart]]:
    parts = split_files(program.source if source is None else source)
    return zip(map(Path, program.files), parts[len(parts) - len(program.files) :], strict=True)


if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen


class Filing:
    """Opens and saves a file; unsaved text is kept in a recovery copy."""

    def __init__(self, page: EditorScreen, draft: Draft, recovery: Recovery) -> None:
        self._page = page
        self.recovery = recovery
        self.others = OtherFiles(recovery)
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

        base = "" if draft.file is None or draft.missing else digest(draft.text)
        recovered = draft.kept.text not in {None, draft.text}
        self._is_changed = recovered and "" not in {base, draft.kept.base} != {base}
        if draft.file is not None and self._is_changed:
            base, self.file = draft.kept.base, replace(draft.file, content=None)  # saving asks
        self._copy = self.recovery.copy(self._path, draft.kept.copies, base)

    def begin(self) -> None:
        """Restore unsaved text, with a notice about it."""
        draft, page = self._draft, self._page
        self._saved_text = page.editor.text  # as the editor has it, line ends and all
        recovered = draft.kept.text is not None and draft.kept.text != draft.text
        if draft.kept.text is not None and recovered:
            page.editor.replace_all(draft.kept.text)
            self.text_origin = draft.kept.origin
        left = self.recovery.unsaved_files()
        others = self.others.recover(page.program_of(page.editor.text)) if left else []
        if draft.notice is not None:
            page.note(draft.notice)
        elif others:
            names = list_of([self.name, *others] if recovered else others, page.language)
            page.note(ScreenTexts.recovered_files, names=names)
        elif recovered and draft.file is not None:
            texts = ScreenTexts.recovered_file, ScreenTexts.recovered_changed
            page.note(texts[self._is_changed], key=UNDO)
        elif recovered:
            page.note(ScreenTexts.recovered_more if draft.kept.others else ScreenTexts.recovered)
        elif draft.kept.unreadable:
            page.note(ScreenTexts.recovered_broken, path=str(draft.kept.unreadable[0]))
        elif draft.missing and draft.file is not None:
            page.note(ScreenTexts.file_new, path=str(draft.file.path))
        elif draft.file is not None and draft.file.path.suffix == SUFFIX:
            if missed := missed_by(draft.text, draft.file.path.name, page.language):
                page.notice(" ".join(missed))
        elif draft.file is None and left:
            page.note(ScreenTexts.recovered_elsewhere, path=str(left[0]), key="Ctrl-O")
        elif not draft.text and (last := last_programs(page.host.home)):
            names = list_of([each.path.name for each in last], page.language)
            page.note(ScreenTexts.offers_last, names=names)
        if draft.file is not None and not draft.missing:
            remember(page.host.home, draft.file.path, self.opening.line)

    @property
    def name(self) -> str:
        file = self.file
        return self._page.say(ScreenTexts.untitled) if file is None else file.path.name

    @property
    def unsaved(self) -> bool:
        return self.is_main_unsaved or bool(self.others.paths)

    @property
    def is_main_unsaved(self) -> bool:
        return self._page.editor.text != self._saved_text

    @property
    def origin(self) -> Origin:
        """Who wrote the text; a copy that is saved to a file counts as the learner's own."""
        is_file = self.file is not None and not self.is_main_unsaved
        return Origin.OWN if is_file else self.text_origin

    def save_draft(self) -> None:
        """Write the recovery copy, or drop it when there is nothing to recover."""
        text = self._page.editor.text
        if not self.is_main_unsaved or not text.strip():
            self._copy.forget()
        else:
            self._copy.save(text, self.origin)
        if self.recovery.trouble is not None and not self._has_warned:
            self._has_warned = True
            self._page.show_title()
            self._page.note(ScreenTexts.not_kept, reason=self.recovery.trouble)

    def _forget(self, path: Path | None, base: str = "") -> None:
        """Drop the recovery copy: the text is saved or discarded; switch to another file."""
        self._page.stop_saving()
        self._copy.forget()
        self._copy = self.recovery.copy(path, base=base)

    @property
    def _path(self) -> Path | None:
        return None if self.file is None else self.file.path

    async def save(self) -> bool:
        """Save every file that was changed; ask for a name if there is none."""
        file = self.file
        if self.others.paths and not self.is_main_unsaved:
            return await self._write(None)
        if file is None:
            return await self.save_as()
        changed = textfile.changed_since(file)
        if changed and not await may_overwrite(self._page, file.path, ScreenTexts.ask_reload):
            return False
        return await self._write(file.path)

    async def save_as(self, proposed: str | None = None) -> bool:
        page = self._page
        if proposed is None:
            proposed = "" if self.file is None else str(self.file.path)
        name = await page.app.push_screen_wait(PathDialog(ScreenTexts.prompt_save, text=proposed))
        if name is None:
            return False
        path = paths.expanded(name)
        if self.file is not None and path == self.file.path:
            return await self.save()
        if textfile.is_folder(path):
            page.notice(page.say(ScreenTexts.file_folder, path=str(path)), wrong=True)
            return False
        if textfile.exists(path) and not await may_overwrite(page, path):
            return await self.save_as(name)
        return await self._write(path)

    async def _write(self, path: Path | None) -> bool:
        """Write the text to a file, if there is one, and all other files that were changed."""
        page, others = self._page, self.others.paths
        try:
            text = page.editor.text
            file = None if path is None else textfile.prepared(path, text, self._path)
            files = {} if file is None else {file.path: file.content or b""}
            for other in others:
                change = self.others.change_of(other)
                if change is None and await may_overwrite(page, other, ScreenTexts.ask_reload):
                    change = self.others.change_of(other, asked=True)
                if change is None:
                    return False
                files[other] = change.after
            textfile.save(files, self.recovery.folder)
        except FileError as refusal:
            page.notice(refusal.text[page.language], wrong=True)
            return False
        for other in others:
            self.others.drop(other)
        if file is not None:
            self._saved(file)
        names = [str(each) for each in files]
        names = names if len(names) == 1 else [each.name for each in files]
        page.note(ScreenTexts.saved, path=list_of(names, page.language))
        page.show_title()
        return True

    def _saved(self, file: TextFile) -> None:
        page, path = self._page, file.path
        self._forget(path, digest(file.text))
        if self.file is None or path != self.file.path:
            self.opening = replace(self.opening, module=None, is_imported=False)
        written, shown = split_files(file.text), split_files(page.editor.text)
        if [part.name for part in written] != [part.name for part in shown]:
            page.editor.replace_all(file.text)  # it has cells now
        self.file, self._saved_text = file, page.editor.text
        self.text_origin = Origin.OWN
        remember(page.host.home, path)

    async def open(self) -> None:
        if not await self.may_lose():
            return
        page = self._page
        left = [path for path in self.recovery.unsaved_files() if path != self._path]
        opening = await page.app.push_screen_wait(ProgramDialog("sandbox", left))
        if opening is None or opening.file is None:
            return
        path = opening.file
        try:
            draft = drafted(self.recovery, opening)
        except FileError as refusal:
            page.notice(refusal.text[page.language], wrong=True)
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
        changed = [self.name] if self.is_main_unsaved and page.editor.text.strip() else []
        changed += [path.name for path in self.others.paths]
        if not changed:
            return True
        names = list_of(changed, page.language)
        answers = [
            ("save", partial(page.say, ScreenTexts.do_save)),
            ("discard", partial(page.say, ScreenTexts.do_discard)),
        ]
        answer = await page.app.push_screen_wait(
            AskDialog(partial(page.say, ScreenTexts.ask_save, names=names), answers)
        )
        if answer == "save":
            return await self.save()
        if answer == "discard":
            self._forget(self._path, self._copy.base)
            for path in self.others.paths:
                self.others.drop(path)
        return answer == "discard"
