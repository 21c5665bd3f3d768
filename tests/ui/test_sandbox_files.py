"""Files of the sandbox: every reason why one can't be opened, and what is written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inplace_tui.common.run.files import split_files
from inplace_tui.tutorial.ui.drafts.textfile import MAX_BYTES, FileError, changed_since, read, write


def refusal(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        read(path)
    return caught.value.text.en


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "程序.py"
    write(path, "x = '中文'\r\n")

    assert read(path).text == "x = '中文'\r\n"


def test_a_file_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path / "new.py").content is None


def test_each_unusable_file_says_why(tmp_path: Path) -> None:
    binary, latin, huge = tmp_path / "b.py", tmp_path / "l.py", tmp_path / "h.py"
    binary.write_bytes(b"x\0y")
    latin.write_bytes("x = 'é'".encode("latin-1"))
    huge.write_bytes(b"#" * (MAX_BYTES + 1))

    assert refusal(tmp_path) == f"{tmp_path} is a folder."
    feed = tmp_path / "f.py"
    feed.write_bytes(b"x = 1\n\fy = 2\n")
    assert refusal(feed).startswith(f"{feed} has U+000C in line 2")
    mixed = tmp_path / "m.py"
    mixed.write_bytes(b"x = 1\r\ny = 2\r\nz = 3\n")
    assert refusal(mixed).startswith(f"{mixed} mixes LF and CRLF: line 3 ends otherwise")
    assert refusal(binary) == f"{binary} is no text: it has a zero byte at offset 1."
    assert "not UTF-8 (byte 0xe9 at offset 5)" in refusal(latin)
    assert "1,000,001 bytes" in refusal(huge)
    assert "no such file" in refusal(tmp_path / "nowhere" / "x.py")


def test_a_device_is_not_read() -> None:
    assert "not a regular file" in refusal(Path("/dev/zero"))


def test_a_name_with_a_zero_byte_is_refused_like_any_other() -> None:
    assert "can't be read" in refusal(Path("a\0b"))


def test_a_file_that_somebody_else_wrote_is_noticed(tmp_path: Path) -> None:
    file = write(tmp_path / "x.py", "1")

    assert not changed_since(file)

    (tmp_path / "x.py").write_text("2")
    os.utime(tmp_path / "x.py", ns=(1, 1))

    assert changed_since(file)


CELLS = {"cells": [{"cell_type": "code", "execution_count": 2, "source": "%pip x\ny = 1"}]}


def test_of_a_notebook_only_the_cells_are_edited(tmp_path: Path) -> None:
    path = tmp_path / "{cells}.ipynb"
    path.write_text(json.dumps({**CELLS, "nbformat": 4}))
    text = read(path).text
    assert text.splitlines()[-1] == "y = 1"

    write(path, text.replace("y = 1", "y = 2"))
    assert path.read_text() == json.dumps({**CELLS, "nbformat": 4}).replace("y = 1", "y = 2")

    before = path.read_bytes()
    with pytest.raises(FileError) as caught:
        write(path, "y = 3")
    assert "{cells}.ipynb can't be written: cells can't be added" in caught.value.text.en
    with pytest.raises(FileError):
        write(path, f"above = 1\n{text}")
    assert path.read_bytes() == before
    path.write_text("{}")
    why = "Object missing required field `nbformat`"
    assert refusal(path) == f"{path} can't be read: no notebook of format 3 or 4 ({why})."


def test_a_notebook_saved_as_another_keeps_what_is_not_code(tmp_path: Path) -> None:
    path, other = tmp_path / "cells.ipynb", tmp_path / "other.ipynb"
    content = json.dumps(
        {"cells": [{"cell_type": "markdown", "source": "# x"}, *CELLS["cells"]], "nbformat": 4}
    )
    path.write_text(content)

    file = write(other, read(path).text.replace("y = 1", "y = 2"), path)

    assert other.read_text() == content.replace("y = 1", "y = 2")
    assert path.read_text() == content
    assert read(other).text == file.text


def test_a_program_saved_as_a_new_notebook_is_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "new.ipynb"

    file = write(path, "x = 1\n\ny = 'é'\n", tmp_path / "script.py")

    assert json.loads(path.read_text())["cells"][0]["source"] == ["x = 1\n", "\n", "y = 'é'"]
    assert [part.name for part in split_files(file.text)] == [None, "cell 1"]
    assert read(path).text == file.text
    write(path, file.text.replace("x = 1", "x = 2"))
    assert "x = 2" in read(path).text


def test_cells_are_saved_as_a_new_notebook_with_their_names_and_magics(tmp_path: Path) -> None:
    path = tmp_path / "cells.ipynb"
    path.write_text(json.dumps({**CELLS, "nbformat": 4}))
    text = read(path).text
    path.unlink()

    assert write(path, text).text == text

    assert json.loads(path.read_text())["cells"][0]["source"] == ["%pip x\n", "y = 1"]


def test_nothing_is_no_notebook(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        write(tmp_path / "new.ipynb", "\n")
    assert "it has no code cell" in caught.value.text.en
    assert not (tmp_path / "new.ipynb").exists()
