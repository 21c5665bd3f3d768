"""Takes things out of a run: panels, pictures, graphs, the timeline.

Whatever is taken is what may be seen: the graph and the picture come from the
view, which withholds what an open question hides, and the timeline waits until
every question is answered.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from inplace_tui.engine.session.view import Mask
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.outcome import Truth
from inplace_tui.model.program import Program
from inplace_tui.present.exporting import Export
from inplace_tui.report import dot, svg
from inplace_tui.report.documents import timeline_document
from inplace_tui.texts import say
from inplace_tui.texts.exporting import ExportTexts
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui import clipboard, screenshot
from inplace_tui.ui.dialogs.dialog import AskDialog
from inplace_tui.ui.dialogs.export import ExportDialog
from inplace_tui.ui.dialogs.path_dialog import PathDialog
from inplace_tui.ui.drafts import textfile
from inplace_tui.ui.drafts.textfile import FileError
from inplace_tui.ui.panels import CodePanel, Panel
from inplace_tui.ui.panels.panel import title_of
from inplace_tui.ui.screens.staging import Staging
from inplace_tui.ui.widgets.key_bar import live_keys

ENDINGS = {
    "panel-file": ".txt",
    "picture": "-screen.svg",
    "graph-svg": "-graph.svg",
    "graph-dot": "-graph.dot",
    "timeline": "-timeline.json",
    "script": "-script.py",
    "lesson": ".yaml",
}
"""What a proposed name ends in."""


class Exporting(Staging):
    """Copies and exports what is on the screen."""

    @abstractmethod
    def program_shown(self) -> Program | None:
        """Return the program whose run is on the screen; None before the first run."""

    @abstractmethod
    def base_name(self) -> str:
        """Return what names of files begin with."""

    def offers(self) -> list[Export]:
        """Return what can be taken out here and now."""
        panel = title_of(self._panel_at_hand(), self.language)
        empty = None if self._panel_at_hand().text.strip() else ExportTexts.empty
        graph = None if self.view.snapshot.nodes else ExportTexts.no_graph
        return [
            self.offer(
                "panel-copy", ExportTexts.panel_copy, ExportTexts.about_panel, empty, panel=panel
            ),
            self.offer(
                "panel-file", ExportTexts.panel_file, ExportTexts.about_panel, empty, panel=panel
            ),
            self.offer("picture", ExportTexts.picture, ExportTexts.about_picture, None),
            self.offer("graph-svg", ExportTexts.graph_svg, ExportTexts.about_graph, graph),
            self.offer("graph-dot", ExportTexts.graph_dot, ExportTexts.about_graph, graph),
            self.offer(
                "timeline", ExportTexts.timeline, ExportTexts.about_timeline, self.why_not_told()
            ),
        ]

    def offer(
        self,
        key: str,
        text: LocalText,
        about: LocalText,
        refused: LocalText | None,
        /,
        **values: object,
    ) -> Export:
        """Return one thing, in the language of now."""
        why = None if refused is None else say(refused, self.language)
        return Export(key, say(text, self.language, **values), say(about, self.language), why)

    def why_not_told(self) -> LocalText | None:
        """Return why the whole run can't be told yet; None if it can."""
        view, session = self.view, self.runner.session
        if not session.may_experiment or view.mask != Mask():
            return ExportTexts.questions_open
        if self.program_shown() is None:
            return ExportTexts.no_run
        return None if view.variant in session.outcomes else ExportTexts.not_over

    def truth_told(self) -> Truth:
        """Return what the replays of the run on the screen showed."""
        _, truth = self.runner.session.outcomes[self.view.variant]
        return truth

    # Copying.

    def _panel_at_hand(self) -> Panel:
        return self.focused if isinstance(self.focused, Panel) else self.query_one(CodePanel)

    def action_copy(self) -> None:
        """Copy the focused panel as text; what is large is written to a file too."""
        text = self._panel_at_hand().text
        if not text.strip():
            self.note(ExportTexts.empty)
            return
        lines = len(text.splitlines())
        self.app.copy_to_clipboard(text)
        if clipboard.fits(text):
            self.note(ExportTexts.copied, lines=lines, key=self._key_of("export"))
            return
        path = self.host.home / "copied" / f"{self._panel_at_hand().id}.txt"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as refusal:
            values = {"path": str(path), "reason": textfile.said(refusal)}
            self.notice(self.say(ScreenTexts.not_saved, **values), wrong=True)
            return
        self.note(ExportTexts.copied_large, lines=lines, path=str(path))

    def _key_of(self, action: str) -> str:
        keys = {each.id: key for each, key in live_keys(self.app.screen).items()}
        return keys.get(action, "")

    # Exporting.

    def action_export(self) -> None:
        """List what can be taken out."""
        self.app.push_screen(ExportDialog(self.offers), self._chosen_to_export)

    def _chosen_to_export(self, offer: Export | None) -> None:
        if offer is None:
            return
        if offer.refused is not None:
            self.notice(offer.refused)
        elif offer.key == "panel-copy":
            self.action_copy()
        else:
            self.run_worker(self.export(offer.key), exclusive=True, group="export")

    async def export(self, key: str) -> None:
        """Ask where to, and write it there."""
        path = await self.ask_path(self.proposed(key))
        if path is None:
            return
        self.note(ExportTexts.working)
        text = await self.content_of(key, path)
        if text is not None:
            self.put(path, text)

    async def content_of(self, key: str, path: Path) -> str | None:  # noqa: ARG002  (of others)
        """Return what the file will hold; None if it was said why there is nothing."""
        if key == "timeline":
            return await asyncio.to_thread(self._timeline())
        makers: dict[str, Callable[[], str]] = {
            "panel-file": lambda: self._panel_at_hand().text + "\n",
            "picture": lambda: screenshot.screen_svg(self.app),
            "graph-svg": lambda: svg.document(self.view, self.language),
            "graph-dot": lambda: dot.document(self.view, self.language),
        }
        return makers[key]()

    def _timeline(self) -> Callable[[], str]:
        """Return what makes the document: of a long run it takes a while."""
        program, view = self.program_shown(), self.view
        assert program is not None, "it was offered"
        timeline, truth, lesson = view.timeline, self.truth_told(), self.lesson_shown()

        def made() -> str:
            document = timeline_document(
                program, timeline, truth, lesson=lesson, variant=view.variant
            )
            return msgspec.json.encode(document).decode() + "\n"

        return made

    def lesson_shown(self) -> str | None:
        """Return the id of the lesson whose program it is, if it is one's."""
        return None

    def proposed(self, key: str) -> str:
        """Return a name that is still free in the current folder."""
        stem, ending = self.base_name(), ENDINGS[key]
        if key == "panel-file":
            stem = f"{stem}-{self._panel_at_hand().id}"
        first = Path(f"{stem}{ending}")
        name, number = first, 1
        while textfile.exists(name):
            number += 1
            name = first.with_stem(f"{first.stem}-{number}")
        return str(name)

    async def ask_path(self, proposed: str) -> Path | None:
        """Ask where to write; what is there already is not overwritten unasked."""
        prompt = PathDialog(lambda: say(ExportTexts.prompt, self.language), text=proposed)
        name = await self.app.push_screen_wait(prompt)
        if name is None:
            return None
        path = textfile.named(name)
        there = textfile.exists(path) and not textfile.is_folder(path)
        if there and not await self.may_overwrite(path):
            return await self.ask_path(name)
        return path

    async def may_overwrite(
        self, path: Path, question: LocalText = ScreenTexts.ask_overwrite
    ) -> bool:
        """Ask whether what is in a file may be lost."""
        asked = partial(self.say, question, path=str(path))
        answers = [("overwrite", partial(self.say, ScreenTexts.do_overwrite))]
        return await self.app.push_screen_wait(AskDialog(asked, answers)) is not None

    def put(self, path: Path, text: str, said: LocalText = ExportTexts.written) -> None:
        """Write it, and say where it is, or why not."""
        try:
            textfile.write(path, text)
        except FileError as refusal:
            self.notice(self.say(refusal.text, **refusal.values), wrong=True)
            return
        count = len(text.encode("utf-8", "replace"))
        folder = path.absolute().parent
        self.note(said, name=path.name, count=count, folder=str(folder))
