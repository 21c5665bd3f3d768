"""The command `list`."""

from __future__ import annotations

from inplace_tui.common import paths
from inplace_tui.common.command.output import page_width, print_json, print_lines, print_message
from inplace_tui.common.command.parser import localized_command, option
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, HelpTexts
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.report import pages
from inplace_tui.tutorial.settings import Settings


@localized_command("list", HelpTexts.list)
@option("--map", "mapped", text=HelpTexts.map, is_flag=True)
@option("--json", "as_json", text=HelpTexts.json, is_flag=True)
def list_command(settings: Settings, *, as_json: bool, mapped: bool) -> None:
    course = load_course(settings.lessons)
    if as_json:
        from inplace_tui.tutorial.report.documents import list_document  # noqa: PLC0415  # not for the page

        print_json(list_document(course))
        return
    progress = Progress(paths.progress_file())
    if mapped:
        print_lines(pages.mapped(course, progress.record, settings.language, page_width()))
    else:
        print_lines(pages.course(course, progress.record, settings.language))
    if course.problems:
        print_message(say(CommandTexts.list_problems, settings.language))
    for problem in course.problems:
        print_message(f"  {problem.text(settings.language)}")
