"""The commands that open something to learn from: on the screen, else as lines of text."""

from __future__ import annotations

from pathlib import Path

import click

from inplace_tui.common import paths
from inplace_tui.common.command.parser import CommandError, localized_command, option
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.drill.sketch import TAUGHT_BY, tag_about
from inplace_tui.tutorial.commands.completing import challenge_ids, lesson_ids
from inplace_tui.tutorial.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening


@localized_command("lesson", HelpTexts.lesson)
@option("--present", text=HelpTexts.present, is_flag=True)
@click.argument("name", metavar="[ID[@STEP]]", required=False, shell_complete=lesson_ids)
def lesson_command(settings: Settings, *, name: str | None, present: bool) -> int:
    worker = start_worker(settings)
    if worker is not None and (found := _file_and_step(settings, name)):
        path, number = found
        opening = Opening(screen="lesson", lesson_file=path, step=number, present=present)
        return open_screen(settings, opening, worker)
    from inplace_tui.tutorial.commands.programs import lesson_and_step  # noqa: PLC0415  # the worker first

    identity, step = lesson_and_step(settings, name)
    if is_plain(settings):
        from inplace_tui.tutorial.commands.plain.course import lesson  # noqa: PLC0415  # likewise

        return lesson(settings, identity, step)
    opening = Opening(screen="lesson", lesson=identity, step=step, present=present)
    return open_screen(settings, opening, worker)


def _file_and_step(settings: Settings, name: str | None) -> tuple[Path, int | None] | None:
    """Return the file of a lesson of the built-in course and the number in `ID@STEP`.

    None where that takes more than a look at the folder.
    """
    identity, _, step = (name or "").partition("@")
    if settings.lessons is not None or not (step.isdecimal() or step == ""):
        return None
    found = paths.lesson_files(paths.built_in_lessons(), identity)
    return (found[0], int(step) if step else None) if len(found) == 1 else None


@localized_command("challenge", HelpTexts.challenge)
@option(
    "--grade",
    text=HelpTexts.grade,
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
)
@click.argument("name", metavar="[ID]", required=False, shell_complete=challenge_ids)
def challenge_command(settings: Settings, name: str | None, grade: Path | None) -> int:
    worker = None if grade is not None else start_worker(settings)
    from inplace_tui.tutorial.commands.plain import challenge  # noqa: PLC0415  # the worker first

    if grade is not None:
        if name is None:
            raise CommandError(ErrorTexts.missing, name="ID")
        return challenge.grade_file(settings, name, grade)
    if is_plain(settings):
        return challenge.print_challenge(settings, name)
    if name is not None:
        challenge.find_challenge(settings, name)
    return open_screen(settings, Opening(screen="challenge", challenge=name), worker)


@localized_command("checkpoint", HelpTexts.checkpoint)
@click.argument("name", metavar="[CHAPTER]", required=False)
def checkpoint_command(settings: Settings, name: str | None) -> int:
    worker = start_worker(settings)
    from inplace_tui.tutorial.commands.plain import playlist  # noqa: PLC0415  # the worker first

    if is_plain(settings):
        return playlist.checkpoint(settings, name)
    slug = None
    if name is not None:
        from inplace_tui.tutorial.commands.library import load_course  # noqa: PLC0415  # likewise

        slug = playlist.find_chapter(load_course(settings.lessons), name).slug
    return open_screen(settings, Opening(screen="checkpoint", checkpoint=slug), worker)


@localized_command("review", HelpTexts.review)
def review_command(settings: Settings) -> int:
    worker = start_worker(settings)
    if is_plain(settings):
        from inplace_tui.tutorial.commands.plain.playlist import review  # noqa: PLC0415  # only this needs it

        return review(settings)
    return open_screen(settings, Opening(screen="review"), worker)


@localized_command("drill", HelpTexts.drill)
@option("--about", text=HelpTexts.drill_about, metavar="CONCEPT")
@option("--count", text=HelpTexts.count, type=click.IntRange(min=1), metavar="N")
@option("--level", text=HelpTexts.level, type=click.IntRange(1, 5), metavar="N")
@option("--seed", text=HelpTexts.seed, type=click.IntRange(min=0), metavar="N")
def drill_command(
    settings: Settings, *, about: str | None, seed: int | None, level: int | None, count: int | None
) -> int:
    worker = start_worker(settings)
    tag = None if about is None else tag_about([about])
    if about is not None and tag is None:
        known = [each for taught in TAUGHT_BY.values() for each in taught]
        raise CommandError(ErrorTexts.no_drill, concept=about, hint=did_you_mean(about, known))
    if tag is not None and (seed, level) != (None, None):
        raise CommandError(ErrorTexts.about_alone)
    options = DrillOptions(seed=seed, level=level, count=count, about=tag)
    if is_plain(settings):
        from inplace_tui.tutorial.commands.plain.playlist import drill  # noqa: PLC0415  # only this needs it

        return drill(settings, options)
    return open_screen(settings, Opening(screen="drill", drill=options), worker)
