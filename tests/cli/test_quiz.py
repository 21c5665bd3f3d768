"""`checkpoint` and `review` without a screen: for pipes and screen readers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from inplace_tui.tutorial.activity.quiz.review import A_DAY
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.course.lesson import VARIANT_QUESTION
from inplace_tui.tutorial.progress import Progress
from support.command import Command
from support.course import COURSE
from support.plain import plain

pytestmark = pytest.mark.usefixtures("warm_torch")


def typed(home: Path, lines: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return plain(home, lines, *arguments, "--plain", INPLACE_TUI_LEARNER="3")


@pytest.mark.whole
def test_a_checkpoint_is_answered_in_two_sittings(tmp_path: Path) -> None:
    first = typed(tmp_path, "\n1\n\nq\n", "checkpoint", "4")
    kept = json.loads((tmp_path / "progress.json").read_text())["checkpoints"]
    second = typed(tmp_path, "q\n", "checkpoint", "storage-and-version")
    third = typed(tmp_path, "", "checkpoint")

    assert (first.returncode, second.returncode) == (0, 0)
    assert "Checkpoint: Storage and version  question 1 of 9" in first.stdout
    assert "What happens when it runs?" in first.stdout
    assert "no tensor changed" not in first.stdout
    assert "What was answered is kept; the same command goes on there." in first.stdout
    assert len(kept["storage-and-version"]["answers"]) == 1
    assert "Checkpoint: Storage and version  question 2 of 9" in second.stdout
    assert "Checkpoint: The problem  question 1 of 5" in third.stdout


@pytest.mark.whole
def test_a_checkpoint_says_how_it_went_and_what_comes_next(tmp_path: Path) -> None:
    lines = "a\n\n" * 5 + "1\n5\n" + "a\n" * 3 + "\n"
    done = typed(tmp_path, lines, "checkpoint", "storage-and-version", "--lang", "zh")
    kept = json.loads((tmp_path / "progress.json").read_text())["checkpoints"]
    page = done.stdout

    assert done.returncode == 0
    assert "小测：存储与版本号  第 9/9 题" not in page  # one head for a program with four questions
    assert "✗ 不对，还可以再试一次。" in page
    assert "9 道题中，一次答对 0 道。" in page
    assert "  inplace-tui challenge " in page
    assert kept["storage-and-version"]["drawn"] == 1


def test_the_review_asks_what_is_due_and_no_more_than_a_day_has_room_for(tmp_path: Path) -> None:
    variants = [
        (each.lesson.id, variant.id)
        for each in COURSE.chapters[3].lessons
        for variant in each.lesson.variants
    ][: A_DAY + 2]
    progress = Progress(tmp_path / "progress.json", lambda: 1)
    for lesson, variant in variants:
        wrong = SavedAnswer(
            question=f"{VARIANT_QUESTION}{variant}", tried=("x", "y"), status=QuestionStatus.WRONG
        )
        before = tuple(progress.lesson(lesson).answers.values())
        progress.save(
            SaveProgress(lesson=lesson, cursor=0, answers=(*before, wrong), finished=False)
        )

    asked = typed(tmp_path, "a\n\n" * A_DAY, "review")
    again = typed(tmp_path, "", "review")

    assert f"Review  question {A_DAY} of {A_DAY}" in asked.stdout
    assert f"You answered 0 of {A_DAY} right at the first try." in asked.stdout
    assert f"A day has {A_DAY} questions; " in asked.stdout
    assert again.stdout.startswith("Today's review is done. ")


@pytest.mark.whole
def test_a_chapter_that_there_is_not_is_an_error_with_a_hint(command: Command) -> None:
    refused = command("checkpoint", "storage-and-versions")

    assert refused.returncode == 2
    assert "no chapter 'storage-and-versions' with a checkpoint" in refused.stderr
    assert "storage-and-version" in refused.stderr.partition("checkpoint")[2]
    assert command("review", "--plain").stdout == "Nothing to review today.\n"
