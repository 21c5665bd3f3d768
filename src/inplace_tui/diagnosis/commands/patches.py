"""Fixes that are taken: printed as a patch, or written to their files."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import half_saved
from inplace_tui.common.cells import clean
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError, reason_of
from inplace_tui.common.command.programs import program_in
from inplace_tui.common.file_changes import FileChange, FileChangedError
from inplace_tui.common.fix_files import changes, write
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.notebook import NotebookError
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits, Mode
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.common.texts.explain import PatchTexts
from inplace_tui.common.texts.notebook import NotebookTexts
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker


def print_patch(case: Case, name: str, number: int, language: str) -> None:
    """Print a fix as a patch, or to stderr why there is none."""
    found = _changes(case, name, number, language)
    if found is None:
        return
    folder = Path.cwd()
    if not all(each.path.is_relative_to(folder) for each in found):
        # A patch with `..` in it is refused by those that would apply it.
        folder = Path(os.path.commonpath([each.path.parent for each in found]))
        print_message(say(PatchTexts.elsewhere, language, folder=clean(str(folder))))
    sys.stdout.flush()
    sys.stdout.buffer.write(
        patch([(c.path.relative_to(folder).as_posix(), c.before, c.after) for c in found])
    )
    sys.stdout.buffer.flush()


@dataclass
class FixWriter:
    """Writes the fixes of one number to the files, and says how the programs end then."""

    _number: int
    _seconds: float | None
    """After which the run that follows is ended, if at all."""

    _language: str

    def __post_init__(self) -> None:
        if found := half_saved(paths.unsaved()):
            names = list_of((_shown(Path(each.path)) for each in found.files), self._language)
            self._say(PatchTexts.half, names=names)

    async def write(self, worker: Worker, case: Case, name: str) -> bool:
        """Write a fix, run the program once more, and return whether it ends well now."""
        found = _changes(case, name, self._number, self._language)
        if found is None:
            return False
        try:
            kept = write(found, paths.unsaved())
        except OSError as error:
            raise CommandError(
                ErrorTexts.cannot_write, path=error.filename, why=reason_of(error)
            ) from error
        for change, old in zip(found, kept, strict=True):
            self._say(
                PatchTexts.written, file=_shown(change.path), number=self._number, kept=_shown(old)
            )
        program = program_in(Path(case.program.filename), case.program.arguments)
        program = msgspec.structs.replace(case.program, source=program.source, files=())
        limits = Limits(seconds=self._seconds)
        ended = (await evidence(worker, program, Mode.BARE, limits)).outcome
        if isinstance(ended, Completed):
            self._say(PatchTexts.runs)
            return True
        why = str(getattr(ended, "message", type(ended).__name__))
        self._say(PatchTexts.raises, why=clean(why))
        return False

    def _say(self, text: LocalText, **values: object) -> None:
        print_message(say(text, self._language, **values))


def _changes(case: Case, name: str, number: int, language: str) -> list[FileChange] | None:
    """Return what a fix changes; None where there is none to take, and say why."""
    name = clean(name)
    if number > len(case.fixes):
        if not case.ending.is_fine:
            key = PatchTexts.no_such if case.fixes else PatchTexts.none
            print_message(say(key, language, file=name, number=number, last=len(case.fixes)))
        return None
    try:
        return changes(case.program, case.fixes[number - 1])
    except NotebookError as error:
        why = error.text[language]
        print_message(say(NotebookTexts.unwritten, language, path=name, why=why))
    except FileChangedError:
        print_message(say(PatchTexts.changed, language, file=name))
    except OSError as error:
        why = reason_of(error)[language]
        print_message(say(ErrorTexts.cannot_read, language, path=name, why=why))
    return None


def _shown(path: Path) -> str:
    """Return a path as it is reached from here."""
    return clean(str(paths.from_here(path)))


def patch(changes: Sequence[tuple[str, bytes, bytes]]) -> bytes:
    """Return a unified diff.

    `changes` have of each file its path from where the patch is applied, and its content before and
    after, in the encoding of the file.
    """
    return b"".join(line for change in changes for line in _lines(*change))


def _lines(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    # A lone carriage return ends a line of Python, and none of a patch.
    old, new = (re.findall(rb"[^\n]*\n|[^\n]+", content) for content in (before, after))
    one, other = (_quoted(f"{side}/{path}") for side in "ab")
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, one, other, lineterm=b"\n")
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _quoted(path: str) -> bytes:
    """Return a path as it stands in a patch: in C's quotes, or with a tab where it has blanks."""
    raw = path.encode("utf-8", "surrogateescape")
    escaped = re.sub(rb'[\x00-\x1f"\\\x7f]', lambda found: b"\\%03o" % found[0][0], raw)
    if escaped != raw:
        return b'"' + escaped + b'"'
    return raw + b"\t" if b" " in raw else raw
