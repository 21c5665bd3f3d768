"""The command `sandbox`: on the screen, else as lines of text."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
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
from inplace_tui.common.command.pythons import recorder_for
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening, opening_of


@localized_command("sandbox", HelpTexts.sandbox, ProgramCommand)
@option("-m", "module", text=HelpTexts.module, metavar="MODULE")
@option("--python", text=HelpTexts.python, metavar="PATH", type=click.Path(path_type=Path))
@click.argument("file", metavar="[FILE] [-- ARGS]", required=False, type=click.Path())
@click.pass_context
def sandbox_command(
    context: click.Context,
    settings: Settings,
    *,
    file: str | None,
    module: str | None,
    python: Path | None,
) -> int:
    arguments = program_arguments(context)
    python = recorder_for(python, os.path.dirname(file or ""), settings.language).other
    if module is None:
        opening = replace(_of_file(file, arguments), python=python)
    elif file is None:
        from inplace_tui.common.command.launchers import Called  # noqa: PLC0415  # not before the first frame

        opening = opening_of(Called(module, arguments, is_module=True), "sandbox", python)
    else:
        raise CommandError(ErrorTexts.one_of, names=("FILE", "-m"))
    worker = None if python is not None else start_worker(settings)
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
