"""What a console can't draw is drawn otherwise: no code for a glyph, or two cells for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")

WHERE_IS_THE_CURSOR = "\x1b[6n"
LESSON = ("lesson", "saved-output")


@pytest.mark.parametrize(("locale", "encoding"), [("C", ""), ("", "ascii")])
@pytest.mark.whole
def test_an_ascii_console_gets_ascii(tmp_path: Path, locale: str, encoding: str) -> None:
    with Terminal(*LESSON, home=tmp_path, LC_ALL=locale, PYTHONIOENCODING=encoding) as terminal:
        terminal.wait_for("? question ahead", "-Code---")
        terminal.type("q")
        code = terminal.wait_for_end()

        assert code == 0
        assert terminal.sent.isascii()
        assert WHERE_IS_THE_CURSOR not in terminal.sent
        assert terminal.modes() == terminal.before


@pytest.mark.parametrize("arguments", [("list",), ("run", "saved-output", "--once"), ("--help",)])
@pytest.mark.whole(every=3)
def test_what_is_printed_on_an_ascii_console_is_ascii(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    with Terminal(*arguments, home=tmp_path, LC_ALL="C") as terminal:
        terminal.wait_for_end()

        assert terminal.sent.isascii()
        assert "\\u" not in terminal.sent
        assert "Error" not in terminal.sent.replace("RuntimeError", "")


@pytest.mark.parametrize(("cells", "in_ascii"), [(1, False), (2, True)])
@pytest.mark.whole
def test_the_doctor_tells_how_wide_a_terminal_draws(
    tmp_path: Path, cells: int, in_ascii: bool
) -> None:
    with Terminal("doctor", home=tmp_path) as terminal:
        terminal.answer(WHERE_IS_THE_CURSOR, "\x1b[1;3R")
        terminal.forget()
        terminal.answer(WHERE_IS_THE_CURSOR, f"\x1b[1;{cells + 1}R")
        terminal.wait_for("Running programs")

        assert "cells of a Chinese character: 2" in terminal.text
        assert f"cells of a line of a box: {cells}" in terminal.text
        assert ("ASCII" in terminal.text) == in_ascii


@pytest.mark.parametrize(("column", "border"), [(2, "─Code──"), (3, "-Code--")])
@pytest.mark.whole(every=2)
def test_a_console_is_asked_how_wide_it_draws(tmp_path: Path, column: int, border: str) -> None:
    """Only those that draw ambiguous glyphs two cells wide get ASCII in their place."""
    with Terminal(*LESSON, home=tmp_path) as terminal:
        terminal.answer(WHERE_IS_THE_CURSOR, f"\x1b[1;{column}R")
        terminal.wait_for("? question ahead", border)
        terminal.type("q")
        terminal.wait_for_end()

        assert terminal.modes() == terminal.before
