"""The desk: a program of one's own, from the failure to the mended file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region, Size
from textual.timer import Timer

from inplace_tui.common.atomic_files import save_file
from inplace_tui.common.blame import Blame
from inplace_tui.common.cells import clean, clip, wrapped
from inplace_tui.common.command.parser import CommandError, reason_of
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.concepts import concepts
from inplace_tui.common.file_changes import FileChangedError
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.notebook import NotebookError
from inplace_tui.common.paths import from_here
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.files import lines_of, place_of
from inplace_tui.common.run.lookup import step_of
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.actions import LABELS, STOP
from inplace_tui.common.texts.desk import DeskTexts
from inplace_tui.common.texts.explain import STAGES
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.common.texts.notebook import NotebookTexts
from inplace_tui.diagnosis.drive.investigation import Investigation
from inplace_tui.diagnosis.explain.report import ExplanationPage
from inplace_tui.diagnosis.fixes import rows as fixes
from inplace_tui.tutorial.activity.leads import leads_of
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import StepChosen
from inplace_tui.tutorial.present import desk
from inplace_tui.tutorial.report import page as whole_page
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.run.exporting import free_path
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.widgets.bars import Bar
from inplace_tui.tutorial.ui.widgets.boxes import EDGES, Box, Boxes
from inplace_tui.tutorial.ui.widgets.lines import Lines

SOON = 0.1
"""Seconds in which what is found is drawn together."""

BESIDE = 100
"""Cells from which on there are two columns."""

ROOMY = 30
"""Rows from which on fixes are shown whole, and torch's own words."""

BRIEF_BELOW = 26
"""Rows below which the lane has one."""


