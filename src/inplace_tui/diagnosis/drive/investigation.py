"""A program of somebody's own from its first run to the mended files, as it is found out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole, save_files
from inplace_tui.common.command.programs import SEED
from inplace_tui.common.file_changes import FileChange, FileChangedError
from inplace_tui.common.fix_files import changed_since, changes, write
from inplace_tui.common.run.fix import Fix, FixSearch, in_order
from inplace_tui.common.run.program import Program
from inplace_tui.diagnosis.drive.explain import Activity, Options, Progress, explain
from inplace_tui.diagnosis.drive.fixes import FixTrials
from inplace_tui.diagnosis.drive.runs import WorkerRefusedError
from inplace_tui.diagnosis.explain.explanation import Case, Reruns
from inplace_tui.diagnosis.explain.report import ONE_LINE, ExplanationPage
from inplace_tui.diagnosis.explain.stacks import short_path
from inplace_tui.diagnosis.protocol.messages import Refused
from inplace_tui.diagnosis.runner.worker import Worker

__all__ = ["FixTrials", "Investigation"]

MOST_OUTPUT = 100_000
"""Characters of what a program wrote that are kept: the last ones."""


class WrittenFix(NamedTuple):
    """A fix that is in its files."""

    fix: Fix
    changes: list[FileChange]
    kept: dict[Path, bool]
    """Where the old files are, each with whether it was put there for this fix."""


@dataclass
class Investigation:
    """Looks into one program; its fixes are written to its files, and taken back.

    What is found is there as soon as it is known, and `on_change` is called then.
    """

    _worker: Worker
    _load: Callable[[], Program]
    """Reads the program as it is on disk."""

    _task: asyncio.Task[None] | None = None
    on_change: Callable[[], None] = lambda: None
    program: Program | None = None
    case: Case | None = None
    """What is known by now; None before the first run is over."""

    activity: Activity = field(default_factory=partial(Activity, "loading", 0))
    output: str = ""
    search: FixSearch = field(default_factory=FixSearch)
    refusal: str | None = None
    """Why nothing can be run here."""

    began: float = field(default_factory=monotonic)
    """When it was asked for."""

    written: list[WrittenFix] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self._task is not None and self._task.done()

    @property
    def is_stopped(self) -> bool:
        """Whether its first run was ended before there was something to say of it."""
        return self._task is not None and self._task.cancelled()

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Those that passed; each keeps its number."""
        return self.search.found

    @property
    def file(self) -> str:
        """What the program's main file is called in its folder."""
        return "" if self.program is None else short_path(self.program.filename, self.program)

    def page(self, language: str, room: int = ONE_LINE) -> ExplanationPage | None:
        """Return what makes a page of what is known by now; None before the first run is over."""
        if self.case is None:
            return None
        return ExplanationPage(replace(self.case, fixes=self.fixes), language, room)

    @property
    def edited(self) -> Path | None:
        """A file of the program that is another one on disk than was run."""
        program = self.program if self.case is None else self.case.program
        return None if program is None else changed_since(program)

    def run(self) -> None:
        """Begin, or begin again with the program as it is on disk now.

        Raises:
            CommandError: it can't be read; what was known stays.
        """
        program = msgspec.structs.replace(self._load(), seed=SEED)
        self._forget()
        self.program, self.case, self.search = program, None, FixSearch()
        self.activity, self.output, self.refusal = Activity("loading", 0), "", None
        self.began = monotonic()
        self._task = asyncio.create_task(self._explain(program))
        self._task.add_done_callback(self._ended)

    def stop(self) -> None:
        """End the run that is under way; what was found so far stays."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        self._forget()
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task

    def _forget(self) -> None:
        if self._task is not None:
            self._task.remove_done_callback(self._ended)
        self.stop()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.on_change()
        if not task.cancelled():
            task.result()  # a fault of ours is reported

    async def _explain(self, program: Program) -> None:
        state = await self._worker.ready()
        if isinstance(state, Refused):
            self.refusal = state.reason
            return
        try:
            self.case = await explain(self._worker, program, Options(), self._goes_on)
        except WorkerRefusedError as refusal:
            self.refusal = str(refusal)
            return
        if not self.search.over:
            no_view = self.case.reruns is Reruns.NOT_POSSIBLE
            self.search = FixSearch(total=0, over=True, no_view=no_view)

    def _goes_on(self, found: Progress) -> None:
        match found:
            case str():
                self.output = (self.output + found)[-MOST_OUTPUT:]
            case Activity():
                self.activity = found
            case Case():
                self.case = found
            case FixSearch():
                fixes = in_order(self.fixes, found.found)
                self.search = msgspec.structs.replace(found, found=fixes)
        self.on_change()

    # What is written.

    def write(self, number: int) -> None:
        """Write a fix to its files, keep the old ones beside them, and run the program again.

        Raises:
            FileChangedError: a file is another one than was run; nothing is written.
            NotebookError: a notebook can't be written without changing more.
            OSError: a file can't be read or written; then all are as they were.
        """
        assert self.case is not None, "it has fixes"
        fix = self.fixes[number - 1]
        found = changes(self.case.program, fix)
        self.written.append(WrittenFix(fix, found, write(found, paths.unsaved())))
        self.run()

    def undo(self) -> None:
        """Take the last fix back that was written, and run the program again.

        Raises:
            FileChangedError: a file was edited since; all are left as they are.
            OSError: a file can't be read or written; then all are as they were.
        """
        written = self.written[-1]
        for each in written.changes:
            if read_whole(each.path, MAX_USER_FILE) != each.after:
                raise FileChangedError(str(each.path))
        save_files({each.path: each.before for each in written.changes}, paths.unsaved())
        for copy in (path for path, is_new in written.kept.items() if is_new):
            copy.unlink(missing_ok=True)
        self.written.pop()
        self.run()
