"""The command `serve`: the screens in a browser, each visit a session of its own."""

from __future__ import annotations

import click

from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts, HelpTexts
from inplace_tui.tutorial.settings import Settings

HERE = ("127.0.0.1", "localhost", "::1")


@localized_command("serve", HelpTexts.serve)
@option("--host", text=HelpTexts.host, default=HERE[0], metavar="HOST")
@option("--port", text=HelpTexts.port, default=8000, type=click.IntRange(1, 65_535), metavar="PORT")
def serve_command(settings: Settings, *, host: str, port: int) -> int:
    try:
        from inplace_tui.tutorial.commands.web_server import serve  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise CommandError(ErrorTexts.no_server) from error
    print_message(say(CommandTexts.serve_rights, settings.language))
    if host not in HERE:
        print_message(say(CommandTexts.serve_open, settings.language, host=host))
    return serve(settings, host, port)