class DeskScreen(Page):
    """What failed, where, why, and the fixes, each a key away from the disk."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.DESK)
    AUTO_FOCUS = "#fixes"

    def __init__(self, investigation: Investigation, opening: Opening) -> None:
        super().__init__()
        self.investigation = investigation
        self.opening = opening
        self._whole: str | None = None
        """The box that has the whole screen."""

        self._redraw: Timer | None = None
        self._had_fixes = False

    def compose_body(self) -> ComposeResult:
        with Boxes(id="desk"):
            for name in ("changed", "happened", "fixes", "lane", "printed"):
                yield Box(id=name)

    def on_mount(self) -> None:
        self.investigation.on_change = self._changed
        self.call_after_refresh(self.update_texts)
        self.set_interval(1, self._tick)

    def _tick(self) -> None:
        if self.is_there and not self.investigation.is_over:
            self.show_title()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self.update_texts)

    def on_unmount(self) -> None:
        self.investigation.on_change = lambda: None

    def resumed(self) -> None:
        """Say what became of the files while one was elsewhere."""
        super().resumed()
        if self.is_there and (edited := self.investigation.edited) is not None:
            self.note(DeskTexts.edited, file=from_here(edited))

    def _changed(self) -> None:
        """Draw soon: what a program writes may come in thousands of pieces."""
        if self._redraw is None and self.is_there:
            self._redraw = self.set_timer(SOON, self.update_texts)

    # What is shown.

    def update_texts(self) -> None:
        self._redraw = None
        if not self.is_there or self.query_one(Boxes).size.width <= 0:
            return
        super().update_texts()
        self.refresh_bindings()
        if self.investigation.fixes and not self._had_fixes:
            self.clear_notice()  # it may say that there are none yet
        self._had_fixes = bool(self.investigation.fixes)
        area = self.query_one(Boxes)
        width, height = area.size
        drawn = self._boxes(width, height)
        if self._whole not in drawn:
            self._whole = None
        for name, (title, rows) in drawn.items():
            box = self.query_one(f"#{name}", Box)
            box.border_title = title
            box.draw(rows)
            if name == "printed" and not box.has_focus:
                self.call_after_refresh(box.scroll_end, animate=False)
        needs = {name: len(rows) + FRAME for name, (_, rows) in drawn.items()}
        if self._whole is None:
            area.place(arranged(needs, Size(width, height)))
        else:
            area.place({self._whole: Region(0, 0, width, height)})
        if self.focused is None or not self.focused.display:
            first = next(name for name in ("fixes", "happened", "printed") if name in needs)
            self.set_focus(self.query_one(f"#{first}", Box))

    def _boxes(self, width: int, height: int) -> dict[str, tuple[str, list[Row]]]:
        """Return the title and the rows of each box that there is something to say in."""
        found, case = self.investigation, self.investigation.case
        left = right = width
        if self._has_fixes and self._whole is None and (left := columns(width)) < width:
            right = width - left
        drawn: dict[str, tuple[str, list[Row]]] = {}
        if found.written:
            drawn["changed"] = self.say(DeskTexts.changed_files), self._changes(width - EDGES)
        if happened := self._happened(left - EDGES, height):
            drawn["happened"] = self.say(DeskTexts.happened), happened
        if case is not None and (fault := self._fault) is not None:
            lived = desk.moments(case.timeline, fault, self.language)
            text = DeskTexts.lane_unnamed if fault.tensor is None else DeskTexts.lane
            title = self.say(text, tensor=clean(fault.tensor or ""))
            brief, source = height < BRIEF_BELOW, case.program.source
            if len(lived) > 1:
                lane = desk.rows(lived, source, left - EDGES, file=found.file, brief=brief)
                drawn["lane"] = title, lane
        if self._has_fixes:
            drawn["fixes"] = self.say(DeskTexts.fixes), self._fixes(right - EDGES, height)
        printed = [Row((Span(clean(line)),)) for line in lines_of(found.output)]
        nothing = [Row((Span(self.say(DeskTexts.nothing_printed), Style.DIM),))]
        drawn["printed"] = self.say(DeskTexts.printed), printed or nothing
        return drawn

    @property
    def _has_fixes(self) -> bool:
        """Whether there is something to say of fixes."""
        found = self.investigation
        return found.case is not None and (bool(found.fixes) or self._fault is not None)

    @property
    def _fault(self) -> Blame | None:
        case = self.investigation.case
        return None if case is None or self._is_fine else case.blame

    @property
    def _is_fine(self) -> bool:
        case = self.investigation.case
        return case is not None and case.ending.is_fine and case.verdict is None

    def _happened(self, room: int, height: int) -> list[Row]:
        found = self.investigation
        if found.refusal is not None:
            why = clean(found.refusal.strip().rpartition("\n")[2])
            return wrapped((Span(self.say(DeskTexts.not_run, why=why)),), room)
        page = found.page(self.language, room)
        if page is None:
            text = DeskTexts.loading if found.activity.stage == "loading" else DeskTexts.first_run
            text = DeskTexts.stopped if found.is_stopped else text
            return wrapped((Span(self.say(text)),), room)
        account = page.account(found.file)
        if self._is_fine:
            head = [] if found.written else [Row((Span(self._head, Style.RIGHT),))]
            parts = [head, account]
        elif self._whole == "happened" or height >= ROOMY:
            count = page.run_count() if found.is_over else []
            parts = [page.quotes(), account, page.message(), count]
        else:
            parts = [[*(page.places(found.file) or page.quotes()), *account]]
        return [row for part in parts if part for row in (Row(), *part)][1:]

    def _fixes(self, room: int, height: int) -> list[Row]:
        found, case = self.investigation, self.investigation.case
        assert case is not None, "there is something to fix"
        about: dict[str, Any] = {"blame": case.blame, "source": case.program.source}
        if self._whole == "fixes" or height >= ROOMY:
            return fixes.page(found.fixes, found.search, room, self.language, **about)
        found_rows = fixes.rows(found.search, room, self.language, **about)
        first = next((at for at, row in enumerate(found_rows) if row.target.choice is not None), 0)
        return found_rows[first:]

    def _changes(self, room: int) -> list[Row]:
        """Return what the last fix changed, and how the program ends now."""
        found = self.investigation
        written = found.written[-1]
        lines = fixes.dedented(written.fix.diff)
        named = lines if lines[0][:3] == "---" else [f"--- {found.file}", *lines]
        shown = (each for each in named if each.strip() and each[:2] not in ("@@", "++"))
        diff = [Row((_diffed(line, room),)) for line in shown]
        said = Span(self.say(DeskTexts.running_again), Style.WARNING)
        if found.is_over and (head := self._head):
            said = Span(head, Style.RIGHT if self._is_fine else Style.WRONG)
        names = list_of((str(from_here(each)) for each in written.kept), self.language)
        kept = DeskTexts.kept if len(written.kept) == 1 else DeskTexts.kept_several
        kept_rows = wrapped((Span(self.say(kept, kept=names), Style.DIM),), room)
        return [*diff, Row(), *wrapped((said,), room), *kept_rows]

    @property
    def _head(self) -> str:
        """The verdict in a line; empty before the first run is over."""
        page = self.investigation.page(self.language)
        return "" if page is None else page.head(self.investigation.file)[0].text

    def show_title(self) -> None:
        found = self.investigation
        name = clean(self.opening.module or found.file)
        parts = [Content.styled(name, "bold $primary")]
        if found.written:
            parts.append(Content.styled(self.say(DeskTexts.on_disk), "$success"))
        if head := self._head:
            style = "$success" if self._is_fine else "$error"
            parts.append(Content.styled(head.partition(": ")[2], style))
        if found.is_stopped:
            right = Content.styled(self.say(DeskTexts.ended_early), "$warning")
        elif found.is_over and found.case is not None:
            seconds = f"{found.case.seconds:.1f}"
            right = Content(self.say(DeskTexts.ran, runs=found.case.runs, seconds=seconds))
        else:
            stage = self.say(STAGES[found.activity.stage])
            seconds, runs = f"{monotonic() - found.began:.0f}", max(1, found.activity.runs)
            text = self.say(DeskTexts.runs, stage=stage, runs=runs, seconds=seconds)
            right = Content.styled(text, "$warning")
        self.query_one("#title", Bar).show(
            Content("  ").join(parts), Content("") if found.refusal else right
        )

    @property
    def trouble(self) -> None:
        """What the worker waits for stands in a box, where it matters."""

    @property
    def idle(self) -> tuple[str, ...]:
        found, case = self.investigation, self.investigation.case
        about = {"take": found.fixes, "undo": found.written, "about": self._leads.lessons}
        what: dict[str, object] = {**about, "stepping": case, "write_page": case}
        what["why"] = case and case.blame
        return tuple(name for name, there in what.items() if not there)

    # What can be done.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Have no key for a fix that there is not."""
        if action == "take":
            return self._has_fixes and len(self.investigation.fixes) >= int(str(parameters[0]))
        return super().check_action(action, parameters)

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        is_early = not self.investigation.is_over and not self.investigation.fixes
        return {"take": DeskTexts.no_fixes if is_early else DeskTexts.no_fix}

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        stop = {"leave": STOP} if self._waits else {}
        return {"edit": LABELS["type"], **stop}

    @property
    def promoted(self) -> tuple[str, ...]:
        return ("leave",) if self._waits else ()

    @property
    def _waits(self) -> bool:
        """Whether there is nothing to say of the first run yet: it may never end."""
        return self.investigation.case is None and not self.investigation.is_over

    def action_take(self, number: int) -> None:
        """Write a fix to its files, and run the program again."""
        if self._is_done(lambda: self.investigation.write(number)):
            self.note(DeskTexts.written, number=number)

    def action_take_chosen(self) -> None:
        """Write the fix under the cursor, else the first."""
        choice = self.query_one("#fixes", Box).under_cursor.choice or 0
        if choice < len(self.investigation.fixes):
            self.action_take(choice + 1)

    def action_undo(self) -> None:
        if not self.investigation.written:
            self.note(DeskTexts.nothing_to_undo)
        elif self._is_done(self.investigation.undo, DeskTexts.changed_since):
            self.note(DeskTexts.undone)

    def action_rerun(self) -> None:
        self._is_done(self.investigation.run)

    def _is_done(self, work: Callable[[], object], changed: LocalText = DeskTexts.changed) -> bool:
        """Do something with the files, and show what follows; else say why it can't be done."""
        self._whole = None
        try:
            work()
        except FileChangedError as error:
            text = self.say(changed, file=from_here(Path(str(error))))
        except NotebookError as error:
            why = error.text[self.language]
            text = self.say(NotebookTexts.unwritten, path=self.opening.file, why=why)
        except CommandError as error:
            text = error.text[self.language]
        except OSError as error:
            why = reason_of(error)[self.language]
            text = self.say(DeskTexts.cannot_write, file=error.filename, why=why)
        else:
            self.update_texts()
            return True
        self.notice(text, wrong=True)
        return False

    def action_stepping(self) -> None:
        """Step through the recording, from where it failed or the write that it comes from.

        Without one it is run once more.
        """
        case = self.investigation.case
        if case is None or case.timeline is None or case.timeline.outcome is None:
            screen = self.host.open_sandbox(opening=self.opening)
            self.host.call_after_refresh(screen.action_run)
            return
        last = len(case.timeline) - 1
        writes = () if case.blame is None else case.blame.writes[:1]
        at = step_of(case.timeline, writes[0]) if writes and case.ending.is_fine else None
        recorded = Session.of_recording(case.program, case.timeline, case.truth)
        recorded.handle(StepChosen(last if at is None else at.index))
        self.host.open_sandbox(opening=self.opening, recorded=recorded)

    def action_edit(self) -> None:
        """Open the file with the line at fault in the sandbox, at that line."""
        page, opening, line = self.investigation.page(self.language), self.opening, 1
        if page is not None and (notes := page.annotations()):
            faults = [each for each in notes if each.style is Style.WRONG]
            program, line = page.case.program, [*faults, notes[-1]][0].where.line
            if not program.is_main(line):
                opening = Opening("sandbox", file=Path(program.path_of(line)))
                line = place_of(program.source, line).line
        editor = self.host.open_sandbox(opening=opening).editor
        editor.move_cursor((line - 1, 0))
        self.host.call_after_refresh(editor.scroll_cursor_visible, center=True, animate=False)

    @property
    def _leads(self) -> Leads:
        case, course = self.investigation.case, self.host.course
        if case is None or course is None:
            return Leads()
        return leads_of(course, concepts(case.verdict, case.blame, case.program.source))

    def action_about(self) -> None:
        if not (leads := self._leads).lessons:
            self.note(DeskTexts.no_lesson)
        else:
            self.host.ask_which_lead(leads)

    def action_write_page(self) -> None:
        """Save what is known as a page in the current folder, under a name that is free."""
        if (explained := self.investigation.page(self.language)) is None:
            self.note(DeskTexts.not_yet)
        else:
            self.note(ExportTexts.working)
            self.run_worker(self._write_page(explained), exclusive=True)

    async def _write_page(self, explained: ExplanationPage) -> None:
        """Write the page, made in a thread: of a long run it takes a while."""
        file = self.investigation.file
        made = partial(whole_page.of_case, explained, file=file, leads=self._leads)
        text = await asyncio.to_thread(made)
        path = free_path(f"{Path(file).stem}.html")
        if self._is_done(lambda: save_file(path, text.encode("utf-8", "replace"))):
            self.note(DeskTexts.page_saved, path=path)

    def action_why(self) -> None:
        """Show all that is known of why, with torch's own words."""
        self._give_whole("happened")

    @on(Lines.RowChosen, "#fixes")
    def action_whole(self) -> None:
        """Give the focused box the whole screen, or take it back."""
        self._give_whole("" if self.focused is None else self.focused.id or "")

    def _give_whole(self, name: str) -> None:
        self._whole = None if self._whole == name else name
        self.update_texts()
        self.set_focus(self.query_one(f"#{name}", Box))

    def action_next_box(self) -> None:
        self.focus_next()

    def action_previous_box(self) -> None:
        self.focus_previous()

    def action_leave(self) -> None:
        """Leave the innermost of: a box that is whole, the first run, this screen.

        What goes on after that has an end of its own, and is found here later.
        """
        if self._whole is not None:
            self._give_whole(self._whole)
        elif self._waits:
            self.investigation.stop()
        else:
            self.host.show_contents()


