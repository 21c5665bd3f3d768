"""Draws the pictures of the README from the real program: `make pictures`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.pilot import Pilot

from inplace_tui import paths
from inplace_tui.progress import Progress
from inplace_tui.ui.app import InplaceApp, Opening
from inplace_tui.ui.picture import drawn
from inplace_tui.ui.screens.lesson import LessonScreen

HERE = Path(__file__).parent


def recorded(app: InplaceApp) -> bool:
    """Whether the lesson is open and its run is over, replays included."""
    if not isinstance(app.screen, LessonScreen):
        return False
    view = app.screen.player.session.view()
    return not view.running and not view.verifying


async def until(pilot: Pilot[int], condition: Callable[[], bool]) -> None:
    """Wait until the screen shows it.

    Raises:
        TimeoutError: it does not, for a minute.
    """
    async with asyncio.timeout(60):
        while not condition():
            await pilot.pause(0.05)


async def picture(name: str, *, language: str, size: tuple[int, int], keys: list[str]) -> None:
    """Play the lesson on exp(): step to its question, press `keys`, and draw what is seen."""
    with tempfile.TemporaryDirectory() as home:
        app = InplaceApp(
            opening=Opening(screen="lesson", lesson="saved-output"),
            progress=partial(Progress, Path(home) / "progress.json"),
            home=Path(home),
            lessons_folder=paths.built_in_lessons(),
            language=language,
        )
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: recorded(app))
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.3)
            picture = drawn(app)
    (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")


async def main() -> int:
    """Draw all of them."""
    steps = ["n", "n", "n", "n"]
    await picture("lesson", language="en", size=(120, 36), keys=[*steps, "1", "4"])
    await picture("lesson-zh", language="zh", size=(120, 36), keys=[*steps])
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
