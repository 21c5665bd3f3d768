"""The pipe's framing: whatever the cuts, whatever a child writes."""

from __future__ import annotations

import itertools
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.outcome import Completed, Crashed, Raised
from inplace_tui.common.run.step import Printed
from inplace_tui.diagnosis.protocol.messages import (
    MAX_FRAME,
    MAX_PARTS,
    Answer,
    ChildStarted,
    FrameError,
    Frames,
    ProgramEnded,
    ProgramStarted,
    ProgramWrote,
    Report,
    encode,
)

SENT: list[Report] = [
    ProgramStarted(line=3),
    ProgramEnded(outcome=Raised(exception="E", message="原地\0", line=1, in_backward=True)),
    ProgramStarted(),
    ProgramEnded(outcome=Completed()),
]
STREAM = b"".join(map(encode, SENT))


@given(cuts=st.sets(st.integers(0, len(STREAM))))
def test_messages_do_not_depend_on_where_the_stream_is_cut(cuts: set[int]) -> None:
    frames: Frames[Report] = Frames(Report)
    edges = [0, *sorted(cuts), len(STREAM)]

    received = [
        message
        for start, end in itertools.pairwise(edges)
        for message in frames.feed(STREAM[start:end])
    ]

    assert received == SENT


def test_a_length_beyond_the_limit_is_refused_before_its_body_arrives() -> None:
    frames: Frames[Report] = Frames(Report)

    with pytest.raises(FrameError, match="claims"):
        frames.feed((MAX_FRAME + 1).to_bytes(4, "big"))


STARTED = encode(ProgramStarted())[4:-1] + b',"?":'
"""A message with a field more, whose value is to follow."""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        b"[1,2,3]",
        encode(Completed())[4:],
        encode(ProgramStarted())[4:].replace(b"started", b"start\xff\xfe"),
        STARTED + b"[" * 200_000 + b"]" * 200_000 + b"}",
        STARTED + b"[1",
        encode(ProgramStarted(line=3))[4:].replace(b"3", b"%d" % 2**64),
        encode(ProgramStarted(line=3))[4:].replace(b"3", b"9" * 1_000),
    ],
    ids=range(9),
)
def test_a_body_that_is_no_message_is_refused(body: bytes) -> None:
    frames: Frames[Report] = Frames(Report)

    with pytest.raises(FrameError):
        frames.feed(framed(body))


def test_a_text_may_hold_long_numbers_and_a_message_the_largest_that_torch_has() -> None:
    wrote = ProgramWrote(events=(Printed(text=f'"\\", {2**70}\\', stream="stdout"),))
    sent = [wrote, ProgramStarted(line=2**64 - 1)]

    assert Frames[Report](Report).feed(b"".join(map(encode, sent))) == sent


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


@given(noise=st.binary(max_size=200))
def test_noise_is_messages_or_a_refusal_and_nothing_else(noise: bytes) -> None:
    frames: Frames[Report] = Frames(Report)

    with suppress(FrameError):
        assert isinstance(frames.feed(noise), list)


@pytest.mark.parametrize(("count", "nbytes"), [(MAX_PARTS, 2), (MAX_PARTS - 1, 2), (4, 2**20)])
@pytest.mark.whole(every=2)
def test_a_large_message_of_the_shortest_texts_is_refused_before_it_takes_memory(
    count: int, nbytes: int
) -> None:
    """One as large that says little is a message: what it says beside is left out."""
    items = b",".join([b'"%s"' % (b"x" * nbytes)] * count)
    frames: Frames[Report] = Frames(Report)
    frame = framed(STARTED + b"[" + items + b"]}")

    if count == MAX_PARTS:
        with pytest.raises(FrameError, match="too many parts"):
            frames.feed(frame)
    else:
        assert frames.feed(frame) == [ProgramStarted()]


def test_the_parts_of_a_message_are_counted_beside_its_texts() -> None:
    events = (Printed(text='",\\' * MAX_PARTS, stream="stdout"),)
    wrote = ProgramWrote(events=events)

    assert Frames[Report](Report).feed(encode(wrote)) == [wrote]


@pytest.mark.parametrize("pid", [-1, 0, 1])
def test_what_would_kill_others_is_no_answer(pid: int) -> None:
    frames: Frames[Answer] = Frames(Answer)

    with pytest.raises(FrameError, match=">= 2"):
        frames.feed(encode(ChildStarted(run=1, pid=pid)))


def test_messages_before_a_bad_frame_are_kept() -> None:
    frames: Frames[Report] = Frames(Report)

    received = frames.feed(STREAM + b"\xff\xff\xff\xff")

    assert received == SENT
    with pytest.raises(FrameError):
        frames.feed(b"")


def test_a_frame_is_its_length_and_then_its_message() -> None:
    frame = encode(ProgramEnded(outcome=Crashed(exit_code=-11)))

    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
