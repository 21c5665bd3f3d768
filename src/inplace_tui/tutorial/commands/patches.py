"""Fixes that are taken: printed as a patch, or written to their files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import half_saved
from inplace_tui.common.cells import clean
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.notebook import NotebookError
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits, Mode
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.common.texts.explain import PatchTexts
from inplace_tui.common.texts.notebook import NotebookTexts
from inplace_tui.diagnosis.drive.patches import FileChange, FileChangedError, changes, patch, write
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.commands.output import print_message
from inplace_tui.tutorial.commands.parser import CommandError, reason_of
from inplace_tui.tutorial.commands.programs import program_in


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


class FixWriter:
    """Writes the fixes of one number to the files, and says how the programs end then."""

    def __init__(self, number: int, seconds: float | None, language: str) -> None:
        """Prepare to write fix `number`; the run after it ends after so many seconds, if at all."""
        self._number = number
        self._seconds = seconds
        self._language = language
        if found := half_saved(paths.unsaved()):
            names = list_of((_shown(Path(each.path)) for each in found.files), language)
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
        if not case.result.is_fine:
            key = PatchTexts.no_such if case.fixes else PatchTexts.none
            print_message(say(key, language, file=name, number=number, last=len(case.fixes)))
        return None
    try:
        return changes(case.program, case.fixes[number - 1])
    except NotebookError as error:
        reason = say(error.text, language, **error.values)
        print_message(say(NotebookTexts.unwritten, language, path=name, why=reason))
    except FileChangedError:
        print_message(say(PatchTexts.changed, language, file=name))
    except OSError as error:
        why = reason_of(error)[language]
        print_message(say(ErrorTexts.cannot_read, language, path=name, why=why))
    return None


def _shown(path: Path) -> str:
    """Return a path as it is reached from here."""
    here = Path.cwd()
    return clean(str(path.relative_to(here) if path.is_relative_to(here) else path))
