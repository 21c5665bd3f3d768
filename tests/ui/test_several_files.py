"""A program of several files on the screen: lines with their files, fixes where they belong."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from inplace_tui.common.run.files import find_line, line_name, split_files
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels.why import WhyPanel
from support.lent import Lent
from support.package import IN_CELLS, PACKAGE, TEST, write_package
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


def titles(stage: Stage) -> set[str]:
    """Return the titles of the two panels of code, as they are seen."""
    return set(re.findall(r"Code · (.+?) [─·]", stage.text))


async def why(stage: Stage) -> str:
    """Run the program, and return what is to blame once its fixes are found."""
    page = stage.sandbox
    await stage.press("ctrl+r")
    await stage.ran()
    await stage.until(lambda: page.view.fixes is not None and page.view.fixes.over)
    return " ".join(page.query_one(WhyPanel).text.split())


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.whole
async def test_a_package_is_stepped_through_and_mended_file_by_file(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path)
    monkeypatch.chdir(tmp_path)
    async with opened(opening(), tmp_path, size=(120, 40), worker=Lent(worker)) as stage:
        page = stage.sandbox
        blamed = await why(stage)
        assert f"Line {NET}:11 h = torch.sigmoid(self.one(x)) saved h at version 0" in blamed
        assert f"Line {NET}:12 h *= 2 changed it to version 1" in blamed
        assert "backward on line proj/engine.py:12 needed version 0" in blamed
        assert f"{NET} - h *= 2 + h = h * 2" in blamed
        assert "Code · proj/engine.py" in stage.text  # where it raised
        assert f"Code · {NET}" in stage.text  # beside it, who changed it

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
        assert await comes_to(stage, says("* net.py not saved"))
        assert await comes_to(stage, says("gradients right"))
        assert page.editor.text == PACKAGE["train.py"]
        assert not page.filing.is_main_unsaved
        assert (tmp_path / NET).read_text() == PACKAGE["models/net.py"]

        await saved_with_the_main_file(stage, tmp_path)


async def saved_with_the_main_file(stage: Stage, folder: Path) -> None:
    """Leave, and stay; save both files."""
    page = stage.sandbox
    fixed = PACKAGE["models/net.py"].replace("h *= 2", "h = h * 2")
    await stage.press("q")
    assert await comes_to(stage, says("changes that are not saved: net.py"))
    await stage.press("escape")
    (folder / NET).write_text("# mine\n")  # another program writes it
    await stage.press("ctrl+s")
    assert await comes_to(stage, says("1 overwrite"))
    await stage.press("escape")
    assert (folder / NET).read_text() == "# mine\n"
    (folder / NET).write_text(PACKAGE["models/net.py"])
    page.editor.replace_all(PACKAGE["train.py"] + "# more\n")
    await stage.press("ctrl+s")
    await stage.until(lambda: not page.unsaved)
    assert "Saved to train.py, net.py." in stage.text
    assert (folder / NET).read_text() == fixed
    assert (folder / "proj" / "train.py").read_text().endswith("# more\n")
    assert not [*(stage.app.home / "unsaved").glob("*.py")]
    await stage.press("ctrl+r")
    assert await comes_to(stage, says("gradients right"))


SCRIPT = """\
import sys
from proj.engine import Trainer
from proj.models.net import Net
from proj.data import batches
assert sys.argv == ["-", "--epochs", "3"], sys.argv
Trainer(Net(4)).fit(batches())
"""


@dataclass(frozen=True)
class Way:
    """Another way to start the program."""

    opening: Opening
    model: str
    """How the file of the model is named."""

    mended: str
    """In the title, after the fix is opened."""


WAYS = {
    "notebook": Way(Opening(file=Path("cells.ipynb")), "In [4]", "not saved"),
    "pytest": Way(
        Opening(
            file=Path("test_model.py"),
            module="pytest",
            is_imported=True,
            arguments=("-Wignore", "-pno:cacheprovider", "-k", "fit"),
        ),
        NET,
        "* net.py not saved",
    ),
    "stdin": Way(
        Opening(content=SCRIPT.encode(), arguments=("--epochs", "3")), NET, "* net.py not saved"
    ),
}


@pytest.mark.whole
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.asyncio(loop_scope="session")
async def test_it_is_the_same_from_elsewhere(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Way
) -> None:
    write_package(tmp_path)
    (tmp_path / "cells.ipynb").write_text(IN_CELLS)
    (tmp_path / "test_model.py").write_text(TEST)
    monkeypatch.chdir(tmp_path)
    opening = replace(way.opening, screen="sandbox")
    if opening.module is not None:  # the worker was started in another folder
        test = str(tmp_path / "test_model.py")
        opening = replace(opening, arguments=(*opening.arguments, test))
    async with opened(opening, tmp_path, size=(120, 40), worker=Lent(worker)) as stage:
        blamed = await why(stage)
        line = "" if way.model.startswith("In [") else "Line "  # a cell's place is enough
        assert f"{line}{way.model}:11 h = torch.sigmoid(self.one(x)) saved h at version 0" in blamed
        assert f"{line}{way.model}:12 h *= 2 changed it to version 1" in blamed
        assert "backward on line proj/engine.py:12 needed version 0" in blamed
        assert f"{way.model} - h *= 2 + h = h * 2" in blamed
        assert "RuntimeError in backward" in stage.text
        assert "Code · proj/engine.py " in stage.text
        assert f"Code · {way.model} " in stage.text

        await stage.press("x", "1")
        assert await comes_to(stage, says(way.mended))
        assert await comes_to(stage, says("gradients right"))


@pytest.mark.asyncio(loop_scope="session")
async def test_a_notebook_is_edited_and_saved_cell_by_cell(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path)
    path = tmp_path / "cells.ipynb"
    path.write_text(IN_CELLS)
    monkeypatch.chdir(tmp_path)
    opening = Opening(screen="sandbox", file=Path("cells.ipynb"))
    async with opened(opening, tmp_path, size=(120, 40), worker=Lent(worker)) as stage:
        page = stage.sandbox
        assert await comes_to(stage, says("left out: In [1]:3 !pip install torch"))
        await stage.press("escape")
        assert await comes_to(stage, says("Code · In [1]"))
        await why(stage)
        beside = page.panel("beside")
        assert "changed here" in next(row.text for row in beside.rows if "h *= 2" in row.text)
        assert titles(stage) == {"proj/engine.py", "In [4]"}
        await stage.press("tab")
        assert page.focused is beside
        await stage.press("escape")
        assert page.focused is page.panel("code")
        await stage.press("g")
        assert "changed it to version 1" in " ".join(page.query_one(WhyPanel).text.split())
        while page.view.cursor < 0 or ran(stage) != "In [4]:11":
            await stage.press("s")
        assert titles(stage) == {"proj/engine.py", "In [4]"}
        line = find_line(page.view.source, "In [4]", 12)
        assert line is not None
        page.action_point_at(line)
        await stage.press("i")
        await stage.until(lambda: page.editing)
        assert page.editor.document[page.editor.cursor_location[0]] == "        h *= 2"
        await stage.press("end", "backspace", "3", "ctrl+s")
        await stage.until(lambda: not page.unsaved)
        assert path.read_text() == IN_CELLS.replace("h *= 2", "h *= 3")

        borders = [part.before for part in split_files(page.editor.text)]
        page.editor.move_cursor((borders[2] - 1, 0))
        await stage.press("backspace", "x", "ctrl+s")
        assert await comes_to(stage, says("cells can't be added, removed or renamed here"))
        assert page.unsaved
        assert path.read_text() == IN_CELLS.replace("h *= 2", "h *= 3")
