"""The command `list`."""

from __future__ import annotations

from contextlib import suppress

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_json, print_lines, print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, HelpTexts
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.course.paths import learning_path
from inplace_tui.tutorial.progress import Progress, ProgressError
from inplace_tui.tutorial.report import pages
from inplace_tui.tutorial.settings import Settings


@localized_command("list", HelpTexts.list)
@option("--path", "path", text=HelpTexts.path, metavar="ID")
@option("--json", "as_json", text=HelpTexts.json, is_flag=True)
def list_command(settings: Settings, *, as_json: bool, path: str | None) -> None:
    course = load_course(settings.lessons)
    if as_json:
        from inplace_tui.tutorial.report.documents import list_document  # noqa: PLC0415  # not for the page

        print_json(list_document(course))
        return
    progress = Progress(paths.progress_file())
    with suppress(ProgressError):
        progress.carry_over(course.replaced)
    if path is not None and path not in course.path_ids:
        hint = did_you_mean(path, course.path_ids)
        raise CommandError(PathTexts.unknown, id=path, hint=hint)
    taken = None if path is None else learning_path(course, path)
    if taken is not None:
        print_lines(pages.path(taken, progress.record, settings.language))
    else:
        print_lines(pages.course(course, progress.record, settings.language))
    if course.problems:
        print_message(say(CommandTexts.list_problems, settings.language))
    for problem in course.problems:
        print_message(f"  {problem.text(settings.language)}")
