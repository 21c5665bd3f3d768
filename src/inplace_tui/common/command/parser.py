"""Click's options and commands, with help and errors in the language that was asked for."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from inplace_tui import __version__
from inplace_tui.common.cells import width, wrap
from inplace_tui.common.command.output import echo
from inplace_tui.common.command.settings import CommandSettings
from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.local_text import LocalText, T, joined
from inplace_tui.common.problems import NOTHING, did_you_mean, fill
from inplace_tui.common.rows import Span
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import FRAME, ErrorTexts, HelpTexts

if TYPE_CHECKING:
    from click.types import OptionHelpExtra

F = TypeVar("F", bound=Callable[..., object])


class CommandError(click.ClickException):
    """What was asked for can't be done: one sentence, exit code 2. Any command raises it."""

    exit_code = 2

    def __init__(self, text: LocalText, /, **values: object) -> None:
        self.text = fill(text, **values)
        super().__init__(self.text.en)


def all_of(texts: Iterable[LocalText]) -> CommandError:
    """Return the refusal that says all of these, a line each."""
    return CommandError(LocalText("{lines}"), lines=joined(texts, "\n"))


def reason_of(error: OSError) -> LocalText:
    return T(error.strerror or str(error), "the system")


@contextmanager
def refusing(path: object, text: LocalText = ErrorTexts.cannot_read) -> Iterator[None]:
    """Refuse to go on where the system refuses a file, and say why it does."""
    try:
        yield
    except OSError as error:
        raise CommandError(text, path=path, why=reason_of(error)) from error


class ReaderGoneError(Exception):
    """Nobody reads our output any more. Left alone, click takes that for exit code 1."""


class _Formatter(click.HelpFormatter):
    def __init__(self, language: str, **sizes: Any) -> None:
        super().__init__(**sizes)
        self._language = language

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or say(FRAME["Usage"], self._language))

    def write_heading(self, heading: str) -> None:
        title = say(FRAME[heading], self._language) if heading in FRAME else f"{heading}:"
        self.write(f"{'':>{self.current_indent}}{title}\n")

    def write_text(self, text: str) -> None:
        super().write_text(self._broken(text, self.width - self.current_indent))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        rows = list(rows)
        first = min(max(len(name) for name, _ in rows), col_max) + col_spacing
        room = max(self.width - first - self.current_indent, 10)
        rows = [(name, self._broken(text, room)) for name, text in rows]
        super().write_dl(rows, col_max, col_spacing)

    def _broken(self, text: str, room: int) -> str:
        """Break Chinese into lines by its cells; click counts characters.

        Click leaves a paragraph as it is whose first line is a backspace.
        """
        if self._language != "zh":
            return text
        broken = []
        for part in text.split("\n\n"):
            paragraph = part.replace("\n", " ")
            lines = [paragraph]
            if width(paragraph) > room:
                spans = wrap([Span(paragraph)], room)
                lines = ["".join(span.text for span in line) for line in spans]
            broken.append("\n".join(["\b", *lines]))
        return "\n\n".join(broken)


class _Context(click.Context):
    def make_formatter(self) -> click.HelpFormatter:
        sizes = {"width": self.terminal_width, "max_width": self.max_content_width}
        return _Formatter(language_of(self), **sizes)


def language_of(context: click.Context) -> str:
    settings = context.find_object(CommandSettings)
    return "en" if settings is None else settings.language


