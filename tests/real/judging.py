"""How what `explain` says of a program is judged: by a rule that is older than any judgement.

Named: the first culprit is one of the lines that the thread calls at fault; where it names no
line, nothing is asked. Fixed: there is a fix, that is, an edited program that was run and
verified. Equivalent: the first fix changes one of the lines that the author changed (a line that
is put between two others changes both), prints what the author's program prints, and leaves
every leaf with the gradient that it has there. What is usual, and computes something else than
the program, counts like any other: authors mostly took that.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import NamedTuple

import msgspec

from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.diagnosis.blame.truth import Evidence, alike
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.explain.explanation import culprits
from inplace_tui.diagnosis.runner.worker import Worker
from support.tables import read_table

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\ntorch.manual_seed(0)\n"
ALL = Detail(additions=True, output=True)


class RealProgram(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that failed, and what its author did."""

    name: str
    link: str
    source: str
    fault: tuple[str, ...]
    author: tuple[tuple[str, str], ...]

    @property
    def program(self) -> str:
        return HEAD + self.source

    @property
    def mended(self) -> str:
        """The program as its author left it."""
        text = self.program
        for old, new in self.author:
            assert old in text, (self.name, old)
            text = text.replace(old, new, 1)
        return text


REAL = tuple(
    msgspec.convert(each, RealProgram)
    for path in sorted(Path(__file__).parent.glob("*.yaml"))
    for each in read_table(path)
)


class Judgement(NamedTuple):
    """What holds of one program."""

    named: bool
    fixed: bool
    equivalent: bool
    first: str
    """The title of the first fix."""


async def judged(worker: Worker, real: RealProgram) -> Judgement:
    """Explain a program, and compare the first fix with the author's."""
    program = Program(source=real.program, origin=Origin.OWN, seed=0)
    case = await explain(worker, program, Options(budget=120.0))
    found = culprits(case)
    lines = lines_of(real.program)
    named = not real.fault or (bool(found) and lines[found[0].line - 1] in real.fault)
    if not case.fixes:
        return Judgement(named, fixed=False, equivalent=False, first="")
    first = case.fixes[0]
    touched = _touched(real.program, first.source) & _touched(real.program, real.mended)
    mine, author = [await _ran(worker, program, text) for text in (first.source, real.mended)]
    same = bool(touched) and _same(mine, author)
    return Judgement(named, fixed=True, equivalent=same, first=first.title.en)


def _touched(before: str, after: str) -> set[int]:
    """Return the lines that are changed, or have something put beside them."""
    old, new = lines_of(before), lines_of(after)
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [(i, j) for kind, i, j, _, _ in blocks if kind != "equal"]
    return {line for i, j in changed for line in (range(i, j) if i < j else (i - 1, i))}


async def _ran(worker: Worker, program: Program, source: str) -> Evidence:
    program = msgspec.structs.replace(program, source=source)
    return await evidence(worker, program, Mode.BARE, Limits(seconds=60.0), ALL)


def _same(mine: Evidence, author: Evidence) -> bool:
    if not isinstance(mine.outcome, Completed) or not isinstance(author.outcome, Completed):
        return False
    ours = {each.tensor: each for each in mine.left}
    theirs = {each.tensor: each for each in author.left}
    shared = ours.keys() & theirs.keys()
    return mine.printed == author.printed and all(alike(ours[t], theirs[t]) for t in shared)
