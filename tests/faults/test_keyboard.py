"""Whatever bytes come from a terminal, at any pace, and however many of them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from inplace_tui.tutorial.ui.textual_private.terminal_input import (
    MANY,
    MAX_MERGED,
    MAX_PASTED,
    MAX_WAITING,
    SILENCE,
    Backlog,
    InputParser,
    PasteCut,
)
from support.noise import SEQUENCES, noise
from support.processes import memory
from support.screens import lesson
from support.terminal import Terminal
from support.whole import examples, sample

written = st.lists(st.sampled_from(SEQUENCES) | st.binary(max_size=3), max_size=12).map(b"".join)


class Clock:
    """A clock that is put forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def keys(messages: Iterable[Message]) -> list[str]:
    return [each.key for each in messages if isinstance(each, events.Key)]


def fed(parser: InputParser, data: bytes, cuts: Iterable[int] = ()) -> list[Message]:
    """Return what is made of bytes that come in pieces."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    pieces = [data[a:b] for a, b in pairwise(places)]
    return [message for piece in pieces for message in parser.feed(piece)]


def after_silence(parser: InputParser, clock: Clock) -> list[Message]:
    """Return what is made of a long silence."""
    time.sleep(0.11)  # Textual's parser has a clock of its own
    clock.now += 10 * SILENCE
    return list(parser.tick())


@settings(max_examples=examples(500), deadline=None)
@given(data=written, cuts=st.lists(st.integers(0, 99), max_size=4))
def test_no_bytes_are_a_fault_wherever_they_are_cut(data: bytes, cuts: list[int]) -> None:
    for message in fed(InputParser(), data, cuts):
        if isinstance(message, events.Key):
            (message.character or "").encode()  # no surrogate: nobody could draw it
        elif isinstance(message, events.Paste):
            assert message.text.isprintable() or set(message.text) & {"\t", "\n", "\r", "\xa0"}


@pytest.mark.whole
def test_ten_thousand_random_sequences_are_no_fault() -> None:
    chosen, parser = random.Random(1), InputParser()
    for number in range(10_000):
        for message in fed(parser, noise(number, 8), [chosen.randrange(8)]):
            if isinstance(message, events.Key):
                (message.character or "").encode()


@pytest.mark.whole(every=1)
def test_every_byte_and_every_pair_of_bytes_is_no_fault() -> None:
    """With what follows: no pair takes more than the sequence that it begins."""
    for first in sample(range(256), 50):
        for pair in (bytes([first]), *(bytes([first, second]) for second in range(256))):
            for message in fed(InputParser(), pair + b"\x1b[Anc"):
                if isinstance(message, events.Key):
                    (message.character or "").encode()


@pytest.mark.parametrize("first", range(0x80, 0x100))
@pytest.mark.whole(every=8)
def test_a_byte_that_is_no_character_costs_no_key_but_its_own(first: int) -> None:
    parser = InputParser()

    assert keys(fed(parser, b"n" + bytes([first]) + b"nc"))[:1] == ["n"]
    assert keys(parser.feed(b"nc")) == ["n", "c"]


@settings(max_examples=examples(300), deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cs"])),
    cuts=st.lists(st.integers(0, 999), max_size=8),
)
@pytest.mark.whole
def test_a_paste_is_one_piece_wherever_it_is_cut(text: str, cuts: list[int]) -> None:
    messages = fed(InputParser(), b"\x1b[200~" + text.encode() + b"\x1b[201~n", cuts)

    assert [each.text for each in messages if isinstance(each, events.Paste)] == [text] * bool(text)
    assert keys(messages) == ["n"]


@pytest.mark.parametrize("after", [b"1", b"n", b"?", b"/", b"\r", "ｎ".encode()])
def test_a_key_typed_right_after_esc_is_a_key_of_its_own(after: bytes) -> None:
    alone, clock = keys(InputParser().feed(after)), Clock()
    parser = InputParser(clock)

    assert [*parser.feed(b"n\x1b"), *parser.tick()][1:] == []
    assert keys(parser.feed(after)) == ["escape", *alone]
    assert keys(parser.feed(b"\x1b")) == []
    assert keys(after_silence(parser, clock)) == ["escape"]
    assert keys(parser.feed(after)) == alone


@pytest.mark.parametrize(
    "data",
    [b"\x1b[A", b"\x1bOA", b"\x1b[1;5C", b"\x1b[<0;3;4M", b"\x1b\x1b", b"\x1b[200~a\x1bb\x1b[201~"],
)
def test_no_esc_is_taken_out_of_what_a_terminal_sends(data: bytes) -> None:
    for cut in range(1, len(data)):
        whole, cut_up = InputParser(), InputParser()
        names = [type(each).__name__ for each in fed(whole, data)]

        assert [type(each).__name__ for each in fed(cut_up, data, [cut])] == names


def test_control_characters_are_no_part_of_a_pasted_text() -> None:
    (paste,) = InputParser().feed(b"\x1b[200~a\x00\x07\x1b[31mb\x9b\xc2\x85\r\n\tc\x1b[201~")

    assert isinstance(paste, events.Paste)
    assert paste.text == "a[31mb\ufffd\r\n\tc"


def test_a_paste_without_an_end_is_over_when_nothing_more_comes() -> None:
    clock = Clock()
    parser = InputParser(clock)
    assert fed(parser, b"\x1b[200~one") == []
    clock.now += SILENCE / 2
    assert list(parser.tick()) == []
    clock.now += SILENCE

    paste, cut = parser.tick()

    assert isinstance(paste, events.Paste)
    assert paste.text == "one"
    assert isinstance(cut, PasteCut)
    assert keys(parser.feed(b"q")) == ["q"]


def test_a_paste_without_an_end_is_over_when_somebody_types() -> None:
    clock = Clock()
    parser = InputParser(clock)
    found = fed(parser, b"\x1b[200~one")
    while not found:
        clock.now += 0.2
        found = [*parser.feed(b"x"), *parser.tick()]
        assert clock.now < 5

    assert keys(parser.feed(b"q")) == ["q"]


@pytest.mark.whole
def test_a_paste_that_is_too_long_is_cut_and_its_end_is_found() -> None:
    parser = InputParser()
    messages = fed(
        parser, b"\x1b[200~" + b"x" * 3 * MAX_PASTED + b"\x1b[201~n", range(0, 10**7, 70)
    )

    assert [len(each.text) for each in messages if isinstance(each, events.Paste)] == [MAX_PASTED]
    assert [type(each) for each in messages[1:]] == [PasteCut, events.Key]


def test_a_flood_of_text_is_one_piece_without_marks_too() -> None:
    (paste,) = InputParser().feed(b"x = 1\r" * 10_000)

    assert isinstance(paste, events.Paste)
    assert len(paste.text) == 60_000


def backlog(*, typing: bool) -> Backlog:
    quits, moves = {"q", "ctrl+q"}.__contains__, {"n", "down"}.__contains__
    return Backlog(quits, moves, lambda: typing)


def taken(waiting: Backlog) -> list[str]:
    found = []
    while (message := waiting.take()) is not None:
        assert isinstance(message, events.Key | events.Paste)
        found.append(message.text if isinstance(message, events.Paste) else message.key)
    return found


def test_quitting_does_not_wait_behind_many_keys() -> None:
    waiting = backlog(typing=False)
    for _ in range(2 * MAX_WAITING):
        waiting.add(events.Key("down", None))
    waiting.add(events.Key("q", "q"))
    waiting.add(events.Key("down", None))

    assert taken(waiting)[:1] == ["q"]


def test_what_is_typed_is_not_lost_by_quitting() -> None:
    waiting = backlog(typing=True)
    for letter in "quick" * MANY:
        waiting.add(events.Key(letter, letter))
    waiting.add(events.Key("ctrl+q", "\x11"))

    assert taken(waiting) == ["quick" * MANY, "ctrl+q"]


def test_movements_that_wait_are_handed_on_in_one_piece() -> None:
    waiting = backlog(typing=False)
    found = []
    for key in ("down", *["n"] * 250, "x", "x", "n", "n"):
        waiting.add(events.Key(key, key if len(key) == 1 else None))
    while (message := waiting.take()) is not None:
        assert isinstance(message, events.Key)
        found.append((message.key, waiting.repeats))

    pieces = [("n", MAX_MERGED), ("n", MAX_MERGED), ("n", 250 - 2 * MAX_MERGED)]
    assert found == [("down", 1), *pieces, ("x", 1), ("x", 1), ("n", 2)]


def test_turns_of_the_wheel_that_wait_at_one_place_are_one_scroll() -> None:
    waiting = backlog(typing=False)
    found = []
    for message in InputParser().feed(b"\x1b[<65;5;5M" * 40 + b"\x1b[<65;9;9M" * 3):
        waiting.add(message)
    while waiting.take() is not None:
        found.append(waiting.repeats)

    assert found == [40, 3]


def test_a_mouse_that_moves_takes_no_key_its_place() -> None:
    waiting = backlog(typing=False)
    moves = b"".join(b"\x1b[<35;%d;5M" % (at % 70 + 1) for at in range(2 * MAX_WAITING))
    for message in InputParser().feed(moves + b"x"):
        waiting.add(message)

    assert isinstance(waiting.take(), events.MouseMove)
    assert taken(waiting) == ["x"]


@pytest.mark.asyncio
@pytest.mark.whole
async def test_so_many_steps_waited_and_one_picture_is_drawn(tmp_path: Path) -> None:
    """They come to what they come to one by one, where none waits for another to be drawn."""
    async with lesson(tmp_path) as stage:
        await stage.press("n", "n", "n")
        one_by_one = stage.lesson.view.cursor
        await stage.press("g")
        drawn = []
        display = stage.app._display
        stage.app._display = lambda *given: drawn.append(given) or display(*given)  # type: ignore[method-assign, func-returns-value]
        stage.app.repeats = 3
        await stage.press("n")

        assert one_by_one > 0
        assert stage.lesson.view.cursor == one_by_one
        assert stage.app.repeats == 1
        assert len(drawn) <= 2


@pytest.mark.asyncio
@pytest.mark.whole
async def test_what_the_first_of_many_keys_opens_gets_the_others(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press(*["n"] * 40)
        expected = stage.text
    async with lesson(tmp_path / "again") as stage:
        stage.app.repeats = 40
        await stage.press("n")

        assert stage.text == expected


def test_a_few_keys_are_handed_on_as_they_came() -> None:
    waiting = backlog(typing=False)
    for key in ("n", "down", "q", "n"):
        waiting.add(events.Key(key, key if len(key) == 1 else None))

    assert taken(waiting) == ["n", "down", "q", "n"]


@pytest.mark.usefixtures("warm_torch")
@pytest.mark.whole
def test_a_megabyte_without_marks_is_answered_in_seconds_and_in_little_room(tmp_path: Path) -> None:
    with Terminal("sandbox", home=tmp_path / "home") as terminal:
        terminal.wait_for("Ctrl-R runs it")
        terminal.send(b"x = 1\r" * 170_000)
        begun = time.monotonic()
        terminal.forget()
        terminal.send(b"the_end_of_it")
        terminal.wait_for("the_end_of_it")
        took, used = time.monotonic() - begun, memory(terminal.pid)
        terminal.send(b"\x11")
        terminal.pause(1)
        terminal.send(b"2")
        code = terminal.wait_for_end()

    print(f"{took:.1f} s, {used} MB")  # noqa: T201
    assert code == 0
    assert used < 300
    # A few seconds where nothing else runs; it took 47.
    assert took < 30
