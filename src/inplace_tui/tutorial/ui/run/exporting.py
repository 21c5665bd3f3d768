"""Takes things out of a run: panels, pictures, graphs, the timeline.

Only what may be seen is taken: the graph and the picture come from the view, which
withholds what an open question hides, and the timeline waits until every question is
answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.cells import hanging
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.outcome import Truth
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.view import Mask
from inplace_tui.tutorial.report import dot, svg
from inplace_tui.tutorial.report import page as whole_page
from inplace_tui.tutorial.report.documents import timeline_document
from inplace_tui.tutorial.ui import clipboard
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog, NumberedDialog, closed_by
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathDialog
from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.textfile import FileError
from inplace_tui.tutorial.ui.keymap import key_of
from inplace_tui.tutorial.ui.panels import CodePanel, Panel
from inplace_tui.tutorial.ui.panels.panel import title_of

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


Take = Callable[[Path], Awaitable[None]]
"""Writes it to a file, or says why it can't be; None copies it instead."""


@dataclass(frozen=True)
class Export:
    """One thing to take out."""

    key: str
    text: LocalText
    about: LocalText
    ending: str
    """What a proposed name ends in."""

    take: Take | None
    refused: LocalText | None
    """Why it can't be had now."""


class ExportDialog(NumberedDialog[Export]):
    """The result is the chosen one; the screen checks whether it is available."""

    HEADING = ExportTexts.export
    FOOTER = ExportTexts.lead
    BINDINGS = closed_by("export")
    first = 0

    def __init__(self, offers: Callable[[], Sequence[Export]], panel: Panel) -> None:
        super().__init__()
        self._offers = offers
        self._panel = panel

    def rows(self, room: int) -> Sequence[Row]:
        """Return each with its number, and what it is or why it can't be had."""
        rows: list[Row] = []
        for place, offer in enumerate(self._offers()):
            target, refused = Target(choice=place), offer.refused
            text = self.say(offer.text, panel=title_of(self._panel, self.language))
            look, number = (Style.STRONG, Style.NAME) if refused is None else (Style.DIM, Style.DIM)
            rows += hanging(Span(f" {place + 1}  ", number), [Span(text, look)], room, target)
            about = Span(self.say(refused or offer.about), Style.MASKED if refused else Style.DIM)
            rows += hanging(Span("    "), [about], room, target)
        return rows

    def results(self) -> Sequence[Export]:
        return self._offers()


