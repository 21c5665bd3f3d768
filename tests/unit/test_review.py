"""What comes back of what was answered wrong, and when."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from inplace_tui.tutorial.activity.drill.record import BOXES
from inplace_tui.tutorial.activity.quiz.review import (
    A_DAY,
    DueReview,
    ReviewRecord,
    after,
    due,
    is_missed,
    without,
)
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.progress import CheckpointProgress, Progress

DAY = 700_000


class Days:
    """A calendar that a test turns."""

    def __init__(self) -> None:
        self.day = DAY

    def __call__(self) -> int:
        return self.day


def answer(question: str, *tried: str, status: QuestionStatus) -> SavedAnswer:
    return SavedAnswer(question=question, tried=tried, status=status)


RIGHT = answer("q", "a", status=QuestionStatus.RIGHT)
WRONG = answer("q", "a", "b", status=QuestionStatus.WRONG)


def saved(lesson: str, *answers: SavedAnswer) -> SaveProgress:
    return SaveProgress(lesson=lesson, cursor=0, answers=answers, finished=False)


@pytest.mark.parametrize(
    ("given", "missed"),
    [
        (RIGHT, False),
        (WRONG, True),
        (answer("q", "a", "b", status=QuestionStatus.RIGHT), True),
        (answer("q", status=QuestionStatus.SHOWN), True),
        (answer("q", "a", status=QuestionStatus.AGAIN), False),
        (SavedAnswer(question="q", tried=("a",), status=QuestionStatus.SHOWN, judged=False), False),
    ],
)
def test_missed_is_what_was_not_right_at_the_first_try(given: SavedAnswer, missed: bool) -> None:
    assert is_missed(given) is missed


def test_what_was_missed_comes_back_after_the_drills_boxes_and_then_goes() -> None:
    record, day, waited = after(ReviewRecord(), "l/q", right=False, day=DAY), DAY, []
    while record.waiting:
        began = day
        while not due(record, day):
            day += 1
        waited.append(day - began)
        record = after(record, "l/q", right=True, day=day)

    # Without other answers it is another day that brings it back.
    assert waited == [max(1, days) for _, days in BOXES]


def test_on_the_same_day_as_many_other_answers_bring_it_back() -> None:
    record = after(ReviewRecord(), "l/q", right=False, day=DAY)
    for number in range(BOXES[0][0]):
        assert due(record, DAY) == []
        record = after(record, f"other/{number}", right=True, day=DAY)

    assert due(record, DAY) == ["l/q"]


def test_wrong_again_and_it_starts_over() -> None:
    record = after(ReviewRecord(), "l/q", right=False, day=DAY)
    record = after(record, "l/q", right=True, day=DAY + 1)
    record = after(record, "l/q", right=False, day=DAY + 2)

    assert (record.waiting["l/q"].box, due(record, DAY + 3)) == (1, ["l/q"])


def test_the_questions_of_a_lesson_can_be_forgotten() -> None:
    record = after(ReviewRecord(), "l/q", right=False, day=DAY)
    record = after(record, "longer/q", right=False, day=DAY)

    assert list(without(record, "l").waiting) == ["longer/q"]


def test_a_wrong_answer_in_a_lesson_is_due_the_next_day(tmp_path: Path) -> None:
    days = Days()
    progress = Progress(tmp_path / "progress.json", days)
    progress.save(saved("lesson", WRONG))
    progress.save(
        saved("lesson", WRONG, answer("variants/v", "right", status=QuestionStatus.WRONG))
    )

    today = progress.due().now
    days.day += 1
    again = Progress(tmp_path / "progress.json", days)

    assert today == ()
    assert again.due() == DueReview(("lesson/q", "lesson/variants/v"))
    assert again.lesson("lesson").answers["q"].day == DAY


def test_a_day_of_the_review_has_room_for_so_many_and_the_most_overdue_come_first(
    tmp_path: Path,
) -> None:
    days = Days()
    progress = Progress(tmp_path / "progress.json", days)
    for number in range(A_DAY + 3):
        days.day = DAY + (A_DAY + 3 - number) // 5
        progress.save(saved(f"lesson-{number}", WRONG))
    days.day = DAY + 10
    first = progress.due()
    progress.save_review(dict.fromkeys(first.now[:2], RIGHT))
    second = Progress(tmp_path / "progress.json", days).due()
    progress.save_review(dict.fromkeys(second.now, RIGHT))
    third = progress.due()
    days.day += 1

    assert (len(first.now), first.later) == (A_DAY, 3)
    assert first.now[:3] == ("lesson-11/q", "lesson-12/q", "lesson-13/q")
    assert (second.now, second.later) == (first.now[2:], 3)
    assert third == DueReview((), 3)
    assert progress.due().now[:3] == ("lesson-4/q", "lesson-5/q", "lesson-0/q")
    assert progress.due().later == 3


def test_the_day_of_an_answer_stays(tmp_path: Path) -> None:
    days = Days()
    progress = Progress(tmp_path / "progress.json", days)
    progress.save(saved("lesson", WRONG))
    days.day += 3
    progress.save(saved("lesson", WRONG, answer("other", "a", status=QuestionStatus.RIGHT)))

    kept = progress.lesson("lesson").answers
    assert (kept["q"].day, kept["other"].day) == (DAY, DAY + 3)
    assert progress.record.review.answered == 2


def test_a_file_from_before_the_review_is_read_and_its_wrong_answers_are_due(
    tmp_path: Path,
) -> None:
    path = tmp_path / "progress.json"
    progress = Progress(path, lambda: DAY)
    progress.save(saved("lesson", WRONG, answer("fine", "a", status=QuestionStatus.RIGHT)))
    old = msgspec.json.decode(path.read_bytes())
    del old["review"], old["checkpoints"]
    for each in old["lessons"]["lesson"]["answers"].values():
        del each["day"], each["judged"]
    path.write_bytes(msgspec.json.encode(old))

    again = Progress(path, lambda: DAY)

    assert again.notice is None
    assert again.due() == DueReview(("lesson/q",))
    assert again.lesson("lesson").finished is False
    assert set(again.lesson("lesson").answers) == {"q", "fine"}


def test_a_checkpoint_is_kept_and_the_best_result_stays(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json", lambda: DAY)
    first = CheckpointProgress().with_answers({"l/q": WRONG}, (0, 1), is_over=False)
    progress.save_checkpoint("slug", first, {"l/q": WRONG})
    over = progress.checkpoint("slug").with_answers({"l/q": WRONG}, (7, 9), is_over=True)
    progress.save_checkpoint("slug", over, {})
    worse = over.with_answers({}, (5, 9), is_over=True)

    kept = Progress(tmp_path / "progress.json").checkpoint("slug")
    assert (kept.drawn, kept.answers, kept.best, kept.total) == (1, {}, 7, 9)
    assert (worse.drawn, worse.best, worse.total) == (2, 7, 9)
    assert list(progress.record.review.waiting) == ["l/q"]


def test_a_lesson_that_is_reset_does_not_come_back(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json", lambda: DAY)
    progress.save(saved("lesson", WRONG))
    progress.reset("lesson")

    assert progress.record.review.waiting == {}


def test_two_instances_lose_nothing_of_each_other(tmp_path: Path) -> None:
    one = Progress(tmp_path / "progress.json", lambda: DAY)
    other = Progress(tmp_path / "progress.json", lambda: DAY)
    one.save(saved("first", WRONG))
    other.save(saved("second", WRONG))

    kept = Progress(tmp_path / "progress.json").record.review
    assert set(kept.waiting) == {"first/q", "second/q"}
    assert kept.answered == 2
