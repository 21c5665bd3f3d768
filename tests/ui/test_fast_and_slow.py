"""Keys typed as fast as a terminal sends them come to what the same keys come to one by one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest
from textual.events import Key

from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol.messages import Report
from inplace_tui.diagnosis.runner.worker import PLAIN
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from support.played import RAISES
from support.screens import Stage, opened
from support.seen import at_rest
from support.stand_in import READY, StandIn

OPENINGS = {
    "lesson": Opening(screen="lesson", lesson="saved-output"),
    "sandbox": Opening(screen="sandbox"),
    "welcome": Opening(introduce=True),
}
WRITTEN = {
    "lesson": (
        "c c A enter n n n c b enter",
        "c c A n n v",
        "G A G A n",
        "c c A R R n n n G A",
        "c c 1 A Q n L",
        "n slash y enter n L n",
        "right_square_bracket n L left_square_bracket c",
        "G A G A x n",
    ),
    "sandbox": ("x = 1 ctrl+r N i x", "= ctrl+r G N w L"),
    "welcome": ("n N n L", "n p a b L"),  # it keeps no key for later: its point is not skipped
}
DRAWN = "c c c n n N g G A A R Q H a b enter w x z 1 2 3 tab down home end L space J slash v"
CHARACTERS = {"space": " ", "slash": "/", "=": "="}


class Unhurried(StandIn):
    """Tells one thing after the other, with time for keys between them."""

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        async for report in super().run(program, mode, limits, detail):
            for _ in range(5):
                await asyncio.sleep(0)
            yield report


@asynccontextmanager
async def at(name: str, home: Path, worker: Unhurried) -> AsyncIterator[Stage]:
    async with opened(OPENINGS[name], home, worker=worker) as stage:
        yield stage


def is_settled(stage: Stage) -> bool:
    page, keys = stage.app.page, stage.app.key_dispatch
    if keys._kept or not keys._is_open or not stage.app.is_loaded or not at_rest(stage):
        return False
    if not isinstance(page, RunScreen):
        return True
    return not (page.awaits_run or page.view.running or page.view.verifying or page.runner._tasks)


async def settle(stage: Stage) -> None:
    """Wait until all keys were answered, and what they began is over."""
    for _ in range(2):
        handled = asyncio.Event()
        stage.app.call_later(handled.set)
        await stage.until(handled.is_set)
        await stage.until(lambda: is_settled(stage))


def state(stage: Stage) -> str:
    """Return what is seen above the status line, and where the keys go."""
    focused = stage.app.focused
    seen = "\n".join(stage.lines[:-2])
    return f"{seen}\nkeys: {None if focused is None else focused.id}"


async def slowly(stage: Stage, keys: list[str]) -> str:
    await settle(stage)
    for key in keys:
        await stage.press(key)
        await settle(stage)
    return state(stage)


async def at_once(stage: Stage, keys: list[str]) -> str:
    for key in keys:
        character = CHARACTERS.get(key, key)
        stage.app.post_message(Key(key, character if len(character) == 1 else None))
    await stage.pilot.pause()
    stage.worker.say(READY)
    await settle(stage)
    return state(stage)


def sequences(seed: int, count: int) -> list[tuple[str, str]]:
    """Return where keys are typed, and which: some that were thought of, and some that were not."""
    chance = Random(seed)
    drawn = (chance.choices(DRAWN.split(), k=9) for _ in range(count))
    written = [(name, keys) for name, some in WRITTEN.items() for keys in some]
    return [*written, *(("lesson", " ".join(keys)) for keys in drawn)]


@pytest.mark.parametrize(("name", "keys"), sequences(15, 24), ids=str)
@pytest.mark.parametrize("loads", [True, False], ids=["while torch loads", "afterwards"])
@pytest.mark.whole(every=72)
async def test_fast_typing_comes_to_what_slow_typing_comes_to(
    tmp_path: Path, name: str, keys: str, loads: bool
) -> None:
    async with at(name, tmp_path / "slow", Unhurried(RAISES)) as stage:
        wanted = await slowly(stage, keys.split())
    async with at(name, tmp_path / "fast", Unhurried(RAISES, waits=loads)) as stage:
        if not loads:
            await settle(stage)
        found = await at_once(stage, keys.split())

    assert found == wanted
