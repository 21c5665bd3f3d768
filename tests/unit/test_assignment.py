"""What a class is given is a file; what it got wrong is a table, by misconception."""

from __future__ import annotations

import pytest

from inplace_tui.common.problems import LessonError
from inplace_tui.tutorial.activity.drill.record import DrillRecord, Tally
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.commands.assignment import assigned, load_assignment
from inplace_tui.tutorial.commands.results import misconceptions
from inplace_tui.tutorial.course.lesson import DrillSet
from inplace_tui.tutorial.progress import LessonProgress, Record
from support.course import COURSE

WEEK = """\
schema: 1
title: {en: "Week 3", zh: "第三周"}
lessons: [leaf-lost, saved-output]
challenges: [break-exp]
drills:
  - {seed: 7, level: 3, count: 4}
"""


def refusals(text: str) -> list[str]:
    with pytest.raises(LessonError) as refused:
        load_assignment(text.encode(), "week.yaml", COURSE)
    return str(refused.value).splitlines()


def test_an_assignment_takes_from_the_course_what_it_names_in_its_order() -> None:
    challenge = COURSE.challenges[0].challenge.id
    found = load_assignment(WEEK.replace("break-exp", challenge).encode(), "week.yaml", COURSE)
    course = assigned(COURSE, found)

    assert [each.lesson.id for each in course.lessons] == ["leaf-lost", "saved-output"]
    assert [each.challenge.id for each in course.challenges] == [challenge]
    assert course.chapters[0].chapter.title.en == "Week 3"
    assert found.drills == [DrillSet(seed=7, level=3, count=4)]


def test_every_mistake_is_named_with_its_place() -> None:
    wrong = WEEK.replace("saved-output", "saved-outptu").replace("break-exp", "nothing-like-it")

    assert refusals(wrong) == [
        "week.yaml:3:22: there is no lesson 'saved-outptu' (did you mean 'saved-output'?)",
        "week.yaml:4:14: there is no challenge 'nothing-like-it'",
    ]
    assert refusals(WEEK.replace("seed: 7", "sede: 7"))[0].startswith("week.yaml:6:6:")
    assert refusals(WEEK.replace("leaf-lost, ", "saved-output, "))[0] == (
        "week.yaml:3:25: 'saved-output' is assigned twice"
    )
    assert "nothing is assigned" in refusals('schema: 1\ntitle: {en: "a", zh: "b"}\n')[0]
    assert "'en'" in refusals(WEEK.replace('en: "Week 3", ', ""))[0]


def answered(*tried: str, status: QuestionStatus) -> Record:
    answer = SavedAnswer(question="who-gets-a-gradient", status=status, tried=tried)
    kept = LessonProgress(answers={answer.question: answer})
    return Record(lessons={"leaf-lost": kept})


def test_a_row_is_a_wrong_answer_and_says_who_gave_it_and_who_saw_better_then() -> None:
    records = {
        "ann": answered("error", "leaf", status=QuestionStatus.RIGHT),
        "bob": answered("error", "name", status=QuestionStatus.WRONG),
        "cem": answered("leaf", status=QuestionStatus.RIGHT),
    }
    rows = [each.row for each in misconceptions(records, COURSE, "en")]

    assert [row[2] for row in rows] == ["leaf-lost", "leaf-lost"]
    assert [row[5:] for row in rows] == [
        ("An error: the leaf is lost", 2, 3, 1, "ann; bob"),
        ("w.grad is 2", 1, 3, 0, "bob"),
    ]


def worded(lesson: str, question: str, given: str) -> tuple[str, list[str]]:
    """Return the words for a wrong answer, and the lines of the lesson's program."""
    answer = SavedAnswer(question=question, status=QuestionStatus.WRONG, tried=(given,))
    record = Record(lessons={lesson: LessonProgress(answers={question: answer})})
    (row,) = misconceptions({"ann": record}, COURSE, "en")
    loaded = COURSE.find(lesson)
    assert loaded is not None
    return row.text, [line.strip() for line in loaded.code.split("\n")]


@pytest.mark.parametrize("given", ["at-back", "@2"])
def test_an_answer_that_is_a_line_is_shown_as_that_line(given: str) -> None:
    text, lines = worded("which-line", "which-line", given)
    number, _, code = text.partition(": ")

    assert code == lines[int(number) - 1]


def test_an_answer_that_is_an_order_is_shown_as_its_lines() -> None:
    text, lines = worded("matmul-overwrite", "an-order-that-works", "write out back")

    assert len(text.split("; ")) == 3
    assert set(text.split("; ")) <= set(lines)


def test_concepts_of_the_drill_that_were_predicted_wrongly_are_rows_too() -> None:
    drill = DrillRecord(
        concepts={"view": Tally(answered=5, right=3), "data": Tally(answered=1, right=1)}
    )
    (row,) = misconceptions({"ann": Record(drill=drill)}, COURSE, "en")

    title = "writing through views"
    assert row.row == ("view", "drill", "view", title, "", "", 1, 1, 0, "ann 2/5")
    assert misconceptions({"ann": Record(drill=drill)}, COURSE, "en", drills=False) == []
