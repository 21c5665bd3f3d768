"""The desk: a program of one's own, from the failure to the mended file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region

from inplace_tui.common.cells import clean
from inplace_tui.common.command.parser import CommandError, reason_of
from inplace_tui.common.command.programs import program_in, program_of, program_of_module
from inplace_tui.common.file_changes import FileChangedError
from inplace_tui.common.notebook import NotebookError
from inplace_tui.common.paths import from_here
from inplace_tui.common.rows import Row, Span
from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.program import Program
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.desk import DeskTexts
from inplace_tui.common.texts.explain import STAGES
from inplace_tui.common.texts.notebook import NotebookTexts
from inplace_tui.diagnosis.drive.investigation import Investigation
from inplace_tui.diagnosis.fixes.rows import page
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.widgets.bars import Bar
from inplace_tui.tutorial.ui.widgets.boxes import EDGES, Box, Boxes
from inplace_tui.tutorial.ui.widgets.lines import Lines

TITLES = {"happened": DeskTexts.happened, "fixes": DeskTexts.fixes, "printed": DeskTexts.printed}

SEED = 0
"""All runs of a program draw the same numbers: its replays must be alike."""


def program_opened(opening: Opening) -> Program:
    """Return what is opened, as it is on disk now.

    Raises:
        CommandError: it can't be read.
    """
    if opening.content is not None:
        found = program_of(opening.content, "<stdin>", str(Path.cwd()), opening.arguments)
    elif opening.module is not None:
        found = program_of_module(opening.module, opening.arguments)
    else:
        assert opening.file is not None, "a desk is opened for a program"
        found = program_in(opening.file, opening.arguments)
    return msgspec.structs.replace(found, seed=SEED, environment=opening.environment)


class DeskScreen(Page):
    """What failed, where, why, and the fixes, each a key away from the disk."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.DESK)
    AUTO_FOCUS = "#fixes"

    def __init__(self, investigation: Investigation, opening: Opening) -> None:
        super().__init__()
        self.investigation = investigation
        self.opening = opening

    def compose_body(self) -> ComposeResult:
        with Boxes(id="desk"):
            yield Box(id="happened")
            yield Box(id="fixes")
            yield Box(id="printed")

    def on_mount(self) -> None:
        self.investigation.on_change = self.update_texts
        self.call_after_refresh(self.update_texts)

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self.update_texts)

    def on_unmount(self) -> None:
        self.investigation.on_change = lambda: None

    # What is shown.

    def update_texts(self) -> None:
        if not self.is_there:
            return
        super().update_texts()
        area = self.query_one(Boxes)
        width, height = area.size
        if width <= 0:
            return
        wide = width >= 100
        left = width * 6 // 11 if wide else width
        rows = {
            "happened": self._happened(left - EDGES),
            "fixes": self._fixes((width - left if wide else width) - EDGES),
            "printed": self._printed(),
        }
        for name, found in rows.items():
            box = self.query_one(f"#{name}", Box)
            box.border_title = self.say(TITLES[name])
            box.draw(found)
        if wide:
            upper = min(len(rows["happened"]) + 2, height - 4)
            area.place(
                {
                    "happened": Region(0, 0, left, upper),
                    "printed": Region(0, upper, left, height - upper),
                    "fixes": Region(left, 0, width - left, height),
                }
            )
        else:
            upper = min(len(rows["happened"]) + 2, height // 2)
            area.place(
                {
                    "happened": Region(0, 0, width, upper),
                    "fixes": Region(0, upper, width, height - upper - 3),
                    "printed": Region(0, height - 3, width, 3),
                }
            )

    def _happened(self, room: int) -> list[Row]:
        found = self.investigation
        if found.refusal is not None:
            return [Row((Span(self.say(DeskTexts.not_run, why=clean(found.refusal))),))]
        account = found.account(self.language, room)
        if account is None:
            return []
        parts = [account.quotes, account.explanation, account.run_count if found.is_over else []]
        return [row for part in parts if part for row in (Row(), *part)][1:]

    def _fixes(self, room: int) -> list[Row]:
        found = self.investigation
        case = found.case
        if case is None:
            return []
        return page(
            found.fixes,
            found.search,
            room,
            self.language,
            blame=case.blame,
            source=case.program.source,
        )

    def _printed(self) -> list[Row]:
        lines = lines_of(self.investigation.output) or [self.say(DeskTexts.nothing_printed)]
        return [Row((Span(clean(line)),)) for line in lines]

    def show_title(self) -> None:
        found = self.investigation
        name = clean(str(self.opening.module or self.opening.file or "-"))
        left, right = Content.styled(name, "bold"), Content("")
        account = found.account(self.language, 10)
        if account is not None:
            left = Content(account.head[0].text)
        if not found.is_over:
            stage = self.say(STAGES[found.activity.stage])
            right = Content.styled(
                self.say(DeskTexts.runs, stage=stage, runs=found.activity.runs), "$warning"
            )
        self.query_one("#title", Bar).show(left, right)

    # What can be done.

    def action_take(self, number: int) -> None:
        """Write a fix to its files, and run the program again."""
        if number > len(self.investigation.fixes):
            self.note(DeskTexts.no_fix, number=number)
            return
        try:
            written = self.investigation.write(number)
        except FileChangedError as error:
            self.note(DeskTexts.changed, file=from_here(Path(str(error))))
        except NotebookError as error:
            why = error.text[self.language]
            self.note(NotebookTexts.unwritten, path=self.opening.file, why=why)
        except OSError as error:
            why = reason_of(error)[self.language]
            self.note(DeskTexts.cannot_write, file=error.filename, why=why)
        else:
            kept = list_of((str(from_here(each)) for each in written.kept), self.language)
            self.update_texts()
            self.note(DeskTexts.written, number=number, kept=kept)

    def action_take_chosen(self) -> None:
        """Write the fix under the cursor."""
        choice = self.query_one("#fixes", Box).under_cursor.choice
        self.action_take(1 if choice is None else choice + 1)

    @on(Lines.RowChosen, "#fixes")
    def _fix_chosen(self, event: Lines.RowChosen) -> None:
        if event.target.choice is not None:
            self.action_take(event.target.choice + 1)

    def action_undo(self) -> None:
        if not self.investigation.written:
            self.note(DeskTexts.nothing_to_undo)
            return
        try:
            self.investigation.undo()
        except FileChangedError as error:
            self.note(DeskTexts.changed, file=from_here(Path(str(error))))
        except OSError as error:
            why = reason_of(error)[self.language]
            self.note(DeskTexts.cannot_write, file=error.filename, why=why)
        else:
            self.update_texts()
            self.note(DeskTexts.undone)

    def action_rerun(self) -> None:
        try:
            self.investigation.run()
        except CommandError as error:
            self.notice(error.text[self.language], wrong=True)
        self.update_texts()

    def action_stepping(self) -> None:
        self.host.open_sandbox(opening=self.opening)

    def action_edit(self) -> None:
        self.host.open_sandbox(opening=self.opening)

    def action_next_box(self) -> None:
        self.focus_next()

    def action_previous_box(self) -> None:
        self.focus_previous()

    def action_leave(self) -> None:
        self.host.show_contents()
