"""Challenges on the command line: listed, checked, kept, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplace_tui.tutorial.progress import ChallengeProgress, Progress
from support.challenges import GOOD
from support.command import Command

pytestmark = pytest.mark.usefixtures("warm_torch")


def test_the_list_has_challenges_with_their_marks(command: Command, tmp_path: Path) -> None:
    Progress(tmp_path / "home" / "progress.json").save_challenge(
        "break-sigmoid", ChallengeProgress(lines=1)
    )
    page = command("list", "--lang", "zh").stdout
    document = json.loads(command("list", "--json").stdout)

    assert "\n挑战题（最少要改的行数）\n ✓ break-sigmoid " in page
    assert len(document["challenges"]) >= 12
    assert document["challenges"][0]["id"] == "break-sigmoid"
    assert document["challenges"][0]["title"]["zh"]


@pytest.mark.whole
def test_check_runs_a_challenge_and_names_the_place_of_what_is_not_true(
    command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "pack" / "challenges"  # the commands' home is no part of the pack
    folder.mkdir(parents=True)
    (folder / "1-spoil.yaml").write_text(GOOD, encoding="utf-8")
    wrong = GOOD.replace("id: spoil", "id: spoilt").replace("same: [loss]", "same: [los]")
    (folder / "2-spoilt.yaml").write_text(wrong, encoding="utf-8")

    checked = command("check", str(folder), "--trust")

    assert checked.returncode == 1
    assert f"ok    {folder}/1-spoil.yaml  " in checked.stdout
    assert (
        f"{folder}/2-spoilt.yaml:14:8: no tensor is called 'los' at the end of the program as it is"
        in checked.stdout
    )
    assert "lessons: 0, checkpoints: 0, challenges: 2, " in checked.stderr


@pytest.mark.whole
def test_check_says_why_nothing_of_a_pack_can_be_read(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "pack" / "challenges"
    folder.mkdir(parents=True)
    (folder / "1-spoil.yaml").write_text(GOOD, encoding="utf-8")
    (folder.parent / "data.bin").write_bytes(bytes(2_000_000))

    checked = command("check", str(folder), "--trust")

    assert checked.returncode == 1
    assert f"{folder.parent}/data.bin:1:1: more than 1048576 bytes" in checked.stdout


@pytest.mark.whole
def test_progress_shows_and_forgets_a_challenge(command: Command, tmp_path: Path) -> None:
    progress = Progress(tmp_path / "home" / "progress.json")
    progress.save_challenge("break-sigmoid", ChallengeProgress(lines=2))
    progress.save_challenge("gone", ChallengeProgress(draft="x"))

    shown = command("progress").stdout
    reset = command("progress", "--reset", "gone")

    assert "✓ break-sigmoid" in shown
    assert "solved in 2" in shown
    assert "~ gone" in shown
    assert "Forgot what was done in 'gone'." in reset.stderr
    assert list(Progress(tmp_path / "home" / "progress.json").record.challenges) == [
        "break-sigmoid"
    ]


@pytest.mark.whole
def test_an_edit_in_a_file_is_judged_without_a_screen(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "x = torch.tensor([0., 1., 2.], requires_grad=True)\n"
        "y = torch.sigmoid(x)\n"
        "y += 1\n"
        "loss = y.sum()\n"
        "loss.backward()\n"
        "print(x.grad)\n"
    )

    solved = command("challenge", "break-sigmoid", "--grade", "mine.py")
    failed = command("challenge", "count-to-three", "--grade", "mine.py", "--lang", "zh")

    assert (solved.returncode, failed.returncode) == (0, 1)
    kept = Progress(tmp_path / "home" / "progress.json").record.challenges
    assert kept == {"break-sigmoid": ChallengeProgress(lines=1)}
    assert solved.stdout.startswith("Solved\n✓ raises in backward\n")
    assert solved.stdout.endswith("\nlines changed: 1\n")
    assert failed.stdout.startswith(
        "尚未解出\n✗ 正常运行，梯度都正确；实际：第 6 行的 backward 抛出 RuntimeError\n"
    )


REFUSED = [
    (["break-sigmoi", "--grade", "x.py"], "no challenge 'break-sigmoi' (did you mean 'break-sig"),
    (["break-sigmoid", "--grade", "x.py"], "x.py can't be read: No such file or directory."),
    (["--grade", "x.py"], "ID is missing."),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
@pytest.mark.whole(every=3)
def test_what_cannot_be_judged_is_refused(
    command: Command, arguments: list[str], said: str
) -> None:
    done = command("challenge", *arguments)

    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.whole
def test_a_challenge_of_a_pack_is_run_only_if_the_pack_is_trusted(
    command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "mine" / "challenges"
    folder.mkdir(parents=True)
    (folder / "1-spoil.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "edit.py").write_text("import torch\n")
    asked = ["challenge", "spoil", "--grade", "edit.py", "--lessons", "mine"]

    refused, judged = command(*asked), command(*asked, "--trust")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert (judged.returncode, judged.stdout.split("\n")[0]) == (1, "Not yet")
