"""The command line. stdout is data, stderr is for people.

Neither torch nor Textual is imported here: torch belongs to the worker, and
`run` must not pay for the screen. Each command imports what it needs when it is called.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import NoReturn

import click

from inplace_tui import console
from inplace_tui.commands import quick
from inplace_tui.commands.spoken import (
    PassingOn,
    Refusal,
    Seconds,
    Settings,
    SpokenCommand,
    SpokenGroup,
    common,
    option,
    passed_on,
)
from inplace_tui.commands.starting import is_plain, run_command
from inplace_tui.engine.drill.wish import Wish
from inplace_tui.runner.process import WorkerProcess
from inplace_tui.texts.command import ErrorTexts

FORMATS = ("text", "json", "dot", "svg")
"""What `run` can print."""

settings = click.make_pass_decorator(Settings)


@click.group(name="inplace-tui", cls=SpokenGroup, invoke_without_command=True)
@common
@click.pass_context
def program(context: click.Context) -> None:
    """Open the contents, if no command is named."""
    if context.invoked_subcommand is not None:
        return
    settings = context.ensure_object(Settings)
    if is_plain(settings):
        from inplace_tui.commands.plain import course as plain  # noqa: PLC0415  # only this needs it

        sys.exit(plain.contents(settings))
    _open(settings, screen="contents")


@program.command("lesson", cls=SpokenCommand)
@common
@click.argument("name", metavar="[ID[@STEP]]", required=False)
@settings
def lesson(settings: Settings, name: str | None) -> None:
    """Open a lesson."""
    begun = quick.begun(settings)
    if begun is not None and (found := quick.lesson_file(settings, name)):
        path, step = found
        _open(settings, screen="lesson", lesson_file=path, step=step, begun=begun)
    from inplace_tui.commands import screen  # noqa: PLC0415  # only this needs it

    identity, step = screen.place(settings, name)
    if is_plain(settings):
        from inplace_tui.commands.plain import course as plain  # noqa: PLC0415  # only this needs it

        sys.exit(plain.lesson(settings, identity, step))
    _open(settings, screen="lesson", lesson=identity, step=step, begun=begun)


@program.command("challenge", cls=SpokenCommand)
@common
@option("--grade", said="grade", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("name", metavar="[ID]", required=False)
@settings
def challenge(settings: Settings, name: str | None, grade: Path | None) -> None:
    """Open a challenge, or judge an edit of it."""
    begun = None if grade is not None else quick.begun(settings)
    from inplace_tui.commands import challenge as challenging  # noqa: PLC0415  # only this needs it

    if grade is not None:
        if name is None:
            raise Refusal(ErrorTexts.missing, name="ID")
        sys.exit(challenging.grade_file(settings, name, grade))
    if is_plain(settings):
        from inplace_tui.commands.plain import challenge as plain  # noqa: PLC0415  # likewise

        sys.exit(plain.challenge(settings, name))
    if name is not None:
        challenging.challenge_called(settings, name)
    _open(settings, screen="challenge", challenge=name, begun=begun)


@program.command("drill", cls=SpokenCommand)
@common
@option("--count", said="count", type=click.IntRange(min=1), metavar="N")
@option("--level", said="level", type=click.IntRange(1, 5), metavar="N")
@option("--seed", said="seed", type=click.IntRange(min=0), metavar="N")
@settings
def drill(settings: Settings, *, seed: int | None, level: int | None, count: int | None) -> None:
    """Predict random small programs."""
    begun = quick.begun(settings)
    from inplace_tui.commands.plain import drill as drilling  # noqa: PLC0415  # only this needs it

    wish = Wish(seed=seed, level=level, count=count)
    if is_plain(settings):
        sys.exit(drilling.drill(settings, wish))
    _open(settings, screen="drill", drill=wish, begun=begun)


@program.command("sandbox", cls=SpokenCommand)
@common
@click.argument("file", required=False, type=click.Path(path_type=Path))
@settings
def sandbox(settings: Settings, file: Path | None) -> None:
    """Open the sandbox."""
    begun = quick.begun(settings)
    if is_plain(settings):
        from inplace_tui.commands.plain import sandbox as plain  # noqa: PLC0415  # only this needs it

        sys.exit(plain.sandbox(settings, file))
    _open(settings, screen="sandbox", file=file, begun=begun)


@program.command("list", cls=SpokenCommand)
@common
@option("--map", "mapped", said="map", is_flag=True)
@option("--json", "as_json", said="json", is_flag=True)
@settings
def list_(settings: Settings, *, as_json: bool, mapped: bool) -> None:
    """List the lessons."""
    from inplace_tui.commands import course  # noqa: PLC0415  # only this needs it

    course.list_lessons(settings, as_json=as_json, mapped=mapped)


@program.command("run", cls=SpokenCommand)
@common
@option("--seconds", said="seconds", type=Seconds(), metavar="S")
@option("--pointers", said="pointers", is_flag=True)
@option("--once", said="once", is_flag=True)
@option("--variant", said="variant", metavar="ID")
@option("--format", "form", said="format", type=click.Choice(FORMATS), default="text")
@click.argument("name", metavar="LESSON|FILE")
@click.argument("arguments", metavar="[-- ARGS]", nargs=-1, type=click.UNPROCESSED)
@settings
def run(
    settings: Settings,
    *,
    name: str,
    arguments: tuple[str, ...],
    form: str,
    variant: str | None,
    once: bool,
    pointers: bool,
    seconds: float | None,
) -> None:
    """Record a program and print it."""
    from inplace_tui.commands import run as running  # noqa: PLC0415  # only this needs it

    wish = running.Wish(form=form, once=once, pointers=pointers)
    sys.exit(
        running.run(settings, name, wish, variant=variant, arguments=arguments, seconds=seconds)
    )


@program.command("explain", cls=PassingOn)
@common
@option("--python", said="python", metavar="PATH", type=click.Path(path_type=Path))
@option("--error", "text", said="error", metavar="TEXT")
@option("--budget", said="budget", type=Seconds(), metavar="S", default=30)
@option("--once", said="explain_once", is_flag=True)
@option("--json", "as_json", said="json", is_flag=True)
@click.argument("files", metavar="[FILE]... [-- ARGS]", nargs=-1)
@settings
@click.pass_context
def explain(
    context: click.Context,
    settings: Settings,
    *,
    files: tuple[str, ...],
    as_json: bool,
    once: bool,
    budget: float,
    text: str | None,
    python: Path | None,
) -> None:
    """Name the line at fault in programs."""
    from inplace_tui.commands import explain as explaining  # noqa: PLC0415  # only this needs it

    if text is not None:
        if files:
            raise Refusal(ErrorTexts.one_of, names="FILE, --error")
        sys.exit(explaining.explain_error(settings, text, as_json=as_json))
    if not files:
        raise Refusal(ErrorTexts.missing, name="FILE")
    wish = explaining.Wish(as_json=as_json, once=once, budget=budget, python=python)
    sys.exit(explaining.explain_files(settings, files, passed_on(context), wish))


@program.command("check", cls=SpokenCommand)
@common
@option("--coverage", "covered", said="coverage", is_flag=True)
@option("--json", "as_json", said="json", is_flag=True)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@settings
def check(settings: Settings, *, paths: tuple[Path, ...], as_json: bool, covered: bool) -> None:
    """Check lessons."""
    from inplace_tui.commands import check as checking  # noqa: PLC0415  # only this needs it

    sys.exit(checking.check(settings, paths, as_json=as_json, covered=covered))


@program.command("new", cls=SpokenCommand)
@common
@option("--chapter", said="chapter", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("slug", metavar="SLUG")
@settings
def new(settings: Settings, slug: str, chapter: Path | None) -> None:
    """Write a lesson to fill in."""
    from inplace_tui.commands.new import new as write  # noqa: PLC0415  # only this needs it

    write(settings, slug, chapter)


@program.command("progress", cls=SpokenCommand)
@common
@option("--reset", said="reset", metavar="ID")
@option("--import", "take_in", said="import", metavar="F", type=click.Path(path_type=Path))
@option("--export", said="export", metavar="F", type=click.Path(path_type=Path, allow_dash=True))
@option("--json", "as_json", said="json", is_flag=True)
@settings
def progress(
    settings: Settings,
    *,
    as_json: bool,
    export: Path | None,
    take_in: Path | None,
    reset: str | None,
) -> None:
    """Show, export, import or reset progress."""
    from inplace_tui.commands import progress as keeping  # noqa: PLC0415  # only this needs it

    given = [as_json, export is not None, take_in is not None, reset is not None]
    if sum(given) > 1:
        raise Refusal(ErrorTexts.one_of, names="--json, --export, --import, --reset")
    if export is not None:
        keeping.export_progress(settings, export)
    elif take_in is not None:
        keeping.import_progress(settings, take_in)
    elif reset is not None:
        keeping.reset_progress(settings, reset)
    else:
        keeping.show_progress(settings, as_json=as_json)


@program.command("doctor", cls=SpokenCommand)
@common
@settings
def doctor(settings: Settings) -> None:
    """Examine this machine."""
    from inplace_tui.commands.doctor import examine  # noqa: PLC0415  # only this command needs it

    sys.exit(examine(settings))


@program.command("keys", cls=SpokenCommand)
@common
@settings
def keys(settings: Settings) -> None:
    """Show what the terminal sends."""
    from inplace_tui.commands.keys import show_keys  # noqa: PLC0415  # Textual: only this needs it

    sys.exit(show_keys(settings))


def _open(
    settings: Settings,
    *,
    screen: str,
    lesson: str | None = None,
    lesson_file: Path | None = None,
    step: int | None = None,
    file: Path | None = None,
    challenge: str | None = None,
    drill: Wish | None = None,
    begun: WorkerProcess | None = None,
) -> NoReturn:
    gc.disable()  # until the screen is there: all that is made now stays
    with console.width_of_ambiguous() as answer:
        # The terminal answers while Textual loads, so that asking costs no time.
        from inplace_tui.ui.launch import run_app  # noqa: PLC0415  # not for headless commands

        wide = answer() == 2
    code = run_app(
        wide=wide,
        screen=screen,
        lesson=lesson,
        lesson_file=lesson_file,
        step=step,
        file=file,
        challenge=challenge,
        drill=drill,
        language=settings.chosen,
        lessons=settings.lessons,
        trusting=settings.trust,
        begun=begun,
    )
    sys.exit(code)


def main() -> None:
    """Run the command that the arguments name, and exit."""
    run_command(program)
