"""A challenge: edit, run, be judged; hints, the solution, and what is kept."""

from __future__ import annotations

from dataclasses import replace as changed
from pathlib import Path

import pytest
from msgspec.structs import replace

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, load_challenge
from inplace_tui.tutorial.progress import ChallengeProgress, Progress
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.run.exporting import ExportDialog
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen, SolutionDialog, TaskPanel
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.widgets.editor import Editor
from support.played import STEPS
from support.screens import Stage, course, opened
from support.stand_in import Run, StandIn

_FILE = """
schema: 1
id: {id}
title: {{en: Write to it, zh: 写它}}
task: {{en: "Bring `y` to version 1. [/b]", zh: "让 `y` 到版本 1。[/b]"}}
difficulty: 2
code: |
  x = make()     #@ make
  y = x.exp()    #@ exp
goal: {{ends: runs, tensors: {{y: {{version: 1}}}}}}
keep: [make, exp]
forbid: [mul_]
par: 1
solution: {{exp: "y = x.exp()  #@ exp\\ny.add_(1)"}}
explain: {{en: Every write counts., zh: 每次写入都计数。}}
hints: [{{en: first hint, zh: 提示甲}}, {{en: second hint, zh: 提示乙}}]
"""


def challenge(identity: str) -> LoadedChallenge:
    return load_challenge(
        _FILE.format(id=identity), f"challenges/1-{identity}.yaml", origin=Origin.BUILT_IN
    )


WRITE, AGAIN = challenge("write-it"), challenge("write-again")
BEFORE: Run = (STEPS[:2], Completed())
AFTER: Run = (STEPS[:3], Completed())
OPENED = Opening(screen="challenge", challenge="write-it")
COURSE = Course(course().chapters, (), (WRITE, AGAIN))


def worker() -> StandIn:
    """Return one that knows how the program ends as it is, and with the solution."""
    return StandIn({WRITE.code: BEFORE, WRITE.solved_code: AFTER})


def front(stage: Stage) -> ChallengeScreen:
    page = stage.app.page
    assert isinstance(page, ChallengeScreen)
    return page


async def solve(stage: Stage, text: str = WRITE.solved_code) -> None:
    """Put a program into the editor, as pasted, and run it."""
    front(stage).editor.load_text(text)
    await stage.press("ctrl+r")
    await stage.until(lambda: " · lines changed" in stage.text or " · 改动行数" in stage.text)


