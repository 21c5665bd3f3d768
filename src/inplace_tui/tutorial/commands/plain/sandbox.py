"""A program of one's own on lines of text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.command.programs import MAX_BYTES, program_of
from inplace_tui.common.command.stdin import prompt, read_lines
from inplace_tui.common.own_files import OWN, with_files
from inplace_tui.common.run.program import Limits, Program
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Restarted
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.shell import RunShell
from inplace_tui.tutorial.commands.plain.typed import SANDBOX, TypedCommand
from inplace_tui.tutorial.commands.programs import FILE_SECONDS
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening, program_opened

TYPED = "<stdin>"
END = "."


class SandboxShell(RunShell):
    """One program in front of somebody."""

    groups = SANDBOX

    def __init__(
        self, program: Program, opening: Opening, worker: Worker, printer: Printer
    ) -> None:
        super().__init__(Session(program), worker, printer, limits=Limits(seconds=FILE_SECONDS))
        self._program = program
        self._opening = opening

    async def do(self, typed: TypedCommand) -> bool:
        if typed.name == "run":
            await self._run()
        return typed.name == "run"

    async def _run(self) -> None:
        if self._opening.file is not None:
            try:
                self._program = _program(self._opening)
            except CommandError as refusal:
                self.printer.text(refusal.text[self.printer.language])
                return
        self.runner.send(Restarted(self._program))
        await self.until_idle()
        self.open()


def sandbox(settings: Settings, opening: Opening) -> int:
    """Run a file, or what is typed, and step through it; return the exit code."""
    asyncio.run(_play(settings, opening))
    return 0


def _program(opening: Opening) -> Program:
    """Return a program with all files of the user's own that it imports, as they are now."""
    program = program_opened(opening)
    if opening.is_imported:
        program = msgspec.structs.replace(
            program, module=opening.module, folder=str(Path.cwd()), is_imported=True
        )
    return with_files(program, OWN)


async def _play(settings: Settings, opening: Opening) -> None:
    program = None if opening.file is None else _program(opening)
    kept = Progress(paths.progress_file()).record.language
    language = settings.chosen or kept or settings.language
    printer = Printer(language)
    async with aclosing(read_lines()) as lines:
        if program is None:
            content = opening.content
            if content is None:
                print_message(say(PlainTexts.type_program, language))
                content = await _typed(lines)
            program = program_of(content, TYPED, str(Path.cwd()), opening.arguments)
            program = with_files(program, OWN)
        print_message(say(CommandTexts.loading, language))
        async with warm_worker(opening.python) as worker:
            printer.text(say(PlainTexts.sandbox, language, name=opening.file or TYPED))
            await SandboxShell(program, opening, worker, printer).run(lines)


async def _typed(lines: AsyncIterator[str]) -> bytes:
    typed: list[str] = []
    size = 0
    prompt()
    async for line in lines:
        if line.rstrip() == END:
            break
        typed.append(line)
        size += len(line) + 1
        if size > MAX_BYTES:
            why = f"more than {MAX_BYTES} bytes"
            raise CommandError(ErrorTexts.cannot_read, path=TYPED, why=why)
        prompt()
    return "\n".join([*typed, ""]).encode()
