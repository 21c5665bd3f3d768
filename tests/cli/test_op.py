"""What an op keeps, counts and shares, asked from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Command


@pytest.mark.whole
def test_an_op_is_asked_by_any_of_its_names(command: Command) -> None:
    done = command("op", "torch.nn.functional.sigmoid")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("torch.sigmoid  (")
    assert "its result: backward raises" in done.stdout


def test_a_name_that_is_none_is_refused_with_the_nearest_one(command: Command) -> None:
    done = command("op", "sigmod")

    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'sigmoid'?" in done.stderr


@pytest.mark.parametrize(
    ("writer", "after", "answer"),
    [
        ("mul_", "sigmoid", "No: Tensor.mul_ may not write the result of torch.sigmoid."),
        ("relu_", "conv2d", "Yes: Tensor.relu_ may write the result of "),
    ],
)
@pytest.mark.whole(every=2)
def test_whether_one_op_may_write_the_result_of_another_is_run(
    command: Command, writer: str, after: str, answer: str
) -> None:
    done = command("op", writer, "--after", after)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(answer)
    assert "out.sum().backward()" in done.stdout


@pytest.mark.whole
def test_a_program_of_the_answer_is_run(command: Command) -> None:
    done = command("op", "sigmoid", "--run", "2")
    beyond = command("op", "sigmoid", "--run", "99")

    assert "Line 4 out = torch.sigmoid(input) saved out at version 0" in done.stdout
    assert beyond.returncode == 2
    assert "There is no program 99: 1 to 2." in beyond.stderr


def test_ops_are_listed_by_what_they_do_as_json_too(command: Command) -> None:
    text = command("op", "--list", "counted=0", "--list", "form=in-place")
    document = command("op", "--list", "counted=0", "--list", "form=in-place", "--json")
    wrong = command("op", "--list", "colour=red")

    assert "Tensor.apply_" in text.stdout
    names = [op["name"] for op in json.loads(document.stdout)["ops"]]
    assert names == [line.partition("  ")[0] for line in text.stdout.splitlines()]
    assert wrong.returncode == 2
    assert "got colour=red" in wrong.stderr


def test_a_version_without_a_survey_says_which_one_answers(command: Command) -> None:
    done = command("op", "sigmoid", "--torch", "2.99")

    assert "There is no survey of torch 2.99; this is 2." in done.stderr
    assert done.returncode == 0


@pytest.mark.whole
def test_explain_names_the_call_that_torch_does_not_count(command: Command, tmp_path: Path) -> None:
    program = tmp_path / "applied.py"
    program.write_text(
        "import torch\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "y = x.exp()\n"
        "y.detach().apply_(lambda value: value + 1)\n"
        "y.sum().backward()\n"
    )

    done = command("explain", "--budget", "20", str(program))

    said = " ".join(done.stdout.split())
    assert "Torch doesn't count what is written through Tensor.apply_." in said
