"""A program ends the same whether it is watched or not: error, output, warnings and values.

On the project's own programs: `tests/programs`, a sample of the generated ones, the lessons. Of
them a fifth is run; all with `WITNESS=all`.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from blame.interpreter import Programs
from generated.loops import loops
from generated.programs import programs as generated
from support.catalogue import PROGRAMS
from support.tables import read_table

LESSONS = sorted((Path(__file__).parents[2] / "lessons").glob("[0-9]*/[0-9]*.yaml"))
SEED = os.environ.get("GENERATED_SEED", "1")
SOURCES = {
    **{known.id: known.source for known in PROGRAMS},
    **{path.stem: read_table(path)["code"] for path in LESSONS},
    **{
        each.name: each.source for each in random.Random(SEED).sample([*generated(), *loops()], 120)
    },
}
PARTS = 8
NAMES = random.Random(SEED).sample([*SOURCES], len(SOURCES))
if os.environ.get("WITNESS") != "all":
    NAMES = NAMES[: len(NAMES) // 5]


def is_stable(programs: Programs, source: str, alone: object) -> bool:
    """Whether a program ends so wherever its memory is: some read what nobody initialised."""
    return all(
        programs.run(source, watched=False, stir=stir).comparable == alone
        for stir in (0, 7, 40, 99)
    )


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.whole(every=8)
def test_a_watched_program_ends_as_it_does_alone(programs: Programs, part: int) -> None:
    different = []
    for name in NAMES[part::PARTS]:
        alone = programs.run(SOURCES[name], watched=False).comparable
        watched = programs.run(SOURCES[name], watched=True).comparable
        if watched != alone and is_stable(programs, SOURCES[name], alone):
            different.append(f"{name}\n{alone}\n{watched}")

    assert not different, f"GENERATED_SEED={SEED}\n" + "\n\n".join(different)


def test_programs_that_differ_are_told_apart(programs: Programs) -> None:
    """The comparison sees values, gradients, errors, output and warnings."""
    head = "import torch, warnings\na = torch.ones(2, requires_grad=True)\n"
    ends = [
        programs.run(head + line, watched=False).comparable
        for line in (
            "",
            "a.sum().backward()",
            "b = a * 2",
            "1 / 0",
            "print(1)",
            "warnings.warn('x')",
        )
    ]

    assert all(one != other for i, one in enumerate(ends) for other in ends[:i])
