"""The command `desk`, which is `inplace-tui FILE`: on the screen, else what `explain` prints."""

from __future__ import annotations

import os
from pathlib import Path

import click

from inplace_tui.common.command.parser import (
    LAUNCHERS,
    CommandError,
    ProgramCommand,
    leading_options,
    localized_command,
    option,
    program_arguments,
    refusing,
)
from inplace_tui.common.command.pythons import recorder_for
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import opening_of


class _DeskCommand(ProgramCommand):
    """Leaves all that stands behind FILE to the program, as Python does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        place = leading_options(self, args)
        given = args[: place + 2]
        if "-m" not in given and "--" not in given and LAUNCHERS.keys().isdisjoint(given):
            args = [*args[: place + 1], "--", *args[place + 1 :]]
        return super().parse_args(ctx, args)


@localized_command("desk", HelpTexts.desk, _DeskCommand)
@option("-m", "module", text=HelpTexts.module, metavar="MODULE")
@option("--python", text=HelpTexts.python, metavar="PATH", type=click.Path(path_type=Path))
@click.argument("file", metavar="[FILE] [ARGS]...", required=False, type=click.Path())
@click.pass_context
def desk_command(
    context: click.Context,
    settings: Settings,
    *,
    file: str | None,
    module: str | None,
    python: Path | None,
) -> int:
    arguments = program_arguments(context)
    if file is None and module is None:
        raise CommandError(ErrorTexts.missing, name="FILE")
    if file is not None:
        with refusing(file):
            os.stat(file)
    if is_plain(settings):
        from inplace_tui.diagnosis.commands.explain import explain_command  # noqa: PLC0415  # only this needs it

        files = () if file is None else (file,)
        return int(context.invoke(explain_command, files=files, module=module, python=python))
    python = recorder_for(python, os.path.dirname(file or ""), settings.language).other
    worker = None if python is not None else start_worker(settings)
    from inplace_tui.common.command.launchers import Called  # noqa: PLC0415  # not before the worker

    called = Called(file or str(module), arguments, is_module=file is None)
    return open_screen(settings, opening_of(called, "desk", python), worker)