async def test_it_opens_in_the_editor_with_the_task_above(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        assert isinstance(front(stage).focused, Editor)
        assert "Bring y to version 1. [/b]" in stage.text
        assert "the shortest solution changes 1 line · not allowed: mul_" in stage.text
        assert stage.lines[0].startswith(" Challenge 1/2  Write to it")


@pytest.mark.whole
async def test_the_help_has_what_holds_for_every_challenge(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        assert "The help has the rules." in stage.text

        await stage.press("f1")
        await stage.until(lambda: "What holds for every challenge" in stage.text)

        assert "One statement a line. No error is caught" in stage.text
        assert "contextlib, copy, math, numpy, torch" in stage.text


async def test_the_right_edit_is_solved_and_explained(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await solve(stage)

        assert "Solved · lines changed: 1" in stage.text
        assert "Every write counts." in stage.text

    assert Progress(tmp_path / "progress.json").challenge("write-it").lines == 1


@pytest.mark.whole
async def test_in_front_of_a_class_it_begins_as_given_and_nothing_is_kept(tmp_path: Path) -> None:
    mine = ChallengeProgress(draft="mine = 1\n", hints=1)
    Progress(tmp_path / "progress.json").save_challenge("write-it", mine)
    asked = Opening(screen="challenge", challenge="write-it", present=True)
    async with opened(asked, tmp_path, lessons=COURSE, worker=worker()) as stage:
        assert "presented" in stage.lines[0]
        assert front(stage).editor.text == WRITE.code

        await solve(stage)
        await stage.press("escape", "escape")
        await stage.until(lambda: isinstance(stage.app.page, ContentsScreen))

    assert Progress(tmp_path / "progress.json").challenge("write-it") == mine


async def test_a_run_that_misses_the_goal_says_what_holds_and_what_does_not(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await solve(stage, WRITE.code)

        said = " ".join(stage.text.split())

        assert "Not yet · lines changed: 0" in said
        assert "✓ runs to its end" in said
        assert "✗ y._version is 1; found: 0" in said
        assert "✗ nothing is changed yet" in said
        assert "Every write counts." not in stage.text

    assert not Progress(tmp_path / "progress.json").challenge("write-it").solved


@pytest.mark.whole
async def test_it_speaks_chinese_too(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker(), language="zh") as stage:
        await solve(stage)

        assert "让 y 到版本 1。[/b]" in stage.text
        assert "解出 · 改动行数：1" in stage.text
        assert "每次写入都计数。" in stage.text


async def test_hints_come_one_by_one_outside_the_editor(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("H")
        typed = front(stage).editor.text
        await stage.press("backspace", "escape", "H")
        one = stage.text
        await stage.press("H")
        two = stage.text
        await stage.press("H")

        assert typed.startswith("H")
        assert ("Hint 1/2: first hint" in one, "second hint" in one) == (True, False)
        assert "Hint 2/2: second hint" in two
        assert "There are no more hints." in stage.text

    assert Progress(tmp_path / "progress.json").challenge("write-it").hints == 2


def said(stage: Stage) -> str:
    """Return the screen as one line, as wrapped texts are read."""
    return " ".join(stage.text.split())


@pytest.mark.whole
async def test_line_numbers_follow_the_edit_and_what_is_before_the_learner(tmp_path: Path) -> None:
    """In the editor as they are there, beside the code that ran as it ran."""
    named = replace(
        WRITE.challenge,
        hints=[LocalText("look at {exp}", zh="看{exp}"), LocalText("later", zh="以后")],
    )
    catalogue = Course(course().chapters, (), (changed(WRITE, challenge=named), AGAIN))
    async with opened(OPENED, tmp_path, lessons=catalogue, worker=worker()) as stage:
        await stage.press("enter")
        await stage.until(lambda: "lines that must stay: 2, 3" in said(stage))
        await stage.press("ctrl+z")
        await stage.until(lambda: "lines that must stay: 1, 2" in said(stage))

        await solve(stage, f"{WRITE.code}y.mul_(1)\n")
        await stage.press("H")
        await stage.until(lambda: "look at line 2" in said(stage))
        assert "mul_ is not allowed: line 3" in said(stage)

        await stage.press("i", "ctrl+home", "enter", "enter")
        await stage.until(lambda: "mul_ is not allowed: line 5" in said(stage))
        assert "look at line 4" in said(stage)
        assert "lines that must stay: 3, 4" in said(stage)

        await stage.press("escape")
        await stage.until(lambda: "mul_ is not allowed: line 3" in said(stage))
        assert "look at line 2" in said(stage)

        await stage.press("i", "ctrl+z", "ctrl+z")
        await stage.until(lambda: "mul_ is not allowed: line 3" in said(stage))
        await stage.press("ctrl+home", "down", "ctrl+shift+k")
        await stage.until(lambda: "look at line 2 at the start" in said(stage))
        assert "mul_ is not allowed: line 2" in said(stage)
        await stage.press("ctrl+shift+k")
        await stage.until(lambda: "mul_ is not allowed: line 3 (removed since)" in said(stage))


@pytest.mark.whole
async def test_one_goes_into_the_edited_program_at_the_line_one_was_looking_at(
    tmp_path: Path,
) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await solve(stage)
        await stage.press("i", "ctrl+home", "enter", "enter", "escape")
        front(stage).action_point_at(2)
        await stage.press("i")
        await stage.until(lambda: front(stage).editor.cursor_location == (3, 0))


@pytest.mark.whole
async def test_a_hint_after_a_verdict_is_in_view(tmp_path: Path) -> None:
    small = opened(OPENED, tmp_path, lessons=COURSE, worker=worker(), size=(44, 14))
    async with small as stage:
        await solve(stage, WRITE.code)
        await stage.press("H")
        await stage.until(lambda: "Hint 1/2: first hint" in stage.text)


@pytest.mark.whole
async def test_the_title_of_the_task_says_that_there_is_more_below(tmp_path: Path) -> None:
    small = opened(OPENED, tmp_path, lessons=COURSE, worker=worker(), size=(60, 20))
    async with small as stage:
        await solve(stage, WRITE.code)
        await stage.press("H", "H")
        front(stage).query_one(TaskPanel).scroll_home(animate=False)
        await stage.until(lambda: "Task · ▾ more below" in stage.text)


@pytest.mark.whole
async def test_the_solution_is_shown_on_request_as_what_it_changes(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("escape", "A")
        await stage.until(lambda: "+ y.add_(1)" in stage.text)

        assert isinstance(stage.app.screen, SolutionDialog)

        await stage.press("escape")

        assert isinstance(stage.app.screen, ChallengeScreen)

    assert Progress(tmp_path / "progress.json").challenge("write-it").shown


@pytest.mark.whole
async def test_what_was_typed_is_there_the_next_time_and_d_takes_it_back(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press(*"z = 1", "enter", "escape", "escape")
        await stage.until(lambda: isinstance(stage.app.page, ContentsScreen))

        assert "begun" in stage.text

    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        assert front(stage).editor.text == "z = 1\n" + WRITE.code
        assert "This is your edit from last time." in stage.text

        await stage.press("escape", "D")

        assert front(stage).editor.text == WRITE.code

        await stage.press("ctrl+z")

        assert front(stage).editor.text == "z = 1\n" + WRITE.code


@pytest.mark.whole
async def test_quitting_in_the_middle_of_a_word_keeps_it(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("z", "ctrl+q")
        await stage.until(lambda: stage.app._exit)

    assert Progress(tmp_path / "progress.json").challenge("write-it").draft == "z" + WRITE.code


@pytest.mark.whole
async def test_the_contents_list_challenges_and_open_them(tmp_path: Path) -> None:
    best = ChallengeProgress(lines=3)
    Progress(tmp_path / "progress.json").save_challenge("write-it", best)
    async with opened(Opening(), tmp_path, lessons=COURSE, worker=worker()) as stage:
        listed = [line for line in stage.lines if "Write to it" in line]

        assert ["✓" in listed[0], "solved" in listed[0], "✓" in listed[1]] == [True, True, False]

        await stage.press("down", "down", "down", "down", "enter")

        assert front(stage).loaded is AGAIN


async def test_x_leads_to_the_first_challenge_that_is_not_solved(tmp_path: Path) -> None:
    Progress(tmp_path / "progress.json").save_challenge("write-it", ChallengeProgress(lines=1))
    async with opened(Opening(), tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("x", "enter")

        assert front(stage).loaded is AGAIN


async def test_a_wide_screen_says_what_is_to_be_done(tmp_path: Path) -> None:
    async with opened(
        Opening(), tmp_path, lessons=COURSE, worker=worker(), size=(120, 40)
    ) as stage:
        await stage.press("down", "down", "down")
        await stage.until(lambda: "Bring y to version 1." in stage.text.replace("`", ""))


async def test_without_an_id_the_first_unsolved_one_opens(tmp_path: Path) -> None:
    Progress(tmp_path / "progress.json").save_challenge("write-it", ChallengeProgress(lines=1))
    opening = Opening(screen="challenge")
    async with opened(opening, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))

        assert front(stage).loaded is AGAIN


@pytest.mark.whole
async def test_the_next_challenge_is_one_key_away(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await solve(stage)
        await stage.press("right_square_bracket")
        await stage.until(lambda: front(stage).loaded is AGAIN)


@pytest.mark.whole
async def test_the_run_can_be_stepped_through_like_any_other(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await solve(stage)
        await stage.press("N")

        assert isinstance(front(stage).focused, CodePanel)
        assert front(stage).view.cursor == 1
        assert "Solved · lines changed" in stage.text


async def test_neither_files_nor_fixes_are_offered(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("escape")
        live = {active.binding.id for active in front(stage).active_bindings.values()}

        assert live & {"save", "open", "fixes"} == set()
        assert live >= {"hint.challenge", "answer.challenge", "reset", "run", "type"}


async def test_before_the_first_run_the_footer_offers_what_makes_sense(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("escape")

        assert stage.lines[-1].split("  ")[:5] == [
            " i edit",
            "Ctrl-R run",
            "H hint",
            "A show answer",
            "Esc leave",
        ]


@pytest.mark.whole
async def test_what_is_typed_is_kept_each_time_that_one_pauses(tmp_path: Path) -> None:
    def kept() -> str | None:
        return Progress(tmp_path / "progress.json").challenge("write-it").draft

    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("a")
        await stage.until(lambda: kept() == f"a{WRITE.code}")
        await stage.press("b")
        await stage.until(lambda: kept() == f"ab{WRITE.code}")


@pytest.mark.whole
async def test_the_task_is_exported_like_any_panel(tmp_path: Path) -> None:
    async with opened(OPENED, tmp_path, lessons=COURSE, worker=worker()) as stage:
        await stage.press("escape", "shift+tab")
        stage.app.screen.query_one(TaskPanel).focus()
        await stage.press("Y")

        assert isinstance(stage.app.screen, ExportDialog)
        assert "Task, as text: to a file" in stage.text
