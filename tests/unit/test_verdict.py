"""The words of torch's messages. That torch says them is tested on real runs."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from inplace_tui.blame import values, witness
from inplace_tui.blame.refusals import REFUSALS
from inplace_tui.common.texts.verdicts import MEANINGS
from inplace_tui.common.verdicts import Verdict, verdict_of_message
from inplace_tui.common.version_error import VersionError, version_error
from verdict_page import page

MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace "
HINT = " Hint: enable anomaly detection to find the operation that failed"


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (
            "[torch.FloatTensor [3]], which is output 0 of Exp, is at version 1; "
            "expected version 0 instead.",
            VersionError("float32", (3,), 1, 0, 0, "Exp"),
        ),
        (
            "[torch.DoubleTensor [2, 1, 4]] is at version 12; expected version 9 instead.",
            VersionError("float64", (2, 1, 4), 12, 9),
        ),
        (
            "[torch.FloatTensor []], which is output 2 of torch::autograd::CopySlices, "
            "is at version 2; expected version 1 instead.",
            VersionError("float32", (), 2, 1, 2, "torch::autograd::CopySlices"),
        ),
        (
            "[CPUBoolType [3]] is at version 1; expected version 0 instead.",
            VersionError("bool", (3,), 1, 0),
        ),
        (
            "[torch.cuda.HalfTensor [8]] is at version 1; expected version 0 instead.",
            VersionError("float16", (8,), 1, 0),
        ),
    ],
)
def test_the_numbers_of_a_version_error_are_read(said: str, read: VersionError) -> None:
    message = f"{MODIFIED}operation: {said}{HINT}"

    assert version_error(message) == read
    assert verdict_of_message(message) is Verdict.SAVED_TENSOR_MODIFIED


@pytest.mark.parametrize("message", ["", "division by zero", "name 'y' is not defined"])
def test_what_torch_did_not_say_has_no_verdict(message: str) -> None:
    assert verdict_of_message(message) is None
    assert version_error(message) is None


def test_every_verdict_has_a_meaning_and_no_meaning_is_left_over() -> None:
    assert set(MEANINGS) == {verdict.value for verdict in Verdict}


def test_the_committed_list_of_verdicts_is_that_of_the_code() -> None:
    committed = Path(__file__).parents[2] / "docs" / "verdicts.md"

    assert committed.read_text(encoding="utf-8") == page(), "run `make schema`"


def test_the_list_has_every_verdict_once() -> None:
    assert sorted(re.findall(r"^### `(.*)`$", page(), re.MULTILINE)) == sorted(Verdict)


def test_the_witness_has_the_same_words() -> None:
    """It imports nothing of ours outside its folder, so it can't read the table."""
    assert {each.value for each in Verdict if each.is_refused_write} == REFUSALS.keys()

    for module in (witness, values):
        source = inspect.getsource(module)
        said = re.findall(r'"category": "([a-z-]+)"', source)
        assert said
        assert all(each in list(Verdict) for each in said)
