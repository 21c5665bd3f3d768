"""The command line. stdout is data, stderr is for people.

Neither torch nor Textual is imported here, nor any command: help and a version are quick.
"""

from __future__ import annotations

import click

from inplace_tui.commands.launch import is_plain, open_screen
from inplace_tui.commands.main import run_command
from inplace_tui.commands.parser import LazyGroup, common
from inplace_tui.settings import Settings
from inplace_tui.texts.command import HelpTexts
from inplace_tui.ui.opening import Opening

COMMANDS = {
    "lesson": HelpTexts.lesson,
    "challenge": HelpTexts.challenge,
    "checkpoint": HelpTexts.checkpoint,
    "review": HelpTexts.review,
    "drill": HelpTexts.drill,
    "sandbox": HelpTexts.sandbox,
    "assignment": HelpTexts.assignment,
    "list": HelpTexts.list,
    "run": HelpTexts.run,
    "explain": HelpTexts.explain,
    "check": HelpTexts.check,
    "new": HelpTexts.new,
    "progress": HelpTexts.progress,
    "results": HelpTexts.results,
    "doctor": HelpTexts.doctor,
    "keys": HelpTexts.keys,
    "serve": HelpTexts.serve,
}
"""Each is the `command` of the module of its name in `commands/`."""


@click.group(
    name="inplace-tui",
    cls=LazyGroup,
    text=HelpTexts.program,
    lazy=COMMANDS,
    invoke_without_command=True,
)
@common
@click.pass_context
def program(context: click.Context) -> int:
    if context.invoked_subcommand is not None:
        return 0
    settings = context.ensure_object(Settings)
    if is_plain(settings):
        from inplace_tui.commands.plain.course import contents  # noqa: PLC0415  # only this needs it

        return contents(settings)
    return open_screen(settings, Opening(introduce=True))


def main() -> None:
    run_command(program)
