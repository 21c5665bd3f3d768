"""Exports a program that was written here, as a lesson."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.common.texts.share import ShareTexts
from inplace_tui.tutorial.drive.check import check_text
from inplace_tui.tutorial.report.schema import emitted
from inplace_tui.tutorial.share import ShareError, lesson, slug_of
from inplace_tui.tutorial.ui.lesson_fit import lesson_overflows
from inplace_tui.tutorial.ui.run.exporting import Export, Exporting

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen

SCHEMA = "lesson.schema.json"


class Sharing(Exporting):
    """Offers the program as it ran, too."""

    _page: EditorScreen

    def more(self, refused: LocalText | None) -> Sequence[Export]:
        if refused is None and self._page.ran_text != self._page.editor.text:
            refused = ExportTexts.edited
        program = self._page.program_shown()
        if refused is None and program is not None and program.files:
            refused = ExportTexts.several_files
        about, write = ExportTexts.about_lesson, self._write_lesson
        return [Export("lesson", ExportTexts.lesson, about, ".yaml", write, refused)]

    async def make_lesson(self, path: Path) -> str | None:
        """Return a lesson that is true; where it can't be one, say why."""
        page, program = self._page, self._page.program_shown()
        assert program is not None, "it was offered"
        page.note(ShareTexts.checking)
        timeline, truth = page.view.timeline, self.truth
        try:
            text = lesson(program, timeline, truth, slug=slug_of(path.name), schema=SCHEMA)
        except ShareError as refusal:
            page.notice(page.say(refusal.text), wrong=True)
            return None
        loaded, problems = await check_text(page.runner.worker, text, path.name)
        if loaded is not None:
            problems = (*problems, *lesson_overflows(loaded))
        if problems:
            why = problems[0].message[page.language]
            page.notice(page.say(ShareTexts.not_a_lesson, why=why), wrong=True)
            return None
        return text

    async def _write_lesson(self, path: Path) -> None:
        text = await self.make_lesson(path)
        if text is not None and self.write(path, text):
            self._put_schema_beside(path)

    def _put_schema_beside(self, path: Path) -> None:
        """Put the schema of lessons beside one, for editors; they do without it."""
        beside = path.parent / SCHEMA
        if path.is_file():
            self._page.note(ShareTexts.lesson_written, name=path.name)
            if not beside.exists():
                with suppress(OSError):
                    beside.write_bytes(emitted()[SCHEMA])
