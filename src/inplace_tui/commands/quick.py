"""What a command does first, so that the learner waits for torch alone."""

from __future__ import annotations

import re
from pathlib import Path

from inplace_tui import paths
from inplace_tui.commands.spoken import Settings
from inplace_tui.commands.starting import is_plain
from inplace_tui.runner.process import WorkerProcess

_NAME = re.compile(r"[a-z0-9-]+")


def begun(settings: Settings) -> WorkerProcess | None:
    """Begin the worker, if there will be a screen: torch takes longer than all the rest."""
    if is_plain(settings):
        return None
    try:
        return WorkerProcess()
    except OSError:
        return None  # the screen tries again, and says why not


def lesson_file(settings: Settings, name: str | None) -> tuple[Path, int | None] | None:
    """Return the file of a lesson of the built-in course and the number in `ID@STEP`.

    None where that takes more than a look at the folder: reading the whole course
    takes longer than torch.
    """
    identity, _, step = (name or "").partition("@")
    plain = settings.lessons is None and _NAME.fullmatch(identity)
    if not plain or not (step.isdecimal() or step == ""):
        return None
    found = [
        path
        for path in paths.built_in_lessons().glob(f"*/*-{identity}.yaml")
        # `output` would find `01-saved-output.yaml`, too, and challenges are no lessons.
        if path.stem.partition("-")[2] == identity and (path.parent / "chapter.yaml").is_file()
    ]
    return (found[0], int(step) if step else None) if len(found) == 1 else None
