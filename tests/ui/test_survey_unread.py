"""The survey of ops is read when somebody asks for it: not by a list of lessons, nor by a step."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_tui.common.ops import survey
from inplace_tui.tutorial.ui.opening import Opening
from support.screens import opened

WATCHED = """
import sys
from pathlib import Path

def watch(event, values):
    if event == "open" and "ops/torch-" in str(values[0]):
        print("READ", file=sys.stderr)

sys.addaudithook(watch)
from inplace_tui.cli import main
main()
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, ...]]]:
    """Return the versions of torch of which the survey was read since."""
    found: list[tuple[int, ...]] = []
    load = survey._load

    def loaded(version: tuple[int, ...]) -> survey.Survey:
        found.append(version)
        return load(version)

    survey.installed_survey.cache_clear()
    monkeypatch.setattr(survey, "_load", loaded)
    yield found
    survey.installed_survey.cache_clear()


async def test_contents_and_the_steps_of_a_lesson_do_without(
    tmp_path: Path, read: list[tuple[int, ...]]
) -> None:
    async with opened(Opening(), tmp_path) as stage:
        await stage.press("down", "down")
    async with opened(Opening(screen="lesson", lesson="saved-output"), tmp_path) as stage:
        await stage.ran()
        await stage.press("g", "n", "n")

    assert read == []


@pytest.mark.parametrize(("arguments", "reads"), [(["list"], False), (["op", "sigmoid"], True)])
def test_a_list_of_lessons_does_without(tmp_path: Path, arguments: list[str], reads: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert ("READ" in done.stderr.splitlines()) == reads