class Exporting:
    """Copies and exports what is on the screen."""

    def __init__(self, page: RunScreen) -> None:
        self._page = page

    def offers(self) -> list[Export]:
        page, panel = self._page, self._focused_panel()
        empty = None if panel.text.strip() else ExportTexts.empty
        none = None if page.view.snapshot.nodes else ExportTexts.no_graph
        whole, unread = self._why_not_whole(), self._why_no_page()
        text = self._writes(lambda: f"{panel.text}\n")
        as_svg = self._writes(lambda: svg.document(page.view, page.language))
        as_dot = self._writes(lambda: dot.document(page.view, page.language))
        steps, as_page = self._write_timeline, self._write_page
        of_panel, of_graph = ExportTexts.about_panel, ExportTexts.about_graph
        of_steps, of_run = ExportTexts.about_timeline, ExportTexts.about_page
        return [
            Export("panel-copy", ExportTexts.panel_copy, of_panel, "", None, empty),
            Export("panel-file", ExportTexts.panel_file, of_panel, f"-{panel.id}.txt", text, empty),
            Export("graph-svg", ExportTexts.graph_svg, of_graph, "-graph.svg", as_svg, none),
            Export("graph-dot", ExportTexts.graph_dot, of_graph, "-graph.dot", as_dot, none),
            Export("timeline", ExportTexts.timeline, of_steps, "-timeline.json", steps, whole),
            Export("page", ExportTexts.page, of_run, ".html", as_page, unread),
        ]

    def _why_not_whole(self) -> LocalText | None:
        """Return why the whole run can't be exported yet; None if it can."""
        view, session = self._page.view, self._page.runner.session
        if not session.may_experiment or view.mask != Mask():
            return ExportTexts.questions_open
        if self._page.program_shown() is None:
            return ExportTexts.no_run
        return None if view.variant in session.outcomes else ExportTexts.not_over

    def _why_no_page(self) -> LocalText | None:
        """Return why the page of the run can't be written yet; None if it can.

        The page of a lesson's own program leaves out what its open questions hide. What is
        asked about a drill or a variant is about all of the run.
        """
        session = self._page.runner.session
        if session.again() is None:
            return ExportTexts.not_over
        has_questions = session.lesson is not None and session.variant is None
        is_hidden = not has_questions and self._page.view.mask != Mask()
        return ExportTexts.question_open if is_hidden else None

    @property
    def truth(self) -> Truth:
        """What the replays of the run on the screen showed."""
        _, truth = self._page.runner.session.outcomes[self._page.view.variant]
        return truth

    # Copying.

    def _focused_panel(self) -> Panel:
        focused = self._page.focused
        return focused if isinstance(focused, Panel) else self._page.query_one(CodePanel)

    def copy(self) -> None:
        """Copy the focused panel as text; what is large is written to a file too."""
        page, panel = self._page, self._focused_panel()
        text = panel.text
        if not text.strip():
            page.note(ExportTexts.empty)
            return
        lines = len(text.splitlines())
        page.app.copy_to_clipboard(text)
        if clipboard.fits(text):
            page.note(ExportTexts.copied, lines=lines, key=key_of("export", page.app.screen))
            return
        path = page.host.home / "copied" / f"{panel.id}.txt"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as refusal:
            reason = textfile.reason_of(refusal)
            page.notice(page.say(ScreenTexts.not_saved, path=str(path), reason=reason), wrong=True)
            return
        page.note(ExportTexts.copied_large, lines=lines, path=str(path))

    # Exporting.

    def offer(self) -> None:
        self._page.host.ask(ExportDialog(self.offers, self._focused_panel()), self._chosen)

    def _chosen(self, offer: Export) -> None:
        if offer.refused is not None:
            self._page.note(offer.refused)
        elif offer.take is None:
            self.copy()
        else:
            self._page.run_worker(self._export(offer), exclusive=True, group="export")

    async def _export(self, offer: Export) -> None:
        """Ask where to, and write it there."""
        path = await self._ask_path(str(free_path(f"{self._page.base_name()}{offer.ending}")))
        if path is not None and offer.take is not None:
            self._page.note(ExportTexts.working)
            await offer.take(path)

    def _writes(self, made: Callable[[], str]) -> Take:
        async def write(path: Path) -> None:
            self.write(path, made())

        return write

    async def _write_page(self, path: Path) -> None:
        """Write the page of the run, made in a thread: of a long run it takes a while."""
        page, session = self._page, self._page.runner.session.again()
        assert session is not None, "it was offered"
        fixes = () if page.view.fixes is None else page.view.fixes.found
        made = partial(whole_page.document, session, page.base_name(), page.language, fixes)
        self.write(path, await asyncio.to_thread(made))

    async def _write_timeline(self, path: Path) -> None:
        """Write the document, made in a thread: of a long run it takes a while."""
        page, truth = self._page, self.truth
        program, view, lesson = page.program_shown(), page.view, page.lesson_shown()
        assert program is not None, "it was offered"

        def made() -> str:
            document = timeline_document(
                program, view.timeline, truth, lesson=lesson, variant=view.variant
            )
            return msgspec.json.encode(document).decode() + "\n"

        self.write(path, await asyncio.to_thread(made))

    async def _ask_path(self, proposed: str) -> Path | None:
        """Ask where to write; what is there already is not overwritten unasked."""
        page = self._page
        prompt = PathDialog(ExportTexts.prompt, text=proposed)
        name = await page.app.push_screen_wait(prompt)
        if name is None:
            return None
        path = paths.expanded(name)
        there = textfile.exists(path) and not textfile.is_folder(path)
        if there and not await may_overwrite(page, path):
            return await self._ask_path(name)
        return path

    def write(self, path: Path, text: str) -> None:
        """Write a file, and say where it is, or why not."""
        page = self._page
        try:
            textfile.write(path, text)
        except FileError as refusal:
            page.notice(refusal.text[page.language], wrong=True)
            return
        count = len(text.encode("utf-8", "replace"))
        folder = path.absolute().parent
        page.note(ExportTexts.written, name=path.name, count=count, folder=str(folder))


def free_path(name: str) -> Path:
    """Return a path in the current folder with a name that is still free."""
    path = first = Path(name)
    number = 1
    while textfile.exists(path):
        number += 1
        path = first.with_stem(f"{first.stem}-{number}")
    return path


async def may_overwrite(
    page: RunScreen, path: Path, question: LocalText = ScreenTexts.ask_overwrite
) -> bool:
    answers = [("overwrite", partial(page.say, ScreenTexts.do_overwrite))]
    asked = AskDialog(partial(page.say, question, path=str(path)), answers)
    return await page.app.push_screen_wait(asked) is not None
