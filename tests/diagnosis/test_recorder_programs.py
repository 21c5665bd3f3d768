"""Programs as people write them, recorded and bare: nothing may differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.recording import bare, record

_TEXT = Path(__file__).parents[1] / "support" / "people.txt"
PROGRAMS = dict(part.split("\n", 1) for part in _TEXT.read_text().split("\n==== ")[1:])


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.whole(every=8)
def test_a_program_ends_recorded_as_it_does_bare(program: str) -> None:
    source = PROGRAMS[program]

    recorded = record(source)

    assert recorded.faults == ()
    assert recorded.ending == bare(source)
