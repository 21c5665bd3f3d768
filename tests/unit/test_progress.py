"""Progress is never lost: not by a crash, not by a second instance, not by a broken file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.paths import LEARNER
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.progress import LessonProgress, Progress, ProgressError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "progress.json"


def answer(question: str, status: QuestionStatus = QuestionStatus.RIGHT) -> SavedAnswer:
    return SavedAnswer(question=question, status=status, tried=("b", "a"), hints=1)


def saved(
    lesson: str, *answers: SavedAnswer, cursor: int = 3, finished: bool = False
) -> SaveProgress:
    return SaveProgress(lesson=lesson, cursor=cursor, answers=answers, finished=finished)


def test_what_is_kept_is_there_the_next_time(path: Path) -> None:
    first = Progress(path, lambda: 7)
    first.save(saved("exp", answer("will-it-run"), finished=True))
    first.remember(theme="nord", language="zh")

    second = Progress(path)

    assert second.notice is None
    assert second.lesson("exp") == LessonProgress(
        cursor=3,
        finished=True,
        answers={"will-it-run": msgspec.structs.replace(answer("will-it-run"), day=7)},
    )
    assert (second.record.theme, second.record.language) == ("nord", "zh")


def test_a_person_can_read_the_file(path: Path) -> None:
    Progress(path).save(saved("exp", answer("q")))

    written = json.loads(path.read_text(encoding="utf-8"))

    assert written["lessons"]["exp"]["answers"]["q"]["tried"] == ["b", "a"]
    assert path.read_text(encoding="utf-8").count("\n") > 10


def test_two_instances_keep_each_others_lessons_and_answers(path: Path) -> None:
    one, two = Progress(path), Progress(path)

    one.save(saved("exp", answer("first")))
    two.save(saved("exp", answer("second")))
    two.save(saved("sin", answer("q")))
    one.save(saved("exp", answer("first"), answer("third")))

    kept = Progress(path)
    assert set(kept.lesson("exp").answers) == {"first", "second", "third"}
    assert set(kept.lesson("sin").answers) == {"q"}


def test_starting_a_lesson_over_forgets_its_answers_but_not_that_it_was_done(path: Path) -> None:
    progress = Progress(path)
    progress.save(saved("exp", answer("q"), finished=True))

    progress.save(saved("exp", cursor=-1))

    assert Progress(path).lesson("exp") == LessonProgress(cursor=-1, finished=True)


def test_a_reset_lesson_is_new(path: Path) -> None:
    progress = Progress(path)
    progress.save(saved("exp", answer("q"), finished=True))
    progress.save(saved("sin"))

    progress.reset("exp")

    assert set(Progress(path).record.lessons) == {"sin"}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"schema": 1, "lessons": []}', b"\xff\xfe", b"[" * 100_000],
)
def test_a_broken_file_is_set_aside_and_said(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)

    progress = Progress(path)
    progress.save(saved("exp"))

    assert progress.notice is not None
    assert "progress.broken-1.json" in progress.notice.en
    assert path.with_name("progress.broken-1.json").read_bytes() == content
    assert set(Progress(path).record.lessons) == {"exp"}


def test_a_file_that_breaks_while_we_run_costs_nothing(path: Path) -> None:
    progress = Progress(path)
    progress.save(saved("exp"))
    path.write_bytes(b"half a fi")

    progress.save(saved("sin"))

    assert set(Progress(path).record.lessons) == {"exp", "sin"}
    assert path.with_name("progress.broken-1.json").read_bytes() == b"half a fi"


def test_a_second_broken_file_does_not_replace_the_first(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"one", b"two"):
        path.write_bytes(content)
        Progress(path)

    assert path.with_name("progress.broken-1.json").read_bytes() == b"one"
    assert path.with_name("progress.broken-2.json").read_bytes() == b"two"


def test_what_an_earlier_version_kept_besides_is_dropped(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"schema": 1, "last_lesson": "exp", "language": "zh"}')

    kept = Progress(path)
    kept.remember(theme="nord")

    assert (kept.notice, kept.record.language) == (None, "zh")
    assert "last_lesson" not in path.read_text()


def test_a_file_of_a_later_version_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    content = b'{"schema": 2, "lessons": {"exp": "of another kind"}}'
    path.write_bytes(content)

    progress = Progress(path)

    assert progress.notice is not None
    assert "newer version (schema 2)" in progress.notice.en
    with pytest.raises(ProgressError):
        progress.save(saved("exp"))
    assert progress.lesson("exp").cursor == 3
    assert path.read_bytes() == content


def test_without_a_home_progress_lives_in_memory(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    progress = Progress(tmp_path / "home" / "progress.json")

    with pytest.raises(ProgressError, match="Progress is not kept"):
        progress.save(saved("exp"))

    assert progress.lesson("exp").cursor == 3


def test_what_could_not_be_written_is_written_when_it_can(path: Path) -> None:
    path.parent.write_text("in the way")
    progress = Progress(path)
    with pytest.raises(ProgressError):
        progress.save(saved("exp"))
    path.parent.unlink()

    progress.save(saved("sin"))

    assert set(Progress(path).record.lessons) == {"exp", "sin"}


def test_a_failed_write_leaves_the_old_file_and_no_litter(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress(path)
    progress.save(saved("exp"))
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ProgressError, match="No space left on device"):
            progress.save(saved("sin"))

    assert path.read_bytes() == before
    assert sorted(each.name for each in path.parent.iterdir()) == ["progress.json", "progress.lock"]


def test_an_exported_record_can_be_taken_in(path: Path, tmp_path: Path) -> None:
    mine, theirs = Progress(path), Progress(tmp_path / "theirs" / "progress.json")
    mine.save(saved("exp", answer("q")))
    theirs.save(saved("exp", finished=True))
    theirs.save(saved("sin"))

    count = mine.take_in(theirs.export())

    assert count == 2
    assert Progress(path).lesson("exp") == LessonProgress(cursor=3, finished=True)
    with pytest.raises(ProgressError, match="it is no progress record"):
        mine.take_in(b"{}")


def test_a_learner_is_drawn_once_and_comes_along(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LEARNER)
    first = Progress(path)
    drawn = first.number
    first.save(saved("exp"))
    elsewhere = Progress(tmp_path / "elsewhere" / "progress.json")
    elsewhere.take_in(Progress(path).export())

    assert drawn > 0
    assert Progress(path).number == elsewhere.number == drawn
    monkeypatch.setenv(LEARNER, "3")
    assert Progress(path).number == 3
