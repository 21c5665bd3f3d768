"""Paths by goal: what they take, what they leave out, and what is wrong with their file."""

from __future__ import annotations

from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course.course import Course, load_course
from inplace_tui.tutorial.course.paths import LearningPath, learning_path, reference
from support.course import COURSE

LESSON = """\
schema: 1
id: {id}
title: {{en: {id}}}
teaches: [{id}]
requires: [{requires}]
difficulty: 1
minutes: 3
code: |
  import torch
  x = torch.ones(3)  #@ make
steps:
  - {{at: make, say: {{en: made}}}}
recap: {{en: end}}
{more}
"""

NEEDS = {"a": "", "b": "", "c": "a, b", "d": "c", "e": "b", "f": ""}
"""What each of these lessons requires."""

PATHS = """\
schema: 1
paths:
  - id: one
    title: {en: One}
    summary: {en: Short}
    goals: [d]
  - id: two
    title: {en: Two}
    summary: {en: Shorter}
    goals: [d, e]
    bridges: {c: {en: "c is this"}, b: {en: "b is that"}}
"""


def made(paths: str = PATHS, more: str = "") -> Course:
    files = {
        f"01-a/{n:02}-{name}.yaml": LESSON.format(id=name, requires=needs, more=more)
        for n, (name, needs) in enumerate(NEEDS.items())
    }
    chapter = "schema: 1\ntitle: {en: A}\nsummary: {en: A}\n"
    return load_course(
        {**files, "01-a/chapter.yaml": chapter, "paths.yaml": paths}, origin=Origin.BUILT_IN
    )


def path(identity: str | None) -> LearningPath:
    found = learning_path(made(), identity)
    assert found is not None
    return found


def test_a_path_takes_what_its_goals_need_in_the_order_of_the_course() -> None:
    assert path("one").ids == ("a", "b", "c", "d")
    assert path(None) == path("one")
    assert path("one").minutes == 12


def test_a_bridge_leaves_out_what_nothing_else_needs_and_is_told_once() -> None:
    two = path("two")

    assert two.ids == ("d", "e")
    assert [each.en for each in two.bridges("d")] == ["c is this"]
    assert [each.en for each in two.bridges("e")] == ["b is that"]
    assert path("one").bridges("d") == ()


def test_what_is_on_no_path_is_reference() -> None:
    assert reference(made()) == {"f"}
    assert reference(load_course({}, origin=Origin.PACK)) == set()
    assert learning_path(made(), "everything") is None


def test_what_a_path_names_has_to_be_there() -> None:
    wrong = PATHS.replace("[d, e]", "[d, easy]").replace("b: {en", "bb: {en")
    wrong = wrong.replace("id: two", "id: one") + "    ends_with: nothing\n"

    assert [str(each) for each in made(wrong).problems] == [
        "paths.yaml:10:16: no lesson teaches 'easy'",
        "paths.yaml:11:37: no lesson teaches 'bb' (did you mean 'b'?)",
        "paths.yaml:12:5: there is no challenge 'nothing'",
        "paths.yaml:7:5: a path 'one' is there already",
    ]
    assert [each.id for each in made(wrong).paths] == ["one"]
    assert "unknown key" in str(made(PATHS.replace("goals", "gaols")).problems[0])


def test_a_lesson_is_found_by_an_id_that_it_replaces() -> None:
    course = made(more="replaces: [old]")

    assert course.find("old") == course.find("f")
    assert str(course.problems[0]) == (
        "01-a/01-b.yaml:14:12: a lesson 'old' is there already: 01-a/00-a.yaml"
    )


def test_the_first_path_of_the_course_takes_an_hour() -> None:
    first = learning_path(COURSE, None)

    assert first is not None
    assert first.about.id == "error"
    assert first.lessons[0].id == COURSE.lessons[0].id
    assert first.challenge is not None
    assert 10 <= len(first.ids) <= 14
    assert first.minutes <= 70


def test_every_bridge_of_the_course_leaves_something_out_and_is_told() -> None:
    for about in COURSE.paths:
        found = learning_path(COURSE, about.id)
        assert found is not None
        told = [text for each in found.ids for text in found.bridges(each)]
        assert {*told} == {*about.bridges.values()}, about.id
