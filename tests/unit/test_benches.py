"""What the benches measure with: a terminal whose chunks have times, and a percentile."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benches"))

from figures import percentile
from terminals import Timed, TooLateError


def test_a_timed_terminal_shows_what_a_program_draws_and_when_it_answers() -> None:
    program = "print('ready', flush=True); print('got', input(), flush=True)"
    with Timed([sys.executable, "-c", program]) as screen:
        shown = screen.wait_for("ready")
        answered = screen.answer("one\n", "got one")
        with pytest.raises(TooLateError, match="ready"):  # it has ended by then
            screen.wait_for("what it never draws")

    assert screen.began < shown <= screen.chunks[-1][0]
    assert answered > 0


def test_a_percentile_is_a_figure_that_was_measured() -> None:
    assert percentile([5, 1, 2, 3, 4], 100) == 5
    assert percentile(range(1, 101), 95) == 95
    assert percentile([7], 95) == 7
