"""What was typed and not saved is there again, whatever ended the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.commands.patches import FixWriter
from inplace_tui.tutorial.ui.drafts.draft import RecoveredDraft, Recovery, digest
from inplace_tui.tutorial.ui.opening import Opening
from support.screens import opened

EMPTY = Opening(screen="sandbox")


def leave(folder: Path, path: Path | None, *texts: str) -> None:
    """Keep texts, each in a process that dies without a word."""
    for text in texts:
        code = (
            "import os, signal; from pathlib import Path;"
            "from inplace_tui.common.run.program import Origin;"
            "from inplace_tui.tutorial.ui.drafts.draft import Recovery;"
            f"Recovery(Path({str(folder)!r})).copy({path and str(path)!r} and "
            f"Path({str(path)!r})).save({text!r}, Origin.OWN);"
            "os.kill(os.getpid(), signal.SIGKILL)"
        )
        subprocess.run([sys.executable, "-c", code], check=False, timeout=60)


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_whatever_was_typed_is_recovered_once_its_writer_is_gone(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    writer = Recovery(folder)
    writer.copy(None).save(text, Origin.OWN)
    writer.close()

    assert Recovery(folder).kept(None).text == text
    assert Recovery(folder).kept(Path("other.py")) == RecoveredDraft()


def test_two_at_work_on_one_file_do_not_touch_each_others_copies(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    one, other = Recovery(tmp_path), Recovery(tmp_path)
    first = one.copy(path)
    first.save("one", Origin.OWN)

    assert other.kept(path) == RecoveredDraft()  # its writer lives

    second = other.copy(path, other.kept(path).copies)
    second.save("other", Origin.OWN)
    second.forget()
    one.close()

    assert Recovery(tmp_path).kept(path).text == "one"


def test_of_several_that_were_left_each_is_offered_in_its_turn(tmp_path: Path) -> None:
    leave(tmp_path, None, "older", "newer")

    newest = Recovery(tmp_path).kept(None)

    assert (newest.text, newest.others) == ("newer", 1)

    Recovery(tmp_path).copy(None, newest.copies).forget()

    assert Recovery(tmp_path).kept(None).text == "older"


def test_what_is_no_copy_is_told_of_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "untitled-binary.py").write_bytes(b"\xff\0")
    (tmp_path / "untitled-folder.py").mkdir()
    (tmp_path / "untitled-to-nowhere.py").symlink_to(tmp_path / "nowhere")

    found = Recovery(tmp_path).kept(None)

    assert found.text is None
    assert {place.name for place in found.unreadable} == {
        "untitled-binary.py",
        "untitled-folder.py",
    }
    assert len(list(tmp_path.iterdir())) == 3


async def test_a_folder_that_cannot_be_written_is_told_of_once(tmp_path: Path) -> None:
    (tmp_path / "unsaved").write_text("a file, not a folder")
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("x")
        stage.sandbox.save_draft()
        await stage.pilot.pause()

        assert "No copy can be kept" in stage.text
        assert "* not saved, no copy" in stage.lines[0]

        await stage.press("y")
        stage.sandbox.save_draft()
        await stage.pilot.pause()

        assert "No copy can be kept" not in stage.text
        assert stage.sandbox.editor.text == "xy"


@pytest.mark.whole
async def test_what_was_recovered_can_be_taken_back_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("a = 1\n")
    leave(tmp_path / "unsaved", path, "a = 2\n")
    async with opened(Opening(screen="sandbox", file=path), tmp_path) as stage:
        assert stage.sandbox.editor.text == "a = 2\n"
        assert "never saved" in stage.text

        await stage.press("ctrl+z")

        assert stage.sandbox.editor.text == "a = 1\n"
        assert not stage.sandbox.unsaved


def type_and_die(home: Path, path: Path, text: str) -> None:
    """Type into a file in a sandbox whose process is killed once that is kept."""
    code = (
        "import asyncio, os, signal, sys; from pathlib import Path;"
        "from inplace_tui.tutorial.ui.opening import Opening; from support.screens import opened\n"
        "async def main(home, path):\n"
        "    async with opened(Opening(screen='sandbox', file=path), home) as stage:\n"
        "        stage.sandbox.editor.replace_all(sys.argv[3])\n"
        "        await stage.until(lambda: any((home / 'unsaved').glob('*.py')))\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main(*map(Path, sys.argv[1:3])))"
    )
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", code, home, path, text], env=given, check=False, timeout=60
    )
    assert ran.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("theirs", "asks"),
    [("a = 1\n", False), ("a = 3\n", True), ("", True), ("a = 1\nb = 2\n", True), ("é\n", True)],
)
@pytest.mark.whole(every=6)
async def test_a_file_that_changed_after_its_writer_was_killed_is_not_overwritten_unasked(
    tmp_path: Path, theirs: str, asks: bool
) -> None:
    path, home = tmp_path / "mine.py", tmp_path / "home"
    path.write_text("a = 1\n")
    type_and_die(home, path, "a = 2\n")
    there = path.stat()
    path.write_text(theirs)
    os.utime(path, ns=(there.st_atime_ns, there.st_mtime_ns))
    for kept in (theirs, "a = 2\n"):  # killed again before it was saved, it still asks
        async with opened(Opening(screen="sandbox", file=path), home) as stage:
            assert stage.sandbox.editor.text == "a = 2\n"
            assert ("changed since" in stage.text) == asks

            await stage.press("ctrl+s")
            if asks:
                await stage.until(lambda: "changed by another program" in stage.text)
                assert path.read_text() == theirs
                await stage.press("escape" if kept == theirs else "1")
            if not asks or kept != theirs:
                await stage.until(lambda: path.read_text() == "a = 2\n")
                return


@pytest.mark.parametrize("theirs", ["b = 1\n", "b = 3\n", ""])
@pytest.mark.whole(every=3)
async def test_nor_is_a_second_file_that_a_fix_had_changed(tmp_path: Path, theirs: str) -> None:
    main, model, home = tmp_path / "train.py", tmp_path / "model.py", tmp_path / "home"
    main.write_text("import model\n")
    model.write_text("b = 1\n")
    writer = Recovery(home / "unsaved")
    writer.copy(model, base=digest("b = 1\n")).save("b = 2\n", Origin.OWN)
    writer.close()
    model.write_text(theirs)
    async with opened(Opening(screen="sandbox", file=main), home) as stage:
        await stage.until(lambda: "here again: model.py" in stage.text)

        await stage.press("ctrl+s")
        if theirs != "b = 1\n":
            await stage.until(lambda: "changed by another program" in stage.text)
            assert model.read_text() == theirs
            await stage.press("1")
        await stage.until(lambda: model.read_text() == "b = 2\n")

        assert main.read_text() == "import model\n"


def die_between(home: Path, files: list[Path]) -> None:
    """Save files in a process that is killed after the first."""
    code = (
        "import os, signal, sys; from pathlib import Path;"
        "from inplace_tui.common.atomic_files import save_files;"
        "replace = os.replace;"
        "os.replace = lambda *n: (replace(*n), os.kill(os.getpid(), signal.SIGKILL));"
        "home, *files = map(Path, sys.argv[1:]); save_files(dict.fromkeys(files, b'new'), home)"
    )
    subprocess.run([sys.executable, "-c", code, home, *files], check=False, timeout=60)


@pytest.mark.parametrize("answer", ["1", "2"])
@pytest.mark.whole(every=2)
async def test_files_of_which_half_were_saved_are_offered_at_the_start(
    tmp_path: Path, answer: str
) -> None:
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    for file in files:
        file.write_text("old")
    home = tmp_path / "unsaved"
    die_between(home, files)
    async with opened(EMPTY, tmp_path) as stage:
        await stage.until(lambda: "a.py was written, b.py was not" in stage.text)
        await stage.press(answer)

        await stage.until(lambda: not [*home.glob("*.set")])
    assert [file.read_text() for file in files] == ["new" if answer == "1" else "old"] * 2


def test_a_fix_that_was_cut_short_is_told_of_when_the_next_is_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INPLACE_TUI_HOME", str(tmp_path))
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    for file in files:
        file.write_text("old")
    FixWriter(1, None, "en")
    assert capsys.readouterr().err == ""
    die_between(tmp_path / "unsaved", files)

    FixWriter(1, None, "en")

    said = capsys.readouterr().err
    assert all(part in said for part in ("cut short", "a.py", "b.py"))
    assert [file.read_text() for file in files] == ["new", "old"]


@pytest.mark.whole
async def test_a_file_that_is_opened_later_has_what_was_typed_in_it_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("a = 1\n")
    leave(tmp_path / "unsaved", path, "a = 2\n")
    async with opened(EMPTY, tmp_path) as stage:
        assert "Ctrl-O opens what you typed last time and never saved" in stage.text

        await stage.press("ctrl+o", "enter")
        await stage.until(lambda: stage.sandbox.editor.text == "a = 2\n")

        assert "never saved" in stage.text

        await stage.press("ctrl+s")
        await stage.until(lambda: path.read_text() == "a = 2\n")

    assert Recovery(tmp_path / "unsaved").unsaved_files() == []
    assert not [each for each in (tmp_path / "unsaved").iterdir() if each.suffix == ".path"]
