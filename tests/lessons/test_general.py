"""Sentences about many ops are held against the survey of torch, and false ones are refused."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import General
from inplace_tui.tutorial.course.lessons.general import refutation
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.drive.check import check_lessons
from lessons.test_check import LESSON

REFUTED = {
    "the version counts in-place writes": (
        General(where={"form": "in-place"}, are={"counted": ["1"]}),
        "Tensor.apply_",
    ),
    "step() counts one": (General(where={"form": "optimizer"}, are={"counted": ["1"]}), "optim."),
    "not counted: only fused optimizers and batch norm": (
        General(
            where={"counted": "0"},
            but=["optim.Adam.step", "optim.SGD.step", "nn.BatchNorm1d"],
            are={"counted": ["1"]},
        ),
        "distributed.all_reduce",
    ),
    "what an input requires, the result requires": (
        General(where={"form": "function"}, are={"recorded": ["yes"]}),
        "torch.",
    ),
    "out of place is new memory": (
        General(ops=["relu", "dropout", "contiguous"], are={"result": ["new"]}),
        "contiguous",
    ),
    "losses save their targets": (
        General(
            ops=["mse_loss", "l1_loss", "hinge_embedding_loss"], are={"keeps": ["input", "target"]}
        ),
        "F.l1_loss",
    ),
    "by mul and div the other operand": (
        General(ops=["mul", "div"], are={"keeps": ["other"]}),
        "torch.div",
    ),
    "pow saves its input": (General(ops=["pow"], are={"keeps": ["input"]}), "torch.pow"),
}
"""Wordings that the course once had, as far as they speak of many ops; who refutes each."""


@pytest.mark.parametrize("sentence", REFUTED)
def test_a_sentence_that_was_false_is_refused(sentence: str) -> None:
    said, op = REFUTED[sentence]
    found = refutation(said)

    assert found is not None
    assert "refutes it" in found.en
    assert op in found.en or "in all)" in found.en
    assert any(op in name for name in _named(found.en)) or _count(found.en) > len(_named(found.en))


def _named(text: str) -> list[str]:
    return text.partition("refutes it: ")[2].rpartition(" (")[0].replace(" and ", ", ").split(", ")


def _count(text: str) -> int:
    return int(text.rpartition("(")[2].partition(" ")[0])


def test_a_true_one_passes_and_what_cannot_be_asked_is_said() -> None:
    assert refutation(General(ops=["exp", "tanh"], are={"keeps": ["out"]})) is None
    missing = refutation(General(ops=["sigmod"], are={"keeps": ["out"]}))
    unknown = refutation(General(ops=["tanh"], are={"colour": ["red"]}))

    assert missing is not None
    assert "no op sigmod (did you mean 'sigmoid'?)" in missing.en
    assert unknown is not None
    assert "not colour" in unknown.en


@pytest.mark.asyncio(loop_scope="session")
async def test_check_says_where_the_refuted_sentence_stands(worker: Worker) -> None:
    text = f"{LESSON}general:\n  - ops: [exp, mul]\n    are: {{keeps: [out]}}\n"
    loaded = load_lesson(text, "l.yaml", origin=Origin.BUILT_IN)
    (checked,) = [each async for each in check_lessons([loaded], worker)]
    (problem,) = checked.verified.problems

    assert str(problem).startswith("l.yaml:32:5: the survey of torch 2.")
    assert str(problem).endswith("refutes it: torch.mul (1 in all)")
