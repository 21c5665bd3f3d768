"""The sandbox: write a program, run it, step through it, edit and run again."""

from __future__ import annotations

import secrets
from pathlib import Path

from textual.content import Content

from inplace_tui.common.own_files import OWN, with_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.program import Program
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.ui.drafts.draft import Draft, Recovery
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
from inplace_tui.tutorial.ui.sandbox.filing import Filing
from inplace_tui.tutorial.ui.widgets.bars import Bar


class SandboxScreen(EditorScreen):
    """A program of the learner's own, in a file or in none yet."""

    BINDINGS = bindings(Where.RUN, Where.SANDBOX)

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft.text, ran=draft.cursor is not None)
        self.filing = Filing(self, draft, recovery)

    @property
    def unsaved(self) -> bool:
        return self.filing.unsaved

    def keep_draft(self) -> None:
        self.filing.save_draft()

    async def may_lose(self) -> bool:
        return await self.filing.may_lose()

    def begin(self) -> None:
        self.filing.begin()
        super().begin()

    def on_unmount(self) -> None:
        self.filing.recovery.close()

    def show_title(self) -> None:
        """Show which file this is, and whether it is saved."""
        filing = self.filing
        name = Content(filing.name)
        parts = [Content.styled(self.say(ScreenTexts.sandbox), "bold $primary"), name]
        kept = filing.recovery.trouble is None
        if filing.is_main_unsaved or (filing.unsaved and not kept):
            text = ScreenTexts.unsaved if kept else ScreenTexts.unsaved_unkept
            parts.append(Content.styled(self.say(text), "$warning"))
        if others := filing.others.paths:
            names = list_of((path.name for path in others), self.language)
            text = ScreenTexts.unsaved_others
            parts.append(Content.styled(self.say(text, names=names), "$warning"))
        right = Content("")
        if self.ran_text is not None:
            right = self.edited_since() or self.progress_text(self.view)
        self.query_one("#title", Bar).show(Content("  ").join(parts), right)

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.editing:
            return ("run", "leave")
        return (*super().promoted, "type", "run", "next", "back", "leave")

    def action_save(self) -> None:
        self.run_worker(self.filing.save(), exclusive=True)

    def action_save_as(self) -> None:
        self.run_worker(self.filing.save_as(), exclusive=True)

    def action_open(self) -> None:
        self.run_worker(self.filing.open(), exclusive=True)

    def program_of(self, text: str) -> Program:
        """Return what to run when this is in the editor.

        A file draws other numbers each time, as under python; the replays of one run
        draw the same, or nothing could be compared.
        """
        filing = self.filing
        file, seed, opening = filing.file, filing.seed, filing.opening
        path = None if file is None else file.path.absolute()
        name, folder = ("sandbox.py", None) if path is None else (path.name, str(path.parent))
        if path is not None and opening.module is not None:
            name, folder = str(path), str(Path.cwd())
        elif path is None and opening.content is not None:
            name, folder = "<stdin>", str(Path.cwd())
        program = Program(
            source=text,
            filename=name,
            folder=folder,
            module=opening.module,
            is_imported=opening.is_imported,
            arguments=opening.arguments,
            environment=opening.environment,
            seed=secrets.randbelow(2**31) if seed is None else seed,
            origin=filing.origin,
        )
        return filing.others.over(with_files(program, OWN))

    def open_fix(self, fix: Fix) -> None:
        """Take it into the editor; in other files it runs, and is not saved."""
        program = self.program_shown()
        assert program is not None, "it is a fix of what ran"
        changed = self.filing.others.change(program, fix.source)
        super().open_fix(fix)
        if changed:
            self.note(ScreenTexts.fix_in_files, names=list_of(changed, self.language))

    def base_name(self) -> str:
        file = self.filing.file
        return "sandbox" if file is None else file.path.stem

    def go_away(self) -> None:
        """Leave, once nothing can be lost."""
        self.run_worker(self._leave(), exclusive=True)

    async def _leave(self) -> None:
        if await self.may_lose():
            self.host.leave(self)
