"""Widths in cells. The oracle is the library that draws them."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inplace_tui.common.cells import (
    clean,
    clip,
    clip_spans,
    in_parts,
    pad,
    pad_spans,
    shorten,
    spans_width,
    width,
)
from inplace_tui.common.cells import wrap as wrapped
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.values import RunFormat

# What programs, messages and lessons are written in. Old scripts whose vowels
# join letters are left out: terminals do not agree on them either.
SCRIPTS = [
    *range(0x20, 0x530), *range(0x1E00, 0x2800), *range(0x3000, 0x3400), *range(0x4E00, 0xA000),
    *range(0xAC00, 0xD7A4), *range(0xFF00, 0xFFF0), *range(0x1F300, 0x1F3FB),
    *range(0x1F400, 0x1F650),
]  # fmt: skip
TYPED = st.text(st.sampled_from([chr(c) for c in SCRIPTS]) | st.sampled_from("\t\n\x1b\x7f\u200d"))


def plain(lines: list[tuple[Span, ...]]) -> list[str]:
    return ["".join(span.text for span in line) for line in lines]


def test_every_character_is_as_wide_as_it_is_drawn() -> None:
    wrong = [
        hex(code)
        for code in SCRIPTS
        if unicodedata.category(chr(code)) != "Cn"
        and width(clean(chr(code))) != cell_len(clean(chr(code)))
    ]

    assert wrong == []


@given(text=TYPED, room=st.integers(0, 30))
def test_what_is_clipped_fits_and_what_is_padded_fills(text: str, room: int) -> None:
    cleaned = clean(text)

    assert cell_len(clip(cleaned, room)) <= room
    assert cell_len(pad(cleaned, room)) == room


@given(text=TYPED)
def test_nothing_that_is_cleaned_can_move_the_terminals_cursor(text: str) -> None:
    assert not any(unicodedata.category(character) == "Cc" for character in clean(text))


def test_escapes_and_tabs_are_seen_not_obeyed() -> None:
    assert clean("\x1b[31mred\tx\r") == "␛[31mred    x␍"


@given(pieces=st.lists(TYPED, max_size=5), room=st.integers(1, 30))
def test_spans_are_clipped_and_padded_like_text(pieces: list[str], room: int) -> None:
    spans = [Span(clean(piece)) for piece in pieces]

    assert spans_width(clip_spans(spans, room)) <= room
    assert spans_width(pad_spans(spans, room)) == room


@given(text=TYPED, room=st.integers(2, 40))
def test_wrapped_text_fits_and_loses_nothing_but_spaces(text: str, room: int) -> None:
    cleaned = clean(text.replace("\n", " "))

    lines = plain(wrapped([Span(cleaned)], room))

    assert all(cell_len(line) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == cleaned.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("the version went from 0 to 1", ["the version", "went from 0", "to 1"]),
        ("版本号从 0 变为 1，因此", ["版本号从 0", "变为 1，因此"]),
        ("它保存的是版本，值", ["它保存的是版", "本，值"]),
        ("它保存的是旧，值", ["它保存的是", "旧，值"]),
        ("保存在它的 .grad 里", ["保存在它的", ".grad 里"]),
        ("a\nb", ["a", "b"]),
        ("AccumulateGradient", ["AccumulateGr", "adient"]),
    ],
)
def test_english_breaks_at_spaces_and_chinese_between_characters(
    text: str, lines: list[str]
) -> None:
    assert plain(wrapped([Span(text)], 12)) == lines


def test_an_accent_stays_with_its_letter_wherever_a_long_word_is_cut() -> None:
    lines = wrapped([Span("abe"), Span("\u0301cd", Style.STRONG)], 3)

    assert [[span.text for span in line] for line in lines] == [["abe", "\u0301"], ["cd"]]


def test_styles_survive_wrapping() -> None:
    spans = [Span("call "), Span("y.add_(1)", Style.CODE), Span(" twice")]

    assert wrapped(spans, 14) == [(Span("call "), Span("y.add_(1)", Style.CODE)), (Span("twice"),)]


@given(TYPED, st.integers(0, 30))
def test_a_name_that_is_cut_keeps_its_beginning_and_its_end(typed: str, room: int) -> None:
    name = "".join(each for each in clean(typed) if not each.isdecimal())
    for between in (", ", " = ", ".", "["):
        name = name.replace(between, "")
    short = shorten(name, room)

    assert cell_len(short) <= room
    if short == name:
        return
    head, tail = short.split("…")[0], short.rpartition("…")[2]
    assert "…" in short or room < 1
    assert name.startswith(head)
    assert name.endswith(tail)
    assert cell_len(short) >= room - 2, "what is two cells wide may not fill a hole"


def test_names_that_differ_at_their_end_look_different_when_they_are_cut() -> None:
    names = [
        f"{at}.{what}" for at in ("encoder.lay.0", "编码器层.一") for what in ("weight", "bias")
    ]
    names += [f"{name}.grad" for name in names]

    assert len({shorten(name, 12) for name in names}) == len(names)
    assert shorten("encoder.layers.0.weight", 16) == "…layers.0.weight"
    assert shorten("model.blocks[0].attention.query.weight", 25) == "…blocks[0]…query.weight"
    assert shorten("feature_encoder[0].weight", 20) == "feature_e…[0].weight"
    assert shorten("编码器.权重", 8) == "…权重"


@given(
    st.lists(
        st.sampled_from(["model", ".blocks", "[12]", ".0", ".fc", ".weight", "[7]"]), min_size=2
    ),
    st.integers(1, 60),
)
def test_a_name_of_parts_is_cut_between_them(parts: list[str], room: int) -> None:
    name = "".join(parts).lstrip(".")
    short = in_parts(name, room)

    assert cell_len(short) <= room
    if short:
        pattern = ".*".join(map(re.escape, short.split("…")))
        assert re.fullmatch(pattern, name)
        assert short.endswith(parts[-1].lstrip("."))
        assert any(map(str.isdecimal, short)) == any(map(str.isdecimal, name))


@given(TYPED, st.integers(0, 30))
def test_a_name_with_numbers_has_room_too(typed: str, room: int) -> None:
    assert cell_len(shorten(f"{clean(typed)}.0.weight", room)) <= room


@pytest.mark.parametrize("room", range(8, 20))
def test_names_that_differ_by_a_number_look_different_when_they_are_cut(room: int) -> None:
    names = [
        f"{at}{what}"
        for at in ("net.0", "net.2", "layers[0]", "layers[12]", "层.0", "层.1")
        for what in (".weight", ".bias")
    ]

    written = RunFormat()

    spelled = {written.spell(name, room) for name in names}

    assert len(spelled) == len(names)
    assert all(cell_len(each) <= room for each in spelled)
    assert all(any(map(str.isdecimal, each)) for each in spelled)


def test_of_several_names_the_last_go_first() -> None:
    assert shorten("weight, bias", 9) == "weight, …"
    assert shorten("encoder.weight, encoder.bias", 9) == "…weight"
    assert shorten("y = z", 1) == "y"
