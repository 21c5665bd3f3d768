"""A program that is killed at a random moment has kept every answer that the screen confirmed.

Within seconds everything that it had started is gone, too.

A sample by default; `KILLS=1000`, as `make kills` has it, says how many.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from faults.killing import Killing
from support.whole import WHOLE

MANY = int(os.environ.get("KILLS", "5" if WHOLE else "1"))
FIRST = int(os.environ.get("KILLS_FIRST", "0"))
SEED = os.environ.get("KILLS_SEED", "1")


@pytest.mark.whole(every=1)
def test_what_was_confirmed_survives_every_kill(tmp_path: Path) -> None:
    killing = Killing(tmp_path, SEED)

    for number in range(FIRST, FIRST + MANY):
        killing.session(number)

    tally = killing.tally
    told = (
        f"{tally.kills} kills, {tally.answers} answers in drills, {tally.lessons} in lessons, "
        f"{tally.runs} programs under way\n"
    )
    sys.stdout.write(told)
    assert tally.complaints == []
    assert tally.kills == MANY
