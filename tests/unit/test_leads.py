"""What a failure leads to: lessons next to it, and a drill of programs like it."""

from __future__ import annotations

import pytest

from inplace_tui.tutorial.activity.drill.grammar import make
from inplace_tui.tutorial.activity.drill.sketch import FROM_LEVEL, TAUGHT_BY, Tag, tag_about
from inplace_tui.tutorial.activity.leads import leads_of
from support.course import COURSE


@pytest.mark.parametrize(
    "concept", ["saved-output", "step-between", "leaf-write-refused", "freed-graph"]
)
def test_a_failure_leads_to_the_lesson_about_it_and_to_what_that_needs(concept: str) -> None:
    leads = leads_of(COURSE, [concept])
    first = COURSE.teaching(concept)
    assert first is not None

    assert leads.lesson == first.lesson.id
    assert 2 <= len(leads.lessons) <= 3
    taught = {each for lesson in leads.lessons[1:] for each in lesson.teaches}  # type: ignore[attr-defined]
    assert taught & {*first.lesson.requires}
    assert leads.drill == concept


def test_what_is_not_taught_leads_nowhere() -> None:
    assert leads_of(COURSE, ["no-such-concept"]).lessons == ()
    assert leads_of(COURSE, []).lesson is None


def test_where_the_drill_has_nothing_about_it_the_nearest_that_it_needs_is_drilled() -> None:
    leads = leads_of(COURSE, ["carried-state"])

    assert leads.drill is not None
    assert leads.drill != "carried-state"
    assert tag_about([leads.drill]) is not None


@pytest.mark.whole(every=4)
@pytest.mark.parametrize("tag", Tag)
def test_each_tag_comes_up_from_its_level_on(tag: Tag) -> None:
    level = FROM_LEVEL.get(tag, 1)

    assert any(tag in make(seed, level).tags for seed in range(200))
    assert level == 1 or not any(tag in make(seed, level - 1).tags for seed in range(8))
    assert tag_about(TAUGHT_BY[tag][:1]) is tag
