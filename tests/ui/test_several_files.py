"""A program of several files on the screen: lines with their files, fixes where they belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.model.files import line_name
from inplace_tui.runner.worker import Worker
from inplace_tui.ui.opening import Opening
from inplace_tui.ui.panels.why import WhyPanel
from support.lent import Lent
from support.package import PACKAGE, write_package
from support.screens import Stage, opened
from support.seen import comes_to, says

NET = "proj/models/net.py"


def opening() -> Opening:
    path = Path("proj", "train.py")
    return Opening(screen="sandbox", file=path, module="proj.train", arguments=("--epochs", "3"))


def ran(stage: Stage) -> str:
    """Return the name of the line that ran last."""
    view = stage.sandbox.view
    assert view.ran is not None
    return line_name(view.source, view.ran.line)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_package_is_stepped_through_and_mended_file_by_file(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path)
    monkeypatch.chdir(tmp_path)
    async with opened(opening(), tmp_path, size=(120, 40), worker=Lent(worker)) as stage:
        page = stage.sandbox
        await stage.press("ctrl+r")
        await stage.ran()
        await stage.until(lambda: page.view.fixes is not None and page.view.fixes.over)
        why = " ".join(page.query_one(WhyPanel).text.split())
        assert f"Line {NET}:11 h = torch.sigmoid(self.one(x)) saved h at version 0" in why
        assert f"Line {NET}:12 h *= 2 changed it to version 1" in why
        assert "backward on line proj/engine.py:12 needed version 0" in why
        assert f"{NET} - h *= 2 + h = h * 2" in why
        assert "Code · train.py" in stage.text

        await stage.press("g")
        while page.view.next_line != 12:
            await stage.press("n")
        await stage.press("n")
        assert page.view.cursor == len(page.view.timeline) - 1  # over all of the other files
        await stage.press("N")
        while ran(stage) != "proj/engine.py:10":
            await stage.press("s")
        assert "Code · proj/engine.py" in stage.text
        before = page.view.cursor
        await stage.press("s")
        assert ran(stage) == f"{NET}:11"
        assert f"Code · {NET}" in stage.text
        await stage.press("f")
        assert ran(stage) == "proj/engine.py:11"
        await stage.press("N", "n")
        assert page.view.cursor == before + 4
        assert ran(stage) == "proj/engine.py:11"

        await stage.press("i")
        assert await comes_to(stage, says("proj/engine.py is not edited here"))
        await stage.press("escape", "x", "1")
        assert await comes_to(stage, says("net.py: fix in memory"))
        assert await comes_to(stage, says("gradients right"))
        assert page.editor.text == PACKAGE["train.py"]
        assert not page.unsaved
        assert (tmp_path / NET).read_text() == PACKAGE["models/net.py"]
