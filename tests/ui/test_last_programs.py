"""`e` and Ctrl-O offer the programs that were opened or saved last."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from inplace_tui.tutorial.ui.drafts.draft import MOST, last_programs, remember
from inplace_tui.tutorial.ui.opening import Opening
from support.screens import opened

EMPTY = Opening(screen="sandbox")


def paths_of_last(home: Path) -> list[Path]:
    return [each.path for each in last_programs(home)]


def made(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.write_text(f"here = {path.name!r}\n")
    return paths


@pytest.mark.parametrize(
    ("size", "language", "said"),
    [
        ((80, 24), "en", "Ctrl-O offers your last programs: train.py, model.py"),
        ((60, 20), "zh", "按 Ctrl-O 打开最近的程序：train.py、model.py"),
    ],
)
@pytest.mark.whole(every=2)
async def test_the_last_programs_are_offered_and_opened(
    tmp_path: Path, size: tuple[int, int], language: str, said: str
) -> None:
    home = tmp_path / "home"
    model, train = made(tmp_path, "model.py", "train.py")
    for path in (model, train, model, train):
        async with opened(Opening(screen="sandbox", file=path), home):
            pass
    async with opened(EMPTY, home, size=size, language=language) as stage:
        assert said in stage.text
        await stage.press("ctrl+o")
        assert re.findall(r"│ +(\w+\.py)  /", stage.text) == ["train.py", "model.py"]

        await stage.press("down", "down", "down", "up", "enter")
        await stage.until(lambda: stage.sandbox.editor.text == model.read_text())

        await stage.press("ctrl+o")
        await stage.press("down", "enter")  # the first one by now, which may be read anew
        await stage.until(lambda: "model.py" in stage.lines[0])


@pytest.mark.whole
async def test_what_is_saved_under_a_name_is_offered_from_then_on(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("ctrl+o", "down")  # with nothing to offer, it is a key without a use
        assert "offers" not in stage.text
        await stage.press("escape", "x", "ctrl+s", *str(tmp_path / "new.py"), "enter")
        await stage.until((tmp_path / "new.py").exists)

    assert paths_of_last(tmp_path) == [tmp_path / "new.py"]


def test_only_so_many_are_kept_and_those_that_are_gone_are_left_out(tmp_path: Path) -> None:
    paths = made(tmp_path, *(f"{number}.py" for number in range(MOST + 2)))
    for path in paths:
        remember(tmp_path / "home", path)
    paths[-1].unlink()

    assert paths_of_last(tmp_path / "home") == paths[-2:1:-1]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\0/\n/\xff\n" + b"x" * 9000, b"a" * 10**6])
def test_a_file_of_nonsense_offers_nothing_and_is_written_anew(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "last-programs.txt").write_bytes(content)
    assert paths_of_last(tmp_path) == []

    (path,) = made(tmp_path, "a.py")
    remember(tmp_path, path)

    assert paths_of_last(tmp_path) == [path]


def test_a_pipe_in_its_place_is_not_waited_for_and_no_odd_name_is_kept(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "last-programs.txt")
    plain, *odd = made(tmp_path, "程序 1.py", os.fsdecode(b"\xff.py"), "two\nlines.py", "\x1b.py")

    remember(tmp_path, plain)
    assert paths_of_last(tmp_path) == []

    for path in (plain, *odd):
        remember(tmp_path / "home", path)
    assert paths_of_last(tmp_path / "home") == [plain]
