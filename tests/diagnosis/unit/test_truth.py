"""When gradients are called right, wrong, or neither."""

from __future__ import annotations

import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.doubt import Doubt, Reason
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    Difference,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    TimedOut,
    Truth,
    Unverified,
    Wrong,
)
from inplace_tui.common.run.program import (
    DIGEST_BYTES,
    MAX_ELEMENTS,
    Backward,
    Gradient,
    Unrecorded,
    part_ends,
)
from inplace_tui.common.texts.doubts import DOUBTS
from inplace_tui.diagnosis.blame.truth import Comparison, Evidence, compare, packed

DOUBT = Doubt(reason=Reason.NOT_CLONED, detail="meta")
FAILED = Raised(exception="ValueError", message="no", line=1, in_backward=False)


def gradient(*numbers: float, name: str = "x", dtype: str = "float32") -> Gradient:
    code = {"float32": "f", "float64": "d", "float16": "e", "complex64": "f"}[dtype]
    shape = (len(numbers) // 2 if dtype == "complex64" else len(numbers),)
    data = struct.pack(f"<{len(numbers)}{code}", *numbers)
    return Gradient(tensor=name, dtype=dtype, shape=shape, data=data)


NOTHING = Gradient(tensor="x", dtype="", shape=(), data=None)


def ran(
    *gradients: Gradient,
    outcome: Outcome = Completed(),  # noqa: B008
    unsure: Doubt | None = None,
) -> Evidence:
    """Return a run with one backward per gradient, on the lines 1, 2, ..."""
    backwards = tuple(
        Backward(line=line, gradients=(one,), unsure=unsure)
        for line, one in enumerate(gradients, 1)
    )
    return Evidence(outcome=outcome, backwards=backwards)


def verdict(bare: Evidence, cloned: Evidence) -> Truth:
    return compare(bare, bare, cloned)


def test_the_same_gradients_are_right() -> None:
    assert verdict(ran(gradient(1, 2)), ran(gradient(1, 2))) == Right()


def test_a_program_without_backward_has_nothing_wrong() -> None:
    assert verdict(ran(), ran()) == Right(asked=False)


def test_the_first_backward_that_differs_is_wrong() -> None:
    bare = ran(gradient(1), gradient(2), gradient(3))
    cloned = ran(gradient(1), gradient(5), gradient(6))

    assert verdict(bare, cloned) == Wrong(
        differences=(Difference(tensor="x", line=2, got="2.", true="5."),)
    )


def test_a_difference_beyond_the_quoted_elements_is_quoted() -> None:
    numbers = [0.0] * 1_000
    truth = verdict(ran(gradient(*numbers, 1.0)), ran(gradient(*numbers, 2.0)))

    assert isinstance(truth, Wrong)
    assert (truth.differences[0].got, truth.differences[0].true) == ("[1000] 1.0", "[1000] 2.0")


@pytest.mark.parametrize(
    ("size", "place", "where"),
    [
        (1_000, 0, "[0:1000]"),
        (MAX_ELEMENTS, 0, f"[0:{MAX_ELEMENTS}]"),
        (64_000_000, 2, "[2000000:3000000]"),
    ],
)
def test_of_a_difference_beyond_the_sample_it_is_said_in_which_part_it_lies(
    size: int, place: int, where: str
) -> None:
    same = [bytes(DIGEST_BYTES)] * len(part_ends(size))
    other = [*same[:place], b"\x01" * DIGEST_BYTES, *same[place + 1 :]]
    sample = msgspec.structs.replace(gradient(1, 2, 3), shape=(size,))
    bare, cloned = (
        ran(msgspec.structs.replace(sample, digest=b"".join(each))) for each in (same, other)
    )

    truth = verdict(bare, cloned)

    assert isinstance(truth, Wrong)
    found = truth.differences[0]
    assert (found.got, found.true) == (f"{where} #00000000", f"{where} #01010101")


def test_no_gradient_where_there_should_be_one_is_wrong() -> None:
    truth = verdict(ran(NOTHING), ran(gradient(1)))

    assert isinstance(truth, Wrong)
    assert truth.differences[0].got == "None"


def test_nan_equals_nan() -> None:
    quiet, other = struct.pack("<I", 0x7FC00000), struct.pack("<I", 0x7FC00001)
    one, two = (Gradient(tensor="x", dtype="float32", shape=(1,), data=d) for d in (quiet, other))

    assert verdict(ran(one), ran(two)) == Right()


@pytest.mark.parametrize(
    ("got", "true"),
    [
        (float("nan"), 1.0),
        (1.0, float("nan")),
        (float("inf"), 1.0),
        (float("inf"), float("-inf")),
        (1e-9, 2e-9),
        (1e-9, 0.0),
    ],
)
def test_what_is_not_rounding_is_wrong(got: float, true: float) -> None:
    assert isinstance(verdict(ran(gradient(got)), ran(gradient(true))), Wrong)


@pytest.mark.parametrize(
    ("dtype", "off"), [("float32", 1e-7), ("float64", 1e-12), ("float16", 5e-4)]
)
def test_rounding_is_not_wrong(dtype: str, off: float) -> None:
    one, other = gradient(1 + off, 1, dtype=dtype), gradient(1, 1, dtype=dtype)

    assert verdict(ran(one), ran(other)) == Right()


def test_cancelled_terms_are_measured_against_their_size() -> None:
    """1e-8 instead of 0 is what adding terms of size 1 leaves in float32."""
    assert verdict(ran(gradient(1e-8, 1)), ran(gradient(0, 1))) == Right()


def test_complex_gradients_are_compared() -> None:
    one, other = gradient(1, 2, dtype="complex64"), gradient(1, -2, dtype="complex64")

    assert isinstance(verdict(ran(one), ran(other)), Wrong)


@given(st.lists(st.floats(width=32), min_size=1, max_size=20))
def test_every_run_agrees_with_itself(numbers: list[float]) -> None:
    assert verdict(ran(gradient(*numbers)), ran(gradient(*numbers))) == Right()


@pytest.mark.parametrize("outcome", [FAILED, Crashed(exit_code=3), TimedOut(seconds=1)])
def test_a_run_that_does_not_end_is_not_verified(outcome: Outcome) -> None:
    assert verdict(ran(gradient(1), outcome=outcome), ran(gradient(2))) == Unverified()


def test_a_program_that_does_not_repeat_itself_is_never_wrong() -> None:
    truth = compare(ran(gradient(1)), ran(gradient(2)), ran(gradient(3)))

    assert truth == NotReproducible(reason=Reason.RUNS_DIFFER)


def test_a_replay_that_ends_otherwise_proves_nothing() -> None:
    truth = verdict(ran(gradient(1)), ran(outcome=FAILED))

    assert truth == NotReproducible(reason=Reason.REPLAY_RAISED, detail="ValueError: no")


def test_a_replay_that_fails_after_the_last_backward_proves_nothing() -> None:
    truth = verdict(ran(gradient(1)), ran(gradient(1), outcome=FAILED))

    assert truth == NotReproducible(reason=Reason.REPLAY_RAISED, detail="ValueError: no")


def test_a_program_that_lives_on_after_a_failed_backward_is_never_wrong() -> None:
    """Try and retry: the replay's first try succeeds, on the very same line."""
    failed = Backward(line=1, gradients=(), raised="RuntimeError")
    again = Backward(line=1, gradients=(gradient(2),))
    first = Backward(line=1, gradients=(gradient(1),))

    truth = verdict(
        Evidence(outcome=Completed(), backwards=(failed, again)),
        Evidence(outcome=Completed(), backwards=(first,)),
    )

    assert truth == NotReproducible(reason=Reason.RETRIED, detail="RuntimeError")


def test_a_doubt_takes_the_worth_from_a_likeness() -> None:
    truth = verdict(ran(gradient(1)), ran(gradient(1), unsure=DOUBT))

    assert truth == NotReproducible(reason=Reason.NOT_CLONED, detail="meta")


def test_a_doubt_does_not_excuse_a_difference() -> None:
    truth = verdict(ran(gradient(1)), ran(gradient(2), unsure=DOUBT))

    assert isinstance(truth, Wrong)


def test_what_the_replay_put_into_the_graph_is_told_with_a_wrong_gradient() -> None:
    lacking = Unrecorded(line=3, op="Tensor.logical_not_")
    backward = Backward(line=1, gradients=(gradient(2),), unrecorded=(lacking,))

    truth = verdict(ran(gradient(1)), Evidence(outcome=Completed(), backwards=(backward,)))

    assert isinstance(truth, Wrong)
    assert truth.unrecorded == (lacking,)


def test_leaves_that_a_reentrant_checkpoint_hides_are_not_compared() -> None:
    both = (gradient(1), gradient(5, name="w"))
    shown = Backward(line=1, gradients=both, unrolled=True)
    hidden = Backward(line=1, gradients=both)

    def against(backward: Backward) -> Truth:
        return verdict(ran(gradient(1)), Evidence(outcome=Completed(), backwards=(backward,)))

    assert against(shown) == Right()
    assert against(hidden) == NotReproducible(reason=Reason.OTHER_BACKWARDS)


@pytest.mark.parametrize("other", [ran(gradient(1)), ran(*[gradient(1)] * 3), ran(gradient(2))])
def test_a_run_that_repeats_itself_but_for_one_backward_does_not_repeat_itself(
    other: Evidence,
) -> None:
    first = ran(gradient(1), gradient(1))

    assert compare(first, other, first) == NotReproducible(reason=Reason.RUNS_DIFFER)


def test_what_is_kept_packed_is_weighed_as_it_was() -> None:
    doubtful = ran(gradient(1, 2), NOTHING, unsure=DOUBT)
    trial = Comparison(Completed(), [packed(each) for each in doubtful.backwards])
    for each in doubtful.backwards:
        trial.repeat(each)
        trial.replay(each)

    assert trial.truth(Completed(), Completed()) == verdict(doubtful, doubtful)


def test_every_doubt_has_a_sentence_and_no_sentence_is_left_over() -> None:
    assert set(DOUBTS) == {reason.value for reason in Reason}
