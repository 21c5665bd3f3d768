"""A key that can do nothing where it is pressed says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from inplace_tui.tutorial.ui.widgets.bars import KeyBar
from support.keyed import (
    COURSE,
    LONG,
    Enter,
    contents,
    drilled,
    ended,
    knowing,
    lesson,
    opened_tensor,
    panel,
    shown,
    table,
    tried,
    written,
)
from support.screens import opened
from support.seen import comes_to, says
from support.whole import sample

pytestmark = pytest.mark.asyncio(loop_scope="session")


def cases(home: Path) -> list[tuple[Enter, tuple[str, ...], str]]:
    """Return where one is, what is pressed, and what the last key is answered with."""
    editor = written(home / "own.py")
    return [
        (contents, ("tab",), "Tab does nothing here. ? lists"),
        (contents, ("question_mark", "tab"), "Tab does nothing here. Esc closes the help."),
        (contents, ("question_mark", "enter"), "Choose a row first"),
        (contents, ("end", "end"), "This is the bottom."),
        (contents, ("slash", "left"), "← does nothing here. F1 lists"),
        (contents, ("slash", "backspace"), "Backspace does nothing here. F1 lists"),
        (contents, ("slash", "up"), "This is the top."),
        (contents, ("slash", *"zzz", "enter"), "Nothing is called like that."),
        (contents, ("slash", "ctrl+c"), "Ctrl-C does not quit here: Ctrl-Q does."),
        (contents, ("colon", *"zzz", "enter"), "──── Nothing is called like that."),
        (contents, ("colon", "tab", "z", "q"), "zq"),
        (contents, ("colon", "f7"), "F7 does nothing here. F1 lists"),
        (lesson("saved-output"), ("R",), "This is the start."),
        (lesson("six", asks=True), ("Q",), "This is the question."),
        (lesson("six", asks=True), ("b", "b"), "This one is marked already."),
        (lesson("six", asks=True), ("1", "z", "H"), "first hint"),
        (lesson("six", asks=True), ("end", "end"), "This is the bottom."),
        (lesson("order", asks=True), ("K",), "This is the top."),
        (lesson("free"), ("G", "v", "7"), "7 does nothing here."),
        (lesson("free"), ("G", "v", "f7"), "F7 does nothing here. ? lists"),
        (lesson("six"), ("h",), "no programs that try to break its recap"),
        (lesson("free"), ("enter",), "No question is open here."),
        (lesson("free"), ("G", "v", "end", "end"), "This is the bottom."),
        (shown(LONG), ("1", "z", "plus"), "Storages has other columns now; 6 shows it."),
        (shown(), ("1", "1"), "Panel 1 has the focus already."),
        (shown(), ("w", "w"), "Panel 3 has the focus already."),
        (shown(), ("number_sign", "f7"), "F7 does nothing here. F1 lists"),
        (shown(), ("2", "j"), "There is no graph yet to go to."),
        (ended, ("2", "j"), "Choose a node first"),
        (opened_tensor("z"), ("left",), "There is no more on this side."),
        (opened_tensor("z"), ("up",), "This is the top."),
        (table("z"), ("slash", "right"), "→ does nothing here. F1 lists"),
        (table("z"), ("slash", *"ZZ", "enter"), "Nothing in this panel matches."),
        (panel("graph"), ("slash", *"TBackward0", "enter"), "This is the only match."),
        (table("z"), ("slash", "Z", "Z", "escape", "apostrophe"), "text in this panel"),
        (drilled, ("G",), "Predict first"),
        (drilled, ("Q",), "This is the question."),
        (drilled, ("full_stop",), "Predict first"),
        (drilled, ("e",), "Predict first"),
        (drilled, ("A",), "A drill has no hints"),
        (drilled, ("K",), "K does nothing here. ? lists"),
        (ended, ("1", "ctrl+f"), "Ctrl-F works in the editor: i goes there."),
        (editor, ("ctrl+f", "enter"), "Nothing was looked for yet."),
        (editor, ("ctrl+f", "Z", "Z", "up"), "not found"),
        (editor, ("ctrl+f", "ctrl+a", "ctrl+k", "ctrl+f"), "Nothing was looked for yet."),
        (written(home / "empty.py", "zzz"), ("end", "ctrl+space"), "Nothing to complete here."),
        (editor, ("ctrl+z",), "There is nothing to undo."),
        (editor, ("ctrl+y",), "There is nothing to do again"),
        (editor, ("ctrl+v",), "Nothing was copied here."),
        (tried, ("ctrl+s",), "A challenge has no file"),
        (tried, ("x",), "No fixes are listed here"),
        (editor, ("f9",), "F9 does nothing here. F1 lists"),
        (editor, ("ctrl+f", "f9"), "F9 does nothing here. F1 lists"),
    ]


@pytest.mark.whole(every=1)
async def test_a_key_that_can_do_nothing_says_so(worker: Worker, tmp_path: Path) -> None:
    missed = []
    told = await knowing(worker)
    async with opened(Opening(), tmp_path, size=(120, 40), lessons=COURSE, worker=told) as stage:
        for enter, keys, answer in sample(cases(tmp_path), 6):
            await enter(stage)
            await stage.press(*keys)
            if not await comes_to(stage, says(answer)):
                missed.append(f"{keys}: no {answer!r} in\n{stage.text}")
    assert not missed, "\n".join(missed)


async def test_the_welcome_offers_only_where_one_can_go(tmp_path: Path) -> None:
    async with opened(Opening(introduce=True), tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))
        first = stage.app.screen.query_one(KeyBar).text
        await stage.press("N")
        refused = stage.text
        page = stage.app.page
        assert isinstance(page, WelcomeScreen)
        for _ in range(4):
            await stage.press("n")
            await stage.until(lambda: not page.must_wait)

        assert "go back" not in first
        assert "This is the start." in refused
        assert "l, a or p goes on from here." in stage.text
        assert "go on" not in stage.app.screen.query_one(KeyBar).text
