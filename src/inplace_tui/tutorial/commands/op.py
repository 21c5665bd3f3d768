"""The command `op`: what an op of torch keeps, counts and shares, as a survey found out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

import click

from inplace_tui.common.command.output import page_width, print_json, print_lines, print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.ops.programs import program, write_by
from inplace_tui.common.ops.survey import (
    FILTERS,
    RESULT,
    Op,
    OpCase,
    Survey,
    installed_torch,
    survey_of,
)
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.run.outcome import Completed, Raised, Right, Truth, Wrong
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import HelpTexts
from inplace_tui.common.texts.ops import OpCommandTexts
from inplace_tui.diagnosis.drive.runs import run_and_verify
from inplace_tui.tutorial.present import op_card
from inplace_tui.tutorial.report import text
from inplace_tui.tutorial.report.documents import OpDocument
from inplace_tui.tutorial.settings import Settings


@localized_command("op", HelpTexts.op)
@option("--after", "after", text=HelpTexts.op_after, metavar="OP")
@option("--run", "number", text=HelpTexts.op_run, type=int, metavar="N")
@option("--list", "wanted", text=HelpTexts.op_list, metavar="KEY=VALUE", multiple=True)
@option("--torch", "torch", text=HelpTexts.op_torch, metavar="VERSION")
@option("--json", "as_json", text=HelpTexts.json, is_flag=True)
@click.argument("name", metavar="[OP]", required=False)
def op_command(
    settings: Settings,
    *,
    name: str | None,
    after: str | None,
    number: int | None,
    wanted: tuple[str, ...],
    torch: str | None,
    as_json: bool,
) -> int:
    version = torch or installed_torch()
    survey = survey_of(version)
    if not version.startswith(survey.torch):
        print_message(
            say(OpCommandTexts.nearest, settings.language, wanted=version, found=survey.torch)
        )
    if name is None:
        if not wanted:
            raise CommandError(OpCommandTexts.name_or_list)
        first: dict[str, tuple[Op, OpCase]] = {}
        for op, case in survey.select(_filters(wanted)):
            first.setdefault(op.name, (op, case))
        selected = [*first.values()]
        if as_json:
            print_json(OpDocument(torch=survey.torch, ops=[op for op, _ in selected]))
        else:
            print_lines(_listed(selected, settings.language))
            if not selected:
                print_message(say(OpCommandTexts.none, settings.language))
        return 0
    op = _found(survey, name)
    if as_json:
        print_json(OpDocument(torch=survey.torch, ops=[op, *survey.forms(op)]))
    elif after is not None:
        return _may_write(survey, op, _found(survey, after), settings.language)
    elif number is not None:
        return _show(op, number, settings.language)
    else:
        room = page_width()
        rows = op_card.card(survey, op, room, settings.language)
        rows += op_card.programs(op, room, settings.language)
        print_lines(row.text.rstrip() for row in rows)
    return 0


def _found(survey: Survey, name: str) -> Op:
    op = survey.find(name)
    if op is None:
        hint = did_you_mean(name, survey.names)
        raise CommandError(OpCommandTexts.unknown, version=survey.torch, name=name, hint=hint)
    return op


def _filters(wanted: tuple[str, ...]) -> Mapping[str, str]:
    found = dict(each.partition("=")[::2] for each in wanted)
    for key, value in found.items():
        if key not in FILTERS or not value:
            bad = next(each for each in wanted if each.partition("=")[0] == key)
            raise CommandError(OpCommandTexts.bad_filter, keys=", ".join(FILTERS), text=bad)
    return found


def _listed(selected: list[tuple[Op, OpCase]], language: str) -> Iterator[str]:
    writer = op_card.OpFacts(language)
    longest = max((len(op.name) for op, _ in selected), default=0)
    for op, case in selected:
        options = f"  ({case.title})" if case.options else ""
        facts = writer.in_short(case) + options
        yield f"{op.name:<{longest}}  {facts}"


def _run(source: str) -> tuple[Program, Timeline, Truth]:
    made = Program(source=source, origin=Origin.BUILT_IN)
    return made, *asyncio.run(run_and_verify(made, Limits(), once=False, on_once=lambda: None))


def _show(op: Op, number: int, language: str) -> int:
    """Run a program that shows what a write does, and print the run."""
    shown = op_card.shown(op)
    if not shown:
        raise CommandError(OpCommandTexts.no_program)
    if not 1 <= number <= len(shown):
        raise CommandError(OpCommandTexts.no_number, number=number, last=len(shown))
    _print_run(*_run(shown[number - 1][2]), language)
    return 0


def _print_run(made: Program, timeline: Timeline, truth: Truth, language: str) -> None:
    lines = text.lines(
        made, timeline, truth, language=language, width=page_width(), watch=(), pointers=False
    )
    print_lines(lines)


def _may_write(survey: Survey, op: Op, after: Op, language: str) -> int:
    """Say whether one op may write what another one returned, and print the run that shows it."""
    write = next((each for each in map(write_by, op.cases) if each is not None), None)
    source = None
    if write is not None and after.cases:
        source = program(after.cases[0], RESULT, write)
    if source is None:
        in_place = [each.name for each in survey.forms(op) if each.form == "in-place"]
        hint = did_you_mean(op.name, in_place)
        raise CommandError(OpCommandTexts.not_written, name=op.name, after=after.name, hint=hint)
    made, timeline, truth = _run(source)
    answer, values = _answer(timeline, truth)
    print_lines([say(answer, language, call=op.name, after=after.name, **values), ""])
    _print_run(made, timeline, truth, language)
    return 0


def _answer(timeline: Timeline, truth: Truth) -> tuple[LocalText, dict[str, object]]:
    outcome = timeline.outcome
    if isinstance(outcome, Raised):
        text = OpCommandTexts.no_raises if outcome.in_backward else OpCommandTexts.refused
        return text, {"message": outcome.message.partition(" Hint:")[0]}
    if isinstance(outcome, Completed) and isinstance(truth, Right | Wrong):
        return (OpCommandTexts.yes if isinstance(truth, Right) else OpCommandTexts.no_wrong), {}
    return OpCommandTexts.undecided, {}
