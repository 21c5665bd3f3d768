"""A recorded program to hand on: as a lesson file.

The lesson is true as it stands, its words to be written. Every claim in it is taken from the
recording and held against it before it is written down, by the very rules of `check`. The
question is how it ends; which choice is right follows from the run, as in every lesson.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from operator import getitem
from pathlib import PurePath
from textwrap import indent
from typing import Any

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import ToldError, fill
from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.outcome import Completed, Raised, Right, Truth, Wrong
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import flat
from inplace_tui.common.texts.endings import ANSWERS, RUNS
from inplace_tui.common.texts.share import WHYS, LessonParts, ShareTexts
from inplace_tui.common.texts.starter import StarterTexts
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.course.lesson import Claim, TensorClaim, Values
from inplace_tui.tutorial.course.lessons.anchors import find_anchors, syntax_error
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, mismatches, parts

MAX_VALUES = 8
"""Elements of a gradient that is claimed."""

QUOTED = 60
"""Characters of torch's message that a claim quotes."""

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Tree = dict[str, object]
"""A claim as YAML has it."""


def run_facts(run: FinishedRun, found: Blame | None) -> Iterator[Claim]:
    """Yield what may be claimed of how a run ended, and of who did it."""
    known = run.ending in PREDICTED and run.truth != Right(asked=False)
    yield Claim(ends=run.ending if known else Ending.RUNS)
    if isinstance(run.timeline.outcome, Raised):
        first = run.timeline.outcome.message.strip().split("\n")[0]
        # An address is another one in every run.
        quoted = re.split(r"0x[0-9a-f]+", first)[0][:QUOTED].strip()
        if quoted:
            yield Claim(match=quoted)
    names = {line: name for name, line in run.anchors.items()}
    saver, writer = _who(found)
    if saver in names:
        yield Claim(saved_by=names[saver])
    if writer in names:
        yield Claim(changed_by=names[writer])


def step_facts(step: Step, timeline: Timeline) -> Iterator[Claim]:
    """Yield what one line left behind: versions that moved, gradients that came."""
    before, after = timeline.at(step.began - 1), timeline.at(step.index)
    for row in step.tensors:
        name = row.names[0] if row.names else ""
        if not IDENTIFIER.fullmatch(name):
            continue
        old = before.tensors.get(row.id)
        if isinstance(row.version, int) and (old is None or old.version != row.version):
            yield Claim(tensors={name: TensorClaim(version=row.version)})
        if row.grad is not None and (old is None or old.grad != row.grad):
            grad = _numbers(after.tensors.get(row.grad), after)
            if grad is not None:
                yield Claim(tensors={name: TensorClaim(grad=grad)})


def true_claims(facts: Iterable[Claim], run: FinishedRun, at: int) -> Tree:
    """Return those of the facts that `check` would find true, as one claim."""
    tree: Tree = {}
    for path, part in (each for fact in facts for each in parts(fact)):
        if mismatches(part, run, at):
            continue
        below: Any = tree
        for key in path[:-1]:
            below = below.setdefault(key, {})
        below[path[-1]] = reduce(getitem, path, msgspec.to_builtins(part))
    return tree


def _numbers(tensor: Tensor | None, snapshot: Snapshot) -> Values | None:
    """Return a few finite numbers as a claim has them; None for anything else."""
    if tensor is None or isinstance(read := flat(tensor, snapshot), Unreadable):
        return None
    numbers, whole = read
    if not whole or not 0 < len(numbers) <= MAX_VALUES:
        return None
    if not all(isinstance(each, int | float) and math.isfinite(each) for each in numbers):
        return None
    plain = [float(f"{each:.6g}") for each in numbers]
    return [*plain] if tensor.shape else plain[0]


_PLAIN = re.compile(r"(runs|right|wrong|raises_[a-z_]+)")
"""Words of a claim that need no quotes."""

_LONGEST = 60
_TITLE = 36
"""Letters of the program's name in a title, which has 46 cells: words come before it in Chinese."""

MAX_WATCHED = 6


class ShareError(ToldError):
    """The run can't be a lesson."""


Place = tuple[str, Step]
"""A line that got a name: its anchor, on one visit, and that."""


def slug_of(name: str) -> str:
    """Return the id of a lesson in a file of this name.

    >>> slug_of("07-My_program.yaml"), slug_of("原地.yaml")
    ('my-program', 'shared')
    """
    stem = re.sub(r"^[0-9]+-(?=.+\.ya?ml$)|\.ya?ml$", "", PurePath(name).name)
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    return slug[:_LONGEST].strip("-") or "shared"


def lesson(program: Program, timeline: Timeline, truth: Truth, *, slug: str, schema: str) -> str:
    """Return the text of a lesson file.

    Raises:
        ShareError: it did not come to an end that can be asked for, or has no line to ask at.
    """
    if not isinstance(timeline.outcome, Completed | Raised) or not timeline.steps:
        raise ShareError(ShareTexts.no_ending)
    source = "\n".join(lines_of(program.source)).rstrip() + "\n"
    if syntax_error(source) is not None:
        raise ShareError(ShareTexts.no_ending)
    found = find_blame(timeline, truth, source=program.source)
    code, places = _named(source, _wanted(timeline, truth, found))
    if not places:
        raise ShareError(ShareTexts.no_line)
    run = FinishedRun(timeline, truth, find_anchors(code)[0].anchors, program.source)
    *before, asked = sorted(places, key=lambda place: place[1].index)
    parts = [
        _head(slug, program, schema, timeline.at(len(timeline) - 1)),
        "code: |2\n" if code[0] in " \t\n" else "code: |\n",
        indent(code.rstrip("\n") + "\n", "  ", lambda line: line != "\n"),
        "\nsteps:\n",
        *(_step(*place, run) for place in before),
        _question(*asked, run, found),
        LessonParts.recap,
    ]
    return "".join(parts)


