"""The command `sandbox`: on the screen, else as lines of text."""

from __future__ import annotations

from pathlib import Path

import click

from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import (
    CommandError,
    ProgramCommand,
    Settings,
    localized_command,
    option,
    pass_settings,
    program_arguments,
)
from inplace_tui.texts.command import ErrorTexts, HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("sandbox", HelpTexts.sandbox, ProgramCommand)
@option("-m", "module", text=HelpTexts.module, metavar="MODULE")
@click.argument("file", metavar="[FILE] [-- ARGS]", required=False, type=click.Path(path_type=Path))
@pass_settings
@click.pass_context
def command(
    context: click.Context, settings: Settings, *, file: Path | None, module: str | None
) -> int:
    arguments = program_arguments(context)
    if module is not None:
        if file is not None:
            raise CommandError(ErrorTexts.one_of, names="FILE, -m")
        module, file = _module(module)
    worker = start_worker(settings)
    opening = Opening(screen="sandbox", file=file, module=module, arguments=arguments)
    if is_plain(settings):
        from inplace_tui.commands.plain.sandbox import sandbox  # noqa: PLC0415  # only this needs it

        return sandbox(settings, opening)
    return open_screen(settings, opening, worker)


def _module(name: str) -> tuple[str, Path]:
    """Return a module below the working directory with its file.

    Raises:
        CommandError: it is not there.
    """
    from inplace_tui.commands.programs import program_of_module  # noqa: PLC0415  # likewise

    found = program_of_module(name, ())
    path = Path(found.filename)
    if not path.is_file():
        raise CommandError(ErrorTexts.cannot_read, path=name, why="no such module")
    here = Path.cwd()
    return found.module or name, path.relative_to(here) if path.is_relative_to(here) else path
