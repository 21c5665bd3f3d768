"""The command `sandbox`: on the screen, else as lines of text."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from inplace_tui.common.command.parser import (
    CommandError,
    ProgramCommand,
    localized_command,
    option,
    program_arguments,
    refusing,
)
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening, opening_of


@localized_command("sandbox", HelpTexts.sandbox, ProgramCommand)
@option("-m", "module", text=HelpTexts.module, metavar="MODULE")
@click.argument("file", metavar="[FILE] [-- ARGS]", required=False)
@click.pass_context
def sandbox_command(
    context: click.Context, settings: Settings, *, file: str | None, module: str | None
) -> int:
    arguments = program_arguments(context)
    if module is None:
        opening = _of_file(file, arguments)
    elif file is None:
        from inplace_tui.common.command.launchers import Called  # noqa: PLC0415  # not before the first frame

        opening = opening_of(Called(module, arguments, is_module=True), "sandbox")
    else:
        raise CommandError(ErrorTexts.one_of, names=("FILE", "-m"))
    worker = start_worker(settings)
    if is_plain(settings):
        from inplace_tui.tutorial.commands.plain.sandbox import sandbox  # noqa: PLC0415  # only this needs it

        return sandbox(settings, opening)
    return open_screen(settings, opening, worker)


def _of_file(file: str | None, arguments: tuple[str, ...]) -> Opening:
    if file == "-":
        content = None if sys.stdin.isatty() else _standard_input()
        return Opening(screen="sandbox", content=content, arguments=arguments)
    path = None if file is None else Path(file)
    return Opening(screen="sandbox", file=path, arguments=arguments)


def _standard_input() -> bytes:
    """Read a program; from then on, standard input is the terminal, where there is one."""
    from inplace_tui.common.atomic_files import read_stdin  # noqa: PLC0415  # not before the first frame
    from inplace_tui.tutorial.ui.drafts.textfile import MAX_BYTES  # noqa: PLC0415

    with refusing("-"):
        content = read_stdin(MAX_BYTES)
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, 0)
        os.close(terminal)
    return content
