"""What a course leaves out is named, and nothing else is."""

from __future__ import annotations

from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.course.coverage import coverage
from support.played import LESSON
from support.screens import FIRST


def test_a_verdict_is_covered_by_the_lessons_that_provoke_it() -> None:
    found = coverage((FIRST, LESSON), {LESSON.lesson.id: [Verdict.SAVED_TENSOR_MODIFIED]})

    assert found.verdicts[Verdict.SAVED_TENSOR_MODIFIED] == (LESSON.lesson.id,)
    assert set(found.unprovoked) == set(Verdict) - {Verdict.SAVED_TENSOR_MODIFIED}


def test_a_concept_that_is_only_needed_is_untaught_and_one_without_a_question_unasked() -> None:
    found = coverage((FIRST, LESSON), {})

    assert set(LESSON.lesson.requires) <= set(found.untaught)
    assert found.unasked == ("first-steps",)
    assert found.concepts["saved-output"] == (LESSON.lesson.id,)
