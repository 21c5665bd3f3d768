"""Takes a program of the sandbox out as a script or as a lesson."""

from __future__ import annotations

import os
from pathlib import Path

from inplace_tui.drive.check import check_text
from inplace_tui.engine.share.lesson import ShareError, lesson, slug_of
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.program import Program
from inplace_tui.present.exporting import Export
from inplace_tui.report.schema import emitted
from inplace_tui.report.script import Told, Versions, script
from inplace_tui.runner.states import Ready
from inplace_tui.texts import say
from inplace_tui.texts.exporting import ExportTexts
from inplace_tui.texts.share import ShareTexts
from inplace_tui.ui.lesson_fit import lesson_overflows
from inplace_tui.ui.sandbox.remembering import RememberingScreen
from inplace_tui.ui.screens.run_screen import ScreenSessionRunner

SCHEMA = "lesson.schema.json"


class SharingScreen(RememberingScreen):
    """Offers the program that ran to others."""

    def program_shown(self) -> Program | None:
        """Return what ran last, or was shown again."""
        return None if self._ran is None else self.run_log.program

    def base_name(self) -> str:
        """Return the name of the file, if there is one."""
        return "sandbox" if self.file is None else self.file.path.stem

    def offers(self) -> list[Export]:
        """Add the program itself; it is shared as it ran."""
        refused = self.why_not_told()
        if refused is None and self._ran != self.editor.text:
            refused = ExportTexts.edited
        return [
            *super().offers(),
            self.offer("script", ExportTexts.script, ExportTexts.about_script, refused),
            self.offer("lesson", ExportTexts.lesson, ExportTexts.about_lesson, refused),
        ]

    async def content_of(self, key: str, path: Path) -> str | None:
        """Return a script or a lesson, or what any run can give."""
        if key == "script":
            return self._script(path)
        if key == "lesson":
            return await self._lesson(path)
        return await super().content_of(key, path)

    def _script(self, path: Path) -> str:
        program = self.program_shown()
        assert program is not None, "it was offered"
        told = Told(program, self.view.timeline, self.truth_told(), self._versions())
        return script(told, name=path.name, language=self.language)

    def _versions(self) -> Versions:
        assert isinstance(self.runner, ScreenSessionRunner)
        state = self.runner.worker.state
        if isinstance(state, Ready):
            return Versions(python=state.python, torch=state.torch)
        return Versions(python="?", torch="?")

    async def _lesson(self, path: Path) -> str | None:
        """Return a lesson that is true; where it can't be one, say why."""
        program = self.program_shown()
        assert program is not None
        assert isinstance(self.runner, ScreenSessionRunner)
        self.note(ShareTexts.checking)
        slug = slug_of(path.name)
        try:
            text = lesson(program, self.view.timeline, self.truth_told(), slug=slug, schema=SCHEMA)
        except ShareError as refusal:
            self.notice(say(refusal.text, self.language), wrong=True)
            return None
        loaded, problems = await check_text(self.runner.worker, text, path.name)
        if loaded is not None:
            problems = (*problems, *lesson_overflows(loaded))
        if problems:
            why = problems[0].said[self.language]
            self.notice(say(ShareTexts.not_a_lesson, self.language, why=why), wrong=True)
            return None
        return text

    def put(self, path: Path, text: str, said: LocalText = ExportTexts.written) -> None:
        """A lesson has its schema beside it, for editors."""
        is_lesson = text.startswith("# yaml-language-server")
        super().put(path, text, said)
        if is_lesson and os.path.isfile(path):
            self.note(ShareTexts.lesson_written, name=path.name)
            beside = path.parent / SCHEMA
            if not beside.exists():
                self._beside(beside)

    @staticmethod
    def _beside(path: Path) -> None:
        try:
            path.write_bytes(emitted()[SCHEMA])
        except OSError:
            return  # an editor does without it
