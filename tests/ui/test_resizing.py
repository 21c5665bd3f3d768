"""A storm of sizes takes neither the keys from a panel nor the cursor out of sight."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.screen import Screen

from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import TensorTable
from inplace_tui.tutorial.ui.textual_private.compositor import Spots
from inplace_tui.tutorial.ui.textual_private.terminal_input import TerminalDriver
from support.course import COURSE
from support.screens import Stage, lesson, opened
from support.seen import comes_to

STORM = [(40, 10), (1, 1), (200, 60), (1, 60), (200, 1), (80, 24)]


async def storm(stage: Stage) -> None:
    for size in STORM:
        await stage.pilot.resize_terminal(*size)
    await stage.pilot.pause()


async def test_a_panel_that_had_no_room_gets_the_keys_back(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("n", "n", "1", "down")
        table = stage.lesson.query_one(TensorTable)
        chosen = table.cursor
        assert chosen is not None

        await storm(stage)

        assert await comes_to(stage, lambda _: stage.app.focused is table)
        assert table.cursor == chosen


@pytest.mark.whole
async def test_the_line_that_is_typed_stays_in_sight(tmp_path: Path) -> None:
    async with opened(Opening(screen="sandbox"), tmp_path) as stage:
        stage.sandbox.editor.load_text("\n".join(f"line = {n}" for n in range(60)))
        stage.sandbox.editor.move_cursor((59, 4))
        await stage.press("s", "o")

        await storm(stage)

        assert await comes_to(stage, lambda stage: "lineso = 59" in stage.text)
        assert stage.sandbox.editor.cursor_location == (59, 6)


async def test_what_is_chosen_of_a_list_is_seen_where_there_is_little_room(tmp_path: Path) -> None:
    async with opened(Opening(screen="sandbox"), tmp_path, size=(40, 10)) as stage:
        editor = stage.sandbox.editor
        many = " = ".join(f"alpha{n}" for n in range(1, 10))
        editor.load_text(f"{many} = 0\n\n\nalpha\n")
        editor.move_cursor((3, 5))
        await stage.pilot.pause()
        editor.show_completions(asked=True)
        last = editor.completions[-1]
        assert last not in stage.text

        await stage.press("up")

        assert last in stage.text


async def test_a_new_size_is_not_drawn_over_and_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[float] = []

    def display(_: App[int], screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, Spots):
            width, height = screen.size
            drawn.append(sum(strip.cell_length for *_, strip in renderable.pieces) / width / height)

    async with lesson(tmp_path, size=(200, 60)) as stage:
        behind = stage.app.screen_stack[0].query_one("#title")
        monkeypatch.setattr(App, "_display", display)
        await stage.pilot.resize_terminal(120, 40)

        assert await comes_to(stage, lambda _: bool(drawn))
        assert sum(drawn) < 3
        assert behind.size.width == 198

        await stage.press("escape")

        assert await comes_to(stage, lambda _: behind.size.width == 118)


async def test_what_changes_while_a_key_is_handled_is_drawn_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[object] = []

    async with lesson(tmp_path, size=(80, 24)) as stage:
        await comes_to(stage, lambda _: not stage.lesson._dirty_widgets)
        monkeypatch.setattr(App, "_display", lambda *parts: drawn.append(parts[-1]))
        with stage.app.batch_update():
            stage.lesson.query_one("#title").refresh()
            await asyncio.sleep(0.2)  # the turn of the screen's timer passes
            assert not any(drawn)

        await asyncio.sleep(0.5)  # nothing else happens

        assert any(drawn)


async def test_what_lies_behind_a_question_is_drawn_when_it_changes_and_then_no_more(
    tmp_path: Path,
) -> None:
    async with lesson(tmp_path, size=(120, 40)) as stage:
        page = stage.lesson
        await stage.press("number_sign")
        page.refresh()

        assert await comes_to(stage, lambda _: not page._repaint_required)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.whole(every=2)
async def test_what_is_behind_a_dialog_is_drawn_for_the_new_size(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def with_dialog(first: tuple[int, int], wanted: str | None) -> str:
        async with opened(Opening(), tmp_path, size=first, language="zh", lessons=COURSE) as stage:
            await stage.until(lambda: "c 继续学习" in stage.text)
            await stage.press("p")
            await stage.pilot.resize_terminal(*size)
            assert await comes_to(stage, lambda _: wanted in (None, stage.text)), stage.text
            return stage.text

    await with_dialog((120, 40), await with_dialog(size, None))


async def test_of_sizes_that_come_while_one_is_read_the_last_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The signal of the second comes when the first was read, and was not posted yet."""
    app = App[None]()
    driver = TerminalDriver(app, size=(80, 24))
    sizes = [(2, 50), (100, 30), (100, 30)]
    posted: list[tuple[int, int]] = []

    def read() -> tuple[int, int]:
        size = sizes.pop(0)
        if len(sizes) == 2:
            os.kill(os.getpid(), signal.SIGWINCH)
        return size

    def post(message: events.Resize) -> bool:
        posted.append((message.size.width, message.size.height))
        return True

    monkeypatch.setattr(driver, "_get_terminal_size", read)
    monkeypatch.setattr(app, "post_message", post)
    before = signal.getsignal(signal.SIGWINCH)
    try:
        driver.watch_size()
        os.kill(os.getpid(), signal.SIGWINCH)
        for _ in range(10):
            await asyncio.sleep(0)
    finally:
        signal.signal(signal.SIGWINCH, before)

    assert posted == [(2, 50), (100, 30)]
