"""The files besides the main one that a fix changed: they run so, and are not saved yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inplace_tui.common.file_changes import FileChange, FileChangedError, rewritten
from inplace_tui.common.run.files import FilePart, join_files, split_files
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.ui.drafts.recovery import DraftCopy, RecoveredDraft, Recovery, digest
from inplace_tui.tutorial.ui.drafts.textfile import unsaved


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
        self._made: dict[tuple[Path, str], str] = {}
        """What was in the file before, by path and by text of a fix: for runs shown again."""

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

    def recall(self, program: Program) -> None:
        """Have them as a run that is shown again had them."""
        for path, part in _parts(program):
            edit, before = self._edits.get(path), self._made.get((path, part.source))
            if before is not None:
                self._set(path, before, part.source)
            elif edit is not None and edit.before == part.source:
                self._edits.pop(path).copy.forget()

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
        self._made = {made: before for made, before in self._made.items() if made[0] != path}

    def _set(self, path: Path, before: str, text: str, kept: RecoveredDraft | None = None) -> None:
        edit, kept = self._edits.get(path), kept or RecoveredDraft()
        base = kept.base or digest(before)
        copy = self._recovery.copy(path, kept.copies, base) if edit is None else edit.copy
        self._made[path, text] = before
        self._edits[path] = _ChangedFile(before, text, copy)
        copy.save(text, Origin.OWN)


def _parts(program: Program, source: str | None = None) -> Iterator[tuple[Path, FilePart]]:
    parts = split_files(program.source if source is None else source)
    return zip(map(Path, program.files), parts[len(parts) - len(program.files) :], strict=True)
