"""What a command does first, so that the learner waits for torch alone."""

from __future__ import annotations

from pathlib import Path

from inplace_tui import paths
from inplace_tui.commands.spoken import Settings
from inplace_tui.commands.starting import is_plain
from inplace_tui.runner.process import WorkerProcess


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

    None where that takes more than a look at the folder.
    """
    identity, _, step = (name or "").partition("@")
    if settings.lessons is not None or not (step.isdecimal() or step == ""):
        return None
    found = paths.lesson_files(paths.built_in_lessons(), identity)
    return (found[0], int(step) if step else None) if len(found) == 1 else None
