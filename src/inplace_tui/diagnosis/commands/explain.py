"""The command `explain`: many files, one worker, answers in the order of the files.

Where no recorder can serve, each program runs once, watched by the witness.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import click
import msgspec

from inplace_tui.common import message as message_page
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_stdin, read_whole
from inplace_tui.common.cells import sanitize
from inplace_tui.common.command.launchers import Called, started_by
from inplace_tui.common.command.output import (
    ProgressLine,
    echo,
    page_width,
    print_json,
    print_lines,
    print_message,
    print_rows,
)
from inplace_tui.common.command.parser import (
    CommandError,
    Positive,
    ProgramCommand,
    localized_command,
    option,
    program_arguments,
    refusing,
)
from inplace_tui.common.command.programs import (
    MAX_BYTES,
    SEED,
    print_notebook_notes,
    program_called,
    program_of,
)
from inplace_tui.common.command.pythons import lack_of, python_for
from inplace_tui.common.command.settings import CommandSettings, LeadFinder, Leads
from inplace_tui.common.command.stdin import with_input
from inplace_tui.common.concepts import concepts
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.message import explain_message
from inplace_tui.common.own_files import FileGlobs, with_files
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.python import UsedPython
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.common.texts.explain import STAGES, StageTexts
from inplace_tui.common.texts.notebook import NotebookTexts
from inplace_tui.diagnosis.commands.patches import FixWriter, print_patch
from inplace_tui.diagnosis.drive.explain import Activity, Options, Progress, explain, no_replays
from inplace_tui.diagnosis.drive.runs import NoRecorderError, warm_worker
from inplace_tui.diagnosis.explain import findings
from inplace_tui.diagnosis.explain import report as page
from inplace_tui.diagnosis.explain.explanation import Case, Explanation, exit_code, explanation
from inplace_tui.diagnosis.runner import interpreter
from inplace_tui.diagnosis.runner.worker import Worker

MAX_WIDTH = 120

SPARSE_SECONDS = 30.0
"""Between two lines of progress where they can't be written over."""

MAX_MESSAGE = 2**20
"""Bytes of a message of torch's, with its traceback; what it says takes some hundred."""

DOCUMENTS: tuple[tuple[str, type[msgspec.Struct], str], ...] = (
    ("explain", Explanation, "inplace-tui explain FILE --json, one object a line"),
    ("message", message_page.MessageDocument, "inplace-tui explain --error TEXT --json"),
)
"""What is printed as JSON, with the name of its schema."""


@dataclass(frozen=True)
class ProgramArgument:
    """A program, and what it was called on the command line."""

    name: str
    program: Program


FORMATS = ("text", "json", "html", "github", "sarif")
ANNOTATIONS = ("github", "sarif")
"""Forms for pull requests and editors, which show them at the line that they are for."""


