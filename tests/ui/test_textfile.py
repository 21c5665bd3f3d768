"""Files as they are on a disk: links, rights, line ends, and a disk that is full."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.textfile import FileError
from inplace_tui.tutorial.ui.opening import Opening
from support.screens import opened


def test_a_link_stays_a_link_and_the_file_behind_it_keeps_its_rights(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_text("old")
    real.chmod(0o750)
    link.symlink_to(real)

    textfile.write(link, "new")

    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o750
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.py", "real.py"]


def test_a_second_name_of_a_file_is_still_the_same_file(tmp_path: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("old")
    os.link(first, second)

    textfile.write(first, "new")

    assert second.read_text() == "new"


def test_a_disk_that_is_full_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(FileError) as refusal:
        textfile.write(path, "new")

    assert "No space left on device" in refusal.value.text.en
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]


def test_what_is_no_file_is_not_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for path in (pipe, tmp_path, tmp_path / "no" / "folder.py"):
        with pytest.raises(FileError):
            textfile.write(path, "new")


@pytest.mark.parametrize("content", [b"a = 1\r\nb = 2\r\n", b"a = 1", b"", b"\xef\xbb\xbfa = 1\n"])
@pytest.mark.whole(every=4)
async def test_a_file_that_is_opened_and_saved_is_the_same_to_the_last_byte(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(content)
    async with opened(Opening(screen="sandbox", file=path), tmp_path) as stage:
        await stage.press("ctrl+s")
        await stage.until(lambda: "Saved" in stage.text)

    assert path.read_bytes() == content


async def test_what_is_typed_above_a_byte_order_mark_goes_below_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    async with opened(Opening(screen="sandbox", file=path), tmp_path) as stage:
        await stage.press("b", "enter", "ctrl+s")
        await stage.until(lambda: "Saved" in stage.text)

    assert path.read_bytes() == b"\xef\xbb\xbfb\na = 1\n"


async def test_a_file_that_was_changed_with_its_time_kept_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("a = 1\n")
    about = path.stat()
    async with opened(Opening(screen="sandbox", file=path), tmp_path) as stage:
        path.write_text("a = 2\n")
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        await stage.press("b", "ctrl+s")
        await stage.until(lambda: "1 overwrite" in " ".join(stage.text.split()))
        await stage.press("escape")

        assert path.read_text() == "a = 2\n"
