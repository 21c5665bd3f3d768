"""The drill on the screen: predict, say how sure, then see."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol.messages import ProgramEnded, Report
from inplace_tui.diagnosis.runner.worker import PLAIN
from inplace_tui.tutorial.activity.drill.grammar import MAX_LINES, make
from inplace_tui.tutorial.activity.drill.record import ENDLESS, DrillOptions, Sureness, Tally
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import GraphPanel, TensorTable, TimelineStrip
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from support.played import ERROR, RAISED, STEPS
from support.screens import Stage, opened
from support.stand_in import StandIn

SEED = 11
SOURCE = make(SEED, 1).source
CHOSEN = DrillOptions(seed=SEED, level=1)
RAISES = {SOURCE: ((*STEPS[:3], RAISED), ERROR)}


def page(stage: Stage) -> PlaylistScreen:
    assert isinstance(stage.app.page, PlaylistScreen)
    return stage.app.page


@asynccontextmanager
async def drill(
    home: Path,
    wish: DrillOptions = ENDLESS,
    *,
    size: tuple[int, int] = (80, 24),
    language: str = "en",
    worker: StandIn | None = None,
) -> AsyncIterator[Stage]:
    opening = Opening(screen="drill", drill=wish)
    async with opened(opening, home, size=size, language=language, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))
        await asked(stage)
        yield stage


async def asked(stage: Stage) -> None:
    """Wait until a program is there to be predicted."""
    await stage.until(lambda: _is_open(page(stage)))


def _is_open(screen: PlaylistScreen) -> bool:
    return screen.program is not None and not screen.is_answered


def seed(stage: Stage) -> int:
    """Return the number of the program that is asked about."""
    program = page(stage).program
    assert program is not None
    assert program.drill is not None
    return program.drill.drill.seed


def drafted(stage: Stage) -> str | None:
    """Return the prediction that is still to be weighed."""
    asked = page(stage).view.question
    return None if asked is None else asked.draft


async def test_the_program_is_there_and_nothing_of_its_run(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN, size=(120, 40), worker=StandIn(RAISES)) as stage:
        view = page(stage).view

        assert all(line in stage.text for line in SOURCE.splitlines())
        assert (len(view.timeline), view.outcome, view.blame) == (0, None, None)
        assert not page(stage).query_one(TensorTable).view.snapshot.tensors
        assert "Exp" not in page(stage).query_one(GraphPanel).text
        assert "Error" not in stage.text


@pytest.mark.whole
async def test_nothing_moves_before_the_answer(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        for key in ("n", "G", "c", "e", "right_square_bracket", "H", "A", "w", "B"):
            await stage.press(key)

            assert page(stage).view.cursor == -1
            assert page(stage).program is not None
            assert "Nothing has run yet" in stage.text


async def test_the_keys_below_are_those_that_do_it(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN, worker=StandIn(RAISES)) as stage:
        assert "a-d mark" in stage.lines[-1]

        await stage.press("slash")
        assert "a-d mark" not in stage.lines[-1]  # they are typed

        await stage.press("escape", "a", "enter", "a", "enter")
        assert "Enter or n: next program" in stage.text
        assert "Enter next program" in stage.lines[-1]


@pytest.mark.whole
async def test_the_truth_comes_after_how_sure_one_is(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN, worker=StandIn(RAISES)) as stage:
        await stage.press("a", "enter")

        assert "You say: Runs, and every gradient is right" in stage.text
        assert "How sure are you?" in stage.text
        assert page(stage).view.outcome is None

        await stage.press("a", "enter")

        assert "wrong, and you were sure" in stage.text
        assert "Raises in backward()" in stage.text
        assert page(stage).view.outcome == ERROR


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.whole
async def test_the_answer_moves_no_panel(tmp_path: Path, size: tuple[int, int]) -> None:
    async with drill(tmp_path, DrillOptions(seed=LONGEST, level=5), size=size) as stage:
        code = page(stage).query_one("#code")
        place = code.region
        assert place.height > 9

        await stage.press("a", "enter", "a", "enter")
        assert code.region == place

        await stage.press("N")
        assert code.region == place


async def test_a_prediction_can_be_taken_back_until_it_is_weighed(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("b", "enter", "escape")

        assert "Nothing has run yet" in stage.text

        await stage.press("a", "enter", "b", "enter", "escape")

        assert isinstance(stage.app.page, ContentsScreen)


@pytest.mark.parametrize("key", ["Q", "enter", "escape"])
@pytest.mark.whole
async def test_one_key_leads_back_from_a_panel_that_covers_the_question(
    key: str, tmp_path: Path
) -> None:
    """It was never seen again: letters answered what one could not see."""
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("b", "6", "a")
        assert not page(stage).panel("question").display

        await stage.press(key)

        assert page(stage).panel("question").display
        assert "▸ b" in stage.text

        await stage.press("enter")

        assert drafted(stage) == Ending.WRONG


@pytest.mark.whole
async def test_the_next_question_is_seen_whatever_covered_the_one_before(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("a", "enter", "a", "enter", "1", "right_square_bracket")
        await asked(stage)

        assert page(stage).panel("question").display
        assert stage.app.focused is page(stage).panel("question")


@pytest.mark.whole
async def test_full_width_letters_answer_too(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN, language="zh") as stage:
        await stage.press("ａ", "enter", "ｂ", "enter")

        assert "✓ 正确" in stage.text
        assert "正常运行，所有梯度都正确" in stage.text


async def test_the_cursor_and_enter_answer_and_go_on(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("down", "enter")
        assert drafted(stage) == Ending.RIGHT

        await stage.press("b", "enter", "enter")
        await asked(stage)

        assert seed(stage) == SEED + 1


@pytest.mark.whole
async def test_the_run_is_stepped_through_afterwards(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("a", "enter", "a", "enter", "N")
        cursor = page(stage).view.cursor

        assert cursor == len(STEPS) - 2
        assert "right, and you knew it" not in stage.text

        await stage.press("n")

        assert page(stage).view.cursor == cursor + 1
        assert "right, and you knew it" in stage.text


@pytest.mark.whole
async def test_n_leads_on_only_for_those_who_did_not_step(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("a", "enter", "a", "enter")
        assert "n next program" in stage.lines[-1]

        await stage.press("N")
        assert "n next program" not in stage.lines[-1]

        await stage.press("n", "n", "n")
        assert seed(stage) == SEED

        await stage.press("right_square_bracket")
        await asked(stage)
        await stage.press("a", "enter", "a", "enter", "n")
        await asked(stage)

        assert seed(stage) == SEED + 2


async def test_the_program_opens_in_the_sandbox_and_one_comes_back(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("a", "enter", "a", "enter", "e")
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))

        assert stage.sandbox.editor.text == SOURCE

        await stage.press("escape")

        assert page(stage).is_answered


@pytest.mark.whole
async def test_the_lesson_is_named_and_opens(tmp_path: Path) -> None:
    """That of the stand-in's failure: a result that was written."""
    async with drill(tmp_path, CHOSEN, worker=StandIn(RAISES), size=(120, 40)) as stage:
        await stage.press("d", "enter", "a", "enter")
        assert "(saved-output)" in stage.text

        await stage.press("o")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        assert stage.lesson.lesson.lesson.id == "saved-output"


