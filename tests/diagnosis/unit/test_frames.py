"""The pipe's framing: whatever the cuts, whatever a child writes."""

from __future__ import annotations

import itertools
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.outcome import Completed, Crashed, Raised
from inplace_tui.diagnosis.protocol.messages import (
    MAX_FRAME,
    MAX_PARTS,
    Answer,
    ChildStarted,
    FrameError,
    Frames,
    ProgramEnded,
    ProgramStarted,
    Report,
    encode,
    too_many_parts,
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


STARTED = encode(ProgramStarted())[5:]  # without its length, and how many fields there are


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        b"\x93\x01\x02\x03",
        encode(Completed())[4:],
        b"\x82" + STARTED.replace(b"started", b"start\xff\xfe"),
        b"\x83" + STARTED + b"\xa1?" + b"\x91" * 200_000 + b"\xc0",
        b"\x83" + STARTED + b"\xa1?" + b"\xdd\xff\xff\xff\xff",
    ],
    ids=range(7),
)
def test_a_body_that_is_no_message_is_refused(body: bytes) -> None:
    frames: Frames[Report] = Frames(Report)

    with pytest.raises(FrameError):
        frames.feed(len(body).to_bytes(4, "big") + body)


@given(noise=st.binary(max_size=200))
def test_noise_is_messages_or_a_refusal_and_nothing_else(noise: bytes) -> None:
    frames: Frames[Report] = Frames(Report)

    with suppress(FrameError):
        assert isinstance(frames.feed(noise), list)


SIZES = (0, 1, 2, 4, 8, 15, 16, 17, 31, 32, 255, 256, 65_535, 65_536)
EDGES = [sign * 2**power + more for power in (5, 7, 8, 15, 16, 31, 32, 63) for sign in (1, -1)
         for more in (-1, 0) if sign * 2**power + more >= -(2**63)]  # fmt: skip
EVERYTHING: list[object] = [
    *(None, True, False, 0.5, *EDGES),
    *("x" * size for size in SIZES),
    *(bytes(size) for size in SIZES),
    *([1] * size for size in SIZES),
    *(dict.fromkeys(map(str, range(size))) for size in SIZES),
    *(msgspec.msgpack.Ext(1, bytes(size)) for size in SIZES),
]


def test_the_parts_of_a_message_are_counted_as_they_are_decoded() -> None:
    """Each form that MessagePack has, at both ends of its range."""
    body = msgspec.msgpack.encode(EVERYTHING)
    count = parts(msgspec.msgpack.decode(body))

    assert (too_many_parts(body, count - 1), too_many_parts(body, count)) == (True, False)


def parts(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(1 + parts(below) for below in value.values())
    return 1 + (sum(map(parts, value)) if isinstance(value, list) else 0)


@pytest.mark.parametrize(("count", "nbytes"), [(MAX_PARTS, 2), (4, 2**20)])
@pytest.mark.whole(every=2)
def test_a_large_message_of_the_shortest_texts_is_refused_before_it_takes_memory(
    count: int, nbytes: int
) -> None:
    """One as large that says little is a message: what it says beside is left out."""
    item = msgspec.msgpack.encode("x" * nbytes)
    body = b"\x83" + STARTED + b"\xa1?\xdd" + count.to_bytes(4, "big") + item * count
    frames: Frames[Report] = Frames(Report)
    frame = len(body).to_bytes(4, "big") + body

    if count == MAX_PARTS:
        with pytest.raises(FrameError, match="too many parts"):
            frames.feed(frame)
    else:
        assert frames.feed(frame) == [ProgramStarted()]


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