class _ExplainCommand(ProgramCommand):
    """Takes `--patch` and `--apply` without a number for the first fix."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = [
            f"{each}=1" if each in ("--patch", "--apply") and not after.isdecimal() else each
            for each, after in pairwise([*args, ""])
        ]
        return super().parse_args(ctx, args)


@localized_command("explain", HelpTexts.explain, _ExplainCommand)
@option("-m", "module", text=HelpTexts.module, metavar="MODULE")
@option("--include", text=HelpTexts.include, metavar="GLOB", multiple=True)
@option("--exclude", text=HelpTexts.exclude, metavar="GLOB", multiple=True)
@option("--apply", text=HelpTexts.apply, metavar="[N]", type=click.IntRange(1))
@option("--patch", text=HelpTexts.patch, metavar="[N]", type=click.IntRange(1))
@option("--python", text=HelpTexts.python, metavar="PATH", type=click.Path(path_type=Path))
@option("--error", "text", text=HelpTexts.error, metavar="TEXT")
@option("--budget", text=HelpTexts.budget, type=Positive(), metavar="S")
@option("--seconds", text=HelpTexts.explain_seconds, type=Positive(), metavar="S")
@option("--memory", text=HelpTexts.memory, type=Positive(), metavar="GB")
@option("--in-place", "in_place", text=HelpTexts.in_place, is_flag=True)
@option("--once", text=HelpTexts.explain_once, is_flag=True)
@option("--json", "as_json", text=HelpTexts.json, is_flag=True)
@option(
    "--format",
    "picture",
    text=HelpTexts.explain_format,
    type=click.Choice(FORMATS),
    default="text",
    metavar="FORMAT",
)
@click.argument("files", metavar="[FILE]... [-- ARGS]", nargs=-1, type=click.Path())
@click.pass_context
def explain_command(
    context: click.Context,
    settings: CommandSettings,
    *,
    files: tuple[str, ...],
    as_json: bool,
    once: bool,
    in_place: bool,
    budget: float | None,
    seconds: float | None,
    memory: float | None,
    text: str | None,
    python: Path | None,
    picture: str,
    patch: int | None,
    apply: int | None,
    module: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> int:
    as_json |= picture == "json"
    if text is not None:
        if files:
            raise CommandError(ErrorTexts.one_of, names=("FILE", "--error"))
        return _explain_error(settings, text, as_json=as_json)
    if once and in_place:
        raise CommandError(ErrorTexts.one_of, names=("--once", "--in-place"))
    chosen = {"--once": once, "--patch": patch is not None, "--apply": apply is not None}
    if sum(chosen.values()) > 1:
        raise CommandError(ErrorTexts.one_of, names=tuple(n for n in chosen if chosen[n]))
    if patch is not None and (as_json or picture != "text"):
        raise CommandError(ErrorTexts.one_of, names=("--patch", "--format"))
    if "-" in files and (patch is not None or apply is not None):
        raise CommandError(ErrorTexts.missing, name="FILE")
    arguments = program_arguments(context)
    options = Options(
        budget=budget,
        once=once,
        in_place=in_place,
        seconds=seconds,
        resident_bytes=None if memory is None else int(memory * 1e9),
        alone=len(files) < 2,
        globs=FileGlobs(include, exclude),
    )
    programs = _programs(files, module, arguments, options.globs, settings.language)
    has_notebook = any(each.program.is_notebook for each in programs)
    if has_notebook and picture in ANNOTATIONS:
        raise CommandError(NotebookTexts.annotations, form=picture)
    if as_json and picture not in ANNOTATIONS:
        picture = "json"
    if picture == "html" and (len(files) > 1 or settings.page is None):
        raise CommandError(ErrorTexts.one_page)
    used = python_for(python, programs[0].program.folder, settings.language)
    printer = _CasePrinter(settings, picture, patch, apply, used)
    writer = None if apply is None else FixWriter(apply, options.seconds, settings.language)
    try:
        return asyncio.run(_explain_all(programs, options, printer, writer, used.other))
    except NoRecorderError as lack:
        if {patch, apply} != {None} or picture in ANNOTATIONS or has_notebook:
            raise
        print_message(say(ErrorTexts.witness_instead, settings.language, why=lack))
        ends = [_witness(used, each, arguments, str(lack), as_json=as_json) for each in programs]
        return 1 if any(ends) else 0


def _explain_error(settings: CommandSettings, text: str, *, as_json: bool) -> int:
    """Explain a message of torch's; return 1 if it is none that is known."""
    if text == "-":
        text = _standard_input(MAX_MESSAGE).decode("utf-8", "replace")
    found = explain_message(text)
    find = settings.lead_finder(settings.lessons)
    leads = Leads() if found is None or found.concept is None else find([found.concept])
    if as_json:
        print_json(message_page.document(text, found, leads.lesson, settings.language))
    else:
        print_rows(message_page.rows(found, leads, settings.language, page_width(MAX_WIDTH)))
    return 1 if found is None else 0


def _programs(
    files: Sequence[str],
    module: str | None,
    arguments: tuple[str, ...],
    globs: FileGlobs,
    language: str,
) -> list[ProgramArgument]:
    """Return what is called, with what its standard input says in each run."""
    if files and module is not None:
        raise CommandError(ErrorTexts.one_of, names=("FILE", "-m"))
    if module is not None:
        called = [started_by(Called(module, arguments, is_module=True))]
    elif files:
        called = [Called(name, arguments) for name in files]
    else:
        raise CommandError(ErrorTexts.missing, name="FILE")
    programs = [(each.name, with_files(_program(each, language), globs)) for each in called]
    return [
        ProgramArgument(name, program if name == "-" else with_input(program, language))
        for name, program in programs
    ]