async def test_answers_are_kept_and_counted(tmp_path: Path) -> None:
    async with drill(tmp_path) as stage:
        await stage.press("a", "enter", "a", "enter", "n")
        await asked(stage)
        await stage.press("c", "enter", "a", "enter")
        record = stage.app.learner.record.drill

        assert "1/2 right" in stage.text
        assert record.total == Tally(answered=2, right=1)
        assert record.sureness == {Sureness.SURE: Tally(answered=2, right=1)}
        assert len(record.repeats) == 1

        await stage.press("escape")

        assert "This session: 1 of 2 right." in stage.text

        await stage.press("down")

        assert "1/2 right, 1 sure but wrong" in stage.text


@pytest.mark.whole
async def test_what_somebody_chose_is_not_kept(tmp_path: Path) -> None:
    async with drill(tmp_path, CHOSEN) as stage:
        await stage.press("c", "enter", "a", "enter")

        assert stage.app.learner.record.drill.total.answered == 0


async def test_nothing_is_kept_of_a_drill_in_front_of_a_class(tmp_path: Path) -> None:
    presented = Opening(present=True)
    async with opened(presented, tmp_path, worker=StandIn(RAISES)) as stage:
        stage.app.open_drill(ENDLESS)
        await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))
        await asked(stage)
        assert "presented" in stage.lines[0]

        await stage.press("a", "enter", "a", "enter")
        await stage.until(lambda: page(stage).playlist.score[1] == 1)

        assert stage.app.learner.record.drill.total.answered == 0


async def test_it_ends_after_as_many_as_were_asked_for(tmp_path: Path) -> None:
    async with drill(tmp_path, DrillOptions(seed=SEED, count=1)) as stage:
        await stage.press("a", "enter", "a", "enter", "n")

        assert isinstance(stage.app.page, ContentsScreen)


async def test_what_is_assigned_is_named_below_the_contents(tmp_path: Path) -> None:
    given = DrillOptions(seed=SEED, level=1, count=1, kept=True)
    async with opened(Opening(drills=(given, given)), tmp_path) as stage:
        assert "Drills that were assigned: 2. Press d." in stage.text


async def test_the_contents_lead_to_it(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        assert "Press d." in stage.text

        await stage.press("d")
        await asked(stage)

        assert "What will this program do?" in stage.text


class Dying(StandIn):
    """A worker that dies of every program, until it is well again."""

    well = False

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        """Die, or do as others do."""
        if not self.well:
            yield ProgramEnded(outcome=Crashed(exit_code=-9, worker_died=True))
            return
        async for report in super().run(program, mode, limits, detail):
            yield report


@pytest.mark.whole
async def test_where_nothing_runs_it_is_said_and_can_be_tried_again(tmp_path: Path) -> None:
    worker = Dying()
    opening = Opening(screen="drill", drill=CHOSEN)
    async with opened(opening, tmp_path, worker=worker) as stage:
        await stage.until(lambda: "No program could be run" in stage.text)

        await stage.press("a", "enter", "n")
        assert "No program could be run" in stage.text

        worker.well = True
        await stage.press("enter")
        await asked(stage)

        assert "What will this program do?" in stage.text


LONGEST = next(seed for seed in range(500) if make(seed, 5).source.count("\n") == MAX_LINES + 1)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.whole
async def test_on_the_smallest_screen_all_of_the_longest_program_and_of_the_question_is_seen(
    tmp_path: Path, language: str
) -> None:
    async with drill(tmp_path, DrillOptions(seed=LONGEST, level=5), language=language) as stage:
        lines = [line.strip() for line in make(LONGEST, 5).source.splitlines()]
        choices = [f" {number}  " for number in (1, 2, 3, 4)]

        assert all(line in stage.text for line in lines)
        assert all(any(choice in line for line in stage.lines) for choice in choices)
        assert not page(stage).query_one(TimelineStrip).display or "?" in stage.text


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40), (200, 60)])
@pytest.mark.whole(every=4)
async def test_it_can_be_played_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async with drill(tmp_path, CHOSEN, size=size) as stage:
        await stage.press("a", "enter", "a", "enter")

        assert "right, and you knew it" in stage.text
