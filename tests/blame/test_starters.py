"""What started a program is no part of its stack."""

from __future__ import annotations

import os

from inplace_tui.blame.frames import Frame, outermost_dropped
from inplace_tui.blame.libraries import scripts_folder


def frame(file: str, *, library: bool = False) -> Frame:
    return {"file": file, "line": 1, "function": "f", "code": "", "library": library}


def test_a_command_of_a_package_is_dropped_with_the_libraries_around_it() -> None:
    cell, shell = frame("In [3]"), frame("/lib/site-packages/IPython/app.py", library=True)
    command = frame(os.path.join(scripts_folder(), "ipython"))

    assert outermost_dropped([cell, shell, command]) == [cell]


def test_a_program_of_ones_own_that_lies_there_is_kept() -> None:
    mine = frame(os.path.join(scripts_folder(), "mine"))
    inner = frame("/lib/site-packages/torch/nn.py", library=True)

    assert outermost_dropped([inner, mine]) == [inner, mine]
