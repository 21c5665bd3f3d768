"""The command `sandbox`: on the screen, else as lines of text."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
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
from inplace_tui.common.paths import from_here
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening


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
        opening = _of_module(module, arguments)
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


def _of_module(name: str, arguments: tuple[str, ...]) -> Opening:
    """Return how a module is opened: with its file, or with one that its arguments name."""
    from inplace_tui.common.command.launchers import ACCELERATE, TORCHRUN, launched  # noqa: PLC0415  # likewise
    from inplace_tui.common.command.programs import program_of_module  # noqa: PLC0415

    if name in ACCELERATE:
        raise CommandError(ErrorTexts.accelerate)
    if name in TORCHRUN:
        launch = launched(arguments)
        opened = _of_module if launch.is_module else _of_file
        return replace(opened(launch.script, launch.arguments), environment=launch.environment)
    found = program_of_module(name, ())
    path, is_imported = Path(found.filename), False
    if not path.is_file():
        if find_spec(name.partition(".")[0]) is None:
            raise CommandError(ErrorTexts.cannot_read, path=name, why="no such module")
        files = (Path(each.partition("::")[0]) for each in arguments)
        named = next((each for each in files if each.suffix == ".py" and each.is_file()), None)
        if named is None:
            raise CommandError(ErrorTexts.no_file_named, name=name)
        path, is_imported = named.absolute(), True
    return Opening(
        screen="sandbox",
        file=from_here(path),
        module=name if is_imported else found.module,
        is_imported=is_imported,
        arguments=arguments,
    )
