"""What is wrong with what was kept is said on the page that opens, not behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.page import Page
from support.screens import opened


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "opening",
    [
        Opening(screen="contents"),
        Opening(screen="lesson", lesson="saved-output"),
        Opening(screen="drill"),
        Opening(screen="sandbox"),
    ],
    ids=lambda opening: opening.screen,
)
@pytest.mark.whole(every=4)
async def test_a_progress_file_that_is_set_aside_is_told_in_front(
    tmp_path: Path, opening: Opening
) -> None:
    (tmp_path / "progress.json").write_text('{"schema": 1, "less')

    async with opened(opening, tmp_path) as stage:
        await stage.until(lambda: "progress.broken-1.json" in notice(stage.app.screen))


def notice(screen: object) -> str:
    """Return what a page tells just now."""
    return str(screen._notice or "") if isinstance(screen, Page) else ""