def _wanted(timeline: Timeline, truth: Truth, found: Blame | None) -> Iterator[tuple[str, Step]]:
    """Yield the steps that are worth a name, the one to ask at first."""
    asked = _decisive(timeline, truth)
    yield "back" if asked.index in timeline.index.backwards else "end", asked
    before = timeline.steps[: asked.index][::-1]
    saver, writer = _who(found)
    for name, line in (("save", saver), ("write", writer)):
        visits = (s for s in before if line is not None and s.line <= line <= s.end_line)
        yield from ((name, step) for step in islice(visits, 1))
    # Where that line can't have a name, any before it may be asked at.
    yield from (("last", step) for step in before if step.depth == 0)


def _who(found: Blame | None) -> tuple[int | None, int | None]:
    """Return the lines that saved and that changed, as far as that is known."""
    if found is None:
        return None, None
    saver = None if found.saver is None else found.saver.line
    return saver, found.writes[0].line if found.writes else None


def _decisive(timeline: Timeline, truth: Truth) -> Step:
    """Return the line that shows how it ends."""
    steps, backwards = timeline.steps, timeline.index.backwards
    if isinstance(timeline.outcome, Raised) and (own := raising_step(timeline)) is not None:
        return own
    if isinstance(truth, Wrong):
        lines = [step for step in steps if step.line == truth.differences[0].line]
        if lines:
            return lines[min(truth.visit, len(lines)) - 1]
    return steps[backwards[-1] if backwards else -1]


def _named(source: str, wanted: Iterator[tuple[str, Step]]) -> tuple[str, list[Place]]:
    """Return the code with names on its lines, as far as they can have one.

    Two statements on one line can't; the name of the author's own, `#@ x`, stays.
    """
    code, places = source, list[Place]()
    taken = set(find_anchors(code)[0].anchors)
    for name, step in wanted:
        if name == "last" and places:
            break
        if any(named.line == step.line for _, named in places):
            continue
        free = next(f"{name}{n or ''}" for n in range(99) if f"{name}{n or ''}" not in taken)
        lines = code.split("\n")
        lines[step.end_line - 1] = f"{lines[step.end_line - 1].rstrip()}  #@ {free}"
        trial = "\n".join(lines)
        if syntax_error(trial) is not None:
            continue
        anchored, wrong = find_anchors(trial)
        if not wrong and anchored.anchors.get(free) == step.line:
            code = trial
            taken.add(free)
            places.append((free if step.visit == 1 else f"{free}#{step.visit}", step))
    return code, places


# The parts of the file.


def _head(slug: str, program: Program, schema: str, end: Snapshot) -> str:
    names = (each.names[0] for each in end.tensors.values() if each.names)
    watch = ", ".join([name for name in names if IDENTIFIER.fullmatch(name)][:MAX_WATCHED])
    title = _local(fill(StarterTexts.lesson, title=slug.replace("-", " ").capitalize()[:_TITLE]))
    values = {"slug": _quoted(slug), "title": title, "seed": program.seed or 0, "watch": watch}
    return LessonParts.head.format(schema=schema, **values)


def _step(anchor: str, step: Step, run: FinishedRun) -> str:
    expect = true_claims(step_facts(step, run.timeline), run, step.index)
    sentence = LessonParts.say.format(at=_quoted(anchor))
    return sentence + (f"    expect: {_flow(expect)}\n" if expect else "")


def _question(anchor: str, step: Step, run: FinishedRun, found: Blame | None) -> str:
    choices = []
    for ends in PREDICTED if run.ending in PREDICTED else _WITHOUT_TRUTH:
        right = not mismatches(Claim(ends=ends), run, None)
        why, text = WHYS[right], ANSWERS.get(ends, RUNS)
        texts = {"text": _local(text), "en": _quoted(why.en), "zh": _quoted(why["zh"])}
        key, when = ends.replace("_", "-"), _flow({"ends": str(ends)})
        choices.append(LessonParts.choice.format(id=key, when=when, **texts))
    facts = (*run_facts(run, found), *step_facts(step, run.timeline))
    expect = _flow(true_claims(facts, run, step.index))
    return LessonParts.ask.format(at=_quoted(anchor), choices="".join(choices), expect=expect)


_WITHOUT_TRUTH = (Ending.RUNS, Ending.RAISES_BEFORE, Ending.RAISES_IN_BACKWARD)
"""The choices where replays can't determine whether the gradients are right."""


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {_flow(v)}' for k, v in value.items())}}}"
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return _quoted(value)


def _quoted(value: object) -> str:
    """Return a value as YAML has it, whatever is in a text: `no` and `010` stay text."""
    return json.dumps(value, ensure_ascii=False)


def _local(text: LocalText) -> str:
    return f"{{en: {_quoted(text.en)}, zh: {_quoted(text['zh'])}}}"