class LocalizedOption(click.Option):
    """An option with its help in every language."""

    def __init__(self, *args: Any, text: LocalText, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._text = text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.help = say(self._text, language_of(ctx))
        return super().get_help_record(ctx)

    def get_help_extra(self, ctx: click.Context) -> OptionHelpExtra:
        """Leave out the range of a number: the help names it."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class _Localized(click.Command):
    """A command, or a group of them, with its help in every language."""

    context_class = _Context

    def __init__(self, *args: Any, text: LocalText, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._text = text

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(say(self._text, language_of(ctx)))


class LocalizedCommand(_Localized):
    """A command with its help in every language."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse arguments that are too many in the language that was asked for."""
        ctx.allow_extra_args = True
        given = list(args)  # click empties the list
        try:
            left = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if "-- ARGS" in self.get_usage(ctx):
                _suggest_dashes(ctx, given, error)
            raise
        if left:
            raise CommandError(ErrorTexts.too_many, names=" ".join(left))
        return left


class ProgramCommand(LocalizedCommand):
    """A command that leaves what stands behind `--` to a program: `program_arguments`.

    So does what stands behind `-m MODULE`, as Python has it, behind a command of `LAUNCHERS`, and
    behind `-` and options of ours.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        place = leading_options(self, args)
        if place < len(args) and args[place] in LAUNCHERS and not os.path.exists(args[place]):
            args = [*args[:place], "-m", LAUNCHERS[args[place]], *args[place + 1 :]]
        elif "-" in args and "--" not in args and args[args.index("-") - 1] != "--error":
            place = args.index("-") + 1
            place += leading_options(self, args[place:])
            if place < len(args):
                args = [*args[:place], "--", *args[place:]]
        if "-m" in args[: args.index("--") if "--" in args else None]:
            place = args.index("-m") + 2
            args = [*args[:place], "--", *args[place:]]
        if "--" in args:
            place = args.index("--")
            ctx.meta[_ARGUMENTS] = tuple(args[place + 1 :])
            args = args[:place]
        return super().parse_args(ctx, args)


def leading_options(command: click.Command, args: Sequence[str]) -> int:
    """Return how many of the first words are options of a command, with their values."""
    options = [each for each in command.params if isinstance(each, click.Option)]
    values = {name: 0 if each.is_flag else 1 for each in options for name in each.opts}
    place = 0
    while place < len(args):
        name, given, _ = args[place].partition("=")
        if name not in values:
            break
        place += 1 if given else 1 + values[name]
    return place


def _suggest_dashes(ctx: click.Context, given: Sequence[str], error: click.NoSuchOption) -> None:
    """Say how an option behind a file reaches the program, if there is such a file."""
    names = [each.partition("=")[0] for each in given]
    place = names.index(error.option_name) if error.option_name in names else 0
    if any(os.path.isfile(each) for each in given[:place]):
        line = shlex.join([*ctx.command_path.split(), *given[:place], "--", *given[place:]])
        raise CommandError(ErrorTexts.programs_option, what=_no_option(error), line=line)


def _no_option(error: click.NoSuchOption) -> LocalText:
    near = (error.possibilities or [""])[0]
    hint = did_you_mean(near, [near]) if near else NOTHING
    return fill(ErrorTexts.no_option, name=error.option_name, hint=hint)


LAUNCHERS = {"accelerate": "accelerate", "pytest": "pytest", "torchrun": "torch.distributed.run"}
"""The modules of commands that people start programs with."""

_ARGUMENTS = f"{__name__}.program_arguments"


def program_arguments(context: click.Context) -> tuple[str, ...]:
    """Return what stood behind `--`."""
    return tuple(context.meta.get(_ARGUMENTS, ()))


class LazyGroup(_Localized, click.Group):
    """Commands whose modules are imported when they are called.

    A command is the function `NAME_command` of its module. What is a program instead of a command
    goes to the one called `desk`.
    """

    def __init__(
        self, *args: Any, lazy: Mapping[str, tuple[str, LocalText]], **kwargs: Any
    ) -> None:
        """Take the module and the help of each command, in the order of the help page."""
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        place = leading_options(self, args)
        named = args[place] if place < len(args) else ""
        of_desk = named == "-m" or named.partition("=")[0] == "--python"
        is_program = named in LAUNCHERS or of_desk or named.endswith((".py", ".ipynb"))
        # A name may be none that a Path takes.
        if named not in self._lazy and (is_program or os.path.isfile(named)):
            args = [*args[:place], "desk", *args[place:]]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._lazy:
            return None
        module, _ = self._lazy[cmd_name]
        found = import_module(f"inplace_tui.{module}")
        command = getattr(found, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is named, or say which one was probably meant."""
        if args[0] not in self._lazy:
            hint = did_you_mean(args[0], self._lazy)
            raise CommandError(ErrorTexts.no_command, name=args[0], hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first paragraph about every command."""
        texts = ((name, say(text, language_of(ctx))) for name, (_, text) in self._lazy.items())
        with formatter.section("Commands"):
            formatter.write_dl([(name, text.partition("\n\n")[0]) for name, text in texts])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands, of which no module is imported for that, files and options."""
        # In bash, what stands before files is taken back.
        found = [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
        for name, (_, text) in self._lazy.items():
            if name.startswith(incomplete):
                help_text = say(text, language_of(ctx)).partition("\n\n")[0]
                found.append(CompletionItem(name, help=help_text))
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> object:
        try:
            result: object = super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        return result


_pass_settings = click.make_pass_decorator(CommandSettings)


def localized_command(
    name: str, text: LocalText, cls: type[LocalizedCommand] = LocalizedCommand
) -> Callable[[F], click.Command]:
    """Declare a command, which is given the settings first, with the options that all have."""
    declared = click.command(name, cls=cls, text=text)
    return lambda function: declared(common(_pass_settings(function)))


def common(command: F) -> F:
    """Give a command the options that all have."""
    for each in (_HELP, _VERSION, _TRUST, _LESSONS, _PLAIN, _LANG):
        command = each(command)
    return command


def option(*names: str, text: LocalText, **attributes: Any) -> Callable[[F], F]:
    """Declare an option with its help in every language."""
    return click.option(*names, cls=LocalizedOption, text=text, **attributes)


def _set(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    settings = ctx.find_object(CommandSettings)
    if not value or settings is None:
        return
    if param.name == "lang":
        settings.language = settings.chosen = value
    elif param.name == "lessons" and not value.is_dir():
        raise CommandError(ErrorTexts.not_a_folder, path=value)
    else:
        setattr(settings, str(param.name), value)


def _show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        echo(ctx.get_help() if param.name == "help" else f"inplace-tui {__version__}")
        ctx.exit()


_QUIET: dict[str, Any] = {"expose_value": False, "is_eager": True}
_FLAG: dict[str, Any] = {"is_flag": True, **_QUIET}

_LANG = option("--lang", text=HelpTexts.lang, type=click.Choice(LANGUAGES), callback=_set, **_QUIET)
_LESSONS = option(
    "--lessons",
    text=HelpTexts.lessons,
    type=click.Path(path_type=Path),
    metavar="DIR",
    callback=_set,
    **_QUIET,
)
_PLAIN = option("--plain", text=HelpTexts.plain, callback=_set, **_FLAG)
_TRUST = option("--trust", text=HelpTexts.trust, callback=_set, **_FLAG)
_VERSION = option("--version", text=HelpTexts.version, callback=_show, **_FLAG)
_HELP = option("-h", "--help", text=HelpTexts.help, callback=_show, **_FLAG)


def sentence(error: click.ClickException) -> LocalText:
    match error:
        case CommandError():
            return error.text
        case click.NoSuchOption():
            return _no_option(error)
        case click.MissingParameter():
            return fill(ErrorTexts.missing, name=_name(error))
        case click.BadParameter():
            return _bad_value(error)
        case click.BadOptionUsage() if "requires" in error.message:
            return fill(ErrorTexts.no_value, name=error.option_name)
        case _:
            return fill(ErrorTexts.usage, why=error.format_message())


class Positive(click.FloatRange):
    """A number above 0, up to a million; NaN is none."""

    def __init__(self) -> None:
        super().__init__(0, 1e6, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail("not a number", param, ctx)
        return number


def _bad_value(error: click.BadParameter) -> LocalText:
    """Return what a parameter takes, or what else is wrong with what it was given."""
    name, wanted = _name(error), None if error.param is None else error.param.type
    match wanted:
        case click.Choice():
            return fill(ErrorTexts.not_one_of, name=name, choices=tuple(wanted.choices))
        case click.IntRange() | click.FloatRange():
            whole = isinstance(wanted, click.IntRange)
            most = NOTHING
            if wanted.max is not None:
                most = fill(ErrorTexts.at_most, most=f"{wanted.max:.0f}")
            key = ErrorTexts.no_whole_number if whole else ErrorTexts.no_number
            return fill(key, name=name, least=wanted.min, most=most)
        case _:
            return fill(ErrorTexts.bad_value, name=name, why=error.message)


def _name(error: click.BadParameter) -> str:
    return "?" if error.param is None else error.param.get_error_hint(error.ctx).strip("'")
