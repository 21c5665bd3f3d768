"""What comes through stdin without end takes no memory without end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_tui.common.command import stdin
from inplace_tui.common.command.parser import CommandError
from inplace_tui.tutorial.commands.plain.typed import LESSON, parse_line
from support.command import COMMAND, inherited

MANY = 200
"""Pieces of one line."""


def read_from(pieces: Iterator[bytes], monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Let the pieces be what stdin has; return those that were read so far."""
    taken: list[bytes] = []
    real = os.read

    def read(descriptor: int, count: int) -> bytes:
        if descriptor != 0:
            return real(descriptor, count)
        taken.append(next(pieces, b""))
        return taken[-1]

    monkeypatch.setattr(os, "read", read)
    return taken


async def at_rest() -> None:
    """Wait until readers have come to their end, or have no room: the next test has its own."""
    for reader in threading.enumerate():
        if reader.daemon:
            await asyncio.to_thread(reader.join, 0.2)


async def test_a_line_without_end_is_cut_and_the_next_one_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_from(iter([*[b"x" * 4096] * MANY, b"\nn", b"ext\n"]), monkeypatch)

    lines = [line async for line in stdin.read_lines()]

    assert lines == ["x" * stdin.MAX_LINE, "next"]


async def test_a_line_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = read_from(iter(lambda: b"x" * 4096, b""), monkeypatch)

    with pytest.raises(CommandError, match="4,194,304"):
        await anext(stdin.read_lines())

    await at_rest()
    assert len(taken) <= stdin.ENDLESS // 4096 + stdin.AHEAD + 2


ENDLESS = {
    "run": ["run", "-"],
    "lesson": ["--plain", "lesson", "saved-output"],
    "sandbox": ["--plain", "sandbox", "mine.py"],
    "drill": ["--plain", "drill"],
    "contents": ["--plain"],
    "check": ["--plain", "check", "-"],
}


@pytest.mark.usefixtures("warm_torch")
@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.whole
def test_a_command_that_is_sent_one_line_without_end_says_so_and_ends(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    with Path("/dev/zero").open("rb") as zero:
        done = subprocess.run(
            [COMMAND, *ENDLESS[name]],
            cwd=tmp_path,
            env={**inherited(), "INPLACE_TUI_HOME": str(tmp_path), "LANG": "C.UTF-8"},
            stdin=zero,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


async def test_no_more_is_read_ahead_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = read_from((b"n\n" for _ in range(MANY)), monkeypatch)
    lines = stdin.read_lines()
    assert await anext(lines) == "n"
    await at_rest()

    assert len(taken) <= stdin.AHEAD + 1
    await lines.aclose()


@pytest.mark.parametrize("line", ["9" * 5000, f"values x[{'9' * 5000}]", f"why N{'9' * 5000}"])
def test_a_number_that_python_does_not_read_means_nothing(line: str) -> None:
    assert parse_line(line, LESSON) is None
