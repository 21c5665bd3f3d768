"""What stands above a challenge's program, in words."""

from __future__ import annotations

import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Style
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.activity.challenges.grading import GoalPart, Grade
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, load_challenge
from inplace_tui.tutorial.present.challenge import ChallengeAttempt, rows, solution, verdict_at
from support.challenges import GOOD

HINTS = "hints: [{en: one, zh: 甲}, {en: two, zh: 乙}]\n"
HOLDS = GoalPart(holds=True, text=LocalText("`y` is new", zh="`y` 是新的"))
FAILS = GoalPart(holds=False, text=LocalText("[/b] is old", zh="[/b] 是旧的"))


@pytest.fixture
def loaded() -> LoadedChallenge:
    return load_challenge(GOOD + HINTS, "c.yaml", origin=Origin.BUILT_IN)


def texts(attempt: ChallengeAttempt, language: str = "en", room: int = 200) -> list[str]:
    return [row.text for row in rows(attempt, room, language)]


def test_before_a_run_there_are_the_task_and_its_rules(loaded: LoadedChallenge) -> None:
    assert texts(ChallengeAttempt(loaded)) == [
        "Write to y.",
        "the shortest solution changes 1 line · lines that must stay: 2, 3, 5 · "
        "must come out the same: loss",
    ]
    assert texts(ChallengeAttempt(loaded), "zh") == [
        "写 y。",
        "最短的解法改动 1 行（含增、删） · 必须保留的行：2、3、5 · 结果须不变：loss",
    ]


def test_many_lines_that_stay_are_told_as_ranges() -> None:
    text = GOOD.replace("keep: [make, exp, back]", "keep: [make, exp, loss, back]")

    assert (
        "lines that must stay: 2-5 ·"
        in texts(ChallengeAttempt(load_challenge(text, "c.yaml", origin=Origin.BUILT_IN)))[1]
    )


def test_hints_are_told_as_far_as_they_were_asked_for(loaded: LoadedChallenge) -> None:
    assert texts(ChallengeAttempt(loaded, hints=1))[2:] == ["Hint 1/2: one"]
    assert texts(ChallengeAttempt(loaded, hints=2), "zh")[2:] == ["提示 1/2：甲", "提示 2/2：乙"]


def test_a_failed_attempt_says_what_holds_and_what_does_not(loaded: LoadedChallenge) -> None:
    attempt = ChallengeAttempt(loaded, grade=Grade((HOLDS,), (FAILS,), changed=2, par=1))
    verdict = rows(attempt, 200, "en")[verdict_at(attempt, 200, "en") :]

    assert [row.text for row in verdict] == [
        "Not yet · lines changed: 2",
        "✗ [/b] is old",
        "✓ y is new",
    ]
    assert {span.style for span in verdict[1].spans if "old" in span.text} == {Style.WRONG}
    assert "done" not in texts(attempt)


def test_what_was_not_judged_is_neither_right_nor_wrong(loaded: LoadedChallenge) -> None:
    unjudged = GoalPart(holds=None, text=LocalText("`y` is new", zh="`y` 是新的"))
    attempt = ChallengeAttempt(loaded, grade=Grade((unjudged,), (FAILS,), changed=2, par=1))

    assert texts(attempt)[-2:] == ["✗ [/b] is old", "· y is new: not judged"]
    assert texts(attempt, "zh")[-1] == "· y 是新的：未判定"


def test_lines_that_stay_keep_their_numbers_while_the_program_cannot_be_parsed(
    loaded: LoadedChallenge,
) -> None:
    attempt = ChallengeAttempt(loaded, source=f"x = (\n{loaded.code}")

    assert "lines that must stay: 3, 4, 6 ·" in texts(attempt)[1]


def test_lines_that_stay_are_numbered_as_they_are_in_the_edited_program(
    loaded: LoadedChallenge,
) -> None:
    attempt = ChallengeAttempt(loaded, source=f"\n\n{loaded.code}")

    assert "lines that must stay: 4, 5, 7 ·" in texts(attempt)[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [(1, "Solved · lines changed: 1"), (3, "Solved · lines changed: 3 (the shortest solution: 1)")],
)
def test_a_solved_one_is_explained(loaded: LoadedChallenge, changed: int, said: str) -> None:
    attempt = ChallengeAttempt(loaded, grade=Grade((HOLDS,), (), changed=changed, par=1))

    assert texts(attempt)[-2:] == [said, "done"]


def test_while_a_run_is_under_way_the_last_verdict_is_gone(loaded: LoadedChallenge) -> None:
    grade = Grade((HOLDS,), (), changed=1, par=1)

    assert texts(ChallengeAttempt(loaded, grade=grade, grading=True))[-1] == "running your program…"


def test_nothing_is_wider_than_its_room(loaded: LoadedChallenge) -> None:
    attempt = ChallengeAttempt(
        loaded, hints=2, grade=Grade((HOLDS, FAILS), (FAILS,), changed=2, par=1)
    )

    assert max(map(len, texts(attempt, room=30))) <= 30


def test_the_solution_is_what_it_changes_and_why(loaded: LoadedChallenge) -> None:
    shown = [row.text for row in solution(loaded, 60, "zh")]

    assert "+ y.zero_()" in shown
    assert "  loss = y.sum()" in shown
    assert shown[-1] == "完成"