FRAME = 2
"""Rows of a box that are no room for its own."""


def _diffed(line: str, room: int) -> Span:
    """Return a line of a diff, or the name of its file."""
    if line[:3] == "---":
        return Span(clip(clean(line[4:]), room), Style.STRONG)
    return Span(clip(line[:1] + clean(line[1:]), room), fixes.DIFF.get(line[:1], Style.CODE))


def columns(width: int) -> int:
    """Return the cells of what stands on the left: all where there is one column."""
    return width if width < BESIDE else width * 6 // 11


def arranged(needs: Mapping[str, int], size: Size) -> dict[str, Region]:
    """Return where each box is, by the rows that it needs."""
    left, area = columns(size.width), size.region
    if left == size.width:
        return _stack(needs, area)
    found = dict[str, Region]()
    if "changed" in needs:
        top = min(needs["changed"], size.height // 2)
        found["changed"], area = area.split_horizontal(top)
    if "fixes" in needs:
        area, found["fixes"] = area.split_vertical(left)
    beside = {name: need for name, need in needs.items() if name in ("happened", "lane", "printed")}
    return found | _stack(beside, area)


def _stack(needs: Mapping[str, int], area: Region) -> dict[str, Region]:
    """Return boxes under one another: each has a few rows, then what it needs, in their order."""
    rows = {each: min(needs[each], least) for each, least in _LEAST.items() if each in needs}
    for each in _DISPENSABLE:
        if each == "fixes" and "happened" in rows:
            over = sum(rows.values()) - area.height
            rows["happened"] -= max(0, min(over, rows["happened"] - FEWEST))
        if each in rows and len(rows) > 1 and sum(rows.values()) > area.height:
            del rows[each]
    for each, least in rows.items():
        rows[each] += min(area.height - sum(rows.values()), needs[each] - least)
    rows[next(reversed(rows))] += area.height - sum(rows.values())
    found = dict[str, Region]()
    for each, height in rows.items():
        found[each], area = area.split_horizontal(height)
    return found


_LEAST = {"changed": 8, "happened": 11, "fixes": 7, "lane": 5, "printed": 4}
"""Rows without which a box is of no use, in the order in which they stand."""

FEWEST = 5
"""Rows of what happened beside fixes on the smallest screens."""

_DISPENSABLE = ("printed", "lane", "changed", "fixes")
"""What goes first where there is no room."""
