"""Who leaves, or types ahead, while a screen is still being laid out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.app import InplaceApp
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog, commands
from inplace_tui.tutorial.ui.dialogs.paths import PathsDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from support.keyed import COURSE
from support.patience import PATIENCE
from support.screens import Stage, opened
from support.stand_in import StandIn

DOORS = {
    "lesson": (Opening(), "enter"),
    "drill": (Opening(), "d"),
    "introduction": (Opening(), "I"),
    "help": (Opening(), "question_mark"),
    "open": (Opening(screen="sandbox"), "ctrl+o"),
}
"""What is open, and the key that opens something else."""

MOMENTS = (1, 4, 8)
"""Turns of the loop after that key. At each of these a screen missed what it is made of."""


async def gone(stage: Stage) -> None:
    """Wait until the program has ended."""
    async with asyncio.timeout(PATIENCE):
        while stage.app.is_running:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.whole(every=5)
async def test_whoever_leaves_at_once_leaves_in_order(
    name: str, moment: int, tmp_path: Path
) -> None:
    """The program says what went wrong where it is closed, here as on a terminal."""
    opening, key = DOORS[name]
    async with opened(opening, tmp_path, lessons=COURSE) as stage:
        stage.app.simulate_key(key)
        for _ in range(moment):
            await asyncio.sleep(0)
        stage.app.exit(7)
        await gone(stage)

    assert stage.app.return_value == 7


@pytest.mark.parametrize("key", ["1", "enter", "question_mark"])
@pytest.mark.whole(every=3)
async def test_keys_that_come_too_early_do_no_harm(key: str, tmp_path: Path) -> None:
    """While a lesson is being opened, at each moment of it."""
    async with opened(Opening(), tmp_path, lessons=COURSE) as stage:
        stage.app.simulate_key("enter")
        for _ in range(16):
            stage.app.simulate_key(key)
            await asyncio.sleep(0)
        await stage.pilot.pause()

        assert stage.app.page is not None


async def test_who_runs_the_sandbox_while_it_opens_types_nothing_into_it(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path, lessons=COURSE) as stage:
        for key in ("e", "ctrl+r", "n"):
            stage.app.simulate_key(key)
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))

        assert stage.sandbox.focused is stage.sandbox.query_one(CodePanel)
        assert not stage.sandbox.editor.text


@pytest.mark.parametrize("moment", MOMENTS)
async def test_what_is_closed_while_it_opens_asks_for_nothing(moment: int, tmp_path: Path) -> None:
    """As when the lesson comes up that the program was started for."""
    async with opened(Opening(), tmp_path, lessons=COURSE) as stage:
        app = stage.app
        assert app.catalogue is not None
        for dialog in (
            PaletteDialog(commands(app)),
            HelpDialog(app.screen),
            PathsDialog(app.catalogue),
        ):
            app.push_screen(dialog)
            for _ in range(moment):
                await asyncio.sleep(0)
            app.pop_screen()
            for _ in range(MOMENTS[-1]):
                dialog.write()
                await asyncio.sleep(0)
            await stage.pilot.pause()

        assert app.screen is stage.contents


@pytest.mark.parametrize("key", ["colon", "question_mark"])
async def test_what_is_opened_at_the_start_is_not_left_behind_the_sandbox(
    key: str, tmp_path: Path
) -> None:
    app = InplaceApp(
        opening=Opening(screen="sandbox"),
        progress=lambda: Progress(tmp_path / "progress.json"),
        home=tmp_path,
        lessons_folder=tmp_path,
        read=lambda _: COURSE,
        worker=StandIn(),
    )
    async with app.run_test() as pilot:
        app.simulate_key(key)
        await Stage(app, pilot, StandIn()).until(lambda: isinstance(app.page, SandboxScreen))

        kinds = [type(screen) for screen in app.screen_stack]
        assert kinds[:2] == [ContentsScreen, SandboxScreen]


async def test_who_takes_something_twice_stays_where_that_led(tmp_path: Path) -> None:
    """A click or a key that came twice is not for what is behind the dialog."""
    async with opened(Opening(), tmp_path, lessons=COURSE) as stage:
        assert stage.app.catalogue is not None
        dialog, taken = PathsDialog(stage.app.catalogue), list[str | None]()
        stage.app.push_screen(dialog, taken.append)
        await stage.pilot.pause()
        dialog.take(0)
        dialog.take(0)
        await stage.pilot.pause()

        assert taken == dialog.results()[:1]
        assert stage.app.screen is stage.contents
