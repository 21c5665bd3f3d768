"""A compiled course: the same as its files make, and never instead of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_tui.common.paths import built_in_lessons
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course import course as courses
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.drive import packs
from inplace_tui.tutorial.drive.lessons import read_course
from inplace_tui.tutorial.drive.packs import CourseCache
from support.course import COURSE

CHAPTERS = ("02-leaves-and-graphs", "challenges")


@pytest.fixture
def lessons(tmp_path: Path) -> Path:
    """A folder with one chapter and the challenges."""
    folder = tmp_path / "lessons"
    for name in CHAPTERS:
        shutil.copytree(built_in_lessons() / name, folder / name)
    return folder


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files were read each time that a course was compiled."""
    counts: list[int] = []
    load: Callable[..., Course] = courses.load_course

    def counting(files: dict[str, bytes], **about: object) -> Course:
        counts.append(len(files))
        return load(files, **about)

    monkeypatch.setattr(packs, "load_course", counting)
    return counts


def read(folder: Path, cache: Path, origin: Origin = Origin.PACK) -> Course:
    return read_course(folder, origin=origin, load=CourseCache(cache).load)


@pytest.mark.whole
def test_the_shipped_course_is_the_same_from_the_cache(tmp_path: Path, compiled: list[int]) -> None:
    first = read(built_in_lessons(), tmp_path, Origin.BUILT_IN)
    again = read(built_in_lessons(), tmp_path, Origin.BUILT_IN)

    assert len(compiled) == 1
    for found in (first, again):  # one lesson claims a nan, which no equality says to be the same
        assert repr(found) == repr(COURSE)
    assert [each.where("steps", 0) for each in again.lessons] == [
        each.where("steps", 0) for each in COURSE.lessons
    ]


@pytest.mark.parametrize("change", ["rewritten", "renamed", "added", "removed", "another origin"])
@pytest.mark.whole(every=5)
def test_whatever_changes_is_seen(
    tmp_path: Path, lessons: Path, compiled: list[int], change: str
) -> None:
    cache, origin = tmp_path / "cache", Origin.PACK
    before = read(lessons, cache)
    file = next((lessons / CHAPTERS[0]).glob("01-*.yaml"))
    match change:
        case "rewritten":  # with size and time as they were
            times = file.stat()
            file.write_text(file.read_text().replace("minutes: ", "minutes:  ", 1)[:-1])
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        case "renamed":
            file.rename(file.with_name("00" + file.name[2:]))
        case "added":
            (lessons / CHAPTERS[0] / "99-more.yaml").write_text("schema: 1\n")
        case "removed":
            file.unlink()
        case _:
            origin = Origin.BUILT_IN

    after = read(lessons, cache, origin)

    assert len(compiled) == 2
    assert repr(after) != repr(before)
    assert repr(after) == repr(read_course(lessons, origin=origin))


@pytest.mark.parametrize("damage", ["cut", "one bit", "empty", "noise", "a folder", "of another"])
@pytest.mark.whole(every=6)
def test_a_damaged_one_is_made_again_without_a_word(
    tmp_path: Path,
    lessons: Path,
    compiled: list[int],
    capfd: pytest.CaptureFixture[str],
    damage: str,
) -> None:
    cache = tmp_path / "cache"
    before = read(lessons, cache)
    (file,) = cache.iterdir()
    content = file.read_bytes()
    match damage:
        case "cut":
            file.write_bytes(content[:-100])
        case "one bit":
            file.write_bytes(content[:500] + bytes([content[500] ^ 1]) + content[501:])
        case "a folder":
            file.unlink()
            file.mkdir()
        case "of another":
            file.write_bytes(bytes(32) + content[32:])
        case _:
            file.write_bytes(b"" if damage == "empty" else b"\xff" * 5000)

    assert repr(read(lessons, cache)) == repr(before)
    assert len(compiled) == 2
    if damage != "a folder":
        assert repr(read(lessons, cache)) == repr(before)
        assert len(compiled) == 2
        assert file.read_bytes() == content
    assert capfd.readouterr() == ("", "")


def test_where_nothing_can_be_kept_lessons_are_read_all_the_same(
    tmp_path: Path, lessons: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")

    assert repr(read(lessons, tmp_path / "file")) == repr(read_course(lessons, origin=Origin.PACK))


def test_a_file_whose_name_is_no_text_is_read_too(tmp_path: Path, lessons: Path) -> None:
    odd = Path(str(lessons / CHAPTERS[0] / "98-\udcff.yaml"))
    odd.write_text("schema: 1\n")

    assert repr(read(lessons, tmp_path / "cache")) == repr(read_course(lessons, origin=Origin.PACK))
