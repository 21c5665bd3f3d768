"""A challenge file is refused with the place and the reason of each mistake."""

from __future__ import annotations

import pytest

from inplace_tui.common.problems import LessonError
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course.course import load_course
from inplace_tui.tutorial.course.lessons.loader import load_challenge
from support.challenges import GOOD, with_lines

MISTAKES = [
    ("difficulty: 1\nneed: [leaf]", "6:1: unknown key 'need' (did you mean 'needs'?)"),
    ("title: {zh: Spoil it}", "3:8: missing language 'en'"),
    ('task: {en: "Write to `y`.", zh: "写 `x`。"}', "4:12: `y` is a code span in en but not in zh"),
    ("difficulty: 6", "5:13: expected a whole number from 1 to 5, got `6`"),
    ("par: 0", "15:6: expected a whole number from 1 to 20, got `0`"),
    ("keep: [make, exq]", "13:14: there is no `#@ exq` in the code (did you mean 'exp'?)"),
    ("keep: [make, back]", "12:67: the goal speaks of 'exp', so it must be one of `keep`"),
    ("keep: [make, exp#2, back]", "13:14: a swap replaces a statement, not one visit of it"),
    (
        "solution: {exp: y = x.exp() * 2}",
        "13:14: the solution does not keep the statement of 'exp'",
    ),
    ("par: 1\nforbid: [zero_]", "16:10: the solution uses `zero_`, which is forbidden"),
    ("par: 1\nforbid: [y.zero_]", "16:10: expected one name, like clone, got 'y.zero_'"),
    ("solution: {}", "16:11: at least 1 needed"),
    ("solution: {los: ''}", "16:12: there is no `#@ los` in the code (did you mean 'loss'?)"),
    ("solution: {loss: 'loss = y.sum()'}", "16:1: the solution changes nothing"),
    ("solution: {loss: 'loss = ('}", "16:1: in the solution: not Python: '(' was never closed"),
    (
        'solution: {loss: "loss = y.sum()\\ny.zero_()\\ny.zero_()"}',
        "16:1: lines that the solution changes: 2; par is 1",
    ),
    ("par: 1\nhints: [{en: a, zh: 甲}, {zh: a}]", "16:25: missing language 'en'"),
    (
        "par: 1\nhints: [{en: 'at {exp}', zh: '在{exp}'}, {en: '{ex}', zh: 甲}]",
        "16:42: there is no `#@ ex` in the code (did you mean 'exp'?)",
    ),
    (
        "explain: {en: Line 3 did it., zh: 完成}",
        "17:11: a learner's edit moves lines: name no line by its number "
        "(a hint may say `{anchor}`)",
    ),
    ("explain: {en: done, zh: 第 3 行}", "17:21: a learner's edit moves lines"),
    ("goal: {end: runs}", "12:8: unknown key 'end' (did you mean 'ends'?)"),
    ("id: spoiled it", "2:5: expected lower-case words and digits joined by hyphens"),
]


def problems(text: str, path: str = "c.yaml") -> list[str]:
    """Return what is wrong with a challenge, without the path in front."""
    with pytest.raises(LessonError) as caught:
        load_challenge(text, path, origin=Origin.BUILT_IN)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def test_a_good_challenge_is_loaded_without_its_anchors() -> None:
    loaded = load_challenge(GOOD, "challenges/10-spoil.yaml", origin=Origin.BUILT_IN)

    assert "#@" not in loaded.code + loaded.solved_code
    assert loaded.kept == {"make": 2, "exp": 3, "back": 5}
    assert loaded.solved_code == loaded.code.replace("y.sum()\n", "y.sum()\ny.zero_()\n")
    assert loaded.program().filename == "spoil.py"


@pytest.mark.parametrize(("lines", "said"), MISTAKES, ids=[each[0] for each in MISTAKES])
def test_a_mistake_is_reported_where_it_is(lines: str, said: str) -> None:
    found = problems(with_lines(lines))

    assert any(each.startswith(said) for each in found), found


def test_a_file_is_called_as_its_challenge() -> None:
    assert problems(GOOD, "10-spoilt.yaml") == [
        "2:5: the file is called 10-spoilt.yaml, so the id must be 'spoilt'"
    ]


LESSON = """\
schema: 1
id: one
title: {en: a, zh: 甲}
teaches: [leaf]
difficulty: 1
minutes: 1
code: |
  x = 1  #@ one
steps: [{at: one}]
recap: {en: a, zh: 甲}
"""
CHAPTER = """\
schema: 1
title: {en: a, zh: 甲}
summary: {en: a, zh: 甲}
"""


def test_a_course_has_its_challenges_in_order_and_hides_none_for_anothers_mistake() -> None:
    course = load_course(
        {
            "01-a/chapter.yaml": CHAPTER,
            "01-a/01-one.yaml": LESSON,
            "challenges/10-later.yaml": GOOD.replace("id: spoil", "id: later"),
            "challenges/2-spoil.yaml": GOOD.replace("difficulty", "needs: [leav]\ndifficulty"),
            "challenges/3-broken.yaml": "schema: 1",
            "challenges/4-one.yaml": GOOD.replace("id: spoil", "id: one"),
            "challenges/notes.yaml": GOOD,
        },
        origin=Origin.BUILT_IN,
    )
    said = [str(problem) for problem in course.problems]

    assert [each.challenge.id for each in course.challenges] == ["spoil", "later"]
    assert "challenges/3-broken.yaml:1:1: missing key 'id'" in said
    assert "challenges/4-one.yaml:2:1: 'one' is there already: 01-a/01-one.yaml" in said
    assert "challenges/2-spoil.yaml:5:9: no lesson teaches 'leav' (did you mean 'leaf'?)" in said
    assert any(each.startswith("challenges/notes.yaml:1:1: the name must be") for each in said)