def _program(called: Called, language: str) -> Program:
    if called.name == "-":
        source = _standard_input(MAX_BYTES)
        program = program_of(source, "<stdin>", str(Path.cwd()), called.arguments)
    else:
        program = program_called(called)
        print_notebook_notes(program, called.name, language)
    return msgspec.structs.replace(program, seed=SEED)


def _standard_input(most: int) -> bytes:
    with refusing("-"):
        return read_stdin(most)


async def _explain_all(
    programs: Sequence[ProgramArgument],
    options: Options,
    printer: _CasePrinter,
    writer: FixWriter | None,
    python: Path | None,
) -> int:
    lack = lack_of(python)
    if lack is not None:
        raise NoRecorderError(lack[printer.language])
    bar = StageLine(len(programs), printer.language, is_for_people=printer.is_for_people)
    bar.begin(programs[0].name)
    redrawing = asyncio.create_task(bar.redraw())
    codes = {0}
    async with warm_worker(python) as worker:
        why = None if options.once else no_replays(worker, options)
        if why is not None:
            bar.clear()
            print_message(say(ErrorTexts.no_view, printer.language, why=why))
        # One after the other: they may use the same files and ports.
        for named in programs:
            case = await _explained(worker, named, options, printer, bar)
            bar.clear()
            printer.print_case(named, case)
            code = exit_code(case.ending)
            if not case.ending.is_fine and writer is not None:
                code = 0 if await writer.write(worker, case, named.name) else 1
            codes.add(code)
            bar.done += 1
    redrawing.cancel()
    bar.clear()
    printer.finish()
    return next(code for code in (1, 3, 4, 0) if code in codes)


async def _explained(
    worker: Worker, named: ProgramArgument, options: Options, printer: _CasePrinter, bar: StageLine
) -> Case:
    """Explain one program; what it writes goes to stderr as it comes."""
    bar.begin(named.name)

    def goes_on(found: Progress) -> None:
        match found:
            case str():
                bar.wrote(found)
                sys.stderr.write(sanitize(found))
                sys.stderr.flush()
            case Activity():
                bar.show(found)
            case Case(timeline=None):
                if (printer.is_for_people or sys.stderr.isatty()) and not printer.writes:
                    bar.clear()
                    seen = page.ExplanationPage(found, printer.language, page_width(MAX_WIDTH))
                    print_rows(seen.first_run(named.name), err=True)
            case Case() if sys.stdout.isatty():
                bar.clear()
                printer.begin(named, found)
            case Case() | FixSearch():
                pass

    return await explain(worker, named.program, options, goes_on)


class _CasePrinter:
    """Prints the cases in the order of the files: in a form, or nothing but one patch of all."""

    def __init__(
        self,
        settings: CommandSettings,
        form: str,
        patch: int | None,
        apply: int | None,
        python: UsedPython,
    ) -> None:
        self._python = python
        self.language = settings.language
        self._find_leads: LeadFinder = lambda _: Leads()
        if patch is None and form not in ANNOTATIONS:
            self._find_leads = settings.lead_finder(settings.lessons)
        self._form = form
        self._page_of = settings.page
        self._patch = patch
        self.is_for_people = patch is None and form == "text"
        """Whether what it prints is no document for a program to read."""

        self.writes = apply or 0
        """The fix that is written to the file: then only that one is shown."""

        self._pages = 0
        self._begun: ProgramArgument | None = None
        self._cases: list[tuple[str, Case]] = []

    def begin(self, named: ProgramArgument, case: Case) -> None:
        """Print who is to blame, before fixes are tried, if a person reads it as it comes."""
        if self.is_for_people and not self.writes:
            self._part()
            self._begun = named
            known = page.ExplanationPage(case, self.language, page_width(MAX_WIDTH))
            print_rows(known.beginning(named.name))

    def print_case(self, named: ProgramArgument, case: Case) -> None:
        """Print the whole case, or what `begin` has not printed yet."""
        language, room, name = self.language, page_width(MAX_WIDTH), named.name
        shown = page.ExplanationPage(case, language, room)
        leads = self._find_leads(concepts(case.verdict, case.blame, case.program.source))
        if self._patch is not None:
            print_patch(case, name, self._patch, language)
        elif self._form == "github":
            print_lines(findings.github(case, file=name, language=language))
        elif self._form == "sarif":
            self._cases.append((name, case))
        elif self._form == "json":
            found = explanation(case, file=name, lesson=leads.lesson, language=language)
            print_json(msgspec.structs.replace(found, python=self._python))
        elif self._form == "html" and self._page_of is not None:
            whole = page.ExplanationPage(case, language, page.ONE_LINE)
            echo(self._page_of(whole, file=name, leads=leads), nl=False)
        elif 0 < self.writes <= len(case.fixes):
            self._part()
            print_rows(shown.taken(self.writes, name))
        elif self._begun is named:
            print_rows(shown.rest(leads))
        else:
            self._part()
            print_rows(page.rows(case, file=name, leads=leads, language=language, room=room))

    def finish(self) -> None:
        """Print what waited for the last case: editors read one document."""
        if self._form == "sarif":
            print_json(findings.sarif(self._cases, self.language))

    def _part(self) -> None:
        if self._pages:
            print_lines([""])
        self._pages += 1


