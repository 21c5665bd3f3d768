"""What comes back of what was answered wrong, and when."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from inplace_tui.common.run.ending import Ending
from inplace_tui.tutorial.activity.drill.grammar import Drill
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer, drill_name
from inplace_tui.tutorial.activity.drill.record import Sureness
from inplace_tui.tutorial.activity.drill.sketch import Tag
from inplace_tui.tutorial.activity.quiz.review import (
    A_DAY,
    DueReview,
    ReviewRecord,
    after,
    due,
    is_missed,
    recall,
    without,
)
from inplace_tui.tutorial.activity.session.saved import (
    QuestionStatus,
    Recall,
    SavedAnswer,
    SaveProgress,
)
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


def test_what_is_known_comes_back_after_longer_and_longer_and_then_goes() -> None:
    record, day, waited = after(ReviewRecord(), "l/q", Recall.MISSED, day=DAY), DAY, []
    while record.waiting:
        began = day
        while not due(record, day):
            day += 1
        waited.append(day - began)
        record = after(record, "l/q", Recall.KNOWN, day=day)

    assert waited == [1, 3, 7, 21, 60]


def test_what_was_right_by_luck_comes_back_and_waits_as_long_as_before() -> None:
    lucky = after(ReviewRecord(), "l/q", Recall.LUCKY, day=DAY)
    second = after(lucky, "l/q", Recall.KNOWN, day=DAY + 1)
    again = after(second, "l/q", Recall.LUCKY, day=DAY + 4)

    assert [each.waiting["l/q"].day for each in (lucky, second, again)] == [
        DAY + 1,
        DAY + 4,
        DAY + 7,
    ]


def test_what_was_known_at_once_does_not_come_back() -> None:
    assert after(ReviewRecord(), "l/q", Recall.KNOWN, day=DAY).waiting == {}


def test_wrong_again_and_it_starts_over() -> None:
    record = after(ReviewRecord(), "l/q", Recall.MISSED, day=DAY)
    record = after(record, "l/q", Recall.KNOWN, day=DAY + 1)
    record = after(record, "l/q", Recall.MISSED, day=DAY + 2)

    assert (record.waiting["l/q"].box, due(record, DAY + 3)) == (1, ["l/q"])


@pytest.mark.parametrize(
    ("given", "how"),
    [
        (RIGHT, Recall.KNOWN),
        (replace(RIGHT, guessed=True), Recall.LUCKY),
        (replace(RIGHT, hints=1), Recall.LUCKY),
        (replace(WRONG, guessed=True), Recall.MISSED),
    ],
)
def test_a_guess_and_an_answer_after_a_hint_are_luck(given: SavedAnswer, how: Recall) -> None:
    assert recall(given) is how


def test_a_day_asks_one_question_that_is_new_beside_what_comes_back(tmp_path: Path) -> None:
    days = Days()
    progress = Progress(tmp_path / "progress.json", days)
    for number in range(A_DAY):
        progress.save(saved(f"lesson-{number}", WRONG))
    days.day += 1
    unseen = ["lesson-0/q", "other/variants/v", "other/variants/w"]
    first = progress.due(unseen=unseen)
    progress.save_review({"other/variants/v": RIGHT})
    second = progress.due(unseen=unseen)
    days.day += 1

    assert (first.back, first.later, first.now[-1]) == (A_DAY - 1, 1, "other/variants/v")
    assert not second.has_new
    assert progress.due(unseen=unseen).now[-1] == "other/variants/w"


def test_a_drill_that_was_not_known_for_sure_comes_back_in_the_review(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json", lambda: DAY)
    for seed, right, sureness in (
        (1, True, Sureness.SURE),
        (2, True, Sureness.GUESS),
        (3, True, Sureness.THINK),
        (4, False, Sureness.THINK),
    ):
        made = Drill(seed, 1, "", (Tag.LEAF,), Ending.RIGHT)
        progress.save_drill(DrillAnswer(made, right, sureness, DAY))

    assert list(progress.record.review.waiting) == [
        f"drill/{drill_name(seed, 1)}" for seed in (2, 3, 4)
    ]


def test_the_questions_of_a_lesson_can_be_forgotten() -> None:
    record = after(ReviewRecord(), "l/q", Recall.MISSED, day=DAY)
    record = after(record, "longer/q", Recall.MISSED, day=DAY)

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
    assert first.now[:3] == ("lesson-4/q", "lesson-5/q", "lesson-6/q")
    assert (second.now, second.later) == (first.now[2:], 3)
    assert third == DueReview((), 3)
    assert progress.due() == DueReview(("lesson-1/q", "lesson-2/q", "lesson-3/q"))


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
