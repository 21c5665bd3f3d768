"""The twins: one for everything that is drawn, each as wide as what it stands for."""

from __future__ import annotations

import io
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual._border import BORDER_CHARS

import inplace_tui
from inplace_tui.common import console
from inplace_tui.common.cells import width
from inplace_tui.common.glyphs import ERRORS, TWINS, fitting, lacks_glyphs
from inplace_tui.tutorial.present.code import NEXT, RAN

SOURCES = sorted(Path(inplace_tui.__file__).parent.rglob("*.py"))
_CHINESE = re.compile(r"[\u2018-\u201d\u2026\u2014\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
"""The characters of Chinese texts, which no ASCII can stand for."""

WHATEVER = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Mn", "Me", "Mc")))


def test_a_twin_is_ascii_and_as_wide() -> None:
    assert all(twin.isascii() for twin in TWINS.values())
    assert {glyph: cell_len(glyph) for glyph in TWINS} == {g: len(t) for g, t in TWINS.items()}


@pytest.mark.whole
def test_every_glyph_of_the_program_has_a_twin() -> None:
    glyphs = {each: path.name for path in SOURCES for each in path.read_text(encoding="utf-8")}
    symbols = {
        each: name
        for each, name in glyphs.items()
        if not each.isascii() and not unicodedata.category(each).startswith("L")
    }
    drawn = {each: name for each, name in symbols.items() if not _CHINESE.match(each)}

    assert {each: name for each, name in drawn.items() if each not in TWINS} == {}


def test_every_border_that_textual_draws_has_a_twin() -> None:
    drawn = {
        each for rows in BORDER_CHARS.values() for row in rows for part in row for each in part
    }

    assert {each for each in drawn if not each.isascii()} - TWINS.keys() == set()


@given(WHATEVER)
def test_what_is_fitted_to_ascii_is_ascii_and_as_wide(text: str) -> None:
    fitted = fitting(text, encoding="ascii")

    assert fitted.isascii()
    assert len(fitted) == width(text)


@given(WHATEVER)
def test_a_stream_that_was_prepared_writes_anything(text: str) -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii", newline="")
    console.prepare(stream, {})

    stream.write(text)
    stream.flush()

    assert stream.errors == ERRORS
    assert written.getvalue().isascii()


def test_gbk_has_some_of_the_glyphs_and_keeps_them() -> None:
    assert lacks_glyphs("gbk")
    assert not lacks_glyphs("utf-8")
    assert fitting("● ✓ 原地操作 ─", encoding="gbk") == "● v 原地操作 ─"


def test_narrow_glyphs_are_those_that_are_never_two_cells() -> None:
    assert fitting("▸ ● ─ 原地操作 ✓ α", narrow=True) == "▸ * - 原地操作 ✓ α"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"LC_ALL": "C"}, True),
        ({"LC_ALL": "POSIX"}, True),
        ({"LC_ALL": "C.UTF-8"}, False),
        ({"LC_ALL": "C", "PYTHONIOENCODING": "utf-8"}, False),
        ({"LC_ALL": "C", "PYTHONUTF8": "1"}, False),
        ({}, False),
    ],
)
def test_only_who_says_c_means_ascii(environment: dict[str, str], said: bool) -> None:
    assert console.asks_for_ascii(environment) == said


def test_the_line_that_ran_and_the_next_one_keep_marks_of_their_own() -> None:
    assert fitting(f"{RAN}{NEXT}", encoding="ascii") == ">)"
