"""The welcome, read by somebody who presses what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from inplace_tui.tutorial.ui.widgets.lines import Lines
from support.lent import Remembered
from support.screens import Stage, opened
from support.stand_in import READY, StandIn

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIRST = Opening(introduce=True)


async def welcomed(stage: Stage) -> None:
    await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))


@pytest.mark.parametrize(
    ("size", "language"), [((40, 10), "en"), ((80, 24), "en"), ((80, 24), "zh"), ((200, 60), "en")]
)
@pytest.mark.whole(every=4)
async def test_a_key_a_step_leads_from_a_real_crash_to_the_line_at_fault(
    worker: Worker, tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    lent = Remembered(worker)
    async with opened(FIRST, tmp_path, size=size, language=language, worker=lent) as stage:
        await welcomed(stage)
        assert "y += 1" in stage.app.screen.query_one("#welcome", Lines).text

        await stage.press("enter")
        await stage.until(lambda: "expected version 0" in " ".join(page_text(stage).split()))

        if size[1] >= 24:  # nothing of a step is below the fold
            assert all("▐" not in line for line in stage.lines)

        await stage.press("enter")

        fault = next(line for line in page_text(stage).splitlines() if "y += 1" in line)
        assert "~" in fault
        assert "ExpBackward0" in page_text(stage)
        if size[1] >= 24:
            assert all("▐" not in line for line in stage.lines)

        await was_read(stage)
        await stage.press("enter")

        assert all(f"  {key}  " in page_text(stage) for key in "lap")

        await stage.press("N")

        assert "ExpBackward0" in page_text(stage)


def page_text(stage: Stage) -> str:
    return stage.app.screen.query_one("#welcome", Lines).text


@pytest.mark.parametrize(
    ("keys", "leads_to"),
    [
        (("enter", "enter", "read", "enter", "enter"), IntroductionScreen),
        (("l",), IntroductionScreen),
        (("n", "n", "read", "n", "down", "down", "enter"), SandboxScreen),
        (("p",), SandboxScreen),
        (("escape",), ContentsScreen),
    ],
)
@pytest.mark.whole(every=5)
async def test_three_ways_lead_on(
    tmp_path: Path, keys: tuple[str, ...], leads_to: type[object]
) -> None:
    async with opened(FIRST, tmp_path) as stage:
        await welcomed(stage)
        for key in keys:
            await (was_read(stage) if key == "read" else stage.press(key))

        await stage.until(lambda: isinstance(stage.app.page, leads_to))


@pytest.mark.parametrize("key", ["enter", "n"])
async def test_keys_that_come_before_the_run_do_not_count_ahead(tmp_path: Path, key: str) -> None:
    """The page that names the line is the point of it all: no key that came too soon skips it."""
    async with opened(FIRST, tmp_path, worker=StandIn(waits=True)) as stage:
        await welcomed(stage)
        await stage.press(*[key] * 8)
        assert "2/4" in stage.lines[0]
        assert "They are running" in page_text(stage)

        stage.worker.say(READY)
        await stage.until(lambda: "They are running" not in page_text(stage))
        assert "2/4" in stage.lines[0]

        await stage.press(*[key] * 3)  # a key that is held
        assert "3/4" in stage.lines[0]

        await was_read(stage)
        await stage.press(key)
        assert "4/4" in stage.lines[0]


async def was_read(stage: Stage) -> None:
    page = stage.app.page
    assert isinstance(page, WelcomeScreen)
    await stage.until(lambda: not page.must_wait)


async def test_the_key_that_goes_on_has_one_name(tmp_path: Path) -> None:
    async with opened(FIRST, tmp_path) as stage:
        await welcomed(stage)

        assert "Enter runs them" in page_text(stage)
        assert stage.lines[-1].startswith(" Enter go on")


async def test_to_ask_begins_with_the_name_of_a_file(tmp_path: Path) -> None:
    async with opened(FIRST, tmp_path) as stage:
        await welcomed(stage)
        await stage.press("a")

        await stage.until(lambda: isinstance(stage.app.screen, ProgramDialog))
        assert isinstance(stage.app.page, WelcomeScreen)
