"""A pasted message, taken apart."""

from __future__ import annotations

import textwrap

import pytest

from inplace_tui.common.message import explain_message
from inplace_tui.common.texts.messages import PARTS
from inplace_tui.common.texts.verdicts import MEANINGS
from inplace_tui.common.verdicts import Verdict

STALE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [2, 3]], which is output 0 of ExpBackward0, is at version 5; "
    "expected version 2 instead. Hint: enable anomaly detection to find the operation that failed "
    "to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
TRACEBACK = f"""Traceback (most recent call last):
  File "train.py", line 9, in <module>
    loss.backward()  # RuntimeError: not here
  File "torch/_tensor.py", line 623, in backward
    torch.autograd.backward(
RuntimeError: {STALE}
"""


def test_every_number_of_a_version_error_is_explained() -> None:
    found = explain_message(f"RuntimeError: {STALE}")

    assert found is not None
    assert (found.verdict, found.text) == (Verdict.SAVED_TENSOR_MODIFIED, STALE)
    said = {part.quoted: part.means.en for part in found.parts}
    assert list(said) == [
        "[torch.FloatTensor [2, 3]]",
        "which is output 0 of ExpBackward0",
        "is at version 5",
        "expected version 2",
        "set_detect_anomaly(True, check_nan=False)",
    ]
    assert "float32" in said["[torch.FloatTensor [2, 3]]"]
    assert "5 times" in said["is at version 5"]
    assert "3 writes came after" in said["expected version 2"]


def test_one_write_is_one_write() -> None:
    found = explain_message(STALE.replace("at version 5", "at version 3"))

    assert found is not None
    assert any("one write came after" in part.means.en for part in found.parts)


@pytest.mark.parametrize("width", [40, 77, 79, 80, 120])
def test_a_traceback_that_a_terminal_has_wrapped_is_understood(width: int) -> None:
    wrapped = "\n".join(
        line[start : start + width]
        for line in TRACEBACK.splitlines()
        for start in range(0, max(1, len(line)), width)
    )

    found = explain_message(wrapped)

    assert found is not None
    assert (found.verdict, len(found.parts)) == (Verdict.SAVED_TENSOR_MODIFIED, 5)


@pytest.mark.parametrize(
    ("message", "verdict", "quoted"),
    [
        (
            "output with shape [1] doesn't match the broadcast shape [3]",
            Verdict.SHAPE_NOT_WRITABLE,
            ["output with shape [1]", "broadcast shape [3]"],
        ),
        (
            "The expanded size of the tensor (2) must match the existing size (3) at "
            "non-singleton dimension 0.  Target sizes: [2].  Tensor sizes: [3]",
            Verdict.SHAPE_NOT_WRITABLE,
            [
                "expanded size of the tensor (2)",
                "existing size (3)",
                "non-singleton dimension 0",
                "Target sizes: [2]",
                "Tensor sizes: [3]",
            ],
        ),
        (
            "result type Float can't be cast to the desired output type Long",
            Verdict.DTYPE_NOT_WRITABLE,
            ["result type Float", "output type Long"],
        ),
        (
            "element 0 of tensors does not require grad and does not have a grad_fn",
            Verdict.NO_GRAD_FN,
            ["element 0 of tensors"],
        ),
        (
            "Output 1 of UnbindBackward0 is a view and is being modified inplace. This view is "
            "the output of a function that returns multiple views.",
            Verdict.MULTI_VIEW_MODIFIED,
            ["Output 1 of UnbindBackward0 is a view"],
        ),
        (
            "Trying to backward through the graph a second time (or directly access saved tensors "
            "after they have already been freed). Specify retain_graph=True if you need to.",
            Verdict.GRAPH_FREED,
            ["retain_graph=True"],
        ),
        (
            "a leaf Variable that requires grad is being used in an in-place operation.",
            Verdict.LEAF_MODIFIED,
            [],
        ),
        (
            "modified by an inplace operation: [torch.cuda.HalfTensor [8]], which is output 0 of "
            "AsStridedBackward0, is at version 2; expected version 1 instead.",
            Verdict.SAVED_TENSOR_MODIFIED,
            [
                "[torch.cuda.HalfTensor [8]]",
                "cuda",
                "which is output 0 of AsStridedBackward0",
                "is at version 2",
                "expected version 1",
            ],
        ),
    ],
)
def test_a_message_is_taken_apart(message: str, verdict: Verdict, quoted: list[str]) -> None:
    found = explain_message(message)

    assert found is not None
    assert (found.verdict, [part.quoted for part in found.parts]) == (verdict, quoted)


@pytest.mark.parametrize("text", ["", "\n\n", "KeyError: 'x'", "RuntimeError", "is at version 3"])
def test_what_is_no_message_of_autograd_s_is_not_explained(text: str) -> None:
    assert explain_message(text) is None


@pytest.mark.parametrize(
    ("producer", "taught"),
    [
        (", which is output 0 of AsStridedBackward0,", "step-between"),
        (", which is output 0 of TBackward,", "step-between"),
        (", which is output 0 of SigmoidBackward0,", "saved-output"),
        (", which is output 0 of ProdBackward1,", "saved-output"),
        (", which is output 0 of Elu1,", "saved-output"),
        (", which is output 0 of EluBackward1,", "saved-output"),
        (", which is output 0 of EluBackward0,", "version-message"),
        (", which is output 0 of AddBackward0,", "version-message"),
        ("", "version-message"),
    ],
)
def test_what_made_the_tensor_chooses_the_lesson(producer: str, taught: str) -> None:
    found = explain_message(
        f"modified by an inplace operation: [torch.FloatTensor [8]]{producer} is at version 2; "
        "expected version 1 instead."
    )

    assert found is not None
    assert found.concept == taught


def test_every_verdict_has_a_meaning_to_show() -> None:
    assert {each.value for each in Verdict} <= MEANINGS.keys()


def test_no_part_is_without_its_text() -> None:
    assert all(text.en and text["zh"] for text in PARTS.values())


@pytest.mark.parametrize(
    "before",
    ["> ", "[rank0]: ", "2026-05-01 12:0{}:01,123 ERROR train: ", "    | ", "\x1b[2mlog\x1b[0m "],
)
def test_what_a_log_puts_before_every_line_is_no_part_of_the_message(before: str) -> None:
    lines = textwrap.wrap(f"RuntimeError: {STALE}", 60)
    pasted = "\n".join(before.replace("{}", str(at)) + line for at, line in enumerate(lines))

    found = explain_message(pasted)

    assert found is not None
    assert (found.verdict, found.text) == (Verdict.SAVED_TENSOR_MODIFIED, STALE)


@pytest.mark.parametrize(
    "before",
    [
        "运行时报错：RuntimeError: ",
        " 12%|█▏ | 3/25 [00:01<00:10]RuntimeError: ",
        "\x1b[31m",
        "\x1b[0;31mRuntimeError\x1b[0m: ",
        "[0;31mRuntimeError[0m: ",  # as a terminal pastes it
        "^[[31mRuntimeError^[[39;49;00m: ",
    ],
)
def test_what_stands_before_the_message_on_its_line_is_left_out(before: str) -> None:
    found = explain_message(before + STALE)

    assert found is not None
    assert found.text == STALE


def test_the_message_of_old_versions_has_no_numbers_and_is_understood() -> None:
    old = STALE.partition(":")[0]
    found = explain_message(f"RuntimeError: {old}")

    assert found is not None
    assert (found.verdict, found.text, found.parts) == (Verdict.SAVED_TENSOR_MODIFIED, old, ())
