"""`python prog.py` and `python -m inplace_tui.blame prog.py` do the same: programs that look.

Exit code, both streams and all files are compared, of programs that do odd things with the
interpreter. Where the two differ, docs/blame.md says so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from blame.interpreter import PYTHON, SOURCE, environment
from support.tables import read_table

PROGRAMS = read_table(Path(__file__).parent / "odd_programs.yaml")
SAME: dict[str, Any] = PROGRAMS["same"]
DIFFERENCES: list[dict[str, Any]] = PROGRAMS["differences"]
DOCUMENT = (Path(__file__).parents[2] / "docs" / "blame.md").read_text("utf-8")

ALONE = {"$PY": PYTHON, "$BLAME": "", "$MAIN": "", "$JOINED": ""}
WATCHED = {
    "$PY": PYTHON,
    "$BLAME": "-m inplace_tui.blame",
    "$MAIN": str(SOURCE / "inplace_tui" / "blame" / "__main__.py"),
    "$JOINED": "m inplace_tui.blame",
}


class End(NamedTuple):
    """All that a run leaves."""

    code: int
    out: bytes
    error: bytes
    files: dict[str, bytes]


def run(program: dict[str, Any], how: dict[str, str], folder: Path) -> End:
    """Run a program in a folder of this name, made for it: its path is part of what it says."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in {"prog.py": program.get("source", ""), **program.get("files", {})}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    command = program.get("run", "exec $PY $BLAME prog.py")
    for name, value in how.items():
        command = re.sub(re.escape(name) + r"\b", value, command)
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment(PYTHONFAULTHANDLER="", MALLOC_ARENA_MAX="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    left = {
        os.path.relpath(each, folder): placeless(each.read_bytes())
        for each in folder.rglob("*")
        if each.is_file() and each.suffix not in (".pyc", ".pyz")  # which hold times
    }
    return End(done.returncode, placeless(done.stdout), placeless(done.stderr), left)


def placeless(said: bytes) -> bytes:
    """Leave out where in memory something is."""
    return re.sub(rb"0x[0-9a-f]{6,}", b"0x", said)


def ends(program: dict[str, Any] | str, folder: Path) -> tuple[End, End]:
    if isinstance(program, str):
        program = {"source": program}
    return run(program, ALONE, folder / "p"), run(program, WATCHED, folder / "p")


@pytest.mark.parametrize("name", SAME)
@pytest.mark.whole(every=27)
def test_a_program_finds_pythons_own_top_level(name: str, tmp_path: Path) -> None:
    program = SAME[name]
    if isinstance(program, dict) and "quoted_from" in program and _is_new(tmp_path):
        pytest.skip("from Python 3.14 on its line is quoted, as docs/blame.md says")
    alone, watched = ends(program, tmp_path)

    assert watched == alone


def _is_new(folder: Path) -> bool:
    """Whether the Python that is tested is 3.14 or later."""
    return ends("import sys\nsys.exit(sys.version_info >= (3, 14))", folder)[0].code == 1


def test_what_differs_is_what_the_document_says(tmp_path: Path) -> None:
    assert len(DIFFERENCES) <= 10
    for each in DIFFERENCES:
        alone, watched = ends(each, tmp_path)

        assert watched != alone, each["says"]
        assert each["says"] in DOCUMENT


def test_the_comparison_sees_each_part_of_an_end(tmp_path: Path) -> None:
    sources = ("", "raise SystemExit(1)", "print()", "import sys; sys.stderr.write('x')")
    found = [ends(each, tmp_path)[0] for each in (*sources, "open('f', 'w')")]

    assert all(one != other for i, one in enumerate(found) for other in found[:i])
