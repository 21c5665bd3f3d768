"""The command line. stdout is data, stderr is for people.

Neither torch nor Textual is imported here, nor any command: help and a version are quick.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inplace_tui.common.command.output import echo
from inplace_tui.common.command.parser import (
    LazyGroup,
    ReaderGoneError,
    common,
    reason_of,
    sentence,
)
from inplace_tui.common.command.settings import LeadFinder, Leads
from inplace_tui.common.console import prepare, replace_closed
from inplace_tui.common.language import of_arguments, of_locale
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.launch import is_plain, open_screen
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening

if TYPE_CHECKING:
    from inplace_tui.diagnosis.explain.report import ExplanationPage

UNUSABLE = 2
OURS = 70
INTERRUPTED = 130
PIPE_CLOSED = 141
HUNG_UP = 129
"""The terminal is gone."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a disk says that takes no more."""

UNREACHABLE = (errno.EACCES, errno.ELOOP, errno.ENAMETOOLONG, errno.EPERM)
"""Errors about a name itself, before the file is read or written."""

COMMANDS = {
    "desk": ("tutorial.commands.desk", HelpTexts.desk),
    "lesson": ("tutorial.commands.learning", HelpTexts.lesson),
    "challenge": ("tutorial.commands.learning", HelpTexts.challenge),
    "checkpoint": ("tutorial.commands.learning", HelpTexts.checkpoint),
    "review": ("tutorial.commands.learning", HelpTexts.review),
    "drill": ("tutorial.commands.learning", HelpTexts.drill),
    "sandbox": ("tutorial.commands.sandbox", HelpTexts.sandbox),
    "assignment": ("tutorial.commands.assignment", HelpTexts.assignment),
    "list": ("tutorial.commands.list", HelpTexts.list),
    "run": ("tutorial.commands.run", HelpTexts.run),
    "explain": ("diagnosis.commands.explain", HelpTexts.explain),
    "op": ("tutorial.commands.op", HelpTexts.op),
    "check": ("tutorial.commands.check", HelpTexts.check),
    "new": ("tutorial.commands.new", HelpTexts.new),
    "progress": ("tutorial.commands.progress", HelpTexts.progress),
    "results": ("tutorial.commands.results", HelpTexts.results),
    "doctor": ("tutorial.commands.doctor", HelpTexts.doctor),
    "keys": ("tutorial.commands.keys", HelpTexts.keys),
    "serve": ("tutorial.commands.serve", HelpTexts.serve),
}
"""The module of each, where it is `NAME_command`, and its help."""


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
        from inplace_tui.tutorial.commands.plain.course import contents  # noqa: PLC0415  # only this needs it

        return contents(settings)
    return open_screen(settings, Opening(introduce=True))


def main() -> None:
    replace_closed()
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = sys.argv[1:]
    chosen = of_arguments(arguments)
    language = chosen or of_locale(os.environ)
    settings = Settings(language, lead_finder=_lead_finder, page=_page_of)
    for stream in (sys.stdout, sys.stderr):
        # A program may print what the terminal's encoding does not have.
        prepare(stream)
    code = _code(arguments, settings)
    try:
        sys.stderr.flush()
    except OSError:
        _forget_output()
    sys.exit(code)


def _lead_finder(folder: Path | None) -> LeadFinder:
    from inplace_tui.tutorial.commands.library import lead_finder  # noqa: PLC0415  # only `explain` needs it

    return lead_finder(folder)


def _page_of(explained: ExplanationPage, *, file: str, leads: Leads) -> str:
    from inplace_tui.tutorial.report.page import of_case  # noqa: PLC0415  # only `--format html` needs it

    return of_case(explained, file=file, leads=leads)


def _code(arguments: list[str], settings: Settings) -> int:
    try:
        ended = program.main(
            arguments, prog_name="inplace-tui", standalone_mode=False, obj=settings
        )
        code = ended if isinstance(ended, int) else 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0
    except ReaderGoneError:
        return _pipe_closed()
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # already exiting: more signals change nothing
        _say(say(ErrorTexts.interrupted, settings.language))
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # the border of the program
        return _failed(error, settings.language)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _pipe_closed()
    except OSError as error:
        return _unwritten(error, settings.language)
    return code


def _failed(error: Exception, language: str) -> int:
    """Print a sentence for what people can fix, a traceback for what we must fix."""
    # Only who fails needs them, and half of the program is behind them.
    import traceback  # noqa: PLC0415

    from inplace_tui.common.problems import LessonError, ToldError  # noqa: PLC0415
    from inplace_tui.diagnosis.drive.runs import WorkerRefusedError  # noqa: PLC0415

    match error:
        case click.ClickException():
            _say(sentence(error)[language])
            if isinstance(error, click.UsageError):
                command = error.ctx.command_path if error.ctx else "inplace-tui"
                _say(say(ErrorTexts.see_help, language, command=command))
        case LessonError(problems=problems):
            for problem in problems:
                _say(problem.text(language))
        case ToldError(text=text):
            _say(text[language])
        case WorkerRefusedError():
            _say(say(ErrorTexts.worker_refused, language, why=error))
        case OSError(errno=number, filename=None) if number in FULL:
            return _unwritten(error, language)
        case OSError(errno=number, filename=str(name)) if number in UNREACHABLE:
            _say(say(ErrorTexts.cannot_read, language, path=name, why=reason_of(error)[language]))
        case _:
            _say("".join(traceback.format_exception(error)).rstrip())
            _say(say(ErrorTexts.ours, language, error=type(error).__name__))
            return OURS
    return UNUSABLE


def _pipe_closed() -> int:
    """The reader of our output has gone; that is not an error."""
    _forget_output()
    return PIPE_CLOSED


def _unwritten(error: OSError, language: str) -> int:
    """Report that not all output could be written."""
    _forget_output()
    if error.errno == errno.EIO:
        return HUNG_UP
    _say(say(ErrorTexts.unwritten, language, why=reason_of(error)[language]))
    return UNUSABLE


def _forget_output() -> None:
    # Python flushes once more when it exits, and would complain then.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    with suppress(OSError):
        sys.stderr.flush()
        return
    os.dup2(nowhere, 2)


def _say(text: str) -> None:
    echo(text, err=True)
