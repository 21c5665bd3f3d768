"""The captured streams and their limit, without a process."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.step import Event, Muted, Printed, Warned
from inplace_tui.diagnosis.record.process.output import PIECE, Output


@contextmanager
def installed() -> Iterator[list[Event]]:
    """Install an `Output` with a limit of 100 bytes; a fixture would meet pytest's own."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("always")
        for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
            patch.setattr(sys, name, getattr(sys, name))
        log: list[Event] = []
        Output(log, 100, lambda: 7).install()
        yield log


def test_print_is_one_event_however_many_writes_it_makes() -> None:
    with installed() as log:
        print("a", "b", sep="-")  # noqa: T201

    assert log == [Printed(text="a-b\n")]


def test_streams_keep_their_order() -> None:
    with installed() as log:
        sys.stdout.write("1")
        sys.stderr.write("2")
        sys.stdout.buffer.write(b"3")

    assert log == [Printed(text="1"), Printed(text="2", stream="stderr"), Printed(text="3")]


def test_a_warning_stands_between_the_prints() -> None:
    with installed() as log:
        sys.stdout.write("1")
        warnings.warn("look", UserWarning, stacklevel=1)
        sys.stdout.write("2")

    assert log == [
        Printed(text="1"),
        Warned(category="UserWarning", message="look", line=7),
        Printed(text="2"),
    ]


def test_the_program_may_catch_its_own_warnings() -> None:
    with installed() as log, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("kept", UserWarning, stacklevel=1)

    assert [str(warning.message) for warning in caught] == ["kept"]
    assert log == []


def test_the_limit_counts_bytes_and_cuts_no_character() -> None:
    with installed() as log:
        sys.stdout.write("x" + "原" * 40)
        sys.stdout.write("more")

    assert log == [Printed(text="x" + "原" * 33), Muted(kept_bytes=100)]


def test_a_character_may_come_in_two_halves() -> None:
    with installed() as log:
        sys.stdout.buffer.write("原".encode()[:2])
        sys.stdout.buffer.write("原".encode()[2:] + b"\xff")

    assert log == [Printed(text="原\ufffd")]


def test_standard_out_refuses_what_has_no_encoding_and_standard_error_spells_it() -> None:
    with installed() as log:
        with pytest.raises(UnicodeEncodeError):
            sys.stdout.write("\udce9")
        sys.stderr.write("\udce9")

    assert log == [Printed(text="\\udce9", stream="stderr")]


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=PIECE), max_size=20))
def test_nothing_is_lost_and_no_event_grows_without_end(texts: list[str]) -> None:
    log: list[Event] = []
    output = Output(log, 10**9, lambda: None)

    for text in texts:
        output.written(text, "stdout")

    printed = [event.text for event in log if isinstance(event, Printed)]
    assert "".join(printed) == "".join(texts)
    assert all(len(text) < 2 * PIECE for text in printed)
