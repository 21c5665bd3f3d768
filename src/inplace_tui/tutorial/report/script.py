"""A run as a plain script: the program, and above it what happened when it was recorded."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from inplace_tui import __version__
from inplace_tui.common.blame import Blame
from inplace_tui.common.cells import clean, wrap
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.rows import Span
from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Truth, Wrong
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import parse
from inplace_tui.common.texts import say
from inplace_tui.common.texts.share import ScriptTexts
from inplace_tui.diagnosis.blame.find_blame import find_blame

WIDTH = 96
"""Cells of a comment; what torch says is wrapped, never cut."""

_FIRST = re.compile(r"#!|#.*coding[:=]")
"""What must stay above everything else, if it is in the first two lines."""


def script(
    program: Program,
    timeline: Timeline,
    truth: Truth,
    *,
    versions: Mapping[str, str],
    name: str,
    language: str,
) -> str:
    """Return a script that `python` runs, and that ends as the recording did.

    The versions are those of `python` and `torch` that it was recorded with.
    """
    lines = lines_of(program.source)
    top = next((i for i, line in enumerate(lines[:2]) if not _FIRST.match(line)), len(lines[:2]))
    below = max(top, _preface(program.source))
    seeding: list[str] = []
    if program.seed is not None:  # as the sandbox does; it takes no name from the program
        why = say(ScriptTexts.seeding, language)
        seeding.append(f'__import__("random").seed({program.seed})  # {why}')
        seeding.append(f'__import__("torch").manual_seed({program.seed})')
    title = _comment(say(ScriptTexts.title, language, version=__version__, name=name))
    title += _comment(say(ScriptTexts.versions, language, seed=program.seed, **versions))
    found = find_blame(timeline, truth, source=program.source)
    assert timeline.outcome is not None, "the run is over"
    head: list[str] = []
    while True:  # a line's number may get longer, and its comment with it
        shift = _Shift(below, len(head), len(seeding))
        comment = title + _happened(timeline.outcome, truth, found, shift, language)
        if len(comment) == len(head):
            break
        head = comment
    parts = [*lines[:top], *comment, *lines[top:below], *seeding, *lines[below:]]
    return "\n".join(parts).rstrip("\n") + "\n"


@dataclass(frozen=True)
class _Shift:
    """Where the lines of the program are in the script."""

    below: int
    head: int
    seeding: int

    def __call__(self, line: int) -> int:
        return line + self.head + (self.seeding if line > self.below else 0)


def _preface(source: str) -> int:
    """Return the last line of what has to come first: a docstring, imports from the future."""
    try:
        body = parse(source, deep=True).body
    except SyntaxError:
        return 0
    last = 0
    for place, statement in enumerate(body):
        is_text = (
            place == 0
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (is_text or future):
            break
        last = statement.end_lineno or last
    return last


def _happened(
    outcome: Outcome, truth: Truth, found: Blame | None, shift: _Shift, language: str
) -> list[str]:
    """Say how it ended, in torch's own words where it raised, and who did it."""
    line = getattr(outcome, "line", None)
    if line is not None:
        outcome = msgspec.structs.replace(outcome, line=shift(line))
    lines = _comment(say(ScriptTexts.ended, language, how=ending_text(outcome, truth, language)))
    if isinstance(outcome, Raised):
        for line in outcome.message.splitlines():
            lines += _comment(line, lead="#   ")
    if isinstance(truth, Wrong) and isinstance(outcome, Completed):
        for each in truth.differences:
            values = {"name": each.tensor, "got": each.got, "true": each.true}
            lines += _comment(say(ScriptTexts.gradient, language, **values), lead="#   ")
    who = [] if found is None else _who(found, shift, language)
    if who:
        lines += _comment(say(ScriptTexts.between, language).join(who), lead="#   ")
    return [*lines, "#"]


def _who(found: Blame, shift: _Shift, language: str) -> list[str]:
    """Return who saved, who changed, who needed, as far as that is known."""
    saver = None if found.saver is None else found.saver.line
    writer = found.writes[0].line if found.writes else None
    known = (
        (ScriptTexts.saved, saver),
        (ScriptTexts.changed, writer),
        (ScriptTexts.needed, found.reader if saver else None),
    )
    return [say(text, language, line=shift(line)) for text, line in known if line is not None]


def _comment(text: str, *, lead: str = "# ") -> list[str]:
    """Return a text as lines of a comment: nothing in it can become code."""
    rows = wrap([Span(clean(text))], WIDTH - len(lead))
    return [(lead + "".join(span.text for span in row)).rstrip() for row in rows]
