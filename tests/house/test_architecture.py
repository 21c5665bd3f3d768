"""docs/architecture.md says which files a key, an answer and `explain` go through."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import inplace_tui
from inplace_tui.cli import main
from inplace_tui.tutorial.drive import session_runner
from support.screens import lesson

PACKAGE = str(Path(inplace_tui.__file__).parent) + "/"
PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")
FAULTY = """\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def way(heading: str) -> list[str]:
    """Return the files that the page lists below a heading."""
    _, found, rest = PAGE.partition(f"\n## {heading}")
    assert found, heading
    return re.findall(r"^\d+\. `([\w/]+\.py)`", rest.partition("\n## ")[0], re.MULTILINE)


@contextmanager
def entered() -> Iterator[list[str]]:
    """Collect the files of ours whose functions are called, in any thread, at the first call."""
    files: dict[str, None] = {}
    found: list[str] = []

    def called(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & 1  # neither a module nor the body of a class
        if event == "call" and is_function and code.co_filename.startswith(PACKAGE):
            files[code.co_filename] = None

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        found += (each.removeprefix(PACKAGE) for each in files)


def in_order(listed: list[str], found: list[str]) -> list[str]:
    """Return those that are listed, in the order in which they were entered."""
    return [each for each in found if each in listed]


async def test_a_key_goes_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_runner, "SAVE_AFTER", 60.0)  # another moment, on a busy machine too
    async with lesson(tmp_path, size=(120, 40)) as stage:
        await stage.press("n")
        with entered() as found:
            await stage.press("n")

    listed = way("The way of a key")
    assert len(listed) > 5
    assert in_order(listed, found) == listed
    assert len(found) <= 60


async def test_an_answer_goes_its_way(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(120, 40)) as stage:
        await stage.press("c", "n", "b")
        with entered() as found:
            await stage.press("enter")

    listed = way("The way of an answer")
    assert len(listed) > 5
    assert in_order(listed, found) == listed
    assert len(found) <= 70


@pytest.mark.whole
def test_explain_goes_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "main.py"
    program.write_text(FAULTY)
    monkeypatch.setenv("INPLACE_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "argv", ["inplace-tui", "explain", str(program)])
    with entered() as found, pytest.raises(SystemExit):
        main()

    listed = way("The way of `explain FILE`")
    assert len(listed) > 5
    assert in_order(listed, found) == listed
