"""What a learner reached in challenges is kept beside the lessons, and never gets worse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.progress import ChallengeProgress, Progress


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "progress.json"


def test_an_attempt_is_there_the_next_time(path: Path) -> None:
    kept = ChallengeProgress(draft="x = 1\n", lines=2, hints=1, shown=True)
    Progress(path).save_challenge("break-exp", kept)

    assert Progress(path).challenge("break-exp") == kept
    assert Progress(path).challenge("break-sin") == ChallengeProgress()


def test_a_file_from_before_there_were_challenges_loads(path: Path) -> None:
    path.write_text(json.dumps({"schema": 1, "lessons": {"exp": {"cursor": 2}}}))

    progress = Progress(path)
    progress.save_challenge("break-exp", ChallengeProgress(lines=1))

    assert progress.notice is None
    assert Progress(path).lesson("exp").cursor == 2
    assert Progress(path).challenge("break-exp").solved


def test_of_two_instances_the_better_result_stays(path: Path) -> None:
    one, two = Progress(path), Progress(path)

    one.save_challenge("break-exp", ChallengeProgress(lines=1))
    two.save_challenge("break-exp", ChallengeProgress(draft="y", lines=3, hints=2))

    assert Progress(path).challenge("break-exp") == ChallengeProgress(draft="y", lines=1, hints=2)


def test_a_draft_that_was_taken_back_is_gone(path: Path) -> None:
    progress = Progress(path)
    progress.save_challenge("break-exp", ChallengeProgress(draft="y"))
    progress.save_challenge("break-exp", ChallengeProgress())

    assert Progress(path).challenge("break-exp").draft is None


def test_a_reset_forgets_a_challenge_and_nothing_else(path: Path) -> None:
    progress = Progress(path)
    progress.save(SaveProgress(lesson="exp", cursor=1, answers=(), finished=True))
    progress.save_challenge("break-exp", ChallengeProgress(lines=1))
    progress.save_challenge("break-sin", ChallengeProgress(lines=1))
    progress.reset("break-exp")

    record = Progress(path).record

    assert (list(record.lessons), list(record.challenges)) == (["exp"], ["break-sin"])


def test_challenges_go_out_and_come_in(path: Path, tmp_path: Path) -> None:
    here, there = Progress(path), Progress(tmp_path / "other.json")
    here.save_challenge("break-exp", ChallengeProgress(lines=1))
    there.save_challenge("break-sin", ChallengeProgress(lines=2))

    assert there.take_in(here.export()) == 1
    assert there.record.challenges.keys() == {"break-exp", "break-sin"}