class StageLine:
    """What is done with which program: on a terminal a line that is rewritten every second.

    Elsewhere people get a line from time to time, and a program that reads a document nothing.
    """

    def __init__(self, total: int, language: str, *, is_for_people: bool) -> None:
        self._total = total
        self._language = language
        self._is_for_people = is_for_people
        self._bar = ProgressLine()
        self._name, self._activity = "", Activity("loading", 0)
        self._began = self._printed_at = monotonic()
        self._is_row_open = False
        """The program has written a part of a row, which is not ours to write over."""

        self.done = 0

    def begin(self, name: str) -> None:
        self._name, self._began = name, monotonic()
        self._draw()

    def show(self, activity: Activity) -> None:
        self._activity = activity
        self.clear()
        self._draw()

    def clear(self) -> None:
        """Leave the cursor at the beginning of a row."""
        self._bar.clear()
        if self._is_row_open and self._bar.is_live:
            self._is_row_open = False
            print_message("")

    def wrote(self, text: str) -> None:
        """Make room for what the program wrote."""
        self._bar.clear()
        self._is_row_open = not text.endswith("\n")

    async def redraw(self) -> None:
        """Draw again and again, as time goes on."""
        while True:
            await asyncio.sleep(1)
            if not self._is_row_open or not self._bar.is_live:
                self._draw()

    def _draw(self) -> None:
        now = monotonic()
        if self._bar.is_live:
            self._bar.show(self._text(StageTexts.line, now, done=self.done, total=self._total))
        elif self._is_for_people and now - self._printed_at >= SPARSE_SECONDS:
            self._printed_at = now
            print_message(self._text(StageTexts.sparse, now))

    def _text(self, text: LocalText, now: float, **values: object) -> str:
        activity, language = self._activity, self._language
        stage = say(STAGES[activity.stage], language)
        if activity.total:
            counts = {"tried": activity.tried, "total": activity.total}
            stage = say(StageTexts.tried, language, stage=stage, **counts)
        seconds = f"{now - self._began:.0f}"
        values |= {"name": self._name, "stage": stage, "runs": f"{activity.runs}"}
        return say(text, language, seconds=seconds, **values)


def _witness(
    python: UsedPython,
    named: ProgramArgument,
    arguments: Sequence[str],
    lacks: str,
    *,
    as_json: bool,
) -> int:
    """Run a program where it is, watched by the witness; return its exit code.

    `lacks` says why there is no recorder. With `as_json`, what was found is printed as JSON, and
    what the program prints goes to stderr.
    """
    program, name = named.program, named.name
    given = [name] if program.module is None else ["-m", name]
    typed = program.source.encode(errors="surrogateescape") if name == "-" else program.stdin
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "findings.json")
        sys.stdout.flush()
        command = interpreter.witness(python.other, ["--json", str(report), *given, *arguments])
        out = sys.stderr if as_json else None
        # The user's own interpreter and program.
        code = subprocess.run(command, stdout=out, input=typed, check=False).returncode  # noqa: S603
        if as_json:
            found: dict[str, Any] = {}
            with suppress(OSError, ValueError, RecursionError):  # it has come to no end, or is none
                found = msgspec.json.decode(read_whole(report, MAX_USER_FILE), type=dict[str, Any])
            told = {"file": name, "python": python, "lacks": lacks, "exit_code": code}
            print_json({**told, **found})
        return code
